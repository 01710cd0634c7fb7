/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/task_origins.h"

#include "base/alloc.h"

#include <stdlib.h>

/* PID_MAX_LIMIT of linux/threads.h: what no thread id can reach. */
enum { TID_MAX = 4 << 20 };

/* What of_tid holds: 0 for a stranger, else the number of its origin + 1, and whether it ended. */
#define ENDED (UINT32_C(1) << 31)

struct task_origin {
	pid_t tid;
	uint64_t added_ns;
	uint64_t first_birth_ns; /* the first one that was seen */
};

static uint32_t get(const struct task_origins *origins, pid_t tid)
{
	return tid > 0 && (size_t)tid < origins->tid_capacity ? origins->of_tid[tid] : 0;
}

static void set(struct task_origins *origins, pid_t tid, uint32_t value)
{
	if (tid <= 0 || tid >= TID_MAX)
		return;
	array_reserve(&origins->of_tid, &origins->tid_capacity, (size_t)tid + 1);
	origins->of_tid[tid] = value;
}

void task_origins_add(struct task_origins *origins, pid_t tid, uint64_t time_ns, bool held)
{
	array_reserve(&origins->origins, &origins->origin_capacity, origins->origin_count + 1);
	origins->origins[origins->origin_count++] =
		(struct task_origin){tid, time_ns, held ? 0 : UINT64_MAX};
	set(origins, tid, (uint32_t)origins->origin_count);
	pid_set_remove(&origins->in_doubt, tid);
}

bool task_origins_has(const struct task_origins *origins, pid_t tid)
{
	uint32_t value = get(origins, tid);

	return value && !(value & ENDED);
}

bool task_origins_takes(struct task_origins *origins, pid_t tid, size_t origin)
{
	uint32_t value = get(origins, tid), from = (uint32_t)origin + 1;

	pid_set_remove(&origins->in_doubt, tid);
	if (value == (from | ENDED) || !value) /* its end stood in another ring, read before */
		set(origins, tid, from);
	return !value || (value & ~ENDED) == from;
}

/* Was the child found and opened after this birth? */
static bool added_since(const struct task_origins *origins, pid_t child, uint64_t time_ns)
{
	uint32_t value = get(origins, child);
	const struct task_origin *own =
		value && !(value & ENDED) ? &origins->origins[value - 1] : NULL;

	return own && own->tid == child && own->added_ns >= time_ns;
}

static bool may_not_inherit(struct task_origin *origin, pid_t tid, uint64_t time_ns)
{
	if (origin->tid != tid || time_ns > origin->first_birth_ns)
		return false;
	origin->first_birth_ns = time_ns;
	return true;
}

void task_origins_birth(struct task_origins *origins, pid_t tid, size_t origin, uint64_t time_ns,
			pid_t child_pid, pid_t child)
{
	uint32_t from = (uint32_t)origin + 1;

	if (added_since(origins, child, time_ns))
		return;
	if (!may_not_inherit(&origins->origins[origin], tid, time_ns)) {
		set(origins, child, from);
		return;
	}
	if (get(origins, child) == from) /* it has told something, in another ring */
		return;
	set(origins, child, 0);
	if (!pid_set_add(&origins->in_doubt, child))
		return;
	array_reserve(&origins->doubts, &origins->doubt_capacity, origins->doubt_count + 1);
	origins->doubts[origins->doubt_count++] = (struct task_doubt){child_pid, child, false};
}

void task_origins_end(struct task_origins *origins, pid_t tid)
{
	set(origins, tid, get(origins, tid) | ENDED);
}

void task_origins_exec(struct task_origins *origins, pid_t tid, size_t origin)
{
	set(origins, tid, (uint32_t)origin + 1);
}

size_t task_origins_round(struct task_origins *origins)
{
	size_t kept = 0, old = 0;

	for (size_t i = 0; i < origins->doubt_count; i++) {
		struct task_doubt doubt = origins->doubts[i];

		if (!pid_set_has(&origins->in_doubt, doubt.tid))
			continue;
		old += doubt.old;
		doubt.old = true;
		origins->doubts[kept++] = doubt;
	}
	origins->doubt_count = kept;
	return old;
}

void task_origins_settle(struct task_origins *origins, pid_t tid)
{
	pid_set_remove(&origins->in_doubt, tid);
}

void task_origins_release(struct task_origins *origins)
{
	free(origins->of_tid);
	free(origins->origins);
	free(origins->doubts);
	pid_set_release(&origins->in_doubt);
	*origins = (struct task_origins){0};
}
