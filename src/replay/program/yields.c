/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/program/yields.h"

#include <math.h>

/* From one call of sched_yield up to another one. */
struct run {
	size_t last; /* step of a thread: the call that ends it */
	uint64_t calls;
	uint64_t run_ns, pause_ns; /* between its first call and its last one */
};

static bool is_pause_at(const struct step *step, uint32_t site)
{
	return step_op(step) == STEP_EXTERNAL && site != PROGRAM_NONE && step_site(step) == site;
}

/* The longest run that begins with the call of step `first`. */
static struct run run_from(const struct program_thread *thread, size_t first, uint32_t site)
{
	struct run run = {.last = first, .calls = 1};
	uint64_t run_ns = 0, pause_ns = 0;

	for (size_t i = first + 1; i < thread->count; i++) {
		const struct step *step = &thread->steps[i];
		bool pauses = is_pause_at(step, site);

		run_ns += step_run_ns(step);
		pause_ns += pauses ? step_pause_ns(step) : 0;
		if (run_ns + pause_ns > YIELD_GAP_NS || (!pauses && step_op(step) != STEP_YIELD))
			break;
		if (pauses)
			continue;
		run.last = i;
		run.calls++;
		run.run_ns += run_ns;
		run.pause_ns += pause_ns;
		run_ns = pause_ns = 0;
	}
	return run;
}

/* Calls between which a thread has not run at all are kept: nothing of them could be moved. */
static bool is_waiting(const struct run *run)
{
	return run->calls >= YIELD_RUN_CALLS && run->run_ns;
}

static void measure_thread(struct yielded *yielded, const struct program_thread *thread)
{
	for (size_t i = 0; i < thread->count; i++) {
		struct run run;

		if (step_op(&thread->steps[i]) != STEP_YIELD)
			continue;
		run = run_from(thread, i, PROGRAM_NONE);
		yielded->calls += run.calls;
		if (is_waiting(&run)) {
			yielded->runs++;
			yielded->waiting_ns += run.run_ns;
		}
		i = run.last;
	}
}

void yields_measure(struct yielded *yielded, const struct program *program)
{
	*yielded = (struct yielded){.run_ns = program_work_ns(program)};
	for (size_t i = 0; i < program->thread_count; i++)
		measure_thread(yielded, &program->threads[i]);
}

double yielded_share(const struct yielded *yielded)
{
	if (!yielded->calls)
		return NAN;
	return yielded->run_ns ? (double)yielded->waiting_ns / (double)yielded->run_ns : 0;
}

/* Its steps move up to where the calls of its runs were. */
static uint64_t thread_to_waits(struct program_thread *thread, uint32_t site)
{
	uint64_t moved_ns = 0;
	size_t kept = 0;

	for (size_t i = 0; i < thread->count; i++) {
		struct step step = thread->steps[i];
		struct run run = {.last = i};

		if (step_op(&step) == STEP_YIELD)
			run = run_from(thread, i, site);
		if (is_waiting(&run)) {
			step.run_op = step_run_op(step_run_ns(&step), STEP_EXTERNAL);
			step.pause = step_pause(run.run_ns + run.pause_ns, site);
			moved_ns += run.run_ns;
			i = run.last;
		}
		thread->steps[kept++] = step;
		while (i < run.last)
			thread->steps[kept++] = thread->steps[++i];
	}
	thread->count = kept;
	return moved_ns;
}

uint64_t yields_to_waits(struct program *program, uint32_t site)
{
	uint64_t moved_ns = 0;

	for (size_t i = 0; i < program->thread_count; i++)
		moved_ns += thread_to_waits(&program->threads[i], site);
	return moved_ns;
}
