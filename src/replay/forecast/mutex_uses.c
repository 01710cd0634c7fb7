/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/forecast/forecast_points.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

/*
 * The estimates of the last rounds scatter about the true number: their mean counts. A mutex has at
 * most USES_OF_WAIT added uses for each recorded wait.
 */
enum { ROUNDS = 8, LAST_ROUNDS = 4, SEEDS = 4, USES_OF_WAIT = 64 };

struct mutex_uses {
	const struct program *program;
	double *seen;  /* [site]: recorded uses */
	double *added; /* [site]: added uses */
	double *waits; /* [site]: waits of a replay with both */
	double *mean;  /* [site]: mean of `added` in the last rounds */
	unsigned seeds;
};

/*
 * Returns the replays of a round of simulation_size() `size`: SEEDS, one of a large program, none
 * if all rounds with one would take too long, even with all uses that limit_uses() admits.
 */
static unsigned seeds_of(double size)
{
	const double with_uses = 5;

	return size * with_uses * ROUNDS * SEEDS <= REPLAYS_SIZE_MOST ? SEEDS
	       : size * with_uses * ROUNDS <= REPLAYS_SIZE_MOST	      ? 1
								      : 0;
}

static void uses_init(struct mutex_uses *uses, const struct program *program)
{
	size_t count = program->site_count;

	*uses = (struct mutex_uses){.program = program,
				    .seen = xcalloc(count, sizeof(*uses->seen)),
				    .added = xcalloc(count, sizeof(*uses->added)),
				    .waits = xcalloc(count, sizeof(*uses->waits)),
				    .mean = xcalloc(count, sizeof(*uses->mean))};
	for (size_t i = 0; i < program->thread_count; i++)
		for (size_t j = 0; j < program->threads[i].count; j++) {
			const struct step *step = &program->threads[i].steps[j];

			if (step_op(step) == STEP_LOCK)
				uses->seen[step->site]++;
		}
}

static void uses_release(struct mutex_uses *uses)
{
	free(uses->seen);
	free(uses->added);
	free(uses->waits);
	free(uses->mean);
}

/* Fills in the mean number of waits of some replays. */
static int replay_uses(struct mutex_uses *uses, struct machine *machine, struct err *err)
{
	struct program with = {0};
	size_t sites = uses->program->site_count;
	unsigned seeds = uses->seeds;
	int rc = 0;

	program_copy(&with, uses->program);
	recognise_add_uses(&with, uses->added);
	for (size_t i = 0; i < sites; i++)
		uses->waits[i] = 0;
	for (machine->seed = 1; !rc && machine->seed <= seeds; machine->seed++)
		rc = simulate_waits(uses->waits, &with, machine, err);
	for (size_t i = 0; i < sites; i++)
		uses->waits[i] /= seeds;
	program_release(&with);
	return rc;
}

/* Limits the sum of added uses to 2^16, or to two for each step of the program if that is more. */
static void limit_uses(struct mutex_uses *uses)
{
	const double least = 1 << 16, of_step = 2;
	double most = fmax(least, of_step * (double)program_steps(uses->program)), sum = 0;

	for (size_t i = 0; i < uses->program->site_count; i++)
		sum += uses->added[i];
	for (size_t i = 0; sum > most && i < uses->program->site_count; i++)
		uses->added[i] *= most / sum;
}

/* Returns whether any mutex has added uses, or had some before. */
static bool adapt_uses(struct mutex_uses *uses)
{
	const double least_waits = .5;
	bool changed = false;

	for (size_t i = 0; i < uses->program->site_count; i++) {
		const struct site *site = &uses->program->sites[i];
		double before = uses->added[i], seen = uses->seen[i];
		double more = sqrt(site->waits / fmax(uses->waits[i], least_waits));

		if (site->kind != SITE_LOCK || site->hold_ns <= 1)
			continue;
		uses->added[i] = fmin(fmax((seen + before) * more - seen, 0),
				      (double)USES_OF_WAIT * site->waits);
		changed |= uses->added[i] > 0 || before > 0;
	}
	limit_uses(uses);
	return changed;
}

int mutex_uses_add(struct program *program, const struct machine *machine, unsigned cores,
		   struct err *err)
{
	struct machine own = *machine;
	struct mutex_uses uses;
	bool changed;
	int rc = 0;

	own.cores = cores;
	own.quota = program->quota;
	uses_init(&uses, program);
	uses.seeds = seeds_of(simulation_size(program, &own));
	changed = uses.seeds > 0;
	for (int round = 0; !rc && changed && round < ROUNDS; round++) {
		rc = replay_uses(&uses, &own, err);
		changed = !rc && adapt_uses(&uses);
		for (size_t i = 0; round >= ROUNDS - LAST_ROUNDS && i < program->site_count; i++)
			uses.mean[i] += uses.added[i] / LAST_ROUNDS;
	}
	if (changed)
		recognise_add_uses(program, uses.mean);
	uses_release(&uses);
	return rc;
}
