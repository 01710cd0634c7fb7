/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/program/program_read_private.h"

#include "replay/program/spin.h"

uint64_t yield_loop_run(struct yield_loop *loop, const struct cost_run *run, bool stays_ready)
{
	uint64_t looped_ns = loop->runs < YIELD_RUN_CALLS ? 0 : loop->end_ns - loop->begin_ns;

	if (!stays_ready || run->end_ns - run->begin_ns > YIELD_GAP_NS) {
		loop->runs = 0;
		return looped_ns;
	}
	if (run->active_ns > run->begin_ns)
		return 0;
	if (!loop->runs++)
		loop->begin_ns = run->begin_ns;
	loop->end_ns = run->end_ns;
	return 0;
}

void yield_loop_try(struct yield_loop *loop)
{
	loop->runs = 0;
}
