/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perfdata/tracing_section.h"

#include "support.h"

#include "base/err.h"
#include "decode/recording_bytes.h"

#include <stdbool.h>
#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { IS_BIG = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };

/* The last bytes that were put become those of the other order. */
static void turn(struct bytes *bytes, size_t size, bool swapped)
{
	char *at = bytes->at + bytes->count - size;

	for (size_t i = 0; swapped && i < size / 2; i++) {
		char byte = at[i];

		at[i] = at[size - 1 - i];
		at[size - 1 - i] = byte;
	}
}

static void put_4(struct bytes *bytes, uint32_t number, bool swapped)
{
	put_u32(bytes, number);
	turn(bytes, 4, swapped);
}

static void put_sized(struct bytes *bytes, const char *text, bool swapped)
{
	put_u64(bytes, strlen(text));
	turn(bytes, 8, swapped);
	put(bytes, text, strlen(text));
}

static struct bytes make_section(const char *version, char long_size, bool swapped)
{
	const char big = swapped != IS_BIG;
	struct bytes bytes = {0};

	put(&bytes, "\x17\x08\x44tracing", 10);
	put_text(&bytes, version);
	put(&bytes, &big, 1);
	put(&bytes, &long_size, 1);
	put_4(&bytes, 4096, swapped);
	put_text(&bytes, "header_page");
	put_sized(&bytes, "page", swapped);
	put_text(&bytes, "header_event");
	put_sized(&bytes, "event", swapped);
	put_4(&bytes, 1, swapped);
	put_sized(&bytes, "a", swapped);
	put_4(&bytes, 2, swapped);
	put_text(&bytes, "sched");
	put_4(&bytes, 2, swapped);
	put_sized(&bytes, "b", swapped);
	put_sized(&bytes, "c", swapped);
	put_text(&bytes, "irq");
	put_4(&bytes, 1, swapped);
	put_sized(&bytes, "d", swapped);
	return bytes;
}

/* Writes "ftrace:a sched:b ..." to a text of 64 bytes. */
static int note(void *context, const char *system, const char *format, size_t length)
{
	char *text = context;
	size_t used = strlen(text);

	snprintf(text + used, 64 - used, "%s:%.*s ", system, (int)length, format);
	return 0;
}

static void a_section_of_any_machine_names_its_events(void **state)
{
	static const struct {
		const char *version;
		char long_size;
		bool swapped;
	} cases[] = {
		{"0.6", 8, false}, {"0.6", 4, false}, {"0.6", 8, true},
		{"0.6", 4, true},  {"0.5", 8, true},  {"0.4", 4, false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct bytes bytes =
			make_section(cases[i].version, cases[i].long_size, cases[i].swapped);
		char text[64] = "";
		struct tracing_section section = {.add = note, .context = text};
		struct err err = {""};

		assert_int_equal(tracing_section_read(&section, bytes.at, bytes.count, &err), 0);
		assert_string_equal(text, "ftrace:a sched:b sched:c irq:d ");
		assert_int_equal(section.swapped, cases[i].swapped);
		assert_int_equal(section.long_size, cases[i].long_size);
		free(bytes.at);
	}
}

static void one_of_the_other_order_cut_anywhere_is_refused(void **state)
{
	struct bytes bytes = make_section("0.6", 8, true);

	(void)state;
	for (size_t cut = 0; cut < bytes.count; cut++) {
		char *copy = malloc(cut ? cut : 1); /* its end is watched */
		char text[64] = "";
		struct tracing_section section = {.add = note, .context = text};
		struct err err = {""};

		memcpy(copy, bytes.at, cut);
		if (tracing_section_read(&section, copy, cut, &err) != -1)
			fail_msg("%zu bytes of %zu were enough", cut, bytes.count);
		assert_non_null(strstr(err.text, "its tracing data"));
		free(copy);
	}
	free(bytes.at);
}

static void a_byte_order_that_is_none_is_refused(void **state)
{
	struct bytes bytes = make_section("0.6", 8, false);
	struct tracing_section section = {.add = note};
	struct err err = {""};

	(void)state;
	bytes.at[14] = 2;
	assert_int_equal(tracing_section_read(&section, bytes.at, bytes.count, &err), -1);
	assert_non_null(strstr(err.text, "name no byte order"));
	free(bytes.at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_section_of_any_machine_names_its_events),
		cmocka_unit_test(one_of_the_other_order_cut_anywhere_is_refused),
		cmocka_unit_test(a_byte_order_that_is_none_is_refused),
	};

	return RUN_TESTS(tests);
}
