/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/simulation.h"

#include "base/err.h"
#include "steps.h"
#include "support.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct simulated run_on(const struct program *program, const struct machine *machine)
{
	struct simulated simulated;
	struct err err = {""};

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

/* What takes how long on how many cores, as one finds on paper. */
static const struct {
	const char *what, *text;
	unsigned cores;
	uint64_t wall_ns;
	size_t stuck;
} on_paper[] = {
	{"nobody", "", 1, 0, 0},
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
	{"sleeps side by side", "a: sleep(4ms)\nb: sleep(5ms)\nc: sleep(6ms)", 1, 6000000, 0},
	/* Edges */
	{"a chain", "a: 1ms wake(b,0)\nb: block(0) 2ms wake(c,1)\nc: block(1) 3ms", 3, 6000000, 0},
	{"a wake before its wait", "a: 1ms wake(b,0) 9ms\nb: 4ms block(0) 6ms", 2, 10000000, 0},
	{"ping-pong",
	 "a: 1ms wake(b,0) block(1) 1ms wake(b,2) block(3)\n"
	 "b: block(0) 1ms wake(a,1) block(2) 1ms wake(a,3)",
	 2, 4000000, 0},
	{"a wait for ever", "a: 1ms block() 1ms\nb: 2ms", 2, 2000000, 0},
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
	{"five on two", "a: 6ms\nb: 6ms\nc: 6ms\nd: 6ms\ne: 6ms", 2, 15000000, 0},
	{"a yield alone", "a: 1ms yield() 1ms", 1, 2000000, 0},
	{"a yield to another", "a: 1us yield() 1ms\nb: 1us sleep(5ms) 1us", 1, 5003000, 0},
	/* Programs that no thread could have run */
	{"a barrier for nobody", "a: 1ms barrier(x) 2ms", 1, 3000000, 0},
	{"an unlock of what is free", "a: unlock(m) 1ms lock(m) unlock(m) unlock(m) 1ms", 1,
	 2000000, 0},
	{"an unlock of what another has",
	 "a: lock(m) 4ms unlock(m)\nb: 1ms unlock(m) lock(m) 1ms unlock(m)", 2, 5000000, 0},
	{"a token that is never given", "a: 1ms take(q) 1ms", 1, 1000000, 1},
	{"a wake that never comes", "a: 1ms block(7) 1ms", 1, 1000000, 1},
	{"a wake of another's wait", "a: block(0)\nb: 1ms\nc: 2ms wake(b,0)", 3, 2000000, 1},
	{"a deadlock", "a: lock(m) 1ms lock(n)\nb: lock(n) 1ms lock(m)", 2, 1000000, 2},
	{"a lock that is kept", "a: lock(m) 1ms\nb: 1us lock(m) 1ms", 2, 1000000, 1},
	{"a reader that writes", "a: lock_shared(m) 1ms lock(m)", 1, 1000000, 1},
	{"a join of oneself", "a: 1ms join(a)", 1, 1000000, 1},
	{"joins in a ring", "a: 1ms join(b)\nb: 1ms join(a)", 2, 1000000, 2},
	{"a fork of who is there", "a: 1ms fork(b) fork(b) join(b) join(b) 1ms\nb: 3ms", 2, 5000000,
	 0},
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_take_the_time_found_on_paper),
	};
	return RUN_TESTS(tests);
}
