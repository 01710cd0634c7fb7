/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One run of a program, by the samples of its recording: CPU seconds of work in each block of code,
 * and where the rest of the time of its cores went.
 *
 * A sample of a thread stands for as much CPU time as the thread had by the scheduler's record,
 * divided by the number of its samples. Where that record does not know whether a thread ran, as
 * some kernels hide switches from it, samples beyond those of the time that it does know say that
 * it did. Threads with few samples are taken together, as what they were sampled at is a matter of
 * chance. Where there is no such record a sample stands for one tick of its clock.
 */
#ifndef PSCAL_STATS_STRETCH_STRETCH_RUN_H
#define PSCAL_STATS_STRETCH_STRETCH_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/event/quality.h"
#include "decode/timeline/selection.h"
#include "stats/profile/profile.h"
#include "stats/stretch/time_loss.h"

struct err;
struct event_source;
struct task_tree;

/* What a block of code is: by samples, and from BLOCK on by the tasks of a recording. */
enum stretch_by {
	STRETCH_BY_FUNCTION,
	STRETCH_BY_LINE,
	STRETCH_BY_PATH,
	STRETCH_BY_BLOCK,   /* from one step of a task to the next */
	STRETCH_BY_TASK,    /* the function that the step is in */
	STRETCH_BY_LEVEL,   /* how deep the task is in the tree */
	STRETCH_BY_SUBTREE, /* below which task of a certain level it is */
	STRETCH_BYS
};

static inline bool stretch_by_tasks(enum stretch_by by)
{
	return by >= STRETCH_BY_BLOCK;
}

/*
 * What compilers make of one function counts as that: "work" is also work._omp_fn.0 and
 * work.constprop.1.
 */
struct stretch_block {
	char *function; /* or a path, "inner < outer"; NULL: not known */
	char *object;	/* the file that it is in, without its directory; "[kernel]"; NULL: none */
	char *file;	/* of the source; NULL: not known */
	uint32_t line;	/* in that; 0. By function and path: where the function begins */
	/* Of tasks: */
	uint32_t line2; /* where a block ends; 0 */
	int32_t level;	/* -1: blocks are not by level */
	char *path;	/* of the task that a subtree is below; NULL */
};

/* The files that a run was sampled in. */
struct stretch_files {
	struct stretch_file *items; /* sorted by path */
	size_t count;
};

struct stretch_work {
	struct stretch_block block;
	double seconds;
	uint64_t samples;  /* of tasks: how often the block was run, and */
	double squares_s2; /* ... the sum of the squares of its seconds */
};

/* In the place of a block. */
enum { STRETCH_OVERHEAD = UINT32_MAX - 1, STRETCH_WAITING = UINT32_MAX };

/* Samples of one thread in one block, or one of them where times are wanted. */
struct stretch_sample {
	uint64_t time_ns;
	uint32_t thread, block; /* or STRETCH_OVERHEAD, STRETCH_WAITING */
	uint32_t count;
};

struct stretch_run {
	char *program;		   /* its name; NULL: not known */
	struct stretch_work *work; /* in no order; the last one may be what nobody was sampled in */
	size_t work_count;
	double work_s, overhead_s, waiting_s, all_s;
	double named_s;	  /* of the work, in functions whose names are known */
	uint64_t samples; /* of threads of the target */
	double tick_s;	  /* mean CPU time that a sample stands for */
	size_t threads;	  /* with a tenth or more of the CPU time that any had */
	bool has_states;  /* else all that follows is not known */
	double cores, wall_s;
	double unknown_s; /* of threads: neither the scheduler nor samples say that they ran */
	uint64_t switches;
	struct counter_table counters;
	struct quality quality;
	struct stretch_files files; /* those that it was sampled in */
	char *unread_lines;	    /* a sentence on those whose lines cannot be read; NULL: none */
	/* For sampled_loss: */
	struct cpu_edges edges;
	struct stretch_sample *parts;
	size_t part_count;
	double *tick_of_thread; /* seconds */
	double *ran;		/* of each thread, as in struct cpu_shares */
	/* Of tasks, else NULL: */
	struct task_tree *tree;
	uint32_t *block_of; /* of each of its intervals: in `work` */
	uint64_t *counts;   /* of each of `work`: of each counter of the tree */
};

/* Of subtrees: their paths have so many indices and one. */
enum { STRETCH_LEVEL_MAX = 1000 };

struct stretch_options {
	enum stretch_by by;
	bool timed;	  /* the loss is wanted over time */
	const char *root; /* where to look for files; NULL: where they were */
	double cores;	  /* 0: as each recording says */
	uint32_t level;	  /* of the tasks that subtrees are below, at most STRETCH_LEVEL_MAX */
	struct selection target; /* empty: as each recording says */
	bool during_tasks; /* from the first step of a task to the last, as by tasks, and not from
			      the beginning of the program to its end; counters are of all of it */
};

/*
 * Reads `source` to its end. Returns 0, or -1 with a sentence, also when nothing was sampled, or of
 * tasks where none is on record.
 */
int stretch_run_read(struct stretch_run *run, struct event_source *source,
		     const struct stretch_options *options, struct err *err);
void stretch_run_release(struct stretch_run *run);

/*
 * Its loss, in `count` parts of equal time. `serial` says for each of `work` which share of it
 * another run needs as well; NULL: none.
 */
void stretch_run_loss(struct sampled_loss *parts, size_t count, const struct stretch_run *run,
		      const double *serial);

/*
 * How many files of both have other build ids, or, where these are not known of both, other inodes:
 * they have been built again, or replaced, in between. *path: one of them, a program rather than a
 * library; borrowed from `one`.
 */
size_t stretch_files_changed(const char **path, const struct stretch_files *one,
			     const struct stretch_files *other);

#endif
