/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The factor by which work takes longer while a number of cores is busy, for a machine of
 * simulation.h: relative to the recorded work.
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
	double *factors; /* [b - 1]: while b cores are busy */
	size_t count;
	uint8_t *group_of;     /* [thread] as struct thread_groups has it, as well as ... */
	double *group_factors; /* ... [group * count + b - 1]; NULL: there are no groups */
};

/* A factor that is known. */
struct slowdown_point {
	uint64_t cores;
	double factor;
};

enum { SLOWDOWN_CORES_MAX = 1 << 16 };

/*
 * Between two points the factor is on the line through them; below the first it is that of the
 * first. Returns 0, or -1 with a sentence: points must ascend from 1 to SLOWDOWN_CORES_MAX cores,
 * with factors above 0. The caller releases.
 */
int slowdown_init(struct slowdown *slowdown, const struct slowdown_point *points, size_t count,
		  struct err *err);
void slowdown_release(struct slowdown *slowdown);

/*
 * A program recorded on `cores` cores was slowed down itself, the more the more of them were busy.
 * With T_j, the wall time with j threads active, b_j = min(j, cores) cores were, and in b_j T_j of
 * CPU time b_j T_j / S(b_j) of work was done. So this is
 *
 *	sum_j b_j T_j / sum_j (b_j T_j / S(b_j))
 *
 * by which all factors have to be divided for run times as recorded. 1 where nothing ran.
 */
double slowdown_recorded(const struct slowdown *slowdown, const struct level_times *levels,
			 uint64_t cores);

/* Divides all factors by that. */
void slowdown_relate(struct slowdown *slowdown, const struct level_times *levels, uint64_t cores);

/* --- Learned from recordings ----------------------------------------------------------------- */

/* A recording: the CPU time of the program on so many cores, and how many of them were busy. */
struct slowdown_run {
	const struct level_times *levels; /* borrowed */
	uint64_t cores;
	double cpu_s;
	size_t threads; /* in all */
};

enum slowdown_law {
	SLOWDOWN_NONE,	     /* S(b) = 1: the runs do not show another one */
	SLOWDOWN_CONTENTION, /* S(b) = 1 + s (b - 1): each busy core adds as much */
	SLOWDOWN_BANDWIDTH,  /* S(b) = max(1, s b): from b = 1 / s on they share what there is */
};

/* The variation of the CPU time of the same work from run to run, as it is known so far. */
struct run_noise {
	double noise;	/* standard deviation of its logarithm */
	double freedom; /* degrees of freedom of Student's distribution for it; 0: not known */
};

/* Threads of one name, with a law of their own. */
struct slowdown_group {
	char name[THREAD_NAME_SIZE]; /* as thread_names_groups() has it; empty: all other threads */
	enum slowdown_law law;
	double slope, slope_error; /* as below */
	double share;		   /* of the CPU time of the run that is replayed */
	double recorded;	   /* its work took so many times as long in that, by its law */
};

enum { SLOWDOWN_GROUPS_MOST = 8 };

struct slowdown_fit {
	enum slowdown_law law;
	double slope;	    /* s; 0 of SLOWDOWN_NONE */
	double slope_error; /* its standard error; NaN: the runs kept equally many cores busy */
	double noise;	    /* standard deviation of the logarithm of the CPU time of a run, ... */
	double freedom;	    /* ... and the degrees of freedom of Student's distribution for it */
	uint64_t cores_least, cores_most; /* of the runs, */
	size_t count, count_most;	  /* ... their number, and of those on the most cores */
	size_t threads_least, threads_most;
	struct slowdown_group groups[SLOWDOWN_GROUPS_MOST];
	size_t group_count; /* 0: one law is as good for all threads */
};

/*
 * Fits ln(cpu_s) = ln W + ln R(s), with the same work W in all runs, and for R what slowdown_recorded()
 * gives of the law, by least squares. The law with the smaller sum of squares is taken where runs
 * are on three or more numbers of cores, else that of contention; and none where 95 % of the
 * distribution of s are not above 0. Before any run the variance of the noise is that of `before`, with
 * its degrees of freedom, by a scaled inverse chi-squared distribution [Gelman et al. 2013, 2.6]: so
 * two runs have a noise, and many have theirs. Where it is not known it is SLOWDOWN_NOISE squared
 * with SLOWDOWN_FREEDOM.
 */
#define SLOWDOWN_NOISE	 .07
#define SLOWDOWN_FREEDOM 2
void slowdown_learn(struct slowdown_fit *fit, const struct slowdown_run *runs, size_t count,
		    const struct run_noise *before);

/* A recording as a program, with the name of the group of each thread (thread_names_groups). */
struct slowdown_program {
	const struct program *program;
	const struct thread_name *names; /* both borrowed */
	uint64_t cores;
};

/*
 * Finds groups that have laws of their own, of runs that `fit` is of; the number `replayed` is
 * replayed. Groups with 5 % of its CPU time are tried, up to SLOWDOWN_GROUPS_MOST, in all recordings,
 * and all other threads as one more. How many cores were busy beside a group is found by simulating
 * the recordings. The laws are kept if two of them differ by more than their errors, and if their
 * AICc [Burnham & Anderson 2002] is smaller than that of one law for all threads; the work of each
 * group is a parameter of both.
 */
void slowdown_learn_groups(struct slowdown_fit *fit, const struct slowdown_program *runs,
			   size_t replayed, const struct run_noise *before);

/* As struct slowdown_fit has the groups: their CPU time in `runs`, one group behind the other, with
   their CPU time while b cores were busy, divided by b, for level times. */
void slowdown_learn_laws(struct slowdown_fit *fit, const struct slowdown_run *runs, size_t replayed,
			 const struct run_noise *before);

/* Is that clearly fewer threads? The number of those that come and go differs from run to run. */
bool slowdown_threads_differ(size_t fewer, size_t threads);

/* S(busy), and what one standard error of s makes of it: the difference of logarithms. */
double slowdown_fit_at(const struct slowdown_fit *fit, double busy);
double slowdown_fit_error(const struct slowdown_fit *fit, double busy);

/* The law for 1 to `cores` busy cores. The caller releases. */
void slowdown_of_fit(struct slowdown *slowdown, const struct slowdown_fit *fit, uint64_t cores);

/* Adds the groups of `fit` to factors that are related to the recording of `program`. */
void slowdown_add_groups(struct slowdown *slowdown, const struct slowdown_fit *fit,
			 const struct program *program, const struct thread_name *names);

#endif
