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

/* The result of parsing a command line. */
struct parsed {
	struct options options;
	const char *name, *plain, *digits, **many;
	bool flag;
	int value, choice, reads;
	uint64_t count, size;
	double share, seconds;
	struct number_list numbers;
	struct id_list ids;
	struct plotting plotting;
	int status;
	struct err err;
};

static int read_even(void *own, char *text, struct err *err)
{
	struct parsed *parsed = own;

	if (strlen(text) % 2)
		return err_set(err, "--even %s: is odd", text);
	parsed->reads++;
	return 0;
}

static const char *const choices[] = {"one", "two", NULL};

#define AT(field) offsetof(struct parsed, field)

static const struct option table[] = {
	{"name", 'n', OPTION_TEXT, AT(name), .help = "a name of the command's own",
	 .argument = "NAME"},
	{"flag", '\0', OPTION_FLAG, AT(flag), .help = "a flag of the command's own"},
	{"value", '\0', OPTION_VALUE, AT(value), .value = 7},
	{"many", '\0', OPTION_TEXTS, AT(many), .help = "texts"},
	{"count", 'k', OPTION_COUNT, AT(count), .min = 2, .max = 9},
	{"cores", '\0', OPTION_COUNT, AT(count), .min = 1, .max = 9,
	 .refusal = "is not a number of cores"},
	{"size", '\0', OPTION_SIZE, AT(size), .help = "bytes"},
	{"share", '\0', OPTION_SHARE, AT(share), .max = 1, .refusal = "is no share"},
	{"seconds", '\0', OPTION_SECONDS, AT(seconds), .min = 1, .refusal = "is too short"},
	{"choice", '\0', OPTION_CHOICE, AT(choice), .choices = choices, .value = 5,
	 .refusal = "there are one and two"},
	{"numbers", '\0', OPTION_NUMBERS, AT(numbers), .min = 1, .max = 9},
	{"ids", '\0', OPTION_IDS, AT(ids), .min = 1, .max = INT32_MAX},
	{"even", '\0', OPTION_READ_EACH, .read = read_even},
	{"sync", '\0', OPTION_TEXT, AT(plain), .whole_word = "--sync=futex"},
	{NULL, 'z', OPTION_FLAG, AT(flag), .help = "to a level"},
	{"level", '\0', OPTION_DIGITS, AT(digits), .help = "the level"},
	{.type = OPTION_TABLE, .table = plotting_options, .at = AT(plotting)},
	OPTION_TABLE_END};

static void parse(struct parsed *parsed, enum options_set set, const char *const *args)
{
	const char *argv[ARGS_MAX + 2] = {"pscal try"};
	int argc = 1;

	*parsed = (struct parsed){.status = -2, .count = 4};
	while (args[argc - 1]) {
		argv[argc] = args[argc - 1];
		argc++;
	}
	parsed->status = options_read(&parsed->options, set, "[FILE]", table, parsed, argc, argv,
				      &parsed->err);
}

static void release(struct parsed *parsed)
{
	options_release(&parsed->options);
}

#define ARGS(...) ((const char *const[ARGS_MAX + 1]){__VA_ARGS__})

static void options_may_be_anywhere_and_the_rest_are_arguments(void **state)
{
	static const char *const lines[][ARGS_MAX + 1] = {
		{"--name", "x", "--format", "json", "-o", "out", "-q", "file"},
		{"file", "-n", "x", "--format=json", "--output=out", "--quiet"},
		{"-nx", "file", "-oout", "-q", "--format", "json"},
		{"-q", "-o", "out", "--name=x", "--format=json", "--", "file"},
		{"-q", "-o", "out", "--name=x", "--json", "-i", "file"},
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

static void mistakes_are_reported_with_status_2(void **state)
{
	static const struct {
		const char *args[ARGS_MAX + 1];
		const char *why;
	} cases[] = {
		{{"--nonsense"},
		 "--nonsense: there is no such option; 'pscal try --help' lists them"},
		{{"--fromat=csv"}, "--fromat: there is no such option; did you mean '--format'?"},
		{{"--form"}, "--form: there is no such option; did you mean '--format'?"},
		{{"-format", "csv"}, "-format: there is no such option; did you mean '--format'?"},
		{{"-x"}, "-x: there is no such option; 'pscal try --help' lists them"},
		{{"--name"}, "--name: its argument is missing; say --name=NAME"},
		{{"--name", "--flag"}, "--name: its argument is missing; say --name=NAME"},
		{{"--name", "--", "x"}, "--name: its argument is missing; say --name=NAME"},
		{{"file", "-n"}, "-n: its argument is missing; say -n NAME"},
		{{"file", "-qn"}, "-n: its argument is missing; say -n NAME"},
		{{"--flag=x"}, "--flag=x: takes no argument; say --flag"},
		{{"--limit", "0"}, "--limit 0: is not a number of rows, 1 or more"},
		{{"--format", "xml"}, "--format xml: there are text, csv and json"},
		{{"--format", ""}, "--format : there are text, csv and json"},
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

static void files_of_an_option_come_before_the_arguments(void **state)
{
	struct parsed parsed;

	(void)state;
	parse(&parsed, OPTIONS_REPORT, ARGS("c", "-i", "a", "d", "--input=b"));
	assert_int_equal(parsed.status, -1);
	assert_int_equal(parsed.options.arg_count, 4);
	for (size_t i = 0; i < 4; i++)
		assert_string_equal(parsed.options.args[i], ARGS("a", "b", "c", "d")[i]);
	release(&parsed);
}

/* The text of --help. */
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
		const char *spelling;
		const char *words[16];
		const char *missing[4];
	} cases[] = {
		{OPTIONS_REPORT,
		 "--help",
		 {"pscal try", "[FILE]", "-n, --name=NAME", "a name of the command's own", "--flag",
		  "a flag of the command's own", "-o, --output=FILE", "--format=FORMAT",
		  "-q, --quiet", "-h  ", "--help  ", "Options:", "Common options:", "Advanced:"},
		 {NULL}},
		{OPTIONS_REPORT,
		 "-h",
		 {"pscal try", "[FILE]", "-n, --name=NAME", "--flag", "-o, --output=FILE",
		  "-q, --quiet", "-h  ", "--help  "},
		 {"--format=FORMAT", "--sort", "--color", "Common options:"}},
		{OPTIONS_RECORD,
		 "--help",
		 {"pscal try", "[FILE]", "-n, --name=NAME", "--flag", "-q, --quiet", "-h  ",
		  "--help  "},
		 {"--format", "Advanced:"}},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char text[4096];

		print_help(text, sizeof(text), cases[i].set, cases[i].spelling);
		for (size_t word = 0; cases[i].words[word]; word++)
			if (!strstr(text, cases[i].words[word]))
				fail_msg("no '%s' in\n%s", cases[i].words[word], text);
		for (size_t word = 0; word < 4 && cases[i].missing[word]; word++)
			if (strstr(text, cases[i].missing[word]))
				fail_msg("'%s' in\n%s", cases[i].missing[word], text);
	}
}

static void options_of_the_recorded_command_are_left_to_it(void **state)
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
	assert_non_null(strstr(parsed.err.text, "--format: there is no such option"));
	release(&parsed);
}

/* The choice of options_file() for `args` when `fd` is standard input; closes `fd`. */
static const char *input_of(const char *const *args, int fd, const char *usual,
			    struct parsed *parsed)
{
	int saved = dup(STDIN_FILENO);
	const char *file;

	assert_true(fd >= 0);
	dup2(fd, STDIN_FILENO);
	parse(parsed, OPTIONS_REPORT, args);
	file = options_file(&parsed->options, usual, false, &parsed->err);
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

static void the_input_is_one_file_or_a_pipe_or_the_default_file(void **state)
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
	assert_string_equal(
		parsed.err.text,
		"b.data: one input at a time; pscal report and pscal stretch compare recordings");
	release(&parsed);
	assert_null(input_of(ARGS(NULL), open_null(), NULL, &parsed));
	assert_string_equal(parsed.err.text, "name a FILE, or pipe one in");
	release(&parsed);
}

static void an_argument_that_may_be_left_out_is_not_the_command(void **state)
{
	static const struct {
		const char *words[ARGS_MAX + 1];
		const char *sync; /* NULL: the option is absent */
		size_t args;
	} cases[] = {
		{{"--sync", "true"}, "futex", 1},
		{{"--flag", "--sync", "true"}, "futex", 1},
		{{"-n", "f", "--sync", "true", "--sync"}, "futex", 2},
		{{"-zn", "f", "--sync", "true"}, "futex", 1},
		{{"-nf", "--sync", "true"}, "futex", 1},
		{{"--name", "f", "--sync", "--", "true"}, "futex", 1},
		{{"--name=f", "--sync", "--", "true"}, "futex", 1},
		{{"true", "--sync"}, NULL, 2},
		{{"-z", "true", "--sync"}, NULL, 2},
		{{"--", "--sync"}, NULL, 1},
		{{"--sync=all", "true"}, "all", 1},
		{{NULL}, NULL, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct parsed parsed;

		parse(&parsed, OPTIONS_RECORD, cases[i].words);
		assert_int_equal(parsed.status, -1);
		assert_int_equal(parsed.options.arg_count, cases[i].args);
		if (cases[i].sync)
			assert_string_equal(parsed.plain, cases[i].sync);
		else
			assert_null(parsed.plain);
		release(&parsed);
	}
}

static void texts_become_values(void **state)
{
	struct parsed parsed;

	(void)state;
	parse(&parsed, OPTIONS_REPORT,
	      ARGS("--value", "--count=9", "--size=2K", "--share=50%", "--seconds=1500ms",
		   "--choice=two", "--numbers=1,3-4", "--ids=7,2147483647"));
	assert_int_equal(parsed.status, -1);
	assert_int_equal(parsed.value, 7);
	assert_int_equal(parsed.count, 9);
	assert_int_equal(parsed.size, 2048);
	assert_close(parsed.share, .5, 0);
	assert_close(parsed.seconds, 1.5, 0);
	assert_int_equal(parsed.choice, 6);
	assert_int_equal(parsed.numbers.count, 3);
	assert_int_equal(parsed.numbers.items[2], 4);
	assert_int_equal(parsed.ids.count, 2);
	assert_int_equal(parsed.ids.items[1], 2147483647);
	assert_string_equal(options_text(&parsed.options, "seconds"), "1500ms");
	assert_null(options_text(&parsed.options, "cores"));
	release(&parsed);

	parse(&parsed, OPTIONS_REPORT,
	      ARGS("--many", "a", "--many=b", "--even=ab", "--even=cd", "--plot=x.svg", "--chart"));
	assert_int_equal(parsed.status, -1);
	assert_int_equal(parsed.count, 4);
	assert_string_equal(parsed.many[1], "b");
	assert_null(parsed.many[2]);
	assert_int_equal(parsed.reads, 2);
	assert_string_equal(parsed.plotting.path, "x.svg");
	assert_true(parsed.plotting.chart);
	release(&parsed);
}

static void wrong_values_are_refused_with_the_name_of_the_option(void **state)
{
	static const struct {
		const char *arg, *why;
	} cases[] = {
		{"--count=1", "--count 1: is not a number from 2 to 9"},
		{"-k10", "-k 10: is not a number from 2 to 9"},
		{"-kx", "-k x: is not a number from 2 to 9"},
		{"--cores=0", "--cores 0: is not a number of cores"},
		{"--share=-0.1", "--share -0.1: is no share"},
		{"--share=100.1%", "--share 100.1%: is no share"},
		{"--share=5 %", "--share 5 %: is no share"},
		{"--share=%", "--share %: is no share"},
		{"--share=", "--share : is no share"},
		{"--seconds=x", "--seconds: 'x' is not a time; try 250ms, 10s or 2m"},
		{"--seconds=999ms", "--seconds 999ms: is too short"},
		{"--size=x", "--size: 'x' is not a size; try 500M or 2G"},
		{"--choice=three", "--choice three: there are one and two"},
		{"--numbers=0",
		 "--numbers: '0' is not a list like 1,2,4-16 of numbers from 1 to 9"},
		{"--ids=x", "--ids: 'x' is not a number, or a list of them as 12,34; 'pgrep NAME' "
			    "finds the numbers of a name"},
		{"--even=abc", "--even abc: is odd"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct parsed parsed;

		parse(&parsed, OPTIONS_REPORT, ARGS(cases[i].arg));
		assert_int_equal(parsed.status, STATUS_USAGE);
		assert_string_equal(parsed.err.text, cases[i].why);
		release(&parsed);
	}
}

static void digits_may_follow_their_letter(void **state)
{
	static const struct {
		const char *arg, *digits; /* NULL: none */
	} cases[] = {{"-z", NULL}, {"-z3", "3"}, {"-z19", "19"}, {"--level=5", "5"}};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct parsed parsed;

		parse(&parsed, OPTIONS_RECORD, ARGS(cases[i].arg, "7"));
		assert_int_equal(parsed.status, -1);
		assert_int_equal(parsed.options.arg_count, 1);
		if (cases[i].digits)
			assert_string_equal(parsed.digits, cases[i].digits);
		else
			assert_null(parsed.digits);
		release(&parsed);
	}
}

static void options_that_are_not_given_leave_their_fields(void **state)
{
	static const char *many[] = {"usual", NULL};
	const char *argv[] = {"pscal try", "-k", "5", NULL};
	struct parsed parsed = {.name = "usual", .digits = "3", .many = many, .flag = true};

	(void)state;
	assert_int_equal(options_read(&parsed.options, OPTIONS_REPORT, "[FILE]", table, &parsed, 3,
				      argv, &parsed.err),
			 -1);
	assert_string_equal(parsed.name, "usual");
	assert_string_equal(parsed.digits, "3");
	assert_ptr_equal(parsed.many, many);
	assert_true(parsed.flag);
	release(&parsed);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(options_that_are_not_given_leave_their_fields),
	cmocka_unit_test(an_argument_that_may_be_left_out_is_not_the_command),
	cmocka_unit_test(texts_become_values),
	cmocka_unit_test(wrong_values_are_refused_with_the_name_of_the_option),
	cmocka_unit_test(digits_may_follow_their_letter),
	cmocka_unit_test(options_may_be_anywhere_and_the_rest_are_arguments),
	cmocka_unit_test(without_options_the_report_is_text_on_standard_output),
	cmocka_unit_test(mistakes_are_reported_with_status_2),
	cmocka_unit_test(files_of_an_option_come_before_the_arguments),
	cmocka_unit_test(help_prints_every_option_with_status_0),
	cmocka_unit_test(options_of_the_recorded_command_are_left_to_it),
	cmocka_unit_test(record_has_no_format),
	cmocka_unit_test(the_input_is_one_file_or_a_pipe_or_the_default_file),
	cmocka_unit_test(several_files_and_none_are_refused),
};

TEST_FILE(tests);
