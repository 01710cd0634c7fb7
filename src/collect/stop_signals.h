/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The signals that end a recording, or tell that its command has ended, as something to poll.
 * While they are blocked they do not interrupt anything.
 */
#ifndef PSCAL_COLLECT_STOP_SIGNALS_H
#define PSCAL_COLLECT_STOP_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

struct err;

struct stop_signals {
	int fd; /* readable when there is one */
	sigset_t before;
};

/*
 * SIGINT, SIGTERM, SIGCHLD, SIGPIPE, SIGXFSZ, SIGCONT, and SIGHUP unless it is ignored, as nohup
 * does. 0, or -1 with a sentence.
 */
int stop_signals_block(struct stop_signals *signals, struct err *err);

/* The next one that came; 0 when there is none. */
int stop_signals_next(const struct stop_signals *signals);

/* Is it one of those that ask for an end? */
bool stop_signals_ask(int number);

void stop_signals_restore(struct stop_signals *signals);

#endif
