/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/series/column_name.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

/* A name is read as words: "Response Time (ms)" is response, time and the unit ms. */
enum { WORDS_MAX = 8, NAME_MAX_BYTES = 64 };

struct words {
	char text[NAME_MAX_BYTES];
	const char *word[WORDS_MAX];
	size_t count;
	const char *unit;   /* in brackets, or NULL */
	bool function_of_n; /* s(n) */
	bool per;	    /* work per time */
};

static const char *const n_words[] = {
	"n",	   "threads", "cores", "processors", "concurrency", "load",	   "users",
	"clients", "workers", "nodes", "procs",	     "processes",   "cpus",	   "connections",
	"tasks",   "ranks",   "p",     "np",	     "vusers",	    "parallelism", NULL};
/* With "num", "count" and the like: alone they name one of them. */
static const char *const n_singulars[] = {"thread", "core",    "processor",  "user", "client",
					  "worker", "node",    "proc",	     "cpu",  "task",
					  "rank",   "process", "connection", NULL};
static const char *const throughput_words[] = {
	"throughput", "tput",	 "thruput",   "rate",  "ops",	 "qps",	   "rps", "tps",
	"iops",	      "goodput", "bandwidth", "flops", "mflops", "gflops", NULL};
static const char *const time_words[] = {
	"time",	    "wall",	   "walltime", "wallclock",	"wallclocktime",
	"elapsed",  "elapsedtime", "seconds",  "secs",		"sec",
	"duration", "runtime",	   "exectime", "executiontime", "t",
	"makespan", NULL};
static const char *const latency_words[] = {"latency",	     "response",    "responsetime",
					    "resptime",	     "rt",	    "r",
					    "residencetime", "sojourntime", NULL};
static const char *const speedup_words[] = {
	"speedup", "relativespeedup", "relativecapacity", "scaleup", "c", NULL};
static const char *const clock_words[] = {"timestamp", "clock", "date", "when", "epoch", NULL};
static const char *const total_words[] = {"total", "cumulative", "totalcount", NULL};
/* What is done; per time it is a throughput. */
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

/* 0: none. "min" is a minute only where it cannot be a minimum: in brackets. */
static double unit_seconds(const char *word, bool bracketed)
{
	for (size_t i = 0; i < UNITS; i++)
		if (strcmp(word, units[i].name) == 0)
			return units[i].seconds;
	return bracketed && (strcmp(word, "min") == 0 || strcmp(word, "mins") == 0) ? 60 : 0;
}

/* --- Words ---------------------------------------------------------------------------------- */

/* Takes what stands in brackets off the end. */
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

/* The words from `first` on, `count` of them, as one. */
static const char *join(char out[NAME_MAX_BYTES], const struct words *words, size_t count)
{
	*out = '\0';
	for (size_t i = 0; i < count; i++)
		strcat(out, words->word[i]);
	return out;
}

/* --- Quantities ----------------------------------------------------------------------------- */

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

/* "requests per second" and "req_s" are throughputs, "requests" is a count, or a total of them. */
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

/* May stand behind a name and leave it what it is: of a throughput also what is done per time. */
static bool is_unit(const char *word, enum quantity quantity)
{
	return unit_seconds(word, false) > 0 ||
	       (quantity == QUANTITY_THROUGHPUT && is_one_of(word, work_words));
}

/* The longest beginning that is known, if what is behind it are units: cpu_s is not cpus. */
static enum quantity find(size_t *used, const struct words *words)
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

/*
 * "cpu_time", "p99_ms" and "ns/op" are times of which it is not known what they are the time of.
 * "frames per second" is none.
 */
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
	found.quantity = find(&used, &words);
	if (!found.quantity)
		found.quantity = quantity_of_work(&words);
	if (!found.quantity && is_some_time(&words))
		found.quantity = QUANTITY_UNCLEAR;
	found.plain = words.count == 1 && !words.unit &&
		      (strcmp(words.word[0], "n") == 0 || strcmp(words.word[0], "throughput") == 0);
	found.weak = strcmp(words.word[0], "ops") == 0 && words.count == 1 && !words.per;
	if (found.quantity == QUANTITY_TIME || found.quantity == QUANTITY_LATENCY ||
	    found.quantity == QUANTITY_CLOCK)
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
