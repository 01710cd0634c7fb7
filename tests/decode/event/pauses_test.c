/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/event/pauses.h"

#include "decode/event/order.h"
#include "draw/drawing.h"
#include "support.h"

#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void what_happens_in_a_pause_tells_only_who_there_is(void **state)
{
	static const struct {
		uint64_t time_ns;
		enum event_kind kind;
		size_t count;
		enum event_kind first;
	} cases[] = {
		{99, EVENT_SWITCH, 1, EVENT_SWITCH},
		{100, EVENT_SWITCH, 0, 0},
		{199, EVENT_WAKE, 0, 0},
		{200, EVENT_WAKE, 1, EVENT_WAKE},
		{299, EVENT_FORK, 1, EVENT_FORK},
		{300, EVENT_SWITCH_IN, 0, 0},
		{301, EVENT_SWITCH_OUT, 0, 0},
		{302, EVENT_STATE, 0, 0},
		{303, EVENT_FORK, 2, EVENT_FORK},
		{304, EVENT_EXIT, 1, EVENT_SWITCH},
		{305, EVENT_TASK, 1, EVENT_TASK},
		{306, EVENT_GAP, 1, EVENT_GAP},
		{307, EVENT_END, 1, EVENT_END},
		{400, EVENT_EXIT, 1, EVENT_EXIT},
	};
	struct pauses pauses = {0};

	(void)state;
	pauses_add(&pauses, 10, 20);
	pauses_add(&pauses, 100, 200);
	pauses_add(&pauses, 300, 400);
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct event event = {.time_ns = cases[i].time_ns, .kind = cases[i].kind};
		struct event out[PAUSES_OUT_MAX];
		size_t count = pauses_apply(&pauses, &event, out);

		if (count != cases[i].count || (count && out[0].kind != cases[i].first))
			fail_msg("case %zu: %zu events", i, count);
		for (size_t k = 0; k < count; k++)
			assert_int_equal(out[k].time_ns, event.time_ns);
		if (count == 2)
			assert_int_equal(out[1].kind, EVENT_GAP);
	}
	pauses_release(&pauses);
}

static void without_pauses_every_event_is_itself(void **state)
{
	const struct event event = {.time_ns = 5, .kind = EVENT_SWITCH, .tid = 7};
	struct pauses pauses = {0};
	struct event out[PAUSES_OUT_MAX];

	(void)state;
	assert_int_equal(pauses_apply(&pauses, &event, out), 1);
	assert_int_equal(out[0].tid, 7);
}

enum { T = DRAWING_BEGIN_NS, STEP = DRAWING_STEP_NS };

/* Off from column 4 up to column 8: 100 goes on, 101 ends, 102 is born. */
static const struct event events[] = {
	{.time_ns = T, .kind = EVENT_FORK, .tid = 1, .other = 100, .cpu = -1},
	{.time_ns = T, .kind = EVENT_SWITCH, .other = 100, .cpu = 0},
	{.time_ns = T + 1 * STEP, .kind = EVENT_FORK, .tid = 100, .other = 101, .cpu = 0},
	{.time_ns = T + 1 * STEP, .kind = EVENT_SWITCH, .other = 101, .cpu = 1},
	{.time_ns = T + 5 * STEP, .kind = EVENT_FORK, .tid = 100, .other = 102, .cpu = 0},
	{.time_ns = T + 6 * STEP, .kind = EVENT_EXIT, .tid = 101, .cpu = 1},
	/* One CPU may be off a bit later than the others. */
	{.time_ns = T + 4 * STEP, .kind = EVENT_SWITCH, .tid = 100, .state = STATE_DISK, .cpu = 0},
	{.time_ns = T + 8 * STEP, .kind = EVENT_STATE, .tid = 100, .state = STATE_SLEEPING},
	{.time_ns = T + 9 * STEP, .kind = EVENT_SWITCH, .other = 102, .cpu = 1},
	{.time_ns = T + 10 * STEP,
	 .kind = EVENT_SWITCH,
	 .tid = 102,
	 .state = STATE_SLEEPING,
	 .cpu = 1},
	{.time_ns = T + 11 * STEP, .kind = EVENT_WAKE, .tid = 7, .other = 8, .cpu = -1},
};

static void what_a_thread_did_in_a_pause_is_unknown(void **state)
{
	static const int32_t root[] = {100};
	const struct selection tree = {.pids = root, .pid_count = 1};
	struct order *order = order_new();
	struct event ordered[2 * COUNT(events)];
	struct event_source *source;
	struct timeline *timeline;
	size_t count = 0;
	char *got;

	(void)state;
	order_pause(order, T + 4 * STEP, T + 8 * STEP);
	for (size_t i = 0; i < COUNT(events); i++)
		order_push(order, &events[i]);
	order_finish(order);
	while (order_pop(order, &ordered[count]))
		count++;
	source = array_source(ordered, count);
	timeline = timeline_new(source, &tree);
	got = drawing_of(timeline, 3);
	assert_string_equal(got, "RRRR????...\n"
				 " RRR??\n"
				 "     ????R.\n");
	free(got);
	timeline_free(timeline);
	event_source_free(source);
	order_free(order);
}

enum { RECORD = 100, FULL = 8192 / RECORD, SOME = 30 }; /* in a ring of two pages */

/* `count` records, one a nanosecond, the newest first as such rings have them. */
static void fill(struct overwritten *overwritten, int32_t cpu, uint64_t begin_ns, unsigned count)
{
	for (unsigned i = count; i-- > 0;)
		overwritten_note(overwritten, cpu, begin_ns + i, RECORD);
}

static void all_is_known_from_where_the_last_full_ring_begins(void **state)
{
	static const struct {
		unsigned records[2]; /* of each CPU; the first begins at 1000, the other at 5000 */
		uint64_t until_ns;
	} cases[] = {
		{{0, 0}, 0},	      {{SOME, SOME}, 0},    /* nothing was forgotten */
		{{FULL, 0}, 1000},    {{FULL, SOME}, 1000}, /* the other was only idle for long */
		{{SOME, FULL}, 5000}, {{FULL, FULL}, 5000},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct overwritten overwritten = {0};

		fill(&overwritten, 0, 1000, cases[i].records[0]);
		fill(&overwritten, 3, 5000, cases[i].records[1]);
		assert_int_equal(overwritten_until(&overwritten), cases[i].until_ns);
		overwritten_release(&overwritten);
	}
}

static void a_ring_is_full_that_lacks_one_whole_record(void **state)
{
	struct overwritten overwritten = {0};

	(void)state;
	for (uint64_t i = 0; i < 8192 / 128 - 1; i++)
		overwritten_note(&overwritten, 0, 2000 - i, 128);
	assert_int_equal(overwritten_until(&overwritten), 2000 - 8192 / 128 + 2);
	overwritten_release(&overwritten);
}

static void an_impossible_cpu_has_no_ring(void **state)
{
	struct overwritten overwritten = {0};

	(void)state;
	fill(&overwritten, -1, 1000, FULL);
	fill(&overwritten, INT32_MAX, 1000, FULL);
	assert_int_equal(overwritten_until(&overwritten), 0);
	overwritten_release(&overwritten);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(what_happens_in_a_pause_tells_only_who_there_is),
	cmocka_unit_test(without_pauses_every_event_is_itself),
	cmocka_unit_test(what_a_thread_did_in_a_pause_is_unknown),
	cmocka_unit_test(all_is_known_from_where_the_last_full_ring_begins),
	cmocka_unit_test(a_ring_is_full_that_lacks_one_whole_record),
	cmocka_unit_test(an_impossible_cpu_has_no_ring),
};

TEST_FILE(tests);
