/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/map.h"
#include "base/printable.h"
#include "report/report_embed.h"
#include "report/report_private.h"

#include <csv.h>
#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- Documents ----------------------------------------------------------------------------- */

bool report_keeps(const char *bytes, size_t size)
{
	static const char *const magics[] = {"PERFILE2", "2ELIFREP", "# tracer:"};
	static const char *const events[] = {"sched_switch:", "sched_wakeup:"};

	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if (size >= strlen(magics[i]) && memcmp(bytes, magics[i], strlen(magics[i])) == 0)
			return true;
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (memmem(bytes, size, events[i], strlen(events[i])))
			return true;
	return false;
}

static int open_file(struct report *report, struct err *err)
{
	static const struct output_kind kind = {
		.mode = 0666, .keeps_mode = true, .keeps = report_keeps};
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
	output_file_close(&report->file, &(struct err){.text = ""});
	free(report->path);
	free(report);
	return NULL;
}

struct report *report_into(FILE *out, enum report_format format)
{
	struct report *report = xcalloc(1, sizeof(*report));

	report->format = format;
	report->out = out;
	return report;
}

/* Begins a series of documents. Its file has its name from the beginning. */
static int begin_series(struct report *report, struct err *err)
{
	report->series = true;
	report->redraws = report->format == REPORT_TEXT && isatty(report_descriptor(report));
	if (!report->path)
		return 0;
	if (output_file_publish(&report->file, OUTPUT_REPLACES, err))
		return -1;
	/* The path may be another file from now on. */
	if (dup3(report->file.fd, fileno(report->out), O_CLOEXEC) < 0)
		return err_set(err, "%s: cannot write: %m", report->path);
	return 0;
}

int report_set(struct report *report, enum report_setting setting, struct err *err)
{
	if (setting == REPORT_SERIES)
		return begin_series(report, err);
	switch (setting) {
	case REPORT_QUIET:
		report->quiet = true;
		break;
	case REPORT_VERBOSE:
		report->verbose = true;
		break;
	case REPORT_ALL_ROWS:
		report->all_rows = true;
		break;
	case REPORT_COLOUR:
		report->colour = true;
		break;
	case REPORT_HTML:
		report->html = true;
		break;
	case REPORT_SERIES:
		break;
	}
	return 0;
}

/* JSON: writes the separator between two members or elements, and the key. */
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

/* Ends the document. */
static void end_document(struct report *report)
{
	if (!report->array)
		report_put_alerts(report);
	if (report->format == REPORT_JSON && report->started)
		json_end(report);
	report->started = report->started && report->format == REPORT_TEXT && !report->redraws;
	report->comma = false;
}

int report_next(struct report *report, struct err *err)
{
	end_document(report);
	if (report_order_settle(report, err))
		return -1;
	if (fflush(report->out) || ferror(report->out))
		return err_set(err, "%s: cannot write: %m",
			       report->path ? report->path : "standard output");
	return 0;
}

void report_put_alerts(struct report *report)
{
	static const char *const none[] = {NULL};
	const struct alert_list {
		struct values texts;
	} list = {{.texts = report->alerts ? (const char *const *)report->alerts : none,
		   .count = report->alert_count}};
	static const struct column columns[] = {{"warnings", FIELD(alert_list, texts)}};
	static const struct table table = {
		.layout = LAYOUT_FACTS, .in = REPORT_JSON, COLUMNS(columns)};

	if (report->has_verdict || report->alert_count)
		report_table(report, &table, &list, 1);
	for (size_t i = 0; i < report->alert_count; i++)
		free(report->alerts[i]);
	report->alert_count = 0;
	report->has_verdict = false;
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

	if (rc && report->holds)
		report->is_sorted = false; /* print nothing of it */
	if (report_next(report, rc ? &ignored : err))
		rc = -1;
	if (report->path && close_file(report, !rc, rc ? &ignored : err))
		rc = -1;
	free(report->alerts);
	free(report->labels);
	free(report->path);
	free(report);
	return rc;
}

bool report_shows(const struct report *report, unsigned in)
{
	if (report->format == REPORT_TEXT && !report->html)
		in |= in & REPORT_TERMINAL ? REPORT_TEXT : 0;
	return (in & report->format) != 0;
}

/* --- A number for programs ----------------------------------------------------------------- */

enum { NUMBER_SIZE = 32 };

/* Writes the shortest number that strtod reads back as the same; 15 digits are enough for most. */
static void number_text(char out[NUMBER_SIZE], double number)
{
	for (int digits = DBL_DIG; digits <= DBL_DECIMAL_DIG; digits++) {
		snprintf(out, NUMBER_SIZE, "%.*g", digits, number);
		if (strtod(out, NULL) == number)
			return;
	}
}

/* Writes seconds exactly. */
static void time_text(char out[NUMBER_SIZE], uint64_t ns)
{
	int length = snprintf(out, NUMBER_SIZE, "%" PRIu64 ".%09u", ns / 1000000000,
			      (unsigned)(ns % 1000000000));

	while (out[length - 1] == '0')
		out[--length] = '\0';
	if (out[length - 1] == '.')
		out[length - 1] = '\0';
}

/* --- A cell in JSON ------------------------------------------------------------------------ */

/*
 * Writes a JSON string, which is UTF-8 whatever name a thread gave itself. Control characters of
 * terminals are escaped, too.
 */
void report_put_json(FILE *out, const char *text)
{
	size_t length = strlen(text), bytes;

	putc('"', out);
	for (; length; text += bytes, length -= bytes) {
		uint32_t code = 0;

		bytes = printable_decode(&code, text, length);
		if (!bytes)
			fputs("\xef\xbf\xbd", out); /* U+FFFD */
		else if (!printable_character(text, length))
			fprintf(out, "\\u%04" PRIX32, code);
		else if (*text == '"' || *text == '\\')
			fprintf(out, "\\%c", *text);
		else
			fwrite(text, 1, bytes, out);
		bytes += !bytes;
	}
	putc('"', out);
}

/* Writes a real number with a fraction or an exponent, by which programs recognise its type. */
static void json_real(FILE *out, const char *number)
{
	fprintf(out, "%s%s", number, strpbrk(number, ".e") ? "" : ".0");
}

void report_put_number(FILE *out, double number)
{
	char text[NUMBER_SIZE];

	if (!isfinite(number)) {
		fputs("null", out);
		return;
	}
	number_text(text, number);
	json_real(out, text);
}

static void json_list(FILE *out, const struct values *list)
{
	putc('[', out);
	for (size_t i = 0; i < list->count; i++) {
		fputs(i ? ", " : "", out);
		if (list->texts)
			report_put_json(out, list->texts[i]);
		else if (list->counts)
			fprintf(out, "%" PRId32, list->counts[i]);
		else
			report_put_number(out, list->numbers[i]);
	}
	putc(']', out);
}

static void cell_json_put(FILE *out, const struct cell *cell)
{
	char text[NUMBER_SIZE];

	switch (cell->kind) {
	case CELL_NULL:
		fputs("null", out);
		break;
	case CELL_NUMBER:
		report_put_number(out, cell->number);
		break;
	case CELL_NS:
		time_text(text, (uint64_t)cell->count);
		json_real(out, text);
		break;
	case CELL_COUNT:
		fprintf(out, "%" PRId64, cell->count);
		break;
	case CELL_BOOL:
		fputs(cell->count ? "true" : "false", out);
		break;
	case CELL_TEXT:
		report_put_json(out, cell->text);
		break;
	case CELL_VALUES:
		json_list(out, &cell->values);
		break;
	}
}

/* --- A cell in CSV ------------------------------------------------------------------------- */

/* Writes a text as in RFC 4180. No text has line breaks, so that each row is a line. */
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
	for (size_t i = 0; i < cell->values.count; i++)
		fprintf(joined, "%s%s", i ? " " : "", cell->values.texts[i]);
	fclose(joined);
	cell_csv_text(out, text);
	free(text);
}

/* Writes a cell as in RFC 4180. */
static void cell_csv_put(FILE *out, const struct cell *cell)
{
	char text[NUMBER_SIZE] = "";

	switch (cell->kind) {
	case CELL_NUMBER:
		if (isfinite(cell->number))
			number_text(text, cell->number);
		fputs(text, out);
		break;
	case CELL_NS:
		time_text(text, (uint64_t)cell->count);
		fputs(text, out);
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
	case CELL_VALUES:
		csv_list(out, cell);
		break;
	case CELL_NULL:
		break;
	}
}

/* --- A cell of a row ----------------------------------------------------------------------- */

static const struct cell null = {.kind = CELL_NULL};

static struct cell whole_cell(const char *at, size_t size, bool is_signed)
{
	uint64_t bits = 0,
		 unknown = size < sizeof(bits) ? (UINT64_C(1) << 8 * size) - 1 : UINT64_MAX;
	bool is_negative;

	memcpy(&bits, at, size); /* correct for little-endian machines */
	is_negative = bits >> (8 * size - 1);
	return bits == unknown || (is_signed && is_negative) ? null : cell_count((int64_t)bits);
}

static struct cell real_cell(const char *at, double scale)
{
	double number;

	memcpy(&number, at, sizeof(number));
	return isfinite(number) ? cell_number(number / scale) : null;
}

static struct cell time_cell(const char *at)
{
	uint64_t ns;

	memcpy(&ns, at, sizeof(ns));
	return ns == UINT64_MAX ? null : cell_ns(ns);
}

static struct cell truth_cell(const struct truth *truth)
{
	return truth->known ? cell_bool(truth->holds) : null;
}

static struct cell values_cell(const struct values *values)
{
	return values->texts || values->counts || values->numbers ? cell_values(values) : null;
}

struct cell report_cell(const struct column *column, const void *row)
{
	const char *at = (const char *)row + column->offset;

	switch (column->type) {
	case TYPE_NUMBER:
		return real_cell(at, 1);
	case TYPE_NS_REAL:
		return real_cell(at, 1e9);
	case TYPE_NS:
		return time_cell(at);
	case TYPE_UNSIGNED:
	case TYPE_SIGNED:
		return whole_cell(at, column->size, column->type == TYPE_SIGNED);
	case TYPE_BOOL:
		return cell_bool(*(const bool *)at);
	case TYPE_TEXT:
		return cell_text(*(const char *const *)at);
	case TYPE_COMM:
		return cell_text(at);
	case TYPE_TRUTH:
		return truth_cell((const struct truth *)at);
	case TYPE_VALUES:
		return values_cell((const struct values *)at);
	case TYPE_CELL:
		break;
	}
	return *(const struct cell *)at;
}

/* --- Tables -------------------------------------------------------------------------------- */

static void json_row(struct report *report)
{
	const struct table *table = &report->table;
	bool is_facts = table->layout == LAYOUT_FACTS;

	if (!is_facts) {
		json_next(report, NULL);
		putc('{', report->out);
	}
	for (size_t i = 0; i < table->column_count; i++) {
		if (is_facts) {
			json_next(report, table->columns[i].key);
		} else {
			fputs(i ? ", " : "", report->out);
			report_put_json(report->out, table->columns[i].key);
			fputs(": ", report->out);
		}
		cell_json_put(report->out, &report->cells[i]);
	}
	if (!is_facts)
		putc('}', report->out);
}

static void csv_row(struct report *report)
{
	for (size_t i = 0; i < report->table.column_count; i++) {
		fputs(i ? "," : "", report->out);
		cell_csv_put(report->out, &report->cells[i]);
	}
	fputc('\n', report->out);
}

static void csv_heading(struct report *report)
{
	for (size_t i = 0; i < report->table.column_count; i++)
		report->cells[i] = cell_text(report->columns[i].key);
	csv_row(report);
}

static bool has_column(const struct report *report, const struct table *table,
		       const struct column *column)
{
	if (column->needs & ~table->has)
		return false;
	if (report->format == REPORT_TEXT)
		return column->label && (!column->detail || report->verbose);
	return column->key && column->unit != UNIT_BAR;
}

/* Chooses the columns of the table in this format. */
static void choose_columns(struct report *report, const struct table *table)
{
	struct map keys = {0};
	size_t count = 0;

	report->columns = xcalloc(table->column_count + 1, sizeof(*report->columns));
	report->cells = xcalloc(table->column_count + 1, sizeof(*report->cells));
	for (size_t i = 0; i < table->column_count; i++) {
		const struct column *column = &table->columns[i];

		if (!has_column(report, table, column))
			continue;
		/* Keys may be names from the input; a JSON object has each member once. */
		if (report->format == REPORT_JSON &&
		    map_add(&keys, column->key, strlen(column->key)) < count)
			continue;
		report->columns[count++] = *column;
	}
	map_release(&keys);
	report->table = *table;
	report->table.columns = report->columns;
	report->table.column_count = count;
}

static void release_columns(struct report *report)
{
	free(report->columns);
	free(report->cells);
	report->columns = NULL;
	report->cells = NULL;
	report->text = NULL;
}

/* Returns whether the table is a JSON object even if all of its facts are left out. */
static bool is_empty_object(const struct report *report)
{
	return report->format == REPORT_JSON && report->table.layout == LAYOUT_FACTS &&
	       report->table.key;
}

void report_sentence(struct report *report, const char *key, const char *text)
{
	const struct text_line {
		const char *text;
	} line = {text};
	const struct column column = {key, FIELD(text_line, text)};

	report_rows(report,
		    &(const struct table){
			    .layout = LAYOUT_FACTS, .columns = &column, .column_count = 1},
		    &line, 1, sizeof(line));
}

void report_begin(struct report *report, const struct table *table)
{
	unsigned in = table->in ? table->in : REPORT_TEXT | REPORT_JSON;

	if (!(in & report->format) ||
	    (report->format == REPORT_TEXT && table->detail && !report->verbose))
		return;
	choose_columns(report, table);
	if (!report->table.column_count && !is_empty_object(report)) {
		release_columns(report);
		return;
	}
	report_order_begin(report, table);
	switch (report->format) {
	case REPORT_TEXT:
		report_text_next(report);
		report->text = text_table_new(&report->table, report);
		break;
	case REPORT_CSV:
		if (report->csv_head != table->columns || report->csv_has != table->has)
			csv_heading(report);
		report->csv_head = table->columns;
		report->csv_has = table->has;
		break;
	case REPORT_JSON:
		if (table->layout == LAYOUT_FACTS && !table->key)
			break;
		json_next(report, table->key);
		fputc(table->layout == LAYOUT_FACTS ? '{' : '[', report->out);
		report->depth += table->layout == LAYOUT_FACTS;
		report->comma = false;
		break;
	default:
		break;
	}
}

void report_put_cells(struct report *report)
{
	if (report->format == REPORT_TEXT)
		text_table_row(report->text, report->cells);
	else if (report->format == REPORT_CSV)
		csv_row(report);
	else
		json_row(report);
}

void report_row(struct report *report, const void *row)
{
	if (!report->columns)
		return;
	for (size_t i = 0; i < report->table.column_count; i++) {
		const struct column *column = &report->columns[i];

		report->cells[i] = report_cell(column, row);
		if (report->cells[i].kind == CELL_NULL && report->format == REPORT_TEXT)
			report->cells[i] = cell_text(column->absent);
	}
	if (report->order)
		report_order_row(report, row);
	else
		report_put_cells(report);
}

void report_end(struct report *report)
{
	const struct table *table = &report->table;

	if (!report->columns)
		return;
	if (report->order)
		report_order_end(report);
	if (report->format == REPORT_TEXT)
		text_table_end(report->text);
	if (report->format == REPORT_JSON && table->layout != LAYOUT_FACTS) {
		fputs("]", report->out);
		report->comma = true;
	} else if (report->format == REPORT_JSON && table->key) {
		report_ungroup(report);
	}
	release_columns(report);
}

void report_rows(struct report *report, const struct table *table, const void *rows, size_t count,
		 size_t row_size)
{
	report_begin(report, table);
	for (size_t i = 0; i < count; i++)
		report_row(report, (const char *)rows + i * row_size);
	report_end(report);
}

void report_put_object(FILE *out, const struct column *columns, size_t count, const void *row)
{
	for (size_t i = 0; i < count; i++) {
		const struct cell cell = report_cell(&columns[i], row);

		fputs(i ? ", " : "{", out);
		report_put_json(out, columns[i].key);
		fputs(": ", out);
		cell_json_put(out, &cell);
	}
	fputs("}", out);
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
	report->depth++;
}

void report_ungroup(struct report *report)
{
	if (report->format != REPORT_JSON)
		return;
	if (report->array && report->depth == 1)
		report_put_alerts(report);
	report->depth--;
	fputs(report->series ? "}" : "\n}", report->out);
	report->comma = true;
}

void report_array(struct report *report, const char *key)
{
	if (report->format != REPORT_JSON)
		return;
	json_next(report, key);
	fputc('[', report->out);
	report->comma = false;
	report->depth++;
}

void report_array_end(struct report *report)
{
	if (report->format != REPORT_JSON)
		return;
	report->depth--;
	fputs(report->series ? "]" : "\n]", report->out);
	report->comma = true;
}
