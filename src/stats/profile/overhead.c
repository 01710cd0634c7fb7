/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/profile/overhead.h"

#define UNSURE (1. / 3)

/* A begin and an end: others take as much, as all read the time once. */
enum { STEPS_MEASURED = 2 };

void overhead_init(struct overhead *overhead, const struct profile *profile,
		   const struct target_info *target)
{
	double running_s = 0;

	*overhead = (struct overhead){
		.has_switch_cost = target->has_cost,
		.switch_ns = (double)target->cost_switch_ns,
		.call_ns = (double)target->cost_call_ns,
		.system_call_ns = (double)target->cost_system_call_ns,
		.calls = profile->calls.library,
		.system_calls = profile->calls.system,
		.block_ns = target->block_cost_ns,
		.probed_ns = (double)target->uprobe_cost_ns,
		.blocks = profile->calls.blocks,
		.probed = profile->calls.probed,
		.step_ns = target->task_cost_ns / STEPS_MEASURED,
		.steps = profile->calls.steps,
		.recorder_s = (double)target->own_cpu_ns / 1e9,
	};
	for (size_t i = 0; i < profile->thread_count; i++) {
		overhead->switches += profile->threads[i].switches;
		running_s += (double)profile->threads[i].state_ns[STATE_RUNNING] / 1e9;
	}
	overhead->calls_s = ((double)overhead->calls * overhead->call_ns +
			     (double)overhead->system_calls * overhead->system_call_ns) /
			    1e9;
	overhead->blocks_s = ((double)overhead->blocks * overhead->block_ns +
			      (double)overhead->probed * overhead->probed_ns) /
			     1e9;
	overhead->steps_s = (double)overhead->steps * overhead->step_ns / 1e9;
	overhead->added_s = (double)overhead->switches * overhead->switch_ns / 1e9 +
			    overhead->calls_s + overhead->blocks_s + overhead->steps_s;
	if (running_s <= 0)
		return;
	overhead->added_share = overhead->added_s / running_s;
	if (running_s > overhead->calls_s)
		overhead->unsure_share = (overhead->added_s - (1 - UNSURE) * overhead->calls_s) /
					 (running_s - overhead->calls_s);
}
