/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of a command line while it is read. */
#ifndef PSCAL_CMD_OPTIONS_OPTIONS_PRIVATE_H
#define PSCAL_CMD_OPTIONS_OPTIONS_PRIVATE_H

#include "cmd/options/options.h"
#include "cmd/options/pager.h"

#include <popt.h>

/* An option of a table, and its texts from the command line. */
struct option_slot {
	const struct option *option;
	const char *heading; /* its heading in --help */
	void *field;
	void *own; /* the struct of the field */
	struct poptOption *row;
	char *text, **texts;
	int flag;
};

/* The options of a command as tables of popt, one for each heading. */
struct option_rows {
	struct option_slot *slots;
	size_t slot_count;
	struct poptOption *rows, *groups;
	size_t row_count, group_count;
	struct option_slot *numbered; /* the option of type OPTION_DIGITS, or NULL */
	char *digits;		      /* its digits */
	const char **words;	      /* the command line */
	const char **args;	      /* the arguments that are not options, owned by `context` */
	poptContext context;
	struct pager pager;
};

enum { NAME_SIZE = 64 };

/* Finds an option by its long name, up to a "=", or by its letter. Returns NULL without one. */
const struct option_slot *option_find(const struct option_rows *rows, const char *name,
				      char letter);

/* Returns true if options end where a COMMAND to run begins, whose own options are left alone. */
bool options_set_runs(enum options_set set);

/*
 * Returns a copy of `argv` in which each option with an omitted argument has its default argument,
 * as "--sync=futex". The caller frees the array.
 */
const char **option_words_spell(const struct option_rows *rows, enum options_set set, int argc,
				const char **argv);

/* Checks the words. Returns 0, or -1 with an error about a removed option or a missing argument. */
int option_words_check(const struct option_rows *rows, enum options_set set, struct err *err);

/*
 * Sets `name` to the form in which the command line gave the option last, as "--cores" or "-n";
 * without one, to its usual name.
 */
void option_words_typed(char name[NAME_SIZE], const struct option_rows *rows, enum options_set set,
			const struct option_slot *slot);

/*
 * Print help after "Usage: NAME USAGE": the usual options on a line each (-h), or all options
 * (--help).
 */
void option_help_brief(const struct option_rows *rows, const char *usage);
void option_help_all(const struct option_rows *rows, const char *usage);

/* Sets the error about the word that popt refuses for the reason `rc`. */
void option_words_refuse(const struct option_rows *rows, int rc, struct err *err);

#endif
