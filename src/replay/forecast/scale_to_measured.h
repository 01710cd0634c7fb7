/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The forecast for the cores of the recording, held to the wall time that was measured on them.
 *
 * There one run is known, and the replay is a model of it: what one is off the other, a factor
 * m = recorded / replayed, is what the model misses or the luck of that run. Replays with other
 * luck tell how much is usual, a standard deviation s of a wall time in terms of it. With t for
 * what the model misses elsewhere, and both normal, the best guess of the mean of many runs is
 *
 *	replayed m^w, w = t^2 / (t^2 + s^2)
 *
 * [shrinkage, as of Stein 1956 and Efron & Morris 1975]. Where no luck is in a program that is what
 * was measured. A replay with as many threads as cores, or fewer, is the same with more of them.
 *
 * On other cores nothing is changed: one run of a program of few large steps can be far off the mean,
 * and so would be a forecast that repeats it there.
 */
#ifndef PSCAL_REPLAY_FORECAST_SCALE_TO_MEASURED_H
#define PSCAL_REPLAY_FORECAST_SCALE_TO_MEASURED_H

#include <stdint.h>

struct program;
struct replayed;

/*
 * t: the root of the mean square of ln(replayed / mean of 16 runs) of these programs of all classes
 * on two and four cores, .018; on one core there is nothing to miss.
 */
#define SCALE_MISS .02

/*
 * Scales `replayed`, made from `program`, to its recorded_s. Nothing changes where threads are
 * stuck, where others had more of the cores than the condition `alone` allows, as the forecast is
 * for cores without them, or where no time was recorded. No wall time comes below its bound.
 */
void scale_to_measured(struct replayed *replayed, const struct program *program);

/* Has `changed`, of the same recording with other costs of waits, be as much longer or shorter. */
void scale_as(struct replayed *changed, const struct replayed *scaled,
	      const struct program *program);

/* What a replayed wall time on `cores` is multiplied with; 1 where it stays as it is. */
double scale_factor(const struct replayed *replayed, const struct program *program, uint64_t cores);

#endif
