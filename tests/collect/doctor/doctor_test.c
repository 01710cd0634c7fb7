/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/doctor/doctor.h"

#include "collect/collect_dir.h"

#define LONG                                                                 \
	"/kubepods-besteffort-pod0a1b2c3d_4e5f_6a7b_8c9d_0e1f2a3b4c5d.slice" \
	"/cri-containerd-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef.scope"

static void the_least_limit_of_the_groups_around_a_process_is_its_quota(void **state)
{
	static const struct {
		const char *files[4][2];
		double want;
	} cases[] = {
		{{{NULL}}, 0},
		{{{"proc/self/cgroup", "0::/\n"}, {"sys/fs/cgroup/cpu.max", "150000 100000\n"}},
		 1.5},
		{{{"proc/self/cgroup", "0::/a/b\n"},
		  {"sys/fs/cgroup/a/b/cpu.max", "max 100000\n"},
		  {"sys/fs/cgroup/a/cpu.max", "200000 100000\n"}},
		 2},
		{{{"proc/self/cgroup", "0::/a/b\n"},
		  {"sys/fs/cgroup/a/b/cpu.max", "50000 100000\n"},
		  {"sys/fs/cgroup/a/cpu.max", "200000 100000\n"}},
		 0.5},
		{{{"proc/self/cgroup", "0::/a\n"}, {"sys/fs/cgroup/b/cpu.max", "50000 100000\n"}},
		 0},
		{{{"proc/self/cgroup", "0::/a\n"}, {"sys/fs/cgroup/a/cpu.max", "1000 0\n"}}, 0},
		{{{"proc/self/cgroup", "1:cpu:/a\n"}, {"sys/fs/cgroup/a/cpu.max", "1000 100\n"}},
		 0},
		{{{"proc/self/cgroup", "0::" LONG LONG "\n"},
		  {"sys/fs/cgroup" LONG LONG "/cpu.max", "150000 100000\n"}},
		 1.5},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char root[64];

		dir_make(root);
		for (size_t k = 0; k < 4 && cases[i].files[k][0]; k++)
			dir_put(root, cases[i].files[k][0], cases[i].files[k][1]);
		assert_close(doctor_quota(root), cases[i].want, 1e-12);
		dir_remove(root);
	}
}

static void every_fact_has_a_text(void **state)
{
	struct doctor doctor;

	(void)state;
	doctor_examine(&doctor, "");
	assert_true(doctor.count > 8);
	for (int i = 0; i < doctor.count; i++)
		assert_true(*doctor.facts[i].text != '\0');
	doctor_release(&doctor);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_least_limit_of_the_groups_around_a_process_is_its_quota),
	cmocka_unit_test(every_fact_has_a_text),
};

TEST_FILE(tests);
