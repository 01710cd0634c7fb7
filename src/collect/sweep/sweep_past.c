/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/sweep/sweep_past.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/parse.h"
#include "collect/sweep/sweep_levels.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* More is no file of a sweep. */
enum { BYTES_MAX = 1 << 28, COLUMNS = 7, COLUMN_N = 0, COLUMN_REPEAT = 4 };

static int read_all(char **text, size_t *length, int fd, const char *name, struct err *err)
{
	size_t capacity = 0;
	ssize_t got;

	*text = NULL;
	*length = 0;
	do {
		array_reserve(text, &capacity, *length + (1 << 16));
		got = pread(fd, *text + *length, capacity - *length - 1, (off_t)*length);
		*length += got > 0 ? (size_t)got : 0;
	} while ((got > 0 && *length < BYTES_MAX) || (got < 0 && errno == EINTR));
	if (got < 0)
		return err_set(err, "%s: cannot read: %m", name);
	if (got > 0)
		return err_set(err, "%s: is too large for the file of a sweep", name);
	return 0;
}

static void take_fact(struct sweep_past *past, char *line)
{
	char *colon = strstr(line, ": ");

	if (!colon)
		return;
	*colon = '\0';
	array_reserve(&past->facts, &past->fact_capacity, past->fact_count + 1);
	past->facts[past->fact_count++] =
		(struct sweep_past_fact){xstrdup(line), xstrdup(colon + 2)};
}

static int take_row(struct sweep_past *past, char *line)
{
	char *cells[COLUMNS + 1] = {NULL};
	struct sweep_past_row row;
	size_t count = 0;

	while (count <= COLUMNS && (cells[count] = strsep(&line, ",")))
		count++;
	if (count != COLUMNS || parse_u64(&row.n, cells[COLUMN_N], SWEEP_N_MAX) || !row.n ||
	    parse_u64(&row.repeat, cells[COLUMN_REPEAT], UINT32_MAX))
		return -1;
	array_reserve(&past->rows, &past->capacity, past->count + 1);
	past->rows[past->count++] = row;
	return 0;
}

static int take_lines(struct sweep_past *past, char *text, const char *name, struct err *err)
{
	bool has_columns = false;
	size_t number = 0;

	for (char *line; text && (line = strsep(&text, "\n"));) {
		size_t length = strlen(line);

		number++;
		if (length && line[length - 1] == '\r') /* an editor may have been there */
			line[length - 1] = '\0';
		if (number == 1 &&
		    strncmp(line, SWEEP_FIRST_LINE " ", strlen(SWEEP_FIRST_LINE " ")) != 0)
			return err_set(err,
				       "%s: is there and no file of a sweep; name another with -o",
				       name);
		if (strncmp(line, "# ", 2) == 0)
			take_fact(past, line + 2);
		else if (!*line || *line == '#')
			continue;
		else if (!has_columns && strcmp(line, SWEEP_COLUMNS) == 0)
			has_columns = true;
		else if (!has_columns || take_row(past, line))
			return err_set(err,
				       "%s:%zu: is not a row of '" SWEEP_COLUMNS
				       "'; mend it, name another file with -o, or begin anew with "
				       "--new",
				       name, number);
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct sweep_past_row *left = a, *right = b;

	if (left->n != right->n)
		return left->n < right->n ? -1 : 1;
	return (left->repeat > right->repeat) - (left->repeat < right->repeat);
}

int sweep_past_read(struct sweep_past *past, int fd, const char *name, struct err *err)
{
	char *text;
	size_t length, whole;
	int rc;

	*past = (struct sweep_past){0};
	if (read_all(&text, &length, fd, name, err)) {
		free(text);
		return -1;
	}
	for (whole = length; whole && text[whole - 1] != '\n'; whole--)
		;
	past->size = (off_t)whole;
	past->dropped = whole < length;
	text[whole] = '\0';
	if (memchr(text, '\0', whole))
		rc = err_set(err, "%s: is there and no file of a sweep; name another with -o",
			     name);
	else
		rc = take_lines(past, text, name, err);
	free(text);
	if (past->count)
		qsort(past->rows, past->count, sizeof(*past->rows), compare);
	return rc;
}

void sweep_past_release(struct sweep_past *past)
{
	for (size_t i = 0; i < past->fact_count; i++) {
		free(past->facts[i].key);
		free(past->facts[i].value);
	}
	free(past->facts);
	free(past->rows);
	*past = (struct sweep_past){0};
}

const char *sweep_past_value(const struct sweep_past *past, const char *key)
{
	for (size_t i = past->fact_count; i > 0; i--)
		if (strcmp(past->facts[i - 1].key, key) == 0)
			return past->facts[i - 1].value;
	return NULL;
}

bool sweep_past_has(const struct sweep_past *past, uint64_t n, uint64_t repeat)
{
	const struct sweep_past_row row = {n, repeat};

	return past->count && bsearch(&row, past->rows, past->count, sizeof(row), compare) != NULL;
}
