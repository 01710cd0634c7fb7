/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/collect_dir.h"

#include "base/err.h"
#include "collect/target/cgroup.h"

static int compare(const void *a, const void *b)
{
	return *(const pid_t *)a - *(const pid_t *)b;
}

static void a_group_has_the_processes_of_all_groups_in_it(void **state)
{
	static const pid_t want[] = {10, 11, 20, 30};
	char root[64];
	struct err err;
	pid_t *pids;
	size_t count;

	(void)state;
	dir_make(root);
	dir_put(root, "cgroup.procs", "1\n2\n");
	dir_put(root, "a/cgroup.procs", "10\n11\n");
	dir_put(root, "a/cgroup.threads", "10\n11\n99\n");
	dir_put(root, "a/b/cgroup.procs", "0\n20\n");
	dir_put(root, "a/b/c/cgroup.procs", "30\n");
	dir_put(root, "other/cgroup.procs", "40\n");
	assert_int_equal(cgroup_pids(&pids, &count, root, "/a", &err), 0);
	assert_int_equal(count, 4);
	qsort(pids, count, sizeof(pids[0]), compare);
	assert_memory_equal(pids, want, sizeof(want));
	free(pids);
	dir_remove(root);
}

static void a_group_without_processes_cannot_be_recorded(void **state)
{
	static const struct {
		const char *path, *sentence;
	} cases[] = {
		{"empty", "there is no process in this control group"},
		{"none", "/none: is no control group"},
	};
	char root[64];

	(void)state;
	dir_make(root);
	dir_put(root, "empty/cgroup.procs", "");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = {""};
		pid_t *pids;
		size_t count;

		assert_int_equal(cgroup_pids(&pids, &count, root, cases[i].path, &err), -1);
		assert_non_null(strstr(err.text, cases[i].sentence));
		assert_null(pids);
	}
	dir_remove(root);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_group_has_the_processes_of_all_groups_in_it),
	cmocka_unit_test(a_group_without_processes_cannot_be_recorded),
};

TEST_FILE(tests);
