/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/export/sqlite_file.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/output_file.h"
#include "base/printable.h"
#include "report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- The file --------------------------------------------------------------------------------- */

/* The files beside a database that is in use, or was when its program was killed. */
static const char *const companions[] = {"-journal", "-wal"};

static int check_place(const struct output_place *place, bool replace, struct err *err)
{
	if (place->exists && !replace)
		return err_set(err, "%s: exists; choose another name, or replace it with --force",
			       place->path);
	for (size_t i = 0; i < sizeof(companions) / sizeof(companions[0]); i++) {
		char *name = xasprintf("%s%s", place->name, companions[i]);
		bool there = faccessat(place->dir, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;

		free(name);
		if (there)
			return err_set(err,
				       "%s: is in use, or its last writer was killed: there is "
				       "%s%s; choose another name",
				       place->path, place->path, companions[i]);
	}
	return 0;
}

/* Opens the output, with the mode that the user's umask allows. */
static int open_output(struct sqlite_file *file, struct err *err)
{
	static const struct output_kind kind = {
		.mode = 0666, .only_regular = true, .keeps = report_keeps};

	return output_file_open(&file->output, file->path, &kind, err) ||
			       check_place(&file->output.place, file->replace, err)
		       ? -1
		       : 0;
}

#define DESCRIPTORS "/proc/self/fd/"

/* Returns the name unchanged, as its full path would be another file. */
static int keep_name(sqlite3_vfs *vfs, const char *name, int size, char *full)
{
	(void)vfs;
	return snprintf(full, (size_t)size, "%s", name) < size ? SQLITE_OK : SQLITE_CANTOPEN;
}

/* Opens a file. SQLite follows no links, and the name of a descriptor looks like one. */
static int open_by_name(const char *name, int flags, int mode)
{
	bool is_descriptor = strncmp(name, DESCRIPTORS, strlen(DESCRIPTORS)) == 0;

	return open(name, is_descriptor ? flags & ~O_NOFOLLOW : flags, mode);
}

/*
 * Opens the draft by the name of its descriptor: SQLite opens files by name, and the name of the
 * draft may lead to another file by then.
 */
static int open_database(struct sqlite_file *file)
{
	sqlite3_vfs *system;
	char name[32];

	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); /* no lock for each allocation */
	system = sqlite3_vfs_find("unix-none");
	if (!system)
		return SQLITE_ERROR;
	file->vfs = xcalloc(1, sizeof(*file->vfs));
	*file->vfs = *system;
	file->vfs->zName = "pscal-draft";
	file->vfs->xFullPathname = keep_name;
	file->vfs->xSetSystemCall(system, "open", (sqlite3_syscall_ptr)open_by_name);
	sqlite3_vfs_register(file->vfs, 0);
	snprintf(name, sizeof(name), DESCRIPTORS "%d", file->output.fd);
	return sqlite3_open_v2(name, &file->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
			       file->vfs->zName);
}

/* --- The database -------------------------------------------------------------------------- */

static void note_problem(struct sqlite_file *file, int result)
{
	if (file->problem || result == SQLITE_OK || result == SQLITE_DONE || result == SQLITE_ROW)
		return;
	file->problem = result;
	if (file->db)
		sqlite3_file_control(file->db, "main", SQLITE_FCNTL_LAST_ERRNO,
				     &file->problem_errno);
}

int sqlite_file_check(const struct sqlite_file *file, struct err *err)
{
	switch (file->problem & 0xff) {
	case SQLITE_OK:
		return 0;
	case SQLITE_FULL:
		return err_set(err,
			       "%s: there is no room left on its disk, or on the disk of temporary "
			       "files (SQLITE_TMPDIR)",
			       file->path);
	case SQLITE_INTERRUPT:
		return err_set(err, "%s: stopped before it was complete", file->path);
	case SQLITE_NOMEM:
		return err_set(err, "%s: there is not enough memory to write it", file->path);
	default:
		if (file->problem_errno == EFBIG)
			return err_set(err, "%s: has reached the file size limit ('ulimit -f')",
				       file->path);
		return err_set(err, "%s: cannot be written: %s", file->path,
			       file->problem_errno ? strerror(file->problem_errno)
						   : sqlite3_errstr(file->problem));
	}
}

int sqlite_file_open(struct sqlite_file *file, const char *path, bool replace, struct err *err)
{
	/*
	 * An incomplete draft is removed, so there is no journal, and no sync before it has its
	 * name. A large page has more rows for each page that is written.
	 */
	static const char setup[] = "PRAGMA page_size = 16384;"
				    "PRAGMA journal_mode = OFF;"
				    "PRAGMA synchronous = OFF;"
				    "PRAGMA locking_mode = EXCLUSIVE;"
				    "PRAGMA cache_size = -65536;"
				    "BEGIN";

	*file = (struct sqlite_file){.path = xstrdup(path), .replace = replace};
	if (!open_output(file, err)) {
		note_problem(file, open_database(file));
		sqlite_file_run(file, setup);
		if (!sqlite_file_check(file, err))
			return 0;
	}
	sqlite_file_close(file);
	return -1;
}

static int ask_stop(void *context)
{
	const struct sqlite_file *file = context;

	return file->stop();
}

void sqlite_file_set_stop(struct sqlite_file *file, bool (*stop)(void))
{
	enum { INSTRUCTIONS = 1 << 20 }; /* instructions of SQLite, some 10 ms */

	file->stop = stop;
	sqlite3_progress_handler(file->db, INSTRUCTIONS, ask_stop, file);
}

void sqlite_file_run(struct sqlite_file *file, const char *sql)
{
	if (!file->problem)
		note_problem(file, sqlite3_exec(file->db, sql, NULL, NULL, NULL));
}

int sqlite_file_publish(struct sqlite_file *file, struct err *err)
{
	sqlite_file_run(file, "COMMIT");
	if (sqlite_file_check(file, err))
		return -1;
	note_problem(file, sqlite3_close(file->db));
	file->db = NULL;
	if (sqlite_file_check(file, err))
		return -1;
	if (fsync(file->output.fd))
		return output_file_refuse(file->path, err);
	return output_file_publish(&file->output, file->replace ? OUTPUT_REPLACES : OUTPUT_IS_NEW,
				   err);
}

void sqlite_file_close(struct sqlite_file *file)
{
	struct err ignored;

	sqlite3_close(file->db);
	if (file->vfs)
		sqlite3_vfs_unregister(file->vfs);
	free(file->vfs);
	output_file_close(&file->output, &ignored);
	free(file->path);
	*file = (struct sqlite_file){.db = NULL};
}

/* --- Rows ---------------------------------------------------------------------------------- */

void sqlite_insert_begin(struct sqlite_insert *insert, struct sqlite_file *file, const char *table,
			 size_t count)
{
	char *sql = xasprintf("INSERT INTO %s VALUES (?", table);

	for (size_t i = 1; i < count; i++)
		xappend(&sql, ",", "?");
	xappend(&sql, "", ")");
	*insert = (struct sqlite_insert){.file = file};
	if (!file->problem)
		note_problem(file, sqlite3_prepare_v3(file->db, sql, -1, SQLITE_PREPARE_PERSISTENT,
						      &insert->statement, NULL));
	free(sql);
}

void sqlite_insert_count(struct sqlite_insert *insert, int parameter, int64_t count)
{
	if (insert->statement)
		sqlite3_bind_int64(insert->statement, parameter, count);
}

void sqlite_insert_known(struct sqlite_insert *insert, int parameter, bool known, int64_t count)
{
	if (known)
		sqlite_insert_count(insert, parameter, count);
	else if (insert->statement)
		sqlite3_bind_null(insert->statement, parameter);
}

void sqlite_insert_text(struct sqlite_insert *insert, int parameter, const char *text,
			size_t length)
{
	char *shown;

	if (!insert->statement || !text || length > INT_MAX) {
		sqlite_insert_known(insert, parameter, false, 0);
	} else if (printable_is(PRINTABLE_DATA, text, length)) {
		sqlite3_bind_text(insert->statement, parameter, text, (int)length, SQLITE_STATIC);
	} else {
		shown = printable(PRINTABLE_DATA, text, length);
		sqlite3_bind_text(insert->statement, parameter, shown, -1, free);
	}
}

void sqlite_insert_row(struct sqlite_insert *insert)
{
	if (insert->file->problem)
		return;
	note_problem(insert->file, sqlite3_step(insert->statement));
	note_problem(insert->file, sqlite3_reset(insert->statement));
	insert->rows++;
}

void sqlite_insert_end(struct sqlite_insert *insert)
{
	sqlite3_finalize(insert->statement);
	insert->statement = NULL;
}
