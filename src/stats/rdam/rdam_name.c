/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/rdam/rdam_name.h"

#include "base/alloc.h"
#include "stats/rdam/block_trace.h"

#include <stdio.h>
#include <stdlib.h>

/*
 * A name shows so many tokens. A sequence may be nested as deep as it is long, and be so in each of
 * its parts: who would have to go deeper sees the first occurrence instead, without its runs.
 */
enum { SHOWN_MAX = 24, DEPTH_MAX = 256 };

/* What is written beside tokens. */
enum { GROUP = UINT32_MAX - 3, GROUP_END, REPEATED, BEYOND };

struct items {
	uint32_t list[2 * SHOWN_MAX + DEPTH_MAX];
	size_t count, tokens;
	bool cut;
};

static void add(struct items *items, uint32_t item)
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

static void push(struct pending *pending, uint32_t symbol)
{
	pending->stack[pending->depth++] = symbol;
}

static void push_part(struct pending *pending, const struct sequences *sequences, uint32_t symbol,
		      bool is_run)
{
	bool group = is_run && symbol >= SEQUENCE_SYMBOL &&
		     !is_one_block(&sequences->items[symbol - SEQUENCE_SYMBOL]);

	if (is_run)
		push(pending, group ? (uint32_t)GROUP_END : (uint32_t)REPEATED);
	push(pending, symbol);
	if (group)
		push(pending, GROUP);
}

/* Returns whether it was not too deep. */
static bool expand(struct items *items, const struct sequences *sequences, uint32_t sequence)
{
	struct pending pending = {.stack = {SEQUENCE_SYMBOL + sequence}, .depth = 1};

	while (pending.depth && !items->cut) {
		uint32_t symbol = pending.stack[--pending.depth];
		const struct sequence *of;

		if (symbol < SEQUENCE_SYMBOL || symbol >= (uint32_t)GROUP) {
			add(items, symbol);
			continue;
		}
		if (pending.depth + 6 > sizeof(pending.stack) / sizeof(*pending.stack))
			return false;
		of = &sequences->items[symbol - SEQUENCE_SYMBOL];
		push_part(&pending, sequences, of->parts[1], of->is_run[1]);
		push_part(&pending, sequences, of->parts[0], of->is_run[0]);
	}
	return true;
}

static void copy_first(struct items *items, const struct rdam_naming *naming, uint32_t sequence)
{
	const struct occurrence *first = &naming->sequences->items[sequence].occurrences[0];

	*items = (struct items){.count = 0};
	for (uint32_t i = first->begin; i < first->end && !items->cut; i++)
		add(items, naming->tokens[i]);
}

/* --- Words --------------------------------------------------------------------------------- */

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

char *rdam_name_of(const struct rdam_naming *naming, uint32_t sequence)
{
	struct items items = {.count = 0};
	char *name = NULL;
	size_t length;
	struct writing writing = {.to = open_memstream(&name, &length), .naming = naming};

	if (!writing.to)
		return xstrdup("...");
	if (!expand(&items, naming->sequences, sequence))
		copy_first(&items, naming, sequence);
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
