/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/program/program.h"

#include "base/alloc.h"
#include "base/sorted.h"
#include "replay/program/program_gaps.h"
#include "replay/program/program_read.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const site_kind_names[SITE_KINDS] = {
	[SITE_UNKNOWN] = "unknown", [SITE_LOCK] = "lock",	  [SITE_TOKENS] = "queue",
	[SITE_BARRIER] = "barrier", [SITE_JOIN] = "join",	  [SITE_SLEEP] = "sleep",
	[SITE_DEVICE] = "device",   [SITE_EXTERNAL] = "external", [SITE_FUTEX] = "futex",
	[SITE_THREADS] = "threads",
};

/* Releases all but the threads. */
static void release_rest(struct program *program)
{
	for (size_t i = 0; i < program->site_count; i++)
		free(program->sites[i].name);
	free(program->sites);
	free(program->met_ns);
	free(program->chains.edges);
	free(program->chains.sites);
	free(program->socket_uses);
	free(program->work_us);
	*program = (struct program){0};
}

void program_release(struct program *program)
{
	for (size_t i = 0; i < program->thread_count; i++) {
		thread_name_release(&program->threads[i].name);
		free(program->threads[i].steps);
		free(program->threads[i].even_spans);
	}
	free(program->threads);
	program_gaps_release(program->gaps, program->gap_capacity);
	release_rest(program);
}

/* Returns a copy of `count` elements; NULL: none. */
static void *copy_of(const void *items, size_t count, size_t size)
{
	void *copy = count ? xcalloc(count, size) : NULL;

	if (count)
		memcpy(copy, items, count * size);
	return copy;
}

static void copy_rest(struct program *to, const struct program *from)
{
	*to = *from;
	to->threads = NULL;
	to->gaps = NULL;
	to->gap_capacity = 0;
	to->sites = copy_of(from->sites, from->site_count, sizeof(*from->sites));
	to->site_capacity = from->site_count;
	for (size_t i = 0; i < to->site_count; i++)
		if (to->sites[i].name)
			to->sites[i].name = xstrdup(to->sites[i].name);
	to->met_ns = copy_of(from->met_ns, from->met_count, sizeof(*from->met_ns));
	to->chains.edges = copy_of(from->chains.edges, from->chains.edge_count, sizeof(uint32_t));
	to->chains.sites =
		copy_of(from->chains.sites, from->chains.count, sizeof(struct site_chain));
	to->chains.capacity = to->chains.count;
	to->socket_uses =
		copy_of(from->socket_uses, from->socket_use_count, sizeof(*from->socket_uses));
	to->socket_use_capacity = to->socket_use_count;
	to->work_us = copy_of(from->work_us, from->work_count, sizeof(*from->work_us));
}

/* Copies the threads of `from` without their steps and spans. */
static void copy_threads(struct program *to, const struct program *from)
{
	to->threads = copy_of(from->threads, from->thread_count, sizeof(*from->threads));
	to->thread_capacity = from->thread_count;
	for (size_t i = 0; i < to->thread_count; i++) {
		thread_name_copy(&to->threads[i].name, &from->threads[i].name);
		to->threads[i].even_spans = NULL;
		to->threads[i].even_span_count = to->threads[i].even_span_capacity = 0;
	}
}

static void copy_steps(struct program_thread *thread, const struct step *steps, uint32_t count)
{
	thread->steps = copy_of(steps, count, sizeof(*steps));
	thread->count = thread->capacity = count;
}

void program_copy(struct program *to, const struct program *from)
{
	copy_rest(to, from);
	copy_threads(to, from);
	for (size_t i = 0; i < to->thread_count; i++) {
		struct program_thread *thread = &to->threads[i];
		const struct program_thread *own = &from->threads[i];

		copy_steps(thread, own->steps, own->count);
		thread->even_spans =
			copy_of(own->even_spans, own->even_span_count, sizeof(*own->even_spans));
		thread->even_span_count = thread->even_span_capacity = own->even_span_count;
	}
}

void program_keep(struct program_kept *kept, const struct program *program)
{
	struct step *steps;

	copy_rest(&kept->rest, program);
	kept->steps = steps = xcalloc(program_steps(program), sizeof(*steps));
	kept->counts = xcalloc(program->thread_count, sizeof(*kept->counts));
	for (size_t i = 0; i < program->thread_count; i++) {
		const struct program_thread *thread = &program->threads[i];

		kept->counts[i] = thread->count;
		for (size_t j = 0; j < thread->count; j++)
			*steps++ = thread->steps[j];
	}
}

void program_kept_release(struct program_kept *kept)
{
	release_rest(&kept->rest);
	free(kept->steps);
	free(kept->counts);
}

void program_restore(struct program *copy, const struct program_kept *kept,
		     const struct program *program)
{
	const struct step *steps = kept->steps;

	copy_rest(copy, &kept->rest);
	copy_threads(copy, program);
	for (size_t i = 0; i < copy->thread_count; i++) {
		copy_steps(&copy->threads[i], steps, kept->counts[i]);
		steps += kept->counts[i];
	}
}

uint32_t program_add_thread(struct program *program, int32_t tid, int32_t pid, const char *comm)
{
	struct program_thread *thread;

	array_reserve(&program->threads, &program->thread_capacity, program->thread_count + 1);
	thread = &program->threads[program->thread_count];
	*thread = (struct program_thread){.tid = tid, .pid = pid};
	event_set_comm(thread->name.bytes, comm, strlen(comm));
	return (uint32_t)program->thread_count++;
}

uint32_t program_add_site(struct program *program, enum site_kind kind)
{
	array_reserve(&program->sites, &program->site_capacity, program->site_count + 1);
	program->sites[program->site_count] = (struct site){.kind = kind, .pid = -1};
	return (uint32_t)program->site_count++;
}

/*
 * Grows by a quarter and not to the double: there may be nothing larger in memory, and the C
 * library moves large blocks without copying them.
 */
static void grow_steps(struct program_thread *thread)
{
	assert(thread->capacity < INT32_MAX / 2);
	thread->capacity += thread->capacity / 4 + (thread->capacity ? 2 : 4);
	thread->steps = xreallocarray(thread->steps, thread->capacity, sizeof(*thread->steps));
}

struct step *program_add_step(struct program *program, uint32_t thread, uint64_t run_ns,
			      enum step_op op)
{
	struct program_thread *own = &program->threads[thread];
	struct step *step;

	if (own->count == own->capacity)
		grow_steps(own);
	step = &own->steps[own->count++];
	*step = (struct step){.run_op = step_run_op(run_ns, op)};
	if (step_op_is_pause(op))
		step->pause = step_pause(0, PROGRAM_NONE);
	else if (op == STEP_JOIN)
		step->join_site = PROGRAM_NONE;
	else if (op == STEP_BLOCK)
		step->site = step->edge = PROGRAM_NONE;
	return step;
}

size_t program_steps(const struct program *program)
{
	size_t steps = 0;

	for (size_t i = 0; i < program->thread_count; i++)
		steps += program->threads[i].count;
	return steps;
}

uint64_t program_work_ns(const struct program *program)
{
	uint64_t work_ns = 0;

	for (size_t i = 0; i < program->thread_count; i++)
		for (size_t j = 0; j < program->threads[i].count; j++)
			work_ns += step_run_ns(&program->threads[i].steps[j]);
	return work_ns;
}

void program_scale_thread(struct program *program, size_t thread, double factor)
{
	struct program_thread *own = &program->threads[thread];

	for (size_t i = 0; i < own->count; i++) {
		struct step *step = &own->steps[i];
		double run_ns = fmin((double)step_run_ns(step) * factor, (double)STEP_RUN_MAX);

		step->run_op = step_run_op((uint64_t)run_ns, step_op(step));
	}
}

/*
 * The CPU time from the wakeup to the last switch: the kernel takes 20 to 60 us for the rest of an
 * exit, and more if the thread is the last of its process and frees its memory.
 */
enum { EXIT_NS = 300000 };

bool program_thread_ends(const struct program_thread *thread, size_t from)
{
	uint64_t run_ns = 0;

	for (size_t i = from + 1; i < thread->count; i++) {
		enum step_op op = step_op(&thread->steps[i]);

		run_ns += step_run_ns(&thread->steps[i]);
		if (run_ns > EXIT_NS)
			return false;
		if (op == STEP_EXIT)
			return true;
		if (op != STEP_NONE && op != STEP_WAKE && op != STEP_CALL && op != STEP_RETURN)
			return false;
	}
	return false;
}

const char *program_name(const struct program *program, const struct target_info *target)
{
	const struct program_thread *first = program->threads, *leader = first;
	bool one_name = true, one_process = true;
	int32_t root = target && target->root_count == 1 ? target->roots[0] : -1;
	const char *name;

	for (size_t i = 0; i < program->thread_count; i++) {
		const struct program_thread *thread = &program->threads[i];

		if (thread->tid == root && *thread_name_text(&thread->name))
			return thread_name_text(&thread->name);
		one_name = one_name && strcmp(thread_name_text(&thread->name),
					      thread_name_text(&first->name)) == 0;
		one_process = one_process && thread->pid == first->pid && thread->pid >= 0;
		leader = thread->tid == thread->pid ? thread : leader;
	}
	name = program->thread_count ? thread_name_text(&leader->name) : "";
	return *name && (one_name || one_process) ? name : NULL;
}
