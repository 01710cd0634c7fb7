/* SPDX-License-Identifier: GPL-3.0-or-later */
/* By way of formats, which finds out whose payload it is. */
#include "decode/kernel/call_format.h"

#include "base/err.h"
#include "decode/kernel/formats.h"
#include "decode/payload_decode.h"
#include "decode/recording_bytes.h"
#include "support.h"

#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define BYTES(text)  (text), sizeof(text) - 1

struct payload {
	const char *system, *format, *bytes;
	size_t length;
	size_t needed; /* with fewer bytes it is refused */
	enum event_kind kind;
	enum sync_call call;
	uint64_t object, object2;
	int32_t count;
};

/* Of thread 7, all of them. */
static void assert_decoded(const struct payload *want)
{
	struct formats *formats = formats_new(NULL);
	struct event event = {.tid = 77};

	assert_int_equal(formats_add(formats, want->system, want->format, strlen(want->format)), 0);
	if (payload_decode(formats, &event, want->bytes, want->length) != 1)
		fail_msg("not decoded: %.30s", want->format);
	if (event.kind != want->kind || event.call != want->call || event.tid != 7 ||
	    event.object != want->object || event.object2 != want->object2 ||
	    event.count != want->count)
		fail_msg("kind %d, call %d, tid %d, count %d: %.30s", (int)event.kind,
			 (int)event.call, event.tid, event.count, want->format);
	assert_cut_payload_refused(formats, want->bytes, want->needed);
	formats_free(formats);
}

static void system_calls_and_probes_are_read_where_their_formats_say(void **state)
{
	static const struct payload cases[] = {
		{"syscalls", FORMAT_ENTER_FUTEX,
		 BYTES("\x0a\x02\0\0\x07\0\0\0\xca\0\0\0\0\0\0\0"
		       "\x10\x32\x54\x76\x98\x7f\0\0\x84\0\0\0\0\0\0\0"
		       "\x01\0\0\0\0\0\0\0\xff\xff\xff\x7f\0\0\0\0"
		       "\x20\x32\x54\x76\x98\x7f\0\0\x02\0\0\0\0\0\0\0"),
		 56, EVENT_CALL, SYNC_FUTEX_MOVE, 0x7f9876543210, 0x7f9876543220, 1},
		{"syscalls", FORMAT_ENTER_FUTEX_32,
		 BYTES("\x2d\x01\0\0\x07\0\0\0\xf0\0\0\0\x10\x32\x54\xb6"
		       "\x81\0\0\0\xff\xff\xff\x7f\0\0\0\0\0\0\0\0\0\0\0\0"),
		 32, EVENT_CALL, SYNC_FUTEX_WAKE, 0xb6543210, 0, INT32_MAX},
		{"syscalls", FORMAT_EXIT_FUTEX,
		 BYTES("\x09\x02\0\0\x07\0\0\0\xca\0\0\0\0\0\0\0\xf5\xff\xff\xff\xff\xff\xff\xff"),
		 8, EVENT_RETURN, SYNC_NONE, 0, 0, 0},
		{"syscalls", FORMAT_ENTER_YIELD, BYTES("\x84\x01\0\0\x07\0\0\0\x18\0\0\0"), 8,
		 EVENT_CALL, SYNC_YIELD, 0, 0, 0},
		{"pscal", FORMAT_PROBE("mutex_lock", "1700", ""),
		 BYTES("\xa4\x06\0\0\x07\0\0\0\x10\0\0\0\0\0\0\0\x40\x50\x60\0\0\0\0\0"), 24,
		 EVENT_CALL, SYNC_MUTEX_LOCK, 0x605040, 0, 0},
		{"pscal",
		 FORMAT_PROBE("cond_wait", "1701",
			      "\tfield:u64 object2;\toffset:24;\tsize:8;\tsigned:0;\n"),
		 BYTES("\xa5\x06\0\0\x07\0\0\0\x10\0\0\0\0\0\0\0"
		       "\x40\x50\x60\0\0\0\0\0\x80\x50\x60\0\0\0\0\0"),
		 32, EVENT_CALL, SYNC_COND_WAIT, 0x605040, 0x605080, 0},
		{"pscal",
		 FORMAT_PROBE("barrier_init", "1702",
			      "\tfield:u32 count;\toffset:24;\tsize:4;\tsigned:0;\n"),
		 BYTES("\xa6\x06\0\0\x07\0\0\0\x10\0\0\0\0\0\0\0"
		       "\x40\x50\x60\0\0\0\0\0\x04\0\0\0"),
		 28, EVENT_CALL, SYNC_BARRIER_INIT, 0x605040, 0, 4},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_decoded(&cases[i]);
}

static void an_operation_that_nobody_knows_happens_not(void **state)
{
	static const char payload[64] = "\x0a\x02\0\0\x07\0\0\0\0\0\0\0\0\0\0\0"
					"\x10\0\0\0\0\0\0\0\x02"; /* FUTEX_FD */
	struct formats *formats = formats_new(NULL);
	struct event event = {.tid = 77};

	(void)state;
	assert_int_equal(formats_add(formats, "syscalls", BYTES(FORMAT_ENTER_FUTEX)), 0);
	assert_int_equal(payload_decode(formats, &event, payload, sizeof(payload)), 0);
	formats_free(formats);
}

/* Without the field that matters, or with one that is no number, nothing is known of the event. */
static void an_event_without_its_fields_is_passed_over(void **state)
{
	static const struct {
		const char *system, *format, *name;
	} cases[] = {
		{"syscalls",
		 FORMAT_HEAD("sys_enter_futex",
			     "522") "\tfield:u32 * uaddr;\toffset:16;\tsize:8;\tsigned:0;\n\nprint "
				    "fmt: \"\"\n",
		 "syscalls:sys_enter_futex"},
		{"pscal",
		 FORMAT_HEAD("mutex_lock", "1700") "\tfield:unsigned long "
						   "__probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"
						   "\nprint fmt: \"\"\n",
		 "pscal:mutex_lock"},
		{"pscal",
		 FORMAT_HEAD("mutex_lock", "1700") "\tfield:__data_loc char[] "
						   "object;\toffset:8;\tsize:4;\tsigned:0;\n"
						   "\nprint fmt: \"\"\n",
		 "pscal:mutex_lock"},
		{"other", FORMAT_PROBE("mutex_lock", "1700", ""), "pscal:mutex_lock"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct formats *formats = formats_new(NULL);

		formats_add(formats, cases[i].system, cases[i].format, strlen(cases[i].format));
		if (formats_type(formats, cases[i].name) != -1)
			fail_msg("case %zu has a type", i);
		formats_free(formats);
	}
}

static void calls_stand_beside_switches(void **state)
{
	struct formats *formats = formats_new(NULL);

	(void)state;
	assert_int_equal(formats_add(formats, "sched", BYTES(FORMAT_SWITCH)), 0);
	assert_int_equal(formats_add(formats, "syscalls", BYTES(FORMAT_ENTER_FUTEX)), 0);
	assert_int_equal(formats_add(formats, "pscal", BYTES(FORMAT_PROBE("sem_post", "1703", ""))),
			 0);
	assert_true(formats_have_switch(formats));
	assert_int_equal(formats_type(formats, "sched:sched_switch"), 372);
	assert_int_equal(formats_type(formats, "syscalls:sys_enter_futex"), 522);
	assert_int_equal(formats_type(formats, "syscalls:sys_exit_futex"), -1);
	assert_int_equal(formats_type(formats, "pscal:sem_post"), 1703);
	assert_int_equal(formats_type(formats, "sem_post"), -1);
	formats_free(formats);
}

static void numbers_of_the_other_byte_order_are_turned(void **state)
{
	static const char *const formats_of_it[] = {FORMAT_PROBE("mutex_lock", "1700", "")};
	static const char payload[] = "\x06\xa4\0\0\0\0\0\x07\0\0\0\0\0\0\0\x10\0\0\0\0\0\x60\x50";
	struct formats *formats = formats_new(NULL);
	struct event event = {.tid = 77};
	struct bytes big = {0};
	struct err err;

	(void)state;
	put(&big, "\x17\x08\x44tracing0.6\0\1\x08\0\0\x10\0", 20);
	put(&big, "header_page\0\0\0\0\0\0\0\0\1x", 21);
	put(&big, "header_event\0\0\0\0\0\0\0\0\1x", 22);
	put(&big, "\0\0\0\0\0\0\0\1pscal\0\0\0\0\1\0\0\0\0\0\0", 24);
	put(&big, (char[]){(char)(strlen(formats_of_it[0]) >> 8), (char)strlen(formats_of_it[0])},
	    2);
	put(&big, formats_of_it[0], strlen(formats_of_it[0]));
	if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
		skip();
	if (formats_read(formats, big.at, big.count, &err))
		fail_msg("%s", err.text);
	assert_int_equal(payload_decode(formats, &event, payload, sizeof(payload)), 1);
	assert_int_equal(event.tid, 7);
	assert_int_equal(event.object, 0x605000);
	free(big.at);
	formats_free(formats);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(system_calls_and_probes_are_read_where_their_formats_say),
		cmocka_unit_test(an_operation_that_nobody_knows_happens_not),
		cmocka_unit_test(an_event_without_its_fields_is_passed_over),
		cmocka_unit_test(calls_stand_beside_switches),
		cmocka_unit_test(numbers_of_the_other_byte_order_are_turned),
	};
	return RUN_TESTS(tests);
}
