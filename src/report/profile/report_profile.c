/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/profile/report_profile.h"

#include "base/alloc.h"
#include "base/err.h"
#include "report/plot.h"
#include "report/profile_chart_template.h"
#include "report/profile_template.h"
#include "report/report.h"
#include "report/report_text.h"
#include "stats/profile/cpu_time.h"
#include "stats/profile/profile.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* --- Counters ------------------------------------------------------------------------------ */

struct counter_line {
	int32_t tid, pid;
	const char *comm, *thread; /* of JSON and CSV, and of text */
	const char *counter, *unit;
	int64_t value;
	double share;
};

enum { OF_THREADS = 1, OF_ALL = 2 };

static const struct column counter_columns[] = {
	{"tid", "tid", FIELD(counter_line, tid), .needs = OF_THREADS},
	{"pid", "pid", FIELD(counter_line, pid), .needs = OF_THREADS},
	{"comm", FIELD(counter_line, comm), .needs = OF_THREADS},
	{NULL, "thread", UNIT_NONE, -1, FIELD(counter_line, thread), .needs = OF_THREADS},
	{"counter", "counter", UNIT_NONE, -1, FIELD(counter_line, counter)},
	{"value", "value", FIELD(counter_line, value), .needs = OF_THREADS},
	{"value", "all threads", FIELD(counter_line, value), .needs = OF_ALL},
	{"unit", "unit", UNIT_NONE, -1, FIELD(counter_line, unit)},
	{"counted_share", "counted", UNIT_SHARE, FIELD(counter_line, share)},
};
static const struct table counter_total_table = {
	.key = "counter_totals", .has = OF_ALL, COLUMNS(counter_columns)};
static const struct table counter_table = {
	.key = "counters", .in = REPORT_ALL, .has = OF_THREADS, COLUMNS(counter_columns)};

static struct counter_line counter_line_of(const struct counter *counter,
					   const struct counter_value *value)
{
	return (struct counter_line){
		.counter = counter->name,
		.unit = counter->in_ns ? "ns" : NULL,
		.value = isfinite(value->value) ? llround(value->value) : -1,
		.share = value->share,
	};
}

static void put_counter(struct report *report, const struct profile *profile,
			const struct counter_row *row)
{
	bool several = row->thread == COUNTER_SEVERAL;
	const struct thread_profile *thread = several ? NULL : &profile->threads[row->thread];
	struct counter_line line =
		counter_line_of(&profile->counters.counters[row->counter], &row->value);

	line.tid = several ? -1 : thread->tid;
	line.pid = several ? row->pid : thread->pid;
	line.comm = several ? NULL : thread->comm;
	line.thread = several ? "(several)" : thread->comm;
	report_row(report, &line);
}

void report_counters(struct report *report, const struct profile *profile)
{
	const struct counter_table *table = &profile->counters;
	bool several = false, scaled = false;

	report_begin(report, &counter_total_table);
	for (size_t i = 0; i < table->counter_count; i++) {
		struct counter_line line = counter_line_of(&table->counters[i], &table->totals[i]);

		report_row(report, &line);
	}
	report_end(report);
	report_begin(report, &counter_table);
	for (size_t i = 0; i < table->row_count; i++) {
		put_counter(report, profile, &table->rows[i]);
		several |= table->rows[i].thread == COUNTER_SEVERAL;
		scaled |= table->rows[i].value.share < 1;
	}
	report_end(report);
	report_warning_if(report, several,
			  "(several): threads that lived to the end of the recording, or of whose "
			  "end the kernel did not tell. What each of them counted cannot be told "
			  "apart.");
	report_warning_if(report, scaled,
			  "Events took turns on the PMU: a value that was counted for less than "
			  "100 %% of the time is scaled up as if it had gone on at the same rate, "
			  "and one that was never counted is not known.");
}

/* --- Overhead ------------------------------------------------------------------------------ */

static const struct column overhead_columns[] = {
	{"switch_cost_s", NS(overhead, switch_ns)},
	{"switches", FIELD(overhead, switches)},
	{"call_cost_s", NS(overhead, call_ns)},
	{"calls", FIELD(overhead, calls)},
	{"system_call_cost_s", NS(overhead, system_call_ns)},
	{"system_calls", FIELD(overhead, system_calls)},
	{"block_cost_s", NS(overhead, block_ns)},
	{"blocks", FIELD(overhead, blocks)},
	{"uprobe_cost_s", NS(overhead, probed_ns)},
	{"uprobes", FIELD(overhead, probed)},
	{"step_cost_s", NS(overhead, step_ns)},
	{"steps", FIELD(overhead, steps)},
	{"added_s", FIELD(overhead, added_s)},
	{"added_share", FIELD(overhead, added_share)},
	{"recorder_s", FIELD(overhead, recorder_s)},
};
static const struct table overhead_table = {
	.key = "overhead", .layout = LAYOUT_FACTS, COLUMNS(overhead_columns)};

/* Costs that are not known are 0, and null in JSON. */
static double known_cost(double cost)
{
	return cost > 0 ? cost : (double)NAN;
}

static void put_overhead(struct report *report, struct overhead overhead, bool is_known)
{
	overhead.switch_ns = overhead.has_switch_cost ? overhead.switch_ns : (double)NAN;
	overhead.call_ns = known_cost(overhead.call_ns);
	overhead.system_call_ns = known_cost(overhead.system_call_ns);
	overhead.block_ns = known_cost(overhead.block_ns);
	overhead.probed_ns = known_cost(overhead.probed_ns);
	overhead.step_ns = known_cost(overhead.step_ns);
	overhead.recorder_s = known_cost(overhead.recorder_s);
	if (!is_known)
		overhead.added_s = overhead.added_share = NAN;
	report_table(report, &overhead_table, &overhead, 1);
}

/* Per cent of the CPU time of the target. */
static double overhead_percent(const struct overhead *overhead, double added_s)
{
	return overhead->added_s > 0 ? 100 * (overhead->added_share * added_s / overhead->added_s)
				     : 0;
}

static void note_overhead(struct report *report, const struct overhead *overhead)
{
	double switches_s = (double)overhead->switches * overhead->switch_ns / 1e9;
	/* Blocks are recorded from inside, or by probes in the kernel. */
	double blocks_s = (double)overhead->blocks * overhead->block_ns / 1e9;
	double probed_s = overhead->blocks_s - blocks_s;

	report_note_if(report, overhead->has_switch_cost,
		       "Recording has cost about %.2f ms of CPU in %" PRIu64 " switches of the "
		       "target (%.2g %% of its CPU time), measured as %.0f ns a switch.",
		       1e3 * switches_s, overhead->switches, overhead_percent(overhead, switches_s),
		       overhead->switch_ns);
	report_note_if(report, overhead->calls_s > 0,
		       "To record its calls has cost about %.2f ms of CPU (%.2g %%): %" PRIu64
		       " calls of the C library of %.0f ns each, and %" PRIu64
		       " system calls of %.0f ns.",
		       1e3 * overhead->calls_s, overhead_percent(overhead, overhead->calls_s),
		       overhead->calls, overhead->call_ns, overhead->system_calls,
		       overhead->system_call_ns);
	report_note_if(report, blocks_s > 0,
		       "To record its blocks has cost about %.2f ms of CPU (%.2g %%): %" PRIu64
		       " of %.0f ns each.",
		       1e3 * blocks_s, overhead_percent(overhead, blocks_s), overhead->blocks,
		       overhead->block_ns);
	report_note_if(report, overhead->probed > 0 && overhead->probed_ns > 0,
		       "To record its functions by probes in the kernel has cost about %.2f ms of "
		       "CPU (%.2g %%): %" PRIu64 " calls of %.0f ns each.",
		       1e3 * probed_s, overhead_percent(overhead, probed_s), overhead->probed,
		       overhead->probed_ns);
	report_note_if(report, overhead->steps_s > 0,
		       "To record its tasks has cost about %.2f ms of CPU (%.2g %%): %" PRIu64
		       " steps of %.1f ns each.",
		       1e3 * overhead->steps_s, overhead_percent(overhead, overhead->steps_s),
		       overhead->steps, overhead->step_ns);
	report_note_if(report, overhead->recorder_s > 0, "The recorder itself took %.0f ms of CPU.",
		       1e3 * overhead->recorder_s);
}

void report_overhead(struct report *report, const struct overhead *overhead)
{
	bool is_known = overhead->has_switch_cost || overhead->calls_s > 0 ||
			overhead->blocks_s > 0 || overhead->steps_s > 0;

	if (!is_known && overhead->recorder_s <= 0)
		return;
	put_overhead(report, *overhead, is_known);
	note_overhead(report, overhead);
}

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
	unsigned cores;
	struct level_times levels;
	double mean_active;
	struct spin spin;
};

static const struct column fact_columns[] = {
	{"targets", FIELD(facts, targets)},
	{"cores", "cores", FIELD(facts, cores), .absent = "unknown"},
	{"wall_s", "wall time", UNIT_SECONDS, NS(facts, levels.total_ns)},
	{"unknown_s", "of it unknown", UNIT_SECONDS, NS(facts, levels.unknown_ns)},
	{"mean_active", "mean parallelism", UNIT_DECIMAL, FIELD(facts, mean_active), .absent = "-"},
	{"max_active", "maximum parallelism", FIELD(facts, levels.max_active)},
	{"spin_share", FIELD(facts, spin.value)},
	{"spin_error_share", FIELD(facts, spin.error)},
	{"samples", FIELD(facts, spin.samples)},
	{"unknown_code_share", FIELD(facts, spin.unknown)},
};
static const struct table fact_table = {.layout = LAYOUT_FACTS, COLUMNS(fact_columns)};

/* --- Levels and intervals ------------------------------------------------------------------ */

struct level {
	uint64_t begin_ns, wall_ns;
	struct cell active;
	double share;
};

enum { OF_INTERVALS = 1 };

static const struct column level_columns[] = {
	{"begin_s", NS(level, begin_ns), .needs = OF_INTERVALS},
	{"active", "active threads", FIELD(level, active)},
	{"wall_s", "wall time", UNIT_SECONDS, NS(level, wall_ns)},
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
	{"mean_active", "mean parallelism", UNIT_DECIMAL, FIELD(interval, mean)},
	{"max_active", "maximum", FIELD(interval, times.max_active)},
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

/* --- Threads ------------------------------------------------------------------------------- */

struct thread {
	struct thread_profile of;
	uint64_t unknown_ns; /* also active or inactive, but not known how */
	struct spin spin;
};

enum { HAS_SPIN = 1 };

static const struct column thread_columns[] = {
	{"tid", "tid", FIELD(thread, of.tid)},
	{"pid", "pid", FIELD(thread, of.pid)},
	{"comm", "thread", UNIT_NONE, -1, FIELD(thread, of.comm)},
	{"running_s", "running", UNIT_SECONDS, NS(thread, of.state_ns[STATE_RUNNING])},
	{"runnable_s", "runnable", UNIT_SECONDS, NS(thread, of.state_ns[STATE_RUNNABLE])},
	{"sleeping_s", "sleeping", UNIT_SECONDS, NS(thread, of.state_ns[STATE_SLEEPING])},
	{"disk_s", "disk", UNIT_SECONDS, NS(thread, of.state_ns[STATE_DISK])},
	{"stopped_s", "stopped", UNIT_SECONDS, NS(thread, of.state_ns[STATE_STOPPED])},
	{"unknown_s", "unknown", UNIT_SECONDS, NS(thread, unknown_ns)},
	{"switches", "switches", FIELD(thread, of.switches)},
	{"wakes", "wakes", FIELD(thread, of.wakes)},
	{NULL, "spinning", UNIT_SHARE, FIELD(thread, spin.value), .needs = HAS_SPIN},
	{NULL, "+-", UNIT_SHARE, FIELD(thread, spin.error), .needs = HAS_SPIN},
	{"spin_share", FIELD(thread, spin.value)},
	{"spin_error_share", FIELD(thread, spin.error)},
	{"samples", FIELD(thread, spin.samples)},
	{"unknown_code_share", FIELD(thread, spin.unknown)},
};

static void put_threads(struct report *report, const struct profile *profile)
{
	const struct table table = {.key = "threads",
				    .has = profile->spin.all.samples ? HAS_SPIN : 0,
				    COLUMNS(thread_columns)};

	report_begin(report, &table);
	for (size_t i = 0; i < profile->thread_count; i++) {
		const struct thread_profile *thread = &profile->threads[i];

		report_row(report, &(struct thread){*thread,
						    thread->state_ns[STATE_UNKNOWN] +
							    thread->state_ns[STATE_ACTIVE] +
							    thread->state_ns[STATE_INACTIVE],
						    spin_of(&profile->spin.threads[i])});
	}
	report_end(report);
}

/* --- All of it ----------------------------------------------------------------------------- */

/* One thread of which nothing is known makes all of the time unknown: then say which. */
static void warn_unknown(struct report *report, const struct profile *profile)
{
	const struct thread_profile *worst = profile->threads;

	if (profile->levels.unknown_ns <= profile->levels.total_ns / 2)
		return;
	for (size_t i = 0; i < profile->thread_count; i++)
		if (profile->threads[i].state_ns[STATE_UNKNOWN] > worst->state_ns[STATE_UNKNOWN])
			worst = &profile->threads[i];
	report_warning(
		report,
		"For more than half of the time it is unknown of at least one thread whether "
		"it was active; longest of thread %d (%s), for %.4f s. To leave out such "
		"threads, name the target with --pid, --tid or --comm.",
		(int)worst->tid, worst->comm, (double)worst->state_ns[STATE_UNKNOWN] / 1e9);
}

/* The rows of threads have more unknown time than the wall time then. */
static void note_half_known(struct report *report, const struct profile *profile)
{
	uint64_t half_known_ns = 0, lived_ns = 0;

	for (size_t i = 0; i < profile->thread_count; i++) {
		const uint64_t *state_ns = profile->threads[i].state_ns;

		half_known_ns += state_ns[STATE_ACTIVE] + state_ns[STATE_INACTIVE];
		for (enum thread_state state = 0; state < STATE_COUNT; state++)
			lived_ns += state_ns[state];
	}
	report_note_if(report, half_known_ns > lived_ns / 100,
		       "Of the unknown time of threads %.4f s are not unknown in the wall time: "
		       "there it counts only whether a thread was active, and not how.",
		       (double)half_known_ns / 1e9);
}

void report_profile(struct report *report, const struct profile *profile, const int32_t *targets,
		    size_t target_count)
{
	static const int32_t none;
	const struct spin_share *spin = &profile->spin.all;
	const struct facts facts = {{.counts = targets ? targets : &none, .count = target_count},
				    profile->cores ? profile->cores : UINT_MAX,
				    profile->levels,
				    profile->mean_active,
				    spin_of(spin)};

	report_table(report, &fact_table, &facts, 1);
	if (!profile->interval_ns || !report_shows(report, REPORT_CSV)) {
		report_begin(report, &level_table);
		/* In JSON unknown time is the member unknown_s. */
		put_levels(report, &profile->levels, !report_shows(report, REPORT_JSON));
		report_end(report);
	}
	if (profile->interval_ns)
		put_intervals(report, profile);
	put_threads(report, profile);
	/* Where waiting looks like work, more cores would only let more threads wait so. */
	report_note_if(report, spin->samples,
		       "Spinning: %.1f %% (+- %.1f %%) of %" PRIu64 " samples of running threads "
		       "are in loops that wait; of %.1f %% the code is unknown.",
		       100 * facts.spin.value, 100 * facts.spin.error, spin->samples,
		       100 * facts.spin.unknown);
	if (profile->counters.row_count && !report_shows(report, REPORT_CSV))
		report_counters(report, profile);
	note_half_known(report, profile);
	warn_unknown(report, profile);
	report_quality(report, &profile->quality);
}

static const double HEIGHT = .8;

/* --- T_j ----------------------------------------------------------------------------------- */

static void plot_level(struct plot_script *script, const struct level_times *levels, size_t place,
		       uint64_t wall_ns, bool unknown)
{
	plot_script_row(script,
			(double[]){(double)place, (double)wall_ns / 1e9,
				   100 * (double)wall_ns / (double)levels->total_ns, unknown},
			4);
}

/* Levels that never were have no row: there may be thousands. */
static void plot_levels(struct plot_script *script, const struct level_times *levels)
{
	/* Beside the others, with a gap where they are thin. */
	size_t beside = levels->max_active + 1 + levels->max_active / 16;

	plot_script_begin(script, "levels", "active wall_s percent is_unknown");
	for (size_t j = 0; j <= levels->max_active; j++)
		if (levels->wall_ns[j] || !j)
			plot_level(script, levels, j, levels->wall_ns[j], false);
	if (levels->unknown_ns)
		plot_level(script, levels, beside, levels->unknown_ns, true);
	plot_script_number(script, "most_active", (double)levels->max_active);
	plot_script_number(script, "beside", (double)beside);
	plot_script_number(script, "has_unknown", levels->unknown_ns > 0);
}

/* --- Over time ----------------------------------------------------------------------------- */

/* Unknown threads stand upon the active ones: parallelism is somewhere up to there. */
static void plot_activity(struct plot_script *script, const struct activity_times *times)
{
	double most = 1, second = 0;

	plot_script_begin(script, "activity", "begin_s active up_to");
	for (size_t i = 0; i < times->count; i++) {
		const struct activity_bin *bin = &times->bins[i];

		most = fmax(most, bin->active + bin->unknown);
		second = (double)(i * times->bin_ns) / 1e9;
		plot_script_row(script, (double[]){second, bin->active, bin->active + bin->unknown},
				3);
	}
	if (times->count) {
		const struct activity_bin *bin = &times->bins[times->count - 1];

		second = (double)times->total_ns / 1e9;
		plot_script_row(script, (double[]){second, bin->active, bin->active + bin->unknown},
				3);
	}
	plot_script_number(script, "end_s", second);
	plot_script_number(script, "top_active", 1.1 * most);
}

/* --- The texts ----------------------------------------------------------------------------- */

static void plot_summary(struct plot_script *script, const struct profile *profile)
{
	double mean = profile->mean_active;
	char *parallelism = isnan(mean) ? xstrdup("unknown") : xasprintf("%.3g", mean);
	char *summary = xasprintf(
		"wall time %.4g s, mean parallelism %s, at most %zu active threads",
		(double)profile->levels.total_ns / 1e9, parallelism, profile->levels.max_active);

	if (profile->cores)
		xappend(&summary, "", ", %u cores", profile->cores);
	plot_script_text(script, "summary", summary);
	plot_script_number(script, "mean_active", mean);
	plot_script_number(script, "cores", profile->cores);
	plot_script_number(script, "has_cores", profile->cores > 0);
	free(summary);
	free(parallelism);
}

static struct plot_script *draw_profile(const struct profile *profile, const char *source,
					const char *template)
{
	struct plot_script *script = plot_script_new();

	plot_script_file(script, "file", source);
	plot_summary(script, profile);
	plot_levels(script, &profile->levels);
	plot_activity(script, &profile->activity);
	plot_script_template(script, template);
	return script;
}

static int check_levels(const struct profile *profile, struct err *err)
{
	if (profile->levels.total_ns)
		return 0;
	return err_set(err, "there is nothing to draw: from the first event to the last no time "
			    "passes");
}

int plot_profile(const struct profile *profile, const char *source, const char *path,
		 struct err *err)
{
	if (check_levels(profile, err))
		return -1;
	return plot_save(draw_profile(profile, source, profile_template), HEIGHT, path, err);
}

int chart_profile(struct report *report, const struct profile *profile, struct err *err)
{
	if (check_levels(profile, err))
		return -1;
	return plot_print(report, draw_profile(profile, "", profile_chart_template), err);
}
