/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which process each thread belongs to, for records that hold only the thread. Begins as zero, is
 * told of births, and asks /proc once for a thread it was not told of.
 */
#ifndef PSCAL_COLLECT_TASK_TABLE_H
#define PSCAL_COLLECT_TASK_TABLE_H

#include <stddef.h>
#include <sys/types.h>

struct task_table {
	pid_t *pids; /* by tid; 0: not known, -1: not known to /proc either */
	size_t capacity;
};

void task_table_set(struct task_table *table, pid_t tid, pid_t pid);

/* The thread ends: its number may come again. */
void task_table_drop(struct task_table *table, pid_t tid);

/* The process of `tid`, 0 for 0, -1 when it cannot be found out. `proc` is "/proc". */
pid_t task_table_pid(struct task_table *table, pid_t tid, const char *proc);

void task_table_release(struct task_table *table);

#endif
