/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Work-time stretch [Huynh, Nakashima and Taura 2013]: by how much the same work takes longer in a
 * parallel run than in a serial one, by blocks of code,
 *
 *	stretch = CPU seconds of work in parallel / in serial - 1,
 *
 * and where the time of P cores went: P T = serial work + stretch + overhead + delay + no-work.
 *
 * Recordings in which as many threads could use as many cores are repeats of one another: their
 * means are compared.
 */
#ifndef PSCAL_STATS_STRETCH_STRETCH_H
#define PSCAL_STATS_STRETCH_STRETCH_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/stretch/stretch_run.h"

struct err;

/* Blocks with fewer samples on either side are not compared. */
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

/* A block on so many cores. */
struct stretch_cell {
	double seconds;		   /* mean of the runs */
	double samples;		   /* of all of them */
	double longer_s;	   /* than in serial */
	struct rate_ratio stretch; /* all NAN: it ran on one side only, or has too few samples */
	double share;		   /* of all stretch; NAN: that is too little to be divided up */
	struct stretch_surplus *surplus; /* of tasks: of each counter of the first run, or NULL */
};

struct stretch_row {
	const struct stretch_block *block; /* borrowed from the runs */
	bool of_program;		   /* it is in the program itself */
	double serial_s, serial_samples;   /* mean, and all */
	struct stretch_cell *cells;	   /* of each column */
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
 * The loss of run `run` of a column in `count` parts of equal time; in each of them blocks are
 * stretched as they are in the whole column.
 */
void stretch_over_time(struct sampled_loss *parts, size_t count, const struct stretch *stretch,
		       size_t column, size_t run);

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
