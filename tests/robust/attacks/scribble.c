/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scribble SEED: four threads write random words into memory that the recorder reads meanwhile:
 * valid and invalid ones, in headers, windows and notes.
 */
#include "attack.h"

#include "random.h"

#include <pthread.h>

enum { THREADS = 4, WINDOWS = 8, MS = 250 };

struct scribbler {
	struct random random;
	struct spool_header *header;
	struct spool_notes *notes;
};

static uint64_t number(struct random *random)
{
	static const uint64_t some[] = {0,
					1,
					2,
					16,
					4096,
					1 << 16,
					UINT32_MAX,
					UINT64_MAX,
					UINT64_C(1) << 63,
					UINT64_C(1) << 48};
	uint64_t base = some[random_below(random, sizeof(some) / sizeof(*some))];

	return random_one_in(random, 4) ? random_below(random, UINT64_MAX)
					: base + random_below(random, 5) - 2;
}

static void scribble_window(struct scribbler *own)
{
	struct random *random = &own->random;
	struct spool_record *at = attack_window(own->header, random_below(random, WINDOWS));
	uint64_t from = random_below(random, ATTACK_WINDOW), count = random_below(random, 64);

	for (uint64_t i = from; i < from + count && i < ATTACK_WINDOW; i++) {
		unsigned kind = (unsigned)random_below(random, SPOOL_KINDS + 1);
		unsigned values =
			(unsigned)random_below(random, random_one_in(random, 9) ? 256 : 4);

		at[i].time = random_one_in(random, 3) ? number(random) : monotonic_ns();
		at[i].word = random_one_in(random, 5)
				     ? number(random)
				     : spool_word((enum spool_kind)kind,
						  64 * random_below(random, 999), values);
	}
}

static void scribble_header(struct scribbler *own)
{
	struct spool_header *header = own->header;
	struct random *random = &own->random;
	uint64_t *words = (uint64_t *)(void *)header;
	uint64_t taken = header->taken;

	if (random_one_in(random, 50))
		words[random_below(random, SPOOL_HEADER_BYTES / 8)] = number(random);
	header->windows[random_below(random, SPOOL_WINDOWS)] =
		(uint32_t)random_below(random, WINDOWS + random_one_in(random, 20));
	if (random_one_in(random, 3))
		attack_turn(header, taken + random_below(random, WINDOWS + 1));
}

static void scribble_notes(struct scribbler *own)
{
	static const char kinds[] = "mlntcu\n\0";
	struct random *random = &own->random;
	char *at = own->notes->text + random_below(random, sizeof(own->notes->text) - 300);

	if (random_one_in(random, 2))
		*at = (char)random_below(random, 256);
	else
		sprintf(at, "%c%lx-%lx r-xp %lx 8:1 1 %s\n", kinds[random_below(random, 8)],
			(long)number(random), (long)number(random), (long)number(random),
			random_one_in(random, 2) ? "/proc/self/exe" : "/bin/sh");
}

static void *scribble(void *context)
{
	struct scribbler *own = context;
	uint64_t begin_ns = monotonic_ns();
	int fd = attack_memory(sizeof(struct spool_notes), ATTACK_SEALS);
	pid_t tid = (pid_t)syscall(SYS_gettid);

	own->notes = attack_map(fd, sizeof(struct spool_notes));
	memset(own->notes->text, ' ', sizeof(own->notes->text));
	attack_offer_fd(SPOOL_OFFER_PROGRAM, getpid(), 1, fd);
	while (attack_goes_on(begin_ns, MS)) {
		own->header = attack_thread(NULL, tid, 1, WINDOWS);
		for (uint64_t i = 0; i < WINDOWS; i++)
			attack_fill(own->header, i, monotonic_ns(), 64 * i, i);
		attack_turn(own->header, 1);
		for (int i = 0; i < 1000 && attack_goes_on(begin_ns, MS); i++) {
			scribble_window(own);
			scribble_header(own);
			if (i % 16 == 0)
				scribble_notes(own);
		}
		munmap(own->header, SPOOL_HEADER_BYTES + (uint64_t)WINDOWS * SPOOL_WINDOW);
	}
	return NULL;
}

int main(int count, char **words)
{
	static struct scribbler scribblers[THREADS];
	pthread_t threads[THREADS];

	attack_begin();
	for (unsigned i = 0; i < THREADS; i++) {
		scribblers[i].random.state =
			(count > 1 ? strtoull(words[1], NULL, 10) : 1) * 64 + i;
		pthread_create(&threads[i], NULL, scribble, &scribblers[i]);
	}
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
