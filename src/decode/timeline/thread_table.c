/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/timeline/thread_table.h"

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
	thread->serial = table->added++;
	sparse_set(&table->by_tid, (uint32_t)tid, thread);
	return thread;
}

/* --- Processes ----------------------------------------------------------------------------- */

static void join(struct thread_table *table, struct thread *thread)
{
	struct thread *first = sparse_get(&table->by_pid, (uint32_t)thread->pid);

	if (!first) {
		sparse_set(&table->by_pid, (uint32_t)thread->pid, thread);
		first = thread->process_previous = thread;
	}
	thread->process_previous = first->process_previous;
	thread->process_next = first;
	first->process_previous->process_next = thread;
	first->process_previous = thread;
}

static void part(struct thread_table *table, struct thread *thread)
{
	struct thread *next = thread->process_next;

	if (sparse_get(&table->by_pid, (uint32_t)thread->pid) == thread)
		sparse_set(&table->by_pid, (uint32_t)thread->pid, next == thread ? NULL : next);
	thread->process_previous->process_next = next;
	next->process_previous = thread->process_previous;
	thread->process_previous = thread->process_next = NULL;
}

void thread_table_describe(struct thread_table *table, struct thread *thread, int32_t pid)
{
	if (pid == thread->pid)
		return;
	if (thread->process_next)
		part(table, thread);
	thread->pid = pid;
	if (thread_table_takes(pid))
		join(table, thread);
}

void thread_table_set_aside(struct thread_table *table, struct thread *thread)
{
	if (thread->process_next)
		part(table, thread);
}

void thread_table_put_back(struct thread_table *table, struct thread *thread)
{
	if (!thread->process_next && thread_table_takes(thread->pid))
		join(table, thread);
}

struct thread *thread_table_first_of(const struct thread_table *table, int32_t pid)
{
	return thread_table_takes(pid) ? sparse_get(&table->by_pid, (uint32_t)pid) : NULL;
}

struct thread *thread_table_next_of(const struct thread_table *table, const struct thread *thread)
{
	struct thread *next = thread->process_next;

	return next == sparse_get(&table->by_pid, (uint32_t)thread->pid) ? NULL : next;
}

/* --- What is known ------------------------------------------------------------------------- */

void thread_table_begin_to_know(struct thread_table *table, struct thread *thread)
{
	array_reserve(&table->known, &table->known_capacity, table->known_count + 1);
	table->known[table->known_count++] = thread;
	thread->known = table->known_count;
}

static void forget(struct thread_table *table, struct thread *thread)
{
	struct thread *last = table->known[--table->known_count];

	table->known[thread->known - 1] = last;
	last->known = thread->known;
	thread->known = 0;
}

static int compare(const void *one, const void *other)
{
	uint64_t a = (*(struct thread *const *)one)->serial;
	uint64_t b = (*(struct thread *const *)other)->serial;

	return (a > b) - (a < b);
}

void thread_table_sort_known(struct thread_table *table)
{
	if (table->known_count)
		qsort(table->known, table->known_count, sizeof(struct thread *), compare);
	for (size_t i = 0; i < table->known_count; i++)
		table->known[i]->known = i + 1;
}

void thread_table_forget_known(struct thread_table *table)
{
	for (size_t i = 0; i < table->known_count; i++)
		table->known[i]->known = 0;
	table->known_count = 0;
}

/* --- Their end ----------------------------------------------------------------------------- */

void thread_table_drop(struct thread_table *table, struct thread *thread)
{
	if (thread->process_next)
		part(table, thread);
	if (thread->known)
		forget(table, thread);
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
	sparse_release(&table->by_pid);
	free(table->known);
}
