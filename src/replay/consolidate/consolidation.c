/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/consolidate/consolidation.h"

#include "base/alloc.h"
#include "base/err.h"
#include "decode/event/event_source.h"
#include "replay/forecast/forecast.h"
#include "replay/program/program.h"
#include "replay/simulate/replays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Two programs as one ---------------------------------------------------------------------- */

/* The first indices of a program's parts in the merged program. */
struct place {
	const struct program *program;
	uint32_t thread, site, edge;
};

/* Returns the index in the merged program; an invalid one must not hit the other program. */
static uint32_t placed(uint32_t index, size_t count, uint32_t from)
{
	return index < count ? index + from : (uint32_t)PROGRAM_NONE;
}

static void place_step(struct step *step, const struct place *at)
{
	const struct program *program = at->program;
	enum step_op op = step_op(step);
	uint32_t site = placed(step_site(step), program->site_count, at->site);

	if (step_op_is_pause(op))
		step->pause = step_pause(step_pause_ns(step), site);
	else if (op == STEP_JOIN)
		step->join_site = site;
	else if (op == STEP_BLOCK || (op >= STEP_LOCK && op <= STEP_RETURN && op != STEP_YIELD))
		step->site = site;
	else if (op == STEP_SOCKET)
		step->run_op = step_run_op(step_run_ns(step), STEP_NONE);
	if (op == STEP_WAKE || op == STEP_FORK || op == STEP_JOIN)
		step->thread = placed(step->thread, program->thread_count, at->thread);
	if (op == STEP_WAKE || op == STEP_BLOCK)
		step->edge = placed(step->edge, program->edge_count, at->edge);
}

static void place_thread(struct program *both, const struct program_thread *from,
			 const struct place *at)
{
	struct program_thread *thread = &both->threads[both->thread_count++];

	*thread = (struct program_thread){.tid = from->tid,
					  .pid = from->pid,
					  .count = from->count,
					  .capacity = from->count,
					  .forked = from->forked,
					  .start_ns = from->start_ns,
					  .steps = xcalloc(from->count, sizeof(*thread->steps))};
	if (from->count)
		memcpy(thread->steps, from->steps, from->count * sizeof(*thread->steps));
	for (uint32_t i = 0; i < thread->count; i++)
		place_step(&thread->steps[i], at);
}

/* Appends the parts of a program that a simulation needs, without names. */
static void place_program(struct program *both, const struct program *from)
{
	const struct place at = {from, (uint32_t)both->thread_count, (uint32_t)both->site_count,
				 both->edge_count};

	for (size_t i = 0; i < from->thread_count; i++)
		place_thread(both, &from->threads[i], &at);
	for (size_t i = 0; i < from->site_count; i++) {
		struct site *site = &both->sites[both->site_count++];

		*site = from->sites[i];
		site->name = NULL;
	}
	both->edge_count += from->edge_count;
}

/* Merges two programs; the caller releases `both` in either case. */
static int merge_programs(struct program *both, const struct program *first,
			  const struct program *second, struct err *err)
{
	size_t threads = first->thread_count + second->thread_count;
	size_t sites = first->site_count + second->site_count;
	size_t edges = (size_t)first->edge_count + second->edge_count;

	*both = (struct program){.other_from = first->thread_count};
	if (threads >= PROGRAM_NONE || sites >= PROGRAM_NONE || edges >= PROGRAM_NONE)
		return err_set(err, "both recordings together are too large to be replayed");
	both->threads = xcalloc(threads, sizeof(*both->threads));
	both->sites = xcalloc(sites, sizeof(*both->sites));
	both->thread_capacity = threads;
	both->site_capacity = sites;
	place_program(both, first);
	place_program(both, second);
	return 0;
}

/* --- The replays ------------------------------------------------------------------------------ */

/* The replays on a number of cores: both programs, then each alone. */
enum { REPLAYS = 1 + CONSOLIDATED };

static int check_ends(const struct replay *replays, uint64_t cores, struct err *err)
{
	if (replays[0].simulated.stuck <= replays[1].simulated.stuck + replays[2].simulated.stuck)
		return 0;
	return err_set(err,
		       "on %llu core%s threads of both programs together wait for an event that "
		       "never comes; give other numbers of cores with -n",
		       (unsigned long long)cores, cores == 1 ? "" : "s");
}

static const struct forecast_row *alone_on(const struct forecast *forecast, uint64_t cores)
{
	for (size_t i = 0; i < forecast->row_count; i++)
		if (forecast->rows[i].cores == cores)
			return &forecast->rows[i];
	return NULL;
}

static struct consolidation_side side_of(const struct forecast_row *alone,
					 const struct simulated_part *replayed,
					 const struct simulated_part *together)
{
	double factor = replayed->end_ns ? (double)together->end_ns / (double)replayed->end_ns : 1;

	return (struct consolidation_side){
		.alone_s = alone->wall_s,
		.together_s = alone->wall_s * factor,
		.factor = factor,
		.lo_s = NAN,
		.hi_s = NAN,
		.queue_alone_s = (double)replayed->queue_ns / 1e9,
		.queue_s = (double)together->queue_ns / 1e9,
		.taken_s = (double)together->taken_ns / 1e9,
	};
}

/* Combines the log deviations of both programs alone; see consolidation.h. */
static double deviation(double own, double other, double factor)
{
	double by_other = fmax(1 - 1 / factor, 0) * other;

	return sqrt(own * own + by_other * by_other);
}

static void add_interval(struct consolidation_side *side, const struct forecast_row *own,
			 const struct forecast_row *other)
{
	side->lo_s =
		side->together_s / exp(deviation(log(own->lo_s / own->wall_s),
						 log(other->lo_s / other->wall_s), side->factor));
	side->hi_s =
		side->together_s * exp(deviation(log(own->hi_s / own->wall_s),
						 log(other->hi_s / other->wall_s), side->factor));
}

static int make_row(struct consolidation_row *row, const struct consolidation *consolidation,
		    const struct replay *replays, struct err *err)
{
	const struct simulated *both = &replays[0].simulated;
	const struct forecast_row *alone[CONSOLIDATED];

	if (check_ends(replays, row->cores, err))
		return -1;
	for (size_t i = 0; i < CONSOLIDATED; i++) {
		alone[i] = alone_on(consolidation->forecasts[i], row->cores);
		row->sides[i] =
			side_of(alone[i], &replays[1 + i].simulated.parts[0], &both->parts[i]);
		row->in_turn_s += alone[i]->wall_s;
		row->both_s = fmax(row->both_s, row->sides[i].together_s);
	}
	for (size_t i = 0; i < CONSOLIDATED; i++)
		add_interval(&row->sides[i], alone[i], alone[!i]);
	return 0;
}

static const struct target_info *target_of(const struct forecast *forecast)
{
	static const struct target_info unknown = {0};

	return forecast->target ? forecast->target : &unknown;
}

/* Returns whether the kernel has EEVDF (Linux 6.6 and later), not CFS. */
static bool is_eevdf(const struct forecast *forecast)
{
	return !target_kernel_is_before(target_of(forecast), 6, 6);
}

/*
 * Returns the slice of EEVDF, sysctl_sched_base_slice (kernel/sched/fair.c). Recorded slices do not
 * show it: most of them end at a tick or by a wakeup.
 */
static uint64_t eevdf_slice_ns(const struct target_info *target)
{
	const unsigned most_cpus = 8;
	uint64_t base_ns = target_kernel_is_before(target, 6, 15) ? 750000 : 700000;
	unsigned cpus = target->online_count ? target->online_count : most_cpus;

	return base_ns * (1 + (uint64_t)log2(cpus < most_cpus ? cpus : most_cpus));
}

static struct machine machine_of(const struct consolidation *consolidation, size_t which)
{
	const struct forecast *const *forecasts = consolidation->forecasts;
	struct machine machine = {.cores = 1,
				  .costs = forecasts[which]->program->costs,
				  .eevdf = is_eevdf(forecasts[0]) && is_eevdf(forecasts[1])};

	if (machine.eevdf)
		machine.costs.slice_ns = eevdf_slice_ns(target_of(forecasts[which]));
	return machine;
}

/*
 * A slice that is known from one recording is used for both. That wakeups preempt is only assumed;
 * that they do not is observed, and decides.
 */
static struct machine machine_of_both(const struct consolidation *consolidation)
{
	struct machine machine = machine_of(consolidation, 0);
	const struct program_costs other = machine_of(consolidation, 1).costs;

	machine.other_costs = other;
	if (machine.costs.slice_ns && other.slice_ns)
		machine.costs.slice_ns = machine.costs.slice_ns / 2 + other.slice_ns / 2;
	else if (other.slice_ns)
		machine.costs.slice_ns = other.slice_ns;
	machine.costs.wakes_preempt = machine.costs.wakes_preempt && other.wakes_preempt;
	return machine;
}

static int replay_rows(struct consolidation *consolidation, const struct program *both,
		       struct err *err)
{
	const struct program *programs[REPLAYS] = {both, consolidation->forecasts[0]->program,
						   consolidation->forecasts[1]->program};
	const struct machine machines[REPLAYS] = {machine_of_both(consolidation),
						  machine_of(consolidation, 0),
						  machine_of(consolidation, 1)};
	size_t count = consolidation->count * REPLAYS;
	struct replay *replays = xcalloc(count, sizeof(*replays));
	int rc;

	for (size_t i = 0; i < count; i++)
		replays[i] = replay_on(programs[i % REPLAYS], &machines[i % REPLAYS],
				       consolidation->rows[i / REPLAYS].cores);
	rc = replays_run_mean(replays, count, NULL, NULL, err);
	for (size_t i = 0; !rc && i < consolidation->count; i++)
		rc = make_row(&consolidation->rows[i], consolidation, &replays[i * REPLAYS], err);
	free(replays);
	return rc;
}

int consolidation_init(struct consolidation *consolidation, const struct forecast *first,
		       const struct forecast *second, const uint64_t *cores, size_t count,
		       struct err *err)
{
	struct program both;
	int rc;

	*consolidation = (struct consolidation){
		.forecasts = {first, second},
		.cpu_s = {(double)program_work_ns(first->program) / 1e9,
			  (double)program_work_ns(second->program) / 1e9},
		.rows = xcalloc(count, sizeof(*consolidation->rows)),
		.count = count,
	};
	for (size_t i = 0; i < count; i++)
		consolidation->rows[i].cores = cores[i];
	rc = merge_programs(&both, first->program, second->program, err);
	if (!rc)
		rc = replay_rows(consolidation, &both, err);
	program_release(&both);
	return rc;
}

void consolidation_release(struct consolidation *consolidation)
{
	free(consolidation->rows);
	*consolidation = (struct consolidation){.count = 0};
}
