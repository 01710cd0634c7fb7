/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/program/program_read_private.h"

#include "replay/program/spin.h"

void yield_loop_run(struct yield_loop *loop, const struct cost_run *run, bool stays_ready)
{
	if (!stays_ready || run->end_ns - run->begin_ns > YIELD_GAP_NS) {
		*loop = (struct yield_loop){.looped_ns = loop->looped_ns};
		return;
	}
	if (run->active_ns > run->begin_ns)
		return;
	if (!loop->runs)
		loop->since_ns = run->begin_ns;
	if (++loop->runs < YIELD_RUN_CALLS)
		return;
	loop->looped_ns += run->end_ns - loop->since_ns;
	loop->since_ns = run->end_ns;
}

void yield_loop_try(struct yield_loop *loop)
{
	loop->runs = 0;
}
