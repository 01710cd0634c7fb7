/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/profile/report_profile.h"

#include "report/report_quality.h"

#include <inttypes.h>
#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- Counters ------------------------------------------------------------------------------ */

static const struct column counter_total_columns[] = {
	{"counter", "counter", UNIT_NONE, -1},
	{"value", "all threads", UNIT_NONE, 0},
	{"unit", "unit", UNIT_NONE, -1},
	{"counted_share", "counted", UNIT_SHARE, 0},
};

static const struct table counter_total_table = {
	.key = "counter_totals",
	.layout = LAYOUT_ROWS,
	.in = REPORT_TEXT | REPORT_JSON,
	.columns = counter_total_columns,
	.column_count = COUNT(counter_total_columns),
};

static const struct column counter_columns[] = {
	{"tid", "tid", UNIT_NONE, 0},
	{"pid", "pid", UNIT_NONE, 0},
	{"comm", "thread", UNIT_NONE, -15},
	{"counter", "counter", UNIT_NONE, -1},
	{"value", "value", UNIT_NONE, 0},
	{"unit", "unit", UNIT_NONE, -1},
	{"counted_share", "counted", UNIT_SHARE, 0},
};

static const struct table counter_table = {
	.key = "counters",
	.layout = LAYOUT_ROWS,
	.in = REPORT_ALL,
	.columns = counter_columns,
	.column_count = COUNT(counter_columns),
};

static struct cell cell_value(double value)
{
	return isfinite(value) ? cell_count(llround(value)) : cell_null();
}

static struct cell cell_unit(const struct counter *counter)
{
	return cell_text(counter->in_ns ? "ns" : NULL);
}

static void write_counter_totals(struct report *report, const struct counter_table *table)
{
	report_begin(report, &counter_total_table);
	for (size_t i = 0; i < table->counter_count; i++)
		report_row(report, (struct cell[]){
					   cell_text(table->counters[i].name),
					   cell_value(table->totals[i].value),
					   cell_unit(&table->counters[i]),
					   cell_number(table->totals[i].share),
				   });
	report_end(report);
}

static void write_counter(struct report *report, const struct profile *profile,
			  const struct counter_row *row)
{
	const struct counter *counter = &profile->counters.counters[row->counter];
	bool several = row->thread == COUNTER_SEVERAL;
	const struct thread_profile *thread = several ? NULL : &profile->threads[row->thread];
	int32_t pid = several ? row->pid : thread->pid;
	bool named = !several || report_shows(report, REPORT_TEXT);

	report_row(report, (struct cell[]){
				   several ? cell_null() : cell_count(thread->tid),
				   pid < 0 ? cell_null() : cell_count(pid),
				   cell_text(named ? several ? "(several)" : thread->comm : NULL),
				   cell_text(counter->name),
				   cell_value(row->value.value),
				   cell_unit(counter),
				   cell_number(row->value.share),
			   });
}

static void note_counters(struct report *report, const struct counter_table *table)
{
	bool several = false, scaled = false;

	for (size_t i = 0; i < table->row_count; i++) {
		several |= table->rows[i].thread == COUNTER_SEVERAL;
		scaled |= table->rows[i].value.share < 1;
	}
	if (several)
		report_warning(report,
			       "(several): threads that lived to the end of the recording, or of "
			       "whose end the kernel did not tell. What each of them counted "
			       "cannot be told apart.");
	if (scaled)
		report_warning(report,
			       "Events took turns on the PMU: a value that was counted for less "
			       "than 100 %% of the time is scaled up as if it had gone on at the "
			       "same rate, and one that was never counted is not known.");
}

void report_counters(struct report *report, const struct profile *profile)
{
	const struct counter_table *table = &profile->counters;

	write_counter_totals(report, table);
	report_begin(report, &counter_table);
	for (size_t i = 0; i < table->row_count; i++)
		write_counter(report, profile, &table->rows[i]);
	report_end(report);
	note_counters(report, table);
}

/* --- Overhead ------------------------------------------------------------------------------ */

static const struct column overhead_columns[] = {
	{"switch_cost_s", "added to a switch", UNIT_SECONDS, 0},
	{"switches", "switches", UNIT_NONE, 0},
	{"call_cost_s", "added to a call", UNIT_SECONDS, 0},
	{"calls", "calls", UNIT_NONE, 0},
	{"system_call_cost_s", "added to a system call", UNIT_SECONDS, 0},
	{"system_calls", "system calls", UNIT_NONE, 0},
	{"block_cost_s", "added to a block", UNIT_SECONDS, 0},
	{"blocks", "blocks", UNIT_NONE, 0},
	{"uprobe_cost_s", "added by a probe", UNIT_SECONDS, 0},
	{"uprobes", "calls probed", UNIT_NONE, 0},
	{"step_cost_s", "added to a step of a task", UNIT_SECONDS, 0},
	{"steps", "steps of tasks", UNIT_NONE, 0},
	{"added_s", "added", UNIT_SECONDS, 0},
	{"added_share", "share", UNIT_SHARE, 0},
	{"recorder_s", "recorder", UNIT_SECONDS, 0},
};

static const struct table overhead_table = {
	.layout = LAYOUT_FACTS,
	.in = REPORT_JSON,
	.columns = overhead_columns,
	.column_count = COUNT(overhead_columns),
};

static struct cell if_known(bool known, struct cell cell)
{
	return known ? cell : cell_null();
}

/* Of the CPU time of the target. */
static double overhead_share(const struct overhead *overhead, double added_s)
{
	return overhead->added_s > 0 ? overhead->added_share * added_s / overhead->added_s : 0;
}

/* Of blocks, which are recorded from inside or by probes in the kernel. */
static void note_block_overhead(struct report *report, const struct overhead *overhead)
{
	double blocks_s = (double)overhead->blocks * overhead->block_ns / 1e9;
	double probed_s = overhead->blocks_s - blocks_s;

	if (blocks_s > 0)
		report_note(report,
			    "To record its blocks has cost about %.2f ms of CPU (%.2g %%): %" PRIu64
			    " of %.0f ns each.",
			    1e3 * blocks_s, 100 * overhead_share(overhead, blocks_s),
			    overhead->blocks, overhead->block_ns);
	if (overhead->probed > 0 && overhead->probed_ns > 0)
		report_note(report,
			    "To record its functions by probes in the kernel has cost about %.2f "
			    "ms of CPU (%.2g %%): %" PRIu64 " calls of %.0f ns each.",
			    1e3 * probed_s, 100 * overhead_share(overhead, probed_s),
			    overhead->probed, overhead->probed_ns);
}

static void note_overhead(struct report *report, const struct overhead *overhead)
{
	double switches_s = (double)overhead->switches * overhead->switch_ns / 1e9;

	if (overhead->has_switch_cost)
		report_note(report,
			    "Recording has cost about %.2f ms of CPU in %" PRIu64 " switches of "
			    "the target (%.2g %% of its CPU time), measured as %.0f ns a switch.",
			    1e3 * switches_s, overhead->switches,
			    100 * overhead_share(overhead, switches_s), overhead->switch_ns);
	if (overhead->calls_s > 0)
		report_note(report,
			    "To record its calls has cost about %.2f ms of CPU (%.2g %%): %" PRIu64
			    " calls of the C library of %.0f ns each, and %" PRIu64
			    " system calls of %.0f ns.",
			    1e3 * overhead->calls_s,
			    100 * overhead_share(overhead, overhead->calls_s), overhead->calls,
			    overhead->call_ns, overhead->system_calls, overhead->system_call_ns);
	note_block_overhead(report, overhead);
	if (overhead->steps_s > 0)
		report_note(report,
			    "To record its tasks has cost about %.2f ms of CPU (%.2g %%): %" PRIu64
			    " steps of %.1f ns each.",
			    1e3 * overhead->steps_s,
			    100 * overhead_share(overhead, overhead->steps_s), overhead->steps,
			    overhead->step_ns);
	if (overhead->recorder_s > 0)
		report_note(report, "The recorder itself took %.0f ms of CPU.",
			    1e3 * overhead->recorder_s);
}

void report_overhead(struct report *report, const struct overhead *overhead)
{
	bool known = overhead->has_switch_cost || overhead->calls_s > 0 || overhead->blocks_s > 0 ||
		     overhead->steps_s > 0;

	if (!known && overhead->recorder_s <= 0)
		return;
	report_group(report, "overhead");
	report_begin(report, &overhead_table);
	report_row(
		report,
		(struct cell[]){
			if_known(overhead->has_switch_cost, cell_number(overhead->switch_ns / 1e9)),
			cell_count((int64_t)overhead->switches),
			if_known(overhead->call_ns > 0, cell_number(overhead->call_ns / 1e9)),
			cell_count((int64_t)overhead->calls),
			if_known(overhead->system_call_ns > 0,
				 cell_number(overhead->system_call_ns / 1e9)),
			cell_count((int64_t)overhead->system_calls),
			if_known(overhead->block_ns > 0, cell_number(overhead->block_ns / 1e9)),
			cell_count((int64_t)overhead->blocks),
			if_known(overhead->probed_ns > 0, cell_number(overhead->probed_ns / 1e9)),
			cell_count((int64_t)overhead->probed),
			if_known(overhead->step_ns > 0, cell_number(overhead->step_ns / 1e9)),
			cell_count((int64_t)overhead->steps),
			if_known(known, cell_number(overhead->added_s)),
			if_known(known, cell_number(overhead->added_share)),
			if_known(overhead->recorder_s > 0, cell_number(overhead->recorder_s)),
		});
	report_end(report);
	report_ungroup(report);
	note_overhead(report, overhead);
}

/* --- The profile --------------------------------------------------------------------------- */

/* In JSON the last of the facts and of a thread; text has the first two of a thread, if any. */
#define SPIN_COLUMNS                                                                          \
	{"spin_share", "spinning", UNIT_SHARE, 0}, {"spin_error_share", "+-", UNIT_SHARE, 0}, \
		{"samples", "samples", UNIT_NONE, 0},                                         \
	{                                                                                     \
		"unknown_code_share", "unknown code", UNIT_SHARE, 0                           \
	}
static const size_t spin_column_count = 4, spin_columns_text = 2;

static const struct column fact_columns[] = {
	{"cores", "cores", UNIT_NONE, 0},
	{"wall_s", "wall time", UNIT_SECONDS, 0},
	{"unknown_s", "of it unknown", UNIT_SECONDS, 0},
	{"mean_active", "mean parallelism", UNIT_DECIMAL, 0},
	{"max_active", "maximum parallelism", UNIT_NONE, 0},
};

static const struct table fact_table = {
	.layout = LAYOUT_FACTS,
	.in = REPORT_TEXT | REPORT_JSON,
	.columns = fact_columns,
	.column_count = COUNT(fact_columns),
};

static const struct column spin_columns[] = {SPIN_COLUMNS};

static const struct table spin_table = {
	.layout = LAYOUT_FACTS,
	.in = REPORT_JSON,
	.columns = spin_columns,
	.column_count = COUNT(spin_columns),
};

static const struct column level_columns[] = {
	{"active", "active threads", UNIT_NONE, 0},
	{"wall_s", "wall time", UNIT_SECONDS, 0},
	{"share", "share", UNIT_SHARE, 0},
	{"bar", "", UNIT_BAR, 0},
};

static const struct table level_table = {
	.key = "levels",
	.layout = LAYOUT_ROWS,
	.in = REPORT_ALL,
	.columns = level_columns,
	.column_count = COUNT(level_columns),
};

static const struct column interval_columns[] = {
	{"begin_s", "from", UNIT_SECONDS, 0},
	{"wall_s", "wall time", UNIT_SECONDS, 0},
	{"unknown_s", "unknown", UNIT_SECONDS, 0},
	{"mean_active", "mean parallelism", UNIT_DECIMAL, 0},
	{"max_active", "maximum", UNIT_NONE, 0},
	{"bar", "of the maximum over all", UNIT_BAR, 0},
};

static const struct table interval_table = {
	.key = "intervals",
	.layout = LAYOUT_ROWS,
	.in = REPORT_TEXT | REPORT_JSON,
	.columns = interval_columns,
	.column_count = COUNT(interval_columns),
};

static const struct column interval_level_columns[] = {
	{"begin_s", "from", UNIT_SECONDS, 0},
	{"active", "active threads", UNIT_NONE, 0},
	{"wall_s", "wall time", UNIT_SECONDS, 0},
	{"share", "share", UNIT_SHARE, 0},
};

static const struct table interval_level_table = {
	.key = "interval_levels",
	.layout = LAYOUT_ROWS,
	.in = REPORT_CSV | REPORT_JSON,
	.columns = interval_level_columns,
	.column_count = COUNT(interval_level_columns),
};

static const struct column thread_columns[] = {
	{"tid", "tid", UNIT_NONE, 0},
	{"pid", "pid", UNIT_NONE, 0},
	{"comm", "thread", UNIT_NONE, -15},
	{"running_s", "running", UNIT_SECONDS, 0},
	{"runnable_s", "runnable", UNIT_SECONDS, 0},
	{"sleeping_s", "sleeping", UNIT_SECONDS, 0},
	{"disk_s", "disk", UNIT_SECONDS, 0},
	{"stopped_s", "stopped", UNIT_SECONDS, 0},
	{"unknown_s", "unknown", UNIT_SECONDS, 0},
	{"switches", "switches", UNIT_NONE, 0},
	{"wakes", "wakes", UNIT_NONE, 0},
	SPIN_COLUMNS,
};

static const struct table thread_table = {
	.key = "threads",
	.layout = LAYOUT_ROWS,
	.in = REPORT_TEXT | REPORT_JSON,
	.columns = thread_columns,
	.column_count = COUNT(thread_columns),
};

static double share_of(uint64_t part_ns, uint64_t whole_ns)
{
	return whole_ns ? (double)part_ns / (double)whole_ns : 0;
}

static struct cell cell_cores(const struct report *report, unsigned cores)
{
	if (cores)
		return cell_count(cores);
	return cell_text(report_shows(report, REPORT_TEXT) ? "unknown" : NULL);
}

static void write_facts(struct report *report, const struct profile *profile)
{
	const struct level_times *levels = &profile->levels;

	report_begin(report, &fact_table);
	report_row(report, (struct cell[]){
				   cell_cores(report, profile->cores),
				   cell_seconds(levels->total_ns),
				   cell_seconds(levels->unknown_ns),
				   cell_number(level_times_mean(levels)),
				   cell_count((int64_t)levels->max_active),
			   });
	report_end(report);
}

#define SPIN_CELLS(share)                                      \
	cell_number(spin_share_estimate(share).value),         \
		cell_number(spin_share_estimate(share).error), \
		cell_count((int64_t)(share)->samples),         \
		cell_number(spin_share_estimate(share).unknown)

static void write_spin(struct report *report, const struct spin_share *share)
{
	report_begin(report, &spin_table);
	report_row(report, (struct cell[]){SPIN_CELLS(share)});
	report_end(report);
}

/* Where waiting looks like work, more cores would only let more threads wait so. */
static void note_spin(struct report *report, const struct spin_share *share)
{
	if (!share->samples)
		return;
	report_note(report,
		    "Spinning: %.1f %% (+- %.1f %%) of %llu samples of running threads are in "
		    "loops that wait; of %.1f %% the code is unknown.",
		    100 * spin_share_estimate(share).value, 100 * spin_share_estimate(share).error,
		    (unsigned long long)share->samples, 100 * spin_share_estimate(share).unknown);
}

static void write_levels(struct report *report, const struct level_times *levels)
{
	double share;

	report_begin(report, &level_table);
	for (size_t j = 0; j <= levels->max_active; j++) {
		share = share_of(levels->wall_ns[j], levels->total_ns);
		report_row(report, (struct cell[]){
					   cell_count((int64_t)j),
					   cell_seconds(levels->wall_ns[j]),
					   cell_number(share),
					   cell_number(share),
				   });
	}
	/* In JSON it is the member unknown_s. */
	if (levels->unknown_ns && report_shows(report, REPORT_TEXT | REPORT_CSV)) {
		share = share_of(levels->unknown_ns, levels->total_ns);
		report_row(report, (struct cell[]){
					   cell_text("unknown"),
					   cell_seconds(levels->unknown_ns),
					   cell_number(share),
					   cell_number(share),
				   });
	}
	report_end(report);
}

static void write_intervals(struct report *report, const struct profile *profile)
{
	report_begin(report, &interval_table);
	for (size_t i = 0; i < profile->interval_count; i++) {
		const struct level_times *times = &profile->intervals[i];
		double mean = level_times_mean(times);

		report_row(report, (struct cell[]){
					   cell_seconds(times->begin_ns),
					   cell_seconds(times->total_ns),
					   cell_seconds(times->unknown_ns),
					   cell_number(mean),
					   cell_count((int64_t)times->max_active),
					   cell_number(mean / (double)profile->levels.max_active),
				   });
	}
	report_end(report);
}

static void write_interval_levels(struct report *report, const struct profile *profile)
{
	report_begin(report, &interval_level_table);
	for (size_t i = 0; i < profile->interval_count; i++) {
		const struct level_times *times = &profile->intervals[i];

		for (size_t j = 0; j <= times->max_active; j++)
			report_row(report, (struct cell[]){
						   cell_seconds(times->begin_ns),
						   cell_count((int64_t)j),
						   cell_seconds(times->wall_ns[j]),
						   cell_number(share_of(times->wall_ns[j],
									times->total_ns)),
					   });
		if (times->unknown_ns)
			report_row(report, (struct cell[]){
						   cell_seconds(times->begin_ns),
						   cell_text("unknown"),
						   cell_seconds(times->unknown_ns),
						   cell_number(share_of(times->unknown_ns,
									times->total_ns)),
					   });
	}
	report_end(report);
}

/* Active or inactive, but not known how, is unknown in a table of states. */
static uint64_t unknown_of(const struct thread_profile *thread)
{
	return thread->state_ns[STATE_UNKNOWN] + thread->state_ns[STATE_ACTIVE] +
	       thread->state_ns[STATE_INACTIVE];
}

/* In text there is no column of what nothing is known of. */
static struct table table_of_threads(const struct report *report, const struct profile *profile)
{
	struct table table = thread_table;

	if (report_shows(report, REPORT_TEXT))
		table.column_count -=
			spin_column_count - (profile->spin.all.samples ? spin_columns_text : 0);
	return table;
}

static void write_threads(struct report *report, const struct profile *profile)
{
	const struct table table = table_of_threads(report, profile);

	report_begin(report, &table);
	for (size_t i = 0; i < profile->thread_count; i++) {
		const struct thread_profile *thread = &profile->threads[i];

		report_row(report, (struct cell[]){
					   cell_count(thread->tid),
					   thread->pid < 0 ? cell_null() : cell_count(thread->pid),
					   cell_text(thread->comm),
					   cell_seconds(thread->state_ns[STATE_RUNNING]),
					   cell_seconds(thread->state_ns[STATE_RUNNABLE]),
					   cell_seconds(thread->state_ns[STATE_SLEEPING]),
					   cell_seconds(thread->state_ns[STATE_DISK]),
					   cell_seconds(thread->state_ns[STATE_STOPPED]),
					   cell_seconds(unknown_of(thread)),
					   cell_count((int64_t)thread->switches),
					   cell_count((int64_t)thread->wakes),
					   SPIN_CELLS(&profile->spin.threads[i]),
				   });
	}
	report_end(report);
}

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

struct targets {
	struct values counts;
};

void report_profile(struct report *report, const struct profile *profile, const int32_t *ids,
		    size_t count)
{
	static const struct column column = {"targets", FIELD(targets, counts)};
	static const struct table table = {
		.layout = LAYOUT_FACTS, .columns = &column, .column_count = 1};
	const struct targets targets = {{.counts = ids, .count = count}};

	report_table(report, &table, &targets, 1);
	write_facts(report, profile);
	write_spin(report, &profile->spin.all);
	if (!profile->interval_ns || !report_shows(report, REPORT_CSV))
		write_levels(report, &profile->levels);
	if (profile->interval_ns) {
		write_intervals(report, profile);
		write_interval_levels(report, profile);
	}
	write_threads(report, profile);
	note_spin(report, &profile->spin.all);
	if (profile->counters.row_count && !report_shows(report, REPORT_CSV))
		report_counters(report, profile);
	warn_unknown(report, profile);
	report_quality(report, &profile->quality);
}
