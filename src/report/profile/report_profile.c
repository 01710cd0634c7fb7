/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/profile/report_profile.h"

#include "base/alloc.h"
#include "base/printable.h"
#include "base/sorted.h"
#include "report/profile/report_profile_private.h"
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

/* NAN: unknown, as all are without a quota. */
struct throttling_facts {
	double quota_cpus, period_s, periods, throttled, group_s, wall_s, wait_s, share;
	bool is_least; /* more periods were throttled than were seen */
};

struct facts {
	struct values targets;
	const char *name, *comm; /* comm NULL: several programs */
	const char *busiest;	 /* of several programs the one with the most CPU time; else NULL */
	unsigned cores;
	struct level_times levels;
	double mean_active;
	struct cpu_usage usage;
	struct throttling_facts throttling;
	struct spin spin;
	struct counter_rates counted;
	char *used, *ready, *few, *waits, *switches, *unknown, *spinning, *rates,
		*throttled; /* for text */
};

enum { OF_ALL = 1 }; /* all facts; a summary has some of them in its verdict */

static const struct column fact_columns[] = {
	{"targets", FIELD(facts, targets)},
	{"comm", FIELD(facts, comm)},
	{"cores", FIELD(facts, cores)},
	{"wall_s", NS(facts, levels.total_ns)},
	{"unknown_s", NS(facts, levels.unknown_ns)},
	{"cpu_s", NS(facts, usage.cpu_ns)},
	{"cpu_unsure_s", NS(facts, usage.unsure_ns)},
	{"cpus_used", FIELD(facts, usage.cpus)},
	{"others_share", FIELD(facts, usage.others_share)},
	{"quota_cpus", FIELD(facts, throttling.quota_cpus)},
	{"quota_period_s", FIELD(facts, throttling.period_s)},
	{"quota_periods", FIELD(facts, throttling.periods)},
	{"throttled_periods", FIELD(facts, throttling.throttled)},
	{"throttled_s", FIELD(facts, throttling.wall_s)},
	{"throttled_share", FIELD(facts, throttling.share)},
	{"throttled_wait_s", FIELD(facts, throttling.wait_s)},
	{"group_throttled_s", FIELD(facts, throttling.group_s)},
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
	{"instructions_per_cycle", FIELD(facts, counted.per_cycle)},
	{"cache_misses_per_1000", FIELD(facts, counted.misses_per_1000)},
	{NULL, "CPUs used", FIELD(facts, used), .needs = OF_ALL},
	{NULL, "threads ready", FIELD(facts, ready), .needs = OF_ALL},
	{NULL, "one or none ready", FIELD(facts, few), .needs = OF_ALL},
	{NULL, "run-queue wait", FIELD(facts, waits), .needs = OF_ALL},
	{NULL, "throttled", FIELD(facts, throttled), .needs = OF_ALL},
	{NULL, "context switches", FIELD(facts, switches), .needs = OF_ALL},
	{NULL, "busy-waiting", FIELD(facts, spinning)},
	{NULL, "instructions", FIELD(facts, rates)},
	{NULL, "unknown", FIELD(facts, unknown)},
};

static void put_facts(struct report *report, const struct facts *facts, bool in_short)
{
	const struct table table = {
		.layout = LAYOUT_FACTS,
		.has = in_short && !report_says(report, SENTENCE_DETAIL) ? 0 : OF_ALL,
		COLUMNS(fact_columns)};

	if (table.has || facts->spinning || facts->rates || facts->unknown ||
	    !report_shows(report, REPORT_TEXT))
		report_table(report, &table, facts, 1);
}

/* Adds the run-queue wait, one line of a summary. */
static void remark_waits(struct report *report, const struct facts *facts)
{
	report_remark_if(report, facts->waits && !report_says(report, SENTENCE_DETAIL),
			 "Run-queue wait: %s.", facts->waits);
}

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

/* Returns whether the target may have run longer by more than a hundredth. */
static bool is_unsure(const struct cpu_usage *usage)
{
	return usage->unsure_ns > usage->cpu_ns / 100;
}

/* Returns the CPUs used; NULL: no time has passed. */
static char *used_text(const struct facts *facts)
{
	const struct cpu_usage *usage = &facts->usage;
	const char *least = is_unsure(usage) ? "at least " : "";

	if (isnan(usage->cpus))
		return NULL;
	if (facts->cores == UINT_MAX)
		return xasprintf("%s%.3g", least, usage->cpus);
	return xasprintf("%s%.3g of %u (%.3g %%)", least, usage->cpus, facts->cores,
			 100 * usage->cpus / facts->cores);
}

/* Returns the rates of counters; NULL: not counted. */
static char *rates_text(const struct counter_rates *rates)
{
	char *per_cycle =
		isnan(rates->per_cycle) ? NULL : xasprintf("%.2f per cycle", rates->per_cycle);
	char *text = per_cycle;

	if (!isnan(rates->misses_per_1000)) {
		text = xasprintf("%s%s%.3g cache misses per 1000", per_cycle ? per_cycle : "",
				 per_cycle ? "; " : "", rates->misses_per_1000);
		free(per_cycle);
	}
	return text;
}

/*
 * Fills in the facts of throttling. If the group was throttled and no thread was seen to be, the
 * time is unknown.
 */
static void find_throttling(struct throttling_facts *facts, const struct profile *profile)
{
	const double seen_least = .9; /* share of the periods */
	const struct target_quota *quota = &profile->quota;
	const struct throttled_time *seen = &profile->throttled;
	bool is_known = seen->spans || (quota->periods && !quota->throttled);

	*facts = (struct throttling_facts){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, false};
	if (!quota->quota_ns || !quota->period_ns)
		return;
	facts->quota_cpus = (double)quota->quota_ns / (double)quota->period_ns;
	facts->period_s = in_s(quota->period_ns);
	if (quota->periods) {
		facts->periods = (double)quota->periods;
		facts->throttled = (double)quota->throttled;
		facts->group_s = in_s(quota->throttled_ns);
	}
	if (!is_known || !profile->levels.total_ns)
		return;
	facts->wall_s = in_s(seen->wall_ns);
	facts->wait_s = in_s(seen->wait_ns);
	facts->share = (double)seen->wall_ns / (double)profile->levels.total_ns;
	facts->is_least = (double)seen->spans < seen_least * (double)quota->throttled;
}

/* Returns the throttled time, which the caller frees; NULL: no quota, or none that took effect. */
static char *throttled_text(const struct throttling_facts *facts)
{
	char *periods = isnan(facts->periods)
				? xstrdup("")
				: xasprintf("; in %.0f of %.0f periods of %s", facts->throttled,
					    facts->periods, SPAN(facts->period_s));
	char *text = NULL;

	if (facts->wall_s > 0)
		text = xasprintf("%s%s (%s) of the wall time, threads wait %s in all%s",
				 facts->is_least ? "at least " : "", SPAN(facts->wall_s),
				 SHARE(facts->share), SPAN(facts->wait_s), periods);
	free(periods);
	return text;
}

static void facts_describe(struct facts *facts, const struct profile *profile)
{
	const struct cpu_usage *usage = &facts->usage;
	const struct level_times *levels = &facts->levels;
	bool is_known = !isnan(facts->mean_active);

	facts->counted = counter_rates_of(&profile->counters);
	facts->rates = rates_text(&facts->counted);
	facts->used = used_text(facts);
	find_throttling(&facts->throttling, profile);
	facts->throttled = throttled_text(&facts->throttling);
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
		facts->spinning =
			facts->spin.value > 0
				? xasprintf("%s (+- %s) of the CPU time", SHARE(facts->spin.value),
					    SHARE(facts->spin.error))
				: xasprintf("none in %" PRIu64 " samples", facts->spin.samples);
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
	free(facts->rates);
	free(facts->throttled);
}

/* --- Verdict ------------------------------------------------------------------------------- */

/* Returns "1.97 CPUs", "1 CPU"; "more" if all the time is throttled. */
static const char *cpus_text(char out[VALUE_SIZE], double cpus)
{
	const double rounds = 5e-3;

	if (isfinite(cpus))
		snprintf(out, VALUE_SIZE, "%.3g CPU%s", cpus, fabs(cpus - 1) < rounds ? "" : "s");
	else
		snprintf(out, VALUE_SIZE, "more");
	return out;
}

#define CPUS(cpus) cpus_text((char[VALUE_SIZE]){""}, cpus)

/*
 * Returns the sentence on the CPUs that its ready threads could use, and on those that other
 * programs used.
 */
static char *others_text(const struct cpu_usage *usage, double ready)
{
	double usable = usage->cpus / (1 - usage->lacked_share);

	if (!isfinite(usable) || isnan(usage->others_share))
		return xasprintf("It could have used more: %.3g threads were ready on average.",
				 ready);
	return xasprintf("With %.3g threads ready on average it could have used %s; other "
			 "programs used %.3g.",
			 ready, CPUS(usable), usage->others_share * usable);
}

static char *answer_text(const struct facts *facts)
{
	const struct cpu_usage *usage = &facts->usage;
	char *ready = xasprintf("%.3g threads were ready on average", facts->mean_active);
	char *text = NULL;

	switch (usage->verdict) {
	case CPU_UNKNOWN:
		text = xstrdup("The number of threads ready is unknown for too much of the time.");
		break;
	case CPU_IDLE:
		text = xasprintf(
			"It was mostly idle: no thread was ready for %s of the time.",
			SHARE((double)facts->levels.wall_ns[0] /
			      (double)(facts->levels.total_ns - facts->levels.unknown_ns)));
		break;
	case CPU_SERIAL:
		text = xasprintf("It is mostly serial: for %s of the time one thread or none was "
				 "ready.",
				 SHARE(usage->few_share));
		break;
	case CPU_OTHERS:
		text = others_text(usage, facts->mean_active);
		break;
	case CPU_THROTTLED:
		text = xasprintf(
			"With %.3g threads ready on average it could have used %s; its quota "
			"allows %.3g.",
			facts->mean_active,
			CPUS(usage->cpus / (1 - usage->lacked_share) /
			     (1 - usage->throttled_share)),
			facts->throttling.quota_cpus);
		break;
	case CPU_TOO_FEW:
		text = xasprintf("It had work for more: %s.", ready);
		break;
	case CPU_FULL:
		text = xasprintf("It used them fully: %s.", ready);
		break;
	case CPU_SATISFIED:
		text = xasprintf("It got the CPUs that it was ready to use: %s.", ready);
		break;
	}
	free(ready);
	return text;
}

/* Returns "0.69 of 2 CPUs used", which the caller frees; NULL: no time has passed. */
static char *verdict_used_text(const struct facts *facts)
{
	const struct cpu_usage *usage = &facts->usage;
	const char *least = is_unsure(usage) ? "at least " : "";

	if (isnan(usage->cpus))
		return NULL;
	if (facts->cores == UINT_MAX)
		return xasprintf("%s%.3g CPUs used", least, usage->cpus);
	return xasprintf("%s%.3g of %u CPU%s used", least, usage->cpus, facts->cores,
			 plural(facts->cores, "", "s"));
}

static void put_verdict(struct report *report, const struct facts *facts,
			const struct profile *profile)
{
	const struct cpu_usage *usage = &facts->usage;
	char *answer = answer_text(facts), *used = verdict_used_text(facts);
	const char *least = is_unsure(usage) ? "at least " : "";

	report_verdict(report, "%s: %s wall time, %s%s CPU time, %zu thread%s%s%s. %s",
		       *facts->name ? facts->name : "target", SPAN(in_s(facts->levels.total_ns)),
		       least, SPAN(in_s(usage->cpu_ns)), profile->thread_count,
		       plural(profile->thread_count, "", "s"), used ? ", " : "", used ? used : "",
		       answer);
	free(used);
	free(answer);
}

/* The shares from which a result has another meaning. */
static const double UNKNOWN_MUCH = .05, OTHERS_MUCH = .05, SPIN_MUCH = .1, THROTTLED_MUCH = .05;

/*
 * Alerts of unknown time. One thread in unknown states makes all of the time unknown: so it is
 * named.
 */
static void alert_unknown(struct report *report, const struct profile *profile)
{
	const struct thread_profile *worst = profile->threads;
	double share = (double)profile->levels.unknown_ns / (double)profile->levels.total_ns;

	if (!(share > UNKNOWN_MUCH))
		return;
	for (size_t i = 0; i < profile->thread_count; i++)
		if (profile->threads[i].state_ns[STATE_UNKNOWN] > worst->state_ns[STATE_UNKNOWN])
			worst = &profile->threads[i];
	report_alert(report, "Thread states are unknown for %s of the time (longest: %s/%d, %s).",
		     SHARE(share), thread_name_text(&worst->name), (int)worst->tid,
		     SPAN(in_s(worst->state_ns[STATE_UNKNOWN])));
}

static void alert_throttled(struct report *report, const struct throttling_facts *facts,
			    const struct level_times *levels)
{
	bool is_seen = !isnan(facts->share);
	double most_s = facts->throttled * facts->period_s;

	report_alert_if(report, is_seen && facts->share > THROTTLED_MUCH,
			"The quota of %.3g CPU%s throttled the program for %s%.0f %% of its wall "
			"time.",
			facts->quota_cpus, facts->quota_cpus == 1 ? "" : "s",
			facts->is_least ? "at least " : "", 100 * facts->share);
	report_alert_if(
		report, !is_seen && most_s > THROTTLED_MUCH * in_s(levels->total_ns),
		"The quota of %.3g CPU%s throttled the program in %.0f of %.0f periods; for "
		"how long is unknown.",
		facts->quota_cpus, facts->quota_cpus == 1 ? "" : "s", facts->throttled,
		facts->periods);
}

static void put_alerts(struct report *report, const struct profile_view *view,
		       const struct facts *facts)
{
	const struct cpu_usage *usage = &facts->usage;
	double idle_share = usage->lacked_share - usage->others_share;

	alert_throttled(report, &facts->throttling, &facts->levels);
	report_alert_if(report, usage->others_share > OTHERS_MUCH && !view->others_told,
			"Other programs took %.0f %% of the usable CPU time%s.",
			100 * usage->others_share,
			usage->verdict == CPU_OTHERS ? ": measure on an idle machine" : "");
	report_alert_if(report, usage->verdict == CPU_OTHERS && idle_share > OTHERS_MUCH,
			"CPUs idled beside ready threads, %.0f %% of the usable CPU time: threads "
			"in the queue of a busy CPU, slow wakeups or a CPU limit.",
			100 * idle_share);
	report_alert_if(report, view->recorded_cores && view->recorded_cores != facts->cores,
			"The program could use %u CPU%s in the recording, not %u.",
			view->recorded_cores, plural(view->recorded_cores, "", "s"), facts->cores);
	/* Busy-waiting looks like work: with more cores more threads would only wait. */
	report_alert_if(report, facts->spin.value > SPIN_MUCH,
			"%s of the CPU time is busy-waiting: those threads seem to work, and wait.",
			SHARE(facts->spin.value));
	alert_unknown(report, view->profile);
	if (!view->has_forecast)
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
		/* JSON has the unknown time in the member unknown_s. */
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
		report_group_levels(report, profile, view->by);
	if (profile->counters.row_count)
		report_counters(report, profile);
}

static void put_details(struct report *report, const struct facts *facts)
{
	report_detail_if(report, facts->spin.samples,
			 "Busy-waiting is measured by %" PRIu64
			 " samples of running threads; %s of them are in unknown code.",
			 facts->spin.samples, SHARE(facts->spin.unknown));
	report_detail(report,
		      "A thread is ready while it runs or waits for a CPU. The wall time with a "
		      "number of ready threads is unknown while the state of any thread is. A "
		      "program could use a CPU for each ready thread, up to the number of CPUs.");
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

/* The programs of a recording without a named target. */
struct programs {
	size_t processes;    /* 0: not known of most threads */
	size_t names;	     /* names of threads, as the kernel has them */
	const char *busiest; /* the name with the most CPU time */
};

static int compare_comms(const void *left, const void *right)
{
	const struct thread_profile *const *a = left, *const *b = right;

	return strcmp(thread_name_comm(&(*a)->name), thread_name_comm(&(*b)->name));
}

static size_t count_processes(const struct profile *profile)
{
	int32_t *pids = xcalloc(profile->thread_count + 1, sizeof(*pids));
	size_t count = 0, unknown = 0;

	for (size_t i = 0; i < profile->thread_count; i++) {
		pids[i] = profile->threads[i].pid;
		unknown += pids[i] < 0;
	}
	sort_items(pids, profile->thread_count, compare_i32);
	for (size_t i = 0; i < profile->thread_count; i++)
		count += !i || pids[i] != pids[i - 1];
	free(pids);
	return 2 * unknown > profile->thread_count ? 0 : count;
}

/* Returns whether there are several programs. */
static bool find_programs(struct programs *programs, const struct profile_view *view)
{
	const struct profile *profile = view->profile;
	const struct thread_profile **threads = xcalloc(profile->thread_count + 1, sizeof(void *));
	uint64_t ns = 0, most_ns = 0;

	*programs = (struct programs){.processes = count_processes(profile)};
	for (size_t i = 0; i < profile->thread_count; i++)
		threads[i] = &profile->threads[i];
	sort_items(threads, profile->thread_count, compare_comms);
	for (size_t i = 0; i < profile->thread_count; i++) {
		if (!i || compare_comms(&threads[i], &threads[i - 1]) != 0) {
			programs->names++;
			ns = 0;
		}
		ns += threads[i]->state_ns[STATE_RUNNING];
		if (!programs->busiest || ns > most_ns) {
			programs->busiest = thread_name_comm(&threads[i]->name);
			most_ns = ns;
		}
	}
	free(threads);
	return !view->target_count && programs->names > 1 && programs->processes != 1;
}

/* Returns "57 processes", or if processes are unknown "Threads of 35 names". */
static char *programs_text(const struct programs *programs, bool is_machine)
{
	if (!programs->processes)
		return is_machine ? xstrdup("The machine")
				  : xasprintf("Threads of %zu names", programs->names);
	return xasprintf(is_machine ? "The machine, %zu processes" : "%zu processes",
			 programs->processes);
}

static void put_next(struct report *report, const struct profile_view *view,
		     const struct facts *facts)
{
	enum cpu_verdict verdict = facts->usage.verdict;
	static const char *const steps[] = {
		[CPU_UNKNOWN] = "timeline --audit",
		[CPU_IDLE] = "timeline",
		[CPU_SERIAL] = "forecast --why",
		[CPU_OTHERS] = "forecast",
		[CPU_THROTTLED] = NULL,
		[CPU_TOO_FEW] = "forecast",
		[CPU_SATISFIED] = "forecast --why",
		[CPU_FULL] = "forecast",
	};
	char *busiest;

	if (!view->again)
		return;
	if (facts->busiest && !strstr(view->again, " --tid ")) {
		busiest = shell_quote((const char *const[]){facts->busiest, NULL});
		report_next_step(report, "pscal profile --comm %s%s", busiest, view->again);
		free(busiest);
	} else if (verdict == CPU_THROTTLED) {
		report_next_step(report, "pscal forecast --quota %.3g%s",
				 2 * facts->throttling.quota_cpus, view->again);
	} else {
		report_next_step(report, "pscal %s%s", steps[verdict], view->again);
	}
}

static void put_rest(struct report *report, const struct profile_view *view,
		     const struct facts *facts)
{
	if (report_shows(report, REPORT_TEXT) && !view->all && !view->profile->interval_ns)
		report_overview(report, view);
	else
		put_tables(report, view);
	put_details(report, facts);
	report_quality_details(report, &view->profile->quality);
	report_overhead(report, view->overhead);
	report_detail_if(report, view->again && report_shows(report, REPORT_TERMINAL),
			 "As a page for browsers: pscal report%s.", view->again ? view->again : "");
	put_next(report, view, facts);
}

void report_profile(struct report *report, const struct profile_view *view)
{
	static const int32_t none;
	const struct profile *profile = view->profile;
	struct programs programs;
	bool are_several = find_programs(&programs, view);
	char *several = NULL;
	struct facts facts = {
		.targets = {.counts = view->targets ? view->targets : &none,
			    .count = view->target_count},
		.name = thread_name_text(&main_thread(view)->name),
		.cores = profile->cores ? profile->cores : UINT_MAX,
		.levels = profile->levels,
		.mean_active = profile->mean_active,
		.spin = spin_of(&profile->spin.all),
	};

	facts.comm = are_several ? NULL : facts.name;
	facts.busiest = are_several ? programs.busiest : NULL;
	if (are_several)
		facts.name = several = programs_text(&programs, view->is_machine);
	cpu_usage_init(&facts.usage, profile);
	if (view->recorded_cores && facts.cores > view->recorded_cores)
		facts.usage.others_share = NAN; /* other programs cannot have used CPUs that did not
						   exist */
	facts_describe(&facts, profile);
	put_verdict(report, &facts, profile);
	if (view->summary)
		remark_waits(report, &facts);
	put_alerts(report, view, &facts);
	put_facts(report, &facts, view->summary);
	if (!view->summary)
		put_rest(report, view, &facts);
	free(several);
	facts_release(&facts);
}
