/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/options/options.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/csv_table.h"
#include "base/parse.h"
#include "cmd/options/cmd.h"

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
	rc = poptGetNextOpt(options->context);
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

const char **options_spell_out(const struct poptOption *table, int argc, const char **argv,
			       const char *option, const char *meant)
{
	const char **words = xcalloc((size_t)argc + 1, sizeof(*words));

	memcpy(words, argv, (size_t)argc * sizeof(*words));
	for (int i = 1; i < argc && words[i][0] == '-' && strcmp(words[i], "--") != 0; i++) {
		if (strcmp(words[i], option) == 0)
			words[i] = meant;
		else if (takes_next(table, words[i]))
			i++;
	}
	return words;
}

void options_release(struct options *options)
{
	poptFreeContext(options->context);
	free(options->output);
	free(options->format_name);
}

static void free_list(char **texts)
{
	for (size_t i = 0; texts && texts[i]; i++)
		free(texts[i]);
	free(texts);
}

void options_free_texts(const struct poptOption *table)
{
	for (; table->longName || table->shortName || table->arg; table++) {
		char **text = table->arg, ***list = table->arg;

		switch (table->argInfo & POPT_ARG_MASK) {
		case POPT_ARG_INCLUDE_TABLE:
			options_free_texts(table->arg);
			break;
		case POPT_ARG_STRING:
			free(*text);
			*text = NULL;
			break;
		case POPT_ARG_ARGV:
			free_list(*list);
			*list = NULL;
			break;
		default:
			break;
		}
	}
}

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

/* --- Lists that several commands take ------------------------------------------------------ */

int options_ids(int32_t **ids, size_t *count, const char *text, const char *option, struct err *err)
{
	uint64_t *numbers;

	if (!text)
		return 0;
	if (parse_list(&numbers, count, text, 1, INT32_MAX, err))
		return err_wrap(err, "%s", option);
	*ids = xcalloc(*count, sizeof(**ids));
	for (size_t i = 0; i < *count; i++)
		(*ids)[i] = (int32_t)numbers[i];
	free(numbers);
	return 0;
}

static int refuse_shown(const char *name, const char *const *names, size_t count, struct err *err)
{
	char *known = xstrdup("");

	for (size_t i = 0; i < count; i++) {
		char *longer = xasprintf("%s%s%s", known, i ? ", " : "", names[i]);

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

int options_shown(size_t **shown, size_t *shown_count, const char *text, const char *const *names,
		  size_t count, struct err *err)
{
	char *copy = text ? xstrdup(text) : NULL, *rest = copy, *name;
	int rc = 0;

	*shown = xcalloc(count + 1, sizeof(**shown));
	*shown_count = 0;
	while (!rc && (name = strsep(&rest, ","))) {
		bool all = strcmp(name, "all") == 0, found = all;

		for (size_t i = 0; i < count; i++) {
			if (!all && strcmp(name, names[i]) != 0)
				continue;
			add_shown(*shown, shown_count, i);
			found = true;
		}
		if (!found)
			rc = refuse_shown(name, names, count, err);
	}
	free(copy);
	return rc;
}
