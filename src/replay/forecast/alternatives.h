/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Other answers than that of the replay, where it rests on a guess: neither is claimed, and
 * intervals reach from the least to the largest; see interval.h.
 */
#ifndef PSCAL_REPLAY_FORECAST_ALTERNATIVES_H
#define PSCAL_REPLAY_FORECAST_ALTERNATIVES_H

#include <stdint.h>

#include "replay/forecast/replayed.h"
#include "replay/program/program.h"

struct err;
struct level_times;

/*
 * Whether what is taken from a queue can be done by any thread is not recorded: where some is taken
 * to be so, also the wall times without that, each thread doing what it did. Returns 0, or -1 with
 * a sentence.
 */
int alternatives_add_pools(struct replayed *replayed, const struct program *program,
			   const struct machine *machine, struct err *err);

/*
 * Where threads may have shared their work as it came (even_work.h): the wall times with all of
 * them doing the same, or where that is presumed with each doing what it did. Returns 0, or -1 with
 * a sentence.
 */
int alternatives_add_even_work(struct replayed *replayed, const struct program *program,
			       const struct machine *machine, struct err *err);

/* Where it is a guess what threads wait for, and in which order: the closed form, without waits. */
void alternatives_add_closed_form(struct replayed *replayed, const struct level_times *levels);

#endif
