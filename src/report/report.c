/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/output_file.h"
#include "base/parse.h"
#include "base/printable.h"
#include "report/text_table.h"

#include <csv.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LINE_WIDTH = 80, LINE_COUNT = 24 };

struct report {
	FILE *out;
	char *path;		 /* NULL: standard output */
	struct output_file file; /* else; `out` has a descriptor of its own */
	enum report_format format;
	const struct table *table;    /* being written now and shown in this format, or NULL */
	struct text_table *text;      /* its text form */
	const struct table *csv_head; /* whose CSV heading has been written */
	bool quiet;		      /* no warnings */
	bool series;		      /* of documents, of which JSON has one a line */
	bool redraws;		      /* text: each in the place of the one before */
	bool started;		      /* something has been written */
	bool array;		      /* JSON: the document is an array of groups ... */
	bool empty;		      /* ... of which there may be none */
	bool comma;		      /* JSON: something stands before on this level */
};

/* --- Documents ----------------------------------------------------------------------------- */

static int open_file(struct report *report, struct err *err)
{
	static const struct output_kind kind = {.mode = 0666, .keeps_mode = true};
	int fd;

	if (output_file_open(&report->file, report->path, &kind, err))
		return -1;
	fd = fcntl(report->file.fd, F_DUPFD_CLOEXEC, 0);
	report->out = fd < 0 ? NULL : fdopen(fd, "w");
	if (report->out)
		return 0;
	err_set(err, "%s: cannot write: %m", report->path);
	if (fd >= 0)
		close(fd);
	return -1;
}

struct report *report_open(const char *path, enum report_format format, struct err *err)
{
	struct report *report = xcalloc(1, sizeof(*report));

	report->format = format;
	report->out = stdout;
	if (!path)
		return report;
	report->path = xstrdup(path);
	if (!open_file(report, err))
		return report;
	output_file_close(&report->file, &(struct err){""});
	free(report->path);
	free(report);
	return NULL;
}

int report_set_series(struct report *report, struct err *err)
{
	report->series = true;
	report->redraws = report->format == REPORT_TEXT && isatty(fileno(report->out));
	if (!report->path)
		return 0;
	if (output_file_publish(&report->file, OUTPUT_REPLACES, err))
		return -1;
	/* It may be another file from then on. */
	if (dup3(report->file.fd, fileno(report->out), O_CLOEXEC) < 0)
		return err_set(err, "%s: cannot write: %m", report->path);
	return 0;
}

void report_set_array(struct report *report)
{
	report->array = true;
	report->empty = true;
}

/* Text: what comes between the table or paragraph before and the next one. */
static void text_next(struct report *report)
{
	if (report->started)
		fputc('\n', report->out);
	else if (report->redraws)
		fputs("\033[H\033[2J", report->out);
	report->started = true;
}

/* JSON: what comes between the member or element before and the next one. */
static void json_next(struct report *report, const char *key)
{
	if (!report->started)
		fputc(report->array ? '[' : '{', report->out);
	report->started = true;
	if (report->comma)
		fputc(',', report->out);
	if (!report->series)
		fputc('\n', report->out);
	else if (report->comma)
		fputc(' ', report->out);
	report->comma = true;
	if (key)
		fprintf(report->out, "\"%s\": ", key);
}

static void json_end(struct report *report)
{
	if (!report->series)
		fputc('\n', report->out);
	fputs(report->array ? "]\n" : "}\n", report->out);
}

int report_next(struct report *report, struct err *err)
{
	if (report->format == REPORT_JSON && report->started)
		json_end(report);
	else if (report->format == REPORT_JSON && report->empty)
		fputs("[]\n", report->out);
	report->started = report->started && report->format == REPORT_TEXT && !report->redraws;
	report->comma = false;
	if (fflush(report->out) || ferror(report->out))
		return err_set(err, "%s: cannot write: %m",
			       report->path ? report->path : "standard output");
	return 0;
}

static int close_file(struct report *report, bool is_complete, struct err *err)
{
	struct err ignored;
	int rc = 0;

	if (fclose(report->out))
		rc = err_set(err, "%s: cannot write: %m", report->path);
	if (!rc && is_complete)
		rc = output_file_publish(&report->file, OUTPUT_REPLACES, err);
	return output_file_close(&report->file, rc ? &ignored : err) ? -1 : rc;
}

int report_finish(struct report *report, int rc, struct err *err)
{
	struct err ignored;

	if (report_next(report, rc ? &ignored : err))
		rc = -1;
	if (report->path && close_file(report, !rc, rc ? &ignored : err))
		rc = -1;
	free(report->path);
	free(report);
	return rc;
}

int report_close(struct report *report, struct err *err)
{
	return report_finish(report, 0, err);
}

bool report_shows(const struct report *report, unsigned in)
{
	return (in & report->format) != 0;
}

/* --- A cell in JSON ------------------------------------------------------------------------ */

/* A thread may call itself anything; JSON is UTF-8. */
static json_t *json_text(const char *name)
{
	json_t *json = json_string(name);
	char *text;

	if (json)
		return json;
	text = printable(PRINTABLE_UTF8, name, PRINTABLE_WHOLE);
	json = json_string(text);
	free(text);
	return json;
}

static json_t *cell_json(const struct cell *cell)
{
	json_t *list;

	switch (cell->kind) {
	case CELL_NUMBER:
		return isfinite(cell->number) ? json_real(cell->number) : json_null();
	case CELL_COUNT:
		return json_integer(cell->count);
	case CELL_BOOL:
		return json_boolean(cell->count);
	case CELL_TEXT:
		return json_text(cell->text);
	case CELL_LIST:
		list = json_array();
		for (int64_t i = 0; i < cell->count; i++)
			json_array_append_new(list, json_text(cell->list[i]));
		return list;
	case CELL_NULL:
		break;
	}
	return json_null();
}

static void cell_json_set(json_t *object, const char *key, const struct cell *cell)
{
	char *text = printable(PRINTABLE_UTF8, key, PRINTABLE_WHOLE);

	json_object_set_new(object, text, cell_json(cell));
	free(text);
}

/* Escapes characters that JSON allows and a terminal obeys; only strings have them. */
static void json_print(FILE *out, const char *json)
{
	size_t length = strlen(json), bytes;

	for (; length; json += bytes, length -= bytes) {
		uint32_t code = 0;

		bytes = printable_decode(&code, json, length);
		if (printable_character(json, length))
			fwrite(json, 1, bytes, out);
		else
			fprintf(out, "\\u%04" PRIX32, code);
	}
}

/* Prints it on one line, with nothing in it that a terminal obeys, and frees it. */
static void cell_json_put(FILE *out, json_t *value)
{
	char *json = json_dumps(value, JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY);

	if (printable_is(PRINTABLE_DATA, json, PRINTABLE_WHOLE))
		fputs(json, out);
	else
		json_print(out, json);
	free(json);
	json_decref(value);
}

/* --- A cell in CSV ------------------------------------------------------------------------- */

/* RFC 4180. No text has lines, so that each row is a line. */
static void cell_csv_text(FILE *out, const char *name)
{
	char *text;

	if (!strpbrk(name, ",\"")) {
		printable_put(out, PRINTABLE_DATA, name);
		return;
	}
	text = printable(PRINTABLE_DATA, name, PRINTABLE_WHOLE);
	csv_fwrite(out, text, strlen(text));
	free(text);
}

static void csv_list(FILE *out, const struct cell *cell)
{
	char *text = NULL;
	size_t size;
	FILE *joined = open_memstream(&text, &size);

	if (!joined)
		return;
	for (int64_t i = 0; i < cell->count; i++)
		fprintf(joined, "%s%s", i ? " " : "", cell->list[i]);
	fclose(joined);
	cell_csv_text(out, text);
	free(text);
}

/* As RFC 4180 has them. */
static void cell_csv_put(FILE *out, const struct cell *cell)
{
	switch (cell->kind) {
	case CELL_NUMBER:
		if (isfinite(cell->number))
			fprintf(out, "%.17g", cell->number);
		break;
	case CELL_COUNT:
		fprintf(out, "%" PRId64, cell->count);
		break;
	case CELL_BOOL:
		fputs(cell->count ? "true" : "false", out);
		break;
	case CELL_TEXT:
		cell_csv_text(out, cell->text);
		break;
	case CELL_LIST:
		csv_list(out, cell);
		break;
	case CELL_NULL:
		break;
	}
}

/* --- Tables -------------------------------------------------------------------------------- */

static void json_row(struct report *report, const struct cell *cells)
{
	const struct table *table = report->table;
	json_t *object;

	if (table->layout == LAYOUT_FACTS) {
		for (size_t i = 0; i < table->column_count; i++) {
			json_next(report, table->columns[i].key);
			cell_json_put(report->out, cell_json(&cells[i]));
		}
		return;
	}
	json_next(report, NULL);
	object = json_object();
	for (size_t i = 0; i < table->column_count; i++)
		if (table->columns[i].unit != UNIT_BAR)
			cell_json_set(object, table->columns[i].key, &cells[i]);
	cell_json_put(report->out, object);
}

static void csv_row(struct report *report, const struct cell *cells)
{
	const struct table *table = report->table;
	const char *between = "";

	for (size_t i = 0; i < table->column_count; i++) {
		if (table->columns[i].unit == UNIT_BAR)
			continue;
		fputs(between, report->out);
		if (cells)
			cell_csv_put(report->out, &cells[i]);
		else
			cell_csv_text(report->out, table->columns[i].key);
		between = ",";
	}
	fputc('\n', report->out);
}

void report_begin(struct report *report, const struct table *table)
{
	report->table = table->in & report->format ? table : NULL;
	if (!report->table)
		return;
	switch (report->format) {
	case REPORT_TEXT:
		text_next(report);
		report->text = text_table_new(table, report->out);
		break;
	case REPORT_CSV:
		if (report->csv_head != table)
			csv_row(report, NULL);
		report->csv_head = table;
		break;
	case REPORT_JSON:
		if (table->layout == LAYOUT_FACTS)
			break;
		json_next(report, table->key);
		fputc('[', report->out);
		report->comma = false;
		break;
	default:
		break;
	}
}

void report_row(struct report *report, const struct cell *cells)
{
	if (!report->table)
		return;
	if (report->format == REPORT_TEXT)
		text_table_row(report->text, cells);
	else if (report->format == REPORT_CSV)
		csv_row(report, cells);
	else
		json_row(report, cells);
}

void report_end(struct report *report)
{
	if (!report->table)
		return;
	if (report->format == REPORT_TEXT)
		text_table_end(report->text);
	if (report->format == REPORT_JSON && report->table->layout != LAYOUT_FACTS) {
		fputs("]", report->out);
		report->comma = true;
	}
	report->table = NULL;
	report->text = NULL;
}

/* --- Groups -------------------------------------------------------------------------------- */

void report_group(struct report *report, const char *key)
{
	if (report->format != REPORT_JSON)
		return;
	if (!report->started)
		report->array = !key;
	json_next(report, key);
	fputc('{', report->out);
	report->comma = false;
}

void report_ungroup(struct report *report)
{
	if (report->format != REPORT_JSON)
		return;
	fputs(report->series ? "}" : "\n}", report->out);
	report->comma = true;
}

/* --- Text ---------------------------------------------------------------------------------- */

static bool begins_with_unit(const char *text)
{
	static const char *const units[] = {"%", "s", "ms", "us", "ns"};
	size_t length = strcspn(text, " .,;:)");

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strlen(units[i]) == length && strncmp(text, units[i], length) == 0)
			return true;
	return false;
}

/* Cuts off a word, or a number with its unit: no line begins with that. NULL: there is none. */
static char *take_word(char **text)
{
	char *word = *text, *blank = word ? strchr(word, ' ') : NULL;

	while (blank && blank > word && isdigit((unsigned char)blank[-1]) &&
	       begins_with_unit(blank + 1))
		blank = strchr(blank + 1, ' ');
	*text = blank ? blank + 1 : NULL;
	if (blank)
		*blank = '\0';
	return word;
}

/* Breaks at blanks so that no line is wider than LINE_WIDTH. */
static void print_wrapped(FILE *out, char *text)
{
	int column = 0;

	for (char *word; (word = take_word(&text));) {
		int length = (int)printable_length(word);

		if (column && column + 1 + length > LINE_WIDTH) {
			fputc('\n', out);
			column = 0;
		}
		column += fprintf(out, "%s%s", column ? " " : "", word) > 0 ? length + !!column : 0;
	}
	fputc('\n', out);
}

static void print_note(struct report *report, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

static void print_note(struct report *report, const char *format, va_list args)
{
	char *text = NULL, *shown;

	if (vasprintf(&text, format, args) < 0)
		return;
	shown = printable(PRINTABLE_TEXT, text, PRINTABLE_WHOLE);
	text_next(report);
	print_wrapped(report->out, shown);
	free(shown);
	free(text);
}

void report_note(struct report *report, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (report->format == REPORT_TEXT)
		print_note(report, format, args);
	va_end(args);
}

void report_warning(struct report *report, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (report->format == REPORT_TEXT && !report->quiet)
		print_note(report, format, args);
	va_end(args);
}

void report_line(struct report *report, const char *format, ...)
{
	char *text = NULL;
	va_list args;
	int length;

	if (report->format != REPORT_TEXT)
		return;
	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0)
		return;
	printable_put(report->out, PRINTABLE_LINES, text);
	free(text);
	fputc('\n', report->out);
	report->started = true;
}

void report_drawing(struct report *report, const char *lines)
{
	if (report->format != REPORT_TEXT)
		return;
	text_next(report);
	printable_put(report->out, PRINTABLE_LINES, lines);
}

/* A number from the environment, or what is usual. */
static int environment_number(const char *name, int usual)
{
	const char *text = getenv(name);
	uint64_t value;

	return text && !parse_u64(&value, text, 10000) && value ? (int)value : usual;
}

void report_size(const struct report *report, int *columns, int *rows)
{
	struct winsize size;

	if (ioctl(fileno(report->out), TIOCGWINSZ, &size) == 0 && size.ws_col && size.ws_row) {
		*columns = size.ws_col;
		*rows = size.ws_row;
		return;
	}
	*columns = environment_number("COLUMNS", LINE_WIDTH);
	*rows = environment_number("LINES", LINE_COUNT);
}

void report_set_quiet(struct report *report, bool quiet)
{
	report->quiet = quiet;
}

/* --- Lists of numbers in JSON -------------------------------------------------------------- */

void report_counts(struct report *report, const char *key, const int32_t *counts, size_t count)
{
	if (report->format != REPORT_JSON)
		return;
	json_next(report, key);
	fputc('[', report->out);
	for (size_t i = 0; i < count; i++)
		fprintf(report->out, "%s%" PRId32, i ? ", " : "", counts[i]);
	fputc(']', report->out);
}

void report_numbers(struct report *report, const char *key, const double *numbers, size_t count)
{
	json_t *list;

	if (report->format != REPORT_JSON)
		return;
	list = json_array();
	for (size_t i = 0; i < count; i++)
		json_array_append_new(list,
				      isfinite(numbers[i]) ? json_real(numbers[i]) : json_null());
	json_next(report, key);
	cell_json_put(report->out, list);
}
