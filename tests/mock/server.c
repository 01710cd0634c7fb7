/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mock/server.h"

#include "mock/server_state.h"

#include <math.h>
#include <stdlib.h>

static void *server_alloc(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size);

	if (!memory)
		abort();
	return memory;
}

static uint64_t ns_of(double seconds)
{
	return (uint64_t)llround(seconds * 1e9);
}

const char *server_pool_name(size_t pool)
{
	static const char *const names[SERVER_POOLS_MAX] = {"worker", "writer", "logger", "mailer"};

	return names[pool];
}

/* --- Lists and the agenda -------------------------------------------------------------------- */

void server_list_append(struct server_state *state, struct server_list *list, int thread)
{
	state->threads[thread].next[list->link] = SERVER_NONE;
	if (list->first == SERVER_NONE)
		list->first = thread;
	else
		state->threads[list->last].next[list->link] = thread;
	list->last = thread;
}

int server_list_pop(struct server_state *state, struct server_list *list)
{
	int thread = list->first;

	if (thread != SERVER_NONE)
		list->first = state->threads[thread].next[list->link];
	return thread;
}

static bool is_before(const struct server_due *a, const struct server_due *b)
{
	return a->ns < b->ns || (a->ns == b->ns && a->order < b->order);
}

static void agenda_add(struct server_state *state, uint64_t ns, enum server_happening what,
		       int number, uint64_t stamp)
{
	const struct server_due due = {ns, state->order++, stamp, what, number};
	size_t at = state->due_count++;

	if (state->due_count > state->due_capacity) {
		state->due_capacity = 2 * state->due_capacity + 64;
		state->agenda =
			realloc(state->agenda, state->due_capacity * sizeof(*state->agenda));
		if (!state->agenda)
			abort();
	}
	for (; at && is_before(&due, &state->agenda[(at - 1) / 2]); at = (at - 1) / 2)
		state->agenda[at] = state->agenda[(at - 1) / 2];
	state->agenda[at] = due;
}

static struct server_due agenda_take(struct server_state *state)
{
	const struct server_due first = state->agenda[0];
	const struct server_due last = state->agenda[--state->due_count];
	size_t at = 0;

	for (;;) {
		size_t child = 2 * at + 1;

		if (child + 1 < state->due_count &&
		    is_before(&state->agenda[child + 1], &state->agenda[child]))
			child++;
		if (child >= state->due_count || !is_before(&state->agenda[child], &last))
			break;
		state->agenda[at] = state->agenda[child];
		at = child;
	}
	state->agenda[at] = last;
	return first;
}

static void push_front(struct server_state *state, struct server_list *list, int thread)
{
	state->threads[thread].next[list->link] = list->first;
	if (list->first == SERVER_NONE)
		list->last = thread;
	list->first = thread;
}

/* --- Queues of cores ------------------------------------------------------------------------- */

/* Loaders are at the front, then preempted workers, then workers in the order of their CPU time. */
static void queue_up(struct server_state *state, struct server_core *core, int thread)
{
	const struct server_thread *self = &state->threads[thread];
	struct server_list *list = &core->ready;
	int before = SERVER_NONE, at = list->first;

	while (at != SERVER_NONE && self->role == SERVER_WORKER &&
	       (state->threads[at].role != SERVER_WORKER || state->threads[at].slice_left_ns ||
		state->threads[at].had_ns <= self->had_ns)) {
		before = at;
		at = state->threads[at].next[list->link];
	}
	core->ready_count++;
	if (before == SERVER_NONE) {
		push_front(state, list, thread);
		return;
	}
	state->threads[thread].next[list->link] = at;
	state->threads[before].next[list->link] = thread;
	if (at == SERVER_NONE)
		list->last = thread;
}

static int take_ready(struct server_state *state, struct server_core *core)
{
	core->ready_count--;
	return server_list_pop(state, &core->ready);
}

static struct server_core *longest_queue(struct server_state *state)
{
	struct server_core *longest = &state->cores[0];

	for (unsigned i = 1; i < state->server->cores; i++)
		if (state->cores[i].ready_count > longest->ready_count)
			longest = &state->cores[i];
	return longest;
}

/* The thread keeps its lead or lag over the other threads of its core. */
static void move_to(struct server_state *state, int thread, int number)
{
	struct server_thread *self = &state->threads[thread];

	self->had_ns += state->cores[number].least_ns - state->cores[self->core].least_ns;
	self->core = number;
}

/* The least CPU time of a worker there up to now. */
static void update_least(const struct server_state *state, struct server_core *core)
{
	int64_t had_ns = INT64_MAX;

	if (core->current != SERVER_NONE && state->threads[core->current].role == SERVER_WORKER)
		had_ns = state->threads[core->current].had_ns +
			 (int64_t)(state->now_ns - core->since_ns);
	for (int i = core->ready.first; i != SERVER_NONE; i = state->threads[i].next[1])
		if (state->threads[i].role == SERVER_WORKER && state->threads[i].had_ns < had_ns)
			had_ns = state->threads[i].had_ns;
	if (had_ns != INT64_MAX && had_ns > core->least_ns)
		core->least_ns = had_ns;
}

/* Accounts the time since the last call to the thread of the core. */
static void count_run(struct server_state *state, struct server_core *core)
{
	uint64_t ran_ns = state->now_ns - core->since_ns;

	update_least(state, core);
	core->busy_ns += ran_ns;
	state->threads[core->current].left_ns -= ran_ns;
	if (state->threads[core->current].role == SERVER_WORKER)
		state->threads[core->current].had_ns += (int64_t)ran_ns;
	core->since_ns = state->now_ns;
}

/* --- Cores ----------------------------------------------------------------------------------- */

void server_wake(struct server_state *state, int thread, int by)
{
	server_trace_wake(state, by, state->threads[thread].core, thread);
	state->threads[thread].life = SERVER_READY;
	state->threads[thread].waker = by == SERVER_NONE ? SERVER_NONE : state->threads[by].core;
	server_list_append(state, &state->woken, thread);
}

void server_sleep_until(struct server_state *state, int thread, uint64_t ns)
{
	agenda_add(state, ns, SERVER_TIMER_ENDS, thread, 0);
}

void server_begin_thread(struct server_state *state, int thread, int parent)
{
	state->threads[thread].core = state->threads[parent].core;
	state->threads[thread].life = SERVER_READY;
	state->threads[thread].waker = SERVER_NONE;
	server_trace_fork(state, parent, thread);
	server_list_append(state, &state->woken, thread);
}

static void begin_burst(struct server_state *state, int number)
{
	struct server_core *core = &state->cores[number];
	uint64_t end_ns = state->now_ns + state->threads[core->current].left_ns;

	if (core->slice_ns <= state->now_ns && state->server->slice_s > 0)
		core->slice_ns = state->now_ns + ns_of(state->server->slice_s);
	if (end_ns > core->slice_ns && state->server->slice_s > 0)
		end_ns = core->slice_ns;
	core->since_ns = state->now_ns;
	agenda_add(state, end_ns, SERVER_BURST_ENDS, number, ++core->stamp);
}

/* The core, without a thread now, switches to another one, or is idle. */
static void switch_core(struct server_state *state, int number, char how, int to)
{
	struct server_core *core = &state->cores[number];
	int from = core->current;

	if (from == SERVER_NONE && to == SERVER_NONE)
		return;
	server_trace_switch(state, number, from, how, to);
	core->current = to;
	if (to == SERVER_NONE)
		return;
	state->threads[to].life = SERVER_RUNNING;
	if (state->threads[to].core != number)
		move_to(state, to, number);
	state->threads[to].left_ns += ns_of(state->server->switch_s);
	core->slice_ns = state->threads[to].slice_left_ns
				 ? state->now_ns + state->threads[to].slice_left_ns
				 : 0;
	state->threads[to].slice_left_ns = 0;
	begin_burst(state, number);
}

/* The next thread of its queue, or of the longest one; SERVER_NONE: no thread is ready. */
static int next_thread(struct server_state *state, int number)
{
	struct server_core *core = &state->cores[number];

	if (!core->ready_count)
		core = longest_queue(state);
	return core->ready_count ? take_ready(state, core) : SERVER_NONE;
}

/* From time to time a core takes a thread from a core that has two more. */
static void balance(struct server_state *state, int number)
{
	const uint64_t every_ns = 16000000, cores_most = 4;
	uint64_t cores = state->server->cores;
	struct server_core *core = &state->cores[number], *longest = longest_queue(state);
	int thread;

	if (state->now_ns < core->balance_ns)
		return;
	core->balance_ns = state->now_ns + every_ns * (cores < cores_most ? cores : cores_most);
	if (longest->ready_count < core->ready_count + 2)
		return;
	thread = take_ready(state, longest);
	move_to(state, thread, number);
	queue_up(state, core, thread);
}

static void end_thread(struct server_state *state, int thread)
{
	struct server_thread *self = &state->threads[thread];

	self->life = SERVER_DEAD;
	server_trace_exit(state, thread);
	state->alive--;
	if (state->killed) {
		state->over = !state->alive;
		return;
	}
	if (self->role == SERVER_WORKER)
		state->workers--;
	else
		state->loaders--;
	if ((!state->loaders || !state->workers) && state->joiners.first != SERVER_NONE)
		server_wake(state, server_list_pop(state, &state->joiners), thread);
}

/* Runs it until it has to compute, or waits. */
static void run_current(struct server_state *state, int number)
{
	struct server_core *core = &state->cores[number];
	struct server_thread *self = &state->threads[core->current];
	enum server_outcome outcome = SERVER_GOES_ON;

	while (outcome == SERVER_GOES_ON && !self->left_ns && !state->over)
		outcome = server_execute(state, core->current);
	if (state->over)
		return;
	if (outcome == SERVER_GOES_ON) {
		begin_burst(state, number);
		return;
	}
	if (outcome == SERVER_ENDS)
		end_thread(state, core->current);
	else
		self->life = SERVER_WAITING;
	switch_core(state, number,
		    outcome == SERVER_ENDS ? 'X'
		    : self->at_disk	   ? 'D'
					   : 'S',
		    next_thread(state, number));
}

static void end_burst(struct server_state *state, const struct server_due *due)
{
	struct server_core *core = &state->cores[due->number];
	struct server_thread *self = &state->threads[core->current];
	bool over = state->server->slice_s > 0 && core->slice_ns <= state->now_ns;

	count_run(state, core);
	balance(state, due->number);
	over = over && core->ready_count &&
	       (self->role != SERVER_WORKER ||
		state->threads[core->ready.first].had_ns < self->had_ns);
	if (!over && self->left_ns) {
		begin_burst(state, due->number);
	} else if (!over) {
		run_current(state, due->number);
	} else {
		int thread = core->current, next = take_ready(state, core);

		self->life = SERVER_READY;
		queue_up(state, core, thread);
		switch_core(state, due->number, 'R', next);
	}
}

/* The last core of `thread`, or an idle one; SERVER_NONE: none is idle. */
static int find_idle(const struct server_state *state, int thread)
{
	int number = state->threads[thread].core;

	if (state->cores[number].current == SERVER_NONE)
		return number;
	for (number = 0; number < (int)state->server->cores; number++)
		if (state->cores[number].current == SERVER_NONE)
			return number;
	return SERVER_NONE;
}

/*
 * Its queue if no core is idle: its last core, or that of its waker if that queue is still shorter
 * with the thread, as wake_affine_weight() of Linux decides (kernel/sched/fair.c).
 */
static int find_busy(const struct server_state *state, int thread)
{
	int waker = state->threads[thread].waker, last = state->threads[thread].core;

	if (waker != SERVER_NONE &&
	    state->cores[waker].ready_count + 1 <= state->cores[last].ready_count)
		return waker;
	return last;
}

/* A core whose worker is preempted, and continues there next; SERVER_NONE: there is none. */
static int preempt_worker(struct server_state *state)
{
	for (int number = 0; number < (int)state->server->cores; number++) {
		struct server_core *core = &state->cores[number];
		struct server_thread *worker = &state->threads[core->current];

		if (worker->role != SERVER_WORKER)
			continue;
		count_run(state, core);
		worker->life = SERVER_READY;
		core->stamp++;
		worker->slice_left_ns =
			core->slice_ns > state->now_ns ? core->slice_ns - state->now_ns : 1;
		push_front(state, &core->ready, core->current);
		core->ready_count++;
		return number;
	}
	return SERVER_NONE;
}

/* Limits the lead of a thread that has slept for long. */
static void limit_claim(struct server_state *state, struct server_thread *thread)
{
	struct server_core *core = &state->cores[thread->core];
	int64_t had_ns;

	update_least(state, core);
	had_ns = core->least_ns - (int64_t)ns_of(state->server->slice_s);
	if (thread->had_ns < had_ns)
		thread->had_ns = had_ns;
}

/*
 * A woken thread goes to its last core, or to any idle core. Loaders sleep most of the time, and so
 * preempt workers, as in Linux.
 */
static void place_woken(struct server_state *state)
{
	while (state->woken.first != SERVER_NONE) {
		int thread = server_list_pop(state, &state->woken);
		int number = find_idle(state, thread);
		bool waits = number == SERVER_NONE;

		if (waits && state->threads[thread].role != SERVER_WORKER) {
			number = preempt_worker(state);
			waits = number == SERVER_NONE;
		}
		if (waits)
			number = find_busy(state, thread);
		if (number != state->threads[thread].core)
			move_to(state, thread, number);
		limit_claim(state, &state->threads[thread]);
		if (waits)
			queue_up(state, &state->cores[number], thread);
		else
			switch_core(state, number, 'R', thread);
	}
}

static void end_timer(struct server_state *state, int thread)
{
	if (state->threads[thread].life != SERVER_WAITING)
		return;
	if (state->threads[thread].at_disk)
		server_disk_ends(state, thread);
	server_wake(state, thread, SERVER_NONE);
}

/* --- Times ----------------------------------------------------------------------------------- */

uint64_t server_time_ns(struct server_state *state, const struct server_time *time,
			const double *exact, uint64_t number)
{
	if (exact)
		return ns_of(exact[number % state->run->requests]);
	return ns_of(server_time_draw(time, &state->random));
}

/* The quantiles of all requests, in random order. `hits` of them take no time. */
static double *new_exact(struct server_state *state, const struct server_time *time, double hits)
{
	uint64_t count = state->run->requests;
	double *times_s = server_alloc(count, sizeof(*times_s));

	for (uint64_t i = 0; i < count; i++) {
		uint64_t other = random_below(&state->random, i + 1);
		double part = (((double)i + .5) / (double)count - hits) / (1 - hits);

		times_s[i] = times_s[other];
		times_s[other] = part > 0 ? server_time_quantile(time, part) : 0;
	}
	return times_s;
}

static void exact_init(struct server_state *state)
{
	const struct server *server = state->server;
	const struct server_time gap = {server->gaps, 1 / server->rate_per_s};

	if (!state->run->exact)
		return;
	state->exact.gaps = new_exact(state, server->clients ? &server->think : &gap, 0);
	for (size_t i = 0; i < server->pool_count; i++)
		for (size_t k = 0; k < server->pools[i].step_count; k++) {
			const struct server_step *step = &server->pools[i].steps[k];

			state->exact.steps[i][k] =
				new_exact(state, &step->time,
					  step->act == SERVER_DISK ? step->object / 1e3 : 0);
		}
}

/* --- Measuring ------------------------------------------------------------------------------- */

/* The warm-up is over: the truth counts from now on. */
static void forget_warm_up(struct server_state *state)
{
	state->begin_ns = state->now_ns;
	for (size_t i = 0; i < SERVER_POOLS_MAX; i++) {
		state->pool_busy_ns[i] = 0;
		state->queues[i].waited = 0;
	}
	for (size_t i = 0; i < SERVER_LOCKS_MAX; i++)
		state->locks[i].held_ns = 0;
	server_disk_count(state);
	state->disk.busy_ns = 0;
	for (size_t i = 0; i < SERVER_CORES_MAX; i++)
		state->cores[i].busy_ns = 0;
}

void server_answer(struct server_state *state, struct server_thread *worker)
{
	const struct server_request *request = &state->requests[worker->request];

	if (state->answered >= state->run->requests)
		return;
	state->responses_s[state->answered++] = (double)(state->now_ns - request->begin_ns) / 1e9;
	if (state->answered == state->run->requests / 10)
		forget_warm_up(state);
	state->over = !state->run->trace && state->answered == state->run->requests;
}

/* The standard error of the mean, by the means of 50 batches. */
static double batches_se(const double *values, uint64_t count, double mean)
{
	enum { BATCHES = 50 };
	uint64_t length = count / BATCHES;
	double sum = 0;

	for (uint64_t i = 0; i < BATCHES; i++) {
		double batch = 0;

		for (uint64_t k = 0; k < length; k++)
			batch += values[i * length + k] / (double)length;
		sum += (batch - mean) * (batch - mean);
	}
	return length ? sqrt(sum / BATCHES / (BATCHES - 1)) : NAN;
}

static int by_number(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void measure_responses(struct server_truth *truth, double *responses_s, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		truth->response_s += responses_s[i] / (double)count;
	truth->response_se = batches_se(responses_s, count, truth->response_s);
	qsort(responses_s, count, sizeof(*responses_s), by_number);
	truth->response_p95_s = responses_s[(uint64_t)((double)count * .95)];
}

static void measure(struct server_truth *truth, struct server_state *state)
{
	const struct server *server = state->server;
	double seconds = (double)(state->now_ns - state->begin_ns) / 1e9;
	uint64_t first = state->run->requests / 10;

	*truth = (struct server_truth){.wall_s = (double)state->now_ns / 1e9};
	if (state->answered <= first)
		return;
	truth->requests = state->answered - first;
	truth->throughput_per_s = (double)truth->requests / seconds;
	measure_responses(truth, &state->responses_s[first], truth->requests);
	truth->waiting = state->queues[0].waited / seconds;
	for (size_t i = 0; i < server->pool_count; i++)
		truth->pool_busy[i] =
			(double)state->pool_busy_ns[i] / 1e9 / seconds / server->pools[i].threads;
	for (size_t i = 0; i < SERVER_LOCKS_MAX; i++)
		truth->lock_busy[i] = (double)state->locks[i].held_ns / 1e9 / seconds;
	server_disk_count(state);
	if (server->disk_servers)
		truth->disk_busy =
			(double)state->disk.busy_ns / 1e9 / seconds / server->disk_servers;
	for (size_t i = 0; i < SERVER_CORES_MAX; i++)
		truth->busy_cores += (double)state->cores[i].busy_ns / 1e9 / seconds;
}

/* --- From the beginning to the end ----------------------------------------------------------- */

static void add_threads(struct server_state *state, enum server_role role, unsigned pool,
			unsigned count)
{
	for (unsigned i = 0; i < count && state->thread_count < SERVER_THREADS_MAX; i++)
		state->threads[state->thread_count++] =
			(struct server_thread){.role = role, .number = i, .pool = pool};
}

static void state_init(struct server_state *state, const struct server *server,
		       const struct server_run *run)
{
	const struct server_list none = {SERVER_NONE, SERVER_NONE, 0};

	state->server = server;
	state->run = run;
	state->random.state = run->seed * 2 + 1;
	state->woken = (struct server_list){SERVER_NONE, SERVER_NONE, 1};
	state->joiners = none;
	for (size_t i = 0; i < SERVER_POOLS_MAX; i++)
		state->queues[i].waiting = state->queues[i].mutex.waiting = none;
	for (size_t i = 0; i < SERVER_LOCKS_MAX; i++)
		state->locks[i].waiting = none;
	state->disk.waiting = state->disk.served = none;
	for (size_t i = 0; i < SERVER_THREADS_MAX; i++)
		state->answers[i] = none;
	for (size_t i = 0; i < SERVER_CORES_MAX; i++)
		state->cores[i] = (struct server_core){.current = SERVER_NONE,
						       .ready = {SERVER_NONE, SERVER_NONE, 1}};
	state->responses_s = server_alloc(run->requests, sizeof(*state->responses_s));
	add_threads(state, SERVER_MAIN, 0, 1);
	add_threads(state, server->clients ? SERVER_CLIENT : SERVER_SOURCE, 0,
		    server->clients ? server->clients : 1);
	state->loaders = state->thread_count - 1;
	for (unsigned i = 0; i < server->pool_count; i++)
		add_threads(state, SERVER_WORKER, i, server->pools[i].threads);
	state->workers = state->thread_count - 1 - state->loaders;
	state->alive = state->thread_count;
	exact_init(state);
}

static void state_free(struct server_state *state)
{
	for (size_t i = 0; i < SERVER_POOLS_MAX; i++) {
		free(state->queues[i].ring);
		for (size_t k = 0; k < SERVER_STEPS_MAX; k++)
			free(state->exact.steps[i][k]);
	}
	free(state->exact.gaps);
	free(state->responses_s);
	free(state->requests);
	free(state->agenda);
	free(state);
}

int server_run(struct server_truth *truth, const struct server *server,
	       const struct server_run *run)
{
	struct server_state *state = server_alloc(1, sizeof(*state));
	int rc;

	state_init(state, server, run);
	state->threads[0].life = SERVER_READY;
	server_list_append(state, &state->woken, 0);
	place_woken(state);
	while (!state->over && state->due_count) {
		const struct server_due due = agenda_take(state);

		state->now_ns = due.ns;
		if (due.what == SERVER_BURST_ENDS && due.stamp == state->cores[due.number].stamp)
			end_burst(state, &due);
		else if (due.what == SERVER_TIMER_ENDS)
			end_timer(state, due.number);
		if (!state->over)
			place_woken(state);
	}
	measure(truth, state);
	rc = state->over ? 0 : -1;
	state_free(state);
	return rc;
}

double server_capacity(const struct server *server)
{
	const struct server_run run = {.seed = 7, .requests = 20000};
	struct server full = *server;
	struct server_truth truth;
	unsigned threads = 0;

	for (size_t i = 0; i < server->pool_count; i++)
		threads += server->pools[i].threads;
	full.clients = 4 * threads + 16;
	full.think = (struct server_time){SERVER_FIXED, 0};
	return server_run(&truth, &full, &run) ? NAN : truth.throughput_per_s;
}
