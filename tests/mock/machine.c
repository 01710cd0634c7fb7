/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mock/state.h"

#include <string.h>

enum {
	US = 1000,
	MS = 1000 * US,
	TICK_NS = 1 * MS,
	SLICE_NS = 3 * MS,
	HEAD_START_NS = SLICE_NS / 2, /* largest lead of a thread that has slept long */
	PREEMPT_NS = 1 * MS,	      /* a woken thread preempts one that is so far ahead */
	BALANCE_NS = 16 * MS,	      /* between two looks at other queues, times the cores */
	BALANCE_CORES = 4,	      /* ... up to so many cores */
};

/* --- Queues ---------------------------------------------------------------------------------- */

static size_t load(const struct mock_core *core)
{
	return core->queued + (core->current != MOCK_NO_THREAD);
}

static bool is_free(const struct mock_core *core)
{
	return !load(core);
}

/* The virtual time of a core does not go back. */
static void advance_virtual(struct mock_machine *machine, struct mock_core *core)
{
	int64_t least = INT64_MAX;

	if (core->current != MOCK_NO_THREAD)
		least = machine->threads[core->current].lag_ns;
	for (size_t i = 0; i < core->queued; i++)
		if (machine->threads[core->queue[i]].lag_ns < least)
			least = machine->threads[core->queue[i]].lag_ns;
	if (least == INT64_MAX || least <= 0)
		return;
	core->virtual_ns += least;
	if (core->current != MOCK_NO_THREAD)
		machine->threads[core->current].lag_ns -= least;
	for (size_t i = 0; i < core->queued; i++)
		machine->threads[core->queue[i]].lag_ns -= least;
}

static void enqueue(struct mock_machine *machine, struct mock_core *core, int thread)
{
	machine->threads[thread].core = (int)(core - machine->cores);
	machine->threads[thread].life = MOCK_READY;
	core->queue[core->queued++] = thread;
}

static int dequeue(struct mock_core *core, size_t place)
{
	int thread = core->queue[place];

	core->queued--;
	memmove(core->queue + place, core->queue + place + 1,
		(core->queued - place) * sizeof(*core->queue));
	return thread;
}

/* The place in the queue of the thread with the least time; the first of equals. */
static size_t next_place(const struct mock_machine *machine, const struct mock_core *core)
{
	size_t place = 0;

	for (size_t i = 1; i < core->queued; i++)
		if (machine->threads[core->queue[i]].lag_ns <
		    machine->threads[core->queue[place]].lag_ns)
			place = i;
	return place;
}

/* --- Running --------------------------------------------------------------------------------- */

static void account(struct mock_machine *machine, struct mock_core *core)
{
	uint64_t ran_ns = machine->now_ns - core->since_ns;
	struct mock_thread *thread;

	core->since_ns = machine->now_ns;
	if (core->current == MOCK_NO_THREAD)
		return;
	thread = &machine->threads[core->current];
	thread->left_ns -= ran_ns < thread->left_ns ? ran_ns : thread->left_ns;
	thread->lag_ns += (int64_t)ran_ns;
	advance_virtual(machine, core);
}

/* Core `i` counted from a random `first`, so that no core is preferred among equals. */
static struct mock_core *core_from(struct mock_machine *machine, size_t first, unsigned i)
{
	return &machine->cores[(first + i) % machine->run->cores];
}

/* A core without work takes a thread from the longest queue. */
static void steal(struct mock_machine *machine, struct mock_core *core)
{
	size_t first = random_below(&machine->random, machine->run->cores);
	struct mock_core *from = NULL;

	for (unsigned i = 0; i < machine->run->cores; i++) {
		struct mock_core *other = core_from(machine, first, i);
		size_t spare = other->current == MOCK_NO_THREAD && other->queued ? 1 : 0;

		if (other != core && other->queued > spare && (!from || load(other) > load(from)))
			from = other;
	}
	if (from)
		enqueue(machine, core, dequeue(from, 0));
}

/* `core` continues with another thread, or is idle; `state` is the new state of the thread that it
 * leaves. */
static void switch_over(struct mock_machine *machine, struct mock_core *core, char state)
{
	int number = (int)(core - machine->cores), from = core->current;

	core->reschedule = false;
	core->current = MOCK_NO_THREAD;
	if (!core->queued)
		steal(machine, core);
	if (core->queued) {
		core->current = dequeue(core, next_place(machine, core));
		machine->threads[core->current].life = MOCK_RUNNING;
		machine->threads[core->current].left_ns += MOCK_SWITCH_NS;
	}
	core->since_ns = core->slice_begin_ns = machine->now_ns;
	if (from == MOCK_NO_THREAD && core->current != MOCK_NO_THREAD) {
		uint64_t phase = core->tick_ns % TICK_NS;

		core->tick_ns = machine->now_ns / TICK_NS * TICK_NS + phase;
		core->tick_ns += core->tick_ns > machine->now_ns ? 0 : TICK_NS;
	}
	if (from != core->current)
		mock_trace_switch(machine, number, from, state, core->current);
}

static void preempt(struct mock_machine *machine, struct mock_core *core)
{
	int thread = core->current;

	enqueue(machine, core, thread);
	core->current = MOCK_NO_THREAD;
	if (core->queue[next_place(machine, core)] == thread) {
		core->current = dequeue(core, core->queued - 1);
		machine->threads[thread].life = MOCK_RUNNING;
		core->slice_begin_ns = machine->now_ns;
		core->reschedule = false;
		return;
	}
	core->current = thread;
	switch_over(machine, core, 'R');
}

/* The actions of the current thread between two times of computing. */
static void proceed(struct mock_machine *machine, struct mock_core *core)
{
	int number = core->current;
	struct mock_thread *thread = &machine->threads[number];

	while (!thread->left_ns) {
		enum mock_outcome outcome = mock_execute(machine, number);

		if (outcome == MOCK_GOES_ON)
			continue;
		thread->life = outcome == MOCK_ENDS ? MOCK_DEAD : MOCK_WAITING;
		thread->then_ns = core->virtual_ns;
		switch_over(machine, core,
			    outcome == MOCK_ENDS ? number ? 'X' : 'Z' : thread->state);
		return;
	}
	if (core->reschedule)
		preempt(machine, core);
}

/* --- Cores of threads ------------------------------------------------------------------------ */

static struct mock_core *choose_core(struct mock_machine *machine, int before, int waker)
{
	struct mock_core *cores = machine->cores;
	unsigned count = machine->run->cores;
	size_t first;

	if (is_free(&cores[before]))
		return &cores[before];
	if (is_free(&cores[waker]))
		return &cores[waker];
	first = random_below(&machine->random, count);
	for (unsigned i = 0; i < count; i++)
		if (is_free(core_from(machine, first, i)))
			return core_from(machine, first, i);
	return &cores[load(&cores[waker]) < load(&cores[before]) ? waker : before];
}

static void place(struct mock_machine *machine, int number, struct mock_core *core)
{
	struct mock_thread *thread = &machine->threads[number];

	account(machine, core);
	if (thread->lag_ns < -HEAD_START_NS)
		thread->lag_ns = -HEAD_START_NS;
	enqueue(machine, core, number);
	if (core->current == MOCK_NO_THREAD) {
		if (core->start_ns == UINT64_MAX)
			core->start_ns = machine->now_ns + MOCK_IDLE_NS / 2 +
					 random_below(&machine->random, MOCK_IDLE_NS);
	} else if (machine->threads[core->current].lag_ns - thread->lag_ns > PREEMPT_NS) {
		core->reschedule = true;
	}
}

void mock_wake(struct mock_machine *machine, int number, int core, bool interrupt)
{
	struct mock_thread *thread = &machine->threads[number];
	struct mock_core *to;

	thread->woken = true;
	thread->timer_ns = UINT64_MAX;
	if (thread->life != MOCK_WAITING)
		return; /* it has not begun to wait, and will notice the wake */
	to = choose_core(machine, thread->core, core);
	/* The virtual time of its core advanced without it. */
	thread->lag_ns -= machine->cores[thread->core].virtual_ns - thread->then_ns;
	mock_trace_wake(machine, core, number, interrupt);
	place(machine, number, to);
}

void mock_begin_thread(struct mock_machine *machine, int number, int parent)
{
	struct mock_thread *thread = &machine->threads[number];
	struct mock_core *best = &machine->cores[machine->threads[parent].core];
	size_t first = random_below(&machine->random, machine->run->cores);

	for (unsigned i = 0; i < machine->run->cores; i++)
		if (load(core_from(machine, first, i)) < load(best))
			best = core_from(machine, first, i);
	thread->core = (int)(best - machine->cores);
	thread->lag_ns = machine->threads[parent].lag_ns;
	mock_trace_fork(machine, parent, number);
	place(machine, number, best);
}

/* --- Ticks ----------------------------------------------------------------------------------- */

/* A thread moves at once from a queue that is longer by two, and at the second try from one that is
 * longer by one, as in load_balance(). */
static void balance(struct mock_machine *machine, struct mock_core *core)
{
	unsigned cores = machine->run->cores;
	size_t first = random_below(&machine->random, cores);
	struct mock_core *from = core;

	core->balance_ns += (uint64_t)BALANCE_NS * (cores < BALANCE_CORES ? cores : BALANCE_CORES);
	for (unsigned i = 0; i < cores; i++)
		if (load(core_from(machine, first, i)) > load(from))
			from = core_from(machine, first, i);
	if (load(from) < load(core) + 1 || !from->queued)
		return;
	if (load(from) == load(core) + 1 && !core->failed++)
		return;
	core->failed = 0;
	enqueue(machine, core, dequeue(from, 0));
}

static void tick(struct mock_machine *machine, struct mock_core *core)
{
	core->tick_ns += TICK_NS;
	if (machine->now_ns >= core->balance_ns)
		balance(machine, core);
	if (core->queued && machine->now_ns - core->slice_begin_ns >= SLICE_NS)
		core->reschedule = true;
}

/* --- Time ------------------------------------------------------------------------------------ */

static uint64_t core_next_ns(const struct mock_machine *machine, const struct mock_core *core)
{
	uint64_t done_ns;

	if (core->current == MOCK_NO_THREAD)
		return core->start_ns;
	if (core->reschedule)
		return machine->now_ns;
	done_ns = core->since_ns + machine->threads[core->current].left_ns;
	return done_ns < core->tick_ns ? done_ns : core->tick_ns;
}

static void core_event(struct mock_machine *machine, struct mock_core *core)
{
	account(machine, core);
	if (core->current == MOCK_NO_THREAD) {
		core->start_ns = UINT64_MAX;
		switch_over(machine, core, 'R');
		return;
	}
	if (machine->now_ns >= core->tick_ns)
		tick(machine, core);
	if (!machine->threads[core->current].left_ns)
		proceed(machine, core);
	else if (core->reschedule)
		preempt(machine, core);
}

static void timer_event(struct mock_machine *machine, int thread)
{
	int core = machine->threads[thread].core;

	account(machine, &machine->cores[core]);
	mock_wake(machine, thread, core, true);
}

/* The next event; false: there is none. */
static bool happen(struct mock_machine *machine)
{
	uint64_t next_ns = UINT64_MAX;
	struct mock_core *core = NULL;
	int timer = MOCK_NO_THREAD;

	for (size_t i = 0; i < machine->program->thread_count; i++)
		if (machine->threads[i].timer_ns < next_ns) {
			next_ns = machine->threads[i].timer_ns;
			timer = (int)i;
		}
	for (unsigned i = 0; i < machine->run->cores; i++)
		if (core_next_ns(machine, &machine->cores[i]) < next_ns) {
			next_ns = core_next_ns(machine, &machine->cores[i]);
			core = &machine->cores[i];
		}
	if (next_ns == UINT64_MAX)
		return false;
	machine->now_ns = next_ns > machine->now_ns ? next_ns : machine->now_ns;
	if (core)
		core_event(machine, core);
	else
		timer_event(machine, timer);
	return true;
}

static void init(struct mock_machine *machine)
{
	machine->begin_ns = machine->now_ns = UINT64_C(5000000000);
	machine->random.state = machine->run->seed;
	for (unsigned i = 0; i < machine->run->cores; i++) {
		struct mock_core *core = &machine->cores[i];

		core->current = MOCK_NO_THREAD;
		core->start_ns = UINT64_MAX;
		core->tick_ns = machine->now_ns + random_below(&machine->random, TICK_NS);
		core->balance_ns = machine->now_ns + random_below(&machine->random, BALANCE_NS);
	}
	for (size_t i = 0; i < machine->program->thread_count; i++) {
		struct mock_thread *thread = &machine->threads[i];

		thread->timer_ns = UINT64_MAX;
		thread->joiner = thread->next_waiting = MOCK_NO_THREAD;
		thread->left_ns = MOCK_SWITCH_NS;
	}
	mock_objects_init(machine);
}

uint64_t mock_run(const struct mock_program *program, const struct mock_run *run)
{
	static const struct mock_machine nothing;
	struct mock_machine machine = nothing;
	bool ended;

	machine.program = program;
	machine.run = run;
	init(&machine);
	if (run->trace && run->layout == MOCK_TRACE_CMD)
		fprintf(run->trace, "cpus=%u\n", run->cores);
	enqueue(&machine, &machine.cores[0], 0);
	switch_over(&machine, &machine.cores[0], 'R');
	while (machine.threads[0].life != MOCK_DEAD && happen(&machine))
		;
	ended = machine.threads[0].life == MOCK_DEAD;
	mock_objects_release(&machine);
	return ended ? machine.now_ns - machine.begin_ns : 0;
}
