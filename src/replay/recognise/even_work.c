/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/recognise/even_work.h"

#include "base/alloc.h"

#include <stdlib.h>

/* What a thread does after its last wait, if it has been seen to end. */
struct tail {
	struct program_thread *thread; /* NULL: it is of no such thread */
	size_t first;		       /* step */
	uint64_t run_ns, end_ns;
};

static bool is_wait(enum step_op op)
{
	return step_op_is_pause(op) || op == STEP_BLOCK || op == STEP_JOIN || op == STEP_LOCK ||
	       op == STEP_LOCK_SHARED || op == STEP_TAKE || op == STEP_BARRIER;
}

static struct tail find_tail(struct program_thread *thread)
{
	struct tail tail = {.thread = thread};
	uint64_t all_ns = 0;

	if (!thread->forked || !thread->count)
		return (struct tail){0};
	for (size_t i = 0; i < thread->count; i++) {
		all_ns += step_run_ns(&thread->steps[i]);
		tail.run_ns += step_run_ns(&thread->steps[i]);
		if (is_wait(step_op(&thread->steps[i]))) {
			tail.first = i + 1;
			tail.run_ns = 0;
		}
	}
	if (step_op(&thread->steps[thread->count - 1]) == STEP_EXIT)
		tail.end_ns = thread->steps[thread->count - 1].exit_ns;
	if (!tail.end_ns || tail.run_ns <= all_ns / 2)
		tail.thread = NULL;
	return tail;
}

/* Of those of one process: the mean; 0 where they are no more than `few`, or end not together. */
static double mean_tail_ns(const struct tail *tails, size_t count, int32_t pid, uint64_t wall_ns,
			   unsigned few)
{
	const uint64_t together = 20;
	uint64_t first_ns = UINT64_MAX, last_ns = 0;
	double sum_ns = 0, members = 0;

	for (size_t i = 0; i < count; i++) {
		if (!tails[i].thread || tails[i].thread->pid != pid)
			continue;
		first_ns = tails[i].end_ns < first_ns ? tails[i].end_ns : first_ns;
		last_ns = tails[i].end_ns > last_ns ? tails[i].end_ns : last_ns;
		sum_ns += (double)tails[i].run_ns;
		members++;
	}
	return members > few && last_ns - first_ns <= wall_ns / together ? sum_ns / members : 0;
}

static void scale(struct program_thread *thread, double factor)
{
	for (size_t i = thread->even_from; i < thread->count; i++) {
		struct step *step = &thread->steps[i];
		double run_ns = (double)step_run_ns(step) * factor;

		step->run_op = step_run_op((uint64_t)(run_ns + .5), step_op(step));
	}
}

static void make_tail(const struct tail *tail, double mean_ns)
{
	tail->thread->even_from = tail->first;
	tail->thread->even_factor = mean_ns / (double)tail->run_ns;
	scale(tail->thread, tail->thread->even_factor);
}

/* Among the first process' threads that do so. */
bool even_work_make(struct program *program, unsigned few)
{
	struct tail *tails = xcalloc(program->thread_count + 1, sizeof(*tails));
	const struct program_thread *of = NULL;
	double mean_ns = 0;

	for (size_t i = 0; i < program->thread_count; i++) {
		tails[i] = find_tail(&program->threads[i]);
		if (!of && tails[i].thread)
			of = tails[i].thread;
	}
	if (of)
		mean_ns =
			mean_tail_ns(tails, program->thread_count, of->pid, program->wall_ns, few);
	for (size_t i = 0; mean_ns > 0 && i < program->thread_count; i++)
		if (tails[i].thread && tails[i].thread->pid == of->pid)
			make_tail(&tails[i], mean_ns);
	free(tails);
	program->even_work = mean_ns > 0;
	return program->even_work;
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
	return program->cores > 1 && even_work_make(program, program->cores);
}
