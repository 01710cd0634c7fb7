/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include "base/err.h"
#include "collect/collect_dir.h"
#include "collect/recording/collector.h"
#include "collect/recording/record.h"
#include "collect/samples/sampler.h"
#include "collect/target/lineage.h"

#include <stdbool.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void calls_are_found_in_the_requested_way(void **state)
{
	static const struct {
		const char *text;
		enum sampler_calls calls;
		uint32_t stack_bytes;
	} cases[] = {
		{"fp", SAMPLER_CALLS_FP, 0},
		{"none", SAMPLER_CALLS_NONE, 0},
#if defined(__x86_64__) || defined(__aarch64__)
		{"dwarf", SAMPLER_CALLS_DWARF, 8192},
		{"dwarf,8", SAMPLER_CALLS_DWARF, 8},
		{"dwarf,16384", SAMPLER_CALLS_DWARF, 16384},
		{"dwarf,65528", SAMPLER_CALLS_DWARF, 65528},
#endif
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sampler_options options = {.frequency_hz = 997};
		struct err err;

		if (sampler_options_set_calls(&options, cases[i].text, &err))
			fail_msg("%s", err.text);
		assert_int_equal(options.calls, cases[i].calls);
		assert_int_equal(options.stack_bytes, cases[i].stack_bytes);
		assert_int_equal(options.frequency_hz, 997);
	}
}

static void an_unknown_way_to_find_calls_is_refused_with_the_known_ones(void **state)
{
	static const struct {
		const char *text, *sentence;
	} cases[] = {
		{"", "--call-graph : take fp, dwarf, dwarf,SIZE or none"},
		{"lbr", "--call-graph lbr: take fp, dwarf, dwarf,SIZE or none"},
		{"fp,8", "--call-graph fp,8: take fp, dwarf, dwarf,SIZE or none"},
		{"DWARF", "--call-graph DWARF: take fp, dwarf, dwarf,SIZE or none"},
		{"dwarf8", "--call-graph dwarf8: take fp, dwarf, dwarf,SIZE or none"},
#if defined(__x86_64__) || defined(__aarch64__)
		{"dwarf,", "--call-graph dwarf,: the bytes of stack"},
		{"dwarf,0", "--call-graph dwarf,0: the bytes of stack"},
		{"dwarf,12", "must be a multiple of 8, from 8 to 65528"},
		{"dwarf,65536", "must be a multiple of 8, from 8 to 65528"},
		{"dwarf,8k", "--call-graph dwarf,8k: the bytes of stack"},
		{"dwarf,-8", "--call-graph dwarf,-8: the bytes of stack"},
		{"dwarf,8,8", "--call-graph dwarf,8,8: the bytes of stack"},
#endif
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sampler_options options = {.frequency_hz = 0};
		struct err err = {.text = ""};

		if (!sampler_options_set_calls(&options, cases[i].text, &err))
			fail_msg("'%s' was taken", cases[i].text);
		if (!strstr(err.text, cases[i].sentence))
			fail_msg("'%s' instead of '%s'", err.text, cases[i].sentence);
	}
}

static void a_frequency_must_not_exceed_the_limit_of_the_kernel(void **state)
{
	static const struct {
		const char *text, *sentence; /* NULL: accepted */
		uint64_t frequency_hz;
	} cases[] = {
		{"1", NULL, 1},
		{"997", NULL, 997},
		{"50000", NULL, 50000},
		{"50001",
		 "-F 50001: the kernel takes at most 50000 samples a second "
		 "(kernel.perf_event_max_sample_rate)",
		 0},
		{"0", "-F 0: give a number of samples a second, say 997", 0},
		{"-1", "-F -1: give a number", 0},
		{"1k", "-F 1k: give a number", 0},
		{"1.5", "-F 1.5: give a number", 0},
		{"", "-F : give a number", 0},
		{"99999999999", "-F 99999999999: give a number", 0},
	};
	char root[64];

	(void)state;
	dir_make(root);
	dir_put(root, "sys/kernel/perf_event_max_sample_rate", "50000\n");
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sampler_options options = {.frequency_hz = 0};
		struct err err = {.text = ""};
		int rc = sampler_options_set_frequency(&options, cases[i].text, root, &err);

		assert_int_equal(rc, cases[i].sentence ? -1 : 0);
		assert_int_equal(options.frequency_hz, cases[i].frequency_hz);
		if (rc && !strstr(err.text, cases[i].sentence))
			fail_msg("'%s' instead of '%s'", err.text, cases[i].sentence);
	}
	dir_remove(root);
}

static void without_a_limit_any_frequency_is_taken(void **state)
{
	struct sampler_options options = {.frequency_hz = 0};
	struct err err;

	(void)state;
	assert_int_equal(
		sampler_options_set_frequency(&options, "1000000", "/no/such/directory", &err), 0);
	assert_int_equal(options.frequency_hz, 1000000);
}

static void a_sample_has_the_fields_that_its_calls_need(void **state)
{
	const uint64_t base = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			      PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
	static const struct {
		enum sampler_calls calls;
		uint64_t more;
	} cases[] = {
		{SAMPLER_CALLS_NONE, 0},
		{SAMPLER_CALLS_FP, PERF_SAMPLE_CALLCHAIN},
		{SAMPLER_CALLS_DWARF,
		 PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct sampler_options options = {997, cases[i].calls, 4096, false};
		struct perf_event_attr attr = record_attr(PERF_TYPE_SOFTWARE, 0);
		bool dwarf = cases[i].calls == SAMPLER_CALLS_DWARF;

		sampler_options_apply(&options, &attr);
		assert_int_equal(attr.sample_type, base | cases[i].more);
		assert_int_equal(attr.freq, 1);
		assert_int_equal(attr.sample_freq, 997);
		assert_int_equal(attr.sample_stack_user, dwarf ? 4096 : 0);
		assert_int_equal(attr.exclude_callchain_user, dwarf);
		if (!dwarf)
			assert_int_equal(attr.sample_regs_user, 0);
	}
}

/* The registers of perf record --call-graph dwarf: see perf evlist -v. */
static void the_registers_are_those_that_perf_takes(void **state)
{
	const struct sampler_options options = {997, SAMPLER_CALLS_DWARF, 8192, false};
	struct perf_event_attr attr = record_attr(PERF_TYPE_SOFTWARE, 0);

	(void)state;
	sampler_options_apply(&options, &attr);
#if defined(__x86_64__)
	assert_int_equal(attr.sample_regs_user, 0xff0fff);
#elif defined(__aarch64__)
	assert_int_equal(attr.sample_regs_user, 0x1ffffffff);
#else
	skip();
#endif
}

/* Readers of a recording expect the same trailer of all its records. */
static void records_without_a_sample_have_the_same_trailer(void **state)
{
	const uint64_t trailer = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
				 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
	const struct sampler_options options = {997, SAMPLER_CALLS_DWARF, 8192, false};
	struct perf_event_attr attr = record_attr(PERF_TYPE_SOFTWARE, 0);

	(void)state;
	sampler_options_apply(&options, &attr);
	assert_int_equal(attr.sample_type & trailer, RECORD_SAMPLE_TYPE & trailer);
	assert_int_equal(attr.sample_id_all, 1);
}

/* A page fault takes some 50 ns of the kernel without more work, a record some 200. */
static void the_fixed_time_of_a_fault_is_measured(void **state)
{
	const struct sampler_options sampling = {.faults = true};
	struct lineage lineage = {.wide = false};
	const struct collector_options options = {.lineage = &lineage};
	double outside_ns = 0, added_ns = 0;
	struct collector *sampler;
	struct err err = {.text = ""};
	char *text = NULL;
	size_t size;
	FILE *out;

	(void)state;
	if (geteuid() != 0)
		skip();
	sampler = sampler_open(&options, &sampling, &err);
	if (!sampler)
		fail_msg("%s", err.text);
	out = open_memstream(&text, &size);
	sampler->kind->tell(sampler, out);
	fclose(out);
	printf("%s%s\n", text, sampler->note);
	assert_int_equal(sscanf(text, "fault_outside_ns %lf", &outside_ns), 1);
	assert_int_equal(
		sscanf(sampler->note, "page faults: recording one takes %lf ns", &added_ns), 1);
	assert_true(outside_ns > 20 && outside_ns < 1e5);
	assert_true(added_ns > 20 && added_ns < 1e5);
	free(text);
	sampler->kind->free(sampler);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(calls_are_found_in_the_requested_way),
	cmocka_unit_test(an_unknown_way_to_find_calls_is_refused_with_the_known_ones),
	cmocka_unit_test(a_frequency_must_not_exceed_the_limit_of_the_kernel),
	cmocka_unit_test(without_a_limit_any_frequency_is_taken),
	cmocka_unit_test(a_sample_has_the_fields_that_its_calls_need),
	cmocka_unit_test(the_registers_are_those_that_perf_takes),
	cmocka_unit_test(records_without_a_sample_have_the_same_trailer),
	cmocka_unit_test(the_fixed_time_of_a_fault_is_measured),
};

TEST_FILE(tests);
