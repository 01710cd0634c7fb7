/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/program/program_read_private.h"

#include "base/alloc.h"
#include "base/sorted.h"
#include "replay/program/step.h"

#include <gsl/gsl_fit.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/*
 * Limits of sleeps in a row: CPU time between sleeps is at most 1/IDLE_PART of each; lengths differ
 * by 1/LENGTH_PART, and by LATE_NS for late timers, which Linux lets be 50 us late; there are
 * PERIODS of them, or WAITS shorter waits, if the word of the wait is not known. After a wait that
 * was killed a thread takes at most LAST_STEPS steps.
 */
enum {
	IDLE_PART = 64,
	LENGTH_PART = 32,
	LATE_NS = 100000,
	PERIODS = 3,
	WAITS = 3,
	LAST_STEPS = 64
};

/* Sleeps in a row, from the last back to the first. */
struct row {
	size_t first; /* the step of the first sleep */
	size_t count;
	uint64_t least_ns, most_ns;
};

/* The longest time that a thread may wait for other threads, if known. */
struct thread_polls {
	struct row rows;    /* short rows that may be polls: lengths, first step */
	bool again;	    /* there was more than one row */
	bool refuted;	    /* the rows are something else */
	size_t waits;	    /* since the first row: waits no longer, without a sleep before */
	uint64_t longer_ns; /* longest such wait since the last row */
};

/*
 * Sleeps of a row: of one length, if `length`, and all at `word`; PROGRAM_NONE: at no word. With
 * `wakes` the thread may wake others in between.
 */
struct likeness {
	const struct futex_words *words;
	bool length;
	uint32_t word;
	bool wakes;
};

static bool is_word_call(const struct step *step)
{
	return step_op(step) == STEP_CALL && step_call(step) == SYNC_FUTEX_WAIT;
}

/* Returns the word of the wait at `step`; PROGRAM_NONE: none. */
static uint32_t word_of(const struct program_thread *thread, size_t step)
{
	return step > 0 && is_word_call(&thread->steps[step - 1]) ? thread->steps[step - 1].site
								  : (uint32_t)PROGRAM_NONE;
}

/* Returns whether the step is a call at a lock or condition, as a thread that polls makes. */
static bool is_lock_call(const struct step *step)
{
	enum sync_call call = step_call(step);

	return step_op(step) == STEP_CALL && (call == SYNC_NONE || call == SYNC_COND_WAIT ||
					      (call >= SYNC_MUTEX_LOCK && call <= SYNC_RW_UNLOCK));
}

/* Returns whether the step may be between polls. The wakeup in a waking call is another step. */
static bool is_between(const struct step *step)
{
	enum step_op op = step_op(step);

	return op == STEP_NONE || op == STEP_RETURN || is_word_call(step) || is_lock_call(step) ||
	       (op == STEP_CALL && step_call(step) == SYNC_FUTEX_WAKE);
}

static bool is_alike(const struct row *row, uint64_t ns)
{
	uint64_t least_ns = ns < row->least_ns ? ns : row->least_ns;
	uint64_t most_ns = ns > row->most_ns ? ns : row->most_ns;

	return !row->count || most_ns - least_ns <= least_ns / LENGTH_PART + LATE_NS;
}

static void row_add(struct row *row, size_t step, uint64_t ns)
{
	if (!row->count || ns < row->least_ns)
		row->least_ns = ns;
	if (ns > row->most_ns)
		row->most_ns = ns;
	row->first = step;
	row->count++;
}

/* Adds the sleeps before step `from` to the row. */
static void find_row(struct row *row, const struct program_thread *thread, size_t from,
		     const struct likeness *likeness)
{
	uint64_t run_ns = 0;

	for (size_t i = from; i-- > 0;) {
		const struct step *step = &thread->steps[i];
		uint64_t ns = step_pause_ns(step);

		run_ns += step_run_ns(step + 1);
		if (is_between(step) || (likeness->wakes && step_op(step) == STEP_WAKE))
			continue;
		if (step_op(step) != STEP_SLEEP || run_ns > ns / IDLE_PART ||
		    !futex_words_are_one(likeness->words, word_of(thread, i), likeness->word) ||
		    (likeness->length && !is_alike(row, ns)))
			return;
		row_add(row, i, ns);
		run_ns = 0;
	}
}

/* Turns sleeps up to step `to` into polls; the locks taken in between are released. */
static void become_polls(struct program_thread *thread, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		struct step *step = &thread->steps[i];

		if (step_op(step) == STEP_SLEEP)
			step->run_op = step_run_op(step_run_ns(step), STEP_POLL);
		else if (is_lock_call(step))
			step->run_op = step_run_op(step_run_ns(step), STEP_NONE);
	}
}

/* --- Before a wait for another thread ------------------------------------------------------ */

static bool are_alike(const struct row *row, const struct row *other)
{
	return is_alike(row, other->least_ns) && is_alike(row, other->most_ns);
}

/* Notes a wait of `wait_ns` behind `row`. Of several lengths that of the first two rows counts. */
static void note_row(struct thread_polls *polls, const struct row *row, uint64_t wait_ns)
{
	struct row *rows = &polls->rows;

	if (rows->count && are_alike(rows, row)) {
		row_add(rows, rows->first, row->least_ns);
		row_add(rows, rows->first, row->most_ns);
		polls->refuted |= wait_ns > rows->most_ns || polls->longer_ns > rows->most_ns;
		polls->again = true;
	} else if (!polls->again) {
		*polls = (struct thread_polls){.rows = *row, .refuted = wait_ns > row->most_ns};
	}
}

static void note_wait(struct thread_polls *polls, uint64_t wait_ns)
{
	if (wait_ns <= polls->rows.most_ns)
		polls->waits++;
	else if (wait_ns > polls->longer_ns)
		polls->longer_ns = wait_ns;
}

void program_polls_find(struct program_polls *polls, const struct futex_words *words,
			struct program *program, uint32_t thread, uint64_t wait_ns)
{
	struct program_thread *own = &program->threads[thread];
	size_t block = own->count - 1;
	uint32_t word = word_of(own, block);
	struct likeness likeness = {words, word == PROGRAM_NONE, word, false};
	struct row row = {.first = block};

	find_row(&row, own, block, &likeness);
	if (!likeness.length || (row.count >= PERIODS && wait_ns <= row.most_ns))
		become_polls(own, row.first, block);
	if (!likeness.length)
		return;
	if (row.count) {
		array_reserve(&polls->threads, &polls->capacity, (size_t)thread + 1);
		note_row(&polls->threads[thread], &row, wait_ns);
	} else if (thread < polls->capacity) { /* before the first row waits show nothing */
		note_wait(&polls->threads[thread], wait_ns);
	}
}

/* --- A time that seldom passes ------------------------------------------------------------- */

static size_t count_sleeps(const struct program_thread *thread, const struct row *like)
{
	size_t count = 0;

	for (size_t i = like->first; i < thread->count; i++)
		count += step_op(&thread->steps[i]) == STEP_SLEEP &&
			 is_alike(like, step_pause_ns(&thread->steps[i]));
	return count;
}

/* Counts the sleeps in rows before a wait for another thread; `make`: turns them into polls. */
static size_t count_in_rows(struct program_thread *thread, const struct row *like, bool make)
{
	const struct futex_words words = {.items = NULL};
	const struct likeness likeness = {&words, true, PROGRAM_NONE, false};
	size_t count = 0;

	for (size_t i = like->first; i < thread->count; i++) {
		struct row row = {.first = i};

		if (step_op(&thread->steps[i]) != STEP_BLOCK || word_of(thread, i) != PROGRAM_NONE)
			continue;
		find_row(&row, thread, i, &likeness);
		if (!row.count || !are_alike(like, &row))
			continue;
		count += row.count;
		if (make)
			become_polls(thread, row.first, i);
	}
	return count;
}

static void find_seldom(const struct thread_polls *polls, struct program_thread *thread)
{
	const struct row *rows = &polls->rows;

	if (polls->again && !polls->refuted && polls->waits >= WAITS &&
	    count_in_rows(thread, rows, false) == count_sleeps(thread, rows))
		count_in_rows(thread, rows, true);
}

/* --- Ends of processes --------------------------------------------------------------------- */

/* Returns the wait for `edge` if it is the thread's last action, or the number of steps. */
static size_t find_last_wait(const struct program_thread *thread, uint32_t edge)
{
	for (size_t i = thread->count, left = LAST_STEPS; i-- > 0 && left-- > 0;) {
		const struct step *step = &thread->steps[i];
		enum step_op op = step_op(step);

		if (op == STEP_BLOCK)
			return step->edge == edge ? i : thread->count;
		if (op != STEP_EXIT && op != STEP_WAKE && !is_between(step) &&
		    !step_op_is_pause(op))
			return thread->count;
	}
	return thread->count;
}

static void find_in_killed(const struct futex_words *words, struct program_thread *thread,
			   uint32_t edge)
{
	size_t block = find_last_wait(thread, edge);
	struct row row = {.first = block};
	struct likeness likeness;

	if (block == thread->count)
		return;
	likeness = (struct likeness){words, false, word_of(thread, block), false};
	find_row(&row, thread, block, &likeness);
	become_polls(thread, row.first, block);
}

static void find_in_all_killed(const struct futex_words *words, struct program *program,
			       const struct program_thread *killer)
{
	for (size_t i = killer->count; i-- > 0;) {
		const struct step *step = &killer->steps[i];
		struct program_thread *killed;

		if (step_op(step) == STEP_EXIT || is_between(step))
			continue;
		if (step_op(step) != STEP_WAKE || !program_thread_ends(killer, i))
			return;
		killed = &program->threads[step->thread];
		if (killed->pid == killer->pid)
			find_in_killed(words, killed, step->edge);
	}
}

/* --- Ends without a wakeup ----------------------------------------------------------------- */

/* Returns whether a wait for another thread follows; `wakes`: maybe behind wakeups and polls. */
static bool is_before_block(const struct program_thread *thread, size_t step, bool wakes)
{
	const struct step *next = &thread->steps[step + 1], *end = thread->steps + thread->count;

	while (next < end && (is_between(next) || (wakes && (step_op(next) == STEP_WAKE ||
							     step_op(next) == STEP_POLL))))
		next++;
	return next < end && step_op(next) == STEP_BLOCK;
}

/* Sets `monitors`[site] of the mutexes with which the thread waits for a condition to `are`. */
static void find_monitors(bool *monitors, const struct program_thread *thread, bool are)
{
	for (size_t i = 1; i < thread->count; i++) {
		const struct step *mutex = &thread->steps[i - 1];

		if (step_op(mutex) == STEP_CALL && step_call(mutex) == SYNC_NONE &&
		    mutex->site != PROGRAM_NONE && step_op(mutex + 1) == STEP_CALL &&
		    step_call(mutex + 1) == SYNC_COND_WAIT)
			monitors[mutex->site] = are;
	}
}

/* Returns whether the thread locks such a mutex: it may take from a queue without waiting. */
static bool takes_between(const struct program_thread *thread, size_t from, size_t to,
			  const bool *monitors)
{
	for (size_t i = from; i < to; i++) {
		const struct step *step = &thread->steps[i];

		if (step_op(step) == STEP_CALL && step_call(step) == SYNC_MUTEX_LOCK &&
		    step->site != PROGRAM_NONE && monitors[step->site])
			return true;
	}
	return false;
}

struct search {
	struct program *program;
	const struct futex_words *words;
	const struct arrivals *const *arrivals; /* [thread] */
	struct thread_ends ends;
	bool *monitors;
	int64_t *waits; /* [word] of a thread */
};

/*
 * Turns a row up to step `last` into waits for ends of threads, or into polls without a wakeup.
 * Before wakeups, polls and a wait it stays as it is: a replay would end polls with that wait.
 */
static void take_row(const struct search *search, uint32_t number, const struct row *row,
		     size_t last)
{
	struct program_thread *thread = &search->program->threads[number];
	const struct arrivals *arrivals = search->arrivals[number];
	struct naps naps = {row->first, last, row->count, 0, 0};

	if (arrivals) {
		naps.end_ns = arrivals_end_ns(arrivals, last);
		naps.begin_ns = arrivals_end_ns(arrivals, row->first);
		naps.begin_ns -= step_pause_ns(&thread->steps[row->first]);
	}
	if (naps.end_ns && naps_find_ends(search->program, number, &naps, &search->ends))
		become_polls(thread, row->first, last);
	else if (!is_before_block(thread, last, true))
		become_polls(thread, row->first, last + 1);
}

static void find_without_wake(const struct search *search, uint32_t number)
{
	struct program_thread *thread = &search->program->threads[number];

	find_monitors(search->monitors, thread, true);
	for (size_t i = thread->count; i-- > 0;) {
		struct likeness likeness = {search->words, true, word_of(thread, i), false};
		struct row row = {.count = 0};

		if (step_op(&thread->steps[i]) != STEP_SLEEP)
			continue;
		row_add(&row, i, step_pause_ns(&thread->steps[i]));
		find_row(&row, thread, i, &likeness);
		if (row.count >= PERIODS && !is_before_block(thread, i, false) &&
		    !takes_between(thread, row.first, i, search->monitors))
			take_row(search, number, &row, i);
		i = row.first;
	}
	find_monitors(search->monitors, thread, false);
}

/* --- Waits that seldom time out -------------------------------------------------------------- */

/* Counts, at each word, the waits that another thread ended minus those that timed out. */
static void count_waits(int64_t *waits, const struct program_thread *thread)
{
	for (size_t i = 0; i < thread->count; i++)
		if (word_of(thread, i) != PROGRAM_NONE)
			waits[word_of(thread, i)] = 0;
	for (size_t i = 0; i < thread->count; i++) {
		enum step_op op = step_op(&thread->steps[i]);

		if (word_of(thread, i) != PROGRAM_NONE)
			waits[word_of(thread, i)] += (op == STEP_BLOCK) - (op == STEP_SLEEP);
	}
}

/*
 * Turns timed-out waits into polls. If most waits at a word end by a wakeup, such a wait would end
 * by the next one, too, with wakeups of others in between; a tick mostly times out.
 */
static void find_timed_out(const struct search *search, struct program_thread *thread)
{
	count_waits(search->waits, thread);
	for (size_t i = 0; i < thread->count; i++) {
		struct likeness likeness = {search->words, false, word_of(thread, i), true};
		struct row row = {.first = i};

		if (step_op(&thread->steps[i]) != STEP_BLOCK || likeness.word == PROGRAM_NONE ||
		    search->waits[likeness.word] <= 0)
			continue;
		find_row(&row, thread, i, &likeness);
		if (row.count)
			become_polls(thread, row.first, i);
	}
}

void program_polls_finish(struct program_polls *polls, const struct futex_words *words,
			  const struct arrivals *const *arrivals, struct program *program)
{
	struct search search = {program, words, arrivals, .monitors = NULL};

	search.monitors = xcalloc(program->site_count + 1, sizeof(*search.monitors));
	search.waits = xcalloc(program->site_count + 1, sizeof(*search.waits));
	thread_ends_init(&search.ends, program);
	for (size_t i = 0; i < program->thread_count && i < polls->capacity; i++)
		find_seldom(&polls->threads[i], &program->threads[i]);
	for (size_t i = 0; i < program->thread_count; i++)
		find_in_all_killed(words, program, &program->threads[i]);
	for (uint32_t i = 0; i < program->thread_count; i++) {
		find_timed_out(&search, &program->threads[i]);
		find_without_wake(&search, i);
	}
	thread_ends_release(&search.ends);
	free(search.monitors);
	free(search.waits);
}

void program_polls_release(struct program_polls *polls)
{
	free(polls->threads);
	*polls = (struct program_polls){0};
}

/* --- Sleeps until a time ------------------------------------------------------------------- */

struct arrival {
	size_t step;
	uint64_t end_ns;
};

void arrivals_note(struct arrivals *arrivals, const struct program_thread *thread, uint64_t end_ns,
		   uint32_t waker)
{
	array_reserve(&arrivals->items, &arrivals->capacity, arrivals->count + 1);
	arrivals->items[arrivals->count++] = (struct arrival){thread->count, end_ns};
	arrivals->waker = waker;
}

uint64_t arrivals_end_ns(const struct arrivals *arrivals, size_t step)
{
	size_t at = find_first(i, 0, arrivals->count, arrivals->items[i].step >= step);

	return at < arrivals->count && arrivals->items[at].step == step ? arrivals->items[at].end_ns
									: 0;
}

/* Returns the time from the end of the previous sleep to that of this one. */
static uint64_t gap_ns(const struct arrival *arrival)
{
	return arrival->end_ns - arrival[-1].end_ns;
}

/*
 * Returns whether the thread sleeps until times, not for lengths. With v for the variance of the
 * slope, the logarithm of the odds is -(slope + 1/2) / v; it must be 3, odds of 20.
 */
static bool are_times(const double *busy, const double *slept, size_t count)
{
	const double least = 3;
	double zero, slope, variance, unused;

	gsl_fit_linear(busy, 1, slept, 1, count, &zero, &slope, &unused, &unused, &variance,
		       &unused);
	return slope + least * variance < -.5 && slope > -1.5;
}

/* Returns the number of sleeps without the last one if a kill ended it, and it is a wait now. */
static size_t arrivals_without_kill(const struct arrivals *arrivals,
				    const struct program_thread *thread)
{
	size_t count = arrivals->count;

	return count && step_op(&thread->steps[arrivals->items[count - 1].step]) == STEP_BLOCK
		       ? count - 1
		       : count;
}

void arrivals_apply(const struct arrivals *arrivals, struct program_thread *thread)
{
	const size_t least = 20;
	size_t count = arrivals_without_kill(arrivals, thread);
	double *busy = xcalloc(count, sizeof(*busy));
	double *slept = xcalloc(count, sizeof(*slept));
	bool sleeps =
		count > least && step_op(&thread->steps[arrivals->items[0].step]) == STEP_SLEEP;

	for (size_t i = 1; i < count && sleeps; i++) {
		const struct step *step = &thread->steps[arrivals->items[i].step];

		sleeps = step_op(step) == STEP_SLEEP;
		slept[i] = (double)step_pause_ns(step);
		busy[i] = (double)gap_ns(&arrivals->items[i]) - slept[i];
	}
	sleeps = sleeps && are_times(&busy[1], &slept[1], count - 1);
	for (size_t i = 1; i < count && sleeps; i++) {
		struct step *step = &thread->steps[arrivals->items[i].step];

		step->run_op = step_run_op(step_run_ns(step), STEP_DUE);
		step->pause = step_pause(gap_ns(&arrivals->items[i]), step_site(step));
	}
	free(busy);
	free(slept);
}

void arrivals_release(struct arrivals *arrivals)
{
	free(arrivals->items);
	*arrivals = (struct arrivals){0};
}
