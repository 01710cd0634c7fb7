/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/export/export.h"

#include "base/alloc.h"
#include "base/err.h"
#include "decode/timeline/timeline.h"
#include "draw/drawing.h"
#include "report/progress.h"
#include "stats/profile/block_spans.h"
#include "support.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { TID = 100, THREADS = 4 };

static char directory[] = "/tmp/pscal-test-XXXXXX";

static int set_up(void **state)
{
	(void)state;
	snprintf(strstr(directory, "test-"), sizeof("test-XXXXXX"), "test-XXXXXX");
	return mkdtemp(directory) ? 0 : -1;
}

static int tear_down(void **state)
{
	char *command = xasprintf("rm -r %s", directory);
	int rc = system(command);

	(void)state;
	free(command);
	return rc;
}

static bool never(void)
{
	return false;
}

static struct export *open_export(enum export_kind kind, const char *path,
				  struct event_source *source)
{
	const struct export_request request = {.kind = kind,
					       .path = path,
					       .replace = true,
					       .stop = never,
					       .input = "none",
					       .id = "none",
					       .weight = STACK_OFF_CPU};
	struct err err = {.text = ""};
	struct export *export = export_open(&request, source, &err);

	if (!export)
		fail_msg("%s", err.text);
	return export;
}

/* Threads run and sleep by turns, and wake each other. */
static void take_changes(struct export *export, size_t from, size_t to, const char *comm)
{
	for (size_t i = from; i < to; i++) {
		size_t round = i / THREADS, thread = i % THREADS;
		bool runs = round % 2;
		struct change change = {
			.thread = thread,
			.tid = TID + (int32_t)thread,
			.pid = TID,
			.cpu = runs ? 0 : -1,
			.by = !runs && round ? (uint32_t)(thread + 1) % THREADS : BY_NO_THREAD,
			.before = BY_NO_THREAD,
			.state = runs ? STATE_RUNNING : STATE_SLEEPING,
			.next = runs ? STATE_SLEEPING : STATE_RUNNING,
			.begin_ns = 1000 + round * 5000,
			.end_ns = 1000 + (round + 1) * 5000,
		};

		event_set_comm(change.comm, comm, strlen(comm));
		export_change(export, &change, 1000);
	}
}

/* The path of an export of some changes, in a directory that is removed. */
static char *export_changes(enum export_kind kind, const char *ending, const char *comm)
{
	char *path = xasprintf("%s/out%s", directory, ending);
	struct event_source *source = array_source(NULL, 0);
	struct export *export = open_export(kind, path, source);
	const struct block_spans_counts spans = {0};
	struct progress progress = {.note = NULL};
	const struct export_facts facts = {
		.spans = &spans, .begin_ns = 1000, .progress = &progress};
	struct err err = {.text = ""};

	take_changes(export, 0, (size_t)2 * THREADS, comm);
	if (export_finish(export, &facts, &err))
		fail_msg("%s", err.text);
	export_free(export);
	event_source_free(source);
	return path;
}

static const enum export_kind streamed[] = {EXPORT_CSV, EXPORT_CHROME, EXPORT_PERFETTO,
					    EXPORT_FIREFOX, EXPORT_FOLDED};

static void memory_does_not_grow_with_the_recording(void **state)
{
	enum { SOME = 20000, MANY = 400000, SLACK = 1 << 16 };

	(void)state;
	for (size_t i = 0; i < sizeof(streamed) / sizeof(streamed[0]); i++) {
		char *path = xasprintf("%s/many%zu", directory, i);
		struct event_source *source = array_source(NULL, 0);
		struct export *export = open_export(streamed[i], path, source);
		size_t before;

		take_changes(export, 0, SOME, "w");
		before = mallinfo2().uordblks;
		take_changes(export, SOME, MANY, "w");
		assert_true(mallinfo2().uordblks <= before + SLACK);
		export_free(export);
		event_source_free(source);
		free(path);
	}
}

static char *contents(const char *path)
{
	gzFile file = gzopen(path, "rb");
	char *text = xcalloc(1, 1 << 20);

	assert_non_null(file);
	assert_true(gzread(file, text, (1 << 20) - 1) > 0);
	gzclose(file);
	return text;
}

/* No name of a thread opens quotes, or controls a terminal. */
static void a_name_stays_a_name(void **state)
{
	static const struct {
		enum export_kind kind;
		const char *ending, *name;
	} cases[] = {
		{EXPORT_CHROME, ".json", "\"name\":\"\\\"},\\u001B[1m\\\\;,\\\\n\""},
		{EXPORT_CHROME, ".json.gz", "\"name\":\"\\\"},\\u001B[1m\\\\;,\\\\n\""},
		{EXPORT_FIREFOX, ".json", "\"name\":\"\\\"},\\u001B[1m\\\\;,\\\\n\""},
		{EXPORT_PERFETTO, ".pftrace", "\"},\xef\xbf\xbd[1m\\;,\\n"},
		{EXPORT_CSV, ".d/thread.csv", "\"\"\"},\xef\xbf\xbd[1m\\;,\\n\""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *slash = strchr(cases[i].ending, '/');
		size_t length = slash ? (size_t)(slash - cases[i].ending) : strlen(cases[i].ending);
		char *ending = xasprintf("%.*s", (int)length, cases[i].ending);
		char *path = export_changes(cases[i].kind, ending, "\"},\x1b[1m\\;,\\n");
		char *file = xasprintf("%s%s", path, slash ? slash : "");
		char *text = contents(file);

		if (cases[i].kind == EXPORT_PERFETTO) {
			gzFile bytes = gzopen(file, "rb");
			char all[1 << 16];
			int size = gzread(bytes, all, sizeof(all));

			assert_non_null(
				memmem(all, (size_t)size, cases[i].name, strlen(cases[i].name)));
			gzclose(bytes);
		} else {
			assert_non_null(strstr(text, cases[i].name));
		}
		free(text);
		free(file);
		free(path);
		free(ending);
	}
}

#define WITH_DIRECTORY(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

static const struct CMUnitTest tests[] = {
	WITH_DIRECTORY(memory_does_not_grow_with_the_recording),
	WITH_DIRECTORY(a_name_stays_a_name),
};

TEST_FILE(tests);
