/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/rdam/rdam.h"

#include "stats/rdam_analysed.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void keys_split_rows_by_value(void **state)
{
	static const struct rdam_key keys[] = {{"A", "n"}, {"A", "arg1"}};
	struct analysed of = {.source = listed("0 A=7 5 a 6 A=9 20 a 21 A=7 29 a 30 A=9 45 a "
					       "46 A=8 50 a 51 A 53 a 54 A 59 a 100 Z")};

	(void)state;
	blocks_name_argument(&of.source->blocks, 0, 0, "n", 1);
	analyse(&of, &(struct rdam_options){.least = 2, .keys = keys, .key_count = 2});
	assert_names(&of.rdam, "A(n=7)*2, A(n=?)*2, A(n=9)*2");
	assert_close(of.rdam.rows[0].lost_s, 3 * US, 1e-12);
	assert_close(of.rdam.rows[2].lost_s, 1 * US, 1e-12);
	assert_close(of.rdam.rows[2].min_s, 14 * US, 1e-12);
	release(&of);
}

/* 2^53 and its neighbours have 16 digits. */
static void values_that_differ_have_names_that_differ(void **state)
{
	static const struct rdam_key key = {"A", "arg1"};
	struct analysed of = {.source = listed("0 A=9007199254740991 1 a 2 A=9007199254740992 3 a "
					       "4 A=9007199254740991 5 a 6 A=9007199254740992 7 a "
					       "8 A=0.1 9 a 10 A=0.1 11 a 12 Z")};

	(void)state;
	analyse(&of, &(struct rdam_options){.least = 2, .keys = &key, .key_count = 1});
	assert_names(&of.rdam, "A(arg1=0.1)*2, A(arg1=9007199254740991)*2, "
			       "A(arg1=9007199254740992)*2");
	release(&of);
}

static void a_block_without_a_repeated_value_is_refused(void **state)
{
	static const struct rdam_key key = {"A", "arg1"};
	const struct rdam_options options = {.only = "A", .keys = &key, .key_count = 1};
	struct analysed of = {.source = listed("0 A=1 5 a 6 A=2 7 a")};
	const struct selection all = {0};
	struct err err = {.text = ""};

	(void)state;
	assert_int_equal(rdam_trace_read(&of.trace, of.source, &all, &err), 0);
	assert_int_equal(rdam_init(&of.rdam, &of.trace, &options, &err), -1);
	assert_non_null(strstr(err.text, "2 times to its end with the same value of --key"));
	release(&of);
}

/* A sequence may begin with a leave. */
static void a_returned_value_is_no_argument(void **state)
{
	static const struct rdam_key key = {"A", "arg1"};
	struct analysed of = {.source = listed("0 a=5 1 B 5 a=6 7 B 10 A=1 11 a")};

	(void)state;
	analyse(&of, &(struct rdam_options){.all_sequences = true, .keys = &key, .key_count = 1});
	assert_names(&of.rdam, "leave A(arg1=?) B {*2");
	release(&of);
}

static void keys_without_a_match_are_refused(void **state)
{
	static const struct {
		struct rdam_key key;
		const char *want;
	} table[] = {
		{{"Q2", "n"}, "no function 'Q2' is in this recording"},
		{{"B", "arg1"}, "no arguments of 'B' were recorded"},
		{{"A", "arg2"}, "arg1 to arg1"},
		{{"A", "m"}, "arg1 to arg1"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		struct rdam_options options = {.keys = &table[i].key, .key_count = 1};
		struct analysed of = {.source = listed("0 A=7 5 a 6 B 7 b")};
		const struct selection all = {0};
		struct err err = {.text = ""};

		assert_int_equal(rdam_trace_read(&of.trace, of.source, &all, &err), 0);
		assert_int_equal(rdam_init(&of.rdam, &of.trace, &options, &err), -1);
		if (!strstr(err.text, table[i].want))
			fail_msg("%s", err.text);
		release(&of);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(keys_split_rows_by_value),
	cmocka_unit_test(values_that_differ_have_names_that_differ),
	cmocka_unit_test(a_block_without_a_repeated_value_is_refused),
	cmocka_unit_test(a_returned_value_is_no_argument),
	cmocka_unit_test(keys_without_a_match_are_refused),
};

TEST_FILE(tests);
