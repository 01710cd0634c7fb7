/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a sequence is called: "Foo { Bar+ (Baz Qux { Bar })+ }". A block with nothing in it is its
 * name, "+" is a run, "leave Foo" a leave whose enter is not in the sequence; an enter without a
 * leave keeps its brace open. Long ones end in "...".
 */
#ifndef PSCAL_STATS_RDAM_RDAM_NAME_H
#define PSCAL_STATS_RDAM_RDAM_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/event/blocks.h"
#include "stats/rdam/sequences.h"

struct rdam_naming {
	const struct blocks *blocks;
	const struct sequences *sequences;
	const uint32_t *tokens; /* in which they were found */
	const char *detail;	/* behind the first name: "(n=7)"; may be empty */
	bool braces;		/* also where there is nothing between them */
};

/* To be freed. */
char *rdam_name_of(const struct rdam_naming *naming, uint32_t sequence);

#endif
