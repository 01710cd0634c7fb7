/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/program/spin.h"

#include "base/alloc.h"
#include "base/sorted.h"
#include "replay/program/program_gaps.h"
#include "replay/program/step.h"

#include <math.h>
#include <stdlib.h>

/* --- Runs of sched_yield -------------------------------------------------------------------- */

/* The steps from one call of sched_yield up to another one. */
struct yield_run {
	size_t last; /* step of the thread: the last call */
	uint64_t calls;
	uint64_t run_ns, pause_ns; /* between the first call and the last one */
	uint32_t lock;		   /* site of the mutex that it tries to lock; PROGRAM_NONE: none */
};

static bool yields_is_pause_at(const struct step *step, uint32_t site)
{
	return step_op(step) == STEP_EXTERNAL && site != PROGRAM_NONE && step_site(step) == site;
}

static bool yields_is_try(const struct step *step)
{
	return step_op(step) == STEP_CALL && step_call(step) == SYNC_MUTEX_TRYLOCK;
}

/* Returns the longest run that begins with the call of step `first`. */
static struct yield_run yields_run_from(const struct program_thread *thread, size_t first,
					uint32_t site)
{
	struct yield_run run = {.last = first, .calls = 1, .lock = PROGRAM_NONE};
	uint64_t run_ns = 0, pause_ns = 0;
	uint32_t lock = PROGRAM_NONE;

	for (size_t i = first + 1; i < thread->count; i++) {
		const struct step *step = &thread->steps[i];
		bool pauses = yields_is_pause_at(step, site);

		run_ns += step_run_ns(step);
		pause_ns += pauses ? step_pause_ns(step) : 0;
		if (run_ns + pause_ns > YIELD_GAP_NS)
			break;
		if (yields_is_try(step))
			lock = step->site;
		if (pauses || yields_is_try(step) || step_op(step) == STEP_LOOP)
			continue;
		if (step_op(step) != STEP_YIELD)
			break;
		run.last = i;
		run.calls++;
		run.run_ns += run_ns;
		run.pause_ns += pause_ns;
		run.lock = lock;
		run_ns = pause_ns = 0;
	}
	return run;
}

/* Returns whether the thread then locks, or tries to lock, the mutex that it has tried to lock. */
static bool yields_ends_at_lock(const struct program_thread *thread, const struct yield_run *run)
{
	const struct step *next = &thread->steps[run->last] + 1;

	return run->lock != PROGRAM_NONE && run->last + 1 < thread->count &&
	       step_op(next) == STEP_CALL && next->site == run->lock &&
	       (yields_is_try(next) || step_call(next) == SYNC_MUTEX_LOCK);
}

/* Returns whether the run is a wait. A run without CPU time is not: there is none to move. */
static bool yields_is_waiting(const struct yield_run *run)
{
	return run->calls >= YIELD_RUN_CALLS && run->run_ns;
}

static void yields_measure_thread(struct yielded *yielded, const struct program_thread *thread)
{
	for (size_t i = 0; i < thread->count; i++) {
		struct yield_run run;

		if (step_op(&thread->steps[i]) != STEP_YIELD)
			continue;
		run = yields_run_from(thread, i, PROGRAM_NONE);
		yielded->calls += run.calls;
		if (yields_is_waiting(&run)) {
			yielded->runs++;
			yielded->waiting_ns += run.run_ns;
		}
		i = run.last;
	}
}

static void yields_measure(struct yielded *yielded, const struct program *program)
{
	*yielded = (struct yielded){.run_ns = program_work_ns(program)};
	for (size_t i = 0; i < program->thread_count; i++)
		yields_measure_thread(yielded, &program->threads[i]);
}

double yielded_share(const struct yielded *yielded)
{
	if (!yielded->calls)
		return NAN;
	return yielded->run_ns ? (double)yielded->waiting_ns / (double)yielded->run_ns : 0;
}

/* Turns a run into a wait. If it ends at a lock, recognise() makes the wait from the last call. */
static void yields_become_wait(struct step *step, const struct program_thread *thread,
			       const struct yield_run *run, uint32_t site)
{
	bool at_lock = yields_ends_at_lock(thread, run);

	step->run_op = step_run_op(step_run_ns(step), at_lock ? STEP_NONE : STEP_EXTERNAL);
	if (!at_lock)
		step->pause = step_pause(run->run_ns + run->pause_ns, site);
}

/* Removes the STEP_LOOP of a loop that has become a wait. */
static void yields_forget_loop(struct program_thread *thread, size_t at)
{
	struct step *step = &thread->steps[at];

	if (at < thread->count && step_op(step) == STEP_LOOP)
		step->run_op = step_run_op(step_run_ns(step), STEP_NONE);
}

/* Replaces the runs of a thread, and moves its steps up to close the space. */
static uint64_t yields_thread_to_waits(struct program_thread *thread, uint32_t site)
{
	uint64_t moved_ns = 0;
	uint32_t kept = 0;

	for (size_t i = 0; i < thread->count; i++) {
		struct step step = thread->steps[i];
		struct yield_run run = {.last = i};

		if (step_op(&step) == STEP_YIELD)
			run = yields_run_from(thread, i, site);
		if (yields_is_waiting(&run)) {
			yields_become_wait(&step, thread, &run, site);
			moved_ns += run.run_ns;
			i = run.last;
			yields_forget_loop(thread, i + 1);
		}
		thread->steps[kept++] = step;
		while (i < run.last)
			thread->steps[kept++] = thread->steps[++i];
	}
	thread->count = kept;
	return moved_ns;
}

/*
 * Replaces each run by a STEP_EXTERNAL of its length at `site`. Earlier waits at `site` are a part
 * of the run around them. Returns the CPU time that became waits.
 */
static uint64_t yields_to_waits(struct program *program, uint32_t site)
{
	uint64_t moved_ns = 0;

	for (size_t i = 0; i < program->thread_count; i++)
		moved_ns += yields_thread_to_waits(&program->threads[i], site);
	return moved_ns;
}

/* --- One thread ---------------------------------------------------------------------------- */

/* The CPU time of a thread from beginning to end, in equal parts. */
struct parts {
	uint64_t run_ns;
	const bool *waits;
	size_t count;
};

static uint64_t begin_of(const struct parts *parts, size_t part)
{
	return (uint64_t)((unsigned __int128)parts->run_ns * part / parts->count);
}

/* Returns the end of the stretch of equal parts from `part` on, and moves `part` behind it. */
static uint64_t end_of(const struct parts *parts, size_t *part)
{
	bool waits = parts->waits[*part];

	while (*part < parts->count && parts->waits[*part] == waits)
		++*part;
	return begin_of(parts, *part);
}

/* The steps of a thread while they are made from the old ones. */
struct splitting {
	struct program *program;
	uint32_t thread, site;
	struct parts parts;
	size_t part;	 /* the first part behind the current stretch */
	bool waits;	 /* the current stretch is a wait */
	uint64_t end_ns; /* end of the current stretch */
	uint64_t at_ns, moved_ns;
};

static void go_on(struct splitting *splitting)
{
	while (splitting->at_ns >= splitting->end_ns && splitting->part < splitting->parts.count) {
		splitting->waits = splitting->parts.waits[splitting->part];
		splitting->end_ns = end_of(&splitting->parts, &splitting->part);
	}
}

/* Splits the CPU time of a step into waits and work. Returns the work behind the last wait. */
static uint64_t split_run(struct splitting *splitting, uint64_t run_ns)
{
	uint64_t work_ns = 0;

	while (run_ns) {
		uint64_t left_ns, taken_ns;

		go_on(splitting);
		left_ns = splitting->end_ns - splitting->at_ns;
		taken_ns = left_ns && left_ns < run_ns ? left_ns : run_ns;
		splitting->at_ns += taken_ns;
		run_ns -= taken_ns;
		if (!splitting->waits) {
			work_ns += taken_ns;
			continue;
		}
		program_add_step(splitting->program, splitting->thread, work_ns, STEP_EXTERNAL)
			->pause = step_pause(taken_ns, splitting->site);
		splitting->moved_ns += taken_ns;
		work_ns = 0;
	}
	return work_ns;
}

/*
 * Splits one thread, whose CPU time falls into `count` equal parts: true is a wait. `site` is the
 * site of these waits. Returns the CPU time that became waits.
 */
static uint64_t spin_split(struct program *program, uint32_t thread, const bool *waits,
			   size_t count, uint32_t site)
{
	struct program_thread *split = &program->threads[thread];
	struct splitting splitting = {.program = program, .thread = thread, .site = site};
	struct step *steps = split->steps;
	size_t step_count = split->count;

	if (!count)
		return 0;
	splitting.parts = (struct parts){.waits = waits, .count = count};
	for (size_t i = 0; i < step_count; i++)
		splitting.parts.run_ns += step_run_ns(&steps[i]);
	split->steps = NULL;
	split->count = split->capacity = 0;
	for (size_t i = 0; i < step_count; i++) {
		uint64_t work_ns = split_run(&splitting, step_run_ns(&steps[i]));
		struct step *step = program_add_step(program, thread, 0, step_op(&steps[i]));

		*step = steps[i];
		step->run_op = step_run_op(work_ns, step_op(&steps[i]));
	}
	free(steps);
	return splitting.moved_ns;
}

/* --- All threads --------------------------------------------------------------------------- */

static int compare_rows(const void *a, const void *b)
{
	const struct spin_row *one = a, *other = b;

	if (one->thread != other->thread)
		return compare_values(one->thread, other->thread);
	return (one->row->time_ns > other->row->time_ns) -
	       (one->row->time_ns < other->row->time_ns);
}

static int compare_tids(const void *a, const void *b)
{
	const struct program_thread *one = *(const struct program_thread *const *)a;
	const struct program_thread *other = *(const struct program_thread *const *)b;

	return compare_values(one->tid, other->tid);
}

/* Marks threads that share a number with another thread: their samples cannot be separated. */
static bool *find_namesakes(const struct program *program)
{
	size_t count = program->thread_count;
	bool *has_namesake = xcalloc(count, sizeof(*has_namesake));
	const struct program_thread **threads = xcalloc(count, sizeof(*threads));

	for (size_t i = 0; i < count; i++)
		threads[i] = &program->threads[i];
	sort_items(threads, count, compare_tids);
	for (size_t i = 1; i < count; i++)
		if (threads[i]->tid == threads[i - 1]->tid)
			has_namesake[threads[i] - program->threads] =
				has_namesake[threads[i - 1] - program->threads] = true;
	free(threads);
	return has_namesake;
}

struct spin_row *spin_program_rows(size_t *count, const struct program *program,
				   const struct samples *samples)
{
	struct counted_thread *threads = xcalloc(program->thread_count, sizeof(*threads));
	bool *has_namesake = find_namesakes(program);
	struct spin_row *rows;
	size_t all;

	for (size_t i = 0; i < program->thread_count; i++)
		threads[i] = (struct counted_thread){program->threads[i].tid,
						     program->threads[i].pid, 0};
	rows = spin_rows(&all, samples, threads, program->thread_count);
	*count = 0;
	for (size_t i = 0; i < all; i++)
		if (!has_namesake[rows[i].thread])
			rows[(*count)++] = rows[i];
	sort_items(rows, *count, compare_rows);
	free(has_namesake);
	free(threads);
	return rows;
}

/* Splits one thread. Unknown code is taken for work. Returns the number of rows of the thread. */
static size_t split_one(struct program *program, const struct spin_row *rows, size_t count,
			uint32_t site, struct spun *spun)
{
	bool *waits = xcalloc(count, sizeof(*waits));
	size_t own = 0;

	for (; own < count && rows[own].thread == rows[0].thread; own++) {
		waits[own] = rows[own].use == CODE_WAITS;
		spin_share_add(&spun->share, &rows[own]);
	}
	spun->moved_ns += spin_split(program, (uint32_t)rows[0].thread, waits, own, site);
	free(waits);
	return own;
}

void spin_to_waits(struct program *program, const struct samples *samples, struct spun *spun)
{
	size_t count;
	struct spin_row *rows = spin_program_rows(&count, program, samples);
	uint32_t site = PROGRAM_NONE;

	*spun = (struct spun){0};
	yields_measure(&spun->yielded, program);
	if (count || spun->yielded.waiting_ns) {
		site = program_add_site(program, SITE_EXTERNAL);
		program->sites[site].name = xstrdup("spinning");
	}
	for (size_t i = 0; i < count;)
		i += split_one(program, &rows[i], count - i, site, spun);
	spun->moved_ns += yields_to_waits(program, site);
	free(rows);
	/* Gaps are at CPU times that are no longer true. */
	program_gaps_release(program->gaps, program->gap_capacity);
	program->gaps = NULL;
	program->gap_capacity = 0;
}

void spin_measure(const struct program *program, const struct samples *samples, struct spun *spun)
{
	size_t count;
	struct spin_row *rows = spin_program_rows(&count, program, samples);

	*spun = (struct spun){0};
	yields_measure(&spun->yielded, program);
	for (size_t i = 0; i < count; i++)
		spin_share_add(&spun->share, &rows[i]);
	free(rows);
}
