/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * race NAME FILE: while root's recorders begin and end, NAME is by turns missing, a file of the
 * other user, a link to root's FILE, a directory, and a link to a missing file.
 */
#include "attack.h"

#include <sys/stat.h>

int main(int count, char **words)
{
	char aside[300], old[300];

	if (count < 3)
		return 2;
	attack_become(ATTACK_UID);
	snprintf(aside, sizeof(aside), "%.200s.aside", words[1]);
	snprintf(old, sizeof(old), "%.200s.old", words[1]);
	for (unsigned i = 0;; i++) {
		switch (i % 5) {
		case 0:
			(void)!symlink(words[2], aside);
			break;
		case 1:
			close(open(aside, O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
			break;
		case 2:
			mkdir(aside, 0777);
			break;
		case 3:
			(void)!symlink("nothing", aside);
			break;
		default:
			(void)!link(words[1], aside);
		}
		rmdir(words[1]);
		rename(aside, words[1]);
		(void)!symlink(words[2], old);
		usleep(i % 97);
		unlink(i % 3 ? words[1] : old);
		rmdir(aside);
		unlink(aside);
	}
}
