/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/rdam/rdam.h"

#include "base/alloc.h"
#include "base/err.h"
#include "stats/rdam/block_calls.h"
#include "stats/rdam/rdam_causes.h"
#include "stats/rdam/rdam_keys.h"
#include "stats/rdam/rdam_measure.h"
#include "stats/rdam/rdam_name.h"
#include "stats/rdam/rdam_scope.h"
#include "stats/rdam/rdam_spread.h"
#include "stats/rdam/sequences.h"

#include <stdlib.h>
#include <string.h>

struct search {
	struct rdam *rdam;
	const struct block_trace *trace;
	const struct rdam_options *options;
	size_t least;
	struct rdam_keys keys;
	struct rdam_states states;
	struct rdam_wakes wakes;
	uint32_t *slots; /* of block_calls */
	/* Of the threads that are searched now: */
	struct rdam_scope scope;
	struct block_calls calls;
	struct sequences sequences;
	size_t first;	 /* of the rows that there are by now */
	bool *is_single; /* the calls of this one of calls.blocks are all of one sequence */
};

/* --- Rows ---------------------------------------------------------------------------------- */

/* What a row is to be of. */
struct subject {
	struct search *search;
	struct rdam_row row;
	size_t sequence; /* SIZE_MAX: a block with any content */
};

static char *name_row(const struct search *search, const struct subject *subject,
		      const char *detail)
{
	const struct blocks *blocks = search->trace->blocks;
	const struct called_block *called = block_calls_of(&search->calls, subject->row.block);
	struct rdam_naming naming = {
		.blocks = blocks,
		.sequences = &search->sequences,
		.tokens = search->scope.tokens,
		.detail = detail,
	};

	if (subject->sequence == SIZE_MAX)
		return xasprintf("%s%s", blocks->items[subject->row.block].name, detail);
	naming.braces = subject->row.is_block && called &&
			!search->is_single[called - search->calls.blocks];
	return rdam_name_of(&naming, (uint32_t)subject->sequence);
}

/* The highest score first; what is alike in an order that does not depend on how it was found. */
static int compare_rows(const void *left, const void *right)
{
	const struct rdam_row *a = left, *b = right;

	if (a->score < b->score || a->score > b->score)
		return a->score < b->score ? 1 : -1;
	if (a->lost_s < b->lost_s || a->lost_s > b->lost_s)
		return a->lost_s < b->lost_s ? 1 : -1;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* The rows of a block are those that begin with it, whatever they are called. */
static bool is_wanted(const struct search *search, const struct rdam_row *row)
{
	const char *only = search->options->only;

	return !only || strcmp(row->name, only) == 0 ||
	       strcmp(search->trace->blocks->items[row->block].name, only) == 0;
}

static void note_first(struct search *search, const struct rdam_group *group)
{
	struct rdam *rdam = search->rdam;
	size_t last = rdam->row_count - 1;

	if (last && compare_rows(&rdam->rows[last], &rdam->rows[search->first]) > 0)
		return;
	search->first = last;
	rdam_spread_measure(rdam, &search->scope, &search->states, group->occurrences,
			    group->count);
}

static void take_group(void *context, const struct rdam_group *group)
{
	const struct subject *subject = context;
	struct search *search = subject->search;
	struct rdam *rdam = search->rdam;
	struct rdam_row *row;

	if (group->count < search->least)
		return;
	array_reserve(&rdam->rows, &rdam->row_capacity, rdam->row_count + 1);
	row = &rdam->rows[rdam->row_count];
	*row = subject->row;
	row->name = name_row(search, subject, group->detail ? group->detail : "");
	if (!is_wanted(search, row)) {
		free(row->name);
		return;
	}
	rdam->row_count++;
	rdam_measure(row, &search->scope, &search->states, &search->wakes, group->occurrences,
		     group->count);
	if (search->options->want_spread)
		note_first(search, group);
}

static void add_rows(struct subject *subject, const struct occurrence *occurrences, size_t count)
{
	struct search *search = subject->search;

	if (count >= search->least)
		rdam_keys_group(&search->keys, &search->scope, subject->row.block, occurrences,
				count, take_group, subject);
}

/* --- Sequences ----------------------------------------------------------------------------- */

/* Whole blocks always are; others may be, by chance, in all their occurrences. */
static bool is_block(const struct search *search, const struct sequence *sequence)
{
	if (sequence->token_count > RDAM_TOKENS_MAX)
		return false;
	for (uint32_t i = 0; i < sequence->count; i++) {
		const struct occurrence *at = &sequence->occurrences[i];

		if (search->calls.leaves[at->begin] != at->end - 1)
			return false;
	}
	return true;
}

/* The block whose only sequence this is; NULL. */
static const struct called_block *only_of(const struct search *search,
					  const struct sequence *sequence)
{
	uint32_t token = search->scope.tokens[sequence->occurrences[0].begin];
	const struct called_block *called = block_calls_of(&search->calls, block_of_token(token));

	return called && called->calls == sequence->count ? called : NULL;
}

static void add_sequence(struct search *search, size_t number, bool whole)
{
	const struct sequence *sequence = &search->sequences.items[number];
	uint32_t token = search->scope.tokens[sequence->occurrences[0].begin];
	struct subject subject = {.search = search, .sequence = number};

	subject.row.block = block_of_token(token);
	subject.row.token_count = sequence->token_count;
	subject.row.is_block = whole;
	add_rows(&subject, sequence->occurrences, sequence->count);
}

static void add_sequences(struct search *search)
{
	size_t count = search->sequences.count;
	bool *whole = xcalloc(count, sizeof(*whole));

	for (size_t i = 0; i < count; i++) {
		const struct sequence *sequence = &search->sequences.items[i];
		const struct called_block *called;

		whole[i] = is_block(search, sequence);
		if (whole[i] && (called = only_of(search, sequence)))
			search->is_single[called - search->calls.blocks] = true;
	}
	for (size_t i = 0; i < count; i++) {
		bool is_short = search->sequences.items[i].token_count <= RDAM_TOKENS_MAX;

		if (whole[i] || (is_short && search->options->all_sequences))
			add_sequence(search, i, whole[i]);
	}
	free(whole);
}

static void add_blocks(struct search *search)
{
	for (size_t i = 0; i < search->calls.count; i++) {
		const struct called_block *called = &search->calls.blocks[i];
		struct subject subject = {.search = search, .sequence = SIZE_MAX};

		if (search->is_single[i])
			continue;
		subject.row.block = called->block;
		subject.row.token_count = 2;
		subject.row.any_content = subject.row.is_block = true;
		subject.row.overlapping = search->calls.each && called->has_nested;
		add_rows(&subject, search->calls.outer + called->outer, called->outer_count);
	}
}

/* --- All of it ----------------------------------------------------------------------------- */

static void search_scope(struct search *search)
{
	const struct rdam_scope *scope = &search->scope;
	bool all = search->options->all_sequences;

	block_calls_init(&search->calls, scope->tokens, scope->count, search->trace->blocks->count,
			 search->slots, search->trace->every > 1);
	search->rdam->unbalanced += search->calls.unbalanced;
	search->sequences = (struct sequences){0};
	search->is_single = xcalloc(search->calls.count, sizeof(*search->is_single));
	if (search->trace->every <= 1)
		sequences_find(&search->sequences, scope->tokens, scope->count,
			       all ? SEQUENCES_OF_ALL : SEQUENCES_OF_BLOCKS);
	add_sequences(search);
	add_blocks(search);
	sequences_release(&search->sequences);
	block_calls_release(&search->calls);
	free(search->is_single);
}

static void search_all(struct search *search)
{
	const struct block_trace *trace = search->trace;

	if (search->options->min == RDAM_MIN_POOLED) {
		rdam_scope_of_all(&search->scope, trace);
		search_scope(search);
		rdam_scope_release(&search->scope);
		return;
	}
	for (size_t i = 0; i < trace->thread_count; i++) {
		if (!trace->threads[i].count)
			continue;
		rdam_scope_of_thread(&search->scope, trace, i);
		search_scope(search);
		rdam_scope_release(&search->scope);
	}
}

/* The most events of threads that are searched together. */
static size_t most_events(const struct block_trace *trace, enum rdam_min min)
{
	size_t most = 0;

	if (min == RDAM_MIN_POOLED)
		return trace->events + trace->thread_count;
	for (size_t i = 0; i < trace->thread_count; i++)
		if (trace->threads[i].count > most)
			most = trace->threads[i].count;
	return most;
}

static int refuse_only(const struct block_trace *trace, const struct rdam_options *options,
		       struct err *err)
{
	const char *only = options->only;

	for (size_t i = 0; i < trace->blocks->count; i++)
		if (strcmp(trace->blocks->items[i].name, only) == 0)
			return err_set(err,
				       "block '%s': no thread of the target has run it at least "
				       "%zu times to its end%s",
				       only, options->least > 2 ? options->least : 2,
				       options->key_count ? " with the same value of --key" : "");
	return err_set(err,
		       "block '%s': the recording has no block of this name; pscal rdam "
		       "--threshold 0 lists those that it has",
		       only);
}

int rdam_init(struct rdam *rdam, const struct block_trace *trace,
	      const struct rdam_options *options, struct err *err)
{
	struct search search = {.rdam = rdam, .trace = trace, .options = options};

	*rdam = (struct rdam){.events = trace->events};
	if (most_events(trace, options->min) > SEQUENCE_TOKENS_MAX)
		return err_set(err,
			       "the recording holds more than %zu events of blocks to be "
			       "searched at once; choose fewer threads with --tid, or record "
			       "with a larger --every",
			       SEQUENCE_TOKENS_MAX);
	search.least = options->least > 2 ? options->least : 2;
	if (rdam_keys_init(&search.keys, trace, options, err)) {
		rdam_keys_release(&search.keys);
		return -1;
	}
	rdam_states_init(&search.states, trace);
	rdam_wakes_init(&search.wakes, trace);
	search.slots = xcalloc(trace->blocks->count, sizeof(*search.slots));
	search_all(&search);
	if (rdam->row_count)
		qsort(rdam->rows, rdam->row_count, sizeof(*rdam->rows), compare_rows);
	free(search.slots);
	rdam_wakes_release(&search.wakes);
	rdam_states_release(&search.states);
	rdam_keys_release(&search.keys);
	return options->only && !rdam->row_count ? refuse_only(trace, options, err) : 0;
}

static void row_release(struct rdam_row *row)
{
	free(row->name);
	free(row->stacks);
}

void rdam_release(struct rdam *rdam)
{
	for (size_t i = 0; i < rdam->row_count; i++)
		row_release(&rdam->rows[i]);
	free(rdam->rows);
	free(rdam->classes);
	*rdam = (struct rdam){0};
}
