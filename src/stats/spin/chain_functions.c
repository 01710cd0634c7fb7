/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/spin/chain_functions.h"

#include "decode/event/samples.h"
#include "stats/spin/symbol_finder.h"

#include <stdint.h>
#include <string.h>

struct chain_walk {
	struct symbol_finder *finder;
	const struct chain *chain;
	bool (*take)(void *context, const struct symbol *symbol);
	void *context;
	struct symbol first; /* the function that the thread began with; no name: not known */
	struct symbol last;  /* found, and not yet taken */
	bool has_last;
	bool in_program; /* a function outside of the libraries was found */
	bool has_first;
	bool is_full;
};

static bool is_same(const struct symbol *a, const struct symbol *b)
{
	return a->function && b->function && strcmp(a->function, b->function) == 0 &&
	       strcmp(a->path, b->path) == 0;
}

static void walk_take_last(struct chain_walk *walk)
{
	if (walk->has_last && !walk->is_full)
		walk->is_full = !walk->take(walk->context, &walk->last);
	walk->has_last = false;
}

/* Takes a function when the next one is found: the first one of the thread may come between. */
static void walk_take(struct chain_walk *walk, const struct symbol *symbol)
{
	walk_take_last(walk);
	walk->last = *symbol;
	walk->has_last = true;
	walk->in_program |= !symbol->of_library;
	walk->has_first |= is_same(symbol, &walk->first);
}

/* Takes the caller, by the call before the return address, which may be past its function. */
static bool walk_caller(struct chain_walk *walk, struct symbol *inner, uint64_t return_ip)
{
	const struct chain *chain = walk->chain;
	struct symbol called, symbol;
	enum call_found call;

	if (!symbol_finder_find(&symbol, walk->finder, chain->pid, return_ip - 1, chain->time_ns))
		return false;
	call = symbol_finder_call(&called, walk->finder, chain->pid, return_ip, chain->time_ns);
	if (call == CALL_NONE)
		return false;
	if (call == CALL_KNOWN && !is_same(&called, inner))
		walk_take(walk, &called);
	walk_take(walk, &symbol);
	*inner = symbol;
	return true;
}

/* Returns true if the call there is of a function of the program, but `inner` is of a library. */
static bool is_of_earlier_call(const struct chain_walk *walk, const struct symbol *inner,
			       uint64_t return_ip)
{
	struct symbol called;

	return inner->of_library &&
	       symbol_finder_call(&called, walk->finder, walk->chain->pid, return_ip,
				  walk->chain->time_ns) == CALL_KNOWN &&
	       !called.of_library;
}

/*
 * Takes the functions of the words before the frames, of `count`: up to the first one of the
 * program. Returns the place of the next frame.
 */
static size_t walk_words(struct chain_walk *walk, struct symbol *outer, size_t count)
{
	size_t frames = 1;

	while (frames < count && walk->chain->frames[frames] != CHAIN_FRAMES_FROM)
		frames++;
	if (frames == count)
		return 1;
	for (size_t i = 1; i < frames && !walk->in_program; i++)
		if (!is_of_earlier_call(walk, outer, walk->chain->frames[i]))
			walk_caller(walk, outer, walk->chain->frames[i]);
	return frames + 1;
}

/* Takes the functions of the frames. Returns true at the end, with the outermost in *outer. */
static bool walk_frames(struct chain_walk *walk, struct symbol *outer, size_t count)
{
	const struct chain *chain = walk->chain;

	if (!count ||
	    !symbol_finder_find(outer, walk->finder, chain->pid, chain->frames[0], chain->time_ns))
		return false;
	walk_take(walk, outer);
	for (size_t i = walk_words(walk, outer, count); i < count && !walk->is_full; i++)
		if (!walk_caller(walk, outer, chain->frames[i]))
			return false;
	return true;
}

/* Finds the function that the thread of a chain began with. */
static void find_first(struct chain_walk *walk, uint64_t routine)
{
	struct symbol *first = &walk->first;

	if (!routine)
		*first = (struct symbol){.path = "", .function = "main"};
	else if (!symbol_finder_find(first, walk->finder, walk->chain->pid, routine,
				     walk->chain->time_ns) ||
		 first->offset)
		first->function = NULL;
}

/* The library calls the first function of a thread, which may have no frame. */
void chain_functions(struct symbol_finder *finder, const struct chain *chain,
		     bool (*take)(void *context, const struct symbol *symbol), void *context)
{
	struct chain_walk walk = {
		.finder = finder, .chain = chain, .take = take, .context = context};
	size_t count = chain->count;
	bool began = count > 2 && chain->frames[count - 2] == CHAIN_BEGAN_WITH;
	uint64_t routine = began ? chain->frames[count - 1] : 0;
	struct symbol outer;

	if (began)
		find_first(&walk, routine);
	if (walk_frames(&walk, &outer, began ? count - 2 : count) && outer.of_library &&
	    count > 3 && walk.first.function && !walk.is_full &&
	    !(routine ? walk.has_first : walk.in_program))
		walk.is_full = !take(context, &walk.first);
	walk_take_last(&walk);
}
