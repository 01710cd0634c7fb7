/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/tally.h"

#include "base/alloc.h"
#include "collect/target.h"

#include <stdlib.h>
#include <string.h>

/* The body of PERF_RECORD_FORK as linux/perf_event.h has it; PERF_RECORD_LOST is {id, lost}. */
struct tally_fork {
	uint32_t pid, ppid, tid, ptid;
	uint64_t time_ns; /* 0: tells of a thread that existed before */
};

static void join(struct members *members, pid_t id)
{
	pid_set_add(&members->all, id);
	pid_set_add(&members->living, id);
}

static void leave(struct members *members, pid_t id)
{
	pid_set_remove(&members->all, id);
	pid_set_remove(&members->living, id);
}

static void count(struct tally *tally, pid_t tid)
{
	if (pid_set_add(&tally->known, tid))
		tally->threads++;
}

void tally_thread(struct tally *tally, pid_t pid, pid_t tid)
{
	join(&tally->processes, pid);
	count(tally, tid);
}

static bool is_named(const struct tally *tally, const char *comm)
{
	return tally->spec && tally->spec->comm && strcmp(tally->spec->comm, comm) == 0;
}

void tally_target(struct tally *tally, const struct target *target)
{
	const struct target_spec *spec = tally->spec = target->spec;

	for (size_t i = 0; i < target->process_count; i++)
		join(&tally->processes, target->processes[i].pid);
	for (size_t i = 0; i < spec->tid_count; i++)
		join(&tally->tids, spec->tids[i]);
	for (size_t i = 0; i < target->thread_count; i++) {
		const struct target_thread *thread = &target->threads[i];

		if (spec->comm && !is_named(tally, thread->comm))
			continue;
		if (spec->comm)
			join(&tally->tids, thread->tid);
		count(tally, thread->tid);
		if (thread->time_ns > tally->scanned_ns)
			tally->scanned_ns = thread->time_ns;
	}
}

enum kinship { STRANGER, MEMBER };

/* Adds what a member has created, if it belongs to the target as well. */
static enum kinship kinship_of(struct tally *tally, const struct tally_fork *fork)
{
	bool alone = tally->spec && tally->spec->alone;

	if (tally->spec && tally->spec->all)
		return MEMBER;
	if (pid_set_has(&tally->processes.all, (pid_t)fork->ppid) &&
	    (!alone || fork->pid == fork->ppid)) {
		join(&tally->processes, (pid_t)fork->pid);
		return MEMBER;
	}
	/* What a thread creates has its name. */
	if (pid_set_has(&tally->tids.all, (pid_t)fork->ptid) && !alone) {
		join(&tally->tids, (pid_t)fork->tid);
		return MEMBER;
	}
	return STRANGER;
}

/* Returns 0 when the parent does not belong to the target, as far as is known. */
static int adopt(struct tally *tally, const struct tally_fork *fork)
{
	if (kinship_of(tally, fork) == STRANGER)
		return 0;
	if (pid_set_has(&tally->known, (pid_t)fork->tid)) /* the scan saw it; its id may return */
		pid_set_remove(&tally->known, (pid_t)fork->tid);
	else
		tally->threads++;
	return 1;
}

/*
 * Somebody else's thread: if a member had its number, that one has ended. But a stranger may also
 * have created what the target begins with.
 */
static void disown(struct tally *tally, const struct tally_fork *fork)
{
	if (fork->time_ns <= tally->scanned_ns)
		return;
	if (fork->pid == fork->tid)
		leave(&tally->processes, (pid_t)fork->pid);
	leave(&tally->tids, (pid_t)fork->tid);
}

static void count_fork(struct tally *tally, const struct perf_event_header *record)
{
	struct tally_fork fork;

	memcpy(&fork, record + 1, sizeof(fork));
	if (!fork.time_ns || adopt(tally, &fork))
		return;
	array_reserve(&tally->orphans, &tally->orphan_capacity, tally->orphan_count + 1);
	tally->orphans[tally->orphan_count++] = fork;
}

/* PERF_RECORD_COMM is {u32 pid, tid; char comm[]}. */
static void count_comm(struct tally *tally, const struct perf_event_header *record)
{
	const char *body = (const char *)(record + 1);
	int32_t tid;

	memcpy(&tid, body + 4, sizeof(tid));
	if (!is_named(tally, body + 8) || pid_set_has(&tally->tids.all, tid))
		return;
	join(&tally->tids, tid);
	count(tally, tid);
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

bool tally_has_process(const struct tally *tally, pid_t pid)
{
	return (tally->spec && tally->spec->all) || pid_set_has(&tally->processes.all, pid);
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
	for (size_t i = 0; i < tally->orphans_old; i++)
		disown(tally, &tally->orphans[i]);
	if (tally->orphans_old) /* their parents would have come by now: they are strangers */
		memmove(tally->orphans, tally->orphans + tally->orphans_old,
			(tally->orphan_count - tally->orphans_old) * sizeof(*tally->orphans));
	tally->orphan_count -= tally->orphans_old;
	tally->orphans_old = tally->orphan_count;
}

void tally_release(struct tally *tally)
{
	pid_set_release(&tally->processes.all);
	pid_set_release(&tally->processes.living);
	pid_set_release(&tally->tids.all);
	pid_set_release(&tally->tids.living);
	pid_set_release(&tally->known);
	free(tally->orphans);
	free(tally->execs);
	*tally = (struct tally){0};
}
