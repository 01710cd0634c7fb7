/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An SQLite database that is written once, from its beginning to its end. It has another name until
 * it is complete, so that no failure leaves half a database.
 *
 * No other program knows the draft, so it is neither locked nor kept consistent during writing:
 * file systems without locks are no problem.
 *
 *	sqlite_insert_begin(&insert, &file, "sample", 2);
 *	sqlite_insert_count(&insert, 1, 42);
 *	sqlite_insert_text(&insert, 2, "main", 4);
 *	sqlite_insert_row(&insert);
 *	sqlite_insert_end(&insert);
 *
 * The first failure is kept, and later calls do nothing; sqlite_file_publish() returns it.
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
	struct sqlite3_vfs *vfs; /* opens the draft for SQLite */
	struct sqlite3 *db;
	int problem;	   /* first error code of SQLite; 0: none */
	int problem_errno; /* errno of that error */
};

/* The rows of one table. */
struct sqlite_insert {
	struct sqlite_file *file;
	struct sqlite3_stmt *statement;
	uint64_t rows;
};

/*
 * Begins a database for `path`; an existing file is replaced only with `replace`. Returns 0, or -1
 * with an error.
 */
int sqlite_file_open(struct sqlite_file *file, const char *path, bool replace, struct err *err);

/* Sets a function that is called now and then: after true nothing can be written any more. */
void sqlite_file_set_stop(struct sqlite_file *file, bool (*stop)(void));

/* Runs statements without a result. */
void sqlite_file_run(struct sqlite_file *file, const char *sql);

/* Gives the database its name. All inserts must have ended. Returns 0, or -1 with an error. */
int sqlite_file_publish(struct sqlite_file *file, struct err *err);

/* Returns 0, or -1 with an error if a write failed. */
int sqlite_file_check(const struct sqlite_file *file, struct err *err);

/* Closes the database, and removes it if it was not published. */
void sqlite_file_close(struct sqlite_file *file);

/* Begins inserts into the first `count` columns of a table. */
void sqlite_insert_begin(struct sqlite_insert *insert, struct sqlite_file *file, const char *table,
			 size_t count);

/*
 * Set a parameter; parameters count from 1, and keep the values of the row before. Texts are
 * borrowed; U+FFFD replaces what base/printable would not show.
 */
void sqlite_insert_count(struct sqlite_insert *insert, int parameter, int64_t count);
/* A `text` of NULL is NULL. */
void sqlite_insert_text(struct sqlite_insert *insert, int parameter, const char *text,
			size_t length);
/* NULL if not `known`. */
void sqlite_insert_known(struct sqlite_insert *insert, int parameter, bool known, int64_t count);
void sqlite_insert_row(struct sqlite_insert *insert);
void sqlite_insert_end(struct sqlite_insert *insert);

/* The sink for the tables of an export (export_private.h) in such a file. */
extern const struct table_sink sqlite_sink;

#endif
