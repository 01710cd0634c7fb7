/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/rdam/rdam_scope.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* A leave, which no enter of a block of the trace has: beyond all of them. */
static uint32_t separator(size_t nth)
{
	return block_token((uint32_t)BLOCKS_MAX + (uint32_t)nth, true);
}

static void add_thread(struct rdam_scope *scope, size_t number)
{
	const struct block_thread *thread = &scope->trace->threads[number];

	if (!thread->count)
		return;
	if (scope->thread_count)
		scope->tokens[scope->count++] = separator(scope->thread_count);
	scope->threads[scope->thread_count] = number;
	scope->begins[scope->thread_count++] = scope->count;
	memcpy(scope->tokens + scope->count, thread->tokens,
	       thread->count * sizeof(*scope->tokens));
	scope->count += thread->count;
}

static void make_room(struct rdam_scope *scope, const struct block_trace *trace, size_t threads,
		      size_t tokens)
{
	*scope = (struct rdam_scope){.trace = trace, .thread = SIZE_MAX};
	scope->threads = xcalloc(threads, sizeof(*scope->threads));
	scope->begins = xcalloc(threads, sizeof(*scope->begins));
	scope->tokens = xreallocarray(NULL, tokens, sizeof(*scope->tokens));
}

void rdam_scope_of_thread(struct rdam_scope *scope, const struct block_trace *trace, size_t thread)
{
	make_room(scope, trace, 1, trace->threads[thread].count);
	scope->thread = thread;
	add_thread(scope, thread);
}

void rdam_scope_of_all(struct rdam_scope *scope, const struct block_trace *trace)
{
	make_room(scope, trace, trace->thread_count, trace->events + trace->thread_count);
	for (size_t i = 0; i < trace->thread_count; i++)
		add_thread(scope, i);
}

void rdam_scope_release(struct rdam_scope *scope)
{
	free(scope->threads);
	free(scope->begins);
	free(scope->tokens);
}

void rdam_place_at(struct rdam_place *at, const struct rdam_scope *scope, size_t place)
{
	while (at->nth + 1 < scope->thread_count && scope->begins[at->nth + 1] <= place)
		at->nth++;
	at->thread = scope->threads[at->nth];
	at->event = place - scope->begins[at->nth];
	at->time_ns = scope->trace->threads[at->thread].times_ns[at->event];
}

struct rdam_span rdam_span_at(struct rdam_place *at, const struct rdam_scope *scope,
			      const struct occurrence *occurrence)
{
	struct rdam_span span;

	rdam_place_at(at, scope, occurrence->begin);
	span.begin_ns = at->time_ns;
	span.first = at->event;
	rdam_place_at(at, scope, occurrence->end - 1);
	span.end_ns = at->time_ns;
	span.last = at->event;
	span.thread = at->thread;
	return span;
}

const double *rdam_arguments_of(const struct block_trace *trace, const struct rdam_place *at,
				size_t *count)
{
	const struct block_thread *thread = &trace->threads[at->thread];
	size_t low = 0, high = thread->with_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (thread->with_arguments[middle].event < at->event)
			low = middle + 1;
		else
			high = middle;
	}
	*count = 0;
	if (low == thread->with_count || thread->with_arguments[low].event != at->event)
		return NULL;
	*count = block_arguments_count(thread, low);
	return thread->arguments + thread->with_arguments[low].first;
}
