/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/spin/chain_names.h"

#include "base/alloc.h"
#include "base/demangle.h"
#include "base/map.h"
#include "decode/event/chains.h"
#include "stats/spin/symbol_finder.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct chain_names {
	const struct chains *chains;
	struct symbol_finder finder;
	uint32_t *of_chain; /* [chain]: its name, plus one; 0: not looked for yet */
	struct chain_name *items;
	size_t count, capacity;
	struct map numbers; /* by text */
};

struct chain_names *chain_names_new(const struct chains *chains, const struct samples *samples)
{
	struct chain_names *names = xcalloc(1, sizeof(*names));

	names->chains = chains;
	names->of_chain = xcalloc(chains->count + 1, sizeof(*names->of_chain));
	symbol_finder_init(&names->finder, samples);
	return names;
}

static void free_name(struct chain_name *name)
{
	for (size_t i = 0; i < name->count; i++)
		free(name->functions[i]);
	free(name->text);
}

void chain_names_free(struct chain_names *names)
{
	if (!names)
		return;
	for (size_t i = 0; i < names->count; i++)
		free_name(&names->items[i]);
	symbol_finder_release(&names->finder);
	free(names->of_chain);
	free(names->items);
	map_release(&names->numbers);
	free(names);
}

/* --- One name ------------------------------------------------------------------------------ */

/* Where threads wait for whoever has called it. */
static bool is_library(const char *path)
{
	static const char *const names[] = {"libc.so",	"libc-",    "libpthread",
					    "ld-linux", "ld-musl-", "libstdc++.so"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(basename(path), names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* A function that calls itself counts once. */
static void add_function(struct chain_name *name, const struct symbol *symbol)
{
	char *text;

	if (is_library(symbol->path) || name->count == CHAIN_NAME_FUNCTIONS)
		return;
	text = symbol->function
		       ? demangle_or_copy(symbol->function)
		       : xasprintf("%s+0x%" PRIx64, basename(symbol->path), symbol->offset);
	if (name->count && strcmp(name->functions[name->count - 1], text) == 0)
		free(text);
	else
		name->functions[name->count++] = text;
}

static bool is_same(const struct symbol *a, const struct symbol *b)
{
	return a->function && b->function && strcmp(a->function, b->function) == 0 &&
	       strcmp(a->path, b->path) == 0;
}

/* Where it returns to belongs to the call before, which may be the last thing in its function. */
static bool add_caller(struct chain_name *name, struct symbol *inner, struct symbol_finder *finder,
		       const struct chain *chain, uint64_t return_ip)
{
	struct symbol called, symbol;
	enum call_found call;

	if (!symbol_finder_find(&symbol, finder, chain->pid, return_ip - 1, chain->time_ns))
		return false;
	call = symbol_finder_call(&called, finder, chain->pid, return_ip, chain->time_ns);
	if (call == CALL_NONE)
		return false;
	if (call == CALL_KNOWN && !is_same(&called, inner))
		add_function(name, &called);
	add_function(name, &symbol);
	*inner = symbol;
	return true;
}

static void add_functions(struct chain_name *name, struct symbol_finder *finder,
			  const struct chain *chain)
{
	struct symbol inner;

	if (!chain->count ||
	    !symbol_finder_find(&inner, finder, chain->pid, chain->frames[0], chain->time_ns))
		return;
	add_function(name, &inner);
	for (size_t i = 1; i < chain->count && name->count < CHAIN_NAME_FUNCTIONS; i++)
		if (!add_caller(name, &inner, finder, chain, chain->frames[i]))
			return;
}

static char *join(const struct chain_name *name)
{
	char *text = xstrdup(name->count ? name->functions[0] : "");

	for (size_t i = 1; i < name->count; i++) {
		char *longer = xasprintf("%s < %s", text, name->functions[i]);

		free(text);
		text = longer;
	}
	return text;
}

/* --- All of them --------------------------------------------------------------------------- */

/* Takes what is in `name`. */
static uint32_t intern(struct chain_names *names, struct chain_name *name)
{
	uint32_t number = map_add(&names->numbers, name->text, strlen(name->text));

	if (number < names->count) {
		free_name(name);
		return number + 1;
	}
	array_reserve(&names->items, &names->capacity, names->count + 1);
	names->items[names->count++] = *name;
	return number + 1;
}

static uint32_t look_for(struct chain_names *names, uint32_t chain)
{
	const struct chain frames = chains_get(names->chains, chain);
	struct chain_name name = {.count = 0};

	add_functions(&name, &names->finder, &frames);
	if (!name.count)
		return 0;
	name.text = join(&name);
	return intern(names, &name);
}

uint32_t chain_names_find(struct chain_names *names, uint32_t chain)
{
	if (!chain || chain > names->chains->count)
		return 0;
	if (!names->of_chain[chain])
		names->of_chain[chain] = look_for(names, chain) + 1;
	return names->of_chain[chain] - 1;
}

const struct chain_name *chain_names_get(const struct chain_names *names, uint32_t number)
{
	return &names->items[number - 1];
}

size_t chain_names_count(const struct chain_names *names)
{
	return names->count;
}
