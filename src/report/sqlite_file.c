/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/sqlite_file.h"

#include "base/alloc.h"
#include "base/err.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- Which file ---------------------------------------------------------------------------- */

/* Beside a database that is in use, or was when its program was killed. */
static const char *const companions[] = {"-journal", "-wal"};

static int check_companions(const char *path, struct err *err)
{
	for (size_t i = 0; i < sizeof(companions) / sizeof(companions[0]); i++) {
		char *name = xasprintf("%s%s", path, companions[i]);
		bool there = access(name, F_OK) == 0;

		free(name);
		if (there)
			return err_set(err,
				       "%s: is in use, or was when its program was killed, as "
				       "there is %s%s; choose another name",
				       path, path, companions[i]);
	}
	return 0;
}

static int check_path(const char *path, bool replace, struct err *err)
{
	struct stat status;

	if (lstat(path, &status)) {
		if (errno != ENOENT)
			return err_set(err, "%s: cannot be written: %m", path);
		return check_companions(path, err);
	}
	if (!S_ISREG(status.st_mode))
		return err_set(err, "%s: is there and is no regular file; choose another name",
			       path);
	if (!replace)
		return err_set(err, "%s: exists; choose another name, or replace it with --force",
			       path);
	return check_companions(path, err);
}

/* Anyone may read it whom the user lets read what they write. */
static void set_mode(int fd)
{
	mode_t mask = umask(0);

	umask(mask);
	(void)!fchmod(fd, 0666 & ~mask);
}

static int make_draft(struct sqlite_file *file, struct err *err)
{
	int fd;

	file->draft = xasprintf("%s.XXXXXX", file->path);
	fd = mkstemp(file->draft);
	if (fd < 0) {
		err_set(err, "%s: cannot be written: %m", file->path);
		free(file->draft);
		file->draft = NULL;
		return -1;
	}
	set_mode(fd);
	close(fd);
	return 0;
}

/* --- The database -------------------------------------------------------------------------- */

static void note(struct sqlite_file *file, int result)
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
			       "%s: there is no room left on its disk, or on that of temporary "
			       "files, which SQLITE_TMPDIR names",
			       file->path);
	case SQLITE_INTERRUPT:
		return err_set(err, "%s: stopped before it was complete", file->path);
	case SQLITE_NOMEM:
		return err_set(err, "%s: there is not enough memory to write it", file->path);
	default:
		if (file->problem_errno == EFBIG)
			return err_set(err,
				       "%s: has reached the size that a file may have "
				       "('ulimit -f')",
				       file->path);
		return err_set(err, "%s: cannot be written: %s", file->path,
			       file->problem_errno ? strerror(file->problem_errno)
						   : sqlite3_errstr(file->problem));
	}
}

int sqlite_file_open(struct sqlite_file *file, const char *path, bool replace, struct err *err)
{
	/* It is thrown away if it does not become complete: nothing has to be undone, or be safe
	   before it has its name. A larger page has more rows for each time that one is filled. */
	static const char setup[] = "PRAGMA page_size = 16384;"
				    "PRAGMA journal_mode = OFF;"
				    "PRAGMA synchronous = OFF;"
				    "PRAGMA locking_mode = EXCLUSIVE;"
				    "PRAGMA cache_size = -65536;"
				    "BEGIN";

	*file = (struct sqlite_file){.replace = replace};
	if (check_path(path, replace, err))
		return -1;
	file->path = xstrdup(path);
	if (!make_draft(file, err)) {
		note(file,
		     sqlite3_open_v2(file->draft, &file->db,
				     SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, "unix-none"));
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
	enum { INSTRUCTIONS = 1 << 20 }; /* of SQLite, some 10 ms */

	file->stop = stop;
	sqlite3_progress_handler(file->db, INSTRUCTIONS, ask_stop, file);
}

void sqlite_file_run(struct sqlite_file *file, const char *sql)
{
	if (!file->problem)
		note(file, sqlite3_exec(file->db, sql, NULL, NULL, NULL));
}

static int sync_draft(const struct sqlite_file *file, struct err *err)
{
	FILE *draft = fopen(file->draft, "r+e");
	int rc = draft ? fsync(fileno(draft)) : -1;

	if (rc)
		err_set(err, "%s: cannot be written: %m", file->path);
	if (draft)
		fclose(draft);
	return rc;
}

/* Some file systems cannot refuse to replace a file: then it has been looked for at the beginning.
 */
static int name_draft(const struct sqlite_file *file, struct err *err)
{
	unsigned flags = file->replace ? 0 : RENAME_NOREPLACE;
	int rc = renameat2(AT_FDCWD, file->draft, AT_FDCWD, file->path, flags);

	if (rc && flags && (errno == EINVAL || errno == ENOSYS))
		rc = rename(file->draft, file->path);
	if (rc && errno == EEXIST)
		return err_set(err, "%s: has been made by somebody else meanwhile", file->path);
	return rc ? err_set(err, "%s: cannot be renamed to %s: %m", file->draft, file->path) : 0;
}

int sqlite_file_publish(struct sqlite_file *file, struct err *err)
{
	sqlite_file_run(file, "COMMIT");
	if (sqlite_file_check(file, err))
		return -1;
	note(file, sqlite3_close(file->db));
	file->db = NULL;
	if (sqlite_file_check(file, err) || sync_draft(file, err))
		return -1;
	if (name_draft(file, err))
		return -1;
	free(file->draft);
	file->draft = NULL;
	return 0;
}

void sqlite_file_close(struct sqlite_file *file)
{
	sqlite3_close(file->db);
	if (file->draft)
		unlink(file->draft);
	free(file->draft);
	free(file->path);
	*file = (struct sqlite_file){.db = NULL};
}

/* --- Rows ---------------------------------------------------------------------------------- */

void sqlite_insert_begin(struct sqlite_insert *insert, struct sqlite_file *file, const char *sql)
{
	*insert = (struct sqlite_insert){.file = file};
	if (!file->problem)
		note(file, sqlite3_prepare_v3(file->db, sql, -1, SQLITE_PREPARE_PERSISTENT,
					      &insert->statement, NULL));
}

void sqlite_insert_count(struct sqlite_insert *insert, int parameter, int64_t count)
{
	if (insert->statement)
		sqlite3_bind_int64(insert->statement, parameter, count);
}

void sqlite_insert_text(struct sqlite_insert *insert, int parameter, const char *text,
			size_t length)
{
	if (insert->statement && text && length <= INT_MAX)
		sqlite3_bind_text(insert->statement, parameter, text, (int)length, SQLITE_STATIC);
	else
		sqlite_insert_null(insert, parameter);
}

void sqlite_insert_null(struct sqlite_insert *insert, int parameter)
{
	if (insert->statement)
		sqlite3_bind_null(insert->statement, parameter);
}

void sqlite_insert_row(struct sqlite_insert *insert)
{
	if (insert->file->problem)
		return;
	note(insert->file, sqlite3_step(insert->statement));
	note(insert->file, sqlite3_reset(insert->statement));
	insert->rows++;
}

void sqlite_insert_end(struct sqlite_insert *insert)
{
	sqlite3_finalize(insert->statement);
	insert->statement = NULL;
}
