/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The file of a sweep: CSV that `pscal fit` takes as it is. Lines that begin with # come first and
 * say under which conditions it was measured, "# KEY: VALUE"; then the names of the columns; then a
 * row for each run, written and synced as soon as it is measured, with remarks in between. So what
 * is interrupted goes on where it was.
 */
#ifndef PSCAL_COLLECT_SWEEP_SWEEP_FILE_H
#define PSCAL_COLLECT_SWEEP_SWEEP_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

/* What stands above the rows. The caller owns the values. */
struct sweep_fact {
	const char *key;
	const char *value;
	bool binding; /* rows measured with another value do not belong into the same file */
};

enum { SWEEP_FACTS_MAX = 40 };

struct sweep_head {
	struct sweep_fact facts[SWEEP_FACTS_MAX];
	size_t count;
};

void sweep_head_add(struct sweep_head *head, const char *key, const char *value, bool binding);

/* What to do with rows that are there. */
enum sweep_rows {
	SWEEP_ROWS_CONTINUE, /* go on, if what is binding agrees */
	SWEEP_ROWS_APPEND,   /* go on in any case */
	SWEEP_ROWS_NEW,	     /* keep them as PATH.old */
};

/* Takes a remark for the user. */
typedef void (*sweep_tell)(void *context, const char *sentence);

struct sweep_row {
	uint64_t n;
	size_t repeat;
	double throughput;
	double wall_s;
	double cpu_s;  /* below 0: not known, as those below are */
	double load;   /* of the last minute before it */
	double others; /* CPUs that something else kept busy meanwhile */
};

struct sweep_file;

/*
 * `path` "-" is standard output. Where the path is no regular file, or is one that is open, as
 * /dev/stdout is, no rows are read from it. A last line that was not finished is dropped. A file
 * that holds no rows begins anew. NULL with a sentence: it is no file of a sweep, another sweep
 * writes it, what is binding differs.
 */
struct sweep_file *sweep_file_open(const char *path, const struct sweep_head *head,
				   enum sweep_rows rows, sweep_tell tell, void *context,
				   struct err *err);

/* How many rows were there, and whether one of them is this. */
size_t sweep_file_rows(const struct sweep_file *file);
bool sweep_file_has(const struct sweep_file *file, uint64_t n, size_t repeat);

/* Both return when the disk has it. 0, or -1 with a sentence. */
int sweep_file_add(struct sweep_file *file, const struct sweep_row *row, struct err *err);
int sweep_file_remark(struct sweep_file *file, const char *key, const char *value, struct err *err);

void sweep_file_close(struct sweep_file *file);

#endif
