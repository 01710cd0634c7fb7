/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Offers full notes, again and again. The argument chooses their content:
 *
 *	names	short names, all of them different
 *	long	names as long as they may be
 *	maps	mapped files, each time of a new program
 *	same	one file of notes, offered again and again
 *	late	files that may hold the watched function, so the recorder has to read them
 */
#include "attack.h"

enum { SENDERS = 2, LONG = 1000 };

static size_t put_note(char *to, const char *what, uint64_t number)
{
	if (*what == 'm')
		return (size_t)sprintf(to, "m%lx000-%lx001 r-xp 0 0:0 1 /x\n", (long)number,
				       (long)number);
	if (*what == 'l' && what[1] == 'a')
		return (size_t)sprintf(to, "l%lx000-%lx001 r-xp 0 0:0 1 %s/liblate.so\n",
				       (long)number, (long)number, getenv("PWD"));
	return (size_t)sprintf(to, "n%lx %0*lx\n", (long)number, *what == 'l' ? LONG : 1,
			       (long)number);
}

static int fill_notes(const char *what, uint64_t *number)
{
	static char text[SPOOL_NOTES_BYTES + 2 * LONG];
	size_t length = 0;

	while (length < SPOOL_NOTES_BYTES - 2 * LONG)
		length += put_note(text + length, what, (*number)++);
	return attack_notes(text, length);
}

/* Uses a new address each time, so that the recorder looks at all notes. */
static void point(struct spool_header *header, uint64_t number)
{
	attack_window(header, 0)[number % ATTACK_WINDOW] = (struct spool_record){
		monotonic_ns(), spool_word(SPOOL_ENTER, (number + 1) << 20, 0)};
	attack_turn(header, 1);
}

static void say_all(const char *what, uint64_t number)
{
	struct spool_header *header = attack_thread(NULL, getpid(), 2, 1);
	uint64_t begin_ns = monotonic_ns();
	int fd = fill_notes(what, &number);

	for (uint64_t i = 0; attack_goes_on(begin_ns, ATTACK_MS); i++) {
		attack_offer_fd(SPOOL_OFFER_PROGRAM, getpid(), *what == 'm' ? 2 + i : 2, fd);
		point(header, i);
		if (*what == 's' || *what == 'm')
			continue;
		close(fd);
		fd = fill_notes(what, &number);
	}
}

int main(int count, char **words)
{
	const char *what = count > 1 ? words[1] : "names";

	attack_begin();
	for (uint64_t i = 0; i < SENDERS; i++)
		if (attack_survive() == 0) {
			say_all(what, i << 32);
			_exit(0);
		}
	usleep(count > 2 ? (useconds_t)atoi(words[2]) * 1000 : 600000);
	return 0;
}
