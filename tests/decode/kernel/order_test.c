/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/kernel/order.h"

#include "base/alloc.h"
#include "draw/drawing.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* `tid` holds `serial`, to recognise the event. */
static void push(struct order *order, uint64_t time_ns, int32_t serial)
{
	struct event event = {.time_ns = time_ns, .kind = EVENT_WAKE, .tid = serial};

	order_push(order, &event);
}

static void assert_next(struct order *order, uint64_t time_ns, int32_t serial)
{
	struct event event;

	assert_true(order_pop(order, &event));
	assert_int_equal(event.time_ns, time_ns);
	assert_int_equal(event.tid, serial);
	assert_int_equal(event.kind, EVENT_WAKE);
}

static void assert_none(struct order *order)
{
	struct event event;

	assert_false(order_pop(order, &event));
}

static void an_empty_order_gives_nothing(void **state)
{
	struct order *order = order_new();

	(void)state;
	assert_none(order);
	order_round(order);
	assert_none(order);
	order_finish(order);
	assert_none(order);
	order_free(order);
	order_free(NULL);
}

static void nothing_is_due_before_a_round_has_ended_twice(void **state)
{
	struct order *order = order_new();

	(void)state;
	push(order, 30, 1);
	push(order, 10, 2);
	assert_none(order);
	order_round(order);
	assert_none(order);
	push(order, 20, 3); /* of another CPU, and older */
	order_round(order);
	assert_next(order, 10, 2);
	assert_next(order, 20, 3);
	assert_next(order, 30, 1);
	assert_none(order);
	order_free(order);
}

static void after_a_round_all_events_of_the_round_before_are_out(void **state)
{
	struct order *order = order_new();

	(void)state;
	push(order, 30, 1);
	order_round(order);
	push(order, 25, 2);
	push(order, 31, 3);
	push(order, 60, 4);
	order_round(order);
	assert_next(order, 25, 2);
	assert_next(order, 30, 1);
	assert_none(order); /* the next round may still bring events before 31 */
	push(order, 35, 5);
	order_round(order);
	assert_next(order, 31, 3);
	assert_next(order, 35, 5);
	assert_next(order, 60, 4);
	assert_none(order);
	order_free(order);
}

static void a_late_collector_delays_only_younger_events(void **state)
{
	struct order *order = order_new();

	(void)state;
	push(order, 5, 1);
	push(order, 80, 2);
	order_round(order);
	push(order, 10, 3); /* of a late collector, which has come to 20 */
	push(order, 15, 4);
	push(order, 90, 5);
	order_round_from(order, 20);
	assert_next(order, 5, 1);
	assert_next(order, 10, 3);
	assert_next(order, 15, 4);
	assert_none(order);
	push(order, 20, 6);
	push(order, 70, 7);
	assert_next(order, 20, 6);
	assert_none(order);
	order_reach(order, 75);
	assert_next(order, 70, 7);
	assert_none(order);
	order_reach(order, 85); /* but the rest may still bring events before 90 */
	assert_next(order, 80, 2);
	assert_none(order);
	order_reach(order, 30); /* known already */
	assert_none(order);
	order_round(order);
	assert_next(order, 90, 5);
	order_free(order);
}

/* A late collector may come further than the rest is known to have come. */
static void rounds_from_a_time_are_rounds(void **state)
{
	struct order *order = order_new();

	(void)state;
	push(order, 30, 1);
	order_round_from(order, 40);
	assert_none(order);
	push(order, 25, 2);
	push(order, 60, 3);
	order_round_from(order, 70);
	assert_next(order, 25, 2);
	assert_next(order, 30, 1);
	assert_none(order);
	order_reach(order, 100);
	assert_none(order);
	order_round_from(order, 50);
	assert_none(order);
	order_reach(order, 65);
	assert_next(order, 60, 3);
	order_free(order);
}

static void events_without_a_time_wait_for_the_first_timed_round(void **state)
{
	struct order *order = order_new();

	(void)state;
	push(order, 5, 1);
	push(order, 0, 2); /* made by the recorder: a state before the recording */
	order_round(order);
	assert_none(order);
	order_round(order);
	assert_next(order, 0, 2);
	assert_next(order, 5, 1);
	order_free(order);
}

static void at_the_end_everything_is_due_even_the_latest_time(void **state)
{
	struct order *order = order_new();

	(void)state;
	push(order, UINT64_MAX, 1);
	push(order, 0, 2);
	push(order, UINT64_MAX - 1, 3);
	order_finish(order);
	assert_next(order, 0, 2);
	assert_next(order, UINT64_MAX - 1, 3);
	assert_next(order, UINT64_MAX, 1);
	assert_none(order);
	order_free(order);
}

static void events_of_one_time_come_as_they_were_pushed(void **state)
{
	struct order *order = order_new();

	(void)state;
	for (int32_t i = 0; i < 1000; i++)
		push(order, 7 + (uint64_t)i % 3, i);
	order_finish(order);
	for (int32_t left = 0; left < 3; left++)
		for (int32_t i = left; i < 1000; i += 3)
			assert_next(order, 7 + (uint64_t)left, i);
	order_free(order);
}

/* --- As a recorder writes ------------------------------------------------------------------ */

struct stamp {
	uint64_t time_ns;
	int32_t serial;
};

static int compare(const void *a, const void *b)
{
	const struct stamp *one = a, *other = b;

	if (one->time_ns != other->time_ns)
		return one->time_ns < other->time_ns ? -1 : 1;
	return (one->serial > other->serial) - (one->serial < other->serial);
}

/* Pushes the events that a round finds on each CPU, one after the other. */
static size_t push_round(struct order *order, struct stamp *all, size_t count, uint64_t *cpu_ns,
			 size_t cpus, uint64_t now_ns)
{
	for (size_t cpu = 0; cpu < cpus; cpu++) {
		now_ns += (uint64_t)rand() % 3; /* while other CPUs are read */
		for (;;) {
			uint64_t time_ns = cpu_ns[cpu] + (uint64_t)rand() % 20;

			if (time_ns > now_ns || count >= 20000)
				break;
			all[count] = (struct stamp){time_ns, (int32_t)count};
			push(order, time_ns, (int32_t)count);
			cpu_ns[cpu] = time_ns;
			count++;
		}
		if (cpu_ns[cpu] < now_ns)
			cpu_ns[cpu] = now_ns;
	}
	return count;
}

static void runs_of_several_cpus_come_out_sorted_and_stable(void **state)
{
	enum { CPUS = 5, ROUNDS = 100, TRIALS = 20 };

	(void)state;
	srand(1);
	for (int trial = 0; trial < TRIALS; trial++) {
		struct order *order = order_new();
		struct stamp *all = xcalloc(20000, sizeof(*all)), *got;
		uint64_t cpu_ns[CPUS] = {0};
		size_t count = 0, taken = 0;
		struct event event;

		got = xcalloc(20000, sizeof(*got));
		for (uint64_t round = 1; round <= ROUNDS; round++) {
			count = push_round(order, all, count, cpu_ns, CPUS, 50 * round);
			order_round(order);
			while (order_pop(order, &event))
				got[taken++] = (struct stamp){event.time_ns, event.tid};
		}
		assert_true(taken > count / 2); /* most came out before */
		order_finish(order);
		while (order_pop(order, &event))
			got[taken++] = (struct stamp){event.time_ns, event.tid};
		assert_int_equal(taken, count);
		qsort(all, count, sizeof(*all), compare);
		assert_memory_equal(got, all, count * sizeof(*all));
		free(all);
		free(got);
		order_free(order);
	}
}

static void without_rounds_any_order_comes_out_sorted_at_the_end(void **state)
{
	enum { LENGTH = 5000 };
	struct order *order = order_new();
	struct stamp *all = xcalloc(LENGTH, sizeof(*all));

	(void)state;
	srand(2);
	for (int32_t i = 0; i < LENGTH; i++) {
		all[i] = (struct stamp){1 + (uint64_t)rand() % 1000, i};
		push(order, all[i].time_ns, i);
	}
	assert_none(order);
	order_finish(order);
	qsort(all, LENGTH, sizeof(*all), compare);
	for (size_t i = 0; i < LENGTH; i++)
		assert_next(order, all[i].time_ns, all[i].serial);
	free(all);
	order_free(order);
}

static void never_more_than_two_rounds_are_kept(void **state)
{
	enum { EACH = 100 };
	struct order *order = order_new();
	size_t pushed = 0, taken = 0;
	struct event event;

	(void)state;
	for (uint64_t round = 0; round < 1000; round++) {
		for (uint64_t i = 0; i < EACH; i++, pushed++)
			push(order, 1 + round * EACH + (i * 37) % EACH, (int32_t)pushed);
		order_round(order);
		while (order_pop(order, &event))
			assert_int_equal(event.time_ns, ++taken);
		assert_int_equal(taken, round * EACH); /* all but those of this round */
	}
	order_free(order);
}

static void events_known_ahead_make_no_other_one_due(void **state)
{
	const struct event ahead = {.time_ns = 1000, .kind = EVENT_WAKE, .tid = 9};
	struct order *order = order_new();

	(void)state;
	order_push_ahead(order, &ahead);
	push(order, 10, 1);
	order_round(order);
	order_round(order);
	push(order, 20, 2);
	order_round(order);
	order_round(order);
	push(order, 15, 3); /* would be late */
	assert_next(order, 10, 1);
	assert_next(order, 15, 3);
	assert_next(order, 20, 2);
	assert_none(order);
	order_finish(order);
	assert_next(order, 1000, 9);
	order_free(order);
}

/* --- Against qsort ------------------------------------------------------------------------- */

static void push_on(struct order *order, int32_t cpu, struct stamp stamp)
{
	struct event *room = order_room(order, cpu);

	*room = (struct event){.time_ns = stamp.time_ns, .cpu = cpu, .tid = stamp.serial};
	order_take(order, room);
}

static void assert_sorted(struct order *order, struct stamp *all, size_t count)
{
	struct event event;

	qsort(all, count, sizeof(*all), compare);
	for (size_t i = 0; i < count; i++) {
		assert_true(order_pop(order, &event));
		if (event.time_ns != all[i].time_ns || event.tid != all[i].serial)
			fail_msg("place %zu: %d of %llu came for %d of %llu", i, event.tid,
				 (unsigned long long)event.time_ns, all[i].serial,
				 (unsigned long long)all[i].time_ns);
	}
	assert_none(order);
}

/* On so many CPUs, each event is up to `late_ns` older than the youngest of its CPU. */
static void any_disorder_comes_out_as_qsort_has_it(void **state)
{
	enum { LENGTH = 3000 };
	static const struct {
		int32_t cpus;
		uint64_t step_ns, late_ns;
	} cases[] = {
		{1, 1, 1},	 {1, 10, 1}, {1, 10, 100}, {1, 10, 1000},
		{1, 10, 100000}, {2, 10, 1}, {2, 10, 300}, {2, 1, 3},
		{7, 1, 1},	 {64, 3, 1}, {64, 3, 50},  {1000, 10, 1},
		{1000, 1, 9},	 {3, 0, 1},  {3, 0, 5},	   {60000, 10, 90},
	};

	(void)state;
	srand(4);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct order *order = order_new();
		struct stamp *all = xcalloc(LENGTH, sizeof(*all));
		uint64_t now_ns = 200000;

		for (int32_t n = 0; n < LENGTH; n++) {
			now_ns += (uint64_t)rand() % (cases[i].step_ns + 1);
			all[n].time_ns = now_ns - (uint64_t)rand() % cases[i].late_ns;
			all[n].serial = n;
			push_on(order, rand() % cases[i].cpus - 1, all[n]);
		}
		assert_none(order);
		order_finish(order);
		assert_sorted(order, all, LENGTH);
		free(all);
		order_free(order);
	}
}

/* An overwritten ring holds the newest record first, whatever its rounds say. */
static void overwritten_rings_are_sorted_at_the_end(void **state)
{
	enum { EACH = 500, CPUS = 3, SNAPSHOTS = 4 };
	struct order *order = order_new();
	struct stamp all[SNAPSHOTS * CPUS * EACH];
	size_t count = 0;

	(void)state;
	order_sort_all(order);
	for (uint64_t shot = 1; shot <= SNAPSHOTS; shot++) {
		for (int32_t cpu = 0; cpu < CPUS; cpu++) {
			for (uint64_t i = EACH; i; i--, count++) {
				all[count].time_ns = 10000 * (SNAPSHOTS - shot) + 7 * i;
				all[count].serial = (int32_t)count;
				push_on(order, cpu, all[count]);
			}
		}
		order_round(order);
		order_round(order);
		assert_none(order);
	}
	order_finish(order);
	assert_sorted(order, all, count);
	order_free(order);
}

static void made_events_that_are_not_taken_are_forgotten(void **state)
{
	struct order *order = order_new();
	struct event event;

	(void)state;
	for (int32_t i = 0; i < 100; i++) {
		order_room(order, i % 2)->time_ns = 1;
		push_on(order, i % 3, (struct stamp){10 + (uint64_t)i, i});
		order_room(order, i % 2)->time_ns = 2;
	}
	order_finish(order);
	for (int32_t i = 0; i < 100; i++) {
		assert_true(order_pop(order, &event));
		assert_int_equal(event.tid, i);
	}
	assert_none(order);
	order_free(order);
}

/* One wrong clock must cost no more than its own events. */
static void events_of_the_far_future_delay_no_other_one(void **state)
{
	enum { LENGTH = 200000 };
	struct order *order = order_new();
	struct event event;
	size_t taken = 0;

	(void)state;
	for (int32_t i = 0; i < LENGTH; i++) {
		bool wrong = i % 2;

		push_on(order, 0, (struct stamp){wrong ? UINT64_MAX - 1 : 1 + (uint64_t)i, i});
	}
	order_finish(order);
	for (; order_pop(order, &event); taken++)
		assert_int_equal(event.tid,
				 taken < LENGTH / 2 ? 2 * taken : 2 * (taken - LENGTH / 2) + 1);
	assert_int_equal(taken, LENGTH);
	order_free(order);
}

/* --- Pauses -------------------------------------------------------------------------------- */

static void events_in_a_pause_tell_only_which_threads_exist(void **state)
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
	static const uint64_t pauses[][2] = {{10, 20}, {100, 200}, {300, 400}};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct event event = {.time_ns = cases[i].time_ns, .kind = cases[i].kind};
		struct order *order = order_new();
		struct event out[COUNT(pauses) + 2];
		size_t count = 0;

		for (size_t k = 0; k < COUNT(pauses); k++)
			order_pause(order, pauses[k][0], pauses[k][1]);
		order_push(order, &event);
		order_finish(order);
		while (order_pop(order, &out[count]))
			count += out[count].time_ns == event.time_ns &&
				 (out[count].note != QUALITY_PAUSED || count);
		if (count != cases[i].count || (count && out[0].kind != cases[i].first))
			fail_msg("case %zu: %zu events", i, count);
		if (count == 2)
			assert_int_equal(out[1].kind, EVENT_GAP);
		order_free(order);
	}
}

/* For a pause from the begin on, known only at the end. */
static void forgotten_events_tell_only_which_threads_existed(void **state)
{
	static const struct event events[] = {
		{.time_ns = 10, .kind = EVENT_FORK}, {.time_ns = 20, .kind = EVENT_SWITCH},
		{.time_ns = 30, .kind = EVENT_EXIT}, {.time_ns = 40, .kind = EVENT_SWITCH},
		{.time_ns = 50, .kind = EVENT_EXIT},
	};
	static const struct {
		uint64_t time_ns;
		enum event_kind kind;
	} want[] = {{10, EVENT_FORK}, {10, EVENT_GAP},	  {30, EVENT_SWITCH},
		    {39, EVENT_GAP},  {40, EVENT_SWITCH}, {50, EVENT_EXIT}};
	struct order *order = order_new();
	struct event event;

	(void)state;
	for (size_t i = 0; i < COUNT(events); i++)
		order_push(order, &events[i]);
	order_forget(order, 40);
	order_finish(order);
	for (size_t i = 0; i < COUNT(want); i++) {
		assert_true(order_pop(order, &event));
		assert_int_equal(event.time_ns, want[i].time_ns);
		assert_int_equal(event.kind, want[i].kind);
	}
	assert_none(order);
	order_free(order);
}

enum { T = DRAWING_BEGIN_NS, STEP = DRAWING_STEP_NS };

/* Paused from column 4 to column 8: 100 runs on, 101 ends, 102 is born. */
static const struct event events[] = {
	{.time_ns = T, .kind = EVENT_FORK, .tid = 1, .other = 100, .cpu = -1},
	{.time_ns = T, .kind = EVENT_SWITCH, .other = 100, .cpu = 0},
	{.time_ns = T + 1 * STEP, .kind = EVENT_FORK, .tid = 100, .other = 101, .cpu = 0},
	{.time_ns = T + 1 * STEP, .kind = EVENT_SWITCH, .other = 101, .cpu = 1},
	{.time_ns = T + 5 * STEP, .kind = EVENT_FORK, .tid = 100, .other = 102, .cpu = 0},
	{.time_ns = T + 6 * STEP, .kind = EVENT_EXIT, .tid = 101, .cpu = 1},
	/* One CPU may be paused a bit later than the rest. */
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

static void the_state_of_a_thread_in_a_pause_is_unknown(void **state)
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

/* --- Members of events --------------------------------------------------------------------- */

/* Events of all kinds come out unchanged, also after waiting. */
static void all_members_of_each_kind_are_kept(void **state)
{
	enum { EACH = 500 };
	struct order *order = order_new();

	(void)state;
	for (int i = 0; i < EACH * EVENT_NOTE; i++) {
		struct event event = event_new((enum event_kind)(i % EVENT_NOTE), (uint64_t)i);

		event.tid = i;
		event.ran_ns = (uint64_t)i * 7;
		if (event.kind == EVENT_STEP)
			event.counted[TASK_COUNTED_MAX - 1] = (uint64_t)i * 11;
		if (event.kind == EVENT_CALL || event.kind == EVENT_RETURN)
			event.object2 = (uint64_t)i * 13;
		if (event.kind == EVENT_ENTER || event.kind == EVENT_LEAVE)
			event.arguments[BLOCK_ARGUMENTS - 1] = i;
		snprintf(event.other_comm, sizeof(event.other_comm), "thread %hu",
			 (unsigned short)i);
		order_push(order, &event);
	}
	order_finish(order);
	for (int i = 0; i < EACH * EVENT_NOTE; i++) {
		struct event event;
		char name[COMM_SIZE];

		snprintf(name, sizeof(name), "thread %hu", (unsigned short)i);
		assert_true(order_pop(order, &event));
		assert_int_equal(event.tid, i);
		assert_string_equal(event.other_comm, name);
		if (event.kind != EVENT_ENTER && event.kind != EVENT_LEAVE)
			assert_int_equal(event.ran_ns, i * 7);
		if (event.kind == EVENT_STEP)
			assert_int_equal(event.counted[TASK_COUNTED_MAX - 1], i * 11);
		if (event.kind == EVENT_CALL || event.kind == EVENT_RETURN)
			assert_int_equal(event.object2, i * 13);
		if (event.kind == EVENT_ENTER || event.kind == EVENT_LEAVE)
			assert_true(event.arguments[BLOCK_ARGUMENTS - 1] == i);
	}
	order_free(order);
}

/* --- Damaged times ------------------------------------------------------------------------- */

/* Pushes times in seconds, of CPU 1 with a suffix 'b', of no known CPU with 'n'; '|' ends a
 * round. */
static void push_seconds(struct order *order, const char *text)
{
	while (*text) {
		char *end;
		double time_s = strtod(text, &end);
		struct event event = event_new(EVENT_WAKE, (uint64_t)(time_s * 1e9));

		event.cpu = *end == 'n' ? -1 : *end == 'b';
		if (*text == '|')
			order_round(order);
		else
			order_push(order, &event);
		text = *text == '|' ? text + 1 : end + (*end == 'b' || *end == 'n');
		text += strspn(text, " ");
	}
}

static void pop_seconds(char got[256], struct order *order)
{
	struct event event;
	size_t at = 0;

	got[0] = '\0';
	while (order_pop(order, &event) && at < 200)
		at += (size_t)snprintf(got + at, 256 - at,
				       event.kind == EVENT_NOTE ? "%s!" : "%s%g", at ? " " : "",
				       (double)event.time_ns / 1e9);
}

static void an_impossible_time_is_noticed_by_its_neighbours(void **state)
{
	static const struct {
		const char *pushed, *popped; /* '!': one event was left out */
	} cases[] = {
		{"1 2 3", "1 2 3"},
		{"1 2 9e9 3 4", "! 1 2 3 4"},
		{"9e9 1 2 3", "! 1 2 3"},
		{"1 2 3.2 3 4", "! 1 2 3 4"},
		{"1 2 3.05 3 4", "1 2 3 3.05 4"}, /* interrupts nest */
		{"1 2 0.5 3", "! 1 2 3"},
		{"100 101 1 102 103", "! 100 101 102 103"},
		{"100 101 1 2 3", "! 2 3 100 101"},	/* the clock was set back */
		{"1 2 9 1b 2b 3b 4b", "1 1 2 2 3 4 9"}, /* a run ended so late */
		{"1 2 9 | 3b | 4b |", "1 2 3 4 !"},	/* no, as rounds followed it */
		{"1 2 9 | 3b | 9.1b |", "1 2 3 9 9.1"}, /* yes, as a later event confirms it */
		{"1 2 9 1 2 9b", "! ! 1 2 2 9"},
		{"1n 2n 9n 1n 3n 4n", "1 1 2 3 4 9"}, /* of any ring */
		{"1 2 1e9", "1 2 !"},		      /* no event waits for 30 years */
		{"1n 2n 1e9n 3n", "1 2 3 !"},
		{"5", "5"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct order *order = order_new();
		uint64_t left_out = 0;
		char got[256];

		order_by_cpu(order);
		push_seconds(order, cases[i].pushed);
		order_finish(order);
		pop_seconds(got, order);
		if (strcmp(got, cases[i].popped) != 0)
			fail_msg("'%s' gave '%s'", cases[i].pushed, got);
		for (const char *at = got; (at = strchr(at, '!')); at++)
			left_out++;
		assert_int_equal(order_take_damaged(order), left_out);
		assert_int_equal(order_take_damaged(order), 0);
		order_free(order);
	}
}

static void rings_of_threads_may_start_again(void **state)
{
	struct order *order = order_new();
	char got[256];

	(void)state;
	push_seconds(order, "0 100 50 60");
	order_finish(order);
	pop_seconds(got, order);
	assert_string_equal(got, "0 50 60 100");
	order_free(order);
}

/* Sixteen times as far as all other gaps, and an event follows it. */
static void an_event_alone_is_not_far_from_all_others(void **state)
{
	static const struct {
		const char *pushed, *popped, *by_thread;
	} cases[] = {
		{"1 2 90 3 4", "1 2 3 4 !", "1 2 3 4 90"},
		{"1 2 30 3 4", "1 2 3 4 30", "1 2 3 4 30"},
		{"1 2 3 4 90", "1 2 3 4 90", "1 2 3 4 90"},
		{"0.05 1 2 40 3", "0.05 1 2 3 40", "0.05 1 2 3 40"}, /* time since the last 0.05 */
		{"1 2 90 3 91 4", "1 2 3 4 90 91", "1 2 3 4 90 91"},
	};

	(void)state;
	for (size_t i = 0; i < 2 * COUNT(cases); i++) {
		const char *want = i % 2 ? cases[i / 2].by_thread : cases[i / 2].popped;
		struct order *order = order_new();
		char got[256];

		if (i % 2)
			order_by_thread(order);
		push_seconds(order, cases[i / 2].pushed);
		order_finish(order);
		pop_seconds(got, order);
		assert_string_equal(got, want);
		order_free(order);
	}
}

/* An event read before it is not due, although an impossible time followed. */
static void an_impossible_time_makes_no_event_due(void **state)
{
	struct order *order = order_new();
	char got[256];

	(void)state;
	order_by_cpu(order);
	push_seconds(order, "1 2 9e9 | 3 3.01 3b | ");
	pop_seconds(got, order);
	assert_string_equal(got, "! 1 2");
	push_seconds(order, "3.05b 4b 5b | ");
	pop_seconds(got, order);
	assert_string_equal(got, "3 3 3.01");
	order_free(order);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(an_impossible_time_is_noticed_by_its_neighbours),
	cmocka_unit_test(rings_of_threads_may_start_again),
	cmocka_unit_test(an_event_alone_is_not_far_from_all_others),
	cmocka_unit_test(an_impossible_time_makes_no_event_due),
	cmocka_unit_test(an_empty_order_gives_nothing),
	cmocka_unit_test(nothing_is_due_before_a_round_has_ended_twice),
	cmocka_unit_test(a_late_collector_delays_only_younger_events),
	cmocka_unit_test(rounds_from_a_time_are_rounds),
	cmocka_unit_test(after_a_round_all_events_of_the_round_before_are_out),
	cmocka_unit_test(events_without_a_time_wait_for_the_first_timed_round),
	cmocka_unit_test(at_the_end_everything_is_due_even_the_latest_time),
	cmocka_unit_test(events_of_one_time_come_as_they_were_pushed),
	cmocka_unit_test(runs_of_several_cpus_come_out_sorted_and_stable),
	cmocka_unit_test(without_rounds_any_order_comes_out_sorted_at_the_end),
	cmocka_unit_test(never_more_than_two_rounds_are_kept),
	cmocka_unit_test(events_known_ahead_make_no_other_one_due),
	cmocka_unit_test(any_disorder_comes_out_as_qsort_has_it),
	cmocka_unit_test(overwritten_rings_are_sorted_at_the_end),
	cmocka_unit_test(made_events_that_are_not_taken_are_forgotten),
	cmocka_unit_test(events_of_the_far_future_delay_no_other_one),
	cmocka_unit_test(events_in_a_pause_tell_only_which_threads_exist),
	cmocka_unit_test(forgotten_events_tell_only_which_threads_existed),
	cmocka_unit_test(the_state_of_a_thread_in_a_pause_is_unknown),
	cmocka_unit_test(all_members_of_each_kind_are_kept),
};

TEST_FILE(tests);
