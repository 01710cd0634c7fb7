/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/forecast/report_forecast.h"

#include "base/alloc.h"
#include "base/printable.h"
#include "replay/forecast/bottleneck.h"
#include "replay/forecast/forecast.h"
#include "replay/forecast/why.h"
#include "replay/program/spin.h"
#include "report/forecast/forecast_words.h"
#include "report/report.h"

#include <gsl/gsl_cdf.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Common words ----------------------------------------------------------------------------- */

struct time_scale time_scale_of(double least_s, double most_s)
{
	static const struct time_scale units[] = {{1, "s", 0}, {1e3, "ms", 0}, {1e6, "us", 0}};
	struct time_scale scale = most_s >= .1 ? units[0] : most_s >= 1e-4 ? units[1] : units[2];
	double least = least_s * scale.per_second;

	scale.digits = least < .995 ? 3 : least < 9.95 ? 2 : least < 99.5 ? 1 : 0;
	return scale;
}

const char *time_text(char out[VALUE_SIZE], const struct time_scale *scale, double seconds)
{
	if (!isfinite(seconds))
		snprintf(out, VALUE_SIZE, "-");
	else
		snprintf(out, VALUE_SIZE, "%.*f %s", scale->digits, seconds * scale->per_second,
			 scale->unit);
	return out;
}

const char *interval_text(char out[2 * VALUE_SIZE], const struct time_scale *scale, double lo_s,
			  double hi_s)
{
	char high[VALUE_SIZE];

	if (isnan(lo_s))
		return NULL;
	snprintf(out, 2 * VALUE_SIZE, "%.*f - %s", scale->digits, lo_s * scale->per_second,
		 time_text(high, scale, hi_s));
	return out;
}

char *thread_text(const struct program *program, uint32_t thread)
{
	const struct program_thread *own = &program->threads[thread];

	return xasprintf("thread %" PRId32 ", %s", own->tid, thread_name_text(&own->name));
}

static struct time_scale scale_of(const struct forecast *forecast)
{
	double least_s = INFINITY, most_s = 0;

	for (size_t i = 0; i < forecast->row_count; i++) {
		least_s = fmin(least_s, forecast->rows[i].wall_s);
		most_s = fmax(most_s, forecast->rows[i].wall_s);
	}
	return time_scale_of(least_s, most_s);
}

/* --- The answer ---------------------------------------------------------------------------- */

/* The share of a CPU below which the number of cores hardly matters. */
static const double least_busy_share = .01;

bool forecast_is_idle(const struct forecast *forecast)
{
	return forecast->busy_share < least_busy_share;
}

static void put_errors_verdict(struct report *report, const struct forecast *forecast)
{
	const struct forecast_errors *errors = &forecast->errors;

	report_verdict(report,
		       "The forecast misses the measured times by %.1f %% on average (%zu core "
		       "count%s, without the recorded %" PRIu64 ").",
		       100 * errors->mean, errors->count, plural(errors->count, "", "s"),
		       forecast->request.measured_cores);
}

/* Returns ", 1.9x faster than on one", ", as on one" and the like; the caller frees it. */
static char *speedup_text(const struct forecast_row *row)
{
	const double least = 1.05;

	if (isnan(row->speedup) || row->cores == 1)
		return xstrdup("");
	if (row->speedup >= least)
		return xasprintf(", %.1fx faster than on one", row->speedup);
	return xstrdup(row->speedup > 1 / least ? ", as on one" : ", longer than on one");
}

/* Returns the condition under which wall times hold; the caller frees it. */
static char *condition_text(const struct forecast *forecast)
{
	if (forecast->quota.cpus > 0)
		return xasprintf(", with a quota of %.3g CPU%s", forecast->quota.cpus,
				 forecast->quota.cpus == 1 ? "" : "s");
	if (forecast->assumes_work && !forecast->doubt &&
	    forecast->gain.best != forecast->gain.fewest)
		return xstrdup(", if memory keeps up");
	/* The closed form is not corrected for other programs. */
	return xstrdup(!forecast->shown && forecast_is_of_shared_cpus(forecast)
			       ? ", with other programs as busy as recorded"
			       : "");
}

static void put_gain_verdict(struct report *report, const struct forecast *forecast,
			     const struct time_scale *scale)
{
	const struct forecast_gain *gain = &forecast->gain;
	const struct forecast_row *told = gain->beyond ? gain->most : gain->best;
	const char *name = forecast->name ? forecast->name : "The program";
	char wall[VALUE_SIZE], other[VALUE_SIZE], *speedup = speedup_text(told);
	const char *beyond = isnan(gain->limit_s) ? "" : " and no further";
	char *but = condition_text(forecast);

	time_text(wall, scale, told->wall_s);
	time_text(other, scale, gain->most->wall_s);
	if (gain->most == gain->fewest || (gain->coarse && !gain->beyond))
		report_verdict(report, "%s takes %s on %" PRIu64 " core%s%s%s.", name, wall,
			       told->cores, plural(told->cores, "", "s"), speedup, but);
	else if (gain->beyond)
		report_verdict(report, "%s gains up to %" PRIu64 " cores and beyond: %s%s%s.", name,
			       told->cores, wall, speedup, but);
	else if (gain->best == gain->fewest && strcmp(wall, other) == 0)
		report_verdict(report,
			       "%s gains nothing from more cores: %s on %" PRIu64 " and on %" PRIu64
			       "%s.",
			       name, wall, told->cores, gain->most->cores, but);
	else if (gain->best == gain->fewest)
		report_verdict(report,
			       "%s gains nothing from more cores: %s on %" PRIu64 ", %s on %" PRIu64
			       "%s.",
			       name, wall, told->cores, other, gain->most->cores, but);
	else
		report_verdict(report, "%s gains up to %" PRIu64 " cores%s: %s%s%s.", name,
			       told->cores, beyond, wall, speedup, but);
	free(but);
	free(speedup);
}

static void put_verdict(struct report *report, const struct forecast *forecast,
			const struct time_scale *scale)
{
	if (forecast->why && forecast->why->count)
		report_why_verdict(report, forecast, scale);
	else if (forecast->request.measured && !forecast->request.learned &&
		 !forecast->what_if_count && !isnan(forecast->errors.mean))
		put_errors_verdict(report, forecast);
	else if (forecast->busy_share == 0)
		report_verdict(report, "No CPU was used: cores do not matter.");
	else if (forecast_is_idle(forecast))
		report_verdict(report,
			       "A CPU was used for %.2g %% of the wall time: cores do not matter.",
			       100 * forecast->busy_share);
	else if (forecast->what_if_count)
		report_what_if_verdict(report, forecast, scale);
	else
		put_gain_verdict(report, forecast, scale);
}

/* --- The bottleneck --------------------------------------------------------------------------- */

struct bottleneck_line {
	const char *kind, *comm, *name, *lock;
	int32_t tid;
	double limit_s, work_s, alone_s, held_s, eased_s, running;
	size_t alike, untried;
};

static const struct column bottleneck_columns[] = {
	{"kind", FIELD(bottleneck_line, kind)},
	{"tid", FIELD(bottleneck_line, tid)},
	{"comm", FIELD(bottleneck_line, comm)},
	{"name", FIELD(bottleneck_line, name)},
	{"work_s", FIELD(bottleneck_line, work_s)},
	{"threads", FIELD(bottleneck_line, alike)},
	{"lock", FIELD(bottleneck_line, lock)},
	{"held_s", FIELD(bottleneck_line, held_s)},
	{"limit_s", FIELD(bottleneck_line, limit_s)},
	{"eased_s", FIELD(bottleneck_line, eased_s)},
	{"untried", FIELD(bottleneck_line, untried)},
	{"alone_s", FIELD(bottleneck_line, alone_s)},
	{"threads_running", FIELD(bottleneck_line, running)},
};
static const struct table bottleneck_table = {.key = "bottleneck",
					      .in = REPORT_JSON,
					      .layout = LAYOUT_FACTS,
					      COLUMNS(bottleneck_columns)};

static char *lock_text(const struct forecast *forecast, const char *part, const char *eased)
{
	const struct bottleneck *found = &forecast->bottleneck;
	const char *name = forecast->program->sites[found->site].name;

	if (isnan(found->held_s))
		return xasprintf("threads wait at '%s'. Without that: %s.", name, eased);
	return xasprintf("'%s' is locked for %s of it, one thread at a time. Without waiting for "
			 "it: %s.",
			 name, part, eased);
}

/* Returns the text for pauses: --spin waiting makes busy-waiting one, maybe the only one. */
static char *pauses_text(const struct forecast *forecast, const char *eased)
{
	const struct program_shares *shares = &forecast->program->shares;
	uint64_t spun_ns = forecast->spun.moved_ns;
	uint64_t others_ns =
		shares->sleep_ns + shares->device_ns + shares->external_ns + shares->unknown_ns;
	bool alone = spun_ns > 10 * others_ns;

	return xasprintf("%s%s. Without %s: %s.",
			 alone	   ? "busy-waiting"
			 : spun_ns ? "busy-waiting, "
				   : "",
			 alone ? "" : "sleeps, and waits for I/O or other processes",
			 alone ? "it" : "them", eased);
}

static char *bottleneck_text(const struct forecast *forecast, const struct time_scale *scale)
{
	const struct bottleneck *found = &forecast->bottleneck;
	char part[VALUE_SIZE], eased[VALUE_SIZE], *thread = NULL, *text;

	time_text(eased, scale, found->eased_s);
	time_text(part, scale,
		  found->kind == BOTTLENECK_LOCK     ? found->held_s
		  : found->kind == BOTTLENECK_SERIAL ? found->alone_s
						     : found->work_s);
	if (found->thread != PROGRAM_NONE)
		thread = thread_text(forecast->program, found->thread);
	switch (found->kind) {
	case BOTTLENECK_SERIAL: /* --why reports the wall time without that part */
		text = xasprintf("%s, computes alone for %s. More cores do not shorten that%s%s.",
				 thread, part,
				 forecast->why ? "" : "; a second such thread would, to ",
				 forecast->why ? "" : eased);
		break;
	case BOTTLENECK_THREAD:
		text = xasprintf("%s, has %s of work. No number of cores helps; two such threads "
				 "would: %s.",
				 thread, part, eased);
		break;
	case BOTTLENECK_THREADS:
		text = xasprintf("%zu threads with up to %s of work each; only more would help.",
				 found->alike, part);
		break;
	case BOTTLENECK_LOCK:
		text = lock_text(forecast, part, eased);
		break;
	case BOTTLENECK_SLOWED:
		text = xasprintf("work is slower while more cores are busy, as they share memory, "
				 "caches or clock. Without that: %s.",
				 eased);
		break;
	case BOTTLENECK_QUOTA:
		text = xasprintf("the quota of %.3g CPU%s. Without it: %s.", forecast->quota.cpus,
				 forecast->quota.cpus == 1 ? "" : "s", eased);
		break;
	case BOTTLENECK_PAUSES:
		text = pauses_text(forecast, eased);
		break;
	case BOTTLENECK_UNKNOWN:
		text = xasprintf("the recording is too large to find its cause.");
		break;
	default:
		text = xasprintf("threads wait for each other: on average %.2g of %zu run. No "
				 "single thread, lock or pause causes it.",
				 found->running, forecast->program->thread_count);
	}
	free(thread);
	return text;
}

/* Returns whether the verdict of --why names the bottleneck. */
static bool why_tells(const struct forecast *forecast)
{
	const struct bottleneck *found = &forecast->bottleneck;
	const struct why *why = forecast->why;

	if (found->kind == BOTTLENECK_SERIAL)
		return report_why_is_serial(forecast);
	return found->kind == BOTTLENECK_LOCK && isnan(found->held_s) && why && why->count &&
	       why->tried && why->by == WHY_BY_SITE &&
	       why->points[why->count - 1].savings[0].site == found->site;
}

static void put_bottleneck(struct report *report, const struct forecast *forecast,
			   const struct time_scale *scale)
{
	const struct bottleneck *found = &forecast->bottleneck;
	const struct program *program = forecast->program;
	struct bottleneck_line line = {.kind = bottleneck_kind_names[found->kind],
				       .tid = -1,
				       .limit_s = found->limit_s,
				       .work_s = found->work_s,
				       .alone_s = found->alone_s,
				       .running = found->running,
				       .held_s = found->held_s,
				       .eased_s = found->eased_s,
				       .alike = found->alike ? found->alike : SIZE_MAX,
				       .untried = found->untried};
	char limit[VALUE_SIZE], *text;

	if (found->kind == BOTTLENECK_NONE || forecast_is_idle(forecast))
		return;
	if (found->thread != PROGRAM_NONE) {
		line.comm = thread_name_comm(&program->threads[found->thread].name);
		line.name = thread_name_text(&program->threads[found->thread].name);
		line.tid = program->threads[found->thread].tid;
	}
	if (found->site != PROGRAM_NONE)
		line.lock = program->sites[found->site].name;
	report_table(report, &bottleneck_table, &line, 1);
	text = bottleneck_text(forecast, scale);
	report_remark_if(report, !why_tells(forecast), "Limit %s: %s",
			 time_text(limit, scale, found->limit_s), text);
	free(text);
}

/* --- Cores with several hardware threads ------------------------------------------------------ */

static void remark_siblings(struct report *report, const struct forecast *forecast)
{
	unsigned cpus = forecast->recorded_cpus;
	uint64_t cores = forecast->recorded_core_count;

	report_remark_if(report, cores && cpus > cores,
			 "The %u CPUs of the recording are %" PRIu64 " core%s with %.2g hardware "
			 "threads%s: the forecast is for as many such CPUs, not cores.",
			 cpus, cores, plural(cores, "", "s"), (double)cpus / (double)cores,
			 cores == 1 ? "" : " each");
}

/* --- Several recordings ----------------------------------------------------------------------- */

struct runs_line {
	size_t recordings;
	double noise, slope, slope_error;
	const char *law;
};

static const char *const law_names[] = {
	[SLOWDOWN_NONE] = "none",
	[SLOWDOWN_CONTENTION] = "contention",
	[SLOWDOWN_BANDWIDTH] = "bandwidth",
};

static const struct column runs_columns[] = {
	{"recordings", FIELD(runs_line, recordings)},
	{"run_noise", FIELD(runs_line, noise)},
	{"slowdown_law", FIELD(runs_line, law)},
	{"slowdown_slope", FIELD(runs_line, slope)},
	{"slowdown_slope_error", FIELD(runs_line, slope_error)},
};
static const struct table runs_table = {
	.key = "runs", .in = REPORT_JSON, .layout = LAYOUT_FACTS, COLUMNS(runs_columns)};

struct group_line {
	const char *name, *law;
	double share, slope, slope_error;
};

static const struct column group_columns[] = {
	{"group", FIELD(group_line, name)},
	{"cpu_share", FIELD(group_line, share)},
	{"slowdown_law", FIELD(group_line, law)},
	{"slowdown_slope", FIELD(group_line, slope)},
	{"slowdown_slope_error", FIELD(group_line, slope_error)},
};
static const struct table group_table = {
	.key = "slowdown_groups", .in = REPORT_JSON, COLUMNS(group_columns)};

static void put_groups(struct report *report, const struct slowdown_fit *fit)
{
	report_begin(report, &group_table);
	for (size_t i = 0; i < fit->group_count; i++) {
		const struct slowdown_group *group = &fit->groups[i];

		report_row(report, &(struct group_line){*group->name ? group->name : NULL,
							law_names[group->law], group->share,
							group->slope, group->slope_error});
	}
	report_end(report);
}

/* `of`: " of a group"; empty: of all threads. */
static void say_slowdown(struct report *report, const char *of, const struct slowdown_fit *fit)
{
	double most = (double)fit->cores_most, at = slowdown_fit_at(fit, most);
	double errors = gsl_cdf_tdist_Qinv(.05, fit->freedom); /* on each side */
	double side = exp(errors * slowdown_fit_error(fit, most));

	report_alert_if(report, fit->law != SLOWDOWN_NONE,
			"Work%s takes %.2f (%.2f - %.2f) times as long with %" PRIu64
			" busy cores as with one.",
			of, at, fmax(at / side, 1), at * side, fit->cores_most);
	report_remark_if(report, fit->law == SLOWDOWN_NONE && *of,
			 "Work%s takes no longer while more cores are busy.", of);
	report_detail_if(report, fit->law != SLOWDOWN_NONE,
			 "Cores share caches, memory or clock. The forecast assumes %s.",
			 fit->law == SLOWDOWN_CONTENTION ? "the same slowdown for each further core"
							 : "the same bandwidth for more cores");
}

static void say_slowdowns(struct report *report, const struct slowdown_fit *fit)
{
	if (!fit->group_count)
		say_slowdown(report, "", fit);
	for (size_t i = 0; i < fit->group_count; i++) {
		const struct slowdown_group *group = &fit->groups[i];
		struct slowdown_fit own = *fit;
		char *of = xasprintf(" of %s", *group->name ? group->name : "other threads");

		own.law = group->law;
		own.slope = group->slope;
		own.slope_error = group->slope_error;
		own.group_count = 0;
		say_slowdown(report, of, &own);
		free(of);
	}
}

/* With fewer recordings, on different core counts, the noise is mostly assumed. */
static const size_t runs_telling = 4;

static void put_runs(struct report *report, const struct forecast *forecast)
{
	const struct slowdown_fit *fit = forecast->request.learned;
	bool few = !isnan(fit->slope_error) && fit->count < runs_telling;
	bool tells = !isnan(fit->slope_error) && !few && !forecast_is_of_shared_cpus(forecast);
	struct runs_line line = {.recordings = fit->count,
				 .noise = fit->noise,
				 .slope = isnan(fit->slope_error) ? (double)NAN : fit->slope,
				 .slope_error = fit->slope_error,
				 .law = law_names[fit->law]};

	report_table(report, &runs_table, &line, 1);
	if (fit->group_count)
		put_groups(report, fit);
	say_slowdowns(report, fit);
	if (forecast->request.commands)
		report_alert(report,
			     "The recordings count as runs of one program, but their commands "
			     "differ: '%.60s' and '%.60s'. To compare them: pscal report.",
			     forecast->request.commands[0], forecast->request.commands[1]);
	report_alert_if(report, slowdown_threads_differ(fit->threads_least, fit->threads_most),
			"These runs have %zu to %zu threads: see pscal stretch for what more "
			"threads cost.",
			fit->threads_least, fit->threads_most);
	report_alert_if(report, few,
			"%zu recordings cannot tell slow memory from a slow minute: repeat them "
			"in turn.",
			fit->count);
	report_remark(report, "CPU time differs by about %.2g %% between runs (%zu recordings)%s.",
		      100 * fit->noise, fit->count,
		      fit->law == SLOWDOWN_NONE && !fit->group_count && tells
			      ? ", and no more while more cores are busy"
			      : "");
}

/* --- Facts --------------------------------------------------------------------------------- */

#define REPLAY_ASSUMES "Assumes the same threads, work and order of waits, and unchanged "

/* [with --slowdown][with --spin waiting] */
static const char *const replay_assumptions[2][2] = {
	{REPLAY_ASSUMES "CPU, memory and I/O speed.",
	 REPLAY_ASSUMES "CPU, memory and I/O speed; busy-waiting lasts as long as recorded."},
	{REPLAY_ASSUMES "I/O speed; work is slower while more cores are busy.",
	 REPLAY_ASSUMES "I/O speed; work is slower while more cores are busy, and busy-waiting "
			"lasts as long as recorded."},
};

static const char *assumptions_of(const struct forecast *forecast)
{
	const struct forecast_request *request = &forecast->request;

	return forecast->shown
		       ? replay_assumptions[request->slowdown_text != NULL][request->spin_waits]
		       : "The closed form assumes independent threads: no lock contention, no "
			 "busy-waiting. No interval.";
}

struct facts {
	const char *model, *slowdown, *reason, *doubt, *assumptions, *spin;
	uint64_t recorded_cores, wall_ns, unknown_ns;
	double others_share, spin_share, yield_share, calls_cost_s, locks_cost_s, scale;
	double quota_cpus, quota_period_s, recorded_quota_cpus, throttled_share;
	size_t replicates;
	bool attached;
	double cpu_s, cpus, wait_s, wait_p50_s, wait_p99_s, wait_most_s;
};

static const struct column fact_columns[] = {
	{"model", "model", FIELD(facts, model)},
	{"recorded_cores", "recorded on cores", FIELD(facts, recorded_cores)},
	{"recorded_wall_s", "recorded wall time", UNIT_SPAN, NS(facts, wall_ns)},
	{"unknown_s", NS(facts, unknown_ns)},
	{"others_share", FIELD(facts, others_share)},
	{"throttled_share", FIELD(facts, throttled_share)},
	{"recorded_quota_cpus", "recorded quota", FIELD(facts, recorded_quota_cpus)},
	{"quota_cpus", "quota of CPUs", FIELD(facts, quota_cpus)},
	{"quota_period_s", "... in each", UNIT_SPAN, FIELD(facts, quota_period_s)},
	{"slowdown", "slowdown", FIELD(facts, slowdown)},
	{"reason", FIELD(facts, reason)},
	{"doubt", FIELD(facts, doubt)},
	{"assumptions", FIELD(facts, assumptions)},
	{"spin", FIELD(facts, spin)},
	{"spin_share", FIELD(facts, spin_share)},
	{"yield_share", FIELD(facts, yield_share)},
	{"replicates", FIELD(facts, replicates)},
	{"calls_cost_s", FIELD(facts, calls_cost_s)},
	{"locks_cost_s", FIELD(facts, locks_cost_s)},
	{"scale", FIELD(facts, scale)},
	{"attached", FIELD(facts, attached)},
	{"cpu_s", FIELD(facts, cpu_s)},
	{"cpus_used", FIELD(facts, cpus)},
	{"run_queue_s", FIELD(facts, wait_s)},
	{"run_queue_p50_s", FIELD(facts, wait_p50_s)},
	{"run_queue_p99_s", FIELD(facts, wait_p99_s)},
	{"run_queue_max_s", FIELD(facts, wait_most_s)},
};
static const struct table fact_table = {
	.layout = LAYOUT_FACTS, .detail = true, COLUMNS(fact_columns)};

/* Adds the facts of the profile that a reader of the forecast needs. */
static void facts_take_usage(struct facts *facts, const struct cpu_usage *usage)
{
	double table = usage->cpu_ns ? 0 : NAN; /* a table of levels has no CPU time: NaN */

	facts->cpu_s = table + (double)usage->cpu_ns / 1e9;
	facts->cpus = table + usage->cpus;
	facts->wait_s = table + (double)usage->wait_ns / 1e9;
	facts->wait_p50_s = table + usage->wait_p50_ns / 1e9;
	facts->wait_p99_s = table + usage->wait_p99_ns / 1e9;
	facts->wait_most_s = table + (double)usage->wait_longest_ns / 1e9;
}

static void facts_take_quotas(struct facts *facts, const struct forecast *forecast)
{
	const struct target_quota *recorded = &forecast->recorded_quota;
	const uint64_t usual_period_ns = 100000000; /* program.h */
	bool has_quota = forecast->quota.cpus > 0;

	facts->recorded_quota_cpus =
		recorded->quota_ns && recorded->period_ns
			? (double)recorded->quota_ns / (double)recorded->period_ns
			: (double)NAN;
	facts->throttled_share = recorded->quota_ns ? forecast->throttled_share : (double)NAN;
	facts->quota_cpus = has_quota ? forecast->quota.cpus : (double)NAN;
	facts->quota_period_s =
		has_quota ? (double)(forecast->quota.period_ns ?: usual_period_ns) / 1e9
			  : (double)NAN;
}

static void put_facts(struct report *report, const struct forecast *forecast)
{
	const struct level_times *levels = forecast->levels;
	const struct forecast_points *replay = forecast->shown;
	const struct spun *spun = forecast->judged ? &forecast->spun : NULL;
	struct facts facts = {
		.model = replay ? "replay" : "closed-form",
		.recorded_cores = forecast->request.measured_cores,
		.wall_ns = levels->total_ns,
		.unknown_ns = levels->unknown_ns,
		.others_share = forecast->others_share,
		.slowdown = replay ? forecast->request.slowdown_text : NULL,
		.reason = forecast->reason,
		.doubt = forecast->doubt,
		.assumptions = assumptions_of(forecast),
		.spin = !replay			       ? NULL
			: forecast->request.spin_waits ? "waiting"
						       : "work",
		.spin_share = spun ? spin_share_estimate(&spun->share).value : NAN,
		.yield_share = spun ? yielded_share(&spun->yielded) : NAN,
		.replicates = replay ? replay->replicates : SIZE_MAX,
		.calls_cost_s = replay && replay->calls_s > 0 ? replay->calls_s : NAN,
		.locks_cost_s = replay && replay->lock_costs_s > 0 ? replay->lock_costs_s : NAN,
		.scale = replay ? replay->scale : NAN,
		.attached = forecast->attached,
	};

	facts_take_quotas(&facts, forecast);
	facts_take_usage(&facts, &forecast->usage);
	report_table(report, &fact_table, &facts, 1);
}

#define SPAN(ns) format_value((char[VALUE_SIZE]){""}, (double)(ns) / 1e9, UNIT_SPAN)

/* Reports in two lines whether the recorded run got its CPUs. */
static void remark_usage(struct report *report, const struct forecast *forecast)
{
	const struct cpu_usage *usage = &forecast->usage;
	bool unsure = usage->unsure_ns > usage->cpu_ns / 100;
	const double noticed = .005; /* a larger share has an alert */
	char others[VALUE_SIZE] = "";

	if (!usage->cpu_ns || isnan(usage->cpus) || forecast->request.profiled ||
	    forecast_question(&forecast->request) || !report_says(report, SENTENCE_WARNING))
		return;
	if (usage->others_share > noticed && !forecast_is_of_shared_cpus(forecast))
		snprintf(others, sizeof(others), "; other programs %.2g %%",
			 100 * usage->others_share);
	report_remark(report, "CPUs used: %s%.3g of %" PRIu64 ", %s CPU time%s.",
		      unsure ? "at least " : "", usage->cpus, forecast->request.measured_cores,
		      SPAN(usage->cpu_ns), others);
	report_remark_if(report, usage->wait_count,
			 "Run-queue wait: %s in all; p50 %s, p99 %s, longest %s.",
			 SPAN(usage->wait_ns), SPAN(usage->wait_p50_ns), SPAN(usage->wait_p99_ns),
			 SPAN(usage->wait_longest_ns));
}

/* --- Rows ---------------------------------------------------------------------------------- */

/* Features of a forecast that columns need. */
enum {
	FOR_MEASURED = 1,
	FOR_REPLAY = 2,
	FOR_INTERVAL = 4,
	FOR_RECORDED = 8,
	FOR_WHAT_IF = 16,
};

struct row_line {
	struct forecast_row row;
	const char *wall, *interval, *speedup, *efficiency, *recorded;
};

static const struct column row_columns[] = {
	{"what_if", FIELD(row_line, row.what_if), .needs = FOR_WHAT_IF},
	{"cores", "cores", FIELD(row_line, row.cores)},
	{"wall_s", FIELD(row_line, row.wall_s)},
	{NULL, "wall time", FIELD(row_line, wall)},
	{NULL, "90 % interval", FIELD(row_line, interval), .needs = FOR_INTERVAL, .optional = true},
	{"speedup", FIELD(row_line, row.speedup)},
	{NULL, "speedup", FIELD(row_line, speedup), .optional = true},
	{"efficiency", FIELD(row_line, row.efficiency)},
	{NULL, "efficiency", FIELD(row_line, efficiency), .optional = true},
	{NULL, "recorded", UNIT_NONE, -1, FIELD(row_line, recorded), .needs = FOR_RECORDED},
	{"measured_s", "measured", UNIT_SPAN, FIELD(row_line, row.measured_s),
	 .needs = FOR_MEASURED},
	{"runs", "runs", FIELD(row_line, row.runs), .needs = FOR_MEASURED},
	{"error", "error", UNIT_SHARE, FIELD(row_line, row.error), .needs = FOR_MEASURED},
	{NULL, "lower bound", UNIT_SPAN, FIELD(row_line, row.bound_s), .needs = FOR_REPLAY,
	 .detail = true},
	{"model", FIELD(row_line, row.model)},
	{"lo_s", FIELD(row_line, row.lo_s)},
	{"hi_s", FIELD(row_line, row.hi_s)},
	{"discrepancy", FIELD(row_line, row.discrepancy)},
	{"closed_form_s", FIELD(row_line, row.closed_form_s)},
	{NULL, "closed form", UNIT_SPAN, FIELD(row_line, row.closed_form_s), .needs = FOR_REPLAY,
	 .detail = true},
	{"closed_form_error", FIELD(row_line, row.closed_form_error), .needs = FOR_MEASURED},
	{NULL, "its error", UNIT_SHARE, FIELD(row_line, row.closed_form_error),
	 .needs = FOR_MEASURED | FOR_REPLAY, .detail = true},
	{"work_bound_s", FIELD(row_line, row.work_bound_s)},
	{"path_bound_s", FIELD(row_line, row.path_bound_s)},
	{"lock_bound_s", FIELD(row_line, row.lock_bound_s)},
	{"recorded_s", FIELD(row_line, row.recorded_s)},
	{"unchanged_s", FIELD(row_line, row.unchanged_s), .needs = FOR_WHAT_IF},
};

static unsigned features_of(const struct forecast *forecast)
{
	const struct forecast_points *replayed = forecast->shown;
	unsigned features = forecast->request.measured ? FOR_MEASURED : 0;

	if (replayed)
		features |= FOR_REPLAY;
	if (replayed && forecast_points_have_interval(replayed))
		features |= FOR_INTERVAL;
	if (forecast->what_if_count)
		return features | FOR_WHAT_IF;
	for (size_t i = 0; i < forecast->row_count; i++)
		if (!forecast->request.measured && !isnan(forecast->rows[i].recorded_s))
			features |= FOR_RECORDED;
	return features;
}

/* Returns whether a quota throttled the recorded run for a large share of its time. */
static bool is_throttled(const struct forecast *forecast)
{
	const double much = .05;

	return forecast->throttled_share > much;
}

static void put_row(struct report *report, const struct forecast *forecast,
		    const struct forecast_row *row, const struct time_scale *scale)
{
	char wall[VALUE_SIZE], interval[2 * VALUE_SIZE], speedup[VALUE_SIZE],
		efficiency[VALUE_SIZE], recorded[VALUE_SIZE], text[2 * VALUE_SIZE];
	struct row_line line = {.row = *row,
				.wall = time_text(wall, scale, row->wall_s),
				.interval = interval_text(interval, scale, row->lo_s, row->hi_s),
				.speedup = speedup,
				.efficiency = efficiency};

	snprintf(speedup, sizeof(speedup), "%.1fx", row->speedup);
	snprintf(efficiency, sizeof(efficiency), "%.0f %%", 100 * row->efficiency);
	if (!isnan(row->recorded_s)) {
		snprintf(text, sizeof(text), "%s%s", time_text(recorded, scale, row->recorded_s),
			 is_throttled(forecast)			? ", throttled"
			 : forecast_is_of_shared_cpus(forecast) ? ", CPUs shared"
								: "");
		line.recorded = text;
	}
	report_row(report, &line);
}

static void put_rows(struct report *report, const struct forecast *forecast,
		     const struct time_scale *scale)
{
	bool details = (forecast->why && !forecast->request.listed) || forecast->what_if_count ||
		       (forecast_is_idle(forecast) && !forecast->request.measured);
	const struct table table = {.key = "forecast",
				    .in = forecast->why ? REPORT_TEXT | REPORT_JSON : REPORT_ALL,
				    .has = features_of(forecast),
				    .detail = details,
				    COLUMNS(row_columns)};

	report_begin(report, &table);
	for (size_t i = 0; i < forecast->row_count; i++)
		put_row(report, forecast, &forecast->rows[i], scale);
	report_end(report);
}

/* --- Errors of the forecast ------------------------------------------------------------------- */

static const struct column error_columns[] = {{"mean_abs_error", FIELD(forecast_errors, mean)}};
static const struct table error_table = {.layout = LAYOUT_FACTS, COLUMNS(error_columns)};

static void put_errors(struct report *report, const struct forecast *forecast)
{
	const struct forecast_errors *errors = &forecast->errors;
	bool known = !isnan(errors->mean);

	if (!forecast->request.measured)
		return;
	report_table(report, &error_table, errors, 1);
	report_alert_if(report, !known && !forecast->request.learned,
			"The error is unknown: no other core count was measured.");
	report_detail_if(report, known && forecast->shown && !forecast->unchanged,
			 "The closed form misses the measured times by %.1f %%.",
			 100 * errors->closed_form_mean);
}

/* --- The report ------------------------------------------------------------------------------- */

void report_forecast(struct report *report, const struct forecast *forecast,
		     const struct quality *quality, const char *again)
{
	struct time_scale scale = scale_of(forecast);

	if (forecast->request.list) {
		report_what_if_sites(report, forecast->program);
		report_work_functions(report, forecast);
		return;
	}
	put_verdict(report, forecast, &scale);
	put_bottleneck(report, forecast, &scale);
	remark_usage(report, forecast);
	remark_siblings(report, forecast);
	if (forecast->request.learned && forecast->shown)
		put_runs(report, forecast);
	report_server_alert(report, forecast);
	if (!forecast_is_idle(forecast) || forecast->why)
		report_forecast_alerts(report, forecast);
	if (quality)
		report_quality_alerts(report, quality);
	put_facts(report, forecast);
	report_what_ifs(report, forecast, &scale);
	put_rows(report, forecast, &scale);
	put_errors(report, forecast);
	if (forecast->why && forecast->why->count)
		report_why(report, forecast, &scale);
	if (forecast->usl)
		report_forecast_usl(report, forecast->usl);
	report_forecast_trust(report, forecast);
	report_detail(report, "%s", assumptions_of(forecast));
	if (quality)
		report_quality_details(report, quality);
	report_next_command(report, forecast, again);
}
