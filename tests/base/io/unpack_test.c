/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/io/unpack.h"

#include "base/alloc.h"
#include "base/err.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Bytes that may have a NUL. */
#define BYTES(text) text, sizeof(text) - 1

/* printf 'one\n' | gzip -n */
#define GZIP_ONE                                                                               \
	"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\xcf\x4b\xe5\x02\x00\x9f\xa8\x17\xf8\x04" \
	"\x00\x00\x00"
/* the same by zstd: the last four bytes are the checksum */
#define ZSTD_ONE  "\x28\xb5\x2f\xfd\x04\x58\x21\x00\x00one\n\xdf\x16\x68\x09"
#define ZSTD_SKIP "\x5a\x2a\x4d\x18\x03\x00\x00\x00???"

/* Feeds `in` in pieces of `in_step` and takes pieces of `out_step`. Returns 0 if all is
 * unpacked. */
static int unpack_all(char *out, size_t room, const char *in, size_t count, size_t in_step,
		      size_t out_step, struct err *err)
{
	struct unpack *unpack;
	struct unpack_span span = {.out = out};
	int rc = unpack_new(&unpack, in, count, err);

	if (rc || !unpack)
		return rc ? rc : 1;
	for (size_t at = 0; !rc && (at < count || !span.out_count); at += in_step) {
		span.in = in + (at < count ? at : count);
		span.in_count = at >= count ? 0 : count - at < in_step ? count - at : in_step;
		do { /* until the output does not fill the room */
			size_t used = (size_t)(span.out - out);

			assert_true(used < room);
			span.out_count = room - used < out_step ? room - used : out_step;
			rc = unpack_run(unpack, &span, err);
		} while (!rc && !span.out_count);
	}
	if (!rc)
		rc = unpack_finish(unpack, err);
	*span.out = '\0';
	unpack_free(unpack);
	return rc;
}

static void the_first_bytes_tell_if_a_file_is_packed(void **state)
{
	static const struct {
		const char *bytes;
		size_t count;
		bool unpacked;
		const char *refusal;
	} cases[] = {
		{BYTES(GZIP_ONE), true, NULL},
		{BYTES(ZSTD_ONE), true, NULL},
		{BYTES(ZSTD_SKIP), true, NULL},
		{BYTES("\xfd"
		       "7zXZ\0\0\0\0\0"),
		 false,
		 "is packed by xz, which pscal cannot unpack: "
		 "pipe in the output of 'xz -dc'"},
		{BYTES("BZh91AY&SY"), false, "is packed by bzip2"},
		{BYTES("\x04\x22\x4d\x18xxxxxx"), false, "is packed by lz4"},
		{BYTES("PERFILE2\0\0"), false, NULL},
		{BYTES("BZh9 12/12"), false, NULL}, /* a thread's name */
		{BYTES("xZh91AY&SY"), false, NULL},
		{BYTES("\x1f"), false, NULL},
		{BYTES(""), false, NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct err err = {.text = ""};
		struct unpack *unpack = NULL;
		int rc = unpack_new(&unpack, cases[i].bytes, cases[i].count, &err);

		assert_int_equal(rc, cases[i].refusal ? -1 : 0);
		assert_int_equal(unpack != NULL, cases[i].unpacked);
		if (cases[i].refusal)
			assert_non_null(strstr(err.text, cases[i].refusal));
		unpack_free(unpack);
	}
}

static void the_magic_number_is_enough_to_choose_the_unpacker(void **state)
{
	static const struct {
		const char *bytes;
		size_t count;
		bool wants;
	} cases[] = {
		{BYTES(""), true},	     {BYTES("\x1f"), true},
		{BYTES("\x1f\x8b"), false},  {BYTES("(\xb5\x2f"), true},
		{BYTES("(\xb5\x30"), false}, {BYTES("pi"), false},
		{BYTES("BZh91AY&S"), true},  {BYTES("BZh91AY&SY"), false},
		{BYTES("BZh9 "), false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		if (unpack_wants_more(cases[i].bytes, cases[i].count) != cases[i].wants)
			fail_msg("case %zu", i);
}

static void members_and_frames_follow_one_another_in_pieces_of_any_size(void **state)
{
	static const struct {
		const char *bytes;
		size_t count;
		const char *text;
	} cases[] = {
		{BYTES(GZIP_ONE), "one\n"},
		{BYTES(GZIP_ONE GZIP_ONE), "one\none\n"},
		{BYTES(GZIP_ONE "\0\0\0\0"), "one\n"}, /* a tape block, or a disk sector */
		{BYTES(GZIP_ONE "\0\0\0\0" GZIP_ONE), "one\none\n"},
		{BYTES(ZSTD_ONE), "one\n"},
		{BYTES(ZSTD_ONE ZSTD_ONE), "one\none\n"},
		{BYTES(ZSTD_SKIP ZSTD_ONE ZSTD_SKIP), "one\n"},
	};
	static const size_t steps[] = {1, 2, 3, 7, 1000};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		for (size_t in = 0; in < COUNT(steps); in++)
			for (size_t out = 0; out < COUNT(steps); out++) {
				struct err err = {.text = ""};
				char text[64];

				if (unpack_all(text, sizeof(text), cases[i].bytes, cases[i].count,
					       steps[in], steps[out], &err))
					fail_msg("case %zu: %s", i, err.text);
				assert_string_equal(text, cases[i].text);
			}
}

static void damaged_and_cut_data_is_reported_with_its_place(void **state)
{
	static const struct {
		const char *bytes;
		size_t count;
		const char *why;
	} cases[] = {
		{BYTES("\x1f\x8b\x08\0\0\0\0\0\0\x03\xff\xff\xff\xff\xff"),
		 "its gzip data cannot be unpacked beyond byte 1"},
		{BYTES("\x1f\x8b\x07\0\0\0\0\0\0\x03\xcb\xcf"), "unknown compression method"},
		{GZIP_ONE, sizeof(GZIP_ONE) - 2,
		 "its gzip data ends too early, after 23 bytes; "
		 "'gzip -dc' unpacks the part that is there"},
		{BYTES(GZIP_ONE "\x1f\x8b\x08"), "ends too early, after 27 bytes"},
		{BYTES(GZIP_ONE "garbage"), "has other data after 24 bytes of gzip data; "
					    "'gzip -dc' unpacks the part before"},
		{BYTES("\x28\xb5\x2f\xfd\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
		 "its zstd data cannot be unpacked beyond byte "},
		{ZSTD_ONE, sizeof(ZSTD_ONE) - 2, "its zstd data ends too early, after 16 bytes"},
		{BYTES(ZSTD_ONE "garbage"), "has other data after 17 bytes of zstd data"},
		{BYTES("\x28\xb5\x2f\xfd\x04\x58\x21\x00\x00two\n\xdf\x16\x68\x09"), "checksum"},
		{BYTES(ZSTD_SKIP "\x28\xb5"), "ends too early"},
		/* a window of 2 GiB */
		{BYTES("\x28\xb5\x2f\xfd\x00\xa8\x21\x00\x00one\n"),
		 "it needs the option --long of zstd"},
	};
	static const size_t steps[] = {1, 3, 1000};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		for (size_t k = 0; k < COUNT(steps); k++) {
			struct err err = {.text = ""};
			char text[64];

			assert_int_equal(unpack_all(text, sizeof(text), cases[i].bytes,
						    cases[i].count, steps[k], 10, &err),
					 -1);
			if (!strstr(err.text, cases[i].why))
				fail_msg("case %zu: %s", i, err.text);
		}
}

static void every_cut_and_every_flipped_bit_is_noticed(void **state)
{
	static const struct {
		const char *bytes;
		size_t count;
		/* bits that do not change the data: all before `header`, and some from `padding`
		 * on */
		size_t header, padding, padding_count;
	} cases[] = {{BYTES(GZIP_ONE), 80, 122, 6}, {BYTES(ZSTD_ONE), 48, 0, 0}};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		for (size_t cut = 4; cut < cases[i].count; cut++) {
			struct err err = {.text = ""};
			char text[4096];

			assert_int_equal(
				unpack_all(text, sizeof(text), cases[i].bytes, cut, 1000, 60, &err),
				-1);
		}
		for (size_t bit = cases[i].header; bit < 8 * cases[i].count; bit++) {
			char bytes[64], text[4096];
			struct err err = {.text = ""};

			if (bit - cases[i].padding < cases[i].padding_count)
				continue;
			memcpy(bytes, cases[i].bytes, cases[i].count);
			bytes[bit / 8] ^= (char)(1 << bit % 8);
			if (!unpack_all(text, sizeof(text), bytes, cases[i].count, 1000, 60, &err))
				fail_msg("case %zu: bit %zu", i, bit);
		}
	}
}

/* Empty members take time but no memory, and the input ends. */
static void many_empty_members_come_to_an_end(void **state)
{
	static const char nothing[] = "\x1f\x8b\x08\0\0\0\0\0\0\x03\x03\0\0\0\0\0\0\0\0\0";
	enum { LENGTH = sizeof(nothing) - 1, MEMBERS = 50000 };
	char *bytes = xcalloc(MEMBERS, LENGTH);
	struct err err = {.text = ""};
	char text[8];

	(void)state;
	for (size_t i = 0; i < MEMBERS; i++)
		memcpy(bytes + i * LENGTH, nothing, LENGTH);
	assert_int_equal(unpack_all(text, sizeof(text), bytes, MEMBERS * LENGTH, 1 << 18, 7, &err),
			 0);
	assert_string_equal(text, "");
	free(bytes);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_first_bytes_tell_if_a_file_is_packed),
	cmocka_unit_test(the_magic_number_is_enough_to_choose_the_unpacker),
	cmocka_unit_test(members_and_frames_follow_one_another_in_pieces_of_any_size),
	cmocka_unit_test(damaged_and_cut_data_is_reported_with_its_place),
	cmocka_unit_test(every_cut_and_every_flipped_bit_is_noticed),
	cmocka_unit_test(many_empty_members_come_to_an_end),
};

TEST_FILE(tests);
