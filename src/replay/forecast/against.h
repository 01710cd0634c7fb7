/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A forecast compared with another recording of the same program, made on the k cores of the
 * forecast, and its error split by cause. With
 *
 *	F	the forecast
 *	F_w	the forecast with the work of the other recording: the replay in which the CPU time
 *		of each thread is multiplied by the CPU seconds of its group of threads there,
 *		divided by those here
 *	M	the wall time of the other recording
 *	O	the part of M that other programs and the hypervisor cost it
 *	I	the part of M that ready threads waited beside idle CPUs
 *
 * the error is a sum of four:
 *
 *	M - F = (F_w - F) + O + I + (M - O - I - F_w)
 *	          work   others idle     structure
 *
 * Work is the effect of a slower or faster machine, and of contention for memory and caches. Idle
 * is an effect of Linux, which leaves threads in the run queue of a busy CPU beside idle CPUs, up
 * to a tick; in a replay the next idle core takes them. Structure is the error of the model: the
 * order of waits, another division of the work. The closed form stretches all time with ready
 * threads alike: F_w = T_0 + (F - T_0) (1 - o) c' / c, with T_0 the time without ready threads, c
 * and c' the CPU seconds here and there, and o = L / U + s (see below) of the first recording,
 * which F contains.
 *
 * O = T_r (L / U + s): T_r is the time with ready threads, U the CPU time that they could have used
 * on k cores, s the share of the time of their CPUs that the hypervisor took (steal), and L the
 * part of U that they did not get, without the latency of each wakeup with a free core, .1 ms at
 * most. L is at most the time for which other programs ran on these CPUs, if recorded. CPU seconds
 * are without steal, too.
 *
 * I = T_2 L_i / U_2: L_i is the CPU time of U in which nothing ran on these CPUs, by their busy
 * time, minus the same latencies; 0 if unknown, and on one core. T_2 and U_2 are the parts of T_r
 * and U with two or more ready threads, as a CPU idles beside one that runs. For the cores of its
 * own recording F has the I of that, which is subtracted if the replay was scaled to its time.
 *
 *	against_init(&against, &forecast, &measured, &err);
 *	... against.replay.forecast_s, against_structure_s(&against, &against.replay) ...
 *	against_release(&against);
 */
#ifndef PSCAL_REPLAY_FORECAST_AGAINST_H
#define PSCAL_REPLAY_FORECAST_AGAINST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct forecast;

/* F, F_w and I by one model. F is NaN without a forecast by it, I is 0 if O is unknown. */
struct against_split {
	double forecast_s, with_work_s, idle_s;
};

/* The CPU seconds of a group of threads, or the seconds that threads waited at a site. */
struct against_share {
	char *name;
	double forecast_s, measured_s;
};

struct against {
	uint64_t cores;	   /* k */
	double measured_s; /* M */
	double others_s;   /* O; NaN: unknown, as under a quota that throttled the program */
	double forecast_cpu_s, measured_cpu_s;
	bool by_group; /* the recordings have the same groups of threads; else all threads are
			  scaled by one factor */
	struct against_split replay, closed_form;
	struct against_share *threads; /* CPU seconds of groups, the largest difference first */
	size_t thread_count;
	struct against_share *waits; /* waits at sites, the largest difference first; F_w and the
					other recording; none without replays */
	size_t wait_count;
};

/*
 * Compares two forecasts, both without a what-if: `measured` is from the other recording and for
 * its own cores, for which `forecast` was also made. Returns 0, or -1 with an error; the caller
 * releases `against` in either case.
 */
int against_init(struct against *against, const struct forecast *forecast,
		 const struct forecast *measured, struct err *err);
void against_release(struct against *against);

/* Sorts shares, the largest difference first. */
void against_shares_sort(struct against_share *shares, size_t count);

/* Returns the split of the replay if it answered, else that of the closed form. */
const struct against_split *against_shown(const struct against *against);

/*
 * Return parts of the error in seconds: > 0 if the measured time is longer than the forecast. The
 * part of other programs is 0 if unknown.
 */
double against_work_s(const struct against_split *split);
double against_others_s(const struct against *against);
double against_structure_s(const struct against *against, const struct against_split *split);

#endif
