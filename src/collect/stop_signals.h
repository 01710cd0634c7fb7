/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A descriptor to poll for the signals that end a process (without those of its own faults), for
 * the end of a command, and for a stop of this process. They are blocked, so they interrupt
 * nothing.
 */
#ifndef PSCAL_COLLECT_STOP_SIGNALS_H
#define PSCAL_COLLECT_STOP_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

struct err;

struct stop_signals {
	int fd; /* readable when there is one */
	sigset_t before;
	bool children_ignored; /* SIGCHLD was, by the parent */
};

/* From now on children can be waited for. */
void stop_signals_mind_children(struct stop_signals *signals);

/*
 * Those that are ignored, as SIGHUP by nohup, stay so, but for SIGINT and SIGTERM. 0, or -1 with a
 * sentence.
 */
int stop_signals_block(struct stop_signals *signals, struct err *err);

/* The next one that came; 0 when there is none. */
int stop_signals_next(const struct stop_signals *signals);

/* Is it one of those that ask for an end? */
bool stop_signals_ask(int number);

/* Is it one that a terminal sends to the command, too? */
bool stop_signals_are_shared(int number);

/* In a child: all signals are what they were before for this process. */
void stop_signals_give_back(const struct stop_signals *signals);

void stop_signals_restore(struct stop_signals *signals);

#endif
