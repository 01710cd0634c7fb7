/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/profile/report_profile.h"
#include "report/report.h"
#include "report/report_text.h"
#include "stats/profile/cpu_time.h"
#include "stats/profile/profile.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- Counters ------------------------------------------------------------------------------ */

struct counter_line {
	int32_t tid, pid;
	const char *comm, *name, *thread; /* JSON and CSV: comm and name; text: thread */
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
	{"name", FIELD(counter_line, name), .needs = OF_THREADS},
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
	line.comm = several ? NULL : thread_name_comm(&thread->name);
	line.name = several ? NULL : thread_name_text(&thread->name);
	line.thread = several ? "(several)" : line.name;
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
			  "(several): threads that ran until the end of the recording, or whose "
			  "end was not recorded. Their counts cannot be separated.");
	report_warning_if(
		report, scaled,
		"Events took turns on the PMU: a value that was counted for part of the time is "
		"scaled up to all of it, and a value that was never counted is unknown.");
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

/* An unknown cost is 0, and null in JSON. */
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

static void detail_cost(struct report *report, const char *what, uint64_t count, double each_ns)
{
	char cost[VALUE_SIZE], each[VALUE_SIZE];

	report_detail_if(report, count && each_ns > 0,
			 "Cost of recording %" PRIu64 " %s: %s of CPU time, %s each.", count, what,
			 format_value(cost, (double)count * each_ns / 1e9, UNIT_SPAN),
			 format_value(each, each_ns / 1e9, UNIT_SPAN));
}

/* The share of its CPU time above which recording may change the behaviour of the target. */
static const double COST_MUCH = .05;

static void say_overhead(struct report *report, const struct overhead *overhead, bool is_known)
{
	char recorder[VALUE_SIZE];

	report_alert_if(report, is_known && overhead->added_share > COST_MUCH,
			"Recording took %.3g %% of the CPU time of the program.",
			100 * overhead->added_share);
	report_detail_if(report, is_known, "Recording took %.2g %% of the CPU time of the program.",
			 100 * overhead->added_share);
	detail_cost(report, "context switches", overhead->switches, overhead->switch_ns);
	detail_cost(report, "calls of the C library", overhead->calls, overhead->call_ns);
	detail_cost(report, "system calls", overhead->system_calls, overhead->system_call_ns);
	detail_cost(report, "calls of functions", overhead->blocks, overhead->block_ns);
	detail_cost(report, "calls of probed functions", overhead->probed, overhead->probed_ns);
	detail_cost(report, "steps of tasks", overhead->steps, overhead->step_ns);
	report_detail_if(report, overhead->recorder_s > 0,
			 "The recorder itself took %s of CPU time, on any of the CPUs.",
			 format_value(recorder, overhead->recorder_s, UNIT_SPAN));
}

void report_overhead(struct report *report, const struct overhead *overhead)
{
	bool is_known = overhead->has_switch_cost || overhead->calls_s > 0 ||
			overhead->blocks_s > 0 || overhead->steps_s > 0;

	if (!is_known && overhead->recorder_s <= 0)
		return;
	put_overhead(report, *overhead, is_known);
	say_overhead(report, overhead, is_known);
}
