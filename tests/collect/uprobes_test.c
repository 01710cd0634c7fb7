/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the kernel does with them is held to the truth by tests/live/record_uprobe.sh. */
#include "collect/uprobes.h"

#include "base/alloc.h"
#include "base/err.h"
#include "collect/collect_dir.h"
#include "collect/tracefs.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static char *commands(const char *root)
{
	struct err err;
	char *text = tracefs_read(root, "uprobe_events", NULL, &err);

	assert_non_null(text);
	return text;
}

/* A file keeps what the kernel would do. */
static void probes_are_made_and_each_event_removed_once(void **state)
{
	struct uprobes probes;
	char root[64], *text, *want;

	(void)state;
	dir_make(root);
	dir_put(root, "uprobe_events", "");
	uprobes_init(&probes, root, "word");
	assert_int_equal(uprobes_add(&probes, &(struct uprobe){.event = "enter",
							       .path = "/bin/a",
							       .offset = 0x10,
							       .argument = "block=\\0:u64"}),
			 0);
	assert_int_equal(uprobes_add(&probes, &(struct uprobe){.event = "enter",
							       .path = "/bin/a",
							       .offset = 0x20,
							       .argument = "block=\\1:u64"}),
			 0);
	assert_int_equal(uprobes_add(&probes, &(struct uprobe){.event = "leave",
							       .at_return = true,
							       .path = "/bin/a",
							       .offset = 0x20,
							       .argument = ""}),
			 0);
	assert_true(uprobes_has(&probes, "enter"));
	assert_true(uprobes_has(&probes, "leave"));
	assert_false(uprobes_has(&probes, "ente"));
	uprobes_release(&probes);
	want = xasprintf("p:pscal_word_%d/enter /bin/a:0x10 block=\\0:u64\n"
			 "p:pscal_word_%d/enter /bin/a:0x20 block=\\1:u64\n"
			 "r:pscal_word_%d/leave /bin/a:0x20 \n"
			 "-:pscal_word_%d/enter\n-:pscal_word_%d/leave\n",
			 getpid(), getpid(), getpid(), getpid(), getpid());
	text = commands(root);
	assert_string_equal(text, want);
	free(text);
	free(want);
	dir_remove(root);
}

/* Process ids are smaller than 4194304 (PID_MAX_LIMIT). */
static void what_the_dead_have_left_is_removed(void **state)
{
	static const struct {
		const char *group;
		bool is_removed;
	} cases[] = {
		{"pscal_word_99999999", true},
		{"pscal_other_99999999", true},
		{"pscal_99999999", true},
		{"pscal_word_1", false},
		{"pscal_word_7x", false},
		{"pscal_word", false},
		{"pscal", false},
		{"pscal_word_-7", false},
		{"other_99999999", false},
		{"pscal_word_99999999999", false},
	};
	struct uprobes probes;
	char root[64], path[128], *text;

	(void)state;
	dir_make(root);
	dir_put(root, "uprobe_events", "");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(path, sizeof(path), "events/%s/any/id", cases[i].group);
		dir_put(root, path, "1\n");
	}
	snprintf(path, sizeof(path), "events/pscal_word_%d/own/id", getpid());
	dir_put(root, path, "1\n");
	snprintf(path, sizeof(path), "events/pscal_other_%d/own/id", getpid());
	dir_put(root, path, "1\n");
	uprobes_init(&probes, root, "word");
	text = commands(root);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(path, sizeof(path), "-:%s/any\n", cases[i].group);
		if (!strstr(text, path) == cases[i].is_removed)
			fail_msg("%s: %s", cases[i].group, text);
	}
	snprintf(path, sizeof(path), "-:pscal_word_%d/own\n", getpid());
	assert_non_null(strstr(text, path));
	snprintf(path, sizeof(path), "-:pscal_other_%d/own\n", getpid());
	assert_null(strstr(text, path));
	free(text);
	uprobes_release(&probes);
	dir_remove(root);
}

static void what_the_kernel_says_is_what_adding_says(void **state)
{
	const struct uprobe blank = {.event = "e", .path = "/bin/a b", .argument = ""};
	const struct uprobe plain = {.event = "e", .path = "/bin/a", .argument = ""};
	struct uprobes probes;
	char root[64];

	(void)state;
	dir_make(root);
	uprobes_init(&probes, root, "word");
	assert_int_equal(uprobes_add(&probes, &plain), ENOENT);
	assert_int_equal(uprobes_add(&probes, &blank), EINVAL);
	assert_false(uprobes_has(&probes, "e"));
	uprobes_release(&probes);
	dir_remove(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(probes_are_made_and_each_event_removed_once),
		cmocka_unit_test(what_the_dead_have_left_is_removed),
		cmocka_unit_test(what_the_kernel_says_is_what_adding_says),
	};
	return RUN_TESTS(tests);
}
