/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/recording/tally.h"

#include "base/alloc.h"
#include "collect/target/lineage.h"
#include "collect/target/target.h"

#include <stdlib.h>
#include <string.h>

/* The body of PERF_RECORD_FORK as linux/perf_event.h has it; PERF_RECORD_LOST is {id, lost}. */
struct tally_fork {
	uint32_t pid, ppid, tid, ptid;
	uint64_t time_ns; /* 0: tells of a thread that existed before */
};

static bool is_named(const struct tally *tally, const char *comm)
{
	return tally->spec && tally->spec->comm && strcmp(tally->spec->comm, comm) == 0;
}

static void count_named(struct tally *tally, pid_t tid)
{
	tally->named_threads += pid_set_add(&tally->named, tid);
}

void tally_target(struct tally *tally, const struct target *target, const struct lineage *lineage)
{
	tally->spec = target->spec;
	tally->lineage = lineage;
	for (size_t i = 0; i < target->thread_count; i++) {
		if (is_named(tally, target->threads[i].comm))
			count_named(tally, target->threads[i].tid);
		if (target->threads[i].time_ns > tally->scanned_ns)
			tally->scanned_ns = target->threads[i].time_ns;
	}
}

uint64_t tally_threads(const struct tally *tally)
{
	if (tally->spec && tally->spec->comm)
		return tally->named_threads;
	return tally->lineage ? tally->lineage->threads : 0;
}

/* A new thread has the name of its parent. */
static void count_fork(struct tally *tally, const struct perf_event_header *record)
{
	struct tally_fork fork;

	memcpy(&fork, record + 1, sizeof(fork));
	if (!fork.time_ns || !pid_set_has(&tally->named, (pid_t)fork.ptid))
		return;
	if (fork.time_ns > tally->scanned_ns) /* its number may come again */
		pid_set_remove(&tally->named, (pid_t)fork.tid);
	count_named(tally, (pid_t)fork.tid);
}

/* PERF_RECORD_COMM is {u32 pid, tid; char comm[]}. */
static void count_comm(struct tally *tally, const struct perf_event_header *record)
{
	const char *body = (const char *)(record + 1);
	int32_t tid;

	memcpy(&tid, body + 4, sizeof(tid));
	if (is_named(tally, body + 8))
		count_named(tally, tid);
}

static void add_exec(struct tally *tally, const struct perf_event_header *record)
{
	const char *body = (const char *)(record + 1);
	struct tally_exec *exec;
	int32_t pid;

	if (!(record->misc & PERF_RECORD_MISC_COMM_EXEC) || tally->exec_count == TALLY_EXECS_MAX)
		return;
	memcpy(&pid, body, sizeof(pid));
	array_reserve(&tally->execs, &tally->exec_capacity, tally->exec_count + 1);
	exec = &tally->execs[tally->exec_count++];
	*exec = (struct tally_exec){.pid = pid};
	memcpy(exec->name, body + 8, strnlen(body + 8, sizeof(exec->name) - 1));
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
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
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
	case PERF_RECORD_COMM:
		count_comm(tally, record);
		add_exec(tally, record);
		break;
	default:
		break;
	}
}

void tally_release(struct tally *tally)
{
	pid_set_release(&tally->named);
	free(tally->execs);
	*tally = (struct tally){0};
}
