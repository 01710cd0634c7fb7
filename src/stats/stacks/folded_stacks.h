/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The time of threads by thread name and call stack: CPU time by samples, and off-CPU time and
 * run-queue wait by the stacks of threads that leave their CPU. A recording has samples with -F and
 * these stacks with --off-cpu. Flame graphs show them.
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

/* Bounds, as a program can have any number of stacks: the lightest beyond these are left out. */
enum { FOLDED_ROWS_MAX = 1 << 16, FOLDED_BYTES_MAX = 32 << 20 };

/* The largest number of bins, of 1024 ns or more each; if of more, over half of them are used. */
enum { FOLDED_BINS = 64 };

struct folded_row {
	/*
	 * "comm;main;work;memcpy", the outermost function first. No part has a ';' or a control
	 * character. The last part of a sample in the kernel is "[kernel]"; an unknown stack is
	 * "[unknown]" behind the name of the thread.
	 */
	char *stack;
	double time_s;
	uint64_t count; /* samples, or intervals */
	float *bins_s;	/* [FOLDED_BINS]: parts of time_s; NULL: not wanted, or not known */
};

struct folded_stacks {
	struct folded_row *rows; /* sorted, the most time first */
	size_t count;
	double total_s;	   /* time of the target */
	double unknown_s;  /* time without a recorded stack, part of total_s */
	double left_out_s; /* time in stacks beyond the bounds, part of total_s */
	/* the length of a bin, from the beginning of the timeline on; 0: no bins */
	uint64_t bin_ns;
};

/* Makes a folder before the source, which is borrowed, is read. */
struct stack_folder *stack_folder_new(struct event_source *source);
void stack_folder_free(struct stack_folder *folder);

/* Asks for bins, before the first change; `timeline`, of the same source, is borrowed. */
void stack_folder_want_bins(struct stack_folder *folder, const struct timeline *timeline);

/* Takes a change of the target. `folder` is the stack folder. */
void stack_folder_take(void *folder, const struct change *change);

/* Makes the stacks when the source has been read. Without samples or times there are no rows. */
void folded_stacks_init(struct folded_stacks *stacks, const struct stack_folder *folder,
			enum stack_weight weight);
void folded_stacks_release(struct folded_stacks *stacks);

#endif
