/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes the plan of the probe library for a command and all that it starts (probe/patch_plan.h),
 * before it begins.
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
	bool tasks;				/* --tasks, with --probe or without it */
	bool omp;				/* --tasks=omp, and `tasks` as well */
	const char *counters;			/* of tasks; NULL: none; see counter_groups.h */
	const char *tracefs;			/* for these; see collector.h */
};

/* Is the probe library needed? */
static inline bool probe_options_ask(const struct probe_options *options)
{
	return options->patterns || options->tasks;
}

/* The option that it is needed for, as users know it. */
static inline const char *probe_options_name(const struct probe_options *options)
{
	return options->patterns ? "--probe" : options->omp ? "--tasks=omp" : "--tasks";
}

/* One that is not watched, and why: words after the name of the function. */
struct unwatched {
	const char *name, *why;
};

/* Returns 0, or -1 with a sentence: functions of `options` cannot be patched on this machine. */
int probe_options_check(const struct probe_options *options, struct err *err);

/* Begins as zero. */
struct probe_plan {
	struct plan_header header;
	struct plan_object *objects;
	struct plan_patch *patches;
	char *counter_names[PLAN_COUNTERS_MAX]; /* of the header's */
	char *texts;
	size_t object_capacity, patch_capacity, text_capacity;
	const char *const *patterns; /* borrowed; end in NULL */
	struct function_list functions;
	uint64_t *offsets; /* of the patches, in their files; rising for each object */
	size_t offset_capacity;
	struct unwatched *unwatched; /* names are of `functions` */
	size_t unwatched_count, unwatched_capacity;
};

/* Returns 0, or -1 with a sentence, also when no function can be watched. Release it then, too. */
int probe_plan_make(struct probe_plan *plan, const struct probe_options *options,
		    const char *command, struct err *err);
void probe_plan_release(struct probe_plan *plan);

/* For spool_listener_publish(); `plan` is a struct probe_plan. Returns 0. */
int probe_plan_write(FILE *out, const void *plan);

/* The name of the function that is watched at `offset` of the file; NULL: there is none. */
const char *probe_plan_name(const struct probe_plan *plan, const char *path, uint64_t offset);

/*
 * A sentence on the functions that are not probed, with the names of at most `named` of them; to be
 * freed. NULL: none.
 */
char *probe_plan_unwatched(const struct probe_plan *plan, size_t named);

#endif
