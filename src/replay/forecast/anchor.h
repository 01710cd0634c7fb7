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
 * On other cores nothing is changed. Errors in % against the mean of 16 runs, over programs 3001
 * to 3008 and 4001 to 4008 of the classes of `make forecast-simulated` on their one, two or four
 * cores, mean and largest, without that, with w = 1, and with this: those with goals but pools and
 * farms .37 10.7, .51 15.2, .35 6.3; pools and farms without calls .85 7.4, .19 5.1, .39 5.7;
 * hidden locks 1.42 19.4, .62 15.2, .63 15.2. On all 16 numbers of cores: .648 without, .647 and,
 * where the same m is taken on others to the power of w 2^-d, d doublings away, .70. One run of a
 * program of few large steps can be 15 % off the mean, and so would be a forecast that repeats it.
 */
#ifndef PSCAL_REPLAY_FORECAST_ANCHOR_H
#define PSCAL_REPLAY_FORECAST_ANCHOR_H

#include <stdint.h>

struct program;
struct replayed;

/*
 * t: the root of the mean square of ln(replayed / mean of 16 runs) of these programs of all classes
 * on two and four cores, .018; on one core there is nothing to miss.
 */
#define ANCHOR_MISS .02

/*
 * Anchors `replayed`, made from `program`, to its recorded_s. Nothing changes where threads are
 * stuck, where others had more of the cores than the condition `alone` allows, as the forecast is
 * for cores without them, or where no time was recorded. No wall time comes below its bound.
 */
void anchor_set(struct replayed *replayed, const struct program *program);

/* Has `changed`, of the same recording with other costs of waits, be as much longer or shorter. */
void anchor_as(struct replayed *changed, const struct replayed *anchored,
	       const struct program *program);

/* What a replayed wall time on `cores` is multiplied with; 1 where it stays as it is. */
double anchor_factor(const struct replayed *replayed, const struct program *program,
		     uint64_t cores);

#endif
