/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs of tests/probe/targets, run with the probe library in them and without, and what it has
 * recorded.
 */
#ifndef PSCAL_TESTS_PROBE_WATCHED_RUN_H
#define PSCAL_TESTS_PROBE_WATCHED_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WATCHED_PATCHES_MAX = 4096, WATCHED_NAMES_MAX = 64 };

struct watched_function {
	char name[64];
	uint64_t enters, leaves;
};

struct watched_run {
	/* What to do. */
	const char *const *words; /* the command; the first one is a name in targets, or a path */
	const char *object;	  /* whose functions are watched: a path; NULL: the command's */
	const char *const *names; /* globs, up to NULL */
	uint32_t arguments, every, stack_every;
	bool quiet;		/* without the library */
	bool unread;		/* the recorder is gone */
	uint64_t pid_namespace; /* see patch_plan.h */
	void (*prepare)(void);	/* in the child, before the command; NULL: nothing */

	/* What came of it. */
	int status; /* as wait has it */
	char *output;
	size_t length, patches;
	struct watched_function functions[WATCHED_NAMES_MAX];
	size_t function_count;
	uint64_t events, stacks, files, ended, torn, missing;
	uint64_t crossed;   /* leaves of another block than the one that was entered last */
	uint64_t unmatched; /* leaves of a block that is not open */
	char trouble[4096];
};

/* Not every program can be built everywhere. */
bool watched_run_is_there(const struct watched_run *run);

void watched_run(struct watched_run *run);

/* Also without the library, and holds the two against one another. */
void watched_run_both(struct watched_run *run);

void watched_run_release(struct watched_run *run);

/* By name; one of zeros where it was not seen. */
struct watched_function watched_run_find(const struct watched_run *run, const char *name);

#endif
