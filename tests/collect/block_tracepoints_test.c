/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/block_tracepoints.h"

#include "support.h"

#include <stdlib.h>
#include <string.h>

#include <traceevent/event-parse.h>

/* What libtraceevent prints of this payload; valid until the next call. */
static const char *printed(const char *format, struct block_payload *payload, unsigned args)
{
	static char text[256];
	struct tep_handle *tep = tep_alloc();
	struct tep_record record = {.data = payload, .size = (int)(BLOCK_PAYLOAD_FIXED + args * 8)};
	struct trace_seq seq;

	payload->args_place = BLOCK_PAYLOAD_FIXED | args * 8 << 16;
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
		char *format = block_tracepoint_text(cases[i].which, names, 2);
		struct block_payload payload = {.type = block_tracepoint_type(cases[i].which),
						.block = cases[i].block,
						.args = {7, UINT64_MAX}};

		assert_string_equal(printed(format, &payload, cases[i].args), cases[i].text);
		free(format);
	}
}

static void without_names_events_have_numbers(void **state)
{
	char *format = block_tracepoint_text(BLOCK_TRACEPOINT_ENTER, NULL, 0);
	struct block_payload payload = {.type = block_tracepoint_type(BLOCK_TRACEPOINT_ENTER),
					.block = 4};

	(void)state;
	assert_string_equal(printed(format, &payload, 0), "enter block=4 args=");
	free(format);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_are_printed_with_the_names_of_blocks),
		cmocka_unit_test(without_names_events_have_numbers),
	};

	return RUN_TESTS(tests);
}
