/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/extract/extraction.h"

#include "base/alloc.h"
#include "base/sorted.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

/* Slopes of open sources are below the first one, those of closed sources above the second. */
#define OPEN_SLOPE   .3
#define CLOSED_SLOPE .7

/* --- Gaps between requests -------------------------------------------------------------------- */

/* Requests of one source. */
struct arriving {
	const struct request **items; /* in the order of threads and times */
	size_t count;
	double *times_s; /* times of all requests, sorted */
};

static int by_thread_and_time(const void *a, const void *b)
{
	const struct request *x = *(const struct request *const *)a;
	const struct request *y = *(const struct request *const *)b;

	return x->thread != y->thread ? compare_values(x->thread, y->thread)
				      : compare_values(x->put_ns, y->put_ns);
}

/* Sums of a regression of y on x. */
struct line_sums {
	double n, x, y, xx, xy, yy;
};

/* Adds the sums of deviations from the means of a thread, which loses an n by each mean. */
static void add_deviations(struct line_sums *all, const struct line_sums *own)
{
	if (own->n < 2)
		return;
	all->n += own->n - 1;
	all->xx += own->xx - own->x * own->x / own->n;
	all->xy += own->xy - own->x * own->y / own->n;
	all->yy += own->yy - own->y * own->y / own->n;
}

/*
 * Returns the sums for the regression of the next gap on the response time. Only deviations from
 * the means of a thread count: threads may differ in both.
 */
static struct line_sums sum_line(const struct arriving *arriving)
{
	struct line_sums all = {0}, own = {0};

	for (size_t i = 0; i + 1 < arriving->count; i++) {
		const struct request *one = arriving->items[i], *next = arriving->items[i + 1];
		double x, y;

		if (one->thread != next->thread) {
			add_deviations(&all, &own);
			own = (struct line_sums){0};
		}
		if (one->thread != next->thread || one->done_ns < one->put_ns)
			continue;
		x = (double)(one->done_ns - one->put_ns) / 1e9;
		y = (double)(next->put_ns - one->put_ns) / 1e9;
		own.n++;
		own.x += x;
		own.y += y;
		own.xx += x * x;
		own.xy += x * y;
		own.yy += y * y;
	}
	add_deviations(&all, &own);
	return all;
}

/* Finds the slope. 1: a request waits for the answer to the one before; 0: it does not. */
static void find_slope(struct model_arrivals_found *found, const struct arriving *arriving)
{
	const struct line_sums sums = sum_line(arriving);
	const double least = .025;
	double error;

	found->slope = found->slope_lo = found->slope_hi = NAN;
	if (sums.n < 20 || !(sums.xx > 0))
		return;
	found->slope = sums.xy / sums.xx;
	error = gsl_cdf_tdist_Qinv(least, sums.n - 1) *
		sqrt(fmax(sums.yy - sums.xy * sums.xy / sums.xx, 0) / (sums.n - 1) / sums.xx);
	found->slope_lo = found->slope - error;
	found->slope_hi = found->slope + error;
}

/* Returns the gaps between the sorted times. */
static double *gaps_of(const struct arriving *arriving, double *mean, double *cv)
{
	size_t count = arriving->count - 1;
	double *gaps = xcalloc(count + 1, sizeof(*gaps)), squares = 0;

	*mean = (arriving->times_s[count] - arriving->times_s[0]) / (double)count;
	for (size_t i = 0; i < count; i++) {
		gaps[i] = arriving->times_s[i + 1] - arriving->times_s[i];
		squares += (gaps[i] - *mean) * (gaps[i] - *mean);
	}
	*cv = *mean > 0 ? sqrt(squares / (double)count) / *mean : 0;
	return gaps;
}

/* Returns variance over mean of the counts in whole seconds; NaN: too few seconds. */
static double find_dispersion(const struct arriving *arriving)
{
	double first_s = arriving->times_s[0], sum = 0, squares = 0, mean;
	size_t bins = (size_t)(arriving->times_s[arriving->count - 1] - first_s), at = 0;

	if (bins < 8)
		return NAN;
	for (size_t i = 0; i < bins; i++) {
		double count = 0;

		for (; at < arriving->count && arriving->times_s[at] < first_s + (double)(i + 1);
		     at++)
			count++;
		sum += count;
		squares += count * count;
	}
	mean = sum / (double)bins;
	return (squares / (double)bins - mean * mean) / mean;
}

/*
 * Compares the largest distance of the distribution functions with 1.25 / sqrt(n), which
 * exponential gaps of an estimated mean exceed once in 100 (Lilliefors 1969). Threads that sleep
 * make no gaps below 60 us; a distance of .05 matters to no queue if the variation is right.
 */
static bool are_exponential(const double *sorted, size_t count, double mean, double cv)
{
	double distance = 0;

	for (size_t i = 0; i < count; i++) {
		double share = -expm1(-sorted[i] / mean);

		distance = fmax(distance, fmax(share - (double)i / (double)count,
					       (double)(i + 1) / (double)count - share));
	}
	return distance < fmax(1.25 / sqrt((double)count), .05) && fabs(cv - 1) < .15;
}

/* --- Sources ---------------------------------------------------------------------------------- */

static struct model_source *add_source(struct extraction *extraction, const char *name,
				       enum model_source_kind kind, uint32_t to)
{
	struct model *model = extraction->model;
	struct model_source *source;

	model->sources =
		xreallocarray(model->sources, model->source_count + 1, sizeof(*model->sources));
	source = &model->sources[model->source_count++];
	*source = (struct model_source){
		.name = extraction_name(extraction, "%s", name), .kind = kind, .to_count = 1};
	source->to = xcalloc(1, sizeof(*source->to));
	source->to[0] = to;
	return source;
}

static void make_open(struct extraction *extraction, const struct group *group, uint32_t to,
		      struct arriving *arriving, struct model_arrivals_found *found)
{
	struct model_source *source = add_source(extraction, group->name, MODEL_OPEN, to);
	double mean, *gaps = gaps_of(arriving, &mean, &found->gap_cv);
	size_t count = arriving->count - 1;

	source->rate = 1 / mean;
	found->dispersion = find_dispersion(arriving);
	sort_items(gaps, count, compare_doubles);
	if (!are_exponential(gaps, count, mean, found->gap_cv))
		source->gaps = distribution_of_times(gaps, count);
	free(gaps);
	if (found->dispersion > 3)
		extraction_doubt(extraction,
				 "Requests of %s come in bursts (counts in 1 s vary %.0f times as "
				 "much as at random); the model draws gaps independently.",
				 group->name, found->dispersion);
}

/* The time from an answer to the next request of the client. */
struct thought {
	double since_s, end_s;
};

static int by_end(const void *a, const void *b)
{
	const struct thought *x = a, *y = b;
	int order = compare_doubles(&x->end_s, &y->end_s);

	return order ? order : compare_doubles(&x->since_s, &y->since_s);
}

static struct thought *find_thoughts(const struct arriving *arriving, size_t *count)
{
	struct thought *thoughts = xcalloc(arriving->count, sizeof(*thoughts));

	*count = 0;
	for (size_t i = 0; i + 1 < arriving->count; i++) {
		const struct request *one = arriving->items[i], *next = arriving->items[i + 1];

		if (one->thread == next->thread && one->done_ns && next->put_ns >= one->done_ns)
			thoughts[(*count)++] = (struct thought){(double)one->done_ns / 1e9,
								(double)next->put_ns / 1e9};
	}
	return thoughts;
}

/* Returns the times of thoughts one after the other: each from the end of the one before. */
static double *find_turns(const struct thought *thoughts, size_t count)
{
	double *turns = xcalloc(count + 1, sizeof(*turns));

	for (size_t i = 0; i < count; i++)
		turns[i] = thoughts[i].end_s -
			   fmax(thoughts[i].since_s, i ? thoughts[i - 1].end_s : 0);
	return turns;
}

/*
 * Returns whether one thread thinks for all clients. Of two clients with answers, the first then
 * asks first, and the second as long after it as a lone client after its answer. With a thread
 * each, different times change the order; equal times leave half of it, as answers come at random.
 */
static bool is_one_thread(const struct thought *thoughts, const double *turns, size_t count)
{
	const size_t few = 30;
	double *alone = xcalloc(count + 1, sizeof(*alone));
	double *behind = xcalloc(count + 1, sizeof(*behind));
	size_t alone_count = 0, behind_count = 0, early = 0;
	bool is_one;

	for (size_t i = 1; i < count; i++) {
		early += thoughts[i].since_s < thoughts[i - 1].since_s;
		if (thoughts[i].since_s < thoughts[i - 1].end_s)
			behind[behind_count++] = turns[i];
		else
			alone[alone_count++] = turns[i];
	}
	sort_items(alone, alone_count, compare_doubles);
	sort_items(behind, behind_count, compare_doubles);
	is_one = alone_count >= few && behind_count >= few && early < behind_count / 10 &&
		 behind[behind_count / 2] > .75 * alone[alone_count / 2];
	free(alone);
	free(behind);
	return is_one;
}

/*
 * Returns the think times of clients, which the caller frees: each from the answer on or, with
 * `one_thread`, from the end of the one before.
 */
static double *find_think_times(const struct arriving *arriving, size_t *count, bool *one_thread)
{
	struct thought *thoughts = find_thoughts(arriving, count);
	double *times;

	sort_items(thoughts, *count, by_end);
	times = find_turns(thoughts, *count);
	*one_thread = is_one_thread(thoughts, times, *count);
	for (size_t i = 0; i < *count && !*one_thread; i++)
		times[i] = thoughts[i].end_s - thoughts[i].since_s;
	free(thoughts);
	return times;
}

/* Makes a closed source. */
static void make_closed(struct extraction *extraction, const struct group *group, uint32_t to,
			const struct arriving *arriving)
{
	struct model_source *source = add_source(extraction, group->name, MODEL_CLOSED, to);
	bool one_thread;
	size_t count;
	double *times = find_think_times(arriving, &count, &one_thread);

	source->clients = group->threads;
	source->threads = one_thread;
	if (count)
		source->think = distribution_of_times(times, count);
	free(times);
}

/*
 * Returns whether clients ask at times of their own: each has its answer first in either case. N
 * clients that wait, think and ask follow X = N / (R + Z), the interactive response time law; if
 * the recording is off by more than a tenth, they do not.
 */
static bool is_scheduled(const struct group *group, const struct arriving *arriving)
{
	const double most = .1;
	double wall_s = arriving->times_s[arriving->count - 1] - arriving->times_s[0];
	double sum_s = 0, law;
	size_t count = 0;

	for (size_t i = 0; i + 1 < arriving->count; i++) {
		const struct request *one = arriving->items[i], *next = arriving->items[i + 1];

		if (one->thread != next->thread || !one->done_ns || next->put_ns < one->done_ns)
			continue;
		sum_s += (double)(next->put_ns - one->put_ns) / 1e9;
		count++;
	}
	law = count ? group->threads * (double)count / sum_s : 0;
	return count && wall_s > 0 && fabs(law * wall_s / (double)arriving->count - 1) > most;
}

/*
 * Returns the variance over the mean of the number of requests in the server: 1 - p with clients
 * that are each in it for a share p of their time (a binomial distribution), 1 or more if requests
 * come regardless of answers. NaN: none was answered.
 */
static double find_crowding(const struct arriving *arriving)
{
	double *begins = xcalloc(arriving->count, sizeof(*begins));
	double *ends = xcalloc(arriving->count, sizeof(*ends));
	double time_s = 0, sum = 0, squares = 0, mean;
	size_t begun = 0, ended = 0, count = 0;

	for (size_t i = 0; i < arriving->count; i++) {
		if (arriving->items[i]->done_ns < arriving->items[i]->put_ns)
			continue; /* no answer, or one before the request */
		begins[count] = (double)arriving->items[i]->put_ns / 1e9;
		ends[count++] = (double)arriving->items[i]->done_ns / 1e9;
	}
	sort_items(begins, count, compare_doubles);
	sort_items(ends, count, compare_doubles);
	for (double now_s = count ? begins[0] : 0, next_s; ended < count; now_s = next_s) {
		bool begin = begun < count && begins[begun] <= ends[ended];
		double in = (double)(begun - ended);

		next_s = begin ? begins[begun++] : ends[ended++];
		time_s += next_s - now_s;
		sum += in * (next_s - now_s);
		squares += in * in * (next_s - now_s);
	}
	free(begins);
	free(ends);
	mean = sum / time_s;
	return (squares / time_s - mean * mean) / mean;
}

/*
 * Returns whether clients at sockets wait for answers. A load generator with a rate may send each
 * request over any free connection: then gaps grow less than response times. With one thread for all
 * clients they do so in either case.
 */
static bool clients_wait(struct model_arrivals_found *found, const struct arriving *arriving)
{
	bool one_thread;
	size_t count;

	free(find_think_times(arriving, &count, &one_thread));
	found->undecided =
		!one_thread && found->slope_lo <= CLOSED_SLOPE && found->slope_hi >= OPEN_SLOPE;
	return one_thread || !(found->slope_hi < CLOSED_SLOPE);
}

/* Returns whether the source is closed. Threads that only sleep between requests are not. */
static bool is_closed(struct model_arrivals_found *found, const struct group *group,
		      const struct extraction *extraction, const struct arriving *arriving)
{
	if (group->part == GROUP_CLIENT && group->to != extraction->network)
		return true;
	if (group->part == GROUP_CLIENT && extraction->short_connections)
		return find_crowding(arriving) < .5;
	if (group->part == GROUP_CLIENT)
		return !is_scheduled(group, arriving) && clients_wait(found, arriving);
	if (group->blocks < arriving->count / 20)
		return false;
	found->undecided = !(found->slope < OPEN_SLOPE || found->slope > CLOSED_SLOPE) ||
			   (found->slope_lo < OPEN_SLOPE && found->slope_hi > CLOSED_SLOPE);
	return !found->undecided && found->slope > CLOSED_SLOPE;
}

static void make_source(struct extraction *extraction, const struct group *group, uint32_t site,
			struct arriving *arriving)
{
	uint32_t to = extraction->objects[site].station;
	struct model_arrivals_found found = {.gap_cv = NAN, .dispersion = NAN};
	bool first = !extraction->model->source_count;

	if (group->part == GROUP_BATCH) {
		if (group->pool != MODEL_NONE)
			add_source(extraction, "items", MODEL_BATCH,
				   extraction->model->pools[group->pool].takes)
				->items = arriving->count;
		extraction->findings->batch = true;
		return;
	}
	if (to == MODEL_NONE || arriving->count < 2)
		return;
	find_slope(&found, arriving);
	if (is_closed(&found, group, extraction, arriving))
		make_closed(extraction, group, to, arriving);
	else
		make_open(extraction, group, to, arriving, &found);
	if (first)
		extraction->findings->arrivals = found;
}

/* --- All sources ------------------------------------------------------------------------------ */

/* A request, by group and queue; for a batch group all queues are one. */
struct origin {
	uint32_t group, site, request;
};

static int by_origin(const void *a, const void *b)
{
	const struct origin *x = a, *y = b;

	if (x->group != y->group)
		return compare_values(x->group, y->group);
	return x->site != y->site ? compare_values(x->site, y->site)
				  : compare_values(x->request, y->request);
}

/* Returns the queue of the site; for pinned threads all are one. */
static uint32_t queue_of(const struct extraction *extraction, uint32_t site)
{
	const struct group *taker = &extraction->groups[extraction->objects[site].group];

	return taker->queues > 1 ? taker->home : site;
}

static void make_from(struct extraction *extraction, const struct origin *origins, size_t count)
{
	struct arriving arriving = {xcalloc(count, sizeof(*arriving.items)), count,
				    xcalloc(count, sizeof(*arriving.times_s))};

	for (size_t i = 0; i < count; i++) {
		arriving.items[i] = &extraction->requests[origins[i].request];
		arriving.times_s[i] = (double)arriving.items[i]->put_ns / 1e9;
	}
	sort_items(arriving.items, count, by_thread_and_time);
	sort_items(arriving.times_s, count, compare_doubles);
	make_source(extraction, &extraction->groups[origins->group], origins->site, &arriving);
	free(arriving.items);
	free(arriving.times_s);
}

void extraction_make_sources(struct extraction *extraction)
{
	struct origin *origins = xcalloc(extraction->request_count + 1, sizeof(*origins));
	size_t end;

	for (uint32_t i = 0; i < extraction->request_count; i++) {
		const struct request *request = &extraction->requests[i];
		uint32_t group = extraction->groups_of[request->thread];
		bool batch = extraction->groups[group].part == GROUP_BATCH;

		origins[i] =
			(struct origin){group, batch ? 0 : queue_of(extraction, request->site), i};
	}
	sort_items(origins, extraction->request_count, by_origin);
	for (size_t i = 0; i < extraction->request_count; i = end) {
		for (end = i + 1; end < extraction->request_count; end++)
			if (origins[end].group != origins[i].group ||
			    origins[end].site != origins[i].site)
				break;
		if (extraction->model->source_count < MODEL_SOURCES_MAX)
			make_from(extraction, &origins[i], end - i);
	}
	free(origins);
}
