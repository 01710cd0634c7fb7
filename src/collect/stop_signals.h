/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A descriptor to poll for signals that end a process (except those of its own faults), for the end
 * of a command, and for a stop of this process. The signals are blocked, so they interrupt nothing.
 */
#ifndef PSCAL_COLLECT_STOP_SIGNALS_H
#define PSCAL_COLLECT_STOP_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

struct err;

struct stop_signals {
	int fd; /* readable if a signal came */
	sigset_t before;
	bool children_ignored; /* the parent had SIGCHLD ignored */
};

/* Makes it possible to wait for children, even if the parent had SIGCHLD ignored. */
void stop_signals_mind_children(struct stop_signals *signals);

/*
 * Blocks the signals. Ignored signals stay ignored, as SIGHUP by nohup, except SIGINT and SIGTERM.
 * Returns 0, or -1 with an error.
 */
int stop_signals_block(struct stop_signals *signals, struct err *err);

/* Returns the next signal that came; 0: none. */
int stop_signals_next(const struct stop_signals *signals);

/* Returns whether the signal asks for an end. */
bool stop_signals_ask(int number);

/* Returns whether a terminal sends the signal to the command, too. */
bool stop_signals_are_shared(int number);

/* Gives a child the signal settings that this process had before. */
void stop_signals_give_back(const struct stop_signals *signals);

void stop_signals_restore(struct stop_signals *signals);

#endif
