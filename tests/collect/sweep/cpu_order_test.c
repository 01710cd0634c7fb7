/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/collect_dir.h"

#include "base/err.h"
#include "collect/sweep/cpu_order.h"

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
		assert_int_equal(cpu_list_parse(&list, cases[i].allowed, &err), 0);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_cpu_of_each_core_comes_first),
	};

	return RUN_TESTS(tests);
}
