/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The CPU time of waits for locks.
 *
 * A wait for a lock takes CPU time: system calls, switches, and the wakeup by the thread that
 * releases the lock. On a virtual machine with two CPUs these are 2 to 5 us and 5 to 10 us, and
 * some locks are held no longer than that. The time is no part of the hold, and threads of a replay
 * may wait more often, or less. Therefore it is taken out of the recorded steps, and a replay adds
 * the mean of all locks to each of its own waits and wakeups.
 *
 *  - The cost of a wait is the CPU time from the call, or from a later wait or wakeup, to the wait.
 *  - The cost of a release that wakes a thread is the CPU time up to the wakeup, and behind it how
 *    much more CPU time passes from a release to the next call or wait of the thread if the release
 *    wakes another one. Releases of the same lock by the same thread are compared. The difference
 *    less three standard errors counts: of long work behind releases nothing. A difference of more
 *    than STEP_CALL_NS is of the program.
 */
#include "replay/recognise/recognition.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

/* The CPU times behind the releases of a lock by a thread. */
struct release_times {
	double sum_ns, squares;
	size_t count;
};

struct lock_cost {
	double sum_ns;
	size_t count;
};

struct lock_costs {
	const struct recognition *recognition;
	const struct edge_calls *calls;
	struct release_times (*releases)[2]; /* [site] of a thread: without and with a wakeup */
	uint64_t **out_ns;		     /* [thread][step]: CPU time to take out of it */
	struct lock_cost wait, wake;
	/* Of all threads and locks: the sums of weights, of weighted differences, of squares. */
	double weight, difference_ns, squares;
	size_t degrees; /* of freedom, of the squares */
};

/* --- Waits ----------------------------------------------------------------------------------- */

/* Returns the calls of the step's edge if it is a wait for a lock that a release ended, or NULL. */
static const struct edge_calls *lock_edge(const struct lock_costs *costs, const struct step *step)
{
	const struct recognition *recognition = costs->recognition;
	enum step_op op = step_op(step);
	const struct edge *ends;

	if ((op != STEP_WAKE && op != STEP_BLOCK) ||
	    !recognition_has_edge(recognition, step->edge) ||
	    !call_waits_match(recognition, costs->calls, step->edge))
		return NULL;
	ends = &recognition->edges[step->edge];
	op = step_op(&recognition->program->threads[ends->block.thread]
			      .steps[costs->calls[step->edge].block]);
	return op == STEP_LOCK || op == STEP_LOCK_SHARED ? &costs->calls[step->edge] : NULL;
}

/* Takes out the CPU time from one step to another, as a cost. */
static void note_lock_cost(struct lock_costs *costs, struct lock_cost *cost, uint32_t thread,
			   uint32_t from, uint32_t to)
{
	const struct program_thread *own = &costs->recognition->program->threads[thread];
	uint64_t sum_ns = 0;

	for (uint32_t i = from + 1; i <= to; i++)
		sum_ns += step_run_ns(&own->steps[i]);
	if (sum_ns > STEP_CALL_NS)
		return;
	cost->sum_ns += (double)sum_ns;
	cost->count++;
	for (uint32_t i = from + 1; i <= to; i++)
		costs->out_ns[thread][i] = step_run_ns(&own->steps[i]);
}

/*
 * Notes the costs of waits and wakeups. Each begins at its call, or at the last wait or wakeup if
 * that came later, so that no CPU time counts twice.
 */
static void note_lock_costs(struct lock_costs *costs, uint32_t thread)
{
	const struct program_thread *own = &costs->recognition->program->threads[thread];
	uint32_t last = 0;

	for (uint32_t i = 0; i < own->count; i++) {
		const struct edge_calls *edge = lock_edge(costs, &own->steps[i]);
		bool waits = step_op(&own->steps[i]) == STEP_BLOCK;
		uint32_t call = edge ? waits ? edge->block : edge->wake : (uint32_t)PROGRAM_NONE;

		if (call >= i)
			continue;
		note_lock_cost(costs, waits ? &costs->wait : &costs->wake, thread,
			       call > last ? call : last, i);
		last = i;
	}
}

static uint32_t mean_cost_ns(const struct lock_cost *cost)
{
	return cost->count ? (uint32_t)(cost->sum_ns / (double)cost->count) : 0;
}

/* --- Releases -------------------------------------------------------------------------------- */

/* Returns whether the step is in a release before it, like its system call. */
static bool is_of_release(const struct step *step)
{
	enum step_op op = step_op(step);

	return op == STEP_NONE || op == STEP_WAKE || op == STEP_RETURN ||
	       (op == STEP_CALL && !step_is_library_call(step));
}

/* Calls `found` for each release of the thread, with the step that ends the CPU time behind it. */
static void walk_releases(struct lock_costs *costs, uint32_t thread,
			  void (*found)(struct lock_costs *costs, uint32_t thread, uint32_t release,
					uint32_t end, bool wakes))
{
	const struct program_thread *own = &costs->recognition->program->threads[thread];
	uint32_t release = PROGRAM_NONE;
	bool wakes = false;

	for (uint32_t i = 0; i < own->count; i++) {
		const struct step *step = &own->steps[i];
		const struct edge_calls *edge = lock_edge(costs, step);

		if (is_of_release(step)) {
			wakes |= edge && edge->wake == release;
			continue;
		}
		if (release != PROGRAM_NONE)
			found(costs, thread, release, i, wakes);
		release = step_op(step) == STEP_UNLOCK ? i : (uint32_t)PROGRAM_NONE;
		wakes = false;
	}
}

static void add_release(struct lock_costs *costs, uint32_t thread, uint32_t release, uint32_t end,
			bool wakes)
{
	const struct step *steps = costs->recognition->program->threads[thread].steps;
	struct release_times *times = &costs->releases[steps[release].site][wakes];
	double ns = 0;

	for (uint32_t i = release + 1; i <= end; i++)
		ns += (double)step_run_ns(&steps[i]);
	times->sum_ns += ns;
	times->squares += ns * ns;
	times->count++;
}

/* Compares the releases of the same lock, once, and forgets them. */
static void compare_releases(struct lock_costs *costs, uint32_t thread, uint32_t release,
			     uint32_t end, bool wakes)
{
	const struct step *steps = costs->recognition->program->threads[thread].steps;
	struct release_times *times = costs->releases[steps[release].site];
	double counts[] = {(double)times[0].count, (double)times[1].count};
	double weight;

	(void)end;
	(void)wakes;
	if (times[0].count && times[1].count) {
		weight = counts[0] * counts[1] / (counts[0] + counts[1]);
		costs->weight += weight;
		costs->difference_ns +=
			weight * (times[1].sum_ns / counts[1] - times[0].sum_ns / counts[0]);
		for (size_t i = 0; i < 2; i++)
			costs->squares +=
				times[i].squares - times[i].sum_ns * times[i].sum_ns / counts[i];
		costs->degrees += times[0].count + times[1].count - 2;
	}
	times[0] = times[1] = (struct release_times){.count = 0};
}

/* Returns the cost of a wakeup behind it. */
static uint32_t woke_cost_ns(const struct lock_costs *costs)
{
	const double errors = 3;
	double error_ns, mean_ns;

	if (!costs->degrees)
		return 0;
	mean_ns = costs->difference_ns / costs->weight;
	error_ns = sqrt(fmax(costs->squares, 0) / (double)costs->degrees / costs->weight);
	mean_ns -= mean_cost_ns(&costs->wake);
	return mean_ns <= STEP_CALL_NS ? (uint32_t)fmax(mean_ns - errors * error_ns, 0) : 0;
}

/* Takes the rest of a wakeup's cost out of the CPU time behind a release, up to all of it. */
static void note_wakeup(struct lock_costs *costs, uint32_t thread, uint32_t release, uint32_t end,
			bool wakes)
{
	const struct program *program = costs->recognition->program;
	const struct step *steps = program->threads[thread].steps;
	uint64_t left_ns = wakes ? program->sites[steps[release].site].woke_cost_ns : 0;

	for (uint32_t i = release + 1; i <= end; i++) {
		uint64_t *out_ns = &costs->out_ns[thread][i];
		uint64_t run_ns = step_run_ns(&steps[i]) - *out_ns;
		uint64_t part_ns = run_ns < left_ns ? run_ns : left_ns;

		*out_ns += part_ns;
		left_ns -= part_ns;
	}
}

/* --- All ------------------------------------------------------------------------------------- */

void lock_costs_take_out(const struct recognition *recognition, const struct edge_calls *calls)
{
	struct program *program = recognition->program;
	size_t count = program->thread_count;
	struct lock_costs costs = {.recognition = recognition, .calls = calls};

	costs.releases = xcalloc(program->site_count, sizeof(*costs.releases));
	costs.out_ns = xcalloc(count, sizeof(*costs.out_ns));
	for (uint32_t i = 0; i < count; i++) {
		costs.out_ns[i] = xcalloc(program->threads[i].count, sizeof(**costs.out_ns));
		note_lock_costs(&costs, i);
		walk_releases(&costs, i, add_release);
		walk_releases(&costs, i, compare_releases);
	}
	for (size_t i = 0; i < program->site_count; i++) {
		struct site *site = &program->sites[i];

		if (site->kind != SITE_LOCK)
			continue;
		site->wait_cost_ns = mean_cost_ns(&costs.wait);
		site->wake_cost_ns = mean_cost_ns(&costs.wake);
		site->woke_cost_ns = woke_cost_ns(&costs);
	}
	for (uint32_t i = 0; i < count; i++) {
		walk_releases(&costs, i, note_wakeup);
		recognition->found->lock_costs_ns +=
			recognise_take_out_work(program, i, costs.out_ns[i]);
		free(costs.out_ns[i]);
	}
	free(costs.out_ns);
	free(costs.releases);
}
