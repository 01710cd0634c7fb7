/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The threads of a trace that are the target. */
#ifndef PSCAL_DECODE_TIMELINE_SELECTION_H
#define PSCAL_DECODE_TIMELINE_SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct target_info;

/*
 * The threads that the user asks for; all members may be empty. Then the target is what the input
 * names, or else every thread but the idle ones and the recorder.
 */
struct selection {
	const int32_t *pids; /* processes with all their descendants */
	size_t pid_count;
	const int32_t *tids; /* single threads */
	size_t tid_count;
	const char *comm;   /* threads of this name, from the time they get it */
	bool pids_alone;    /* pids without their descendants */
	bool tids_followed; /* tids with what they create */
	bool sorted;	    /* pids and tids are sorted: there may be many */
	int32_t except;	    /* the process that an empty selection leaves out; 0: perf */
};

/* A thread that may be selected. */
struct candidate {
	int32_t tid;
	int32_t pid;	  /* -1: not known */
	const char *comm; /* may be empty */
	bool in_tree;	  /* a descendant of a thread of a target that is followed */
};

bool selection_is_empty(const struct selection *selection);

/* Returns the options of the user: "--pid 1,2", "--tid 3 and --comm sh"; the caller frees it. */
char *selection_words(const struct selection *selection);

/*
 * Makes the selection that the input describes, for users that ask for none; it borrows from
 * `target`. Returns true if the input names the processes or threads of the target.
 */
bool selection_as_recorded(struct selection *selection, const struct target_info *target);

/* Returns true if all that a thread of the target creates belongs to the target. */
bool selection_follows(const struct selection *selection);

/* Returns true if the thread belongs to the target. */
bool selection_holds(const struct selection *selection, const struct candidate *candidate);

#endif
