/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/kernel/perfdata_check.h"

#include "decode/perfdata_bytes.h"
#include "support.h"

/* Refused with this sentence, whether it is a file or a stream. */
static void assert_refused(const struct perfdata_bytes *what, const char *why)
{
	for (int stream = 0; stream < 2; stream++) {
		struct perfdata_bytes file = *what;
		struct bytes whole;
		struct err err = {""};
		char path[64];

		file.data = (struct bytes){0};
		put(&file.data, what->data.at, what->data.count);
		whole = stream ? perfdata_stream(&file) : perfdata_join(&file);
		assert_null(perfdata_open(&whole, path, &err));
		if (!strstr(err.text, why))
			fail_msg("said '%s', not '%s'", err.text, why);
		free(whole.at);
	}
	free(what->data.at);
}

static void times_of_different_clocks_are_refused(void **state)
{
	struct perfdata_bytes file = {.other_clock = true};

	(void)state;
	add_switch(&file, 1000, 0, 5, 1, 6);
	assert_refused(&file, "different clocks, that of perf and CLOCK_MONOTONIC");
}

static void aux_traces_alone_are_refused_by_their_name(void **state)
{
	static const struct {
		uint32_t type;
		const char *said;
	} cases[] = {
		{PERFDATA_AUX_INTEL_PT, "AUX traces (of intel_pt)"},
		{PERFDATA_AUX_CS_ETM, "AUX traces (of cs_etm)"},
		{UINT32_MAX, "AUX traces (of an unknown kind)"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct perfdata_bytes file = {.no_tracepoints = true, .no_trailers = true};
		struct bytes info = {0}, aux = {0};

		put_u32(&info, cases[i].type);
		put_u32(&info, 0);
		add_record(&file, PERFDATA_RECORD_AUXTRACE_INFO, 0, &info);
		put_u64(&aux, 5);
		add_record(&file, PERFDATA_RECORD_AUXTRACE, 0, &aux);
		put(&file.data, "trace", 5);
		assert_refused(&file, cases[i].said);
	}
}

static void a_file_without_switches_says_how_to_record_some(void **state)
{
	struct perfdata_bytes file = {.no_tracepoints = true, .no_trailers = true};

	(void)state;
	add_comm(&file, 100, 5, "x");
	assert_refused(&file, "holds no scheduling events; record some with 'pscal record'");
}

static void only_switches_have_to_have_what_is_needed(void **state)
{
	struct perfdata_bytes file = {.lacks = {PERF_SAMPLE_RAW, 0}};
	struct perfdata_bytes other = {.lacks = {0, PERF_SAMPLE_RAW}};
	struct event_source *source;
	struct err err = {""};
	struct event event;
	struct bytes whole;
	char path[64];

	(void)state;
	add_switch(&file, 1000, 0, 5, 1, 6);
	assert_refused(&file, "without the time or the fields of its switches");
	add_waking(&other, 900, 0, 5, 6);
	add_switch(&other, 1000, 0, 5, 1, 6);
	whole = perfdata_join(&other);
	source = perfdata_open(&whole, path, &err);
	assert_non_null(source);
	assert_true(source->quality.no_wakes);
	assert_int_equal(event_source_next(source, &event, &err), 1);
	assert_int_equal(event.kind, EVENT_SWITCH);
	assert_int_equal(event_source_next(source, &event, &err), 0);
	event_source_free(source);
	free(whole.at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_of_different_clocks_are_refused),
		cmocka_unit_test(aux_traces_alone_are_refused_by_their_name),
		cmocka_unit_test(only_switches_have_to_have_what_is_needed),
		cmocka_unit_test(a_file_without_switches_says_how_to_record_some),
	};

	return RUN_TESTS(tests);
}
