/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/stretch/stretch_private.h"

#include "base/alloc.h"
#include "decode/event/samples.h"
#include "stats/spin/symbol_finder.h"
#include "support.h"

#include <string.h>

enum { PID = 7, FILES = 4 };

/* A file with samples; no path: the end of the list. */
struct had {
	const char *path;
	uint64_t inode;
	const char *build_id; /* NULL: unknown */
};

static void take_files(struct stretch_files *files, const struct had *had)
{
	struct samples samples = {0};
	struct symbol_finder finder;
	struct symbol symbol;
	size_t count = 0;

	for (; count < FILES && had[count].path; count++) {
		struct mapped map = {.pid = PID,
				     .begin = (count + 1) << 16,
				     .end = (count + 2) << 16,
				     .inode = had[count].inode,
				     .path = xstrdup(had[count].path)};

		if (had[count].build_id) {
			map.build_id_size = (uint8_t)strlen(had[count].build_id);
			memcpy(map.build_id, had[count].build_id, map.build_id_size);
		}
		array_reserve(&samples.maps, &samples.map_capacity, samples.map_count + 1);
		samples.maps[samples.map_count++] = map;
	}
	symbol_finder_init(&finder, &samples);
	for (size_t i = 0; i < count; i++)
		assert_true(symbol_finder_find(&symbol, &finder, PID, (i + 1) << 16, 0));
	stretch_files_init(files, &finder);
	symbol_finder_release(&finder);
	samples_release(&samples);
}

static void files_differ_by_their_build_ids_or_else_their_inodes(void **state)
{
	static const struct {
		struct had one[FILES], other[FILES];
		size_t changed;
		const char *path;
	} cases[] = {
		{{{"/b/p", 1, NULL}}, {{"/b/p", 1, NULL}}, 0, NULL},
		{{{"/b/p", 1, NULL}}, {{"/b/p", 2, NULL}}, 1, "/b/p"},
		{{{"/b/p", 1, NULL}}, {{"/b/p", 0, NULL}}, 0, NULL},
		{{{"/b/p", 0, "ab"}}, {{"/b/p", 0, "ab"}}, 0, NULL},
		{{{"/b/p", 1, "ab"}}, {{"/b/p", 2, "ab"}}, 0, NULL},
		{{{"/b/p", 1, "ab"}}, {{"/b/p", 1, "ac"}}, 1, "/b/p"},
		{{{"/b/p", 0, "ab"}}, {{"/b/p", 0, "abc"}}, 1, "/b/p"},
		{{{"/b/p", 0, "ab"}}, {{"/b/p", 2, NULL}}, 0, NULL},
		{{{"/b/p", 1, NULL}}, {{"/b/q", 2, NULL}}, 0, NULL},
		{{{"/b/p", 1, NULL}}, {{NULL, 0, NULL}}, 0, NULL},
		{{{"/a/lib.so.1", 1, NULL}, {"/b/p", 2, NULL}, {"/c/q", 3, NULL}},
		 {{"/c/q", 9, NULL}, {"/b/p", 9, NULL}, {"/a/lib.so.1", 9, NULL}},
		 3,
		 "/b/p"},
		{{{"/b/p", 2, NULL}, {"/a/lib.so.1", 1, NULL}},
		 {{"/b/p", 2, NULL}, {"/a/lib.so.1", 9, NULL}},
		 1,
		 "/a/lib.so.1"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stretch_files one, other;
		const char *path;

		take_files(&one, cases[i].one);
		take_files(&other, cases[i].other);
		if (stretch_files_changed(&path, &one, &other) != cases[i].changed)
			fail_msg("case %zu", i);
		if (path)
			assert_string_equal(path, cases[i].path);
		else
			assert_null(cases[i].path);
		stretch_files_release(&one);
		stretch_files_release(&other);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(files_differ_by_their_build_ids_or_else_their_inodes),
};

TEST_FILE(tests);
