/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A database of SQLite that is written once, from its beginning to its end. It has another name
 * until it is complete, so that whatever happens there is no half of one.
 *
 * As no other program knows the draft it is neither locked nor kept consistent on the way: where a
 * file system has no locks it can be written all the same.
 *
 *	sqlite_insert_begin(&insert, &file, "sample", 2);
 *	sqlite_insert_count(&insert, 1, 42);
 *	sqlite_insert_text(&insert, 2, "main", 4);
 *	sqlite_insert_row(&insert);
 *	sqlite_insert_end(&insert);
 *
 * The first failure is kept, and all that follows does nothing; sqlite_file_publish tells of it.
 */
#ifndef PSCAL_REPORT_EXPORT_SQLITE_FILE_H
#define PSCAL_REPORT_EXPORT_SQLITE_FILE_H

#include "base/io/output_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct sqlite3;
struct sqlite3_stmt;
struct table_sink;

struct sqlite_file {
	char *path;
	struct output_file output;
	bool replace;
	bool (*stop)(void);
	struct sqlite3_vfs *vfs; /* how SQLite opens the draft */
	struct sqlite3 *db;
	int problem;	   /* the first one, of SQLite; 0: none */
	int problem_errno; /* ... and of the system beneath */
};

/* Rows of one table. */
struct sqlite_insert {
	struct sqlite_file *file;
	struct sqlite3_stmt *statement;
	uint64_t rows;
};

/*
 * Begins one that is to be at `path`; a file that is there is only replaced with `replace`. Returns
 * 0, or -1 with a sentence.
 */
int sqlite_file_open(struct sqlite_file *file, const char *path, bool replace, struct err *err);

/* Once `stop` says so, asked now and then, nothing can be written any more. */
void sqlite_file_set_stop(struct sqlite_file *file, bool (*stop)(void));

/* Statements without a result. */
void sqlite_file_run(struct sqlite_file *file, const char *sql);

/* Gives it its name. All inserts have been ended. Returns 0, or -1 with a sentence. */
int sqlite_file_publish(struct sqlite_file *file, struct err *err);

/* Could everything be written so far? Returns 0, or -1 with a sentence. */
int sqlite_file_check(const struct sqlite_file *file, struct err *err);

/* One that was not published is gone. */
void sqlite_file_close(struct sqlite_file *file);

/* Into the first `count` columns of a table. */
void sqlite_insert_begin(struct sqlite_insert *insert, struct sqlite_file *file, const char *table,
			 size_t count);

/* Parameters from 1 on. Those of the row before stay, texts as well: these are borrowed, and have
 * U+FFFD where base/printable would not show them. */
void sqlite_insert_count(struct sqlite_insert *insert, int parameter, int64_t count);
/* NULL is NULL. */
void sqlite_insert_text(struct sqlite_insert *insert, int parameter, const char *text,
			size_t length);
/* NULL where it is not known. */
void sqlite_insert_known(struct sqlite_insert *insert, int parameter, bool known, int64_t count);
void sqlite_insert_row(struct sqlite_insert *insert);
void sqlite_insert_end(struct sqlite_insert *insert);

/* The tables of an export in such a file; see export_private.h. */
extern const struct table_sink sqlite_sink;

#endif
