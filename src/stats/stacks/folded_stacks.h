/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The time of threads by thread name and call stack: CPU time by samples, and off-CPU time and
 * run-queue wait by the stacks of threads that leave their CPU. A recording has samples with -F and
 * these stacks with --off-cpu. Flame graphs are drawn from this.
 *
 *	folder = stack_folder_new(source);
 *	stack_folder_want_bins(folder, timeline)	to know when, too
 *	for each change of the timeline, or by profiler_watch()
 *		stack_folder_take(folder, &change);
 *	folded_stacks_init(&stacks, folder, STACK_OFF_CPU);
 */
#ifndef PSCAL_STATS_STACKS_FOLDED_STACKS_H
#define PSCAL_STATS_STACKS_FOLDED_STACKS_H

#include <stddef.h>
#include <stdint.h>

struct change;
struct event_source;
struct stack_folder;
struct timeline;

enum stack_weight { STACK_CPU, STACK_OFF_CPU, STACK_RUN_QUEUE, STACK_WEIGHTS };

/* A program can make any number of stacks: the lightest beyond these are left out. */
enum { FOLDED_ROWS_MAX = 1 << 16, FOLDED_BYTES_MAX = 32 << 20 };

/* Equal parts of the time, of 1024 ns or more each: if of more, over half of them are used. */
enum { FOLDED_BINS = 64 };

struct folded_row {
	/* "comm;main;work;memcpy", the outermost function first. No part has a ';' or a control
	   character. The last one is "[kernel]" of a sample in the kernel; behind the name of the
	   thread "[unknown]" stands for a stack that is not known. */
	char *stack;
	double time_s;
	uint64_t count; /* samples, or intervals */
	float *bins_s;	/* [FOLDED_BINS]: of time_s; NULL: not wanted, or not known */
};

struct folded_stacks {
	struct folded_row *rows; /* the most time first */
	size_t count;
	double total_s;	   /* of the target */
	double unknown_s;  /* of it: no stack is on record */
	double left_out_s; /* ... in stacks beyond the bounds */
	uint64_t bin_ns; /* the length of a bin, the first of which begins the timeline; 0: none */
};

/* To be made before the source is read, which is borrowed. */
struct stack_folder *stack_folder_new(struct event_source *source);
void stack_folder_free(struct stack_folder *folder);

/* Before the first change, of the same timeline, which is borrowed. */
void stack_folder_want_bins(struct stack_folder *folder, const struct timeline *timeline);

/* A change of the target. The first argument is the folder. */
void stack_folder_take(void *folder, const struct change *change);

/* Once the source has been read. Without samples or times it has no rows. */
void folded_stacks_init(struct folded_stacks *stacks, const struct stack_folder *folder,
			enum stack_weight weight);
void folded_stacks_release(struct folded_stacks *stacks);

#endif
