/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The program that shows long text on a terminal page by page, chosen as git does: PSCAL_PAGER,
 * else PAGER, else less, which ends at once if the text fits on the screen.
 */
#ifndef PSCAL_CMD_OPTIONS_PAGER_H
#define PSCAL_CMD_OPTIONS_PAGER_H

#include <signal.h>
#include <sys/types.h>

/* A running pager, or none; begins as zero. */
struct pager {
	pid_t pid;			  /* 0: no pager runs */
	int terminal;			  /* the original standard output */
	struct sigaction interrupt, quit; /* the original actions of SIGINT and SIGQUIT */
};

/* Sends standard output through the pager if it is a terminal. COLUMNS and LINES keep its size. */
void pager_begin(struct pager *pager);

/* Waits until the user leaves the pager, and restores standard output. */
void pager_end(struct pager *pager);

#endif
