/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/series/series_columns.h"

#include "support.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void a_name_tells_the_quantity_of_the_column(void **state)
{
	static const struct {
		const char *name;
		enum quantity quantity;
	} cases[] = {
		{"n", QUANTITY_N},
		{"Threads", QUANTITY_N},
		{"# threads", QUANTITY_UNKNOWN},
		{"nthreads", QUANTITY_N},
		{"num_threads", QUANTITY_N},
		{"Number of processors", QUANTITY_N},
		{"thread count", QUANTITY_N},
		{"concurrent users", QUANTITY_N},
		{"p", QUANTITY_N},
		{"N (threads)", QUANTITY_N},
		{"thread", QUANTITY_UNKNOWN},
		{"cpu", QUANTITY_UNKNOWN},
		{"user", QUANTITY_UNKNOWN},
		{"threads_per_node", QUANTITY_UNKNOWN},
		{"throughput", QUANTITY_THROUGHPUT},
		{"Throughput (req/s)", QUANTITY_THROUGHPUT},
		{"tput_ops_s", QUANTITY_THROUGHPUT},
		{"throughput [MB/s]", QUANTITY_THROUGHPUT},
		{"mean_throughput", QUANTITY_THROUGHPUT},
		{"throughput_mean", QUANTITY_THROUGHPUT},
		{"X(N)", QUANTITY_THROUGHPUT},
		{"ops/s", QUANTITY_THROUGHPUT},
		{"req/s", QUANTITY_THROUGHPUT},
		{"reqs_per_sec", QUANTITY_THROUGHPUT},
		{"requests per second", QUANTITY_THROUGHPUT},
		{"requests (per second)", QUANTITY_THROUGHPUT},
		{"requests_s", QUANTITY_THROUGHPUT},
		{"MB/s", QUANTITY_THROUGHPUT},
		{"tps", QUANTITY_THROUGHPUT},
		{"throughput_sd", QUANTITY_UNKNOWN},
		{"throughput_min", QUANTITY_UNKNOWN},
		{"error_rate", QUANTITY_UNKNOWN},
		{"rate of errors", QUANTITY_UNKNOWN},
		{"time", QUANTITY_TIME},
		{"time_s", QUANTITY_TIME},
		{"Wall time (s)", QUANTITY_TIME},
		{"elapsed", QUANTITY_TIME},
		{"seconds", QUANTITY_TIME},
		{"run-time", QUANTITY_TIME},
		{"t(n)", QUANTITY_TIME},
		{"cpu_time", QUANTITY_UNCLEAR},
		{"user time", QUANTITY_UNCLEAR},
		{"time_min", QUANTITY_UNCLEAR},
		{"time_per_op", QUANTITY_UNCLEAR},
		{"ns/op", QUANTITY_UNCLEAR},
		{"seconds per op", QUANTITY_UNCLEAR},
		{"wall_min", QUANTITY_UNCLEAR},
		{"wait (ms)", QUANTITY_UNCLEAR},
		{"p99_us", QUANTITY_UNCLEAR},
		{"cpu_s", QUANTITY_UNCLEAR},
		{"user s", QUANTITY_UNCLEAR},
		{"frames per second", QUANTITY_UNKNOWN},
		{"images/sec/gpu", QUANTITY_UNKNOWN},
		{"x (1/s)", QUANTITY_X},
		{"it/s", QUANTITY_UNKNOWN},
		{"latency", QUANTITY_LATENCY},
		{"latency_ms", QUANTITY_LATENCY},
		{"Response time (ms)", QUANTITY_LATENCY},
		{"avg latency", QUANTITY_LATENCY},
		{"rt", QUANTITY_LATENCY},
		{"r", QUANTITY_LATENCY},
		{"p99_latency_ms", QUANTITY_UNCLEAR},
		{"median latency", QUANTITY_UNCLEAR},
		{"median rt", QUANTITY_UNCLEAR},
		{"median r", QUANTITY_UNKNOWN},
		{"speedup", QUANTITY_SPEEDUP},
		{"SPEED-UP", QUANTITY_SPEEDUP},
		{"S(N)", QUANTITY_SPEEDUP},
		{"S(p)", QUANTITY_SPEEDUP},
		{"C", QUANTITY_SPEEDUP},
		{"s", QUANTITY_UNCLEAR},
		{"x", QUANTITY_X},
		{"Y", QUANTITY_Y},
		{"completions", QUANTITY_COUNT},
		{"requests", QUANTITY_COUNT},
		{"requests_total", QUANTITY_TOTAL},
		{"total requests", QUANTITY_TOTAL},
		{"cumulative completions", QUANTITY_TOTAL},
		{"total", QUANTITY_TOTAL},
		{"timestamp", QUANTITY_CLOCK},
		{"", QUANTITY_UNKNOWN},
		{"()", QUANTITY_UNKNOWN},
		{"errors", QUANTITY_UNKNOWN},
		{"a b c d e f g h i j k l", QUANTITY_UNKNOWN},
	};

	(void)state;
	assert_int_equal(column_name_read(NULL).quantity, QUANTITY_UNKNOWN);
	for (size_t i = 0; i < COUNT(cases); i++) {
		enum quantity found = column_name_read(cases[i].name).quantity;

		if (found != cases[i].quantity)
			fail_msg("'%s' is taken for %s, not %s", cases[i].name,
				 quantity_name(found), quantity_name(cases[i].quantity));
	}
}

static void a_unit_of_time_scales_to_seconds(void **state)
{
	static const struct {
		const char *name;
		double scale;
		bool scaled;
	} cases[] = {
		{"time", 1, false},
		{"time_ms", 1e-3, true},
		{"Latency (us)", 1e-6, true},
		{"latency [\xc2\xb5s]", 1e-6, true},
		{"elapsed ns", 1e-9, true},
		{"time (min)", 60, true},
		{"duration_h", 3600, true},
		{"seconds", 1, true},
		{"latency (cycles)", 1, false},
		{"throughput_ms", 1, false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct column_name name = column_name_read(cases[i].name);

		assert_close(name.scale, cases[i].scale, 0);
		assert_int_equal(name.scaled, cases[i].scaled);
	}
}

static void a_bare_ops_is_a_weak_name(void **state)
{
	(void)state;
	assert_true(column_name_read("ops").weak);
	assert_false(column_name_read("ops/s").weak);
	assert_false(column_name_read("throughput").weak);
	assert_true(column_name_read("Throughput").plain);
	assert_true(column_name_read("N").plain);
	assert_false(column_name_read("tput").plain);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_name_tells_the_quantity_of_the_column),
	cmocka_unit_test(a_unit_of_time_scales_to_seconds),
	cmocka_unit_test(a_bare_ops_is_a_weak_name),
};

TEST_FILE(tests);
