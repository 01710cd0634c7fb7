/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Work-time stretch [Huynh, Nakashima and Taura 2013]: by how much the same work takes longer in a
 * parallel run than in a serial one, by regions of code,
 *
 *	stretch = CPU seconds of work in parallel / in serial - 1,
 *
 * and the use of the time of P cores: P T = serial work + stretch + overhead + delay + no-work.
 *
 * Recordings in which as many threads could use as many cores are repeats of one another: their
 * means are compared.
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
 * Where the time of P cores goes in a run of wall time T [Huynh, Nakashima and Taura 2013]:
 *
 *	P T = work + overhead + delay + no-work,	work = serial work + stretch
 *
 * Seconds of cores, but for wall_s; shares are of P T. People see these parts by the names of enum
 * stretch_part.
 */
struct time_loss {
	double cores;  /* P */
	double wall_s; /* T */
	double work_s; /* serial work and stretch, which only another run can tell apart */
	double overhead_s, delay_s, no_work_s;
	double preempted_s; /* of delay_s: as many workers waited for a CPU, in regions or not */
	double crowded_s;   /* r + o beyond P, which is in none of these; 0 is expected */
};

struct sampled_loss {
	struct time_loss loss;
	double begin_s;		 /* since the timeline began */
	double serial_work_s;	 /* of the work */
	double several_s, any_s; /* wall time with several threads on CPUs, and with any */
};

/*
 * From then on a thread runs, is runnable, is one of these (STATE_ACTIVE), or it is not known
 * whether it does (STATE_UNKNOWN); or it does not (STATE_NONE).
 */
struct cpu_edge {
	uint64_t time_ns;
	uint32_t thread;
	uint32_t state; /* enum thread_state */
};

/* The use of CPUs by the threads of a trace: 16 bytes a change. Begins as zero. */
struct cpu_edges {
	struct cpu_edge *items;
	size_t count, capacity;
	uint32_t *states; /* of each thread, as last told */
	size_t thread_count, thread_capacity;
	uint64_t running_ns;	   /* of all threads */
	uint64_t begin_ns, end_ns; /* of what counts: at first of all there is */
	uint64_t origin_ns;	   /* the timeline begins */
};

/* --- Runs ---------------------------------------------------------------------------------- */

/*
 * One run of a program, by the samples of its recording: CPU seconds of work in each region of
 * code, and where the rest of the time of its cores went.
 *
 * A sample of a thread stands for as much CPU time as the thread had by the scheduler's record,
 * divided by the number of its samples. Where that record does not know whether a thread ran, as
 * some kernels hide switches from it, samples beyond those of the time that it does know say that
 * it did. Threads with few samples are taken together, as what they were sampled at is a matter of
 * chance. Where there is no such record a sample stands for one tick of its clock.
 */

/* Kinds of regions of code: by samples, and from SEGMENT on by the tasks of a recording. */
enum stretch_by {
	STRETCH_BY_FUNCTION,
	STRETCH_BY_LINE,
	STRETCH_BY_PATH,
	STRETCH_BY_SEGMENT, /* from one step of a task to the next */
	STRETCH_BY_TASK,    /* the function that the step is in */
	STRETCH_BY_LEVEL,   /* how deep the task is in the tree */
	STRETCH_BY_SUBTREE, /* below which task of a certain level it is */
	STRETCH_BYS
};

static inline bool stretch_by_tasks(enum stretch_by by)
{
	return by >= STRETCH_BY_SEGMENT;
}

/*
 * Parts that compilers make of one function count as that function: "work" is also work._omp_fn.0
 * and work.constprop.1.
 */
struct stretch_region {
	char *function; /* or a path, "inner < outer"; NULL: not known */
	char *object;	/* the file that it is in, without its directory; "[kernel]"; NULL: none */
	char *file;	/* of the source; NULL: not known */
	uint32_t line;	/* in that; 0. By function and path: where the function begins */
	/* Of tasks: */
	uint32_t line2; /* where a region ends; 0 */
	int32_t level;	/* -1: regions are not by level */
	char *path;	/* of the task that a subtree is below; NULL */
};

/* The files that a run was sampled in. */
struct stretch_files {
	struct stretch_file *items; /* sorted by path */
	size_t count;
};

struct stretch_work {
	struct stretch_region block;
	double seconds;
	uint64_t samples;  /* of tasks: how often the region was run, and */
	double squares_s2; /* ... the sum of the squares of its seconds */
};

/* In the place of a region. */
enum { STRETCH_OVERHEAD = UINT32_MAX - 1, STRETCH_WAITING = UINT32_MAX };

/* Samples of one thread in one region, or one of them where times are wanted. */
struct stretch_sample {
	uint64_t time_ns;
	uint32_t thread, block; /* or STRETCH_OVERHEAD, STRETCH_WAITING */
	uint32_t count;
};

struct stretch_run {
	char *program;		   /* its name; NULL: not known */
	struct stretch_work *work; /* in no order; the last one may be what no sample is of */
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
 * The number of files of both that have other build ids, or, where these are not known of both,
 * other inodes: they have been built again, or replaced, in between. *path: one of them, a program
 * rather than a library; borrowed from `one`.
 */
size_t stretch_files_changed(const char **path, const struct stretch_files *one,
			     const struct stretch_files *other);

/* --- Comparison ---------------------------------------------------------------------------- */

/* Regions with fewer samples on either side are not compared. */
enum { STRETCH_SAMPLES_MIN = 10 };

/* The confidence level of the intervals. */
#define STRETCH_LEVEL 0.95

/* A ratio of two times that were measured by counting samples, with its interval. */
struct rate_ratio {
	double value, from, to; /* NAN: not known */
};

/* A counter that counts more in parallel than in serial, and the cost of each one more. */
struct stretch_surplus {
	const char *counter;	 /* borrowed */
	bool in_ns;		 /* it counts time */
	double serial, parallel; /* means of the runs; NAN: not known of all of them */
	double cost_s; /* all stretch for each one more; NAN: there are no more than by chance, or
			  no stretch */
};

/* A region on so many cores. */
struct stretch_cell {
	double seconds;		   /* mean of the runs */
	double samples;		   /* of all of them */
	double longer_s;	   /* than in serial */
	struct rate_ratio stretch; /* all NAN: it ran on one side only, or has too few samples */
	double share;		   /* of all stretch; NAN: that is too little to be divided up */
	struct stretch_surplus *surplus; /* of tasks: of each counter of the first run, or NULL */
};

struct stretch_row {
	const struct stretch_region *block; /* borrowed from the runs */
	bool of_program;		    /* it is in the program itself */
	double serial_s, serial_samples;    /* mean, and all */
	struct stretch_cell *cells;	    /* of each column */
	char *key;
};

/* Recordings of as many threads on as many cores. */
struct stretch_column {
	double cores; /* 0: not known */
	size_t threads;
	size_t *runs; /* which of all */
	size_t run_count;
	double work_s;	 /* mean */
	double longer_s; /* than in serial: all stretch */
	struct rate_ratio stretch;
	struct time_loss loss; /* mean */
	bool has_loss;	       /* else it is not known of all of them, or more cores were busy */
	bool has_repeats; /* several runs, here or of the base: intervals cover how these vary */
	struct stretch_surplus *surplus;
	size_t surplus_count;
};

struct stretch {
	const struct stretch_run *runs; /* borrowed: those of the base first */
	size_t run_count, base_count;
	enum stretch_by by;
	const struct task_counters *counters; /* of tasks: those of the first run; or NULL */
	double serial_s, serial_samples;      /* work of the base: mean, and samples of all */
	struct stretch_row *rows; /* the most stretched first, by seconds in the last column */
	const struct stretch_row **by_key;
	size_t row_count;
	struct stretch_column *columns; /* in the order in which they were met first */
	size_t column_count;
};

/* Returns 0, or -1 with a sentence where the recordings are of different programs. */
int stretch_init(struct stretch *stretch, const struct stretch_run *runs, size_t run_count,
		 size_t base_count, enum stretch_by by, struct err *err);
void stretch_release(struct stretch *stretch);

/*
 * The loss of run `run` of a column in `count` parts of equal time; in each of them regions are
 * stretched as they are in the whole column.
 */
void stretch_over_time(struct sampled_loss *parts, size_t count, const struct stretch *stretch,
		       size_t column, size_t run);

/* --- What it says -------------------------------------------------------------------------- */

/* The time of the cores of a column by its use; the sum is P T. */
enum stretch_part {
	STRETCH_PART_USEFUL,	/* the work of the base */
	STRETCH_PART_INFLATION, /* CPU time that the same work takes longer */
	STRETCH_PART_OVERHEAD,	/* the runtime: creating, finding and handing on work */
	STRETCH_PART_RUN_QUEUE, /* threads waited for a CPU, which had another thread */
	STRETCH_PART_TASKS,	/* tasks could have run, and no worker fetched them */
	STRETCH_PART_IDLE,	/* there was nothing to run */
	STRETCH_PARTS
};

/* Seconds of cores; all NAN where the loss is not known. `serial_s`: the work of the base. */
void stretch_parts_of(double seconds[STRETCH_PARTS], const struct time_loss *loss, double serial_s);

enum stretch_finding {
	STRETCH_UNSURE, /* there are too few samples */
	STRETCH_EQUAL,	/* a difference may be chance: 0 is in the interval */
	STRETCH_MORE,	/* work takes more CPU time in parallel */
	STRETCH_LESS,
};

/* On the last column, in which rows are sorted. */
struct stretch_verdict {
	enum stretch_finding finding;
	const struct stretch_row
		*row; /* the row that grew most, beyond chance; NULL: there is none */
	bool is_most; /* it has half of all that work takes longer, or more */
	double serial_alone, parallel_alone; /* shares of work in rows that one side alone has */
	size_t unnamed_run;	/* of the work of this run the largest share is in functions ... */
	double unnamed_share;	/* ... without a name */
	double run_queue_share; /* run-queue wait of the core time; NAN: not known */
};

/* Of `rows`, which are those of at least some share of the work, the first is the row to name. */
struct stretch_verdict stretch_verdict_of(const struct stretch *stretch,
					  const struct stretch_row *const *rows, size_t row_count);

/* Share of the time with threads on CPUs in which there were several: a serial run has none. */
double stretch_run_several_share(const struct stretch_run *run);

/*
 * Of a counter of misses of the last cache: the mean number of those beyond the serial ones that
 * were on their way at once, where memory takes
 * STRETCH_MEMORY_S to answer and nothing else has stretched the work. NAN: it is not one of these,
 * or nothing is known.
 */
#define STRETCH_MEMORY_S 100e-9
double stretch_surplus_at_once(const struct stretch_surplus *surplus);

#endif
