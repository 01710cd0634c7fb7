/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work that threads shared dynamically, see recognise.h. */
#include "replay/recognise/recognise.h"

#include "base/alloc.h"
#include "base/sorted.h"
#include "replay/program/program.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

/* The work of a thread after its last wait for another thread, if its end is recorded. */
struct tail {
	struct program_thread *thread; /* NULL: no such thread */
	uint32_t first;		       /* step */
	uint64_t length_ns, end_ns;    /* CPU time and pauses; time of the end */
	uint64_t pauses, pause_ns;
};

static struct tail find_tail(struct program_thread *thread)
{
	struct tail tail = {.thread = thread};
	uint64_t all_ns = 0;

	if (!thread->forked || !thread->count)
		return (struct tail){0};
	for (uint32_t i = 0; i < thread->count; i++) {
		const struct step *step = &thread->steps[i];
		enum step_op op = step_op(step);
		uint64_t pause_ns = step_op_is_pause(op) ? step_pause_ns(step) : 0;
		uint64_t length_ns = step_run_ns(step) + pause_ns;

		all_ns += length_ns;
		tail.length_ns += length_ns;
		tail.pause_ns += pause_ns;
		tail.pauses += step_op_is_pause(op);
		if (op == STEP_DUE || (step_op_waits(op) && !step_op_is_pause(op)))
			tail = (struct tail){.thread = thread, .first = i + 1};
	}
	if (step_op(&thread->steps[thread->count - 1]) == STEP_EXIT)
		tail.end_ns = thread->steps[thread->count - 1].exit_ns;
	if (!tail.end_ns || tail.length_ns <= all_ns / 2)
		tail.thread = NULL;
	return tail;
}

static double share_of_pauses(const struct tail *tail)
{
	return (double)tail->pause_ns / (double)tail->length_ns;
}

/*
 * Keeps the threads of process `pid` that pause about as much of their time as most: threads that
 * share work do, a thread that only checks the progress of others does not.
 */
static void keep_alike(struct tail *tails, size_t thread_count, int32_t pid)
{
	const double alike = 1. / 4;
	double *shares = xcalloc(thread_count, sizeof(*shares));
	size_t count = 0;

	for (size_t i = 0; i < thread_count; i++) {
		if (tails[i].thread && tails[i].thread->pid == pid)
			shares[count++] = share_of_pauses(&tails[i]);
		else
			tails[i].thread = NULL;
	}
	gsl_sort(shares, 1, count);
	for (size_t i = 0; i < thread_count; i++)
		if (tails[i].thread &&
		    fabs(share_of_pauses(&tails[i]) - shares[(count - 1) / 2]) > alike)
			tails[i].thread = NULL;
	free(shares);
}

/*
 * Returns the mean length; 0: no more than `few` threads, or they do not end together. Threads that
 * take pieces, with a pause each, end within two pieces.
 */
static double mean_tail_ns(const struct tail *tails, const struct program *program, unsigned few,
			   bool only_pieces)
{
	const double together = 1. / 20, least_pieces = 8;
	uint64_t first_ns = UINT64_MAX, last_ns = 0;
	double sum_ns = 0, members = 0, pauses = 0, pieces;

	for (size_t i = 0; i < program->thread_count; i++) {
		if (!tails[i].thread)
			continue;
		first_ns = tails[i].end_ns < first_ns ? tails[i].end_ns : first_ns;
		last_ns = tails[i].end_ns > last_ns ? tails[i].end_ns : last_ns;
		sum_ns += (double)tails[i].length_ns;
		pauses += (double)tails[i].pauses;
		members++;
	}
	pieces = pauses / members;
	if (members <= few || (only_pieces && pieces < least_pieces) ||
	    (double)(last_ns - first_ns) >
		    (double)program->wall_ns * (pieces < least_pieces ? together : 2 / pieces))
		return 0;
	return sum_ns / members;
}

static void scale(struct program_thread *thread, double factor)
{
	for (size_t i = thread->even_from; i < thread->count; i++) {
		struct step *step = &thread->steps[i];
		double run_ns = (double)step_run_ns(step) * factor;

		step->run_op = step_run_op((uint64_t)(run_ns + .5), step_op(step));
		if (step_op_is_pause(step_op(step)))
			step->pause =
				step_pause((uint64_t)((double)step_pause_ns(step) * factor + .5),
					   step_site(step));
	}
}

static void make_tail(const struct tail *tail, double mean_ns)
{
	tail->thread->even_from = tail->first & INT32_MAX;
	tail->thread->even_factor = mean_ns / (double)tail->length_ns;
	scale(tail->thread, tail->thread->even_factor);
}

/* Makes the work of the first process with such tails even. */
static bool make_even(struct program *program, unsigned few, bool only_pieces)
{
	struct tail *tails = xcalloc(program->thread_count + 1, sizeof(*tails));
	const struct program_thread *of = NULL;
	double mean_ns;

	for (size_t i = 0; i < program->thread_count; i++) {
		tails[i] = find_tail(&program->threads[i]);
		if (!of && tails[i].thread)
			of = tails[i].thread;
	}
	if (of)
		keep_alike(tails, program->thread_count, of->pid);
	mean_ns = mean_tail_ns(tails, program, few, only_pieces);
	for (size_t i = 0; mean_ns > 0 && i < program->thread_count; i++)
		if (tails[i].thread)
			make_tail(&tails[i], mean_ns);
	free(tails);
	program->even_work = mean_ns > 0;
	return program->even_work;
}

bool even_work_make(struct program *program, unsigned few)
{
	return make_even(program, few, false);
}

void even_work_undo(struct program *program)
{
	for (size_t i = 0; i < program->thread_count; i++)
		if (program->threads[i].even_factor > 0)
			scale(&program->threads[i], 1 / program->threads[i].even_factor);
	program->even_work = false;
}

bool even_work_presume(struct program *program)
{
	return program->cores && make_even(program, program->cores, program->cores == 1);
}

/* --- Between barriers --------------------------------------------------------------------- */

/* The step at which a thread comes to a barrier. */
struct arrival {
	uint32_t thread, step;
};

/*
 * The phases of a barrier to which the same threads always come. A phase ends with an arrival of
 * each. It is plain if all come from one barrier, this or another, and have only computed since.
 */
struct phases {
	struct program *program;
	const struct arrival *arrivals; /* ordered by thread, then by phase */
	uint32_t threads;
	size_t count;
	double *sums;	/* [phase]: CPU time of all threads; < 0: not plain */
	double *ranked; /* [phase * threads + rank]: CPU times of its threads, ascending */
};

/* The largest distance of the phases of one loop. */
enum { PHASES_APART_MAX = 8 };

static struct step *phase_step(const struct phases *phases, uint32_t thread, size_t phase)
{
	const struct arrival *arrival = &phases->arrivals[thread * phases->count + phase];

	return &phases->program->threads[arrival->thread].steps[arrival->step];
}

static double phase_part(const struct phases *phases, uint32_t thread, size_t phase)
{
	return (double)step_run_ns(phase_step(phases, thread, phase));
}

static bool is_plain(const struct phases *phases, size_t phase)
{
	uint32_t from = PROGRAM_NONE;

	for (uint32_t i = 0; i < phases->threads; i++) {
		const struct step *step = phase_step(phases, i, phase);

		if (!phases->arrivals[i * phases->count + phase].step ||
		    step_op(step - 1) != STEP_BARRIER || (i && step[-1].site != from))
			return false;
		from = step[-1].site;
	}
	return true;
}

static void sum_phases(struct phases *phases)
{
	for (size_t phase = 0; phase < phases->count; phase++) {
		double *parts = &phases->ranked[phase * phases->threads];
		double sum = 0;

		for (uint32_t i = 0; i < phases->threads; i++)
			sum += parts[i] = phase_part(phases, i, phase);
		gsl_sort(parts, 1, phases->threads);
		phases->sums[phase] = is_plain(phases, phase) && sum > 0 ? sum : -1;
	}
}

/* The change from a phase to the one `apart` behind it. */
struct change {
	double sum;
	double moved, squares; /* half of all parts' changes; sum of their squares */
	double split;	       /* half of the changes of the ranked parts */
};

static bool find_change(struct change *change, const struct phases *phases, size_t phase,
			size_t apart)
{
	size_t next = phase + apart;

	if (next >= phases->count || phases->sums[phase] < 0 || phases->sums[next] < 0)
		return false;
	*change = (struct change){.sum = fabs(phases->sums[next] - phases->sums[phase])};
	for (uint32_t i = 0; i < phases->threads; i++) {
		double by = phase_part(phases, i, next) - phase_part(phases, i, phase);
		double split_by = phases->ranked[next * phases->threads + i] -
				  phases->ranked[phase * phases->threads + i];

		change->moved += fabs(by) / 2;
		change->squares += by * by;
		change->split += fabs(split_by) / 2;
	}
	return true;
}

/* Returns whether over a tenth of the sum moves between threads, and the sum stays. */
static bool goes_over(double part, const struct change *change, double sum)
{
	return part > sum / 10 && change->sum < part / 4;
}

/* The sums of all changes at one distance of phases. */
struct changes {
	double sums, parts;   /* squares */
	size_t pairs, splits; /* all; those in which the sum is split in another way */
};

static struct changes add_changes(const struct phases *phases, size_t first, size_t stride,
				  size_t apart)
{
	struct changes all = {.pairs = 0};
	struct change change;

	for (size_t phase = first; phase + apart < phases->count; phase += stride) {
		if (!find_change(&change, phases, phase, apart))
			continue;
		all.sums += change.sum * change.sum;
		all.parts += change.squares;
		all.pairs++;
		all.splits += goes_over(change.split, &change, phases->sums[phase]);
	}
	return all;
}

/* Returns the smallest distance that is about as good as the best: its multiples are, too. */
static size_t find_apart(const struct phases *phases)
{
	const double as_good = 2, nothing = .02;
	double changes[PHASES_APART_MAX], least = INFINITY;
	size_t apart = 0;

	for (size_t i = 0; i < PHASES_APART_MAX; i++) {
		struct changes all = add_changes(phases, 0, 1, i + 1);

		changes[i] = all.parts > 0 ? all.sums / all.parts : INFINITY;
		least = fmin(least, changes[i]);
	}
	while (apart + 1 < PHASES_APART_MAX && changes[apart] > fmax(as_good * least, nothing))
		apart++;
	return apart + 1;
}

/* Returns whether the conditions of even_work_between_barriers() hold. */
static bool is_shared(const struct phases *phases, size_t first, size_t apart)
{
	const size_t few = 8, seldom = 3, often = 20;
	const double by_chance = 1.5;
	struct changes one = add_changes(phases, first, apart, apart);
	struct changes two = add_changes(phases, first, apart, 2 * apart);

	return one.pairs >= few && one.sums < one.parts / 4 && one.splits >= seldom &&
	       one.splits * often >= one.pairs &&
	       two.parts * (double)one.pairs <= by_chance * one.parts * (double)two.pairs;
}

/* Returns whether parts moved from or to the phase of the loop before or behind it. */
static bool took_part(const struct phases *phases, size_t phase, size_t apart)
{
	struct change change;

	return (phase >= apart && find_change(&change, phases, phase - apart, apart) &&
		goes_over(change.moved, &change, phases->sums[phase])) ||
	       (find_change(&change, phases, phase, apart) &&
		goes_over(change.moved, &change, phases->sums[phase]));
}

/* Returns the smallest share that a working thread had of a sum. */
static double find_piece(const struct phases *phases, size_t first, size_t apart)
{
	const double nothing = .1 / phases->threads;
	double piece = 1;

	for (size_t phase = first; phase < phases->count; phase += apart)
		for (uint32_t i = 0; i < phases->threads && phases->sums[phase] > 0; i++) {
			double share = phase_part(phases, i, phase) / phases->sums[phase];

			piece = share > nothing ? fmin(piece, share) : piece;
		}
	return piece;
}

static void set_part(const struct phases *phases, const struct arrival *arrival, uint64_t even_ns)
{
	struct program *program = phases->program;
	struct step *step = &program->threads[arrival->thread].steps[arrival->step];

	array_reserve(&program->even_spans, &program->even_span_capacity,
		      program->even_span_count + 1);
	program->even_spans[program->even_span_count++] =
		(struct even_span){arrival->thread, arrival->step, step_run_ns(step), even_ns};
	step->run_op = step_run_op(even_ns, step_op(step));
	step->count = 0;
}

/* Gives each thread the mean, or a piece if that is more, until no work is left. */
static void make_phase_even(const struct phases *phases, size_t phase, double piece)
{
	double left_ns = phases->sums[phase];
	double part_ns = left_ns * fmax(piece, 1. / phases->threads);

	for (uint32_t i = 0; i < phases->threads; i++) {
		uint32_t thread = (uint32_t)((i + phase) % phases->threads);

		set_part(phases, &phases->arrivals[thread * phases->count + phase],
			 (uint64_t)(fmin(part_ns, fmax(left_ns, 0)) + .5));
		left_ns -= part_ns;
	}
}

/* Returns the number of phases made even. */
static uint64_t make_phases_even(struct phases *phases)
{
	bool *shared = xcalloc(phases->count, sizeof(*shared));
	size_t apart;
	uint64_t even = 0;

	sum_phases(phases);
	apart = find_apart(phases);
	for (size_t first = 0; first < apart; first++) {
		double piece = find_piece(phases, first, apart);

		if (!is_shared(phases, first, apart))
			continue;
		for (size_t phase = first; phase < phases->count; phase += apart)
			shared[phase] = phases->sums[phase] > 0 && took_part(phases, phase, apart);
		for (size_t phase = first; phase < phases->count; phase += apart)
			if (shared[phase]) {
				make_phase_even(phases, phase, piece);
				even++;
			}
	}
	free(shared);
	return even;
}

/* Returns arrivals by site, thread and step; site i begins at firsts[i]. The caller frees both. */
static struct arrival *find_arrivals(size_t **firsts, const struct program *program)
{
	size_t *ends = xcalloc(program->site_count + 2, sizeof(*ends));
	struct arrival *arrivals;

	for (size_t i = 0; i < program->thread_count; i++)
		for (uint32_t j = 0; j < program->threads[i].count; j++)
			if (step_op(&program->threads[i].steps[j]) == STEP_BARRIER)
				ends[program->threads[i].steps[j].site + 2]++;
	for (size_t i = 2; i < program->site_count + 2; i++)
		ends[i] += ends[i - 1];
	arrivals = xcalloc(ends[program->site_count + 1] + 1, sizeof(*arrivals));
	for (uint32_t i = 0; i < program->thread_count; i++)
		for (uint32_t j = 0; j < program->threads[i].count; j++)
			if (step_op(&program->threads[i].steps[j]) == STEP_BARRIER)
				arrivals[ends[program->threads[i].steps[j].site + 1]++] =
					(struct arrival){i, j};
	*firsts = ends;
	return arrivals;
}

/* Returns whether the arrivals are of `threads` threads, equally many of each. */
static bool come_equally(const struct arrival *arrivals, size_t count, uint32_t threads)
{
	size_t each = threads ? count / threads : 0;

	if (!each || count % threads)
		return false;
	for (size_t i = 0; i < count; i++)
		if (arrivals[i].thread != arrivals[i / each * each].thread ||
		    (i && i % each == 0 && arrivals[i].thread == arrivals[i - 1].thread))
			return false;
	return true;
}

static int by_place(const void *a, const void *b)
{
	const struct even_span *one = a, *other = b;

	return compare_values(one->thread, other->thread)
		       ?: compare_values(one->begin_ns, other->begin_ns);
}

/* Sorts the spans, and replaces the number of the step of each by its begin. */
static void place_spans(struct program *program)
{
	uint32_t thread = PROGRAM_NONE, step = 0;
	uint64_t now_ns = 0;

	sort_items(program->even_spans, program->even_span_count, by_place);
	for (size_t i = 0; i < program->even_span_count; i++) {
		struct even_span *span = &program->even_spans[i];
		const struct step *steps = program->threads[span->thread].steps;

		if (span->thread != thread)
			step = 0, now_ns = 0;
		thread = span->thread;
		for (uint64_t own = span->begin_ns; step < own; step++)
			now_ns += step_run_ns(&steps[step]);
		span->begin_ns = now_ns;
		now_ns += span->recorded_ns;
		step++;
	}
}

uint64_t even_work_between_barriers(struct program *program)
{
	const size_t few = 16;
	size_t *firsts;
	struct arrival *arrivals = find_arrivals(&firsts, program);
	uint64_t even = 0;

	for (size_t site = 0; site < program->site_count; site++) {
		size_t count = firsts[site + 1] - firsts[site];
		struct phases phases = {.program = program,
					.arrivals = &arrivals[firsts[site]],
					.threads = program->sites[site].parties};

		if (phases.threads <= program->cores || !program->cores || phases.threads < 2 ||
		    !come_equally(phases.arrivals, count, phases.threads) ||
		    count / phases.threads < few)
			continue;
		phases.count = count / phases.threads;
		phases.sums = xcalloc(phases.count, sizeof(*phases.sums));
		phases.ranked = xcalloc(phases.count * phases.threads, sizeof(*phases.ranked));
		even += make_phases_even(&phases);
		free(phases.sums);
		free(phases.ranked);
	}
	place_spans(program);
	free(arrivals);
	free(firsts);
	return even;
}
