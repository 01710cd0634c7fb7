/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/profile/report_profile.h"

#include "base/alloc.h"
#include "base/sorted.h"
#include "report/report.h"
#include "report/report_text.h"
#include "stats/profile/cpu_time.h"
#include "stats/profile/profile.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Facts --------------------------------------------------------------------------------- */

/* Shares of samples; NaN where there are none. */
struct spin {
	double value, error, unknown;
	uint64_t samples;
};

static struct spin spin_of(const struct spin_share *share)
{
	return (struct spin){spin_share_estimate(share).value, spin_share_estimate(share).error,
			     spin_share_estimate(share).unknown, share->samples};
}

struct facts {
	struct values targets;
	const char *name;
	unsigned cores;
	struct level_times levels;
	double mean_active;
	struct cpu_usage usage;
	struct spin spin;
	char *used, *ready, *few, *waits, *switches, *unknown, *spinning; /* of text */
};

static const struct column fact_columns[] = {
	{"targets", FIELD(facts, targets)},
	{"comm", FIELD(facts, name)},
	{"cores", FIELD(facts, cores)},
	{"wall_s", NS(facts, levels.total_ns)},
	{"unknown_s", NS(facts, levels.unknown_ns)},
	{"cpu_s", NS(facts, usage.cpu_ns)},
	{"cpu_unsure_s", NS(facts, usage.unsure_ns)},
	{"cpus_used", FIELD(facts, usage.cpus)},
	{"others_share", FIELD(facts, usage.others_share)},
	{"ready_mean", FIELD(facts, mean_active)},
	{"ready_max", FIELD(facts, levels.max_active)},
	{"one_or_none_s", NS(facts, usage.few_ns)},
	{"one_or_none_share", FIELD(facts, usage.few_share)},
	{"run_queue_waits", FIELD(facts, usage.wait_count)},
	{"run_queue_s", NS(facts, usage.wait_ns)},
	{"run_queue_p50_s", NS(facts, usage.wait_p50_ns)},
	{"run_queue_p99_s", NS(facts, usage.wait_p99_ns)},
	{"run_queue_max_s", NS(facts, usage.wait_longest_ns)},
	{"voluntary_switches", FIELD(facts, usage.voluntary)},
	{"involuntary_switches", FIELD(facts, usage.involuntary)},
	{"other_switches", FIELD(facts, usage.other_switches)},
	{"spin_share", FIELD(facts, spin.value)},
	{"spin_error_share", FIELD(facts, spin.error)},
	{"samples", FIELD(facts, spin.samples)},
	{"unknown_code_share", FIELD(facts, spin.unknown)},
	{NULL, "CPUs used", FIELD(facts, used)},
	{NULL, "threads ready", FIELD(facts, ready)},
	{NULL, "one or none ready", FIELD(facts, few)},
	{NULL, "run-queue wait", FIELD(facts, waits)},
	{NULL, "context switches", FIELD(facts, switches)},
	{NULL, "busy-waiting", FIELD(facts, spinning)},
	{NULL, "unknown", FIELD(facts, unknown)},
};
static const struct table fact_table = {.layout = LAYOUT_FACTS, COLUMNS(fact_columns)};

#define SPAN(seconds) format_value((char[VALUE_SIZE]){""}, seconds, UNIT_SPAN)
#define SHARE(share)  format_share((char[VALUE_SIZE]){""}, share)

static const char *format_share(char out[VALUE_SIZE], double share)
{
	snprintf(out, VALUE_SIZE, "%.3g %%", 100 * share);
	return out;
}

static double in_s(uint64_t ns)
{
	return (double)ns / 1e9;
}

/* It may have run longer, by more than a hundredth. */
static bool is_unsure(const struct cpu_usage *usage)
{
	return usage->unsure_ns > usage->cpu_ns / 100;
}

static char *used_text(const struct facts *facts)
{
	const struct cpu_usage *usage = &facts->usage;
	const char *least = is_unsure(usage) ? "at least " : "";

	if (facts->cores == UINT_MAX)
		return xasprintf("%s%.3g", least, usage->cpus);
	return xasprintf("%s%.3g of %u (%.3g %%)", least, usage->cpus, facts->cores,
			 100 * usage->cpus / facts->cores);
}

static void facts_describe(struct facts *facts, const struct profile *profile)
{
	const struct cpu_usage *usage = &facts->usage;
	const struct level_times *levels = &facts->levels;
	bool is_known = !isnan(facts->mean_active);

	facts->used = used_text(facts);
	if (is_known)
		facts->ready = xasprintf("%.3g on average, %zu at most", facts->mean_active,
					 levels->max_active);
	if (is_known)
		facts->few =
			xasprintf("%s (%s)", SPAN(in_s(usage->few_ns)), SHARE(usage->few_share));
	if (usage->wait_count)
		facts->waits = xasprintf("%s%s in all; p50 %s, p99 %s, longest %s",
					 profile->quality.no_wakes ? "at least " : "",
					 SPAN(in_s(usage->wait_ns)), SPAN(usage->wait_p50_ns / 1e9),
					 SPAN(usage->wait_p99_ns / 1e9),
					 SPAN(in_s(usage->wait_longest_ns)));
	if (usage->voluntary || usage->involuntary)
		facts->switches = xasprintf("%" PRIu64 " voluntary, %" PRIu64 " involuntary",
					    usage->voluntary, usage->involuntary);
	if (levels->unknown_ns > levels->total_ns / 1000)
		facts->unknown =
			xasprintf("%s (%s) of the wall time", SPAN(in_s(levels->unknown_ns)),
				  SHARE((double)levels->unknown_ns / (double)levels->total_ns));
	if (facts->spin.samples)
		facts->spinning = xasprintf("%s (+- %s) of the CPU time", SHARE(facts->spin.value),
					    SHARE(facts->spin.error));
}

static void facts_release(struct facts *facts)
{
	free(facts->used);
	free(facts->ready);
	free(facts->few);
	free(facts->waits);
	free(facts->switches);
	free(facts->unknown);
	free(facts->spinning);
}

/* --- Verdict ------------------------------------------------------------------------------- */

static char *answer_text(const struct facts *facts)
{
	const struct cpu_usage *usage = &facts->usage;
	char *ready = xasprintf("%.3g threads were ready on average", facts->mean_active);
	char *text = NULL;

	switch (usage->verdict) {
	case CPU_UNKNOWN:
		text = xstrdup("For too much of the run it is not known how many threads were "
			       "ready, or ran.");
		break;
	case CPU_IDLE:
		text = xasprintf(
			"It was mostly idle: no thread was ready for %s of the time.",
			SHARE((double)facts->levels.wall_ns[0] /
			      (double)(facts->levels.total_ns - facts->levels.unknown_ns)));
		break;
	case CPU_SERIAL:
		text = xasprintf("It is mostly serial: for %s of the time one thread or none was "
				 "ready, which more CPUs do not shorten.",
				 SHARE(usage->few_share));
		break;
	case CPU_OTHERS:
		text = xasprintf("It could have used more CPU: %s, and it got %.3g CPUs.", ready,
				 usage->cpus);
		break;
	case CPU_TOO_FEW:
		text = xasprintf("It used all its CPUs and had work for more: %s.", ready);
		break;
	case CPU_FULL:
		text = xasprintf("It used its CPUs fully: %s.", ready);
		break;
	case CPU_SATISFIED:
		text = xasprintf("It got the CPUs that it was ready to use: %s.", ready);
		break;
	}
	free(ready);
	return text;
}

static void put_verdict(struct report *report, const struct facts *facts,
			const struct profile *profile)
{
	const struct cpu_usage *usage = &facts->usage;
	char *answer = answer_text(facts), *cores = NULL;

	if (facts->cores != UINT_MAX)
		cores = xasprintf(" on %u CPU%s", facts->cores, plural(facts->cores, "", "s"));
	report_verdict(report, "%s: %s of wall time, %s%s of CPU time, %zu thread%s%s. %s",
		       *facts->name ? facts->name : "target", SPAN(in_s(facts->levels.total_ns)),
		       is_unsure(usage) ? "at least " : "", SPAN(in_s(usage->cpu_ns)),
		       profile->thread_count, plural(profile->thread_count, "", "s"),
		       cores ? cores : "", answer);
	free(cores);
	free(answer);
}

/* From here on a result has another meaning. */
static const double UNKNOWN_MUCH = .05, OTHERS_MUCH = .05, SPIN_MUCH = .1;

/* One thread of which nothing is known makes all of the time unknown: then say which. */
static void alert_unknown(struct report *report, const struct profile *profile)
{
	const struct thread_profile *worst = profile->threads;
	double share = (double)profile->levels.unknown_ns / (double)profile->levels.total_ns;

	if (!(share > UNKNOWN_MUCH))
		return;
	for (size_t i = 0; i < profile->thread_count; i++)
		if (profile->threads[i].state_ns[STATE_UNKNOWN] > worst->state_ns[STATE_UNKNOWN])
			worst = &profile->threads[i];
	report_alert(report,
		     "The state of some thread is unknown for %s of the wall time (longest: %s/%d, "
		     "%s). Options --pid, --tid and --comm leave threads out.",
		     SHARE(share), thread_name_text(&worst->name), (int)worst->tid,
		     SPAN(in_s(worst->state_ns[STATE_UNKNOWN])));
}

static void put_alerts(struct report *report, const struct profile_view *view,
		       const struct facts *facts)
{
	const struct cpu_usage *usage = &facts->usage;

	report_alert_if(report, usage->others_share > OTHERS_MUCH,
			"Other programs had %s of the CPU time that its ready threads could have "
			"used.%s",
			SHARE(usage->others_share),
			usage->verdict == CPU_OTHERS
				? " Measure on an idle machine, or see 'pscal forecast'."
				: "");
	report_alert_if(report, view->recorded_cores && view->recorded_cores != facts->cores,
			"The program could use %u CPU%s in the recording, not %u.",
			view->recorded_cores, plural(view->recorded_cores, "", "s"), facts->cores);
	/* Where waiting looks like work, more cores would only let more threads wait so. */
	report_alert_if(report, facts->spin.value > SPIN_MUCH,
			"%s of the CPU time is busy-waiting: those threads seem to work, and wait.",
			SHARE(facts->spin.value));
	alert_unknown(report, view->profile);
	report_quality_alerts(report, &view->profile->quality);
}

/* --- Levels and intervals ------------------------------------------------------------------ */

struct level {
	uint64_t begin_ns, wall_ns;
	struct cell active;
	double share;
};

enum { OF_INTERVALS = 1 };

static const struct column level_columns[] = {
	{"begin_s", NS(level, begin_ns), .needs = OF_INTERVALS},
	{"ready", "threads ready", FIELD(level, active)},
	{"wall_s", "wall time", UNIT_SPAN, NS(level, wall_ns)},
	{"share", "share", UNIT_SHARE, FIELD(level, share)},
	{NULL, "", UNIT_BAR, FIELD(level, share)},
};
static const struct table level_table = {.key = "levels", .in = REPORT_ALL, COLUMNS(level_columns)};
static const struct table interval_level_table = {.key = "interval_levels",
						  .in = REPORT_CSV | REPORT_JSON,
						  .has = OF_INTERVALS,
						  COLUMNS(level_columns)};

static void put_level(struct report *report, const struct level_times *times, struct cell active,
		      uint64_t wall_ns)
{
	double total_ns = (double)times->total_ns;

	report_row(report, &(struct level){times->begin_ns, wall_ns, active,
					   total_ns > 0 ? (double)wall_ns / total_ns : 0});
}

static void put_levels(struct report *report, const struct level_times *times, bool has_unknown)
{
	for (size_t j = 0; j <= times->max_active; j++)
		put_level(report, times, cell_count((int64_t)j), times->wall_ns[j]);
	if (times->unknown_ns && has_unknown)
		put_level(report, times, cell_text("unknown"), times->unknown_ns);
}

struct interval {
	struct level_times times;
	double mean, bar;
};

static const struct column interval_columns[] = {
	{"begin_s", "from", UNIT_SECONDS, NS(interval, times.begin_ns)},
	{"wall_s", "wall time", UNIT_SECONDS, NS(interval, times.total_ns)},
	{"unknown_s", "unknown", UNIT_SECONDS, NS(interval, times.unknown_ns)},
	{"ready_mean", "threads ready", UNIT_SHORT, FIELD(interval, mean)},
	{"ready_max", "at most", FIELD(interval, times.max_active)},
	{NULL, "of the maximum over all", UNIT_BAR, FIELD(interval, bar)},
};
static const struct table interval_table = {.key = "intervals", COLUMNS(interval_columns)};

static void put_intervals(struct report *report, const struct profile *profile)
{
	report_begin(report, &interval_table);
	for (size_t i = 0; i < profile->interval_count; i++) {
		const struct level_times *times = &profile->intervals[i];
		double mean = level_times_mean(times);

		report_row(report, &(struct interval){*times, mean,
						      mean / (double)profile->levels.max_active});
	}
	report_end(report);
	report_begin(report, &interval_level_table);
	for (size_t i = 0; i < profile->interval_count; i++)
		put_levels(report, &profile->intervals[i], true);
	report_end(report);
}

/* --- Threads and groups -------------------------------------------------------------------- */

enum { MEMBER_ROWS = 8 };

/* A thread, or a group of threads. */
struct member {
	struct thread_profile of;
	const char *comm, *name;
	size_t threads;
	uint64_t unknown_ns; /* also active or inactive, but not known how: CSV and JSON */
	uint64_t blocked_ns, unsure_ns; /* text: inactive is blocked, in one state or another */
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
};

/* Where all of a column is 0, text leaves it out. */
static const struct column member_columns[] = {
	{"tid", "tid", FIELD(member, of.tid), .needs = OF_THREADS_ONLY},
	{"pid", "pid", FIELD(member, of.pid), .needs = OF_PROCESSES},
	{"comm", FIELD(member, comm)},
	{"name", "thread", UNIT_NONE, -1, FIELD(member, name), .needs = OF_THREADS_ONLY},
	{"name", "name", UNIT_NONE, -1, FIELD(member, name), .needs = OF_GROUPS},
	{"threads", "threads", FIELD(member, threads), .needs = OF_GROUPS},
	{"running_s", "CPU", UNIT_SPAN, NS(member, of.state_ns[STATE_RUNNING])},
	{"runnable_s", "run queue", UNIT_SPAN, NS(member, of.state_ns[STATE_RUNNABLE])},
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
		return thread->state_ns[STATE_RUNNABLE];
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

struct ranked {
	const struct thread_profile *thread;
	enum profile_order order;
	size_t number;
};

/* Largest first, names from A on; equals in the order in which they appeared. */
static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *one = a, *other = b;
	int rc = compare_values(order_value(other->thread, one->order),
				order_value(one->thread, one->order));

	if (one->order == PROFILE_BY_COMM)
		rc = strcmp(thread_name_text(&one->thread->name),
			    thread_name_text(&other->thread->name));
	return rc ?: compare_values(one->number, other->number);
}

static struct ranked *rank_members(size_t *count, const struct profile_view *view,
				   enum profile_by by)
{
	const struct profile *profile = view->profile;
	struct ranked *ranked;

	*count = by ? profile->group_count : profile->thread_count;
	ranked = xcalloc(*count, sizeof(*ranked));
	for (size_t i = 0; i < *count; i++)
		ranked[i] = (struct ranked){member_of(profile, by, i), view->order, i};
	sort_items(ranked, *count, compare_ranked);
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
	return has | (!by && profile->spin.all.samples ? HAS_SPIN : 0);
}

static struct member member_row(const struct profile *profile, enum profile_by by, size_t i)
{
	struct member row = {.of = *member_of(profile, by, i), .threads = 1};

	row.comm = thread_name_comm(&member_of(profile, by, i)->name);
	row.name = thread_name_text(&member_of(profile, by, i)->name);
	row.unsure_ns = unknown_ns(&row.of);
	row.unknown_ns = row.unsure_ns + row.of.state_ns[STATE_INACTIVE];
	row.blocked_ns = row.of.state_ns[STATE_SLEEPING] + row.of.state_ns[STATE_INACTIVE];
	if (!by) {
		row.spin = spin_of(&profile->spin.threads[i]);
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
	struct ranked *ranked = rank_members(&count, view, by);

	report_begin(report, &table);
	for (size_t i = 0; i < count && (i < view->limit || !view->limit); i++) {
		struct member row = member_row(profile, by, ranked[i].number);

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

static void put_group_levels(struct report *report, const struct profile *profile,
			     enum profile_by by)
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

/* The largest levels, and beside them the first threads or groups; text only. */
struct overview {
	struct cell ready, time, share; /* null: none in this row */
	const char *bar, *name;
	struct cell cpu, wait, blocked, unknown;
};

static const struct column overview_columns[] = {
	{NULL, "ready", FIELD(overview, ready), .absent = ""},
	{NULL, "time", UNIT_SPAN, FIELD(overview, time), .absent = ""},
	{NULL, "share", UNIT_SHARE, FIELD(overview, share), .absent = ""},
	{NULL, "", UNIT_NONE, -1, FIELD(overview, bar), .absent = "", .needs = ALL_KNOWN},
	{NULL, "thread", UNIT_NONE, -1, FIELD(overview, name), .needs = OF_THREADS_ONLY},
	{NULL, "name", UNIT_NONE, -1, FIELD(overview, name), .needs = OF_GROUPS},
	{NULL, "CPU", UNIT_SPAN, FIELD(overview, cpu), .absent = ""},
	{NULL, "run queue", UNIT_SPAN, FIELD(overview, wait), .absent = ""},
	{NULL, "blocked", UNIT_SPAN, FIELD(overview, blocked), .absent = "", .optional = true},
	{NULL, "unknown", UNIT_SPAN, FIELD(overview, unknown), .absent = "", .optional = true,
	 .needs = HAS_UNKNOWN},
};

static int compare_level_times(const void *a, const void *b)
{
	const struct level *one = a, *other = b;

	return compare_values(other->wall_ns, one->wall_ns);
}

static int compare_level_numbers(const void *a, const void *b)
{
	const struct level *one = a, *other = b;

	return compare_values(one->begin_ns, other->begin_ns);
}

/* Those that last longest, by number; *count is then that of all. To be freed. */
static struct level *largest_levels(size_t *count, const struct level_times *times)
{
	struct level *levels = xcalloc(times->max_active + 2, sizeof(*levels));
	size_t shown;

	*count = 0;
	for (size_t j = 0; j <= times->max_active; j++)
		if (times->wall_ns[j])
			levels[(*count)++] =
				(struct level){j, times->wall_ns[j], cell_count((int64_t)j), 0};
	if (times->unknown_ns)
		levels[(*count)++] = (struct level){times->max_active + 1, times->unknown_ns,
						    cell_text("unknown"), 0};
	sort_items(levels, *count, compare_level_times);
	shown = *count < OVERVIEW_ROWS ? *count : OVERVIEW_ROWS;
	sort_items(levels, shown, compare_level_numbers);
	return levels;
}

static struct cell span_cell(uint64_t ns)
{
	return (struct cell){.kind = CELL_NUMBER, .number = in_s(ns)};
}

/* By more than the digits that are printed. */
static bool is_unknown_long(const struct thread_profile *thread)
{
	uint64_t sum_ns = 0;

	for (enum thread_state state = 0; state < STATE_COUNT; state++)
		sum_ns += thread->state_ns[state];
	return unknown_ns(thread) > sum_ns / 1000;
}

/* Where the state of a thread is not known for long, it was maybe not for 0 s in any. */
static struct cell state_cell(const struct thread_profile *thread, uint64_t ns)
{
	return !ns && is_unknown_long(thread) ? cell_text("-") : span_cell(ns);
}

static void overview_thread(struct overview *row, const struct thread_profile *thread)
{
	row->cpu = state_cell(thread, thread->state_ns[STATE_RUNNING]);
	row->wait = state_cell(thread, thread->state_ns[STATE_RUNNABLE]);
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

static void overview_level(struct overview *row, const struct level *level, uint64_t total_ns)
{
	static const char bars[] = "########";
	double share = (double)level->wall_ns / (double)total_ns;

	row->ready = level->active;
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
			      const struct level *levels, size_t level_count,
			      const struct ranked *ranked, size_t count)
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
			row.name = name = member_name(profile, view->by, ranked[i].number);
			overview_thread(&row, ranked[i].thread);
		}
		report_row(report, &row);
		free(name);
	}
	put_more(report, level_count - level_rows, count - rows);
}

static void put_overview(struct report *report, const struct profile_view *view)
{
	size_t level_count, count;
	struct level *levels = largest_levels(&level_count, &view->profile->levels);
	struct ranked *ranked = rank_members(&count, view, view->by);
	struct table table = {.in = REPORT_TEXT,
			      .has = view->by ? OF_GROUPS : OF_THREADS_ONLY,
			      COLUMNS(overview_columns)};
	bool has_unknown = false;

	for (size_t i = 0; i < count; i++)
		has_unknown |= is_unknown_long(ranked[i].thread);
	table.has |= has_unknown ? HAS_UNKNOWN : ALL_KNOWN;
	report_begin(report, &table);
	put_overview_rows(report, view, levels, level_count, ranked, count);
	report_end(report);
	free(levels);
	free(ranked);
}

/* --- All of it ----------------------------------------------------------------------------- */

static void put_tables(struct report *report, const struct profile_view *view)
{
	const struct profile *profile = view->profile;
	bool is_csv = report_shows(report, REPORT_CSV);

	if (is_csv && view->has_by) {
		report_members(report, view, view->by);
		return;
	}
	if (!profile->interval_ns || !is_csv) {
		report_begin(report, &level_table);
		/* In JSON unknown time is the member unknown_s. */
		put_levels(report, &profile->levels, !report_shows(report, REPORT_JSON));
		report_end(report);
	}
	if (profile->interval_ns)
		put_intervals(report, profile);
	if (is_csv)
		return;
	if (view->by)
		report_members(report, view, view->by);
	if (!view->by || report_shows(report, REPORT_JSON))
		report_members(report, view, PROFILE_BY_THREAD);
	if (view->by)
		put_group_levels(report, profile, view->by);
	if (profile->counters.row_count)
		report_counters(report, profile);
}

static void put_details(struct report *report, const struct facts *facts)
{
	report_detail_if(report, facts->spin.samples,
			 "Busy-waiting is known of %" PRIu64 " samples of running threads; of %s "
			 "of them the code is unknown.",
			 facts->spin.samples, SHARE(facts->spin.unknown));
	report_detail(report,
		      "A thread is ready while it runs or waits for a CPU. The wall time with a "
		      "number of ready threads is unknown while the state of any thread is. What "
		      "other programs had also contains CPU time that a limit (cgroup) withheld.");
}

static const struct thread_profile *main_thread(const struct profile_view *view)
{
	const struct profile *profile = view->profile;
	const struct thread_profile *busiest = profile->threads;

	for (size_t i = 0; i < profile->thread_count; i++) {
		const struct thread_profile *thread = &profile->threads[i];

		if (view->target_count && thread->tid == view->targets[0])
			return thread;
		if (thread->state_ns[STATE_RUNNING] > busiest->state_ns[STATE_RUNNING])
			busiest = thread;
	}
	return busiest;
}

static void put_next(struct report *report, const struct profile_view *view,
		     enum cpu_verdict verdict)
{
	static const char *const steps[] = {
		[CPU_UNKNOWN] = "timeline --audit",
		[CPU_IDLE] = "timeline",
		[CPU_SERIAL] = "forecast --why",
		[CPU_OTHERS] = "forecast",
		[CPU_TOO_FEW] = "forecast",
		[CPU_SATISFIED] = "forecast --why",
		[CPU_FULL] = "forecast",
	};
	if (view->again)
		report_next_step(report, "pscal %s%s", steps[verdict], view->again);
}

static void put_rest(struct report *report, const struct profile_view *view,
		     const struct facts *facts)
{
	if (report_shows(report, REPORT_TEXT) && !view->all && !view->profile->interval_ns)
		put_overview(report, view);
	else
		put_tables(report, view);
	put_details(report, facts);
	report_quality_details(report, &view->profile->quality);
	report_overhead(report, view->overhead);
	put_next(report, view, facts->usage.verdict);
}

void report_profile(struct report *report, const struct profile_view *view)
{
	static const int32_t none;
	const struct profile *profile = view->profile;
	struct facts facts = {
		.targets = {.counts = view->targets ? view->targets : &none,
			    .count = view->target_count},
		.name = thread_name_text(&main_thread(view)->name),
		.cores = profile->cores ? profile->cores : UINT_MAX,
		.levels = profile->levels,
		.mean_active = profile->mean_active,
		.spin = spin_of(&profile->spin.all),
	};

	cpu_usage_init(&facts.usage, profile);
	if (view->recorded_cores && facts.cores > view->recorded_cores)
		facts.usage.others_share = NAN; /* no program had CPUs that were not there */
	facts_describe(&facts, profile);
	put_verdict(report, &facts, profile);
	put_alerts(report, view, &facts);
	report_table(report, &fact_table, &facts, 1);
	if (!view->summary)
		put_rest(report, view, &facts);
	facts_release(&facts);
}
