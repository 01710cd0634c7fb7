/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/recognise/recognition.h"

#include "base/alloc.h"
#include "base/sorted.h"

#include <stdlib.h>

/* --- Barriers ------------------------------------------------------------------------------- */

/*
 * Finds barriers by wakeups alone: of a fixed set of three or more threads all but one wait, and
 * that one wakes all others in a row, again and again, and the last thread changes. With two
 * threads it may be a queue: that stays as recorded.
 *
 * If the same thread always wakes the others, it may be a leader with work for them, and stays as
 * recorded if the leader ever waits in between. If it never does, and all others are there each
 * time, barrier and leader look the same: on one core the thread with most work comes last to each
 * barrier, and a leader that waits for none is overtaken by those that it leads. Then a barrier is
 * presumed, as a leader that is never held up is rare; see recognised.presumed.
 *
 * A row ends before a thread is woken in it a second time: on one core the last thread of a barrier
 * may also be the last at the next one, without pause. Groups with rows that only that separates
 * are not presumed to be barriers.
 */

/*
 * ROW_NS: largest CPU time from one wakeup of a row to the next. A FUTEX_WAKE of many takes 1 to 3
 * us for each, 40 to 60 us in one of thirty rows of a virtual machine, where an interrupt comes
 * between, and more on large machines and while it is traced.
 */
enum { ROW_NS = 100000, PARTIES_MIN = 3 };

/*
 * Threads that are woken together by chance, as by timers in one interrupt, form rows too. The same
 * threads seldom meet again, the more threads the less often, and they meet others as often. So
 * three threads need six generations, four or more need three (CHANCE / (parties - 2)), which are
 * half of all rows of each thread and a fourth of its waits: threads that compete for a lock wake
 * each other in rows now and then.
 */
enum { CHANCE = 6, GENERATIONS_MIN = 3, SHARE_MIN = 2, WAITS_SHARE_MIN = 4 };

/*
 * If the last thread is always the same: fewest generations, and one in how many waits may be
 * elsewhere. Three threads may be the slowest stage of a pipeline and its neighbours.
 */
enum { GENERATIONS_PRESUMED = 6, OTHERS_SHARE_MIN = 10, PARTIES_PRESUMED_MIN = 4 };

/* The step at which a thread comes to the barrier. */
struct arrival {
	uint32_t thread, step;
};

/* One generation of a possible barrier: `count` arrivals, in the order of threads. */
struct row {
	size_t first, count;
	uint32_t last; /* the thread that wakes the others */
	bool cut;      /* only a second wakeup of a thread separates it from another row */
};

struct rows {
	struct recognition *recognition;
	struct arrival *arrivals;
	size_t arrival_count, arrival_capacity;
	struct row *rows;
	size_t count, capacity;
	size_t *of_thread; /* [thread]: rows that it is in */
	size_t *waits;	   /* [thread]: its waits for others */
	size_t *number;	   /* [thread]: number of its last row, from 1 */
	size_t numbers;
	bool cut; /* whether the row that is read next is cut */
};

static int by_thread(const void *a, const void *b)
{
	const struct arrival *x = a, *y = b;

	return compare_values(x->thread, y->thread);
}

/* Sorts rows of the same threads together, each group in the order of its first thread. */
static int by_members(const void *a, const void *b, void *context)
{
	const struct rows *rows = context;
	const struct row *x = a, *y = b;
	const struct arrival *one = &rows->arrivals[x->first], *other = &rows->arrivals[y->first];

	if (x->count != y->count)
		return x->count < y->count ? -1 : 1;
	for (size_t i = 0; i < x->count; i++)
		if (one[i].thread != other[i].thread)
			return one[i].thread < other[i].thread ? -1 : 1;
	return compare_values(one->step, other->step);
}

static bool is_same_group(const struct rows *rows, const struct row *x, const struct row *y)
{
	if (x->count != y->count)
		return false;
	for (size_t i = 0; i < x->count; i++)
		if (rows->arrivals[x->first + i].thread != rows->arrivals[y->first + i].thread)
			return false;
	return true;
}

/* --- Finding rows -------------------------------------------------------------------------- */

static void add_arrival(struct rows *rows, uint32_t thread, uint32_t step)
{
	array_reserve(&rows->arrivals, &rows->arrival_capacity, rows->arrival_count + 1);
	rows->arrivals[rows->arrival_count++] = (struct arrival){thread, step};
}

/* Sorts the arrivals of `row`, and keeps the row if they are enough. */
static void finish_row(struct rows *rows, struct row row)
{
	struct arrival *own = &rows->arrivals[row.first];

	row.count = rows->arrival_count - row.first;
	qsort(own, row.count, sizeof(*own), by_thread);
	if (row.count < PARTIES_MIN) {
		rows->arrival_count = row.first;
		return;
	}
	for (size_t i = 0; i < row.count; i++)
		rows->of_thread[own[i].thread]++;
	array_reserve(&rows->rows, &rows->capacity, rows->count + 1);
	rows->rows[rows->count++] = row;
}

static bool is_followed(const struct recognition *recognition, uint32_t edge)
{
	const struct program *program = recognition->program;
	uint32_t site = recognition_step(recognition, recognition->edges[edge].block)->site;

	return site < program->site_count && program->sites[site].followed;
}

/*
 * Returns whether the row has the woken thread already, so that the next row begins: on one core
 * the last thread wakes others that are at the next barrier first, and may be last there, too.
 */
static bool is_again(struct rows *rows, uint32_t edge)
{
	size_t *number = &rows->number[rows->recognition->edges[edge].block.thread];
	bool again = *number == rows->numbers;

	*number = rows->numbers;
	return again;
}

/* Reads the row of wakeups that begins at `from`. Returns the step behind it. */
static uint32_t read_row(struct rows *rows, uint32_t thread, uint32_t from)
{
	const struct recognition *recognition = rows->recognition;
	const struct program_thread *own = &recognition->program->threads[thread];
	struct row row = {.first = rows->arrival_count, .last = thread, .cut = rows->cut};
	uint32_t i = from;

	rows->cut = false;
	rows->numbers++;
	add_arrival(rows, thread, from);
	for (; i < own->count; i++) {
		const struct step *step = &own->steps[i];
		enum step_op op = step_op(step);

		if ((i > from && step_run_ns(step) > ROW_NS) ||
		    (op != STEP_WAKE && op != STEP_NONE))
			break;
		if (op != STEP_WAKE)
			continue;
		if (!recognition_has_edge(recognition, step->edge) ||
		    is_followed(recognition, step->edge))
			break;
		if (is_again(rows, step->edge)) {
			row.cut = rows->cut = true;
			break;
		}
		add_arrival(rows, recognition->edges[step->edge].block.thread,
			    recognition->edges[step->edge].block.step);
	}
	finish_row(rows, row);
	return i > from ? i : from + 1;
}

static void find_rows(struct rows *rows)
{
	const struct program *program = rows->recognition->program;

	for (uint32_t i = 0; i < program->thread_count; i++) {
		const struct program_thread *thread = &program->threads[i];

		for (uint32_t j = 0; j < thread->count; j++)
			rows->waits[i] += step_op(&thread->steps[j]) == STEP_BLOCK;
		for (uint32_t j = 0; j < thread->count;)
			j = step_op(&thread->steps[j]) == STEP_WAKE ? read_row(rows, i, j) : j + 1;
	}
}

/* --- Rows that are a barrier --------------------------------------------------------------- */

/* Returns whether `count` rows are many of each thread's rows and waits. */
static bool is_frequent(const struct rows *rows, const struct row *row, size_t count)
{
	for (size_t i = 0; i < row->count; i++) {
		uint32_t thread = rows->arrivals[row->first + i].thread;

		if (rows->of_thread[thread] > count * SHARE_MIN ||
		    rows->waits[thread] > count * WAITS_SHARE_MIN)
			return false;
	}
	return count >= GENERATIONS_MIN && count * (row->count - 2) >= CHANCE;
}

/* Returns whether every thread came to these generations in the same order. */
static bool is_ordered(const struct rows *rows, const struct row *group, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		const struct arrival *before = &rows->arrivals[group[i - 1].first];
		const struct arrival *now = &rows->arrivals[group[i].first];

		for (size_t j = 0; j < group->count; j++)
			if (now[j].step <= before[j].step)
				return false;
	}
	return true;
}

static bool is_cut(const struct row *group, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (group[i].cut)
			return true;
	return false;
}

static bool is_last_another(const struct row *group, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (group[i].last != group[0].last)
			return true;
	return false;
}

/* Returns the step at which a thread comes to a generation. */
static uint32_t barriers_step_of(const struct rows *rows, const struct row *row, uint32_t thread)
{
	const struct arrival key = {.thread = thread};
	const struct arrival *own =
		bsearch(&key, &rows->arrivals[row->first], row->count, sizeof(key), by_thread);

	return own ? own->step : PROGRAM_NONE;
}

/*
 * Returns whether the thread that always wakes the others only computes in between, while they wait
 * for no other thread. A thread that feeds others mostly waits for something, and if all are there
 * each time, many times, only a barrier explains it.
 */
static bool is_last_busy(const struct rows *rows, const struct row *group, size_t count)
{
	const struct program *program = rows->recognition->program;
	const struct program_thread *last = &program->threads[group->last];
	uint32_t end = barriers_step_of(rows, &group[count - 1], group->last);

	for (uint32_t i = barriers_step_of(rows, group, group->last); i < end; i++) {
		enum step_op op = step_op(&last->steps[i]);

		if (op == STEP_BLOCK || step_op_is_pause(op))
			return false;
	}
	if (is_cut(group, count))
		return false;
	for (size_t i = 0; i < group->count; i++)
		if (rows->waits[rows->arrivals[group->first + i].thread] * OTHERS_SHARE_MIN >
		    count * (OTHERS_SHARE_MIN + 1))
			return false;
	return count >= GENERATIONS_PRESUMED && group->count >= PARTIES_PRESUMED_MIN;
}

static uint32_t barrier_site(struct rows *rows, const struct row *row)
{
	struct program *program = rows->recognition->program;
	uint32_t site = program_add_site(program, SITE_BARRIER);

	program->sites[site].pid = program->threads[row->last].pid;
	program->sites[site].parties = (uint32_t)row->count;
	rows->recognition->found->barriers++;
	return site;
}

static void rewrite_row(struct rows *rows, const struct row *row, uint32_t site)
{
	struct recognition *recognition = rows->recognition;
	struct wait_chains *chains = &recognition->program->chains;

	for (size_t i = 0; i < row->count; i++) {
		const struct arrival *arrival = &rows->arrivals[row->first + i];
		struct place place = {arrival->thread, arrival->step};
		struct step *step = recognition_step(recognition, place);

		if (arrival->thread == row->last)
			continue;
		recognition_forget_edge(recognition, step->edge);
		wait_chains_note_site(chains, site, wait_chains_of_edge(chains, step->edge));
	}
	for (size_t i = 0; i < row->count; i++) {
		const struct arrival *arrival = &rows->arrivals[row->first + i];
		struct place place = {arrival->thread, arrival->step};
		struct step *step = recognition_step(recognition, place);
		uint32_t edge = arrival->thread == row->last ? (uint32_t)PROGRAM_NONE : step->edge;

		step_become_at(step, STEP_BARRIER, site, recognition_work_us(recognition, edge));
	}
	recognition->found->waits += row->count - 1;
}

/* Turns a group of rows into a barrier, if it is one. */
static void barriers_rewrite(struct rows *rows, const struct row *group, size_t count)
{
	bool changes = is_last_another(group, count);
	uint32_t site;

	if (!is_frequent(rows, group, count) || !is_ordered(rows, group, count) ||
	    !(changes || is_last_busy(rows, group, count)))
		return;
	site = barrier_site(rows, group);
	for (size_t i = 0; i < count; i++)
		rewrite_row(rows, &group[i], site);
	if (!changes)
		rows->recognition->found->presumed += count * (group->count - 1);
}

void recognise_barriers(struct recognition *recognition)
{
	struct rows rows = {
		.recognition = recognition,
		.of_thread = xcalloc(recognition->program->thread_count, sizeof(*rows.of_thread)),
		.waits = xcalloc(recognition->program->thread_count, sizeof(*rows.waits)),
		.number = xcalloc(recognition->program->thread_count, sizeof(*rows.number))};
	size_t end;

	find_rows(&rows);
	if (rows.count)
		qsort_r(rows.rows, rows.count, sizeof(*rows.rows), by_members, &rows);
	for (size_t i = 0; i < rows.count; i = end) {
		for (end = i + 1; end < rows.count; end++)
			if (!is_same_group(&rows, &rows.rows[i], &rows.rows[end]))
				break;
		barriers_rewrite(&rows, &rows.rows[i], end - i);
	}
	free(rows.arrivals);
	free(rows.rows);
	free(rows.of_thread);
	free(rows.waits);
	free(rows.number);
}

/* --- Waits like those for locks ------------------------------------------------------------- */

/*
 * Waits that look like waits for locks. Threads that compete for an object, which each of them
 * releases, or that give each other work, wake each other. In a replay of the wakeups alone the
 * object goes round in the recorded order, a thread that did not wait then never waits, and each
 * does its recorded work; on other cores that changes.
 *
 * Only the pattern shows such waits, so they are a suspicion: of three or more threads any two wake
 * each other, in at least five of six directions, as recordings are short. Neighbours in pipelines,
 * and workers and the threads that feed them, have no such triangles, and at barriers and at the
 * end of a phase many are woken in a row. A known signal of a condition is no such wait.
 *
 * At most NEIGHBOURS_MAX neighbours are tried as the third thread: in a group that competes nearly
 * all of them are one.
 */
enum { NEIGHBOURS_MAX = 1000, DIRECTIONS_MIN = 5, FEW = 4 };

/* `count` wakes of one thread by another. */
struct handover {
	uint32_t waker, waiter;
	uint64_t count : 63;
	bool suspected : 1;
};

struct handovers {
	struct handover *items; /* sorted, each pair once */
	size_t count, capacity;
	size_t *first; /* [thread]: its first item; one more behind the last */
	bool *mutual;  /* [condition]: a thread that waits there wakes others there */
};

static int handovers_by_threads(const void *a, const void *b)
{
	const struct handover *x = a, *y = b;

	return x->waker != y->waker ? compare_values(x->waker, y->waker)
				    : compare_values(x->waiter, y->waiter);
}

/* --- Conditions ---------------------------------------------------------------------------- */

/* A wait of a thread at a condition, or a wakeup by it there. */
struct role {
	uint32_t condition, thread;
	bool wakes;
};

static int compare_roles(const void *a, const void *b)
{
	const struct role *x = a, *y = b;

	return compare_values(x->condition, y->condition)
		       ?: (compare_values(x->thread, y->thread)
				   ?: compare_values(x->wakes, y->wakes));
}

/* Returns the first of the two words that show a condition; PROGRAM_NONE: no condition. */
static uint32_t condition_of(const struct recognition *recognition, const struct edge *edge)
{
	const struct program *program = recognition->program;
	uint32_t word = recognition_step(recognition, edge->block)->site, twin;

	if (word >= program->site_count || program->sites[word].kind != SITE_FUTEX ||
	    !program->sites[word].twin)
		return PROGRAM_NONE;
	twin = program->sites[word].twin - 1;
	return word < twin ? word : twin;
}

static void find_mutual(bool *mutual, const struct recognition *recognition)
{
	const struct program *program = recognition->program;
	struct role *roles = xcalloc(2 * (size_t)program->edge_count + 1, sizeof(*roles));
	size_t count = 0;

	for (uint32_t i = 0; i < program->edge_count; i++) {
		const struct edge *edge = &recognition->edges[i];
		uint32_t condition = recognition_has_edge(recognition, i)
					     ? condition_of(recognition, edge)
					     : (uint32_t)PROGRAM_NONE;

		if (condition == PROGRAM_NONE || edge->wake.thread == edge->block.thread)
			continue;
		roles[count++] = (struct role){condition, edge->block.thread, false};
		roles[count++] = (struct role){condition, edge->wake.thread, true};
	}
	sort_items(roles, count, compare_roles);
	for (size_t i = 1; i < count; i++)
		if (roles[i].condition == roles[i - 1].condition &&
		    roles[i].thread == roles[i - 1].thread && roles[i].wakes != roles[i - 1].wakes)
			mutual[roles[i].condition] = true;
	free(roles);
}

/* --- Gathering ----------------------------------------------------------------------------- */

/* Returns whether the step is a wakeup just behind another one. */
static bool handovers_goes_on(const struct program_thread *thread, size_t step)
{
	return step > 0 && step < thread->count && step_op(&thread->steps[step]) == STEP_WAKE &&
	       step_op(&thread->steps[step - 1]) == STEP_WAKE &&
	       step_run_ns(&thread->steps[step]) <= ROW_NS;
}

/* Returns whether the wakeup is in a row. Of many threads one may wake two, for two items. */
static bool handovers_is_in_row(const struct program *program, const struct place *wake)
{
	const struct program_thread *thread = &program->threads[wake->thread];
	size_t first = wake->step, last = wake->step, least = program->thread_count > FEW ? 2 : 1;

	while (handovers_goes_on(thread, first) && last - first < least)
		first--;
	while (handovers_goes_on(thread, last + 1) && last - first < least)
		last++;
	return last - first >= least;
}

/*
 * Returns whether the wait is known to be for no lock but for a condition. If only its words show
 * the condition, that is known if each thread either waits there or wakes others: a lock may be
 * made of a condition, and each thread that waits for it also releases it.
 */
static bool handovers_is_signal(const struct handovers *handovers,
				const struct recognition *recognition, const struct edge *edge)
{
	const struct program *program = recognition->program;
	uint32_t site = recognition_step(recognition, edge->block)->site;
	uint32_t condition = condition_of(recognition, edge);

	if (condition != PROGRAM_NONE)
		return !handovers->mutual[condition];
	return site < program->site_count && program->sites[site].address &&
	       program->sites[site].kind == SITE_UNKNOWN;
}

static void handovers_merge_equal(struct handovers *handovers)
{
	size_t kept = 0;

	sort_items(handovers->items, handovers->count, handovers_by_threads);
	for (size_t i = 0; i < handovers->count; i++) {
		if (kept &&
		    !handovers_by_threads(&handovers->items[kept - 1], &handovers->items[i]))
			handovers->items[kept - 1].count += handovers->items[i].count;
		else
			handovers->items[kept++] = handovers->items[i];
	}
	handovers->count = kept;
}

static void handovers_index_threads(struct handovers *handovers, size_t thread_count)
{
	size_t item = 0;

	handovers->first = xcalloc(thread_count + 1, sizeof(*handovers->first));
	for (size_t i = 0; i <= thread_count; i++) {
		while (item < handovers->count && handovers->items[item].waker < i)
			item++;
		handovers->first[i] = item;
	}
}

/* Returns whether a lock may have been handed over at this edge. */
static bool is_handover(const struct handovers *handovers, const struct recognition *recognition,
			uint32_t number)
{
	const struct edge *edge = &recognition->edges[number];

	return recognition_has_edge(recognition, number) &&
	       edge->wake.thread != edge->block.thread &&
	       !handovers_is_signal(handovers, recognition, edge) &&
	       !handovers_is_in_row(recognition->program, &edge->wake);
}

static void handovers_gather(struct handovers *handovers, const struct recognition *recognition)
{
	const struct program *program = recognition->program;

	handovers->mutual = xcalloc(program->site_count + 1, sizeof(*handovers->mutual));
	find_mutual(handovers->mutual, recognition);
	for (uint32_t i = 0; i < program->edge_count; i++) {
		const struct edge *edge = &recognition->edges[i];

		if (!is_handover(handovers, recognition, i))
			continue;
		array_reserve(&handovers->items, &handovers->capacity, handovers->count + 1);
		handovers->items[handovers->count++] =
			(struct handover){edge->wake.thread, edge->block.thread, 1, false};
	}
	handovers_merge_equal(handovers);
	handovers_index_threads(handovers, program->thread_count);
}

/* --- Triangles ----------------------------------------------------------------------------- */

static bool has_woken(const struct handovers *handovers, uint32_t waker, uint32_t waiter)
{
	const struct handover key = {.waker = waker, .waiter = waiter};
	size_t first = handovers->first[waker];

	return bsearch(&key, &handovers->items[first], handovers->first[waker + 1] - first,
		       sizeof(key), handovers_by_threads);
}

/* Returns the number of directions in which two threads woke each other. */
static int directions(const struct handovers *handovers, uint32_t one, uint32_t other)
{
	return has_woken(handovers, one, other) + has_woken(handovers, other, one);
}

/* Returns whether both threads of `side` form a triangle with a third. */
static bool is_in_triangle(const struct handovers *handovers, const struct handover *side)
{
	size_t end = handovers->first[side->waker + 1], from = handovers->first[side->waker];
	int own = 1 + has_woken(handovers, side->waiter, side->waker);

	for (size_t i = from; i < end && i < from + NEIGHBOURS_MAX; i++) {
		uint32_t third = handovers->items[i].waiter;
		int both = own + 1 + has_woken(handovers, third, side->waker);

		if (third != side->waiter && both + 2 >= DIRECTIONS_MIN &&
		    both + directions(handovers, third, side->waiter) >= DIRECTIONS_MIN)
			return true;
	}
	return false;
}

static bool is_suspected(const struct handovers *handovers, const struct edge *edge)
{
	const struct handover key = {.waker = edge->wake.thread, .waiter = edge->block.thread};
	size_t first = handovers->first[key.waker];
	const struct handover *found =
		bsearch(&key, &handovers->items[first], handovers->first[key.waker + 1] - first,
			sizeof(key), handovers_by_threads);

	return found && found->suspected;
}

uint64_t recognise_drop_lock_suspicions(struct program *program)
{
	struct handovers handovers = {.items = NULL};
	struct recognition recognition;
	struct recognised found;
	uint64_t count = 0;

	recognition_init(&recognition, program, &found);
	handovers_gather(&handovers, &recognition);
	for (size_t i = 0; i < handovers.count; i++) {
		handovers.items[i].suspected = is_in_triangle(&handovers, &handovers.items[i]);
		if (handovers.items[i].suspected)
			count += handovers.items[i].count;
	}
	for (uint32_t i = 0; i < program->edge_count; i++)
		if (is_handover(&handovers, &recognition, i) &&
		    is_suspected(&handovers, &recognition.edges[i]))
			step_become(recognition_step(&recognition, recognition.edges[i].block),
				    STEP_NONE);
	recognition_release(&recognition);
	free(handovers.items);
	free(handovers.first);
	free(handovers.mutual);
	return count;
}
