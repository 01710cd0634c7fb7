/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/profile/function_times.h"

#include "decode/event/event_source.h"
#include "decode/timeline/timeline.h"
#include "stats/own_code.h"
#include "stats/profile/profile.h"
#include "stats/spin/spin_table.h"
#include "support.h"

#include <math.h>

enum { TID = 101 };

static struct event_source source;
static struct function_times times;

static int set_up(void **state)
{
	(void)state;
	source = (struct event_source){.audited = false};
	own_code_map(&source.samples);
	function_times_begin(&times, &source);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	function_times_release(&times);
	samples_release(&source.samples);
	chains_release(&source.chains);
	return 0;
}

static uint32_t chain(uint64_t place, uint64_t caller, uint64_t outer)
{
	const uint64_t frames[] = {place, caller, outer};

	return chains_add(&source.chains, OWN_PID, 1, frames, outer ? 3 : caller ? 2 : 1);
}

static void sample(int32_t tid, uint64_t ip, uint32_t count, uint32_t of_chain,
		   enum sampled_mode mode)
{
	struct samples *samples = &source.samples;

	array_reserve(&samples->rows, &samples->row_capacity, samples->row_count + 1);
	samples->rows[samples->row_count++] = (struct sampled){.pid = OWN_PID,
							       .tid = tid,
							       .ip = ip,
							       .time_ns = 5,
							       .count = count,
							       .mode = mode,
							       .chain = of_chain & 0xffffff};
}

static void block(enum thread_state how, uint64_t length_ns, uint32_t of_chain)
{
	const struct change change = {
		.begin_ns = 1000, .end_ns = 1000 + length_ns, .state = how, .chain = of_chain};

	function_times_take(&times, &change);
}

/* Ends the source with one thread that ran for that long. */
static void end(uint64_t running_ns)
{
	struct thread_profile thread = {
		.tid = TID, .pid = OWN_PID, .state_ns = {[STATE_RUNNING] = running_ns}};
	struct counted_thread counted = {.tid = TID, .pid = OWN_PID};
	const struct profile profile = {.threads = &thread, .counted = &counted, .thread_count = 1};

	function_times_end(&times, &profile);
}

static void cpu_time_is_shared_out_by_samples_and_blocked_time_by_chains(void **state)
{
	const struct own_returns r = own_code_returns();
	const uint32_t middle = chain(r.innermost, r.middle, 0);
	const uint32_t outer = chain(own_code_function(own_outer), 0, 0);

	(void)state;
	sample(TID, r.innermost - 1, 2, middle, SAMPLED_USER);
	sample(TID, r.innermost, 4, middle, SAMPLED_KERNEL);
	sample(TID, own_code_function(own_outer), 2, outer, SAMPLED_USER);
	sample(TID + 1, own_code_function(own_outer), 90, outer, SAMPLED_USER); /* a stranger */
	block(STATE_SLEEPING, 700, middle);
	block(STATE_DISK, 300, middle);
	block(STATE_SLEEPING, 50, 0);
	block(STATE_RUNNING, 90, middle);
	block(STATE_UNKNOWN, 90, 0);
	end(1600);
	assert_int_equal(times.count, 2);
	assert_int_equal(times.samples, 8);
	assert_int_equal(times.callerless, 2);
	assert_true(times.chained);
	assert_close(times.cpu_s, 1600e-9, 1e-12);
	assert_close(times.blocked_s, 1050e-9, 1e-12);
	assert_close(times.unplaced_s, 50e-9, 1e-12);
	assert_string_equal(times.rows[0].function, "own_middle");
	assert_string_equal(times.rows[0].callers, "own_outer");
	assert_int_equal(times.rows[0].samples, 6);
	assert_int_equal(times.rows[0].in_kernel, 4);
	assert_close(times.rows[0].cpu_s, 1200e-9, 1e-12);
	assert_close(times.rows[0].cpu_share, .75, 1e-12);
	assert_close(times.rows[0].blocked_s, 1000e-9, 1e-12);
	assert_int_equal(times.rows[0].blocks, 2);
	assert_string_equal(times.rows[1].function, "own_outer");
	assert_string_equal(times.rows[1].callers, "");
	assert_true(isnan(times.rows[1].blocked_s));
}

static void unknown_functions_have_a_row_too(void **state)
{
	const uint32_t nowhere = chain(0x1234, 0x5678, 0);

	(void)state;
	sample(TID, 0x1234, 3, nowhere, SAMPLED_USER);
	sample(TID, 0, 1, 0, SAMPLED_KERNEL);
	block(STATE_SLEEPING, 1000, nowhere);
	source.samples.tick_ns = 1000000;
	end(0);
	assert_int_equal(times.count, 2);
	assert_string_equal(times.rows[0].function, "(unknown code)");
	assert_int_equal(times.rows[0].blocks, 1);
	assert_string_equal(times.rows[1].function, "(kernel)");
	assert_close(times.cpu_s, 4e-3, 1e-9); /* without switches */
	assert_int_equal(times.callerless, 4);
}

static void samples_without_chains_differ_from_chains_without_callers(void **state)
{
	const uint64_t ip = own_code_function(own_outer);
	const uint32_t alone = chain(ip, 0, 0);

	(void)state;
	sample(TID, ip, 2, 0, SAMPLED_USER);
	end(1600);
	assert_int_equal(times.callerless, 2);
	assert_false(times.chained);
	function_times_release(&times);
	function_times_begin(&times, &source);
	source.samples.row_count = 0;
	sample(TID, ip, 2, alone, SAMPLED_USER);
	end(1600);
	assert_int_equal(times.callerless, 2);
	assert_true(times.chained);
}

static void without_samples_and_chains_there_is_no_row(void **state)
{
	(void)state;
	block(STATE_SLEEPING, 1000, 0);
	end(1600);
	assert_int_equal(times.count, 0);
	assert_int_equal(times.samples, 0);
	assert_close(times.blocked_s, 1e-6, 1e-12);
	assert_close(times.unplaced_s, 1e-6, 1e-12);
}

#define WITH_SOURCE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

static const struct CMUnitTest tests[] = {
	WITH_SOURCE(cpu_time_is_shared_out_by_samples_and_blocked_time_by_chains),
	WITH_SOURCE(unknown_functions_have_a_row_too),
	WITH_SOURCE(samples_without_chains_differ_from_chains_without_callers),
	WITH_SOURCE(without_samples_and_chains_there_is_no_row),
};

TEST_FILE(tests);
