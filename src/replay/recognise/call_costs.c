/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/recognise/call_costs.h"

#include "replay/program/program.h"

/* A system call has half of its cost at each end. One with two objects is one call of two steps. */
static uint64_t cost_of(const struct program_costs *costs, const struct step *step)
{
	enum step_op op = step_op(step);

	if (op == STEP_YIELD)
		return costs->system_call_ns;
	if ((op != STEP_CALL && op != STEP_RETURN) || step_call(step) == SYNC_NONE)
		return 0;
	return sync_call_is_system(step_call(step)) ? costs->system_call_ns / 2 : costs->call_ns;
}

static uint64_t take_out(struct program_thread *thread, const struct program_costs *costs)
{
	uint64_t owed_ns = 0, taken_ns = 0;

	for (size_t i = 0; i < thread->count; i++) {
		struct step *step = &thread->steps[i];
		uint64_t run_ns = step_run_ns(step), cost_ns = cost_of(costs, step);
		uint64_t part_ns = owed_ns < run_ns ? owed_ns : run_ns;

		step->run_op = step_run_op(run_ns - part_ns, step_op(step));
		taken_ns += part_ns;
		owed_ns = cost_ns ? cost_ns : owed_ns - part_ns;
	}
	return taken_ns;
}

uint64_t call_costs_take_out(struct program *program)
{
	uint64_t taken_ns = 0;

	if (!program->costs.call_ns && !program->costs.system_call_ns)
		return 0;
	for (size_t i = 0; i < program->thread_count; i++)
		taken_ns += take_out(&program->threads[i], &program->costs);
	program->costs.call_ns = program->costs.system_call_ns = 0;
	return taken_ns;
}
