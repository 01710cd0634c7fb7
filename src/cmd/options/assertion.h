/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --assert EXPRESSION: a condition on a result, as "nc >= 64" or "speedup(8).best > 3". A command
 * ends with STATUS_CONDITION if one is not met.
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

/* A quantity of a command; a list of them ends with the name NULL. A name in "_s" is a time. */
struct assertion_name {
	const char *name;
	int id;	      /* chosen by the command */
	bool takes_n; /* N follows, as in "speedup(8)" */
};

/*
 * The end of the interval that is compared. The default is the worse end: the lower one for "at
 * least", the upper one for "at most".
 */
enum assertion_side { ASSERTION_WORSE_END, ASSERTION_BEST, ASSERTION_LOW, ASSERTION_HIGH };
enum assertion_relation { ASSERTION_BELOW, ASSERTION_AT_MOST, ASSERTION_ABOVE, ASSERTION_AT_LEAST };

/* NAME[(N)][.best|.low|.high] RELATION NUMBER */
struct assertion {
	const char *text; /* as given on the command line; borrowed */
	const struct assertion_name *name;
	double n; /* 8 of "speedup(8)" */
	enum assertion_side side;
	enum assertion_relation relation;
	double bound;
};

struct assertions {
	const struct assertion_name *names; /* the quantities of the command */
	struct assertion *items;
	size_t count, failed;
	char *first; /* the error about the first one that failed; NULL: none did */
};

/* A value and its interval; NaN: unknown. Without an interval all three numbers are the same. */
struct assertion_value {
	double best, low, high;
	double level;	     /* confidence of the interval, 0..1 */
	const char *unknown; /* the reason for NaN: the end of "is not known: ..." */
	const char *where;   /* the part that has the value, as a function; NULL: the whole */
};

/* Returns the value of the assertion's quantity in `result`. */
typedef struct assertion_value (*assertion_get)(const void *result,
						const struct assertion *assertion);

extern const struct option assertion_options[]; /* --assert, for a struct assertions */

/* Reads `text`, which is borrowed, and adds it. Returns 0, or -1 with an error. */
int assertions_add(struct assertions *assertions, const char *text, struct err *err);

/*
 * Judges all assertions, and puts a table of them into `report` unless that is NULL or there are
 * none. Called once for each result; `source` is its name in errors, or NULL.
 */
void assertions_report(struct assertions *assertions, struct report *report, const char *source,
		       assertion_get get, const void *result);

/* Returns STATUS_DONE, or STATUS_CONDITION with the first failure as the error. */
int assertions_status(const struct assertions *assertions, struct err *err);
void assertions_release(struct assertions *assertions);

/* --- For one of them ----------------------------------------------------------------------- */

enum assertion_outcome { ASSERTION_HOLDS, ASSERTION_NOT_SHOWN, ASSERTION_FAILS, ASSERTION_UNKNOWN };

struct assertion_finding {
	enum assertion_outcome outcome;
	double value; /* the end of the interval that decided; NaN: unknown */
	char *text;   /* "fails: 24.6, at most 25.6 (95 %)"; the caller frees */
};

/*
 * Judges one assertion. It holds if the worse end of the interval meets it, fails if not even the
 * better end does, and is not shown in between. With ".best", ".low" or ".high" only that number
 * counts.
 */
struct assertion_finding assertion_judge(const struct assertion *assertion,
					 const struct assertion_value *value);

#endif
