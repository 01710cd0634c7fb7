/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perfdata/perfdata_file.h"

#include "base/err.h"
#include "decode/perfdata_bytes.h"
#include "decode/recording_bytes.h"
#include "decode/timeline/timeline.h"
#include "stats/profile/levels.h"
#include "support.h"
#include "tools/swapped.h"

#include <stdbool.h>
#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum shape { IN_A_FILE, IN_A_STREAM, COMPRESSED, SWAPPED, SWAPPED_STREAM, SHAPES };

static struct bytes make_file(enum shape shape)
{
	struct perfdata_bytes file = {.target = "pscal 1\nmode attach\nroot 5\nstart_ns 500\n"
						"end_ns 9000\ncount sched:sched_waking 1\n"
						"thread 400 5 5 S t5\n",
				      .with_fork = true};
	struct bytes whole;

	add_comm(&file, 5, 5, "t5");
	add_switch(&file, 1000, 0, 5, 1, 6);
	add_switch(&file, 2000, 0, 6, 0x100, 5);
	add_round(&file);
	add_fork(&file, 2100, 5, 5, 5, 8);
	add_lost(&file, 2200, 0, 3);
	add_waking(&file, 1500, 1, 7, 5);
	add_context_switch(&file, 1600, 1, 5, 0);
	add_round(&file);
	add_switch(&file, 4000, 1, 5, 2, 9);
	if (shape == COMPRESSED)
		pack(&file, PERFDATA_RECORD_COMPRESSED, 50);
	whole = shape == IN_A_STREAM || shape == SWAPPED_STREAM ? perfdata_stream(&file)
								: perfdata_join(&file);
	if (shape == SWAPPED || shape == SWAPPED_STREAM)
		swap_perfdata(whole.at, whole.count);
	return whole;
}

static struct bytes usual_file(void)
{
	return make_file(IN_A_FILE);
}

static void a_file_that_cannot_be_read_is_refused_with_a_sentence(void **state)
{
	static const struct {
		size_t at;
		const char *bytes;
		size_t length;
		const char *why;
	} cases[] = {
		{8, "\x08", 1, "a header of an impossible size"},
		{16, "\x07", 1, "a table of events of an impossible size"},
		{16, "\0\0", 2, "a table of events of an impossible size"},
		{32, "\0\0", 2, "a table of events of an impossible size"},
		{32, "\x01", 1, "a table of events of an impossible size"},
		{32, "\xff\xff\xff\xff\xff\xff\xff\xff", 8,
		 "a table of events of an impossible size"},
		{24, "\xff\xff\xff\x7f", 4, "is shorter than its table of contents says"},
		{48, "\0\0\0", 3, "the recorder was interrupted"},
		{48, "\xff\xff\xff\x7f", 4, "is cut off"},
		{72, "\0", 1, "holds no scheduling events"},
		{144, "\0\0", 2, NULL}, /* the type of the first event is no tracepoint */
		{8, "PERFILE2", 0, NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct bytes bytes = usual_file();
		struct err err = {.text = ""};
		struct event_source *source;
		char path[64];

		memcpy(bytes.at + cases[i].at, cases[i].bytes, cases[i].length);
		source = perfdata_open(&bytes, path, &err);
		if (!source != !!cases[i].why ||
		    !strstr(err.text, cases[i].why ? cases[i].why : ""))
			fail_msg("case %zu: %s", i, err.text);
		event_source_free(source);
		free(bytes.at);
	}
}

/* Its feature bits are words of 32 bits. */
static void the_features_of_an_old_32_bit_machine_are_found(void **state)
{
	struct perfdata_bytes file = {0};
	struct perfdata_header header;
	struct event_source *source;
	struct err err = {.text = ""};
	struct bytes bytes;
	char path[64];

	(void)state;
	add_switch(&file, 1000, 0, 5, 1, 6);
	bytes = perfdata_join(&file);
	memcpy(&header, bytes.at, sizeof(header));
	set_bit(&header, PERFDATA_HOSTNAME); /* its section follows the table */
	swap_perfdata(bytes.at, bytes.count);
	for (size_t i = 0; i < 8; i++) {
		uint32_t word = (uint32_t)(header.features[i / 2] >> i % 2 * 32);

		word = __builtin_bswap32(word);
		memcpy(bytes.at + 72 + i * sizeof(word), &word, sizeof(word));
	}
	source = perfdata_open(&bytes, path, &err);
	if (!source)
		fail_msg("%s", err.text);
	event_source_free(source);
	free(bytes.at);
}

/* Written by perf before 3.3. */
static void the_first_version_is_read_in_either_byte_order(void **state)
{
	(void)state;
	for (int swapped = 0; swapped < 2; swapped++) {
		for (int stream = 0; stream < 2; stream++) {
			struct perfdata_bytes file = {.no_trailers = true};
			struct event_source *source;
			struct err err = {.text = ""};
			struct event event;
			struct bytes bytes;
			char path[64];

			add_switch(&file, 1000, 0, 5, 1, 6);
			bytes = stream ? perfdata_stream(&file) : perfdata_join(&file);
			if (swapped)
				swap_perfdata(bytes.at, bytes.count);
			memcpy(bytes.at, "PERFFILE", 8);
			source = perfdata_open(&bytes, path, &err);
			if (!source)
				fail_msg("%s", err.text);
			assert_int_equal(event_source_next(source, &event, &err), 1);
			assert_int_equal(event.time_ns, 1000);
			assert_int_equal(event.other, 6);
			event_source_free(source);
			free(bytes.at);
		}
	}
}

/* Headers that are shorter or longer than today's. */
static void a_header_of_another_size_is_read_as_far_as_it_goes(void **state)
{
	static const struct {
		unsigned char size;
		const char *why;
	} cases[] = {
		{71, "a header of an impossible size"},
		{72, "holds no scheduling events"}, /* no features yet */
		{104, NULL},
		{128, NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct bytes bytes = usual_file();
		struct err err = {.text = ""};
		struct event_source *source;
		char path[64];

		bytes.at[8] = (char)cases[i].size;
		source = perfdata_open(&bytes, path, &err);
		if (!source != !!cases[i].why ||
		    !strstr(err.text, cases[i].why ? cases[i].why : ""))
			fail_msg("size %d: %s", cases[i].size, err.text);
		event_source_free(source);
		free(bytes.at);
	}
}

/* --- Any bytes ----------------------------------------------------------------------------- */

/* One line that names the file once, or not at all. */
static void assert_sentence(const struct err *err, const char *path, bool names_it)
{
	const char *named = strstr(err->text, path);

	if ((names_it && !named) || (named && strstr(named + 1, path)) || strchr(err->text, '\n') ||
	    strlen(err->text) < 30)
		fail_msg("no sentence: '%s'", err->text);
}

/* The file is read to its end, or refused with a sentence; it has no more events than its size
 * allows. */
static void assert_read_or_refused(const struct bytes *bytes)
{
	const struct selection everybody = {0};
	struct err err = {.text = ""};
	char path[64];
	struct event_source *source = perfdata_open(bytes, path, &err);
	struct timeline *timeline;
	struct levels *levels;
	struct change change;
	uint64_t now_ns = 0;
	size_t changes = 0;
	int rc;

	if (!source) {
		assert_sentence(&err, path, true);
		return;
	}
	timeline = timeline_new(source, &everybody);
	levels = levels_new(0, 0);
	while ((rc = timeline_next(timeline, &change, &err)) > 0) {
		assert_true(change.begin_ns <= change.end_ns && change.end_ns >= now_ns);
		assert_true(changes++ < bytes->count);
		now_ns = change.end_ns;
		assert_int_equal(levels_add(levels, &change), 0);
	}
	if (rc < 0)
		assert_sentence(&err, path, false);
	levels_free(levels);
	timeline_free(timeline);
	event_source_free(source);
}

static void a_target_of_any_times_is_read_or_refused(void **state)
{
	static const char *const targets[] = {
		"mode attach\nroot 5\nstart_ns 9000\nend_ns 10\nthread 400 5 5 S t5\n",
		"mode attach\nroot 5\nstart_ns 9000\nthread 9500 5 5 S t5\n",
		"mode attach\nroot 5\nstart_ns 18446744073709551615\nthread 400 5 5 S t5\n",
		"mode attach\nroot 5\nend_ns 18446744073709551615\nthread 400 5 5 R t5\n",
		"mode attach\nroot 5\nend_ns 2\nthread 18446744073709551615 5 5 R t5\n",
		"mode attach\nroot 5\nroot 5\nthread 1 5 5 R t5\nthread 2 5 5 S t5\n",
		"mode attach\nroot 0\nthread 1 0 0 R t5\n",
		"root 5\nthread 3000 5 5 Z t5\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(targets); i++) {
		struct perfdata_bytes file = {.target = targets[i]};
		struct bytes bytes;

		add_switch(&file, 1000, 0, 5, 1, 6);
		add_switch(&file, 2000, 0, 6, 0x100, 5);
		bytes = perfdata_join(&file);
		assert_read_or_refused(&bytes);
		free(bytes.at);
	}
}

/* Each third one is at each place within a word. */
static void every_prefix_is_read_or_refused(void **state)
{
	const size_t step = is_nightly() ? 1 : 3;

	(void)state;
	for (enum shape shape = 0; shape < SHAPES; shape++) {
		struct bytes bytes = make_file(shape);

		for (size_t count = bytes.count; count; count -= step < count ? step : count) {
			struct bytes prefix = {.at = bytes.at, .count = count};

			assert_read_or_refused(&prefix);
		}
		free(bytes.at);
	}
}

/* Extreme values of sizes, counts, offsets, times and ids. */
static const uint64_t extremes[] = {0,		1,	    7,		8,
				    INT32_MAX,	UINT32_MAX, INT64_MAX,	UINT64_MAX,
				    UINT16_MAX, 1ULL << 31, 1ULL << 32, 1ULL << 63,
				    ~7ULL,	65536,	    1ULL << 22, ~0ULL << 32};

static void mutate(struct bytes *bytes)
{
	size_t at = (size_t)rand() % bytes->count;
	size_t left = bytes->count - at;
	uint64_t value = extremes[(size_t)rand() % COUNT(extremes)];

	switch (rand() % 6) {
	case 0:
		bytes->at[at] = (char)(bytes->at[at] ^ 1 << rand() % 8);
		break;
	case 1:
		bytes->at[at] = (char)rand();
		break;
	case 2:
		memcpy(bytes->at + at, &value, left < 2 ? left : 2);
		break;
	case 3:
		memcpy(bytes->at + at, &value, left < 4 ? left : 4);
		break;
	case 4: /* a word of the header */
		memcpy(bytes->at + (size_t)rand() % 13 * 8, &value, sizeof(value));
		break;
	default:
		memcpy(bytes->at + at / 8 * 8, &value, left < 8 ? left : 8);
		break;
	}
}

static void any_damage_is_read_or_refused(void **state)
{
	const int trials = is_nightly() ? 3000 : 1000;
	struct bytes wholes[SHAPES];

	(void)state;
	for (enum shape shape = 0; shape < SHAPES; shape++)
		wholes[shape] = make_file(shape);
	srand(1);
	for (int trial = 0; trial < trials; trial++) {
		const struct bytes *whole = &wholes[trial % SHAPES];
		struct bytes bytes = {0};

		put(&bytes, whole->at, whole->count);
		for (int damage = rand() % 4; damage >= 0; damage--)
			mutate(&bytes);
		memcpy(bytes.at, whole->at, 8);
		assert_read_or_refused(&bytes);
		free(bytes.at);
	}
	for (enum shape shape = 0; shape < SHAPES; shape++)
		free(wholes[shape].at);
}

enum { IS_BIG = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };

/* Swaps the last bytes into the other byte order. */
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
		struct err err = {.text = ""};

		assert_int_equal(tracing_section_read(&section, bytes.at, bytes.count, &err), 0);
		assert_string_equal(text, "ftrace:a sched:b sched:c irq:d ");
		assert_int_equal(section.swapped, cases[i].swapped);
		free(bytes.at);
	}
}

static void a_cut_section_of_the_other_byte_order_is_refused(void **state)
{
	struct bytes bytes = make_section("0.6", 8, true);

	(void)state;
	for (size_t cut = 0; cut < bytes.count; cut++) {
		char *copy = malloc(cut ? cut : 1); /* the sanitizer watches its end */
		char text[64] = "";
		struct tracing_section section = {.add = note, .context = text};
		struct err err = {.text = ""};

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
	struct err err = {.text = ""};

	(void)state;
	bytes.at[14] = 2;
	assert_int_equal(tracing_section_read(&section, bytes.at, bytes.count, &err), -1);
	assert_non_null(strstr(err.text, "name no byte order"));
	free(bytes.at);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_file_that_cannot_be_read_is_refused_with_a_sentence),
	cmocka_unit_test(the_features_of_an_old_32_bit_machine_are_found),
	cmocka_unit_test(the_first_version_is_read_in_either_byte_order),
	cmocka_unit_test(a_header_of_another_size_is_read_as_far_as_it_goes),
	cmocka_unit_test(a_target_of_any_times_is_read_or_refused),
	cmocka_unit_test(every_prefix_is_read_or_refused),
	cmocka_unit_test(any_damage_is_read_or_refused),
	cmocka_unit_test(a_section_of_any_machine_names_its_events),
	cmocka_unit_test(a_cut_section_of_the_other_byte_order_is_refused),
	cmocka_unit_test(a_byte_order_that_is_none_is_refused),
};

TEST_FILE(tests);
