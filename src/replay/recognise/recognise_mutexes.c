/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Mutexes of which only the system calls are recorded: the waits, and the wakeups that ended them.
 *
 * A thread that has waited then has the mutex, and releases it when it wakes the next waiter.
 * Replayed as a lock, which any thread may get first, that is also true on other cores; as
 * recorded, each wakeup ends the wait of one certain thread, which costs time that no lock costs.
 * Threads that lock and unlock without a wait leave no trace: recognise_add_uses() adds such uses,
 * and replays of the recording show how many there were.
 */
#include "replay/recognise/recognise.h"
#include "replay/recognise/recognition.h"

#include "base/alloc.h"
#include "base/sorted.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_ulong.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Fewer holds than HOLDS_MIN show nothing. In an exponential distribution a fourth is below 0.29
 * means, and hardly any hold above HOLD_MEANS means: a longer hold is more than one.
 */
enum { HOLDS_MIN = 3, HOLD_MEANS = 8, HOLD_QUARTERS = 28 };

/* --- Waits and wakeups at mutexes ----------------------------------------------------------- */

enum { NO_MUTEX = UINT32_MAX };

struct mutex_view {
	const struct program *program;
	uint32_t *of_edge; /* [edge]: number of the mutex of its wait; NO_MUTEX: none */
};

static bool is_mutex(const struct program *program, uint32_t site)
{
	return site < program->site_count && site_is_mutex(&program->sites[site]);
}

/* Finds the mutex of each edge. `numbers` [site]: the number of its mutex. */
static void view_init(struct mutex_view *view, const struct program *program,
		      const uint32_t *numbers)
{
	*view = (struct mutex_view){program, xcalloc(program->edge_count, sizeof(*view->of_edge))};
	for (uint32_t i = 0; i < program->edge_count; i++)
		view->of_edge[i] = NO_MUTEX;
	for (size_t i = 0; i < program->thread_count; i++)
		for (size_t j = 0; j < program->threads[i].count; j++) {
			const struct step *step = &program->threads[i].steps[j];

			if (step_op(step) == STEP_BLOCK && step->edge < program->edge_count &&
			    step->site < program->site_count)
				view->of_edge[step->edge] = numbers[step->site];
		}
}

/* Returns the mutex that the step waits for, or wakes a thread at; NO_MUTEX: none. */
static uint32_t mutex_of(const struct mutex_view *view, const struct step *step)
{
	enum step_op op = step_op(step);

	return (op == STEP_BLOCK || op == STEP_WAKE) && step->edge < view->program->edge_count
		       ? view->of_edge[step->edge]
		       : (uint32_t)NO_MUTEX;
}

/* --- Hold times ----------------------------------------------------------------------------- */

/*
 * Holds are seen in two ways. If their means differ by chance, the mean of all counts, else the
 * longer one:
 *
 *  - whole holds of threads that got the mutex while others waited: they release it with a call
 *    that wakes a waiter. Other holds are left out: of those, long ones are seen to end more often;
 *  - the rest of a hold from the wait of a thread that found no other one waiting: its waker had
 *    the mutex then. Of exponential holds a rest has the mean of a whole one, of constant holds
 *    half of it. Threads that hold a mutex for long may never wait for it, and only threads that
 *    hold it for a moment may.
 */

/* A wait in a call at `site`, or a wakeup of the thread that waits at `edge`. */
struct mutex_call {
	uint32_t site, order; /* as in step_call_order() */
	uint32_t thread, edge;
	uint64_t at_ns; /* CPU time of the thread */
	bool waits;
};

struct mutex_calls {
	struct mutex_call *items;
	size_t count, capacity;
};

static int by_order(const void *a, const void *b)
{
	const struct mutex_call *x = a, *y = b;

	return compare_values(x->site, y->site) ?: compare_values(x->order, y->order);
}

static void note_calls(struct mutex_calls *calls, const struct recognition *recognition,
		       uint32_t thread)
{
	const struct program_thread *own = &recognition->program->threads[thread];
	const struct step *call = NULL;
	uint64_t now_ns = 0;

	for (size_t i = 0; i < own->count; i++) {
		const struct step *step = &own->steps[i];
		enum step_op op = step_op(step);

		now_ns += step_run_ns(step);
		if (op == STEP_CALL)
			call = step;
		if (!call || (op != STEP_WAKE && op != STEP_BLOCK) ||
		    !recognition_has_edge(recognition, step->edge) ||
		    !is_mutex(recognition->program, call->site))
			continue;
		array_reserve(&calls->items, &calls->capacity, calls->count + 1);
		calls->items[calls->count++] =
			(struct mutex_call){call->site, step_call_order(call), thread, step->edge,
					    now_ns,	op == STEP_BLOCK};
	}
}

struct holds {
	unsigned long *ns;
	size_t count, capacity;
};

static void add_hold(struct holds *holds, uint64_t ns)
{
	array_reserve(&holds->ns, &holds->capacity, holds->count + 1);
	holds->ns[holds->count++] = ns;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/*
 * Leaves out holds that are more than one: if a lock waits like a mutex, as a read lock may, some
 * holds are unseen, and the next call ends another hold.
 */
static void keep_single(struct holds *holds)
{
	double most;

	if (holds->count < HOLDS_MIN) {
		holds->count = 0;
		return;
	}
	gsl_sort_ulong(holds->ns, 1, holds->count);
	most = HOLD_QUARTERS *
	       gsl_stats_ulong_quantile_from_sorted_data(holds->ns, 1, holds->count, .25);
	while (holds->count && (double)holds->ns[holds->count - 1] > most)
		holds->count--;
}

/* Returns the mean, and the square of its standard error; 0 without holds. */
static double mean_of(const struct holds *holds, double *variance)
{
	*variance = 0;
	if (!holds->count)
		return 0;
	*variance = gsl_stats_ulong_variance(holds->ns, 1, holds->count) / (double)holds->count;
	return gsl_stats_ulong_mean(holds->ns, 1, holds->count);
}

/* Returns the mean hold; 1: too few were seen. */
static uint64_t mean_hold_ns(struct holds *holds, struct holds *rests)
{
	const double chance = 2; /* standard errors */
	double whole_variance, rest_variance, whole_ns, rest_ns, count;

	keep_single(holds);
	keep_single(rests);
	whole_ns = mean_of(holds, &whole_variance);
	rest_ns = mean_of(rests, &rest_variance);
	count = (double)(holds->count + rests->count);
	if (!holds->count || !rests->count ||
	    fabs(whole_ns - rest_ns) > chance * sqrt(whole_variance + rest_variance))
		return (uint64_t)fmax(whole_ns, rest_ns) + 1;
	return (uint64_t)((whole_ns * (double)holds->count + rest_ns * (double)rests->count) /
			  count) +
	       1;
}

struct mutex_user {
	uint64_t waited_ns; /* CPU time of its last wait */
	size_t woken;	    /* call that woke it, plus one; 0: it has called since */
	bool waits;
};

/* Returns 1 if the user waited, or 0. */
static size_t stop_waiting(struct mutex_user *user)
{
	bool waited = user->waits;

	user->waits = false;
	return waited;
}

/* Adds the time for which the thread that ended a wait had the mutex meanwhile. */
static void add_rest(struct holds *rests, const struct program *program, uint32_t edge)
{
	if (edge < program->met_count && program->met_ns[edge])
		add_hold(rests, program->met_ns[edge]);
}

/*
 * Finds the holds, and rests of holds, in the calls of one site. A woken thread wakes the next one
 * at its unlock, if threads have waited all the time. If another thread wakes the last waiter
 * before, that unlock is unseen, and the next wakeup by the thread ends another hold.
 */
static void find_holds(struct holds *holds, struct holds *rests,
		       const struct recognition *recognition, const struct mutex_call *calls,
		       size_t count, struct mutex_user *users)
{
	size_t waiting = 0, none_waited = 0;

	for (size_t i = 0; i < count; i++) {
		const struct mutex_call *call = &calls[i];
		struct mutex_user *user = &users[call->thread];
		struct mutex_user *other = &users[recognition->edges[call->edge].block.thread];
		size_t woken = user->woken;

		user->woken = 0;
		waiting -= stop_waiting(user);
		if (call->waits) {
			if (!waiting)
				add_rest(rests, recognition->program, call->edge);
			*user = (struct mutex_user){.waited_ns = call->at_ns, .waits = true};
			waiting++;
			continue;
		}
		if (woken > none_waited)
			add_hold(holds, call->at_ns - user->waited_ns);
		waiting -= stop_waiting(other);
		other->woken = i + 1;
		if (!waiting)
			none_waited = i + 1;
	}
	for (size_t i = 0; i < count; i++)
		users[calls[i].thread] = (struct mutex_user){.waits = false};
}

void mutexes_measure(const struct recognition *recognition)
{
	struct program *program = recognition->program;
	struct mutex_calls calls = {.count = 0};
	struct mutex_user *users = xcalloc(program->thread_count, sizeof(*users));
	size_t end;

	for (uint32_t i = 0; i < program->thread_count; i++)
		note_calls(&calls, recognition, i);
	sort_items(calls.items, calls.count, by_order);
	for (size_t i = 0; i < calls.count; i = end) {
		struct holds holds = {.count = 0}, rests = {.count = 0};

		end = i + 1;
		while (end < calls.count && calls.items[end].site == calls.items[i].site)
			end++;
		find_holds(&holds, &rests, recognition, &calls.items[i], end - i, users);
		program->sites[calls.items[i].site].hold_ns = mean_hold_ns(&holds, &rests);
		free(holds.ns);
		free(rests.ns);
	}
	free(calls.items);
	free(users);
}

/* --- Rewriting ------------------------------------------------------------------------------ */

/* An operation to insert between steps, at a CPU time of the thread. */
struct insertion {
	uint64_t at_ns;
	uint32_t number; /* number in the order of creation */
	uint32_t site;
	enum step_op op;
	uint32_t count; /* as in struct step */
};

struct rewriting {
	struct mutex_view view;
	struct program_thread *thread;
	bool nested; /* a thread may wait for one mutex while it has another */
	struct insertion *insertions;
	size_t insertion_count, insertion_capacity;
	uint32_t *sites; /* [mutex], `count` of them */
	size_t count;
	uint32_t *waits;   /* [mutex]: number of waits by chance */
	uint64_t *got_ns;  /* [mutex]: the thread's hold began; UINT64_MAX: no hold */
	struct step **got; /* [mutex]: step that got it */
	uint32_t *held;	   /* mutexes that it may hold; some are released */
	size_t held_count, held_capacity;
	uint64_t free_ns; /* time of its last unlock or wait */
};

static void insert(struct rewriting *rewriting, uint64_t at_ns, enum step_op op, uint32_t site,
		   uint32_t count)
{
	array_reserve(&rewriting->insertions, &rewriting->insertion_capacity,
		      rewriting->insertion_count + 1);
	rewriting->insertions[rewriting->insertion_count] =
		(struct insertion){at_ns, (uint32_t)rewriting->insertion_count, site, op, count};
	rewriting->insertion_count++;
}

static uint64_t hold_ns_of(const struct rewriting *rewriting, uint32_t mutex)
{
	return larger(rewriting->view.program->sites[rewriting->sites[mutex]].hold_ns, 1);
}

/* Ends a hold whose end is not recorded, by `now_ns`. */
static void end_hold(struct rewriting *rewriting, uint32_t mutex, uint64_t now_ns)
{
	uint64_t end_ns = rewriting->got_ns[mutex] + hold_ns_of(rewriting, mutex);

	if (rewriting->got_ns[mutex] == UINT64_MAX)
		return;
	end_ns = end_ns < now_ns ? end_ns : now_ns;
	if (end_ns > rewriting->got_ns[mutex])
		insert(rewriting, end_ns, STEP_UNLOCK, rewriting->sites[mutex], 1);
	else
		step_become(rewriting->got[mutex], STEP_NONE);
	rewriting->free_ns = larger(rewriting->free_ns, end_ns);
	rewriting->got_ns[mutex] = UINT64_MAX;
}

static void end_all_holds(struct rewriting *rewriting, uint32_t but, uint64_t now_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < rewriting->held_count; i++) {
		if (rewriting->held[i] != but)
			end_hold(rewriting, rewriting->held[i], now_ns);
		else if (!kept && rewriting->got_ns[but] != UINT64_MAX)
			rewriting->held[kept++] = but;
	}
	rewriting->held_count = kept;
}

static void rewrite_wait(struct rewriting *rewriting, struct step *step, uint32_t mutex,
			 uint64_t now_ns)
{
	uint64_t got_ns = rewriting->got_ns[mutex];

	if (got_ns != UINT64_MAX && now_ns - got_ns < STEP_CALL_NS) {
		step_become(step, STEP_NONE); /* the mutex was taken again before */
		return;
	}
	end_hold(rewriting, mutex, now_ns);
	step_become_at(step, STEP_LOCK, rewriting->sites[mutex], 1);
	rewriting->got_ns[mutex] = now_ns;
	rewriting->got[mutex] = step;
	array_reserve(&rewriting->held, &rewriting->held_capacity, rewriting->held_count + 1);
	rewriting->held[rewriting->held_count++] = mutex;
}

static void rewrite_wake(struct rewriting *rewriting, struct step *step, uint32_t mutex,
			 uint64_t now_ns)
{
	uint64_t hold_ns = hold_ns_of(rewriting, mutex), got_ns = rewriting->got_ns[mutex];

	if (got_ns != UINT64_MAX && now_ns - got_ns > HOLD_MEANS * hold_ns) {
		end_hold(rewriting, mutex, now_ns);
		got_ns = UINT64_MAX;
	}
	if (got_ns == UINT64_MAX) {
		got_ns = larger(now_ns - (hold_ns < now_ns ? hold_ns : now_ns),
				rewriting->free_ns + 1);
		if (got_ns < now_ns)
			insert(rewriting, got_ns, STEP_LOCK, rewriting->sites[mutex], 1);
	}
	step_become_at(step, STEP_UNLOCK, rewriting->sites[mutex], 1);
	rewriting->free_ns = now_ns;
	rewriting->got_ns[mutex] = UINT64_MAX;
}

static void rewrite_steps(struct rewriting *rewriting)
{
	struct program_thread *thread = rewriting->thread;
	uint64_t now_ns = 0;

	for (size_t i = 0; i < thread->count; i++) {
		struct step *step = &thread->steps[i];
		uint32_t mutex = mutex_of(&rewriting->view, step);
		bool waits = step_op_waits(step_op(step)) || step_op(step) == STEP_EXIT;

		now_ns += step_run_ns(step);
		if (mutex == NO_MUTEX ? waits : !rewriting->nested)
			end_all_holds(rewriting, mutex, now_ns);
		if (mutex != NO_MUTEX && waits && step_waits_by_chance(thread->steps, step))
			rewriting->waits[mutex]++;
		if (mutex != NO_MUTEX && waits)
			rewrite_wait(rewriting, step, mutex, now_ns);
		else if (mutex != NO_MUTEX)
			rewrite_wake(rewriting, step, mutex, now_ns);
		if (waits)
			rewriting->free_ns = now_ns;
	}
	end_all_holds(rewriting, NO_MUTEX, now_ns);
}

static int by_time(const void *a, const void *b)
{
	const struct insertion *x = a, *y = b;

	return compare_values(x->at_ns, y->at_ns) ?: compare_values(x->number, y->number);
}

static void put_insertions(struct rewriting *rewriting)
{
	struct program_thread *thread = rewriting->thread;
	size_t count = thread->count + rewriting->insertion_count, put = 0, next = 0;
	struct step *steps = xcalloc(count, sizeof(*steps));
	uint64_t now_ns = 0, done_ns = 0;
	uint32_t *places = xcalloc(thread->count + (size_t)1, sizeof(*places));

	sort_items(rewriting->insertions, rewriting->insertion_count, by_time);
	for (size_t i = 0; i < thread->count; i++) {
		struct step step = thread->steps[i];

		places[i] = (uint32_t)put;
		now_ns += step_run_ns(&step);
		for (; next < rewriting->insertion_count &&
		       rewriting->insertions[next].at_ns <= now_ns;
		     next++) {
			const struct insertion *own = &rewriting->insertions[next];

			steps[put++] =
				(struct step){.run_op = step_run_op(own->at_ns - done_ns, own->op),
					      .site = own->site,
					      .count = own->count};
			done_ns = own->at_ns;
		}
		step.run_op = step_run_op(now_ns - done_ns, step_op(&step));
		done_ns = now_ns;
		steps[put++] = step;
	}
	free(thread->steps);
	thread->steps = steps;
	places[thread->count] = (uint32_t)put;
	for (size_t i = 0; i < thread->even_span_count; i++) {
		thread->even_spans[i].first = places[thread->even_spans[i].first];
		thread->even_spans[i].end = places[thread->even_spans[i].end];
	}
	free(places);
	thread->count = (uint32_t)put;
	thread->capacity = (uint32_t)count;
}

static void rewrite_thread(struct rewriting *rewriting)
{
	rewriting->insertion_count = 0;
	rewriting->free_ns = 0;
	rewrite_steps(rewriting);
	if (rewriting->insertion_count)
		put_insertions(rewriting);
}

/* Returns the numbers of mutexes by their sites. */
static uint32_t *number_mutexes(struct rewriting *rewriting, const struct program *program)
{
	uint32_t *numbers = xcalloc(program->site_count, sizeof(*numbers));

	rewriting->sites = xcalloc(program->site_count, sizeof(*rewriting->sites));
	for (uint32_t i = 0; i < program->site_count; i++) {
		numbers[i] = NO_MUTEX;
		if (!is_mutex(program, i))
			continue;
		numbers[i] = (uint32_t)rewriting->count;
		rewriting->sites[rewriting->count++] = i;
	}
	return numbers;
}

size_t recognise_mutexes(struct program *program, bool nested)
{
	struct rewriting rewriting = {.nested = nested};
	uint32_t *numbers = number_mutexes(&rewriting, program);

	rewriting.waits = xcalloc(rewriting.count, sizeof(*rewriting.waits));
	rewriting.got_ns = xcalloc(rewriting.count, sizeof(*rewriting.got_ns));
	rewriting.got = xcalloc(rewriting.count, sizeof(struct step *));
	for (size_t i = 0; i < rewriting.count; i++)
		rewriting.got_ns[i] = UINT64_MAX;
	view_init(&rewriting.view, program, numbers);
	for (size_t i = 0; rewriting.count && i < program->thread_count; i++) {
		rewriting.thread = &program->threads[i];
		rewrite_thread(&rewriting);
	}
	for (size_t i = 0; i < rewriting.count; i++) {
		program->sites[rewriting.sites[i]].kind = SITE_LOCK;
		program->sites[rewriting.sites[i]].waits = rewriting.waits[i];
	}
	free(rewriting.view.of_edge);
	free(rewriting.insertions);
	free(rewriting.waits);
	free(rewriting.got_ns);
	free(rewriting.got);
	free(rewriting.held);
	free(rewriting.sites);
	free(numbers);
	return rewriting.count;
}

/* --- Uses without a wait -------------------------------------------------------------------- */

/* A use that fits nowhere in as many tries is left out, so that the next ones are drawn. */
enum { TRIES = 16 };

struct use_drawing {
	struct program *program;
	struct rewriting rewriting; /* only `thread` and the insertions are used */
	uint32_t *sites;	    /* the `count` sites that the thread locks */
	double *rates;	 /* cumulative: uses per ns without a lock, of the sites up to each */
	uint32_t *last;	 /* [site]: last thread found to lock it, plus one */
	double *free_ns; /* [site]: CPU time without a lock of all threads that lock it */
	size_t count;
	gsl_rng *rng;
	double next_ns; /* CPU time up to the next use */
	double hold_ns; /* hold time of the next use */
	unsigned tries; /* at which it would have ended too late */
	uint32_t site;	/* site of the next use */
};

/* Returns the number of locks held after the step. */
static size_t held_after(size_t held, const struct step *step)
{
	enum step_op op = step_op(step);

	return op == STEP_LOCK ? held + 1 : held - (held && op == STEP_UNLOCK);
}

/* Lists the sites that a thread locks, and returns its CPU time without a lock. */
static double list_sites(struct use_drawing *drawing, uint32_t thread)
{
	const struct program_thread *own = &drawing->program->threads[thread];
	double free_ns = 0;
	size_t held = 0;

	drawing->count = 0;
	for (size_t i = 0; i < own->count; i++) {
		const struct step *step = &own->steps[i];

		free_ns += held ? 0 : (double)step_run_ns(step);
		held = held_after(held, step);
		if (step_op(step) != STEP_LOCK || drawing->last[step->site] == thread + 1)
			continue;
		drawing->last[step->site] = thread + 1;
		drawing->sites[drawing->count++] = step->site;
	}
	return free_ns;
}

static double rate_of_all(const struct use_drawing *drawing)
{
	return drawing->rates[drawing->count - 1];
}

static void draw_time(struct use_drawing *drawing)
{
	drawing->next_ns = gsl_ran_exponential(drawing->rng, 1 / rate_of_all(drawing));
}

static void draw_use(struct use_drawing *drawing)
{
	double at = gsl_rng_uniform(drawing->rng) * rate_of_all(drawing);
	size_t i = 0, behind = drawing->count - 1;

	while (i < behind) {
		size_t middle = (i + behind) / 2;

		if (at < drawing->rates[middle])
			behind = middle;
		else
			i = middle + 1;
	}
	drawing->site = drawing->sites[i];
	drawing->tries = 0;
	drawing->hold_ns =
		1 + gsl_ran_exponential(drawing->rng,
					(double)drawing->program->sites[drawing->site].hold_ns);
}

/*
 * Draws uses within the CPU time from `at_ns` to `end_ns`, in which the thread holds no lock. A use
 * that would end later is tried again at a later time, as long holds would be too few without it.
 */
static void draw_uses_between(struct use_drawing *drawing, double at_ns, double end_ns)
{
	for (; at_ns + drawing->next_ns < end_ns; draw_time(drawing)) {
		/* Later than before, however many uses there are. */
		double got_ns = fmax(at_ns + drawing->next_ns, nextafter(at_ns, INFINITY));
		bool fits = got_ns + drawing->hold_ns + 1 < end_ns;

		at_ns = got_ns;
		if (fits) {
			/* Behind the previous step, which may lock, and before the end of this. */
			at_ns += drawing->hold_ns;
			insert(&drawing->rewriting, (uint64_t)got_ns + 1, STEP_LOCK, drawing->site,
			       0);
			insert(&drawing->rewriting, (uint64_t)at_ns + 1, STEP_UNLOCK, drawing->site,
			       0);
		}
		if (fits || ++drawing->tries == TRIES)
			draw_use(drawing);
	}
	drawing->next_ns -= end_ns > at_ns ? end_ns - at_ns : 0;
}

static void draw_uses(struct use_drawing *drawing)
{
	const struct program_thread *thread = drawing->rewriting.thread;
	double now_ns = 0;
	size_t held = 0;

	draw_use(drawing);
	draw_time(drawing);
	for (size_t i = 0; i < thread->count; i++) {
		double end_ns = now_ns + (double)step_run_ns(&thread->steps[i]);

		if (!held)
			draw_uses_between(drawing, now_ns, end_ns);
		held = held_after(held, &thread->steps[i]);
		now_ns = end_ns;
	}
}

static void add_uses_of_thread(struct use_drawing *drawing, uint32_t thread, const double *uses)
{
	double rate = 0;

	list_sites(drawing, thread);
	for (size_t i = 0; i < drawing->count; i++) {
		uint32_t site = drawing->sites[i];

		rate += drawing->free_ns[site] > 0 ? uses[site] / drawing->free_ns[site] : 0;
		drawing->rates[i] = rate;
	}
	if (!(rate > 0))
		return;
	drawing->rewriting.thread = &drawing->program->threads[thread];
	drawing->rewriting.insertion_count = 0;
	draw_uses(drawing);
	put_insertions(&drawing->rewriting);
}

void recognise_add_uses(struct program *program, const double *uses)
{
	size_t sites = program->site_count;
	struct use_drawing drawing = {.program = program,
				      .sites = xcalloc(sites, sizeof(*drawing.sites)),
				      .rates = xcalloc(sites, sizeof(*drawing.rates)),
				      .last = xcalloc(sites, sizeof(*drawing.last)),
				      .free_ns = xcalloc(sites, sizeof(*drawing.free_ns)),
				      .rng = gsl_rng_alloc(gsl_rng_taus2)};

	for (uint32_t i = 0; i < program->thread_count; i++) {
		double free_ns = list_sites(&drawing, i);

		for (size_t j = 0; j < drawing.count; j++)
			drawing.free_ns[drawing.sites[j]] += free_ns;
	}
	memset(drawing.last, 0, sites * sizeof(*drawing.last));
	for (uint32_t i = 0; i < program->thread_count; i++)
		add_uses_of_thread(&drawing, i, uses);
	gsl_rng_free(drawing.rng);
	free(drawing.rewriting.insertions);
	free(drawing.sites);
	free(drawing.rates);
	free(drawing.last);
	free(drawing.free_ns);
}
