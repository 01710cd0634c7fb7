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
	const char *output; /* -o FILE; NULL: standard output */
	enum report_format format;
	enum { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER } colour;
	bool quiet, verbose, all, force, no_pager;
	uint64_t limit;	     /* rows of a table; 0: the default number */
	const char *sort;    /* the column that rows are sorted by; NULL: the default order */
	const char **inputs; /* -i FILE; `args` begins with them */
	const char **args;   /* arguments that are not options, ending in NULL */
	size_t arg_count;
	struct option_rows *rows; /* owns the arguments, texts and lists */
};

/* The meaning of the text after an option, and the type of the option's field. */
enum option_type {
	OPTION_END,
	OPTION_HEADING,	  /* `help` is a heading of --help for the options that follow */
	OPTION_TABLE,	  /* the options of `table`, whose fields are in the struct at `at` */
	OPTION_FLAG,	  /* bool: set to true; takes no text */
	OPTION_VALUE,	  /* int: set to `value`; takes no text */
	OPTION_TEXT,	  /* const char * */
	OPTION_TEXTS,	  /* const char **, ending in NULL: a text for each use of the option */
	OPTION_DIGITS,	  /* const char *: "5", or the digits after a letter, as in -z5 */
	OPTION_COUNT,	  /* uint64_t */
	OPTION_SHARE,	  /* double: "0.5" or "50%" */
	OPTION_SECONDS,	  /* double: "10", "500ms" */
	OPTION_SIZE,	  /* uint64_t: "2G" */
	OPTION_CHOICE,	  /* int or enum: `value` for the first of `choices`, and so on */
	OPTION_NUMBERS,	  /* struct number_list: "1,2,4-16", each from `min` to `max` */
	OPTION_IDS,	  /* struct id_list: a list as of OPTION_NUMBERS */
	OPTION_READ,	  /* read() of the command gets the text and the struct of the fields */
	OPTION_READ_EACH, /* read() gets each text of an option that may be repeated */
	OPTION_GONE, /* a removed option: `help` ends the error "--on ...", as "is now --cores" */
	OPTION_HELP,
};

struct option {
	const char *name; /* NULL: the option has only a letter */
	char letter;	  /* '\0': the option has only a name */
	enum option_type type;
	size_t at; /* offset of the field in the command's struct; the field holds the default */
	const char *help, *argument;
	double min, max; /* max 0: no limit */
	/* The end of the error "--cores x: ..." about a wrong text; NULL: the choices or limits. */
	const char *refusal;
	const char *const *choices; /* end in NULL */
	int value;
	const struct option *table;
	int (*read)(void *own, char *text, struct err *err); /* returns 0, or -1 with an error */
	const char *whole_word; /* "--sync=futex", the meaning of --sync without an argument */
	bool rare;		/* listed by --help, not by -h */
	bool advanced;		/* ... after all other options */
};

#define OPTION_TABLE_END     \
	{                    \
		.name = NULL \
	}

/* The most cores of a forecast. */
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
	OPTIONS_REPORT, /* all of them */
	OPTIONS_LIST,	/* without -i, --limit, --sort and -f: no file is read */
	OPTIONS_RECORD, /* -q, -v, --help; options end at the first argument that is none */
	OPTIONS_SWEEP,	/* without -i and -f; options end as in OPTIONS_RECORD */
};

/*
 * Reads the values of the options in `table` into the struct `own`: flags and texts first, then the
 * others in the order of the table. A field keeps its value if its option is not given.
 * options_release frees texts and lists, and `own` has to live until then: a command may put a
 * longer list in the place of a list, and that one is freed. `operands` follows the options in
 * --help. Returns -1 if the command shall go on, or an exit status: 0 after --help, 2 with an
 * error. The caller releases in either case.
 */
int options_read(struct options *options, enum options_set set, const char *operands,
		 const struct option *table, void *own, int argc, const char **argv,
		 struct err *err);
void options_release(struct options *options);

/* Returns the (first) text of --NAME as given on the command line; NULL: it is not given. */
const char *options_text(const struct options *options, const char *name);

/* Returns the first given option of `names`, as "--why", which end in NULL; NULL: none is given. */
const char *options_first(const struct options *options, const char *const *names);

/* --- What the common options ask for ------------------------------------------------------- */

/* Returns the owners whose files may be read: all users with -f, else this user and root. */
enum input_owners options_owners(const struct options *options);

/* Reads the table in the file `path`. Returns NULL with an error. The caller frees the table. */
struct csv_table *options_table(const struct options *options, const char *path, struct err *err);

/* Opens the report that the common options, -o to --color, ask for. Returns NULL with an error. */
struct report *options_report(const struct options *options, struct err *err);

/*
 * Returns the FILE of a command, or the first of `several`. If none is named: "-" (standard input)
 * if something is piped or redirected into it, else `usual`. Returns NULL with an error if more
 * than one is named without `several`, or none is named and `usual` is NULL.
 */
const char *options_file(const struct options *options, const char *usual, bool several,
			 struct err *err);

/* --- Options of several commands ----------------------------------------------------------- */

/* --by WHAT: a row for each thread (or another `first`), name or process, and further choices. */
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

/* Checks --plot and --chart. Returns 0, or -1 with an error. */
int plotting_check(const struct plotting *plotting, const struct options *options, struct err *err);

/*
 * Checks an output beside the text on standard output. Returns 0, or -1 with an error if `path` is
 * "", "-", or standard output itself.
 */
int options_check_output(const struct options *options, const char *path, struct err *err);

/*
 * Sets *shown to the indices of the counters that `text` of --show NAME,... names; "all" names each
 * of them, NULL none. The caller frees *shown in either case. Returns 0, or -1 with an error if
 * there is no such counter.
 */
int options_shown(size_t **shown, size_t *shown_count, const char *text,
		  const struct task_counters *counters, struct err *err);

#endif
