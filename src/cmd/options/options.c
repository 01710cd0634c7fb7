/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/options/options.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/csv_table.h"
#include "base/parse.h"
#include "cmd/options/cmd.h"
#include "report/plot.h"
#include "stats/tasks/task_tree.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HELP_OPTION                                                           \
	{                                                                     \
		"help", 'h', POPT_ARG_NONE, NULL, 'h', "show this help", NULL \
	}

static int set_format(struct options *options, struct err *err)
{
	static const struct {
		const char *name;
		enum report_format format;
	} formats[] = {{"text", REPORT_TEXT}, {"csv", REPORT_CSV}, {"json", REPORT_JSON}};

	options->format = REPORT_TEXT;
	if (!options->format_name)
		return 0;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (strcmp(options->format_name, formats[i].name) == 0) {
			options->format = formats[i].format;
			return 0;
		}
	}
	return err_set(err, "--format %s: there are text, csv and json", options->format_name);
}

static void add_digit(struct options *options, int digit)
{
	char *longer = xasprintf("%s%c", options->digits ? options->digits : "", digit);

	free(options->digits);
	options->digits = longer;
}

struct poptOption options_include(const struct poptOption *table, const char *heading)
{
	union { /* popt does not write to it, but takes it as void * */
		const struct poptOption *in;
		void *out;
	} included = {.in = table};

	return (struct poptOption){NULL,    '\0', POPT_ARG_INCLUDE_TABLE, included.out, 0,
				   heading, NULL};
}

int options_parse(struct options *options, enum options_set set, const char *operands,
		  const struct poptOption *table, int argc, const char **argv, struct err *err)
{
	const struct poptOption quiet[] = {
		{"quiet", 'q', POPT_ARG_NONE, &options->quiet, 0,
		 set == OPTIONS_RECORD ? "no summary, no warnings" : "no progress, no warnings",
		 NULL},
		HELP_OPTION,
		POPT_TABLEEND};
	const struct poptOption force[] = {{"force", 'f', POPT_ARG_NONE, &options->force, 0,
					    "read files of other users, too", NULL},
					   options_include(quiet, NULL),
					   POPT_TABLEEND};
	const struct poptOption report[] = {
		{"output", 'o', POPT_ARG_STRING, &options->output, 0, "write the result to FILE",
		 "FILE"},
		{"format", '\0', POPT_ARG_STRING, &options->format_name, 0,
		 "text (default), csv or json", "FORMAT"},
		options_include(set == OPTIONS_LIST ? quiet : force, NULL),
		POPT_TABLEEND};
	const bool has_heading = set == OPTIONS_REPORT || set == OPTIONS_LIST;
	const struct poptOption all[] = {
		options_include(table, has_heading ? "Options:" : NULL),
		options_include(set == OPTIONS_RECORD ? quiet : report, "Common options:"),
		POPT_TABLEEND};
	char usage[80];
	unsigned flags = set == OPTIONS_RECORD ? POPT_CONTEXT_POSIXMEHARDER : 0;
	int rc;

	*options = (struct options){0};
	options->context = poptGetContext(argv[0], argc, argv, all, flags);
	snprintf(usage, sizeof(usage), "[OPTIONS] %s", operands);
	poptSetOtherOptionHelp(options->context, usage);
	while ((rc = poptGetNextOpt(options->context)) >= '0' && rc <= '9')
		add_digit(options, rc);
	if (rc == 'h') {
		poptPrintHelp(options->context, stdout, 0);
		return STATUS_DONE;
	}
	if (rc < -1) {
		err_set(err, "%s: %s; see '%s --help'",
			poptBadOption(options->context, POPT_BADOPTION_NOALIAS), poptStrerror(rc),
			argv[0]);
		return STATUS_USAGE;
	}
	options->args = poptGetArgs(options->context);
	while (options->args && options->args[options->arg_count])
		options->arg_count++;
	return set_format(options, err) ? STATUS_USAGE : -1;
}

/* --- Typed options ------------------------------------------------------------------------- */

/* An option of a table while a command line is read. */
struct option_slot {
	const struct option *option;
	void *field;
	void *own; /* the struct of the field */
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
	const char **words;	      /* of the command line */
};

enum { DIGITS = 10, NAME_SIZE = 64 };

/* Rows of popt: each heading also ends the group before it. */
static size_t count_rows(const struct option *table)
{
	size_t count = 1;

	for (; table->type != OPTION_END; table++) {
		count += table->type == OPTION_TABLE ? count_rows(table->table) : 1;
		count += table->type == OPTION_DIGITS ? DIGITS : 0;
	}
	return count;
}

static void begin_group(struct option_rows *rows, const char *heading)
{
	rows->row_count += rows->group_count > 0;
	rows->groups[rows->group_count++] = options_include(&rows->rows[rows->row_count], heading);
}

static void add_row(struct option_rows *rows, const struct option *option, void *own)
{
	struct option_slot *slot = &rows->slots[rows->slot_count++];
	struct poptOption *row = &rows->rows[rows->row_count++];

	*slot = (struct option_slot){option, (char *)own + option->at, own, NULL, NULL, 0};
	*row = (struct poptOption){option->name, option->letter,  POPT_ARG_STRING, &slot->text, 0,
				   option->help, option->argument};
	if (option->type == OPTION_TEXTS || option->type == OPTION_READ_EACH) {
		row->argInfo = POPT_ARG_ARGV;
		row->arg = &slot->texts;
	} else if (option->type == OPTION_FLAG) {
		row->argInfo = POPT_ARG_NONE;
		row->arg = &slot->flag;
	} else if (option->type == OPTION_VALUE) {
		row->argInfo = POPT_ARG_VAL;
		row->arg = slot->field;
		row->val = option->value;
	}
	if (option->type != OPTION_DIGITS)
		return;
	rows->numbered = slot;
	for (char digit = '0'; digit <= '9'; digit++)
		rows->rows[rows->row_count++] = (struct poptOption){
			NULL, digit, POPT_ARG_NONE | POPT_ARGFLAG_DOC_HIDDEN, NULL, digit,
			NULL, NULL};
}

static void add_table(struct option_rows *rows, const struct option *table, void *own)
{
	for (; table->type != OPTION_END; table++) {
		if (table->type == OPTION_TABLE)
			add_table(rows, table->table, (char *)own + table->at);
		else if (table->type == OPTION_HEADING)
			begin_group(rows, table->help);
		else
			add_row(rows, table, own);
	}
}

static struct option_rows *make_rows(const struct option *table, void *own)
{
	struct option_rows *rows = xcalloc(1, sizeof(*rows));
	size_t most = count_rows(table) + 1;

	rows->slots = xcalloc(most, sizeof(*rows->slots));
	rows->rows = xcalloc(most, sizeof(*rows->rows));
	rows->groups = xcalloc(most, sizeof(*rows->groups));
	if (table->type != OPTION_HEADING)
		begin_group(rows, NULL);
	add_table(rows, table, own);
	return rows;
}

static void free_list(char **texts)
{
	for (size_t i = 0; texts && texts[i]; i++)
		free(texts[i]);
	free(texts);
}

static void free_rows(struct option_rows *rows)
{
	for (size_t i = 0; i < rows->slot_count; i++) {
		struct option_slot *slot = &rows->slots[i];

		if (slot->option->type == OPTION_NUMBERS)
			free(((struct number_list *)slot->field)->items);
		if (slot->option->type == OPTION_IDS)
			free(((struct id_list *)slot->field)->items);
		free(slot->text);
		free_list(slot->texts);
	}
	free(rows->slots);
	free(rows->rows);
	free(rows->groups);
	free(rows->words);
	free(rows);
}

void options_release(struct options *options)
{
	poptFreeContext(options->context);
	if (options->rows)
		free_rows(options->rows);
	free(options->digits);
	free(options->output);
	free(options->format_name);
}

/* --- Options of which the argument may be left out ----------------------------------------- */

/* By its long name up to '=', or by its short one; NULL: there is none. */
static const struct poptOption *find_option(const struct poptOption *table, const char *name,
					    char letter)
{
	size_t length = name ? strcspn(name, "=") : 0;
	const struct poptOption *found = NULL;

	for (; !found && (table->longName || table->shortName || table->arg); table++) {
		if ((table->argInfo & POPT_ARG_MASK) == POPT_ARG_INCLUDE_TABLE)
			found = find_option(table->arg, name, letter);
		else if (letter && table->shortName == letter)
			found = table;
		else if (length && table->longName && strlen(table->longName) == length &&
			 strncmp(table->longName, name, length) == 0)
			found = table;
	}
	return found;
}

static bool takes_argument(const struct poptOption *option)
{
	unsigned kind = option ? option->argInfo & POPT_ARG_MASK : POPT_ARG_NONE;

	return kind != POPT_ARG_NONE && kind != POPT_ARG_VAL;
}

/* Is the word behind this one its argument? */
static bool takes_next(const struct poptOption *table, const char *word)
{
	if (strncmp(word, "--", 2) == 0)
		return !strchr(word, '=') && takes_argument(find_option(table, word + 2, '\0'));
	for (word++; *word; word++)
		if (takes_argument(find_option(table, NULL, *word)))
			return !word[1]; /* else the rest of the word is */
	return false;
}

/* The whole word for one of which the argument may be left out; NULL: it is another one. */
static const char *whole_word(const struct option_rows *rows, const char *word)
{
	for (size_t i = 0; i < rows->slot_count; i++) {
		const struct option *option = rows->slots[i].option;

		if (option->whole_word && strncmp(word, "--", 2) == 0 &&
		    strcmp(word + 2, option->name) == 0)
			return option->whole_word;
	}
	return NULL;
}

/*
 * A copy of `argv` in which "--sync" is "--sync=futex" up to the first argument that is not an
 * option. popt takes the word behind an option whose argument may be left out for its argument,
 * and there it may be a COMMAND.
 */
static const char **spell_out(const struct option_rows *rows, int argc, const char **argv)
{
	const char **words = xcalloc((size_t)argc + 1, sizeof(*words));

	memcpy(words, argv, (size_t)argc * sizeof(*words));
	for (int i = 1; i < argc && words[i][0] == '-' && strcmp(words[i], "--") != 0; i++) {
		const char *whole = whole_word(rows, words[i]);

		if (whole)
			words[i] = whole;
		else if (takes_next(rows->groups, words[i]))
			i++;
	}
	return words;
}

/* --- From text to values ------------------------------------------------------------------- */

/* "-k", or "--cores" of what has no letter. */
static const char *name_of(char name[NAME_SIZE], const struct option *option)
{
	if (option->letter)
		snprintf(name, NAME_SIZE, "-%c", option->letter);
	else
		snprintf(name, NAME_SIZE, "--%s", option->name);
	return name;
}

static int check_range(const struct option *option, double value)
{
	return value >= option->min && (option->max <= 0 || value <= option->max) ? 0 : -1;
}

static int read_choice(int *number, const struct option *option, const char *text)
{
	for (int i = 0; option->choices[i]; i++) {
		if (strcmp(text, option->choices[i]) != 0)
			continue;
		*number = option->value + i;
		return 0;
	}
	return -1;
}

/* A value that is refused in the words of the table. 0 or -1. */
static int read_value(const struct option_slot *slot)
{
	const struct option *option = slot->option;
	uint64_t *count = slot->field;
	double *share = slot->field;

	switch (option->type) {
	case OPTION_COUNT:
		return parse_u64(count, slot->text, (uint64_t)option->max) ||
		       check_range(option, (double)*count);
	case OPTION_SHARE:
		return options_share(share, slot->text) || check_range(option, *share);
	case OPTION_CHOICE:
		return read_choice(slot->field, option, slot->text);
	case OPTION_SECONDS:
		return check_range(option, *share);
	default:
		return 0;
	}
}

static int read_list(const struct option_slot *slot, struct err *err)
{
	const struct option *option = slot->option;
	struct number_list numbers, *list = slot->field;
	struct id_list *ids = slot->field;

	if (parse_list(&numbers.items, &numbers.count, slot->text, (uint64_t)option->min,
		       (uint64_t)option->max, err))
		return -1;
	if (option->type == OPTION_NUMBERS) {
		*list = numbers;
		return 0;
	}
	*ids = (struct id_list){xcalloc(numbers.count, sizeof(*ids->items)), numbers.count};
	for (size_t i = 0; i < numbers.count; i++)
		ids->items[i] = (int32_t)numbers.items[i];
	free(numbers.items);
	return 0;
}

/* A text that the parser refuses in its own words. 0, or -1 with a sentence. */
static int parse_text(const struct option_slot *slot, struct err *err)
{
	switch (slot->option->type) {
	case OPTION_SECONDS:
		return parse_seconds(slot->field, slot->text, err);
	case OPTION_SIZE:
		return parse_size(slot->field, slot->text, err);
	case OPTION_NUMBERS:
	case OPTION_IDS:
		return read_list(slot, err);
	default:
		return 0;
	}
}

/* Options that stand for themselves, or that the command reads. 0, or -1 with a sentence. */
static int take_text(const struct option_slot *slot, struct err *err)
{
	const struct option *option = slot->option;

	if (option->type == OPTION_FLAG)
		*(bool *)slot->field = slot->flag;
	else if (option->type == OPTION_TEXTS)
		memcpy(slot->field, &slot->texts, sizeof(slot->texts));
	else if (option->type == OPTION_TEXT || option->type == OPTION_DIGITS)
		memcpy(slot->field, &slot->text, sizeof(slot->text));
	if (option->type == OPTION_READ && slot->text)
		return option->read(slot->own, slot->text, err);
	for (char **text = slot->texts; text && *text && option->type == OPTION_READ_EACH; text++)
		if (option->read(slot->own, *text, err))
			return -1;
	return 0;
}

static int refuse_text(const struct option *option, const char *text, struct err *err)
{
	char name[NAME_SIZE];

	name_of(name, option);
	if (option->refusal)
		return err_set(err, "%s %s: %s", name, text, option->refusal);
	return err_set(err, "%s %s: is not a number from %.0f to %.0f", name, text, option->min,
		       option->max);
}

static int read_slot(const struct option_slot *slot, struct err *err)
{
	char name[NAME_SIZE];

	if (take_text(slot, err))
		return -1;
	if (!slot->text)
		return 0;
	if (parse_text(slot, err))
		return err_wrap(err, "%s", name_of(name, slot->option));
	return read_value(slot) ? refuse_text(slot->option, slot->text, err) : 0;
}

/* Digits behind a letter are more of the text: of -z3, and of -z22. */
static void add_digits(struct options *options)
{
	struct option_slot *slot = options->rows->numbered;
	char *longer;

	if (!options->digits)
		return;
	longer = xasprintf("%s%s", slot->text ? slot->text : "", options->digits);
	free(slot->text);
	slot->text = longer;
}

int options_read(struct options *options, enum options_set set, const char *operands,
		 const struct option *table, void *own, int argc, const char **argv,
		 struct err *err)
{
	struct option_rows *rows = make_rows(table, own);
	int status;

	rows->words = spell_out(rows, argc, argv);
	status = options_parse(options, set, operands, rows->groups, argc, rows->words, err);
	options->rows = rows;
	if (status >= 0)
		return status;
	add_digits(options);
	for (size_t i = 0; i < rows->slot_count; i++)
		if (read_slot(&rows->slots[i], err))
			return STATUS_USAGE;
	return -1;
}

const char *options_text(const struct options *options, const char *name)
{
	for (size_t i = 0; i < options->rows->slot_count; i++) {
		const struct option_slot *slot = &options->rows->slots[i];

		if (slot->option->name && strcmp(slot->option->name, name) == 0)
			return slot->text;
	}
	return NULL;
}

/* --- What the common options ask for ------------------------------------------------------- */

enum input_owners options_owners(const struct options *options)
{
	return options->force ? INPUT_OF_ANYONE : INPUT_OF_US;
}

struct csv_table *options_table(const struct options *options, const char *path, struct err *err)
{
	struct input *input = input_open(path, options_owners(options), err);
	struct csv_table *table = input ? csv_table_read(input, err) : NULL;

	input_close(input);
	return table;
}

struct report *options_report(const struct options *options, struct err *err)
{
	struct report *report = report_open(options->output, options->format, err);

	if (report)
		report_set_quiet(report, options->quiet);
	return report;
}

const char *options_file(const struct options *options, const char *usual, struct err *err)
{
	struct stat input;

	if (options->arg_count > 1) {
		err_set(err, "%s: one input at a time", options->args[1]);
		return NULL;
	}
	if (options->arg_count == 1)
		return options->args[0];
	if (fstat(STDIN_FILENO, &input) == 0 &&
	    (S_ISFIFO(input.st_mode) || S_ISREG(input.st_mode) || S_ISSOCK(input.st_mode)))
		return "-";
	if (!usual)
		err_set(err, "name a FILE, or pipe one in");
	return usual;
}

/* --- Options of several commands ----------------------------------------------------------- */

int options_share(double *share, const char *text)
{
	size_t length = strlen(text);
	char *number;
	int rc;

	if (!length || text[length - 1] != '%')
		return parse_double(share, text);
	number = xasprintf("%.*s", (int)length - 1, text);
	rc = parse_double(share, number);
	free(number);
	if (!rc)
		*share /= 100;
	return rc;
}

const struct option plotting_options[] = {
	{"plot", .type = OPTION_TEXT, .at = offsetof(struct plotting, path),
	 .help = "draw it into a .svg, .png or .pdf file", .argument = "FILE"},
	{"chart", .type = OPTION_VALUE, .value = 1, .at = offsetof(struct plotting, chart),
	 .help = "draw it with characters"},
	{.type = OPTION_END},
};

int plotting_check(const struct plotting *plotting, const struct options *options, struct err *err)
{
	if (plotting->chart && options->format != REPORT_TEXT)
		return err_set(err,
			       "--chart: characters are drawn in text only; take --plot FILE "
			       "beside --format %s",
			       options->format == REPORT_CSV ? "csv" : "json");
	if (plotting->path && plot_check_path(plotting->path, err))
		return err_wrap(err, "--plot");
	return 0;
}

static int refuse_shown(const char *name, const struct task_counters *counters, struct err *err)
{
	char *known = xstrdup("");

	for (size_t i = 0; i < counters->count; i++) {
		char *longer = xasprintf("%s%s%s", known, i ? ", " : "", counters->items[i].name);

		free(known);
		known = longer;
	}
	err_set(err, "--show %s: that is not counted here; there are %s, and all", name, known);
	free(known);
	return -1;
}

static void add_shown(size_t *shown, size_t *shown_count, size_t counter)
{
	for (size_t i = 0; i < *shown_count; i++)
		if (shown[i] == counter)
			return;
	shown[(*shown_count)++] = counter;
}

int options_shown(size_t **shown, size_t *shown_count, const char *text,
		  const struct task_counters *counters, struct err *err)
{
	char *copy = text ? xstrdup(text) : NULL, *rest = copy, *name;
	int rc = 0;

	*shown = xcalloc(counters->count + 1, sizeof(**shown));
	*shown_count = 0;
	while (!rc && (name = strsep(&rest, ","))) {
		bool all = strcmp(name, "all") == 0, found = all;

		for (size_t i = 0; i < counters->count; i++) {
			if (!all && strcmp(name, counters->items[i].name) != 0)
				continue;
			add_shown(*shown, shown_count, i);
			found = true;
		}
		if (!found)
			rc = refuse_shown(name, counters, err);
	}
	free(copy);
	return rc;
}
