/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/timeline/timeline_private.h"

#include "base/alloc.h"
#include "base/names.h"
#include "base/sorted.h"
#include "decode/event/event.h"

#include <stdlib.h>

/* Returns a new thread. Large blocks waste no memory for each thread. */
static struct thread *thread_new(struct thread_table *table)
{
	uint32_t place = table->unused, block = table->used / THREAD_BLOCK;
	struct thread *thread;

	if (place) {
		table->unused = thread_table_at(table, place)->next;
	} else {
		array_reserve(&table->blocks, &table->block_capacity, block + 1);
		if (!table->blocks[block])
			table->blocks[block] = xcalloc(THREAD_BLOCK, sizeof(struct thread));
		place = ++table->used;
	}
	thread = thread_table_at(table, place);
	*thread = (struct thread){.place = place};
	return thread;
}

struct thread *thread_table_add(struct thread_table *table, int32_t tid)
{
	struct thread *thread = thread_new(table);

	thread->tid = tid;
	thread->pid = thread->cpu = thread->waker = -1;
	thread->state = STATE_UNKNOWN;
	thread->previous = table->last;
	*(table->last ? &thread_table_at(table, table->last)->next : &table->first) = thread->place;
	table->last = thread->place;
	thread->serial = table->added++;
	sparse_set(&table->by_tid, (uint32_t)tid, thread);
	return thread;
}

/* --- Processes ----------------------------------------------------------------------------- */

static void process_join(struct thread_table *table, struct thread *thread)
{
	struct thread *first = sparse_get(&table->by_pid, (uint32_t)thread->pid);

	if (!first) {
		sparse_set(&table->by_pid, (uint32_t)thread->pid, thread);
		first = thread;
		thread->process_previous = thread->place;
	}
	thread->process_previous = first->process_previous;
	thread->process_next = first->place;
	thread_table_at(table, first->process_previous)->process_next = thread->place;
	first->process_previous = thread->place;
}

static void process_part(struct thread_table *table, struct thread *thread)
{
	struct thread *next = thread_table_at(table, thread->process_next);

	if (sparse_get(&table->by_pid, (uint32_t)thread->pid) == thread)
		sparse_set(&table->by_pid, (uint32_t)thread->pid, next == thread ? NULL : next);
	thread_table_at(table, thread->process_previous)->process_next = thread->process_next;
	next->process_previous = thread->process_previous;
	thread->process_previous = thread->process_next = 0;
}

void thread_table_describe(struct thread_table *table, struct thread *thread, int32_t pid)
{
	if (pid == thread->pid)
		return;
	if (thread->process_next)
		process_part(table, thread);
	thread->pid = pid;
	if (thread_table_takes(pid))
		process_join(table, thread);
}

void thread_table_set_aside(struct thread_table *table, struct thread *thread)
{
	if (thread->process_next)
		process_part(table, thread);
}

void thread_table_put_back(struct thread_table *table, struct thread *thread)
{
	if (!thread->process_next && thread_table_takes(thread->pid))
		process_join(table, thread);
}

struct thread *thread_table_first_of(const struct thread_table *table, int32_t pid)
{
	return thread_table_takes(pid) ? sparse_get(&table->by_pid, (uint32_t)pid) : NULL;
}

struct thread *thread_table_next_of(const struct thread_table *table, const struct thread *thread)
{
	struct thread *next = thread_table_at(table, thread->process_next);

	return next == sparse_get(&table->by_pid, (uint32_t)thread->pid) ? NULL : next;
}

/* --- Known threads ------------------------------------------------------------------------- */

void thread_table_begin_to_know(struct thread_table *table, struct thread *thread)
{
	array_reserve(&table->known, &table->known_capacity, table->known_count + 1);
	table->known[table->known_count++] = thread->place;
	thread->known = (uint32_t)table->known_count;
}

static void forget_thread(struct thread_table *table, struct thread *thread)
{
	uint32_t last = table->known[--table->known_count];

	table->known[thread->known - 1] = last;
	thread_table_at(table, last)->known = thread->known;
	thread->known = 0;
}

static int compare_serials(const void *one, const void *other, void *table)
{
	return compare_values(thread_table_at(table, *(const uint32_t *)one)->serial,
			      thread_table_at(table, *(const uint32_t *)other)->serial);
}

void thread_table_sort_known(struct thread_table *table)
{
	if (table->known_count)
		qsort_r(table->known, table->known_count, sizeof(*table->known), compare_serials,
			table);
	for (size_t i = 0; i < table->known_count; i++)
		thread_table_at(table, table->known[i])->known = (uint32_t)i + 1;
}

void thread_table_forget_known(struct thread_table *table)
{
	for (size_t i = 0; i < table->known_count; i++)
		thread_table_at(table, table->known[i])->known = 0;
	table->known_count = 0;
}

void thread_table_add_found(struct thread_table *table, const struct found *found)
{
	array_reserve(&table->found, &table->found_capacity, table->found_count + 1);
	table->found[table->found_count++] = *found;
	found->thread->found = (uint32_t)table->found_count;
}

void thread_table_forget_found(struct thread_table *table, struct thread *thread)
{
	struct found *found = &table->found[thread->found - 1];

	*found = table->found[--table->found_count];
	found->thread->found = thread->found;
	thread->found = 0;
}

/* --- The end of threads -------------------------------------------------------------------- */

bool thread_table_is_recorded(const struct thread_table *table, const struct thread *thread)
{
	const struct target_info *target = table->target;
	int32_t pid = thread->pid >= 0 ? thread->pid : thread->tid;

	return !target || !target->root_count || thread->recorded ||
	       bsearch(&pid, target->roots, target->root_count, sizeof(*target->roots),
		       compare_i32);
}

/* Keeps the name of a thread while there is room. */
static void note_name(struct thread_table *table, const struct thread *thread)
{
	int32_t id = table->names_tids ? thread->tid : table->names_pids ? thread->pid : -1;

	if (!*thread->comm || !thread_table_is_recorded(table, thread) ||
	    table->name_count == THREAD_NAMES)
		return;
	for (size_t i = 0; i < table->name_count; i++)
		if (table->names[i].id == id &&
		    (id >= 0 || strcmp(table->names[i].comm, thread->comm) == 0))
			return;
	table->names[table->name_count].id = id;
	memcpy(table->names[table->name_count++].comm, thread->comm, COMM_SIZE);
}

char *thread_table_names(struct thread_table *table)
{
	char *text = xstrdup("");
	const char *begin;

	for (const struct thread *thread = thread_table_first(table); thread;
	     thread = thread_table_next(table, thread))
		note_name(table, thread);
	begin = table->names_pids && table->names[0].id >= 0 ? "; its processes are "
							     : "; its threads are ";
	for (size_t i = 0; i < table->name_count; i++)
		if (table->names[i].id < 0)
			xappend(&text, "", "%s%s", i ? ", " : begin, table->names[i].comm);
		else
			xappend(&text, "", "%s%d (%s)", i ? ", " : begin, (int)table->names[i].id,
				table->names[i].comm);
	if (table->name_count == THREAD_NAMES)
		xappend(&text, "", " ...");
	return text;
}

char *thread_table_question(const struct thread_table *table, const char *comm)
{
	struct nearest nearest;

	if (!comm)
		return NULL;
	nearest_init(&nearest, comm);
	for (size_t i = 0; i < table->name_count; i++)
		nearest_try(&nearest, table->names[i].comm);
	return nearest_question(&nearest);
}

void thread_table_drop(struct thread_table *table, struct thread *thread)
{
	note_name(table, thread);
	if (thread->process_next)
		process_part(table, thread);
	if (thread->known)
		forget_thread(table, thread);
	if (thread->found)
		thread_table_forget_found(table, thread);
	*(thread->previous ? &thread_table_at(table, thread->previous)->next : &table->first) =
		thread->next;
	*(thread->next ? &thread_table_at(table, thread->next)->previous : &table->last) =
		thread->previous;
	sparse_set(&table->by_tid, (uint32_t)thread->tid, NULL);
	thread->next = table->unused;
	table->unused = thread->place;
}

void thread_table_leave(struct thread_table *table, struct thread *thread)
{
	int32_t tid = thread->tid;

	thread_table_drop(table, thread);
	sparse_set(&table->by_tid, (uint32_t)tid, &table->gone);
}

void thread_table_end(struct thread_table *table, int32_t tid)
{
	struct thread *thread = thread_table_find(table, tid);

	if (thread)
		thread_table_drop(table, thread);
	if (thread_table_takes(tid))
		sparse_set(&table->by_tid, (uint32_t)tid, &table->ended);
}

void thread_table_release(struct thread_table *table)
{
	for (size_t i = 0; i < table->block_capacity; i++)
		free(table->blocks[i]);
	free(table->blocks);
	sparse_release(&table->by_tid);
	sparse_release(&table->by_pid);
	free(table->known);
	free(table->found);
}

/* --- CPUs ---------------------------------------------------------------------------------- */

/* Adds CPUs whose threads were never known, which is not the same as forgotten. */
static void cpu_table_grow(struct cpu_table *table, size_t need)
{
	size_t before = table->capacity;

	array_reserve(&table->cpus, &table->capacity, need);
	for (size_t i = before; i < table->capacity; i++)
		table->cpus[i].epoch = table->epoch;
}

static struct cpu_state *cpu_table_find(struct cpu_table *table, int32_t cpu)
{
	if (cpu < 0 || cpu >= CPU_MAX)
		return NULL;
	if ((size_t)cpu >= table->capacity)
		cpu_table_grow(table, (size_t)cpu + 1);
	return &table->cpus[cpu];
}

struct cpu_state cpu_table_get(const struct cpu_table *table, int32_t cpu)
{
	struct cpu_state state = {0};

	if (cpu < 0 || (size_t)cpu >= table->capacity)
		return state;
	state = table->cpus[cpu];
	if (state.epoch != table->epoch) {
		state.tid = state.before = -1;
		state.since_ns = table->forgotten_ns;
	}
	return state;
}

int32_t cpu_table_put(struct cpu_table *table, int32_t cpu, int32_t tid, int32_t before,
		      uint64_t since_ns)
{
	struct cpu_state *state = cpu_table_find(table, cpu);
	int32_t known = cpu_table_at(table, cpu);

	if (!state)
		return 0;
	if (!state->recent) {
		array_reserve(&table->recent, &table->recent_capacity, table->recent_count + 1);
		table->recent[table->recent_count++] = cpu;
		state->recent = true;
	}
	state->epoch = table->epoch;
	state->tid = tid;
	state->before = before;
	state->since_ns = since_ns;
	return known;
}

void cpu_table_forget(struct cpu_table *table, int32_t cpu, uint64_t since_ns)
{
	if (cpu >= 0) {
		cpu_table_put(table, cpu, -1, -1, since_ns);
		return;
	}
	for (size_t i = 0; i < table->recent_count; i++)
		table->cpus[table->recent[i]].recent = false;
	table->recent_count = 0;
	table->forgotten_ns = since_ns;
	table->epoch++;
}

bool cpu_table_tell(struct cpu_table *table, int32_t cpu, uint64_t begin_ns, uint64_t end_ns)
{
	struct cpu_state *state = cpu_table_find(table, cpu);

	if (!state)
		return true;
	if (begin_ns < state->told_ns)
		return false;
	state->told_ns = end_ns;
	return true;
}

void cpu_table_begin_use(struct cpu_table *table, int32_t cpu)
{
	struct cpu_state *state = cpu_table_find(table, cpu);

	if (!state)
		return;
	state->used = true;
	table->used++;
}

void cpu_table_release(struct cpu_table *table)
{
	free(table->cpus);
	free(table->recent);
	*table = (struct cpu_table){0};
}
