/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs programs of tests/probe/targets with the probe library in them and without, and reads the
 * recorded events.
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
	/* The request. */
	const char *const *words; /* the command; the first one is a name in targets, or a path */
	const char *object;	  /* path of the watched object; NULL: the command */
	const char *const *names; /* globs; ends with NULL */
	uint32_t arguments, every, stack_every;
	bool quiet;		/* without the library */
	bool unread;		/* the recorder is gone */
	uint64_t pid_namespace; /* see patch_plan.h */
	void (*prepare)(void);	/* in the child, before the command; NULL: nothing */

	/* The result. */
	int status; /* status of wait() */
	char *output;
	size_t length, patches;
	struct watched_function functions[WATCHED_NAMES_MAX];
	size_t function_count;
	uint64_t events, stacks, files, ended, torn, missing;
	uint64_t crossed;   /* leaves of another block than the last one entered */
	uint64_t unmatched; /* leaves of a block that is not open */
	char trouble[4096];
};

/* Some programs cannot be built everywhere. */
bool watched_run_is_there(const struct watched_run *run);

void watched_run(struct watched_run *run);

/* Runs it also without the library, and compares the two. */
void watched_run_both(struct watched_run *run);

void watched_run_release(struct watched_run *run);

/* By name; zeros if it was not seen. */
struct watched_function watched_run_find(const struct watched_run *run, const char *name);

#endif
