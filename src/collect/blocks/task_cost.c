/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/blocks/task_cost.h"

#include "collect/blocks/cost_trial.h"
#include "probe/patch_plan.h"
#include "probe/spool.h"
#include "probe/task.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int write_plan(FILE *out, const void *context)
{
	const struct plan_header *plan = context;
	struct plan_header header = {.magic = PLAN_MAGIC,
				     .version = SPOOL_VERSION,
				     .every = 1,
				     .tasks = 1,
				     .counter_count = plan->counter_count,
				     .text_bytes = 1};

	memcpy(header.counters, plan->counters, sizeof(header.counters));
	fwrite(&header, sizeof(header), 1, out);
	putc('\0', out);
	return 0;
}

static void begin_and_end_often(void *context)
{
	static struct pscal_site begins = PSCAL_HERE, ends = PSCAL_HERE;
	pscal_stepper *step = *(pscal_stepper **)context;

	for (uint32_t i = 0; i < COST_TRIAL_TIMES; i++)
		step(&ends, PSCAL_STEP_END, step(&begins, PSCAL_STEP_BEGIN, PSCAL_NO_TASK, i), 0);
}

/* Without the library there is a branch that is not taken. */
static double time_of_task(void *library)
{
	void *found = library ? dlsym(library, "pscal_task_step") : NULL;
	pscal_stepper *step;

	if (!found)
		return 0;
	memcpy(&step, &found, sizeof(step));
	return cost_trial_median_ns(begin_and_end_often, &step);
}

double task_cost_measure(const char *library, const struct plan_header *plan)
{
	const struct cost_trial trial = {
		.write_plan = write_plan, .time_ns = time_of_task, .context = plan, .events = 2};

	return cost_trial_ns(&trial, library);
}
