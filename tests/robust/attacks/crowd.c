/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * crowd HOW: 2000 processes at once, each of which
 *
 *	notes	has full notes, which it offers at its end
 *	windows	has events in as many windows as a recorder keeps of a file
 */
#include "attack.h"

enum { PROCESSES = 2000, WINDOWS = 4, MS = 2000 };

static void hand_over(int notes, int go)
{
	struct spool_header *header;
	char word;

	if (notes >= 0) {
		attack_offer_fd(SPOOL_OFFER_PROGRAM, getpid(), 1, notes);
	} else {
		header = attack_thread(NULL, getpid(), 1, WINDOWS);
		for (uint64_t i = 0; i < WINDOWS; i++) {
			attack_fill(header, i, monotonic_ns(), 0x1000, 0);
			attack_turn(header, i + 1);
			usleep(20000);
		}
	}
	(void)!read(go, &word, 1);
	pause();
}

int main(int count, char **words)
{
	bool has_notes = count > 1 && *words[1] == 'n';
	struct spool_notes *notes = NULL;
	int go[2], fd = -1;

	attack_begin();
	if (has_notes) {
		fd = attack_notes("", 0);
		notes = attack_map(fd, sizeof(*notes));
	}
	if (pipe2(go, O_CLOEXEC))
		return 74;
	for (int i = 0; i < PROCESSES; i++)
		if (attack_survive() == 0) {
			close(go[1]);
			hand_over(fd, go[0]);
			_exit(0);
		}
	usleep(MS * 1000);
	for (size_t at = 0; notes && at + 32 < sizeof(notes->text);)
		at += (size_t)sprintf(notes->text + at, "n%lx %lx\n", (long)at, (long)at);
	return 0;
}
