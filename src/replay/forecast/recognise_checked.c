/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/forecast/recognise_checked.h"

#include "replay/forecast/validity.h"

#include <math.h>

/* A program in which so much was recognised, and its replay. */
struct attempt {
	struct program program;
	struct recognised recognised;
	struct replayed replayed;
};

struct trying {
	const struct machine *machine;
	uint64_t recorded_cores;
	double others_share;
	const uint64_t *cores;
	size_t count;
};

static int try_extent(struct attempt *attempt, const struct trying *trying,
		      enum recognise_extent extent, struct err *err)
{
	recognise_within(&attempt->program, extent, &attempt->recognised);
	return replayed_init(&attempt->replayed, &attempt->program, trying->machine,
			     trying->recorded_cores, trying->others_share, trying->cores,
			     trying->count, err);
}

static void attempt_release(struct attempt *attempt)
{
	program_release(&attempt->program);
	replayed_release(&attempt->replayed);
}

static bool attempt_repeats(const struct attempt *attempt)
{
	return fabs(replayed_self_error(&attempt->replayed)) <=
	       validity_words(VALIDITY_REPEATS)->limit;
}

/* Is there nothing that an attempt with less could mend? */
static bool attempt_is_sound(const struct attempt *attempt)
{
	return !replayed_stuck(&attempt->replayed) && attempt_repeats(attempt);
}

static bool attempt_is_better(const struct attempt *less, const struct attempt *more)
{
	size_t stuck = replayed_stuck(&less->replayed), before = replayed_stuck(&more->replayed);

	return stuck != before ? stuck < before : attempt_repeats(less) && !attempt_repeats(more);
}

/* `best` has been tried with all. Tries less of it in copies of `raw`. */
static int try_less(struct attempt *best, const struct program *raw, const struct trying *trying,
		    struct err *err)
{
	int rc = 0;

	for (int extent = RECOGNISE_ALL - 1;
	     !rc && !attempt_is_sound(best) && extent >= RECOGNISE_NOTHING; extent--) {
		struct attempt less = {.recognised = {0}};

		program_copy(&less.program, raw);
		rc = try_extent(&less, trying, (enum recognise_extent)extent, err);
		if (!rc && attempt_is_better(&less, best)) {
			struct attempt worse = *best;

			*best = less;
			less = worse;
		}
		attempt_release(&less);
	}
	return rc;
}

/*
 * What recording calls has cost is in the recorded wall time, which the replay is held to, and in
 * no other one.
 */
static int leave_out_costs(struct attempt *best, const struct program *raw,
			   const struct trying *trying, struct err *err)
{
	struct attempt bare = {.recognised = {0}}, with = *best;
	uint64_t taken_ns;
	int rc;

	program_copy(&bare.program, raw);
	taken_ns = recognise_take_out_costs(&bare.program);
	if (!taken_ns) {
		program_release(&bare.program);
		return 0;
	}
	rc = try_extent(&bare, trying, best->recognised.extent, err);
	bare.replayed.self_s = with.replayed.self_s;
	bare.replayed.self_scatter = with.replayed.self_scatter;
	bare.replayed.calls_s = (double)taken_ns / 1e9;
	*best = bare;
	attempt_release(&with);
	return rc;
}

int recognise_checked(struct replayed *replayed, struct recognised *recognised,
		      struct program *program, const struct machine *machine,
		      uint64_t recorded_cores, double others_share, const uint64_t *cores,
		      size_t count, struct err *err)
{
	const struct trying trying = {machine, recorded_cores, others_share, cores, count};
	struct attempt best = {.program = *program};
	struct program raw;
	int rc;

	program_copy(&raw, program);
	rc = try_extent(&best, &trying, RECOGNISE_ALL, err);
	if (!rc)
		rc = try_less(&best, &raw, &trying, err);
	if (!rc)
		rc = leave_out_costs(&best, &raw, &trying, err);
	program_release(&raw);
	*program = best.program;
	*replayed = best.replayed;
	*recognised = best.recognised;
	return rc;
}
