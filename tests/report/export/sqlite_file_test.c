/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/export/sqlite_file.h"

#include "base/alloc.h"
#include "base/err.h"
#include "support.h"

#include <glob.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A path without a file, in a directory of its own. */
static char *fresh_path(void)
{
	char directory[] = "/tmp/sqlite_file_test.XXXXXX";

	assert_non_null(mkdtemp(directory));
	return xasprintf("%s/new.db", directory);
}

static void remove_fresh(char *path)
{
	char *pattern = xasprintf("%s*", path);
	glob_t found;

	if (glob(pattern, 0, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc; i++)
			unlink(found.gl_pathv[i]);
		globfree(&found);
	}
	free(pattern);
	*strrchr(path, '/') = '\0';
	assert_int_equal(rmdir(path), 0);
	free(path);
}

/* The number of files whose names begin with the path. */
static size_t count_files(const char *path)
{
	char *pattern = xasprintf("%s*", path);
	glob_t found;
	size_t count = glob(pattern, 0, NULL, &found) ? 0 : found.gl_pathc;

	if (count)
		globfree(&found);
	free(pattern);
	return count;
}

/* The query gives this one value, as text. */
static void assert_value(const char *path, const char *query, const char *want)
{
	sqlite3_stmt *statement;
	const char *got;
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, query, -1, &statement, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	got = (const char *)sqlite3_column_text(statement, 0);
	if (want)
		assert_string_equal(got, want);
	else
		assert_null(got);
	sqlite3_finalize(statement);
	sqlite3_close(db);
}

static void write_rows(struct sqlite_file *file, int count)
{
	struct sqlite_insert insert;

	sqlite_file_run(file, "CREATE TABLE row (number, text)");
	sqlite_insert_begin(&insert, file, "row", 2);
	for (int i = 0; i < count; i++) {
		sqlite_insert_count(&insert, 1, i);
		sqlite_insert_text(&insert, 2, i % 2 ? "odd, and more" : NULL, 3);
		sqlite_insert_row(&insert);
	}
	assert_true(insert.rows == (uint64_t)count || file->problem);
	sqlite_insert_end(&insert);
}

/* Opens a database that does not exist yet; its path goes to remove_fresh(). */
static char *open_fresh(struct sqlite_file *file)
{
	char *path = fresh_path();
	struct err err = {.text = ""};

	assert_int_equal(sqlite_file_open(file, path, false, &err), 0);
	return path;
}

static void assert_unpublished(struct sqlite_file *file, const char *words)
{
	struct err err = {.text = ""};

	assert_int_equal(sqlite_file_publish(file, &err), -1);
	if (!strstr(err.text, words))
		fail_msg("said: %s", err.text);
	sqlite_file_close(file);
}

static void a_database_is_there_when_it_is_complete(void **state)
{
	struct sqlite_file file;
	char *path = open_fresh(&file);
	struct err err = {.text = ""};

	(void)state;
	write_rows(&file, 4);
	assert_int_not_equal(access(path, F_OK), 0);
	assert_int_equal(sqlite_file_publish(&file, &err), 0);
	sqlite_file_close(&file);
	assert_int_equal(count_files(path), 1);
	assert_value(path, "SELECT count(*) FROM row", "4");
	assert_value(path, "SELECT text FROM row WHERE number = 3", "odd");
	assert_value(path, "SELECT text FROM row WHERE number = 2", NULL);
	assert_value(path, "PRAGMA integrity_check", "ok");
	remove_fresh(path);
}

static void an_unfinished_database_is_removed(void **state)
{
	struct sqlite_file file;
	char *path = open_fresh(&file);

	(void)state;
	write_rows(&file, 4);
	sqlite_file_close(&file);
	assert_int_equal(count_files(path), 0);
	remove_fresh(path);
}

static void an_existing_file_is_replaced_on_request_only(void **state)
{
	const char *path = file_with("something", 9);
	struct sqlite_file file;
	struct err err = {.text = ""};

	(void)state;
	assert_int_equal(sqlite_file_open(&file, path, false, &err), -1);
	assert_non_null(strstr(err.text, "--force"));
	assert_int_equal(sqlite_file_open(&file, path, true, &err), 0);
	write_rows(&file, 2);
	assert_int_equal(sqlite_file_publish(&file, &err), 0);
	sqlite_file_close(&file);
	assert_value(path, "SELECT count(*) FROM row", "2");
}

static void a_file_made_by_another_process_meanwhile_is_kept(void **state)
{
	struct sqlite_file file;
	char *path = open_fresh(&file);
	FILE *other = fopen(path, "w");

	(void)state;
	assert_non_null(other);
	fputs("theirs", other);
	fclose(other);
	write_rows(&file, 2);
	assert_unpublished(&file, "was made by another process meanwhile");
	/* The new database is kept, too, under its temporary name. */
	assert_int_equal(count_files(path), 2);
	remove_fresh(path);
}

static bool at_once(void)
{
	return true;
}

static void a_stop_ends_writing_with_a_sentence(void **state)
{
	struct sqlite_file file;
	char *path = open_fresh(&file);

	(void)state;
	sqlite_file_set_stop(&file, at_once);
	write_rows(&file, 1000000);
	assert_unpublished(&file, "stopped");
	assert_int_equal(count_files(path), 0);
	remove_fresh(path);
}

static void the_first_error_is_reported(void **state)
{
	struct sqlite_file file;
	char *path = open_fresh(&file);
	struct err err = {.text = ""};

	(void)state;
	sqlite_file_run(&file, "CREATE TABLE no column");
	write_rows(&file, 4);
	assert_int_equal(sqlite_file_check(&file, &err), -1);
	assert_non_null(strstr(err.text, "SQL logic error"));
	sqlite_file_close(&file);
	remove_fresh(path);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_database_is_there_when_it_is_complete),
	cmocka_unit_test(an_unfinished_database_is_removed),
	cmocka_unit_test(an_existing_file_is_replaced_on_request_only),
	cmocka_unit_test(a_file_made_by_another_process_meanwhile_is_kept),
	cmocka_unit_test(a_stop_ends_writing_with_a_sentence),
	cmocka_unit_test(the_first_error_is_reported),
};

TEST_FILE(tests);
