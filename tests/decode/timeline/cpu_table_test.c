/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/timeline/cpu_table.h"

#include "support.h"

static void nobody_is_told_to_run_where_another_did(void **state)
{
	struct cpu_table table = {0};

	(void)state;
	assert_true(cpu_table_tell(&table, 0, 1000, 3000));
	assert_false(cpu_table_tell(&table, 0, 2999, 5000));
	assert_true(cpu_table_tell(&table, 0, 3000, 4000)); /* the other one has not counted */
	assert_true(cpu_table_tell(&table, 1, 1000, 9000));
	assert_true(cpu_table_tell(&table, -1, 0, 9000)); /* not known where: none is in the way */
	cpu_table_release(&table);
}

static void what_is_forgotten_of_a_cpu_is_not_known_from_then_on(void **state)
{
	struct cpu_table table = {0};

	(void)state;
	assert_int_equal(cpu_table_put(&table, 0, 100, -1, 1000), 0);
	assert_int_equal(cpu_table_put(&table, 2, 102, -1, 1000), 0);
	cpu_table_forget(&table, 0, 2000);
	assert_int_equal(cpu_table_at(&table, 0), -1);
	assert_int_equal(cpu_table_get(&table, 0).since_ns, 2000);
	assert_int_equal(cpu_table_at(&table, 2), 102);
	cpu_table_forget(&table, -1, 3000);
	assert_int_equal(cpu_table_at(&table, 2), -1);
	assert_int_equal(cpu_table_get(&table, 0).since_ns, 3000);
	cpu_table_release(&table);
}

static void who_runs_on_a_cpu_that_was_never_seen_is_forgotten_with_the_others(void **state)
{
	struct cpu_table table = {0};

	(void)state;
	cpu_table_put(&table, 2, 102, -1, 1000);
	assert_int_equal(cpu_table_at(&table, 1), 0);
	cpu_table_forget(&table, -1, 3000);
	assert_int_equal(cpu_table_at(&table, 1), -1);
	assert_int_equal(cpu_table_get(&table, 1).since_ns, 3000);
	assert_int_equal(cpu_table_put(&table, 1, 101, -1, 4000), -1);
	assert_int_equal(cpu_table_at(&table, 1), 101);
	assert_int_equal(cpu_table_at(&table, 2), -1);
	assert_int_equal(cpu_table_at(&table, 10000), 0); /* met only after that */
	cpu_table_put(&table, 10000, 100, -1, 5000);
	assert_int_equal(cpu_table_at(&table, 9999), 0);
	cpu_table_release(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_is_told_to_run_where_another_did),
		cmocka_unit_test(what_is_forgotten_of_a_cpu_is_not_known_from_then_on),
		cmocka_unit_test(
			who_runs_on_a_cpu_that_was_never_seen_is_forgotten_with_the_others),
	};

	return RUN_TESTS(tests);
}
