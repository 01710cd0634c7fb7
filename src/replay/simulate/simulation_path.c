/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/simulate/simulation_path.h"

#include "base/alloc.h"
#include "replay/simulate/simulation_cores.h"

#include <math.h>
#include <stdlib.h>

enum { NOBODY = PROGRAM_NONE };

/* A leg of the path: from one place in the steps of a thread to another. */
struct path_leg {
	const struct step *first, *last;   /* last NULL: the leg has not ended */
	float first_left_ns, last_left_ns; /* CPU time left of that step */
	uint32_t owner;			   /* thread of the steps */
	uint32_t before;		   /* the leg before it; NOBODY: none */
};

void simulation_path_init(struct simulation_path *path, size_t thread_count)
{
	simulation_path_release(path);
	path->last = NOBODY;
	path->own = xcalloc(thread_count + 1, sizeof(*path->own));
	for (size_t i = 0; i < thread_count; i++)
		path->own[i] = NOBODY;
}

void simulation_path_release(struct simulation_path *path)
{
	free(path->legs);
	free(path->own);
	*path = (struct simulation_path){0};
}

void simulation_path_end(struct simulation_path *path, const struct sim_thread *threads,
			 uint32_t id)
{
	struct path_leg *leg;

	if (path->overflowed || path->own[id] == NOBODY)
		return;
	leg = &path->legs[path->own[id]];
	if (leg->last)
		return;
	leg->last = threads[id].step;
	leg->last_left_ns = (float)threads[id].left_ns;
	path->last = path->own[id];
}

static void add_leg(struct simulation_path *path, const struct sim_thread *threads, uint32_t id,
		    uint32_t before)
{
	const struct sim_thread *thread = &threads[id];

	path->overflowed |= path->count == SIMULATION_LEGS_MAX;
	if (path->overflowed)
		return;
	array_reserve(&path->legs, &path->capacity, path->count + 1);
	path->legs[path->count] = (struct path_leg){.first = thread->step,
						    .first_left_ns = (float)thread->left_ns,
						    .owner = thread->owner,
						    .before = before};
	path->own[id] = (uint32_t)path->count++;
}

void simulation_path_begin(struct simulation_path *path, const struct sim_thread *threads,
			   uint32_t id, uint32_t cause)
{
	uint32_t before = cause == NOBODY ? path->own[id] : path->own[cause];

	if (path->overflowed)
		return;
	if (cause != NOBODY && cause != id && before != NOBODY && !path->legs[before].last) {
		simulation_path_end(path, threads, cause);
		add_leg(path, threads, cause, before);
	}
	add_leg(path, threads, id, before);
}

/* --- CPU time on the path -------------------------------------------------------------------- */

static void add_stretch(double *path_ns, const struct program_thread *owner,
			const struct path_leg *leg)
{
	const struct step *end = owner->steps + owner->count;

	for (const struct step *step = leg->first; step < end && step <= leg->last; step++) {
		double ns = (double)step_run_ns(step);

		if (step == leg->first)
			ns = fmin(ns, leg->first_left_ns);
		if (step == leg->last)
			ns -= leg->last_left_ns;
		path_ns[step - owner->steps] += fmax(ns, 0);
	}
}

double *simulation_path_ns(const struct simulation_path *path, const struct program *program)
{
	size_t *first, steps = 0;
	double *path_ns;

	if (path->overflowed)
		return NULL;
	first = xcalloc(program->thread_count + 1, sizeof(*first));
	for (size_t i = 0; i < program->thread_count; i++) {
		first[i] = steps;
		steps += program->threads[i].count;
	}
	path_ns = xcalloc(steps + 1, sizeof(*path_ns));
	for (uint32_t i = path->last; i != NOBODY; i = path->legs[i].before) {
		const struct path_leg *leg = &path->legs[i];

		add_stretch(path_ns + first[leg->owner], &program->threads[leg->owner], leg);
	}
	free(first);
	return path_ns;
}
