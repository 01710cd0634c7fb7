/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/io/csv_table.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/input.h"
#include "base/parse.h"
#include "base/printable.h"

#include <csv.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The meaning of commas that do not separate cells. */
enum commas {
	COMMAS_REFUSED,	  /* no number has a comma that may be a decimal one */
	COMMAS_DECIMAL,	  /* all numbers can be read so, and some in no other way */
	COMMAS_AMBIGUOUS, /* 1,000 may be a thousand, or one */
	COMMAS_MIXED,	  /* other numbers hold points */
};

/* A row, kept small as there can be millions. Its cells end where those of the next row begin. */
struct row {
	uint32_t first; /* index of its first cell */
	uint32_t line;
};

struct csv_table {
	char *source;
	char *text; /* all cells, each with a NUL */
	size_t text_bytes, text_capacity;
	uint32_t *cells; /* of each: its beginning in `text` */
	size_t cell_count, cell_capacity;
	struct row *rows; /* the header too */
	size_t row_count, row_capacity;
	char *comments; /* the text behind each '#', with a NUL */
	size_t comment_bytes, comment_capacity;
	enum commas commas;
	bool has_header;
};

struct reader {
	struct csv_table *table;
	struct csv_parser parser;
	size_t first_cell, row_line; /* of the row being read */
	size_t columns;		     /* of the first row */
	size_t line;
	size_t row_bytes;
	bool row_open;	      /* a quoted cell continues in the next line */
	bool delimiter_known; /* set by the first line that is not skipped */
	bool blanks;	      /* blanks are the delimiter; the parser gets TABs instead */
	char *comment;	      /* the comment in the line before; NULL: none */
	bool failed;	      /* an error, which libcsv's callbacks cannot return */
	struct err *err;
};

static void fail(struct reader *reader, const char *what)
{
	if (!reader->failed)
		err_set(reader->err, "%s:%zu: %s", reader->table->source, reader->row_line, what);
	reader->failed = true;
}

static void on_cell(void *bytes, size_t length, void *data)
{
	struct reader *reader = data;
	struct csv_table *table = reader->table;

	if (length > CSV_CELL_BYTES_MAX)
		fail(reader, "holds a cell too long for a table of measurements");
	if (table->cell_count - reader->first_cell == CSV_COLUMNS_MAX)
		fail(reader, "has too many cells for a table of measurements");
	if (table->text_bytes + length + 1 > CSV_TEXT_BYTES_MAX)
		fail(reader, "the table is too large up to here: give a summary of it");
	if (reader->failed)
		return;
	array_reserve(&table->cells, &table->cell_capacity, table->cell_count + 1);
	array_reserve(&table->text, &table->text_capacity, table->text_bytes + length + 1);
	table->cells[table->cell_count++] = (uint32_t)table->text_bytes;
	if (length)
		memcpy(table->text + table->text_bytes, bytes, length);
	table->text[table->text_bytes + length] = '\0';
	table->text_bytes += length + 1;
}

/* Drops empty cells at the end of a row: a separator there makes no column. */
static void drop_empty_tail(struct reader *reader)
{
	struct csv_table *table = reader->table;

	while (table->cell_count > reader->first_cell &&
	       !table->text[table->cells[table->cell_count - 1]]) {
		table->cell_count--;
		table->text_bytes--;
	}
}

/* Returns whether a cell may be a name in a header. "1,5" and "4 threads" are broken numbers. */
static bool is_name(const char *cell)
{
	char *end;

	if (isdigit((unsigned char)cell[strspn(cell, "+-.")]))
		return false;
	(void)strtod(cell, &end); /* nan and inf are numbers */
	return end == cell || *end;
}

/* Gives the first column an empty name, as the header has none for it. */
static void name_rows(struct reader *reader)
{
	struct csv_table *table = reader->table;

	array_reserve(&table->cells, &table->cell_capacity, table->cell_count + 1);
	memmove(table->cells + 1, table->cells, table->cell_count * sizeof(*table->cells));
	table->cells[0] = table->cells[1] + (uint32_t)strlen(table->text + table->cells[1]);
	table->cell_count++;
	reader->first_cell++;
	reader->columns++;
}

static void on_row(int separator, void *data)
{
	struct reader *reader = data;
	struct csv_table *table = reader->table;
	size_t count;

	(void)separator;
	reader->row_open = false;
	if (reader->failed)
		return;
	drop_empty_tail(reader);
	count = table->cell_count - reader->first_cell;
	if (!count)
		return;
	if (!table->row_count)
		reader->columns = count;
	if (reader->blanks && table->row_count == 1 && count == reader->columns + 1 &&
	    is_name(table->text + table->cells[0]))
		name_rows(reader);
	if (count > reader->columns)
		fail(reader, "has more cells than the first row; write decimal points, not "
			     "decimal commas, and put quotes around cells that hold a separator");
	if (table->row_count == CSV_ROWS_MAX)
		fail(reader, "the table has too many rows up to here: give a summary of it");
	if (reader->failed)
		return;
	array_reserve(&table->rows, &table->row_capacity, table->row_count + 1);
	table->rows[table->row_count++] = (struct row){.first = (uint32_t)reader->first_cell,
						       .line = (uint32_t)reader->row_line};
	reader->first_cell = table->cell_count;
}

/*
 * Returns the first of TAB, semicolon, comma and blank that is outside quotes and between cells. A
 * TAB is in no cell by accident, and semicolons separate cells if commas are in numbers.
 */
static unsigned char find_delimiter(const char *line)
{
	const char *begin = line + strspn(line, " ");
	unsigned char found = 0;
	bool quoted = false;

	for (; *line; line++) {
		if (*line == CSV_QUOTE)
			quoted = !quoted;
		else if (quoted)
			continue;
		else if (*line == CSV_TAB && line[strspn(line, "\t ")])
			return CSV_TAB;
		else if (*line == ';')
			found = ';';
		else if (*line == CSV_COMMA && found != ';')
			found = CSV_COMMA;
		else if (*line == ' ' && !found && line > begin && line[strspn(line, " \t")])
			found = ' ';
	}
	return found ? found : CSV_COMMA;
}

/* Replaces blanks outside quotes by TABs, in place. The line may begin in quotes. */
static void blanks_to_tabs(char *line, bool quoted)
{
	char *end = line;

	for (const char *from = line; *from; from++) {
		if (*from == CSV_QUOTE)
			quoted = !quoted;
		if (quoted || !isblank((unsigned char)*from))
			*end++ = *from;
		else if (end > line && end[-1] != CSV_TAB)
			*end++ = CSV_TAB;
	}
	if (!quoted && end > line && end[-1] == CSV_TAB)
		end--;
	*end = '\0';
}

static int feed(struct reader *reader, const char *bytes, size_t length)
{
	if (csv_parse(&reader->parser, bytes, length, on_cell, on_row, reader) != length)
		fail(reader, csv_strerror(csv_error(&reader->parser)));
	return reader->failed ? -1 : 0;
}

static int feed_line(struct reader *reader, char *line)
{
	if (reader->blanks)
		blanks_to_tabs(line, reader->row_open);
	if (feed(reader, line, strlen(line)))
		return -1;
	/* CSV_REPALL_NL makes libcsv call on_row for every line end outside quotes. */
	reader->row_open = true;
	return feed(reader, "\n", 1);
}

/* Returns whether a word belongs to prose ("time versus threads"), not to names of columns. */
static bool is_prose(const char *word, size_t length)
{
	static const char *const words[] = {
		"against", "an",   "and",  "are",   "as",    "at",    "but",	"by",
		"for",	   "from", "in",   "is",    "not",   "of",    "on",	"over",
		"than",	   "that", "the",  "then",  "this",  "to",    "versus", "vs",
		"was",	   "were", "when", "where", "which", "while", "with"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i]) == length && strncasecmp(words[i], word, length) == 0)
			return true;
	return length > 1 && strchr(".:;!?", word[length - 1]);
}

/* Returns whether both have as many words, and those of `names` may be names of columns. */
static bool may_name(const char *names, const char *cells)
{
	while (*(names += strspn(names, " \t")) && *(cells += strspn(cells, " \t"))) {
		size_t length = strcspn(names, " \t");

		if (is_prose(names, length))
			return false;
		names += length;
		cells += strcspn(cells, " \t");
	}
	return !*names && !cells[strspn(cells, " \t")];
}

/* Reads the first line that is not skipped: its separator, and the comment above it as header. */
static int read_first(struct reader *reader, const char *line)
{
	unsigned char delimiter = find_delimiter(line);

	reader->delimiter_known = true;
	reader->blanks = delimiter == ' ';
	csv_set_delim(&reader->parser, reader->blanks ? CSV_TAB : delimiter);
	if (!reader->blanks || !reader->comment || is_name(line + strspn(line, " ")) ||
	    !is_name(reader->comment + strspn(reader->comment, " \t")) ||
	    !may_name(reader->comment, line))
		return 0;
	return feed_line(reader, reader->comment);
}

/* Keeps the text of a comment; NULL: there are too many. Comments kept before may move. */
static char *keep_comment(struct csv_table *table, const char *text)
{
	size_t begin = table->comment_bytes, bytes = strlen(text) + 1;

	if (begin + bytes > CSV_COMMENT_BYTES_MAX)
		return NULL;
	array_reserve(&table->comments, &table->comment_capacity, begin + bytes);
	table->comment_bytes += bytes;
	return memcpy(table->comments + begin, text, bytes);
}

static int read_line(struct reader *reader, char *line, size_t length)
{
	if (!reader->row_open) {
		const char *text = line + strspn(line, " \t");

		if (!*text || *text == '#') {
			reader->comment = *text ? keep_comment(reader->table, text + 1) : NULL;
			return 0;
		}
		reader->row_line = reader->line;
		reader->row_bytes = 0;
	}
	reader->row_bytes += length;
	if (reader->row_bytes >= INPUT_LINE_MAX)
		fail(reader, "the row is too long: is a quote left open?");
	if (reader->line > UINT32_MAX)
		fail(reader, "there are too many lines up to here: give a summary of them");
	if (reader->failed)
		return -1;
	if (!reader->delimiter_known && read_first(reader, line))
		return -1;
	return feed_line(reader, line);
}

static int read_lines(struct reader *reader, struct input *input)
{
	static const char mark[] = "\xef\xbb\xbf"; /* UTF-8's byte order mark */
	size_t length;
	char *line;

	while ((line = input_line(input, &length))) {
		if (!reader->line++ && strncmp(line, mark, strlen(mark)) == 0) {
			line += strlen(mark);
			length -= strlen(mark);
		}
		if (strlen(line) < length)
			return err_set(reader->err,
				       "%s:%zu: holds a NUL byte: this is not text, or text in "
				       "UTF-16; save it as CSV in UTF-8",
				       input->name, reader->line);
		if (read_line(reader, line, length))
			return -1;
	}
	if (input->error)
		return err_set(reader->err, "%s", input->error);
	if (reader->row_open)
		fail(reader, "a quoted cell begins in this row and does not end: close the quote");
	return reader->failed ? -1 : 0;
}

/* --- Commas in numbers ----------------------------------------------------------------------- */

/* Forms of numbers with commas or points, by the text of a cell. */
enum { SAY_DECIMAL = 1, SAY_AMBIGUOUS = 2, SAY_GROUPING = 4, SAY_POINTS = 8 };

static unsigned weigh_commas(const char *cell)
{
	static const char digits[] = "0123456789";
	const char *begin = cell + strspn(cell, "+-");
	size_t before = strspn(begin, digits);
	const char *mark = begin + before;
	size_t after = *mark ? strspn(mark + 1, digits) : 0;
	const char *end = *mark ? mark + 1 + after : mark;

	if ((*mark != ',' && *mark != '.') || before + after == 0)
		return 0;
	if (*end == ',' || (*end == '.' && *mark == ',')) /* 1,000,000 and 1.000,5 */
		return end[strspn(end, "0123456789.,")] ? 0 : SAY_GROUPING;
	if (*end && *end != 'e' && *end != 'E')
		return 0;
	if (*mark == '.')
		return SAY_POINTS;
	if (after == 3 && before >= 1 && before <= 3 && *begin != '0' && !*end)
		return SAY_AMBIGUOUS;
	return SAY_DECIMAL; /* 10,5 and 0,125 are no thousands */
}

static enum commas judge_commas(const struct csv_table *table)
{
	unsigned said = 0;

	if (!memchr(table->text, ',', table->text_bytes))
		return COMMAS_REFUSED;
	for (size_t i = 0; i < table->cell_count; i++)
		said |= weigh_commas(table->text + table->cells[i]);
	if (said & SAY_GROUPING || !(said & (SAY_DECIMAL | SAY_AMBIGUOUS)))
		return COMMAS_REFUSED;
	if (said & SAY_POINTS)
		return COMMAS_MIXED;
	return said & SAY_DECIMAL ? COMMAS_DECIMAL : COMMAS_AMBIGUOUS;
}

/* Reads a finite number with one decimal comma. Returns 0 or -1. */
static int parse_decimal_comma(double *value, const char *cell)
{
	const char *comma = strchr(cell, ',');
	char number[64];

	if (!comma || strlen(cell) >= sizeof(number))
		return -1;
	strcpy(number, cell);
	number[comma - cell] = '.';
	return parse_double(value, number);
}

/* The end of the sentence that refuses a number with a comma. */
static const char *comma_advice(enum commas commas)
{
	if (commas == COMMAS_AMBIGUOUS)
		return ": its comma may be one of decimals or of thousands; write a decimal "
		       "point, and no commas";
	if (commas == COMMAS_MIXED)
		return ": other numbers have a decimal point; write points everywhere, and no "
		       "commas";
	return ": write a decimal point, and no commas";
}

/* ------------------------------------------------------------------------------------------- */

/* The allocator of libcsv, which never fails for lack of memory. */
static void *reallocate(void *old, size_t size)
{
	return xreallocarray(old, size, 1);
}

struct csv_table *csv_table_read(struct input *input, struct err *err)
{
	struct csv_table *table = xcalloc(1, sizeof(*table));
	struct reader reader = {.table = table, .err = err};
	int rc;

	table->source = xstrdup(input->name);
	csv_init(&reader.parser, CSV_REPALL_NL);
	csv_set_realloc_func(&reader.parser, reallocate);
	rc = read_lines(&reader, input);
	csv_free(&reader.parser);
	if (!rc && !table->row_count)
		rc = err_set(err, "%s: holds no table, only empty lines and comments",
			     table->source);
	if (rc) {
		csv_table_free(table);
		return NULL;
	}
	table->has_header = is_name(table->text + table->cells[0]);
	if (csv_get_delim(&reader.parser) != CSV_COMMA)
		table->commas = judge_commas(table);
	return table;
}

void csv_table_free(struct csv_table *table)
{
	if (!table)
		return;
	free(table->source);
	free(table->text);
	free(table->cells);
	free(table->rows);
	free(table->comments);
	free(table);
}

const char *csv_table_source(const struct csv_table *table)
{
	return table->source;
}

size_t csv_table_rows(const struct csv_table *table)
{
	return table->row_count - table->has_header;
}

static size_t cells_of(const struct csv_table *table, size_t row)
{
	size_t end = row + 1 < table->row_count ? table->rows[row + 1].first : table->cell_count;

	return end - table->rows[row].first;
}

size_t csv_table_columns(const struct csv_table *table)
{
	return cells_of(table, 0);
}

static const char *cell_of(const struct csv_table *table, size_t row, size_t column)
{
	if (column >= cells_of(table, row))
		return NULL;
	return table->text + table->cells[table->rows[row].first + column];
}

const char *csv_table_heading(const struct csv_table *table, size_t column)
{
	return table->has_header ? cell_of(table, 0, column) : NULL;
}

int csv_table_find(const struct csv_table *table, const char *name)
{
	for (size_t i = 0; table->has_header && i < csv_table_columns(table); i++)
		if (strcasecmp(csv_table_heading(table, i), name) == 0)
			return (int)i;
	return -1;
}

const char *csv_table_cell(const struct csv_table *table, size_t row, size_t column)
{
	return cell_of(table, row + table->has_header, column);
}

const char *csv_table_fact(const struct csv_table *table, const char *key)
{
	const char *found = NULL;
	size_t length = strlen(key);

	for (size_t at = 0; at < table->comment_bytes; at += strlen(table->comments + at) + 1) {
		const char *text = table->comments + at, *name = text + strspn(text, " \t");

		if (strncmp(name, key, length) != 0 || strncmp(name + length, ": ", 2) != 0)
			continue;
		if (found && strcmp(found, name + length + 2) != 0)
			return NULL;
		found = name + length + 2;
	}
	return found;
}

/* Copies a text of the file, cut short, without anything that a terminal would obey. */
static const char *shown(char *out, size_t size, const char *text)
{
	snprintf(out, size, "%s", text);
	return printable_mend(out);
}

void csv_table_column_name(char out[CSV_NAME_BYTES], const struct csv_table *table, size_t column)
{
	const char *name = csv_table_heading(table, column);
	char buffer[40];

	if (name && *name)
		snprintf(out, CSV_NAME_BYTES, "column %zu ('%s')", column + 1,
			 shown(buffer, sizeof(buffer), name));
	else
		snprintf(out, CSV_NAME_BYTES, "column %zu", column + 1);
}

int csv_table_wrap(const struct csv_table *table, size_t row, size_t column, struct err *err)
{
	size_t line = table->rows[row + table->has_header].line;
	char name[CSV_NAME_BYTES];

	if (column == CSV_WHOLE_ROW)
		return err_wrap(err, "%s:%zu", table->source, line);
	csv_table_column_name(name, table, column);
	return err_wrap(err, "%s:%zu: %s", table->source, line, name);
}

static const char *advice(const struct csv_table *table, const char *cell)
{
	size_t digits = strspn(cell, "0123456789.");

	if (strchr(cell, ','))
		return comma_advice(table->commas);
	if (digits && isalpha((unsigned char)cell[digits + strspn(cell + digits, " ")]))
		return ": a unit belongs into the header, as in 'time_ms'";
	return "";
}

int csv_table_number(const struct csv_table *table, double *value, size_t row, size_t column,
		     struct err *err)
{
	const char *cell = csv_table_cell(table, row, column);
	char buffer[40];

	if (cell && parse_double(value, cell) == 0)
		return 0;
	if (cell && table->commas == COMMAS_DECIMAL && parse_decimal_comma(value, cell) == 0)
		return 0;
	if (!cell || !*cell)
		err_set(err, "there is no number");
	else
		err_set(err, "'%s' is not a number%s", shown(buffer, sizeof(buffer), cell),
			advice(table, cell));
	return csv_table_wrap(table, row, column, err);
}
