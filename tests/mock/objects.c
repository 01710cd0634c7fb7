/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mock/state.h"

#include "base/alloc.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>

/* Phases of steps; 0 is the first, and each step defines those from 1 up to these. */
enum { PHASE_WAKES = 100 };

/* -EAGAIN: the condition of the wait is fulfilled already. */
static const long again = -11;

/* Layout of objects in the GNU C library. */
enum { WORD_CONDITION = 40, WORD_READERS = 8, WORD_WRITERS = 12 };
/* The conditions of a queue are adjacent in memory. */
enum { ITEMS_AT = 0, ROOM_AT = 1024 };

/* --- Steps and lists ------------------------------------------------------------------------- */

static enum mock_outcome next(struct mock_thread *self)
{
	self->step++;
	self->phase = 0;
	return MOCK_GOES_ON;
}

static enum mock_outcome go_on_after(struct mock_thread *self, uint64_t ns, unsigned phase)
{
	self->left_ns = ns;
	self->phase = phase;
	return MOCK_GOES_ON;
}

static enum mock_outcome wait_in(struct mock_thread *self, char state, unsigned phase)
{
	self->state = state;
	self->phase = phase;
	return MOCK_WAITS;
}

static void append(struct mock_machine *machine, struct mock_list *list, int thread)
{
	machine->threads[thread].woken = false;
	machine->threads[thread].next_waiting = MOCK_NO_THREAD;
	if (list->first == MOCK_NO_THREAD)
		list->first = thread;
	else
		machine->threads[list->last].next_waiting = thread;
	list->last = thread;
}

static int pop(struct mock_machine *machine, struct mock_list *list)
{
	int thread = list->first;

	if (thread != MOCK_NO_THREAD)
		list->first = machine->threads[thread].next_waiting;
	return thread;
}

static uint32_t length(const struct mock_machine *machine, const struct mock_list *list)
{
	uint32_t count = 0;

	for (int i = list->first; i != MOCK_NO_THREAD; i = machine->threads[i].next_waiting)
		count++;
	return count;
}

/* --- Wakes ----------------------------------------------------------------------------------- */

/*
 * The call that wakes up to `count` threads of `list`; no call if that is 0. Phase `after` follows,
 * or the next step if that is 0.
 */
static enum mock_outcome begin_wakes(struct mock_machine *machine, int thread,
				     struct mock_list *list, uint32_t count, uint32_t object,
				     unsigned word, unsigned after)
{
	struct mock_thread *self = &machine->threads[thread];

	self->phase = after;
	if (!count)
		return after ? MOCK_GOES_ON : next(self);
	mock_trace_futex(machine, thread, MOCK_FUTEX_WAKE, object, word,
			 count > 1 ? INT_MAX : count);
	self->list = list;
	self->count = count;
	self->woke = 0;
	self->after = after;
	return go_on_after(self, MOCK_CALL_NS + MOCK_WAKE_NS, PHASE_WAKES);
}

static enum mock_outcome go_on_waking(struct mock_machine *machine, int thread)
{
	struct mock_thread *self = &machine->threads[thread];
	int other = self->count ? pop(machine, self->list) : MOCK_NO_THREAD;

	if (other != MOCK_NO_THREAD) {
		self->count--;
		self->woke++;
		mock_wake(machine, other, self->core, false);
	}
	if (self->count && other != MOCK_NO_THREAD)
		return go_on_after(self, MOCK_WAKE_NS, PHASE_WAKES);
	mock_trace_futex_exit(machine, thread, self->woke);
	self->left_ns = MOCK_CALL_NS;
	if (self->after)
		self->phase = self->after;
	else
		next(self);
	return MOCK_GOES_ON;
}

/* --- Mutexes, semaphores, conditions --------------------------------------------------------- */

/*
 * The first thread that asks takes a free object, in the phases `base` .. `base` + 2. `tokens`: the
 * object has tokens, else it is a mutex, that `waited`, or a wait here, makes contended
 * (lowlevellock.h of the GNU C library). Sets *done when the thread has it.
 */
static enum mock_outcome acquire(bool *done, struct mock_machine *machine, int thread,
				 uint32_t object, bool tokens, bool waited, unsigned base)
{
	struct mock_thread *self = &machine->threads[thread];
	struct mock_state *state = &machine->objects[object];
	bool free = tokens ? state->count > 0 : !state->taken;

	*done = false;
	waited = waited || self->phase > base;
	if (self->phase == base + 2) {
		mock_trace_futex_exit(machine, thread, 0);
		self->phase = base;
	} else if (self->phase == base + 1 && (free || (!tokens && !state->contended))) {
		mock_trace_futex_exit(machine, thread, again);
		self->phase = base;
	} else if (self->phase == base + 1) {
		append(machine, &state->waiting, thread);
		return wait_in(self, 'S', base + 2);
	}
	state->contended = !free || waited;
	if (!free) {
		mock_trace_futex(machine, thread, tokens ? MOCK_FUTEX_WAIT_BITSET : MOCK_FUTEX_WAIT,
				 object, 0, tokens ? 0 : 2);
		return go_on_after(self, MOCK_CALL_NS, base + 1);
	}
	if (tokens)
		state->count--;
	else
		state->taken = true;
	*done = true;
	return MOCK_GOES_ON;
}

static enum mock_outcome lock(struct mock_machine *machine, int thread, uint32_t object,
			      bool tokens)
{
	struct mock_thread *self = &machine->threads[thread];
	enum mock_outcome outcome;
	bool done;

	if (!self->phase) {
		mock_trace_call(machine, thread, tokens ? "sem_wait" : "mutex_lock", object, 0, "");
		self->phase = 1;
	}
	outcome = acquire(&done, machine, thread, object, tokens, false, 1);
	return done ? next(self) : outcome;
}

/* Releases a mutex. Returns the number of threads to wake. */
static uint32_t release_mutex(struct mock_state *state)
{
	uint32_t wakes = state->contended;

	state->taken = state->contended = false;
	return wakes;
}

static enum mock_outcome unlock(struct mock_machine *machine, int thread, uint32_t object,
				bool tokens)
{
	struct mock_state *state = &machine->objects[object];
	uint32_t wakes;

	mock_trace_call(machine, thread, tokens ? "sem_post" : "mutex_unlock", object, 0, "");
	state->count += tokens;
	wakes = tokens ? state->waiting.first != MOCK_NO_THREAD : release_mutex(state);
	return begin_wakes(machine, thread, &state->waiting, wakes, object, 0, 0);
}

static enum mock_outcome await(struct mock_machine *machine, int thread, uint32_t object, bool room)
{
	enum { UNLOCKED = 1, WAITS, WAITED, RELOCKS };
	struct mock_thread *self = &machine->threads[thread];
	struct mock_state *state = &machine->objects[object];
	uint32_t mutex = machine->program->objects[object].mutex, size;
	unsigned at = room ? ROOM_AT : ITEMS_AT;
	struct mock_list *waiting = &machine->objects[mutex].waiting;
	enum mock_outcome outcome;
	bool done;

	switch (self->phase) {
	case 0:
		size = machine->program->objects[object].size;
		if (room ? state->count < size : state->count > 0)
			return next(self);
		mock_trace_wait(machine, thread, object, at, mutex);
		append(machine, room ? &state->waiting2 : &state->waiting, thread);
		return begin_wakes(machine, thread, waiting,
				   release_mutex(&machine->objects[mutex]), mutex, 0, UNLOCKED);
	case UNLOCKED:
		mock_trace_futex(machine, thread, MOCK_FUTEX_WAIT_BITSET, object,
				 at + WORD_CONDITION, 0);
		return go_on_after(self, MOCK_CALL_NS, WAITS);
	case WAITS:
		if (!self->woken)
			return wait_in(self, 'S', WAITED);
		/* fall through */
	case WAITED:
		mock_trace_futex_exit(machine, thread, self->phase == WAITED ? 0 : again);
		self->phase = RELOCKS;
		/* fall through */
	default:
		outcome = acquire(&done, machine, thread, mutex, false, true, RELOCKS);
		self->phase = done ? 0 : self->phase;
		return outcome;
	}
}

static enum mock_outcome signal_one(struct mock_machine *machine, int thread, uint32_t object,
				    bool room)
{
	struct mock_state *state = &machine->objects[object];
	struct mock_list *list = room ? &state->waiting2 : &state->waiting;
	unsigned at = room ? ROOM_AT : ITEMS_AT;

	mock_trace_call(machine, thread, "cond_signal", object, at, "");
	return begin_wakes(machine, thread, list, list->first != MOCK_NO_THREAD, object,
			   at + WORD_CONDITION, 0);
}

/* --- Barriers, readers and writers ----------------------------------------------------------- */

/* The call and the wait until another thread grants it, in the phases 1 and 2. */
static enum mock_outcome await_grant(struct mock_machine *machine, int thread, bool granted)
{
	struct mock_thread *self = &machine->threads[thread];

	if (self->phase == 1 && !granted)
		return wait_in(self, 'S', 2);
	mock_trace_futex_exit(machine, thread, self->phase == 1 ? again : 0);
	return next(self);
}

static enum mock_outcome barrier(struct mock_machine *machine, int thread, uint32_t object)
{
	struct mock_thread *self = &machine->threads[thread];
	struct mock_state *state = &machine->objects[object];

	if (self->phase)
		return await_grant(machine, thread, self->woken);
	mock_trace_call(machine, thread, "barrier_wait", object, 0, "");
	if (++state->count == machine->program->objects[object].size) {
		state->count = 0;
		return begin_wakes(machine, thread, &state->waiting,
				   length(machine, &state->waiting), object, 0, 0);
	}
	append(machine, &state->waiting, thread);
	mock_trace_futex(machine, thread, MOCK_FUTEX_WAIT, object, 0, 0);
	return go_on_after(self, MOCK_CALL_NS, 1);
}

static enum mock_outcome rw_lock(struct mock_machine *machine, int thread, uint32_t object,
				 bool shared)
{
	struct mock_thread *self = &machine->threads[thread];
	struct mock_state *state = &machine->objects[object];

	if (self->phase)
		return await_grant(machine, thread, self->woken);
	mock_trace_call(machine, thread, shared ? "read_lock" : "write_lock", object, 0, "");
	if (!state->taken && (shared || !state->count)) {
		state->count += shared;
		state->taken = !shared;
		return next(self);
	}
	append(machine, shared ? &state->waiting2 : &state->waiting, thread);
	mock_trace_futex(machine, thread, MOCK_FUTEX_WAIT_BITSET, object,
			 shared ? WORD_READERS : WORD_WRITERS, 2);
	return go_on_after(self, MOCK_CALL_NS, 1);
}

/* All waiting readers get the lock, or one writer. */
static enum mock_outcome rw_unlock(struct mock_machine *machine, int thread, uint32_t object)
{
	struct mock_state *state = &machine->objects[object];
	uint32_t readers = length(machine, &state->waiting2);

	mock_trace_call(machine, thread, "rw_unlock", object, 0, "");
	if (!state->taken) {
		state->count--;
		readers = 0; /* no writer gets it while a reader has it */
	}
	state->taken = false;
	state->count += readers;
	if (readers)
		return begin_wakes(machine, thread, &state->waiting2, readers, object, WORD_READERS,
				   0);
	state->taken = !state->count && state->waiting.first != MOCK_NO_THREAD;
	return begin_wakes(machine, thread, &state->waiting, state->taken, object, WORD_WRITERS, 0);
}

/* --- Threads and time ------------------------------------------------------------------------ */

static enum mock_outcome fork_thread(struct mock_machine *machine, int thread, uint32_t child)
{
	struct mock_thread *self = &machine->threads[thread];

	if (!self->phase)
		return go_on_after(self, MOCK_FORK_NS, 1);
	mock_begin_thread(machine, (int)child, thread);
	return next(self);
}

static enum mock_outcome join(struct mock_machine *machine, int thread, uint32_t child)
{
	struct mock_thread *self = &machine->threads[thread];
	struct mock_thread *other = &machine->threads[child];

	if (self->phase)
		return await_grant(machine, thread, self->woken);
	if (other->life == MOCK_DEAD)
		return next(self);
	other->joiner = thread;
	self->woken = false;
	mock_trace_futex(machine, thread, MOCK_FUTEX_WAIT_BITSET, child, MOCK_WORD_JOIN,
			 MOCK_FIRST_TID + child);
	return go_on_after(self, MOCK_CALL_NS, 1);
}

/* The kernel wakes the joiner, without a call. */
static enum mock_outcome end(struct mock_machine *machine, int thread)
{
	struct mock_thread *self = &machine->threads[thread];

	if (!self->phase)
		return go_on_after(self, MOCK_EXIT_NS, 1);
	if (self->joiner != MOCK_NO_THREAD)
		mock_wake(machine, self->joiner, self->core, false);
	mock_trace_exit(machine, thread);
	return MOCK_ENDS;
}

static enum mock_outcome pause_for(struct mock_machine *machine, int thread,
				   const struct mock_step *step)
{
	bool disk = step->op == MOCK_DISK, due = step->op == MOCK_SLEEP_DUE;
	uint64_t ns = step->value;
	struct mock_thread *self = &machine->threads[thread];

	switch (self->phase) {
	case 0:
		if (!disk)
			mock_trace_sleep(machine, thread, true);
		return go_on_after(self, MOCK_CALL_NS, 1);
	case 1:
		if (due)
			self->due_ns = ns += self->due_ns ? self->due_ns : machine->now_ns;
		if (due && ns <= machine->now_ns)
			return go_on_after(self, MOCK_CALL_NS, 2);
		self->timer_ns = due ? ns : machine->now_ns + ns;
		return wait_in(self, disk ? 'D' : 'S', 2);
	default:
		if (!disk)
			mock_trace_sleep(machine, thread, false);
		return next(self);
	}
}

/* --- Blocks without time --------------------------------------------------------------------- */

static enum mock_outcome put(struct mock_machine *machine, int thread, const struct mock_step *step)
{
	struct mock_thread *self = &machine->threads[thread];
	struct mock_state *state = &machine->objects[step->object];
	uint32_t size = machine->program->objects[step->object].size, item = self->item;

	if (step->op == MOCK_PUT_END)
		item = MOCK_NO_ITEM;
	else if (step->value != MOCK_NO_ITEM)
		item = (uint32_t)step->value;
	assert(state->count < size);
	state->items[(state->begin + state->count++) % size] = item;
	return next(self);
}

static enum mock_outcome get(struct mock_machine *machine, int thread, uint32_t object)
{
	struct mock_thread *self = &machine->threads[thread];
	struct mock_state *state = &machine->objects[object];

	assert(state->count);
	self->item = state->items[state->begin];
	state->begin = (state->begin + 1) % machine->program->objects[object].size;
	state->count--;
	return next(self);
}

static enum mock_outcome init_object(struct mock_machine *machine, int thread, uint32_t object)
{
	const struct mock_object *own = &machine->program->objects[object];
	char what[24];

	snprintf(what, sizeof(what), " count=%u", own->size);
	mock_trace_call(machine, thread, own->kind == MOCK_SEMAPHORE ? "sem_init" : "barrier_init",
			object, 0, what);
	return next(&machine->threads[thread]);
}

static enum mock_outcome jump(struct mock_machine *machine, int thread,
			      const struct mock_step *step)
{
	struct mock_thread *self = &machine->threads[thread];
	bool jumps = true;

	if (step->op == MOCK_JUMP_AT_END)
		jumps = self->item == MOCK_NO_ITEM;
	else if (step->op == MOCK_JUMP_UNLESS_LAST)
		jumps = --machine->objects[step->object].count > 0;
	if (!jumps)
		return next(self);
	self->step = step->value;
	return MOCK_GOES_ON;
}

static enum mock_outcome work(struct mock_thread *self, uint64_t ns)
{
	next(self);
	self->left_ns = ns;
	return MOCK_GOES_ON;
}

enum mock_outcome mock_execute(struct mock_machine *machine, int thread)
{
	struct mock_thread *self = &machine->threads[thread];
	const struct mock_code *code = &machine->program->threads[thread];
	const struct mock_step *step = &code->steps[self->step];
	uint32_t object;

	if (self->phase == PHASE_WAKES)
		return go_on_waking(machine, thread);
	if (self->step == code->count)
		return end(machine, thread);
	object = step->object;
	switch (step->op) {
	case MOCK_WORK:
		return work(self, step->value);
	case MOCK_WORK_ITEM:
		return work(self, machine->program->tables[object].ns[self->item]);
	case MOCK_SLEEP:
	case MOCK_SLEEP_DUE:
	case MOCK_DISK:
		return pause_for(machine, thread, step);
	case MOCK_FORK:
		return fork_thread(machine, thread, object);
	case MOCK_JOIN:
		return join(machine, thread, object);
	case MOCK_INIT:
		return init_object(machine, thread, object);
	case MOCK_LOCK:
	case MOCK_TAKE:
		return lock(machine, thread, object, step->op == MOCK_TAKE);
	case MOCK_UNLOCK:
	case MOCK_GIVE:
		return unlock(machine, thread, object, step->op == MOCK_GIVE);
	case MOCK_READ_LOCK:
	case MOCK_WRITE_LOCK:
		return rw_lock(machine, thread, object, step->op == MOCK_READ_LOCK);
	case MOCK_RW_UNLOCK:
		return rw_unlock(machine, thread, object);
	case MOCK_BARRIER:
		return barrier(machine, thread, object);
	case MOCK_AWAIT_ROOM:
	case MOCK_AWAIT_ITEM:
		return await(machine, thread, object, step->op == MOCK_AWAIT_ROOM);
	case MOCK_SIGNAL_ROOM:
	case MOCK_SIGNAL_ITEM:
		return signal_one(machine, thread, object, step->op == MOCK_SIGNAL_ROOM);
	case MOCK_PUT:
	case MOCK_PUT_END:
		return put(machine, thread, step);
	case MOCK_GET:
		return get(machine, thread, object);
	default:
		return jump(machine, thread, step);
	}
}

void mock_objects_init(struct mock_machine *machine)
{
	const struct mock_program *program = machine->program;

	machine->objects = xcalloc(program->object_count + 1, sizeof(*machine->objects));
	for (size_t i = 0; i < program->object_count; i++) {
		const struct mock_object *object = &program->objects[i];
		struct mock_state *state = &machine->objects[i];

		state->waiting = state->waiting2 =
			(struct mock_list){MOCK_NO_THREAD, MOCK_NO_THREAD};
		if (object->kind == MOCK_SEMAPHORE || object->kind == MOCK_GROUP)
			state->count = object->size;
		if (object->kind == MOCK_QUEUE)
			state->items = xcalloc(object->size, sizeof(*state->items));
	}
}

void mock_objects_release(struct mock_machine *machine)
{
	for (size_t i = 0; i < machine->program->object_count; i++)
		free(machine->objects[i].items);
	free(machine->objects);
}
