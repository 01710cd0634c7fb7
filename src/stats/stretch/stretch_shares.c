/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/stretch/stretch_shares.h"

#include "base/alloc.h"
#include "stats/stretch/stretch_run.h"

#include <stdlib.h>

static void add_to_shares(struct cpu_shares *shares, const struct stretch_sample *sample,
			  const double *serial)
{
	double count = (double)sample->count;

	if (sample->block == STRETCH_OVERHEAD)
		shares->overhead += count;
	else if (sample->block == STRETCH_WAITING)
		shares->waiting += count;
	else
		shares->work += count;
	if (serial && sample->block < STRETCH_OVERHEAD)
		shares->serial += count * serial[sample->block];
}

static double samples_of(const struct cpu_shares *shares)
{
	return shares->work + shares->overhead + shares->waiting;
}

static struct cpu_shares divided(const struct cpu_shares *shares)
{
	double all = samples_of(shares);

	return (struct cpu_shares){.work = shares->work / all,
				   .overhead = shares->overhead / all,
				   .waiting = shares->waiting / all,
				   .serial = shares->serial / all};
}

static size_t part_at(const struct stretch_run *run, size_t count, uint64_t time_ns)
{
	const struct cpu_edges *edges = &run->edges;
	uint64_t length_ns = edges->end_ns - edges->begin_ns;
	size_t part;

	if (time_ns <= edges->begin_ns || !length_ns)
		return 0;
	part = (size_t)((unsigned __int128)(time_ns - edges->begin_ns) * count / length_ns);
	return part < count ? part : count - 1;
}

/* Of each thread, in the end those that have few samples together: as with their ticks. */
static struct cpu_shares *sum_shares(const struct stretch_run *run, const double *serial)
{
	size_t threads = run->edges.thread_count;
	struct cpu_shares *each = xcalloc(threads + 1, sizeof(*each)), *few = &each[threads];

	for (size_t i = 0; i < run->part_count; i++)
		add_to_shares(&each[run->parts[i].thread], &run->parts[i], serial);
	for (size_t i = 0; i < threads; i++)
		if (samples_of(&each[i]) < STRETCH_THREAD_SAMPLES_MIN) {
			few->work += each[i].work;
			few->overhead += each[i].overhead;
			few->waiting += each[i].waiting;
			few->serial += each[i].serial;
		}
	if (!(samples_of(few) > 0))
		*few = (struct cpu_shares){.work = 1,
					   .serial = serial ? serial[run->work_count - 1] : 0};
	for (size_t i = 0; i < threads; i++)
		if (samples_of(&each[i]) < STRETCH_THREAD_SAMPLES_MIN)
			each[i] = *few;
	return each;
}

/* Where a thread was not sampled in a part, it did there what it does elsewhere. */
struct cpu_shares *stretch_shares_new(size_t count, const struct stretch_run *run,
				      const double *serial)
{
	size_t threads = run->edges.thread_count;
	struct cpu_shares *shares = xcalloc(count * threads + 1, sizeof(*shares));
	struct cpu_shares *each = sum_shares(run, serial);

	for (size_t i = 0; count > 1 && i < run->part_count; i++) {
		const struct stretch_sample *sample = &run->parts[i];
		size_t part = part_at(run, count, sample->time_ns);

		add_to_shares(&shares[part * threads + sample->thread], sample, serial);
	}
	for (size_t i = 0; i < count * threads; i++) {
		shares[i] = divided(samples_of(&shares[i]) > 0 ? &shares[i] : &each[i % threads]);
		shares[i].ran = run->ran[i % threads];
	}
	free(each);
	return shares;
}
