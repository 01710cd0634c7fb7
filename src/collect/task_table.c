/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/task_table.h"

#include "base/alloc.h"
#include "collect/proc_stat.h"

#include <stdlib.h>

/* PID_MAX_LIMIT of linux/threads.h: what no thread id can reach. */
enum { TID_MAX = 4 << 20 };

void task_table_set(struct task_table *table, pid_t tid, pid_t pid)
{
	if (tid <= 0 || tid >= TID_MAX)
		return;
	array_reserve(&table->pids, &table->capacity, (size_t)tid + 1);
	table->pids[tid] = pid;
}

void task_table_drop(struct task_table *table, pid_t tid)
{
	if (tid > 0 && (size_t)tid < table->capacity)
		table->pids[tid] = 0;
}

pid_t task_table_pid(struct task_table *table, pid_t tid, const char *proc)
{
	pid_t pid;

	if (tid <= 0)
		return tid == 0 ? 0 : -1;
	if ((size_t)tid < table->capacity && table->pids[tid])
		return table->pids[tid];
	pid = proc_process_of(tid, proc);
	task_table_set(table, tid, pid ? pid : -1);
	return pid ? pid : -1;
}

void task_table_release(struct task_table *table)
{
	free(table->pids);
	*table = (struct task_table){0};
}
