/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds columns of a table by what their names say they hold, or by name or number, and says so in
 * a sentence where there are none or several.
 */
#ifndef PSCAL_STATS_SERIES_COLUMN_FINDER_H
#define PSCAL_STATS_SERIES_COLUMN_FINDER_H

#include <stddef.h>

#include "stats/series/column_name.h"

struct csv_table;
struct err;
struct series_request;

/* In the place of a column: there is none; there are several, and the sentence has been written. */
enum { COLUMN_NONE = -1, COLUMN_SEVERAL = -2 };

struct column_finder {
	const struct csv_table *table;
	const struct series_request *request; /* that the columns are for */
	const struct column_name *names;      /* of each column */
	size_t count;
	struct err *err;
};

/*
 * The one column that holds the quantity: the plain name before others, strong names before weak
 * ones, and of several N the one that varies. `what` says what it is in a sentence.
 */
int column_finder_one(const struct column_finder *finder, enum quantity quantity, const char *what);

/* The first of some quantities that there is, but for one column. */
int column_finder_first(const struct column_finder *finder, const enum quantity *quantities,
			size_t count, int except);

/* The column of that number or name, or -1 with a sentence that says which there are. */
int column_finder_said(const struct column_finder *finder, const char *text);

/* Both return -1 with a sentence. What is missing may go by another name. */
int column_finder_missing(const struct column_finder *finder, const char *what, const char *name);
int column_finder_several(const struct column_finder *finder, size_t one, size_t other,
			  const char *what);

#endif
