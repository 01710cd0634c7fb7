/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulate/measure.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void measure_init(struct measure *measure)
{
	*measure = (struct measure){.batch_size = 1, .beyond_ns = INFINITY};
	measure->batches = xcalloc(MEASURE_BATCHES + 1, sizeof(*measure->batches));
	measure->bins = xcalloc(MEASURE_BINS, sizeof(*measure->bins));
	measure->marked = xcalloc((size_t)MEASURE_MARKS * MEASURE_BINS, sizeof(*measure->marked));
}

void measure_release(struct measure *measure)
{
	free(measure->batches);
	free(measure->bins);
	free(measure->marked);
}

/* --- Bins ------------------------------------------------------------------------------------- */

static size_t bin_of(double ns)
{
	int exponent;
	double fraction = frexp(ns, &exponent); /* from 1/2 on, below 1 */

	if (!(ns >= 1))
		return 0;
	if (exponent > MEASURE_BINS / MEASURE_OCTAVE)
		return MEASURE_BINS - 1;
	return (size_t)(exponent - 1) * MEASURE_OCTAVE +
	       (size_t)((fraction - .5) * 2 * MEASURE_OCTAVE);
}

/* Returns the lower end of the bin. */
static double bin_ns(size_t bin)
{
	double fraction = .5 + (double)(bin % MEASURE_OCTAVE) / (2. * MEASURE_OCTAVE);

	return bin ? ldexp(fraction, (int)(bin / MEASURE_OCTAVE) + 1) : 0;
}

/* Returns the number of requests after the mark in the bin. */
static uint32_t bin_count(const struct measure *measure, unsigned mark, size_t bin)
{
	const uint32_t *before = measure->marked + (size_t)(mark ? mark - 1 : 0) * MEASURE_BINS;

	return measure->bins[bin] - (mark ? before[bin] : 0);
}

/* Interpolates a percentile: requests are spread evenly within a bin. */
static double find_percentile(const struct measure *measure, unsigned mark, uint64_t count,
			      double share)
{
	double rank = share * (double)count, below = 0;

	for (size_t bin = 0; bin < MEASURE_BINS; bin++) {
		double here = bin_count(measure, mark, bin);

		if (here > 0 && below + here >= rank)
			return bin_ns(bin) +
			       (rank - below) / here * (bin_ns(bin + 1) - bin_ns(bin));
		below += here;
	}
	return 0;
}

/* --- Requests --------------------------------------------------------------------------------- */

/* Merges pairs of batches, which makes room for more. */
static void merge_batches(struct measure *measure)
{
	for (size_t i = 0; i < MEASURE_BATCHES / 2; i++) {
		const struct measure_batch *first = &measure->batches[2 * i], *last = first + 1;

		measure->batches[i] = (struct measure_batch){
			.response_ns = first->response_ns + last->response_ns,
			.end_ns = last->end_ns,
			.beyond = first->beyond + last->beyond,
			.inside = last->inside,
		};
	}
	measure->batch_count = MEASURE_BATCHES / 2;
	measure->batch_size *= 2;
	measure->batches[measure->batch_count] = (struct measure_batch){0};
}

static void set_mark(struct measure *measure, double now_ns)
{
	const double most = .95;

	memcpy(measure->marked + (size_t)measure->marks * MEASURE_BINS, measure->bins,
	       MEASURE_BINS * sizeof(*measure->bins));
	measure->mark_ns[measure->marks++] = now_ns;
	measure->beyond_ns = find_percentile(measure, 0, measure->count, most);
	measure->beyond_since = measure->count;
}

bool measure_add(struct measure *measure, double response_ns, double now_ns, uint32_t inside)
{
	struct measure_batch *batch = &measure->batches[measure->batch_count];

	measure->bins[bin_of(response_ns)]++;
	batch->response_ns += response_ns;
	batch->beyond += response_ns > measure->beyond_ns;
	measure->count++;
	if (++measure->filled == measure->batch_size) {
		batch->end_ns = now_ns;
		batch->inside = inside;
		measure->filled = 0;
		measure->batches[++measure->batch_count] = (struct measure_batch){0};
		if (measure->batch_count == MEASURE_BATCHES)
			merge_batches(measure);
	}
	if (measure->count & (measure->count - 1) || measure->marks == MEASURE_MARKS)
		return false;
	set_mark(measure, now_ns);
	return true;
}

/* --- Batches ---------------------------------------------------------------------------------- */

/* Returns the number of requests before the mark. */
static uint64_t mark_count(unsigned mark)
{
	return mark ? UINT64_C(1) << (mark - 1) : 0;
}

/* Returns the first batch after `count` requests. */
static size_t batch_at(const struct measure *measure, uint64_t count)
{
	size_t batch = (size_t)((count + measure->batch_size - 1) / measure->batch_size);

	return batch < measure->batch_count ? batch : measure->batch_count;
}

/*
 * White's Marginal Standard Error Rule: cuts off the batches whose removal minimises the standard
 * error of the mean of the rest, as if batches were independent. White takes batches of 5; these
 * have 5 or more from 20480 requests on.
 */
int measure_warm_up(const struct measure *measure)
{
	size_t count = measure->batch_count, best = 0;
	double sum = 0, squares = 0, least = INFINITY;
	unsigned mark = 0;

	for (size_t i = count; i-- > 0;) {
		double value = measure->batches[i].response_ns, left = (double)(count - i), error;

		sum += value;
		squares += value * value;
		error = (squares - sum * sum / left) / (left * left);
		if (i <= count / 2 && error <= least) {
			least = error;
			best = i;
		}
	}
	if (best >= count / 2)
		return -1;
	while (mark_count(mark) < best * measure->batch_size)
		mark++;
	return mark <= measure->marks ? (int)mark : -1;
}

unsigned measure_half(const struct measure *measure)
{
	return measure->marks > 1 ? measure->marks - 1 : 0;
}

/* The mean response, the throughput, and the growth of requests inside, of a group of batches. */
struct measure_group {
	double mean_ns, per_ns, inside;
};

/* Groups the last batches from `first` on. Returns batches per group; 0: too few batches. */
static size_t make_groups(struct measure_group *groups, const struct measure *measure, size_t first)
{
	size_t size = (measure->batch_count - first) / MEASURE_GROUPS;
	const struct measure_batch *batch =
		&measure->batches[measure->batch_count - size * MEASURE_GROUPS];

	for (size_t i = 0; size && i < MEASURE_GROUPS; i++, batch += size) {
		double requests = (double)(size * measure->batch_size), sum = 0;
		double since_ns = batch > measure->batches ? batch[-1].end_ns : 0;
		double before = batch > measure->batches ? batch[-1].inside : 0;

		for (size_t j = 0; j < size; j++)
			sum += batch[j].response_ns;
		groups[i] = (struct measure_group){
			.mean_ns = sum / requests,
			.per_ns = requests / (batch[size - 1].end_ns - since_ns),
			.inside = (double)batch[size - 1].inside - before,
		};
	}
	return size;
}

struct moments {
	double mean, deviation; /* standard deviation of one group */
};

/* Returns the moments of the member at `offset` over all groups. */
static struct moments group_moments(const struct measure_group *groups, size_t offset)
{
	struct moments moments = {0};
	double squares = 0;

	for (size_t i = 0; i < MEASURE_GROUPS; i++)
		moments.mean += *(const double *)(const void *)((const char *)&groups[i] + offset) /
				MEASURE_GROUPS;
	for (size_t i = 0; i < MEASURE_GROUPS; i++) {
		double off = *(const double *)(const void *)((const char *)&groups[i] + offset) -
			     moments.mean;

		squares += off * off;
	}
	moments.deviation = sqrt(squares / (MEASURE_GROUPS - 1));
	return moments;
}

/* Returns the correlation of the mean responses of successive groups. */
static double find_correlation(const struct measure_group *groups, const struct moments *moments)
{
	double sum = 0;

	for (size_t i = 1; i < MEASURE_GROUPS; i++)
		sum += (groups[i].mean_ns - moments->mean) *
		       (groups[i - 1].mean_ns - moments->mean);
	if (!(moments->deviation > 0))
		return 0;
	return sum / ((MEASURE_GROUPS - 1) * moments->deviation * moments->deviation);
}

/*
 * The standard error of the share of requests beyond the estimated 95th percentile, from groups of
 * batches since that estimate, times the change of the percentile with its share.
 */
static double percentile_error(const struct measure *measure, unsigned mark, uint64_t count)
{
	const double near = .005, share = .95;
	uint64_t since = measure->beyond_since;
	size_t first = batch_at(measure, since > mark_count(mark) ? since : mark_count(mark));
	size_t size = (measure->batch_count - first) / MEASURE_GROUPS;
	const struct measure_batch *batch =
		&measure->batches[measure->batch_count - size * MEASURE_GROUPS];
	double sum = 0, squares = 0, requests = (double)(size * measure->batch_size), error, slope;

	if (!size)
		return NAN;
	for (size_t i = 0; i < MEASURE_GROUPS; i++) {
		double beyond = 0;

		for (size_t j = 0; j < size; j++)
			beyond += batch++->beyond;
		beyond /= requests;
		sum += beyond;
		squares += beyond * beyond;
	}
	error = sqrt(fmax(squares - sum * sum / MEASURE_GROUPS, 0) / (MEASURE_GROUPS - 1) /
		     MEASURE_GROUPS);
	slope = (find_percentile(measure, mark, count, share + near) -
		 find_percentile(measure, mark, count, share - near)) /
		(2 * near);
	return error * slope * sqrt(requests * MEASURE_GROUPS / (double)count);
}

void measure_read(struct measured *measured, const struct measure *measure, unsigned mark)
{
	struct measure_group groups[MEASURE_GROUPS];
	size_t first = batch_at(measure, mark_count(mark));
	uint64_t count = measure->count - mark_count(mark);
	double sum = 0;

	*measured = (struct measured){
		.count = count,
		.since_ns = mark ? measure->mark_ns[mark - 1] : 0,
		.until_ns = measure->batch_count ? measure->batches[measure->batch_count - 1].end_ns
						 : 0,
		.mean_se_ns = NAN,
		.per_se_ns = NAN,
		.p50_ns = find_percentile(measure, mark, count, .5),
		.p95_ns = find_percentile(measure, mark, count, .95),
		.p99_ns = find_percentile(measure, mark, count, .99),
		.p95_se_ns = percentile_error(measure, mark, count),
	};
	for (size_t i = first; i < measure->batch_count; i++)
		sum += measure->batches[i].response_ns;
	measured->mean_ns =
		sum / ((double)(measure->batch_count - first) * (double)measure->batch_size);
	measured->per_ns = (double)(measure->batch_count - first) * (double)measure->batch_size /
			   (measured->until_ns - measured->since_ns);
	if (make_groups(groups, measure, first)) {
		struct moments means =
			group_moments(groups, offsetof(struct measure_group, mean_ns));
		struct moments pers = group_moments(groups, offsetof(struct measure_group, per_ns));

		measured->mean_se_ns = means.deviation / sqrt(MEASURE_GROUPS);
		measured->per_se_ns = pers.deviation / sqrt(MEASURE_GROUPS);
		measured->correlation = find_correlation(groups, &means);
	}
}

double measure_growth(const struct measure *measure, double *by_error)
{
	struct measure_group groups[MEASURE_GROUPS];
	size_t half = measure->batch_count / 2, size = make_groups(groups, measure, half);
	const struct measure_batch *last;
	struct moments steps;
	double length_ns;

	*by_error = 0;
	if (!size)
		return 0;
	last = &measure->batches[measure->batch_count - 1];
	steps = group_moments(groups, offsetof(struct measure_group, inside));
	length_ns = last->end_ns - last[-(ptrdiff_t)(size * MEASURE_GROUPS)].end_ns;
	if (steps.mean > 0)
		*by_error = steps.deviation > 0
				    ? steps.mean / (steps.deviation / sqrt(MEASURE_GROUPS))
				    : INFINITY;
	return length_ns > 0 ? steps.mean * MEASURE_GROUPS / length_ns : 0;
}
