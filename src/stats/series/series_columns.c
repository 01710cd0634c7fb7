/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/series/series_columns.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/csv_table.h"
#include "base/parse.h"
#include "stats/series/series.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The words of a name: "Response Time (ms)" is response, time and the unit ms. */
enum { WORDS_MAX = 8, NAME_MAX_BYTES = 64 };

struct words {
	char text[NAME_MAX_BYTES];
	const char *word[WORDS_MAX];
	size_t count;
	const char *unit;   /* the unit in brackets, or NULL */
	bool function_of_n; /* s(n) */
	bool per;	    /* work per time */
};

static const char *const n_words[] = {
	"n",	   "threads", "cores", "processors", "concurrency", "load",	   "users",
	"clients", "workers", "nodes", "procs",	     "processes",   "cpus",	   "connections",
	"tasks",   "ranks",   "p",     "np",	     "vusers",	    "parallelism", NULL};
/* Words for N together with "num", "count" and the like: alone they name one thread or core. */
static const char *const n_singulars[] = {"thread", "core",    "processor",  "user", "client",
					  "worker", "node",    "proc",	     "cpu",  "task",
					  "rank",   "process", "connection", NULL};
static const char *const throughput_words[] = {
	"throughput", "tput",	 "thruput",   "rate",  "ops",	 "qps",	   "rps", "tps",
	"iops",	      "goodput", "bandwidth", "flops", "mflops", "gflops", NULL};
static const char *const time_words[] = {
	"time",	       "wall",		"walltime", "wallclock", "wallclocktime", "elapsed",
	"elapsedtime", "seconds",	"secs",	    "sec",	 "duration",	  "runtime",
	"exectime",    "executiontime", "t",	    "makespan",	 "real",	  NULL};
static const char *const latency_words[] = {"latency",	     "response",    "responsetime",
					    "resptime",	     "rt",	    "r",
					    "residencetime", "sojourntime", NULL};
static const char *const speedup_words[] = {
	"speedup", "relativespeedup", "relativecapacity", "scaleup", "c", NULL};
static const char *const clock_words[] = {"timestamp", "clock", "date", "when", "epoch", NULL};
static const char *const total_words[] = {"total", "cumulative", "totalcount", NULL};
/* Words for completed work; per time it is a throughput. */
static const char *const work_words[] = {
	"completions", "completed", "count", "requests", "reqs",  "req",      "transactions",
	"operations",  "items",	    "jobs",  "queries",	 "calls", "messages", "msgs",
	"txns",	       "bytes",	    "kb",    "mb",	 "gb",	  "kib",      "mib",
	"gib",	       "op",	    "ops",   "tx",	 NULL};
static const char *const idle_words[] = {"mean",       "avg",	   "average", "measured", "num",
					 "number",     "no",	   "nr",      "of",	  "the",
					 "concurrent", "parallel", "virtual", NULL};
static const char *const per_words[] = {"per", NULL};

static const struct {
	const char *name;
	double seconds;
} units[] = {
	{"ns", 1e-9},	     {"nsec", 1e-9},  {"us", 1e-6},   {"usec", 1e-6},
	{"ms", 1e-3},	     {"msec", 1e-3},  {"s", 1},	      {"sec", 1},
	{"secs", 1},	     {"second", 1},   {"seconds", 1}, {"h", 3600},
	{"hours", 3600},     {"minutes", 60}, {"minute", 60}, {"\xc2\xb5s", 1e-6},
	{"\xce\xbcs", 1e-6},
};
enum { UNITS = sizeof(units) / sizeof(units[0]) };

static bool is_one_of(const char *word, const char *const *words)
{
	for (; *words; words++)
		if (strcmp(word, *words) == 0)
			return true;
	return false;
}

/* Returns the unit in seconds; 0: none. "min" is a minute only in brackets, else a minimum. */
static double unit_seconds(const char *word, bool bracketed)
{
	for (size_t i = 0; i < UNITS; i++)
		if (strcmp(word, units[i].name) == 0)
			return units[i].seconds;
	return bracketed && (strcmp(word, "min") == 0 || strcmp(word, "mins") == 0) ? 60 : 0;
}

/* --- Words --------------------------------------------------------------------------------- */

/* Cuts a part in brackets off the end. */
static void split_unit(struct words *words)
{
	char *open = strpbrk(words->text, "([");

	if (!open)
		return;
	*open++ = '\0';
	open[strcspn(open, ")]")] = '\0';
	words->function_of_n = strcmp(open, "n") == 0 || strcmp(open, "p") == 0;
	words->unit = words->function_of_n ? NULL : open;
	words->per = strchr(open, '/') || strstr(open, "per ");
}

static int split(struct words *words, const char *name)
{
	static const char between[] = " \t_-./";
	char *rest = words->text;

	if (strlen(name) >= sizeof(words->text))
		return -1;
	for (size_t i = 0; name[i]; i++)
		words->text[i] = (char)tolower((unsigned char)name[i]);
	split_unit(words);
	words->per |= strchr(words->text, '/') != NULL;
	for (char *word; (word = strsep(&rest, between));) {
		if (!*word || is_one_of(word, idle_words))
			continue;
		if (is_one_of(word, per_words)) {
			words->per = true;
			continue;
		}
		if (words->count == WORDS_MAX)
			return -1;
		words->word[words->count++] = word;
	}
	return words->count ? 0 : -1;
}

/* Returns the first `count` words as one. */
static const char *join(char out[NAME_MAX_BYTES], const struct words *words, size_t count)
{
	*out = '\0';
	for (size_t i = 0; i < count; i++)
		strcat(out, words->word[i]);
	return out;
}

/* --- Quantities ---------------------------------------------------------------------------- */

static bool names_n(const struct words *words, const char *name)
{
	const char *last = words->word[words->count - 1];
	bool counted = words->count == 2 && strcmp(last, "count") == 0;

	if (is_one_of(name, n_words))
		return true;
	if (counted && is_one_of(words->word[0], n_singulars))
		return true;
	/* nthreads */
	return *name == 'n' && strlen(name) > 2 && is_one_of(name + 1, n_words);
}

static enum quantity function_of_n(const char *name)
{
	static const struct {
		const char *name;
		enum quantity quantity;
	} functions[] = {{"x", QUANTITY_THROUGHPUT},
			 {"s", QUANTITY_SPEEDUP},
			 {"c", QUANTITY_SPEEDUP},
			 {"r", QUANTITY_LATENCY},
			 {"t", QUANTITY_TIME}};

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (strcmp(name, functions[i].name) == 0)
			return functions[i].quantity;
	return QUANTITY_UNKNOWN;
}

static enum quantity quantity_of(const struct words *words, const char *name)
{
	if (words->function_of_n && function_of_n(name))
		return function_of_n(name);
	if (names_n(words, name))
		return QUANTITY_N;
	if (is_one_of(name, throughput_words))
		return QUANTITY_THROUGHPUT;
	if (is_one_of(name, latency_words))
		return QUANTITY_LATENCY;
	if (is_one_of(name, time_words))
		return words->per ? QUANTITY_UNKNOWN : QUANTITY_TIME;
	if (is_one_of(name, speedup_words))
		return QUANTITY_SPEEDUP;
	if (is_one_of(name, clock_words))
		return QUANTITY_CLOCK;
	if (is_one_of(name, total_words))
		return QUANTITY_TOTAL;
	if (strcmp(name, "x") == 0 || strcmp(name, "y") == 0)
		return *name == 'x' ? QUANTITY_X : QUANTITY_Y;
	return strcmp(name, "s") == 0 ? QUANTITY_UNCLEAR : QUANTITY_UNKNOWN;
}

/* Finds work: "requests per second" and "req_s" are throughputs, "requests" a count or a total. */
static enum quantity quantity_of_work(const struct words *words)
{
	size_t first =
		strcmp(words->word[0], "total") == 0 || strncmp(words->word[0], "cum", 3) == 0;
	const char *last = words->word[words->count - 1];
	bool total = first || strcmp(last, "total") == 0;

	if (first == words->count || !is_one_of(words->word[first], work_words))
		return QUANTITY_UNKNOWN;
	if (words->per || (words->count > 1 && unit_seconds(last, false) > 0))
		return QUANTITY_THROUGHPUT;
	if (words->count > 1U + total)
		return QUANTITY_UNKNOWN;
	return total ? QUANTITY_TOTAL : QUANTITY_COUNT;
}

/* Returns true for a unit behind a name, which keeps the meaning: of a throughput also work. */
static bool is_unit(const char *word, enum quantity quantity)
{
	return unit_seconds(word, false) > 0 ||
	       (quantity == QUANTITY_THROUGHPUT && is_one_of(word, work_words));
}

/* Finds the longest known beginning of the name, with only units behind it: cpu_s is not cpus. */
static enum quantity find_name(size_t *used, const struct words *words)
{
	char name[NAME_MAX_BYTES];

	for (*used = words->count; *used > 0; --*used) {
		enum quantity quantity = quantity_of(words, join(name, words, *used));
		size_t i = *used;

		if (i > 1 && unit_seconds(words->word[i - 1], false) > 0)
			continue;
		while (quantity && i < words->count && is_unit(words->word[i], quantity))
			i++;
		if (quantity && i == words->count)
			return quantity;
	}
	return QUANTITY_UNKNOWN;
}

static bool tells_duration(const char *word)
{
	return strlen(word) > 1 && (is_one_of(word, time_words) || is_one_of(word, latency_words));
}

/* Returns true for a time, as "cpu_time", "p99_ms" and "ns/op", but not "frames per second". */
static bool is_some_time(const struct words *words)
{
	bool unit = words->unit && unit_seconds(words->unit, true) > 0;

	for (size_t i = 0; i < words->count; i++) {
		unit |= unit_seconds(words->word[i], false) > 0 && !(words->per && i);
		if (tells_duration(words->word[i]) && unit_seconds(words->word[i], false) == 0)
			return true;
	}
	return unit;
}

static void read_scale(struct column_name *name, const struct words *words, size_t used)
{
	const char *unit = words->unit;
	double seconds;

	if (!unit && used < words->count)
		unit = words->word[words->count - 1];
	seconds = unit ? unit_seconds(unit, words->unit != NULL) : 0;
	name->scaled = seconds > 0;
	if (name->scaled)
		name->scale = seconds;
}

struct column_name column_name_read(const char *name)
{
	struct column_name found = {.scale = 1};
	struct words words = {.count = 0};
	size_t used = 0;

	if (!name || split(&words, name))
		return found;
	found.quantity = find_name(&used, &words);
	if (!found.quantity)
		found.quantity = quantity_of_work(&words);
	if (!found.quantity && is_some_time(&words))
		found.quantity = QUANTITY_UNCLEAR;
	found.plain = words.count == 1 && !words.unit &&
		      (strcmp(words.word[0], "n") == 0 || strcmp(words.word[0], "throughput") == 0);
	found.weak = strcmp(words.word[0], "ops") == 0 && words.count == 1 && !words.per;
	if (found.quantity == QUANTITY_TIME || found.quantity == QUANTITY_LATENCY ||
	    found.quantity == QUANTITY_CLOCK || found.quantity == QUANTITY_UNCLEAR)
		read_scale(&found, &words, used);
	if (found.quantity == QUANTITY_TIME && strncmp(words.word[0], "sec", 3) == 0)
		found.scaled = true;
	return found;
}

const char *quantity_name(enum quantity quantity)
{
	static const char *const names[QUANTITIES] = {
		[QUANTITY_UNKNOWN] = "unknown",
		[QUANTITY_UNCLEAR] = "unclear",
		[QUANTITY_N] = "n",
		[QUANTITY_THROUGHPUT] = "throughput",
		[QUANTITY_TIME] = "time",
		[QUANTITY_LATENCY] = "latency",
		[QUANTITY_SPEEDUP] = "speedup",
		[QUANTITY_COUNT] = "count",
		[QUANTITY_TOTAL] = "total",
		[QUANTITY_CLOCK] = "clock",
		[QUANTITY_X] = "x",
		[QUANTITY_Y] = "y",
	};

	return names[quantity];
}

/* --- The search for one column ------------------------------------------------------------- */

/* Values in place of a column: no column; several columns, and the error is set. */
enum { COLUMN_NONE = -1, COLUMN_SEVERAL = -2 };

struct column_finder {
	const struct csv_table *table;
	const struct series_request *request; /* the request for the columns */
	const struct column_name *names;      /* the names of all columns */
	size_t count;
	struct err *err;
};

/* Writes "'threads', 'elapsed', ...", or "columns 1 to 3". */
static void list_columns(char *out, size_t size, const struct column_finder *finder)
{
	size_t used = 0;

	if (!csv_table_heading(finder->table, 0)) {
		snprintf(out, size, "columns 1 to %zu, without names", finder->count);
		return;
	}
	*out = '\0';
	for (size_t i = 0; i < finder->count; i++) {
		char name[CSV_NAME_BYTES];

		csv_table_column_name(name, finder->table, i);
		if (used + strlen(name) + 8 > size) {
			strcpy(out + used, ", ...");
			return;
		}
		used += (size_t)sprintf(out + used, "%s%s", i ? ", " : "", name);
	}
}

/* Set the error of a missing column, or of two possible ones. Both return -1. */
static int finder_missing(const struct column_finder *finder, const char *what, const char *name)
{
	char columns[400];

	list_columns(columns, sizeof(columns), finder);
	return err_set(finder->err,
		       "%s: the header names no %s; name its column '%s', or choose it with "
		       "--columns: there "
		       "are %s",
		       csv_table_source(finder->table), what, name, columns);
}

/* Sets the error of a column that may hold several quantities. Returns -1. */
static int finder_unclear(const struct column_finder *finder, int n, int value)
{
	char name[CSV_NAME_BYTES];

	csv_table_column_name(name, finder->table, (size_t)value);
	return err_set(finder->err,
		       "%s: the name of %s does not tell its quantity; say --columns %d,time:%d "
		       "if it is a run time, else %d,throughput:%d or %d,latency:%d",
		       csv_table_source(finder->table), name, n + 1, value + 1, n + 1, value + 1,
		       n + 1, value + 1);
}

static int finder_several(const struct column_finder *finder, size_t one, size_t other,
			  const char *what)
{
	char names[2][CSV_NAME_BYTES];

	csv_table_column_name(names[0], finder->table, one);
	csv_table_column_name(names[1], finder->table, other);
	return err_set(finder->err,
		       "%s: %s and %s may both be the %s; choose with --columns, N first",
		       csv_table_source(finder->table), names[0], names[1], what);
}

/* Returns true if all cells of the column are equal. */
static bool is_constant(const struct column_finder *finder, size_t column)
{
	const char *first = csv_table_cell(finder->table, 0, column);

	for (size_t row = 1; row < csv_table_rows(finder->table); row++) {
		const char *cell = csv_table_cell(finder->table, row, column);

		if (!first || !cell || strcmp(cell, first) != 0)
			return false;
	}
	return true;
}

/*
 * Returns the one column that holds the quantity: the plain name before others, strong names before
 * weak ones, and of several N the one that varies. `what` names the quantity in an error.
 */
static int finder_one(const struct column_finder *finder, enum quantity quantity, const char *what)
{
	int best = COLUMN_NONE, rival = COLUMN_NONE;
	int best_rank = -1;

	for (size_t i = 0; i < finder->count; i++) {
		const struct column_name *name = &finder->names[i];
		int rank = name->plain ? 3 : name->weak ? 0 : 2;

		if (name->quantity != quantity)
			continue;
		if (best != COLUMN_NONE && quantity == QUANTITY_N && rank < 3 &&
		    is_constant(finder, i))
			continue;
		if (best != COLUMN_NONE && quantity == QUANTITY_N && best_rank < 3 &&
		    is_constant(finder, (size_t)best))
			best_rank = -1;
		if (rank > best_rank) {
			best = (int)i;
			best_rank = rank;
			rival = COLUMN_NONE;
		} else if (rank == best_rank) {
			rival = (int)i;
		}
	}
	if (rival == COLUMN_NONE)
		return best;
	finder_several(finder, (size_t)best, (size_t)rival, what);
	return COLUMN_SEVERAL;
}

/* Returns the first of some quantities that has a column, except for one column. */
static int finder_first(const struct column_finder *finder, const enum quantity *quantities,
			size_t count, int except)
{
	int found = COLUMN_NONE;

	for (size_t i = 0; i < count && found == COLUMN_NONE; i++) {
		found = finder_one(finder, quantities[i], quantity_name(quantities[i]));
		if (found == except)
			found = COLUMN_NONE;
	}
	return found;
}

/* Returns the column with this number or name, or -1 with an error that lists the columns. */
static int finder_said(const struct column_finder *finder, const char *text)
{
	char columns[400];
	uint64_t number;
	int found = COLUMN_NONE;

	if (parse_u64(&number, text, finder->count) == 0 && number > 0)
		return (int)number - 1;
	for (size_t i = 0; csv_table_heading(finder->table, 0) && i < finder->count; i++) {
		if (strcasecmp(csv_table_heading(finder->table, i), text) != 0)
			continue;
		if (found != COLUMN_NONE)
			return err_set(finder->err,
				       "%s: columns %d and %zu are both named '%s'; give the "
				       "number of one",
				       csv_table_source(finder->table), found + 1, i + 1, text);
		found = (int)i;
	}
	if (found != COLUMN_NONE)
		return found;
	list_columns(columns, sizeof(columns), finder);
	return err_set(finder->err, "%s: there is no column '%.80s'; there are %s",
		       csv_table_source(finder->table), text, columns);
}

/* --- Columns by their names ---------------------------------------------------------------- */

static int find_n(const struct column_finder *finder)
{
	int n = finder_one(finder, QUANTITY_N, "N");

	if (n != COLUMN_NONE)
		return n;
	/* (x, y) and (x, throughput) */
	return finder_one(finder, QUANTITY_X, "N");
}

/* Checks a column "ops": beside a time it may be the work done in that time. */
static int check_weak(const struct column_finder *finder, int value)
{
	int time;

	if (value < 0 || !finder->names[value].weak)
		return value;
	time = finder_one(finder, QUANTITY_TIME, "time");
	if (time == COLUMN_NONE)
		return value;
	if (time != COLUMN_SEVERAL)
		err_set(finder->err,
			"%s: column %d ('ops') may be throughput, or the work done in column %d; "
			"use --columns N,throughput:ops, or --columns N,time:%d --work ops",
			csv_table_source(finder->table), value + 1, time + 1, time + 1);
	return COLUMN_SEVERAL;
}

/* Finds a time, a latency or a speedup, which follows from the time beside it. */
static int find_other_value(const struct column_finder *finder)
{
	int time = finder_one(finder, QUANTITY_TIME, "time");
	int latency = time == COLUMN_SEVERAL ? COLUMN_SEVERAL
					     : finder_one(finder, QUANTITY_LATENCY, "latency");

	if (latency == COLUMN_SEVERAL)
		return COLUMN_SEVERAL;
	if (time >= 0 && latency >= 0) {
		finder_several(finder, (size_t)time, (size_t)latency, "measured column");
		return COLUMN_SEVERAL;
	}
	if (time >= 0 || latency >= 0)
		return time >= 0 ? time : latency;
	return finder_one(finder, QUANTITY_SPEEDUP, "speedup");
}

static int find_value(const struct column_finder *finder, int n)
{
	static const enum quantity plain[] = {QUANTITY_THROUGHPUT, QUANTITY_Y, QUANTITY_X};
	static const enum quantity logged[] = {QUANTITY_THROUGHPUT, QUANTITY_TOTAL, QUANTITY_COUNT};
	int value;

	if (finder->request->from_log)
		return check_weak(finder, finder_first(finder, logged, 3, n));
	value = check_weak(finder, finder_first(finder, plain, 3, n));
	if (value >= 0 && finder->names[value].quantity == QUANTITY_Y) {
		/* (n, x, y): with another N, x is no N */
		int x = finder_first(finder, plain + 2, 1, n);

		if (x >= 0) {
			finder_several(finder, (size_t)x, (size_t)value, "throughput");
			return COLUMN_SEVERAL;
		}
	}
	return value == COLUMN_NONE ? find_other_value(finder) : value;
}

/* Completes a pair of columns from one of them, unless the name of the other contradicts. */
static void find_partner(struct series_columns *columns, const struct column_finder *finder)
{
	bool unnamed[2];

	if (finder->count != 2)
		return;
	for (size_t i = 0; i < 2; i++)
		unnamed[i] = finder->names[i].quantity == QUANTITY_UNKNOWN;
	if (columns->n == COLUMN_NONE && columns->value == COLUMN_NONE &&
	    (unnamed[0] || finder->names[0].quantity == QUANTITY_X))
		columns->n = 0;
	if (columns->n == COLUMN_NONE && columns->value != COLUMN_NONE &&
	    unnamed[1 - columns->value])
		columns->n = 1 - columns->value;
	if (columns->value == COLUMN_NONE && columns->n != COLUMN_NONE &&
	    (unnamed[1 - columns->n] || finder->names[1 - columns->n].quantity == QUANTITY_COUNT))
		columns->value = 1 - columns->n;
}

static int find_by_names(struct series_columns *columns, const struct column_finder *finder)
{
	columns->n = find_n(finder);
	columns->value =
		columns->n == COLUMN_SEVERAL ? COLUMN_SEVERAL : find_value(finder, columns->n);
	if (columns->value == COLUMN_SEVERAL)
		return -1;
	find_partner(columns, finder);
	if (columns->n == COLUMN_NONE)
		return finder_missing(finder, "number of threads", "n");
	if (columns->value != COLUMN_NONE)
		return 0;
	if (finder->count == 2 && finder->names[1 - columns->n].quantity == QUANTITY_UNCLEAR)
		return finder_unclear(finder, columns->n, 1 - columns->n);
	return finder_missing(finder, "throughput", "throughput");
}

/* --- Chosen columns ------------------------------------------------------------------------ */

static bool is_value(enum quantity quantity)
{
	return quantity == QUANTITY_THROUGHPUT || quantity == QUANTITY_TIME ||
	       quantity == QUANTITY_LATENCY || quantity == QUANTITY_SPEEDUP ||
	       quantity == QUANTITY_Y;
}

/* A chosen column, with the chosen quantity, or that of its name, or of its place. */
struct said {
	int column;
	enum quantity quantity;
};

static enum quantity said_quantity(const struct column_finder *finder, size_t i, int column)
{
	enum quantity quantity = finder->request->columns[i].quantity;

	return quantity ? quantity : finder->names[column].quantity;
}

/* Returns the place of N in a pair: the chosen one, else the first, unless the names differ. */
static size_t which_is_n(const struct series_request *request, const struct said *said)
{
	for (size_t i = 0; i < 2; i++)
		if (request->columns[i].quantity)
			return request->columns[i].quantity == QUANTITY_N ? i : 1 - i;
	return is_value(said[0].quantity) && said[1].quantity == QUANTITY_N;
}

static int take_pair(struct series_columns *columns, const struct column_finder *finder,
		     const struct said *said)
{
	const struct series_request *request = finder->request;
	size_t n = which_is_n(request, said);

	columns->n = said[n].column;
	columns->value = said[1 - n].column;
	columns->quantity = said[1 - n].quantity;
	if (request->columns[n].quantity && request->columns[n].quantity != QUANTITY_N)
		return err_set(finder->err, "--columns: one of the two columns must be N");
	if (columns->quantity == QUANTITY_N || columns->quantity == QUANTITY_UNCLEAR)
		return finder_unclear(finder, columns->n, columns->value);
	return 0;
}

/* Takes the columns of a log: three with known quantities, or two without a clock. */
static int take_logged(struct series_columns *columns, const struct column_finder *finder,
		       const struct said *said)
{
	columns->n = columns->value = COLUMN_NONE;
	for (size_t i = 0; i < finder->request->column_count; i++) {
		enum quantity quantity = said[i].quantity;
		bool is_clock = quantity == QUANTITY_CLOCK || quantity == QUANTITY_TIME;
		int *place = is_clock		      ? &columns->clock
			     : quantity == QUANTITY_N ? &columns->n
						      : &columns->value;

		if (!is_clock && quantity != QUANTITY_N && quantity != QUANTITY_THROUGHPUT &&
		    quantity != QUANTITY_COUNT && quantity != QUANTITY_TOTAL)
			return err_set(finder->err,
				       "%s: say what column %d of the log holds: time:%d, n:%d, "
				       "throughput:%d, count:%d or total:%d",
				       csv_table_source(finder->table), said[i].column + 1,
				       said[i].column + 1, said[i].column + 1, said[i].column + 1,
				       said[i].column + 1, said[i].column + 1);
		if (*place != COLUMN_NONE)
			return finder_several(finder, (size_t)*place, (size_t)said[i].column,
					      quantity_name(quantity));
		*place = said[i].column;
		if (place == &columns->value)
			columns->quantity = quantity;
	}
	if (columns->n == COLUMN_NONE || columns->value == COLUMN_NONE)
		return err_set(finder->err,
			       "--columns of a log names N, and a throughput, a count or a total");
	return 0;
}

static int take_said(struct series_columns *columns, const struct column_finder *finder)
{
	struct said said[COLUMN_CHOICES];

	for (size_t i = 0; i < finder->request->column_count; i++) {
		said[i].column = finder_said(finder, finder->request->columns[i].column);
		if (said[i].column < 0)
			return -1;
		said[i].quantity = said_quantity(finder, i, said[i].column);
	}
	if (finder->request->from_log)
		return take_logged(columns, finder, said);
	return take_pair(columns, finder, said);
}

/* --- All columns --------------------------------------------------------------------------- */

static int finder_check_count(const struct column_finder *finder)
{
	if (finder->count < 2)
		err_set(finder->err, "one column; N and throughput need two, separated by "
				     "commas, semicolons, TABs or blanks");
	/* Three columns without names may be two with decimal commas. */
	else if (finder->count > 2 && !csv_table_heading(finder->table, 0) &&
		 !finder->request->column_count)
		err_set(finder->err,
			"%zu columns and no header; add a first line 'n,throughput,...', or choose "
			"with --columns 1,2, and write decimal points",
			finder->count);
	else
		return 0;
	return csv_table_wrap(finder->table, 0, CSV_WHOLE_ROW, finder->err);
}

/* Finds the clock of a log: a time stamp, else a time. */
static int find_clock(struct series_columns *columns, const struct column_finder *finder)
{
	static const enum quantity clocks[] = {QUANTITY_CLOCK, QUANTITY_TIME};

	if (!finder->request->from_log)
		return 0;
	if (!finder->request->column_count)
		columns->clock = finder_first(finder, clocks, 2, COLUMN_NONE);
	if (columns->clock == COLUMN_SEVERAL)
		return -1;
	if (columns->clock == COLUMN_NONE && columns->quantity != QUANTITY_THROUGHPUT)
		return finder_missing(finder, "time of each row", "time");
	if (columns->clock != COLUMN_NONE)
		columns->clock_scale = finder->names[columns->clock].scale;
	return 0;
}

static int find_further(struct series_columns *columns, const struct column_finder *finder)
{
	const struct series_request *request = finder->request;

	if (request->work_column) {
		columns->work = finder_said(finder, request->work_column);
		if (columns->work < 0)
			return err_wrap(finder->err, "--work");
	}
	if (request->weight_column) {
		columns->weight = finder_said(finder, request->weight_column);
		if (columns->weight < 0)
			return err_wrap(finder->err, "--weights");
	}
	for (size_t i = 0; i < request->key_count; i++) {
		columns->keys[i] = finder_said(finder, request->keys[i].column);
		if (columns->keys[i] < 0)
			return err_wrap(finder->err, "--series");
	}
	return find_clock(columns, finder);
}

/* Settles the quantity of the value. */
static int columns_settle(struct series_columns *columns, const struct column_finder *finder)
{
	const struct column_name *name = &finder->names[columns->value];
	bool said = columns->quantity != QUANTITY_UNKNOWN;

	if (!said)
		columns->quantity = name->quantity;
	if (!finder->request->from_log && !is_value(columns->quantity))
		columns->quantity = QUANTITY_THROUGHPUT;
	if (columns->quantity == QUANTITY_Y || columns->quantity == QUANTITY_UNKNOWN)
		columns->quantity = QUANTITY_THROUGHPUT;
	if (columns->quantity == QUANTITY_TIME || columns->quantity == QUANTITY_LATENCY)
		columns->scale = name->scale;
	columns->usual = columns->quantity == QUANTITY_THROUGHPUT &&
			 !finder->request->column_count &&
			 (!csv_table_heading(finder->table, 0) ||
			  name->quantity == QUANTITY_THROUGHPUT || name->quantity == QUANTITY_Y);
	if (columns->n == columns->value)
		return err_set(finder->err, "%s: column %d cannot be N and %s",
			       csv_table_source(finder->table), columns->n + 1,
			       quantity_name(columns->quantity));
	if ((finder->request->work > 0 || finder->request->work_column) &&
	    columns->quantity != QUANTITY_TIME)
		return err_set(finder->err,
			       "%s: --work needs a time, but column %d is read as %s; if it is a "
			       "time say --columns %d,time:%d",
			       csv_table_source(finder->table), columns->value + 1,
			       quantity_name(columns->quantity), columns->n + 1,
			       columns->value + 1);
	return 0;
}

int series_columns_find(struct series_columns *columns, const struct csv_table *table,
			const struct series_request *request, struct err *err)
{
	struct column_finder finder = {table, request, NULL, csv_table_columns(table), err};
	struct column_name *names;
	int rc = finder_check_count(&finder);

	*columns = (struct series_columns){.n = COLUMN_NONE,
					   .value = COLUMN_NONE,
					   .clock = COLUMN_NONE,
					   .work = COLUMN_NONE,
					   .weight = COLUMN_NONE,
					   .scale = 1,
					   .clock_scale = 1};
	finder.names = names = xcalloc(finder.count, sizeof(*names));
	for (size_t i = 0; i < finder.count; i++)
		names[i] = column_name_read(csv_table_heading(table, i));
	if (!rc)
		rc = request->column_count ? take_said(columns, &finder)
					   : find_by_names(columns, &finder);
	if (!rc)
		rc = columns_settle(columns, &finder) || find_further(columns, &finder) ? -1 : 0;
	free(names);
	return rc;
}
