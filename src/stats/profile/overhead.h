/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a recording has cost, as far as its recorder says. */
#ifndef PSCAL_STATS_PROFILE_OVERHEAD_H
#define PSCAL_STATS_PROFILE_OVERHEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/event/event_source.h"
#include "stats/profile/profile.h"

struct overhead {
	bool has_switch_cost;
	double switch_ns;  /* CPU time that recording adds to a switch, as it was measured */
	uint64_t switches; /* of the target, on record */
	double call_ns, system_call_ns; /* ... and to a recorded call; 0: not known */
	uint64_t calls, system_calls;	/* of the target, on record */
	double block_ns,
		probed_ns;	 /* ... and to a block, from inside of the process or by a probe */
	uint64_t blocks, probed; /* of the target, on record */
	double step_ns;		 /* ... and to a step of a task */
	uint64_t steps;		 /* of the target, on record */
	double calls_s;		 /* CPU time that recording calls has added; 0 where not known */
	double blocks_s;     /* ... and blocks, without those that are not on record, of one in M */
	double steps_s;	     /* ... and steps of tasks */
	double added_s;	     /* that and that of switches: CPU time of the target not its own */
	double added_share;  /* of the CPU time of the target; 0 when it had none */
	double unsure_share; /* ... what is left to doubt where calls_s is taken out, of the rest */
	double recorder_s;   /* CPU time of the recorder; 0: not known */
};

/*
 * Calls in a program that uses its caches cost up to a third more than those that are measured,
 * which follow one another; so much of calls_s is unsure, and all that switches, blocks and tasks
 * cost.
 *
 * A thread that was seen to leave a CPU has had one switch.
 */
void overhead_init(struct overhead *overhead, const struct profile *profile,
		   const struct target_info *target);

#endif
