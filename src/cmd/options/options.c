/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/options/options.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/csv_table.h"
#include "base/parse.h"
#include "cmd/options/cmd.h"
#include "cmd/options/options_private.h"
#include "cmd/options/pager.h"
#include "report/plot.h"
#include "stats/tasks/task_tree.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- Tables -------------------------------------------------------------------------------- */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { DIGITS = 10 };

/* Returns the number of popt's rows: each heading also ends the group before it. */
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
	rows->groups[rows->group_count++] = (struct poptOption){.argInfo = POPT_ARG_INCLUDE_TABLE,
								.arg = &rows->rows[rows->row_count],
								.descrip = heading};
}

/* Adds hidden options -0 to -9: popt reads -z3 as -z -3. */
static void add_digits(struct option_rows *rows)
{
	for (char digit = '0'; digit <= '9'; digit++)
		rows->rows[rows->row_count++] =
			(struct poptOption){.shortName = digit,
					    .argInfo = POPT_ARG_NONE | POPT_ARGFLAG_DOC_HIDDEN,
					    .val = digit};
}

static void add_row(struct option_rows *rows, const struct option *option, void *own)
{
	struct option_slot *slot = &rows->slots[rows->slot_count++];
	struct poptOption *row;

	if (!rows->group_count)
		begin_group(rows, "Options:");
	row = &rows->rows[rows->row_count++];
	*slot = (struct option_slot){.option = option,
				     .heading = rows->groups[rows->group_count - 1].descrip,
				     .field = (char *)own + option->at,
				     .own = own,
				     .row = row};
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
	} else if (option->type == OPTION_HELP) {
		row->argInfo = POPT_ARG_NONE;
		row->arg = NULL;
		row->val = option->letter ? option->letter : 'H';
	} else if (option->type == OPTION_GONE) {
		row->argInfo = POPT_ARG_NONE | POPT_ARGFLAG_DOC_HIDDEN;
		row->arg = NULL;
	} else if (option->type == OPTION_DIGITS) {
		rows->numbered = slot;
		add_digits(rows);
	}
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

/* Returns the format of this name; 0: there is none. */
static enum report_format format_named(const char *name)
{
	static const char *const names[] = {"text", "csv", "json"};
	static const enum report_format formats[] = {REPORT_TEXT, REPORT_CSV, REPORT_JSON};

	for (size_t i = 0; i < COUNT(names); i++)
		if (strcasecmp(name, names[i]) == 0)
			return formats[i];
	return 0;
}

static int read_format(void *own, char *text, struct err *err)
{
	struct options *options = own;
	enum report_format format = format_named(text);

	if (!format)
		return err_set(err, "--format %s: there are text, csv and json", text);
	options->format = format;
	return 0;
}

/* clang-format off */
#define OUTPUT_OPTIONS \
	{"output", 'o', OPTION_TEXT, offsetof(struct options, output), \
	 .help = "write the result to FILE", .argument = "FILE"}, \
	{"format", '\0', OPTION_READ, .read = read_format, \
	 .help = "text (default), csv or json", .argument = "FORMAT", .rare = true}
#define INPUT_OPTION \
	{"input", 'i', OPTION_TEXTS, offsetof(struct options, inputs), \
	 .help = "read FILE, the same as FILE alone", .argument = "FILE", .advanced = true}
#define ROW_OPTIONS \
	{"limit", '\0', OPTION_COUNT, offsetof(struct options, limit), \
	 .help = "number of rows of each table that is shortened by default", .argument = "N", \
	 .min = 1, .max = UINT32_MAX, .refusal = "is not a number of rows, 1 or more", .rare = true}, \
	{"sort", '\0', OPTION_TEXT, offsetof(struct options, sort), \
	 .help = "sort rows by this column", .argument = "COLUMN", .rare = true}
#define TEXT_OPTIONS \
	{"json", '\0', OPTION_VALUE, offsetof(struct options, format), .help = "JSON, as --format=json", \
	 .value = REPORT_JSON}, \
	{"all", '\0', OPTION_FLAG, offsetof(struct options, all), \
	 .help = "all rows of the tables"}, \
	{"color", '\0', OPTION_CHOICE, offsetof(struct options, colour), \
	 .help = "auto (default: on a terminal), always or never", .argument = "WHEN", \
	 .choices = colour_choices, .refusal = "there are auto, always and never", \
	 .advanced = true}, \
	{"brief", '\0', OPTION_GONE, .help = "is gone; -q prints verdict, warnings and tables"}, \
	{"no-pager", '\0', OPTION_FLAG, offsetof(struct options, no_pager), \
	 .help = "print long text at once, not page by page", .advanced = true}
#define FORCE_OPTION \
	{"force", 'f', OPTION_FLAG, offsetof(struct options, force), \
	 .help = "also read files of other users; export: replace output", .rare = true}
#define LAST_OPTIONS(quiet_is, verbose_is) \
	{"quiet", 'q', OPTION_FLAG, offsetof(struct options, quiet), .help = (quiet_is)}, \
	{"verbose", 'v', OPTION_FLAG, offsetof(struct options, verbose), .help = (verbose_is)}, \
	{NULL, 'h', OPTION_HELP, .help = "list the usual options"}, \
	{"help", '\0', OPTION_HELP, .help = "list all options"}, \
	OPTION_TABLE_END
/* clang-format on */

static const char *const colour_choices[] = {"auto", "always", "never", NULL};

static const struct option common_options[][16] = {
	[OPTIONS_REPORT] = {INPUT_OPTION, OUTPUT_OPTIONS, TEXT_OPTIONS, ROW_OPTIONS, FORCE_OPTION,
			    LAST_OPTIONS("only the verdict, warnings and tables",
					 "also method, checks and costs")},
	[OPTIONS_LIST] = {OUTPUT_OPTIONS, TEXT_OPTIONS,
			  LAST_OPTIONS("only the table", "also notes")},
	[OPTIONS_RECORD] = {LAST_OPTIONS("no summary, no warnings",
					 "also each step of the recorder")},
	[OPTIONS_SWEEP] = {OUTPUT_OPTIONS, TEXT_OPTIONS, ROW_OPTIONS,
			   LAST_OPTIONS("no progress, no summary", "also notes")},
};

/* Returns true if the command itself has an option of this name or letter. */
static bool has_option(const struct option_rows *rows, const struct option *option)
{
	for (size_t i = 0; i < rows->slot_count; i++) {
		const struct option *own = rows->slots[i].option;

		if (own->name && option->name ? strcmp(own->name, option->name) == 0
					      : !own->name && own->letter == option->letter)
			return true;
	}
	return false;
}

static struct option_rows *make_rows(struct options *options, enum options_set set,
				     const struct option *table, void *own)
{
	struct option_rows *rows = xcalloc(1, sizeof(*rows));
	size_t most = count_rows(table) + count_rows(common_options[set]) + 2;

	rows->slots = xcalloc(most, sizeof(*rows->slots));
	rows->rows = xcalloc(most, sizeof(*rows->rows));
	rows->groups = xcalloc(most, sizeof(*rows->groups));
	add_table(rows, table, own);
	begin_group(rows, "Common options:");
	for (table = common_options[set]; table->type != OPTION_END; table++)
		if (!has_option(rows, table))
			add_row(rows, table, options);
	return rows;
}

static void free_list(char **texts)
{
	for (size_t i = 0; texts && texts[i]; i++)
		free(texts[i]);
	free(texts);
}

void options_release(struct options *options)
{
	struct option_rows *rows = options->rows;

	pager_end(&rows->pager);
	for (size_t i = 0; i < rows->slot_count; i++) {
		struct option_slot *slot = &rows->slots[i];

		if (slot->option->type == OPTION_NUMBERS)
			free(((struct number_list *)slot->field)->items);
		if (slot->option->type == OPTION_IDS)
			free(((struct id_list *)slot->field)->items);
		free(slot->text);
		free_list(slot->texts);
	}
	poptFreeContext(rows->context);
	free(rows->slots);
	free(rows->rows);
	free(rows->groups);
	free(rows->digits);
	free(rows->words);
	free(rows->args);
	free(rows);
}

/* --- From text to values ------------------------------------------------------------------- */

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

/* Reads a value that the table limits. Returns 0, or -1 without an error: the caller sets it. */
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
		return parse_share(share, slot->text) || check_range(option, *share);
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
		return option->type == OPTION_NUMBERS
			       ? -1
			       : err_set(err,
					 "'%s' is not a number, or a list of them as 12,34; "
					 "'pgrep NAME' finds the numbers of a name",
					 slot->text);
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

/* Reads a text of which the parser sets the error. Returns 0, or -1 with an error. */
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

/* Stores a flag or a text, which need no parsing. */
static void take_slot(const struct option_slot *slot)
{
	enum option_type type = slot->option->type;

	if (slot->flag)
		*(bool *)slot->field = true;
	else if (slot->texts && type == OPTION_TEXTS)
		memcpy(slot->field, &slot->texts, sizeof(slot->texts));
	else if (slot->text && (type == OPTION_TEXT || type == OPTION_DIGITS))
		memcpy(slot->field, &slot->text, sizeof(slot->text));
}

/* Has the command read an option of its own. Returns 0, or -1 with an error. */
static int read_own(const struct option_slot *slot, struct err *err)
{
	const struct option *option = slot->option;

	if (option->type == OPTION_READ && slot->text)
		return option->read(slot->own, slot->text, err);
	for (char **text = slot->texts; text && *text && option->type == OPTION_READ_EACH; text++)
		if (option->read(slot->own, *text, err))
			return -1;
	return 0;
}

static int refuse_choice(const char *name, const struct option *option, const char *text,
			 struct err *err)
{
	char *list = xstrdup("");

	for (size_t i = 0; option->choices[i]; i++) {
		char *longer = xasprintf("%s%s%s", list, i ? ", " : "", option->choices[i]);

		free(list);
		list = longer;
	}
	err_set(err, "%s %s: is none of %s", name, text, list);
	free(list);
	return -1;
}

static int refuse_text(const char *name, const struct option *option, const char *text,
		       struct err *err)
{
	if (option->type == OPTION_CHOICE && !option->refusal)
		return refuse_choice(name, option, text, err);
	if (option->refusal)
		return err_set(err, "%s %s: %s", name, text, option->refusal);
	return err_set(err, "%s %s: is not a number from %.0f to %.0f", name, text, option->min,
		       option->max);
}

/* Replaces the name of the option at the beginning of an error by the form that the user gave. */
static void call_as_typed(struct err *err, const struct option *option, const char *typed)
{
	const struct err before = *err;
	char other[NAME_SIZE];
	size_t length;

	if (!option->letter || !option->name)
		return;
	if (typed[1] == '-')
		snprintf(other, sizeof(other), "-%c", option->letter);
	else
		snprintf(other, sizeof(other), "--%s", option->name);
	length = strlen(other);
	if (strncmp(before.text, other, length) != 0 || !strchr(": ", before.text[length]))
		return;
	snprintf(err->text, sizeof(err->text), "%s%s", typed, before.text + length);
	err->hint = before.hint ? before.hint - length + strlen(typed) : 0;
}

static int read_slot(const struct option_rows *rows, enum options_set set,
		     const struct option_slot *slot, struct err *err)
{
	char name[NAME_SIZE];

	if (!slot->text && !slot->texts)
		return 0;
	option_words_typed(name, rows, set, slot);
	if (read_own(slot, err)) {
		call_as_typed(err, slot->option, name);
		return -1;
	}
	if (!slot->text)
		return 0;
	if (parse_text(slot, err))
		return err_wrap(err, "%s", name);
	return read_value(slot) ? refuse_text(name, slot->option, slot->text, err) : 0;
}

static void add_digit(struct option_rows *rows, int digit)
{
	char *longer = xasprintf("%s%c", rows->digits ? rows->digits : "", digit);

	free(rows->digits);
	rows->digits = longer;
}

/* Appends the digits of -z3 or -z22 to the text of the option of type OPTION_DIGITS. */
static void append_digits(struct option_rows *rows)
{
	struct option_slot *slot = rows->numbered;
	char *longer;

	if (!rows->digits)
		return;
	longer = xasprintf("%s%s", slot->text ? slot->text : "", rows->digits);
	free(slot->text);
	slot->text = longer;
}

bool options_set_runs(enum options_set set)
{
	return set == OPTIONS_RECORD || set == OPTIONS_SWEEP;
}

/* Has popt parse the words. Returns -1 to go on, or the exit status. */
static int parse_words(struct option_rows *rows, enum options_set set, const char *operands,
		       int argc, struct err *err)
{
	unsigned flags = options_set_runs(set) ? POPT_CONTEXT_POSIXMEHARDER : 0;
	const char *name = rows->words[0];
	char usage[80];
	int rc;

	rows->context = poptGetContext(name, argc, rows->words, rows->groups, flags);
	snprintf(usage, sizeof(usage), "[OPTIONS] %s", operands);
	poptSetOtherOptionHelp(rows->context, usage);
	while ((rc = poptGetNextOpt(rows->context)) >= '0' && rc <= '9')
		add_digit(rows, rc);
	if (rc == 'h' || rc == 'H') {
		if (rc == 'h')
			option_help_brief(rows, usage);
		else
			option_help_all(rows, usage);
		return STATUS_DONE;
	}
	if (rc == -1)
		return -1;
	option_words_refuse(rows, rc, err);
	return STATUS_USAGE;
}

static size_t count_words(const char **words)
{
	size_t count = 0;

	while (words && words[count])
		count++;
	return count;
}

/* Stores the arguments, those of -i first. */
static void take_arguments(struct options *options)
{
	const char **args = poptGetArgs(options->rows->context);
	size_t count = count_words(args), inputs = count_words(options->inputs);

	options->rows->args = xcalloc(inputs + count + 1, sizeof(*args));
	if (inputs)
		memcpy(options->rows->args, options->inputs, inputs * sizeof(*args));
	if (count)
		memcpy(options->rows->args + inputs, args, count * sizeof(*args));
	options->args = options->rows->args;
	options->arg_count = inputs + count;
}

int options_read(struct options *options, enum options_set set, const char *operands,
		 const struct option *table, void *own, int argc, const char **argv,
		 struct err *err)
{
	struct option_rows *rows = make_rows(options, set, table, own);
	int status;

	*options = (struct options){.format = REPORT_TEXT, .rows = rows};
	rows->words = option_words_spell(rows, set, argc, argv);
	if (option_words_check(rows, set, err))
		return STATUS_USAGE;
	status = parse_words(rows, set, operands, argc, err);
	if (status >= 0)
		return status;
	append_digits(rows);
	for (size_t i = 0; i < rows->slot_count; i++)
		take_slot(&rows->slots[i]);
	take_arguments(options);
	for (size_t i = 0; i < rows->slot_count; i++)
		if (read_slot(rows, set, &rows->slots[i], err))
			return STATUS_USAGE;
	return -1;
}

const char *options_text(const struct options *options, const char *name)
{
	const struct option_slot *slot = option_find(options->rows, name, '\0');

	return slot && slot->texts ? slot->texts[0] : slot ? slot->text : NULL;
}

const char *options_first(const struct options *options, const char *const *names)
{
	for (; *names; names++) {
		const struct option_slot *slot =
			option_find(options->rows, *names + strlen("--"), '\0');

		if (slot && (slot->flag || options_text(options, slot->option->name)))
			return *names;
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

static bool wants_colour(const struct options *options)
{
	const char *terminal = getenv("TERM"), *no_colour = getenv("NO_COLOR");

	if (options->colour != COLOUR_AUTO)
		return options->colour == COLOUR_ALWAYS;
	return !options->output && !(no_colour && *no_colour) && isatty(STDOUT_FILENO) &&
	       terminal && strcmp(terminal, "dumb") != 0;
}

/* Returns true for text on standard output, unless --follow prints without end. */
static bool wants_pager(const struct options *options)
{
	const struct option_slot *follow = option_find(options->rows, "follow", '\0');

	return options->format == REPORT_TEXT && !options->output && !options->no_pager &&
	       !(follow && follow->flag);
}

static bool is_input(const char *path, const struct stat *output)
{
	struct stat input;

	return stat(path, &input) == 0 && input.st_dev == output->st_dev &&
	       input.st_ino == output->st_ino;
}

/* Refuses an output that is an input: it would be overwritten. Returns 0, or -1 with an error. */
static int check_not_input(const struct options *options, struct err *err)
{
	struct stat output;

	if (!options->output || stat(options->output, &output) || !S_ISREG(output.st_mode))
		return 0;
	for (size_t i = 0; i < options->arg_count; i++)
		if (is_input(options->args[i], &output))
			return err_set(err, "%s: is the input; choose another name",
				       options->output);
	return 0;
}

struct report *options_report(const struct options *options, struct err *err)
{
	const struct {
		bool is_asked;
		enum report_setting setting;
	} settings[] = {
		{options->quiet, REPORT_QUIET},
		{options->verbose, REPORT_VERBOSE},
		{options->all, REPORT_ALL_ROWS},
		{wants_colour(options), REPORT_COLOUR},
	};
	struct report *report;

	if (check_not_input(options, err))
		return NULL;
	if (wants_pager(options))
		pager_begin(&options->rows->pager);
	report = report_open(options->output, options->format, err);

	for (size_t i = 0; report && i < COUNT(settings); i++)
		if (settings[i].is_asked)
			report_set(report, settings[i].setting, err);
	if (report)
		report_choose_rows(report, options->limit, options->sort);
	return report;
}

/* Returns true for core counts in the place of a file, as "1,2,4-8", if the command has -n. */
static bool are_cores(const struct options *options, const char *text)
{
	const struct option_slot *slot = option_find(options->rows, "cores", '\0');

	return slot && slot->option->letter == 'n' && isdigit((unsigned char)*text) &&
	       !text[strspn(text, "0123456789,-")];
}

const char *options_file(const struct options *options, const char *usual, bool several,
			 struct err *err)
{
	const char *cores = options_text(options, "cores");
	struct stat input;

	for (size_t i = 0; i < options->arg_count; i++) {
		const char *text = options->args[i];

		if (!are_cores(options, text) || access(text, F_OK) == 0)
			continue;
		err_set(err, "%s: there is no such file; for core counts say -n %s%s%s", text,
			cores ? cores : "", cores ? "," : "", text);
		return NULL;
	}
	if (options->arg_count > 1 && !several) {
		err_set(err,
			"%s: one input at a time; pscal report and pscal stretch compare "
			"recordings",
			options->args[1]);
		return NULL;
	}
	if (options->arg_count == 1 && format_named(options->args[0]) &&
	    access(options->args[0], F_OK) != 0) {
		err_set(err, "%s: there is no such file; for a format say --format %s",
			options->args[0], options->args[0]);
		return NULL;
	}
	if (options->arg_count)
		return options->args[0];
	if (fstat(STDIN_FILENO, &input) == 0 &&
	    (S_ISFIFO(input.st_mode) || S_ISREG(input.st_mode) || S_ISSOCK(input.st_mode)))
		return "-";
	if (!usual)
		err_set(err, "name a FILE, or pipe one in");
	return usual;
}

/* --- Options of several commands ----------------------------------------------------------- */

const struct option plotting_options[] = {
	{"plot", .type = OPTION_TEXT, .at = offsetof(struct plotting, path),
	 .help = "draw the result into a .svg, .png or .pdf file", .argument = "FILE"},
	{"chart", .type = OPTION_FLAG, .at = offsetof(struct plotting, chart),
	 .help = "draw the result with characters"},
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

int options_check_output(const struct options *options, const char *path, struct err *err)
{
	struct stat file, out;

	if (!*path)
		return err_set(err, "the name of the output is empty");
	if (strcmp(path, "-") == 0)
		return err_set(err, "-: is not an output here; name a file");
	if (options->output || stat(path, &file) || fstat(STDOUT_FILENO, &out) ||
	    file.st_dev != out.st_dev || file.st_ino != out.st_ino ||
	    (S_ISCHR(out.st_mode) && !isatty(STDOUT_FILENO)))
		return 0;
	return err_set(err, "%s: is where the answer is printed; name another file", path);
}

static int refuse_shown(const char *name, const struct task_counters *counters, struct err *err)
{
	char *known = xstrdup("");

	for (size_t i = 0; i < counters->count; i++) {
		char *longer = xasprintf("%s%s%s", known, i ? ", " : "", counters->items[i].name);

		free(known);
		known = longer;
	}
	err_set(err, "--show %s: is not counted in this recording; there are %s, and all", name,
		known);
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
