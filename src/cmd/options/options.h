/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Options: each command has a popt table of its own; what all share (-o, --format, -f, -q,
 * --help) is added here, and --help is made from the tables.
 *
 *	char *cores = NULL;
 *	const struct poptOption table[] = {
 *		{"cores", 'k', POPT_ARG_STRING, &cores, 0, "cores to forecast for", "LIST"},
 *		POPT_TABLEEND,
 *	};
 *	int status = options_parse(&options, "[FILE]", table, argc, argv, err);
 *	if (status < 0)
 *		...
 *	options_free_texts(table);
 */
#ifndef PSCAL_CMD_OPTIONS_OPTIONS_H
#define PSCAL_CMD_OPTIONS_OPTIONS_H

#include <popt.h>
#include <stddef.h>
#include <stdint.h>

#include "base/io/input.h"
#include "report/report.h"

struct csv_table;
struct err;

struct options {
	char *output; /* -o FILE, NULL for standard output */
	enum report_format format;
	int quiet;
	int force;
	const char **args; /* what is not an option, NULL-terminated */
	size_t arg_count;
	poptContext context; /* owns args */
	char *format_name;
};

/* A line of a table that stands for another table, with a heading of its own in --help, or none. */
struct poptOption options_include(const struct poptOption *table, const char *heading);

/* What options_parse adds to the command's own table. */
enum options_set {
	OPTIONS_REPORT, /* -o, --format, -f, -q, --help */
	OPTIONS_GROUPS, /* the same; the table has headings of its own */
	OPTIONS_LIST,	/* the same without -f: nothing is read */
	OPTIONS_RECORD, /* -q, --help; stops at the first argument that is not an option; the table
			   has headings of its own */
};

/*
 * `operands` is what follows the options in --help. Returns -1 when the command shall go on, or an
 * exit status: 0 after --help, 2 with a sentence after an error.
 */
int options_parse(struct options *options, enum options_set set, const char *operands,
		  const struct poptOption *table, int argc, const char **argv, struct err *err);
void options_release(struct options *options);

/*
 * Frees the arguments of options that `table` and the tables in it keep as text, alone
 * (POPT_ARG_STRING) or in a list (POPT_ARG_ARGV), and sets their variables to NULL.
 */
void options_free_texts(const struct poptOption *table);

/*
 * A copy of `argv`, to be freed, in which the word `option` ("--sync") is replaced by `meant`
 * ("--sync=futex") up to the first argument that is not an option. popt takes the word behind an
 * option whose argument may be left out for its argument, and there it may be a COMMAND.
 */
const char **options_spell_out(const struct poptOption *table, int argc, const char **argv,
			       const char *option, const char *meant);

/* The owners of files that are read: other users with -f only. */
enum input_owners options_owners(const struct options *options);

/* The table in a file that the user has named. NULL with a sentence. */
struct csv_table *options_table(const struct options *options, const char *path, struct err *err);

/* Opens what -o, --format and -q ask for. NULL with a sentence. */
struct report *options_report(const struct options *options, struct err *err);

/*
 * The one FILE of a command. When none is named: standard input ("-") if something is piped or
 * redirected into it, else `usual`. NULL with a sentence when several are named, or none where
 * none is usual (NULL).
 */
const char *options_file(const struct options *options, const char *usual, struct err *err);

/*
 * The ids of processes or threads in `text`, a list with commas between; none for NULL. `option`
 * names the option in the sentence. The caller frees *ids, which begins as NULL. Returns 0, or -1
 * with a sentence.
 */
int options_ids(int32_t **ids, size_t *count, const char *text, const char *option,
		struct err *err);

/*
 * --show NAME,...: the counters that `text` names among `count` names, with commas between, or all
 * of them for "all"; none for NULL. The caller frees *shown. Returns 0, or -1 with a sentence where
 * there is no such counter.
 */
int options_shown(size_t **shown, size_t *shown_count, const char *text, const char *const *names,
		  size_t count, struct err *err);

#endif
