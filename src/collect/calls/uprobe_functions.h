/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The functions that --uprobe BINARY:FUNCTION names. BINARY is a path, the name of what the target
 * has mapped, or a command in PATH; FUNCTION is a name or a pattern (glob(7)) of the symbols in it.
 */
#ifndef PSCAL_COLLECT_CALLS_UPROBE_FUNCTIONS_H
#define PSCAL_COLLECT_CALLS_UPROBE_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct err;

/*
 * Each has two events in the file. More than that nobody has named one by one: that is a pattern
 * which says everything, for a tool that has to stop the program at each call.
 */
enum { UPROBE_FUNCTIONS_MAX = 1000 };

enum { UPROBE_NAME_SIZE = 64 };

struct uprobe_function {
	char *name;
	char event[UPROBE_NAME_SIZE]; /* the name as a word; the same for two of the same name */
};

/* Where one of them stands. */
struct uprobe_place {
	size_t function;
	char *path;
	uint64_t offset; /* in the file, of the probe */
	bool is_cheap;	 /* see probe_place.h */
};

/* Begins as zero, but for the first. */
struct uprobe_functions {
	bool risk_exceptions; /* also functions through which exceptions may pass */
	struct uprobe_function *items;
	size_t count, capacity;
	struct uprobe_place *places;
	size_t place_count, place_capacity;
};

/* Whose functions they are. */
struct uprobe_target {
	const char *command; /* what will be started; NULL: nothing */
	const pid_t *pids;   /* what runs; thread ids will do */
	size_t pid_count;
};

/* Has it that form? Returns 0, or -1 with a sentence. */
int uprobe_functions_check(const char *spec, struct err *err);

/*
 * Adds those that `spec`, which has it, names, with places that keep so many arguments. `proc` is
 * "/proc". Returns 0, or -1 with a sentence; release them in both cases.
 */
int uprobe_functions_add(struct uprobe_functions *functions, const char *spec,
			 const struct uprobe_target *target, unsigned arguments, const char *proc,
			 struct err *err);
void uprobe_functions_release(struct uprobe_functions *functions);

#endif
