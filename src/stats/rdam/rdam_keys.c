/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/rdam/rdam_private.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/sorted.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Names --------------------------------------------------------------------------------- */

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

/* How many arguments are on record where the block is entered. */
static size_t most_arguments(const struct block_trace *trace, uint32_t block)
{
	size_t most = 0;

	for (size_t i = 0; i < trace->thread_count; i++) {
		const struct block_thread *thread = &trace->threads[i];

		for (size_t k = 0; k < thread->with_count; k++) {
			size_t event = thread->with_arguments[k].event;
			size_t count = block_arguments_count(thread, k);

			if (block_of_token(thread->tokens[event]) == block && count > most)
				most = count;
		}
	}
	return most;
}

static int resolve(struct rdam_resolved *resolved, const struct block_trace *trace,
		   const struct rdam_key *key, struct err *err)
{
	int32_t block = find_block(trace->blocks, key->block);
	size_t argument, most;

	if (block == BLOCK_NONE)
		return err_set(err,
			       "key %s:%s: the recording has no block of the name '%s'; "
			       "pscal rdam --threshold 0 lists those that it has",
			       key->block, key->argument, key->block);
	argument = find_argument(trace->blocks, (uint32_t)block, key->argument);
	most = most_arguments(trace, (uint32_t)block);
	if (!most)
		return err_set(err,
			       "key %s:%s: no argument of '%s' is on record; record them with "
			       "'pscal record --probe %s --arguments=N'",
			       key->block, key->argument, key->block, key->block);
	if (argument >= most)
		return err_set(err,
			       "key %s:%s: '%s' has no argument of that name on record, but "
			       "arg1 to arg%zu",
			       key->block, key->argument, key->block, most);
	*resolved = (struct rdam_resolved){(uint32_t)block, (uint32_t)argument};
	return 0;
}

static int compare_keys(const void *left, const void *right)
{
	const struct rdam_resolved *a = left, *b = right;

	return compare_values(a->block, b->block) ?: compare_values(a->argument, b->argument);
}

int rdam_keys_init(struct rdam_keys *keys, const struct block_trace *trace,
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

void rdam_keys_release(struct rdam_keys *keys)
{
	free(keys->items);
}

/* --- Groups -------------------------------------------------------------------------------- */

/* An occurrence with its values; NAN: not on record. */
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

/* As short as it can be told from all others. */
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

void rdam_keys_group(const struct rdam_keys *keys, const struct rdam_scope *scope, uint32_t block,
		     const struct occurrence *occurrences, size_t count,
		     void (*take)(void *context, const struct rdam_group *group), void *context)
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
