/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a recording has cost, as far as its recorder says. */
#ifndef PSCAL_STATS_OVERHEAD_H
#define PSCAL_STATS_OVERHEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/event_source.h"
#include "stats/profile.h"

struct overhead {
	bool has_switch_cost;
	double switch_ns;   /* CPU time that recording adds to a switch, as it was measured */
	uint64_t switches;  /* of the target, on record */
	double added_s;	    /* both together: CPU time of the target that is not its own */
	double added_share; /* of the CPU time of the target; 0 when it had none */
	double recorder_s;  /* CPU time of the recorder; 0: not known */
};

/* A thread that was seen to leave a CPU has had one switch. */
void overhead_init(struct overhead *overhead, const struct profile *profile,
		   const struct target_info *target);

#endif
