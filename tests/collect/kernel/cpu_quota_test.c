/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/kernel/proc_stat.h"

#include "collect/collect_dir.h"

#include <stdio.h>
#include <string.h>

#define V1_MOUNT                                                            \
	"22 1 0:20 / /proc rw - proc proc rw\n"                             \
	"31 23 0:27 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n" \
	"32 23 0:28 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
#define V2_MOUNT "40 23 0:30 / /cgroups rw,nosuid shared:4 master:1 - cgroup2 cgroup2 rw\n"

static void the_group_of_a_task_is_found_in_either_version(void **state)
{
	static const struct {
		const char *what, *files[5][2];
		uint64_t quota_ns, period_ns;
		const char *group; /* NULL: no limit */
	} cases[] = {
		{"nothing", {{NULL}}, 0, 0, NULL},
		{"a limit of version 2",
		 {{"proc/7/cgroup", "0::/a\n"},
		  {"proc/self/mountinfo", V2_MOUNT},
		  {"cgroups/a/cpu.max", "150000 100000\n"}},
		 150000000,
		 100000000,
		 "/cgroups/a"},
		{"no limit",
		 {{"proc/7/cgroup", "0::/a\n"}, {"cgroups/a/cpu.max", "max 100000\n"}},
		 0,
		 0,
		 NULL},
		{"a limit around it",
		 {{"proc/7/cgroup", "0::/a/b\n"},
		  {"proc/self/mountinfo", V2_MOUNT},
		  {"cgroups/a/cpu.max", "20000 10000\n"},
		  {"cgroups/a/b/cpu.max", "max 100000\n"}},
		 20000000,
		 10000000,
		 "/cgroups/a"},
		{"the tightest of two",
		 {{"proc/7/cgroup", "0::/a/b\n"},
		  {"proc/self/mountinfo", V2_MOUNT},
		  {"cgroups/a/cpu.max", "20000 10000\n"},
		  {"cgroups/a/b/cpu.max", "190000 100000\n"}},
		 190000000,
		 100000000,
		 "/cgroups/a/b"},
		{"a limit of version 1, beside a group of version 2",
		 {{"proc/7/cgroup", "9:cpuset:/x\n4:cpu,cpuacct:/a\n0::/b\n"},
		  {"proc/self/mountinfo", V2_MOUNT V1_MOUNT},
		  {"sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "50000\n"},
		  {"sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n"},
		  {"cgroups/b/cpu.max", "1000 100000\n"}},
		 50000000,
		 100000000,
		 "/sys/fs/cgroup/cpu,cpuacct/a"},
		{"none of version 1",
		 {{"proc/7/cgroup", "4:cpu,cpuacct:/\n"},
		  {"proc/self/mountinfo", V1_MOUNT},
		  {"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n"},
		  {"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"}},
		 0,
		 0,
		 NULL},
		/* A container sees its own group as the top of the hierarchy. */
		{"a group that is mounted as the top",
		 {{"proc/7/cgroup", "4:cpu:/docker/5\n"},
		  {"proc/self/mountinfo", "1 2 0:1 /docker/5 /cpu rw - cgroup cgroup rw,cpu\n"},
		  {"cpu/cpu.cfs_quota_us", "50000\n"},
		  {"cpu/cpu.cfs_period_us", "100000\n"}},
		 50000000,
		 100000000,
		 "/cpu"},
		{"a group above what can be seen",
		 {{"proc/7/cgroup", "0::/../x\n"},
		  {"proc/self/mountinfo", V2_MOUNT},
		  {"cgroups/cpu.max", "50000 100000\n"}},
		 50000000,
		 100000000,
		 "/cgroups"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cpu_quota quota;
		char root[64];
		int rc;

		dir_make(root);
		for (size_t k = 0; k < 5 && cases[i].files[k][0]; k++)
			dir_put(root, cases[i].files[k][0], cases[i].files[k][1]);
		rc = cpu_quota_find(&quota, root, 7);
		if (rc != (cases[i].group ? 0 : -1) || quota.quota_ns != cases[i].quota_ns ||
		    (!rc && (quota.period_ns != cases[i].period_ns ||
			     strcmp(quota.group + strlen(root), cases[i].group) != 0)))
			fail_msg("%s: %d, %s", cases[i].what, rc, quota.group);
		dir_remove(root);
	}
}

static void statistics_of_a_group_tell_its_use_of_the_quota(void **state)
{
	static const struct {
		const char *files[2][2];
		int rc;
		struct cpu_quota_use use;
	} cases[] = {
		{{{"cpu.stat", "usage_usec 700\nuser_usec 500\nnr_periods 40\nnr_throttled 12\n"
			       "throttled_usec 31\n"}},
		 0,
		 {40, 12, 31000, 700000}},
		{{{"cpu.stat", "nr_periods 40\nnr_throttled 12\nthrottled_time 31000\n"},
		  {"cpuacct.usage", "700000\n"}},
		 0,
		 {40, 12, 31000, 700000}},
		{{{"cpu.stat", "nr_periods 1\nnr_throttled 0\nthrottled_time 0\n"}},
		 0,
		 {1, 0, 0, 0}},
		{{{NULL}}, -1, {0, 0, 0, 0}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cpu_quota_use use;
		char root[64];

		dir_make(root);
		for (size_t k = 0; k < 2 && cases[i].files[k][0]; k++)
			dir_put(root, cases[i].files[k][0], cases[i].files[k][1]);
		assert_int_equal(cpu_quota_use(&use, root), cases[i].rc);
		assert_memory_equal(&use, &cases[i].use, sizeof(use));
		dir_remove(root);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_group_of_a_task_is_found_in_either_version),
	cmocka_unit_test(statistics_of_a_group_tell_its_use_of_the_quota),
};

TEST_FILE(tests);
