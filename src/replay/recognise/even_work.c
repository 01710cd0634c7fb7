/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work that threads shared dynamically, see recognise.h. */
#include "replay/recognise/recognise.h"

#include "base/alloc.h"
#include "base/sorted.h"
#include "replay/program/program.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

/* --- Sections -------------------------------------------------------------------------------- */

/* The part of a thread in a section: its steps from `first` to before `end`. */
struct part {
	struct program_thread *thread; /* NULL: no part */
	uint32_t first, end;
	uint32_t from; /* site of the barrier before it */
	uint64_t run_ns, pause_ns, pauses;
	uint64_t end_ns; /* time of its end, or CPU time of all threads up to it, since any time */
};

static double length_of(const struct part *part)
{
	return (double)part->run_ns + (double)part->pause_ns;
}

/* The way in which threads split the work of a section. */
struct split {
	double sum;	/* of the parts; < 0: other waits are between, or it is no section */
	double uneven;	/* work that a fixed split of it would have left at the first end ... */
	double left;	/* ... and the most that was left then */
	double late;	/* from the first end to the last one */
	double most;	/* the largest part ... */
	size_t largest; /* ... and its index */
};

static struct split split_of(const struct part *parts, size_t count)
{
	struct split split = {.largest = 0};
	double least = INFINITY;
	uint64_t first_ns = UINT64_MAX;

	for (size_t i = 0; i < count; i++)
		first_ns = parts[i].end_ns < first_ns ? parts[i].end_ns : first_ns;
	for (size_t i = 0; i < count; i++) {
		double length = length_of(&parts[i]), late = (double)(parts[i].end_ns - first_ns);

		split.sum += length;
		split.left += fmin(length, late);
		split.late = fmax(split.late, late);
		split.largest = length > split.most ? i : split.largest;
		least = fmin(least, length);
		split.most = fmax(split.most, length);
	}
	split.left = fmin(split.left, split.late);
	split.uneven = fmin(split.sum - split.most, split.sum - (double)count * least);
	return split;
}

static bool split_is_uneven(const struct split *split)
{
	return split->sum > 0 && split->uneven > split->sum / 10;
}

/*
 * Returns 1 if only sharing explains the split, -1 if a fixed one does, else 0. Without a recorded
 * wait nothing shows how much was left.
 */
static int split_tells(const struct split *split)
{
	if (!split_is_uneven(split) || !(split->late > 0))
		return 0;
	return split->left < split->uneven / 2 ? 1 : -1;
}

/* --- Spans ----------------------------------------------------------------------------------- */

/* Gives the steps of a span `to_ns` of CPU time for each `from_ns`, and scales their pauses. */
static void scale_span(struct program_thread *thread, const struct even_span *span,
		       uint64_t from_ns, uint64_t to_ns)
{
	double factor = from_ns ? (double)to_ns / (double)from_ns : 1;
	uint64_t left_ns = 0;

	for (uint32_t i = span->first; i < span->end; i++)
		left_ns += step_run_ns(&thread->steps[i]);
	left_ns = from_ns ? (uint64_t)((double)left_ns * factor + .5) : to_ns;
	for (uint32_t i = span->first; i < span->end; i++) {
		struct step *step = &thread->steps[i];
		uint64_t run_ns = (uint64_t)((double)step_run_ns(step) * factor);

		run_ns = i + 1 < span->end && run_ns < left_ns ? run_ns : left_ns;
		left_ns -= run_ns;
		step->run_op = step_run_op(run_ns, step_op(step));
		if (step_op_is_pause(step_op(step)))
			step->pause =
				step_pause((uint64_t)((double)step_pause_ns(step) * factor + .5),
					   step_site(step));
	}
}

static void mark_span(struct program_thread *thread, const struct even_span *span, bool even)
{
	if (step_op(&thread->steps[span->end - 1]) == STEP_BARRIER)
		thread->steps[span->end - 1].count = !even;
}

/* Makes a part `length_ns` long. */
static void make_even(const struct part *part, double length_ns)
{
	struct program_thread *thread = part->thread;
	double share = length_of(part) > 0 ? (double)part->run_ns / length_of(part) : 1;
	struct even_span span = {.first = part->first,
				 .end = part->end,
				 .recorded_ns = part->run_ns,
				 .even_ns = (uint64_t)(length_ns * share + .5)};

	array_reserve(&thread->even_spans, &thread->even_span_capacity,
		      thread->even_span_count + 1);
	thread->even_spans[thread->even_span_count++] = span;
	scale_span(thread, &span, span.recorded_ns, span.even_ns);
	mark_span(thread, &span, true);
}

/* Gives each part the mean, or a piece, if that is more, until no work is left. */
static void make_all_even(const struct part *parts, size_t count, double sum, double piece,
			  size_t first)
{
	double part_ns = sum * fmax(piece, 1. / (double)count);

	for (size_t i = 0; i < count; i++) {
		make_even(&parts[(first + i) % count], fmin(part_ns, fmax(sum, 0)));
		sum -= part_ns;
	}
}

static int by_first(const void *a, const void *b)
{
	return compare_values(((const struct even_span *)a)->first,
			      ((const struct even_span *)b)->first);
}

/* Sorts the spans of a thread, and finds their begins. */
static void place_spans(struct program_thread *thread)
{
	uint64_t now_ns = 0;
	uint32_t step = 0;

	sort_items(thread->even_spans, thread->even_span_count, by_first);
	for (size_t i = 0; i < thread->even_span_count; i++) {
		struct even_span *span = &thread->even_spans[i];

		for (; step < span->first; step++)
			now_ns += step_run_ns(&thread->steps[step]);
		span->begin_ns = now_ns;
		now_ns += span->recorded_ns;
		step = span->end;
	}
}

void even_work_undo(struct program *program)
{
	for (size_t i = 0; i < program->thread_count; i++) {
		struct program_thread *thread = &program->threads[i];

		for (size_t j = 0; j < thread->even_span_count; j++) {
			const struct even_span *span = &thread->even_spans[j];

			scale_span(thread, span, span->even_ns, span->recorded_ns);
			mark_span(thread, span, false);
		}
		thread->even_span_count = 0;
	}
	program->even_work = false;
}

/* --- Ends of threads -------------------------------------------------------------------------- */

static bool waits_for_others(enum step_op op)
{
	return op == STEP_DUE || (step_op_waits(op) && !step_op_is_pause(op));
}

/* Returns the work of a thread after its last wait for another thread, if its end is recorded. */
static struct part find_tail(struct program_thread *thread)
{
	struct part tail = {.thread = thread, .end = thread->count};
	double all_ns = 0;

	if (!thread->forked || !thread->count)
		return (struct part){0};
	for (uint32_t i = 0; i < thread->count; i++) {
		const struct step *step = &thread->steps[i];
		uint64_t pause_ns = step_op_is_pause(step_op(step)) ? step_pause_ns(step) : 0;

		tail.run_ns += step_run_ns(step);
		tail.pause_ns += pause_ns;
		tail.pauses += step_op_is_pause(step_op(step));
		all_ns += (double)step_run_ns(step) + (double)pause_ns;
		if (waits_for_others(step_op(step)))
			tail = (struct part){
				.thread = thread, .first = i + 1, .end = thread->count};
	}
	if (step_op(&thread->steps[thread->count - 1]) == STEP_EXIT)
		tail.end_ns = thread->steps[thread->count - 1].exit_ns;
	if (!tail.end_ns || length_of(&tail) <= all_ns / 2)
		tail.thread = NULL;
	return tail;
}

static double share_of_pauses(const struct part *tail)
{
	return (double)tail->pause_ns / length_of(tail);
}

/*
 * Keeps the tails that pause about as much of their time as most: threads that share work do, a
 * thread that only checks the progress of others does not. Returns their number.
 */
static size_t keep_alike(struct part *tails, size_t count)
{
	const double alike = 1. / 4;
	double *shares = xcalloc(count + 1, sizeof(*shares)), middle;
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		shares[i] = share_of_pauses(&tails[i]);
	gsl_sort(shares, 1, count);
	middle = count ? shares[(count - 1) / 2] : 0;
	for (size_t i = 0; i < count; i++)
		if (fabs(share_of_pauses(&tails[i]) - middle) <= alike)
			tails[kept++] = tails[i];
	free(shares);
	return kept;
}

/*
 * Returns whether threads end together: within two pieces, if sleeps divide their work into pieces.
 * On one core others that only compute do so anyway.
 */
static bool tails_end_together(const struct program *program, const struct part *tails,
			       size_t count)
{
	const double together = 1. / 20, least_pieces = 8;
	double pieces = 0;

	for (size_t i = 0; i < count; i++)
		pieces += (double)tails[i].pauses / (double)count;
	return (program->cores != 1 || pieces >= least_pieces) &&
	       split_of(tails, count).late <=
		       (double)program->wall_ns * (pieces < least_pieces ? together : 2 / pieces);
}

/* Makes the ends of the first process even that has such tails. */
static void make_tails_even(struct program *program, unsigned few)
{
	struct part *tails = xcalloc(program->thread_count + 1, sizeof(*tails));
	size_t count = 0;

	for (size_t i = 0; i < program->thread_count; i++) {
		tails[count] = find_tail(&program->threads[i]);
		count += tails[count].thread && tails[count].thread->pid == tails[0].thread->pid;
	}
	count = keep_alike(tails, count);
	if (count > few && tails_end_together(program, tails, count))
		make_all_even(tails, count, split_of(tails, count).sum, 0, 0);
	free(tails);
}

/* --- Barriers -------------------------------------------------------------------------------- */

/* The phases of a barrier to which the same threads always come. */
struct phases {
	struct part *parts; /* [phase * threads + thread] */
	struct split *splits;
	size_t count, threads;
	unsigned cores; /* of the recording */
};

/* The largest distance of the phases of one loop. */
enum { PHASES_APART_MAX = 8 };

/*
 * The part of a thread that comes from a barrier, and has only computed since; else no part. The
 * shorter a thread waits, the later it has come.
 */
static struct part part_before(struct program_thread *thread, uint32_t arrival)
{
	const struct step *step = &thread->steps[arrival];

	if (!arrival || step_op(step - 1) != STEP_BARRIER)
		return (struct part){0};
	return (struct part){.thread = thread,
			     .first = arrival,
			     .end = arrival + 1,
			     .from = step[-1].site,
			     .run_ns = step_run_ns(step),
			     .end_ns = (uint64_t)(UINT32_MAX - step->count) * 1000};
}

static struct split phase_split(const struct part *parts, size_t threads)
{
	const struct split none = {.sum = -1};

	for (size_t i = 0; i < threads; i++)
		if (!parts[i].thread || parts[i].from != parts->from)
			return none;
	return split_of(parts, threads);
}

/*
 * Returns the smallest distance of phases that is about as good as the best: its multiples are,
 * too. At a good distance the sums of phases change by less than their parts.
 */
static size_t find_apart(const struct phases *phases)
{
	const double as_good = 2, nothing = .02;
	double changes[PHASES_APART_MAX], least = INFINITY;
	size_t apart = 0;

	for (size_t i = 0; i < PHASES_APART_MAX; i++) {
		double sums = 0, parts = 0;

		for (size_t a = 0, b = i + 1; b < phases->count; a++, b++) {
			if (phases->splits[a].sum < 0 || phases->splits[b].sum < 0)
				continue;
			sums += pow(phases->splits[b].sum - phases->splits[a].sum, 2);
			for (size_t j = 0; j < phases->threads; j++)
				parts += pow(
					length_of(&phases->parts[b * phases->threads + j]) -
						length_of(&phases->parts[a * phases->threads + j]),
					2);
		}
		changes[i] = parts > 0 ? sums / parts : INFINITY;
		least = fmin(least, changes[i]);
	}
	while (apart + 1 < PHASES_APART_MAX && changes[apart] > fmax(as_good * least, nothing))
		apart++;
	return apart + 1;
}

/* Returns whether a thread did all, and then another thread as much in the other phase. */
static bool moves(const struct split *split, const struct split *other)
{
	double others = split->sum - split->most;

	return fmax(others, split->left) <= split->sum / 10 && other->largest != split->largest &&
	       fabs(other->sum - split->sum) < split->sum / 4;
}

/* Returns whether a phase, and most of those next to it in its loop, show sharing. */
static bool phase_is_shared(const struct phases *phases, size_t phase, size_t apart)
{
	const size_t near = 8, first = phase > near * apart ? phase - near * apart : phase % apart;
	const struct split *split = &phases->splits[phase];
	bool moved = false;
	int votes = 0;

	for (size_t i = first; i < phases->count && i <= phase + near * apart; i += apart) {
		votes += split_tells(&phases->splits[i]);
		moved |= (i + apart == phase || i == phase + apart) &&
			 moves(split, &phases->splits[i]);
	}
	return votes > 0 && (split_is_uneven(split) ? split->left < split->uneven : moved);
}

/*
 * Returns the smallest share that a working thread had of a shared sum, where more threads worked
 * than there were cores; 0: nowhere. Else parts are at least those of the cores, of any pieces.
 */
static double find_piece(const struct phases *phases, size_t first, size_t apart)
{
	const double nothing = .1 / (double)phases->threads;
	double piece = INFINITY;

	for (size_t phase = first; phase < phases->count; phase += apart) {
		double least = INFINITY;
		size_t workers = 0;

		for (size_t i = 0; i < phases->threads; i++) {
			double share = length_of(&phases->parts[phase * phases->threads + i]) /
				       phases->splits[phase].sum;

			workers += share > nothing;
			least = share > nothing ? fmin(least, share) : least;
		}
		if (workers > phases->cores && split_tells(&phases->splits[phase]) > 0)
			piece = fmin(piece, least);
	}
	return piece < INFINITY ? piece : 0;
}

static void make_phases_even(const struct phases *phases)
{
	size_t apart = find_apart(phases);

	for (size_t first = 0; first < apart; first++) {
		double piece = find_piece(phases, first, apart);

		for (size_t phase = first; phase < phases->count; phase += apart)
			if (phase_is_shared(phases, phase, apart))
				make_all_even(&phases->parts[phase * phases->threads],
					      phases->threads, phases->splits[phase].sum, piece,
					      phase);
	}
}

/* The step at which a thread comes to a barrier. */
struct arrival {
	uint32_t thread, step;
};

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
static bool come_equally(const struct arrival *arrivals, size_t count, size_t threads)
{
	size_t each = threads ? count / threads : 0;

	if (!each || count % threads)
		return false;
	for (size_t i = 1; i < count; i++)
		if ((arrivals[i].thread != arrivals[i - 1].thread) != (i % each == 0))
			return false;
	return true;
}

static void make_barrier_even(struct program *program, const struct arrival *arrivals, size_t count,
			      size_t threads)
{
	struct phases phases = {
		.count = count / threads, .threads = threads, .cores = program->cores};

	phases.parts = xcalloc(count, sizeof(*phases.parts));
	phases.splits = xcalloc(phases.count, sizeof(*phases.splits));
	for (size_t i = 0; i < count; i++)
		phases.parts[i % phases.count * threads + i / phases.count] =
			part_before(&program->threads[arrivals[i].thread], arrivals[i].step);
	for (size_t i = 0; i < phases.count; i++)
		phases.splits[i] = phase_split(&phases.parts[i * threads], threads);
	make_phases_even(&phases);
	free(phases.parts);
	free(phases.splits);
}

bool even_work_make(struct program *program, unsigned few)
{
	size_t *firsts;
	struct arrival *arrivals = find_arrivals(&firsts, program);

	make_tails_even(program, few);
	for (size_t site = 0; site < program->site_count; site++) {
		size_t count = firsts[site + 1] - firsts[site];
		uint32_t threads = program->sites[site].parties;

		if (threads > few && come_equally(&arrivals[firsts[site]], count, threads))
			make_barrier_even(program, &arrivals[firsts[site]], count, threads);
	}
	program->even_work = false;
	for (size_t i = 0; i < program->thread_count; i++) {
		place_spans(&program->threads[i]);
		program->even_work |= program->threads[i].even_span_count > 0;
	}
	free(arrivals);
	free(firsts);
	return program->even_work;
}
