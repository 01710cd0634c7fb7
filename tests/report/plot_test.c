/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Needs gnuplot, which scripts/install-deps installs. */
#include "report/plot_private.h"

#include "base/alloc.h"
#include "base/err.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A file of this name, in a directory that is removed. */
static char *path_of(const char *name)
{
	char *path = xstrdup(file_with("", 0)), *renamed;

	unlink(path);
	*strrchr(path, '/') = '\0';
	renamed = xasprintf("%s/%s", path, name);
	free(path);
	return renamed;
}

static size_t read_file(char *bytes, size_t size, const char *path)
{
	FILE *file = fopen(path, "r");
	size_t got = file ? fread(bytes, 1, size - 1, file) : 0;

	bytes[got] = '\0';
	if (file)
		fclose(file);
	return got;
}

static struct plot_script *script_of(const char *commands)
{
	struct plot_script *script = plot_script_new();

	plot_script_template(script, commands);
	return script;
}

static const struct {
	const char *name, *magic;
} pictures[] = {
	{"a.svg", "<?xml"},
	{"a.png", "\x89PNG\r\n\x1a\n"},
	{"a.pdf", "%PDF-1."},
	{"a.b.PDF", "%PDF-1."},
	{"a.gnuplot", "# `gnuplot FILE >picture.svg` draws this"},
	{"a.gp", "# `gnuplot FILE >picture.svg` draws this"},
	/* Only this test sees the name. */
	{"it's `touch pwned` $HOME \\ \"q\"\n@x; #.svg", "<?xml"},
};

static void the_ending_of_the_name_tells_the_format(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(pictures); i++) {
		struct plot_script *script = script_of("plot x\n");
		char *path = path_of(pictures[i].name), bytes[64];
		struct err err = {.text = ""};

		assert_int_equal(plot_check_path(path, &err), 0);
		if (plot_save(script, .8, path, &err))
			fail_msg("%s", err.text);
		read_file(bytes, sizeof(bytes), path);
		assert_memory_equal(bytes, pictures[i].magic, strlen(pictures[i].magic));
		unlink(path);
		free(path);
	}
}

static void an_unknown_ending_is_refused(void **state)
{
	static const char *const names[] = {"a", "a.gif", "a.svg/b", "svg", ".svg.gz"};
	struct err err;

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		assert_int_equal(plot_check_path(names[i], &err), -1);
		assert_non_null(strstr(err.text, "use .svg, .png or .pdf, or .gnuplot"));
	}
	assert_int_equal(plot_check_path("", &err), -1);
	assert_non_null(strstr(err.text, "is empty"));
}

/* The output of gnuplot, which has read it as a string. */
static void any_text_is_drawn_unchanged(void **state)
{
	static const char *const hostile[] = {
		"it's \"q\" `echo pwned` $HOME @x \\n \\ %s {/Bold b} a_b^c # x",
		"'; system('echo pwned'); '",
		"two\nlines `echo\npwned`",
		"END\n$x << END\n",
		"\xce\xb1 <b>&amp;",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(hostile); i++) {
		struct plot_script *script = plot_script_new();
		char *printed, *expected = xasprintf("%s\n", hostile[i]);
		struct err err = {.text = ""};

		plot_script_text(script, "text", hostile[i]);
		plot_script_template(script, "set print '-'\nprint text\n");
		printed = plot_with_characters(script, 80, 24, &err);
		if (!printed)
			fail_msg("%s: %s", hostile[i], err.text);
		assert_string_equal(printed, expected);
		free(printed);
		free(expected);
		plot_script_free(script);
	}
}

static void special_characters_in_any_mixture_stay_text(void **state)
{
	static const char special[] = "'\"`@$\\{}^_#;\n%a1 ().[]&";
	enum { TEXTS = 300, LENGTH = 12 };
	struct plot_script *script = plot_script_new();
	char *expected = xcalloc(TEXTS, LENGTH + 2), *end = expected, *printed;
	struct err err = {.text = ""};

	(void)state;
	srand(1);
	plot_script_template(script, "a = 'a macro'; set print '-'\n");
	for (size_t i = 0; i < TEXTS; i++) {
		char text[LENGTH + 1] = "";

		for (size_t j = 0; j < LENGTH; j++)
			text[j] = special[(size_t)rand() % (sizeof(special) - 1)];
		plot_script_text(script, "text", text);
		plot_script_template(script, "print text\n");
		end = stpcpy(stpcpy(end, text), "\n");
	}
	printed = plot_with_characters(script, 80, 24, &err);
	if (!printed)
		fail_msg("%s", err.text);
	assert_string_equal(printed, expected);
	free(printed);
	free(expected);
	plot_script_free(script);
}

static const struct {
	const char *commands, *name;
	const char *sentence; /* part of it */
} troubles[] = {
	{"plot x\n", "no-such-directory/a.svg", "no-such-directory/a.svg: cannot write: No such"},
	{"plot x\n", "no-such-directory/a.gp", "no-such-directory/a.gp: cannot write: No such"},
	{"plot nothing\n", "a.svg",
	 "gnuplot could not draw the plot: line 0: undefined variable: nothing"},
	{"no command\n", "a.png", "gnuplot could not draw the plot: line 0: invalid command"},
	/* This script draws nothing. */
	{"x = 1\n", "a.pdf", "gnuplot could not draw the plot: it gave no reason"},
	/* A script that asks the user gets no answer. */
	{"pause -1 'Go on?'\nplot nothing\n", "a.svg", "gnuplot could not draw the plot: "},
};

static void an_error_is_a_sentence(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(troubles); i++) {
		struct plot_script *script = script_of(troubles[i].commands);
		char *path = path_of(troubles[i].name);
		struct err err = {.text = ""};

		assert_int_equal(plot_save(script, .8, path, &err), -1);
		if (!strstr(err.text, troubles[i].sentence))
			fail_msg("'%s' does not say '%s'", err.text, troubles[i].sentence);
		assert_int_equal(access(path, F_OK), -1);
		free(path);
	}
}

static void an_empty_chart_is_an_error(void **state)
{
	struct plot_script *script = script_of("x = 1\n");
	struct err err = {.text = ""};

	(void)state;
	setenv("LC_ALL", "C", 1); /* gnuplot warns of characters that it cannot draw there */
	assert_null(plot_with_characters(script, 80, 24, &err));
	unsetenv("LC_ALL");
	assert_string_equal(err.text, "gnuplot could not draw the plot: it gave no reason");
	plot_script_free(script);
}

static void an_error_has_the_last_message_of_gnuplot(void **state)
{
	struct plot_script *script = script_of("plot x\n");
	char *program = path_of("gnuplot"), *kept = xstrdup(getenv("PATH")), *path;
	FILE *file = fopen(program, "w");
	struct err err = {.text = ""};

	(void)state;
	fputs("#!/bin/sh\nprintf 'no \\033[2J\\n' >&2\nexit 1\n", file);
	assert_int_equal(fchmod(fileno(file), 0700), 0);
	fclose(file);
	path = xasprintf("%.*s:%s", (int)(strrchr(program, '/') - program), program, kept);
	setenv("PATH", path, 1);
	assert_null(plot_with_characters(script, 80, 24, &err));
	assert_string_equal(err.text, "gnuplot could not draw the plot: no \033[2J");
	setenv("PATH", kept, 1);
	unlink(program);
	free(program);
	free(path);
	free(kept);
	plot_script_free(script);
}

static void without_gnuplot_the_error_names_the_package(void **state)
{
	struct plot_script *script = script_of("plot x\n");
	char *path = path_of("a.svg"), *kept = xstrdup(getenv("PATH"));
	struct err err = {.text = ""};

	(void)state;
	setenv("PATH", "/nonexistent", 1);
	assert_null(plot_with_characters(script, 80, 24, &err));
	assert_non_null(strstr(err.text, "apt install gnuplot-nox"));
	assert_int_equal(plot_save(script, .8, path, &err), -1);
	assert_non_null(strstr(err.text, "apt install gnuplot-nox"));
	setenv("PATH", kept, 1);
	free(kept);
	free(path);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_ending_of_the_name_tells_the_format),
	cmocka_unit_test(an_unknown_ending_is_refused),
	cmocka_unit_test(any_text_is_drawn_unchanged),
	cmocka_unit_test(special_characters_in_any_mixture_stay_text),
	cmocka_unit_test(an_error_is_a_sentence),
	cmocka_unit_test(an_empty_chart_is_an_error),
	cmocka_unit_test(an_error_has_the_last_message_of_gnuplot),
	cmocka_unit_test(without_gnuplot_the_error_names_the_package),
};

TEST_FILE(tests);
