/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/recognise/recognition.h"

#include "base/alloc.h"
#include "base/sorted.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* --- Waits and wakeups in calls ------------------------------------------------------------- */

/*
 * Finds the calls that waits and wakeups were in. A probe is at the entry of a call and none at its
 * return, so steps within a few microseconds of CPU time are taken to be in the call, and a system
 * call at a word of its object after any: interrupts and hypervisors take time. There is no doubt
 * if both ends of an edge are in matching calls on the same object. If system calls are recorded,
 * they decide whether a wait is in a call: a thread that sleeps or reads just after it has got a
 * lock holds the lock meanwhile.
 */

static bool waits_is_call(const struct step *step)
{
	enum step_op op = step_op(step);

	return (op >= STEP_LOCK && op <= STEP_BARRIER) ||
	       (op == STEP_CALL && step_call(step) >= SYNC_MUTEX_LOCK);
}

/* Returns the mutex of a wait on a condition, which the step before it has. */
static uint32_t waits_mutex_of(const struct step *wait)
{
	return step_op(wait - 1) == STEP_UNLOCK ? wait[-1].site : (uint32_t)PROGRAM_NONE;
}

static bool is_condition_wait(const struct step *step)
{
	return step_op(step) == STEP_CALL && step_call(step) == SYNC_COND_WAIT &&
	       step->site != PROGRAM_NONE;
}

static bool is_signal(const struct step *step)
{
	return step_op(step) == STEP_CALL &&
	       (step_call(step) == SYNC_COND_SIGNAL || step_call(step) == SYNC_COND_BROADCAST);
}

static bool can_wait(const struct step *call)
{
	enum step_op op = step_op(call);

	return op == STEP_LOCK || op == STEP_LOCK_SHARED || op == STEP_TAKE || op == STEP_BARRIER ||
	       is_condition_wait(call);
}

/* --- Steps in a call ----------------------------------------------------------------------- */

/* Walks through the calls of a thread. */
struct call_walk {
	const struct program *program;
	const struct program_thread *thread;
	uint64_t most_ns; /* largest CPU time from a call to a step in it */
	bool tells_waits; /* system calls that wait at a word are recorded */
	bool at_word;	  /* the thread is in such a system call */
	bool at_its_word; /* it is in a system call at the word of the library call */
	uint32_t call;	  /* step of the library call; PROGRAM_NONE: none */
	uint64_t run_ns;  /* CPU time since the call, or since a system call at its word ended */
};

static bool waits_is_wait(enum step_op op)
{
	return op == STEP_BLOCK || step_op_is_pause(op);
}

/* Returns whether the step can be in a library call, as system calls are. */
static bool belongs_to_call(const struct step *step)
{
	enum step_op op = step_op(step);

	return op == STEP_NONE || op == STEP_WAKE || waits_is_wait(op) || op == STEP_RETURN ||
	       (op == STEP_CALL && !waits_is_call(step));
}

/*
 * Returns whether a wait shows that the library call is over. The library waits at words, and may
 * have to read a page on the way; a thread that sleeps, or waits for data, has left the call.
 */
static bool ends_call(enum step_op op)
{
	return op == STEP_SLEEP || op == STEP_DUE || op == STEP_EXTERNAL;
}

/*
 * Returns whether the wait, which is near the call of the walk, is in it. If no system calls are
 * recorded, a timed wait is in a call with a time limit, which locks seldom have.
 */
static bool waits_in_call(const struct call_walk *walk, const struct step *wait)
{
	const struct step *call = &walk->thread->steps[walk->call];
	enum step_op op = step_op(wait);

	if (walk->tells_waits)
		return walk->at_word;
	if (op == STEP_SLEEP || op == STEP_DUE)
		return step_op(call) == STEP_TAKE || is_condition_wait(call);
	return op != STEP_DEVICE;
}

/*
 * Returns whether `step` is a system call at a word of the object of the call of the walk. The words
 * of pthread_barrier_t and pthread_rwlock_t are behind its first one, in its first 16 bytes.
 */
static bool is_at_its_word(const struct call_walk *walk, const struct step *step)
{
	const struct program *program = walk->program;
	const uint64_t size = 16;
	const struct site *word, *object;
	uint32_t call_site;

	if (step_op(step) != STEP_CALL || waits_is_call(step) || walk->call == PROGRAM_NONE)
		return false;
	call_site = walk->thread->steps[walk->call].site;
	if (step->site >= program->site_count || call_site >= program->site_count)
		return false;
	word = &program->sites[step->site];
	object = &program->sites[call_site];
	return word == object || (object->address && word->pid == object->pid &&
				  word->address - object->address < size);
}

/* Begins or ends a system call. CPU time in one at the word of the library call does not count. */
static void walk_system_call(struct call_walk *walk, const struct step *step)
{
	bool begins = step_op(step) == STEP_CALL;

	walk->at_word = begins && sync_call_waits_at_word(step_call(step));
	if (walk->at_its_word)
		walk->run_ns = 0;
	walk->at_its_word = begins && is_at_its_word(walk, step);
}

/* Walks to step `number`. Returns whether it is in a call, but is none itself. */
static bool walk_to(struct call_walk *walk, uint32_t number)
{
	const struct step *step = &walk->thread->steps[number];
	enum step_op op = step_op(step);
	bool found;

	walk->run_ns += step_run_ns(step);
	if (op == STEP_CALL || op == STEP_RETURN)
		walk_system_call(walk, step);
	if (waits_is_call(step)) {
		walk->call = number;
		walk->run_ns = 0;
		walk->at_word = walk->at_its_word = false;
		return false;
	}
	if (!belongs_to_call(step) || (walk->run_ns > walk->most_ns && !walk->at_its_word))
		walk->call = PROGRAM_NONE;
	if (walk->call == PROGRAM_NONE)
		return false;
	found = !waits_is_wait(op) || waits_in_call(walk, step);
	if (!found && ends_call(op))
		walk->call = PROGRAM_NONE;
	return found;
}

/* Calls `found` for each step in a call, with that call, up to `most_ns` of CPU time behind it. */
static void walk_calls(const struct recognition *recognition, uint32_t thread, uint64_t most_ns,
		       void (*found)(void *context, uint32_t call, uint32_t step), void *context)
{
	struct call_walk walk = {.program = recognition->program,
				 .thread = &recognition->program->threads[thread],
				 .most_ns = most_ns,
				 .tells_waits = recognition->tells_waits,
				 .call = PROGRAM_NONE};

	for (uint32_t i = 0; i < walk.thread->count; i++)
		if (walk_to(&walk, i))
			found(context, walk.call, i);
}

struct finding_calls {
	const struct recognition *recognition;
	const struct program_thread *thread;
	struct edge_calls *calls;
};

static void note_call(void *context, uint32_t call, uint32_t number)
{
	struct finding_calls *finding = context;
	const struct step *step = &finding->thread->steps[number];
	enum step_op op = step_op(step);

	if ((op != STEP_WAKE && op != STEP_BLOCK) ||
	    !recognition_has_edge(finding->recognition, step->edge))
		return;
	if (op == STEP_WAKE)
		finding->calls[step->edge].wake = call;
	else if (can_wait(&finding->thread->steps[call]))
		finding->calls[step->edge].block = call;
}

/* Returns the lock that a call releases; PROGRAM_NONE: none. */
static uint32_t given_lock(const struct step *call)
{
	if (is_condition_wait(call))
		return waits_mutex_of(call);
	return step_op(call) == STEP_UNLOCK ? call->site : (uint32_t)PROGRAM_NONE;
}

static const struct step *call_at(const struct recognition *recognition, struct place place,
				  uint32_t call)
{
	return &recognition->program->threads[place.thread].steps[call];
}

/* Returns the lock that the waking call of `edge` releases; PROGRAM_NONE: none. */
static uint32_t lock_of_wake(const struct recognition *recognition, const struct edge_calls *calls,
			     uint32_t edge)
{
	if (!recognition_has_edge(recognition, edge) || calls[edge].wake == PROGRAM_NONE)
		return PROGRAM_NONE;
	return given_lock(call_at(recognition, recognition->edges[edge].wake, calls[edge].wake));
}

/* Returns the lock that a call finally takes; PROGRAM_NONE: none. */
static uint32_t taken_lock(const struct step *call)
{
	enum step_op op = step_op(call);

	if (is_condition_wait(call))
		return waits_mutex_of(call);
	return op == STEP_LOCK || op == STEP_LOCK_SHARED ? call->site : (uint32_t)PROGRAM_NONE;
}

/*
 * Corrects the call of waits for locks. A thread that holds a lock does not wait for its release:
 * if it seems to, it was still waiting to get the lock, however long it had spun since its call.
 * `held` [site]: the call that took it, plus one; all 0 before and after.
 */
static void note_locks(const struct recognition *recognition, struct edge_calls *calls,
		       const struct program_thread *thread, uint32_t *held)
{
	for (uint32_t i = 0; i < thread->count; i++) {
		const struct step *step = &thread->steps[i];
		uint32_t lock;

		if (step_op(step) == STEP_UNLOCK)
			held[step->site] = 0;
		lock = taken_lock(step);
		if (lock != PROGRAM_NONE)
			held[lock] = i + 1;
		if (step_op(step) != STEP_BLOCK)
			continue;
		lock = lock_of_wake(recognition, calls, step->edge);
		if (lock != PROGRAM_NONE && held[lock])
			calls[step->edge].block = held[lock] - 1;
	}
	for (uint32_t i = 0; i < thread->count; i++)
		if (taken_lock(&thread->steps[i]) != PROGRAM_NONE)
			held[taken_lock(&thread->steps[i])] = 0;
}

/* --- Matching calls ------------------------------------------------------------------------ */

static bool waits_fits(const struct step *block, const struct step *wake)
{
	switch (step_op(block)) {
	case STEP_LOCK:
	case STEP_LOCK_SHARED:
		return given_lock(wake) == block->site;
	case STEP_TAKE:
		return step_op(wake) == STEP_GIVE && wake->site == block->site;
	case STEP_BARRIER:
		return step_op(wake) == STEP_BARRIER && wake->site == block->site;
	case STEP_CALL:
		return is_condition_wait(block) && waits_mutex_of(block) != PROGRAM_NONE &&
		       given_lock(wake) == waits_mutex_of(block);
	default:
		return false;
	}
}

/* Returns whether `block` waits for a condition and `wake` signals it. */
static bool waits_signals(const struct step *block, const struct step *wake)
{
	return is_condition_wait(block) && is_signal(wake) && wake->site == block->site;
}

bool call_waits_match(const struct recognition *recognition, const struct edge_calls *calls,
		      uint32_t edge)
{
	const struct edge *ends = &recognition->edges[edge];

	if (calls[edge].wake == PROGRAM_NONE || calls[edge].block == PROGRAM_NONE)
		return false;
	return waits_fits(call_at(recognition, ends->block, calls[edge].block),
			  call_at(recognition, ends->wake, calls[edge].wake));
}

/*
 * Finds late ends of calls on conditions. An interrupted thread, or one on a CPU that is taken from
 * the machine, may stay in a call for any time. So up to its next call it can be in the one before;
 * it is if the two ends of an edge are a condition's signal and wait.
 */
static void note_late_ends(const struct recognition *recognition, struct edge_calls *calls)
{
	const struct program *program = recognition->program;
	struct edge_calls *last = xcalloc(program->edge_count, sizeof(*last));

	for (uint32_t i = 0; i < program->edge_count; i++)
		last[i] = (struct edge_calls){PROGRAM_NONE, PROGRAM_NONE};
	for (uint32_t i = 0; i < program->thread_count; i++) {
		struct finding_calls finding = {recognition, &program->threads[i], last};

		walk_calls(recognition, i, UINT64_MAX, note_call, &finding);
	}
	for (uint32_t i = 0; i < program->edge_count; i++) {
		const struct edge *ends = &recognition->edges[i];

		if (last[i].wake == PROGRAM_NONE || last[i].block == PROGRAM_NONE)
			continue;
		if (waits_signals(call_at(recognition, ends->block, last[i].block),
				  call_at(recognition, ends->wake, last[i].wake)))
			calls[i] = last[i];
	}
	free(last);
}

struct edge_calls *call_waits_find(const struct recognition *recognition)
{
	const struct program *program = recognition->program;
	struct edge_calls *calls = xcalloc(program->edge_count, sizeof(*calls));
	uint32_t *held = xcalloc(program->site_count, sizeof(*held));

	for (uint32_t i = 0; i < program->edge_count; i++)
		calls[i] = (struct edge_calls){PROGRAM_NONE, PROGRAM_NONE};
	for (uint32_t i = 0; i < program->thread_count; i++) {
		struct finding_calls finding = {recognition, &program->threads[i], calls};

		walk_calls(recognition, i, STEP_CALL_NS, note_call, &finding);
	}
	note_late_ends(recognition, calls);
	for (size_t i = 0; i < program->thread_count; i++)
		note_locks(recognition, calls, &program->threads[i], held);
	free(held);
	return calls;
}

/* --- Removal of waits ---------------------------------------------------------------------- */

/* If the edge is the signal of a condition to a thread that waits for it, the wait is named so. */
static void name_signal(struct recognition *recognition, const struct edge_calls *calls,
			uint32_t edge)
{
	const struct edge *ends = &recognition->edges[edge];
	const struct step *block = call_at(recognition, ends->block, calls[edge].block);
	const struct step *wake;

	if (calls[edge].wake == PROGRAM_NONE)
		return;
	wake = call_at(recognition, ends->wake, calls[edge].wake);
	if (waits_signals(block, wake))
		recognition_step(recognition, ends->block)->site = block->site;
}

static void take_out_edge(struct recognition *recognition, const struct edge_calls *calls,
			  uint32_t edge)
{
	if (calls[edge].block == PROGRAM_NONE)
		return;
	if (call_waits_match(recognition, calls, edge)) {
		struct place call = {recognition->edges[edge].block.thread, calls[edge].block};

		if (step_op(recognition_step(recognition, call)) == STEP_BARRIER)
			recognition_step(recognition, call)->count =
				recognition_work_us(recognition, edge);
		recognition_forget_edge(recognition, edge);
		recognition->found->waits++;
	} else {
		name_signal(recognition, calls, edge);
	}
}

struct moving_calls {
	struct program_thread *thread;
	uint32_t *last_wait; /* [step of a call]: last wait left in it, plus one */
};

static void note_wait(void *context, uint32_t call, uint32_t number)
{
	struct moving_calls *moving = context;
	enum step_op op = step_op(&moving->thread->steps[number]);

	if (waits_is_wait(op) && can_wait(&moving->thread->steps[call]))
		moving->last_wait[call] =
			number + 1 > moving->last_wait[call] ? number + 1 : moving->last_wait[call];
}

/* Turns a wait on a condition into the lock of its mutex, taken after the signal. */
static void end_condition_wait(struct step *wait)
{
	uint32_t mutex = waits_mutex_of(wait);

	if (mutex == PROGRAM_NONE)
		step_become(wait, STEP_NONE);
	else
		step_become_at(wait, STEP_LOCK, mutex, 1);
}

/* Notes waits that come late in a call. */
static void note_edges(struct moving_calls *moving, const struct recognition *recognition,
		       const struct edge_calls *calls)
{
	for (uint32_t i = 0; i < moving->thread->count; i++) {
		const struct step *step = &moving->thread->steps[i];

		if (step_op(step) == STEP_BLOCK && recognition_has_edge(recognition, step->edge) &&
		    calls[step->edge].block != PROGRAM_NONE)
			note_wait(moving, calls[step->edge].block, i);
	}
}

static void move_calls(struct recognition *recognition, const struct edge_calls *calls,
		       uint32_t thread)
{
	struct program_thread *own = &recognition->program->threads[thread];
	struct moving_calls moving = {own, xcalloc(own->count, sizeof(*moving.last_wait))};

	walk_calls(recognition, thread, STEP_CALL_NS, note_wait, &moving);
	note_edges(&moving, recognition, calls);
	for (uint32_t i = 0; i < own->count; i++) {
		if (is_condition_wait(&own->steps[i]))
			end_condition_wait(&own->steps[i]);
		if (moving.last_wait[i])
			recognition_move_back(recognition, thread, i, moving.last_wait[i] - 1);
	}
	free(moving.last_wait);
}

void call_waits_take_out(struct recognition *recognition, const struct edge_calls *calls)
{
	for (uint32_t i = 0; i < recognition->program->edge_count; i++)
		take_out_edge(recognition, calls, i);
	for (uint32_t i = 0; i < recognition->program->thread_count; i++)
		move_calls(recognition, calls, i);
}

/* --- The order of calls --------------------------------------------------------------------- */

/*
 * Properties of an object by the order of its calls: the first number of tokens of a semaphore, and
 * the number of threads that meet at a barrier, if the call that sets it is not recorded.
 */

/* A call at an object; sorted by object and order. */
struct visit {
	uint32_t site;
	uint32_t thread, step;
	bool later;	/* just after `order`, not at the call */
	uint64_t order; /* place of the call, or of the one that ended its wait */
};

struct visits {
	struct visit *items;
	size_t count, capacity;
};

static int by_order(const void *a, const void *b)
{
	const struct visit *x = a, *y = b;

	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	if (x->later != y->later)
		return x->later ? 1 : -1;
	return x->thread != y->thread ? compare_values(x->thread, y->thread)
				      : compare_values(x->step, y->step);
}

uint64_t call_order_unwrap(uint32_t low, uint64_t near)
{
	const int64_t turn = 1 << 24;
	int64_t ahead = ((int64_t)low - (int64_t)(near % (uint64_t)turn)) % turn;

	if (ahead < -turn / 2)
		ahead += turn;
	if (ahead > turn / 2)
		ahead -= turn;
	return (int64_t)near + ahead < 0 ? low : (uint64_t)((int64_t)near + ahead);
}

/* --- Gathering ----------------------------------------------------------------------------- */

static bool is_ordered(const struct step *step)
{
	enum step_op op = step_op(step);

	return op == STEP_TAKE || op == STEP_GIVE || op == STEP_BARRIER;
}

/* Returns whether the end of the wait is not recorded: such a call is last in the order. */
static bool waits_forever(const struct program_thread *thread, uint32_t call)
{
	const struct step *next = &thread->steps[call] + 1;

	while (next < thread->steps + thread->count && step_op(next) == STEP_CALL)
		next++;
	return next < thread->steps + thread->count && step_op(next) == STEP_BLOCK &&
	       next->edge == PROGRAM_NONE;
}

/* Gathers the calls of a thread. `near` [site]: its last place there. */
static void gather_thread(struct visits *visits, const struct program *program, uint32_t thread,
			  uint64_t *near)
{
	const struct program_thread *own = &program->threads[thread];

	for (uint32_t i = 0; i < own->count; i++) {
		const struct step *step = &own->steps[i];

		if (!is_ordered(step))
			continue;
		near[step->site] = call_order_unwrap(step_call_order(step), near[step->site]);
		array_reserve(&visits->items, &visits->capacity, visits->count + 1);
		visits->items[visits->count++] = (struct visit){
			.site = step->site,
			.thread = thread,
			.step = i,
			.order = waits_forever(own, i) ? UINT64_MAX : near[step->site]};
	}
	for (uint32_t i = 0; i < own->count; i++)
		if (is_ordered(&own->steps[i]))
			near[own->steps[i].site] = 0;
}

static struct visit *visit_at(struct visits *visits, const size_t *first, uint32_t thread,
			      uint32_t step)
{
	size_t low = first[thread], high = first[thread + 1];

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (visits->items[middle].step < step)
			low = middle + 1;
		else
			high = middle;
	}
	return &visits->items[low];
}

/* Moves takes that waited behind the call that woke them, which gave the token. */
static void delay_waits(struct visits *visits, const struct recognition *recognition,
			const struct edge_calls *calls, const size_t *first)
{
	for (uint32_t i = 0; i < recognition->program->edge_count; i++) {
		const struct edge *ends = &recognition->edges[i];
		struct visit *take, *give;

		if (!call_waits_match(recognition, calls, i) ||
		    step_op(&recognition->program->threads[ends->block.thread]
				     .steps[calls[i].block]) != STEP_TAKE)
			continue;
		take = visit_at(visits, first, ends->block.thread, calls[i].block);
		give = visit_at(visits, first, ends->wake.thread, calls[i].wake);
		if (give->order >= take->order) {
			take->order = give->order;
			take->later = true;
		}
	}
}

static void order_gather(struct visits *visits, const struct recognition *recognition,
			 const struct edge_calls *calls)
{
	const struct program *program = recognition->program;
	size_t *first = xcalloc(program->thread_count + 1, sizeof(*first));
	uint64_t *near = xcalloc(program->site_count, sizeof(*near));

	for (uint32_t i = 0; i < program->thread_count; i++) {
		first[i] = visits->count;
		gather_thread(visits, program, i, near);
	}
	first[program->thread_count] = visits->count;
	delay_waits(visits, recognition, calls, first);
	sort_items(visits->items, visits->count, by_order);
	free(near);
	free(first);
}

static struct step *order_step_of(const struct recognition *recognition, const struct visit *visit)
{
	return &recognition->program->threads[visit->thread].steps[visit->step];
}

/* --- Tokens -------------------------------------------------------------------------------- */

static uint32_t least_tokens(const struct recognition *recognition, const struct visit *visits,
			     size_t count)
{
	int64_t level = 0, lowest = 0;

	for (size_t i = 0; i < count && visits[i].order < UINT64_MAX; i++) {
		level += step_op(order_step_of(recognition, &visits[i])) == STEP_GIVE ? 1 : -1;
		lowest = level < lowest ? level : lowest;
	}
	return (uint32_t)-lowest;
}

/* Sets the count of each take to its place among those of its site, and that of others to 1. */
static void number_takes(const struct recognition *recognition, const struct visits *visits)
{
	uint32_t number = 0;

	for (size_t i = 0; i < visits->count; i++) {
		struct step *step = order_step_of(recognition, &visits->items[i]);

		if (i && visits->items[i - 1].site != visits->items[i].site)
			number = 0;
		if (is_ordered(step))
			step->count = step_op(step) == STEP_TAKE ? number++ : 1;
	}
}

/* --- Barriers ------------------------------------------------------------------------------ */

/* Returns the number of threads, if each of them comes equally often; else 0. */
static uint32_t parties_of(const struct visit *visits, size_t count, size_t thread_count)
{
	uint32_t *arrivals = xcalloc(thread_count, sizeof(*arrivals));
	uint32_t parties = 0, each = 0;
	bool equal = true;

	for (size_t i = 0; i < count; i++)
		parties += arrivals[visits[i].thread]++ == 0;
	for (size_t i = 0; i < thread_count; i++) {
		each = each ? each : arrivals[i];
		equal = equal && (!arrivals[i] || arrivals[i] == each);
	}
	free(arrivals);
	return equal ? parties : 0;
}

/*
 * Returns the number of first arrivals that belong to a generation from before the recording. The
 * last thread of a generation wakes the others; a vote decides, as probes may be hit in another
 * order than threads are counted in.
 */
static uint32_t first_of(const bool *wakes, size_t count, uint32_t parties)
{
	uint32_t *votes = xcalloc(parties, sizeof(*votes));
	uint32_t best = 0;

	for (size_t i = 0; i < count; i++)
		votes[(i + 1) % parties] += wakes[i];
	for (uint32_t i = 1; i < parties; i++)
		best = votes[i] > votes[best] ? i : best;
	free(votes);
	return best;
}

static void drop_arrivals(struct recognition *recognition, const struct visit *visits, size_t count)
{
	for (size_t i = 0; i < count; i++)
		step_drop_call(order_step_of(recognition, &visits[i]), SYNC_BARRIER_WAIT);
}

/* Returns whether a wakeup follows the call, as for the last thread at a barrier. */
static bool wakes_another(const struct recognition *recognition, const struct visit *visit)
{
	const struct program_thread *thread = &recognition->program->threads[visit->thread];

	for (size_t i = visit->step + 1; i < thread->count; i++) {
		enum step_op op = step_op(&thread->steps[i]);

		if (op == STEP_WAKE)
			return true;
		if (op != STEP_CALL && op != STEP_NONE)
			return false;
	}
	return false;
}

static void apply_barrier(struct recognition *recognition, const struct visit *visits, size_t count,
			  bool initialised)
{
	struct site *site = &recognition->program->sites[visits->site];
	bool *wakes = xcalloc(count, sizeof(*wakes));

	if (!initialised || !site->parties)
		site->parties = parties_of(visits, count, recognition->program->thread_count);
	for (size_t i = 0; i < count; i++)
		wakes[i] = wakes_another(recognition, &visits[i]);
	if (!site->parties || site->parties > count) {
		drop_arrivals(recognition, visits, count);
	} else {
		size_t skipped = first_of(wakes, count, site->parties);
		size_t whole = (count - skipped) / site->parties * site->parties;

		drop_arrivals(recognition, visits, skipped);
		drop_arrivals(recognition, visits + skipped + whole, count - skipped - whole);
	}
	free(wakes);
}

static void apply_site(struct recognition *recognition, const struct visit *visits, size_t count,
		       uint32_t inits)
{
	struct site *site = &recognition->program->sites[visits->site];

	if (site->kind == SITE_BARRIER)
		apply_barrier(recognition, visits, count, inits == 1);
	else if (inits != 1)
		site->tokens = least_tokens(recognition, visits, count);
	site->counted = inits == 1;
}

void call_order_apply(struct recognition *recognition, const struct edge_calls *calls,
		      const uint32_t *inits)
{
	struct visits visits = {0};
	size_t end;

	order_gather(&visits, recognition, calls);
	for (size_t i = 0; i < visits.count; i = end) {
		for (end = i + 1; end < visits.count; end++)
			if (visits.items[end].site != visits.items[i].site)
				break;
		apply_site(recognition, &visits.items[i], end - i, inits[visits.items[i].site]);
	}
	number_takes(recognition, &visits);
	free(visits.items);
}
