/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/stretch/stretch.h"

#include "base/alloc.h"
#include "base/err.h"
#include "decode/event/samples.h"
#include "draw/drawing.h"
#include "draw/task_drawing.h"
#include "perfdata/sample.h"
#include "stats/own_code.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

/* Two blocks, and the code of both. */
__attribute__((noinline)) static int first_block(volatile int *number)
{
	return *number += 1;
}

__attribute__((noinline)) static int second_block(volatile int *number)
{
	return *number *= 3;
}

static uint64_t ip_of(int (*block)(volatile int *))
{
	return (uint64_t)(uintptr_t)block;
}

static void add_sample(struct samples *samples, int32_t tid, uint64_t ip, uint32_t count)
{
	array_reserve(&samples->rows, &samples->row_capacity, samples->row_count + 1);
	samples->rows[samples->row_count++] =
		(struct sampled){.pid = OWN_PID,
				 .tid = tid,
				 .ip = ip,
				 .count = count,
				 .time_ns = DRAWING_BEGIN_NS,
				 .mode = ip ? SAMPLED_USER : SAMPLED_KERNEL};
}

static const struct stretch_work *work_of(const struct stretch_run *run, const char *name)
{
	for (size_t i = 0; i < run->work_count; i++) {
		const struct stretch_region *block = &run->work[i].block;
		const char *own = block->function ? block->function : block->object;

		if (own && strcmp(own, name) == 0)
			return &run->work[i];
	}
	fail_msg("there is no work in %s", name);
	return NULL;
}

static void assert_s(double got, double want_us)
{
	assert_close(got * 1e6, want_us, 1e-9);
}

/*
 * Thread 100 runs for 10 us and has 40 samples, thread 101 for 4 us and has 10: samples stand for
 * 0.25 us and 0.4 us. Thread 102 runs for 3 us and has 3 samples.
 */
static const char *const rows[] = {"RRRRRRRRRR", "RRRR......", "...RRR....", NULL};

static struct event_source *make_source(void)
{
	static const struct {
		int32_t tid;
		int (*block)(volatile int *);
		uint32_t count;
	} counts[] = {{100, first_block, 30}, {100, second_block, 10}, {101, first_block, 5},
		      {101, second_block, 5}, {102, second_block, 2},  {102, NULL, 1}};
	struct event_source *source = drawing_source(rows);

	own_code_map(&source->samples);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		add_sample(&source->samples, counts[i].tid,
			   counts[i].block ? ip_of(counts[i].block) : 0, counts[i].count);
	return source;
}

/* Reads functions without an error. Frees the source. */
static void read_functions(struct stretch_run *run, struct event_source *source, double cores)
{
	const struct stretch_options options = {.by = STRETCH_BY_FUNCTION, .cores = cores};
	struct err err;

	assert_int_equal(stretch_run_read(run, source, &options, &err), 0);
	event_source_free(source);
}

static void samples_share_the_cpu_time_of_their_thread(void **state)
{
	struct event_source *source = make_source();
	struct stretch_run run;
	struct sampled_loss loss;

	(void)state;
	read_functions(&run, source, 3);
	assert_s(work_of(&run, "first_block")->seconds, 30 * .25 + 5 * .4);
	assert_s(work_of(&run, "second_block")->seconds, 10 * .25 + 5 * .4 + 2);
	assert_s(work_of(&run, "[kernel]")->seconds, 1);
	assert_int_equal(work_of(&run, "second_block")->samples, 17);
	assert_string_equal(run.program, work_of(&run, "first_block")->block.object);
	assert_int_equal(run.samples, 53);
	assert_int_equal(run.threads, 3);
	assert_s(run.work_s, 17);
	assert_s(run.named_s, 16);
	assert_int_equal(run.edges.running_ns, 17000);
	stretch_run_loss(&loss, 1, &run, NULL);
	assert_s(loss.loss.work_s, 17);
	assert_s(loss.loss.delay_s + loss.loss.no_work_s, 3 * 10 - 17);
	stretch_run_release(&run);
}

#if defined(__x86_64__)

__attribute__((noinline)) static int waiting_block(volatile int *number)
{
	while (*number)
		__asm__ volatile("pause");
	return 0;
}

/* Half of the samples of thread 100 are at the instruction of its wait. */
static void samples_in_loops_that_wait_are_no_work(void **state)
{
	struct event_source *source = make_source();
	uint64_t ip = ip_of(waiting_block);
	volatile int number = 0;
	struct stretch_run run;

	(void)state;
	assert_int_equal(waiting_block(&number), 0);
	while (memcmp((const void *)(uintptr_t)ip, "\xf3\x90", 2) != 0)
		ip++;
	add_sample(&source->samples, 100, ip, 40);
	read_functions(&run, source, 3);
	assert_s(run.waiting_s, 5);
	assert_s(run.overhead_s, 0);
	assert_s(run.work_s, 17 - 5);
	assert_s(run.all_s, 17);
	stretch_run_release(&run);
}

#else

static void samples_in_loops_that_wait_are_no_work(void **state)
{
	(void)state;
	skip();
}

#endif

/* 0.2 of the time of first_block, and of no other block. */
static void blocks_take_their_shares_into_the_loss(void **state)
{
	struct event_source *source = make_source();
	double serial[8] = {0};
	struct stretch_run run;
	struct sampled_loss loss;

	(void)state;
	read_functions(&run, source, 3);
	serial[work_of(&run, "first_block") - run.work] = .2;
	stretch_run_loss(&loss, 1, &run, serial);
	assert_s(loss.serial_work_s, .2 * 9.5);
	stretch_run_release(&run);
}

/* Thread 102 has few samples, so its time is divided as they are: a third is no work. */
static void the_work_of_threads_with_few_samples_is_that_of_the_samples(void **state)
{
	struct event_source *source = make_source();
	struct stretch_run run;
	struct sampled_loss loss;

	(void)state;
	read_functions(&run, source, 3);
	for (size_t i = 0; i < run.part_count; i++)
		if (run.parts[i].count == 1)
			run.parts[i].block = STRETCH_OVERHEAD;
	stretch_run_loss(&loss, 1, &run, NULL);
	assert_s(loss.loss.overhead_s, 1);
	assert_s(loss.loss.work_s, 16);
	stretch_run_release(&run);
}

/* ... and a part of the unsampled work is serial, as of all other work. */
static void unsampled_work_may_be_serial(void **state)
{
	struct event_source *source = make_source();
	double serial[8] = {0};
	struct stretch_run run;
	struct sampled_loss loss;

	(void)state;
	source->samples.row_count -= 2;
	read_functions(&run, source, 3);
	serial[work_of(&run, "[not sampled]") - run.work] = .5;
	stretch_run_loss(&loss, 1, &run, serial);
	assert_s(loss.serial_work_s, .5 * 3);
	stretch_run_release(&run);
}

/*
 * The running time of thread 100 is unknown in 20 us; 8 samples of 2 us each make it 16 us. Thread
 * 101 has less than a tenth of that, and is no worker.
 */
static void samples_tell_the_running_part_of_unknown_time(void **state)
{
	static const char *const hidden[] = {"HHHHHHHHHHHHHHHHHHHH.", "R....................",
					     NULL};
	struct event_source *source = drawing_source(hidden);
	struct stretch_run run;

	(void)state;
	own_code_map(&source->samples);
	source->samples.tick_ns = 2000;
	add_sample(&source->samples, 100, ip_of(first_block), 6);
	add_sample(&source->samples, 100, ip_of(second_block), 2);
	add_sample(&source->samples, 101, ip_of(second_block), 10);
	read_functions(&run, source, 2);
	assert_s(work_of(&run, "first_block")->seconds, 12);
	assert_int_equal(run.threads, 1);
	stretch_run_release(&run);
}

/* A page fault of a thread is no evidence of any state. */
static void without_a_scheduler_a_sample_stands_for_a_tick(void **state)
{
	struct event fault = event_new(EVENT_FAULT, DRAWING_BEGIN_NS);
	struct event_source *source;
	struct stretch_run run;

	(void)state;
	fault.tid = fault.pid = OWN_PID;
	source = array_source(&fault, 1);
	own_code_map(&source->samples);
	source->samples.tick_ns = 2000;
	add_sample(&source->samples, OWN_PID, ip_of(first_block), 30);
	add_sample(&source->samples, OWN_PID, ip_of(second_block), 20);
	read_functions(&run, source, 2);
	assert_false(run.has_states);
	assert_s(work_of(&run, "first_block")->seconds, 60);
	assert_s(run.work_s, 100);
	stretch_run_release(&run);
}

/* Samples before the timeline begins count in its first part, those after its end in the last. */
static void parts_of_the_time_have_their_samples(void **state)
{
	const struct stretch_options options = {
		.by = STRETCH_BY_FUNCTION, .cores = 3, .timed = true};
	static const uint64_t times_ns[] = {0, DRAWING_BEGIN_NS + 7000};
	struct event_source *source = drawing_source((const char *const[]){"RRRRRRRRRR", NULL});
	struct stretch_run run;
	struct sampled_loss parts[2];
	struct err err;

	(void)state;
	own_code_map(&source->samples);
	add_sample(&source->samples, 100, ip_of(first_block), 10);
	add_sample(&source->samples, 100, ip_of(second_block), 10);
	for (size_t i = 0; i < 2; i++)
		source->samples.rows[i].time_ns = times_ns[i];
	assert_int_equal(stretch_run_read(&run, source, &options, &err), 0);
	assert_false(source->samples.may_merge); /* otherwise they would be of no part */
	event_source_free(source);
	for (size_t i = 0; i < run.part_count; i++)
		if (run.parts[i].time_ns)
			run.parts[i].block = STRETCH_OVERHEAD;
	stretch_run_loss(parts, 2, &run, NULL);
	assert_s(parts[0].loss.work_s, 5);
	assert_s(parts[1].loss.overhead_s, 5);
	stretch_run_release(&run);
}

/* 3 us of a thread without a sample are work of an unknown place. */
static void unsampled_time_is_work(void **state)
{
	struct event_source *source = make_source();
	struct stretch_run run;
	struct sampled_loss loss;

	(void)state;
	source->samples.row_count -= 2;
	read_functions(&run, source, 3);
	assert_s(work_of(&run, "[not sampled]")->seconds, 3);
	assert_s(run.work_s, 17);
	stretch_run_loss(&loss, 1, &run, NULL);
	assert_s(loss.loss.work_s, 17);
	stretch_run_release(&run);
}

/* A sample each 250 ns of the 10 us of thread 100, and of the 4 us of thread 101. */
static void sample_each(struct samples *samples, int (*block)(volatile int *))
{
	for (size_t i = 0; i < 56; i++) {
		add_sample(samples, i < 40 ? 100 : 101, ip_of(block), 1);
		samples->rows[samples->row_count - 1].time_ns += 250 * (i < 40 ? i : i - 40);
	}
}

static void during_tasks_time_counts_from_the_first_step_to_the_last(void **state)
{
	const struct stretch_options options = {
		.by = STRETCH_BY_FUNCTION, .cores = 2, .during_tasks = true};
	static const char *const states[] = {"RRRRRRRRRR", "RRRR......", NULL};
	struct event_source *source = task_drawing(states, "2 a 1 begin 0.0; 8 a 1 end");
	struct stretch_run run;
	struct sampled_loss loss;
	struct err err;

	(void)state;
	own_code_map(&source->samples);
	sample_each(&source->samples, first_block);
	assert_int_equal(stretch_run_read(&run, source, &options, &err), 0);
	event_source_free(source);
	assert_s(run.wall_s, 6);
	assert_s(work_of(&run, "first_block")->seconds, 8);
	stretch_run_loss(&loss, 1, &run, NULL);
	assert_s(loss.begin_s, 2);
	assert_s(loss.loss.wall_s, 6);
	assert_s(loss.loss.work_s, 8);
	assert_s(loss.loss.delay_s + loss.loss.no_work_s, 4);
	stretch_run_release(&run);
}

static void assert_no_window(struct event_source *source, const char *said)
{
	const struct stretch_options options = {.by = STRETCH_BY_FUNCTION, .during_tasks = true};
	struct stretch_run run;
	struct err err;

	assert_int_equal(stretch_run_read(&run, source, &options, &err), -1);
	if (!strstr(err.text, said))
		fail_msg("%s", err.text);
	event_source_free(source);
	stretch_run_release(&run);
}

/* A source with one sample more than there are rows, before the events of `inner`. */
struct crowded {
	struct event_source source;
	struct event_source *inner;
	bool met;
};

static int crowded_next(struct event_source *source, struct event *event, struct err *err)
{
	static const struct perf_event_attr clock_attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID,
	};
	const struct sample sample = {.pid = OWN_PID, .tid = 100, .time_ns = DRAWING_BEGIN_NS};
	const uint64_t ip = ip_of(second_block);
	struct crowded *crowded = (struct crowded *)source;

	if (!crowded->met)
		samples_add(&source->samples, &clock_attr, &sample, PERF_RECORD_MISC_USER,
			    (const char *)&ip);
	crowded->met = true;
	return event_source_next(crowded->inner, event, err);
}

static void crowded_free(struct event_source *source)
{
	event_source_free(((struct crowded *)source)->inner);
	free(source);
}

/* All samples except that one are of the first block, at the beginning of thread 100. */
static struct event_source *crowded_source(struct event_source *inner)
{
	struct crowded *crowded = xcalloc(1, sizeof(*crowded));
	struct samples *samples = &crowded->source.samples;

	crowded->source.next = crowded_next;
	crowded->source.free = crowded_free;
	crowded->inner = inner;
	own_code_map(samples);
	array_reserve(&samples->rows, &samples->row_capacity, SAMPLES_ROWS_MAX);
	while (samples->row_count < SAMPLES_ROWS_MAX)
		add_sample(samples, 100, ip_of(first_block), 1);
	return &crowded->source;
}

static void more_samples_than_have_room_count_without_their_times(void **state)
{
	struct stretch_run run;

	(void)state;
	read_functions(&run, crowded_source(drawing_source(rows)), 3);
	assert_int_equal(run.samples, SAMPLES_ROWS_MAX + 1);
	assert_int_equal(work_of(&run, "first_block")->samples, SAMPLES_ROWS_MAX);
	assert_int_equal(work_of(&run, "second_block")->samples, 1);
	stretch_run_release(&run);
}

static void during_tasks_more_samples_than_have_room_are_refused(void **state)
{
	(void)state;
	assert_no_window(crowded_source(task_drawing(rows, "2 a 1 begin 0.0; 8 a 1 end")),
			 "has too many samples for --during");
}

static void there_is_no_time_of_tasks_without_tasks(void **state)
{
	(void)state;
	assert_no_window(make_source(), "has no tasks; record with 'pscal record --tasks'");
}

static void without_samples_the_error_tells_how_to_record_them(void **state)
{
	const struct stretch_options options = {.by = STRETCH_BY_FUNCTION};
	struct event_source *source = make_source();
	struct stretch_run run;
	struct err err;

	(void)state;
	source->samples.row_count = 0;
	assert_int_equal(stretch_run_read(&run, source, &options, &err), -1);
	assert_string_equal(err.text,
			    "has no samples of the code that ran; record with 'pscal record -F "
			    "997' and name its file, not a text made from it");
	event_source_free(source);
	stretch_run_release(&run);
}

/* Keeps the blocks in the program, as they are called. */
static int run_blocks(void **state)
{
	volatile int number = 1;

	(void)state;
	return first_block(&number) + second_block(&number) != 8;
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(samples_share_the_cpu_time_of_their_thread),
	cmocka_unit_test(samples_in_loops_that_wait_are_no_work),
	cmocka_unit_test(blocks_take_their_shares_into_the_loss),
	cmocka_unit_test(the_work_of_threads_with_few_samples_is_that_of_the_samples),
	cmocka_unit_test(unsampled_work_may_be_serial),
	cmocka_unit_test(samples_tell_the_running_part_of_unknown_time),
	cmocka_unit_test(without_a_scheduler_a_sample_stands_for_a_tick),
	cmocka_unit_test(parts_of_the_time_have_their_samples),
	cmocka_unit_test(unsampled_time_is_work),
	cmocka_unit_test(during_tasks_time_counts_from_the_first_step_to_the_last),
	cmocka_unit_test(more_samples_than_have_room_count_without_their_times),
	cmocka_unit_test(during_tasks_more_samples_than_have_room_are_refused),
	cmocka_unit_test(there_is_no_time_of_tasks_without_tasks),
	cmocka_unit_test(without_samples_the_error_tells_how_to_record_them),
};

TEST_FILE_WITH(tests, run_blocks, NULL);
