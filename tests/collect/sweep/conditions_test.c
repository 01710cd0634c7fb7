/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/collect_dir.h"

#include "collect/sweep/conditions.h"

#define CPU "sys/devices/system/cpu/"

static const char *value(const struct conditions *conditions, const char *key)
{
	for (int i = 0; i < conditions->count; i++)
		if (strcmp(conditions->items[i].key, key) == 0)
			return conditions->items[i].value;
	fail_msg("there is no %s", key);
	return NULL;
}

static void a_machine_tells_its_conditions(void **state)
{
	static const struct {
		const char *files[12][2];
		const char *key, *want;
	} cases[] = {
		{{{"proc/cpuinfo", "processor\t: 0\nmodel name\t: AMD EPYC 7763\nflags\t: fpu\n"}},
		 "cpu",
		 "AMD EPYC 7763"},
		{{{"proc/cpuinfo", "processor\t: 0\ncpu\t\t: POWER9, altivec supported\n"}},
		 "cpu",
		 "POWER9, altivec supported"},
		{{{"proc/cpuinfo", "processor\t: 0\nBogoMIPS\t: 50.00\n"}}, "cpu", "unknown"},
		{{{NULL}}, "cpu", "unknown"},
		{{{CPU "online", "0-3\n"}}, "cpus_online", "0-3"},
		{{{NULL}}, "cpus_online", "unknown"},
		{{{CPU "online", "0-3\n"},
		  {CPU "cpu0/topology/core_cpus_list", "0,2\n"},
		  {CPU "cpu1/topology/core_cpus_list", "1,3\n"},
		  {CPU "cpu2/topology/core_cpus_list", "0,2\n"},
		  {CPU "cpu3/topology/core_cpus_list", "1,3\n"}},
		 "cpu_threads",
		 "4 on 2 cores"},
		{{{NULL}}, "cpu_threads", "unknown"},
		{{{"sys/devices/system/node/online", "0-1\n"}}, "numa_nodes", "0-1"},
		{{{CPU "online", "0-1\n"},
		  {CPU "cpu0/cpufreq/scaling_governor", "performance\n"},
		  {CPU "cpu1/cpufreq/scaling_governor", "performance\n"}},
		 "governor",
		 "performance"},
		{{{CPU "online", "0-2\n"},
		  {CPU "cpu0/cpufreq/scaling_governor", "performance\n"},
		  {CPU "cpu1/cpufreq/scaling_governor", "powersave\n"},
		  {CPU "cpu2/cpufreq/scaling_governor", "powersave\n"}},
		 "governor",
		 "mixed"},
		{{{CPU "online", "0-1\n"}, {CPU "cpu0/cpufreq/scaling_governor", "powersave\n"}},
		 "governor",
		 "mixed"},
		{{{CPU "online", "0-1\n"}}, "governor", "unknown"},
		{{{CPU "cpufreq/boost", "1\n"}}, "boost", "on"},
		{{{CPU "cpufreq/boost", "0\n"}}, "boost", "off"},
		{{{CPU "intel_pstate/no_turbo", "1\n"}}, "boost", "off"},
		{{{CPU "intel_pstate/no_turbo", "0\n"}}, "boost", "on"},
		{{{CPU "cpufreq/boost", "perhaps\n"}}, "boost", "unknown"},
		{{{NULL}}, "boost", "unknown"},
		{{{CPU "smt/active", "1\n"}}, "smt", "on"},
		{{{CPU "smt/active", "0\n"}}, "smt", "off"},
		{{{"proc/loadavg", "0.10 1.20 3.04 1/99 1234\n"}}, "load", "0.10 1.20 3.04"},
		{{{NULL}}, "load", "unknown"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct conditions conditions;
		char root[64];

		dir_make(root);
		for (size_t j = 0; j < 12 && cases[i].files[j][0]; j++)
			dir_put(root, cases[i].files[j][0], cases[i].files[j][1]);
		conditions_read(&conditions, root);
		assert_string_equal(value(&conditions, cases[i].key), cases[i].want);
		conditions_release(&conditions);
		dir_remove(root);
	}
}

static void this_machine_has_no_empty_one_and_none_in_two_lines(void **state)
{
	struct conditions conditions;

	(void)state;
	conditions_read(&conditions, "");
	assert_int_equal(conditions.count, 12);
	for (int i = 0; i < conditions.count; i++) {
		assert_true(*conditions.items[i].value != '\0');
		assert_null(strchr(conditions.items[i].value, '\n'));
	}
	conditions_release(&conditions);
}

static void the_load_is_that_of_the_last_minute(void **state)
{
	char root[64];

	(void)state;
	dir_make(root);
	assert_close(conditions_load(root), -1, 0);
	dir_put(root, "proc/loadavg", "0.25 1.20 3.04 1/99 1234\n");
	assert_close(conditions_load(root), .25, 0);
	dir_put(root, "proc/loadavg", "none\n");
	assert_close(conditions_load(root), -1, 0);
	dir_remove(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_machine_tells_its_conditions),
		cmocka_unit_test(this_machine_has_no_empty_one_and_none_in_two_lines),
		cmocka_unit_test(the_load_is_that_of_the_last_minute),
	};

	return RUN_TESTS(tests);
}
