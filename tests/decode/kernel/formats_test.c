/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/kernel/formats.h"

#include "base/err.h"
#include "decode/payload_decode.h"
#include "decode/recording_bytes.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define IS_BIG	    (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
#define BYTES(text) (text), sizeof(text) - 1

static struct formats *formats_of(const char *format)
{
	struct formats *formats = formats_new(NULL);

	assert_int_equal(formats_add(formats, "sched", format, strlen(format)), 0);
	return formats;
}

struct expected {
	int rc;
	enum event_kind kind;
	int32_t tid, other;
	enum thread_state state;
	const char *comm, *other_comm;
};

/* Decodes a payload; every cut before `needed` bytes is refused. */
static void assert_decoded(const char *format, const void *payload, size_t length, size_t needed,
			   const struct expected *want)
{
	struct formats *formats = formats_of(format);
	struct event event = {.tid = 77};

	assert_int_equal(payload_decode(formats, &event, payload, length), want->rc);
	if (want->rc > 0) {
		assert_int_equal(event.kind, want->kind);
		assert_int_equal(event.tid, want->tid);
		assert_int_equal(event.other, want->other);
		assert_int_equal(event.state, want->state);
		assert_string_equal(event.comm, want->comm);
		assert_string_equal(event.other_comm, want->other_comm);
	}
	assert_cut_payload_refused(formats, payload, needed);
	formats_free(formats);
}

#define SWITCH_64(state)                                   \
	"\x74\x01\0\0\x39\x30\0\0"                         \
	"make\0\0\0\0\0\0\0\0\0\0\0\0"                     \
	"\x39\x30\0\0\x78\0\0\0" state "fifteen letters\0" \
	"\xff\xff\x3f\0\x78\0\0\0"

static void a_switch_tells_the_thread_that_leaves_and_the_one_that_comes(void **state)
{
	static const struct expected sleeps = {
		1, EVENT_SWITCH, 12345, 4194303, STATE_SLEEPING, "make", "fifteen letters"};
	static const struct expected preempted = {
		1, EVENT_SWITCH, 12345, 4194303, STATE_RUNNABLE, "make", "fifteen letters"};

	(void)state;
	assert_decoded(FORMAT_SWITCH, BYTES(SWITCH_64("\x01\0\0\0\0\0\0\0")), 60, &sleeps);
	assert_decoded(FORMAT_SWITCH, BYTES(SWITCH_64("\0\x01\0\0\0\0\0\0")), 60, &preempted);
}

/* The thread that leaves a CPU raises the event: with another number one of them is damaged. */
static void a_switch_of_another_thread_is_refused(void **state)
{
	static const struct expected damaged = {.rc = -1};
	static const char good[] = SWITCH_64("\x01\0\0\0\0\0\0\0");

	(void)state;
	for (size_t at = 4; at < 28; at = at == 7 ? 24 : at + 1) {
		char payload[sizeof(good)];

		memcpy(payload, good, sizeof(good));
		payload[at] ^= 1;
		assert_decoded(FORMAT_SWITCH, payload, sizeof(good) - 1, 60, &damaged);
	}
}

static void on_32_bits_the_state_has_4_bytes(void **state)
{
	static const struct expected want = {1, EVENT_SWITCH, 5, 6, STATE_DISK, "a", "b"};

	(void)state;
	assert_decoded(FORMAT_SWITCH_32,
		       BYTES("\x36\0\0\0\x05\0\0\0"
			     "a\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
			     "\x05\0\0\0\x78\0\0\0"
			     "\x02\0\0\0"
			     "b\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
			     "\x06\0\0\0\x78\0\0\0"),
		       56, &want);
}

/* The kernel also copies bytes after the NUL, and may have put no NUL there. */
static void a_name_ends_at_its_nul_or_with_15_letters(void **state)
{
	static const struct {
		char field[COMM_SIZE + 1];
		const char *want;
	} cases[] = {
		{"\000bcdefghijklmnop", ""},
		{"a\000cdefghijklmnop", "a"},
		{"abcdefg\000ij\000lm\000op", "abcdefg"},
		{"abcdefgh\000jkl\000nop", "abcdefgh"},
		{"abcdefghi\000klmn\000p", "abcdefghi"},
		{"abcdefghijklmn\000p", "abcdefghijklmn"},
		{"abcdefghijklmnop", "abcdefghijklmno"},
		{"\x80\xff\x01\x81\x80\000\x01\x01\x80\x80\x80\x80\x01\x02\x03\x04",
		 "\x80\xff\x01\x81\x80"},
		{"\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01",
		 "\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01"},
	};
	struct formats *formats = formats_of(FORMAT_WAKING);

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char payload[36] = "\x77\x01";
		struct event event;

		memcpy(payload + 8, cases[i].field, 16);
		assert_int_equal(payload_decode(formats, &event, payload, sizeof(payload)), 1);
		assert_string_equal(event.other_comm, cases[i].want);
	}
	formats_free(formats);
}

static void a_wake_tells_the_waker_and_the_woken_thread(void **state)
{
	static const struct expected want = {1, EVENT_WAKE, 7, 8, STATE_NONE, "", "sleeper"};

	(void)state;
	assert_decoded(FORMAT_WAKING,
		       BYTES("\x77\x01\0\0\x07\0\0\0"
			     "sleeper\0\0\0\0\0\0\0\0\0"
			     "\x08\0\0\0\x78\0\0\0\x01\0\0\0"),
		       28, &want);
}

/* Bits of common_flags: TRACE_FLAG_HARDIRQ is 8, _SOFTIRQ 16, _NEED_RESCHED 4, _BH_OFF 128. */
static void a_wake_in_an_interrupt_is_marked(void **state)
{
	static const struct {
		unsigned char flags;
		bool want;
	} cases[] = {{0x00, false}, {0x04, false}, {0x80, false}, {0x85, false},
		     {0x08, true},  {0x10, true},  {0x18, true},  {0x9d, true}};
	struct formats *waking = formats_of(FORMAT_WAKING), *old = formats_of(FORMAT_WAKEUP_OLD);

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char payload[40] = "\x77\x01";
		struct event event = {.interrupt = !cases[i].want};

		payload[2] = (char)cases[i].flags;
		assert_int_equal(payload_decode(waking, &event, payload, 36), 1);
		assert_int_equal(event.interrupt, cases[i].want);
		event.interrupt = !cases[i].want;
		memcpy(payload, "\x37\0", 2);
		payload[32] = 1; /* success */
		assert_int_equal(payload_decode(old, &event, payload, sizeof(payload)), 1);
		assert_int_equal(event.interrupt, cases[i].want);
	}
	formats_free(waking);
	formats_free(old);
}

#define WAKEUP_OLD(success)               \
	"\x37\0\0\0\x07\0\0\0"            \
	"s\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0" \
	"\x08\0\0\0\x78\0\0\0" success "\0\0\0\0"

static void a_wakeup_without_success_did_not_happen(void **state)
{
	static const struct expected woken = {1, EVENT_WAKE, 7, 8, STATE_NONE, "", "s"};
	static const struct expected nothing = {.rc = 0};

	(void)state;
	assert_decoded(FORMAT_WAKEUP_OLD, BYTES(WAKEUP_OLD("\x01\0\0\0")), 36, &woken);
	assert_decoded(FORMAT_WAKEUP_OLD, BYTES(WAKEUP_OLD("\0\0\0\0")), 36, &nothing);
}

static void a_fork_of_an_old_kernel_has_its_names_in_place(void **state)
{
	static const struct expected want = {1, EVENT_FORK, 5, 6, STATE_NONE, "sh", "sh-child"};

	(void)state;
	assert_decoded(FORMAT_FORK_OLD,
		       BYTES("\x3c\0\0\0\x05\0\0\0"
			     "sh\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
			     "\x05\0\0\0"
			     "sh-child\0\0\0\0\0\0\0\0"
			     "\x06\0\0\0"),
		       48, &want);
}

#define FORK(parent_at, child_at)                                             \
	"\x6e\x01\0\0\x05\0\0\0" parent_at "\x05\0\0\0" child_at "\x06\0\0\0" \
	"sh\0child\0\0\0\0"

static void a_fork_of_a_new_kernel_tells_the_places_of_its_names(void **state)
{
	static const struct {
		const char *parent, *child;
		const char *comm, *other_comm;
	} cases[] = {
		{"\x18\0\x03\0", "\x1b\0\x06\0", "sh", "child"},
		{"\x18\0\x03\0", "\x1b\0\x03\0", "sh", "chi"}, /* no NUL inside */
		{"\x18\0\0\0", "\x1b\0\x06\0", "", "child"},
		{"\x18\0\x03\0", "\x1b\0\xff\xff", "sh", ""}, /* beyond the end */
		{"\xff\xff\x03\0", "\x1b\0\x06\0", "", "child"},
		{"\xff\xff\xff\xff", "\xff\xff\xff\xff", "", ""},
		{"\x23\0\0\0", "\x24\0\0\0", "", ""},
		{"\x23\0\x01\0", "\x22\0\x02\0", "", ""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct expected want = {
			1, EVENT_FORK, 5, 6, STATE_NONE, cases[i].comm, cases[i].other_comm};
		char payload[] = FORK("0000", "0000");

		memcpy(payload + 8, cases[i].parent, 4);
		memcpy(payload + 16, cases[i].child, 4);
		assert_decoded(FORMAT_FORK, payload, sizeof(payload) - 1, 24, &want);
	}
}

/* Of each length, at the very end of the payload and before more bytes. */
static void a_name_elsewhere_may_have_any_length(void **state)
{
	static const char letters[] = "abcdefghijklmnopqrst";
	struct formats *formats = formats_of(FORMAT_FORK);

	(void)state;
	for (size_t size = 0; size < sizeof(letters); size++) {
		for (size_t behind = 0; behind < 20; behind += 19) {
			char *payload = calloc(24 + size + behind, 1); /* its end is watched */
			const char head[] = FORK("\x18\0\0\0", "\x18\0\0\0");
			char want[COMM_SIZE] = "";
			struct event event;

			memcpy(payload, head, 24);
			payload[18] = (char)size;
			memcpy(payload + 24, letters, size);
			memset(payload + 24 + size, '!', behind);
			memcpy(want, letters, size < 15 ? size : 15);
			assert_int_equal(
				payload_decode(formats, &event, payload, 24 + size + behind), 1);
			assert_memory_equal(event.other_comm, want, COMM_SIZE);
			free(payload);
		}
	}
	formats_free(formats);
}

static void a_name_may_be_far_after_the_fields(void **state)
{
	static const struct expected want = {1, EVENT_FORK, 5, 6, STATE_NONE, "sh", "far"};
	char payload[300] = FORK("\x18\0\x03\0", "\x12\x01\x04\0");

	(void)state;
	memcpy(payload + 0x112, "far", 4);
	assert_decoded(FORMAT_FORK, payload, sizeof(payload), 24, &want);
}

static void a_name_may_be_the_last_field(void **state)
{
	static const char format[] =
		FORMAT_HEAD("sched_process_exit",
			    "369") "\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n"
				   "\tfield:char comm[16];\toffset:12;\tsize:16;\tsigned:0;\n"
				   "\nprint fmt: \"comm=%s\", REC->comm\n";
	static const char fork[] =
		FORMAT_HEAD("sched_process_fork",
			    "366") "\tfield:pid_t parent_pid;\toffset:8;\tsize:4;\tsigned:1;\n"
				   "\tfield:pid_t child_pid;\toffset:12;\tsize:4;\tsigned:1;\n"
				   "\tfield:char child_comm[8];\toffset:16;\tsize:8;\tsigned:0;\n"
				   "\nprint fmt: \"comm=%s\", REC->child_comm\n";
	static const struct expected ends = {1,		 EVENT_EXIT,	    8, 0,
					     STATE_NONE, "sixteen letters", ""};
	static const struct expected born = {1, EVENT_FORK, 5, 6, STATE_NONE, "", "no ends!"};

	(void)state;
	assert_decoded(format,
		       BYTES("\x71\x01\0\0\x08\0\0\0\x08\0\0\0"
			     "sixteen letters!"),
		       28, &ends);
	assert_decoded(fork, BYTES("\x6e\x01\0\0\x05\0\0\0\x05\0\0\0\x06\0\0\0no ends!"), 24,
		       &born);
}

static void an_exit_tells_the_thread_that_ends(void **state)
{
	static const struct expected want = {1, EVENT_EXIT, 8, 0, STATE_NONE, "bye", ""};

	(void)state;
	assert_decoded(FORMAT_EXIT,
		       BYTES("\x71\x01\0\0\x08\0\0\0"
			     "bye\0\0\0\0\0\0\0\0\0\0\0\0\0"
			     "\x08\0\0\0\x78\0\0\0"),
		       28, &want);
}

static void a_payload_of_another_type_is_unknown(void **state)
{
	struct formats *formats = formats_of(FORMAT_SWITCH);
	struct event event;

	(void)state;
	assert_int_equal(payload_decode(formats, &event, BYTES("\x75\x01\0\0")), 0);
	assert_int_equal(payload_decode(formats, &event, BYTES("\xff\xff")), 0);
	assert_int_equal(payload_decode(formats, &event, BYTES("\x74")), -1);
	assert_int_equal(payload_decode(formats, &event, "", 0), -1);
	formats_free(formats);
}

static void types_are_known_by_name(void **state)
{
	struct formats *formats = formats_of(FORMAT_SWITCH);

	(void)state;
	assert_true(formats_type(formats, "sched:sched_switch") >= 0);
	assert_int_equal(formats_type(formats, "sched:sched_switch"), 372);
	assert_int_equal(formats_type(formats, "sched:sched_waking"), -1);
	assert_int_equal(formats_type(formats, "sched_switch"), -1);
	assert_int_equal(formats_type(formats, "sched:"), -1);
	assert_int_equal(formats_add(formats, "sched", BYTES(FORMAT_WAKING)), 0);
	assert_int_equal(formats_type(formats, "sched:sched_waking"), 375);
	formats_free(formats);
	formats = formats_of(FORMAT_WAKING);
	assert_false(formats_type(formats, "sched:sched_switch") >= 0);
	formats_free(formats);
}

/* A payload has two bytes for its type. */
static void a_type_beyond_those_of_payloads_is_not_found(void **state)
{
	static const char *const ids[] = {"65535", "65536", "2147483647"};

	(void)state;
	for (size_t i = 0; i < COUNT(ids); i++) {
		static const char known[] = "ID: 375";
		static const char text[] = FORMAT_WAKING;
		const char *at = strstr(text, known);
		struct formats *formats;
		char format[4096];

		assert_non_null(at);
		snprintf(format, sizeof(format), "%.*sID: %s%s", (int)(at - text), text, ids[i],
			 at + sizeof(known) - 1);
		formats = formats_of(format);
		assert_int_equal(formats_found(formats, "sched:sched_waking"), 0);
		formats_free(formats);
	}
}

static void only_known_sched_events_are_decoded(void **state)
{
	struct formats *formats = formats_new(NULL);

	(void)state;
	assert_int_equal(formats_add(formats, "other", BYTES(FORMAT_SWITCH)), 0);
	assert_int_equal(formats_add(formats, "sched", BYTES("name: sched_move_numa\nnonsense")),
			 0);
	assert_int_equal(formats_add(formats, "sched", "", 0), 0);
	assert_false(formats_type(formats, "sched:sched_switch") >= 0);
	formats_free(formats);
}

/* A switch whose format describes the field prev_pid by `field`. */
static int add_switch_with(const char *field, bool *have)
{
	static const char whole[] = FORMAT_SWITCH;
	static const char usual[] = "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n";
	const char *at = strstr(whole, usual);
	struct formats *formats = formats_new(NULL);
	struct bytes text = {0};
	int rc;

	put(&text, whole, (size_t)(at - whole));
	put(&text, field, strlen(field));
	put(&text, at + strlen(usual), strlen(at) - strlen(usual));
	rc = formats_add(formats, "sched", text.at, text.count);
	*have = formats_type(formats, "sched:sched_switch") >= 0;
	free(text.at);
	formats_free(formats);
	return rc;
}

static void a_damaged_text_is_refused(void **state)
{
	static const char *const fields[] = {
		"\tfield:pid_t prev\n_pid;\toffset:24;\tsize:4;\tsigned:1;\n",
		"\tfield:pid_t prev_pid[;\toffset:24;\tsize:4;\tsigned:1;\n",
		"\tfield:pid_t prev_pid];\toffset:24;\tsize:4;\tsigned:1;\n",
		"\tfield:pid_t prev_pid[[2]];\toffset:24;\tsize:4;\tsigned:1;\n",
		"\tfield:pid_t prev_pid[\n2];\toffset:24;\tsize:4;\tsigned:1;\n",
		"\tfield:;\toffset:24;\tsize:4;\tsigned:1;\n",
		"\tfield: prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n",
		"\tfield:pid_t prev_pid\toffset:24;\tsize:4;\tsigned:1;\n",
		"\tfield:pid_t prev_pid;\toffset:;\tsize:4;\tsigned:1;\n",
		"\tfield:pid_t prev_pid;\toffset:24;\tsize:x;\tsigned:1;\n",
		"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:7;\n",
		"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1; more\n",
		"\tfield:pid_t \"prev_pid\";\toffset:24;\tsize:4;\tsigned:1;\n",
		"\tfield:pid_t (prev_pid);\toffset:24;\tsize:4;\tsigned:1;\n",
		"\tfield:prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n",
		"\tfield:pid_t 7prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n",
		"\t\n",
		"\n",
		"something else\n",
	};
	bool have;

	(void)state;
	for (size_t i = 0; i < COUNT(fields); i++) {
		if (add_switch_with(fields[i], &have) != -1)
			fail_msg("'%s' was taken", fields[i]);
		assert_false(have);
	}
	assert_int_equal(add_switch_with("", &have), 0);
	assert_false(have); /* no thread that leaves the CPU */
}

static void a_field_beyond_all_payloads_is_refused(void **state)
{
	static const char *const places[] = {
		"4294967295", "4294967292", "2147483647",	   "65536",
		"32",	      "29",	    "99999999999999999999"};

	(void)state;
	for (size_t i = 0; i < COUNT(places); i++) {
		static const char whole[] = FORMAT_EXIT;
		const char *at = strstr(whole, "offset:24");
		struct formats *formats = formats_new(NULL);
		struct bytes text = {0};
		struct event event;

		put(&text, whole, (size_t)(at - whole));
		put(&text, "offset:", 7);
		put(&text, places[i], strlen(places[i]));
		put(&text, at + 9, strlen(at + 9));
		formats_add(formats, "sched", text.at, text.count);
		assert_true(payload_decode(formats, &event,
					   BYTES("\x71\x01\0\0\x08\0\0\0"
						 "bye\0\0\0\0\0\0\0\0\0\0\0\0\0"
						 "\x08\0\0\0\x78\0\0\0")) <= 0);
		free(text.at);
		formats_free(formats);
	}
}

/* --- The tracing data section -------------------------------------------------------------- */

static const char *const texts[] = {FORMAT_SWITCH, FORMAT_WAKING, FORMAT_FORK, FORMAT_EXIT};

static void the_tracing_data_hold_the_formats(void **state)
{
	struct formats *formats = formats_new(NULL);
	struct bytes bytes = {0};
	struct err err = {.text = ""};

	(void)state;
	put_tracing_data(&bytes, "sched", texts, COUNT(texts));
	put_tracing_data_end(&bytes);
	assert_int_equal(formats_read(formats, bytes.at, bytes.count, &err), 0);
	assert_int_equal(formats_type(formats, "sched:sched_switch"), 372);
	assert_int_equal(formats_type(formats, "sched:sched_waking"), 375);
	assert_int_equal(formats_type(formats, "sched:sched_process_fork"), 366);
	assert_int_equal(formats_type(formats, "sched:sched_process_exit"), 369);
	formats_free(formats);
	free(bytes.at);
}

static void tracing_data_cut_anywhere_are_refused(void **state)
{
	struct bytes bytes = {0};

	(void)state;
	put_tracing_data(&bytes, "sched", texts, COUNT(texts));
	for (size_t cut = 0; cut < bytes.count; cut++) {
		struct formats *formats = formats_new(NULL);
		char *copy = malloc(cut ? cut : 1); /* the sanitizer watches its end */
		struct err err = {.text = ""};

		memcpy(copy, bytes.at, cut);
		if (formats_read(formats, copy, cut, &err) != -1)
			fail_msg("%zu bytes of %zu were enough", cut, bytes.count);
		assert_non_null(strstr(err.text, "its tracing data"));
		formats_free(formats);
		free(copy);
	}
	free(bytes.at);
}

static void strange_tracing_data_are_refused_with_a_sentence(void **state)
{
	static const struct {
		size_t at;
		const char *bytes;
		size_t length;
		const char *why;
	} cases[] = {
		{0, "\x18", 1, "begin with wrong bytes"},
		{9, "G", 1, "begin with wrong bytes"},
		{14, "\x01", 1, "cut short or damaged"}, /* the other byte order */
		{14, "\x02", 1, "name no byte order"},
		{20, "header_pagE", 11, "cut short or damaged"},
		{32, "\xff\xff\xff\xff\xff\xff\xff\xff", 8, "cut short or damaged"},
		{32, "\x06\0\0\0\0\0\0\0", 8, "cut short or damaged"},
		{71, "\xff\xff\xff\xff", 4, "cut short or damaged"}, /* ftrace formats */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct formats *formats = formats_new(NULL);
		struct bytes bytes = {0};
		struct err err = {.text = ""};

		put_tracing_data(&bytes, "sched", texts, COUNT(texts));
		memcpy(bytes.at + cases[i].at, cases[i].bytes, cases[i].length);
		assert_int_equal(formats_read(formats, bytes.at, bytes.count, &err), -1);
		if (!strstr(err.text, cases[i].why))
			fail_msg("case %zu: %s", i, err.text);
		formats_free(formats);
		free(bytes.at);
	}
}

/* --- Files of other machines --------------------------------------------------------------- */

static void put_turned(struct bytes *bytes, uint64_t number, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		char byte = (char)(number >> 8 * (IS_BIG ? i : size - 1 - i));

		put(bytes, &byte, 1);
	}
}

static void put_turned_block(struct bytes *bytes, const char *text)
{
	put_turned(bytes, strlen(text), 8);
	put(bytes, text, strlen(text));
}

/* Formats of one event by a machine of the other byte order. */
static struct formats *turned_formats_of(const char *format)
{
	const char order[] = {!IS_BIG, 8};
	struct formats *formats = formats_new(NULL);
	struct bytes bytes = {0};
	struct err err = {.text = ""};

	put(&bytes, "\x17\x08\x44tracing0.5", 14);
	put(&bytes, order, sizeof(order));
	put_turned(&bytes, 4096, 4);
	put_text(&bytes, "header_page");
	put_turned_block(&bytes, "");
	put_text(&bytes, "header_event");
	put_turned_block(&bytes, "");
	put_turned(&bytes, 0, 4);
	put_turned(&bytes, 1, 4);
	put_text(&bytes, "sched");
	put_turned(&bytes, 1, 4);
	put_turned_block(&bytes, format);
	if (formats_read(formats, bytes.at, bytes.count, &err))
		fail_msg("%s", err.text);
	free(bytes.at);
	return formats;
}

/* A switch from 5 to 6; prev_state has 4 bytes on machines of 32 bits. */
static struct bytes turned_switch(uint64_t type, uint64_t bits, size_t long_size)
{
	struct bytes payload = {0};

	put_turned(&payload, type, 2);
	put_turned(&payload, 0, 2);
	put_turned(&payload, 5, 4);
	put(&payload, "from\0\0\0\0\0\0\0\0\0\0\0", 16);
	put_turned(&payload, 5, 4);
	put_turned(&payload, 120, 4);
	put_turned(&payload, bits, long_size);
	put(&payload, "to\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
	put_turned(&payload, 6, 4);
	put_turned(&payload, 120, 4);
	return payload;
}

static void payloads_have_the_byte_order_of_their_machine(void **state)
{
	static const struct {
		const char *format;
		uint64_t type;
		size_t long_size;
	} cases[] = {{FORMAT_SWITCH, 372, 8}, {FORMAT_SWITCH_32, 54, 4}};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct formats *formats = turned_formats_of(cases[i].format);
		struct bytes payload = turned_switch(cases[i].type, 2, cases[i].long_size);
		struct event event;

		assert_int_equal(payload_decode(formats, &event, payload.at, payload.count), 1);
		assert_int_equal(event.kind, EVENT_SWITCH);
		assert_int_equal(event.tid, 5);
		assert_int_equal(event.other, 6);
		assert_int_equal(event.state, STATE_DISK);
		assert_string_equal(event.comm, "from");
		assert_string_equal(event.other_comm, "to");
		free(payload.at);
		formats_free(formats);
	}
}

static void places_of_names_have_the_byte_order_of_their_machine(void **state)
{
	struct formats *formats = turned_formats_of(FORMAT_FORK);
	struct bytes payload = {0};
	struct event event;

	(void)state;
	put_turned(&payload, 366, 2);
	put_turned(&payload, 0, 2);
	put_turned(&payload, 5, 4);
	put_turned(&payload, 3 << 16 | 24, 4);
	put_turned(&payload, 5, 4);
	put_turned(&payload, 6 << 16 | 27, 4);
	put_turned(&payload, 6, 4);
	put(&payload, "sh\0child", 9);
	assert_int_equal(payload_decode(formats, &event, payload.at, payload.count), 1);
	assert_string_equal(event.comm, "sh");
	assert_string_equal(event.other_comm, "child");
	free(payload.at);
	formats_free(formats);
}

static void a_relative_place_counts_from_the_end_of_its_field(void **state)
{
	static const char format[] =
		FORMAT_HEAD("sched_process_exit", "369") "\tfield:__rel_loc char[] comm;\toffset:8;"
							 "\tsize:4;\tsigned:0;\n"
							 "\tfield:pid_t pid;\toffset:12;\tsize:4;"
							 "\tsigned:1;\n"
							 "\nprint fmt: \"\"\n";
	static const struct expected want = {1, EVENT_EXIT, 8, 0, STATE_NONE, "bye", ""};

	(void)state;
	assert_decoded(format,
		       BYTES("\x71\x01\0\0\x08\0\0\0"
			     "\x04\0\x04\0\x08\0\0\0"
			     "bye\0"),
		       16, &want);
}

/* sched_stat_runtime with a `runtime` of this size and sign. */
static uint64_t runtime_of(const char *size, const char *sign, const char *bytes, size_t length)
{
	char *format = xasprintf("%s\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n"
				 "\tfield:u64 runtime;\toffset:12;\tsize:%s;\tsigned:%s;\n"
				 "\nprint fmt: \"\"\n",
				 FORMAT_HEAD("sched_stat_runtime", "300"), size, sign);
	struct formats *formats = formats_of(format);
	struct bytes payload = {0};
	struct event event;

	put(&payload, "\x2c\x01\0\0\x08\0\0\0\x08\0\0\0", 12);
	put(&payload, bytes, length);
	assert_int_equal(payload_decode(formats, &event, payload.at, payload.count), 1);
	assert_int_equal(event.kind, EVENT_RAN);
	free(payload.at);
	formats_free(formats);
	free(format);
	return event.ran_ns;
}

static void a_number_has_the_size_and_the_sign_of_its_field(void **state)
{
	(void)state;
	assert_int_equal(runtime_of("1", "0", BYTES("\xfe")), 0xfe);
	assert_int_equal(runtime_of("2", "0", BYTES("\xfe\xff")), 0xfffe);
	assert_int_equal(runtime_of("2", "1", BYTES("\xfe\xff")), (uint64_t)-2);
	assert_int_equal(runtime_of("4", "0", BYTES("\xfe\xff\xff\xff")), 0xfffffffe);
	assert_int_equal(runtime_of("4", "1", BYTES("\xfe\xff\xff\xff")), (uint64_t)-2);
	assert_int_equal(runtime_of("8", "0", BYTES("\x01\x02\x03\x04\x05\x06\x07\x08")),
			 0x0807060504030201);
}

/* Before Linux 4.14, 64 was a dead thread, and is a parked one today. */
static void the_format_tells_the_meaning_of_the_state(void **state)
{
	static const struct expected parked = {
		1, EVENT_SWITCH, 12345, 4194303, STATE_SLEEPING, "make", "fifteen letters"};
	static const struct expected dead = {1,	     EVENT_SWITCH,     12345, 4194303, STATE_NONE,
					     "make", "fifteen letters"};
	static const char print[] = "__print_flags(REC->prev_state & (1024-1), \"|\", { 1, \"S\"} "
				    ", { 2, \"D\" }, { 4, \"T\" }, { 64, \"x\" })\n";
	static const char whole[] = FORMAT_SWITCH;
	char *old = xasprintf("%.*s%s", (int)(strstr(whole, "(REC->") - whole), whole, print);

	(void)state;
	assert_decoded(FORMAT_SWITCH, BYTES(SWITCH_64("\x40\0\0\0\0\0\0\0")), 60, &parked);
	assert_decoded(old, BYTES(SWITCH_64("\x40\0\0\0\0\0\0\0")), 60, &dead);
	free(old);
}

#define CALL "(REC->prev_state & (1023)) ? __print_flags(REC->prev_state & (1023), \"|\", "
#define REST " ) : \"R\", REC->prev_state & 1024 ? \"+\" : \"\""

/* Print formats of kernels. */
#define LINUX_3_2                                                                            \
	"\"prev_state=%s\", REC->prev_state & (512-1) ? __print_flags(REC->prev_state & "    \
	"(512-1), \"|\", { 1, \"S\"} , { 2, \"D\" }, { 4, \"T\" }, { 8, \"t\" }, { 16, "     \
	"\"Z\" }, { 32, \"X\" }, { 64, \"x\" }, { 128, \"W\" }) : \"R\", REC->prev_state & " \
	"512 ? \"+\" : \"\""
#define LINUX_4_9                                                                             \
	"\"prev_state=%s%s\", REC->prev_state & (4096-1) ? __print_flags(REC->prev_state & "  \
	"(4096-1), \"|\", { 1, \"S\"} , { 2, \"D\" }, { 4, \"T\" }, { 8, \"t\" }, { 16, "     \
	"\"Z\" }, { 32, \"X\" }, { 64, \"x\" }, { 128, \"K\" }, { 256, \"W\" }, { 512, "      \
	"\"P\" }, { 1024, \"N\" }, { 2048, \"n\" }) : \"R\", REC->prev_state & 4096 ? \"+\" " \
	": \"\", REC->next_comm"
#define LINUX_6_1                                                                           \
	"\"%s%s\", (REC->prev_state & ((((0x00000000 | 0x00000001) + 1) << 1) - 1)) ? "     \
	"__print_flags(REC->prev_state & ((((0x00000000 | 0x00000001) + 1) << 1) - 1), "    \
	"\"|\", { 0x00000001, \"S\" }, { 0x00000002, \"D\" }, { 0x00000004, \"T\" }, { "    \
	"0x00000008, \"t\" }, { 0x00000010, \"X\" }, { 0x00000020, \"Z\" }, { 0x00000040, " \
	"\"P\" }, { 0x00000080, \"I\" }) : \"R\", REC->prev_state & 0x100 ? \"+\" : \"\""

/* Formats of a switch with that print format, in exactly so many bytes, so that a sanitizer notices
 * reads beyond it. */
static struct formats *print_of(const char *print, size_t length)
{
	static const char rest[] = "\nprint fmt: ", whole[] = FORMAT_SWITCH;
	size_t head = (size_t)(strstr(whole, rest) - whole) + strlen(rest);
	struct formats *formats = formats_new(NULL);
	char *text = malloc(head + length);

	memcpy(text, whole, head);
	memcpy(text + head, print, length);
	assert_int_equal(formats_add(formats, "sched", text, head + length), 0);
	free(text);
	return formats;
}

/* The state of a thread that leaves its CPU with these bits. */
static enum thread_state state_of(struct formats *formats, uint64_t bits)
{
	char payload[64] = "\x74\x01";
	struct event event;

	memcpy(payload + 32, &bits, sizeof(bits));
	assert_int_equal(payload_decode(formats, &event, payload, sizeof(payload)), 1);
	return event.state;
}

static void bits_that_no_kernel_has_are_damaged(void **state)
{
	struct formats *formats = turned_formats_of(FORMAT_SWITCH);
	struct bytes payload = turned_switch(372, UINT64_C(0xffffffff00000001), 8);
	struct event event;

	(void)state;
	assert_int_equal(payload_decode(formats, &event, payload.at, payload.count), -1);
	formats_free(formats);
	formats = formats_of(FORMAT_SWITCH);
	memcpy(payload.at, "\x74\x01", 2);
	assert_int_equal(payload_decode(formats, &event, payload.at, payload.count), -1);
	formats_free(formats);
	free(payload.at);
}

static void the_format_of_each_kernel_tells_the_meaning_of_its_bits(void **state)
{
	static const struct {
		const char *print;
		uint64_t bits;
		enum thread_state want;
	} cases[] = {
		{LINUX_3_2, 0, STATE_RUNNABLE},
		{LINUX_3_2, 1, STATE_SLEEPING},
		{LINUX_3_2, 2, STATE_DISK},
		{LINUX_3_2, 4, STATE_STOPPED},
		{LINUX_3_2, 16, STATE_NONE},
		{LINUX_3_2, 32, STATE_NONE},
		{LINUX_3_2, 64, STATE_NONE},
		{LINUX_3_2, 512, STATE_RUNNABLE}, /* TASK_STATE_MAX: preempted */
		{LINUX_4_9, 1, STATE_SLEEPING},
		{LINUX_4_9, 8, STATE_STOPPED},
		{LINUX_4_9, 64, STATE_NONE},
		{LINUX_4_9, 64 | 2, STATE_NONE},
		{LINUX_4_9, 128 | 2, STATE_DISK},    /* killable */
		{LINUX_4_9, 128 | 4, STATE_STOPPED}, /* stopped by a signal */
		{LINUX_4_9, 128, STATE_UNKNOWN},
		{LINUX_4_9, 256, STATE_UNKNOWN},
		{LINUX_4_9, 512, STATE_SLEEPING},      /* parked */
		{LINUX_4_9, 1024 | 2, STATE_SLEEPING}, /* TASK_IDLE */
		{LINUX_4_9, 4096, STATE_RUNNABLE},
		{LINUX_6_1, 0, STATE_RUNNABLE},
		{LINUX_6_1, 1, STATE_SLEEPING},
		{LINUX_6_1, 2, STATE_DISK},
		{LINUX_6_1, 0x10, STATE_NONE},
		{LINUX_6_1, 0x20, STATE_NONE},
		{LINUX_6_1, 0x40, STATE_SLEEPING},
		{LINUX_6_1, 0x80, STATE_SLEEPING},
		{LINUX_6_1, 0x100, STATE_RUNNABLE},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct formats *formats = print_of(cases[i].print, strlen(cases[i].print));

		if (state_of(formats, cases[i].bits) != cases[i].want)
			fail_msg("case %zu: %s", i,
				 thread_state_name(state_of(formats, cases[i].bits)));
		formats_free(formats);
	}
}

static void without_a_valid_table_the_bits_are_those_of_today(void **state)
{
	static const char *const prints[] = {
		"",
		"\"prev_state=%ld\", REC->prev_state",
		CALL REST,
		CALL "{ 1, \"S\" }, { 2, \"D\" }" REST,		       /* no bit of a dead thread */
		CALL "{ 1, \"D\" }, { 2, \"S\" }, { 64, \"x\" }" REST, /* in no kernel's order */
		CALL "{ 3, \"S\" }, { 64, \"x\" }, { 2, \"D\" }" REST, /* not a single bit */
		CALL "{ 0, \"S\" }, { 64, \"x\" }, { 2, \"D\" }" REST, /* no bit */
		CALL "{ -1, \"S\" }, { 64, \"x\" }, { 2, \"D\" }" REST,
		CALL "{ 1, \"S\" }, { 2, \"D\" }, { 99999999999999999999, \"x\" }" REST,
		CALL "{ 1, \"Sleeping\" }, { 2, \"D\" }, { 64, \"x\" }" REST,
		CALL "{ A, \"S\" }, { B, \"D\" }, { C, \"x\" }" REST,
		"__print_flags(REC->prev_state, , { 1, \"S\" }, { 2, \"D\" }, { 64, \"x\" })",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(prints); i++) {
		struct formats *formats = print_of(prints[i], strlen(prints[i]));

		if (state_of(formats, 64) != STATE_SLEEPING)
			fail_msg("'%s' was believed", prints[i]);
		formats_free(formats);
	}
}

static void a_print_format_may_be_cut_anywhere(void **state)
{
	(void)state;
	for (size_t length = 0; length < sizeof(LINUX_4_9); length++) {
		struct formats *formats = print_of(LINUX_4_9, length);

		assert_int_equal(state_of(formats, 1), STATE_SLEEPING);
		assert_int_equal(state_of(formats, 2), STATE_DISK);
		formats_free(formats);
	}
}

/* Decodes by way of formats, which find the type of a payload. */

struct payload {
	const char *system, *format, *bytes;
	size_t length;
	size_t needed; /* a payload of fewer bytes is refused */
	enum event_kind kind;
	enum sync_call call;
	uint64_t object, object2;
	int32_t count;
};

/* All of thread 7. */
static void call_assert_decoded(const struct payload *want)
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

static void system_calls_and_probes_are_read_by_their_formats(void **state)
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
		 BYTES("\x09\x02\0\0\x07\0\0\0\xca\0\0\0\0\0\0\0\xf5\xff\xff\xff\xff\xff\xff"
		       "\xff"),
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
		call_assert_decoded(&cases[i]);
}

static void an_unknown_operation_is_no_event(void **state)
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

/* Without the field that matters, or with a field that is no number, the event is unknown. */
static void an_event_without_its_fields_is_ignored(void **state)
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
		{"pscal",
		 FORMAT_HEAD("mutex_lock", "1700") "\tfield:u16 "
						   "object;\toffset:8;\tsize:2;\tsigned:0;\n"
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

static void calls_are_beside_switches(void **state)
{
	struct formats *formats = formats_new(NULL);

	(void)state;
	assert_int_equal(formats_add(formats, "sched", BYTES(FORMAT_SWITCH)), 0);
	assert_int_equal(formats_add(formats, "syscalls", BYTES(FORMAT_ENTER_FUTEX)), 0);
	assert_int_equal(formats_add(formats, "pscal", BYTES(FORMAT_PROBE("sem_post", "1703", ""))),
			 0);
	assert_true(formats_type(formats, "sched:sched_switch") >= 0);
	assert_int_equal(formats_type(formats, "sched:sched_switch"), 372);
	assert_int_equal(formats_type(formats, "syscalls:sys_enter_futex"), 522);
	assert_int_equal(formats_type(formats, "syscalls:sys_exit_futex"), -1);
	assert_int_equal(formats_type(formats, "pscal:sem_post"), 1703);
	assert_int_equal(formats_type(formats, "sem_post"), -1);
	formats_free(formats);
}

static void numbers_of_the_other_byte_order_are_swapped(void **state)
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

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_switch_tells_the_thread_that_leaves_and_the_one_that_comes),
	cmocka_unit_test(a_switch_of_another_thread_is_refused),
	cmocka_unit_test(on_32_bits_the_state_has_4_bytes),
	cmocka_unit_test(a_name_ends_at_its_nul_or_with_15_letters),
	cmocka_unit_test(a_wake_tells_the_waker_and_the_woken_thread),
	cmocka_unit_test(a_wake_in_an_interrupt_is_marked),
	cmocka_unit_test(a_wakeup_without_success_did_not_happen),
	cmocka_unit_test(a_fork_of_an_old_kernel_has_its_names_in_place),
	cmocka_unit_test(a_fork_of_a_new_kernel_tells_the_places_of_its_names),
	cmocka_unit_test(a_name_elsewhere_may_have_any_length),
	cmocka_unit_test(a_name_may_be_far_after_the_fields),
	cmocka_unit_test(a_name_may_be_the_last_field),
	cmocka_unit_test(an_exit_tells_the_thread_that_ends),
	cmocka_unit_test(a_payload_of_another_type_is_unknown),
	cmocka_unit_test(types_are_known_by_name),
	cmocka_unit_test(a_type_beyond_those_of_payloads_is_not_found),
	cmocka_unit_test(only_known_sched_events_are_decoded),
	cmocka_unit_test(a_damaged_text_is_refused),
	cmocka_unit_test(a_field_beyond_all_payloads_is_refused),
	cmocka_unit_test(the_tracing_data_hold_the_formats),
	cmocka_unit_test(tracing_data_cut_anywhere_are_refused),
	cmocka_unit_test(strange_tracing_data_are_refused_with_a_sentence),
	cmocka_unit_test(payloads_have_the_byte_order_of_their_machine),
	cmocka_unit_test(places_of_names_have_the_byte_order_of_their_machine),
	cmocka_unit_test(a_relative_place_counts_from_the_end_of_its_field),
	cmocka_unit_test(a_number_has_the_size_and_the_sign_of_its_field),
	cmocka_unit_test(the_format_tells_the_meaning_of_the_state),
	cmocka_unit_test(the_format_of_each_kernel_tells_the_meaning_of_its_bits),
	cmocka_unit_test(bits_that_no_kernel_has_are_damaged),

	cmocka_unit_test(without_a_valid_table_the_bits_are_those_of_today),
	cmocka_unit_test(a_print_format_may_be_cut_anywhere),
	cmocka_unit_test(system_calls_and_probes_are_read_by_their_formats),
	cmocka_unit_test(an_unknown_operation_is_no_event),
	cmocka_unit_test(an_event_without_its_fields_is_ignored),
	cmocka_unit_test(calls_are_beside_switches),
	cmocka_unit_test(numbers_of_the_other_byte_order_are_swapped),
};

TEST_FILE(tests);
