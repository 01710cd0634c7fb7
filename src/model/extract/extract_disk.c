/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Waits for devices, of all threads, as requests at one disk that serves c of them at a time, first
 * come, first served. For each c, the waits determine the start and length of each service. If c is
 * too small, services of requests that found many others there look shorter than those that found
 * few; if c is too large, longer. The right c makes services independent of that number.
 *
 * The measure of dependence is the covariance of s / (s + m) with the number, for services s with
 * mean m, divided by its standard error from blocks of time; long services hardly disturb it. A
 * request that ends before its service would have begun shows that c is too small, or that the disk
 * has another order. It gets the service of the request that began last, which returns to the head
 * of the queue: the disk is as busy as with that c.
 */
#include "model/extract/extraction.h"

#include "base/alloc.h"
#include "base/sorted.h"

#include <math.h>
#include <stdlib.h>

enum { WAITS_LEAST = 200 };

/* Standard errors from 0: above `sure` no chance; up to `fits` a c fits as well as another. */
static const double sure = 3, fits = 2;

/* Waits that end within this time of each other end together. */
static const uint64_t at_once_ns = 20000;

/* The largest share of requests that end before their turn; with more, c is too small. */
static const double odd_most = .01;

/* --- A disk with c servers -------------------------------------------------------------------- */

/* A list of waits in an order, linked by struct disk. */
struct disk_line {
	uint32_t first, last; /* MODEL_NONE: it is empty */
	uint32_t count;
};

/* One service, with the number of requests that were there. */
struct service {
	double ns, number;
};

struct disk {
	const struct device_wait *waits;
	size_t count;
	uint32_t *begins, *ends;   /* waits in the order of their starts and ends */
	uint32_t *found;	   /* [wait]: other waits at its start */
	uint32_t deepest;	   /* largest number of waits at a time */
	uint32_t *before, *behind; /* [wait]: its neighbours in the list */
	bool *served;		   /* [wait]: in `serving`, else in `queue` */
	struct disk_line serving, queue;
	uint64_t *since_ns;   /* [wait]: start of its service */
	uint64_t *service_ns; /* [wait] */
	size_t odd;
	struct service *services; /* scratch */
};

static void line_add(struct disk *disk, struct disk_line *line, uint32_t wait)
{
	disk->behind[wait] = MODEL_NONE;
	disk->before[wait] = line->count ? line->last : MODEL_NONE;
	if (line->count++)
		disk->behind[line->last] = wait;
	else
		line->first = wait;
	line->last = wait;
}

static void line_add_first(struct disk *disk, struct disk_line *line, uint32_t wait)
{
	disk->before[wait] = MODEL_NONE;
	disk->behind[wait] = line->count ? line->first : MODEL_NONE;
	if (line->count++)
		disk->before[line->first] = wait;
	else
		line->last = wait;
	line->first = wait;
}

static void line_drop(struct disk *disk, struct disk_line *line, uint32_t wait)
{
	uint32_t before = disk->before[wait], behind = disk->behind[wait];

	if (before == MODEL_NONE)
		line->first = behind;
	else
		disk->behind[before] = behind;
	if (behind == MODEL_NONE)
		line->last = before;
	else
		disk->before[behind] = before;
	line->count--;
}

static void begin_service(struct disk *disk, uint32_t wait, uint64_t at_ns)
{
	line_add(disk, &disk->serving, wait);
	disk->served[wait] = true;
	disk->since_ns[wait] = at_ns;
}

static void end_wait(struct disk *disk, uint32_t wait)
{
	uint64_t at_ns = disk->waits[wait].end_ns;
	uint32_t last = disk->serving.last;

	if (disk->served[wait]) {
		line_drop(disk, &disk->serving, wait);
		disk->service_ns[wait] = at_ns - disk->since_ns[wait];
	} else {
		disk->odd++;
		line_drop(disk, &disk->queue, wait);
		line_drop(disk, &disk->serving, last);
		line_add_first(disk, &disk->queue, last);
		disk->served[last] = false;
		disk->service_ns[wait] = at_ns - disk->since_ns[last];
	}
	if (disk->queue.count) {
		uint32_t next = disk->queue.first;

		line_drop(disk, &disk->queue, next);
		begin_service(disk, next, at_ns);
	}
}

static void serve_all(struct disk *disk, uint32_t servers)
{
	size_t ended = 0;

	disk->odd = 0;
	disk->serving = disk->queue = (struct disk_line){.count = 0};
	for (size_t i = 0; i < disk->count; i++) {
		uint32_t wait = disk->begins[i];
		uint64_t at_ns = disk->waits[wait].begin_ns;

		while (disk->waits[disk->ends[ended]].end_ns <= at_ns)
			end_wait(disk, disk->ends[ended++]);
		disk->served[wait] = false;
		if (disk->serving.count < servers)
			begin_service(disk, wait, at_ns);
		else
			line_add(disk, &disk->queue, wait);
	}
	while (ended < disk->count)
		end_wait(disk, disk->ends[ended++]);
}

/* --- The number of servers -------------------------------------------------------------------- */

/* Returns the dependence on the number in standard errors; services are in the order of time. */
static double tilt_of(const struct service *services, size_t count)
{
	double blocks[LOAD_BLOCKS] = {0}, all = (double)count, mean_ns = 0, number = 0, part = 0;
	double sum = 0, squares = 0;

	for (size_t i = 0; i < count; i++)
		mean_ns += services[i].ns / all;
	for (size_t i = 0; i < count; i++) {
		number += services[i].number / all;
		part += services[i].ns / (services[i].ns + mean_ns) / all;
	}
	for (size_t i = 0; i < count; i++)
		blocks[i * LOAD_BLOCKS / count] +=
			(services[i].number - number) *
			(services[i].ns / (services[i].ns + mean_ns) - part);
	for (size_t i = 0; i < LOAD_BLOCKS; i++) {
		sum += blocks[i];
		squares += blocks[i] * blocks[i];
	}
	return squares > 0 ? sum / sqrt(squares) : 0;
}

/* Returns the dependence for a disk with `servers` servers. */
static double tilt_with(struct disk *disk, uint32_t servers)
{
	serve_all(disk, servers);
	for (size_t i = 0; i < disk->count; i++)
		disk->services[i] = (struct service){(double)disk->service_ns[disk->begins[i]],
						     disk->found[disk->begins[i]]};
	return tilt_of(disk->services, disk->count);
}

/* A number of servers that was tried. */
struct trial {
	uint32_t servers;
	double tilt, odd; /* share */
};

static struct trial try_servers(struct disk *disk, uint32_t servers)
{
	double tilt = tilt_with(disk, servers);

	return (struct trial){servers, tilt, (double)disk->odd / (double)disk->count};
}

/* Finds the best number of servers; with `deepest` of them no request queues, as tried before. */
static struct trial find_servers(struct disk *disk)
{
	size_t first = find_first(i, 1, disk->deepest, tilt_with(disk, (uint32_t)i) >= 0);
	struct trial best = try_servers(disk, (uint32_t)first), fewer;

	if (first == 1)
		return best;
	fewer = try_servers(disk, (uint32_t)first - 1);
	if (fewer.odd > best.odd + odd_most && fabs(best.tilt) <= sure)
		return best;
	return fabs(fewer.tilt) < fabs(best.tilt) ? fewer : best;
}

/* Finds the range of numbers around the best that fit as well; tries at most 32 on each side. */
static void find_range(struct disk *disk, const struct trial *best, uint32_t *least, uint32_t *most)
{
	const uint32_t tries = 32;

	*least = *most = best->servers;
	for (uint32_t i = 0; i<tries && * least> 1; i++, --*least) {
		struct trial trial = try_servers(disk, *least - 1);

		if (trial.tilt < -fits || trial.odd > best->odd + odd_most)
			break;
	}
	for (uint32_t i = 0; i < tries && *most < disk->deepest; i++, ++*most)
		if (tilt_with(disk, *most + 1) > fits)
			break;
}

/* --- Recorded waits --------------------------------------------------------------------------- */

static int by_begin(const void *a, const void *b, void *waits)
{
	const struct device_wait *x = (const struct device_wait *)waits + *(const uint32_t *)a;
	const struct device_wait *y = (const struct device_wait *)waits + *(const uint32_t *)b;

	return x->begin_ns != y->begin_ns ? compare_values(x->begin_ns, y->begin_ns)
					  : compare_values(x, y);
}

static int by_end(const void *a, const void *b, void *waits)
{
	const struct device_wait *x = (const struct device_wait *)waits + *(const uint32_t *)a;
	const struct device_wait *y = (const struct device_wait *)waits + *(const uint32_t *)b;

	return x->end_ns != y->end_ns ? compare_values(x->end_ns, y->end_ns)
				      : compare_values(x->begin_ns, y->begin_ns);
}

static void find_depths(struct disk *disk)
{
	size_t ended = 0;

	for (size_t i = 0; i < disk->count; i++) {
		uint32_t wait = disk->begins[i];

		while (disk->waits[disk->ends[ended]].end_ns <= disk->waits[wait].begin_ns)
			ended++;
		disk->found[wait] = (uint32_t)(i - ended);
		if (disk->found[wait] + 1 > disk->deepest)
			disk->deepest = disk->found[wait] + 1;
	}
}

static void disk_init(struct disk *disk, const struct extraction *extraction)
{
	size_t count = extraction->device_wait_count;

	*disk = (struct disk){.waits = extraction->device_waits, .count = count};
	disk->begins = xcalloc(count + 1, sizeof(*disk->begins));
	disk->ends = xcalloc(count + 1, sizeof(*disk->ends));
	disk->found = xcalloc(count + 1, sizeof(*disk->found));
	disk->before = xcalloc(count + 1, sizeof(*disk->before));
	disk->behind = xcalloc(count + 1, sizeof(*disk->behind));
	disk->served = xcalloc(count + 1, sizeof(*disk->served));
	disk->since_ns = xcalloc(count + 1, sizeof(*disk->since_ns));
	disk->service_ns = xcalloc(count + 1, sizeof(*disk->service_ns));
	disk->services = xcalloc(count + 1, sizeof(*disk->services));
	for (uint32_t i = 0; i < count; i++)
		disk->begins[i] = disk->ends[i] = i;
	qsort_r(disk->begins, count, sizeof(*disk->begins), by_begin, extraction->device_waits);
	qsort_r(disk->ends, count, sizeof(*disk->ends), by_end, extraction->device_waits);
	find_depths(disk);
}

static void disk_release(struct disk *disk)
{
	free(disk->begins);
	free(disk->ends);
	free(disk->found);
	free(disk->before);
	free(disk->behind);
	free(disk->served);
	free(disk->since_ns);
	free(disk->service_ns);
	free(disk->services);
}

/* Returns whether many overlapping waits end together, as writes do that are flushed together. */
static bool end_together(const struct disk *disk, double sum_ns)
{
	const double most = .3;
	size_t together = 0, shared = 0;

	if (sum_ns / (double)disk->count < 10 * (double)at_once_ns)
		return false;
	for (size_t i = 1; i < disk->count; i++) {
		const struct device_wait *wait = &disk->waits[disk->ends[i]];
		const struct device_wait *before = &disk->waits[disk->ends[i - 1]];

		if (before->end_ns < wait->begin_ns)
			continue;
		shared++;
		together += wait->end_ns - before->end_ns < at_once_ns;
	}
	return shared >= WAITS_LEAST && (double)together > most * (double)shared;
}

/* --- Group commit ----------------------------------------------------------------------------- */

/* The waits that end together, the last a little later, and the start of their commit. */
struct commit {
	size_t first, last; /* indices in `ends` */
	uint64_t begin_ns, end_ns, last_ns;
};

/* Finds the commit at commit->first; it begins with its first wait, or after the last commit. */
static void find_commit(struct commit *commit, const struct disk *disk, uint64_t before_ns)
{
	const struct device_wait *waits = disk->waits;
	size_t i = commit->first;

	commit->end_ns = commit->last_ns = waits[disk->ends[i]].end_ns;
	commit->begin_ns = commit->end_ns;
	for (; i < disk->count && waits[disk->ends[i]].end_ns - commit->last_ns < at_once_ns; i++) {
		const struct device_wait *wait = &waits[disk->ends[i]];

		commit->last_ns = wait->end_ns;
		if (wait->begin_ns < commit->begin_ns)
			commit->begin_ns = wait->begin_ns;
	}
	commit->last = i - 1;
	if (commit->begin_ns < before_ns)
		commit->begin_ns = before_ns;
}

/* Returns whether the thread waits again at once, as it checks that its own commit is over. */
static bool waits_again(const struct disk *disk, size_t wait)
{
	const uint64_t soon_ns = 100000;
	const struct device_wait *own = &disk->waits[wait], *next = own + 1;

	return wait + 1 < disk->count && next->thread == own->thread &&
	       next->begin_ns - own->end_ns < soon_ns;
}

/*
 * A wait that is there when a commit begins takes the time of the commit. One that begins meanwhile
 * ends with the next commit, or with this one if the thread waits again at once. If many end with
 * this one and do not wait again, or if commits of many take longer, there is no group commit.
 */
static bool find_commits(struct extraction *extraction, struct disk *disk)
{
	const double late_share = .05, most = .05;
	struct device_wait *waits = extraction->device_waits;
	size_t joined = 0, count = 0;
	struct commit commit = {.first = 0};

	extraction->disk_busy_ns = extraction->disk_queued_ns = 0;
	for (; commit.first < disk->count; commit.first = commit.last + 1) {
		uint64_t length_ns, late_ns;
		size_t whole = 0;

		find_commit(&commit, disk, commit.last_ns);
		length_ns = commit.end_ns - commit.begin_ns;
		late_ns = commit.begin_ns + (uint64_t)(late_share * (double)length_ns) + at_once_ns;
		extraction->disk_busy_ns += length_ns;
		for (size_t i = commit.first; i <= commit.last; i++) {
			struct device_wait *wait = &waits[disk->ends[i]];
			bool came_late = wait->begin_ns > late_ns;
			bool again = came_late && waits_again(disk, disk->ends[i]);

			joined += came_late && !again;
			whole += !again;
			wait->service_ns = again ? 0 : 1;
			extraction->disk_queued_ns += wait->end_ns - wait->begin_ns;
			if (!again && wait->end_ns - wait->begin_ns > length_ns)
				extraction->disk_queued_ns -= length_ns;
			else if (!again)
				extraction->disk_queued_ns -= wait->end_ns - wait->begin_ns;
		}
		disk->services[count++] = (struct service){(double)length_ns, (double)whole};
	}
	/* A simulated commit takes the time of one of its threads. More threads wait for long
	   commits, so each commit gives its time to the same number of threads here. */
	for (size_t i = 0; i < disk->count; i++)
		if (waits[i].service_ns)
			waits[i].service_ns =
				(uint64_t)disk->services[i * count / disk->count].ns + 1;
	if ((double)joined <= most * (double)disk->count &&
	    fabs(tilt_of(disk->services, count)) <= sure)
		return true;
	for (size_t i = 0; i < disk->count; i++)
		waits[i].service_ns = waits[i].end_ns - waits[i].begin_ns;
	return false;
}

static enum device_part find_part(struct extraction *extraction, struct disk *disk)
{
	const double little = .001;
	double sum_ns = 0;
	struct trial best;

	for (size_t i = 0; i < disk->count; i++)
		sum_ns += (double)(disk->waits[i].end_ns - disk->waits[i].begin_ns);
	if (disk->count < WAITS_LEAST || sum_ns < little * (double)extraction->program->wall_ns)
		return DEVICE_FEW;
	if (disk->deepest < 2)
		return DEVICE_ALONE;
	if (end_together(disk, sum_ns))
		return find_commits(extraction, disk) ? DEVICE_COMMITS : DEVICE_TOGETHER;
	if (tilt_with(disk, disk->deepest) <= sure)
		return DEVICE_SAME;
	best = find_servers(disk);
	if (fabs(best.tilt) > sure)
		return DEVICE_OTHER;
	find_range(disk, &best, &extraction->disk_least, &extraction->disk_most);
	serve_all(disk, best.servers);
	extraction->disk_servers = best.servers;
	for (size_t i = 0; i < disk->count; i++) {
		uint64_t waits_ns = disk->waits[i].end_ns - disk->waits[i].begin_ns;

		extraction->device_waits[i].service_ns = disk->service_ns[i] + 1;
		extraction->disk_busy_ns += disk->service_ns[i];
		extraction->disk_queued_ns += waits_ns - disk->service_ns[i];
	}
	return DEVICE_DISK;
}

void extraction_find_servers(struct extraction *extraction)
{
	struct disk disk;

	disk_init(&disk, extraction);
	extraction->disk_deepest = disk.deepest;
	extraction->device_part = find_part(extraction, &disk);
	disk_release(&disk);
}
