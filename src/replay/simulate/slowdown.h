/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The slowdown of work: the factor on its time while a number of cores is busy, relative to the
 * recorded work, for a machine of simulation.h.
 */
#ifndef PSCAL_REPLAY_SIMULATE_SLOWDOWN_H
#define PSCAL_REPLAY_SIMULATE_SLOWDOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "replay/simulate/simulation.h"
#include "stats/profile/levels.h"

struct err;

struct slowdown {
	double *factors; /* [b - 1]: factor while b cores are busy */
	size_t count;
	uint8_t *group_of;     /* [thread]: its group, as in struct thread_groups */
	double *group_factors; /* [group * count + b - 1]; NULL: no groups */
};

/* A known factor. */
struct slowdown_point {
	uint64_t cores;
	double factor;
};

enum { SLOWDOWN_CORES_MAX = 1 << 16 };

/*
 * Fills in factors by linear interpolation between the points; below the first point it is that of
 * the first. Points must ascend from 1 to SLOWDOWN_CORES_MAX cores, with factors above 0. Returns
 * 0, or -1 with an error. The caller releases `slowdown`.
 */
int slowdown_init(struct slowdown *slowdown, const struct slowdown_point *points, size_t count,
		  struct err *err);
void slowdown_release(struct slowdown *slowdown);

/*
 * Returns the factor by which the recorded program itself was slowed down on `cores` cores. With
 * T_j, the wall time with j threads ready, b_j = min(j, cores) cores were busy, and the CPU time
 * b_j T_j did the work b_j T_j / S(b_j). So the factor is
 *
 *	sum_j b_j T_j / sum_j (b_j T_j / S(b_j))
 *
 * All factors divided by it are relative to the recorded CPU times. 1 if nothing ran.
 */
double slowdown_recorded(const struct slowdown *slowdown, const struct level_times *levels,
			 uint64_t cores);

/* Divides all factors by slowdown_recorded(). */
void slowdown_relate(struct slowdown *slowdown, const struct level_times *levels, uint64_t cores);

/* --- Learned from recordings ----------------------------------------------------------------- */

/*
 * A recording: the CPU time of the program on `cores` cores, and the time with each number of busy
 * cores.
 */
struct slowdown_run {
	const struct level_times *levels; /* borrowed */
	uint64_t cores;
	double cpu_s;
	size_t threads; /* number of all threads */
};

enum slowdown_law {
	SLOWDOWN_NONE,	     /* S(b) = 1: the runs show no slowdown */
	SLOWDOWN_CONTENTION, /* S(b) = 1 + s (b - 1): each busy core adds the same */
	SLOWDOWN_BANDWIDTH,  /* S(b) = max(1, s b): from b = 1 / s on the cores share a fixed
				bandwidth */
};

/* The run-to-run variation of the CPU time of the same work, as far as known. */
struct run_noise {
	double noise;	/* standard deviation of the logarithm of the CPU time */
	double freedom; /* degrees of freedom of Student's distribution for it; 0: unknown */
};

/* Threads of one name, with a law of their own. */
struct slowdown_group {
	char name[THREAD_NAME_SIZE]; /* as from thread_names_groups(); empty: all other threads */
	enum slowdown_law law;
	double slope, slope_error; /* as in struct slowdown_fit */
	double share;		   /* share of the CPU time of the replayed run */
	double recorded;	   /* factor by which its work was slowed down in that run */
};

enum { SLOWDOWN_GROUPS_MOST = 8 };

struct slowdown_fit {
	enum slowdown_law law;
	double slope;			  /* s; 0 with SLOWDOWN_NONE */
	double slope_error;		  /* standard error of s; NaN: all runs kept equally many
					     cores busy */
	double noise;			  /* standard deviation of the logarithm of the CPU time of
					     a run */
	double freedom;			  /* degrees of freedom of Student's distribution for it */
	uint64_t cores_least, cores_most; /* the fewest and the most cores of the runs */
	size_t count, count_most;	  /* number of runs, and of runs on the most cores */
	size_t threads_least, threads_most;
	struct slowdown_group groups[SLOWDOWN_GROUPS_MOST];
	size_t group_count; /* 0: one law fits all threads as well */
};

/*
 * Fits ln(cpu_s) = ln W + ln R(s) by least squares, with the same work W in all runs, and
 * slowdown_recorded() of the law for R. The law with the smaller sum of squares is taken if runs
 * are on three or more numbers of cores, else that of contention; SLOWDOWN_NONE if less than 95 %
 * of the distribution of s is above 0. The prior variance of the noise is that of `before`, with
 * its degrees of freedom, in a scaled inverse chi-squared distribution [Gelman et al. 2013, 2.6]:
 * so the noise is known with two runs, and follows the data with many. If `before` is unknown it is
 * SLOWDOWN_NOISE squared with SLOWDOWN_FREEDOM.
 */
#define SLOWDOWN_NOISE	 .07
#define SLOWDOWN_FREEDOM 2
void slowdown_learn(struct slowdown_fit *fit, const struct slowdown_run *runs, size_t count,
		    const struct run_noise *before);

/* A recording as a program, with the group name of each thread (thread_names_groups). */
struct slowdown_program {
	const struct program *program;
	const struct thread_name *names; /* both borrowed */
	uint64_t cores;
};

/*
 * Finds groups of threads with laws of their own in the runs of `fit`; run `replayed` is the one
 * that is replayed. Groups with 5 % of its CPU time, up to SLOWDOWN_GROUPS_MOST, are tried in all
 * recordings, and all other threads as one more group. Simulations of the recordings show the
 * number of busy cores beside a group. The laws are kept if two of them differ by more than their
 * errors, and if their AICc [Burnham & Anderson 2002] is smaller than that of one law for all
 * threads; the work of each group is a parameter of both.
 */
void slowdown_learn_groups(struct slowdown_fit *fit, const struct slowdown_program *runs,
			   size_t replayed, const struct run_noise *before);

/*
 * Like slowdown_learn_groups(), for the groups of `fit`. `runs` has one group after the other, with
 * the CPU time of the group as cpu_s, and its CPU time while b cores were busy, divided by b, as
 * level times.
 */
void slowdown_learn_laws(struct slowdown_fit *fit, const struct slowdown_run *runs, size_t replayed,
			 const struct run_noise *before);

/*
 * Returns whether `fewer` is clearly fewer than `threads`: the number of short-lived threads
 * differs from run to run.
 */
bool slowdown_threads_differ(size_t fewer, size_t threads);

/* Return S(busy), and the change of its logarithm by one standard error of s. */
double slowdown_fit_at(const struct slowdown_fit *fit, double busy);
double slowdown_fit_error(const struct slowdown_fit *fit, double busy);

/* Fills in the law for 1 to `cores` busy cores. The caller releases `slowdown`. */
void slowdown_of_fit(struct slowdown *slowdown, const struct slowdown_fit *fit, uint64_t cores);

/* Adds the groups of `fit` to factors that are relative to the recording of `program`. */
void slowdown_add_groups(struct slowdown *slowdown, const struct slowdown_fit *fit,
			 const struct program *program, const struct thread_name *names);

#endif
