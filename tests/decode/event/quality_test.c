/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/event/quality.h"

#include "support.h"

#include <string.h>

static void each_fact_has_a_key_of_its_own_and_words(void **state)
{
	(void)state;
	for (enum quality_fact fact = 0; fact < QUALITY_FACTS; fact++) {
		const struct quality_words *words = quality_words(fact);

		assert_non_null(words->key);
		assert_true(words->several || quality_kind(fact) == QUALITY_FLAG);
		assert_true(words->one || quality_kind(fact) != QUALITY_COUNT);
		assert_true(words->meaning || fact == QUALITY_EVENTS);
		for (enum quality_fact other = 0; other < fact; other++)
			assert_string_not_equal(words->key, quality_words(other)->key);
	}
}

/* Except facts that only have a count, and samples, which are no part of the timeline. */
static void an_audit_has_words_for_each_case(void **state)
{
	static const enum quality_fact untold[] = {QUALITY_EVENTS, QUALITY_MISSED_WAKES,
						   QUALITY_DROPPED_SAMPLES,
						   QUALITY_NAMELESS_SAMPLES, QUALITY_SECOND_CLOCK};
	size_t next = 0;

	(void)state;
	for (enum quality_fact fact = 0; fact < QUALITY_FACTS; fact++)
		if (next < 5 && fact == untold[next])
			next++;
		else
			assert_true(quality_kind(fact) != QUALITY_COUNT ||
				    quality_words(fact)->action);
}

static void each_fact_has_a_member_of_its_own(void **state)
{
	(void)state;
	for (enum quality_fact fact = 0; fact < QUALITY_FACTS; fact++) {
		struct quality quality = {0};

		if (quality_kind(fact) != QUALITY_COUNT)
			continue;
		quality_count(&quality, fact);
		quality_count(&quality, fact);
		for (enum quality_fact other = 0; other < QUALITY_FACTS; other++)
			assert_int_equal(quality_value(&quality, other), other == fact ? 2 : 0);
	}
}

static void facts_have_the_members_they_name(void **state)
{
	const struct quality quality = {.late = 3,
					.paused_ns = 4,
					.no_wakes = true,
					.truncated = true,
					.witnessed_switch_ins = 5};

	(void)state;
	assert_int_equal(quality_value(&quality, QUALITY_LATE), 3);
	assert_int_equal(quality_value(&quality, QUALITY_PAUSED), 4);
	assert_int_equal(quality_value(&quality, QUALITY_NO_WAKES), 1);
	assert_int_equal(quality_value(&quality, QUALITY_WRAPPED), 0);
	assert_int_equal(quality_value(&quality, QUALITY_TRUNCATED), 1);
	assert_int_equal(quality_value(&quality, QUALITY_WITNESSED_SWITCH_INS), 5);
	assert_string_equal(quality_words(QUALITY_PAUSED)->key, "paused_s");
}

static void a_fact_about_all_events_or_with_a_visible_effect_matters(void **state)
{
	static const struct {
		struct quality quality;
		enum quality_fact fact;
		bool matters;
	} cases[] = {
		{{.events = 1000, .late = 11}, QUALITY_LATE, true},
		{{.events = 1000, .late = 10}, QUALITY_LATE, false},
		{{.events = 10, .malformed = 1}, QUALITY_MALFORMED, true},
		{{.events = 10, .repeated = 9}, QUALITY_REPEATED, false}, /* each counts once */
		/* ... with a cost that is unknown time: */
		{{.events = 10, .missed_switch_ins = 9}, QUALITY_MISSED_SWITCH_INS, false},
		{{.events = 1000, .calls_ended = true}, QUALITY_CALLS_ENDED, true},
		{{.events = 1000}, QUALITY_LATE, false},
		{{.events = 1000}, QUALITY_EVENTS, false},
		{{.events = 1000, .lost = 1}, QUALITY_LOST, true},
		{{.events = 1000, .truncated = true}, QUALITY_TRUNCATED, true},
		{{.events = 1000, .paused_ns = 1000}, QUALITY_PAUSED, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_true(quality_matters(&cases[i].quality, cases[i].fact) == cases[i].matters);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(each_fact_has_a_key_of_its_own_and_words),
	cmocka_unit_test(an_audit_has_words_for_each_case),
	cmocka_unit_test(each_fact_has_a_member_of_its_own),
	cmocka_unit_test(facts_have_the_members_they_name),
	cmocka_unit_test(a_fact_about_all_events_or_with_a_visible_effect_matters),
};

TEST_FILE(tests);
