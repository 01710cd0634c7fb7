/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/options/options.h"

#include "base/err.h"
#include "cmd/options/cmd.h"
#include "support.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { ARGS_MAX = 8 };

/* What a command line was parsed into. */
struct parsed {
	struct options options;
	char *name;
	int flag;
	int status;
	struct err err;
};

static void parse(struct parsed *parsed, enum options_set set, const char *const *args)
{
	const struct poptOption table[] = {{"name", 'n', POPT_ARG_STRING, &parsed->name, 0,
					    "a name of the command's own", "NAME"},
					   {"flag", '\0', POPT_ARG_NONE, &parsed->flag, 0,
					    "a flag of the command's own", NULL},
					   POPT_TABLEEND};
	const char *argv[ARGS_MAX + 2] = {"pscal try"};
	int argc = 1;

	*parsed = (struct parsed){.status = -2};
	while (args[argc - 1]) {
		argv[argc] = args[argc - 1];
		argc++;
	}
	parsed->status =
		options_parse(&parsed->options, set, "[FILE]", table, argc, argv, &parsed->err);
}

static void release(struct parsed *parsed)
{
	options_release(&parsed->options);
	free(parsed->name);
}

#define ARGS(...) ((const char *const[ARGS_MAX + 1]){__VA_ARGS__})

static void options_may_stand_anywhere_and_the_rest_are_arguments(void **state)
{
	static const char *const lines[][ARGS_MAX + 1] = {
		{"--name", "x", "--format", "json", "-o", "out", "-q", "file"},
		{"file", "-n", "x", "--format=json", "--output=out", "--quiet"},
		{"-nx", "file", "-oout", "-q", "--format", "json"},
		{"-q", "-o", "out", "--name=x", "--format=json", "--", "file"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(lines); i++) {
		struct parsed parsed;

		parse(&parsed, OPTIONS_REPORT, lines[i]);
		assert_int_equal(parsed.status, -1);
		assert_string_equal(parsed.name, "x");
		assert_false(parsed.flag);
		assert_int_equal(parsed.options.format, REPORT_JSON);
		assert_string_equal(parsed.options.output, "out");
		assert_true(parsed.options.quiet);
		assert_int_equal(parsed.options.arg_count, 1);
		assert_string_equal(parsed.options.args[0], "file");
		assert_null(parsed.options.args[1]);
		release(&parsed);
	}
}

static void without_options_the_report_is_text_on_standard_output(void **state)
{
	struct parsed parsed;

	(void)state;
	parse(&parsed, OPTIONS_REPORT, ARGS(NULL));
	assert_int_equal(parsed.status, -1);
	assert_int_equal(parsed.options.format, REPORT_TEXT);
	assert_null(parsed.options.output);
	assert_false(parsed.options.quiet);
	assert_int_equal(parsed.options.arg_count, 0);
	release(&parsed);
}

static void what_is_wrong_is_told_with_status_2(void **state)
{
	static const struct {
		const char *args[ARGS_MAX + 1];
		const char *why;
	} cases[] = {
		{{"--nonsense"}, "--nonsense: unknown option; see 'pscal try --help'"},
		{{"-x"}, "-x: unknown option; see 'pscal try --help'"},
		{{"--name"}, "--name: missing argument; see 'pscal try --help'"},
		{{"file", "-n"}, "-n: missing argument; see 'pscal try --help'"},
		{{"--flag=x"},
		 "--flag=x: option does not take an argument; see 'pscal try --help'"},
		{{"--format", "xml"}, "--format xml: there are text, csv and json"},
		{{"--format", ""}, "--format : there are text, csv and json"},
		{{"--format=JSON"}, "--format JSON: there are text, csv and json"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct parsed parsed;

		parse(&parsed, OPTIONS_REPORT, cases[i].args);
		assert_int_equal(parsed.status, STATUS_USAGE);
		assert_string_equal(parsed.err.text, cases[i].why);
		release(&parsed);
	}
}

/* What --help prints. */
static void print_help(char *text, size_t size, enum options_set set, const char *option)
{
	struct parsed parsed;
	int file, saved;
	ssize_t length;

	fflush(stdout);
	saved = dup(STDOUT_FILENO);
	file = open(file_with("", 0), O_RDWR | O_CLOEXEC);
	dup2(file, STDOUT_FILENO);
	parse(&parsed, set, ARGS(option));
	fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	length = pread(file, text, size - 1, 0);
	close(file);
	assert_int_equal(parsed.status, STATUS_DONE);
	assert_true(length > 0);
	text[length] = '\0';
	release(&parsed);
}

static void help_prints_every_option_with_status_0(void **state)
{
	static const struct {
		enum options_set set;
		const char *words[16];
	} cases[] = {
		{OPTIONS_REPORT,
		 {"pscal try", "[FILE]", "-n, --name=NAME", "a name of the command's own", "--flag",
		  "a flag of the command's own", "-o, --output=FILE", "--format=FORMAT",
		  "-q, --quiet", "-h, --help", "Options:", "Common options:"}},
		{OPTIONS_RECORD,
		 {"pscal try", "[FILE]", "-n, --name=NAME", "--flag", "-q, --quiet", "-h, --help"}},
	};
	static const char *const spellings[] = {"--help", "-h"};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		for (size_t k = 0; k < COUNT(spellings); k++) {
			char text[4096];

			print_help(text, sizeof(text), cases[i].set, spellings[k]);
			for (size_t word = 0; cases[i].words[word]; word++)
				if (!strstr(text, cases[i].words[word]))
					fail_msg("no '%s' in\n%s", cases[i].words[word], text);
			assert_int_equal(!!strstr(text, "--format"),
					 cases[i].set == OPTIONS_REPORT);
		}
	}
}

static void what_is_recorded_keeps_its_own_options(void **state)
{
	static const struct {
		const char *args[ARGS_MAX + 1];
		const char *kept[ARGS_MAX + 1];
	} cases[] = {
		{{"-n", "x", "make", "-j", "8", "-q", "--help"},
		 {"make", "-j", "8", "-q", "--help"}},
		{{"--name=x", "--", "make", "--flag"}, {"make", "--flag"}},
		{{"-nx", "make", "--", "-q"}, {"make", "--", "-q"}},
		{{"-nx", "--", "--odd-name", "-q"}, {"--odd-name", "-q"}},
		{{"-nx", "make", "-n", "y", "--nonsense"}, {"make", "-n", "y", "--nonsense"}},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct parsed parsed;
		size_t count = 0;

		parse(&parsed, OPTIONS_RECORD, cases[i].args);
		assert_int_equal(parsed.status, -1);
		assert_string_equal(parsed.name, "x");
		assert_false(parsed.flag);
		assert_false(parsed.options.quiet);
		for (; cases[i].kept[count]; count++) {
			assert_true(count < parsed.options.arg_count);
			assert_string_equal(parsed.options.args[count], cases[i].kept[count]);
		}
		assert_int_equal(parsed.options.arg_count, count);
		release(&parsed);
	}
}

static void record_has_no_format(void **state)
{
	struct parsed parsed;

	(void)state;
	parse(&parsed, OPTIONS_RECORD, ARGS("--format", "json"));
	assert_int_equal(parsed.status, STATUS_USAGE);
	assert_non_null(strstr(parsed.err.text, "--format: unknown option"));
	release(&parsed);
}

/* What options_file() takes for `args` when `fd` is standard input; closes `fd`. */
static const char *input_of(const char *const *args, int fd, const char *usual,
			    struct parsed *parsed)
{
	int saved = dup(STDIN_FILENO);
	const char *file;

	assert_true(fd >= 0);
	dup2(fd, STDIN_FILENO);
	parse(parsed, OPTIONS_REPORT, args);
	file = options_file(&parsed->options, usual, &parsed->err);
	dup2(saved, STDIN_FILENO);
	close(saved);
	close(fd);
	return file;
}

static int open_null(void)
{
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static int open_pipe(void)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	close(ends[1]);
	return ends[0];
}

static void the_input_is_one_file_or_what_is_piped_in_or_the_usual_one(void **state)
{
	const struct {
		const char *const *args;
		int fd;
		const char *usual, *expected;
	} cases[] = {
		{ARGS("a.data"), open_pipe(), "usual", "a.data"},
		{ARGS("-"), open_null(), "usual", "-"},
		{ARGS(NULL), open_pipe(), "usual", "-"},
		{ARGS(NULL), open_pipe(), NULL, "-"},
		{ARGS(NULL), open("/proc/self/exe", O_RDONLY | O_CLOEXEC), "usual", "-"},
		{ARGS(NULL), open_null(), "usual", "usual"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct parsed parsed;
		const char *file = input_of(cases[i].args, cases[i].fd, cases[i].usual, &parsed);

		assert_non_null(file);
		assert_string_equal(file, cases[i].expected);
		release(&parsed);
	}
}

static void several_files_and_none_are_refused(void **state)
{
	struct parsed parsed;

	(void)state;
	assert_null(input_of(ARGS("a.data", "b.data"), open_null(), "usual", &parsed));
	assert_string_equal(parsed.err.text, "b.data: one input at a time");
	release(&parsed);
	assert_null(input_of(ARGS(NULL), open_null(), NULL, &parsed));
	assert_string_equal(parsed.err.text, "name a FILE, or pipe one in");
	release(&parsed);
}

static void a_word_is_spelt_out_before_the_command_and_not_behind_it(void **state)
{
	static const struct {
		const char *words[7];
		int at; /* which is spelt out; 0: none */
	} cases[] = {
		{{"x", "--sync", "true"}, 1},
		{{"x", "-v", "--sync", "true"}, 2},
		{{"x", "-o", "f", "--sync", "true", "--sync"}, 3},
		{{"x", "-vo", "f", "--sync", "true"}, 3},
		{{"x", "-of", "--sync", "true"}, 2},
		{{"x", "--output", "f", "--sync", "--", "true"}, 3},
		{{"x", "--output=f", "--sync", "--", "true"}, 2},
		{{"x", "true", "--sync"}, 0},
		{{"x", "-v", "true", "--sync"}, 0},
		{{"x", "--", "--sync"}, 0},
		{{"x", "-o", "--sync", "true"}, 0},
		{{"x", "--sync=all", "true"}, 0},
		{{"x"}, 0},
	};
	const struct poptOption inner[] = {{"output", 'o', POPT_ARG_STRING, NULL, 0, "", "FILE"},
					   POPT_TABLEEND};
	const struct poptOption table[] = {options_include(inner, NULL),
					   {"verbose", 'v', POPT_ARG_NONE, NULL, 0, "", NULL},
					   {"sync", '\0', POPT_ARG_STRING, NULL, 0, "", "WHICH"},
					   POPT_TABLEEND};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *argv[7], **words;
		int argc = 0;

		for (; argc < 7 && cases[i].words[argc]; argc++)
			argv[argc] = cases[i].words[argc];
		words = options_spell_out(table, argc, argv, "--sync", "--sync=futex");
		for (int word = 0; word < argc; word++)
			assert_string_equal(words[word], cases[i].at && word == cases[i].at
								 ? "--sync=futex"
								 : argv[word]);
		assert_null(words[argc]);
		free(words);
	}
}

static void texts_of_all_tables_are_freed_and_forgotten(void **state)
{
	const char *argv[] = {"pscal try", "-n", "x",	   "--many", "y", "--flag",
			      "--inner",   "z",	 "--many", "w",	     NULL};
	char *name = NULL, *inner = NULL, **many = NULL, *unused = NULL;
	int flag = 0;
	const struct poptOption below[] = {
		{"inner", '\0', POPT_ARG_STRING, &inner, 0, "a text of a table below", "TEXT"},
		POPT_TABLEEND};
	const struct poptOption table[] = {
		options_include(below, NULL),
		{"name", 'n', POPT_ARG_STRING, &name, 0, "a text", "TEXT"},
		{NULL, 'u', POPT_ARG_STRING, &unused, 0, "a text that is not given", "TEXT"},
		{"flag", '\0', POPT_ARG_NONE, &flag, 0, "a flag", NULL},
		{"many", '\0', POPT_ARG_ARGV, &many, 0, "a list of texts", "TEXT"},
		POPT_TABLEEND};
	struct options options;
	struct err err = {""};

	(void)state;
	assert_int_equal(
		options_parse(&options, OPTIONS_REPORT, "", table, COUNT(argv) - 1, argv, &err),
		-1);
	assert_string_equal(name, "x");
	assert_string_equal(inner, "z");
	assert_string_equal(many[1], "w");
	options_free_texts(table);
	assert_null(name);
	assert_null(inner);
	assert_null(many);
	assert_null(unused);
	assert_true(flag);
	options_free_texts(table); /* which has none any more */
	options_release(&options);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_word_is_spelt_out_before_the_command_and_not_behind_it),
	cmocka_unit_test(options_may_stand_anywhere_and_the_rest_are_arguments),
	cmocka_unit_test(without_options_the_report_is_text_on_standard_output),
	cmocka_unit_test(what_is_wrong_is_told_with_status_2),
	cmocka_unit_test(help_prints_every_option_with_status_0),
	cmocka_unit_test(what_is_recorded_keeps_its_own_options),
	cmocka_unit_test(record_has_no_format),
	cmocka_unit_test(the_input_is_one_file_or_what_is_piped_in_or_the_usual_one),
	cmocka_unit_test(several_files_and_none_are_refused),
	cmocka_unit_test(texts_of_all_tables_are_freed_and_forgotten),
};

TEST_FILE(tests);
