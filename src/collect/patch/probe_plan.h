/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes the plan of the probe library for a command and all that it starts (probe/patch_plan.h),
 * before the command begins.
 */
#ifndef PSCAL_COLLECT_PATCH_PROBE_PLAN_H
#define PSCAL_COLLECT_PATCH_PROBE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>

#include "collect/patch/function_list.h"
#include "probe/patch_plan.h"

struct err;

struct probe_options {
	const char *const *patterns; /* see function_list.h; end in NULL; NULL: no --probe */
	uint32_t every, stack_every, arguments; /* see patch_plan.h */
	bool tasks;				/* --tasks, with or without --probe */
	bool omp;				/* --tasks=omp, in addition to `tasks` */
	const char *counters;			/* of tasks; NULL: none; see counters.h */
	const char *tracefs;			/* for the counters; see collector.h */
};

/* Returns whether the probe library is needed. */
static inline bool probe_options_ask(const struct probe_options *options)
{
	return options->patterns || options->tasks;
}

/* Returns the option that needs it, for users. */
static inline const char *probe_options_name(const struct probe_options *options)
{
	return options->patterns ? "--probe" : options->omp ? "--tasks=omp" : "--tasks";
}

/* A function that is not watched, and the reason, which continues its name. */
struct unwatched {
	const char *name, *why;
};

/* Checks that this machine supports patches, if needed. Returns 0, or -1 with an error. */
int probe_options_check(const struct probe_options *options, struct err *err);

/* The plan. Begins as zero. */
struct probe_plan {
	struct plan_header header;
	struct plan_object *objects;
	struct plan_patch *patches;
	char *counter_names[PLAN_COUNTERS_MAX]; /* of the counters of the header */
	char *texts;
	size_t object_capacity, patch_capacity, text_capacity;
	const char *const *patterns; /* borrowed; end in NULL */
	struct function_list functions;
	uint64_t *offsets; /* of the patches, in their files; ascending in each object */
	size_t offset_capacity;
	struct unwatched *unwatched; /* names belong to `functions` */
	size_t unwatched_count, unwatched_capacity;
};

/* Makes the plan. Returns 0, or -1 with an error, also if it watches nothing. Always release it. */
int probe_plan_make(struct probe_plan *plan, const struct probe_options *options,
		    const char *command, struct err *err);
void probe_plan_release(struct probe_plan *plan);

/* Writes the plan for spool_listener_publish(); `plan` is a struct probe_plan. Returns 0. */
int probe_plan_write(FILE *out, const void *plan);

/* Returns the name of the function that is watched at `offset` of the file; NULL: none. */
const char *probe_plan_name(const struct probe_plan *plan, const char *path, uint64_t offset);

/*
 * Returns a sentence on the functions that are not probed, with the names of at most `named` of
 * them; NULL: none. The caller frees it.
 */
char *probe_plan_unwatched(const struct probe_plan *plan, size_t named);

#endif
