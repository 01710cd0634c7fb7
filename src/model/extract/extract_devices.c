/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waits for devices in a recording, their station in the model, and the reasons to doubt it. */
#include "model/extract/extraction.h"

#include "base/alloc.h"
#include "base/sorted.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --- Recorded waits --------------------------------------------------------------------------- */

/*
 * Returns whether the step waits for a device. In state D threads also wait for each other; if the
 * recording has no interrupts, the interrupted thread looks like the waker.
 */
static bool waits_for_device(const struct program *program, const struct step *step)
{
	return step_op(step) == STEP_DEVICE ||
	       (step_op(step) == STEP_BLOCK && step->edge < program->edge_count &&
		!program->tells_interrupts && program->device_site &&
		step->site == program->device_site - 1);
}

/* Returns the gap of the step's wait at that time, and moves *next behind it. NULL: no wait. */
static const struct program_gap *gap_of_wait(const struct program_gaps *gaps, size_t *next,
					     uint64_t begin_ns)
{
	size_t i = find_first(j, *next, gaps->count, gaps->items[j].begin_ns >= begin_ns);

	while (i < gaps->count && gaps->items[i].kind == GAP_READY)
		i++;
	if (i == gaps->count)
		return NULL;
	*next = i + 1;
	return &gaps->items[i];
}

static void find_waits(struct extraction *extraction)
{
	const struct program *program = extraction->program;
	size_t capacity = 0;

	for (uint32_t i = 0; i < program->thread_count; i++) {
		const struct program_thread *own = &program->threads[i];
		struct step_times times = {.gaps = &program->gaps[i]};
		size_t next = 0;

		for (uint32_t j = 0; j < own->count; j++) {
			const struct program_gap *gap;

			step_times_next(&times, own, j);
			gap = waits_for_device(program, &own->steps[j])
				      ? gap_of_wait(times.gaps, &next, times.begin_ns)
				      : NULL;
			if (!gap || gap->end_ns - gap->ready_ns <= gap->begin_ns)
				continue;
			array_reserve(&extraction->device_waits, &capacity,
				      extraction->device_wait_count + 1);
			extraction->device_waits[extraction->device_wait_count++] =
				(struct device_wait){.begin_ns = gap->begin_ns,
						     .end_ns = gap->end_ns - gap->ready_ns,
						     .thread = i,
						     .step = j};
		}
	}
	for (size_t i = 0; i < extraction->device_wait_count; i++)
		extraction->device_waits[i].service_ns =
			extraction->device_waits[i].end_ns - extraction->device_waits[i].begin_ns;
}

void extraction_find_disk(struct extraction *extraction)
{
	extraction->disk = MODEL_NONE;
	find_waits(extraction);
	extraction_find_servers(extraction);
}

/* --- The station in the model ----------------------------------------------------------------- */

static size_t first_wait(const struct extraction *extraction, uint32_t thread, uint32_t step)
{
	const struct device_wait *waits = extraction->device_waits;

	return find_first(i, 0, extraction->device_wait_count,
			  waits[i].thread > thread ||
				  (waits[i].thread == thread && waits[i].step >= step));
}

const struct device_wait *extraction_device_wait(const struct extraction *extraction,
						 uint32_t thread, uint32_t step)
{
	size_t i = first_wait(extraction, thread, step);

	return i < extraction->device_wait_count && extraction->device_waits[i].thread == thread &&
			       extraction->device_waits[i].step == step
		       ? &extraction->device_waits[i]
		       : NULL;
}

static bool is_disk(const struct extraction *extraction)
{
	return extraction->device_part == DEVICE_DISK || extraction->device_part == DEVICE_COMMITS;
}

uint32_t extraction_disk_station(struct extraction *extraction)
{
	struct model_station *station;

	if (extraction->disk != MODEL_NONE || extraction->device_part == DEVICE_FEW)
		return extraction->disk;
	extraction->disk =
		extraction_add_station(extraction->model, extraction_name(extraction, "disk"),
				       is_disk(extraction) ? MODEL_DISK : MODEL_DELAY);
	station = &extraction->model->stations[extraction->disk];
	station->group_commit = extraction->device_part == DEVICE_COMMITS;
	if (extraction->device_part == DEVICE_DISK)
		station->servers = extraction->disk_servers;
	else if (extraction->device_part != DEVICE_COMMITS)
		station->deepest = extraction->disk_deepest;
	return extraction->disk;
}

struct model_station_check extraction_check_disk(const struct extraction *extraction,
						 double window_s)
{
	double wait_s = 0, busy_s = (double)extraction->disk_busy_ns / 1e9;
	uint32_t servers = extraction->model->stations[extraction->disk].servers;

	for (size_t i = 0; i < extraction->device_wait_count; i++) {
		const struct device_wait *wait = &extraction->device_waits[i];

		wait_s += (double)(wait->end_ns - wait->begin_ns) / 1e9;
	}
	return (struct model_station_check){
		.station = extraction->disk,
		.pool = MODEL_NONE,
		.utilisation = {(is_disk(extraction) ? busy_s / servers : wait_s) / window_s, NAN},
		.length = {is_disk(extraction) ? (double)extraction->disk_queued_ns / 1e9 / window_s
					       : NAN,
			   NAN},
	};
}

/* --- Doubts ----------------------------------------------------------------------------------- */

static void doubt_kept(struct extraction *extraction, double share)
{
	static const char *const reasons[] = {
		[DEVICE_FEW] = "they are too few to know how they depend on it",
		[DEVICE_ALONE] = "it is unknown how they depend on it",
		[DEVICE_SAME] = "they were as long with many threads waiting as with few",
		[DEVICE_OTHER] = "they are longer with more threads waiting, but not as at a disk "
				 "that serves a fixed number of them",
		[DEVICE_TOGETHER] = "many end together, as those for writes that are flushed "
				    "together, or under a limit of requests in a period",
	};
	char threads[40] = "one thread";

	if (extraction->disk_deepest > 1)
		snprintf(threads, sizeof(threads), "up to %u threads", extraction->disk_deepest);
	extraction_doubt(extraction,
			 "%.0f %% of the time of visits are waits for devices, of %s at a time. "
			 "They keep their length at any load: %s.",
			 100 * share, threads, reasons[extraction->device_part]);
}

static void doubt_servers(struct extraction *extraction)
{
	uint32_t least = extraction->disk_least, most = extraction->disk_most;
	const char *name = extraction->model->stations[extraction->disk].name;

	if (extraction->device_part == DEVICE_DISK && least < most)
		extraction_doubt(extraction,
				 "The disk serves %u requests at a time; from %u to %u fit the "
				 "recording as well. Record for longer, or see --set "
				 "%s.servers=NUMBER.",
				 extraction->disk_servers, least, most, name);
}

/* Adds a doubt if threads of no pool use the disk, too. */
static void doubt_others(struct extraction *extraction)
{
	const double few = .1;
	double all_ns = 0, others_ns = 0;

	for (size_t i = 0; i < extraction->device_wait_count; i++) {
		const struct device_wait *wait = &extraction->device_waits[i];

		all_ns += (double)wait->service_ns;
		if (group_of(extraction, wait->thread)->pool == MODEL_NONE)
			others_ns += (double)wait->service_ns;
	}
	if (others_ns > few * all_ns)
		extraction_doubt(extraction,
				 "%.0f %% of the work of the disk is for threads of no pool; the "
				 "model leaves it out.",
				 100 * others_ns / all_ns);
}

/* Visits in the two halves of the recording: all, and those without a wait for a device. */
struct hits {
	double visits[2], hits[2];
};

static void count_hits(struct hits *hits, const struct extraction *extraction)
{
	uint64_t half_ns = extraction->begin_ns / 2 + extraction->end_ns / 2;

	for (size_t i = 0; i < extraction->visit_count; i++) {
		const struct visit *visit = &extraction->visits[i];
		struct hits *own = &hits[extraction->groups_of[visit->thread]];
		bool late = visit->begin_ns > half_ns;

		if (!visit->end_ns)
			continue;
		own->visits[late]++;
		own->hits[late] += first_wait(extraction, visit->thread, visit->first) ==
				   first_wait(extraction, visit->thread, visit->last);
	}
}

static void doubt_trends(struct extraction *extraction)
{
	const double certain = 4;
	struct hits *hits = xcalloc(extraction->group_count + 1, sizeof(*hits));

	count_hits(hits, extraction);
	for (size_t i = 0; i < extraction->group_count; i++) {
		const struct hits *own = &hits[i];
		double all = own->visits[0] + own->visits[1], share, early, late, se;

		if (extraction->groups[i].pool == MODEL_NONE || !(own->visits[0] > 0) ||
		    !(own->visits[1] > 0))
			continue;
		share = (own->hits[0] + own->hits[1]) / all;
		early = own->hits[0] / own->visits[0];
		late = own->hits[1] / own->visits[1];
		se = sqrt(share * (1 - share) * (1 / own->visits[0] + 1 / own->visits[1]));
		if (fabs(late - early) > certain * se)
			extraction_doubt(extraction,
					 "%.0f %% of the visits of %s waited for no device in the "
					 "first half of "
					 "the recording, and %.0f %% in the second: a cache was "
					 "not as full as it "
					 "gets. Record later.",
					 100 * early,
					 extraction->model->pools[extraction->groups[i].pool].name,
					 100 * late);
	}
	free(hits);
}

void extraction_doubt_disk(struct extraction *extraction, double visits_ns)
{
	const double few = .05;
	double share = (double)extraction->device_ns / visits_ns;

	if (!(share > few))
		return;
	if (!is_disk(extraction)) {
		doubt_kept(extraction, share);
	} else if (extraction->disk != MODEL_NONE) {
		doubt_servers(extraction);
		doubt_others(extraction);
	}
	doubt_trends(extraction);
}
