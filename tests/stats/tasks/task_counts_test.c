/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/tasks/task_tree_private.h"

#include "base/alloc.h"
#include "base/err.h"
#include "decode/event/blocks.h"
#include "decode/event/event_source.h"
#include "draw/task_drawing.h"
#include "support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS_MAX = 64 };

/*
 * An event of thread a, b, ... beside steps of tasks, as "TIME THREAD EVENT": a CPU that it gets,
 * "sleeps" or "yields" (switched out), "lost" (records of all CPUs), "fault", "served".
 */
static struct event read_event(const char *text)
{
	char thread, what[16];
	unsigned time;
	int32_t tid;
	struct event event;

	assert_int_equal(sscanf(text, " %u %c %15s", &time, &thread, what), 3);
	tid = DRAWING_TID + thread - 'a';
	event = event_new(EVENT_SWITCH, DRAWING_BEGIN_NS + time * DRAWING_STEP_NS);
	event.pid = DRAWING_TID;
	event.tid = tid;
	event.other = 0;
	if (strcmp(what, "fault") == 0)
		event.kind = EVENT_FAULT;
	else if (strcmp(what, "served") == 0)
		event.kind = EVENT_FAULT_END;
	else if (strcmp(what, "lost") == 0)
		event.kind = EVENT_GAP;
	else if (strcmp(what, "sleeps") == 0)
		event.state = STATE_SLEEPING;
	else if (strcmp(what, "yields") == 0)
		event.state = STATE_RUNNABLE;
	else {
		event.tid = 0;
		event.pid = -1;
		event.other = tid;
		event.other_pid = DRAWING_TID;
	}
	if (event.kind == EVENT_SWITCH)
		event.cpu = event.tid ? 0 : atoi(what);
	return event;
}

/* A thread leaves the CPU that it has. */
static void set_cpus(struct event *events, size_t count)
{
	int32_t cpus[8] = {0};

	for (size_t i = 0; i < count; i++) {
		if (events[i].kind != EVENT_SWITCH)
			continue;
		if (events[i].tid)
			events[i].cpu = cpus[events[i].tid - DRAWING_TID];
		else
			cpus[events[i].other - DRAWING_TID] = events[i].cpu;
	}
}

static struct event_source *source_of(const char *happens, const char *steps)
{
	struct event_source *drawn = task_drawing(NULL, steps), *source;
	struct event events[EVENTS_MAX];
	char *text = xstrdup(happens), *rest = text, *one;
	size_t count = 0;
	struct err err;

	while ((one = strsep(&rest, ";")))
		events[count++] = read_event(one);
	set_cpus(events, count);
	while (event_source_next(drawn, &events[count], &err) > 0)
		assert_true(++count < EVENTS_MAX);
	source = task_drawing_source(events, count);
	source->target.has_faults = true;
	event_source_free(drawn);
	free(text);
	return source;
}

/* A line for each task: the counts of each of its blocks, '?' if unknown. */
static char *counts_of(const struct task_tree *tree)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < tree->task_count; i++) {
		for (size_t j = 0; j < tree->tasks[i].interval_count; j++) {
			for (size_t k = 0; k < tree->counters.count; k++) {
				uint64_t count = task_counter_value(&tree->counters.items[k],
								    tree->tasks[i].first + j);

				fputs(k ? "," : j ? " " : "", out);
				if (count == TASK_COUNT_UNKNOWN)
					fputc('?', out);
				else
					fprintf(out, "%" PRIu64, count);
			}
		}
		fputc('\n', out);
	}
	fclose(out);
	return text;
}

static void assert_counts(struct event_source *source, const char *want)
{
	struct task_tree tree;
	char *got;

	task_drawing_read(&tree, source);
	got = counts_of(&tree);
	assert_string_equal(got, want);
	free(got);
	task_tree_release(&tree);
	event_source_free(source);
}

static void events_in_a_block_count_there(void **state)
{
	/* The blocks are 2-10 and 15-25. Counts of switches, migrations and faults. */
	static const struct {
		const char *happens, *want;
	} cases[] = {
		{"0 a 1; 30 a sleeps", "0,0,0 0,0,0\n"},
		{"0 a 1; 3 a sleeps; 5 a 1; 30 a sleeps", "1,0,0 0,0,0\n"},
		{"0 a 1; 3 a sleeps; 5 a 2; 30 a sleeps", "1,1,0 0,0,0\n"},
		{"0 a 1; 3 a yields; 5 a 2; 6 a yields; 7 a 1; 30 a sleeps", "2,2,0 0,0,0\n"},
		/* Before the first block, between both, and after them. */
		{"0 a 1; 1 a yields; 2 a 1; 11 a sleeps; 12 a 3; 26 a yields; 27 a 3; 30 a sleeps",
		 "0,0,0 0,0,0\n"},
		/* An event at the end of a block is after it. */
		{"0 a 1; 10 a yields; 11 a 3; 30 a sleeps", "0,0,0 0,0,0\n"},
		{"0 a 1; 16 a yields; 17 a 3; 30 a sleeps", "0,0,0 1,1,0\n"},
		{"0 a 1; 3 a fault; 4 a served; 6 a fault; 7 a served; 12 a fault; 13 a served;"
		 "16 a fault; 30 a sleeps",
		 "0,0,2 0,0,1\n"},
		/* A fault that waits for a disk counts, and so does its switch. */
		{"0 a 1; 3 a fault; 4 a sleeps; 6 a 1; 7 a served; 30 a sleeps", "1,0,1 0,0,0\n"},
	};
	static const char steps[] = "2 a 1 begin 0.0; 10 a 1 pause; 15 a 1 resume; 25 a 1 end";

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_counts(source_of(cases[i].happens, steps), cases[i].want);
}

static void a_task_in_place_has_its_own_counts(void **state)
{
	(void)state;
	assert_counts(source_of("0 a 1; 1 a fault; 2 a served; 5 a fault; 6 a fault; 6 a yields;"
				"7 a 2; 9 a fault; 30 a sleeps",
				"0 a 1 begin 0.0; 4 a 2 begin 1.0; 8 a 2 end; 12 a 1 end"),
		      "0,0,1 0,0,1\n"
		      "1,1,2\n");
}

static void each_worker_has_its_own_counts(void **state)
{
	(void)state;
	assert_counts(source_of("0 a 1; 0 b 2; 5 b fault; 6 a yields; 7 a 3; 30 a sleeps;"
				"30 b sleeps",
				"1 a 1 begin 0.0; 2 b 2 begin 0.1; 20 a 1 pause; 21 b 2 end;"
				"22 b 1 resume; 25 b 1 end"),
		      "1,1,0 0,0,0\n"
		      "0,0,1\n");
}

static void missing_records_make_counts_unknown(void **state)
{
	static const char steps[] = "2 a 1 begin 0.0; 10 a 1 pause; 15 a 1 resume; 25 a 1 end";
	struct event_source *source = source_of("0 a 1; 3 a yields; 5 a 1; 30 a sleeps", steps);

	(void)state;
	source->target.has_faults = false;
	assert_counts(source, "1,0,? 0,0,?\n");
	assert_counts(task_drawing(NULL, steps), "?,?,? ?,?,?\n");
	/* Records are lost in the first block. */
	source = source_of("0 a 1; 3 a lost; 12 a yields; 13 a 1; 30 a sleeps", steps);
	source->quality.lost = 1;
	assert_counts(source, "?,?,0 0,0,0\n");
	/* It gets a CPU there, in a hidden switch, and leaves it. */
	assert_counts(source_of("0 a 1; 3 a sleeps; 7 a sleeps; 9 a 2; 30 a sleeps", steps),
		      "2,?,0 0,0,0\n");
}

/* Each thread counts up by one each microsecond; steps at `unseen` us have no count. */
static struct event_source *counting_source(const char *steps, unsigned unseen)
{
	struct event_source *drawn = task_drawing(NULL, steps), *source;
	struct event events[EVENTS_MAX];
	size_t count = 0;
	struct err err;

	while (event_source_next(drawn, &events[count], &err) > 0) {
		uint64_t us = (events[count].time_ns - DRAWING_BEGIN_NS) / DRAWING_STEP_NS;

		for (size_t i = 0; i < TASK_COUNTED_MAX; i++)
			events[count].counted[i] = us == unseen ? TASK_UNCOUNTED : us;
		assert_true(++count < EVENTS_MAX);
	}
	source = task_drawing_source(events, count);
	assert_int_equal(blocks_counter(&source->blocks, "page-faults", 11), 0);
	event_source_free(drawn);
	return source;
}

static void counts_of_threads_belong_to_their_current_block(void **state)
{
	static const struct {
		const char *steps;
		unsigned unseen;
		const char *want;
	} cases[] = {
		{"2 a 1 begin 0.0; 10 a 1 pause; 15 a 1 resume; 25 a 1 end", 0,
		 "?,?,?,8 ?,?,?,10\n"},
		{"2 a 1 begin 0.0; 10 a 1 pause; 15 a 1 resume; 25 a 1 end", 10,
		 "?,?,?,? ?,?,?,10\n"},
		{"2 a 1 begin 0.0; 10 a 1 pause; 15 a 1 resume; 25 a 1 end", 15,
		 "?,?,?,8 ?,?,?,?\n"},
		/* In place. */
		{"0 a 1 begin 0.0; 5 a 2 begin 1.0; 9 a 2 end; 12 a 1 end", 99,
		 "?,?,?,5 ?,?,?,3\n?,?,?,4\n"},
		/* In the next thread it has another block. */
		{"0 a 1 begin 0.0; 5 a 1 pause; 6 b 1 resume; 9 b 1 end", 99, "?,?,?,5 ?,?,?,3\n"},
		/* It ends in another thread, with another count. */
		{"0 a 1 begin 0.0; 9 b 1 end", 99, "?,?,?,?\n"},
		/* Its end is not recorded. */
		{"0 a 1 begin 0.0; 5 a 1 spawn 0; 6 a 1 spawned", 99, "?,?,?,5 ?,?,?,?\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_counts(counting_source(cases[i].steps, cases[i].unseen), cases[i].want);
}

static void counters_have_names(void **state)
{
	static const char *const names[] = {"switches", "migrations", "faults"};
	struct event_source *source = source_of("0 a 1", "2 a 1 begin 0.0; 10 a 1 end");
	struct task_tree tree;

	(void)state;
	task_drawing_read(&tree, source);
	assert_int_equal(tree.counters.count, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(task_counters_find(&tree.counters, names[i]), i);
	assert_int_equal(task_counters_find(&tree.counters, "cycles"), 3);
	assert_int_equal(task_count_sum(3, 4), 7);
	assert_true(task_count_sum(TASK_COUNT_UNKNOWN, 4) == TASK_COUNT_UNKNOWN);
	assert_true(task_count_sum(4, TASK_COUNT_UNKNOWN) == TASK_COUNT_UNKNOWN);
	task_tree_release(&tree);
	event_source_free(source);
}

static void a_selected_name_is_that_of_a_counter(void **state)
{
	char faults[] = "faults", cycles[] = "cycles", again[] = "counted-Cycles";
	struct task_counter items[] = {{.name = faults}, {.name = again}, {.name = cycles}};
	const struct task_counters counters = {items, sizeof(items) / sizeof(items[0])};
	static const struct {
		const char *name, *want;
	} cases[] = {
		{"page-faults", "page-faults"},
		{"faults", "counted-faults"},
		{"FAULTS", "counted-FAULTS"},
		{"cycles", "counted-counted-cycles"},
		{"fault", "fault"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *got = task_counters_new_name(&counters, cases[i].name);

		assert_string_equal(got, cases[i].want);
		free(got);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(events_in_a_block_count_there),
	cmocka_unit_test(a_task_in_place_has_its_own_counts),
	cmocka_unit_test(each_worker_has_its_own_counts),
	cmocka_unit_test(missing_records_make_counts_unknown),
	cmocka_unit_test(counts_of_threads_belong_to_their_current_block),
	cmocka_unit_test(counters_have_names),
	cmocka_unit_test(a_selected_name_is_that_of_a_counter),
};

TEST_FILE(tests);
