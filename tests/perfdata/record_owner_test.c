/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perfdata/record_owner.h"

#include "support.h"

#include "base/err.h"
#include "decode/recording_bytes.h"
#include "perfdata/perfdata_file.h"

#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum {
	ID_FIRST = PERF_SAMPLE_IDENTIFIER,
	ID_THIRD = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID,
	ID_SECOND = PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_CPU,
	NO_ID = PERF_SAMPLE_TIME,
	NO_ID_EITHER = PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
};

/* Events with these sample types; event i has the ids 10 i + 10 and 10 i + 11. */
struct events {
	uint64_t types[3];
	size_t count;
	bool no_ids;	  /* the file names none */
	bool no_trailers; /* sample_id_all is off */
};

#define EVENTS(n, ...)                               \
	{                                            \
		.types = {__VA_ARGS__}, .count = (n) \
	}

static void add_events(struct perfdata_file *file, const struct events *events, size_t from,
		       size_t to)
{
	for (size_t i = from; i < to; i++) {
		const struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT,
						     .size = sizeof(attr),
						     .sample_type = events->types[i],
						     .sample_id_all = !events->no_trailers};
		struct bytes body = {0};

		put(&body, &attr, sizeof(attr));
		for (uint64_t id = 10 * i + 10; id < 10 * i + 12 && !events->no_ids; id++)
			put_u64(&body, id);
		assert_int_equal(perfdata_file_add(file, body.at, body.count), 0);
		free(body.at);
	}
}

static void make_file(struct perfdata_file *file, const struct events *events)
{
	*file = (struct perfdata_file){0};
	add_events(file, events, 0, events->count);
}

static void check(const struct events *events, bool is_sample, const uint64_t *words,
		  size_t word_count, int want, size_t number)
{
	struct record_owners owners = {0};
	struct perfdata_file file = {0};
	const struct sample_layout *found;

	/* In a stream they come by and by. */
	add_events(&file, events, 0, events->count / 2);
	record_owners_learn(&owners, &file);
	add_events(&file, events, events->count / 2, events->count);
	record_owners_learn(&owners, &file);
	for (int again = 0; again < 2; again++) { /* the second time it is remembered */
		found = record_owners_find(&owners, &file, is_sample, (const char *)words,
					   word_count * sizeof(*words));
		if ((found ? found - owners.layouts : -1) != want)
			fail_msg("case %zu: %d", number,
				 found ? (int)(found - owners.layouts) : -1);
	}
	record_owners_release(&owners);
	perfdata_file_release(&file);
}

static void the_id_of_a_sample_tells_its_event_wherever_it_stands(void **state)
{
	static const struct {
		struct events events;
		uint64_t words[4];
		int want;
	} cases[] = {
		{EVENTS(1, NO_ID), {1}, 0}, /* one event: it is of that one */
		{EVENTS(1, ID_FIRST), {4711}, 0},
		{EVENTS(2, ID_FIRST, ID_FIRST), {10}, 0},
		{EVENTS(2, ID_FIRST, ID_FIRST), {21}, 1},
		{EVENTS(2, ID_FIRST, ID_FIRST | PERF_SAMPLE_IP), {21}, 1},
		{EVENTS(2, ID_FIRST, ID_FIRST), {4711}, -1},
		{EVENTS(2, ID_FIRST, ID_FIRST), {0}, 0}, /* it makes no difference */
		{EVENTS(2, ID_FIRST, ID_FIRST | PERF_SAMPLE_IP), {0}, -1},
		{EVENTS(2, ID_THIRD, ID_THIRD | PERF_SAMPLE_CPU), {1, 2, 20}, 1},
		{EVENTS(2, ID_THIRD, ID_THIRD | PERF_SAMPLE_CPU), {10, 10, 4711}, -1},
		{EVENTS(2, ID_THIRD, ID_SECOND), {5000, 20, 7}, 1}, /* each in its own place */
		{EVENTS(2, ID_THIRD, ID_SECOND), {7, 5000, 11}, 0},
		{EVENTS(2, ID_THIRD, ID_SECOND), {7, 20, 11}, -1}, /* it could be either */
		{EVENTS(2, ID_THIRD, ID_SECOND), {7, 11, 21}, -1}, /* in one another's places */
		{EVENTS(3, ID_FIRST, ID_THIRD, ID_SECOND), {10, 5000, 7}, 0},
		{EVENTS(3, ID_FIRST, ID_THIRD, ID_SECOND), {7, 30, 8}, 2},
		{EVENTS(2, NO_ID, ID_SECOND), {5000, 21}, 1},
		{EVENTS(2, NO_ID, ID_SECOND), {5000, 0}, -1},
		{EVENTS(2, NO_ID, NO_ID), {5000}, 0},
		{EVENTS(2, NO_ID, NO_ID_EITHER), {5000}, -1},
		{{.types = {ID_FIRST, ID_FIRST}, .count = 2, .no_ids = true}, {77}, 0},
		{{.types = {ID_FIRST, ID_SECOND}, .count = 2, .no_ids = true}, {77}, -1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		check(&cases[i].events, true, cases[i].words, 4, cases[i].want, i);
}

static void the_id_of_another_record_stands_before_its_end(void **state)
{
	static const struct {
		struct events events;
		uint64_t words[4];
		int want;
	} cases[] = {
		{EVENTS(2, ID_FIRST, ID_FIRST | PERF_SAMPLE_TIME), {0, 0, 5000, 21}, 1},
		{EVENTS(2, ID_FIRST, ID_FIRST | PERF_SAMPLE_TIME), {0, 0, 5000, 4711}, -1},
		{EVENTS(2, ID_FIRST, ID_FIRST | PERF_SAMPLE_TIME), {1, 2, 0, 0}, 0}, /* by perf */
		{EVENTS(2, ID_THIRD, ID_SECOND), {0, 5000, 20, 3}, 1},
		{EVENTS(2, ID_THIRD, ID_SECOND), {0, 7, 5000, 11}, 0},
		{EVENTS(2, ID_THIRD, ID_THIRD | PERF_SAMPLE_IP), {0, 7, 5000, 21}, 1},
		{{.types = {ID_THIRD, ID_SECOND}, .count = 2, .no_trailers = true},
		 {0, 5000, 20, 3},
		 0},
		{EVENTS(2, NO_ID, NO_ID_EITHER), {0, 0, 0, 5000}, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		check(&cases[i].events, false, cases[i].words, 4, cases[i].want, i);
}

static void a_record_too_short_for_an_id_is_of_no_known_event(void **state)
{
	static const struct events unlike = EVENTS(2, ID_THIRD, ID_SECOND);
	static const uint64_t words[] = {7, 5000, 11};

	(void)state;
	check(&unlike, true, words, 3, 0, 0);
	check(&unlike, true, words, 2, -1, 1);
	check(&unlike, true, words, 0, -1, 2);
	check(&unlike, false, words, 0, 0, 3);
}

static void events_that_cannot_be_told_apart_are_refused(void **state)
{
	static const struct {
		struct events events;
		int rc;
	} cases[] = {
		{EVENTS(1, NO_ID), 0},
		{EVENTS(2, NO_ID, NO_ID), 0},
		{EVENTS(3, ID_FIRST, ID_THIRD, ID_SECOND), 0},
		{EVENTS(2, NO_ID, ID_SECOND), 0}, /* some can */
		{EVENTS(2, NO_ID, NO_ID_EITHER), -1},
		{EVENTS(0, 0), 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct perfdata_file file;
		struct err err = {""};

		make_file(&file, &cases[i].events);
		assert_int_equal(record_owners_check(&file, &err), cases[i].rc);
		assert_int_equal(strstr(err.text, "tell them apart") != NULL, cases[i].rc != 0);
		perfdata_file_release(&file);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_id_of_a_sample_tells_its_event_wherever_it_stands),
		cmocka_unit_test(the_id_of_another_record_stands_before_its_end),
		cmocka_unit_test(a_record_too_short_for_an_id_is_of_no_known_event),
		cmocka_unit_test(events_that_cannot_be_told_apart_are_refused),
	};

	return RUN_TESTS(tests);
}
