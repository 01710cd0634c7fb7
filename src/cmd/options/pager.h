/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The program that shows long text on a terminal page by page, as git has it: PSCAL_PAGER, else
 * PAGER, else less, which shows text that fits on the screen and ends at once.
 */
#ifndef PSCAL_CMD_OPTIONS_PAGER_H
#define PSCAL_CMD_OPTIONS_PAGER_H

#include <signal.h>
#include <sys/types.h>

/* Begins as zero. */
struct pager {
	pid_t pid;			  /* 0: there is none */
	int terminal;			  /* standard output as it was */
	struct sigaction interrupt, quit; /* ... and these signals, which are for the pager */
};

/* From here on standard output goes through it, if it is a terminal. The width stays in COLUMNS. */
void pager_begin(struct pager *pager);

/* Gives standard output back once the user has read what was written. */
void pager_end(struct pager *pager);

#endif
