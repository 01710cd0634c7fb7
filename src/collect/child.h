/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The command that a recording or a sweep starts. child_start() forks a child that waits, and
 * child_release() lets it exec the command, so that events can be set up in between.
 */
#ifndef PSCAL_COLLECT_CHILD_H
#define PSCAL_COLLECT_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/types.h>

struct err;
struct stop_signals;

/* The number that a shell adds to a signal's number. */
enum { CHILD_SIGNAL_STATUS = 128 };

/* The timers of setitimer(2). */
struct child_timers {
	struct itimerval real, user, prof;
};

struct child {
	pid_t pid; /* 0: none */
	/* Receives the byte that releases it, and sends the errno of exec; -1: released. */
	int fd;
	uint64_t cpu_ns; /* after its end: CPU time, with that of children that it has waited for */
};

/* State of this process from before the recording that the command gets back, and its own. */
struct child_setup {
	const struct stop_signals *signals;
	const struct rlimit *files;	   /* NULL: the present one */
	const struct child_timers *timers; /* NULL: none */
	int output;			   /* standard output */
	/*
	 * A function that the child calls first, or NULL. Returns 0, or an errno with which
	 * child_release() then fails.
	 */
	int (*prepare)(const void *context);
	const void *context;
};

/* Forks the child. `command` ends in NULL. Returns 0, or -1 with an error. */
int child_start(struct child *child, const char *const *command, const struct child_setup *setup,
		struct err *err);

/* Lets the child exec the command. Returns 0, or -1 with an error and no child. */
int child_release(struct child *child, const char *const *command, struct err *err);

/* Returns whether the child has ended and was not waited for. */
bool child_is_zombie(const struct child *child);

/*
 * Waits for the child if it has ended. Returns 1 then, and in *status the exit status as a shell
 * shows it; otherwise 0.
 */
int child_ended(struct child *child, int *status);

/* Returns whether the child runs as or for another user, as a setuid program does. */
bool child_is_foreign(const struct child *child);

/* Stops watching the child, which continues alone. Returns its id; 0: none. */
pid_t child_leave(struct child *child);

/* Ends a child that was not released. */
void child_abandon(struct child *child);

#endif
