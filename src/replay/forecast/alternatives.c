/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/forecast/alternatives.h"

#include "base/alloc.h"
#include "fit/closed_form.h"
#include "replay/forecast/anchor.h"
#include "replay/recognise/even_work.h"
#include "replay/simulate/replays.h"

#include <math.h>
#include <stdlib.h>

static void add(struct replayed_point *point, double wall_s)
{
	point->least_s = fmin(point->least_s, wall_s);
	point->most_s = fmax(point->most_s, wall_s);
}

/* Returns whether there was one. */
static bool drop_pools(struct program *program)
{
	bool found = false;

	for (size_t i = 0; i < program->site_count; i++) {
		found |= program->sites[i].pooled;
		program->sites[i].pooled = false;
	}
	return found;
}

static int run(struct replayed *replayed, const struct program *program,
	       const struct machine *machine, struct err *err)
{
	struct replay *replays = xcalloc(replayed->count, sizeof(*replays));
	int rc;

	for (size_t i = 0; i < replayed->count; i++) {
		replays[i] = (struct replay){.program = program, .machine = *machine};
		replays[i].machine.cores = replayed_cores(program, replayed->points[i].cores);
	}
	rc = replays_run_mean(replays, replayed->count, NULL, NULL, err);
	for (size_t i = 0; !rc && i < replayed->count; i++)
		if (!replays[i].simulated.stuck)
			add(&replayed->points[i],
			    (double)replays[i].simulated.wall_ns / 1e9 *
				    anchor_factor(replayed, program, replayed->points[i].cores));
	free(replays);
	return rc;
}

int alternatives_add_pools(struct replayed *replayed, const struct program *program,
			   const struct machine *machine, struct err *err)
{
	struct program without;
	int rc = 0;

	program_copy(&without, program);
	if (drop_pools(&without)) {
		replayed->alternatives |= REPLAYED_WITHOUT_POOLS;
		rc = run(replayed, &without, machine, err);
	}
	program_release(&without);
	return rc;
}

int alternatives_add_even_work(struct replayed *replayed, const struct program *program,
			       const struct machine *machine, struct err *err)
{
	struct program other;
	int rc = 0;

	program_copy(&other, program);
	if (program->even_work)
		even_work_undo(&other);
	if (program->even_work || even_work_make(&other, 1)) {
		replayed->alternatives |=
			program->even_work ? REPLAYED_OWN_WORK : REPLAYED_EVEN_WORK;
		rc = run(replayed, &other, machine, err);
	}
	program_release(&other);
	return rc;
}

void alternatives_add_closed_form(struct replayed *replayed, const struct level_times *levels)
{
	replayed->alternatives |= REPLAYED_CLOSED_FORM;
	for (size_t i = 0; i < replayed->count; i++)
		add(&replayed->points[i], closed_form_wall_s(levels, replayed->recorded_cores,
							     replayed->points[i].cores));
}
