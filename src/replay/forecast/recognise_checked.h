/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * As much of what threads wait for as a replay bears out. What recognise() rewrites was possible in
 * the recorded order, but in another order threads may meet at objects and at edges that are left
 * beside them in ways in which neither can go on. Such a program is replayed as it was recorded.
 */
#ifndef PSCAL_REPLAY_FORECAST_RECOGNISE_CHECKED_H
#define PSCAL_REPLAY_FORECAST_RECOGNISE_CHECKED_H

#include <stddef.h>
#include <stdint.h>

#include "replay/forecast/replayed.h"
#include "replay/program/program.h"
#include "replay/recognise/recognise.h"

struct err;

/*
 * Recognises what `program` waits for as far as its replay lets fewer threads wait for ever than
 * any replay of less, and repeats the recorded wall time where one of less does. Fills in
 * `replayed` as replayed_init() does, and `recognised`. What recording calls has cost is left out
 * of the program then, and of all wall times but the one that the recorded one is held to.
 * Meanwhile it needs the memory of two more such programs at most. Returns 0, or -1 with a
 * sentence; the caller releases `replayed` in any case.
 */
int recognise_checked(struct replayed *replayed, struct recognised *recognised,
		      struct program *program, const struct machine *machine,
		      uint64_t recorded_cores, double others_share, const uint64_t *cores,
		      size_t count, struct err *err);

#endif
