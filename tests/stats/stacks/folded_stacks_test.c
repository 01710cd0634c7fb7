/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/stacks/folded_stacks.h"

#include "decode/event/event_source.h"
#include "decode/timeline/timeline.h"
#include "stats/own_code.h"
#include "support.h"

enum { TID = 101 };

static struct event_source source;
static struct stack_folder *folder;
static struct folded_stacks stacks;

static int set_up(void **state)
{
	(void)state;
	source = (struct event_source){.audited = false};
	own_code_map(&source.samples);
	folder = stack_folder_new(&source);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	folded_stacks_release(&stacks);
	stack_folder_free(folder);
	samples_release(&source.samples);
	chains_release(&source.chains);
	return 0;
}

/* own_middle, called by own_outer. */
static uint32_t middle_chain(void)
{
	const struct own_returns r = own_code_returns();
	const uint64_t frames[] = {r.innermost, r.middle};

	return chains_add(&source.chains, OWN_PID, 1, frames, 2);
}

static void sample(uint64_t ip, uint32_t count, uint32_t chain, enum sampled_mode mode)
{
	struct samples *samples = &source.samples;

	array_reserve(&samples->rows, &samples->row_capacity, samples->row_count + 1);
	samples->rows[samples->row_count++] = (struct sampled){.pid = OWN_PID,
							       .tid = TID,
							       .ip = ip,
							       .time_ns = 5,
							       .count = count,
							       .mode = mode,
							       .chain = chain & 0xffffff};
}

static void pass(enum thread_state how, uint64_t length_ns, uint32_t chain, const char *comm)
{
	struct change change = {.begin_ns = 1,
				.end_ns = 1 + length_ns,
				.state = how,
				.tid = TID,
				.pid = OWN_PID,
				.chain = chain};

	event_set_comm(change.comm, comm, strlen(comm));
	stack_folder_take(folder, &change);
}

/* Another thread, with a higher number, is met first. */
static void pass_other(uint64_t length_ns)
{
	struct change change = {.begin_ns = 1,
				.end_ns = 1 + length_ns,
				.state = STATE_RUNNING,
				.thread = 1,
				.tid = TID + 1,
				.pid = OWN_PID,
				.comm = "other"};

	stack_folder_take(folder, &change);
}

static void assert_row(size_t number, const char *stack, double time_s, uint64_t count)
{
	assert_true(number < stacks.count);
	assert_string_equal(stacks.rows[number].stack, stack);
	assert_close(stacks.rows[number].time_s, time_s, 1e-12);
	assert_int_equal(stacks.rows[number].count, count);
}

static void cpu_time_is_shared_out_by_samples(void **state)
{
	const uint32_t middle = middle_chain();

	(void)state;
	pass(STATE_RUNNING, 8000, 0, "work");
	sample(own_code_returns().innermost, 5, middle, SAMPLED_USER);
	sample(0, 2, middle, SAMPLED_KERNEL);
	sample(own_code_function(own_outer), 1, 0, SAMPLED_USER);
	folded_stacks_init(&stacks, folder, STACK_CPU);
	assert_int_equal(stacks.count, 3);
	assert_row(0, "work;own_outer;own_middle", 5000e-9, 5);
	assert_row(1, "work;own_outer;own_middle;[kernel]", 2000e-9, 2);
	assert_row(2, "work;own_outer", 1000e-9, 1);
	assert_close(stacks.total_s, 8000e-9, 1e-12);
	assert_close(stacks.unknown_s, 0, 1e-12);
}

static void samples_belong_to_threads_in_any_order(void **state)
{
	(void)state;
	pass_other(2000);
	pass(STATE_RUNNING, 8000, 0, "work");
	sample(own_code_function(own_outer), 8, 0, SAMPLED_USER);
	folded_stacks_init(&stacks, folder, STACK_CPU);
	assert_int_equal(stacks.count, 1);
	assert_string_equal(stacks.rows[0].stack, "work;own_outer");
	assert_int_equal(stacks.rows[0].count, 8);
}

static void blocked_time_and_run_queue_wait_have_the_stack_where_a_thread_left_its_cpu(void **state)
{
	const uint32_t middle = middle_chain();

	(void)state;
	pass(STATE_RUNNING, 100, 0, "work");
	pass(STATE_SLEEPING, 700, middle, "work");
	pass(STATE_RUNNABLE, 60, middle, "work");
	pass(STATE_RUNNING, 100, 0, "work");
	pass(STATE_RUNNABLE, 20, middle, "work"); /* preempted */
	folded_stacks_init(&stacks, folder, STACK_OFF_CPU);
	assert_int_equal(stacks.count, 1);
	assert_row(0, "work;own_outer;own_middle", 700e-9, 1);
	folded_stacks_release(&stacks);
	folded_stacks_init(&stacks, folder, STACK_RUN_QUEUE);
	assert_int_equal(stacks.count, 1);
	assert_row(0, "work;own_outer;own_middle", 80e-9, 2);
}

static void an_unknown_state_has_no_stack_of_an_earlier_one(void **state)
{
	(void)state;
	pass(STATE_UNKNOWN, 100, 0, "work");
	pass(STATE_RUNNABLE, 60, middle_chain(), "work");
	folded_stacks_init(&stacks, folder, STACK_RUN_QUEUE);
	assert_row(0, "work;[unknown]", 60e-9, 1);
	assert_close(stacks.unknown_s, 60e-9, 1e-12);
}

static void a_name_cannot_look_like_a_stack(void **state)
{
	(void)state;
	pass(STATE_SLEEPING, 100, 0, "a;b 9\n\x1b[1m");
	pass(STATE_SLEEPING, 50, 0, "");
	folded_stacks_init(&stacks, folder, STACK_OFF_CPU);
	assert_row(0, "a:b 9\xef\xbf\xbd\xef\xbf\xbd[1m;[unknown]", 100e-9, 1);
	assert_row(1, "[no name];[unknown]", 50e-9, 1);
}

static void with_too_many_stacks_the_lightest_are_left_out(void **state)
{
	char comm[COMM_SIZE];

	(void)state;
	for (unsigned i = 0; i < FOLDED_ROWS_MAX + 10; i++) {
		snprintf(comm, sizeof(comm), "t%u", i);
		pass(STATE_SLEEPING, i < 10 ? 1 : 5, 0, comm);
	}
	folded_stacks_init(&stacks, folder, STACK_OFF_CPU);
	assert_int_equal(stacks.count, FOLDED_ROWS_MAX);
	assert_close(stacks.left_out_s, 10e-9, 1e-6);
	assert_close(stacks.rows[FOLDED_ROWS_MAX - 1].time_s, 5e-9, 1e-6);
}

static void sleep_from(uint64_t from_ns, uint64_t to_ns)
{
	const struct change change = {.begin_ns = from_ns,
				      .end_ns = to_ns,
				      .state = STATE_SLEEPING,
				      .tid = TID,
				      .pid = OWN_PID,
				      .comm = "work"};

	stack_folder_take(folder, &change);
}

static double bins_sum(const struct folded_row *row)
{
	double sum = 0;

	for (size_t i = 0; i < FOLDED_BINS; i++)
		sum += (double)row->bins_s[i];
	return sum;
}

/* Bins begin with 1024 ns, and become longer with time. */
static void bins_tell_the_time(void **state)
{
	const struct selection all = {.pid_count = 0};
	struct timeline *timeline = timeline_new(&source, &all);

	(void)state;
	stack_folder_want_bins(folder, timeline);
	sleep_from(0, 2048);
	sleep_from(3000, 3072);
	sleep_from(64 * 1024, 65 * 1024);
	folded_stacks_init(&stacks, folder, STACK_OFF_CPU);
	assert_int_equal(stacks.bin_ns, 2048);
	assert_close(stacks.rows[0].bins_s[0], 2048e-9, 1e-6);
	assert_close(stacks.rows[0].bins_s[1], 72e-9, 1e-6);
	assert_close(stacks.rows[0].bins_s[32], 1024e-9, 1e-6);
	assert_close(bins_sum(&stacks.rows[0]), stacks.rows[0].time_s, 1e-6);
	timeline_free(timeline);
}

/* A text may have any times; the number of bins of a long one is the same. */
static void bins_reach_as_far_as_times_do(void **state)
{
	const struct selection all = {.pid_count = 0};
	struct timeline *timeline = timeline_new(&source, &all);

	(void)state;
	stack_folder_want_bins(folder, timeline);
	sleep_from(1000, UINT64_C(9500000000000000000));
	sleep_from(UINT64_C(9500000000000000000), UINT64_MAX - 5);
	folded_stacks_init(&stacks, folder, STACK_OFF_CPU);
	assert_close(bins_sum(&stacks.rows[0]), stacks.rows[0].time_s, 1e-6);
	timeline_free(timeline);
}

static void bins_of_samples_need_the_time_of_each(void **state)
{
	const struct selection all = {.pid_count = 0};
	struct timeline *timeline = timeline_new(&source, &all);

	(void)state;
	stack_folder_want_bins(folder, timeline);
	pass(STATE_RUNNING, 8000, 0, "work");
	sample(own_code_function(own_outer), 1, 0, SAMPLED_USER);
	folded_stacks_init(&stacks, folder, STACK_CPU);
	assert_close(stacks.rows[0].bins_s[0], 8000e-9, 1e-6);
	folded_stacks_release(&stacks);
	source.samples.timed = false; /* there were too many samples */
	folded_stacks_init(&stacks, folder, STACK_CPU);
	assert_int_equal(stacks.bin_ns, 0);
	assert_null(stacks.rows[0].bins_s);
	timeline_free(timeline);
}

#define WITH_SOURCE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

static const struct CMUnitTest tests[] = {
	WITH_SOURCE(cpu_time_is_shared_out_by_samples),
	WITH_SOURCE(samples_belong_to_threads_in_any_order),
	WITH_SOURCE(blocked_time_and_run_queue_wait_have_the_stack_where_a_thread_left_its_cpu),
	WITH_SOURCE(an_unknown_state_has_no_stack_of_an_earlier_one),
	WITH_SOURCE(a_name_cannot_look_like_a_stack),
	WITH_SOURCE(with_too_many_stacks_the_lightest_are_left_out),
	WITH_SOURCE(bins_tell_the_time),
	WITH_SOURCE(bins_reach_as_far_as_times_do),
	WITH_SOURCE(bins_of_samples_need_the_time_of_each),
};

TEST_FILE(tests);
