/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Work-time stretch [Huynh, Nakashima and Taura 2013]: the relative increase of the time that the
 * same work takes in a parallel run over that in a serial run, by regions of code,
 *
 *	stretch = CPU seconds of work in parallel / in serial - 1,
 *
 * and the use of the time of P cores: P T = serial work + stretch + overhead + delay + no-work.
 *
 * Recordings with the same number of threads on the same number of cores are repeats: their means
 * are compared.
 */
#ifndef PSCAL_STATS_STRETCH_STRETCH_H
#define PSCAL_STATS_STRETCH_STRETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/event/quality.h"
#include "decode/timeline/selection.h"
#include "stats/profile/profile.h"

struct err;
struct event_source;
struct task_tree;

/* --- Loss ---------------------------------------------------------------------------------- */

/*
 * The use of the time of P cores in a run of wall time T [Huynh, Nakashima and Taura 2013]:
 *
 *	P T = work + overhead + delay + no-work,	work = serial work + stretch
 *
 * Values are core seconds, except for wall_s; shares are of P T. Reports show these parts by the
 * names of enum stretch_part.
 */
struct time_loss {
	double cores;  /* P, the number of cores */
	double wall_s; /* T, the wall time */
	double work_s; /* serial work and stretch, which only another run tells apart */
	double overhead_s, delay_s, no_work_s;
	/* of delay_s: the same number of workers waited for a CPU, in regions or not */
	double preempted_s;
	double crowded_s; /* r + o beyond P, which is in none of these; 0 is expected */
};

struct sampled_loss {
	struct time_loss loss;
	double begin_s;		 /* since the beginning of the timeline */
	double serial_work_s;	 /* a part of loss.work_s */
	double several_s, any_s; /* wall time with several threads on CPUs, and with any */
};

/*
 * A change of a thread, which from then on runs, is runnable, is one of these (STATE_ACTIVE), is in
 * an unknown state (STATE_UNKNOWN), or does not run (STATE_NONE).
 */
struct cpu_edge {
	uint64_t time_ns;
	uint32_t thread;
	uint32_t state; /* enum thread_state */
};

/* The use of CPUs by the threads of a trace: 16 bytes for each change. An empty one is all zero. */
struct cpu_edges {
	struct cpu_edge *items;
	size_t count, capacity;
	uint32_t *states; /* [thread]: its last state */
	size_t thread_count, thread_capacity;
	uint64_t running_ns;	   /* the running time of all threads */
	uint64_t begin_ns, end_ns; /* the time that counts: at first the whole time */
	uint64_t origin_ns;	   /* the beginning of the timeline */
};

/* --- Runs ---------------------------------------------------------------------------------- */

/*
 * One run of a program, from the samples of its recording: CPU seconds of work in each region of
 * code, and the use of the rest of the time of its cores.
 *
 * A sample of a thread stands for the CPU time of the thread, by the scheduling events, divided by
 * its number of samples. In unknown states, as some kernels hide switches, the thread ran for its
 * samples beyond those of the known time. Threads with few samples are joined, as the places of
 * these are chance. Without scheduling events a sample stands for one tick of its clock.
 */

/* Kinds of regions of code: by samples, and from SEGMENT on by the tasks of a recording. */
enum stretch_by {
	STRETCH_BY_FUNCTION,
	STRETCH_BY_LINE,
	STRETCH_BY_PATH,
	STRETCH_BY_SEGMENT, /* the code from one step of a task to the next */
	STRETCH_BY_TASK,    /* the function of the step */
	STRETCH_BY_LEVEL,   /* the level of the task in the tree */
	STRETCH_BY_SUBTREE, /* the ancestor of the task at a certain level */
	STRETCH_BYS
};

static inline bool stretch_by_tasks(enum stretch_by by)
{
	return by >= STRETCH_BY_SEGMENT;
}

/*
 * A region. Parts that compilers make of a function have its name: "work" is also work._omp_fn.0
 * and work.constprop.1.
 */
struct stretch_region {
	char *function; /* the function, or a path, "inner < outer"; NULL: not known */
	char *object;	/* the file of the code, without its directory; "[kernel]"; NULL: none */
	char *file;	/* the source file; NULL: not known */
	/* line in `file`; 0: none. By function and path: the begin of the function */
	uint32_t line;
	/* For tasks: */
	uint32_t line2; /* the end of the region; 0: none */
	int32_t level;	/* -1: not by level */
	char *path;	/* the path of the task above a subtree; NULL: none */
};

/* The files that had samples. */
struct stretch_files {
	struct stretch_file *items; /* sorted by path */
	size_t count;
};

struct stretch_work {
	struct stretch_region block;
	double seconds;
	uint64_t samples;  /* the number of samples; for tasks: of runs of the region */
	double squares_s2; /* the sum of the squares of its times, for tasks */
};

/* Values in place of a region. */
enum { STRETCH_OVERHEAD = UINT32_MAX - 1, STRETCH_WAITING = UINT32_MAX };

/* Samples of one thread in one region; a single sample if `timed`. */
struct stretch_sample {
	uint64_t time_ns;
	uint32_t thread, block; /* a region, or STRETCH_OVERHEAD, STRETCH_WAITING */
	uint32_t count;
};

struct stretch_run {
	char *program;		   /* the name of the program; NULL: not known */
	struct stretch_work *work; /* unordered; the last one may be time without samples */
	size_t work_count;
	double work_s, overhead_s, waiting_s, all_s;
	double named_s;	  /* the part of work_s in functions with known names */
	uint64_t samples; /* the samples of threads of the target */
	double tick_s;	  /* mean CPU time for each sample */
	size_t threads;	  /* threads with a tenth or more of the CPU time of the largest */
	bool has_states;  /* else all members below are not known */
	double cores, wall_s;
	double unknown_s; /* thread time without scheduling events or samples */
	uint64_t switches;
	struct counter_table counters;
	struct quality quality;
	struct stretch_files files; /* files that had samples */
	char *unread_lines;	    /* a sentence on files whose lines cannot be read; NULL: none */
	/* For sampled_loss(): */
	struct cpu_edges edges;
	struct stretch_sample *parts;
	size_t part_count;
	double *tick_of_thread; /* seconds */
	double *ran;		/* [thread]: as in struct cpu_shares */
	/* For tasks, else NULL: */
	struct task_tree *tree;
	uint32_t *block_of; /* [interval of the tree]: its place in `work` */
	uint64_t *counts;   /* [work][counter of the tree] */
};

/* The largest level of subtrees: their paths have one index more. */
enum { STRETCH_LEVEL_MAX = 1000 };

struct stretch_options {
	enum stretch_by by;
	bool timed;		 /* the caller wants the loss over time */
	const char *root;	 /* the directory with the files; NULL: where they were */
	double cores;		 /* 0: those of each recording */
	uint32_t level;		 /* the level of tasks above subtrees, at most STRETCH_LEVEL_MAX */
	struct selection target; /* empty: that of each recording */
	/* from the first step of a task to the last, as by tasks; counters: the whole run */
	bool during_tasks;
};

/*
 * Reads `source` to its end. Returns 0, or -1 with an error, also if there are no samples, or by
 * tasks no tasks.
 */
int stretch_run_read(struct stretch_run *run, struct event_source *source,
		     const struct stretch_options *options, struct err *err);
void stretch_run_release(struct stretch_run *run);

/*
 * Computes the loss of a run in `count` parts of equal time. `serial` has, for each item of `work`,
 * the share that another run needs, too; NULL: none.
 */
void stretch_run_loss(struct sampled_loss *parts, size_t count, const struct stretch_run *run,
		      const double *serial);

/*
 * Returns the number of files of both runs with different build ids or, if these are not known of
 * both, inodes: they were rebuilt or replaced in between. *path: one of them, a program rather than
 * a library; borrowed from `one`.
 */
size_t stretch_files_changed(const char **path, const struct stretch_files *one,
			     const struct stretch_files *other);

/* --- Comparison ---------------------------------------------------------------------------- */

/* Regions with fewer samples on either side are not compared. */
enum { STRETCH_SAMPLES_MIN = 10 };

/* The confidence level of the intervals. */
#define STRETCH_LEVEL 0.95

/* A ratio of two times measured by counting samples, with its interval. */
struct rate_ratio {
	double value, from, to; /* NAN: not known */
};

/* A counter that counts more in parallel than in serial, and the cost of each additional count. */
struct stretch_surplus {
	const char *counter;	 /* borrowed */
	bool in_ns;		 /* the counter counts nanoseconds */
	double serial, parallel; /* means of the runs; NAN: not known for all of them */
	/* all stretch for each additional count; NAN: no more than by chance, or no stretch */
	double cost_s;
};

/* A region in a column. */
struct stretch_cell {
	double seconds;			 /* mean of the runs */
	double samples;			 /* the samples of all runs */
	double longer_s;		 /* more seconds than in serial */
	struct rate_ratio stretch;	 /* all NAN: on one side only, or too few samples */
	double share;			 /* the share of all stretch; NAN: too small to divide */
	struct stretch_surplus *surplus; /* for tasks: of each counter of the first run; or NULL */
};

struct stretch_row {
	const struct stretch_region *block; /* borrowed from the runs */
	bool of_program;		    /* the function is in the program itself */
	double serial_s, serial_samples;    /* mean, and the sum */
	struct stretch_cell *cells;	    /* [column] */
	char *key;
};

/* Recordings of the same number of threads on the same number of cores. */
struct stretch_column {
	double cores; /* 0: not known */
	size_t threads;
	size_t *runs; /* numbers of the runs */
	size_t run_count;
	double work_s;	 /* mean of the runs */
	double longer_s; /* more than in serial: all stretch */
	struct rate_ratio stretch;
	struct time_loss loss; /* mean of the runs */
	bool has_loss;	       /* known for all runs, and no more than `cores` were busy */
	/* several runs, here or of the base: intervals include run-to-run variation */
	bool has_repeats;
	struct stretch_surplus *surplus;
	size_t surplus_count;
};

struct stretch {
	const struct stretch_run *runs; /* borrowed: those of the base first */
	size_t run_count, base_count;
	enum stretch_by by;
	const struct task_counters *counters; /* counters of the first run, for tasks; or NULL */
	double serial_s, serial_samples; /* work of the base: the mean, and the sum of samples */
	/* sorted by seconds in the last column, the most stretched first */
	struct stretch_row *rows;
	const struct stretch_row **by_key;
	size_t row_count;
	struct stretch_column *columns; /* the columns in the order of their first runs */
	size_t column_count;
};

/* Returns 0, or -1 with an error if the recordings are of different programs. */
int stretch_init(struct stretch *stretch, const struct stretch_run *runs, size_t run_count,
		 size_t base_count, enum stretch_by by, struct err *err);
void stretch_release(struct stretch *stretch);

/*
 * Computes the loss of run `run` of a column in `count` parts of equal time; regions have the
 * stretch of the whole column in each part.
 */
void stretch_over_time(struct sampled_loss *parts, size_t count, const struct stretch *stretch,
		       size_t column, size_t run);

/* --- The verdict --------------------------------------------------------------------------- */

/* The time of the cores of a column by its use; the parts sum to P T. */
enum stretch_part {
	STRETCH_PART_USEFUL,	/* the work of the base */
	STRETCH_PART_INFLATION, /* work inflation: additional CPU time for the same work */
	STRETCH_PART_OVERHEAD,	/* the runtime: creating, finding and passing on work */
	STRETCH_PART_RUN_QUEUE, /* threads waited for a CPU, which had another thread */
	STRETCH_PART_TASKS,	/* tasks were ready, and no worker fetched them */
	STRETCH_PART_IDLE,	/* there was nothing to run */
	STRETCH_PARTS
};

/* Sets core seconds, all NAN if the loss is not known. `serial_s` is the work of the base. */
void stretch_parts_of(double seconds[STRETCH_PARTS], const struct time_loss *loss, double serial_s);

enum stretch_finding {
	STRETCH_UNSURE, /* too few samples */
	STRETCH_EQUAL,	/* 0 is in the interval: a difference may be chance */
	STRETCH_MORE,	/* work takes more CPU time in parallel */
	STRETCH_LESS,
};

/* Conclusions from the last column, by which rows are sorted. */
struct stretch_verdict {
	enum stretch_finding finding;
	const struct stretch_row
		/* the row that grew most, beyond chance; NULL: none */
		*row;
	bool is_most;			     /* `row` has half or more of all stretch */
	double serial_alone, parallel_alone; /* shares of work in rows of one side only */
	size_t unnamed_run; /* the run with the largest share of work in functions without a name */
	double unnamed_share;	/* this share */
	double run_queue_share; /* run-queue wait by core time; NAN: not known */
};

/* `rows` have at least some share of the work; the first is the row to name. */
struct stretch_verdict stretch_verdict_of(const struct stretch *stretch,
					  const struct stretch_row *const *rows, size_t row_count);

/* Returns the share of time with several threads on CPUs in that with any: 0 in a serial run. */
double stretch_run_several_share(const struct stretch_run *run);

/*
 * Returns, for a counter of misses of the last cache, the mean number of additional misses in
 * flight at once, if memory takes STRETCH_MEMORY_S to answer and all stretch is due to these. NAN:
 * another counter, or not known.
 */
#define STRETCH_MEMORY_S 100e-9
double stretch_surplus_at_once(const struct stretch_surplus *surplus);

#endif
