/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A command line while it is read, for the files of this folder. */
#ifndef PSCAL_CMD_OPTIONS_OPTIONS_PRIVATE_H
#define PSCAL_CMD_OPTIONS_OPTIONS_PRIVATE_H

#include "cmd/options/options.h"
#include "cmd/options/pager.h"

#include <popt.h>

/* An option of a table while a command line is read. */
struct option_slot {
	const struct option *option;
	const char *heading; /* that it stands under in --help */
	void *field;
	void *own; /* the struct of the field */
	struct poptOption *row;
	char *text, **texts;
	int flag;
};

/* The tables of a command as popt has them: a table for each heading. */
struct option_rows {
	struct option_slot *slots;
	size_t slot_count;
	struct poptOption *rows, *groups;
	size_t row_count, group_count;
	struct option_slot *numbered; /* has OPTION_DIGITS, or NULL */
	char *digits;		      /* for it */
	const char **words;	      /* of the command line */
	const char **args;	      /* what is no option ... */
	poptContext context;	      /* ... and owns it */
	struct pager pager;
};

enum { NAME_SIZE = 64 };

/* By its long name, up to a '=', or by its letter; NULL: there is none. */
const struct option_slot *option_find(const struct option_rows *rows, const char *name,
				      char letter);

/* Do options end where the command to run begins? Its own options are left alone. */
bool options_set_runs(enum options_set set);

/* A copy of `argv` in which options whose argument is left out have it: "--sync=futex". */
const char **option_words_spell(const struct option_rows *rows, enum options_set set, int argc,
				const char **argv);

/* Returns 0, or -1 with a sentence where an option is no longer one, or lacks its argument. */
int option_words_check(const struct option_rows *rows, enum options_set set, struct err *err);

/* The option as it was typed last, "--cores" or "-n"; as it is called where it was not typed. */
void option_words_typed(char name[NAME_SIZE], const struct option_rows *rows, enum options_set set,
			const struct option_slot *slot);

/* -h: the usual options, a line each, after "Usage: NAME USAGE"; and --help: all of them. */
void option_help_brief(const struct option_rows *rows, const char *usage);
void option_help_all(const struct option_rows *rows, const char *usage);

/* A sentence about the word that popt does not understand; `rc` is its reason. */
void option_words_refuse(const struct option_rows *rows, int rc, struct err *err);

#endif
