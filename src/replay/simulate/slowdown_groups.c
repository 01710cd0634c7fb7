/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/simulate/slowdown.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The smallest share of the CPU time of a group of its own. */
static const double least_share = .05;

static double thread_ns(const struct program *program, size_t thread)
{
	uint64_t run_ns = 0;

	for (size_t i = 0; i < program->threads[thread].count; i++)
		run_ns += step_run_ns(&program->threads[thread].steps[i]);
	return (double)run_ns;
}

/* --- The groups ------------------------------------------------------------------------------ */

static bool is_in(const struct slowdown_program *run, const char *name)
{
	for (size_t i = 0; i < run->program->thread_count; i++)
		if (strcmp(thread_name_text(&run->names[i]), name) == 0)
			return true;
	return false;
}

static bool is_in_all(const struct slowdown_program *runs, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!is_in(&runs[i], name))
			return false;
	return true;
}

/* Chooses named groups, and at the end the other threads, without a name. */
static void choose_groups(struct slowdown_fit *fit, const struct slowdown_program *runs,
			  const struct slowdown_program *replayed)
{
	const struct program *program = replayed->program;
	double work_ns = (double)program_work_ns(program);
	double *sums_ns = xcalloc(program->thread_count + 1, sizeof(*sums_ns));
	struct map names = {0};

	for (size_t i = 0; i < program->thread_count; i++) {
		const char *name = thread_name_text(&replayed->names[i]);

		sums_ns[map_add(&names, name, strlen(name) + 1)] += thread_ns(program, i);
	}
	for (size_t i = 0; i < program->thread_count; i++) {
		const char *name = thread_name_text(&replayed->names[i]);
		double *sum_ns = &sums_ns[map_add(&names, name, strlen(name) + 1)];
		struct slowdown_group *group = &fit->groups[fit->group_count];

		if (fit->group_count < SLOWDOWN_GROUPS_MOST - 1 &&
		    *sum_ns > least_share * work_ns && *name && is_in_all(runs, fit->count, name)) {
			snprintf(group->name, sizeof(group->name), "%s", name);
			fit->group_count++;
		}
		*sum_ns = 0; /* each name is tried once */
	}
	fit->groups[fit->group_count++].name[0] = '\0';
	map_release(&names);
	free(sums_ns);
}

/* Returns [thread]: its group; the caller frees it. */
static uint8_t *groups_of(const struct slowdown_fit *fit, const struct program *program,
			  const struct thread_name *names)
{
	uint8_t *of = xcalloc(program->thread_count + 1, sizeof(*of));

	for (size_t i = 0; i < program->thread_count; i++) {
		size_t group = 0;

		while (group < fit->group_count - 1 &&
		       strcmp(fit->groups[group].name, thread_name_text(&names[i])) != 0)
			group++;
		of[i] = (uint8_t)group;
	}
	return of;
}

/* --- CPU times of groups ---------------------------------------------------------------------- */

/* Adds CPU time and threads of each group to runs[group * count]. */
static void add_work(struct slowdown_run *runs, size_t count, const struct program *program,
		     const uint8_t *of)
{
	for (size_t i = 0; i < program->thread_count; i++) {
		struct slowdown_run *run = &runs[of[i] * count];

		run->cpu_s += thread_ns(program, i) / 1e9;
		run->threads++;
	}
}

/* Converts CPU times to wall times: with b busy cores, CPU time is b times the wall time. */
static void take_levels(struct level_times *levels, const double *group_ns, uint64_t cores)
{
	*levels = (struct level_times){.wall_ns = xcalloc(cores + 1, sizeof(*levels->wall_ns)),
				       .max_active = cores};
	for (uint64_t b = 1; b <= cores; b++)
		levels->wall_ns[b] = (uint64_t)(group_ns[b - 1] / (double)b);
}

/*
 * Fills in run `which` of all groups. Returns whether each group has CPU time on the recorded
 * cores.
 */
static bool measure_run(struct slowdown_run *runs, struct level_times *levels, size_t which,
			const struct slowdown_fit *fit, const struct slowdown_program *from)
{
	uint8_t *of = groups_of(fit, from->program, from->names);
	double *group_ns = xcalloc(fit->group_count * from->cores, sizeof(*group_ns));
	const struct machine machine = {.cores = (unsigned)from->cores,
					.costs = from->program->costs,
					.groups = {.of = of}};
	struct err ignored;
	bool all = !simulate_groups(group_ns, from->program, &machine, &ignored);

	add_work(runs + which, fit->count, from->program, of);
	for (size_t group = 0; group < fit->group_count; group++) {
		struct slowdown_run *run = &runs[group * fit->count + which];
		struct level_times *own = &levels[group * fit->count + which];

		take_levels(own, group_ns + group * from->cores, from->cores);
		run->levels = own;
		run->cores = from->cores;
		all = all && run->cpu_s > 0;
	}
	free(group_ns);
	free(of);
	return all;
}

static void take_shares(struct slowdown_fit *fit, const struct slowdown_run *runs, size_t replayed)
{
	double sum_s = 0;

	for (size_t i = 0; i < fit->group_count; i++)
		sum_s += runs[i * fit->count + replayed].cpu_s;
	for (size_t i = 0; i < fit->group_count; i++)
		fit->groups[i].share = runs[i * fit->count + replayed].cpu_s / sum_s;
}

/* Removes the group of other threads if it has no CPU time. */
static void leave_out_others(struct slowdown_fit *fit, const struct slowdown_program *replayed)
{
	uint8_t *of = groups_of(fit, replayed->program, replayed->names);
	double others_ns = 0;

	for (size_t i = 0; i < replayed->program->thread_count; i++)
		if (of[i] == fit->group_count - 1)
			others_ns += thread_ns(replayed->program, i);
	free(of);
	if (!(others_ns > 0))
		fit->group_count--;
}

void slowdown_learn_groups(struct slowdown_fit *fit, const struct slowdown_program *runs,
			   size_t replayed, const struct run_noise *before)
{
	size_t values;
	struct slowdown_run *fitted;
	struct level_times *levels;
	bool all = true;

	choose_groups(fit, runs, &runs[replayed]);
	leave_out_others(fit, &runs[replayed]);
	values = fit->group_count * fit->count;
	fitted = xcalloc(values + 1, sizeof(*fitted));
	levels = xcalloc(values + 1, sizeof(*levels));
	for (size_t i = 0; fit->group_count > 1 && i < fit->count; i++)
		all = measure_run(fitted, levels, i, fit, &runs[i]) && all;
	if (fit->group_count > 1 && all) {
		take_shares(fit, fitted, replayed);
		slowdown_learn_laws(fit, fitted, replayed, before);
	} else {
		fit->group_count = 0;
	}
	for (size_t i = 0; i < values; i++)
		level_times_release(&levels[i]);
	free(levels);
	free(fitted);
}

/* --- Slowdown of groups in a replay ----------------------------------------------------------- */

void slowdown_add_groups(struct slowdown *slowdown, const struct slowdown_fit *fit,
			 const struct program *program, const struct thread_name *names)
{
	size_t count = slowdown->count;
	double *factors;

	if (!fit->group_count || !count)
		return;
	factors = xcalloc(fit->group_count * count, sizeof(*factors));
	for (size_t i = 0; i < fit->group_count * count; i++) {
		const struct slowdown_group *group = &fit->groups[i / count];
		const struct slowdown_fit law = {.law = group->law, .slope = group->slope};

		factors[i] = slowdown_fit_at(&law, (double)(i % count + 1)) / group->recorded /
			     slowdown->factors[i % count];
	}
	slowdown->group_of = groups_of(fit, program, names);
	slowdown->group_factors = factors;
}
