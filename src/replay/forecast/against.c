/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/forecast/against.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/map.h"
#include "base/sorted.h"
#include "decode/event/event_source.h"
#include "replay/forecast/forecast.h"
#include "replay/program/program.h"
#include "replay/simulate/replays.h"
#include "stats/profile/cpu_time.h"
#include "stats/profile/levels.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Shares by name -------------------------------------------------------------------------- */

struct share_list {
	struct map names;
	struct against_share *items; /* [number of the name] */
	size_t capacity;
};

static struct against_share *share_of(struct share_list *list, const char *name)
{
	uint32_t number = map_add(&list->names, name, strlen(name) + 1);
	bool is_new;

	array_reserve(&list->items, &list->capacity, (size_t)number + 1);
	is_new = !list->items[number].name;
	if (is_new)
		list->items[number].name = xstrdup(name);
	return &list->items[number];
}

static double share_change(const struct against_share *share)
{
	return fabs(share->measured_s - share->forecast_s);
}

static int compare_shares(const void *left, const void *right)
{
	const struct against_share *a = left, *b = right;
	double x = share_change(a), y = share_change(b);

	return x == y ? strcmp(a->name, b->name) : compare_values(y, x);
}

void against_shares_sort(struct against_share *shares, size_t count)
{
	sort_items(shares, count, compare_shares);
}

/* Ends the list. The caller owns the items. */
static size_t share_list_finish(struct against_share **items, struct share_list *list)
{
	size_t count = list->names.count;

	against_shares_sort(list->items, count);
	*items = list->items;
	map_release(&list->names);
	return count;
}

/* --- Work ------------------------------------------------------------------------------------ */

/* CPU seconds of each thread, without steal. */
static double *thread_cpu_s(const struct forecast *forecast)
{
	const struct program *program = forecast->program;
	double *cpu_s = xcalloc(program->thread_count + 1, sizeof(*cpu_s));

	for (size_t i = 0; i < program->thread_count; i++) {
		const struct program_thread *thread = &program->threads[i];
		uint64_t run_ns = 0;

		for (size_t j = 0; j < thread->count; j++)
			run_ns += step_run_ns(&thread->steps[j]);
		cpu_s[i] = (double)run_ns / 1e9 * (1 - target_steal_share(forecast->target));
	}
	return cpu_s;
}

static struct thread_name *group_names(const struct program *program)
{
	return thread_names_groups(program->threads, program->thread_count,
				   THREAD_NAME_PLACE(struct program_thread));
}

static void release_names(struct thread_name *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		thread_name_release(&names[i]);
	free(names);
}

/* Adds the CPU seconds of one side; `side` is the offset of forecast_s or measured_s. */
static void add_threads(struct share_list *list, const struct forecast *of, size_t side)
{
	const struct program *program = of->program;
	struct thread_name *names = group_names(program);
	double *cpu_s = thread_cpu_s(of);

	for (size_t i = 0; i < program->thread_count; i++) {
		struct against_share *share = share_of(list, thread_name_text(&names[i]));

		*(double *)((char *)share + side) += cpu_s[i];
	}
	release_names(names, program->thread_count);
	free(cpu_s);
}

static void sum_threads(struct against *against, const struct share_list *list)
{
	const double most_alone = .1;
	double alone_s = 0, all_s = 0;

	for (size_t i = 0; i < list->names.count; i++) {
		const struct against_share *share = &list->items[i];
		bool both = share->forecast_s > 0 && share->measured_s > 0;

		against->forecast_cpu_s += share->forecast_s;
		against->measured_cpu_s += share->measured_s;
		alone_s += both ? 0 : share->forecast_s + share->measured_s;
		all_s += share->forecast_s + share->measured_s;
	}
	against->by_group = alone_s <= most_alone * all_s;
}

/* Returns the CPU time of all threads, or of a group, in the other recording by that here. */
static double work_factor(const struct against *against, const struct against_share *share)
{
	if (against->by_group && share->forecast_s > 0 && share->measured_s > 0)
		return share->measured_s / share->forecast_s;
	return against->forecast_cpu_s > 0 && against->measured_cpu_s > 0
		       ? against->measured_cpu_s / against->forecast_cpu_s
		       : 1;
}

/* Copies the program with the work of the other recording. The caller releases the copy. */
static void copy_with_work(struct program *copy, const struct against *against,
			   struct share_list *list, const struct program *program, double inflation)
{
	struct thread_name *names = group_names(program);

	program_copy(copy, program);
	for (size_t i = 0; i < copy->thread_count; i++) {
		const struct against_share *share = share_of(list, thread_name_text(&names[i]));

		program_scale_thread(copy, i, work_factor(against, share) / inflation);
	}
	release_names(names, program->thread_count);
}

/* --- Waits ----------------------------------------------------------------------------------- */

/* Returns the length of a number at `text` that differs between runs, as an address. */
static size_t number_length(const char *text)
{
	static const char digits[] = "0123456789", *const more[] = {", and ", " ("};

	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++)
		if (strncmp(text, more[i], strlen(more[i])) == 0 &&
		    strspn(text + strlen(more[i]), digits))
			return strlen(text);
	if (text[0] == ' ' && text[1] == '0' && text[2] == 'x')
		return 3 + strspn(text + 3, "0123456789abcdef");
	return text[0] == '/' && strspn(text + 1, digits) ? 1 + strspn(text + 1, digits) : 0;
}

/*
 * Returns the name without numbers: "lock" for "lock 0x7f3a12, and 3 more" and "lock (2 of 3)", and
 * "join by xz" for "join by xz/4711".
 */
static char *wait_name(const struct site *site)
{
	char *name = xstrdup(site->name ? site->name : site_kind_names[site->kind]), *to = name;

	for (const char *from = name; *from;) {
		size_t skip = number_length(from);

		from += skip;
		if (!skip)
			*to++ = *from++;
	}
	*to = '\0';
	return name;
}

static void add_waits(struct share_list *list, const struct replay *replay, size_t side)
{
	for (size_t i = 0; i < replay->program->site_count; i++) {
		char *name;

		if (!replay->simulated.waited_ns[i])
			continue;
		name = wait_name(&replay->program->sites[i]);
		*(double *)((char *)share_of(list, name) + side) +=
			(double)replay->simulated.waited_ns[i] / 1e9;
		free(name);
	}
}

/* --- The replays ----------------------------------------------------------------------------- */

/* Returns the CPU time of the forecast divided by that on the recorded cores: the slowdown. */
static double inflation_of(const struct replay *plain)
{
	double work_ns = (double)program_work_ns(plain->program);

	return plain->machine.slowdown_count && work_ns > 0 && plain->simulated.busy_ns
		       ? (double)plain->simulated.busy_ns / work_ns
		       : 1;
}

/* Finds the waits of both recordings, if both can be replayed. */
static int replay_waits(struct against *against, const struct program *with_work,
			const struct forecast *forecast, const struct forecast *measured,
			double *with_work_s, struct err *err)
{
	const struct machine here = forecast_machine(forecast), there = forecast_machine(measured);
	struct replay replays[2] = {replay_on(with_work, &here, against->cores),
				    replay_on(measured->program, &there, against->cores)};
	size_t count = measured->shown ? 2 : 1;
	struct share_list list = {.items = NULL};

	for (size_t i = 0; i < count; i++)
		replays[i].waited = true;
	if (replays_run_mean(replays, count, NULL, NULL, err))
		return -1;
	*with_work_s = (double)replays[0].simulated.wall_ns / 1e9;
	if (count == 2) {
		add_waits(&list, &replays[0], offsetof(struct against_share, forecast_s));
		add_waits(&list, &replays[1], offsetof(struct against_share, measured_s));
	}
	for (size_t i = 0; i < count; i++)
		free(replays[i].simulated.waited_ns);
	against->wait_count = share_list_finish(&against->waits, &list);
	return 0;
}

/* Finds F and F_w: their ratio is that of the replays, as F may be scaled to a recording. */
static int split_replay(struct against *against, struct share_list *list,
			const struct forecast *forecast, const struct forecast *measured,
			struct err *err)
{
	const struct machine machine = forecast_machine(forecast);
	const struct forecast_point *point =
		forecast->shown ? forecast_points_find(forecast->shown, against->cores) : NULL;
	struct replay plain = replay_on(forecast->program, &machine, against->cores);
	struct program with_work = {0};
	double with_work_s = NAN;
	int rc;

	against->replay = (struct against_split){NAN, NAN, 0};
	if (!point)
		return 0;
	if (replays_run_mean(&plain, 1, NULL, NULL, err))
		return -1;
	against->forecast_cpu_s *= inflation_of(&plain);
	copy_with_work(&with_work, against, list, forecast->program, inflation_of(&plain));
	rc = replay_waits(against, &with_work, forecast, measured, &with_work_s, err);
	program_release(&with_work);
	against->replay.forecast_s = point->wall_s;
	against->replay.with_work_s =
		plain.simulated.wall_ns
			? point->wall_s * with_work_s / ((double)plain.simulated.wall_ns / 1e9)
			: point->wall_s;
	return rc;
}

/* --- Other programs -------------------------------------------------------------------------- */

/* L: the CPU time that ready threads could have used and did not get. */
static double lacked_ns(const struct forecast *measured, double usable_ns)
{
	const struct program *program = measured->program;
	const struct target_info *target = measured->target;
	double run_ns = (double)program->shares.run_ns;

	return cpu_taken_ns(fmax(usable_ns - run_ns - (double)program->shares.wake_ns, 0), run_ns,
			    target && target->has_busy ? target->busy_ns : 0,
			    (unsigned)measured->request.measured_cores);
}

/* L / U + s: of the time with ready threads. NaN: not known. */
static double others_share(const struct forecast *measured)
{
	double usable_ns =
		level_times_usable_ns(&measured->unthrottled, measured->request.measured_cores);

	if (!measured->judged)
		return NAN;
	return usable_ns > 0 ? lacked_ns(measured, usable_ns) / usable_ns +
				       target_steal_share(measured->target)
			     : 0;
}

/* T_r */
static double ready_s(const struct level_times *levels)
{
	return (double)(levels->total_ns - levels->unknown_ns - levels->wall_ns[0]) / 1e9;
}

/* Returns O. A program that lacks CPU time under a quota is throttled later: its O is not known. */
static double find_others_s(const struct forecast *measured)
{
	const double throttled_most = .05;

	if (measured->throttled_share > throttled_most)
		return NAN;
	return ready_s(&measured->unthrottled) * others_share(measured);
}

/*
 * Returns the time with two or more ready threads for each unit of CPU time that they can use. That
 * is the cost of a unit that they lack: a thread that is ready alone has the idle core.
 */
static double beside_share(const struct level_times *levels, uint64_t cores)
{
	double wall_ns = 0, usable_ns = 0;

	for (size_t j = 2; j <= levels->max_active; j++) {
		wall_ns += (double)levels->wall_ns[j];
		usable_ns += (double)levels->wall_ns[j] * (double)(j < cores ? j : cores);
	}
	return usable_ns > 0 ? wall_ns / usable_ns : 0;
}

/*
 * Returns I: the CPU time that threads lacked beyond what other programs may have had. In an
 * unknown state a thread may have run. One core does not idle beside a ready thread.
 */
static double idle_s_of(const struct forecast *recorded)
{
	const struct program_shares *shares = &recorded->program->shares;
	const struct target_info *target = recorded->target;
	uint64_t cores = recorded->request.measured_cores;
	double usable_ns = level_times_usable_ns(&recorded->unthrottled, cores);
	double run_ns = (double)(shares->run_ns + shares->unsure_ns);
	double idle_ns =
		usable_ns - (double)shares->wake_ns -
		fmax(run_ns, target && target->has_busy ? (double)target->busy_ns : usable_ns);

	if (cores <= 1 || isnan(find_others_s(recorded)))
		return 0;
	return fmax(idle_ns, 0) / 1e9 * beside_share(&recorded->unthrottled, cores);
}

/* Returns the I of the other recording, less that in F if F is `held` to its recording. */
static double find_idle_s(const struct forecast *forecast, const struct forecast *measured,
			  bool held)
{
	bool same = forecast->request.measured_cores == measured->request.measured_cores;

	return idle_s_of(measured) - (same && held ? idle_s_of(forecast) : 0);
}

/* --- The closed form -------------------------------------------------------------------------- */

static void split_closed_form(struct against *against, const struct forecast *forecast)
{
	double blocked_s = (double)forecast->levels->wall_ns[0] / 1e9;
	double factor = work_factor(against, &(struct against_share){.name = NULL});
	double others = others_share(forecast);
	struct against_split *split = &against->closed_form;

	*split = (struct against_split){NAN, NAN, 0};
	for (size_t i = 0; i < forecast->row_count; i++)
		if (forecast->rows[i].cores == against->cores)
			split->forecast_s = forecast->rows[i].closed_form_s;
	split->with_work_s = blocked_s + (split->forecast_s - blocked_s) * factor *
						 (isnan(others) ? 1 : fmax(1 - others, 0));
}

static void add_idle(struct against *against, const struct forecast *forecast,
		     const struct forecast *measured)
{
	against->replay.idle_s = find_idle_s(forecast, measured, forecast->replay.scale != 1);
	against->closed_form.idle_s = find_idle_s(forecast, measured, true);
}

/* --- The comparison -------------------------------------------------------------------------- */

int against_init(struct against *against, const struct forecast *forecast,
		 const struct forecast *measured, struct err *err)
{
	struct share_list list = {.items = NULL};
	int rc;

	*against = (struct against){.cores = measured->request.measured_cores,
				    .measured_s = (double)measured->levels->total_ns / 1e9,
				    .others_s = find_others_s(measured)};
	add_threads(&list, forecast, offsetof(struct against_share, forecast_s));
	add_threads(&list, measured, offsetof(struct against_share, measured_s));
	sum_threads(against, &list);
	split_closed_form(against, forecast);
	rc = split_replay(against, &list, forecast, measured, err);
	add_idle(against, forecast, measured);
	against->thread_count = share_list_finish(&against->threads, &list);
	return rc;
}

static void release_shares(struct against_share *shares, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(shares[i].name);
	free(shares);
}

void against_release(struct against *against)
{
	release_shares(against->threads, against->thread_count);
	release_shares(against->waits, against->wait_count);
	*against = (struct against){0};
}

const struct against_split *against_shown(const struct against *against)
{
	return isnan(against->replay.forecast_s) ? &against->closed_form : &against->replay;
}

double against_work_s(const struct against_split *split)
{
	return split->with_work_s - split->forecast_s;
}

double against_others_s(const struct against *against)
{
	return isnan(against->others_s) ? 0 : against->others_s;
}

double against_structure_s(const struct against *against, const struct against_split *split)
{
	return against->measured_s - against_others_s(against) - split->idle_s - split->with_work_s;
}
