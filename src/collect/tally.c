/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/tally.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* The body of PERF_RECORD_FORK as linux/perf_event.h has it; PERF_RECORD_LOST is {id, lost}. */
struct tally_fork {
	uint32_t pid, ppid, tid, ptid;
};

void tally_thread(struct tally *tally, pid_t pid, pid_t tid)
{
	pid_set_add(&tally->processes, pid);
	if (pid_set_add(&tally->known, tid))
		tally->threads++;
}

/* Returns 0 when the parent does not belong to the target, as far as is known. */
static int adopt(struct tally *tally, const struct tally_fork *fork)
{
	if (!pid_set_has(&tally->processes, (pid_t)fork->ppid))
		return 0;
	pid_set_add(&tally->processes, (pid_t)fork->pid);
	if (pid_set_has(&tally->known, (pid_t)fork->tid)) /* the scan saw it; its id may return */
		pid_set_remove(&tally->known, (pid_t)fork->tid);
	else
		tally->threads++;
	return 1;
}

static void count_fork(struct tally *tally, const struct perf_event_header *record)
{
	struct tally_fork fork;

	memcpy(&fork, record + 1, sizeof(fork));
	if (adopt(tally, &fork))
		return;
	array_reserve(&tally->orphans, &tally->orphan_capacity, tally->orphan_count + 1);
	tally->orphans[tally->orphan_count++] = fork;
}

/* Number `index` of the words that follow the header. */
static uint64_t word(const struct perf_event_header *record, size_t index)
{
	uint64_t value;

	memcpy(&value, (const char *)(record + 1) + 8 * index, sizeof(value));
	return value;
}

void tally_record(struct tally *tally, const struct perf_event_header *record)
{
	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		tally->samples++;
		break;
	case PERF_RECORD_LOST:
		tally->lost += word(record, 1);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		tally->lost += word(record, 0);
		break;
	case PERF_RECORD_FORK:
		count_fork(tally, record);
		break;
	default:
		break;
	}
}

/* Returns how many orphans found their parent; the others keep their order. */
static size_t adopt_orphans(struct tally *tally)
{
	size_t kept = 0, old = 0;
	size_t before = tally->orphan_count;

	for (size_t i = 0; i < before; i++) {
		if (adopt(tally, &tally->orphans[i]))
			continue;
		old += i < tally->orphans_old;
		tally->orphans[kept++] = tally->orphans[i];
	}
	tally->orphan_count = kept;
	tally->orphans_old = old;
	return before - kept;
}

void tally_round(struct tally *tally)
{
	while (adopt_orphans(tally))
		;
	if (tally->orphans_old) /* their parents would have come by now: they are strangers */
		memmove(tally->orphans, tally->orphans + tally->orphans_old,
			(tally->orphan_count - tally->orphans_old) * sizeof(*tally->orphans));
	tally->orphan_count -= tally->orphans_old;
	tally->orphans_old = tally->orphan_count;
}

void tally_release(struct tally *tally)
{
	pid_set_release(&tally->processes);
	pid_set_release(&tally->known);
	free(tally->orphans);
	*tally = (struct tally){0};
}
