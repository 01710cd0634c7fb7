/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Many processes at once, each with full notes and with a thread whose events fill what is kept of a
 * file: all at the end, where all of it has to be taken.
 */
#include "attack.h"

#include <sys/wait.h>

enum { PROCESSES = 2000, WINDOWS = 4, MS = 4000 };

static void take_part(uint64_t number, int go)
{
	int fd = attack_memory(sizeof(struct spool_notes), ATTACK_SEALS);
	struct spool_notes *notes = attack_map(fd, sizeof(*notes));
	struct spool_header *header;
	char word;

	attack_offer_fd(SPOOL_OFFER_PROGRAM, getpid(), number, fd);
	header = attack_thread(NULL, getpid(), number, WINDOWS);
	for (uint64_t i = 0; i < WINDOWS; i++) {
		attack_fill(header, i, monotonic_ns(), 0x1000, 0);
		attack_turn(header, i + 1);
	}
	(void)!read(go, &word, 1);
	for (size_t at = 0; at + 32 < sizeof(notes->text); number += PROCESSES)
		at += (size_t)sprintf(notes->text + at, "n%lx %lx\n", (long)number, (long)number);
	pause();
}

int main(int count, char **words)
{
	uint64_t many = count > 1 ? strtoull(words[1], NULL, 10) : PROCESSES;
	int go[2];

	attack_begin();
	if (pipe2(go, O_CLOEXEC))
		return 74;
	for (uint64_t i = 0; i < many; i++)
		if (attack_survive() == 0) {
			close(go[1]);
			take_part(i, go[0]);
			_exit(0);
		}
	usleep(MS * 1000);
	close(go[1]);
	usleep(300000);
	return 0;
}
