/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mock/server_state.h"

#include <math.h>
#include <stdlib.h>

/* -EAGAIN: the condition of the wait is fulfilled already. */
static const long again = -11;

/* Parts of a step, of ten phases each; the last one leads to the next step. */
enum { PART = 10, PART_DONE = 90 };

static enum server_outcome goes_on(struct server_thread *self, unsigned phase)
{
	self->phase = phase;
	return SERVER_GOES_ON;
}

static enum server_outcome goes_on_after(struct server_thread *self, unsigned phase, double seconds)
{
	self->left_ns += (uint64_t)llround(seconds * 1e9);
	return goes_on(self, phase);
}

static enum server_outcome blocks(struct server_thread *self, unsigned phase)
{
	self->phase = phase;
	return SERVER_BLOCKS;
}

static struct server_object object_of(enum server_kind kind, size_t number)
{
	return (struct server_object){kind, (unsigned)number};
}

static enum server_outcome call(struct server_state *state, int thread, const char *name,
				struct server_object object, unsigned phase)
{
	server_trace_call(state, thread, name, object);
	return goes_on_after(&state->threads[thread], phase, state->server->call_s);
}

/* --- Mutexes, conditions, semaphores --------------------------------------------------------- */

static void mutex_set(struct server_state *state, struct server_mutex *mutex, bool taken)
{
	if (taken)
		mutex->since_ns = state->now_ns;
	else
		mutex->held_ns +=
			state->now_ns -
			(mutex->since_ns > state->begin_ns ? mutex->since_ns : state->begin_ns);
	mutex->taken = taken;
}

/* Phases `base` (the call), + 1 (tries), + 2 (was woken); leads to `next`. */
static enum server_outcome lock(struct server_state *state, int thread, struct server_mutex *mutex,
				struct server_object object, unsigned base, unsigned next)
{
	struct server_thread *self = &state->threads[thread];

	if (self->phase == base)
		return call(state, thread, "mutex_lock", object, base + 1);
	if (self->phase == base + 2)
		server_trace_futex_exit(state, thread, 0);
	if (!mutex->taken) {
		mutex_set(state, mutex, true);
		return goes_on(self, next);
	}
	server_trace_futex(state, thread, false, object);
	server_list_append(state, &mutex->waiting, thread);
	return blocks(self, base + 2);
}

/* Phases `base` (the call), + 1 (releases), + 2 (wakes). */
static enum server_outcome unlock(struct server_state *state, int thread,
				  struct server_mutex *mutex, struct server_object object,
				  unsigned base, unsigned next)
{
	struct server_thread *self = &state->threads[thread];
	int other;

	if (self->phase == base)
		return call(state, thread, "mutex_unlock", object, base + 1);
	if (self->phase == base + 1) {
		mutex_set(state, mutex, false);
		if (mutex->waiting.first == SERVER_NONE)
			return goes_on(self, next);
		server_trace_futex(state, thread, true, object);
		return goes_on_after(self, base + 2, state->server->wake_s);
	}
	other = server_list_pop(state, &mutex->waiting);
	if (other != SERVER_NONE)
		server_wake(state, other, thread);
	server_trace_futex_exit(state, thread, other != SERVER_NONE);
	return goes_on(self, next);
}

/* Grants to one thread of the list; a thread may be in the list before it waits. */
static bool grant(struct server_state *state, int thread, struct server_list *list)
{
	int other = server_list_pop(state, list);

	if (other == SERVER_NONE)
		return false;
	state->threads[other].granted = true;
	if (state->threads[other].life != SERVER_WAITING)
		return false;
	server_wake(state, other, thread);
	return true;
}

/* Phases `base` (the call), + 1, + 2 (wakes all waiting threads, or one). */
static enum server_outcome signal_condition(struct server_state *state, int thread, unsigned number,
					    bool all, unsigned base, unsigned next)
{
	const struct server_object object = object_of(SERVER_OF_CONDITION, number);
	struct server_list *list = &state->queues[number].waiting;
	struct server_thread *self = &state->threads[thread];
	long woken = 0;

	if (self->phase == base)
		return call(state, thread, all ? "cond_broadcast" : "cond_signal", object,
			    base + 1);
	if (self->phase == base + 1) {
		if (list->first == SERVER_NONE)
			return goes_on(self, next);
		server_trace_futex(state, thread, true, object);
		return goes_on_after(self, base + 2, state->server->wake_s);
	}
	do
		woken += grant(state, thread, list);
	while (all && list->first != SERVER_NONE);
	server_trace_futex_exit(state, thread, woken);
	return goes_on(self, next);
}

static enum server_outcome post(struct server_state *state, int thread, int client, unsigned base,
				unsigned next)
{
	const struct server_object object = object_of(SERVER_OF_ANSWER, (size_t)client);
	struct server_thread *self = &state->threads[thread];

	if (self->phase == base)
		return call(state, thread, "sem_post", object, base + 1);
	if (self->phase == base + 1) {
		state->tokens[client]++;
		if (state->answers[client].first == SERVER_NONE)
			return goes_on(self, next);
		server_trace_futex(state, thread, true, object);
		return goes_on_after(self, base + 2, state->server->wake_s);
	}
	server_trace_futex_exit(state, thread, grant(state, thread, &state->answers[client]));
	return goes_on(self, next);
}

static enum server_outcome await_answer(struct server_state *state, int thread)
{
	const struct server_object object = object_of(SERVER_OF_ANSWER, (size_t)thread);
	struct server_thread *self = &state->threads[thread];

	if (!self->phase)
		return call(state, thread, "sem_wait", object, 1);
	if (self->phase == 2)
		server_trace_futex_exit(state, thread, 0);
	if (state->tokens[thread]) {
		state->tokens[thread]--;
		return goes_on(self, PART_DONE);
	}
	server_trace_futex(state, thread, false, object);
	server_list_append(state, &state->answers[thread], thread);
	return blocks(self, 2);
}

/* --- Queues ---------------------------------------------------------------------------------- */

/* A new request by the thread. */
static uint64_t new_request(struct server_state *state, int thread)
{
	bool by_client = state->threads[thread].role == SERVER_CLIENT;

	if (state->asked == state->request_capacity) {
		state->request_capacity = 2 * state->request_capacity + 1024;
		state->requests = realloc(state->requests,
					  state->request_capacity * sizeof(*state->requests));
		if (!state->requests)
			abort();
	}
	state->requests[state->asked] = (struct server_request){
		.begin_ns = state->now_ns, .client = by_client ? thread : SERVER_NONE};
	return state->asked++;
}

static void queue_count(struct server_state *state, struct server_queue *queue)
{
	queue->waited += (double)queue->count * (double)(state->now_ns - queue->since_ns) / 1e9;
	queue->since_ns = state->now_ns;
}

static void queue_push(struct server_state *state, struct server_queue *queue, uint64_t request)
{
	if (queue->count == queue->capacity) {
		size_t capacity = 2 * queue->capacity + 64;
		uint64_t *ring = calloc(capacity, sizeof(*ring));

		if (!ring)
			abort();
		for (size_t i = 0; i < queue->count; i++)
			ring[i] = queue->ring[(queue->first + i) % queue->capacity];
		free(queue->ring);
		queue->ring = ring;
		queue->capacity = capacity;
		queue->first = 0;
	}
	queue_count(state, queue);
	queue->ring[(queue->first + queue->count++) % queue->capacity] = request;
}

static uint64_t queue_pop(struct server_state *state, struct server_queue *queue)
{
	uint64_t request = queue->ring[queue->first];

	queue_count(state, queue);
	queue->first = (queue->first + 1) % queue->capacity;
	queue->count--;
	return request;
}

static enum server_outcome put(struct server_state *state, int thread, unsigned number)
{
	const struct server_object object = object_of(SERVER_OF_QUEUE, number);
	struct server_queue *queue = &state->queues[number];
	struct server_thread *self = &state->threads[thread];

	switch (self->phase / PART) {
	case 0:
		return lock(state, thread, &queue->mutex, object, 0, PART);
	case 1:
		queue_push(state, queue,
			   self->role == SERVER_WORKER ? self->request
						       : new_request(state, thread));
		return goes_on(self, 2 * PART);
	case 2:
		return unlock(state, thread, &queue->mutex, object, 2 * PART, 3 * PART);
	default:
		return signal_condition(state, thread, number, false, 3 * PART, PART_DONE);
	}
}

/* The thread has the mutex: it takes a request, or waits for one. */
static enum server_outcome look(struct server_state *state, int thread)
{
	struct server_thread *self = &state->threads[thread];
	struct server_queue *queue = &state->queues[self->pool];

	if (queue->stopped)
		return goes_on(self, 4 * PART);
	if (queue->count) {
		self->request = queue_pop(state, queue);
		self->taken_ns = state->now_ns;
		self->handed = false;
		state->working++;
		return goes_on(self, 4 * PART);
	}
	server_list_append(state, &queue->waiting, thread);
	self->granted = false;
	/* The wait releases the mutex, without a call of its own. */
	return call(state, thread, "cond_wait", object_of(SERVER_OF_CONDITION, self->pool),
		    2 * PART + 1);
}

static enum server_outcome get(struct server_state *state, int thread)
{
	struct server_thread *self = &state->threads[thread];
	const struct server_object mutex = object_of(SERVER_OF_QUEUE, self->pool);
	struct server_queue *queue = &state->queues[self->pool];

	switch (self->phase / PART) {
	case 0:
		return lock(state, thread, &queue->mutex, mutex, 0, PART);
	case 1:
		return look(state, thread);
	case 2:
		return unlock(state, thread, &queue->mutex, mutex, 2 * PART, 3 * PART);
	case 3:
		if (self->phase > 3 * PART + 1)
			return lock(state, thread, &queue->mutex, mutex, 3 * PART + 2, PART);
		if (self->phase == 3 * PART) {
			server_trace_futex(state, thread, false,
					   object_of(SERVER_OF_CONDITION, self->pool));
			if (!self->granted)
				return blocks(self, 3 * PART + 1);
		}
		server_trace_futex_exit(state, thread, self->phase == 3 * PART ? again : 0);
		return goes_on(self, 3 * PART + 3);
	default:
		return unlock(state, thread, &queue->mutex, mutex, 4 * PART, PART_DONE);
	}
}

/* --- Workers --------------------------------------------------------------------------------- */

static enum server_outcome nap_until(struct server_state *state, int thread, uint64_t end_ns)
{
	struct server_thread *self = &state->threads[thread];

	if (!self->phase) {
		server_trace_sleep(state, thread, true);
		return goes_on_after(self, 1, state->server->call_s);
	}
	if (self->phase == 1 && end_ns > state->now_ns) {
		server_sleep_until(state, thread, end_ns);
		return blocks(self, 2);
	}
	server_trace_sleep(state, thread, false);
	return goes_on(self, PART_DONE);
}

/* --- The disk -------------------------------------------------------------------------------- */

void server_disk_count(struct server_state *state)
{
	state->disk.busy_ns += state->disk.busy * (state->now_ns - state->disk.since_ns);
	state->disk.since_ns = state->now_ns;
}

static void begin_disk(struct server_state *state, int thread)
{
	server_disk_count(state);
	state->disk.busy++;
	server_sleep_until(state, thread, state->now_ns + state->threads[thread].disk_ns);
}

void server_disk_ends(struct server_state *state, int thread)
{
	struct server_list *served = &state->disk.served;
	int next;

	state->threads[thread].at_disk = false;
	while ((next = server_list_pop(state, served)) != SERVER_NONE) {
		state->threads[next].at_disk = false;
		server_wake(state, next, SERVER_NONE);
	}
	next = server_list_pop(state, &state->disk.waiting);
	server_disk_count(state);
	state->disk.busy--;
	if (next != SERVER_NONE)
		begin_disk(state, next);
	while (state->server->group_commit &&
	       (next = server_list_pop(state, &state->disk.waiting)) != SERVER_NONE)
		server_list_append(state, served, next);
}

static bool is_cached(struct server_state *state, const struct server_step *step,
		      const double *exact)
{
	return !exact && random_below(&state->random, 1000) < step->object;
}

static enum server_outcome read_disk(struct server_state *state, int thread,
				     const struct server_step *step, const double *exact)
{
	struct server_thread *self = &state->threads[thread];

	if (self->phase || is_cached(state, step, exact))
		return goes_on(self, PART_DONE);
	self->disk_ns = server_time_ns(state, &step->time, exact, self->request);
	if (!self->disk_ns)
		return goes_on(self, PART_DONE);
	self->at_disk = true;
	if (state->disk.busy < state->server->disk_servers)
		begin_disk(state, thread);
	else
		server_list_append(state, &state->disk.waiting, thread);
	return blocks(self, 1);
}

/* --- Work ------------------------------------------------------------------------------------ */

/* The growth of a worker with a request, which is itself counted. */
static double growth_now(const struct server_state *state)
{
	return 1 + state->server->growth * (double)(state->working - 1);
}

static enum server_outcome act(struct server_state *state, int thread)
{
	struct server_thread *self = &state->threads[thread];
	const struct server_step *step = &state->server->pools[self->pool].steps[self->step - 1];
	const double *exact = state->exact.steps[self->pool][self->step - 1];
	const struct server_object object = object_of(SERVER_OF_LOCK, step->object);

	switch (step->act) {
	case SERVER_CPU:
		self->left_ns += (uint64_t)((double)server_time_ns(state, &step->time, exact,
								   self->request) *
					    growth_now(state));
		return goes_on(self, PART_DONE);
	case SERVER_NAP:
		return nap_until(state, thread,
				 self->phase != 1
					 ? 0
					 : state->now_ns + server_time_ns(state, &step->time, exact,
									  self->request));
	case SERVER_LOCK:
		return lock(state, thread, &state->locks[step->object], object, 0, PART_DONE);
	case SERVER_UNLOCK:
		return unlock(state, thread, &state->locks[step->object], object, 0, PART_DONE);
	case SERVER_DISK:
		return read_disk(state, thread, step, exact);
	default:
		self->handed = true;
		return put(state, thread, step->object);
	}
}

static enum server_outcome finish(struct server_state *state, int thread)
{
	struct server_thread *self = &state->threads[thread];
	int client = state->requests[self->request].client;

	if (!self->phase) {
		uint64_t begin_ns =
			self->taken_ns > state->begin_ns ? self->taken_ns : state->begin_ns;

		state->pool_busy_ns[self->pool] += state->now_ns - begin_ns;
		state->working--;
		if (!self->handed)
			server_answer(state, self);
		if (self->handed || client == SERVER_NONE)
			return goes_on(self, PART_DONE);
	}
	return post(state, thread, client, 0, PART_DONE);
}

static enum server_outcome work(struct server_state *state, int thread)
{
	struct server_thread *self = &state->threads[thread];

	if (self->step == 1 && !self->phase && state->queues[self->pool].stopped)
		return SERVER_ENDS;
	if (!self->step)
		return get(state, thread);
	if (self->step <= state->server->pools[self->pool].step_count)
		return act(state, thread);
	return finish(state, thread);
}

/* --- Loads and main -------------------------------------------------------------------------- */

static enum server_outcome send_by_time(struct server_state *state, int thread)
{
	struct server_thread *self = &state->threads[thread];
	const struct server_time gap = {state->server->gaps, 1 / state->server->rate_per_s};

	if (self->step)
		return put(state, thread, 0);
	if (!self->phase)
		self->due_ns += server_time_ns(state, &gap, state->exact.gaps, state->thoughts++);
	return nap_until(state, thread, self->due_ns);
}

static enum server_outcome send_by_answer(struct server_state *state, int thread)
{
	struct server_thread *self = &state->threads[thread];

	if (self->step == 2)
		return await_answer(state, thread);
	if (self->step)
		return put(state, thread, 0);
	if (!self->phase)
		self->due_ns = state->now_ns + server_time_ns(state, &state->server->think,
							      state->exact.gaps, state->thoughts++);
	return nap_until(state, thread, self->due_ns);
}

static enum server_outcome await_ends(struct server_state *state, int thread, const size_t *alive)
{
	const struct server_object object = object_of(SERVER_OF_END, 1);
	struct server_thread *self = &state->threads[thread];

	if (self->phase)
		server_trace_futex_exit(state, thread, 0);
	if (!*alive)
		return goes_on(self, PART_DONE);
	server_trace_futex(state, thread, false, object);
	server_list_append(state, &state->joiners, thread);
	return blocks(self, 1);
}

static enum server_outcome stop_queue(struct server_state *state, int thread, unsigned number)
{
	const struct server_object object = object_of(SERVER_OF_QUEUE, number);
	struct server_queue *queue = &state->queues[number];
	struct server_thread *self = &state->threads[thread];

	switch (self->phase / PART) {
	case 0:
		return lock(state, thread, &queue->mutex, object, 0, PART);
	case 1:
		queue->stopped = true;
		return unlock(state, thread, &queue->mutex, object, PART, 2 * PART);
	default:
		return signal_condition(state, thread, number, true, 2 * PART, PART_DONE);
	}
}

/* exit(): waiting threads are woken, and each thread ends at its next step. */
static enum server_outcome end_all(struct server_state *state, int thread)
{
	state->over = state->run->ending == SERVER_CUT;
	state->killed = true;
	for (int i = 0; i < (int)state->thread_count && !state->over; i++)
		if (state->threads[i].life == SERVER_WAITING)
			server_wake(state, i, thread);
	return SERVER_ENDS;
}

/* Begins all other threads, and waits for the loaders. */
static enum server_outcome lead(struct server_state *state, int thread)
{
	struct server_thread *self = &state->threads[thread];
	size_t forks = state->thread_count - 1, queues = state->server->pool_count;

	if (self->step < forks) {
		server_begin_thread(state, (int)self->step + 1, thread);
		return goes_on_after(self, PART_DONE, state->server->call_s);
	}
	if (self->step == forks)
		return await_ends(state, thread, &state->loaders);
	if (state->run->ending != SERVER_STOPS)
		return end_all(state, thread);
	if (self->step <= forks + queues)
		return stop_queue(state, thread, (unsigned)(self->step - forks - 1));
	if (self->step == forks + queues + 1)
		return await_ends(state, thread, &state->workers);
	return end_all(state, thread);
}

/* A recorded server gets `requests` requests; any other one gets requests until so many are
 * answered. */
static bool is_over(const struct server_state *state, const struct server_thread *self)
{
	return self->role != SERVER_MAIN && self->role != SERVER_WORKER && !self->step &&
	       !self->phase && state->run->trace && state->thoughts >= state->run->requests;
}

enum server_outcome server_execute(struct server_state *state, int thread)
{
	static enum server_outcome (*const roles[])(struct server_state *, int) = {
		[SERVER_MAIN] = lead,
		[SERVER_SOURCE] = send_by_time,
		[SERVER_CLIENT] = send_by_answer,
		[SERVER_WORKER] = work,
	};
	struct server_thread *self = &state->threads[thread];
	enum server_outcome outcome;
	size_t steps = self->role == SERVER_SOURCE ? 2 : 3;

	if (state->killed || is_over(state, self))
		return SERVER_ENDS;
	outcome = roles[self->role](state, thread);
	if (outcome != SERVER_GOES_ON || self->phase != PART_DONE)
		return outcome;
	self->phase = 0;
	self->step++;
	if (self->role == SERVER_WORKER)
		steps = state->server->pools[self->pool].step_count + 2;
	if (self->role != SERVER_MAIN && self->step == steps)
		self->step = 0;
	return outcome;
}
