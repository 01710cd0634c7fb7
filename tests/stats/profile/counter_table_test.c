/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/profile/profile.h"

#include "stats/profile/cpu_time.h"
#include "support.h"

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct counter counters[] = {
	{.name = (char *)(uintptr_t) "unused"},
	{.name = (char *)(uintptr_t) "page-faults"},
	{.name = (char *)(uintptr_t) "cycles"},
};
enum { FAULTS = 1, CYCLES };

static const struct counted_thread threads[] = {
	{.tid = 100, .pid = 100, .begin_ns = 0},
	{.tid = 101, .pid = 100, .begin_ns = 1000},
	{.tid = 101, .pid = 100, .begin_ns = 2000}, /* its number was reused */
};

static struct counter_table table_of(struct count *rows, size_t row_count)
{
	const struct counts counts = {
		.counters = counters, .counter_count = 3, .rows = rows, .row_count = row_count};
	struct counter_table table;

	counter_table_init(&table, &counts, threads, COUNT(threads));
	return table;
}

static void a_count_belongs_to_the_thread_that_lived_then(void **state)
{
	struct count rows[] = {
		{FAULTS, 100, 101, 2500, 30, 9, 9, true}, {FAULTS, 100, 101, 1500, 20, 9, 9, true},
		{FAULTS, 100, 100, 2600, 10, 9, 9, true}, {FAULTS, 100, 101, 500, 77, 9, 9, true},
		{FAULTS, 100, 102, 2600, 88, 9, 9, true},
	};
	struct counter_table table = table_of(rows, COUNT(rows));

	(void)state;
	assert_int_equal(table.row_count, 3);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(table.rows[i].thread, i);
		assert_close(table.rows[i].value.value, 10 * (i + 1), 1e-12);
	}
	assert_int_equal(table.counter_count, 1);
	assert_string_equal(table.counters[0].name, "page-faults");
	assert_int_equal(table.rows[0].counter, 0);
	assert_close(table.totals[0].value, 60, 1e-12);
	assert_close(table.totals[0].share, 1, 1e-12);
	counter_table_release(&table);
}

static void counts_of_several_cpus_add_up(void **state)
{
	struct count rows[] = {
		{CYCLES, 100, 100, 2600, 300, 90, 60, true},
		{FAULTS, 100, 100, 2600, 5, 90, 90, true},
		{CYCLES, 100, 100, 2600, 100, 90, 30, true},
	};
	struct counter_table table = table_of(rows, COUNT(rows));

	(void)state;
	assert_int_equal(table.row_count, 2);
	assert_string_equal(table.counters[table.rows[1].counter].name, "cycles");
	assert_close(table.rows[1].value.value, 400, 1e-12);
	assert_close(table.rows[1].value.share, 1, 1e-12);
	counter_table_release(&table);
}

static void values_are_scaled_by_the_time_on_the_pmu(void **state)
{
	static const struct {
		uint64_t value, enabled_ns, running_ns;
		bool has_times;
		double scaled, share;
	} cases[] = {
		{100, 1000, 1000, true, 100, 1},
		{100, 1000, 250, true, 400, 0.25},
		{100, 3000, 1000, true, 300, 1.0 / 3},
		{0, 0, 0, true, 0, 1}, /* never ran: a count of 0 */
		{100, 0, 0, false, 100, NAN},
		{0, 1000, 0, true, NAN, 0}, /* never on the PMU: unknown, not 0 */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct count row = {CYCLES,
				    100,
				    100,
				    2600,
				    cases[i].value,
				    cases[i].enabled_ns,
				    cases[i].running_ns,
				    cases[i].has_times};
		struct counter_table table = table_of(&row, 1);
		const struct counter_value *value = &table.rows[0].value;

		assert_int_equal(isnan(value->value), isnan(cases[i].scaled));
		assert_int_equal(isnan(value->share), isnan(cases[i].share));
		if (!isnan(value->value))
			assert_close(value->value, cases[i].scaled, 1e-12);
		if (!isnan(value->share))
			assert_close(value->share, cases[i].share, 1e-12);
		counter_table_release(&table);
	}
}

static void a_total_has_the_scaled_values_of_all_threads(void **state)
{
	struct count rows[] = {
		{CYCLES, 100, 100, 2600, 100, 1000, 250, true},
		{CYCLES, 100, 101, 1500, 100, 1000, 1000, true},
		{CYCLES, 100, 101, 2500, 0, 1000, 0, true},
	};
	struct counter_table table = table_of(rows, COUNT(rows));

	(void)state;
	assert_close(table.totals[0].value, 750, 1e-12); /* with the third thread */
	assert_close(table.totals[0].share, 1250.0 / 3000, 1e-12);
	counter_table_release(&table);
}

static void the_total_of_a_counter_that_never_counted_is_unknown(void **state)
{
	struct count rows[] = {
		{CYCLES, 100, 100, 2600, 0, 1000, 0, true},
		{CYCLES, 100, 101, 1500, 0, 1000, 0, true},
		{CYCLES, 100, 101, 2500, 0, 0, 0, true},
	};
	struct counter_table table = table_of(rows, COUNT(rows));

	(void)state;
	assert_true(isnan(table.totals[0].value));
	assert_close(table.totals[0].share, 0, 1e-12);
	counter_table_release(&table);
}

static void counts_of_several_threads_together_are_a_row_of_their_process(void **state)
{
	struct count rows[] = {
		{FAULTS, 100, -1, 2600, 40, 9, 9, true},
		{FAULTS, 100, 100, 2600, 2, 9, 9, true},
		{FAULTS, 999, -1, 2600, 40, 9, 9, true},
	};
	struct counter_table table = table_of(rows, COUNT(rows));

	(void)state;
	assert_int_equal(table.row_count, 2);
	assert_int_equal(table.rows[1].thread, COUNTER_SEVERAL);
	assert_int_equal(table.rows[1].pid, 100);
	assert_close(table.totals[0].value, 42, 1e-12);
	counter_table_release(&table);
}

/* Threads come in the order of their numbers, or of their first events, but not of their
 * processes. */
static void the_process_of_several_threads_is_found_in_any_order(void **state)
{
	static const int32_t pids[] = {900, 100, 500, 700, 300};
	struct counted_thread of[COUNT(pids)];
	struct count rows[COUNT(pids)];
	const struct counts counts = {
		.counters = counters, .counter_count = 3, .rows = rows, .row_count = COUNT(rows)};
	struct counter_table table;

	(void)state;
	for (int i = 0; i < (int)COUNT(pids); i++) {
		of[i] = (struct counted_thread){.tid = 10 + i, .pid = pids[i]};
		rows[i] = (struct count){FAULTS, pids[i], -1, 2600, 1, 9, 9, true};
	}
	counter_table_init(&table, &counts, of, COUNT(of));
	assert_int_equal(table.row_count, COUNT(pids));
	for (size_t i = 0; i < COUNT(pids); i++)
		assert_int_equal(table.rows[i].pid, 100 + 200 * (int)i);
	counter_table_release(&table);
}

static void rates_need_both_counters(void **state)
{
	struct counter hardware[] = {{.config = 0}, {.config = 1}, {.config = 3}};
	struct counter_value totals[] = {{4e6, 1}, {2e6, 1}, {3e4, 1}};
	struct counter_table table = {
		.counters = hardware, .totals = totals, .counter_count = COUNT(hardware)};
	struct counter_rates rates = counter_rates_of(&table);

	(void)state;
	assert_close(rates.per_cycle, .5, 1e-12);
	assert_close(rates.misses_per_1000, 15, 1e-12);
	hardware[0].type = 1; /* of the software: page faults and so on */
	assert_true(isnan(counter_rates_of(&table).per_cycle));
	totals[1].value = 0;
	assert_true(isnan(counter_rates_of(&table).misses_per_1000));
}

/* Half of the time on the PMU; the software event of the same number is another event. */
static void rates_of_a_recording_are_those_of_all_its_threads(void **state)
{
	struct counter named[] = {{.config = 1}, {.config = 3}, {.type = 1, .config = 3}};
	struct count rows[] = {{0, 1, 2, 0, 1000000, 10, 5, true},
			       {0, 1, 3, 0, 2000000, 10, 10, true},
			       {1, 1, 3, 0, 20000, 0, 0, false},
			       {2, 1, 3, 0, 70000, 0, 0, false},
			       {1, 1, 2, 0, 10000, 10, 0, true}};
	struct counts counts = {
		.counters = named, .counter_count = 3, .rows = rows, .row_count = COUNT(rows)};

	(void)state;
	assert_close(counter_rates_of_counts(&counts).misses_per_1000, 5, 1e-12);
	assert_true(isnan(counter_rates_of_counts(&counts).per_cycle));
	counts.row_count = 2;
	assert_true(isnan(counter_rates_of_counts(&counts).misses_per_1000));
}

static void without_counts_the_table_is_empty(void **state)
{
	struct counter_table table = table_of(NULL, 0);

	(void)state;
	assert_int_equal(table.row_count, 0);
	assert_int_equal(table.counter_count, 0);
	counter_table_release(&table);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_count_belongs_to_the_thread_that_lived_then),
	cmocka_unit_test(counts_of_several_cpus_add_up),
	cmocka_unit_test(values_are_scaled_by_the_time_on_the_pmu),
	cmocka_unit_test(a_total_has_the_scaled_values_of_all_threads),
	cmocka_unit_test(the_total_of_a_counter_that_never_counted_is_unknown),
	cmocka_unit_test(counts_of_several_threads_together_are_a_row_of_their_process),
	cmocka_unit_test(the_process_of_several_threads_is_found_in_any_order),
	cmocka_unit_test(rates_need_both_counters),
	cmocka_unit_test(rates_of_a_recording_are_those_of_all_its_threads),
	cmocka_unit_test(without_counts_the_table_is_empty),
};

TEST_FILE(tests);
