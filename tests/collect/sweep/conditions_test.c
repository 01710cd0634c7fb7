/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/sweep/conditions.h"

#include "base/err.h"
#include "base/monotonic.h"
#include "collect/collect_dir.h"

#include <unistd.h>

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

static void conditions_of_this_machine_are_one_line_each_and_not_empty(void **state)
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

static void idle_and_waiting_are_not_busy(void **state)
{
	static const struct {
		const char *stat;
		double ticks; /* below 0: unknown */
	} cases[] = {
		{"cpu  100 20 30 90000 5000 4 6 40 7 8\ncpu0 1 2 3 4 5 6 7 8 9 10\n", 200},
		{"cpu  100 20 30 90000 5000 4 6 40\n", 200},
		{"cpu  100 20 30 90000\n", -1},
		{"intr 5\n", -1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double hz = cases[i].ticks > 0 ? (double)sysconf(_SC_CLK_TCK) : 1;
		char root[64];

		dir_make(root);
		assert_close(cpu_busy_s(root), -1, 0);
		dir_put(root, "proc/stat", cases[i].stat);
		assert_close(cpu_busy_s(root), cases[i].ticks / hz, 1e-12);
		dir_remove(root);
	}
}

static void the_use_of_other_programs_is_the_rest(void **state)
{
	static const struct {
		double busy_s, cpu_s, wall_s, others;
	} cases[] = {
		{3, 2, 1, 1},	{3, 2, 2, .5},	{1.98, 2, 1, 0},
		{3, 2, .1, -1}, {-1, 2, 1, -1}, {3, -1, 1, -1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_close(cpu_busy_others(cases[i].busy_s, cases[i].cpu_s, cases[i].wall_s),
			     cases[i].others, 1e-12);
}

/* Half a second of computing makes the machine busy for as long, up to some ticks. */
static void computing_of_this_process_is_counted(void **state)
{
	double before = cpu_busy_s(""), cpu_s = (double)clock() / CLOCKS_PER_SEC;

	(void)state;
	while ((double)clock() / CLOCKS_PER_SEC < cpu_s + .5)
		;
	assert_true(cpu_busy_s("") - before > .4);
}

static void put_core(const char *root, int cpu, const char *name, const char *list)
{
	char path[64];

	snprintf(path, sizeof(path), "cpu%d/topology/%s", cpu, name);
	dir_put(root, path, list);
}

static void one_cpu_of_each_core_comes_first(void **state)
{
	static const struct {
		const char *what;
		const char *name;
		const char *cores[8]; /* of each CPU */
		const char *allowed;
		const char *order;
		size_t core_count;
	} cases[] = {
		{"pairs side by side",
		 "core_cpus_list",
		 {"0-1", "0-1", "2-3", "2-3"},
		 "0-3",
		 "0 2 1 3 ",
		 2},
		{"pairs far apart",
		 "core_cpus_list",
		 {"0,2", "1,3", "0,2", "1,3"},
		 "0-3",
		 "0 1 2 3 ",
		 2},
		{"an old kernel",
		 "thread_siblings_list",
		 {"0-1", "0-1", "2-3", "2-3"},
		 "0-3",
		 "0 2 1 3 ",
		 2},
		{"one thread a core", "core_cpus_list", {"0", "1", "2", "3"}, "0-3", "0 1 2 3 ", 4},
		{"the first of a pair may not be used",
		 "core_cpus_list",
		 {"0-1", "0-1", "2-3", "2-3"},
		 "1-3",
		 "1 2 3 ",
		 2},
		{"four threads a core",
		 "core_cpus_list",
		 {"0-3", "0-3", "0-3", "0-3", "4-7", "4-7", "4-7", "4-7"},
		 "0-7",
		 "0 4 1 5 2 6 3 7 ",
		 2},
		{"big cores and small ones",
		 "core_cpus_list",
		 {"0-1", "0-1", "2", "3"},
		 "0-3",
		 "0 2 3 1 ",
		 3},
		{"nothing is told", "other", {"0-1", "0-1"}, "0-1", "0 1 ", 2},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cpu_mask allowed = {{false}};
		struct cpu_list list, order;
		char root[64], text[64] = "";
		struct err err;

		dir_make(root);
		for (int cpu = 0; cpu < 8 && cases[i].cores[cpu]; cpu++)
			put_core(root, cpu, cases[i].name, cases[i].cores[cpu]);
		assert_int_equal(
			cpu_list_read(&list, file_with(cases[i].allowed, strlen(cases[i].allowed)),
				      &err),
			0);
		for (size_t j = 0; j < list.count; j++)
			allowed.has[list.cpus[j]] = true;
		cpu_order(&order, &allowed, root);
		for (size_t j = 0; j < order.count; j++)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%d ",
				 order.cpus[j]);
		assert_string_equal(text, cases[i].order);
		assert_int_equal(cpu_order_cores(&allowed, root), cases[i].core_count);
		cpu_list_release(&order);
		cpu_list_release(&list);
		dir_remove(root);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_machine_tells_its_conditions),
	cmocka_unit_test(conditions_of_this_machine_are_one_line_each_and_not_empty),
	cmocka_unit_test(the_load_is_that_of_the_last_minute),
	cmocka_unit_test(idle_and_waiting_are_not_busy),
	cmocka_unit_test(the_use_of_other_programs_is_the_rest),
	cmocka_unit_test(computing_of_this_process_is_counted),
	cmocka_unit_test(one_cpu_of_each_core_comes_first),
};

TEST_FILE(tests);
