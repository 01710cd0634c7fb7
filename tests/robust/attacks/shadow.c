/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * shadow HOW FILE [PROGRAM]: the process claims that its code is of FILE, so that the recorder
 * reads it:
 *
 *	user	as the other user from the beginning
 *	was	by notes that a process of root has handed over before it became the other user
 *	exec	by notes of a process that executes PROGRAM, which becomes root
 */
#include "attack.h"

enum { ADDRESS = 0x10000000, BYTES = 0x4000000, MS = 200 };

static uint64_t image;

static void point(struct spool_header *header)
{
	attack_fill(header, 0, monotonic_ns(), ADDRESS, 16);
	attack_turn(header, 1);
}

/* Another process writes the notes that this one has handed over. */
static void execute(const char *program, struct spool_notes *notes, const char *line)
{
	struct spool_header *header = attack_thread(NULL, getpid(), image, 4);

	usleep(100000); /* the recorder has seen it as the other user's process */
	if (attack_survive()) {
		execl(program, program, "0.6", (char *)NULL);
		_exit(75);
	}
	usleep(MS * 1000);
	memcpy(notes->text, line, strlen(line));
	usleep(100000);
	point(header);
	usleep(MS * 1000);
	_exit(0);
}

int main(int count, char **words)
{
	char line[SPOOL_LINE_MAX];
	struct spool_notes *notes;
	int fd;

	if (count < 3)
		return 2;
	image = 7;
	fd = attack_notes("", 0);
	notes = attack_map(fd, sizeof(*notes));
	snprintf(line, sizeof(line), "m%x-%x r-xp 0 8:1 1 %.900s\n", ADDRESS, ADDRESS + BYTES,
		 words[2]);
	attack_begin_as(0);
	if (*words[1] == 'w')
		attack_offer_fd(SPOOL_OFFER_PROGRAM, getpid(), image, fd);
	usleep(50000);
	attack_become(ATTACK_UID);
	if (*words[1] != 'w')
		attack_offer_fd(SPOOL_OFFER_PROGRAM, getpid(), image, fd);
	if (count > 3)
		execute(words[3], notes, line);
	memcpy(notes->text, line, strlen(line));
	usleep(100000);
	point(attack_thread(NULL, getpid(), image, 4));
	usleep(MS * 1000);
	return 0;
}
