/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the times of a text count from: the boot of the machine, the epoch, the first event
 * (--reltime), or each from the event before (--deltatime). All but the last are the same to us.
 */
#ifndef PSCAL_DECODE_TEXT_SCRIPT_TIMES_H
#define PSCAL_DECODE_TEXT_SCRIPT_TIMES_H

#include <stdbool.h>
#include <stdint.h>

/* Zero is a good start. */
struct script_times {
	bool are_deltas;
	uint64_t sum_ns;  /* of the deltas */
	uint64_t last_ns; /* as printed */
	uint64_t count, backward;
	bool from_zero; /* the first one is 0 */
};

/* The time of an event for which `printed_ns` stands in the text. Each has to come by here. */
uint64_t script_times_read(struct script_times *times, uint64_t printed_ns);

/*
 * perf prints events in the order of their times, so that times which begin with 0 and then often
 * go back are no times but distances.
 */
bool script_times_look_like_deltas(const struct script_times *times);

#endif
