/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/err.h"
#include "report/report_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A row that is held back until the end of its table. */
struct ordered_row {
	struct cell *cells; /* copies of its cells */
	struct cell by;	    /* value for the order */
	size_t place;	    /* index in the original order */
};

struct report_order {
	struct column column;
	struct ordered_row *rows;
	size_t count, capacity;
	void **owned; /* copies of texts and lists in cells */
	size_t owned_count, owned_capacity;
};

/* Returns whether `name` is the key, the key without its unit, or the label. */
static bool is_called(const struct column *column, const char *name)
{
	const char *unit = column->key ? strrchr(column->key, '_') : NULL;
	size_t length = unit ? (size_t)(unit - column->key) : 0;

	if ((column->key && strcasecmp(column->key, name) == 0) ||
	    (column->label && strcasecmp(column->label, name) == 0))
		return true;
	return length && strncasecmp(column->key, name, length) == 0 && !name[length];
}

/* Returns the column of the order; NULL if the table has none, and notes the names that it has. */
static const struct column *find_column(struct report *report, const struct table *table)
{
	for (size_t i = 0; i < table->column_count; i++) {
		const struct column *column = &table->columns[i];

		if (is_called(column, report->sort))
			return column;
		if (column->label)
			nearest_try(&report->nearest, column->label);
		if (column->key)
			nearest_try(&report->nearest, column->key);
	}
	return NULL;
}

/*
 * Returns the number at the beginning of a text such as "72.9 ms", "1.2x" or "41 %": some columns
 * are such texts, with the same unit in all rows. NaN: no such text.
 */
static double leading_number(const char *text)
{
	char *end;
	double number = strtod(text, &end);

	return end != text && (!*end || strchr(" x%", *end)) ? number : NAN;
}

static double number_of(const struct cell *cell)
{
	switch (cell->kind) {
	case CELL_NULL:
	case CELL_VALUES:
		return NAN;
	case CELL_TEXT:
		return leading_number(cell->text);
	case CELL_NUMBER:
		return cell->number;
	default:
		return (double)cell->count;
	}
}

/* Ranks numbers before texts, and null last. */
static int rank_of(const struct cell *cell)
{
	return !isnan(number_of(cell)) ? 0 : cell->kind == CELL_TEXT ? 1 : 2;
}

/*
 * Compares two rows: the larger number first, texts in alphabetical order, equals in their original
 * order.
 */
static int compare_rows(const void *a, const void *b)
{
	const struct ordered_row *one = a, *other = b;
	const struct cell *left = &one->by, *right = &other->by;
	int rank = rank_of(left), order = rank - rank_of(right);

	if (!order && rank == 1)
		order = strcmp(left->text, right->text);
	else if (!order && rank == 0)
		order = (number_of(left) < number_of(right)) - (number_of(left) > number_of(right));
	return order ? order : (one->place > other->place) - (one->place < other->place);
}

/* Notes the headings of a table in text, as many as fit into a sentence. */
static void note_labels(struct report *report)
{
	const size_t most = 200;

	for (size_t i = 0; i < report->table.column_count; i++) {
		const struct column *column = &report->columns[i];

		if (column->label && *column->label && column->unit != UNIT_BAR &&
		    (!report->labels || strlen(report->labels) < most))
			xappend(&report->labels, ", ", "%s", column->label);
	}
}

void report_order_begin(struct report *report, const struct table *table)
{
	const struct column *column = NULL;

	if (report->sort && table->layout != LAYOUT_FACTS)
		column = find_column(report, table);
	if (!column) {
		if (report->sort && table->layout != LAYOUT_FACTS)
			note_labels(report);
		return;
	}
	report->is_sorted = true;
	report->order = xcalloc(1, sizeof(*report->order));
	report->order->column = *column;
}

/* Returns a copy that is freed with the order. */
static void *copy_of(struct report_order *order, const void *items, size_t count, size_t size)
{
	void *copy;

	if (!items || !count)
		return NULL;
	copy = memcpy(xcalloc(count, size), items, count * size);
	array_reserve(&order->owned, &order->owned_capacity, order->owned_count + 1);
	order->owned[order->owned_count++] = copy;
	return copy;
}

static const char *copy_text(struct report_order *order, const char *text)
{
	return text ? copy_of(order, text, strlen(text) + 1, 1) : NULL;
}

static struct values copy_values(struct report_order *order, const struct values *values)
{
	size_t count = values->count;
	const char **texts = copy_of(order, values->texts, count, sizeof(*texts));

	for (size_t i = 0; texts && i < count; i++)
		texts[i] = copy_text(order, texts[i]);
	return (struct values){
		.texts = texts,
		.counts = copy_of(order, values->counts, count, sizeof(*values->counts)),
		.numbers = copy_of(order, values->numbers, count, sizeof(*values->numbers)),
		.count = count,
	};
}

static struct cell copy_cell(struct report_order *order, const struct cell *cell)
{
	struct cell copy = *cell;

	if (cell->kind == CELL_TEXT)
		copy.text = copy_text(order, cell->text);
	else if (cell->kind == CELL_VALUES)
		copy.values = copy_values(order, &cell->values);
	return copy;
}

void report_order_row(struct report *report, const void *row)
{
	struct report_order *order = report->order;
	size_t count = report->table.column_count;
	const struct cell by = report_cell(&order->column, row);
	struct ordered_row *kept;

	array_reserve(&order->rows, &order->capacity, order->count + 1);
	kept = &order->rows[order->count];
	*kept = (struct ordered_row){xcalloc(count, sizeof(*kept->cells)), copy_cell(order, &by),
				     order->count};
	for (size_t i = 0; i < count; i++)
		kept->cells[i] = copy_cell(order, &report->cells[i]);
	order->count++;
}

void report_order_end(struct report *report)
{
	struct report_order *order = report->order;
	size_t count = report->table.column_count;

	if (order->count)
		qsort(order->rows, order->count, sizeof(*order->rows), compare_rows);
	for (size_t i = 0; i < order->count; i++) {
		struct ordered_row *row = &order->rows[i];

		memcpy(report->cells, row->cells, count * sizeof(*row->cells));
		report_put_cells(report);
		free(row->cells);
	}
	for (size_t i = 0; i < order->owned_count; i++)
		free(order->owned[i]);
	free(order->owned);
	free(order->rows);
	free(order);
	report->order = NULL;
}

/* --- Output is held back until a table has the column of the order ---------------------------- */

void report_choose_rows(struct report *report, size_t limit, const char *sort)
{
	FILE *held;

	report->limit = limit;
	report->sort = sort;
	if (!sort)
		return;
	nearest_init(&report->nearest, sort);
	held = report->path ? NULL : open_memstream(&report->held, &report->held_size);
	if (!held)
		return;
	report->out = held;
	report->holds = true;
}

int report_check_order(const struct report *report, struct err *err)
{
	char *question;

	if (!report->sort || report->is_sorted)
		return 0;
	question = nearest_question(&report->nearest);
	err_set(err, "--sort %s: no table has this column; %s%s", report->sort,
		question ? "" : "there are ",
		question	 ? question
		: report->labels ? report->labels
				 : "none to sort by");
	free(question);
	return -1;
}

int report_order_settle(struct report *report, struct err *err)
{
	int rc = report_check_order(report, err);

	if (!report->holds)
		return rc;
	fclose(report->out);
	report->out = stdout;
	if (!rc)
		fwrite(report->held, 1, report->held_size, stdout);
	free(report->held);
	report->holds = false;
	return rc;
}

int report_descriptor(const struct report *report)
{
	return fileno(report->holds ? stdout : report->out);
}
