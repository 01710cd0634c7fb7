/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/variation.h"

#include "base/alloc.h"
#include "replay/replays.h"

#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

/* Neighbours that are drawn together, and how far away they are drawn from. */
enum { BLOCK = 4, NEAR = 32, LEAST_REPLICATES = 19 };

size_t variation_replicates(uint64_t steps, size_t points)
{
	uint64_t most;

	if (steps < VARIATION_STEPS_LEAST || !points)
		return 0;
	most = VARIATION_STEPS_MOST / steps / points;
	if (most >= VARIATION_REPLICATES)
		return VARIATION_REPLICATES;
	return most < LEAST_REPLICATES ? 0 : (size_t)most;
}

/* --- Drawing ------------------------------------------------------------------------------- */

/* A step among those of its thread that are like it. */
struct alike {
	uint64_t key; /* operation, the one before, and the site */
	size_t place; /* in the thread */
	uint64_t run_ns;
};

static int compare(const void *left, const void *right)
{
	const struct alike *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

/* `count` steps that are alike, block by block. */
static void draw_alike(struct step *steps, const struct alike *alike, size_t count, gsl_rng *rng)
{
	for (size_t begin = 0; begin < count; begin += BLOCK) {
		size_t length = count - begin < BLOCK ? count - begin : BLOCK;
		size_t first = begin > NEAR ? begin - NEAR : 0;
		size_t last = begin + NEAR < count - length ? begin + NEAR : count - length;
		size_t from = first + gsl_rng_uniform_int(rng, (unsigned long)(last - first + 1));

		for (size_t i = 0; i < length; i++) {
			struct step *step = &steps[alike[begin + i].place];

			step->run_op = step_run_op(alike[from + i].run_ns, step_op(step));
		}
	}
}

static uint64_t key_of(const struct step *step, bool has_previous)
{
	uint64_t previous = has_previous ? step_op(step - 1) : STEP_OPS;

	return (uint64_t)step_op(step) << 40 | previous << 32 | step_site(step);
}

static void draw_thread(struct program_thread *thread, gsl_rng *rng)
{
	struct alike *alike = xcalloc(thread->count + 1, sizeof(*alike));
	size_t end;

	for (size_t i = 0; i < thread->count; i++)
		alike[i] = (struct alike){key_of(&thread->steps[i], i != 0), i,
					  step_run_ns(&thread->steps[i])};
	qsort(alike, thread->count, sizeof(*alike), compare);
	for (size_t begin = 0; begin < thread->count; begin = end) {
		for (end = begin; end < thread->count && alike[end].key == alike[begin].key;)
			end++;
		draw_alike(thread->steps, alike + begin, end - begin, rng);
	}
	free(alike);
}

void variation_draw(struct program *program, uint32_t seed)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);

	gsl_rng_set(rng, seed);
	for (size_t i = 0; i < program->thread_count; i++)
		draw_thread(&program->threads[i], rng);
	gsl_rng_free(rng);
}

/* --- Replicates ---------------------------------------------------------------------------- */

/* From half to twice as long, and in the middle as long as it was. */
static uint64_t scaled(uint64_t ns, size_t replicate, size_t replicates)
{
	double exponent =
		replicates > 1 ? 2. * (double)replicate / (double)(replicates - 1) - 1 : 0;

	return (uint64_t)llround((double)ns * exp2(exponent));
}

/* The walls of all points in one replicate, into walls_s[point * replicates + replicate]. */
static int run_replicate(double *walls_s, const struct replayed *replayed,
			 const struct program *program, const struct machine *machine,
			 size_t replicate, size_t replicates, struct err *err)
{
	struct replay *replays = xcalloc(replayed->count, sizeof(*replays));
	struct program drawn;
	int rc;

	program_copy(&drawn, program);
	variation_draw(&drawn, (uint32_t)replicate + 1);
	for (size_t i = 0; i < replayed->count; i++) {
		struct machine *own = &replays[i].machine;

		replays[i].program = &drawn;
		*own = *machine;
		own->cores = replayed_cores(program, replayed->points[i].cores);
		own->seed = replicate + 1;
		own->costs.wake_ns = scaled(machine->costs.wake_ns, replicate, replicates);
		/* Not in step with the other. */
		own->costs.slice_ns =
			scaled(machine->costs.slice_ns, 7 * replicate % replicates, replicates);
	}
	rc = replays_run(replays, replayed->count, NULL, NULL, err);
	for (size_t i = 0; !rc && i < replayed->count; i++)
		walls_s[i * replicates + replicate] = (double)replays[i].simulated.wall_ns / 1e9;
	program_release(&drawn);
	free(replays);
	return rc;
}

static void set_interval(struct replayed_point *point, double *walls_s, size_t replicates,
			 double self_error)
{
	double middle_s, wider_s = fabs(self_error) * point->wall_s;

	gsl_sort(walls_s, 1, replicates);
	middle_s = gsl_stats_median_from_sorted_data(walls_s, 1, replicates);
	if (!(middle_s > 0))
		return;
	point->lo_s = point->wall_s / middle_s *
		      gsl_stats_quantile_from_sorted_data(walls_s, 1, replicates, .05);
	point->hi_s = point->wall_s / middle_s *
		      gsl_stats_quantile_from_sorted_data(walls_s, 1, replicates, .95);
	point->lo_s = fmax(point->lo_s - wider_s, 0);
	point->hi_s += wider_s;
}

int variation_add(struct replayed *replayed, const struct program *program,
		  const struct machine *machine, struct err *err)
{
	size_t replicates = variation_replicates(replayed->steps, replayed->count);
	double self_error = replayed_self_error(replayed);
	double *walls_s;
	int rc = 0;

	if (!replicates || isnan(self_error))
		return 0;
	walls_s = xcalloc(replicates * replayed->count, sizeof(*walls_s));
	for (size_t i = 0; !rc && i < replicates; i++)
		rc = run_replicate(walls_s, replayed, program, machine, i, replicates, err);
	for (size_t i = 0; !rc && i < replayed->count; i++)
		set_interval(&replayed->points[i], &walls_s[i * replicates], replicates,
			     self_error);
	free(walls_s);
	return rc;
}
