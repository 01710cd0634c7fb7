/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/rdam/rdam.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/sorted.h"
#include "stats/rdam/rdam_private.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Scope --------------------------------------------------------------------------------- */

/* Returns a leave beyond all blocks of the trace, which has no enter. */
static uint32_t scope_separator(size_t nth)
{
	return block_token((uint32_t)BLOCKS_MAX + (uint32_t)nth, true);
}

static void scope_add_thread(struct rdam_scope *scope, size_t number)
{
	const struct rdam_thread *thread = &scope->trace->threads[number];

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

static void scope_init(struct rdam_scope *scope, const struct rdam_trace *trace, size_t threads,
		       size_t tokens)
{
	*scope = (struct rdam_scope){.trace = trace, .thread = SIZE_MAX};
	scope->threads = xcalloc(threads, sizeof(*scope->threads));
	scope->begins = xcalloc(threads, sizeof(*scope->begins));
	scope->tokens = xreallocarray(NULL, tokens, sizeof(*scope->tokens));
}

static void scope_of_thread(struct rdam_scope *scope, const struct rdam_trace *trace, size_t thread)
{
	scope_init(scope, trace, 1, trace->threads[thread].count);
	scope->thread = thread;
	scope_add_thread(scope, thread);
}

static void scope_of_all(struct rdam_scope *scope, const struct rdam_trace *trace)
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

const double *rdam_arguments_of(const struct rdam_trace *trace, const struct rdam_place *at,
				size_t *count)
{
	const struct rdam_details *details = rdam_details(&trace->threads[at->thread]);
	const struct block_arguments *with = details->with_arguments;
	size_t i = find_first(k, 0, details->with_count, with[k].event >= at->event);

	*count = 0;
	if (i == details->with_count || with[i].event != at->event)
		return NULL;
	*count = block_arguments_count(details, i);
	return details->arguments + with[i].first;
}

/* --- Keys ---------------------------------------------------------------------------------- */

/* The arguments whose values group the calls of a block. */
struct rdam_keys {
	const struct blocks *blocks;
	struct rdam_resolved {
		uint32_t block;
		uint32_t argument;
	} * items; /* sorted by block and argument */
	size_t count;
};

/* A group: calls with the same values, in their order. */
struct rdam_group {
	struct occurrence *occurrences;
	size_t count;
	char *detail; /* "(n=7)" */
};

static int32_t find_block(const struct blocks *blocks, const char *name)
{
	for (size_t i = 0; i < blocks->count; i++)
		if (strcmp(blocks->items[i].name, name) == 0)
			return (int32_t)i;
	return BLOCK_NONE;
}

static const char *name_of_argument(const struct blocks *blocks, uint32_t block, size_t i,
				    char text[32])
{
	const char *name = blocks_argument(blocks, block, i);

	if (name)
		return name;
	snprintf(text, 32, "arg%zu", i + 1);
	return text;
}

static size_t find_argument(const struct blocks *blocks, uint32_t block, const char *name)
{
	char text[32];

	for (size_t i = 0; i < BLOCK_ARGUMENTS; i++)
		if (strcmp(name_of_argument(blocks, block, i, text), name) == 0)
			return i;
	for (size_t i = 0; i < BLOCK_ARGUMENTS; i++) {
		snprintf(text, sizeof(text), "arg%zu", i + 1);
		if (strcmp(text, name) == 0)
			return i;
	}
	return BLOCK_ARGUMENTS;
}

/* Returns the largest number of recorded arguments of the block. */
static size_t most_arguments(const struct rdam_trace *trace, uint32_t block)
{
	size_t most = 0;

	for (size_t i = 0; i < trace->thread_count; i++) {
		const struct rdam_thread *thread = &trace->threads[i];
		const struct rdam_details *details = rdam_details(thread);

		for (size_t k = 0; k < details->with_count; k++) {
			size_t event = details->with_arguments[k].event;
			size_t count = block_arguments_count(details, k);

			if (block_of_token(thread->tokens[event]) == block && count > most)
				most = count;
		}
	}
	return most;
}

static int resolve(struct rdam_resolved *resolved, const struct rdam_trace *trace,
		   const struct rdam_key *key, struct err *err)
{
	int32_t block = find_block(trace->blocks, key->block);
	size_t argument, most;

	if (block == BLOCK_NONE)
		return err_set(err,
			       "key %s:%s: no function '%s' is in this recording; "
			       "'pscal rdam --all' lists the functions",
			       key->block, key->argument, key->block);
	argument = find_argument(trace->blocks, (uint32_t)block, key->argument);
	most = most_arguments(trace, (uint32_t)block);
	if (!most)
		return err_set(err,
			       "key %s:%s: no arguments of '%s' were recorded; record them with "
			       "'pscal record --probe %s,args=N'",
			       key->block, key->argument, key->block, key->block);
	if (argument >= most)
		return err_set(err, "key %s:%s: '%s' has no such argument; it has arg1 to arg%zu",
			       key->block, key->argument, key->block, most);
	*resolved = (struct rdam_resolved){(uint32_t)block, (uint32_t)argument};
	return 0;
}

static int compare_keys(const void *left, const void *right)
{
	const struct rdam_resolved *a = left, *b = right;

	return compare_values(a->block, b->block) ?: compare_values(a->argument, b->argument);
}

/* Returns 0, or -1 with an error: a name that does not exist. */
static int keys_init(struct rdam_keys *keys, const struct rdam_trace *trace,
		     const struct rdam_options *options, struct err *err)
{
	*keys = (struct rdam_keys){.blocks = trace->blocks};
	keys->items = xcalloc(options->key_count, sizeof(*keys->items));
	for (size_t i = 0; i < options->key_count; i++)
		if (resolve(&keys->items[i], trace, &options->keys[i], err))
			return -1;
	sort_items(keys->items, options->key_count, compare_keys);
	keys->count =
		drop_twins(keys->items, options->key_count, sizeof(*keys->items), compare_keys);
	return 0;
}

static void keys_release(struct rdam_keys *keys)
{
	free(keys->items);
}

/* A call with its values; NAN: not recorded. */
struct keyed {
	struct occurrence occurrence;
	double values[BLOCK_ARGUMENTS];
};

static int compare_known(double a, double b)
{
	return isnan(a) || isnan(b) ? !isnan(a) - !isnan(b) : compare_values(a, b);
}

static int compare_all(const struct keyed *a, const struct keyed *b)
{
	for (size_t i = 0; i < BLOCK_ARGUMENTS; i++) {
		int order = compare_known(a->values[i], b->values[i]);

		if (order)
			return order;
	}
	return 0;
}

static int compare_keyed(const void *left, const void *right)
{
	const struct keyed *a = left, *b = right;

	return compare_all(a, b) ?: compare_values(a->occurrence.begin, b->occurrence.begin);
}

static struct keyed *list(const struct rdam_scope *scope, const struct rdam_resolved *keys,
			  size_t key_count, const struct occurrence *occurrences, size_t count)
{
	struct keyed *keyed = xcalloc(count, sizeof(*keyed));
	struct rdam_place at = {0};

	for (size_t i = 0; i < count; i++) {
		const double *arguments;
		size_t known;

		rdam_place_at(&at, scope, occurrences[i].begin);
		arguments = rdam_arguments_of(scope->trace, &at, &known);
		keyed[i].occurrence = occurrences[i];
		for (size_t k = 0; k < key_count; k++)
			keyed[i].values[k] =
				keys[k].argument < known ? arguments[keys[k].argument] : NAN;
	}
	sort_items(keyed, count, compare_keyed);
	return keyed;
}

/* Writes the fewest digits that distinguish the value from all others. */
static void write_value(char text[32], double value)
{
	int digits = 15;

	do
		snprintf(text, 32, "%.*g", digits, value);
	while (digits++ < 17 && strtod(text, NULL) != value); // NOLINT: as it is read
}

static char *describe(const struct blocks *blocks, const struct rdam_resolved *keys,
		      size_t key_count, const double *values)
{
	char *detail = xstrdup("(");

	for (size_t i = 0; i < key_count; i++) {
		char text[32], value[32] = "?", *longer;

		if (!isnan(values[i]))
			write_value(value, values[i]);
		longer = xasprintf("%s%s%s=%s%s", detail, i ? ", " : "",
				   name_of_argument(blocks, keys[i].block, keys[i].argument, text),
				   value, i + 1 == key_count ? ")" : "");
		free(detail);
		detail = longer;
	}
	return detail;
}

/* Calls `take` with each group by value, or once with all calls if the block has no key. */
static void group_by_keys(const struct rdam_keys *keys, const struct rdam_scope *scope,
			  uint32_t block, const struct occurrence *occurrences, size_t count,
			  void (*take)(void *context, const struct rdam_group *group),
			  void *context)
{
	struct rdam_group group = {.count = 0};
	const struct rdam_resolved *own = keys->items;
	size_t key_count = 0;
	struct keyed *keyed;

	while (own < keys->items + keys->count && own->block != block)
		own++;
	while (own + key_count < keys->items + keys->count && own[key_count].block == block)
		key_count++;
	group.occurrences = xreallocarray(NULL, count, sizeof(*group.occurrences));
	if (!key_count) {
		memcpy(group.occurrences, occurrences, count * sizeof(*occurrences));
		group.count = count;
		take(context, &group);
		free(group.occurrences);
		return;
	}
	keyed = list(scope, own, key_count, occurrences, count);
	for (size_t i = 0; i < count; i += group.count) {
		for (group.count = 0;
		     i + group.count < count && !compare_all(&keyed[i], &keyed[i + group.count]);
		     group.count++)
			group.occurrences[group.count] = keyed[i + group.count].occurrence;
		group.detail = describe(scope->trace->blocks, own, key_count, keyed[i].values);
		take(context, &group);
		free(group.detail);
	}
	free(keyed);
	free(group.occurrences);
}

/* --- Rows ---------------------------------------------------------------------------------- */

struct search {
	struct rdam *rdam;
	const struct rdam_trace *trace;
	const struct rdam_options *options;
	size_t least;
	struct rdam_keys keys;
	struct rdam_meter *meter;
	uint32_t *slots; /* the places for block_calls */
	/* Of the threads that are searched now: */
	struct rdam_scope scope;
	struct block_calls calls;
	struct sequences sequences;
	size_t first;	 /* the number of the first row so far */
	bool *is_single; /* [calls.blocks]: all calls of the block are of one sequence */
};

/* The subject of a row. */
struct subject {
	struct search *search;
	struct rdam_row row;
	size_t sequence; /* SIZE_MAX: a block with any contents */
};

static char *name_row(const struct search *search, const struct subject *subject,
		      const char *detail)
{
	const struct blocks *blocks = search->trace->blocks;
	const struct called_block *called = block_calls_of(&search->calls, subject->row.block);
	struct sequence_naming naming = {
		.blocks = blocks,
		.sequences = &search->sequences,
		.tokens = search->scope.tokens,
		.detail = detail,
	};

	if (subject->sequence == SIZE_MAX)
		return xasprintf("%s%s", blocks->items[subject->row.block].name, detail);
	naming.braces = subject->row.is_block && called &&
			!search->is_single[called - search->calls.blocks];
	return sequence_name(&naming, (uint32_t)subject->sequence);
}

/* The highest score first; equal rows in an order that does not depend on the search. */
static int compare_rows(const void *left, const void *right)
{
	const struct rdam_row *a = left, *b = right;

	return compare_values(b->score, a->score)
		       ?: compare_values(b->lost_s, a->lost_s)
		       ?: compare_values(a->thread, b->thread)
		       ?: strcmp(a->name, b->name);
}

/* Returns true for the rows of the wanted block, which begin with it, whatever their names. */
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
		group_by_keys(&search->keys, &search->scope, subject->row.block, occurrences, count,
			      take_group, subject);
}

/* --- Sequences ----------------------------------------------------------------------------- */

/* Returns true if all calls are whole blocks, always or by chance. */
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

/* Returns the block if this is its only sequence, else NULL. */
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

/* --- The whole search -------------------------------------------------------------------- */

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
	const struct rdam_trace *trace = search->trace;

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

/* Returns the largest number of events of threads that are searched together. */
static size_t most_events(const struct rdam_trace *trace, enum rdam_min min)
{
	size_t most = 0;

	if (min == RDAM_MIN_POOLED)
		return trace->events + trace->thread_count;
	for (size_t i = 0; i < trace->thread_count; i++)
		if (trace->threads[i].count > most)
			most = trace->threads[i].count;
	return most;
}

static int refuse_only(const struct rdam_trace *trace, const struct rdam_options *options,
		       struct err *err)
{
	const char *only = options->only;

	for (size_t i = 0; i < trace->blocks->count; i++)
		if (strcmp(trace->blocks->items[i].name, only) == 0)
			return err_set(
				err,
				"function '%s': no thread called it at least %zu times to its "
				"end%s",
				only, options->least > 2 ? options->least : 2,
				options->key_count ? " with the same value of --key" : "");
	return err_set(err,
		       "no function '%s' is in this recording; 'pscal rdam --all' lists the "
		       "functions",
		       only);
}

int rdam_init(struct rdam *rdam, const struct rdam_trace *trace, const struct rdam_options *options,
	      struct err *err)
{
	struct search search = {.rdam = rdam, .trace = trace, .options = options};

	*rdam = (struct rdam){.events = trace->events};
	if (most_events(trace, options->min) > SEQUENCE_TOKENS_MAX)
		return err_set(err,
			       "the recording has more than %zu function events, too many to "
			       "search at once; choose threads with --tid, or record with --probe "
			       "and a larger "
			       "every=N",
			       SEQUENCE_TOKENS_MAX);
	search.least = options->least > 2 ? options->least : 2;
	if (keys_init(&search.keys, trace, options, err)) {
		keys_release(&search.keys);
		return -1;
	}
	search.meter = rdam_meter_new(trace);
	search.slots = xcalloc(trace->blocks->count, sizeof(*search.slots));
	search_all(&search);
	sort_items(rdam->rows, rdam->row_count, compare_rows);
	free(search.slots);
	rdam_meter_free(search.meter);
	keys_release(&search.keys);
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
