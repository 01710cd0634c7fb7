/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The command that a recording or a sweep starts. It is born with child_start(), waits, and becomes
 * the command with child_release(), so that the events can be set up between the two.
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

/* A shell adds it to a signal's number. */
enum { CHILD_SIGNAL_STATUS = 128 };

/* Of setitimer(2). */
struct child_timers {
	struct itimerval real, user, prof;
};

struct child {
	pid_t pid; /* 0 when there is none */
	int fd;	   /* to it a byte that releases it, from it the errno of exec; -1 after that */
	uint64_t cpu_ns; /* once it has ended: its own, and of children that it has waited for */
};

/* State that the command gets back from its parent, and further state of its own. */
struct child_setup {
	const struct stop_signals *signals;
	const struct rlimit *files;	   /* NULL: it has those of its parent */
	const struct child_timers *timers; /* NULL: it has none */
	int output;			   /* its standard output */
	/*
	 * A function that the child calls as soon as it is born, or NULL. Returns 0, or an errno
	 * with which child_release() then fails.
	 */
	int (*prepare)(const void *context);
	const void *context;
};

/* Forks. `command` ends in NULL. Returns 0, or -1 with a sentence. */
int child_start(struct child *child, const char *const *command, const struct child_setup *setup,
		struct err *err);

/* Lets it exec. Returns 0, or -1 with a sentence: then the child is gone. */
int child_release(struct child *child, const char *const *command, struct err *err);

/* Has it ended, and not been waited for? */
bool child_is_zombie(const struct child *child);

/* Has it ended? Then waits for it and returns 1, and in *status what a shell would show as its exit
 * status. */
int child_ended(struct child *child, int *status);

/* Does it run as another user than this process, or for one, as a setuid program does? */
bool child_is_foreign(const struct child *child);

/* Does not wait for it: it continues alone. Returns its id, 0 if there is none. */
pid_t child_leave(struct child *child);

/* Ends a child that was not released. */
void child_abandon(struct child *child);

#endif
