/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Options: each command has a table of its options and the fields for their values; the common
 * options (-o, --format, -f, -q, -v, --help ...) are added here. popt reads the command line and
 * prints --help.
 *
 *	struct request {
 *		uint64_t cores;
 *		const char *name;
 *	};
 *	static const struct option table[] = {
 *		{"cores", 'k', OPTION_COUNT, offsetof(struct request, cores), "CPUs", "N",
 *		 .min = 1, .max = UINT32_MAX, .refusal = "is not a number of cores"},
 *		{"name", '\0', OPTION_TEXT, offsetof(struct request, name), "its name", "NAME"},
 *		OPTION_TABLE_END};
 *	struct request request = {.cores = 8};
 *	int status = options_read(&options, OPTIONS_REPORT, "[FILE]", table, &request, argc, argv,
 *				  err);
 *	if (status < 0)
 *		...
 *	options_release(&options);
 */
#ifndef PSCAL_CMD_OPTIONS_OPTIONS_H
#define PSCAL_CMD_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/io/input.h"
#include "report/report.h"

struct csv_table;
struct err;
struct option_rows;
struct task_counters;

struct options {
	const char *output; /* -o FILE, NULL for standard output */
	enum report_format format;
	enum { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER } colour;
	bool quiet, verbose, all, force, no_pager;
	uint64_t limit;	     /* rows of a table; 0: the usual number */
	const char *sort;    /* the column by which rows are in order; NULL: the usual order */
	const char **inputs; /* -i FILE, as if they stood before `args`, where they are */
	const char **args;   /* what is not an option, NULL-terminated */
	size_t arg_count;
	struct option_rows *rows; /* own the arguments, texts and lists */
};

/* The meaning of the text behind an option, with the type of its field. */
enum option_type {
	OPTION_END,
	OPTION_HEADING,	  /* `help` is a heading of --help for the options that follow */
	OPTION_TABLE,	  /* the options of `table`, whose fields are in the struct at `at` */
	OPTION_FLAG,	  /* bool: true; there is no text, nor for the next */
	OPTION_VALUE,	  /* int: `value` */
	OPTION_TEXT,	  /* const char * */
	OPTION_TEXTS,	  /* const char **, which ends in NULL: one each time the option is given */
	OPTION_DIGITS,	  /* const char *, of "5" and of the digits behind a letter, as in -z5 */
	OPTION_COUNT,	  /* uint64_t */
	OPTION_SHARE,	  /* double: "0.5" or "50%" */
	OPTION_SECONDS,	  /* double: "10", "500ms" */
	OPTION_SIZE,	  /* uint64_t: "2G" */
	OPTION_CHOICE,	  /* int or enum: `value` for the first of `choices`, and so on */
	OPTION_NUMBERS,	  /* struct number_list: "1,2,4-16", each from `min` to `max` */
	OPTION_IDS,	  /* struct id_list: the same */
	OPTION_READ,	  /* the command reads the text: read() gets the struct of the fields */
	OPTION_READ_EACH, /* the same of each text, where the option may be repeated */
	OPTION_GONE, /* no longer an option: `help` ends the sentence "--on ...": "is now --cores" */
	OPTION_HELP,
};

struct option {
	const char *name; /* NULL: a letter only */
	char letter;	  /* '\0': none */
	enum option_type type;
	size_t at; /* of the field in the struct of the command, which holds the default */
	const char *help, *argument;
	double min, max; /* max 0: no limit */
	/* The end of the sentence "--cores x: ..." about a wrong text; NULL: the limits of a count. */
	const char *refusal;
	const char *const *choices; /* end in NULL */
	int value;
	const struct option *table;
	int (*read)(void *own, char *text, struct err *err); /* 0, or -1 with a sentence */
	const char *whole_word; /* "--sync=futex", which --sync alone stands for */
	bool rare;		/* listed by --help, not by -h */
	bool advanced;		/* ... and there behind all others */
};

#define OPTION_TABLE_END     \
	{                    \
		.name = NULL \
	}

/* Of a forecast. */
enum { CORES_MAX = 1 << 20 };

struct number_list {
	uint64_t *items;
	size_t count;
};

struct id_list {
	int32_t *items;
	size_t count;
};

/* Options that are added to the command's own table. */
enum options_set {
	OPTIONS_REPORT, /* all common options */
	OPTIONS_LIST,	/* the same without -f: nothing is read */
	OPTIONS_RECORD, /* -q, -v, --help; stops at the first argument that is not an option, as ... */
	OPTIONS_SWEEP, /* ... this, of a command that prints a table at its end */
};

/*
 * Reads the values of the options in `table` into the struct `own`: flags and texts first, then the
 * others, in the order of the table. Options that are not given leave their fields. Texts and lists
 * are freed by options_release, up to which `own` has to live: a command may put a longer list in
 * the place of one, to be freed with it. `operands` is what follows the options in --help. Returns
 * -1 when the command shall go on, or an exit status: 0 after --help, 2 with a sentence after an
 * error.
 */
int options_read(struct options *options, enum options_set set, const char *operands,
		 const struct option *table, void *own, int argc, const char **argv,
		 struct err *err);
void options_release(struct options *options);

/* The text of the option --NAME as it was typed; NULL: it was not. */
const char *options_text(const struct options *options, const char *name);

/* --- What the common options ask for ------------------------------------------------------- */

/* The owners of files that are read: other users with -f only. */
enum input_owners options_owners(const struct options *options);

/* The table in a file that the user has named. NULL with a sentence. */
struct csv_table *options_table(const struct options *options, const char *path, struct err *err);

/* Opens what -o, --format, -q, -v, --all, --limit, --sort and --color ask for. NULL with a sentence. */
struct report *options_report(const struct options *options, struct err *err);

/*
 * The FILE of a command, or the first of `several`. When none is named: standard input ("-") if
 * something is piped or redirected into it, else `usual`. NULL with a sentence when more than one is
 * named without `several`, or none where none is usual (NULL).
 */
const char *options_file(const struct options *options, const char *usual, bool several,
			 struct err *err);

/* --- Options of several commands ----------------------------------------------------------- */

/* --by WHAT: one row for each thread or whatever `first` is, each name or process; then the others. */
#define BY_OPTION(field, text, first, ...)                                                      \
	{                                                                                       \
		"by", .type = OPTION_CHOICE, .at = (field), .argument = "WHAT", .help = (text), \
		      .choices = (const char *const[])                                          \
		{                                                                               \
			first, "name", "process", __VA_ARGS__                                   \
		}                                                                               \
	}

/* A drawing of the result. */
struct plotting {
	const char *path; /* --plot FILE, or NULL */
	bool chart;	  /* --chart */
};

extern const struct option plotting_options[];

/* Returns -1 with a sentence when these are asked for wrongly. */
int plotting_check(const struct plotting *plotting, const struct options *options, struct err *err);

/*
 * Is `path` fit for an output beside the text on standard output? Returns -1 with a sentence for "",
 * for "-", and for standard output itself.
 */
int options_check_output(const struct options *options, const char *path, struct err *err);

/*
 * --show NAME,...: the counters that `text` names, with commas between, or all of them for "all";
 * none for NULL. The caller frees *shown. Returns 0, or -1 with a sentence where there is no such
 * counter.
 */
int options_shown(size_t **shown, size_t *shown_count, const char *text,
		  const struct task_counters *counters, struct err *err);

#endif
