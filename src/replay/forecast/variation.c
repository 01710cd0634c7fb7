/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/forecast/variation.h"

#include "base/alloc.h"
#include "base/sorted.h"
#include "fit/closed_form.h"
#include "replay/forecast/forecast_points.h"
#include "replay/recognise/recognise.h"
#include "replay/simulate/replays.h"
#include "replay/simulate/slowdown.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* --- Other answers that may be as true ------------------------------------------------------ */

static void alternatives_add(struct forecast_point *point, double wall_s)
{
	point->least_s = fmin(point->least_s, wall_s);
	point->most_s = fmax(point->most_s, wall_s);
}

/* Returns whether there was a pool. */
static bool alternatives_drop_pools(struct program *program)
{
	bool found = false;

	for (size_t i = 0; i < program->site_count; i++) {
		found |= program->sites[i].pooled;
		program->sites[i].pooled = false;
	}
	return found;
}

static int alternatives_run(struct forecast_points *replayed, const struct program *program,
			    const struct machine *machine, struct err *err)
{
	struct replay *replays = xcalloc(replayed->count, sizeof(*replays));
	int rc;

	for (size_t i = 0; i < replayed->count; i++)
		replays[i] = replay_on(program, machine, replayed->points[i].cores);
	rc = replays_run_mean(replays, replayed->count, NULL, NULL, err);
	for (size_t i = 0; !rc && i < replayed->count; i++)
		if (!replays[i].simulated.stuck)
			alternatives_add(
				&replayed->points[i],
				(double)replays[i].simulated.wall_ns / 1e9 *
					scale_factor(replayed, program, replayed->points[i].cores));
	free(replays);
	return rc;
}

/*
 * If the replay assumes that any thread can do the work of a queue, adds the wall times with each
 * thread doing its recorded work. Returns 0, or -1 with an error.
 */
static int alternatives_add_pools(struct forecast_points *replayed, const struct program *program,
				  const struct machine *machine, struct err *err)
{
	struct program without;
	int rc = 0;

	program_copy(&without, program);
	if (alternatives_drop_pools(&without)) {
		replayed->alternatives |= ALTERNATIVE_WITHOUT_POOLS;
		rc = alternatives_run(replayed, &without, machine, err);
	}
	program_release(&without);
	return rc;
}

/*
 * If threads may have shared their work dynamically (recognise.h), adds the wall times with equal
 * work, or, if that is presumed, with recorded work. Returns 0, or -1 with an error.
 */
static int alternatives_add_even_work(struct forecast_points *replayed,
				      const struct program *program, const struct machine *machine,
				      struct err *err)
{
	struct program other;
	int rc = 0;

	program_copy(&other, program);
	if (program->even_work)
		even_work_undo(&other);
	if (program->even_work || even_work_make(&other, 1)) {
		replayed->alternatives |=
			program->even_work ? ALTERNATIVE_OWN_WORK : ALTERNATIVE_EVEN_WORK;
		rc = alternatives_run(replayed, &other, machine, err);
	}
	program_release(&other);
	return rc;
}

static void alternatives_add_closed_form(struct forecast_points *replayed,
					 const struct level_times *levels)
{
	replayed->alternatives |= ALTERNATIVE_CLOSED_FORM;
	for (size_t i = 0; i < replayed->count; i++)
		alternatives_add(&replayed->points[i],
				 closed_form_wall_s(levels, replayed->recorded_cores,
						    replayed->points[i].cores));
}

/*
 * Adds the recorded wall time on more cores: a lock is held for no longer. If its hold times are
 * not known, or a replay with them misses the run, more cores may gain nothing.
 */
static void alternatives_add_no_gain(struct forecast_points *replayed)
{
	double recorded_s = forecast_points_find(replayed, replayed->recorded_cores)->wall_s;

	replayed->alternatives |= ALTERNATIVE_NO_GAIN;
	for (size_t i = 0; i < replayed->count; i++)
		if (replayed->points[i].cores > replayed->recorded_cores)
			alternatives_add(&replayed->points[i], recorded_s);
}

/* --- The interval of a point ---------------------------------------------------------------- */

struct interval_terms {
	double steps_shorter, steps_longer; /* NaN: not known */
	double discrepancy;		    /* standard deviation on this number of cores */
	double miss_shorter, miss_longer, overhead;
	double bound_s; /* lower bound with the recorded work; 0: not known */
};

/* Probability of each tail. */
#define INTERVAL_TAIL .05

static double interval_least(size_t threads, uint64_t cores)
{
	return threads && threads < cores ? (double)threads : (double)cores;
}

/*
 * Returns the doublings from `recorded_cores` to `cores`, for a number of threads. Cores beyond it
 * change nothing, but any other requested number counts as a doubling, or less if it is nearer.
 */
static double doublings_of(uint64_t recorded_cores, uint64_t cores, size_t threads)
{
	double asked = fabs(log2((double)cores / (double)recorded_cores));
	double used = fabs(
		log2(interval_least(threads, cores) / interval_least(threads, recorded_cores)));

	return fmax(used, fmin(asked, 1));
}

/* Returns the factor on a normal distribution that gives it the tails of Student's. */
static double widening(double freedom)
{
	return gsl_cdf_tdist_Qinv(INTERVAL_TAIL, freedom) / gsl_cdf_ugaussian_Qinv(INTERVAL_TAIL);
}

/* Returns the deviation of another run from the replayed one, the median of `runs`. */
static double run_deviation(const struct run_noise *of, size_t runs)
{
	return of->freedom > 0 ? widening(of->freedom) * of->noise * sqrt(1 + 1. / (double)runs)
			       : 0;
}

/* Returns the same for several recordings; *known becomes their core count nearest to `cores`. */
static double learned_deviation(uint64_t *known, const struct slowdown_fit *learned, uint64_t cores,
				size_t threads)
{
	const struct run_noise noise = {learned->noise, learned->freedom};
	double slope = widening(learned->freedom) *
		       (slowdown_fit_error(learned, interval_least(threads, cores)) -
			slowdown_fit_error(learned, interval_least(threads, *known)));

	*known = cores < learned->cores_least  ? learned->cores_least
		 : cores > learned->cores_most ? learned->cores_most
					       : cores;
	return hypot(run_deviation(&noise, learned->count_most), slope);
}

/* Returns the deviation with all that is known of the machine and of other recordings. */
static double discrepancy_of(const struct variation_request *request,
			     const struct forecast_points *replayed, uint64_t cores, size_t threads)
{
	uint64_t known = replayed->recorded_cores;
	double runs = request->learned ? learned_deviation(&known, request->learned, cores, threads)
				       : run_deviation(&request->speed, 1);
	double doublings = doublings_of(known, cores, threads);

	if (!request->learned && !(request->speed.freedom > 0))
		doublings = fmax(doublings, 1);
	return hypot(hypot(runs, request->steal), request->discrepancy * sqrt(doublings));
}

/*
 * Fills in lo_s and hi_s of `point`, or NaN if neither steps nor a discrepancy show the noise: a
 * fixed wall time is no interval. Another run may have less work, so lower bounds vary as well; but
 * a miss is of waits, which no bound contains.
 */
static void interval_set(struct forecast_point *point, const struct interval_terms *terms)
{
	double spread = gsl_cdf_ugaussian_Qinv(INTERVAL_TAIL) * terms->discrepancy;
	double shorter = isnan(terms->steps_shorter) ? 0 : terms->steps_shorter;
	double longer = isnan(terms->steps_longer) ? 0 : terms->steps_longer;

	point->discrepancy = terms->discrepancy;
	point->lo_s = point->hi_s = NAN;
	if ((isnan(terms->steps_shorter) && !(terms->discrepancy > 0)) || isnan(terms->miss_longer))
		return;
	shorter = hypot(shorter, spread) + fmax(terms->overhead, 0);
	longer = hypot(longer, spread) + terms->miss_longer;
	point->lo_s = fmax(point->least_s * exp(-shorter - terms->miss_shorter),
			   fmin(terms->bound_s, point->wall_s) * exp(-shorter));
	/* A wall time of 0 stays 0: 0 times infinity is no number. */
	point->hi_s = point->most_s > 0 ? point->most_s * exp(longer) : 0;
}

const char *interval_names(char *text, size_t size, const struct forecast_points *replayed)
{
	const struct {
		const char *name;
		int is_in;
	} terms[] = {
		{"steps", replayed->replicates > 0},
		{"discrepancy", replayed->discrepancy > 0},
		{"speed", replayed->speed.freedom > 0},
		{"steal", replayed->steal > 0},
		{"miss", fabs(forecast_points_self_error(replayed)) > 0},
		{"overhead", replayed->overhead_share > 0},
		{"pools", replayed->alternatives & ALTERNATIVE_WITHOUT_POOLS},
		{"even-work", replayed->alternatives & ALTERNATIVE_EVEN_WORK},
		{"own-work", replayed->alternatives & ALTERNATIVE_OWN_WORK},
		{"closed-form", replayed->alternatives & ALTERNATIVE_CLOSED_FORM},
		{"no-gain", replayed->alternatives & ALTERNATIVE_NO_GAIN},
	};
	size_t used = 0;

	*text = '\0';
	for (size_t i = 0; i < sizeof(terms) / sizeof(*terms) && used < size; i++)
		if (terms[i].is_in)
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
						 terms[i].name);
	return text;
}

/* --- Replicates ----------------------------------------------------------------------------- */

/* Number of neighbours that are drawn together, and their largest distance. */
enum { BLOCK = 4, NEAR = 32 };

/* Fewest replicates for an interval by Student's distribution, and for one by quantiles. */
enum { LEAST_REPLICATES = 5, LEAST_FOR_QUANTILES = 19 };

size_t variation_replicates(uint64_t size, size_t points)
{
	uint64_t most;

	if (!size || !points)
		return 0;
	most = VARIATION_SIZE_MOST / size / points;
	if (most >= VARIATION_REPLICATES)
		return VARIATION_REPLICATES;
	return most < LEAST_REPLICATES ? 0 : (size_t)most;
}

/* --- Drawing ------------------------------------------------------------------------------- */

/* A step among steps that are alike. */
struct alike {
	uint64_t key;	/* the operation, the previous one, and the site */
	uint64_t place; /* recorded order */
	struct step *step;
	uint64_t run_ns, pause; /* recorded times to draw from; `pause` only of pauses */
};

static int alike_compare(const void *left, const void *right)
{
	const struct alike *a = left, *b = right;

	return a->key != b->key ? compare_values(a->key, b->key)
				: compare_values(a->place, b->place);
}

/* Returns the block length: the best grows with the third root of the number [Hall et al. 1995]. */
static size_t block_length(size_t count)
{
	size_t length = (size_t)cbrt((double)count);

	return length < BLOCK ? length : BLOCK;
}

/*
 * Draws `count` steps that are alike, block by block. Near steps form a circle, so that all are
 * drawn equally often [Politis & Romano 1992].
 */
static void draw_alike(const struct alike *alike, size_t count, gsl_rng *rng)
{
	size_t block = block_length(count);

	for (size_t begin = 0; begin < count; begin += block) {
		size_t first = begin > NEAR ? begin - NEAR : 0;
		size_t last = begin + NEAR < count ? begin + NEAR : count;
		size_t from = gsl_rng_uniform_int(rng, (unsigned long)(last - first));

		for (size_t i = 0; i < block && begin + i < count; i++) {
			const struct alike *drawn = &alike[first + (from + i) % (last - first)];
			struct step *step = alike[begin + i].step;

			step->run_op = step_run_op(drawn->run_ns, step_op(step));
			if (step_op_is_pause(step_op(step)))
				step->pause = drawn->pause;
		}
	}
}

static void draw_all(struct alike *alike, size_t count, gsl_rng *rng)
{
	size_t end;

	sort_items(alike, count, alike_compare);
	for (size_t begin = 0; begin < count; begin = end) {
		for (end = begin; end < count && alike[end].key == alike[begin].key;)
			end++;
		draw_alike(alike + begin, end - begin, rng);
	}
}

/* Returns the key of a step. Pauses that differ only in their call chains are alike. */
static uint64_t key_of(const struct program *program, const struct step *step, bool has_previous)
{
	uint64_t previous = has_previous ? step_op(step - 1) : STEP_OPS;
	uint32_t site = step_site(step);

	if (site < program->site_count && program->sites[site].chain)
		site = program->sites[site].part_of;
	return (uint64_t)step_op(step) << 40 | previous << 32 | site;
}

/* Returns whether the step takes a token of a pool: the next work is drawn from all threads. */
static bool is_pooled(const struct program *program, const struct step *step)
{
	return step_op(step) == STEP_TAKE && step->site < program->site_count &&
	       program->sites[step->site].pooled;
}

/* Lists the pooled steps of a thread, or the others. */
static size_t alike_list(struct alike *alike, const struct program *program,
			 const struct program_thread *thread, bool pooled)
{
	size_t count = 0;

	for (size_t i = 0; i < thread->count; i++) {
		struct step *step = &thread->steps[i];
		bool after_take = i && is_pooled(program, step - 1);

		if (after_take == pooled)
			alike[count++] = (struct alike){
				key_of(program, step, i != 0),
				pooled ? (step - 1)->count : i,
				step,
				step_run_ns(step),
				step->pause,
			};
	}
	return count;
}

void variation_draw(struct program *program, uint32_t seed)
{
	struct alike *alike = xcalloc(program_steps(program) + 1, sizeof(*alike));
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
	size_t pooled = 0;

	gsl_rng_set(rng, seed);
	for (size_t i = 0; i < program->thread_count; i++)
		draw_all(alike, alike_list(alike, program, &program->threads[i], false), rng);
	for (size_t i = 0; i < program->thread_count; i++)
		pooled += alike_list(alike + pooled, program, &program->threads[i], true);
	draw_all(alike, pooled, rng);
	gsl_rng_free(rng);
	free(alike);
}

static double length_of(const struct alike *alike)
{
	return (double)alike->run_ns +
	       (step_op_is_pause(step_op(alike->step)) ? (double)step_pause_ns(alike->step) : 0);
}

/* Sums the lengths of steps: all, and those with enough steps that are alike. */
static void add_lengths(double *all_ns, double *many_ns, struct alike *alike, size_t count)
{
	size_t end;

	sort_items(alike, count, alike_compare);
	for (size_t begin = 0; begin < count; begin = end) {
		double sum_ns = 0;

		for (end = begin; end < count && alike[end].key == alike[begin].key; end++)
			sum_ns += length_of(&alike[end]);
		*all_ns += sum_ns;
		if (end - begin >= VARIATION_ALIKE_LEAST)
			*many_ns += sum_ns;
	}
}

bool variation_is_known(const struct program *program)
{
	size_t steps = program_steps(program), pooled = 0;
	double all_ns = 0, many_ns = 0;
	struct alike *alike;

	if (steps >= VARIATION_STEPS_LEAST)
		return true;
	alike = xcalloc(steps + 1, sizeof(*alike));
	for (size_t i = 0; i < program->thread_count; i++)
		add_lengths(&all_ns, &many_ns, alike,
			    alike_list(alike, program, &program->threads[i], false));
	for (size_t i = 0; i < program->thread_count; i++)
		pooled += alike_list(alike + pooled, program, &program->threads[i], true);
	add_lengths(&all_ns, &many_ns, alike, pooled);
	free(alike);
	return many_ns > all_ns / 2;
}

/* --- Replicates ---------------------------------------------------------------------------- */

/* Scales from half to twice as long; the middle replicate has the recorded length. */
static uint64_t scaled(uint64_t ns, size_t replicate, size_t replicates)
{
	double exponent =
		replicates > 1 ? 2. * (double)replicate / (double)(replicates - 1) - 1 : 0;

	return (uint64_t)llround((double)ns * exp2(exponent));
}

/* Returns the steps of all threads, in a row. The caller frees them. */
static struct step *steps_keep(const struct program *program)
{
	struct step *kept = xcalloc(program_steps(program) + 1, sizeof(*kept)), *to = kept;

	for (size_t i = 0; i < program->thread_count; i++)
		for (size_t j = 0; j < program->threads[i].count; j++)
			*to++ = program->threads[i].steps[j];
	return kept;
}

static void steps_put_back(struct program *program, const struct step *kept)
{
	for (size_t i = 0; i < program->thread_count; i++)
		for (size_t j = 0; j < program->threads[i].count; j++)
			program->threads[i].steps[j] = *kept++;
}

/*
 * Puts the wall times of a replicate into walls_s[point * replicates + replicate]. Changes the
 * steps of `program`.
 */
static int run_replicate(double *walls_s, const struct forecast_points *replayed,
			 struct program *program, const struct machine *machine, size_t replicate,
			 size_t replicates, struct err *err)
{
	struct replay *replays = xcalloc(replayed->count, sizeof(*replays));
	int rc;

	variation_draw(program, (uint32_t)replicate + 1);
	for (size_t i = 0; i < replayed->count; i++) {
		struct machine *own = &replays[i].machine;

		replays[i] = replay_on(program, machine, replayed->points[i].cores);
		own->seed = replicate + 1;
		own->costs.wake_ns = scaled(machine->costs.wake_ns, replicate, replicates);
		/* In another order than `wake_ns`. */
		own->costs.slice_ns =
			scaled(machine->costs.slice_ns, 7 * replicate % replicates, replicates);
	}
	rc = replays_run(replays, replayed->count, NULL, NULL, err);
	for (size_t i = 0; !rc && i < replayed->count; i++)
		walls_s[i * replicates + replicate] = (double)replays[i].simulated.wall_ns / 1e9;
	free(replays);
	return rc;
}

/*
 * The recording is one run, and another one differs from it by both deviations from the mean: that
 * has twice the variance of one of them.
 */
#define OF_TWO_RUNS M_SQRT2

/*
 * Returns the value below which one more value is with probability p: between the order statistics
 * around p (n + 1) [Hyndman & Fan 1996, definition 6].
 */
static double quantile(const double *sorted, size_t count, double p)
{
	double place;

	if (count < LEAST_FOR_QUANTILES)
		return gsl_stats_median_from_sorted_data(sorted, 1, count) +
		       gsl_stats_sd(sorted, 1, count) * gsl_cdf_tdist_Pinv(p, (double)(count - 1));
	place = p * (double)(count + 1) - 1;
	return gsl_stats_quantile_from_sorted_data(sorted, 1, count,
						   fmin(fmax(place / (double)(count - 1), 0), 1));
}

/* Fills in how much other seeds are shorter and longer. Sorts `walls_s`. */
static void set_steps(struct interval_terms *terms, double *walls_s, size_t replicates)
{
	double middle_s, lo_s, hi_s;

	gsl_sort(walls_s, 1, replicates);
	middle_s = gsl_stats_median_from_sorted_data(walls_s, 1, replicates);
	lo_s = quantile(walls_s, replicates, .05);
	hi_s = quantile(walls_s, replicates, .95);
	if (!(middle_s > 0))
		return;
	terms->steps_shorter = OF_TWO_RUNS * log(middle_s / fmax(lo_s, 0));
	terms->steps_longer = OF_TWO_RUNS * log(hi_s / middle_s);
}

/*
 * Returns the lower bound of a point's wall time, with the recorded work. Waits bound it only if
 * their objects are no guess, and their costs are as recorded.
 */
static double bound_s_of(const struct forecast_points *replayed, const struct forecast_point *point,
			 bool waits_known)
{
	const struct bounds *bounds = &replayed->bounds;
	double work_s = (double)bounds->work_ns / 1e9 / (double)point->cores;
	double bound_s = (double)bounds_wall_ns(bounds, (unsigned)point->cores) / 1e9;

	double held_s = replayed->holds_known ? (double)bounds->serial_ns / 1e9 : 0;

	return waits_known ? fmax(work_s, fmin(bound_s, point->least_s)) : fmax(work_s, held_s);
}

/*
 * Fills in the miss of the replay. CPUs that idle beside ready threads only make a run longer, and
 * may do so again.
 */
static void set_miss(struct interval_terms *terms, const struct forecast_points *replayed,
		     double factor)
{
	double miss = log1p(forecast_points_self_error(replayed));

	terms->miss_longer = fabs(miss - replayed->idled + log(factor));
	terms->miss_shorter = fmin(fabs(miss), terms->miss_longer);
}

/* Sets the intervals. `walls_s`: all replicates, point by point; possibly none. */
static void set_intervals(struct forecast_points *replayed, const struct program *program,
			  const struct variation_request *request, double *walls_s,
			  bool waits_known)
{
	size_t replicates = replayed->replicates;
	double overhead = fmin(fmax(replayed->overhead_share, 0), .99);

	for (size_t i = 0; i < replayed->count; i++) {
		struct forecast_point *point = &replayed->points[i];
		struct interval_terms terms = {
			.steps_shorter = NAN,
			.steps_longer = NAN,
			.discrepancy = discrepancy_of(request, replayed, point->cores,
						      program->thread_count),
			.overhead = -log1p(-overhead),
			.bound_s = bound_s_of(replayed, point, waits_known),
		};

		set_miss(&terms, replayed, scale_factor(replayed, program, point->cores));
		if (replicates)
			set_steps(&terms, &walls_s[i * replicates], replicates);
		interval_set(point, &terms);
	}
}

static void variation_show(const struct variation_request *request, size_t done, size_t size)
{
	if (request->show)
		request->show(request->context, done, size);
}

/* Runs the replicates. Fills in `walls_s`. */
static int run_replicates(double *walls_s, const struct forecast_points *replayed,
			  struct program *program, const struct machine *machine, size_t replicates,
			  const struct variation_request *request, struct err *err)
{
	struct step *kept = steps_keep(program);
	int rc = 0;

	for (size_t i = 0; !rc && i < replicates; i++) {
		variation_show(request, i, replicates);
		rc = run_replicate(walls_s, replayed, program, machine, i, replicates, err);
		steps_put_back(program, kept);
	}
	free(kept);
	return rc;
}

int variation_add(struct forecast_points *replayed, struct program *program,
		  const struct machine *machine, const struct variation_request *request,
		  struct err *err)
{
	size_t replicates = variation_is_known(program)
				    ? variation_replicates(replayed->size, replayed->count)
				    : 0;
	double *walls_s;
	int rc;

	if (request->closed_form)
		alternatives_add_closed_form(replayed, request->closed_form);
	if (request->holds_unknown)
		alternatives_add_no_gain(replayed);
	if (isnan(forecast_points_self_error(replayed)))
		return 0;
	if (alternatives_add_pools(replayed, program, machine, err) ||
	    alternatives_add_even_work(replayed, program, machine, err))
		return -1;
	walls_s = xcalloc(replicates * replayed->count + 1, sizeof(*walls_s));
	rc = run_replicates(walls_s, replayed, program, machine, replicates, request, err);
	replayed->overhead_share = request->overhead_share;
	replayed->discrepancy = request->discrepancy;
	replayed->steal = request->steal;
	if (!request->learned)
		replayed->speed = request->speed;
	replayed->replicates = rc ? 0 : replicates;
	if (!rc)
		set_intervals(replayed, program, request, walls_s,
			      !request->closed_form && !machine->site_costs);
	free(walls_s);
	return rc;
}
