/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/thread_table.h"

#include "base/alloc.h"

#include <stdlib.h>

struct thread *thread_table_add(struct thread_table *table, int32_t tid)
{
	struct thread *thread = xcalloc(1, sizeof(*thread));

	thread->tid = tid;
	thread->pid = thread->cpu = thread->waker = -1;
	thread->state = STATE_UNKNOWN;
	thread->previous = table->last;
	*(table->last ? &table->last->next : &table->first) = thread;
	table->last = thread;
	sparse_set(&table->by_tid, (uint32_t)tid, thread);
	return thread;
}

void thread_table_drop(struct thread_table *table, struct thread *thread)
{
	*(thread->previous ? &thread->previous->next : &table->first) = thread->next;
	*(thread->next ? &thread->next->previous : &table->last) = thread->previous;
	sparse_set(&table->by_tid, (uint32_t)thread->tid, NULL);
	free(thread);
}

void thread_table_release(struct thread_table *table)
{
	for (struct thread *thread = table->first, *next; thread; thread = next) {
		next = thread->next;
		free(thread);
	}
	sparse_release(&table->by_tid);
}
