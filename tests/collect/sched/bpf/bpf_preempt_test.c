/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include "collect/sched/bpf/bpf_private.h"

#include <bpf/btf.h>

/* The types that a kernel describes. Its members are 8 bytes apart. */
enum kernel {
	GROUPS = 1,		   /* a thread has a pointer to its queue */
	COUNT_IN_INFO = 2,	   /* as on arm64, in an unnamed union */
	COUNT_OF_CPU = 4,	   /* as on x86 ... */
	COUNT_IN_HOT = 8,	   /* ... and from 6.2 to 6.14 */
	QUEUES = 16,		   /* runqueues */
	QUEUES_ELSEWHERE = 32,	   /* ... in a section of their own */
	INFO_ELSEWHERE = 64,	   /* thread_info is not in task_struct */
	COUNT_IN_HOT_UNUSED = 128, /* pcpu_hot is described, but there is no variable of it */
};

static int add_struct(struct btf *btf, const char *name, const char *const *members,
		      const int *types)
{
	int id = btf__add_struct(btf, name, 64);

	for (unsigned i = 0; members[i]; i++)
		assert_int_equal(btf__add_field(btf, members[i], types[i], i * 64, 0), 0);
	return id;
}

/* A type with an unnamed union, 16 bytes from its begin, which has a struct with `member`. */
static int add_nested(struct btf *btf, const char *name, const char *member, int number)
{
	const int inner = add_struct(btf, NULL, (const char *const[]){"first", member, NULL},
				     (const int[]){number, number});
	int outer;
	const int both = btf__add_union(btf, NULL, 64);

	assert_int_equal(btf__add_field(btf, NULL, inner, 0, 0), 0);
	outer = btf__add_struct(btf, name, 64);
	assert_int_equal(btf__add_field(btf, "flags", number, 0, 0), 0);
	assert_int_equal(btf__add_field(btf, "syscall_work", number, 64, 0), 0);
	assert_int_equal(btf__add_field(btf, NULL, both, 128, 0), 0);
	return outer;
}

static void add_thread(struct btf *btf, unsigned kernel, int number)
{
	const char *const of_info[] = {"flags", "cpu", NULL};
	const int plain[] = {number, number};
	const int info = kernel & COUNT_IN_INFO
				 ? add_nested(btf, "thread_info", "preempt_count", number)
				 : add_struct(btf, "thread_info", of_info, plain);
	const char *const of_queue[] = {"load", kernel & GROUPS ? "rq" : NULL, NULL};
	const char *const of_entity[] = {"load", kernel & GROUPS ? "cfs_rq" : NULL, NULL};
	const char *const of_task[] = {"se", kernel & INFO_ELSEWHERE ? NULL : "thread_info", NULL};
	int entity;

	add_struct(btf, "cfs_rq", of_queue, plain);
	entity = add_struct(btf, "sched_entity", of_entity, plain);
	add_struct(btf, "task_struct", of_task, (const int[]){entity, info});
}

static void add_variables(struct btf *btf, unsigned kernel, int number)
{
	int hot = 0, of_hot = 0, count, queues;

	if (kernel & (COUNT_IN_HOT | COUNT_IN_HOT_UNUSED))
		hot = add_nested(btf, "pcpu_hot", "preempt_count", number);
	if (kernel & COUNT_IN_HOT)
		of_hot = btf__add_var(btf, "pcpu_hot", BTF_VAR_GLOBAL_ALLOCATED, hot);
	count = btf__add_var(btf, "__preempt_count", BTF_VAR_GLOBAL_ALLOCATED, number);
	queues = btf__add_var(btf, "runqueues", BTF_VAR_GLOBAL_ALLOCATED, number);

	btf__add_datasec(btf, ".data..percpu", 0x2000);
	if (kernel & COUNT_OF_CPU)
		btf__add_datasec_var_info(btf, count, 0x110, 4);
	if (of_hot)
		btf__add_datasec_var_info(btf, of_hot, 0x140, 64);
	if (kernel & QUEUES_ELSEWHERE)
		btf__add_datasec(btf, ".data", 0x2000);
	if (kernel & (QUEUES | QUEUES_ELSEWHERE))
		btf__add_datasec_var_info(btf, queues, 0x1000, 4);
}

static void the_distance_is_that_of_the_kernels_types(void **state)
{
	static const struct {
		unsigned kernel;
		bool known;
		int64_t from_queue;
	} cases[] = {
		{GROUPS | COUNT_OF_CPU | QUEUES, true, 0x110 - 0x1000},
		{GROUPS | COUNT_IN_HOT | QUEUES, true, 0x140 + 16 + 8 - 0x1000},
		{GROUPS | COUNT_IN_INFO, true, 0},
		{COUNT_IN_INFO, true, 0},
		/* The distance must not be guessed in these cases: */
		{GROUPS | COUNT_IN_INFO | INFO_ELSEWHERE | QUEUES, false, 0},
		{COUNT_OF_CPU | QUEUES, false, 0},
		{GROUPS | COUNT_OF_CPU, false, 0},
		{GROUPS | COUNT_OF_CPU | QUEUES_ELSEWHERE, false, 0},
		{GROUPS | COUNT_IN_HOT_UNUSED | QUEUES, false, 0},
		{GROUPS | QUEUES, false, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct btf *btf = btf__new_empty();
		int number = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
		struct bpf_preempt found;

		add_thread(btf, cases[i].kernel, number);
		add_variables(btf, cases[i].kernel, number);
		found = bpf_preempt_find(btf);
		if (found.known != cases[i].known || found.from_queue != cases[i].from_queue)
			fail_msg("case %zu: %d %lld", i, found.known, (long long)found.from_queue);
		btf__free(btf);
	}
}

static void a_kernel_that_describes_nothing_is_not_known(void **state)
{
	struct btf *btf = btf__new_empty();

	(void)state;
	assert_false(bpf_preempt_find(btf).known);
	btf__free(btf);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_distance_is_that_of_the_kernels_types),
	cmocka_unit_test(a_kernel_that_describes_nothing_is_not_known),
};

TEST_FILE(tests);
