/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report_text.h"

#include "base/alloc.h"
#include "base/parse.h"
#include "base/printable.h"
#include "report/report_embed.h"
#include "report/report_private.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <wchar.h>

enum { LINE_WIDTH = 80, LINE_COUNT = 24 };

/* --- Paragraphs ---------------------------------------------------------------------------- */

void report_text_next(struct report *report)
{
	if (report->started)
		fputc('\n', report->out);
	else if (report->redraws)
		fputs("\033[H\033[2J", report->out);
	report->started = true;
	report->in_head = false;
}

static bool begins_with_unit(const char *text)
{
	static const char *const units[] = {"%", "s", "ms", "us", "ns"};
	size_t length = strcspn(text, " .,;:)");

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strlen(units[i]) == length && strncmp(text, units[i], length) == 0)
			return true;
	return false;
}

/*
 * Cuts off a word, or a number with its unit, so that no line begins with a unit. NULL: none is
 * left.
 */
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

/*
 * Breaks a text at blanks so that no line is wider than `width`. All lines but the first are
 * indented; the first begins after as many columns.
 */
static void print_wrapped(FILE *out, char *text, int width, int indent)
{
	int column = indent;

	for (char *word; (word = take_word(&text));) {
		int length = (int)printable_length(word);

		if (column > indent && column + 1 + length > width) {
			fprintf(out, "\n%*s", indent, "");
			column = indent;
		}
		fprintf(out, "%s%s", column > indent ? " " : "", word);
		column += (column > indent) + length;
	}
	fputc('\n', out);
}

static int sentence_width(const struct report *report)
{
	int columns, rows;

	report_size(report, &columns, &rows);
	return columns >= 20 && columns < LINE_WIDTH ? columns : LINE_WIDTH;
}

bool report_says(const struct report *report, enum sentence kind)
{
	if (kind == SENTENCE_NEXT && report->html)
		return false; /* a page has the answers of all commands */
	if (kind == SENTENCE_WARNING || kind == SENTENCE_NEXT)
		return !report->quiet;
	return kind != SENTENCE_DETAIL || report->verbose;
}

/*
 * Returns whether the sentence belongs to the first paragraph: the verdict, its remarks and the
 * alerts.
 */
static bool is_of_head(enum sentence kind)
{
	return kind == SENTENCE_VERDICT || kind == SENTENCE_REMARK || kind == SENTENCE_ALERT;
}

static void say_in_text(struct report *report, enum sentence kind, char *shown)
{
	const char *mark = report->colour ? "\033[33m!\033[0m " : "! ";
	bool is_bold = kind == SENTENCE_VERDICT && report->colour;
	int indent = kind == SENTENCE_ALERT ? 2 : 0;

	if (!report->in_head || kind == SENTENCE_VERDICT || !is_of_head(kind))
		report_text_next(report);
	report->in_head = is_of_head(kind);
	if (report->html) {
		report_html_sentence(report->out, kind, shown);
		return;
	}
	fputs(kind == SENTENCE_ALERT ? mark : kind == SENTENCE_NEXT ? "next: " : "", report->out);
	fputs(is_bold ? "\033[1m" : "", report->out);
	if (kind == SENTENCE_NEXT)
		fprintf(report->out, "%s\n", shown);
	else
		print_wrapped(report->out, shown, sentence_width(report), indent);
	fputs(is_bold ? "\033[0m" : "", report->out);
}

static void say_in_json(struct report *report, enum sentence kind, const char *shown)
{
	if (kind == SENTENCE_VERDICT) {
		report->has_verdict = true;
		report_sentence(report, "verdict", shown);
	} else if (kind == SENTENCE_ALERT) {
		array_reserve(&report->alerts, &report->alert_capacity, report->alert_count + 1);
		report->alerts[report->alert_count++] = xstrdup(shown);
	}
}

void report_say_if(struct report *report, enum sentence kind, bool holds, const char *format, ...)
{
	char *text = NULL, *shown;
	va_list args;
	int length;

	if (!holds || report->format == REPORT_CSV || !report_says(report, kind))
		return;
	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0)
		return;
	shown = printable(PRINTABLE_TEXT, text, PRINTABLE_WHOLE);
	if (report->format == REPORT_TEXT)
		say_in_text(report, kind, shown);
	else
		say_in_json(report, kind, shown);
	free(shown);
	free(text);
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
	report_text_next(report);
	if (report->html) {
		fputs("<pre>", report->out);
		report_put_html(report->out, lines);
		fputs("</pre>\n", report->out);
		return;
	}
	printable_put(report->out, PRINTABLE_LINES, lines);
}

/* Returns a number from the environment, else `usual`. */
static int environment_number(const char *name, int usual)
{
	const char *text = getenv(name);
	uint64_t value;

	return text && !parse_u64(&value, text, 10000) && value ? (int)value : usual;
}

/*
 * Returns the width of the terminal; 0: unknown. A pager is a pipe, with COLUMNS of the terminal.
 */
static int report_room(const struct report *report)
{
	struct winsize size;

	return ioctl(report_descriptor(report), TIOCGWINSZ, &size) == 0
		       ? size.ws_col
		       : environment_number("COLUMNS", 0);
}

void report_size(const struct report *report, int *columns, int *rows)
{
	struct winsize size;

	if (ioctl(report_descriptor(report), TIOCGWINSZ, &size) == 0 && size.ws_col &&
	    size.ws_row) {
		*columns = size.ws_col;
		*rows = size.ws_row;
		return;
	}
	*columns = environment_number("COLUMNS", LINE_WIDTH);
	*rows = environment_number("LINES", LINE_COUNT);
}

/* --- Parts of sentences -------------------------------------------------------------------- */

const char *plural(uint64_t count, const char *one, const char *several)
{
	return count == 1 ? one : several;
}

/* --- Values -------------------------------------------------------------------------------- */

static void format_bar(char *out, size_t size, double share)
{
	long width = lround(fmin(fmax(share, 0), 1) * FORMAT_BAR_WIDTH);

	if ((size_t)width >= size)
		width = (long)size - 1;
	memset(out, '#', (size_t)width);
	out[width] = '\0';
}

/* Writes three digits; times are measured in nanoseconds, and have no smaller digits. */
static void format_span(char *out, size_t size, double seconds)
{
	static const struct {
		double from_s, scale;
		const char *unit;
	} units[] = {{0.9995, 1, "s"}, {0.9995e-3, 1e3, "ms"}, {0.9995e-6, 1e6, "us"}};
	double magnitude = fabs(seconds);

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		double scaled = seconds * units[i].scale;
		int digits = fabs(scaled) < 9.995 ? 2 : fabs(scaled) < 99.95 ? 1 : 0;

		if (magnitude < units[i].from_s)
			continue;
		snprintf(out, size, "%.*f %s", digits, scaled, units[i].unit);
		return;
	}
	snprintf(out, size, "%.0f ns", seconds * 1e9);
}

/* Removes the sign of a number that is rounded to zero. */
static void drop_sign_of_zero(char *out)
{
	if (*out == '-' && !strpbrk(out, "123456789"))
		memmove(out, out + 1, strlen(out));
}

/* Writes three digits, or all of a whole number, without exponent if that is readable. */
static void format_short(char *out, size_t size, double number)
{
	const double most = 1e9, least = 1e-7;
	const int digits = 3;
	double value = fabs(number);
	int whole = value > 0 ? (int)floor(log10(value)) + 1 : 1;

	if (value < most && (value >= least || value == 0))
		snprintf(out, size, "%.*f",
			 value == floor(value) || whole > digits ? 0 : digits - whole, number);
	else
		snprintf(out, size, "%.*g", digits, number);
}

static void format_number(char *out, size_t size, double number, enum unit unit)
{
	switch (unit) {
	case UNIT_SECONDS:
		snprintf(out, size, "%.4f s", number);
		break;
	case UNIT_SPAN:
		format_span(out, size, number);
		break;
	case UNIT_STAMP:
		snprintf(out, size, "%.9f", number);
		break;
	case UNIT_SHARE:
		snprintf(out, size, "%.1f %%", 100 * number);
		break;
	case UNIT_BAR:
		format_bar(out, size, number);
		break;
	case UNIT_FACTOR:
		snprintf(out, size, "%.2fx", number);
		break;
	case UNIT_SHORT:
		format_short(out, size, number);
		break;
	case UNIT_NONE:
	case UNIT_DECIMAL:
		snprintf(out, size, "%.6g", number);
		break;
	}
}

static void format_list(char *out, size_t size, const struct cell *cell)
{
	size_t used = 0;

	*out = '\0';
	for (size_t i = 0; i < cell->values.count && used < size; i++) {
		used += (size_t)snprintf(out + used, size - used, "%s", i ? " " : "");
		if (used < size)
			used += strlen(printable_copy(out + used, size - used, PRINTABLE_TEXT,
						      cell->values.texts[i]));
	}
}

const char *format_cell(char *out, size_t size, const struct cell *cell, enum unit unit)
{
	snprintf(out, size, "-");
	switch (cell->kind) {
	case CELL_NULL:
		break;
	case CELL_NUMBER:
		if (!isfinite(cell->number))
			break;
		format_number(out, size, cell->number, unit);
		drop_sign_of_zero(out);
		break;
	case CELL_NS:
		format_number(out, size, (double)(uint64_t)cell->count / 1e9, unit);
		break;
	case CELL_COUNT:
		snprintf(out, size, "%" PRId64, cell->count);
		break;
	case CELL_BOOL:
		snprintf(out, size, "%s", cell->count ? "yes" : "no");
		break;
	case CELL_TEXT:
		printable_copy(out, size, PRINTABLE_TEXT, cell->text);
		break;
	case CELL_VALUES:
		format_list(out, size, cell);
		break;
	}
	return out;
}

const char *format_value(char out[VALUE_SIZE], double value, enum unit unit)
{
	struct cell cell = cell_number(value);

	return format_cell(out, VALUE_SIZE, &cell, unit);
}

/* --- Tables: aligned at their end, or streamed in columns of fixed width -------------------- */

enum { CELL_SIZE = 256 };

/*
 * A table for people. A recording may have a million threads: only the rows that will be printed
 * are kept for alignment. A library for tables takes ten times the memory.
 */
struct text_table {
	const struct table *table;
	FILE *out;
	int *widths;	  /* [column]; -1: left out */
	int room;	  /* width of the terminal; 0: unknown */
	int blanks;	  /* number of blanks before the next value of the line */
	size_t top;	  /* largest number of rows; 0: all */
	size_t row_count; /* number of rows so far */
	bool is_html;
	bool is_streamed; /* LAYOUT_STREAM, but not HTML */
	bool is_headed;	  /* streamed: the heading has been printed */
	char *kept;	  /* not streamed: the cells, each with a NUL */
	size_t kept_bytes, capacity;
};

static bool is_left(const struct column *column)
{
	return column->width < 0 || column->unit == UNIT_BAR;
}

/*
 * Returns the width of a text in columns. The C library knows the width of a character in a UTF-8
 * locale.
 */
static int text_width(const char *value)
{
	const int characters = (int)printable_length(value);
	wchar_t wide[CELL_SIZE];
	locale_t utf8, before;
	int width = -1;

	if ((size_t)characters == strlen(value))
		return characters;
	utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL);
	if (!utf8)
		return characters;
	before = uselocale(utf8);
	if (mbstowcs(wide, value, CELL_SIZE) < CELL_SIZE)
		width = wcswidth(wide, CELL_SIZE);
	uselocale(before);
	freelocale(utf8);
	return width < 0 ? characters : width;
}

static const char *heading_of(char out[CELL_SIZE], const struct text_table *text, size_t i)
{
	return printable_copy(out, CELL_SIZE, PRINTABLE_TEXT, text->table->columns[i].label);
}

static void widen(struct text_table *text, size_t i, const char *value)
{
	int width = text_width(value);

	if (width > text->widths[i])
		text->widths[i] = width;
}

struct text_table *text_table_new(const struct table *table, const struct report *report)
{
	struct text_table *text = xcalloc(1, sizeof(*text));
	FILE *out = report->out;
	char heading[CELL_SIZE];

	text->table = table;
	text->out = out;
	text->top = report->all_rows || !table->top ? 0
		    : report->limit		    ? report->limit
						    : table->top;
	text->room = report_room(report);
	text->is_html = report->html;
	text->is_streamed = table->layout == LAYOUT_STREAM && !text->is_html;
	text->widths = xcalloc(table->column_count, sizeof(*text->widths));
	for (size_t i = 0; i < table->column_count; i++)
		if (text->is_streamed)
			text->widths[i] = abs(table->columns[i].width);
		else
			widen(text, i, heading_of(heading, text, i));
	if (table->title && !text->is_html)
		printable_say(out, "%s", table->title);
	return text;
}

static void print_facts(struct text_table *text, const struct cell *cells)
{
	const struct table *table = text->table;
	char value[CELL_SIZE];
	int width = 0;

	for (size_t i = 0; i < table->column_count; i++)
		width = text->widths[i] > width ? text->widths[i] : width;
	for (size_t i = 0; i < table->column_count; i++) {
		if (cells[i].kind == CELL_NULL)
			continue;
		format_cell(value, sizeof(value), &cells[i], table->columns[i].unit);
		fprintf(text->out, "%-*s  ", width, table->columns[i].label);
		print_wrapped(text->out, value, text->room ? text->room : INT_MAX, width + 2);
	}
}

/* Prints a cell. Blanks are printed before the next value, and none at the end of a line. */
static void print_cell(struct text_table *text, size_t i, const char *value)
{
	int room = text->widths[i] - text_width(value), pad = room > 0 ? room : 0;
	bool left = is_left(&text->table->columns[i]);

	if (text->widths[i] >= 0) {
		text->blanks += left ? 0 : pad;
		if (*value) {
			fprintf(text->out, "%*s%s", text->blanks, "", value);
			text->blanks = 0;
		}
		text->blanks += 2 + (left ? pad : 0);
	}
	if (i + 1 < text->table->column_count)
		return;
	fputc('\n', text->out);
	text->blanks = 0;
}

static void print_heading(struct text_table *text)
{
	char heading[CELL_SIZE];

	for (size_t i = 0; !text->is_headed && i < text->table->column_count; i++)
		print_cell(text, i, heading_of(heading, text, i));
	text->is_headed = true;
}

static void keep_cell(struct text_table *text, size_t i, const char *value)
{
	size_t bytes = strlen(value) + 1;

	widen(text, i, value);
	array_reserve(&text->kept, &text->capacity, text->kept_bytes + bytes);
	memcpy(text->kept + text->kept_bytes, value, bytes);
	text->kept_bytes += bytes;
}

void text_table_row(struct text_table *text, const struct cell *cells)
{
	char value[CELL_SIZE];

	if (text->table->layout == LAYOUT_FACTS) {
		if (text->is_html)
			report_html_facts(text->out, text->table, cells);
		else
			print_facts(text, cells);
		return;
	}
	if (text->row_count++ >= text->top && text->top)
		return;
	if (text->is_streamed)
		print_heading(text);
	for (size_t i = 0; i < text->table->column_count; i++) {
		format_cell(value, sizeof(value), &cells[i], text->table->columns[i].unit);
		if (text->is_streamed)
			print_cell(text, i, value);
		else
			keep_cell(text, i, value);
	}
}

/*
 * Leaves out columns that are optional or details, from the right, until the rows fit the terminal.
 */
static void leave_out_columns(struct text_table *text)
{
	size_t count = text->table->column_count;
	int width = -2;

	for (size_t i = 0; i < count; i++)
		width += text->widths[i] + 2;
	for (size_t i = count; i-- > 0 && text->room && width > text->room;) {
		const struct column *column = &text->table->columns[i];

		if (!column->optional && !column->detail)
			continue;
		width -= text->widths[i] + 2;
		text->widths[i] = -1;
	}
}

static void print_kept(struct text_table *text)
{
	size_t i = 0;

	if (!text->is_streamed && text->table->layout != LAYOUT_FACTS)
		leave_out_columns(text);
	if (text->kept)
		print_heading(text);
	for (size_t at = 0; at < text->kept_bytes; at += strlen(text->kept + at) + 1)
		print_cell(text, i++ % text->table->column_count, text->kept + at);
	if (text->top && text->row_count > text->top)
		fprintf(text->out, "... %zu more; --all\n", text->row_count - text->top);
}

void text_table_end(struct text_table *text)
{
	if (!text->is_html)
		print_kept(text);
	else if (text->kept)
		report_html_rows(text->out, text->table, text->kept, text->kept_bytes);
	free(text->widths);
	free(text->kept);
	free(text);
}

/* --- The quality of the data --------------------------------------------------------------- */

static struct cell quality_cell(const struct quality *quality, enum quality_fact fact)
{
	uint64_t value = quality_value(quality, fact);

	switch (quality_kind(fact)) {
	case QUALITY_TIME:
		return cell_ns(value);
	case QUALITY_FLAG:
		return cell_bool(value);
	default:
		return cell_count((int64_t)value);
	}
}

struct quality_facts {
	struct cell cells[QUALITY_FACTS];
};

static void put_quality_facts(struct report *report, const struct quality *quality)
{
	struct column columns[QUALITY_FACTS];
	struct table table = {.key = "quality", .layout = LAYOUT_FACTS, .columns = columns};
	struct quality_facts facts;

	for (enum quality_fact fact = 0; fact < QUALITY_FACTS; fact++) {
		facts.cells[fact] = quality_cell(quality, fact);
		columns[table.column_count++] = (struct column){quality_words(fact)->key,
								FIELD(quality_facts, cells[fact])};
	}
	report_table(report, &table, &facts, 1);
}

char *report_quality_sentence(enum quality_fact fact, uint64_t value)
{
	const struct quality_words *words = quality_words(fact);
	char time[VALUE_SIZE];

	if (!value || !words->meaning)
		return NULL;
	switch (quality_kind(fact)) {
	case QUALITY_TIME:
		return xasprintf("%s %s%s", format_value(time, (double)value / 1e9, UNIT_SPAN),
				 words->several, words->meaning);
	case QUALITY_FLAG:
		return xstrdup(words->meaning);
	default:
		return xasprintf("%" PRIu64 " %s%s", value,
				 plural(value, words->one, words->several), words->meaning);
	}
}

/*
 * Returns the sentence on the first damaged byte, for the facts that it is about, else "". The
 * caller frees it.
 */
static char *place_of_damage(const struct quality *quality, enum quality_fact fact)
{
	bool first =
		fact == QUALITY_MALFORMED || (fact == QUALITY_TRUNCATED && !quality->malformed);

	return first && quality->damaged_at
		       ? xasprintf(" The damage begins at byte %" PRIu64 ".", quality->damaged_at)
		       : xstrdup("");
}

static void say_quality(struct report *report, const char *before, const struct quality *quality,
			bool matters)
{
	for (enum quality_fact fact = 0; fact < QUALITY_FACTS; fact++) {
		char *sentence = report_quality_sentence(fact, quality_value(quality, fact));
		char *place = place_of_damage(quality, fact);

		report_say_if(report, matters ? SENTENCE_ALERT : SENTENCE_DETAIL,
			      sentence && quality_matters(quality, fact) == matters, "%s%s%s",
			      before, sentence, place);
		free(place);
		free(sentence);
	}
}

void report_program_quality(struct report *report, const char *name, const struct quality *quality)
{
	char *before = name ? xasprintf("%s: ", name) : xstrdup("");

	say_quality(report, before, quality, true);
	free(before);
}

void report_quality_details(struct report *report, const struct quality *quality)
{
	put_quality_facts(report, quality);
	say_quality(report, "", quality, false);
}
