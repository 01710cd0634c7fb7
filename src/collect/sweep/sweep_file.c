/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/sweep/sweep.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/files.h"
#include "base/io/output_file.h"
#include "base/parse.h"
#include "base/printable.h"
#include "collect/sweep/sweep_plan.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- Reading an earlier sweep --------------------------------------------------------------- */

/* The first words of a file of a sweep, and the line above its rows. */
#define SWEEP_FIRST_LINE "# sweep"
#define SWEEP_COLUMNS	 "n,throughput,wall_s,cpu_s,repeat,load,others"

struct sweep_past_row {
	uint64_t n;
	uint64_t repeat;
};

struct sweep_past_fact {
	char *key;
	char *value;
};

struct sweep_past {
	struct sweep_past_fact *facts; /* in the order of the file */
	size_t fact_count, fact_capacity;
	struct sweep_past_row *rows; /* in order of n, then of repeat */
	size_t count, capacity;
	off_t size;   /* up to the end of the last complete line */
	bool dropped; /* an incomplete line follows */
};

/* The limits: a larger file is no file of a sweep. */
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
		return err_set(err, "%s: is too large for a sweep", name);
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
		if (length && line[length - 1] == '\r') /* an editor may have added it */
			line[length - 1] = '\0';
		if (number == 1 &&
		    strncmp(line, SWEEP_FIRST_LINE " ", strlen(SWEEP_FIRST_LINE " ")) != 0)
			return err_set(err,
				       "%s: exists and is not a sweep; name another file with -o",
				       name);
		if (strncmp(line, "# ", 2) == 0)
			take_fact(past, line + 2);
		else if (!*line || *line == '#')
			continue;
		else if (!has_columns && strcmp(line, SWEEP_COLUMNS) == 0)
			has_columns = true;
		else if (!has_columns || take_row(past, line))
			return err_set(
				err,
				"%s:%zu: is not a row of '" SWEEP_COLUMNS
				"'; mend it, name another file with -o, or start a new one with "
				"--if-exists=new",
				name, number);
	}
	return 0;
}

static int compare_rows(const void *a, const void *b)
{
	const struct sweep_past_row *left = a, *right = b;

	if (left->n != right->n)
		return left->n < right->n ? -1 : 1;
	return (left->repeat > right->repeat) - (left->repeat < right->repeat);
}

/*
 * Reads the file from its beginning. `name` is the name that the user gave. Returns 0, or -1 with
 * an error: it is no file of a sweep, or a row cannot be read. The caller releases it in either
 * case.
 */
static int read_past(struct sweep_past *past, int fd, const char *name, struct err *err)
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
		rc = err_set(err, "%s: exists and is not a sweep; name another file with -o", name);
	else
		rc = take_lines(past, text, name, err);
	free(text);
	if (past->count)
		qsort(past->rows, past->count, sizeof(*past->rows), compare_rows);
	return rc;
}

static void release_past(struct sweep_past *past)
{
	for (size_t i = 0; i < past->fact_count; i++) {
		free(past->facts[i].key);
		free(past->facts[i].value);
	}
	free(past->facts);
	free(past->rows);
	*past = (struct sweep_past){0};
}

/* Returns the last value of a key; NULL: none. Borrowed. */
static const char *past_value(const struct sweep_past *past, const char *key)
{
	for (size_t i = past->fact_count; i > 0; i--)
		if (strcmp(past->facts[i - 1].key, key) == 0)
			return past->facts[i - 1].value;
	return NULL;
}

static bool past_has(const struct sweep_past *past, uint64_t n, uint64_t repeat)
{
	const struct sweep_past_row row = {n, repeat};

	return past->count &&
	       bsearch(&row, past->rows, past->count, sizeof(row), compare_rows) != NULL;
}

/* --- Writing -------------------------------------------------------------------------------- */

/* The first descriptor behind standard input, output and error. */
enum { FIRST_OWN_FD = 3 };

struct sweep_file {
	char *path;		   /* as the user gave it */
	struct output_place place; /* all zero for a stream */
	int fd;
	bool lasts; /* a regular file, not a stream such as /dev/stdout */
	struct sweep_past past;
};

void sweep_head_add(struct sweep_head *head, const char *key, const char *value, bool binding)
{
	assert(head->count < SWEEP_FACTS_MAX);
	head->facts[head->count++] = (struct sweep_fact){key, value, binding};
}

/* Appends a text in one write, so that a reader never finds half a row. */
static int append(struct sweep_file *file, const char *text, struct err *err)
{
	size_t left = strlen(text);

	while (left) {
		ssize_t written = write(file->fd, text, left);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return err_set(err, "%s: cannot write: %m", file->path);
		text += written;
		left -= (size_t)written;
	}
	if (file->lasts && fdatasync(file->fd))
		return err_set(err, "%s: cannot write: %m", file->path);
	return 0;
}

/* Adds a fact on one line, even if an output or a name of a file has several. */
static void add_fact(char **text, const char *key, const char *value)
{
	char *shown = printable(PRINTABLE_DATA, value, PRINTABLE_WHOLE);

	xappend(text, "", "# %s: %s\n", key, shown);
	free(shown);
}

/* Appends a text, of which it takes ownership. */
static int append_text(struct sweep_file *file, char *text, struct err *err)
{
	int rc = append(file, text, err);

	free(text);
	return rc;
}

static int write_head(struct sweep_file *file, const struct sweep_head *head, struct err *err)
{
	char *text = xstrdup(SWEEP_FIRST_LINE " of pscal " PSCAL_VERSION "\n");

	for (size_t i = 0; i < head->count; i++)
		add_fact(&text, head->facts[i].key, head->facts[i].value);
	xappend(&text, "", "%s\n", SWEEP_COLUMNS);
	return append_text(file, text, err);
}

/* Compares binding facts: refuses a difference, or notes it for the rows from here on. */
static int settle(struct sweep_file *file, const struct sweep_head *head, enum sweep_rows rows,
		  struct err *err)
{
	for (size_t i = 0; i < head->count; i++) {
		const struct sweep_fact *fact = &head->facts[i];
		const char *before = past_value(&file->past, fact->key);

		if (!fact->binding || (before && strcmp(before, fact->value) == 0))
			continue;
		if (rows != SWEEP_ROWS_APPEND)
			return err_set(
				err,
				"%s: was measured with another %s: '%.300s', not '%.300s'; "
				"--if-exists=new starts a new file, --if-exists=append adds rows "
				"anyway, -o names another file",
				file->path, fact->key, before ? before : "unknown", fact->value);
		if (sweep_file_remark(file, fact->key, fact->value, err))
			return -1;
	}
	return 0;
}

/* Continues a file that is not empty. */
static int resume(struct sweep_file *file, const struct sweep_head *head, enum sweep_rows rows,
		  sweep_tell tell, void *context, struct err *err)
{
	char *sentence;

	if (read_past(&file->past, file->fd, file->path, err))
		return -1;
	if (!file->past.count) {
		if (ftruncate(file->fd, 0))
			return err_set(err, "%s: cannot write: %m", file->path);
		return write_head(file, head, err);
	}
	if (file->past.dropped) {
		if (ftruncate(file->fd, file->past.size))
			return err_set(err, "%s: cannot write: %m", file->path);
		sentence = xasprintf("%s: dropped the last line, which was incomplete", file->path);
		tell(context, sentence);
		free(sentence);
	}
	return settle(file, head, rows, err);
}

/*
 * Returns whether a file may be continued. Root does not write to a file of another user, nor to
 * one with several names, as another user may have made one of them.
 */
static bool may_go_on(const struct stat *status)
{
	return geteuid() != 0 || (file_owner_is_own(status->st_uid) && status->st_nlink == 1);
}

static bool has_its_name(const struct sweep_file *file, const struct stat *status)
{
	struct stat named;

	return fstatat(file->place.dir, file->place.name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	       named.st_ino == status->st_ino && named.st_dev == status->st_dev;
}

/* Opens the file of the place, and locks it. */
static int open_locked(struct sweep_file *file, struct stat *status, struct err *err)
{
	file->fd = output_place_open(&file->place, O_RDWR | O_CREAT | O_APPEND, 0666);
	if (file->fd < 0 || fstat(file->fd, status))
		return err_set(err, "%s: cannot write: %m", file->path);
	file->lasts = S_ISREG(status->st_mode) && !file->place.is_open_file;
	if (file->lasts && !may_go_on(status))
		return err_set(err,
			       "%s: belongs to another user or has several names, which root does "
			       "not write to; name another file with -o",
			       file->path);
	/* Before the lock, a sweep that begins anew may have renamed the file. */
	if (file->lasts && (flock(file->fd, LOCK_EX | LOCK_NB) || !has_its_name(file, status)))
		return err_set(err,
			       "%s: another sweep writes to it; wait for it, or name another "
			       "file with -o",
			       file->path);
	return 0;
}

/* Begins a new file. Only the owner of the lock may rename the old one, or the link to it. */
static int begin_anew(struct sweep_file *file, struct stat *status, struct err *err)
{
	static const struct output_path how = {.keep_link = true};

	output_place_release(&file->place);
	if (output_place_find(&file->place, file->path, &how, err) ||
	    output_place_keep_old(&file->place, err))
		return -1;
	close(file->fd);
	return open_locked(file, status, err);
}

static int open_path(struct sweep_file *file, const char *path, enum sweep_rows rows,
		     struct err *err)
{
	static const struct output_path how = {.keep_link = false};
	struct stat status;

	if (strcmp(path, "-") == 0) {
		file->path = xstrdup("standard output");
		file->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, FIRST_OWN_FD);
		return file->fd < 0 ? err_set(err, "%s: cannot write: %m", file->path) : 0;
	}
	file->path = xstrdup(path);
	if (output_place_find(&file->place, file->path, &how, err) ||
	    open_locked(file, &status, err))
		return -1;
	if (rows == SWEEP_ROWS_NEW && file->lasts && status.st_size > 0)
		return begin_anew(file, &status, err);
	return 0;
}

struct sweep_file *sweep_file_open(const char *path, const struct sweep_head *head,
				   enum sweep_rows rows, sweep_tell tell, void *context,
				   struct err *err)
{
	struct sweep_file *file = xcalloc(1, sizeof(*file));
	struct stat status;
	int rc;

	file->fd = -1;
	rc = open_path(file, path, rows, err);
	if (!rc && file->lasts && fstat(file->fd, &status) == 0 && status.st_size > 0)
		rc = resume(file, head, rows, tell, context, err);
	else if (!rc)
		rc = write_head(file, head, err);
	if (!rc)
		return file;
	sweep_file_close(file);
	return NULL;
}

size_t sweep_file_rows(const struct sweep_file *file)
{
	return file->past.count;
}

bool sweep_file_has(const struct sweep_file *file, uint64_t n, size_t repeat)
{
	return past_has(&file->past, n, repeat);
}

/* Adds a comma and a cell, rounded to `digits` decimals without last zeros; empty below 0. */
static void add_cell(char **text, int digits, double value)
{
	char number[64] = "";
	size_t length = 0;

	if (value >= 0)
		length = (size_t)snprintf(number, sizeof(number), "%.*f", digits, value);
	if (length >= sizeof(number))
		length = sizeof(number) - 1;
	while (length && number[length - 1] == '0' && strchr(number, '.'))
		number[--length] = '\0';
	if (length && number[length - 1] == '.')
		number[--length] = '\0';
	xappend(text, ",", "%s", number);
}

int sweep_file_add(struct sweep_file *file, const struct sweep_row *row, struct err *err)
{
	char *text = xasprintf("%" PRIu64 ",%.9g", row->n, row->throughput);

	add_cell(&text, 9, row->wall_s);
	add_cell(&text, 6, row->cpu_s);
	xappend(&text, ",", "%zu", row->repeat);
	add_cell(&text, 2, row->load);
	add_cell(&text, 2, row->others);
	xappend(&text, "", "\n");
	return append_text(file, text, err);
}

int sweep_file_remark(struct sweep_file *file, const char *key, const char *value, struct err *err)
{
	char *text = NULL;

	add_fact(&text, key, value);
	return append_text(file, text, err);
}

void sweep_file_close(struct sweep_file *file)
{
	if (!file)
		return;
	if (file->fd >= 0)
		close(file->fd);
	output_place_release(&file->place);
	release_past(&file->past);
	free(file->path);
	free(file);
}
