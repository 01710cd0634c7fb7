/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/profile/report_profile.h"

#include "base/alloc.h"
#include "base/sorted.h"
#include "report/profile/report_profile_private.h"
#include "report/report.h"
#include "report/report_text.h"
#include "stats/profile/profile.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Threads and groups -------------------------------------------------------------------- */

enum { MEMBER_ROWS = 8 };

/* A thread, or a group of threads. */
struct member {
	struct thread_profile of;
	const char *comm, *name;
	size_t threads;
	uint64_t unknown_ns; /* CSV and JSON: including active and inactive time in an unknown
				state */
	uint64_t queue_ns, blocked_ns,
		unsure_ns; /* text: blocked_ns includes inactive time in an unknown state */
	double mean_active;
	size_t max_active;
	struct spin spin;
};

enum {
	OF_THREADS_ONLY = 1,
	OF_GROUPS = 2,
	OF_PROCESSES = 4,
	HAS_DISK = 8,
	HAS_STOPPED = 16,
	HAS_UNKNOWN = 32,
	HAS_SPIN = 64,
	ALL_KNOWN = 128,
	HAS_QUOTA = 256,
};

/* The columns of text are left out if all of their values are 0. */
static const struct column member_columns[] = {
	{"tid", "tid", FIELD(member, of.tid), .needs = OF_THREADS_ONLY},
	{"pid", "pid", FIELD(member, of.pid), .needs = OF_PROCESSES},
	{"comm", FIELD(member, comm)},
	{"name", "thread", UNIT_NONE, -1, FIELD(member, name), .needs = OF_THREADS_ONLY},
	{"name", "name", UNIT_NONE, -1, FIELD(member, name), .needs = OF_GROUPS},
	{"threads", "threads", FIELD(member, threads), .needs = OF_GROUPS},
	{"running_s", "CPU", UNIT_SPAN, NS(member, of.state_ns[STATE_RUNNING])},
	{"runnable_s", NS(member, of.state_ns[STATE_RUNNABLE])},
	{"throttled_s", NS(member, of.throttled_ns), .needs = HAS_QUOTA},
	{NULL, "run queue", UNIT_SPAN, NS(member, queue_ns)},
	{NULL, "throttled", UNIT_SPAN, NS(member, of.throttled_ns), .needs = HAS_QUOTA},
	{"sleeping_s", NS(member, of.state_ns[STATE_SLEEPING])},
	{NULL, "blocked", UNIT_SPAN, NS(member, blocked_ns)},
	{"disk_s", NS(member, of.state_ns[STATE_DISK])},
	{"stopped_s", NS(member, of.state_ns[STATE_STOPPED])},
	{"unknown_s", NS(member, unknown_ns)},
	{NULL, "disk", UNIT_SPAN, NS(member, of.state_ns[STATE_DISK]), .needs = HAS_DISK},
	{NULL, "stopped", UNIT_SPAN, NS(member, of.state_ns[STATE_STOPPED]), .needs = HAS_STOPPED},
	{NULL, "unknown", UNIT_SPAN, NS(member, unsure_ns), .needs = HAS_UNKNOWN},
	{"ready_mean", "ready", UNIT_SHORT, FIELD(member, mean_active), .needs = OF_GROUPS},
	{"ready_max", "at most", FIELD(member, max_active), .needs = OF_GROUPS},
	{"switches", FIELD(member, of.switches)},
	{"voluntary_switches", "voluntary", FIELD(member, of.voluntary), .optional = true},
	{"involuntary_switches", "involuntary", FIELD(member, of.involuntary), .optional = true},
	{"wakes", "wakeups", FIELD(member, of.wakes), .optional = true},
	{NULL, "busy-waiting", UNIT_SHARE, FIELD(member, spin.value), .needs = HAS_SPIN},
	{NULL, "+-", UNIT_SHARE, FIELD(member, spin.error), .needs = HAS_SPIN},
	{"spin_share", FIELD(member, spin.value), .needs = OF_THREADS_ONLY},
	{"spin_error_share", FIELD(member, spin.error), .needs = OF_THREADS_ONLY},
	{"samples", FIELD(member, spin.samples), .needs = OF_THREADS_ONLY},
	{"unknown_code_share", FIELD(member, spin.unknown), .needs = OF_THREADS_ONLY},
};

static uint64_t unknown_ns(const struct thread_profile *thread)
{
	return thread->state_ns[STATE_UNKNOWN] + thread->state_ns[STATE_ACTIVE];
}

static uint64_t blocked_ns(const struct thread_profile *thread)
{
	return thread->state_ns[STATE_INACTIVE] + thread->state_ns[STATE_SLEEPING] +
	       thread->state_ns[STATE_DISK] + thread->state_ns[STATE_STOPPED];
}

/* Returns the run-queue wait: the runnable time without throttled time. */
static uint64_t queue_ns(const struct thread_profile *thread)
{
	return thread->state_ns[STATE_RUNNABLE] - thread->throttled_ns;
}

static const struct thread_profile *member_of(const struct profile *profile, enum profile_by by,
					      size_t i)
{
	return by ? &profile->groups[i].sum : &profile->threads[i];
}

static uint64_t order_value(const struct thread_profile *thread, enum profile_order order)
{
	switch (order) {
	case PROFILE_BY_CPU:
		return thread->state_ns[STATE_RUNNING];
	case PROFILE_BY_WAIT:
		return queue_ns(thread);
	case PROFILE_BY_BLOCKED:
		return blocked_ns(thread);
	case PROFILE_BY_SWITCHES:
		return thread->switches;
	case PROFILE_BY_START:
	case PROFILE_BY_COMM:
		break;
	}
	return 0;
}

struct ranking {
	const struct profile *profile;
	enum profile_by by;
	enum profile_order order;
};

/*
 * Compares two members: the largest first, names in alphabetical order, equals by their first
 * event.
 */
static int compare_ranked(const void *a, const void *b, void *context)
{
	const struct ranking *ranking = context;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct thread_profile *one = member_of(ranking->profile, ranking->by, i);
	const struct thread_profile *other = member_of(ranking->profile, ranking->by, j);
	int rc = compare_values(order_value(other, ranking->order),
				order_value(one, ranking->order));

	if (ranking->order == PROFILE_BY_COMM)
		rc = strcmp(thread_name_text(&one->name), thread_name_text(&other->name));
	return rc ?: compare_values(i, j);
}

/* Returns the indices of the members, in order; the caller frees them. */
static uint32_t *rank_members(size_t *count, const struct profile_view *view, enum profile_by by)
{
	struct ranking ranking = {view->profile, by, view->order};
	uint32_t *ranked;

	*count = by ? view->profile->group_count : view->profile->thread_count;
	ranked = xcalloc(*count + 1, sizeof(*ranked));
	for (uint32_t i = 0; i < *count; i++)
		ranked[i] = i;
	qsort_r(ranked, *count, sizeof(*ranked), compare_ranked, &ranking);
	return ranked;
}

static unsigned member_flags(const struct profile *profile, enum profile_by by)
{
	unsigned has = by == PROFILE_BY_THREAD	  ? OF_THREADS_ONLY | OF_PROCESSES
		       : by == PROFILE_BY_PROCESS ? OF_GROUPS | OF_PROCESSES
						  : OF_GROUPS;

	for (size_t i = 0; i < profile->thread_count; i++) {
		const struct thread_profile *thread = &profile->threads[i];

		has |= thread->state_ns[STATE_DISK] ? HAS_DISK : 0;
		has |= thread->state_ns[STATE_STOPPED] ? HAS_STOPPED : 0;
		has |= unknown_ns(thread) ? HAS_UNKNOWN : 0;
	}
	has |= profile->quota.quota_ns ? HAS_QUOTA : 0;
	return has | (!by && profile->spin.all.samples ? HAS_SPIN : 0);
}

static struct member member_row(const struct profile *profile, enum profile_by by, size_t i)
{
	struct member row = {.of = *member_of(profile, by, i), .threads = 1};

	row.comm = thread_name_comm(&member_of(profile, by, i)->name);
	row.name = thread_name_text(&member_of(profile, by, i)->name);
	row.unsure_ns = unknown_ns(&row.of);
	row.unknown_ns = row.unsure_ns + row.of.state_ns[STATE_INACTIVE];
	row.queue_ns = queue_ns(&row.of);
	row.blocked_ns = row.of.state_ns[STATE_SLEEPING] + row.of.state_ns[STATE_INACTIVE];
	if (!by) {
		row.spin = spin_of(profile->spin.threads ? &profile->spin.threads[i]
							 : &profile->spin.all);
		return row;
	}
	row.threads = profile->groups[i].thread_count;
	row.mean_active = profile->groups[i].mean_active;
	row.max_active = profile->groups[i].levels.max_active;
	return row;
}

void report_members(struct report *report, const struct profile_view *view, enum profile_by by)
{
	const struct profile *profile = view->profile;
	const struct table table = {.key = by ? "groups" : "threads",
				    .in = REPORT_ALL,
				    .top = view->limit > MEMBER_ROWS ? view->limit : MEMBER_ROWS,
				    .has = member_flags(profile, by),
				    COLUMNS(member_columns)};
	size_t count;
	uint32_t *ranked = rank_members(&count, view, by);

	report_begin(report, &table);
	for (size_t i = 0; i < count && (i < view->limit || !view->limit); i++) {
		struct member row = member_row(profile, by, ranked[i]);

		report_row(report, &row);
	}
	report_end(report);
	free(ranked);
}

struct group_level {
	int32_t pid;
	const char *comm, *name;
	struct cell active;
	uint64_t wall_ns;
	double share;
};

static const struct column group_level_columns[] = {
	{"pid", "pid", FIELD(group_level, pid), .needs = OF_PROCESSES},
	{"comm", FIELD(group_level, comm)},
	{"name", "name", UNIT_NONE, -1, FIELD(group_level, name)},
	{"ready", "threads ready", FIELD(group_level, active)},
	{"wall_s", "wall time", UNIT_SPAN, NS(group_level, wall_ns)},
	{"share", "share", UNIT_SHARE, FIELD(group_level, share)},
	{NULL, "", UNIT_BAR, FIELD(group_level, share)},
};

static void put_group_level(struct report *report, const struct profile_group *group,
			    struct cell active, uint64_t wall_ns)
{
	double total_ns = (double)group->levels.total_ns;

	if (wall_ns)
		report_row(report, &(struct group_level){
					   group->sum.pid, thread_name_comm(&group->sum.name),
					   thread_name_text(&group->sum.name), active, wall_ns,
					   total_ns > 0 ? (double)wall_ns / total_ns : 0});
}

void report_group_levels(struct report *report, const struct profile *profile, enum profile_by by)
{
	const struct table table = {.key = "group_levels",
				    .detail = true,
				    .has = by == PROFILE_BY_PROCESS ? OF_PROCESSES : 0,
				    COLUMNS(group_level_columns)};

	report_begin(report, &table);
	for (size_t i = 0; i < profile->group_count; i++) {
		const struct profile_group *group = &profile->groups[i];

		for (size_t j = 0; j <= group->levels.max_active; j++)
			put_group_level(report, group, cell_count((int64_t)j),
					group->levels.wall_ns[j]);
		put_group_level(report, group, cell_text("unknown"), group->levels.unknown_ns);
	}
	report_end(report);
}

/* --- Overview ------------------------------------------------------------------------------ */

enum { OVERVIEW_ROWS = 5, OVERVIEW_BAR = 8 };

/* The longest levels, and beside them the first threads or groups; text only. */
struct overview {
	struct cell ready, time, share; /* null: none in this row */
	const char *bar, *name;
	struct cell cpu, wait, throttled, blocked, unknown;
};

static const struct column overview_columns[] = {
	{NULL, "ready", FIELD(overview, ready), .absent = ""},
	{NULL, "time", UNIT_SPAN, FIELD(overview, time), .absent = ""},
	{NULL, "share", UNIT_SHARE, FIELD(overview, share), .absent = ""},
	{NULL, "", UNIT_NONE, -1, FIELD(overview, bar), .absent = "", .needs = ALL_KNOWN},
	{NULL, "thread", UNIT_NONE, -1, FIELD(overview, name), .needs = OF_THREADS_ONLY},
	{NULL, "name", UNIT_NONE, -1, FIELD(overview, name), .needs = OF_GROUPS},
	{NULL, "CPU", UNIT_SPAN, FIELD(overview, cpu), .absent = ""},
	{NULL, "run queue", UNIT_SPAN, FIELD(overview, wait), .absent = "", .optional = true},
	{NULL, "throttled", UNIT_SPAN, FIELD(overview, throttled), .absent = "", .optional = true,
	 .needs = HAS_QUOTA},
	{NULL, "blocked", UNIT_SPAN, FIELD(overview, blocked), .absent = "", .optional = true},
	{NULL, "unknown", UNIT_SPAN, FIELD(overview, unknown), .absent = "", .optional = true,
	 .needs = HAS_UNKNOWN},
};

struct largest_level {
	size_t number; /* number of ready threads; unknown: max_active + 1 */
	uint64_t wall_ns;
	struct cell ready;
};

static int compare_level_times(const void *a, const void *b)
{
	const struct largest_level *one = a, *other = b;

	return compare_values(other->wall_ns, one->wall_ns);
}

static int compare_level_numbers(const void *a, const void *b)
{
	const struct largest_level *one = a, *other = b;

	return compare_values(one->number, other->number);
}

/*
 * Returns the levels: first those that last longest, by number. *count: the number of all levels.
 * The caller frees them.
 */
static struct largest_level *largest_levels(size_t *count, const struct level_times *times)
{
	struct largest_level *levels = xcalloc(times->max_active + 2, sizeof(*levels));
	size_t shown;

	*count = 0;
	for (size_t j = 0; j <= times->max_active; j++)
		if (times->wall_ns[j])
			levels[(*count)++] = (struct largest_level){j, times->wall_ns[j],
								    cell_count((int64_t)j)};
	if (times->unknown_ns)
		levels[(*count)++] = (struct largest_level){
			times->max_active + 1, times->unknown_ns, cell_text("unknown")};
	sort_items(levels, *count, compare_level_times);
	shown = *count < OVERVIEW_ROWS ? *count : OVERVIEW_ROWS;
	sort_items(levels, shown, compare_level_numbers);
	return levels;
}

static struct cell span_cell(uint64_t ns)
{
	return (struct cell){.kind = CELL_NUMBER, .number = (double)ns / 1e9};
}

/* Returns whether a thread is in unknown states for longer than the printed digits hide. */
static bool is_unknown_long(const struct thread_profile *thread)
{
	uint64_t sum_ns = 0;

	for (enum thread_state state = 0; state < STATE_COUNT; state++)
		sum_ns += thread->state_ns[state];
	return unknown_ns(thread) > sum_ns / 1000;
}

/*
 * Returns the time in a state. If long times of a thread are unknown, a time of 0 s is unknown,
 * too.
 */
static struct cell state_cell(const struct thread_profile *thread, uint64_t ns)
{
	return !ns && is_unknown_long(thread) ? cell_text("-") : span_cell(ns);
}

static void overview_thread(struct overview *row, const struct thread_profile *thread)
{
	row->cpu = state_cell(thread, thread->state_ns[STATE_RUNNING]);
	row->wait = state_cell(thread, queue_ns(thread));
	row->throttled = span_cell(thread->throttled_ns);
	row->blocked = state_cell(thread, blocked_ns(thread));
	row->unknown = span_cell(unknown_ns(thread));
}

static char *member_name(const struct profile *profile, enum profile_by by, size_t i)
{
	const struct thread_profile *of = member_of(profile, by, i);
	const struct profile_group *group = by ? &profile->groups[i] : NULL;

	if (!by)
		return xasprintf("%s/%d", thread_name_text(&of->name), (int)of->tid);
	if (by == PROFILE_BY_PROCESS)
		return xasprintf("%s/%d (%zu thread%s)", thread_name_text(&of->name), (int)of->pid,
				 group->thread_count, plural(group->thread_count, "", "s"));
	return xasprintf("%s (%zu thread%s)", thread_name_text(&of->name), group->thread_count,
			 plural(group->thread_count, "", "s"));
}

static void overview_level(struct overview *row, const struct largest_level *level,
			   uint64_t total_ns)
{
	static const char bars[] = "########";
	double share = (double)level->wall_ns / (double)total_ns;

	row->ready = level->ready;
	row->time = span_cell(level->wall_ns);
	row->share = (struct cell){.kind = CELL_NUMBER, .number = share};
	row->bar = bars + OVERVIEW_BAR - lround(OVERVIEW_BAR * share);
}

static void put_more(struct report *report, size_t levels, size_t members)
{
	char *more_levels = xasprintf("... %zu more", levels);
	char *more = xasprintf("... %zu more; --all", members);
	struct overview row = {.name = members ? more : ""};

	if (levels)
		row.share = cell_text(more_levels);
	if (levels || members)
		report_row(report, &row);
	free(more_levels);
	free(more);
}

static void put_overview_rows(struct report *report, const struct profile_view *view,
			      const struct largest_level *levels, size_t level_count,
			      const uint32_t *ranked, size_t count)
{
	const struct profile *profile = view->profile;
	size_t level_rows = level_count < OVERVIEW_ROWS ? level_count : OVERVIEW_ROWS;
	size_t most = view->limit ? view->limit : OVERVIEW_ROWS;
	size_t rows = count < most ? count : most;

	for (size_t i = 0; i < level_rows || i < rows; i++) {
		struct overview row = {.name = ""};
		char *name = NULL;

		if (i < level_rows)
			overview_level(&row, &levels[i], profile->levels.total_ns);
		if (i < rows) {
			row.name = name = member_name(profile, view->by, ranked[i]);
			overview_thread(&row, member_of(profile, view->by, ranked[i]));
		}
		report_row(report, &row);
		free(name);
	}
	put_more(report, level_count - level_rows, count - rows);
}

void report_overview(struct report *report, const struct profile_view *view)
{
	size_t level_count, count;
	struct largest_level *levels = largest_levels(&level_count, &view->profile->levels);
	uint32_t *ranked = rank_members(&count, view, view->by);
	struct table table = {.in = REPORT_TEXT,
			      .has = (view->by ? OF_GROUPS : OF_THREADS_ONLY) |
				     (view->profile->quota.quota_ns ? HAS_QUOTA : 0),
			      COLUMNS(overview_columns)};

	for (size_t i = 0; i < count; i++)
		table.has |=
			is_unknown_long(member_of(view->profile, view->by, i)) ? HAS_UNKNOWN : 0;
	table.has |= table.has & HAS_UNKNOWN ? 0 : ALL_KNOWN;
	report_begin(report, &table);
	put_overview_rows(report, view, levels, level_count, ranked, count);
	report_end(report);
	free(levels);
	free(ranked);
}
