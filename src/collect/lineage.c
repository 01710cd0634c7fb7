/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/lineage.h"

#include "base/alloc.h"

#include <stdlib.h>

bool lineage_add(struct lineage *lineage, pid_t pid, pid_t tid, uint64_t now_ns)
{
	lineage->given_ns = now_ns;
	pid_set_add(&lineage->threads, tid);
	return pid_set_add(&lineage->processes, pid);
}

void lineage_birth(struct lineage *lineage, const struct lineage_birth *birth)
{
	if (lineage->wide)
		return;
	array_reserve(&lineage->births, &lineage->birth_capacity, lineage->birth_count + 1);
	lineage->births[lineage->birth_count++] = *birth;
}

static int by_time(const void *left, const void *right)
{
	const struct lineage_birth *a = left, *b = right;

	return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

/*
 * Threads are not forgotten when they end, because they are seen for a while after that: when a
 * stranger is born with the id of one, it must have ended.
 */
static void judge(struct lineage *lineage, const struct lineage_birth *birth)
{
	if (!lineage->alone && pid_set_has(&lineage->threads, birth->parent_tid)) {
		pid_set_add(&lineage->threads, birth->tid);
		pid_set_add(&lineage->processes, birth->pid);
		return;
	}
	if (birth->time_ns <= lineage->given_ns)
		return;
	pid_set_remove(&lineage->threads, birth->tid);
	if (birth->pid == birth->tid)
		pid_set_remove(&lineage->processes, birth->pid);
}

void lineage_settle(struct lineage *lineage)
{
	if (lineage->birth_count)
		qsort(lineage->births, lineage->birth_count, sizeof(*lineage->births), by_time);
	for (size_t i = 0; i < lineage->birth_count; i++)
		judge(lineage, &lineage->births[i]);
	lineage->birth_count = 0;
}

bool lineage_has_thread(const struct lineage *lineage, pid_t tid)
{
	return lineage->wide || pid_set_has(&lineage->threads, tid);
}

bool lineage_has_process(const struct lineage *lineage, pid_t pid)
{
	return lineage->wide || pid_set_has(&lineage->processes, pid);
}

void lineage_release(struct lineage *lineage)
{
	pid_set_release(&lineage->threads);
	pid_set_release(&lineage->processes);
	free(lineage->births);
	*lineage = (struct lineage){0};
}
