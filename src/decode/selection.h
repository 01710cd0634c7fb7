/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which threads of a trace are the target. */
#ifndef PSCAL_DECODE_SELECTION_H
#define PSCAL_DECODE_SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What the user asked for; everything may be empty. Then the target is what the input names, or
 * else every thread but the idle ones and perf itself.
 */
struct selection {
	const int32_t *pids; /* processes with all their descendants */
	size_t pid_count;
	const int32_t *tids; /* single threads */
	size_t tid_count;
	const char *comm; /* threads of this name, from when they have it */
};

/* What is known of a thread when it is asked for. */
struct candidate {
	int32_t tid;
	int32_t pid;	  /* -1: not known */
	const char *comm; /* may be empty */
	bool in_tree;	  /* created, directly or not, by a thread that is in the target */
};

bool selection_is_empty(const struct selection *selection);

/* Is this thread in the target? */
bool selection_holds(const struct selection *selection, const struct candidate *candidate);

#endif
