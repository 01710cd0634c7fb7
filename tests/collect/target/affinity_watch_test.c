/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/target/affinity_watch.h"

#include "support.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct cpu_mask own_mask(void)
{
	struct cpu_mask mask = {{false}};

	assert_int_equal(cpu_mask_add_affinity(&mask, 0), 0);
	return mask;
}

static int first_cpu(const struct cpu_mask *mask)
{
	int cpu = 0;

	while (!mask->has[cpu])
		cpu++;
	return cpu;
}

static void stay_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* Another thread, which pins itself, says so, and stays until it is told to go. */
struct pinned {
	int cpu;
	int said[2], told[2];
};

static void *be_pinned(void *argument)
{
	struct pinned *pinned = argument;
	char byte = 0;

	stay_on(pinned->cpu);
	return write(pinned->said[1], &byte, 1) + read(pinned->told[0], &byte, 1) == 2 ? pinned
										       : NULL;
}

static void the_only_thread_counts_with_what_it_has_at_its_end(void **state)
{
	struct cpu_mask before = own_mask(), wanted = {{false}};
	struct affinity_watch watch;
	pid_t child = fork();
	siginfo_t info;

	(void)state;
	if (!child) {
		stay_on(first_cpu(&before));
		_exit(0);
	}
	wanted.has[first_cpu(&before)] = true;
	affinity_watch_begin(&watch, child, 0);
	affinity_watch_look(&watch, UINT64_MAX / 2, "/proc");
	assert_true(cpu_mask_is_empty(&watch.mask));
	assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	affinity_watch_end(&watch);
	assert_memory_equal(&watch.mask, &wanted, sizeof(wanted));
	assert_int_equal(waitpid(child, NULL, 0), child);
}

static void several_threads_count_together(void **state)
{
	struct cpu_mask before = own_mask(), rest = before, wanted = {{false}};
	struct pinned pinned = {.cpu = first_cpu(&before)};
	struct affinity_watch watch;
	cpu_set_t saved;
	pthread_t thread;
	void *result;
	char byte;

	(void)state;
	rest.has[pinned.cpu] = false; /* this one takes another CPU, if there is one */
	wanted.has[pinned.cpu] = true;
	assert_int_equal(sched_getaffinity(0, sizeof(saved), &saved), 0);
	assert_int_equal(pipe(pinned.said) | pipe(pinned.told), 0);
	assert_int_equal(pthread_create(&thread, NULL, be_pinned, &pinned), 0);
	assert_int_equal(read(pinned.said[0], &byte, 1), 1);
	if (!cpu_mask_is_empty(&rest)) {
		stay_on(first_cpu(&rest));
		wanted.has[first_cpu(&rest)] = true;
	}
	affinity_watch_begin(&watch, getpid(), 0);
	affinity_watch_look(&watch, UINT64_MAX / 2, "/proc");
	affinity_watch_end(&watch);
	sched_setaffinity(0, sizeof(saved), &saved);
	assert_int_equal(write(pinned.told[1], &byte, 1), 1);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_non_null(result);
	assert_true(watch.several);
	assert_memory_equal(&watch.mask, &wanted, sizeof(wanted));
	for (int i = 0; i < 2; i++)
		assert_int_equal(close(pinned.said[i]) | close(pinned.told[i]), 0);
}

static void it_looks_often_at_first_and_then_ever_less_down_to_once_a_second(void **state)
{
	struct affinity_watch watch;
	uint64_t now_ns = 1000, looks = 0;

	(void)state;
	affinity_watch_begin(&watch, getpid(), now_ns);
	affinity_watch_look(&watch, now_ns, "/proc");
	assert_int_equal(watch.next_ns, now_ns + 5000000); /* it was too early */
	for (; now_ns < 10000000000; now_ns = watch.next_ns, looks++)
		affinity_watch_look(&watch, watch.next_ns, "/proc");
	assert_int_equal(looks, 16); /* at 5, 15, 35, ... 635 ms, then 1635, ... 9635 */
	assert_int_equal(watch.step_ns, 1000000000);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_only_thread_counts_with_what_it_has_at_its_end),
	cmocka_unit_test(several_threads_count_together),
	cmocka_unit_test(it_looks_often_at_first_and_then_ever_less_down_to_once_a_second),
};

TEST_FILE(tests);
