/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/rdam/rdam.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/sorted.h"
#include "stats/rdam/rdam_private.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *rdam_cause_name(enum rdam_cause cause)
{
	static const char *const names[RDAM_CAUSES] = {
		[RDAM_CPU_WAIT_OWN] = "cpu_wait_own",
		[RDAM_CPU_WAIT_STRANGER] = "cpu_wait_stranger",
		[RDAM_CPU_WAIT] = "cpu_wait_other",
		[RDAM_BLOCKED] = "blocked_own",
		[RDAM_BLOCKED_OTHER] = "blocked_other",
		[RDAM_PAGE_FAULTS] = "page_faults",
		[RDAM_DISK] = "disk",
		[RDAM_STOPPED] = "stopped",
		[RDAM_UNKNOWN] = "unknown",
		[RDAM_ON_CPU] = "on_cpu",
	};

	return names[cause];
}

/* --- Scope --------------------------------------------------------------------------------- */

/* A leave, which no enter of a block of the trace has: beyond all of them. */
static uint32_t scope_separator(size_t nth)
{
	return block_token((uint32_t)BLOCKS_MAX + (uint32_t)nth, true);
}

static void scope_add_thread(struct rdam_scope *scope, size_t number)
{
	const struct block_thread *thread = &scope->trace->threads[number];

	if (!thread->count)
		return;
	if (scope->thread_count)
		scope->tokens[scope->count++] = scope_separator(scope->thread_count);
	scope->threads[scope->thread_count] = number;
	scope->begins[scope->thread_count++] = scope->count;
	memcpy(scope->tokens + scope->count, thread->tokens,
	       thread->count * sizeof(*scope->tokens));
	scope->count += thread->count;
}

static void scope_init(struct rdam_scope *scope, const struct block_trace *trace, size_t threads,
		       size_t tokens)
{
	*scope = (struct rdam_scope){.trace = trace, .thread = SIZE_MAX};
	scope->threads = xcalloc(threads, sizeof(*scope->threads));
	scope->begins = xcalloc(threads, sizeof(*scope->begins));
	scope->tokens = xreallocarray(NULL, tokens, sizeof(*scope->tokens));
}

static void scope_of_thread(struct rdam_scope *scope, const struct block_trace *trace,
			    size_t thread)
{
	scope_init(scope, trace, 1, trace->threads[thread].count);
	scope->thread = thread;
	scope_add_thread(scope, thread);
}

static void scope_of_all(struct rdam_scope *scope, const struct block_trace *trace)
{
	scope_init(scope, trace, trace->thread_count, trace->events + trace->thread_count);
	for (size_t i = 0; i < trace->thread_count; i++)
		scope_add_thread(scope, i);
}

static void scope_release(struct rdam_scope *scope)
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
	size_t i =
		find_first(k, 0, thread->with_count, thread->with_arguments[k].event >= at->event);

	*count = 0;
	if (i == thread->with_count || thread->with_arguments[i].event != at->event)
		return NULL;
	*count = block_arguments_count(thread, i);
	return thread->arguments + thread->with_arguments[i].first;
}

/* --- Names --------------------------------------------------------------------------------- */

/*
 * The name of a sequence: "Foo { Bar+ (Baz Qux { Bar })+ }". A block with nothing in it is its
 * name, "+" is a run, "leave Foo" a leave whose enter is not in the sequence; an enter without a
 * leave keeps its brace open. Long ones end in "...".
 */
struct rdam_naming {
	const struct blocks *blocks;
	const struct sequences *sequences;
	const uint32_t *tokens; /* in which they were found */
	const char *detail;	/* behind the first name: "(n=7)"; may be empty */
	bool braces;		/* also where there is nothing between them */
};

/*
 * A name shows so many tokens. A sequence may be nested as deep as it is long, and be so in each of
 * its parts: beyond that depth the name is the first occurrence instead, without its runs.
 */
enum { SHOWN_MAX = 24, DEPTH_MAX = 256 };

/* What is written beside tokens. */
enum { GROUP = UINT32_MAX - 3, GROUP_END, REPEATED, BEYOND };

struct items {
	uint32_t list[2 * SHOWN_MAX + DEPTH_MAX];
	size_t count, tokens;
	bool cut;
};

static void items_add(struct items *items, uint32_t item)
{
	if (items->count == sizeof(items->list) / sizeof(*items->list) ||
	    (item < SEQUENCE_SYMBOL && items->tokens == SHOWN_MAX)) {
		items->cut = true;
		return;
	}
	items->tokens += item < SEQUENCE_SYMBOL;
	items->list[items->count++] = item;
}

static bool is_one_block(const struct sequence *sequence)
{
	return sequence->is_whole && sequence->parts[1] < SEQUENCE_SYMBOL;
}

struct pending {
	uint32_t stack[4 * DEPTH_MAX];
	size_t depth;
};

static void pending_push(struct pending *pending, uint32_t symbol)
{
	pending->stack[pending->depth++] = symbol;
}

static void pending_push_part(struct pending *pending, const struct sequences *sequences,
			      uint32_t symbol, bool is_run)
{
	bool group = is_run && symbol >= SEQUENCE_SYMBOL &&
		     !is_one_block(&sequences->items[symbol - SEQUENCE_SYMBOL]);

	if (is_run)
		pending_push(pending, group ? (uint32_t)GROUP_END : (uint32_t)REPEATED);
	pending_push(pending, symbol);
	if (group)
		pending_push(pending, GROUP);
}

/* Returns whether it was not too deep. */
static bool items_expand(struct items *items, const struct sequences *sequences, uint32_t sequence)
{
	struct pending pending = {.stack = {SEQUENCE_SYMBOL + sequence}, .depth = 1};

	while (pending.depth && !items->cut) {
		uint32_t symbol = pending.stack[--pending.depth];
		const struct sequence *of;

		if (symbol < SEQUENCE_SYMBOL || symbol >= (uint32_t)GROUP) {
			items_add(items, symbol);
			continue;
		}
		if (pending.depth + 6 > sizeof(pending.stack) / sizeof(*pending.stack))
			return false;
		of = &sequences->items[symbol - SEQUENCE_SYMBOL];
		pending_push_part(&pending, sequences, of->parts[1], of->is_run[1]);
		pending_push_part(&pending, sequences, of->parts[0], of->is_run[0]);
	}
	return true;
}

static void items_copy_first(struct items *items, const struct rdam_naming *naming,
			     uint32_t sequence)
{
	const struct occurrence *first = &naming->sequences->items[sequence].occurrences[0];

	*items = (struct items){.count = 0};
	for (uint32_t i = first->begin; i < first->end && !items->cut; i++)
		items_add(items, naming->tokens[i]);
}

/* --- Words of a name ----------------------------------------------------------------------- */

struct writing {
	FILE *to;
	const struct rdam_naming *naming;
	size_t depth; /* of open braces */
	bool begun;
	bool glued; /* no space before the next word */
	bool cut;   /* what is behind the last token is not known here */
};

static void write_space(struct writing *writing)
{
	if (writing->begun && !writing->glued)
		fputc(' ', writing->to);
	writing->begun = true;
	writing->glued = false;
}

static void write_token(struct writing *writing, uint32_t token, uint32_t after)
{
	const struct blocks *blocks = writing->naming->blocks;
	const char *name = blocks->items[block_of_token(token)].name;
	const char *detail = writing->begun ? "" : writing->naming->detail;
	bool is_empty = after == block_token(block_of_token(token), true);

	if (block_token_leaves(token) && !writing->depth) {
		write_space(writing);
		fprintf(writing->to, "leave %s%s", name, detail);
	} else if (block_token_leaves(token)) {
		write_space(writing);
		fputc('}', writing->to);
		writing->depth--;
	} else {
		bool is_last = writing->cut && after == (uint32_t)BEYOND;
		bool braces =
			(!is_empty && !is_last) || (!writing->begun && writing->naming->braces);

		write_space(writing);
		fprintf(writing->to, "%s%s%s", name, detail, braces ? " {" : "");
		writing->depth += braces;
	}
}

/* Returns whether the next one has been written, too: the leave of a block without contents. */
static bool write_item(struct writing *writing, uint32_t item, uint32_t after)
{
	size_t depth = writing->depth;

	if (item == (uint32_t)GROUP) {
		write_space(writing);
		fputc('(', writing->to);
		writing->glued = true;
	} else if (item == (uint32_t)GROUP_END) {
		fputs(")+", writing->to);
	} else if (item == (uint32_t)REPEATED) {
		fputc('+', writing->to);
	} else {
		write_token(writing, item, after);
		return !block_token_leaves(item) && writing->depth == depth;
	}
	return false;
}

/* To be freed. */
static char *name_of_sequence(const struct rdam_naming *naming, uint32_t sequence)
{
	struct items items = {.count = 0};
	char *name = NULL;
	size_t length;
	struct writing writing = {.to = open_memstream(&name, &length), .naming = naming};

	if (!writing.to)
		return xstrdup("...");
	if (!items_expand(&items, naming->sequences, sequence))
		items_copy_first(&items, naming, sequence);
	writing.cut = items.cut;
	for (size_t i = 0; i < items.count; i++) {
		uint32_t after = i + 1 < items.count ? items.list[i + 1] : (uint32_t)BEYOND;

		i += write_item(&writing, items.list[i], after);
	}
	if (items.cut)
		fputs(" ...", writing.to);
	fclose(writing.to);
	return name;
}

struct search {
	struct rdam *rdam;
	const struct block_trace *trace;
	const struct rdam_options *options;
	size_t least;
	struct rdam_keys keys;
	struct rdam_meter *meter;
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
	return name_of_sequence(&naming, (uint32_t)subject->sequence);
}

/* The highest score first; what is alike in an order that does not depend on how it was found. */
static int compare_rows(const void *left, const void *right)
{
	const struct rdam_row *a = left, *b = right;

	return compare_values(b->score, a->score)
		       ?: compare_values(b->lost_s, a->lost_s)
		       ?: compare_values(a->thread, b->thread)
		       ?: strcmp(a->name, b->name);
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
	rdam_meter_spread(search->meter, rdam, &search->scope, group->occurrences, group->count);
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
	rdam_meter_row(search->meter, row, &search->scope, group->occurrences, group->count);
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
		scope_of_all(&search->scope, trace);
		search_scope(search);
		scope_release(&search->scope);
		return;
	}
	for (size_t i = 0; i < trace->thread_count; i++) {
		if (!trace->threads[i].count)
			continue;
		scope_of_thread(&search->scope, trace, i);
		search_scope(search);
		scope_release(&search->scope);
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
	search.meter = rdam_meter_new(trace);
	search.slots = xcalloc(trace->blocks->count, sizeof(*search.slots));
	search_all(&search);
	sort_items(rdam->rows, rdam->row_count, compare_rows);
	free(search.slots);
	rdam_meter_free(search.meter);
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
