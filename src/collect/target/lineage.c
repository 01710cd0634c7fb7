/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/target/lineage.h"

#include "base/alloc.h"
#include "collect/kernel/proc_stat.h"

#include <stdio.h>
#include <stdlib.h>

/*
 * The time for late events of a thread. A zombie may leave its CPU and get it once more, and
 * several events may report its last switch, each with its own time. The number is reused later
 * than that: the kernel assigns all other numbers first (idr_alloc_cyclic() in alloc_pid()).
 */
static const uint64_t last_switch_ns = 500000000;

/* A thread or a process that belongs to the target, or did. */
struct kin {
	uint64_t from_ns, to_ns; /* the time that it has this number */
	/* ... and of the one with this number before, whose events may not all be read yet. */
	uint64_t before_from_ns, before_to_ns;
	uint64_t known_ns; /* time at which it was given: births up to that change nothing */
	uint64_t exec_ns;  /* of a process: time of its last exec */
	pid_t pid;
	/* The list of living threads of a process; 0: the end. `next` of a process is the first. */
	pid_t next, previous;
	uint32_t living; /* of a process: threads that belong to the target */
	bool whole;	 /* of a process: all its threads belong to the target */
	bool listed;	 /* of a thread */
};

enum { BLOCK = 32, CHAIN_MAX = 64 };

/* --- Tables -------------------------------------------------------------------------------- */

static bool is_id(pid_t id)
{
	return id > 0 && id < SPARSE_MAX;
}

/*
 * Returns the thread or process of this number that belongs or belonged to the target; NULL: none.
 */
static struct kin *find_kin(const struct sparse *table, pid_t id)
{
	struct kin *block = is_id(id) ? sparse_get(table, (uint32_t)id / BLOCK) : NULL;
	struct kin *kin = block ? &block[(uint32_t)id % BLOCK] : NULL;

	return kin && kin->to_ns ? kin : NULL;
}

static struct kin *find_or_add(struct sparse *table, pid_t id)
{
	struct kin *block = sparse_get(table, (uint32_t)id / BLOCK);

	if (!block) {
		block = xcalloc(BLOCK, sizeof(*block));
		sparse_set(table, (uint32_t)id / BLOCK, block);
	}
	return &block[(uint32_t)id % BLOCK];
}

static void free_table(struct sparse *table)
{
	for (uint32_t i = 0; (i = sparse_next(table, i)) < SPARSE_MAX; i++)
		free(sparse_get(table, i));
	sparse_release(table);
}

static bool lives(const struct kin *kin)
{
	return kin && kin->to_ns == UINT64_MAX;
}

static bool is_at(const struct kin *kin, uint64_t time_ns)
{
	if (!kin)
		return false;
	return time_ns >= kin->from_ns
		       ? time_ns <= kin->to_ns
		       : time_ns >= kin->before_from_ns && time_ns <= kin->before_to_ns;
}

static void set_pid(struct lineage *lineage, pid_t tid, pid_t pid)
{
	if (!is_id(tid))
		return;
	array_reserve(&lineage->pids, &lineage->pid_capacity, (size_t)tid + 1);
	lineage->pids[tid] = pid;
}

static pid_t get_pid(const struct lineage *lineage, pid_t tid)
{
	return tid > 0 && (size_t)tid < lineage->pid_capacity ? lineage->pids[tid] : 0;
}

pid_t lineage_process_of(struct lineage *lineage, pid_t tid)
{
	pid_t pid = get_pid(lineage, tid);

	if (tid <= 0)
		return tid == 0 ? 0 : -1;
	if (pid)
		return pid;
	pid = proc_process_of(tid, lineage->proc);
	set_pid(lineage, tid, pid ? pid : -1);
	return pid ? pid : -1;
}

/* --- Members ------------------------------------------------------------------------------ */

static struct kin *join_kin(struct sparse *table, pid_t id, uint64_t from_ns)
{
	struct kin *kin = find_or_add(table, id);

	if (!lives(kin))
		*kin = (struct kin){.from_ns = from_ns,
				    .to_ns = UINT64_MAX,
				    .before_from_ns = kin->from_ns,
				    .before_to_ns = kin->to_ns,
				    .next = kin->next};
	else if (from_ns < kin->from_ns)
		kin->from_ns = from_ns;
	return kin;
}

static void list_thread(struct lineage *lineage, pid_t pid, pid_t tid)
{
	struct kin *process = find_or_add(&lineage->kin_processes, pid);
	struct kin *thread = find_or_add(&lineage->kin_threads, tid);

	thread->pid = pid;
	thread->next = process->next;
	thread->previous = 0;
	thread->listed = true;
	if (thread->next)
		find_or_add(&lineage->kin_threads, thread->next)->previous = tid;
	process->next = tid;
}

static void unlist_thread(struct lineage *lineage, struct kin *thread)
{
	struct kin *before;

	if (!thread->listed)
		return;
	before = thread->previous ? find_or_add(&lineage->kin_threads, thread->previous)
				  : find_or_add(&lineage->kin_processes, thread->pid);
	before->next = thread->next;
	if (thread->next)
		find_or_add(&lineage->kin_threads, thread->next)->previous = thread->previous;
	thread->next = thread->previous = 0;
	thread->listed = false;
}

static void join_process(struct lineage *lineage, pid_t pid, uint64_t from_ns)
{
	if (!is_id(pid))
		return;
	join_kin(&lineage->kin_processes, pid, from_ns)->whole = true;
	pid_set_add(&lineage->living_processes, pid);
}

static void join_thread(struct lineage *lineage, pid_t pid, pid_t tid, uint64_t from_ns)
{
	bool is_new = !lives(find_kin(&lineage->kin_threads, tid));
	struct kin *thread, *process;

	if (!is_id(tid) || !is_id(pid))
		return;
	thread = join_kin(&lineage->kin_threads, tid, from_ns);
	process = join_kin(&lineage->kin_processes, pid, from_ns);
	unlist_thread(lineage, thread);
	list_thread(lineage, pid, tid);
	process->living += is_new;
	lineage->threads += is_new;
	if (!process->whole)
		pid_set_add(&lineage->living_threads, tid);
	set_pid(lineage, tid, pid);
	pid_set_remove(&lineage->strangers, tid);
	pid_set_remove(&lineage->doubtful, tid);
}

void lineage_give_process(struct lineage *lineage, pid_t pid, uint64_t now_ns)
{
	join_process(lineage, pid, 0);
	if (is_id(pid))
		find_kin(&lineage->kin_processes, pid)->known_ns = now_ns;
}

void lineage_give_thread(struct lineage *lineage, pid_t pid, pid_t tid, uint64_t now_ns)
{
	join_thread(lineage, pid, tid, 0);
	if (!is_id(tid) || !is_id(pid))
		return;
	find_kin(&lineage->kin_threads, tid)->known_ns = now_ns;
	find_kin(&lineage->kin_processes, pid)->known_ns = now_ns;
}

static void leave_kin(struct kin *kin, uint64_t time_ns)
{
	if (kin && time_ns < kin->to_ns)
		kin->to_ns = time_ns;
}

static void leave_thread(struct lineage *lineage, struct kin *thread, uint64_t time_ns)
{
	leave_kin(thread, time_ns);
	unlist_thread(lineage, thread);
}

static void leave_process(struct lineage *lineage, const struct kin *thread, uint64_t time_ns)
{
	struct kin *process = find_kin(&lineage->kin_processes, thread->pid);

	if (process && process->living && --process->living == 0)
		leave_kin(process, time_ns);
}

/*
 * Ends a thread. A hypervisor may stop a CPU between the time of an end and its entry into the
 * ring. Then the end is read after the next birth of this number, or after the exec that followed,
 * and ignored.
 */
static void end_thread(struct lineage *lineage, pid_t tid, uint64_t time_ns)
{
	struct kin *thread = find_kin(&lineage->kin_threads, tid);
	const struct kin *process = thread ? find_kin(&lineage->kin_processes, thread->pid) : NULL;
	bool lived = lives(thread);

	if (!thread || time_ns < thread->from_ns || (process && time_ns < process->exec_ns))
		return;
	leave_thread(lineage, thread, time_ns + last_switch_ns);
	if (lived)
		leave_process(lineage, thread, time_ns + last_switch_ns);
}

/* --- Births -------------------------------------------------------------------------------- */

static bool is_whole(const struct lineage *lineage, pid_t pid, uint64_t time_ns)
{
	const struct kin *process = find_kin(&lineage->kin_processes, pid);

	return process && process->whole && is_at(process, time_ns);
}

/* Returns whether a new thread is ours. Its parent's birth may be lost, so its process counts. */
static bool is_ours(const struct lineage *lineage, const struct lineage_birth *birth)
{
	bool of_process = is_whole(lineage, birth->parent_pid, birth->time_ns);

	if (lineage->wide || birth->ours)
		return true;
	if (lineage->alone)
		return of_process && birth->pid == birth->parent_pid;
	return of_process ||
	       is_at(find_kin(&lineage->kin_threads, birth->parent_tid), birth->time_ns);
}

/* Ends the thread and the process of the target that had the number of a new one. */
static void take_over(struct lineage *lineage, const struct lineage_birth *birth)
{
	struct kin *thread = find_kin(&lineage->kin_threads, birth->tid);
	struct kin *process = find_kin(&lineage->kin_processes, birth->tid);

	if (thread && birth->time_ns > thread->known_ns && birth->time_ns > thread->from_ns) {
		if (lives(thread))
			leave_process(lineage, thread, birth->time_ns);
		leave_thread(lineage, thread, birth->time_ns - 1);
		pid_set_remove(&lineage->living_threads, birth->tid);
	}
	if (birth->pid == birth->tid && process && birth->time_ns > process->known_ns) {
		leave_kin(process, birth->time_ns - 1);
		pid_set_remove(&lineage->living_processes, birth->tid);
	}
}

static void judge_birth(struct lineage *lineage, const struct lineage_birth *birth)
{
	const struct kin *own = find_kin(&lineage->kin_threads, birth->tid);
	bool is_given = lives(own) && birth->time_ns <= own->known_ns;

	if (!is_ours(lineage, birth)) {
		take_over(lineage, birth);
		if (!is_given)
			pid_set_add(&lineage->strangers, birth->tid);
		return;
	}
	if (is_given)
		return;
	if (lives(own)) /* its end was not reported */
		end_thread(lineage, birth->tid, birth->time_ns);
	/* A thread that belongs to the target without its process stays so. */
	if (birth->pid == birth->tid || is_whole(lineage, birth->parent_pid, birth->time_ns))
		join_process(lineage, birth->pid, birth->time_ns);
	join_thread(lineage, birth->pid, birth->tid, birth->time_ns);
}

/* --- Exec ---------------------------------------------------------------------------------- */

struct others {
	uint32_t ended, younger;
};

/*
 * Ends all threads of the process but the first one. Threads known to have lived after that time
 * are younger than the exec.
 */
static struct others end_others(struct lineage *lineage, pid_t pid, uint64_t time_ns)
{
	struct others others = {0, 0};
	pid_t next;

	for (pid_t tid = find_or_add(&lineage->kin_processes, pid)->next; tid; tid = next) {
		struct kin *thread = find_or_add(&lineage->kin_threads, tid);

		next = thread->next;
		if (tid == pid)
			continue;
		if (thread->from_ns > time_ns || thread->known_ns > time_ns) {
			others.younger++;
			continue;
		}
		leave_thread(lineage, thread, time_ns + last_switch_ns);
		others.ended++;
	}
	return others;
}

/* Judges an exec. The first thread has the process's number, which is not reused meanwhile. */
static void judge_exec(struct lineage *lineage, pid_t pid, uint64_t time_ns)
{
	struct kin *process = find_kin(&lineage->kin_processes, pid);
	struct kin *first = find_kin(&lineage->kin_threads, pid);
	struct others others;

	if (!lives(process) || time_ns < process->exec_ns)
		return;
	process->exec_ns = time_ns;
	if (lives(first) && process->living == 1)
		return;
	others = end_others(lineage, pid, time_ns);
	if (!others.ended && !process->whole && !lives(first))
		return;
	if (first && first->from_ns >= process->from_ns)
		first->to_ns = UINT64_MAX;
	process->living = others.younger + lives(first);
	lineage->threads -= !lives(first); /* it continues under another number */
	join_thread(lineage, pid, pid, time_ns);
}

/* --- In the order of time ------------------------------------------------------------------ */

static void add_change(struct lineage *lineage, struct lineage_change change)
{
	array_reserve(&lineage->changes, &lineage->change_capacity, lineage->change_count + 1);
	lineage->changes[lineage->change_count++] = change;
}

void lineage_birth(struct lineage *lineage, const struct lineage_birth *birth)
{
	set_pid(lineage, birth->tid, birth->pid);
	add_change(lineage,
		   (struct lineage_change){LINEAGE_BIRTH, birth->time_ns, birth->tid, *birth});
}

void lineage_exec(struct lineage *lineage, pid_t pid, uint64_t time_ns)
{
	if (pid == lineage->launched && !lineage->launched_ns)
		lineage->launched_ns = time_ns;
	add_change(lineage, (struct lineage_change){LINEAGE_EXEC, time_ns, pid, {0}});
}

void lineage_end(struct lineage *lineage, pid_t tid, uint64_t time_ns)
{
	add_change(lineage, (struct lineage_change){LINEAGE_END, time_ns, tid, {0}});
}

static void judge_change(struct lineage *lineage, const struct lineage_change *change)
{
	switch (change->kind) {
	case LINEAGE_BIRTH:
		judge_birth(lineage, &change->birth);
		break;
	case LINEAGE_EXEC:
		judge_exec(lineage, change->id, change->time_ns);
		break;
	case LINEAGE_END:
		end_thread(lineage, change->id, change->time_ns);
		break;
	}
}

static int by_time(const void *left, const void *right)
{
	const struct lineage_change *a = left, *b = right;

	return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

void lineage_settle(struct lineage *lineage, uint64_t until_ns)
{
	struct lineage_change *changes = lineage->changes;
	size_t judged = 0;

	if (lineage->change_count)
		qsort(changes, lineage->change_count, sizeof(*changes), by_time);
	while (judged < lineage->change_count && changes[judged].time_ns <= until_ns)
		judge_change(lineage, &changes[judged++]);
	for (size_t i = judged; i < lineage->change_count; i++)
		changes[i - judged] = changes[i];
	lineage->change_count -= judged;
}

/* --- Questions ----------------------------------------------------------------------------- */

enum verdict { STRANGER, OURS, UNKNOWN };

/*
 * Judges a process by its present parents. A process whose parent has ended gets another one, which
 * was there before: then nothing is known.
 */
static enum verdict look_up(const struct lineage *lineage, pid_t pid)
{
	struct proc_stat stat;

	for (int i = 0; i < CHAIN_MAX; i++) {
		const struct kin *process = find_kin(&lineage->kin_processes, pid);

		if (lives(process))
			return !process->whole || !i ? UNKNOWN : lineage->alone ? STRANGER : OURS;
		if (pid_set_has(&lineage->strangers, pid))
			return STRANGER;
		if (pid <= 0 || proc_stat_of(&stat, lineage->proc, pid, 0))
			return UNKNOWN;
		if (stat.start_ticks < lineage->started_ticks)
			return i ? UNKNOWN : STRANGER;
		pid = stat.parent;
	}
	return UNKNOWN;
}

/* Judges a thread without a known birth, if births have been lost. */
static bool find_out(struct lineage *lineage, pid_t pid, pid_t tid, uint64_t time_ns)
{
	enum verdict verdict = UNKNOWN;

	if (pid_set_has(&lineage->strangers, tid))
		return false;
	if (pid <= 0)
		pid = lineage_process_of(lineage, tid);
	if (!pid_set_has(&lineage->doubtful, tid))
		verdict = look_up(lineage, pid);
	if (verdict == OURS) {
		join_process(lineage, pid, time_ns);
		join_thread(lineage, pid, tid, time_ns);
		return true;
	}
	if (verdict == STRANGER)
		pid_set_add(&lineage->strangers, tid);
	else
		pid_set_add(&lineage->doubtful, tid);
	lineage->unknown += verdict == UNKNOWN;
	return false;
}

bool lineage_has_thread(struct lineage *lineage, pid_t pid, pid_t tid, uint64_t time_ns)
{
	uint64_t threads = lineage->threads;
	const struct kin *thread;

	if (lineage->wide)
		return true;
	if (tid <= 0)
		return false;
	thread = find_kin(&lineage->kin_threads, tid);
	if (is_at(thread, time_ns))
		return true;
	if (pid <= 0 && !thread && lineage->lossy)
		pid = get_pid(lineage, tid);
	if (is_whole(lineage, pid, time_ns)) {
		if (!lives(find_kin(&lineage->kin_processes, pid)))
			return true;
		join_thread(lineage, pid, tid, time_ns);
		if (!lineage->lossy) /* already counted: a zombie that was taken for gone */
			lineage->threads = threads;
		return true;
	}
	return lineage->lossy && find_out(lineage, pid, tid, time_ns);
}

bool lineage_has_process(const struct lineage *lineage, pid_t pid, uint64_t time_ns)
{
	return lineage->wide || is_at(find_kin(&lineage->kin_processes, pid), time_ns);
}

bool lineage_lives(const struct lineage *lineage)
{
	bool result = lineage->wide;

	for (uint32_t i = 0; !result && (i = sparse_next(&lineage->kin_processes, i)) < SPARSE_MAX;
	     i++) {
		const struct kin *block = sparse_get(&lineage->kin_processes, i);

		for (size_t k = 0; k < BLOCK; k++)
			result |= lives(&block[k]);
	}
	return result;
}

bool lineage_had_process(const struct lineage *lineage, pid_t pid)
{
	const struct kin *process = find_kin(&lineage->kin_processes, pid);

	return lineage->wide || (process && process->whole);
}

void lineage_release(struct lineage *lineage)
{
	free_table(&lineage->kin_threads);
	free_table(&lineage->kin_processes);
	pid_set_release(&lineage->living_processes);
	pid_set_release(&lineage->living_threads);
	pid_set_release(&lineage->strangers);
	pid_set_release(&lineage->doubtful);
	free(lineage->pids);
	free(lineage->changes);
	*lineage = (struct lineage){.wide = false};
}
