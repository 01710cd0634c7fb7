/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work that threads shared as it came, see recognise.h. */
#include "replay/recognise/recognise.h"

#include "base/alloc.h"
#include "replay/program/program.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

/* The work of a thread after its last wait for another one, if it has been seen to end. */
struct tail {
	struct program_thread *thread; /* NULL: it is of no such thread */
	uint32_t first;		       /* step */
	uint64_t length_ns, end_ns;    /* CPU time and pauses; of its end */
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
 * Keeps those of one process that pause about as much of their time as most: what shares work does,
 * but no thread that only looks now and then how far the others are.
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
 * The mean; 0 where they are no more than `few`, or do not end together.
 * Those that take piece after piece, with a pause each, end within two pieces.
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

/* Among the first process' threads that do so. */
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
