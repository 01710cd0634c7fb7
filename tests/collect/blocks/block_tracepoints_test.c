/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/blocks/block_tracepoints.h"

#include "decode/event/event.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include <traceevent/event-parse.h>

/* The text that libtraceevent prints of this payload; valid until the next call. */
static const char *print(const char *format, void *payload, size_t bytes)
{
	static char text[256];
	struct tep_handle *tep = tep_alloc();
	struct tep_record record = {.data = payload, .size = (int)bytes};
	struct trace_seq seq;

	tep_set_long_size(tep, 8);
	assert_int_equal(tep_parse_event(tep, format, strlen(format), "pscal"), 0);
	trace_seq_init(&seq);
	tep_print_event(tep, &seq, &record, "%s %s", TEP_PRINT_NAME, TEP_PRINT_INFO);
	trace_seq_terminate(&seq);
	snprintf(text, sizeof(text), "%s", seq.buffer);
	trace_seq_destroy(&seq);
	tep_free(tep);
	return text;
}

static const char *printed(const char *format, struct block_payload *payload, unsigned args)
{
	payload->args_place = BLOCK_PAYLOAD_FIXED | args * 8 << 16;
	return print(format, payload, BLOCK_PAYLOAD_FIXED + args * 8);
}

static const struct task_counter_names uncounted = {.count = 0};

static void events_are_printed_with_the_names_of_blocks(void **state)
{
	static char insert[] = "insert", other[] = "o\"th\\er\n";
	char *const names[] = {insert, other};
	static const struct {
		size_t which;
		uint32_t block;
		unsigned args;
		const char *text;
	} cases[] = {
		{BLOCK_TRACEPOINT_ENTER, 0, 0, "enter block=insert args="},
		{BLOCK_TRACEPOINT_ENTER, 1, 2, "enter block=o?th?er? args=7 18446744073709551615"},
		{BLOCK_TRACEPOINT_LEAVE, 0, 1, "leave block=insert args=7"},
		{BLOCK_TRACEPOINT_MARK, 0, 1, "mark block=insert args=7"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *format = block_tracepoint_text(cases[i].which, names, 2, &uncounted);
		struct block_payload payload = {.type = block_tracepoint_type(cases[i].which),
						.block = cases[i].block,
						.args = {7, UINT64_MAX}};

		assert_string_equal(printed(format, &payload, cases[i].args), cases[i].text);
		free(format);
	}
}

static void steps_of_tasks_are_printed_with_their_sites(void **state)
{
	static char fib[] = "fib fib.c:12", add[] = "add add.c:7";
	char *const names[] = {fib, add};
	static const struct {
		uint32_t site, step;
		uint64_t task, value;
		uint32_t index;
		const char *text;
	} cases[] = {
		{0, TASK_BEGIN, 2, 1, 300,
		 "task site=fib fib.c:12 step=begin task=2 value=1 index=300"},
		{1, TASK_BARRIER, UINT64_C(1) << 55, 0, 0,
		 "task site=add add.c:7 step=barrier task=36028797018963968 value=0 index=0"},
		{7, 99, 2, 0, UINT32_MAX,
		 "task site=0x7 step=0x63 task=2 value=0 index=4294967295"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *format = block_tracepoint_text(BLOCK_TRACEPOINT_TASK, names, 2, &uncounted);
		struct step_payload payload = {.type = block_tracepoint_type(BLOCK_TRACEPOINT_TASK),
					       .site = cases[i].site,
					       .step = cases[i].step,
					       .task = cases[i].task,
					       .value = cases[i].value,
					       .index = cases[i].index};

		assert_string_equal(print(format, &payload, STEP_PAYLOAD_BYTES), cases[i].text);
		free(format);
	}
}

static void counts_of_tasks_follow_the_steps(void **state)
{
	static char fib[] = "fib fib.c:12";
	char *const names[] = {fib};
	const struct task_counter_names counters = {{"page-faults", "skl::L3:MISS:u"}, 2};
	char *format = block_tracepoint_text(BLOCK_TRACEPOINT_TASK, names, 1, &counters);
	struct step_payload payload = {.type = block_tracepoint_type(BLOCK_TRACEPOINT_TASK),
				       .step = TASK_END,
				       .task = 2,
				       .counters = {17, -1}};

	(void)state;
	assert_non_null(strstr(format, "field:long skl__L3_MISS_u;\toffset:48;\tsize:8;"));
	assert_string_equal(print(format, &payload, STEP_PAYLOAD_COUNTED + 2 * sizeof(int64_t)),
			    "task site=fib fib.c:12 step=end task=2 value=0 index=0 page-faults=17 "
			    "skl::L3:MISS:u=-1");
	free(format);
}

/* The names of written and of read steps come from different files. */
static void all_steps_have_the_names_that_readers_know(void **state)
{
	char *format = block_tracepoint_text(BLOCK_TRACEPOINT_TASK, NULL, 0, &uncounted);

	(void)state;
	for (unsigned step = TASK_BEGIN; step < TASK_STEPS; step++) {
		struct step_payload payload = {.type = block_tracepoint_type(BLOCK_TRACEPOINT_TASK),
					       .step = step};
		char want[100];

		snprintf(want, sizeof(want), "task site=0 step=%s task=0 value=0 index=0",
			 task_step_name(step));
		assert_string_equal(print(format, &payload, STEP_PAYLOAD_BYTES), want);
	}
	free(format);
}

static void without_names_events_have_numbers(void **state)
{
	char *format = block_tracepoint_text(BLOCK_TRACEPOINT_ENTER, NULL, 0, &uncounted);
	struct block_payload payload = {.type = block_tracepoint_type(BLOCK_TRACEPOINT_ENTER),
					.block = 4};

	(void)state;
	assert_string_equal(printed(format, &payload, 0), "enter block=4 args=");
	free(format);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(events_are_printed_with_the_names_of_blocks),
	cmocka_unit_test(steps_of_tasks_are_printed_with_their_sites),
	cmocka_unit_test(counts_of_tasks_follow_the_steps),
	cmocka_unit_test(all_steps_have_the_names_that_readers_know),
	cmocka_unit_test(without_names_events_have_numbers),
};

TEST_FILE(tests);
