/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names of threads, functions and files with any bytes: the output of commands is valid in each
 * format, and has no control characters of terminals. The checks here share no code with pscal, and
 * use UTF-8 of the C library.
 */
#include "base/alloc.h"
#include "base/err.h"
#include "base/io/subprocess.h"
#include "base/printable.h"
#include "cmd/options/cmd.h"
#include "random.h"
#include "support.h"

#include <jansson.h>
#include <locale.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { NAME_SIZE = 16 };

/* --- Forbidden characters ------------------------------------------------------------------ */

static bool is_obeyed(wchar_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x200e || code == 0x200f ||
	       (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

/* The text has no control characters but those in `kept`. */
static void assert_harmless(const char *text, const char *kept, const char *what)
{
	mbstate_t mbstate = {0};
	wchar_t code;

	for (size_t bytes; *text; text += bytes) {
		bytes = mbrtowc(&code, text, strlen(text), &mbstate);
		if (bytes == (size_t)-1 || bytes == (size_t)-2)
			fail_msg("%s: no UTF-8: %02x", what, (unsigned)(unsigned char)*text);
		if (is_obeyed(code) && !(code < 0x80 && strchr(kept, (int)code)))
			fail_msg("%s: U+%04X", what, (unsigned)code);
	}
}

/* Takes a field by RFC 4180, without line ends; returns the character after it. */
static char take_field(const char **text, const char *what)
{
	const char *at = *text;

	if (*at == '"') {
		for (at++; *at && (*at != '"' || at[1] == '"'); at++)
			at += *at == '"';
		if (*at++ != '"')
			fail_msg("%s: a quote without end", what);
	} else {
		at += strcspn(at, ",\"\n");
	}
	*text = at + (*at != '\0');
	if (*at != ',' && *at != '\n')
		fail_msg("%s: a field ends in '%.20s'", what, at);
	return *at;
}

static void assert_csv(const char *text, const char *what)
{
	size_t columns = 0;

	while (*text) {
		size_t fields = 1;

		while (take_field(&text, what) == ',')
			fields++;
		if (columns && fields != columns)
			fail_msg("%s: %zu fields below %zu", what, fields, columns);
		columns = fields;
	}
}

static void assert_json(const char *text, const char *what)
{
	json_error_t error;
	json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	if (!json)
		fail_msg("%s: %s", what, error.text);
	json_decref(json);
}

static void assert_dot(const char *text, const char *what)
{
	static const char *const command[] = {"dot", "-Tplain", NULL};
	struct subprocess dot;
	struct err err;
	int rc = subprocess_run(&dot, command, text, strlen(text),
				(struct subprocess_limits){.seconds = 60}, &err);

	if (!dot.missing && (rc || dot.exit_status || *dot.errors))
		fail_msg("%s: dot says: %s", what, dot.errors);
	subprocess_release(&dot);
}

/* All texts of one table. */
static void assert_table(sqlite3 *db, const char *table, const char *what)
{
	char *sql = xasprintf("SELECT * FROM \"%s\"", table);
	sqlite3_stmt *rows;

	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &rows, NULL), SQLITE_OK);
	while (sqlite3_step(rows) == SQLITE_ROW)
		for (int i = 0; i < sqlite3_column_count(rows); i++)
			if (sqlite3_column_type(rows, i) == SQLITE_TEXT)
				assert_harmless((const char *)sqlite3_column_text(rows, i), "",
						what);
	sqlite3_finalize(rows);
	free(sql);
}

static void assert_database(const char *path, const char *what)
{
	sqlite3_stmt *tables;
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db,
					    "SELECT name FROM sqlite_master WHERE type = 'table'",
					    -1, &tables, NULL),
			 SQLITE_OK);
	while (sqlite3_step(tables) == SQLITE_ROW)
		assert_table(db, (const char *)sqlite3_column_text(tables, 0), what);
	sqlite3_finalize(tables);
	sqlite3_close(db);
}

/* --- Results of a recording ---------------------------------------------------------------- */

enum form { FORM_TEXT, FORM_CSV, FORM_JSON, FORM_DOT, FORM_GNUPLOT, FORM_DATABASE };

/* INPUT stands for the recording, TWIN for a copy of it, OUT for the file to check, ASIDE for any
 * other file. */
#define INPUT "\1"
#define OUT   "\2"
#define ASIDE "\3"
#define TWIN  "\4"

static const struct run {
	const struct cmd *cmd;
	const char *words[8];
	enum form form;
	const char *ending;
} runs[] = {
	{&cmd_timeline, {"-o", OUT, INPUT}, FORM_TEXT, ""},
	{&cmd_timeline, {"-o", OUT, "--format", "csv", INPUT}, FORM_CSV, ""},
	{&cmd_timeline, {"-o", OUT, "--format", "json", INPUT}, FORM_JSON, ""},
	{&cmd_timeline, {"-o", OUT, "--blocks", INPUT}, FORM_TEXT, ""},
	{&cmd_timeline, {"-o", OUT, "--blocks", "--format", "csv", INPUT}, FORM_CSV, ""},
	{&cmd_timeline, {"-o", OUT, "--blocks", "--format", "json", INPUT}, FORM_JSON, ""},
	{&cmd_timeline, {"-o", OUT, "--enter-leave", INPUT}, FORM_TEXT, ""},
	{&cmd_profile, {"-o", OUT, INPUT}, FORM_TEXT, ""},
	{&cmd_profile, {"-o", OUT, "--format", "csv", INPUT}, FORM_CSV, ""},
	{&cmd_profile, {"-o", OUT, "--format", "json", INPUT}, FORM_JSON, ""},
	{&cmd_profile, {"-o", ASIDE, "--plot", OUT, INPUT}, FORM_GNUPLOT, ".gnuplot"},
	{&cmd_forecast, {"-o", OUT, "-n", "1,2", INPUT}, FORM_TEXT, ""},
	{&cmd_forecast, {"-o", OUT, "-n", "1,2", "--format", "csv", INPUT}, FORM_CSV, ""},
	{&cmd_forecast, {"-o", OUT, "-n", "1,2", "--format", "json", INPUT}, FORM_JSON, ""},
	{&cmd_rdam, {"-o", OUT, INPUT}, FORM_TEXT, ""},
	{&cmd_rdam, {"-o", OUT, "--format", "csv", INPUT}, FORM_CSV, ""},
	{&cmd_rdam, {"-o", OUT, "--format", "json", INPUT}, FORM_JSON, ""},
	{&cmd_rdam, {"-o", ASIDE, "--plot", OUT, INPUT}, FORM_GNUPLOT, ".gnuplot"},
	{&cmd_stretch, {"-o", OUT, "--by=task", TWIN, INPUT}, FORM_TEXT, ""},
	{&cmd_stretch, {"-o", OUT, "--format", "csv", "--by=task", TWIN, INPUT}, FORM_CSV, ""},
	{&cmd_stretch, {"-o", OUT, "--format", "json", "--by=task", TWIN, INPUT}, FORM_JSON, ""},
	{&cmd_dag, {"-o", OUT, INPUT}, FORM_TEXT, ""},
	{&cmd_dag, {"-o", OUT, "--dot", INPUT}, FORM_DOT, ""},
	{&cmd_dag, {"-o", OUT, "--format", "csv", INPUT}, FORM_CSV, ""},
	{&cmd_dag, {"-o", OUT, "--format", "json", INPUT}, FORM_JSON, ""},
	{&cmd_dag, {"-o", ASIDE, "--plot", OUT, INPUT}, FORM_DOT, ".dot"},
	{&cmd_export, {"-o", ASIDE, "--force", "--sqlite", OUT, INPUT}, FORM_DATABASE, ".db"},
	{&cmd_fit, {"-o", OUT, INPUT}, FORM_TEXT, ""},
};

static char *file_text(const char *path)
{
	char *text = xcalloc(1 << 20, 1);
	FILE *file = fopen(path, "re");
	size_t length = file ? fread(text, 1, (1 << 20) - 1, file) : 0;

	if (!file)
		fail_msg("%s cannot be read", path);
	assert_int_equal(strlen(text), length); /* the text has no NUL */
	fclose(file);
	return text;
}

static void assert_form(enum form form, const char *path, const char *what)
{
	char *text;

	if (form == FORM_DATABASE) {
		assert_database(path, what);
		return;
	}
	text = file_text(path);
	assert_harmless(
		text, form == FORM_DOT || form == FORM_TEXT || form == FORM_GNUPLOT ? "\n\t" : "\n",
		what);
	if (form == FORM_CSV)
		assert_csv(text, what);
	if (form == FORM_JSON)
		assert_json(text, what);
	if (form == FORM_DOT)
		assert_dot(text, what);
	/* After the first line, a comment of pscal, no line is a command or a macro. */
	if (form == FORM_GNUPLOT)
		assert_null(strpbrk(strchr(text, '\n'), "`@"));
	free(text);
}

static void assert_sentence(const struct err *err, const char *what)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	printable_say(out, "%s", err->text);
	fclose(out);
	text[size - 1] = '\0';
	assert_harmless(text, "", what);
	free(text);
}

/* Returns true if the command had output. */
static bool try_run(const struct run *run, const char *directory, const char *input)
{
	char *out = xasprintf("%s/out%s", directory, run->ending);
	char *aside = xasprintf("%s/aside", directory), *twin = xasprintf("%s/twin", directory);
	char *what = xasprintf("%s %s", run->cmd->name, run->words[2]);
	const char *words[12] = {run->cmd->name, "-q"};
	struct err err = {.text = ""};
	int count = 2, status;

	if (run->form == FORM_TEXT)
		count--; /* with warnings, too */
	for (size_t i = 0; i < COUNT(run->words) && run->words[i]; i++) {
		const char *word = run->words[i];

		words[count++] = strcmp(word, INPUT) == 0   ? input
				 : strcmp(word, OUT) == 0   ? out
				 : strcmp(word, ASIDE) == 0 ? aside
				 : strcmp(word, TWIN) == 0  ? twin
							    : word;
	}
	status = run->cmd->run(count, words, &err);
	if (status == STATUS_DONE)
		assert_form(run->form, out, what);
	else
		assert_sentence(&err, what);
	free(out);
	free(aside);
	free(twin);
	free(what);
	return status == STATUS_DONE;
}

/* --- Recordings with names ----------------------------------------------------------------- */

/* Replaces each `old` in `from` by `name`; frees `from`. */
static char *replaced(char *from, const char *old, const char *name)
{
	char *text = NULL, *at = from;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (char *next; (next = strstr(at, old)); at = next + strlen(old))
		fprintf(out, "%.*s%s", (int)(next - at), at, name);
	fputs(at, out);
	fclose(out);
	free(from);
	return text;
}

static void write_input(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* The same except for times, which count from the first one. */
static void assert_same_calls(char *got, char *want)
{
	char *one, *other;

	while ((one = strsep(&got, "\n")) && (other = strsep(&want, "\n")))
		assert_string_equal(strchrnul(one, ' '), strchrnul(other, ' '));
	assert_true(!got && !want);
}

/* The text of blocks reads the same again. */
static void assert_read_again(const char *directory, const char *input)
{
	char *once = xasprintf("%s/out", directory), *twice = xasprintf("%s/aside", directory);
	const char *first[] = {"timeline", "-qo", once, "--enter-leave", input, NULL};
	const char *second[] = {"timeline", "-qo", twice, "--enter-leave", once, NULL};
	char *want, *got;
	struct err err;

	if (cmd_timeline.run(5, first, &err) == STATUS_DONE) {
		if (cmd_timeline.run(5, second, &err) != STATUS_DONE)
			fail_msg("%s", err.text);
		want = file_text(once);
		got = file_text(twice);
		assert_same_calls(got, want);
		free(want);
		free(got);
	}
	free(once);
	free(twice);
}

static char *calls_of(const char *name)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fputs("#timestamp #ThreadId #Event\n", out);
	for (int i = 0; i < 9; i++)
		fprintf(out, "0.%03d000000s 7 %s function %s()\n", i + 1, i % 2 ? "Leave" : "Enter",
			name);
	fclose(out);
	return text;
}

static char *tasks_of(const char *name)
{
	char *site = xasprintf("site=%s ", name);
	char *text = replaced(file_text("tests/data/examples/tasks.txt"), "tasks_fib", name);

	text = replaced(text, "site=fib ", site);
	free(site);
	return text;
}

static char *blocks_of(const char *name)
{
	char *block = xasprintf("block=%s ", name);
	char *text = replaced(file_text("tests/data/examples/blocks.txt"), "block=main ", block);

	free(block);
	return replaced(text, "main  ", name);
}

/* The name of a thread, a function and the recording itself. Counts the commands that accepted
 * it. */
static void try_name(size_t done[COUNT(runs)], const char *directory, const char *name)
{
	char *texts[] = {calls_of(name), tasks_of(name), blocks_of(name)};
	char *path = xasprintf("%s/in %s", directory, strchr(name, '/') ? "" : name);
	char *twin = xasprintf("%s/twin", directory);

	for (size_t i = 0; i < COUNT(texts); i++) {
		write_input(path, texts[i]);
		write_input(twin, texts[i]);
		for (size_t j = 0; j < COUNT(runs); j++)
			done[j] += try_run(&runs[j], directory, path);
		assert_read_again(directory, path);
		free(texts[i]);
	}
	assert_int_equal(unlink(path), 0);
	free(path);
	free(twin);
}

/* Draws bytes with a meaning for a terminal, a shell, or one of the formats. */
static void draw_name(char name[NAME_SIZE], struct random *random)
{
	static const char *const pieces[] = {
		"\x1b[2J",	"\x1b]0;x\a",	"\xc2\x9b", "\x9b",	"\xe2\x80\xae",
		"\xe2\x81\xa6", "\xe2\x80\x8f", "\xff",	    "\xc0\xaf", "\xed\xa0",
		"\xf0\x9f\x90", "\xe2\x82",	"\"",	    ",",	"\\",
		"\\x",		"`id`",		"@x",	    "'",	"$(x)",
		"=1+1",		"%s%n",		"\r",	    "\t",	"\x7f",
		"&#27;",	"<b>",		"\\n",	    "\xc3\xa4", "{"};

	*name = '\0';
	for (size_t i = 0; i < 3; i++) {
		const char *piece = pieces[random_below(random, COUNT(pieces))];

		if (strlen(name) + strlen(piece) < NAME_SIZE)
			strcat(name, piece);
	}
}

static void remove_files(const char *directory)
{
	static const char *const names[] = {"out",    "out.gnuplot", "out.dot",
					    "out.db", "aside",	     "twin"};

	for (size_t i = 0; i < COUNT(names); i++) {
		char *path = xasprintf("%s/%s", directory, names[i]);

		unlink(path);
		free(path);
	}
	assert_int_equal(rmdir(directory), 0);
}

static void no_format_has_control_characters_of_terminals(void **state)
{
	enum { AT_ONCE = NAME_SIZE - 1 };
	const size_t drawn = is_nightly() ? 40 : 8;
	char directory[] = "/tmp/pscal-names-XXXXXX";
	struct random random = {17};
	size_t done[COUNT(runs)] = {0};
	char name[NAME_SIZE];

	(void)state;
	assert_non_null(mkdtemp(directory));
	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	for (unsigned first = 1; first < 256; first += AT_ONCE) {
		size_t length = 0;

		for (unsigned byte = first; byte < first + AT_ONCE && byte < 256; byte++)
			if (byte != '\n' && byte != '/' && byte != ' ')
				name[length++] = (char)byte;
		name[length] = '\0';
		try_name(done, directory, name);
	}
	for (size_t i = 0; i < drawn; i++) {
		draw_name(name, &random);
		try_name(done, directory, name);
	}
	for (size_t i = 0; i < COUNT(runs); i++)
		if (!done[i] != (runs[i].cmd == &cmd_fit))
			fail_msg("%s %s: %zu", runs[i].cmd->name, runs[i].words[2], done[i]);
	setlocale(LC_CTYPE, "C");
	remove_files(directory);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(no_format_has_control_characters_of_terminals),
};

TEST_FILE(tests);
