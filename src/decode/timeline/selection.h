/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The threads of a trace that are the target. */
#ifndef PSCAL_DECODE_TIMELINE_SELECTION_H
#define PSCAL_DECODE_TIMELINE_SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct target_info;

/*
 * The request of the user; everything may be empty. Then the target is what the input names, or
 * else every thread but the idle ones and the recorder.
 */
struct selection {
	const int32_t *pids; /* processes with all their descendants */
	size_t pid_count;
	const int32_t *tids; /* single threads */
	size_t tid_count;
	const char *comm;   /* threads of this name, from when they have it */
	bool pids_alone;    /* ... or without their descendants */
	bool tids_followed; /* ... with what they create */
	bool sorted;	    /* pids and tids are: there may be a great many */
	int32_t except;	    /* where nothing is asked for: not this process; 0: not perf */
};

/* The facts on a thread when it is asked for. */
struct candidate {
	int32_t tid;
	int32_t pid;	  /* -1: not known */
	const char *comm; /* may be empty */
	bool in_tree;	  /* created, directly or not, by a thread of a target that is followed */
};

bool selection_is_empty(const struct selection *selection);

/* The options of the user: "--pid 1,2", "--tid 3 and --comm sh"; to be freed. It is not empty. */
char *selection_words(const struct selection *selection);

/*
 * The selection of the input, for users that ask for none; borrows from `target`. Returns whether
 * the threads that the input describes are those of the target: all but strangers are described.
 */
bool selection_as_recorded(struct selection *selection, const struct target_info *target);

/* Does what a thread of the target creates belong to it, whatever it is called? */
bool selection_follows(const struct selection *selection);

/* Is this thread in the target? */
bool selection_holds(const struct selection *selection, const struct candidate *candidate);

#endif
