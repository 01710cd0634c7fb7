/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/recognise/recognition.h"

#include "base/alloc.h"
#include "base/sorted.h"

#include <stdlib.h>

/* --- Stretches with a mutex held ----------------------------------------------------------- */

enum { NOWHERE = PROGRAM_NONE };

struct stretch {
	uint32_t mutex, thread;
	uint32_t begin;	       /* step of its lock; 0: it began before the recording */
	uint32_t tells;	       /* step of its signal or broadcast; NOWHERE: none */
	uint32_t told, waited; /* conditions; NOWHERE: none */
	uint64_t order;	       /* place of its unlock among the calls on the mutex */
	uint64_t wait_order;   /* place of its last wait so far */
	uint32_t count; /* counter: broadcasts up to and with its own; queue: tokens that its own
			   one gives */
	bool all;	/* its signal is a broadcast */
	bool odd;	/* it has other calls, too */
	bool gets;	/* it takes a token of a queue */
};

/* The end of a stretch, or a wait in it. */
struct look {
	struct stretch *stretch;
	uint64_t order;
	bool waits;
};

/* A wait in a stretch, if the stretch of that number is of the thread: it may have had no end. */
struct inner_wait {
	size_t stretch;
	uint32_t thread;
	uint64_t order;
};

struct stretches {
	const struct program *program;
	/* Notes a call with the mutex of `open` held; false: a call on no condition. */
	bool (*take)(void *context, struct stretch *open, const struct step *step, uint32_t number);
	void *context;
	struct stretch *items; /* in the order of threads and steps */
	size_t count, capacity;
	struct inner_wait *waits;
	size_t wait_count, wait_capacity;
	struct look *looks; /* in the order of mutexes, and of the calls on each */
	size_t look_count;
	size_t *uses, *odd; /* [site]: all uses, and the odd ones */
	uint64_t *near;	    /* [site]: last place of the thread's calls */
	bool is_behind;	    /* the previous call of the thread ended the last stretch */
};

static bool is_object_call(const struct step *step)
{
	return step_is_library_call(step) && step->site != PROGRAM_NONE;
}

static void note_wait(struct stretches *stretches, const struct stretch *open)
{
	array_reserve(&stretches->waits, &stretches->wait_capacity, stretches->wait_count + 1);
	stretches->waits[stretches->wait_count++] =
		(struct inner_wait){stretches->count, open->thread, open->wait_order};
}

/* Handles a call with the mutex of `open` held. Returns whether the mutex stays held. */
static bool stretch_goes_on(struct stretches *stretches, struct stretch *open,
			    const struct step *step, uint32_t number)
{
	enum sync_call call = step_call(step);

	if (number == open->begin)
		return true;
	if (stretches->take(stretches->context, open, step, number)) {
		if (call == SYNC_COND_WAIT && open->waited != NOWHERE)
			note_wait(stretches, open);
		return true;
	}
	open->odd |= step->site != open->mutex || (call != SYNC_NONE && call != SYNC_MUTEX_UNLOCK);
	stretches->odd[step->site] += step->site != open->mutex;
	if (call == SYNC_MUTEX_UNLOCK)
		open->order = call_order_unwrap(step_call_order(step), open->order);
	return call != SYNC_MUTEX_UNLOCK;
}

static void end_stretch(struct stretches *stretches, struct stretch *open)
{
	stretches->near[open->mutex] = open->order;
	stretches->uses[open->mutex]++;
	stretches->odd[open->mutex] += open->odd;
	array_reserve(&stretches->items, &stretches->capacity, stretches->count + 1);
	stretches->items[stretches->count++] = *open;
	open->mutex = NOWHERE;
	stretches->is_behind = true;
}

/* Returns whether the call is a signal just behind the unlock, as some programs do. */
static bool tells_behind(struct stretches *stretches, const struct step *step, uint32_t number)
{
	return stretches->is_behind && step_call(step) != SYNC_COND_WAIT &&
	       stretches->items[stretches->count - 1].tells == NOWHERE &&
	       stretches->take(stretches->context, &stretches->items[stretches->count - 1], step,
			       number);
}

/*
 * Handles a call without a mutex held. Any use of a mutex but to hold it for a stretch is odd; but
 * a thread whose first call is an unlock was waiting when the recording began.
 */
static void begin_stretch(struct stretches *stretches, struct stretch *open, bool first,
			  const struct step *step, uint32_t number)
{
	bool locks = step_call(step) == SYNC_MUTEX_LOCK;
	bool held = first && number && step_call(step) == SYNC_MUTEX_UNLOCK &&
		    !stretches->program->threads[open->thread].forked;

	if (locks || held)
		*open = (struct stretch){.mutex = step->site,
					 .thread = open->thread,
					 .begin = locks ? number : 0,
					 .tells = NOWHERE,
					 .told = NOWHERE,
					 .waited = NOWHERE,
					 .order = stretches->near[step->site]};
	else if (!tells_behind(stretches, step, number))
		stretches->odd[step->site]++;
	stretches->is_behind = false;
}

static void find_stretches(struct stretches *stretches, uint32_t thread)
{
	const struct program_thread *own = &stretches->program->threads[thread];
	struct stretch open = {.mutex = NOWHERE, .thread = thread};
	bool first = true;

	stretches->is_behind = false;
	for (uint32_t i = 0; i < own->count; i++) {
		const struct step *step = &own->steps[i];

		if (!is_object_call(step))
			continue;
		if (open.mutex == NOWHERE)
			begin_stretch(stretches, &open, first, step, i);
		if (open.mutex != NOWHERE && !stretch_goes_on(stretches, &open, step, i))
			end_stretch(stretches, &open);
		first = false;
	}
	for (uint32_t i = 0; i < own->count; i++)
		if (is_object_call(&own->steps[i]))
			stretches->near[own->steps[i].site] = 0;
}

static int by_mutex(const void *a, const void *b)
{
	const struct look *x = a, *y = b;

	if (x->stretch->mutex != y->stretch->mutex)
		return compare_values(x->stretch->mutex, y->stretch->mutex);
	return x->order != y->order ? compare_values(x->order, y->order)
				    : compare_values(y->waits, x->waits);
}

/* The caller has set `take` and `context` of `stretches`. */
static void stretches_find(struct stretches *stretches, const struct program *program)
{
	stretches->program = program;
	stretches->uses = xcalloc(program->site_count, sizeof(*stretches->uses));
	stretches->odd = xcalloc(program->site_count, sizeof(*stretches->odd));
	stretches->near = xcalloc(program->site_count, sizeof(*stretches->near));
	for (uint32_t i = 0; i < program->thread_count; i++)
		find_stretches(stretches, i);
	stretches->looks =
		xcalloc(stretches->count + stretches->wait_count + 1, sizeof(*stretches->looks));
	for (size_t i = 0; i < stretches->count; i++)
		stretches->looks[stretches->look_count++] =
			(struct look){&stretches->items[i], stretches->items[i].order, false};
	for (size_t i = 0; i < stretches->wait_count; i++) {
		const struct inner_wait *wait = &stretches->waits[i];

		if (wait->stretch < stretches->count &&
		    stretches->items[wait->stretch].thread == wait->thread)
			stretches->looks[stretches->look_count++] =
				(struct look){&stretches->items[wait->stretch], wait->order, true};
	}
	sort_items(stretches->looks, stretches->look_count, by_mutex);
}

static void stretches_release(struct stretches *stretches)
{
	free(stretches->items);
	free(stretches->waits);
	free(stretches->looks);
	free(stretches->uses);
	free(stretches->odd);
	free(stretches->near);
}

/* --- Steps that are put in ----------------------------------------------------------------- */

/* A step to insert into a thread. */
struct insertion {
	uint32_t thread, before; /* the step behind it */
	struct step step;
};

struct insertions {
	struct insertion *items;
	size_t count, capacity;
};

static void insertions_add(struct insertions *insertions, uint32_t thread, uint32_t before,
			   struct step step)
{
	array_reserve(&insertions->items, &insertions->capacity, insertions->count + 1);
	insertions->items[insertions->count++] = (struct insertion){thread, before, step};
}

static int by_place(const void *a, const void *b)
{
	const struct insertion *x = a, *y = b;

	if (x->thread != y->thread)
		return compare_values(x->thread, y->thread);
	return x->before != y->before ? compare_values(x->before, y->before)
				      : compare_values(x->step.edge, y->step.edge);
}

/* Inserts the steps of a thread, which get the CPU time before the step behind them. */
static size_t insertions_put_in(const struct insertions *insertions, struct program *program,
				size_t first)
{
	const struct insertion *items = insertions->items;
	struct program_thread *thread = &program->threads[items[first].thread];
	size_t end = first, next = first;
	struct step *steps;
	uint32_t count = 0;

	while (end < insertions->count && items[end].thread == items[first].thread)
		end++;
	steps = xcalloc(thread->count + (end - first), sizeof(*steps));
	for (uint32_t i = 0; i < thread->count; i++) {
		struct step step = thread->steps[i];

		for (; next < end && items[next].before == i; next++) {
			steps[count] = items[next].step;
			steps[count].run_op =
				step_run_op(step_run_ns(&step), step_op(&items[next].step));
			step.run_op = step_run_op(0, step_op(&step));
			count++;
		}
		steps[count++] = step;
	}
	free(thread->steps);
	thread->steps = steps;
	thread->count = thread->capacity = count;
	return end;
}

static void insertions_apply(struct insertions *insertions, struct program *program)
{
	sort_items(insertions->items, insertions->count, by_place);
	for (size_t i = 0; i < insertions->count;)
		i = insertions_put_in(insertions, program, i);
	free(insertions->items);
}

/* --- Conditions that are queues ------------------------------------------------------------- */

/*
 * Queues made of a mutex and conditions. A thread that finds an item in such a queue does not wait,
 * so the recorded signals do not show all dependencies: on other cores the thread may have to wait.
 * But every put and every get shows as a stretch with the mutex held:
 *
 *	put:	lock(m) [wait(room, m)] ... signal(items) unlock(m)
 *	get:	lock(m) [wait(items, m)] ... [signal(room)] unlock(m)
 *
 * Each put gives a token of `items` and each get takes one, and likewise with `room` if a thread
 * ever waited for that. If none did, the room is not known.
 *
 * The order of stretches shows the number of items. A thread that waits for items has found none. A
 * get without an item is a get of an item from before the recording, as long as their number is not
 * known; or of the end, if a broadcast has announced it, which gives a token then; else it is odd,
 * as any other use of the mutex is. The mutex is that of a queue if few uses are odd.
 *
 * If no thread has waited, as on one core, the first thread that signals puts, and there must be as
 * many gets as puts in the end: else mutexes of conditions that do not order threads, as those of
 * counters, would be queues.
 */

/* The facts on a mutex. */
struct monitor {
	uint32_t items, room; /* conditions; NOWHERE: none */
	uint32_t elder;	      /* a user from before the recording; NOWHERE: none */
	bool known;	      /* `level` is known */
	bool waited;	      /* condition: a thread has waited for it */
	bool room_is_short;   /* a thread has waited for `room` */
	bool rejected;
	size_t level;		   /* puts so far minus gets */
	size_t puts, odd;	   /* stretches */
	size_t begun;		   /* gets of items from before the recording */
	struct stretch *broadcast; /* the last broadcast */
};

struct monitors {
	struct recognition *recognition;
	struct stretches stretches;
	struct monitor *items; /* [site] */
	struct insertions insertions;
};

/* Notes a call. If the call just before a wait names no mutex, the wait may release another one. */
static bool queues_take(void *context, struct stretch *open, const struct step *step,
			uint32_t number)
{
	enum sync_call call = step_call(step);

	(void)context;
	if (call == SYNC_COND_SIGNAL || call == SYNC_COND_BROADCAST) {
		open->odd |= open->tells != NOWHERE;
		open->all = call == SYNC_COND_BROADCAST;
		open->tells = number;
		open->told = step->site;
		return true;
	}
	if (call != SYNC_COND_WAIT)
		return false;
	open->odd |= !is_object_call(step - 1) || step_call(step - 1) != SYNC_NONE ||
		     (open->waited != NOWHERE && open->waited != step->site);
	open->waited = step->site;
	open->wait_order = call_order_unwrap(step_call_order(step - 1), open->order);
	return true;
}

/* --- Conditions of queues ------------------------------------------------------------------ */

/* Names the conditions of mutexes: first those waited for, and of them the first one signalled. */
static void name_conditions(struct monitors *monitors, bool waited)
{
	for (size_t i = 0; i < monitors->stretches.look_count; i++) {
		const struct look *look = &monitors->stretches.looks[i];
		struct monitor *monitor = &monitors->items[look->stretch->mutex];
		uint32_t told = look->stretch->told;

		if (told == NOWHERE || look->waits || look->stretch->all ||
		    (waited && !monitors->items[told].waited))
			continue;
		if (monitor->items == NOWHERE) {
			monitor->items = told;
		} else if (told != monitor->items && monitor->room == NOWHERE) {
			bool empty = !waited && monitor->known && !monitor->puts;

			monitor->room = empty ? monitor->items : told;
			monitor->items = empty ? told : monitor->items;
		}
		monitor->puts += !waited && told == monitor->items;
	}
}

static bool queues_is_put(const struct monitor *monitor, const struct stretch *stretch)
{
	return stretch->told == monitor->items && !stretch->all;
}

/* Notes a get: of an item, or of the end if a broadcast came before. */
static void queues_get(struct monitor *monitor, struct stretch *stretch)
{
	bool ends = stretch->told == NOWHERE && monitor->room != NOWHERE;

	stretch->gets = true;
	if (monitor->level > 0 && !ends) {
		monitor->level--;
	} else if (monitor->level == 0 && monitor->broadcast) {
		monitor->broadcast->count++;
	} else if (monitor->known || ends) {
		stretch->gets = false;
		monitor->odd++;
	} else {
		monitor->begun++;
	}
}

/* Classifies a stretch at its unlock: a put, a get, or neither. */
static void queues_end(struct monitor *monitor, struct stretch *stretch)
{
	bool waited_well = stretch->waited == NOWHERE ||
			   stretch->waited == (queues_is_put(monitor, stretch) ? monitor->room
									       : monitor->items);

	if (stretch->odd)
		return;
	if (stretch->all) {
		monitor->broadcast = stretch;
	} else if (!waited_well || (stretch->told != NOWHERE && stretch->told != monitor->items &&
				    stretch->told != monitor->room)) {
		monitor->odd++;
		stretch->odd = true;
	} else if (queues_is_put(monitor, stretch)) {
		stretch->count = 1;
		monitor->level++;
	} else {
		queues_get(monitor, stretch);
	}
}

/* Notes the begin of a wait: a thread that waits for items has found none. */
static void queues_wait(struct monitor *monitor, const struct stretch *stretch)
{
	if (stretch->odd || stretch->waited != monitor->items)
		return;
	monitor->odd += monitor->level > 0;
	monitor->level = 0;
	monitor->known = true;
}

static void note_uses(struct monitors *monitors)
{
	for (size_t i = 0; i < monitors->stretches.count; i++) {
		const struct stretch *stretch = &monitors->stretches.items[i];
		struct monitor *monitor = &monitors->items[stretch->mutex];

		if (stretch->waited != NOWHERE)
			monitors->items[stretch->waited].waited = true;
		if (stretch->told != NOWHERE)
			monitors->stretches.uses[stretch->told]++;
		if (monitors->recognition->program->threads[stretch->thread].forked)
			continue;
		monitor->known &= monitor->elder == NOWHERE || monitor->elder == stretch->thread;
		monitor->elder = stretch->thread;
	}
}

static void follow_levels(struct monitors *monitors)
{
	for (size_t i = 0; i < monitors->stretches.look_count; i++) {
		const struct look *look = &monitors->stretches.looks[i];
		struct monitor *monitor = &monitors->items[look->stretch->mutex];

		if (look->waits)
			queues_wait(monitor, look->stretch);
		else
			queues_end(monitor, look->stretch);
	}
}

/*
 * Judges mutexes. A queue that no thread found empty is empty in the end: other uses are less even.
 */
static void queues_judge(struct monitors *monitors)
{
	const size_t few = 10;

	note_uses(monitors);
	name_conditions(monitors, true);
	name_conditions(monitors, false);
	follow_levels(monitors);
	for (size_t i = 0; i < monitors->recognition->program->site_count; i++) {
		struct monitor *monitor = &monitors->items[i];
		size_t left = monitor->level + monitor->begun;

		monitor->room_is_short =
			monitor->room != NOWHERE && monitors->items[monitor->room].waited;
		if (monitor->room_is_short ||
		    (monitor->items != NOWHERE && monitors->items[monitor->items].waited))
			left = 0;
		monitor->odd += monitors->stretches.odd[i];
		monitor->rejected = (monitor->odd + left) * few > monitors->stretches.uses[i] ||
				    (left && !monitor->known && monitor->room != NOWHERE);
	}
}

/* Rejects mutexes whose condition is also used with another mutex. */
static void reject_shared_conditions(struct monitors *monitors)
{
	size_t site_count = monitors->recognition->program->site_count;
	uint32_t *owners = xcalloc(site_count, sizeof(*owners));

	for (size_t i = 0; i < monitors->stretches.count; i++) {
		const struct stretch *stretch = &monitors->stretches.items[i];
		const uint32_t used[] = {stretch->told, stretch->waited};

		for (size_t j = 0; j < 2; j++) {
			if (used[j] == NOWHERE)
				continue;
			if (owners[used[j]] && owners[used[j]] != stretch->mutex + 1)
				monitors->items[stretch->mutex].rejected =
					monitors->items[owners[used[j]] - 1].rejected = true;
			if (monitors->items[used[j]].rejected)
				monitors->items[stretch->mutex].rejected = true;
			owners[used[j]] = stretch->mutex + 1;
		}
	}
	free(owners);
}

/* --- Rewriting ----------------------------------------------------------------------------- */

/*
 * Removes the edges of waits for a condition, which are waits for its token now, and of its mutex.
 * Edges within STEP_CALL_NS of CPU time are in the call, and so are those in a system call that
 * waits. Returns the step behind them.
 */
static uint32_t drop_edges(struct recognition *recognition, const struct program_thread *thread,
			   uint32_t from)
{
	uint64_t run_ns = 0;
	bool at_word = false;
	uint32_t i = from;

	for (; i < thread->count && !is_object_call(&thread->steps[i]); i++) {
		const struct step *step = &thread->steps[i];
		enum step_op op = step_op(step);

		run_ns += step_run_ns(step);
		if (op == STEP_CALL || op == STEP_RETURN)
			at_word = op == STEP_CALL && sync_call_waits_at_word(step_call(step));
		if ((run_ns > STEP_CALL_NS && !at_word) || (op != STEP_BLOCK && op != STEP_WAKE) ||
		    !recognition_has_edge(recognition, step->edge))
			continue;
		recognition_forget_edge(recognition, step->edge);
		recognition->found->waits++;
	}
	return i;
}

static void drop_waits(struct recognition *recognition, const struct stretch *stretch)
{
	struct program_thread *thread = &recognition->program->threads[stretch->thread];
	struct step *steps = thread->steps;
	uint32_t i = stretch->begin;

	i = is_object_call(&steps[i]) ? i + 1 : drop_edges(recognition, thread, i);
	while (i < thread->count &&
	       !(is_object_call(&steps[i]) && step_call(&steps[i]) == SYNC_MUTEX_UNLOCK)) {
		if (is_object_call(&steps[i]) && step_call(&steps[i]) == SYNC_COND_WAIT) {
			step_drop_call(&steps[i - 1], SYNC_COND_WAIT);
			step_drop_call(&steps[i], SYNC_COND_WAIT);
			i = drop_edges(recognition, thread, i + 1);
		} else {
			i++;
		}
	}
}

/* Inserts a call on a token of `site`. */
static void insert_call(struct monitors *monitors, const struct stretch *stretch, uint32_t before,
			uint32_t site, enum sync_call call)
{
	insertions_add(&monitors->insertions, stretch->thread, before,
		       (struct step){.run_op = step_run_op(0, STEP_CALL),
				     .site = site,
				     .count = step_call_count(call, stretch->order)});
}

static void rewrite_stretch(struct monitors *monitors, const struct stretch *stretch)
{
	const struct monitor *monitor = &monitors->items[stretch->mutex];
	bool puts = queues_is_put(monitor, stretch);
	struct step *tells =
		&monitors->recognition->program->threads[stretch->thread].steps[stretch->tells];

	for (uint32_t i = 0; stretch->all && i < stretch->count; i++)
		insert_call(monitors, stretch, stretch->tells + 1, monitor->items, SYNC_SEM_POST);
	if (stretch->all || !(puts || stretch->gets))
		return;
	if (!puts || monitor->room_is_short)
		insert_call(monitors, stretch, stretch->begin,
			    puts ? monitor->room : monitor->items, SYNC_SEM_WAIT);
	drop_waits(monitors->recognition, stretch);
	if (stretch->tells == NOWHERE)
		return;
	if (puts || monitor->room_is_short)
		step_become_at(tells, STEP_CALL, stretch->told,
			       step_call_count(SYNC_SEM_POST, stretch->order));
	else
		step_drop_call(tells, SYNC_COND_SIGNAL);
}

void condition_queues_rewrite(struct recognition *recognition)
{
	struct program *program = recognition->program;
	struct monitors monitors = {.recognition = recognition,
				    .items = xcalloc(program->site_count, sizeof(*monitors.items))};
	struct stretches *stretches = &monitors.stretches;

	*stretches = (struct stretches){.take = queues_take};
	for (size_t i = 0; i < program->site_count; i++)
		monitors.items[i] = (struct monitor){
			.items = NOWHERE, .room = NOWHERE, .elder = NOWHERE, .known = true};
	stretches_find(stretches, program);
	queues_judge(&monitors);
	reject_shared_conditions(&monitors);
	for (size_t i = 0; i < stretches->count; i++) {
		const struct stretch *stretch = &stretches->items[i];
		const struct monitor *monitor = &monitors.items[stretch->mutex];

		if (monitor->puts && !monitor->rejected && !stretch->odd)
			rewrite_stretch(&monitors, stretch);
	}
	insertions_apply(&monitors.insertions, program);
	stretches_release(stretches);
	free(monitors.items);
}

/* --- Conditions that signal progress -------------------------------------------------------- */

/*
 * Counters made of a mutex and a condition: one thread counts its progress up and broadcasts, and
 * other threads follow as far as it has come, for example to code the next picture row by row:
 *
 *	progress:	lock(m) ... broadcast(c) unlock(m)
 *	follow:		lock(m) [wait(c, m) ...] unlock(m)
 *
 * On few cores the followers mostly need not wait, as the first thread is far ahead, and then the
 * recording has no edge between the two; on more cores they have to. The count that a follower
 * needs is known if it did wait: it went on after the n-th broadcast and not after the one before.
 * Between two waits this count is taken to grow evenly, up to the count when the follower passed.
 */

/* The facts on a mutex. */
struct counter {
	uint32_t condition; /* NOWHERE: none yet */
	bool rejected;
};

struct counters {
	struct program *program;
	struct counter *items; /* [site] */
	struct stretches stretches;
	struct insertions insertions;
};

static void use_condition(struct counter *counter, uint32_t site)
{
	counter->rejected |= counter->condition != NOWHERE && counter->condition != site;
	counter->condition = site;
}

static bool counters_take(void *context, struct stretch *open, const struct step *step,
			  uint32_t number)
{
	struct counters *counters = context;
	struct counter *counter = &counters->items[open->mutex];

	if (step_call(step) == SYNC_COND_BROADCAST) {
		counter->rejected |= open->tells != NOWHERE || open->waited != NOWHERE;
		open->tells = number;
	} else if (step_call(step) == SYNC_COND_WAIT) {
		counter->rejected |= open->tells != NOWHERE;
		open->waited = step->site;
	} else {
		return false;
	}
	use_condition(counter, step->site);
	return true;
}

/* --- Edges to followers -------------------------------------------------------------------- */

/* Makes stretch `to` wait for the broadcast of `from`. */
static void counters_add_edge(struct counters *counters, const struct stretch *from,
			      const struct stretch *to)
{
	uint32_t edge = counters->program->edge_count++;
	uint32_t condition = counters->items[to->mutex].condition;

	counters->program->sites[condition].followed = true;
	insertions_add(&counters->insertions, from->thread, from->tells + 1,
		       (struct step){.run_op = step_run_op(0, STEP_WAKE),
				     .thread = to->thread,
				     .edge = edge});
	insertions_add(&counters->insertions, to->thread, to->begin,
		       (struct step){.run_op = step_run_op(0, STEP_BLOCK),
				     .site = condition,
				     .edge = edge});
}

/* Adds edges to the thread's stretches between own[from] and own[to], which have waited. */
static void follow_evenly(struct counters *counters, const struct stretch *const *own, size_t from,
			  size_t to, const struct stretch *const *broadcasts)
{
	uint64_t rise = own[to]->count - own[from]->count, reached = own[from]->count;

	for (size_t i = from + 1; i < to; i++) {
		uint64_t need = own[from]->count + rise * (i - from) / (to - from);

		need = need < own[i]->count ? need : own[i]->count;
		if (need <= reached)
			continue;
		reached = need;
		if (broadcasts[need - 1]->thread != own[i]->thread)
			counters_add_edge(counters, broadcasts[need - 1], own[i]);
	}
}

static void counters_follow(struct counters *counters, const struct stretch *const *own,
			    size_t count, const struct stretch *const *broadcasts)
{
	size_t last = count;

	for (size_t i = 0; i < count; i++) {
		if (own[i]->waited == NOWHERE)
			continue;
		if (last < count)
			follow_evenly(counters, own, last, i, broadcasts);
		last = i;
	}
}

static int by_thread(const void *a, const void *b)
{
	const struct stretch *x = *(const struct stretch *const *)a;
	const struct stretch *y = *(const struct stretch *const *)b;

	return x->thread != y->thread ? compare_values(x->thread, y->thread)
				      : compare_values(x->order, y->order);
}

/* Adds the edges to the followers of a counter, thread by thread. */
static void follow_all(struct counters *counters, const struct stretch **own, size_t count,
		       const struct stretch *const *broadcasts)
{
	size_t end;

	sort_items(own, count, by_thread);
	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count; end++)
			if (own[end]->thread != own[i]->thread)
				break;
		counters_follow(counters, &own[i], end - i, broadcasts);
	}
}

/* Adds the edges of one counter. `looks`: those at its mutex. */
static void add_counter(struct counters *counters, const struct look *looks, size_t count)
{
	const struct stretch **broadcasts = xcalloc(count, sizeof(*broadcasts));
	const struct stretch **own = xcalloc(count, sizeof(*own));
	size_t followed = 0;
	uint32_t total = 0;

	for (size_t i = 0; i < count; i++) {
		if (looks[i].waits)
			continue;
		if (looks[i].stretch->tells != NOWHERE)
			broadcasts[total++] = looks[i].stretch;
		else
			own[followed++] = looks[i].stretch;
		looks[i].stretch->count = total;
	}
	follow_all(counters, own, followed, broadcasts);
	free(broadcasts);
	free(own);
}

static void add_counters(struct counters *counters)
{
	const struct look *looks = counters->stretches.looks;
	size_t count = counters->stretches.look_count, end;

	for (size_t i = 0; i < count; i = end) {
		const struct counter *counter = &counters->items[looks[i].stretch->mutex];

		for (end = i + 1; end < count; end++)
			if (looks[end].stretch->mutex != looks[i].stretch->mutex)
				break;
		if (!counter->rejected && counter->condition != NOWHERE)
			add_counter(counters, &looks[i], end - i);
	}
}

void condition_counters_add(struct program *program)
{
	struct counters counters = {.program = program,
				    .items = xcalloc(program->site_count, sizeof(*counters.items))};

	counters.stretches = (struct stretches){.take = counters_take, .context = &counters};
	for (size_t i = 0; i < program->site_count; i++)
		counters.items[i].condition = NOWHERE;
	stretches_find(&counters.stretches, program);
	for (size_t i = 0; i < program->site_count; i++)
		counters.items[i].rejected |= counters.stretches.odd[i] > 0;
	add_counters(&counters);
	insertions_apply(&counters.insertions, program);
	stretches_release(&counters.stretches);
	free(counters.items);
}
