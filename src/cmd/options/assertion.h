/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --assert EXPRESSION: a condition on a result, as "nc >= 64" or "speedup(8).best > 3". If one is not
 * met the command ends with STATUS_CONDITION.
 *
 * A command lists the names that it knows, and gives the value of each with its interval:
 *
 *	static const struct assertion_name names[] = {{"wall_s", .id = WALL},
 *		{"speedup", .id = SPEEDUP, .takes_n = true}, {.name = NULL}};
 *	struct request {
 *		struct assertions assertions;
 *	} request = {.assertions.names = names};
 *	static const struct option table[] = {
 *		{.type = OPTION_TABLE, .table = assertion_options, .at = IN(assertions)}, ...
 *
 *	assertions_report(&request.assertions, report, NULL, value_of, result);
 *	status = assertions_status(&request.assertions, err);
 *	assertions_release(&request.assertions);
 */
#ifndef PSCAL_CMD_OPTIONS_ASSERTION_H
#define PSCAL_CMD_OPTIONS_ASSERTION_H

#include "cmd/options/options.h"

#include <stdbool.h>
#include <stddef.h>

struct err;
struct report;

/* The quantities of a command: the list ends with the name NULL. A name in "_s" is a time. */
struct assertion_name {
	const char *name;
	int id;	      /* of the command's own */
	bool takes_n; /* "speedup(8)" */
};

/* The end of the interval that is compared; by default the worse one: "at least" has to be true of the
 * lower end, "at most" of the upper end. */
enum assertion_side { ASSERTION_WORSE_END, ASSERTION_BEST, ASSERTION_LOW, ASSERTION_HIGH };
enum assertion_relation { ASSERTION_BELOW, ASSERTION_AT_MOST, ASSERTION_ABOVE, ASSERTION_AT_LEAST };

/* NAME[(N)][.best|.low|.high] RELATION NUMBER */
struct assertion {
	const char *text; /* as it was typed; borrowed */
	const struct assertion_name *name;
	double n; /* of a name that takes one */
	enum assertion_side side;
	enum assertion_relation relation;
	double bound;
};

struct assertions {
	const struct assertion_name *names; /* of the command */
	struct assertion *items;
	size_t count, failed;
	char *first; /* a sentence about the first one that failed; NULL: none did */
};

/* A value; NaN: unknown. Without an interval all three numbers are the same. */
struct assertion_value {
	double best, low, high;
	double level;	     /* confidence of the interval, 0..1 */
	const char *unknown; /* why something is NaN: the end of "not known: ..." */
	const char *where;   /* what it is the value of, as a function; NULL: of the whole */
};

/* The value of what the assertion names, in `result`. */
typedef struct assertion_value (*assertion_get)(const void *result,
						const struct assertion *assertion);

extern const struct option assertion_options[]; /* --assert, of a struct assertions */

/* Adds one. Returns 0, or -1 with a sentence. */
int assertions_add(struct assertions *assertions, const char *text, struct err *err);

/*
 * Judges all, and puts a table into the report, unless that is NULL; nothing if there are none. To be
 * called once for each result, of which `source` is the name in sentences, or NULL.
 */
void assertions_report(struct assertions *assertions, struct report *report, const char *source,
		       assertion_get get, const void *result);

/* STATUS_DONE, or STATUS_CONDITION with a sentence. */
int assertions_status(const struct assertions *assertions, struct err *err);
void assertions_release(struct assertions *assertions);

/* --- For one of them ----------------------------------------------------------------------- */

enum assertion_outcome { ASSERTION_HOLDS, ASSERTION_NOT_SHOWN, ASSERTION_FAILS, ASSERTION_UNKNOWN };

struct assertion_finding {
	enum assertion_outcome outcome;
	double value; /* that decided; NaN: unknown */
	char *text;   /* "fails: 24.6, at most 25.6 (95 %)"; the caller frees */
};

/*
 * It holds if the worse end of the interval meets it, fails if the better end does not either, and is
 * not shown in between. Where a side is asked for only this one is compared.
 */
struct assertion_finding assertion_judge(const struct assertion *assertion,
					 const struct assertion_value *value);

#endif
