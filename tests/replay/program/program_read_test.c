/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/program/program_read.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/input.h"
#include "check/program_check.h"
#include "decode/timeline/timeline.h"
#include "decode/trace_input.h"
#include "draw/drawing.h"
#include "draw/steps.h"
#include "seeds/schedule.h"
#include "stats/profile/profile.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

/* Threads 1, 2, 3 are called a, b, c; times are in us, and all threads begin at 1000. */
static struct event at(uint64_t time_us, enum event_kind kind, int32_t cpu, int32_t tid,
		       int32_t other)
{
	struct event event = event_new(kind, 1000000 + 1000 * time_us);

	event.cpu = cpu;
	event.tid = tid;
	event.other = other;
	event.pid = event.other_pid = -1;
	if (tid > 0)
		event.comm[0] = (char)('a' + tid - 1);
	if (other > 0)
		event.other_comm[0] = (char)('a' + other - 1);
	return event;
}

static struct event switched(uint64_t time_us, int32_t cpu, int32_t tid, enum thread_state state,
			     int32_t other)
{
	struct event event = at(time_us, EVENT_SWITCH, cpu, tid, other);

	event.state = state;
	return event;
}

static struct event interrupt(uint64_t time_us, int32_t cpu, int32_t tid, int32_t other)
{
	struct event event = at(time_us, EVENT_WAKE, cpu, tid, other);

	event.interrupt = true;
	return event;
}

static struct event call(uint64_t time_us, int32_t cpu, int32_t tid, enum sync_call call,
			 uint64_t object)
{
	struct event event = at(time_us, EVENT_CALL, cpu, tid, -1);

	event.call = call;
	event.object = object;
	return event;
}

#define FORKS(time, cpu, tid, other)	   at(time, EVENT_FORK, cpu, tid, other)
#define WAKES(time, cpu, tid, other)	   at(time, EVENT_WAKE, cpu, tid, other)
#define RETURNS(time, cpu, tid)		   at(time, EVENT_RETURN, cpu, tid, -1)
#define GETS(time, cpu, tid)		   switched(time, cpu, 0, STATE_RUNNABLE, tid)
#define SLEEPS(time, cpu, tid)		   switched(time, cpu, tid, STATE_SLEEPING, 0)
#define DISK(time, cpu, tid)		   switched(time, cpu, tid, STATE_DISK, 0)
#define PREEMPTED(time, cpu, tid, other)   switched(time, cpu, tid, STATE_RUNNABLE, other)
#define HANDS_OVER(time, cpu, tid, other)  switched(time, cpu, tid, STATE_SLEEPING, other)
#define ENDS(time, cpu, tid)		   switched(time, cpu, tid, STATE_NONE, 0)
#define ENDS_BEFORE(time, cpu, tid, other) switched(time, cpu, tid, STATE_NONE, other)

/* The first of them, which a stranger creates, and all its descendants. */
static const int32_t root[] = {1};
static const struct selection tree = {.pids = root, .pid_count = 1};
enum { STRANGER = 20, READINGS = 8 /* that array_reserve() makes at once */ };

struct told {
	const char *steps;
	struct event events[24];
};

static void read_events(struct program *program, const struct event *events, size_t count)
{
	struct event_source *source = array_source(events, count);
	struct err err;

	if (program_read(program, source, &tree, &err))
		fail_msg("%s", err.text);
	event_source_free(source);
}

static void assert_told(const struct told *told, struct program *program)
{
	size_t count = 0;
	char *text;

	while (told->events[count].time_ns)
		count++;
	read_events(program, told->events, count);
	text = steps_text(program);
	assert_string_equal(text, told->steps);
	free(text);
}

static void assert_all_told(const struct told *told, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct program program;

		assert_told(&told[i], &program);
		program_release(&program);
	}
}

#define ASSERT_ALL_TOLD(...)                                           \
	do {                                                           \
		const struct told told[] = {__VA_ARGS__};              \
		assert_all_told(told, sizeof(told) / sizeof(told[0])); \
	} while (0)

static void cpu_time_is_the_rest_of_the_time(void **state)
{
	(void)state;
	ASSERT_ALL_TOLD({"a: 9000ns\n", {FORKS(0, 0, STRANGER, 1), GETS(1, 0, 1), ENDS(10, 0, 1)}},
			{"a: 7000ns\n",
			 {FORKS(0, 0, STRANGER, 1), GETS(1, 0, 1), PREEMPTED(4, 0, 1, STRANGER),
			  HANDS_OVER(6, 0, STRANGER, 1), ENDS(10, 0, 1)}});
}

static void a_wake_and_the_wait_that_it_ends_are_an_edge(void **state)
{
	(void)state;
	ASSERT_ALL_TOLD(
		{"a: 2000ns fork(b) 6000ns wake(b,0) 2000ns\n"
		 "b: 3000ns block(0) 2000ns\n",
		 {FORKS(0, 0, STRANGER, 1), GETS(0, 0, 1), FORKS(2, 0, 1, 2), GETS(3, 1, 2),
		  SLEEPS(6, 1, 2), WAKES(8, 0, 1, 2), GETS(9, 1, 2), ENDS(10, 0, 1),
		  ENDS(11, 1, 2)}},
		/* On one core, where the waker is preempted and continues. */
		{"a: 2000ns fork(b) 1000ns wake(b,0) 3000ns\n"
		 "b: 1000ns block(0) 2000ns\n",
		 {FORKS(0, 0, STRANGER, 1), GETS(0, 0, 1), FORKS(2, 0, 1, 2), PREEMPTED(2, 0, 1, 2),
		  HANDS_OVER(3, 0, 2, 1), WAKES(4, 0, 1, 2), PREEMPTED(5, 0, 1, 2),
		  PREEMPTED(6, 0, 2, 1), ENDS_BEFORE(8, 0, 1, 2), ENDS(9, 0, 2)}});
}

static void several_wakes_keep_their_order(void **state)
{
	(void)state;
	ASSERT_ALL_TOLD({"a: fork(b) fork(c) 3000ns wake(b,0) wake(c,1) 1000ns\n"
			 "b: 1000ns block(0) 1000ns\n"
			 "c: 1000ns block(1) 1000ns\n",
			 {FORKS(0, 0, STRANGER, 1), GETS(0, 0, 1), FORKS(0, 0, 1, 2),
			  FORKS(0, 0, 1, 3), GETS(1, 1, 2), GETS(1, 2, 3), SLEEPS(2, 1, 2),
			  SLEEPS(2, 2, 3), WAKES(3, 0, 1, 2), WAKES(3, 0, 1, 3), GETS(3, 1, 2),
			  GETS(3, 2, 3), ENDS(4, 1, 2), ENDS(4, 2, 3), ENDS(4, 0, 1)}});
}

static void a_wake_without_effect_is_no_edge(void **state)
{
	(void)state;
	ASSERT_ALL_TOLD({"a: fork(b) 2000ns wake(b,0) 2000ns\n"
			 "b: 1000ns block(0) 1000ns\n",
			 {FORKS(0, 0, STRANGER, 1), GETS(0, 0, 1), FORKS(0, 0, 1, 2), GETS(0, 1, 2),
			  SLEEPS(1, 1, 2), WAKES(2, 0, 1, 2), WAKES(3, 0, 1, 2), GETS(3, 1, 2),
			  ENDS(4, 1, 2), ENDS(4, 0, 1)}});
}

static void a_thread_woken_before_it_waits_may_have_to_wait(void **state)
{
	(void)state;
	ASSERT_ALL_TOLD({"a: fork(b) 2000ns wake(b,0) 3000ns\n"
			 "b: 2000ns block(0) 2000ns\n",
			 {FORKS(0, 0, STRANGER, 1), GETS(0, 0, 1), FORKS(0, 0, 1, 2), GETS(0, 1, 2),
			  WAKES(2, 0, 1, 2), SLEEPS(3, 1, 2), GETS(4, 1, 2), ENDS(5, 1, 2),
			  ENDS(5, 0, 1)}});
}

static void a_wait_that_no_thread_of_the_target_ends_keeps_its_length(void **state)
{
	(void)state;
	ASSERT_ALL_TOLD({"a: 1000ns external(2000ns) 1000ns\n",
			 {FORKS(0, 0, STRANGER, 1), GETS(0, 0, 1), SLEEPS(1, 0, 1),
			  WAKES(3, 1, STRANGER, 1), GETS(4, 0, 1), ENDS(5, 0, 1)}},
			{"a: 1000ns sleep(2000ns) 1000ns\n",
			 {FORKS(0, 0, STRANGER, 1), GETS(0, 0, 1), SLEEPS(1, 0, 1),
			  WAKES(3, 1, 0, 1), GETS(4, 0, 1), ENDS(5, 0, 1)}},
			{"a: 1000ns device(2000ns) 1000ns\n",
			 {FORKS(0, 0, STRANGER, 1), GETS(0, 0, 1), DISK(1, 0, 1), WAKES(3, 1, 0, 1),
			  GETS(4, 0, 1), ENDS(5, 0, 1)}},
			{"a: 1000ns unknown(3000ns) 1000ns\n",
			 {FORKS(0, 0, STRANGER, 1), GETS(0, 0, 1), SLEEPS(1, 0, 1), GETS(4, 0, 1),
			  ENDS(5, 0, 1)}});
}

static void a_wait_in_state_d_for_a_thread_is_at_the_device(void **state)
{
	(void)state;
	ASSERT_ALL_TOLD(
		{"a: fork(b) 2000ns wake(b,0) 2000ns\n"
		 "b: 1000ns block(0@0) 1000ns\n",
		 {FORKS(0, 0, STRANGER, 1), GETS(0, 0, 1), FORKS(0, 0, 1, 2), GETS(0, 1, 2),
		  DISK(1, 1, 2), WAKES(2, 0, 1, 2), GETS(3, 1, 2), ENDS(4, 1, 2), ENDS(4, 0, 1)}});
}

static void the_thread_in_an_interrupt_is_no_waker(void **state)
{
	(void)state;
	ASSERT_ALL_TOLD({"a: fork(b) 5000ns\n"
			 "b: 1000ns sleep(2000ns) 1000ns\n",
			 {FORKS(0, 0, STRANGER, 1), GETS(0, 0, 1), FORKS(0, 0, 1, 2), GETS(0, 1, 2),
			  SLEEPS(1, 1, 2), interrupt(3, 0, 1, 2), GETS(4, 1, 2), ENDS(5, 1, 2),
			  ENDS(5, 0, 1)}});
}

/* The number of certain wakes among two waits that a thread ended, one of them in a call. */
static void without_records_of_interrupts_only_calls_are_certain(void **state)
{
	static const struct {
		const char *collector;
		bool interrupts;
		uint64_t guessed;
	} cases[] = {{"bpf", false, 1}, {"bpf", true, 0}, {"perf", false, 0}, {"", false, 0}};
	const struct event events[] = {FORKS(0, 0, STRANGER, 1),
				       GETS(0, 0, 1),
				       FORKS(0, 0, 1, 2),
				       GETS(0, 1, 2),
				       SLEEPS(1, 1, 2),
				       WAKES(3, 0, 1, 2),
				       GETS(4, 1, 2),
				       call(5, 1, 2, SYNC_FUTEX_WAIT, 4096),
				       SLEEPS(5, 1, 2),
				       WAKES(6, 0, 1, 2),
				       GETS(7, 1, 2),
				       RETURNS(7, 1, 2),
				       ENDS(8, 1, 2),
				       ENDS(8, 0, 1)};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct event_source *source =
			array_source(events, sizeof(events) / sizeof(events[0]));
		struct program program;
		struct err err;

		strcpy(source->target.collector, cases[i].collector);
		source->target.interrupts = cases[i].interrupts;
		assert_int_equal(program_read(&program, source, &tree, &err), 0);
		assert_int_equal(program.shares.edges, 2);
		assert_int_equal(program.shares.guessed, cases[i].guessed);
		program_release(&program);
		event_source_free(source);
	}
}

static void a_call_to_sleep_is_a_sleep_with_any_waker(void **state)
{
	(void)state;
	ASSERT_ALL_TOLD({"a: fork(b) 5000ns\n"
			 "b: 1000ns sleep(2000ns) 1000ns\n",
			 {FORKS(0, 0, STRANGER, 1), GETS(0, 0, 1), FORKS(0, 0, 1, 2), GETS(0, 1, 2),
			  call(1, 1, 2, SYNC_SLEEP, 0), SLEEPS(1, 1, 2), WAKES(3, 0, 1, 2),
			  GETS(4, 1, 2), RETURNS(4, 1, 2), ENDS(5, 1, 2), ENDS(5, 0, 1)}});
}

static void a_thread_that_wakes_itself_waits_for_no_thread(void **state)
{
	(void)state;
	ASSERT_ALL_TOLD(
		{"a: 2000ns\n",
		 {FORKS(0, 0, STRANGER, 1), GETS(0, 0, 1), WAKES(1, 0, 1, 1), ENDS(2, 0, 1)}});
}

static void without_a_wake_the_end_of_a_wait_is_a_guess_except_in_a_call_to_sleep(void **state)
{
	const struct told told = {"a: 1000ns sleep(2000ns) 1000ns unknown(2000ns) 1000ns\n",
				  {FORKS(0, 0, STRANGER, 1), GETS(0, 0, 1),
				   call(1, 0, 1, SYNC_SLEEP, 0), SLEEPS(1, 0, 1), GETS(3, 0, 1),
				   RETURNS(3, 0, 1), SLEEPS(4, 0, 1), GETS(6, 0, 1),
				   ENDS(7, 0, 1)}};
	struct program program;

	(void)state;
	assert_told(&told, &program);
	assert_int_equal(program.shares.waits, 2);
	assert_int_equal(program.shares.guessed, 1);
	program_release(&program);
}

static void timers_that_another_thread_ends_are_polls(void **state)
{
	(void)state;
	ASSERT_ALL_TOLD({"a: fork(b) 70000ns wake(b,0) 10000ns\n"
			 "b: poll(20000ns) poll(20000ns) poll(20000ns) block(0) 10000ns\n",
			 {FORKS(0, 0, STRANGER, 1), GETS(0, 0, 1), FORKS(0, 0, 1, 2), GETS(0, 1, 2),
			  SLEEPS(0, 1, 2), interrupt(20, 0, 1, 2), GETS(20, 1, 2), SLEEPS(20, 1, 2),
			  interrupt(40, 0, 1, 2), GETS(40, 1, 2), SLEEPS(40, 1, 2),
			  interrupt(60, 0, 1, 2), GETS(60, 1, 2), SLEEPS(60, 1, 2),
			  WAKES(70, 0, 1, 2), GETS(70, 1, 2), ENDS(80, 1, 2), ENDS(80, 0, 1)}});
}

/* The threads belong to one process, that of thread 1. */
static void assert_killed(struct event *events, size_t count, const char *steps)
{
	struct event_source *source;
	struct program program;
	struct err err;
	char *text;

	for (size_t i = 0; i < count; i++)
		if (events[i].kind == EVENT_FORK)
			events[i].other_pid = 1;
	source = array_source(events, count);
	assert_int_equal(program_read(&program, source, &tree, &err), 0);
	text = steps_text(&program);
	assert_string_equal(text, steps);
	free(text);
	program_release(&program);
	event_source_free(source);
}

#define ASSERT_KILLED(events, steps) \
	assert_killed(events, sizeof(events) / sizeof((events)[0]), steps)

/* The first thread wakes all other ones in order to end them. */
static void a_wait_that_the_end_of_the_process_ends_is_a_poll(void **state)
{
	struct event events[] = {FORKS(0, 0, STRANGER, 1), GETS(0, 0, 1),
				 FORKS(0, 0, 1, 2),	   GETS(0, 1, 2),
				 SLEEPS(1000, 1, 2),	   interrupt(8000, 0, 1, 2),
				 GETS(8000, 1, 2),	   SLEEPS(8001, 1, 2),
				 WAKES(9000, 0, 1, 2),	   GETS(9000, 1, 2),
				 ENDS(9001, 0, 1),	   ENDS(9002, 1, 2)};

	(void)state;
	ASSERT_KILLED(events, "a: fork(b) 9000000ns wake(b,0) 1000ns\n"
			      "b: 1000000ns poll(7000000ns) 1000ns block(0) 2000ns\n");
}

/* The timer of the first sleep interrupts the thread that ends the process during the second
 * one. */
static void the_end_of_the_process_ends_calls_to_sleep(void **state)
{
	struct event events[] = {FORKS(0, 0, STRANGER, 1),
				 GETS(0, 0, 1),
				 FORKS(0, 0, 1, 2),
				 GETS(0, 1, 2),
				 call(1, 1, 2, SYNC_SLEEP, 0),
				 SLEEPS(1, 1, 2),
				 WAKES(8000, 0, 1, 2),
				 GETS(8000, 1, 2),
				 RETURNS(8000, 1, 2),
				 call(8001, 1, 2, SYNC_SLEEP, 0),
				 SLEEPS(8001, 1, 2),
				 WAKES(9000, 0, 1, 2),
				 GETS(9000, 1, 2),
				 RETURNS(9000, 1, 2),
				 ENDS(9001, 0, 1),
				 ENDS(9002, 1, 2)};

	(void)state;
	ASSERT_KILLED(events, "a: fork(b) 9001000ns wake(b,0)\n"
			      "b: 1000ns poll(7999000ns) 1000ns block(0) 2000ns\n");
}

/* The timer interrupts the first thread; the second one ends, and then the first one. */
static void a_thread_that_ends_first_was_not_killed_in_its_sleep(void **state)
{
	struct event events[] = {FORKS(0, 0, STRANGER, 1),
				 GETS(0, 0, 1),
				 FORKS(0, 0, 1, 2),
				 GETS(0, 1, 2),
				 call(1, 1, 2, SYNC_SLEEP, 0),
				 SLEEPS(1, 1, 2),
				 WAKES(9000, 0, 1, 2),
				 GETS(9000, 1, 2),
				 RETURNS(9000, 1, 2),
				 ENDS(9001, 1, 2),
				 ENDS(9002, 0, 1)};

	(void)state;
	ASSERT_KILLED(events, "a: fork(b) 9002000ns\nb: 1000ns sleep(8999000ns) 1000ns\n");
}

/* At the end of the recording the first thread waits, and the second one runs. */
static void the_end_of_the_recording_kills_no_sleeper(void **state)
{
	struct event events[] = {FORKS(0, 0, STRANGER, 1),
				 GETS(0, 0, 1),
				 FORKS(0, 0, 1, 2),
				 GETS(0, 1, 2),
				 call(1, 1, 2, SYNC_SLEEP, 0),
				 SLEEPS(1, 1, 2),
				 WAKES(9000, 0, 1, 2),
				 GETS(9000, 1, 2),
				 RETURNS(9000, 1, 2),
				 SLEEPS(9001, 0, 1)};

	(void)state;
	ASSERT_KILLED(events, "a: fork(b) 9001000ns block()\nb: 1000ns sleep(8999000ns) 1000ns\n");
}

/* The first thread waits, in a call to sleep or not, while the second one works. */
static void a_wait_that_a_signal_ends_with_its_process_has_no_end(void **state)
{
	struct event waits[] = {FORKS(0, 0, STRANGER, 1), GETS(0, 0, 1),
				FORKS(0, 0, 1, 2),	  GETS(0, 1, 2),
				SLEEPS(1, 0, 1),	  WAKES(9000, 2, STRANGER, 1),
				GETS(9000, 0, 1),	  ENDS(9010, 1, 2),
				ENDS(9020, 0, 1)};
	struct event sleeps[] = {FORKS(0, 0, STRANGER, 1),
				 GETS(0, 0, 1),
				 FORKS(0, 0, 1, 2),
				 GETS(0, 1, 2),
				 call(1, 0, 1, SYNC_SLEEP, 0),
				 SLEEPS(1, 0, 1),
				 WAKES(9000, 2, STRANGER, 1),
				 GETS(9000, 0, 1),
				 RETURNS(9000, 0, 1),
				 ENDS(9010, 1, 2),
				 ENDS(9020, 0, 1)};

	(void)state;
	ASSERT_KILLED(waits, "a: fork(b) 21000ns block()\nb: 9010000ns\n");
	ASSERT_KILLED(sleeps, "a: fork(b) 21000ns block()\nb: 9010000ns\n");
}

/* A server whose first thread waits for ever; the second one waits for requests, or has got one. */
static void the_end_of_the_recording_kills_no_server(void **state)
{
	struct event waits[] = {FORKS(0, 0, STRANGER, 1),
				GETS(0, 0, 1),
				FORKS(0, 0, 1, 2),
				GETS(0, 1, 2),
				SLEEPS(1, 0, 1),
				SLEEPS(1, 1, 2),
				WAKES(1000, 2, STRANGER, 2),
				GETS(1000, 1, 2),
				SLEEPS(1010, 1, 2),
				WAKES(9000, 2, STRANGER, STRANGER + 1)};
	struct event works[] = {FORKS(0, 0, STRANGER, 1),
				GETS(0, 0, 1),
				FORKS(0, 0, 1, 2),
				GETS(0, 1, 2),
				SLEEPS(1, 0, 1),
				SLEEPS(1, 1, 2),
				WAKES(9000, 2, STRANGER, 2),
				GETS(9000, 1, 2),
				WAKES(9010, 2, STRANGER, STRANGER + 1)};

	(void)state;
	ASSERT_KILLED(waits, "a: fork(b) 1000ns block()\n"
			     "b: 1000ns external(999000ns) 10000ns external(7990000ns)\n");
	ASSERT_KILLED(works, "a: fork(b) 1000ns block()\n"
			     "b: 1000ns external(8999000ns) 10000ns\n");
}

static void if_all_threads_of_a_killed_process_wait_the_last_wait_has_an_end(void **state)
{
	struct event events[] = {FORKS(0, 0, STRANGER, 1),
				 GETS(0, 0, 1),
				 FORKS(0, 0, 1, 2),
				 GETS(0, 1, 2),
				 SLEEPS(1, 0, 1),
				 SLEEPS(5000, 1, 2),
				 WAKES(9000, 2, STRANGER, 1),
				 WAKES(9000, 2, STRANGER, 2),
				 GETS(9000, 0, 1),
				 GETS(9000, 1, 2),
				 ENDS(9010, 1, 2),
				 ENDS(9020, 0, 1)};

	(void)state;
	ASSERT_KILLED(events, "a: fork(b) 21000ns block()\n"
			      "b: 5000000ns external(4000000ns) 10000ns\n");
}

/* The parent waits for the end of the process, which its first thread tells it. */
static void the_parent_of_a_killed_process_is_woken_at_the_end_of_its_work(void **state)
{
	struct event events[] = {FORKS(0, 0, STRANGER, 3),
				 GETS(0, 0, 3),
				 FORKS(0, 0, 3, 1),
				 GETS(0, 1, 1),
				 SLEEPS(1, 0, 3),
				 FORKS(1, 1, 1, 2),
				 GETS(1, 0, 2),
				 SLEEPS(2, 1, 1),
				 WAKES(9000, 2, STRANGER, 1),
				 GETS(9000, 1, 1),
				 ENDS(9010, 0, 2),
				 WAKES(9020, 1, 1, 3),
				 ENDS(9020, 1, 1),
				 GETS(9020, 0, 3),
				 ENDS(9030, 0, 3)};
	static const int32_t parent[] = {3};
	const struct selection all = {.pids = parent, .pid_count = 1};
	size_t count = sizeof(events) / sizeof(events[0]);
	struct event_source *source;
	struct program program;
	struct err err;
	char *text;

	(void)state;
	events[0].other_pid = 3;
	events[2].other_pid = events[5].other_pid = 1;
	source = array_source(events, count);
	assert_int_equal(program_read(&program, source, &all, &err), 0);
	text = steps_text(&program);
	assert_string_equal(text, "c: fork(a) 1000ns block(0) 10000ns\n"
				  "a: 1000ns fork(b) 21000ns block()\n"
				  "b: 9009000ns wake(c,0)\n");
	free(text);
	program_release(&program);
	event_source_free(source);
}

/* The rest of the process works for 3 ms; the thread wakes it; there is no other thread. */
static void a_wait_that_ends_before_its_process_keeps_its_length(void **state)
{
	struct event works[] = {FORKS(0, 0, STRANGER, 1), GETS(0, 0, 1),
				FORKS(0, 0, 1, 2),	  GETS(0, 1, 2),
				SLEEPS(1, 0, 1),	  WAKES(9000, 2, STRANGER, 1),
				GETS(9000, 0, 1),	  ENDS(9020, 0, 1),
				ENDS(12000, 1, 2)};
	struct event wakes[] = {FORKS(0, 0, STRANGER, 1),
				GETS(0, 0, 1),
				FORKS(0, 0, 1, 2),
				GETS(0, 1, 2),
				SLEEPS(1, 0, 1),
				SLEEPS(2, 1, 2),
				WAKES(9000, 2, STRANGER, 1),
				GETS(9000, 0, 1),
				WAKES(9010, 0, 1, 2),
				GETS(9010, 1, 2),
				ENDS(9020, 0, 1),
				ENDS(9020, 1, 2)};
	struct event alone[] = {FORKS(0, 0, STRANGER, 1),    GETS(0, 0, 1),    SLEEPS(1, 0, 1),
				WAKES(9000, 2, STRANGER, 1), GETS(9000, 0, 1), ENDS(9020, 0, 1)};

	(void)state;
	ASSERT_KILLED(works, "a: fork(b) 1000ns external(8999000ns) 20000ns\nb: 12000000ns\n");
	ASSERT_KILLED(wakes, "a: fork(b) 1000ns external(8999000ns) 10000ns wake(b,0) 10000ns\n"
			     "b: 2000ns block(0) 10000ns\n");
	ASSERT_KILLED(alone, "a: 1000ns external(8999000ns) 20000ns\n");
}

static void calls_are_steps_at_their_objects(void **state)
{
	const struct told told = {
		"a: fork(b) 1000ns call(0,2) 1000ns wake(b,0) return(0,2) 1000ns yield() 1000ns\n"
		"b: call(0,1) 1000ns block(0) return(0,1) 1000ns\n",
		{FORKS(0, 0, STRANGER, 1), GETS(0, 0, 1), FORKS(0, 0, 1, 2), GETS(0, 1, 2),
		 call(0, 1, 2, SYNC_FUTEX_WAIT, 4096), SLEEPS(1, 1, 2),
		 call(1, 0, 1, SYNC_FUTEX_WAKE, 4096), WAKES(2, 0, 1, 2), RETURNS(2, 0, 1),
		 GETS(3, 1, 2), RETURNS(3, 1, 2), call(3, 0, 1, SYNC_YIELD, 0), RETURNS(3, 0, 1),
		 ENDS(4, 1, 2), ENDS(4, 0, 1)}};
	struct program program;

	(void)state;
	assert_told(&told, &program);
	assert_int_equal(program.site_count, 1);
	assert_int_equal(program.sites[0].kind, SITE_UNKNOWN);
	assert_int_equal(program.sites[0].address, 4096);
	assert_int_equal(program.shares.calls, 3);
	program_release(&program);
}

static void the_second_object_of_a_call_comes_first(void **state)
{
	struct told told = {"a: call(0,0) call(1,14) call(2,17) 1000ns\n",
			    {FORKS(0, 0, STRANGER, 1), GETS(0, 0, 1),
			     call(0, 0, 1, SYNC_COND_WAIT, 4096),
			     call(0, 0, 1, SYNC_BARRIER_INIT, 5000), ENDS(1, 0, 1)}};
	struct program program;

	(void)state;
	told.events[2].object2 = 8192;
	told.events[3].count = 4;
	assert_told(&told, &program);
	assert_int_equal(program.sites[0].address, 8192);
	assert_int_equal(program.sites[1].address, 4096);
	assert_int_equal(program.sites[2].parties, 4);
	program_release(&program);
}

static struct event in_calls(struct event event, uint32_t chain)
{
	event.chain = chain;
	return event;
}

static void waits_have_the_call_chains_in_which_they_began(void **state)
{
	struct event events[] = {
		FORKS(0, 0, STRANGER, 1),
		GETS(10, 0, 1),
		FORKS(30, 0, 1, 2),
		in_calls(SLEEPS(100, 0, 1), 5),
		GETS(110, 1, 2),
		WAKES(300, 1, 2, 1),
		GETS(310, 0, 1),
		in_calls(call(400, 0, 1, SYNC_FUTEX_WAIT, 0x1000), 6),
		SLEEPS(410, 0, 1),
		WAKES(500, 1, 2, 1),
		GETS(510, 0, 1),
		RETURNS(520, 0, 1),
		in_calls(SLEEPS(600, 0, 1), 7),
		interrupt(700, 0, 0, 1),
		GETS(710, 0, 1),
		ENDS(900, 0, 1),
		ENDS(950, 1, 2),
	};
	struct program program;
	const struct step *pause;

	(void)state;
	read_events(&program, events, sizeof(events) / sizeof(events[0]));
	assert_int_equal(program.edge_count, 2);
	assert_int_equal(wait_chains_of_edge(&program.chains, 0), 5);
	assert_int_equal(wait_chains_of_edge(&program.chains, 1), 6);
	assert_int_equal(program.chains.count, 1); /* for the word of the waits */
	assert_int_equal(program.chains.sites[0].chain, 6);
	assert_int_equal(program.sites[program.chains.sites[0].site].address, 0x1000);
	pause = &program.threads[0].steps[program.threads[0].count - 2];
	assert_int_equal(step_op(pause), STEP_SLEEP);
	assert_int_equal(program.sites[step_site(pause)].chain, 7);
	program_release(&program);
}

static void a_wait_that_never_ends_lasts_for_ever(void **state)
{
	(void)state;
	ASSERT_ALL_TOLD({"a: fork(b) 5000ns\n"
			 "b: 1000ns block()\n",
			 {FORKS(0, 0, STRANGER, 1), GETS(0, 0, 1), FORKS(0, 0, 1, 2), GETS(0, 1, 2),
			  SLEEPS(1, 1, 2), ENDS(5, 0, 1)}},
			/* No thread runs at the end, so the wait is that long. */
			{"a: fork(b) 4000ns external(6000ns)\n"
			 "b: 1000ns block()\n",
			 {FORKS(0, 0, STRANGER, 1), GETS(0, 0, 1), FORKS(0, 0, 1, 2), GETS(0, 1, 2),
			  SLEEPS(1, 1, 2), SLEEPS(4, 0, 1), WAKES(10, 1, STRANGER, STRANGER + 1)}});
}

static void a_wake_by_a_thread_that_ends_comes_before_its_end(void **state)
{
	(void)state;
	ASSERT_ALL_TOLD({"a: fork(b) 1000ns block(0) 1000ns\n"
			 "b: 2000ns wake(a,0) 1000ns\n",
			 {FORKS(0, 0, STRANGER, 1), GETS(0, 0, 1), FORKS(0, 0, 1, 2), GETS(0, 1, 2),
			  SLEEPS(1, 0, 1), at(1, EVENT_EXIT, 1, 2, -1), WAKES(2, 1, 2, 1),
			  ENDS(3, 1, 2), GETS(3, 0, 1), ENDS(4, 0, 1)}},
			/* The clock is so coarse that the end of a wait has the time of its
			 * begin. */
			{"a: fork(b) 1000ns block(0) 1000ns\n"
			 "b: 2000ns wake(a,0)\n",
			 {FORKS(0, 0, STRANGER, 1), GETS(0, 0, 1), FORKS(0, 0, 1, 2), GETS(0, 1, 2),
			  SLEEPS(1, 0, 1), WAKES(2, 1, 2, 1), ENDS(2, 1, 2), GETS(3, 0, 1),
			  ENDS(4, 0, 1)}});
}

/* All of these except the first have the same time, as the clock does not go back. */
static const char at_one_time[] =
	" perf     1 [000]  2768.146880: sched:sched_stat_runtime: comm=perf pid=16651 "
	"runtime=62814 [ns]\n"
	" pigz  5524 [000]  4480.839995512: sched:sched_waking: comm=pigz pid=5522 prio=120 "
	"target_cpu=000\n"
	" pigz  5521 [001]  4480.784358532: sched:sched_wakeup_new: comm=pigz pid=5524 prio=120 "
	"target_cpu=000\n"
	" pigz  5524 [000]  4480.784411442: sched:sched_waking: comm=pigz pid=5521 prio=120 "
	"target_cpu=001\n";

/* If changes are held back, those of the created threads come after the object of the wait. */
static void at_one_time_other_threads_continue_before_any_wait(void **state)
{
	(void)state;
	ASSERT_ALL_TOLD(
		{"a: 2000ns fork(b) block(0) 1000ns\n"
		 "b: wake(a,0) 2000ns\n",
		 {at(0, EVENT_RAN, 2, STRANGER, -1), FORKS(0, 0, STRANGER, 1), GETS(0, 0, 1),
		  FORKS(2, 0, 1, 2), GETS(2, 1, 2), WAKES(2, 1, 2, 1), ENDS(3, 0, 1),
		  ENDS(4, 1, 2)}},
		/* ... and after the end of an interval of its own. */
		{"a: 2000ns fork(b) block(0) 1000ns\n"
		 "b: wake(a,0) 2000ns\n",
		 {at(0, EVENT_RAN, 2, STRANGER, -1), FORKS(0, 0, STRANGER, 1), GETS(0, 0, 1),
		  PREEMPTED(2, 0, 1, STRANGER), HANDS_OVER(2, 0, STRANGER, 1), FORKS(2, 0, 1, 2),
		  GETS(2, 1, 2), WAKES(2, 1, 2, 1), ENDS(3, 0, 1), ENDS(4, 1, 2)}},
		/* It wakes a waiting thread. */
		{"a: fork(b) 1000ns wake(b,1) block(0) 2000ns\n"
		 "b: block(1) wake(a,0) 2000ns\n",
		 {at(0, EVENT_RAN, 2, STRANGER, -1), FORKS(0, 0, STRANGER, 1), GETS(0, 0, 1),
		  FORKS(0, 0, 1, 2), GETS(0, 1, 2), SLEEPS(0, 1, 2), WAKES(1, 0, 1, 2),
		  GETS(1, 1, 2), WAKES(1, 1, 2, 1), ENDS(3, 0, 1), ENDS(3, 1, 2)}});
}

static void a_trace_may_end_when_a_thread_is_born(void **state)
{
	const struct selection everybody = {0};
	struct event_source *source;
	struct program program;
	struct err err = {.text = ""};
	char *text;

	(void)state;
	source = trace_input_read(
		input_open(file_with(at_one_time, sizeof(at_one_time) - 1), INPUT_OF_ANYONE, &err),
		&err);
	if (!source || program_read(&program, source, &everybody, &err))
		fail_msg("%s", err.text);
	text = steps_text(&program);
	assert_non_null(strstr(text, "fork(pigz) block(0)"));
	if (program_check(&program, &err))
		fail_msg("%s\n%s", err.text, text);
	free(text);
	program_release(&program);
	event_source_free(source);
}

static void a_reused_number_is_another_thread(void **state)
{
	(void)state;
	ASSERT_ALL_TOLD({"a: fork(b) 2000ns fork(b) 2000ns wake(b,0) 1000ns\n"
			 "b: 1000ns\n"
			 "b: 1000ns block(0) 1000ns\n",
			 {FORKS(0, 0, STRANGER, 1), GETS(0, 0, 1), FORKS(0, 0, 1, 2), GETS(0, 1, 2),
			  ENDS(1, 1, 2), FORKS(2, 0, 1, 2), GETS(2, 1, 2), SLEEPS(3, 1, 2),
			  WAKES(4, 0, 1, 2), GETS(4, 1, 2), ENDS(5, 1, 2), ENDS(5, 0, 1)}});
}

static void a_thread_continues_after_an_exec_as_the_first_of_its_process(void **state)
{
	struct told told = {"a: fork(b) 1000ns block()\n"
			    "b: 3000ns fork(a)\n"
			    "a: 2000ns\n",
			    {FORKS(0, 0, STRANGER, 1), GETS(0, 0, 1), FORKS(0, 0, 1, 2),
			     GETS(0, 1, 2), SLEEPS(1, 0, 1), at(3, EVENT_EXEC, 1, 1, -1),
			     ENDS(5, 1, 1)}};
	struct program program;

	(void)state;
	for (size_t i = 0; i < 7; i++)
		told.events[i].pid = told.events[i].tid == 1 || told.events[i].tid == 2 ? 1 : -1;
	told.events[0].other_pid = told.events[1].other_pid = 1;
	told.events[2].other_pid = told.events[3].other_pid = 1;
	assert_told(&told, &program);
	program_release(&program);
}

static void a_preemption_by_the_woken_thread_ends_no_slice(void **state)
{
	const struct event events[] = {
		FORKS(0, 0, STRANGER, 1),  GETS(0, 0, 1),
		FORKS(0, 0, 1, 2),	   PREEMPTED(300, 0, 1, 2),
		FORKS(400, 0, 2, 3),	   PREEMPTED(410, 0, 2, 3),
		HANDS_OVER(420, 0, 3, 1),  WAKES(450, 0, 1, 3),
		PREEMPTED(460, 0, 1, 3),   HANDS_OVER(470, 0, 3, 2),
		ENDS_BEFORE(770, 0, 2, 1), ENDS(800, 0, 1),
	};
	struct program program;

	(void)state;
	read_events(&program, events, sizeof(events) / sizeof(*events));
	assert_int_equal(program.costs.slice_ns, 300000);
	assert_int_equal(program.shares.preempted, 3);
	program_release(&program);
}

/* Thread 2 wakes thread 1, which is about to wait, and has its CPU before thread 1 preempts it. */
static void a_preemption_by_a_thread_that_was_woken_before_its_wait_ends_no_slice(void **state)
{
	const struct event events[] = {
		FORKS(0, 0, STRANGER, 1),
		GETS(0, 0, 1),
		FORKS(0, 0, 1, 2),
		FORKS(0, 0, 1, 3),
		WAKES(100, 1, STRANGER, 1),
		HANDS_OVER(101, 0, 1, 2),
		PREEMPTED(116, 0, 2, 1),
		ENDS_BEFORE(200, 0, 1, 3),
		PREEMPTED(500, 0, 3, 2),
		ENDS_BEFORE(600, 0, 2, 3),
		ENDS(700, 0, 3),
	};
	struct program program;

	(void)state;
	read_events(&program, events, sizeof(events) / sizeof(*events));
	assert_int_equal(program.costs.slice_ns, 300000);
	program_release(&program);
}

/* CPU 1 idles beside thread 2 for 10 us and 7 us, as the scheduler may let it, and then for 20 ms. */
static void a_cpu_that_idles_for_longer_than_a_tick_is_not_left_idle_by_the_scheduler(void **state)
{
	const struct event events[] = {
		FORKS(0, 0, STRANGER, 1), GETS(0, 0, 1),      FORKS(10, 0, 1, 2), GETS(20, 1, 2),
		SLEEPS(30, 1, 2),	  WAKES(40, 0, 1, 2), GETS(47, 1, 2),	  SLEEPS(50, 1, 2),
		WAKES(60, 0, 1, 2),	  GETS(20060, 1, 2),  ENDS(20070, 0, 1),  ENDS(20080, 1, 2),
	};
	struct program program;

	(void)state;
	read_events(&program, events, sizeof(events) / sizeof(*events));
	assert_int_equal(program.shares.brief_idle_ns, 17000);
	program_release(&program);
}

/* As the run before: thread 1 is preempted at 100 by the thread that it wakes, and then at 400. */
static void the_rest_of_a_slice_is_no_slice(void **state)
{
	const struct event events[] = {
		FORKS(0, 0, STRANGER, 1), GETS(0, 0, 1),	   FORKS(0, 0, 1, 2),
		FORKS(50, 0, 1, 3),	  PREEMPTED(100, 0, 1, 3), HANDS_OVER(300, 0, 3, 1),
		PREEMPTED(400, 0, 1, 2),  PREEMPTED(600, 0, 2, 1), ENDS_BEFORE(700, 0, 1, 2),
		ENDS(800, 0, 2),
	};
	struct program program;

	(void)state;
	read_events(&program, events, sizeof(events) / sizeof(*events));
	assert_int_equal(program.costs.slice_ns, 200000);
	program_release(&program);
}

/* Thread 1 is preempted at 100, by another program then, as the runs of thread 2 take 300. */
static void a_slice_is_not_known_where_longer_runs_end_with_a_wait(void **state)
{
	const struct event events[] = {
		FORKS(0, 0, STRANGER, 1), GETS(0, 0, 1),
		FORKS(0, 0, 1, 2),	  PREEMPTED(100, 0, 1, 2),
		HANDS_OVER(400, 0, 2, 1), WAKES(450, 0, 1, 2),
		PREEMPTED(460, 0, 1, 2),  HANDS_OVER(760, 0, 2, 1),
		WAKES(770, 0, 1, 2),	  ENDS_BEFORE(800, 0, 1, 2),
		ENDS(900, 0, 2),
	};
	struct program program;

	(void)state;
	read_events(&program, events, sizeof(events) / sizeof(*events));
	assert_int_equal(program.costs.slice_ns, 0);
	program_release(&program);
	read_events(&program, events, 5);
	assert_int_equal(program.costs.slice_ns, 100000);
	program_release(&program);
}

/* So many runs end soon after the wake in them, somewhat later, and later still. */
static void wakes_preempt_if_they_end_runs_at_once(void **state)
{
	enum { RUNS = 1000 };
	static const struct {
		int soon, later, rest;
		bool preempt;
	} cases[] = {
		{0, 0, 0, true},    {0, 0, 19, true},	  {0, 0, 20, false},   {2, 0, 18, false},
		{3, 0, 17, true},   {3, 1, 16, false},	  {5, 1, 14, true},    {20, 0, 0, true},
		{40, 20, 0, false}, {100, 0, 900, false}, {101, 0, 899, true}, {120, 40, 100, true},
	};
	struct event *events = xcalloc(6 + 3 * RUNS, sizeof(*events));

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int soon = cases[i].soon, early = soon + cases[i].later;
		uint64_t now = 1;
		struct program program;
		size_t count = 0;

		events[count++] = FORKS(0, 0, STRANGER, 1);
		events[count++] = GETS(0, 0, 1);
		events[count++] = FORKS(0, 0, 1, 2);
		events[count++] = HANDS_OVER(now, 0, 1, 2);
		for (int j = 0; j < early + cases[i].rest; j++, now += 1000) {
			uint64_t after = j < soon ? 1 : j < early ? 50 : 100;

			after += j % 2 ? 48 : 0;
			events[count++] = WAKES(now + 500, 0, 2, 1);
			events[count++] = PREEMPTED(now + 500 + after, 0, 2, 1);
			events[count++] = HANDS_OVER(now + 1000, 0, 1, 2);
		}
		events[count++] = ENDS(now + 500, 0, 2);
		read_events(&program, events, count);
		if (program.costs.wakes_preempt != cases[i].preempt)
			fail_msg("case %zu", i);
		program_release(&program);
	}
	free(events);
}

static void a_preemption_by_another_program_ends_no_slice(void **state)
{
	const struct event events[] = {
		FORKS(0, 0, STRANGER, 1),      GETS(0, 0, 1),  PREEMPTED(10, 0, 1, STRANGER),
		PREEMPTED(12, 0, STRANGER, 1), ENDS(20, 0, 1),
	};
	struct program program;

	(void)state;
	read_events(&program, events, sizeof(events) / sizeof(*events));
	assert_int_equal(program.costs.slice_ns, 0);
	program_release(&program);
}

static void a_wake_costs_the_time_to_run_on_a_free_core(void **state)
{
	const struct event events[] = {
		FORKS(0, 0, STRANGER, 1),
		GETS(0, 0, 1),
		FORKS(0, 0, 1, 2),
		GETS(0, 1, 2),
		SLEEPS(1, 1, 2),
		WAKES(2, 0, 1, 2),
		GETS(7, 1, 2),
		FORKS(8, 0, 1, 3),
		HANDS_OVER(9, 1, 2, 3),
		WAKES(10, 0, 1, 2),
		HANDS_OVER(60, 1, 3, 2),
		ENDS(70, 1, 2),
		ENDS(80, 0, 1),
	};
	struct program program;

	(void)state;
	read_events(&program, events, sizeof(events) / sizeof(*events));
	assert_int_equal(program.costs.wake_ns, 5000);
	assert_int_equal(program.shares.wake_ns, 5000);
	program_release(&program);
}

/* Thread 2 waits 50 us for another program, 5 us for an idle CPU, and 50 us for thread 3. */
static void a_wait_for_a_thread_on_the_cpu_is_no_cost_of_a_wake(void **state)
{
	const struct event events[] = {
		FORKS(0, 0, STRANGER, 1),
		GETS(0, 0, 1),
		FORKS(0, 0, 1, 2),
		GETS(0, 1, 2),
		HANDS_OVER(1, 1, 2, STRANGER),
		WAKES(2, 0, 1, 2),
		HANDS_OVER(52, 1, STRANGER, 2),
		SLEEPS(53, 1, 2),
		WAKES(54, 0, 1, 2),
		GETS(59, 1, 2),
		FORKS(60, 0, 1, 3),
		HANDS_OVER(61, 1, 2, 3),
		SLEEPS(62, 0, 1),
		WAKES(63, 0, STRANGER, 2),
		HANDS_OVER(113, 1, 3, 2),
		ENDS(120, 1, 2),
	};
	struct program program;

	(void)state;
	read_events(&program, events, sizeof(events) / sizeof(*events));
	assert_int_equal(program.costs.wake_ns, 5000);
	program_release(&program);
}

/* The program runs for 20 us, and the recorder and the hypervisor have 10 us each. */
static void other_programs_have_the_rest_of_the_busy_time(void **state)
{
	const struct event events[] = {
		FORKS(0, 0, STRANGER, 1),
		GETS(0, 0, 1),
		ENDS(20, 0, 1),
	};
	const struct {
		uint64_t busy_ns, others_ns;
	} cases[] = {{100000, 60000}, {40000, 0}, {30000, 0}, {0, 0}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct event_source *source =
			array_source(events, sizeof(events) / sizeof(*events));
		struct program program;
		struct err err;

		source->target.has_busy = cases[i].busy_ns > 0;
		source->target.busy_ns = cases[i].busy_ns;
		source->target.own_cpu_ns = source->target.steal_ns = 10000;
		if (program_read(&program, source, &tree, &err))
			fail_msg("%s", err.text);
		assert_int_equal(program.others_ns, cases[i].others_ns);
		program_release(&program);
		event_source_free(source);
	}
}

/* Thread 2 has a core of its own, and takes longer each time to run after a wake. */
static void the_cost_of_many_wakes_is_their_median(void **state)
{
	static const uint64_t counts[] = {0, 1, 5, 20000};
	struct event *events = xcalloc(6 + 3 * 20000, sizeof(*events));

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		uint64_t now = 1, all_ns = 0;
		struct program program;
		size_t count = 0;

		events[count++] = FORKS(0, 0, STRANGER, 1);
		events[count++] = GETS(0, 0, 1);
		events[count++] = FORKS(0, 0, 1, 2);
		events[count++] = GETS(0, 1, 2);
		for (uint64_t j = 1; j <= counts[i]; j++, now += 2 + j) {
			events[count++] = SLEEPS(now, 1, 2);
			events[count++] = WAKES(now + 1, 0, 1, 2);
			events[count++] = GETS(now + 1 + j, 1, 2);
			all_ns += 1000 * j < FREE_WAKE_MOST_NS ? 1000 * j : FREE_WAKE_MOST_NS;
		}
		events[count++] = ENDS(now, 1, 2);
		events[count++] = ENDS(now + 1, 0, 1);
		read_events(&program, events, count);
		assert_close((double)program.costs.wake_ns, 1000 * (double)((counts[i] + 1) / 2),
			     .01);
		assert_int_equal(program.shares.wake_ns, all_ns);
		program_release(&program);
	}
	free(events);
}

/* --- Any schedule -------------------------------------------------------------------------- */

enum { MOVES = 400, THREADS = 12, CPUS = 3 };

static enum thread_state state_of(char letter)
{
	const char letters[] = {letter, '\0'};

	return thread_state_of_letters(letters);
}

static struct event event_of(const struct move *move)
{
	static const enum event_kind kinds[] = {
		[MOVE_SWITCH] = EVENT_SWITCH,
		[MOVE_WAKE] = EVENT_WAKE,
		[MOVE_FORK] = EVENT_FORK,
		[MOVE_EXIT] = EVENT_EXIT,
	};
	struct event event = event_new(kinds[move->kind], move->time_ns);

	event.cpu = move->cpu;
	event.tid = move->tid;
	event.other = move->other;
	if (move->kind == MOVE_SWITCH)
		event.state = state_of(move->state);
	return event;
}

static struct event_source *schedule_source(uint64_t seed)
{
	struct move *moves = schedule_new(MOVES, THREADS, CPUS, seed);
	struct event events[MOVES];
	struct event_source *source;

	for (size_t i = 0; i < MOVES; i++)
		events[i] = event_of(&moves[i]);
	free(moves);
	source = array_source(events, MOVES);
	return source;
}

/* The number of waits, unknown stretches, and ends. */
static size_t segments_of(uint64_t seed)
{
	const struct selection everybody = {0};
	struct event_source *source = schedule_source(seed);
	struct timeline *timeline = timeline_new(source, &everybody);
	struct change change;
	size_t segments = 0;
	struct err err;

	while (timeline_next(timeline, &change, &err) > 0)
		segments += (change.state >= STATE_INACTIVE ? 1U : 0U) +
			    (change.state == STATE_UNKNOWN ? 1U : 0U) +
			    (change.next == STATE_NONE ? 1U : 0U);
	timeline_free(timeline);
	event_source_free(source);
	return segments;
}

static void a_program_agrees_with_the_profile_of_its_trace(void **state)
{
	const struct selection everybody = {0};

	(void)state;
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct event_source *first = schedule_source(seed), *again = schedule_source(seed);
		struct profile profile;
		struct err err;

		assert_int_equal(profile_init(&profile, first, &everybody, 0, &err), 0);
		if (program_check_trace(again, &profile, &err))
			fail_msg("seed %d: %s", (int)seed, err.text);
		profile_release(&profile);
		event_source_free(first);
		event_source_free(again);
	}
}

static void a_segment_takes_no_more_than_32_bytes(void **state)
{
	const struct selection everybody = {0};

	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct event_source *source = schedule_source(seed);
		struct program program;
		struct err err;
		size_t bytes;

		assert_int_equal(program_read(&program, source, &everybody, &err), 0);
		bytes = program.site_count > 1 /* all waits in state D share one */
				? program.site_capacity * sizeof(*program.sites)
				: 0;
		for (size_t i = 0; i < program.thread_count; i++)
			bytes += program.threads[i].capacity * sizeof(struct step);
		if (bytes > 32 * segments_of(seed))
			fail_msg("%zu bytes for %zu segments", bytes, segments_of(seed));
		program_release(&program);
		event_source_free(source);
	}
}

/*
 * In the second wait thread 2 runs from 610 us on; the first one is in no call, and the third one is
 * longer than 4 s.
 */
static void a_meeting_is_the_last_run_of_the_waker_during_a_wait_in_a_call(void **state)
{
	const uint64_t after_us = 5000000;
	const struct event events[] = {
		FORKS(0, 0, STRANGER, 1),
		GETS(10, 0, 1),
		FORKS(30, 0, 1, 2),
		SLEEPS(100, 0, 1),
		GETS(110, 1, 2),
		WAKES(300, 1, 2, 1),
		GETS(310, 0, 1),
		call(400, 0, 1, SYNC_FUTEX_WAIT, 0x1000),
		SLEEPS(410, 0, 1),
		PREEMPTED(420, 1, 2, 0),
		GETS(610, 1, 2),
		WAKES(700, 1, 2, 1),
		GETS(710, 0, 1),
		RETURNS(720, 0, 1),
		call(800, 0, 1, SYNC_FUTEX_WAIT, 0x1000),
		SLEEPS(810, 0, 1),
		WAKES(after_us, 1, 2, 1),
		GETS(after_us + 10, 0, 1),
		ENDS(after_us + 20, 0, 1),
		ENDS(after_us + 30, 1, 2),
	};
	struct program program;

	(void)state;
	read_events(&program, events, sizeof(events) / sizeof(events[0]));
	assert_int_equal(program.edge_count, 3);
	assert_int_equal(program.met_count >= 3, 1);
	assert_int_equal(program.met_ns[0], 0);
	assert_int_equal(program.met_ns[1], 90000);
	assert_int_equal(program.met_ns[2], UINT32_MAX);
	program_release(&program);
}

/* b and c run for a part of the wait, also at the same time; a wait of half a us is rounded up. */
static void the_work_of_all_threads_during_a_wait_is_known(void **state)
{
	struct event events[] = {
		FORKS(0, 0, STRANGER, 1), GETS(10, 0, 1),	   FORKS(30, 0, 1, 2),
		FORKS(40, 0, 1, 3),	  SLEEPS(100, 0, 1),	   GETS(110, 1, 2),
		GETS(150, 0, 3),	  PREEMPTED(160, 1, 2, 0), GETS(180, 1, 2),
		WAKES(200, 1, 2, 1),	  PREEMPTED(210, 0, 3, 1), SLEEPS(300, 0, 1),
		WAKES(300, 1, 2, 1),	  GETS(310, 0, 1),	   ENDS(320, 0, 1),
		ENDS(330, 1, 2),
	};
	struct program program;

	(void)state;
	events[12].time_ns += 500;
	read_events(&program, events, sizeof(events) / sizeof(events[0]));
	assert_int_equal(program.edge_count, 2);
	assert_true(program.work_count >= 2);
	assert_int_equal(program.work_us[0], 50 + 20 + 50);
	assert_int_equal(program.work_us[1], 1);
	program_release(&program);
}

/* A wakeup without a CPU does not show that its thread runs: nothing else is known of that one. */
static void a_waker_may_be_seen_only_in_its_wakeup(void **state)
{
	const struct selection all = {.pid_count = 0};
	struct event events[2 * READINGS + 6];
	struct event_source *source;
	struct program program;
	uint64_t now_us = 0;
	size_t count = 0;
	struct err err;

	(void)state;
	for (int32_t tid = 1; tid <= READINGS; tid++) {
		events[count++] = GETS(now_us += 5, 0, tid);
		events[count++] = SLEEPS(now_us += 5, 0, tid);
	}
	events[count++] = GETS(100, 0, 1);
	events[count++] = call(105, 0, 1, SYNC_FUTEX_WAIT, 0x1000);
	events[count++] = SLEEPS(110, 0, 1);
	events[count++] = WAKES(200, -1, READINGS + 1, 1);
	events[count++] = GETS(210, 0, 1);
	events[count++] = ENDS(220, 0, 1);
	source = array_source(events, count);
	assert_int_equal(program_read(&program, source, &all, &err), 0);
	event_source_free(source);
	assert_int_equal(program.edge_count, 1);
	assert_int_equal(program.met_count, 0);
	assert_int_equal(program.thread_count, READINGS + 1);
	program_release(&program);
}

#define TEST(name) cmocka_unit_test(name)

static const struct CMUnitTest tests[] = {
	TEST(cpu_time_is_the_rest_of_the_time),
	TEST(a_wake_and_the_wait_that_it_ends_are_an_edge),
	TEST(several_wakes_keep_their_order),
	TEST(a_wake_without_effect_is_no_edge),
	TEST(the_work_of_all_threads_during_a_wait_is_known),
	TEST(a_meeting_is_the_last_run_of_the_waker_during_a_wait_in_a_call),
	TEST(a_waker_may_be_seen_only_in_its_wakeup),
	TEST(a_thread_woken_before_it_waits_may_have_to_wait),
	TEST(a_wait_that_no_thread_of_the_target_ends_keeps_its_length),
	TEST(a_wait_in_state_d_for_a_thread_is_at_the_device),
	TEST(the_thread_in_an_interrupt_is_no_waker),
	TEST(without_records_of_interrupts_only_calls_are_certain),
	TEST(a_call_to_sleep_is_a_sleep_with_any_waker),
	TEST(a_thread_that_wakes_itself_waits_for_no_thread),
	TEST(without_a_wake_the_end_of_a_wait_is_a_guess_except_in_a_call_to_sleep),
	TEST(timers_that_another_thread_ends_are_polls),
	TEST(a_wait_that_the_end_of_the_process_ends_is_a_poll),
	TEST(the_end_of_the_process_ends_calls_to_sleep),
	TEST(a_thread_that_ends_first_was_not_killed_in_its_sleep),
	TEST(the_end_of_the_recording_kills_no_sleeper),
	TEST(a_wait_that_a_signal_ends_with_its_process_has_no_end),
	TEST(the_end_of_the_recording_kills_no_server),
	TEST(if_all_threads_of_a_killed_process_wait_the_last_wait_has_an_end),
	TEST(the_parent_of_a_killed_process_is_woken_at_the_end_of_its_work),
	TEST(a_wait_that_ends_before_its_process_keeps_its_length),
	TEST(calls_are_steps_at_their_objects),
	TEST(the_second_object_of_a_call_comes_first),
	TEST(waits_have_the_call_chains_in_which_they_began),
	TEST(a_wait_that_never_ends_lasts_for_ever),
	TEST(a_wake_by_a_thread_that_ends_comes_before_its_end),
	TEST(at_one_time_other_threads_continue_before_any_wait),
	TEST(a_trace_may_end_when_a_thread_is_born),
	TEST(a_reused_number_is_another_thread),
	TEST(a_thread_continues_after_an_exec_as_the_first_of_its_process),
	TEST(a_preemption_by_the_woken_thread_ends_no_slice),
	TEST(a_preemption_by_a_thread_that_was_woken_before_its_wait_ends_no_slice),
	TEST(a_cpu_that_idles_for_longer_than_a_tick_is_not_left_idle_by_the_scheduler),
	TEST(the_rest_of_a_slice_is_no_slice),
	TEST(a_slice_is_not_known_where_longer_runs_end_with_a_wait),
	TEST(wakes_preempt_if_they_end_runs_at_once),
	TEST(a_preemption_by_another_program_ends_no_slice),
	TEST(a_wake_costs_the_time_to_run_on_a_free_core),
	TEST(a_wait_for_a_thread_on_the_cpu_is_no_cost_of_a_wake),
	TEST(the_cost_of_many_wakes_is_their_median),
	TEST(other_programs_have_the_rest_of_the_busy_time),
	TEST(a_program_agrees_with_the_profile_of_its_trace),
	TEST(a_segment_takes_no_more_than_32_bytes),
};

TEST_FILE(tests);
