/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/live/record_uprobe.sh tests the probes in the kernel. */
#include "collect/kernel/uprobes.h"

#include "base/alloc.h"
#include "base/err.h"
#include "collect/collect_dir.h"
#include "collect/kernel/run_directory.h"
#include "collect/kernel/tracefs.h"

#include <errno.h>
#include <stdlib.h>

static char *commands(const char *root)
{
	struct err err;
	char *text = tracefs_read(root, "uprobe_events", NULL, &err);

	assert_non_null(text);
	return text;
}

static void begin(struct uprobes *probes, const char *root, struct run_directory *run)
{
	char *place = xasprintf("%s/run", root);
	struct err err;

	run->fd = -1;
	assert_int_equal(run_directory_open_in(run, place, &err), 0);
	assert_int_equal(uprobes_init(probes, root, "word", run, &err), 0);
	free(place);
}

/* A file stands for the kernel. */
static void probes_are_made_and_each_event_removed_once(void **state)
{
	struct run_directory run;
	struct uprobes probes;
	char root[64], group[UPROBES_GROUP_SIZE], *text, *want;

	(void)state;
	dir_make(root);
	dir_put(root, "uprobe_events", "");
	begin(&probes, root, &run);
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
	assert_int_equal(strlen(probes.group), strlen("pscal_word_") + 16);
	assert_non_null(strstr(run.path, probes.group + strlen("pscal_word_")));
	strcpy(group, probes.group);
	assert_true(uprobes_has(&probes, "enter"));
	assert_true(uprobes_has(&probes, "leave"));
	assert_false(uprobes_has(&probes, "ente"));
	uprobes_release(&probes);
	assert_false(run.kept);
	run_directory_close(&run);
	want = xasprintf("p:%s/enter /bin/a:0x10 block=\\0:u64\n"
			 "p:%s/enter /bin/a:0x20 block=\\1:u64\n"
			 "r:%s/leave /bin/a:0x20 \n"
			 "-:%s/enter\n-:%s/leave\n",
			 group, group, group, group, group);
	text = commands(root);
	assert_string_equal(text, want);
	free(text);
	free(want);
	dir_remove(root);
}

static void only_probes_that_a_recorder_can_have_made_are_removed(void **state)
{
	static const struct {
		const char *group;
		int removed;
	} cases[] = {
		{"pscal_word_0123456789abcdef", 2},
		{"pscal_none_0123456789abcdef", 0},
		{"other_0123456789abcdef", 0},
		{"pscal_/../other_0123456789abcdef", 0},
		{"", 0},
	};
	char root[64], *text;

	(void)state;
	dir_make(root);
	dir_put(root, "uprobe_events", "");
	dir_put(root, "events/pscal_word_0123456789abcdef/one/id", "1\n");
	dir_put(root, "events/pscal_word_0123456789abcdef/two/id", "2\n");
	dir_put(root, "events/other_0123456789abcdef/one/id", "3\n");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (uprobes_undo(root, cases[i].group) != cases[i].removed)
			fail_msg("%s", cases[i].group);
	text = commands(root);
	assert_non_null(strstr(text, "-:pscal_word_0123456789abcdef/one\n"));
	assert_non_null(strstr(text, "-:pscal_word_0123456789abcdef/two\n"));
	assert_null(strstr(text, "other"));
	free(text);
	dir_remove(root);
}

static void the_error_of_the_kernel_is_the_error_of_adding(void **state)
{
	const struct uprobe blank = {.event = "e", .path = "/bin/a b", .argument = ""};
	const struct uprobe plain = {.event = "e", .path = "/bin/a", .argument = ""};
	struct run_directory run;
	struct uprobes probes;
	char root[64];

	(void)state;
	dir_make(root);
	begin(&probes, root, &run);
	assert_int_equal(uprobes_add(&probes, &plain), ENOENT);
	assert_int_equal(uprobes_add(&probes, &blank), EINVAL);
	assert_false(uprobes_has(&probes, "e"));
	uprobes_release(&probes);
	assert_false(run.kept);
	run_directory_close(&run);
	dir_remove(root);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(probes_are_made_and_each_event_removed_once),
	cmocka_unit_test(only_probes_that_a_recorder_can_have_made_are_removed),
	cmocka_unit_test(the_error_of_the_kernel_is_the_error_of_adding),
};

TEST_FILE(tests);
