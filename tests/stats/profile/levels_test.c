/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/profile/levels.h"

#include "base/alloc.h"
#include "base/err.h"
#include "draw/drawing.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int32_t root[] = {DRAWING_TID};
static const struct selection tree = {.pids = root, .pid_count = 1};

#define ROWS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Levels of a drawing, in columns. */
static void levels_of(const char *const *rows, uint64_t interval_ns, struct level_times *times,
		      struct level_times **intervals, size_t *count)
{
	struct event_source *source = drawing_source(rows);
	struct timeline *timeline = timeline_new(source, &tree);
	struct levels *levels = levels_new(interval_ns, 0);
	struct change change;
	struct err err;

	while (timeline_next(timeline, &change, &err) > 0)
		levels_add(levels, &change);
	levels_sum(levels, times);
	if (intervals)
		*count = levels_intervals(levels, intervals);
	levels_free(levels);
	timeline_free(timeline);
	event_source_free(source);
}

static void assert_levels(const char *const *rows, const uint64_t *columns, size_t count,
			  uint64_t unknown)
{
	struct level_times times;

	levels_of(rows, 0, &times, NULL, NULL);
	assert_int_equal(times.max_active, count - 1);
	for (size_t j = 0; j < count; j++)
		assert_int_equal(times.wall_ns[j], columns[j] * DRAWING_STEP_NS);
	assert_int_equal(times.unknown_ns, unknown * DRAWING_STEP_NS);
	level_times_release(&times);
}

#define LEVELS(...) \
	(const uint64_t[]){__VA_ARGS__}, sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)

static void running_and_runnable_threads_are_active(void **state)
{
	(void)state;
	assert_levels(ROWS(" RRRR"), LEVELS(0, 4), 0);
	assert_levels(ROWS(" RR..wwRR"), LEVELS(2, 6), 0);
	assert_levels(ROWS(" RRDDwwRR"), LEVELS(2, 6), 0);
	assert_levels(ROWS(" RRTTwwRR"), LEVELS(2, 6), 0);
	assert_levels(ROWS(" RRRRRR", "  wwRR", "   R"), LEVELS(0, 2, 3, 1), 0);
	assert_levels(ROWS(" RR......R", "   wwRR", "    wR"), LEVELS(2, 5, 2), 0);
}

static void a_hidden_run_counts_from_its_known_wake(void **state)
{
	(void)state;
	assert_levels(ROWS(" RR...whhh..R"), LEVELS(5, 7), 0);
}

static void time_is_unknown_while_one_thread_is_unknown(void **state)
{
	/* The end of the interval tells that it is unknown, back over intervals of other
	 * threads.
	 */
	(void)state;
	assert_levels(ROWS(" RR...HH...wR"), LEVELS(3, 4), 5);
	assert_levels(ROWS(" RRRRRRRRRRRR", "  R...HH..wR"), LEVELS(0, 4, 3), 5);
	assert_levels(ROWS(" RR...HH...wR", "  R..HH.R"), LEVELS(2, 4, 1), 5);
}

/* The slow way: counts in each column. */
static void count_by_column(const char *drawing, size_t rows, struct level_times *times)
{
	const char *row[16];
	size_t columns = 0, begin = SIZE_MAX;

	for (size_t i = 0; i < rows; i++) {
		size_t length = strcspn(drawing, "\n");

		row[i] = drawing;
		columns = length > columns ? length : columns;
		if (strspn(drawing, " ") < length && strspn(drawing, " ") < begin)
			begin = strspn(drawing, " ");
		drawing += length + 1;
	}
	times->wall_ns = xcalloc(rows + 1, sizeof(*times->wall_ns));
	for (size_t column = begin; column < columns; column++) {
		size_t active = 0, unknown = 0;

		for (size_t i = 0; i < rows; i++) {
			size_t length = strcspn(row[i], "\n");
			char letter = column < length ? row[i][column] : ' ';

			active += strchr("Rwa", letter) != NULL;
			unknown += letter == '?';
		}
		times->total_ns += DRAWING_STEP_NS;
		*(unknown ? &times->unknown_ns : &times->wall_ns[active]) += DRAWING_STEP_NS;
	}
}

/* A random life of a thread, with hidden runs; it begins in column `begin`. */
static void draw_at_random(char *row, size_t begin, size_t end)
{
	static const char letters[] = "RRww..DhHT";

	memset(row, ' ', begin);
	row[begin] = 'R';
	for (size_t i = begin + 1; i < end; i++) {
		char letter = letters[(size_t)rand() % (sizeof(letters) - 1)];
		char before = row[i - 1];

		if (rand() % 2)
			letter = before;
		if (letter == 'h' && before != 'w' && before != 'h')
			letter = 'w'; /* hidden after a recorded wake */
		if (letter == 'H' && !strchr(".DTH", before))
			letter = '.'; /* a hidden wake follows sleep only */
		row[i] = letter;
	}
	row[end] = '\0';
}

static void corrections_agree_with_a_count_of_the_final_states(void **state)
{
	enum { THREADS = 6, COLUMNS = 60, TRIALS = 300 };

	(void)state;
	srand(1);
	for (int trial = 0; trial < TRIALS; trial++) {
		char rows[THREADS][COLUMNS + 1];
		const char *list[THREADS + 1] = {0};
		struct level_times got, want = {0};
		struct event_source *source;
		struct timeline *timeline;
		char *drawing;

		for (size_t i = 0; i < THREADS; i++) {
			draw_at_random(rows[i], 1 + 3 * i, 30 + (size_t)rand() % 30);
			list[i] = rows[i];
		}
		source = drawing_source(list);
		timeline = timeline_new(source, &tree);
		drawing = drawing_of(timeline, THREADS);
		count_by_column(drawing, THREADS, &want);
		levels_of(list, 0, &got, NULL, NULL);
		assert_int_equal(got.total_ns, want.total_ns);
		assert_int_equal(got.unknown_ns, want.unknown_ns);
		for (size_t j = 0; j <= got.max_active; j++)
			assert_int_equal(got.wall_ns[j], want.wall_ns[j]);
		free(drawing);
		timeline_free(timeline);
		event_source_free(source);
		level_times_release(&got);
		level_times_release(&want);
	}
}

/* --- Against the definition ---------------------------------------------------------------- */

enum { LIVES = 40, MOMENTS = 400 };

/* The final states of LIVES threads in each nanosecond; STATE_NONE: the thread does not exist. */
struct truth {
	enum thread_state was[LIVES][MOMENTS];
};

/* Counts the threads in each nanosecond of a range. */
static void count_by_definition(const struct truth *truth, size_t from, size_t to,
				struct level_times *times)
{
	*times = (struct level_times){.begin_ns = from};
	times->wall_ns = xcalloc(LIVES + 1, sizeof(*times->wall_ns));
	for (size_t now = from; now < to; now++) {
		size_t active = 0, unknown = 0;

		for (size_t i = 0; i < LIVES; i++) {
			active += thread_state_is_active(truth->was[i][now]);
			unknown += truth->was[i][now] == STATE_UNKNOWN;
		}
		times->total_ns++;
		++*(unknown ? &times->unknown_ns : &times->wall_ns[active]);
		if (!unknown && active > times->max_active)
			times->max_active = active;
	}
}

static void assert_same_times(struct level_times *got, struct level_times *want)
{
	assert_int_equal(got->begin_ns, want->begin_ns);
	assert_int_equal(got->total_ns, want->total_ns);
	assert_int_equal(got->unknown_ns, want->unknown_ns);
	assert_int_equal(got->max_active, want->max_active);
	for (size_t j = 0; j <= want->max_active; j++)
		assert_int_equal(got->wall_ns[j], want->wall_ns[j]);
	level_times_release(got);
	level_times_release(want);
}

static enum thread_state draw_state(void)
{
	static const enum thread_state states[] = {STATE_UNKNOWN,  STATE_UNKNOWN,  STATE_RUNNING,
						   STATE_RUNNABLE, STATE_RUNNABLE, STATE_ACTIVE,
						   STATE_INACTIVE, STATE_INACTIVE, STATE_INACTIVE};

	return states[(size_t)rand() % (sizeof(states) / sizeof(states[0]))];
}

/* The begin of the open interval of each thread, and its state so far. */
struct life {
	size_t since;
	enum thread_state believed;
	bool known, over;
};

/* Ends a thread's interval; only now its final state is known. */
static struct change end_interval(struct truth *truth, struct life *life, size_t i, size_t now,
				  enum thread_state next)
{
	struct change change = {.begin_ns = life->since, .end_ns = now, .thread = i, .next = next};

	change.state = life->since < now || life->known ? life->believed : STATE_NONE;
	if (change.state != STATE_NONE && rand() % 2)
		change.state = draw_state();
	for (size_t t = life->since; t < now; t++)
		truth->was[i][t] = change.state;
	*life = (struct life){now, next, true, next == STATE_NONE};
	return change;
}

/* Threads that exist from the beginning, and threads that appear: both have a first change. */
static void begin_lives(struct life *lives)
{
	for (size_t i = 0; i < LIVES; i++)
		lives[i] = (struct life){.believed = STATE_UNKNOWN};
}

static void assert_as_defined(struct levels *levels, const struct truth *truth, size_t length)
{
	struct level_times got, want, *intervals;
	size_t count = levels_intervals(levels, &intervals);

	levels_sum(levels, &got);
	count_by_definition(truth, 0, MOMENTS, &want);
	assert_same_times(&got, &want);
	assert_int_equal(count, (MOMENTS + length - 1) / length);
	for (size_t i = 0; i < count; i++) {
		size_t end = (i + 1) * length < MOMENTS ? (i + 1) * length : MOMENTS;

		count_by_definition(truth, i * length, end, &want);
		assert_same_times(&intervals[i], &want);
	}
	free(intervals);
}

/* Adds the change to both, as far as they exist. */
static void add_to_both(struct levels *levels, struct levels *copy, const struct change *change)
{
	assert_int_equal(levels_add(levels, change), 0);
	if (copy)
		assert_int_equal(levels_add(copy, change), 0);
}

/* The first one lives to the end. */
static enum thread_state draw_next(size_t i)
{
	return i && rand() % 30 == 0 ? STATE_NONE : draw_state();
}

/* Runs from one moment up to below another; at the end all threads end. */
static void live(struct levels *levels, struct levels *copy, struct truth *truth,
		 struct life *lives, size_t from, size_t to, int chance)
{
	for (size_t now = from; now < to + (to == MOMENTS); now++) {
		for (size_t i = 0; i < LIVES; i++) {
			enum thread_state next = now < MOMENTS ? draw_next(i) : STATE_NONE;
			struct change change;

			if (lives[i].over || (now < MOMENTS && rand() % chance))
				continue;
			if (!lives[i].known && i && rand() % 2) /* it did not exist before */
				lives[i].since = now;
			change = end_interval(truth, &lives[i], i, now, next);
			add_to_both(levels, copy, &change);
		}
	}
}

static void any_corrections_agree_with_the_definition(void **state)
{
	static const size_t lengths[] = {1, 8, 50, MOMENTS};
	static const int chances[] = {1, 3, 20, 200}; /* of a change, one in so many */

	(void)state;
	srand(2);
	for (size_t trial = 0; trial < 200; trial++) {
		size_t length = lengths[trial % 4];
		struct levels *levels = levels_new(length, 0), *copy;
		struct truth truth = {0};
		struct life lives[LIVES];

		begin_lives(lives);
		levels_begin(levels, 0);
		live(levels, NULL, &truth, lives, 0, MOMENTS / 2, chances[trial / 4 % 4]);
		copy = levels_copy(levels);
		levels_join_intervals(copy);
		live(levels, copy, &truth, lives, MOMENTS / 2, MOMENTS, chances[trial / 4 % 4]);
		assert_as_defined(levels, &truth, length);
		assert_as_defined(copy, &truth, 2 * length);
		levels_join_intervals(copy);
		assert_as_defined(copy, &truth, 4 * length);
		levels_free(levels);
		levels_free(copy);
	}
}

static void bins_have_the_requested_number_and_the_defined_content(void **state)
{
	enum { BINS = 16 };
	static const int chances[] = {1, 20};

	(void)state;
	srand(3);
	for (size_t trial = 0; trial < 50; trial++) {
		struct levels *levels = levels_new(1, BINS);
		struct truth truth = {0};
		struct life lives[LIVES];
		size_t bin_ns = 1;

		begin_lives(lives);
		levels_begin(levels, 0);
		live(levels, NULL, &truth, lives, 0, MOMENTS, chances[trial % 2]);
		while (bin_ns * BINS < MOMENTS)
			bin_ns *= 2;
		assert_as_defined(levels, &truth, bin_ns);
		levels_free(levels);
	}
}

static void intervals_add_up_to_the_whole(void **state)
{
	const char *const *rows = ROWS(" RR..HHwRR....wR", "   RRRRwwRR.R", "     R..wR");
	struct level_times times, *intervals;
	uint64_t total = 0, unknown = 0;
	size_t count;

	(void)state;
	levels_of(rows, 4 * DRAWING_STEP_NS, &times, &intervals, &count);
	assert_int_equal(count, 4); /* 15 columns */
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(intervals[i].begin_ns, i * 4 * DRAWING_STEP_NS);
		assert_int_equal(intervals[i].total_ns, (i < 3 ? 4 : 3) * DRAWING_STEP_NS);
		total += intervals[i].total_ns;
		unknown += intervals[i].unknown_ns;
		level_times_release(&intervals[i]);
	}
	assert_int_equal(total, times.total_ns);
	assert_int_equal(unknown, times.unknown_ns);
	free(intervals);
	level_times_release(&times);
}

static void a_sleeper_costs_no_memory_in_intervals_it_sleeps_through(void **state)
{
	struct level_times times, *intervals;
	size_t count;

	(void)state;
	levels_of(ROWS(" R.............R"), DRAWING_STEP_NS, &times, &intervals, &count);
	assert_int_equal(count, 15);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(intervals[i].max_active, i == 0 || i == 14);
		level_times_release(&intervals[i]);
	}
	free(intervals);
	level_times_release(&times);
}

static void the_mean_is_over_known_time_if_half_of_it_is(void **state)
{
	uint64_t wall_ns[] = {10, 20, 30};
	struct level_times times = {.wall_ns = wall_ns, .max_active = 2, .unknown_ns = 60};
	struct level_times unknown = {.wall_ns = (uint64_t[]){0}, .unknown_ns = 5};

	(void)state;
	assert_close(level_times_mean(&times), 80.0 / 60, 1e-15);
	assert_true(isnan(level_times_mean(&unknown)));
	times.unknown_ns++;
	assert_true(isnan(level_times_mean(&times)));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(running_and_runnable_threads_are_active),
	cmocka_unit_test(a_hidden_run_counts_from_its_known_wake),
	cmocka_unit_test(time_is_unknown_while_one_thread_is_unknown),
	cmocka_unit_test(corrections_agree_with_a_count_of_the_final_states),
	cmocka_unit_test(any_corrections_agree_with_the_definition),
	cmocka_unit_test(bins_have_the_requested_number_and_the_defined_content),
	cmocka_unit_test(intervals_add_up_to_the_whole),
	cmocka_unit_test(a_sleeper_costs_no_memory_in_intervals_it_sleeps_through),
	cmocka_unit_test(the_mean_is_over_known_time_if_half_of_it_is),
};

TEST_FILE(tests);
