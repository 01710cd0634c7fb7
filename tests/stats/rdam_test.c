/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/rdam.h"

#include "base/alloc.h"
#include "base/err.h"
#include "block_drawing.h"
#include "decode/timeline.h"
#include "random.h"
#include "stats/sequences.h"
#include "support.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const double US = 1e-6;

struct analysed {
	struct event_source *source;
	struct block_trace trace;
	struct rdam rdam;
	bool has_strangers; /* only what the first thread creates is the target */
};

static void analyse(struct analysed *of, const struct rdam_options *options)
{
	static const int32_t root[] = {DRAWING_TID};
	struct selection selection = {.pids = root, .pid_count = of->has_strangers};
	struct err err = {""};

	if (block_trace_read(&of->trace, of->source, &selection, &err) ||
	    rdam_init(&of->rdam, &of->trace, options, &err))
		fail_msg("%s", err.text);
}

static void release(struct analysed *of)
{
	rdam_release(&of->rdam);
	block_trace_release(&of->trace);
	event_source_free(of->source);
}

static const struct rdam_row *row_of(const struct rdam *rdam, const char *name)
{
	for (size_t i = 0; i < rdam->row_count; i++)
		if (strcmp(rdam->rows[i].name, name) == 0)
			return &rdam->rows[i];
	fail_msg("there is no row '%s'", name);
	return NULL;
}

static void assert_names(const struct rdam *rdam, const char *want)
{
	char text[2048] = "";
	size_t length = 0;

	for (size_t i = 0; i < rdam->row_count; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s*%d",
					   i ? ", " : "", rdam->rows[i].name,
					   (int)rdam->rows[i].occurrences);
	assert_string_equal(text, want);
}

/* --- Scores -------------------------------------------------------------------------------- */

/* Events of one thread, at times in microseconds: "0 A 10 a", with one argument "5 B=7". */
static struct event_source *listed(const char *text)
{
	struct event events[512];
	size_t count = 0;
	struct event_source *source;
	char letter;
	double time_us;
	int used;

	while (sscanf(text, "%lf %c%n", &time_us, &letter, &used) == 2) {
		struct event event = event_new(isupper(letter) ? EVENT_ENTER : EVENT_LEAVE,
					       1000 + (uint64_t)(1000 * time_us));

		text += used;
		event.tid = 100;
		event.block = (uint32_t)(toupper(letter) - 'A');
		if (*text == '=') {
			event.arguments[0] = strtod(text + 1, (char **)(uintptr_t)&text);
			event.count = 1;
		}
		assert_true(count < COUNT(events));
		events[count++] = event;
	}
	source = array_source(events, count);
	for (letter = 'A'; letter <= 'Z'; letter++)
		blocks_number(&source->blocks, &letter, 1);
	return source;
}

static void the_published_example_has_its_score(void **state)
{
	struct analysed of = {.source = listed("0 Z 1 A 23 a 24 A 59 a 60 A 100 a 101 A 139 a "
					       "140 A 180 a 200 z")};
	const struct rdam_row *row;

	(void)state;
	analyse(&of, &(struct rdam_options){.least = 2});
	assert_int_equal(of.rdam.row_count, 1);
	row = &of.rdam.rows[0];
	assert_string_equal(row->name, "A");
	assert_close(row->score, 0.325, 1e-12);
	assert_close(row->lost_s, 65 * US, 1e-12);
	assert_close(row->total_s, 175 * US, 1e-12);
	assert_close(row->min_s, 22 * US, 1e-12);
	assert_close(row->median_s, 38 * US, 1e-12);
	assert_close(row->p99_s, 40 * US, 1e-12);
	assert_close(row->wall_s, 200 * US, 1e-12);
	assert_close(row->causes_s[RDAM_UNKNOWN], 65 * US, 1e-12);
	assert_int_equal(row->occurrences, 5);
	assert_int_equal(row->slowest.first, 5);
	assert_int_equal(row->slowest.last, 6);
	assert_true(row->few);
	assert_false(row->any_content);
	release(&of);
}

/* Between two neighbours in order: of 2, 4, 6, 10 the median is 5, and p99 6 + 0.97 * 4. */
static void quantiles_lie_between_neighbours(void **state)
{
	struct analysed of = {.source = listed("0 A 6 a 10 A 20 a 30 A 32 a 40 A 44 a")};

	(void)state;
	analyse(&of, &(struct rdam_options){.least = 2});
	assert_close(of.rdam.rows[0].median_s, 5 * US, 1e-12);
	assert_close(of.rdam.rows[0].p99_s, 9.88 * US, 1e-12);
	release(&of);
}

static void blocks_whose_contents_vary_have_a_row_of_their_own(void **state)
{
	static const struct {
		const char *events, *want;
	} table[] = {
		{"0 A 1 B 3 b 5 a 6 A 7 B 8 b 9 B 10 b 20 a", "A { B+ }*2, B*3"},
		/* one with C, once: too seldom, but not lost */
		{"0 A 1 B 2 b 4 a 5 A 6 B 7 b 10 a 11 A 12 C 13 c 30 a", "A*3, A { B }*2, B*2"},
		/* and when nothing repeats at all */
		{"0 A 1 B 2 b 4 a 11 A 12 C 13 c 30 a", "A*2"},
		/* alone or not */
		{"0 A 1 a 2 A 4 a 5 A 6 B 7 b 15 a 16 B 17 b", "A*3, A { }*2, B*2"},
		/* a recursion: the outermost calls, and each depth */
		{"0 A 1 A 2 a 4 a 5 A 6 A 8 a 20 a", "A*2, A { A }*2, A { }*2"},
		/* left by a longjmp: C has no leave */
		{"0 A 1 C 4 a 5 A 6 C 20 a 21 b", "A*2"},
		{"0 A 2 B 3 b 3 C 4 c 5 B 6 b 7 C 8 c 9 a 10 A 11 B 12 b 13 C 15 c 20 a",
		 "A { (B C)+ }*2, C*3, B*3"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		struct analysed of = {.source = listed(table[i].events)};

		analyse(&of, &(struct rdam_options){.least = 2});
		assert_names(&of.rdam, table[i].want);
		for (size_t k = 0; k < of.rdam.row_count; k++)
			assert_int_equal(of.rdam.rows[k].any_content,
					 strchr(of.rdam.rows[k].name, '{') == NULL &&
						 of.rdam.rows[k].block == 0 && i > 0);
		release(&of);
	}
}

/* Twelve of fourteen blocks, and that there are more. */
static void long_names_are_cut(void **state)
{
	struct analysed of;
	char text[2048] = "";
	size_t length = 0, time_us = 0;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		length += (size_t)sprintf(text + length, "%zu A ", ++time_us);
		for (char letter = 'B'; letter <= 'O'; letter++) {
			length += (size_t)sprintf(text + length, "%zu %c ", ++time_us, letter);
			length += (size_t)sprintf(text + length, "%zu %c ", ++time_us,
						  tolower(letter));
		}
		length += (size_t)sprintf(text + length, "%zu a ", ++time_us);
	}
	of = (struct analysed){.source = listed(text)};
	analyse(&of, &(struct rdam_options){.least = 2});
	assert_int_equal(row_of(&of.rdam, "A { B C D E F G H I J K L M ...")->token_count, 30);
	release(&of);
}

static void other_sequences_are_rows_where_they_are_asked_for(void **state)
{
	struct analysed of = {.source = listed("0 A 1 a 3 B 4 b 10 A 11 a 14 B 15 b")};

	(void)state;
	analyse(&of, &(struct rdam_options){.least = 2, .all_sequences = true});
	assert_names(&of.rdam, "A B*2, A*2, B*2");
	assert_close(row_of(&of.rdam, "A B")->lost_s, 1 * US, 1e-12);
	assert_false(row_of(&of.rdam, "A B")->is_block);
	assert_true(row_of(&of.rdam, "A")->is_block);
	release(&of);
}

static void sequences_with_too_few_occurrences_are_left_out(void **state)
{
	struct analysed of = {.source = listed("0 A 1 a 3 A 4 a 6 A 7 a 8 B 9 b 10 B 12 b")};

	(void)state;
	analyse(&of, &(struct rdam_options){.least = 3});
	assert_names(&of.rdam, "A*3");
	release(&of);
}

static void what_is_not_balanced_is_counted(void **state)
{
	struct analysed of = {.source = listed("0 A 1 C 4 a 5 A 6 C 20 a 21 b 22 D")};

	(void)state;
	analyse(&of, &(struct rdam_options){.least = 2});
	assert_int_equal(of.rdam.unbalanced, 4);
	assert_int_equal(of.rdam.events, 8);
	release(&of);
}

static void of_one_call_in_ten_all_have_ten_times_as_much(void **state)
{
	struct analysed of = {.source = listed("0 Z 1 A 2 B 3 b 4 a 10 A 25 a 100 z")};
	const struct rdam_row *row;

	(void)state;
	of.source->target.blocks_every = 10;
	analyse(&of, &(struct rdam_options){.least = 2});
	assert_names(&of.rdam, "A*2");
	row = &of.rdam.rows[0];
	assert_true(row->any_content);
	assert_close(row->lost_s, 120 * US, 1e-12);
	assert_close(row->total_s, 180 * US, 1e-12);
	assert_close(row->causes_s[RDAM_UNKNOWN], 120 * US, 1e-12);
	assert_close(row->min_s, 3 * US, 1e-12);
	assert_close(row->score, 1.2, 1e-12);
	release(&of);
}

/* Thread 0: 2 and 4 of 10 columns, thread 1: 1 and 8 of 20. */
static void threads_have_their_own_min_or_share_it(void **state)
{
	static const struct drawn_blocks rows[] = {
		{NULL, "A aA   a  Z"}, {NULL, "Aa   A       a      Z"}, {NULL, NULL}};
	struct analysed of = {.source = block_drawing(rows, false)};

	(void)state;
	analyse(&of, &(struct rdam_options){.least = 2});
	assert_names(&of.rdam, "A*2, A*2");
	assert_int_equal(of.rdam.rows[0].thread, 1);
	assert_close(of.rdam.rows[0].score, 7. / 20, 1e-12);
	assert_close(of.rdam.rows[1].score, 2. / 10, 1e-12);
	release(&of);
	of.source = block_drawing(rows, false);
	analyse(&of, &(struct rdam_options){.least = 2, .min = RDAM_MIN_POOLED});
	assert_names(&of.rdam, "A*4");
	assert_true(of.rdam.rows[0].thread == SIZE_MAX);
	assert_close(of.rdam.rows[0].lost_s, 11 * US, 1e-12);
	assert_close(of.rdam.rows[0].wall_s, 30 * US, 1e-12);
	assert_close(of.rdam.rows[0].score, 11. / 30, 1e-12);
	release(&of);
}

static void one_block_may_be_all_that_is_wanted(void **state)
{
	static const struct {
		const char *only, *want;
	} table[] = {
		{"A", "A*3, A { B }*2"},
		{"A { B }", "A { B }*2"},
		{"B", "B*2"},
		{"C", "block 'C': no thread of the target has run it at least 2 times"},
		{"A { C }", "block 'A { C }': the recording has no block of this name"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		struct rdam_options options = {.only = table[i].only};
		struct analysed of = {.source = listed("0 A 1 B 2 b 4 a 5 A 6 B 7 b 10 a "
						       "11 A 12 C 13 c 30 a")};
		const struct selection all = {0};
		struct err err = {""};

		assert_int_equal(block_trace_read(&of.trace, of.source, &all, &err), 0);
		if (!rdam_init(&of.rdam, &of.trace, &options, &err))
			assert_names(&of.rdam, table[i].want);
		else if (!strstr(err.text, table[i].want))
			fail_msg("%s: %s", table[i].only, err.text);
		release(&of);
	}
}

/* --- Spread and stacks --------------------------------------------------------------------- */

/* 1, 1, 2, 1000 us of A, which loses most, and B, which is found later. */
static void the_first_row_has_classes_of_durations(void **state)
{
	struct analysed of = {.source = listed("0 B 5 b 10 A 11 a 20 A 21 a 30 A 32 a 40 B 42 b "
					       "50 A 1050 a")};
	const struct rdam_class *classes;
	uint64_t count = 0;

	(void)state;
	analyse(&of, &(struct rdam_options){.want_spread = true});
	assert_names(&of.rdam, "A*4, B*2");
	assert_int_equal(of.rdam.class_count, RDAM_CLASSES);
	classes = of.rdam.classes;
	for (size_t i = 0; i < RDAM_CLASSES; i++)
		count += classes[i].count;
	assert_int_equal(count, 4);
	assert_int_equal(classes[0].count, 2);
	assert_close(classes[0].from_s, 1 * US, 1e-12);
	assert_close(classes[0].to_s, exp(log(1000) / RDAM_CLASSES) * US, 1e-9);
	assert_int_equal(classes[RDAM_CLASSES - 1].count, 1);
	assert_close(classes[RDAM_CLASSES - 1].to_s, 1000 * US, 1e-9);
	assert_close(classes[RDAM_CLASSES - 1].causes_s[RDAM_UNKNOWN], 999 * US, 1e-9);
	/* ln 2 / ln 1000 of the way */
	assert_int_equal(classes[6].count, 1);
	assert_close(classes[6].causes_s[RDAM_UNKNOWN], 1 * US, 1e-9);
	release(&of);
}

static void what_always_takes_as_long_is_one_class(void **state)
{
	struct analysed of = {.source = listed("0 A 0 a 10 A 10 a")};

	(void)state;
	analyse(&of, &(struct rdam_options){.want_spread = true});
	assert_int_equal(of.rdam.class_count, 1);
	assert_int_equal(of.rdam.classes[0].count, 2);
	release(&of);
}

static void rows_count_who_has_called_them(void **state)
{
	static const uint32_t chains[] = {7, 0, 0, 3, 0, 3};
	struct event events[12];
	struct analysed of = {0};
	const struct rdam_row *row;

	(void)state;
	for (size_t i = 0; i < COUNT(events); i++) {
		events[i] = event_new(i % 2 ? EVENT_LEAVE : EVENT_ENTER, 1000 + 10 * i);
		events[i].tid = 100;
		events[i].block = i / 2 == 2; /* one B among the A */
		events[i].chain = i % 2 ? 9 : chains[i / 2];
	}
	of.source = array_source(events, COUNT(events));
	blocks_number(&of.source->blocks, "A", 1);
	blocks_number(&of.source->blocks, "B", 1);
	analyse(&of, &(struct rdam_options){0});
	row = row_of(&of.rdam, "A");
	assert_int_equal(row->stack_count, 2);
	assert_int_equal(row->stacks[0].chain, 3);
	assert_int_equal(row->stacks[0].count, 2);
	assert_int_equal(row->stacks[1].chain, 7);
	assert_int_equal(row->stacks[1].count, 1);
	release(&of);
}

/* --- Keys ---------------------------------------------------------------------------------- */

static void keys_split_rows_by_value(void **state)
{
	static const struct rdam_key keys[] = {{"A", "n"}, {"A", "arg1"}};
	struct analysed of = {.source = listed("0 A=7 5 a 6 A=9 20 a 21 A=7 29 a 30 A=9 45 a "
					       "46 A=8 50 a 51 A 53 a 54 A 59 a 100 Z")};

	(void)state;
	blocks_name_argument(&of.source->blocks, 0, 0, "n", 1);
	analyse(&of, &(struct rdam_options){.least = 2, .keys = keys, .key_count = 2});
	assert_names(&of.rdam, "A(n=7)*2, A(n=?)*2, A(n=9)*2");
	assert_close(of.rdam.rows[0].lost_s, 3 * US, 1e-12);
	assert_close(of.rdam.rows[2].lost_s, 1 * US, 1e-12);
	assert_close(of.rdam.rows[2].min_s, 14 * US, 1e-12);
	release(&of);
}

/* A sequence may begin with a leave. */
static void what_is_returned_is_no_argument(void **state)
{
	static const struct rdam_key key = {"A", "arg1"};
	struct analysed of = {.source = listed("0 a=5 1 B 5 a=6 7 B 10 A=1 11 a")};

	(void)state;
	analyse(&of, &(struct rdam_options){.all_sequences = true, .keys = &key, .key_count = 1});
	assert_names(&of.rdam, "leave A(arg1=?) B {*2");
	release(&of);
}

static void keys_that_name_nothing_are_refused(void **state)
{
	static const struct {
		struct rdam_key key;
		const char *want;
	} table[] = {
		{{"Q2", "n"}, "no block of the name 'Q2'"},
		{{"B", "arg1"}, "no argument of 'B' is on record"},
		{{"A", "arg2"}, "arg1 to arg1"},
		{{"A", "m"}, "arg1 to arg1"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		struct rdam_options options = {.keys = &table[i].key, .key_count = 1};
		struct analysed of = {.source = listed("0 A=7 5 a 6 B 7 b")};
		const struct selection all = {0};
		struct err err = {""};

		assert_int_equal(block_trace_read(&of.trace, of.source, &all, &err), 0);
		assert_int_equal(rdam_init(&of.rdam, &of.trace, &options, &err), -1);
		if (!strstr(err.text, table[i].want))
			fail_msg("%s", err.text);
		release(&of);
	}
}

/* --- Causes -------------------------------------------------------------------------------- */

struct want_causes {
	double us[RDAM_CAUSES];
};

static void assert_causes(const struct rdam_row *row, const struct want_causes *want)
{
	double sum = 0;

	for (enum rdam_cause cause = 0; cause < RDAM_CAUSES; cause++) {
		if (fabs(row->causes_s[cause] - want->us[cause] * US) > 1e-15)
			fail_msg("%s: %g us instead of %g", rdam_cause_name(cause),
				 row->causes_s[cause] / US, want->us[cause]);
		sum += row->causes_s[cause];
	}
	assert_close(sum, row->lost_s, 1e-12);
}

/* The fastest takes three columns, all of which it runs. */
static void each_state_has_its_part_of_the_excess(void **state)
{
	static const struct drawn_blocks rows[] = {{" RRRRR....wRRRRDDRRRRRRRRRRTTRRRRwwwRRR",
						    " A  aA       aA    aA    aA    aA     a"},
						   {NULL, NULL}};
	struct analysed of = {.source = block_drawing(rows, false), .has_strangers = true};

	(void)state;
	analyse(&of, &(struct rdam_options){.least = 2});
	assert_names(&of.rdam, "A*6");
	assert_close(of.rdam.rows[0].min_s, 3 * US, 1e-12);
	assert_causes(&of.rdam.rows[0], &(struct want_causes){{[RDAM_BLOCKED_OTHER] = 4,
							       [RDAM_CPU_WAIT] = 1,
							       [RDAM_DISK] = 2,
							       [RDAM_ON_CPU] = 2,
							       [RDAM_STOPPED] = 2,
							       [RDAM_CPU_WAIT_STRANGER] = 3}});
	assert_int_equal(of.rdam.rows[0].waker_count, 1);
	assert_int_equal(of.rdam.rows[0].wakers[0].thread, BY_STRANGER);
	assert_close(of.rdam.rows[0].wakers[0].slept_s, 4 * US, 1e-12);
	release(&of);
}

/* The two share a CPU: 1 takes it from 0 for three columns, and later wakes it. */
static void threads_of_the_target_are_told_from_strangers(void **state)
{
	static const struct drawn_blocks rows[] = {{" RRRRwwwRRR..wRR", " A aA    aA    a"},
						   {"     RRR...RRR..", "             0"},
						   {NULL, NULL}};
	struct analysed of = {.source = block_drawing(rows, true), .has_strangers = true};

	(void)state;
	analyse(&of, &(struct rdam_options){.least = 2});
	assert_names(&of.rdam, "A*3");
	assert_causes(&of.rdam.rows[0],
		      &(struct want_causes){{[RDAM_CPU_WAIT_OWN] = 4, [RDAM_BLOCKED] = 2}});
	assert_int_equal(of.rdam.rows[0].waker_count, 1);
	assert_int_equal(of.rdam.rows[0].wakers[0].thread, 1);
	assert_int_equal(of.rdam.rows[0].wakers[0].waits, 1);
	assert_close(of.rdam.rows[0].wakers[0].slept_s, 2 * US, 1e-12);
	release(&of);
}

/*
 * The fastest slept 2 and ran 2. One that slept 6 and ran 1 has lost 3: all of them asleep. One
 * that ran 3, slept 1 and waited 2 for a CPU has lost 2, of 1 more on the CPU and 2 more waiting.
 */
static void parts_are_never_negative_and_sum_to_what_is_lost(void **state)
{
	static const struct drawn_blocks rows[] = {
		{" R..RRRRR......RRRR.wwRRR", " A   a  A      a A     a"}, {NULL, NULL}};
	struct analysed of = {.source = block_drawing(rows, false), .has_strangers = true};

	(void)state;
	analyse(&of, &(struct rdam_options){.least = 2});
	assert_names(&of.rdam, "A*3");
	assert_causes(&of.rdam.rows[0], &(struct want_causes){{[RDAM_BLOCKED_OTHER] = 3,
							       [RDAM_ON_CPU] = 2. / 3,
							       [RDAM_CPU_WAIT] = 4. / 3}});
	release(&of);
}

/* --- By chance ----------------------------------------------------------------------------- */

enum { TRACES = 400, EVENTS_MOST = 400, INTERVALS_MOST = 60, THREADS_MOST = 4 };

static void draw_intervals(struct random *random, struct block_thread *thread)
{
	uint64_t time_ns = thread->begin_ns;

	thread->interval_count = random_below(random, INTERVALS_MOST);
	thread->intervals = xcalloc(thread->interval_count, sizeof(*thread->intervals));
	for (size_t i = 0; i < thread->interval_count; i++) {
		time_ns += 1 + random_below(random, 500);
		thread->intervals[i] = (struct block_interval){
			.end_ns = time_ns,
			.state = (enum thread_state)(1 + random_below(random, STATE_COUNT - 1)),
			.by = UINT32_MAX - (uint32_t)random_below(random, 3),
			.holder = random_one_in(random, 2) ? BY_NOBODY : BY_STRANGER,
		};
		if (random_one_in(random, 2))
			thread->intervals[i].by = (uint32_t)random_below(random, THREADS_MOST);
		if (random_one_in(random, 2))
			thread->intervals[i].holder = 0;
	}
}

static void draw_thread(struct random *random, struct block_thread *thread)
{
	uint64_t time_ns = 1000 + random_below(random, 100);
	size_t depth = 0;
	uint32_t stack[EVENTS_MOST];

	thread->begin_ns = time_ns;
	draw_intervals(random, thread);
	thread->count = random_below(random, EVENTS_MOST);
	thread->tokens = xcalloc(thread->count, sizeof(*thread->tokens));
	thread->times_ns = xcalloc(thread->count, sizeof(*thread->times_ns));
	for (size_t i = 0; i < thread->count; i++) {
		bool leave = depth && random_below(random, 8) < 3 + depth;

		time_ns += random_below(random, 40);
		if (leave && random_one_in(random, 20))
			depth--;
		if (!leave)
			stack[depth] = (uint32_t)random_below(random, 4);
		thread->tokens[i] = leave && depth ? block_token(stack[--depth], true)
				    : leave	   ? block_token(3, true)
						   : block_token(stack[depth++], false);
		thread->times_ns[i] = time_ns;
	}
	thread->end_ns = time_ns;
}

static void draw_trace(struct random *random, struct block_trace *trace, struct blocks *blocks)
{
	*trace = (struct block_trace){.blocks = blocks, .every = 1, .has_states = true};
	trace->thread_count = trace->thread_capacity = 1 + random_below(random, THREADS_MOST);
	trace->threads = xcalloc(trace->thread_count, sizeof(*trace->threads));
	for (size_t i = 0; i < trace->thread_count; i++) {
		draw_thread(random, &trace->threads[i]);
		trace->events += trace->threads[i].count;
	}
}

static enum rdam_cause slow_cause(const struct block_interval *interval)
{
	bool by_own = interval->by < THREADS_MOST;

	switch (interval->state) {
	case STATE_RUNNING:
		return RDAM_ON_CPU;
	case STATE_RUNNABLE:
		return interval->holder == 0		 ? RDAM_CPU_WAIT_OWN
		       : interval->holder == BY_STRANGER ? RDAM_CPU_WAIT_STRANGER
							 : RDAM_CPU_WAIT;
	case STATE_SLEEPING:
	case STATE_INACTIVE:
		return by_own ? RDAM_BLOCKED : RDAM_BLOCKED_OTHER;
	case STATE_DISK:
		return RDAM_DISK;
	case STATE_STOPPED:
		return RDAM_STOPPED;
	default:
		return RDAM_UNKNOWN;
	}
}

/* Nanosecond by nanosecond. */
static void slow_within(double times[RDAM_CAUSES], const struct block_thread *thread,
			uint64_t begin_ns, uint64_t end_ns)
{
	memset(times, 0, RDAM_CAUSES * sizeof(*times));
	for (uint64_t at = begin_ns; at < end_ns; at++) {
		size_t i = 0;

		while (i < thread->interval_count && thread->intervals[i].end_ns <= at)
			i++;
		times[i == thread->interval_count ? RDAM_UNKNOWN
						  : slow_cause(&thread->intervals[i])]++;
	}
}

/* Calls of a block that are within no other of them, by looking for the enter of each leave. */
static size_t slow_calls(struct occurrence *calls, const struct block_thread *thread,
			 uint32_t block)
{
	size_t stack[EVENTS_MOST], ends[EVENTS_MOST] = {0}, depth = 0, count = 0, place;

	for (size_t i = 0; i < thread->count; i++) {
		uint32_t of = block_of_token(thread->tokens[i]);

		if (!block_token_leaves(thread->tokens[i])) {
			stack[depth++] = i;
			continue;
		}
		for (place = depth; place; place--)
			if (block_of_token(thread->tokens[stack[place - 1]]) == of)
				break;
		if (!place)
			continue;
		depth = place - 1;
		ends[stack[depth]] = of == block ? i : 0;
	}
	for (size_t i = 0; i < thread->count; i++)
		if (ends[i] && (!count || ends[i] > calls[count - 1].end))
			calls[count++] = (struct occurrence){(uint32_t)i, (uint32_t)ends[i]};
	return count;
}

static double slow_duration(const struct block_thread *thread, const struct occurrence *call)
{
	return (double)(thread->times_ns[call->end] - thread->times_ns[call->begin]);
}

/* The row of a block with any content, from the definitions. */
static void assert_row_as_slow(const struct rdam_row *row, const struct block_thread *thread)
{
	double want[RDAM_CAUSES] = {0}, least[RDAM_CAUSES], times[RDAM_CAUSES], lost = 0;
	struct occurrence calls[EVENTS_MOST] = {{0}};
	size_t count = slow_calls(calls, thread, row->block), fastest = 0;

	assert_int_equal(row->occurrences, count);
	for (size_t i = 1; i < count; i++)
		if (slow_duration(thread, &calls[i]) < slow_duration(thread, &calls[fastest]))
			fastest = i;
	slow_within(least, thread, thread->times_ns[calls[fastest].begin],
		    thread->times_ns[calls[fastest].end]);
	for (size_t i = 0; i < count; i++) {
		double excess =
			slow_duration(thread, &calls[i]) - slow_duration(thread, &calls[fastest]);
		double more = 0;

		slow_within(times, thread, thread->times_ns[calls[i].begin],
			    thread->times_ns[calls[i].end]);
		for (size_t k = 0; k < RDAM_CAUSES; k++)
			more += fmax(times[k] - least[k], 0);
		for (size_t k = 0; k < RDAM_CAUSES && more > 0; k++)
			want[k] += fmax(times[k] - least[k], 0) * excess / more;
		lost += excess;
	}
	assert_true(fabs(row->lost_s - lost / 1e9) <= 1e-12 * lost / 1e9);
	for (size_t k = 0; k < RDAM_CAUSES; k++)
		assert_true(fabs(row->causes_s[k] - want[k] / 1e9) <= 1e-12 * lost / 1e9);
}

/* What is true of every row. */
static void assert_row(const struct rdam_row *row)
{
	double sum = 0;

	for (size_t k = 0; k < RDAM_CAUSES; k++) {
		assert_true(row->causes_s[k] >= 0);
		sum += row->causes_s[k];
	}
	assert_true(fabs(sum - row->lost_s) <= 1e-9 * row->lost_s);
	assert_true(row->score >= 0 && row->score <= 1 + 1e-12);
	assert_true(row->grouped_score >= 0 && row->grouped_score <= row->score);
	assert_true(row->min_s <= row->median_s && row->median_s <= row->p99_s);
	assert_true(row->occurrences >= 2 && *row->name);
	assert_true(row->total_s <= row->wall_s * (1 + 1e-12));
	for (size_t k = 1; k < row->waker_count; k++)
		assert_true(row->wakers[k].slept_s <= row->wakers[k - 1].slept_s);
}

static void rows_of_random_traces_are_what_they_are_defined_to_be(void **state)
{
	struct random random = {4};
	size_t slow = 0, rows = 0;

	(void)state;
	for (size_t i = 0; i < TRACES; i++) {
		struct rdam_options options = {.least = 2, .all_sequences = i % 4 == 0};
		struct analysed of = {.source = listed("")};
		struct err err;

		options.min = i % 3 ? RDAM_MIN_THREAD : RDAM_MIN_POOLED;
		draw_trace(&random, &of.trace, &of.source->blocks);
		assert_int_equal(rdam_init(&of.rdam, &of.trace, &options, &err), 0);
		for (size_t k = 0; k < of.rdam.row_count; k++) {
			const struct rdam_row *row = &of.rdam.rows[k];

			assert_row(row);
			assert_true(!k || row->score <= row[-1].score);
			rows++;
			if (!row->any_content || options.min == RDAM_MIN_POOLED)
				continue;
			assert_row_as_slow(row, &of.trace.threads[row->thread]);
			slow++;
		}
		release(&of);
	}
	assert_true(slow > 500 && rows > 5000);
}

/* One thread with these events, a nanosecond after one another. */
static void set_thread(struct analysed *of, uint32_t *tokens, size_t count)
{
	struct block_thread thread = {.tokens = tokens, .count = count, .end_ns = count};

	thread.times_ns = xcalloc(count, sizeof(*thread.times_ns));
	for (size_t i = 0; i < count; i++)
		thread.times_ns[i] = i;
	of->trace = (struct block_trace){
		.blocks = &of->source->blocks, .every = 1, .thread_count = 1, .events = count};
	of->trace.threads = xcalloc(1, sizeof(*of->trace.threads));
	of->trace.threads[0] = thread;
}

/* Two calls of A, with the same 1000 calls of others in it. */
static void a_block_with_very_many_events_within_is_not_lost(void **state)
{
	enum { CALL = 2002 };
	struct analysed of = {.source = listed("")};
	uint32_t *tokens = xcalloc(2 * CALL, sizeof(*tokens));
	struct random random = {5};
	struct err err;

	(void)state;
	for (size_t i = 1; i + 2 < CALL; i += 2) {
		tokens[i] = block_token(1 + (uint32_t)random_below(&random, 20), false);
		tokens[i + 1] = tokens[i] + 1;
	}
	tokens[CALL - 1] = block_token(0, true);
	memcpy(tokens + CALL, tokens, CALL * sizeof(*tokens));
	set_thread(&of, tokens, 2 * CALL);
	assert_int_equal(rdam_init(&of.rdam, &of.trace, &(struct rdam_options){.least = 2}, &err),
			 0);
	assert_int_equal(of.rdam.row_count, 21);
	assert_true(row_of(&of.rdam, "A")->any_content);
	assert_int_equal(row_of(&of.rdam, "A")->occurrences, 2);
	release(&of);
}

static void deep_recursion_has_a_name_and_an_end(void **state)
{
	enum { DEPTH = 1000000 };
	struct analysed of = {.source = listed("")};
	struct rdam_options options = {.least = 2};
	uint32_t *tokens = xcalloc(4 * (size_t)DEPTH, sizeof(*tokens));
	struct err err;

	(void)state;
	for (size_t i = 0; i < 4 * DEPTH; i++)
		tokens[i] = block_token(0, i / DEPTH % 2);
	set_thread(&of, tokens, 4 * (size_t)DEPTH);
	assert_int_equal(rdam_init(&of.rdam, &of.trace, &options, &err), 0);
	assert_int_equal(of.rdam.row_count, RDAM_TOKENS_MAX / 2 + 1);
	assert_int_equal(row_of(&of.rdam, "A")->occurrences, 2);
	for (size_t i = 0; i < of.rdam.row_count; i++)
		assert_true(strlen(of.rdam.rows[i].name) < 400);
	release(&of);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_published_example_has_its_score),
		cmocka_unit_test(quantiles_lie_between_neighbours),
		cmocka_unit_test(blocks_whose_contents_vary_have_a_row_of_their_own),
		cmocka_unit_test(long_names_are_cut),
		cmocka_unit_test(other_sequences_are_rows_where_they_are_asked_for),
		cmocka_unit_test(sequences_with_too_few_occurrences_are_left_out),
		cmocka_unit_test(what_is_not_balanced_is_counted),
		cmocka_unit_test(of_one_call_in_ten_all_have_ten_times_as_much),
		cmocka_unit_test(threads_have_their_own_min_or_share_it),
		cmocka_unit_test(one_block_may_be_all_that_is_wanted),
		cmocka_unit_test(the_first_row_has_classes_of_durations),
		cmocka_unit_test(what_always_takes_as_long_is_one_class),
		cmocka_unit_test(rows_count_who_has_called_them),
		cmocka_unit_test(keys_split_rows_by_value),
		cmocka_unit_test(what_is_returned_is_no_argument),
		cmocka_unit_test(keys_that_name_nothing_are_refused),
		cmocka_unit_test(each_state_has_its_part_of_the_excess),
		cmocka_unit_test(threads_of_the_target_are_told_from_strangers),
		cmocka_unit_test(parts_are_never_negative_and_sum_to_what_is_lost),
		cmocka_unit_test(rows_of_random_traces_are_what_they_are_defined_to_be),
		cmocka_unit_test(a_block_with_very_many_events_within_is_not_lost),
		cmocka_unit_test(deep_recursion_has_a_name_and_an_end),
	};

	return RUN_TESTS(tests);
}
