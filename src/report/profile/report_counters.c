/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/profile/report_counters.h"

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct column total_columns[] = {
	{"counter", "counter", UNIT_NONE, -1},
	{"value", "all threads", UNIT_NONE, 0},
	{"unit", "unit", UNIT_NONE, -1},
	{"counted_share", "counted", UNIT_SHARE, 0},
};

static const struct table total_table = {
	.key = "counter_totals",
	.layout = LAYOUT_ROWS,
	.in = REPORT_TEXT | REPORT_JSON,
	.columns = total_columns,
	.column_count = COUNT(total_columns),
};

static const struct column thread_columns[] = {
	{"tid", "tid", UNIT_NONE, 0},
	{"pid", "pid", UNIT_NONE, 0},
	{"comm", "thread", UNIT_NONE, -15},
	{"counter", "counter", UNIT_NONE, -1},
	{"value", "value", UNIT_NONE, 0},
	{"unit", "unit", UNIT_NONE, -1},
	{"counted_share", "counted", UNIT_SHARE, 0},
};

static const struct table thread_table = {
	.key = "counters",
	.layout = LAYOUT_ROWS,
	.in = REPORT_ALL,
	.columns = thread_columns,
	.column_count = COUNT(thread_columns),
};

static struct cell cell_value(double value)
{
	return isfinite(value) ? cell_count(llround(value)) : cell_null();
}

static struct cell cell_unit(const struct counter *counter)
{
	return cell_text(counter->in_ns ? "ns" : NULL);
}

static void write_totals(struct report *report, const struct counter_table *table)
{
	report_begin(report, &total_table);
	for (size_t i = 0; i < table->counter_count; i++)
		report_row(report, (struct cell[]){
					   cell_text(table->counters[i].name),
					   cell_value(table->totals[i].value),
					   cell_unit(&table->counters[i]),
					   cell_number(table->totals[i].share),
				   });
	report_end(report);
}

static void write_row(struct report *report, const struct profile *profile,
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

static void write_notes(struct report *report, const struct counter_table *table)
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

	write_totals(report, table);
	report_begin(report, &thread_table);
	for (size_t i = 0; i < table->row_count; i++)
		write_row(report, profile, &table->rows[i]);
	report_end(report);
	write_notes(report, table);
}
