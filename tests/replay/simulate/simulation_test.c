/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/simulate/simulation.h"

#include "base/err.h"
#include "draw/steps.h"
#include "support.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct simulated run_on(const struct program *program, const struct machine *machine)
{
	struct simulated simulated;
	struct err err = {.text = ""};

	if (simulate(&simulated, program, machine, false, &err))
		fail_msg("%s", err.text);
	return simulated;
}

static struct simulated run_text(const char *text, const struct machine *machine)
{
	struct program program;
	struct simulated simulated;

	steps_read(&program, text);
	simulated = run_on(&program, machine);
	program_release(&program);
	return simulated;
}

/* Wall times of programs, found on paper. */
static const struct {
	const char *what, *text;
	unsigned cores;
	uint64_t wall_ns;
	size_t stuck;
} on_paper[] = {
	{"no thread", "", 1, 0, 0},
	{"nothing", "a:", 1, 0, 0},
	{"one thread", "a: 5ms", 4, 5000000, 0},
	{"a late one", "a@7ms: 5ms", 4, 12000000, 0},
	{"two side by side", "a: 5ms\nb: 7ms", 2, 7000000, 0},
	{"two one after the other", "a: 5ms\nb: 7ms", 1, 12000000, 0},
	{"nothing in the middle", "a: 1ms none() 2ms call(x,2) 3ms return(x,2)", 1, 6000000, 0},
	/* Waits of their own length */
	{"a sleep", "a: 1ms sleep(5ms) 1ms", 1, 7000000, 0},
	{"a sleep under work", "a: 1ms sleep(5ms) 1ms\nb: 6ms", 1, 8000000, 0},
	{"all kinds of them", "a: sleep(1ms) device(2ms) external(3ms) unknown(4ms)", 1, 10000000,
	 0},
	{"a sleep until a time", "a: sleep(5ms) 1ms due(5ms) 2ms due(5ms) 1ms", 1, 16000000, 0},
	{"... that has passed", "a: sleep(5ms) 7ms due(5ms) 1ms due(5ms) 1ms", 1, 16000000, 0},
	{"sleeps side by side", "a: sleep(4ms)\nb: sleep(5ms)\nc: sleep(6ms)", 1, 6000000, 0},
	/* Timed waits */
	{"no wake for a poll", "a: poll(2ms) 1ms poll(3ms)", 1, 6000000, 0},
	{"a wake in a poll", "a: 1ms poll(5ms) block(0) 2ms\nb: 3ms wake(a,0)", 2, 5000000, 0},
	{"a wake in the first of three",
	 "a: poll(5ms) 1ms poll(5ms) 1ms poll(5ms) 1ms block(0) 2ms\nb: 3ms wake(a,0)", 2, 8000000,
	 0},
	{"a wake between two", "a: poll(5ms) 2ms poll(5ms) 1ms block(0) 2ms\nb: 6ms wake(a,0)", 2,
	 10000000, 0},
	{"it wakes another one in between",
	 "a: poll(5ms) wake(c,1) poll(5ms) block(0) 2ms\nb: 2ms wake(a,0)\nc: block(1) 1ms", 2,
	 4000000, 0},
	{"a wake in the last", "a: poll(5ms) poll(5ms) block(0) 2ms\nb: 9ms wake(a,0)", 2, 11000000,
	 0},
	{"a wake behind all", "a: poll(5ms) poll(5ms) block(0) 2ms\nb: 19ms wake(a,0)", 2, 21000000,
	 0},
	{"a wake before all", "a: 3ms poll(5ms) poll(5ms) block(0) 2ms\nb: 1ms wake(a,0)", 2,
	 5000000, 0},
	{"a wake of another wait",
	 "a: poll(5ms) block(0) poll(5ms) block(1) 1ms\nb: 1ms wake(a,1) 1ms wake(a,0)", 2, 3000000,
	 0},
	{"a sleep before polls", "a: sleep(4ms) poll(5ms) block(0) 2ms\nb: 1ms wake(a,0)", 2,
	 6000000, 0},
	{"a poll before a lock", "a: poll(5ms) lock(m) 1ms unlock(m) block(0)\nb: 1ms wake(a,0)", 2,
	 6000000, 0},
	/* Edges */
	{"a chain", "a: 1ms wake(b,0)\nb: block(0) 2ms wake(c,1)\nc: block(1) 3ms", 3, 6000000, 0},
	{"a wake before its wait", "a: 1ms wake(b,0) 9ms\nb: 4ms block(0) 6ms", 2, 10000000, 0},
	{"ping-pong",
	 "a: 1ms wake(b,0) block(1) 1ms wake(b,2) block(3)\n"
	 "b: block(0) 1ms wake(a,1) block(2) 1ms wake(a,3)",
	 2, 4000000, 0},
	{"a wake for a later wait", "a: 1ms wake(b,0) 4ms wake(b,1)\nb: block(1) 1ms block(0) 1ms",
	 2, 7000000, 0},
	{"a wait for ever", "a: 1ms block() 1ms\nb: 2ms", 2, 2000000, 0},
	{"a fork that never comes", "a: 1ms block(0) fork(b)\nb: 2ms", 2, 1000000, 2},
	/* Forks and joins */
	{"a fork", "main: 1ms fork(a) 2ms join(a) 3ms\na: 5ms", 2, 9000000, 0},
	{"a fork on one core", "main: 1ms fork(a) 2ms join(a) 3ms\na: 5ms", 1, 11000000, 0},
	{"a join after the end", "main: fork(a) 9ms join(a) 1ms\na: 5ms", 2, 10000000, 0},
	{"two that join one", "a: join(c) 1ms\nb: join(c) 2ms\nc: 4ms", 2, 6000000, 0},
	{"a tree of seven",
	 "a: 1ms fork(b) fork(c) join(b) join(c) 1ms\n"
	 "b: 1ms fork(d) fork(e) join(d) join(e) 1ms\n"
	 "c: 1ms fork(f) fork(g) join(f) join(g) 1ms\nd: 2ms\ne: 2ms\nf: 2ms\ng: 2ms",
	 4, 6000000, 0},
	/* Locks */
	{"one after the other", "a: lock(m) 2ms unlock(m)\nb: lock(m) 3ms unlock(m)", 2, 5000000,
	 0},
	{"two locks", "a: lock(m) 2ms unlock(m)\nb: lock(n) 3ms unlock(n)", 2, 3000000, 0},
	{"a lock taken twice",
	 "a: lock(m) lock(m) 1ms unlock(m) 1ms unlock(m)\n"
	 "b: lock(m) 1ms unlock(m)",
	 2, 3000000, 0},
	{"three in order",
	 "a: lock(m) 2ms unlock(m) 9ms\nb: 1us lock(m) 2ms unlock(m) 7ms\n"
	 "c: 2us lock(m) 2ms unlock(m) 5ms",
	 3, 11000000, 0},
	{"readers", "a: lock_shared(m) 2ms unlock(m)\nb: lock_shared(m) 3ms unlock(m)", 2, 3000000,
	 0},
	{"a writer after them",
	 "a: lock_shared(m) 2ms unlock(m)\nb: lock_shared(m) 3ms unlock(m)\n"
	 "c: 1us lock(m) 4ms unlock(m)",
	 3, 7000000, 0},
	{"readers after a writer",
	 "a: lock(m) 2ms unlock(m)\nb: 1us lock_shared(m) 3ms unlock(m)\n"
	 "c: 1us lock_shared(m) 3ms unlock(m)",
	 3, 5000000, 0},
	/* Tokens */
	{"a token that is there", "a: take(q:1) 2ms", 1, 2000000, 0},
	{"one to give", "a: take(q) 2ms\nb: 3ms give(q)", 2, 5000000, 0},
	{"two to give", "a: take(q) 2ms\nb: take(q) 4ms\nc: 3ms give(q,2)", 2, 7000000, 0},
	{"a pipeline",
	 "a: 1ms give(q) 1ms give(q) 1ms give(q)\n"
	 "b: take(q) 2ms give(r) take(q) 2ms give(r) take(q) 2ms give(r)\n"
	 "c: take(r) 1ms take(r) 1ms take(r) 1ms",
	 3, 8000000, 0},
	/* Barriers */
	{"a barrier", "a: 1ms barrier(x:2) 4ms\nb: 3ms barrier(x:2) 2ms", 2, 7000000, 0},
	{"once more",
	 "a: 1ms barrier(x:2) 4ms barrier(x:2) 1ms\nb: 3ms barrier(x:2) 1ms barrier(x:2) 2ms", 2,
	 9000000, 0},
	{"one for one", "a: 1ms barrier(x:1) 2ms", 1, 3000000, 0},
	/* Shares of the cores */
	{"four on two", "a: 6ms\nb: 6ms\nc: 6ms\nd: 6ms", 2, 12000000, 0},
	{"five on two", "a: 6ms\nb: 6ms\nc: 6ms\nd: 6ms\ne: 6ms", 2, 15000000, 0},
	{"five on four", "a: 8ms\nb: 8ms\nc: 8ms\nd: 8ms\ne: 8ms", 4, 13000000, 0},
	{"seven on a core", "a: 5ms\nb: 5ms\nc: 5ms\nd: 5ms\ne: 5ms\nf: 5ms\ng: 5ms", 1, 35000000,
	 0},
	{"six on three, one after the other",
	 "m: fork(a) fork(b) fork(c) fork(d) fork(e) fork(f)\n"
	 "a: 4ms\nb: 4ms\nc: 4ms\nd: 4ms\ne: 4ms\nf: 4ms",
	 3, 8000000, 0},
	{"a yield alone", "a: 1ms yield() 1ms", 1, 2000000, 0},
	{"a yield to another", "a: 1us yield() 1ms\nb: 1us sleep(5ms) 1us", 1, 5003000, 0},
	/* Programs that cannot have been recorded. */
	{"a barrier for no thread", "a: 1ms barrier(x) 2ms", 1, 3000000, 0},
	{"an unlock of a free lock", "a: unlock(m) 1ms lock(m) unlock(m) unlock(m) 1ms", 1, 2000000,
	 0},
	{"an unlock of another thread's lock",
	 "a: lock(m) 4ms unlock(m)\nb: 1ms unlock(m) lock(m) 1ms unlock(m)", 2, 5000000, 0},
	{"a token that is never given", "a: 1ms take(q) 1ms", 1, 1000000, 1},
	{"a wake that never comes", "a: 1ms block(7) 1ms", 1, 1000000, 1},
	{"a wake of another's wait", "a: block(0)\nb: 1ms\nc: 2ms wake(b,0)", 3, 2000000, 1},
	{"a deadlock", "a: lock(m) 1ms lock(n)\nb: lock(n) 1ms lock(m)", 2, 1000000, 2},
	{"a lock that is kept", "a: lock(m) 1ms\nb: 1us lock(m) 1ms", 2, 1000000, 1},
	{"a reader that writes", "a: lock_shared(m) 1ms lock(m)", 1, 1000000, 1},
	{"a join of oneself", "a: 1ms join(a)", 1, 1000000, 1},
	{"joins in a ring", "a: 1ms join(b)\nb: 1ms join(a)", 2, 1000000, 2},
	{"a fork of an existing thread", "a: 1ms fork(b) fork(b) join(b) join(b) 1ms\nb: 3ms", 2,
	 5000000, 0},
	{"a barrier that one misses", "a: barrier(x:2) 1ms\nb: 1ms", 2, 1000000, 1},
	{"steps after the end", "a: 1ms exit() 1ms", 1, 1000000, 0},
};

static void programs_take_the_time_found_on_paper(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(on_paper) / sizeof(*on_paper); i++) {
		struct simulated got =
			run_text(on_paper[i].text, &(struct machine){.cores = on_paper[i].cores});

		if (got.wall_ns != on_paper[i].wall_ns || got.stuck != on_paper[i].stuck)
			fail_msg("%s: %" PRIu64 " ns, %zu stuck; not %" PRIu64 ", %zu",
				 on_paper[i].what, got.wall_ns, got.stuck, on_paper[i].wall_ns,
				 on_paper[i].stuck);
	}
}

/* Quotas in periods of 100 ms; the first begins with the program. */
static const struct {
	const char *what, *text;
	unsigned cores;
	double quota;
	uint64_t wall_ns, throttled_ns, busy_ns;
} under_quotas[] = {
	{"half a CPU for one thread", "a: 1s", 1, .5, 1950000000, 950000000, 1000000000},
	{"half a CPU of many", "a: 1s", 8, .5, 1950000000, 950000000, 1000000000},
	{"no more work than the quota", "a: 50ms", 1, .5, 50000000, 0, 50000000},
	{"a nanosecond more", "a: 50000001ns", 1, .5, 100000001, 50000000, 50000001},
	{"a whole CPU for one thread", "a: 1s", 1, 1, 1000000000, 0, 1000000000},
	{"one CPU for two threads", "a: 500ms\nb: 500ms", 2, 1, 950000000, 450000000, 1000000000},
	{"one CPU for two threads of one core", "a: 500ms\nb: 500ms", 1, 1, 1000000000, 0,
	 1000000000},
	{"half a CPU for two threads of one core", "a: 50ms\nb: 50ms", 1, .5, 150000000, 50000000,
	 100000000},
	{"1.5 CPUs for two threads", "a: 300ms\nb: 300ms", 2, 1.5, 375000000, 75000000, 600000000},
	{"two CPUs for two threads", "a: 300ms\nb: 300ms", 2, 2, 300000000, 0, 600000000},
	/* 5 ms at a time: a, b and c get 5, 5 and 2 of 12 */
	{"as many shares as there are", "a: 5ms\nb: 5ms\nc: 5ms", 3, .12, 103000000, 98000000,
	 15000000},
	{"a sleep lasts on", "a: 50ms sleep(150ms) 50ms", 1, .5, 250000000, 0, 100000000},
	{"a sleep ends while all is throttled", "a: 60ms\nb: sleep(60ms) 20ms", 1, .5, 130000000,
	 50000000, 80000000},
	{"a lock is kept", "a: lock(m) 60ms unlock(m)\nb: 1ms lock(m) 10ms unlock(m)", 2, .5,
	 122000000, 52000000, 71000000},
	/* b sleeps and gives back 3 of its 5 ms */
	{"a free core gives quota back", "a: 100ms\nb: 1ms sleep(1s)", 2, .5, 1001000000, 102000000,
	 101000000},
	{"a period that is free", "a: 30ms sleep(200ms) 60ms", 1, .5, 310000000, 20000000,
	 90000000},
	{"as if it were not there", "a: 7ms\nb: 5ms", 1, 4, 12000000, 0, 12000000},
	{"more than there can be", "a: 7ms\nb: 5ms", 1, 1e300, 12000000, 0, 12000000},
};

static void quotas_stop_threads_until_the_next_period(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(under_quotas) / sizeof(*under_quotas); i++) {
		struct simulated got =
			run_text(under_quotas[i].text,
				 &(struct machine){.cores = under_quotas[i].cores,
						   .quota.cpus = under_quotas[i].quota});

		if (got.wall_ns != under_quotas[i].wall_ns ||
		    got.throttled_ns != under_quotas[i].throttled_ns ||
		    got.busy_ns != under_quotas[i].busy_ns || got.stuck)
			fail_msg("%s: %" PRIu64 " ns, throttled %" PRIu64 ", busy %" PRIu64,
				 under_quotas[i].what, got.wall_ns, got.throttled_ns, got.busy_ns);
	}
}

/* Half a CPU: a second of work takes 1.95 s if a period begins with it, and less otherwise. */
static void the_seed_determines_the_begin_of_periods(void **state)
{
	double sum_ns = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 8; seed++) {
		const struct machine machine = {.cores = 1, .quota.cpus = .5, .seed = seed};
		struct simulated got = run_text("a: 1s", &machine);

		assert_in_range(got.wall_ns, 1850000000, 1950000000);
		sum_ns += (double)got.wall_ns;
	}
	assert_close(sum_ns / 8, 1.9e9, .02);
}

static void a_short_period_throttles_as_often(void **state)
{
	const struct machine machine = {.cores = 1, .quota = {.5, 10000000}};

	(void)state;
	assert_int_equal(run_text("a: 1s", &machine).wall_ns, 1995000000);
}

/* Two years of work: so many periods are never simulated. */
static void tiny_quotas_take_no_longer_to_simulate(void **state)
{
	const struct machine machine = {.cores = 1, .quota = {.01, 1000000}};
	struct simulated got = run_text("a: 60000000s", &machine);

	(void)state;
	assert_close((double)got.wall_ns, 6e18, .01);
}

static const double half_speed_for_two[] = {1, 2};

/* Costs of the machine. */
static const struct {
	const char *what, *text;
	struct machine machine;
	uint64_t wall_ns, busy_ns, switch_ns, switches;
} on_machines[] = {
	{"a switch from one to the other",
	 "a: 2ms\nb: 3ms",
	 {.cores = 1, .costs = {.switch_ns = 10000}},
	 5010000,
	 5000000,
	 10000,
	 1},
	{"slices of 1 ms",
	 "a: 2ms\nb: 2ms",
	 {.cores = 1, .costs = {.switch_ns = 10000, .slice_ns = 1000000}},
	 4030000,
	 4000000,
	 30000,
	 3},
	{"no switch without another",
	 "a: 2ms sleep(1ms) 2ms",
	 {.cores = 1, .costs = {.switch_ns = 10000, .slice_ns = 1000000}},
	 5000000,
	 4000000,
	 0,
	 0},
	{"a wake costs its time each time",
	 "a: 2ms sleep(1ms) 2ms",
	 {.cores = 2, .costs = {.wake_ns = 50000}},
	 5100000,
	 4000000,
	 0,
	 0},
	{"a wake of a thread that has to wait for a core costs no time",
	 "a: 1ms wake(b,0) 1ms\nb: block(0) 1ms",
	 {.cores = 1, .costs = {.wake_ns = 50000}},
	 3050000,
	 3000000,
	 0,
	 1},
	{"a woken thread does not preempt",
	 "b: sleep(2500us) 1ms sleep(10ms)\na: 10ms",
	 {.cores = 1, .costs = {.slice_ns = 3000000}},
	 14000000,
	 11000000,
	 0,
	 4},
	{"a woken thread preempts if it is far enough behind",
	 "b: sleep(2500us) 1ms sleep(10ms)\na: 10ms",
	 {.cores = 1, .costs = {.slice_ns = 3000000, .wakes_preempt = true}},
	 13500000,
	 11000000,
	 0,
	 4},
	{"a woken thread does not preempt if it is behind by less",
	 "b: sleep(1900us) 1ms sleep(10ms)\na: 10ms",
	 {.cores = 1, .costs = {.slice_ns = 3000000, .wakes_preempt = true}},
	 14000000,
	 11000000,
	 0,
	 4},
	{"a woken thread is behind by at most a slice after any sleep",
	 "b: sleep(20ms) 10ms sleep(100ms)\na: 60ms",
	 {.cores = 1, .costs = {.slice_ns = 3000000}},
	 139000000,
	 70000000,
	 0,
	 10},
	{"two slow each other down",
	 "a: 5ms\nb: 10ms",
	 {.cores = 2, .slowdown = half_speed_for_two, .slowdown_count = 2},
	 15000000,
	 25000000,
	 0,
	 0},
	{"three slow each other down like two",
	 "a: 5ms\nb: 5ms\nc: 5ms",
	 {.cores = 3, .slowdown = half_speed_for_two, .slowdown_count = 2},
	 10000000,
	 30000000,
	 0,
	 0},
	{"a sleep is not slowed down",
	 "a: 5ms\nb: 5ms\nc: sleep(12ms) 1ms",
	 {.cores = 3, .slowdown = half_speed_for_two, .slowdown_count = 2},
	 13000000,
	 21000000,
	 0,
	 0},
	{"a thread that comes later slows down the rest",
	 "a: 5ms\nb: sleep(1ms) 2ms",
	 {.cores = 2, .slowdown = half_speed_for_two, .slowdown_count = 2},
	 7000000,
	 11000000,
	 0,
	 0},
	/* b runs for 3 ms and a for 1, which counts as the 3 of its slice: so b goes before it */
	{"a thread that yields counts as having used its slice",
	 "b: 9ms\na: 1ms yield() 1ms sleep(50ms)",
	 {.cores = 1},
	 58000000,
	 11000000,
	 0,
	 5},
	{"of two threads with equal time the waiting one goes first",
	 "a: 2ms\nb: 2ms",
	 {.cores = 1, .costs = {.slice_ns = 1000000}},
	 4000000,
	 4000000,
	 0,
	 3},
	{"a yield without a waiting thread costs no time",
	 "a: 1ms yield() 1ms",
	 {.cores = 1, .costs = {.switch_ns = 1000}},
	 2000000,
	 2000000,
	 0,
	 0},
	{"a slice that is too short has the least length",
	 "a: 1ms\nb: 1ms",
	 {.cores = 1, .costs = {.switch_ns = 1000, .slice_ns = 1}},
	 2019000,
	 2000000,
	 19000,
	 19},
};

static void costs_of_machines_are_in_the_wall_time(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(on_machines) / sizeof(*on_machines); i++) {
		struct simulated got = run_text(on_machines[i].text, &on_machines[i].machine);

		if (got.wall_ns != on_machines[i].wall_ns ||
		    got.busy_ns != on_machines[i].busy_ns ||
		    got.switch_ns != on_machines[i].switch_ns ||
		    got.switches != on_machines[i].switches)
			fail_msg("%s: %" PRIu64 " ns, busy %" PRIu64 ", switching %" PRIu64
				 ", %" PRIu64 " times",
				 on_machines[i].what, got.wall_ns, got.busy_ns, got.switch_ns,
				 got.switches);
	}
}

/* Two programs: the end of each, the time its threads wait for a core, and the time they have a
 * core that the other wants. */
static const struct {
	const char *what, *text;
	size_t other_from;
	struct machine machine;
	struct simulated_part parts[SIMULATED_PARTS];
} of_two_programs[] = {
	{"no other program", "a: 6ms\nb: 10ms", 0, {.cores = 1}, {{16000000, 9000000, 0}}},
	/* x has the lock until 4 ms, when y is woken, and again before y runs, at 5 ms. */
	{"a lock wakes no other thread while a woken one has not run",
	 "x: lock(m) 4ms unlock(m) lock(m) 1ms unlock(m)\ny: lock(m) 1ms unlock(m)\n"
	 "z: lock(m) 1ms unlock(m)",
	 0,
	 {.cores = 1},
	 {{7000000, 7000000, 0}}},
	{"both have slices until one ends",
	 "a: 6ms\nb: 10ms",
	 1,
	 {.cores = 1, .costs = {.slice_ns = 1000000}},
	 {{11000000, 5000000, 6000000}, {16000000, 6000000, 5000000}}},
	{"a core for each",
	 "a: 6ms\nb: 10ms",
	 1,
	 {.cores = 2},
	 {{6000000, 0, 0}, {10000000, 0, 0}}},
	{"a wait for a thread of the own program takes nothing from the other one",
	 "a: 2ms\nb: 4ms\nc@10ms: 1ms",
	 2,
	 {.cores = 1},
	 {{6000000, 2000000, 0}, {11000000, 0, 0}}},
	{"two threads have cores for which one waits",
	 "a: 3ms\nb: 3ms\nc: 1ms",
	 2,
	 {.cores = 2},
	 {{3000000, 0, 3000000}, {4000000, 3000000, 0}}},
	/* While two threads have 3 ms by turns, 6 and 4 ms when a third wakes. */
	{"a woken thread is behind the other ones by a slice",
	 "a: sleep(10ms) 4ms\nb: 50ms\nc: 50ms",
	 1,
	 {.cores = 1},
	 {{16000000, 2000000, 4000000}, {104000000, 106000000, 2000000}}},
	/* b and c have 6 and 4 ms at 10 ms, and slices of 3 ms end at ticks, every 4 ms. */
	{"... or has their average",
	 "a: sleep(10ms) 4ms\nb: 50ms\nc: 50ms",
	 1,
	 {.cores = 1, .eevdf = true},
	 {{20000000, 6000000, 4000000}, {104000000, 106000000, 6000000}}},
	{"... and no wake ends a slice",
	 "a: sleep(10ms) 1ms\nb: 50ms\nc: 50ms",
	 1,
	 {.cores = 1, .costs = {.wakes_preempt = true}, .eevdf = true},
	 {{17000000, 6000000, 1000000}, {101000000, 100000000, 6000000}}},
	{"... unless it was behind when it went to sleep",
	 "a: sleep(10ms) 1us sleep(1ms) 2ms\nb: 50ms\nc: 50ms",
	 1,
	 {.cores = 1, .eevdf = true},
	 {{22000000, 8999000, 2001000}, {102001000, 102001000, 8999000}}},
	{"... beside one thread it waits for a tick",
	 "a: sleep(10ms) 1ms\nb: 50ms",
	 1,
	 {.cores = 1, .costs = {.wakes_preempt = true}, .eevdf = true},
	 {{13000000, 2000000, 1000000}, {51000000, 1000000, 2000000}}},
	/* At 5 ms a is behind the mean by 1.5 ms; at 6 it has 3.5 ms, and b has 5. */
	{"... or runs at once if it was behind, and the other one is ahead of the mean",
	 "b: 50ms\na: 1ms sleep(1ms) 1ms",
	 1,
	 {.cores = 1, .costs = {.wakes_preempt = true}, .eevdf = true},
	 {{52000000, 2000000, 4000000}, {7000000, 4000000, 2000000}}},
	{"wakes have the cost of the program's own recording",
	 "a: sleep(1ms) 1ms\nb: sleep(1ms) 1ms",
	 1,
	 {.cores = 2, .costs = {.wake_ns = 1000000}},
	 {{4000000, 0, 0}, {2000000, 0, 0}}},
	{"... and switches",
	 "a: 1ms\nb: 1ms",
	 1,
	 {.cores = 1, .costs = {.switch_ns = 5000000}, .other_costs = {.switch_ns = 1000000}},
	 {{1000000, 0, 1000000}, {3000000, 1000000, 0}}},
};

/*
 * A wait for the lock costs 1 ms before it begins, and a release that ends one wake_ns before the
 * wakeup and 2 ms behind it. A thread runs 1 ms after its wakeup or begin.
 */
static void waits_for_locks_cost_cpu_time(void **state)
{
	static const struct {
		const char *text;
		unsigned cores;
		uint32_t wake_ns;
		double wall_ms, busy_ms;
	} cases[] = {
		{"a: lock(m) 9ms unlock(m) 9ms", 2, 0, 19, 18},
		{"a: lock(m) 9ms unlock(m) 9ms\nb: 1ms lock(m) 9ms unlock(m)", 2, 0, 21, 31},
		{"a: lock(m) 9ms unlock(m) 9ms\nb: 1ms lock(m) 9ms unlock(m)", 2, 1000000, 22, 32},
		/* The lock is free when b is about to wait: the release wakes no thread. */
		{"a: lock(m) 3ms unlock(m) 9ms\nb: 2.5ms lock(m) 9ms unlock(m)", 2, 0, 13.5, 24.5},
		/* b wakes when c has the lock, waits again, and pays for both waits. */
		{"a: lock(m) 3ms unlock(m)\nb: lock(m) 1ms unlock(m)\n"
		 "c: 3.5ms lock(m) 4ms unlock(m)",
		 3, 0, 10.5, 17.5},
		{"a: lock_shared(m) 5ms unlock(m)\nb: lock(m) 1ms unlock(m) 1ms", 2, 0, 9, 10},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct machine machine = {.cores = cases[i].cores,
						.costs = {.wake_ns = 1000000}};
		struct simulated simulated;
		struct program program;

		steps_read(&program, cases[i].text);
		program.sites[0].wait_cost_ns = 1000000;
		program.sites[0].wake_cost_ns = cases[i].wake_ns;
		program.sites[0].woke_cost_ns = 2000000;
		simulated = run_on(&program, &machine);
		assert_close((double)simulated.wall_ns / 1e6, cases[i].wall_ms, 1e-9);
		assert_close((double)simulated.busy_ns / 1e6, cases[i].busy_ms, 1e-9);
		program_release(&program);
	}
}

static void two_programs_have_separate_results(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(of_two_programs) / sizeof(*of_two_programs); i++) {
		struct program program;
		struct simulated got;

		steps_read(&program, of_two_programs[i].text);
		program.other_from = of_two_programs[i].other_from;
		got = run_on(&program, &of_two_programs[i].machine);
		program_release(&program);
		for (size_t j = 0; j < SIMULATED_PARTS; j++) {
			const struct simulated_part *part = &got.parts[j],
						    *wanted = &of_two_programs[i].parts[j];

			if (part->end_ns != wanted->end_ns || part->queue_ns != wanted->queue_ns ||
			    part->taken_ns != wanted->taken_ns)
				fail_msg("%s: part %zu ends at %" PRIu64 " ns, waits %" PRIu64
					 ", takes %" PRIu64,
					 of_two_programs[i].what, j, part->end_ns, part->queue_ns,
					 part->taken_ns);
		}
	}
}

/* From 40 ms on both share the core, until the first has had its 50. */
static void a_thread_that_has_slept_gains_no_later_time(void **state)
{
	const struct machine machine = {.cores = 1, .costs = {.slice_ns = 1000000}};
	struct simulated got = run_text("a: 50ms sleep(100ms)\nb: sleep(40ms) 40ms", &machine);

	(void)state;
	assert_in_range(got.wall_ns, 158000000, 162000000);
}

/* Otherwise the author of a short trace could make a forecast last for ever. */
static void a_program_of_years_has_no_more_slices_than_its_steps_allow(void **state)
{
	static const struct {
		const char *what, *text;
		struct program_costs costs;
	} cases[] = {
		{"computing", "a: 60000000s\nb: 60000000s\nc: 60000000s", {0}},
		{"costly wakes", "a: 1us\nb: 1us\nc: 1us", {.wake_ns = 40000000000000}},
		{"costly switches",
		 "a: sleep(1us) 20000s\nb: sleep(1us) 20000s\nc: 1us",
		 {.switch_ns = 40000000000000}},
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(*cases); i++) {
		const struct machine machine = {
			.cores = 2, .costs = cases[i / 2].costs, .eevdf = i % 2 == 1};
		struct simulated got = run_text(cases[i / 2].text, &machine);

		if (got.switches > (1 << 16) + 8 * 8)
			fail_msg("%s: %" PRIu64 " switches", cases[i / 2].what, got.switches);
		assert_int_equal(got.stuck, 0);
	}
}

/* One site, on as many cores as threads. */
static const struct {
	const char *what, *text;
	double cost;
	uint64_t wall_ns, waited_ns;
} at_a_site[] = {
	{"a lock", "a: lock(m) 2ms unlock(m)\nb: lock(m) 3ms unlock(m)", 1, 5000000, 2000000},
	{"no lock", "a: lock(m) 2ms unlock(m)\nb: lock(m) 3ms unlock(m)", 0, 3000000, 0},
	{"no lock, and readers", "a: lock_shared(m) 2ms unlock(m)\nb: lock(m) 3ms unlock(m)", 0,
	 3000000, 0},
	/* With it they wait 0, 2, 4 and 6 ms. */
	{"half the waits for a lock",
	 "a: lock(m) 2ms unlock(m)\nb: lock(m) 2ms unlock(m)\n"
	 "c: lock(m) 2ms unlock(m)\nd: lock(m) 2ms unlock(m)",
	 .5, 5000000, 6000000},
	{"a lock that one of two threads has",
	 "a: lock(m) 2ms unlock(m) lock(m) 2ms unlock(m)\n"
	 "b: lock(m) 2ms unlock(m) lock(m) 2ms unlock(m)",
	 1, 8000000, 4000000},
	{"half the wait for it",
	 "a: lock(m) 2ms unlock(m) lock(m) 2ms unlock(m)\n"
	 "b: lock(m) 2ms unlock(m) lock(m) 2ms unlock(m)",
	 .5, 6000000, 2000000},
	{"a quarter for a reader", "a: lock(m) 4ms unlock(m)\nb: 1us lock_shared(m) 2ms unlock(m)",
	 .25, 4000000, 999750},
	{"a token", "a: take(q) 1ms\nb: 3ms give(q) 1ms", 1, 4000000, 3000000},
	{"no token", "a: take(q) 1ms\nb: 3ms give(q) 2ms", 0, 5000000, 0},
	/* 3 and 2 ms. */
	{"half the waits for tokens", "a: take(q) 1ms take(q) 9ms\nb: 3ms give(q) 3ms give(q) 3ms",
	 .5, 12500000, 2500000},
	{"a barrier", "a: 1ms barrier(x:2) 4ms\nb: 3ms barrier(x:2) 1ms", 1, 7000000, 2000000},
	{"no barrier", "a: 1ms barrier(x:2) 4ms\nb: 3ms barrier(x:2) 1ms", 0, 5000000, 0},
	{"half a barrier", "a: 1ms barrier(x:2) 4ms\nb: 3ms barrier(x:2) 1ms", .5, 6000000,
	 1000000},
	{"a sleep", "a: sleep(4ms@s) 1ms", 1, 5000000, 4000000},
	{"a quarter of it", "a: sleep(4ms@s) 1ms", .25, 2000000, 1000000},
	{"none", "a: sleep(4ms@s) 1ms", 0, 1000000, 0},
	{"a device", "a: device(4ms@s) 1ms", .5, 3000000, 2000000},
	{"an edge", "a: block(0@s) 1ms\nb: 3ms wake(a,0)", 1, 4000000, 3000000},
	{"no edge", "a: block(0@s) 1ms\nb: 3ms wake(a,0)", 0, 3000000, 0},
	{"half an edge", "a: block(0@s) 2ms\nb: 3ms wake(a,0)", .5, 3500000, 1500000},
	{"for ever stays for ever", "a: block(@s) 9ms\nb: 3ms", 0, 3000000, 0},
	{"a join", "a: join(b@s) 1ms\nb: 3ms", 1, 4000000, 3000000},
	{"no join", "a: join(b@s) 1ms\nb: 3ms", 0, 3000000, 0},
	{"half a join", "a: join(b@s) 2ms\nb: 3ms", .5, 3500000, 1500000},
};

static void a_site_costs_a_share_of_its_waits(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(at_a_site) / sizeof(*at_a_site); i++) {
		const struct machine machine = {.cores = 4, .site_costs = &at_a_site[i].cost};
		struct program program;
		struct simulated got;
		struct err err;

		steps_read(&program, at_a_site[i].text);
		assert_int_equal(program.site_count, 1);
		assert_int_equal(simulate(&got, &program, &machine, true, &err), 0);
		if (got.wall_ns != at_a_site[i].wall_ns || got.stuck ||
		    got.waited_ns[0] != at_a_site[i].waited_ns)
			fail_msg("%s: %" PRIu64 " ns, waited %" PRIu64 ", %zu stuck",
				 at_a_site[i].what, got.wall_ns, got.waited_ns[0], got.stuck);
		free(got.waited_ns);
		program_release(&program);
	}
}

static void waits_at_a_site_are_counted(void **state)
{
	static const struct {
		const char *text;
		unsigned cores;
		double waits;
	} cases[] = {
		{"a: lock(m) 2ms unlock(m)\n b: 1ms lock(m) 1ms unlock(m)", 2, 1},
		{"a: lock(m) 2ms unlock(m)\n b: 3ms lock(m) 1ms unlock(m)", 2, 0},
		{"a: lock(m) 2ms unlock(m)\n b: 1ms lock(m) 1ms unlock(m)\n c: 1ms lock(m) 1ms "
		 "unlock(m)",
		 3, 2},
		{"a: 2ms wake(b,0) \n b: block(0@m) 1ms", 2, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct machine machine = {.cores = cases[i].cores};
		struct program program;
		double waits = 1;
		struct err err;

		steps_read(&program, cases[i].text);
		assert_int_equal(simulate_waits(&waits, &program, &machine, &err), 0);
		if (waits != 1 + cases[i].waits)
			fail_msg("%s: %g", cases[i].text, waits - 1);
		program_release(&program);
	}
}

/* With a core for each; 2 ms are under a lock of the first thread, which computes for 5 ms more. */
static void a_thread_is_alone_while_no_other_can_compute_or_waits_for_a_lock(void **state)
{
	static const struct {
		double cost;
		uint64_t alone_ns;
	} cases[] = {{1, 3000000}, {.5, 3999500}, {0, 4999000}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct machine machine = {.cores = 2, .site_costs = &cases[i].cost};
		struct program program;
		struct simulated got;
		struct err err;

		steps_read(&program, "a: lock(m) 2ms unlock(m) 5ms\nb: 1us lock(m) 2ms unlock(m)");
		assert_int_equal(simulate(&got, &program, &machine, false, &err), 0);
		assert_int_equal(got.alone_thread, 0);
		assert_int_equal(got.alone_ns, cases[i].alone_ns);
		assert_int_equal(got.one_ns, cases[i].alone_ns);
		program_release(&program);
	}
}

/* 250 ms if all share evenly, 300 if two stay on one core until other threads end. */
static void threads_do_not_share_a_core_for_ever(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 8; seed++) {
		struct simulated got = run_text("a: 200ms\nb: 200ms\nc: 200ms\nd: 200ms\ne: 200ms",
						&(struct machine){.cores = 4, .seed = seed});

		assert_in_range(got.wall_ns, 250000000, 290000000);
	}
}

static void impossible_machines_are_refused(void **state)
{
	static const double zero = 0, none = NAN, much = 1.5, half = .5;
	static const struct {
		const char *want;
		struct machine machine;
	} cases[] = {
		{"a replay on 0 cores is not possible; give 1 to 4194304", {.cores = 0}},
		{"on 4194305 cores is not", {.cores = SIMULATION_CORES_MAX + 1}},
		{"a quota of nan CPUs is not", {.cores = 1, .quota.cpus = NAN}},
		{"a quota of -1 CPUs is not", {.cores = 1, .quota.cpus = -1}},
		{"a slowdown has no values", {.cores = 1, .slowdown = &half}},
		{"the slowdown of 1 is 0;", {.cores = 1, .slowdown = &zero, .slowdown_count = 1}},
		{"the slowdown of 1 is nan;", {.cores = 1, .slowdown = &none, .slowdown_count = 1}},
		{"the cost of wait site 0 is 1.5;", {.cores = 1, .site_costs = &much}},
		{"the cost of wait site 0 is nan;", {.cores = 1, .site_costs = &none}},
	};
	struct program program;

	(void)state;
	steps_read(&program, "a: barrier(x:1)");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct simulated simulated;
		struct err err = {.text = ""};

		if (!simulate(&simulated, &program, &cases[i].machine, false, &err) ||
		    !strstr(err.text, cases[i].want))
			fail_msg("'%s', and not '%s'", err.text, cases[i].want);
	}
	program_release(&program);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(programs_take_the_time_found_on_paper),
	cmocka_unit_test(quotas_stop_threads_until_the_next_period),
	cmocka_unit_test(the_seed_determines_the_begin_of_periods),
	cmocka_unit_test(a_short_period_throttles_as_often),
	cmocka_unit_test(tiny_quotas_take_no_longer_to_simulate),
	cmocka_unit_test(costs_of_machines_are_in_the_wall_time),
	cmocka_unit_test(waits_for_locks_cost_cpu_time),
	cmocka_unit_test(two_programs_have_separate_results),
	cmocka_unit_test(a_thread_that_has_slept_gains_no_later_time),
	cmocka_unit_test(a_program_of_years_has_no_more_slices_than_its_steps_allow),
	cmocka_unit_test(a_site_costs_a_share_of_its_waits),
	cmocka_unit_test(waits_at_a_site_are_counted),
	cmocka_unit_test(a_thread_is_alone_while_no_other_can_compute_or_waits_for_a_lock),
	cmocka_unit_test(threads_do_not_share_a_core_for_ever),
	cmocka_unit_test(impossible_machines_are_refused),
};

TEST_FILE(tests);
