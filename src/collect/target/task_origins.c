/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/target/task_origins.h"

#include "base/alloc.h"

#include <stdlib.h>

/* PID_MAX_LIMIT of linux/threads.h, which is above any thread id. */
enum { TID_MAX = 4 << 20 };

/* Values of of_tid: 0 for a stranger, otherwise the number of its origin + 1, with these flags. */
#define ENDED  (UINT32_C(1) << 31)
#define UNSURE (UINT32_C(1) << 30) /* it may not be watched on all CPUs */
#define NUMBER (UNSURE - 1)

/* The longest creation of a thread, with a copy of a huge address space. */
#define CREATION_MAX_NS (UINT64_C(2) * 1000000000)

struct task_origin {
	pid_t tid;
	bool asleep;
	uint64_t added_ns;
	uint64_t first_birth_ns; /* time of the first birth after that */
	uint32_t before;	 /* the value of of_tid before, if the thread was watched already */
};

static uint32_t get_origin(const struct task_origins *origins, pid_t tid)
{
	return tid > 0 && (size_t)tid < origins->tid_capacity ? origins->of_tid[tid] : 0;
}

static void set_origin(struct task_origins *origins, pid_t tid, uint32_t value)
{
	if (tid <= 0 || tid >= TID_MAX)
		return;
	array_reserve(&origins->of_tid, &origins->tid_capacity, (size_t)tid + 1);
	origins->of_tid[tid] = value;
}

void task_origins_add(struct task_origins *origins, pid_t tid, uint64_t time_ns, bool asleep)
{
	uint32_t value = get_origin(origins, tid);

	array_reserve(&origins->origins, &origins->origin_capacity, origins->origin_count + 1);
	origins->origins[origins->origin_count++] =
		(struct task_origin){tid, asleep, time_ns, UINT64_MAX, value & ENDED ? 0 : value};
	set_origin(origins, tid, (uint32_t)origins->origin_count);
	task_origins_settle(origins, tid);
}

enum task_knowledge task_origins_of(const struct task_origins *origins, pid_t tid)
{
	uint32_t value = get_origin(origins, tid);

	if (!value || (value & ENDED))
		return TASK_IS_UNKNOWN;
	if (pid_set_has(&origins->silent, tid))
		return TASK_IS_SILENT;
	return value & UNSURE ? TASK_HAS_TOLD : TASK_IS_WATCHED;
}

/* Returns the value of of_tid at that time. */
static uint32_t get_at(const struct task_origins *origins, pid_t tid, uint64_t time_ns)
{
	uint32_t value = get_origin(origins, tid);
	const struct task_origin *own = value ? &origins->origins[(value & NUMBER) - 1] : NULL;

	return own && own->tid == tid && own->before && time_ns < own->added_ns ? own->before
										: value;
}

/* Returns whether the child was opened itself, at about the time of its birth. */
static bool was_added(const struct task_origins *origins, pid_t child, uint64_t time_ns)
{
	uint32_t value = get_origin(origins, child);
	const struct task_origin *own;

	if (!value || (value & ENDED))
		return false;
	own = &origins->origins[(value & NUMBER) - 1];
	return own->tid == child && time_ns < own->added_ns + CREATION_MAX_NS;
}

/* Returns whether all events were open on the creator before this creation began. */
static bool inherits_all(struct task_origin *origin, pid_t tid, uint64_t time_ns)
{
	bool first;

	if (origin->tid != tid || time_ns > origin->added_ns + CREATION_MAX_NS)
		return true;
	if (time_ns < origin->added_ns)
		return false;
	first = time_ns <= origin->first_birth_ns;
	if (first)
		origin->first_birth_ns = time_ns;
	return !first || origin->asleep;
}

static void add_doubt(struct task_origins *origins, pid_t pid, pid_t tid, bool silent)
{
	if (silent)
		pid_set_add(&origins->silent, tid);
	array_reserve(&origins->doubts, &origins->doubt_capacity, origins->doubt_count + 1);
	origins->doubts[origins->doubt_count++] = (struct task_doubt){pid, tid, false};
}

void task_origins_birth(struct task_origins *origins, pid_t tid, size_t origin, uint64_t time_ns,
			pid_t child_pid, pid_t child)
{
	uint32_t from = (uint32_t)origin + 1;
	bool sure = inherits_all(&origins->origins[origin], tid, time_ns) &&
		    !(get_at(origins, tid, time_ns) & UNSURE);
	bool told = (get_origin(origins, child) & NUMBER) == from; /* by records in another ring */

	if (was_added(origins, child, time_ns))
		return;
	set_origin(origins, child, sure ? from : from | UNSURE);
	if (!sure)
		add_doubt(origins, child_pid, child, !told);
}

static bool is_from(struct task_origins *origins, pid_t tid, size_t origin, uint64_t time_ns)
{
	uint32_t value = get_at(origins, tid, time_ns), from = (uint32_t)origin + 1;

	pid_set_remove(&origins->silent, tid);
	if (!value)
		set_origin(origins, tid, from | UNSURE); /* its birth is in another ring */
	return !value || (value & NUMBER) == from;
}

bool task_origins_take(struct task_origins *origins, const struct perf_event_header *record,
		       pid_t tid, size_t origin, uint64_t time_ns)
{
	bool is_exec =
		record->type == PERF_RECORD_COMM && record->misc & PERF_RECORD_MISC_COMM_EXEC;

	if (is_exec && (get_origin(origins, tid) & NUMBER) != (uint32_t)origin + 1)
		set_origin(origins, tid, (uint32_t)origin + 1);
	if (!is_from(origins, tid, origin, time_ns))
		return false;
	if (record->type == PERF_RECORD_EXIT) {
		set_origin(origins, tid, get_origin(origins, tid) | ENDED);
		task_origins_settle(origins, tid);
	}
	return true;
}

size_t task_origins_round(struct task_origins *origins)
{
	size_t kept = 0, old = 0;

	for (size_t i = 0; i < origins->doubt_count; i++) {
		struct task_doubt one = origins->doubts[i];

		if (!one.tid)
			continue;
		old += one.old;
		one.old = true;
		origins->doubts[kept++] = one;
	}
	origins->doubt_count = kept;
	return old;
}

void task_origins_settle(struct task_origins *origins, pid_t tid)
{
	pid_set_remove(&origins->silent, tid);
	for (size_t i = 0; i < origins->doubt_count; i++)
		if (origins->doubts[i].tid == tid)
			origins->doubts[i].tid = 0;
}

void task_origins_release(struct task_origins *origins)
{
	free(origins->of_tid);
	free(origins->origins);
	free(origins->doubts);
	pid_set_release(&origins->silent);
	*origins = (struct task_origins){0};
}
