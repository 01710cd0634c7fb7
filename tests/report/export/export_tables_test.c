/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/export/export.h"

#include "base/alloc.h"
#include "base/err.h"
#include "decode/event/samples.h"
#include "draw/drawing.h"
#include "report/progress.h"
#include "stats/profile/block_spans.h"
#include "support.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TID = 100, OTHER_TID = 101 };

/* Changes of a timeline, and samples. */
struct recorded {
	struct change changes[4];
	struct sampled samples[5];
};

static struct change is(size_t thread, enum thread_state state, uint64_t begin_ns, uint64_t end_ns)
{
	return (struct change){.thread = thread,
			       .tid = TID + (int32_t)thread,
			       .pid = TID,
			       .cpu = -1,
			       .state = state,
			       .begin_ns = begin_ns,
			       .end_ns = end_ns,
			       .comm = "w"};
}

static struct sampled at(int32_t tid, uint64_t ip, uint64_t time_ns)
{
	return (struct sampled){
		.pid = TID, .tid = tid, .ip = ip, .time_ns = time_ns, .count = 1, .mode = 0};
}

static bool never(void)
{
	return false;
}

/* The path of its database, in a directory that is removed. */
static char *export_recorded(const struct recorded *recorded)
{
	struct event_source *source = array_source(NULL, 0);
	char *path = xasprintf("%s.db", file_with("", 0));
	const struct block_spans_counts spans = {0};
	struct progress progress = {.note = NULL};
	const struct export_facts facts = {
		.spans = &spans, .begin_ns = recorded->changes[0].begin_ns, .progress = &progress};
	const struct export_request request = {.kind = EXPORT_SQLITE,
					       .path = path,
					       .replace = true,
					       .stop = never,
					       .input = "none"};
	struct err err = {.text = ""};
	struct export *export = export_open(&request, source, &err);

	assert_non_null(export);
	for (size_t i = 0; recorded->changes[i].tid; i++)
		export_change(export, &recorded->changes[i], 1000);
	for (size_t i = 0; recorded->samples[i].tid; i++) {
		array_reserve(&source->samples.rows, &source->samples.row_capacity, i + 1);
		source->samples.rows[i] = recorded->samples[i];
		source->samples.row_count = i + 1;
	}
	if (export_finish(export, &facts, &err))
		fail_msg("%s", err.text);
	export_free(export);
	event_source_free(source);
	return path;
}

/* The query gives these rows, with a blank after each value. */
static void assert_rows(const struct recorded *recorded, const char *query, const char *want)
{
	char *path = export_recorded(recorded), got[256] = "";
	sqlite3_stmt *statement;
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, query, -1, &statement, NULL), SQLITE_OK);
	while (sqlite3_step(statement) == SQLITE_ROW)
		for (int i = 0; i < sqlite3_column_count(statement); i++) {
			const unsigned char *text = sqlite3_column_text(statement, i);

			snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s ",
				 text ? (const char *)text : "-");
		}
	assert_string_equal(got, want);
	sqlite3_finalize(statement);
	sqlite3_close(db);
	remove(path);
	free(path);
}

/* Samples of two places; the last sample is of the first place. */
static void without_a_scheduler_threads_last_from_their_first_sample_to_their_last(void **state)
{
	const struct recorded recorded = {
		{is(0, STATE_UNKNOWN, 2500, 2500)},
		{at(TID, 8, 9000), at(TID, 16, 5000), at(TID, 24, 3000)},
	};

	(void)state;
	assert_rows(&recorded, "SELECT start, time, running FROM thread", "500 6000 - ");
	assert_rows(&recorded, "SELECT thread, at FROM sample ORDER BY at", "0 500 0 2500 0 6500 ");
	assert_rows(&recorded, "SELECT value FROM meta WHERE key = 'wall_ns'", "6000 ");
	assert_rows(&recorded, "SELECT count(*) FROM state", "0 ");
}

static void a_thread_of_which_nothing_is_known_ran_for_an_unknown_time(void **state)
{
	const struct recorded recorded = {
		{is(0, STATE_RUNNING, 1000, 4000), is(1, STATE_UNKNOWN, 1000, 4000)}, {{0}}};

	(void)state;
	assert_rows(&recorded, "SELECT tid, time, running FROM thread ORDER BY id",
		    "100 3000 3000 101 3000 - ");
}

/* Samples of unknown threads, as of thread 7, are left out. */
static void samples_are_of_their_threads(void **state)
{
	const struct recorded recorded = {
		{is(0, STATE_RUNNING, 1000, 4000), is(1, STATE_RUNNING, 1000, 4000)},
		{at(OTHER_TID, 8, 2000), at(TID, 8, 3000), at(OTHER_TID, 16, 3000),
		 at(7, 8, 3000)}};

	(void)state;
	assert_rows(&recorded,
		    "SELECT tid, count(*), min(address) FROM sample JOIN thread "
		    "ON thread.id = sample.thread GROUP BY tid",
		    "100 1 8 101 2 8 ");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(without_a_scheduler_threads_last_from_their_first_sample_to_their_last),
	cmocka_unit_test(a_thread_of_which_nothing_is_known_ran_for_an_unknown_time),
	cmocka_unit_test(samples_are_of_their_threads),
};

TEST_FILE(tests);
