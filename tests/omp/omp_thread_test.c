/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "omp/omp_thread.h"

#include "root.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const void *const here = (const void *)(uintptr_t)&step_list;

static void *begin_root(void *task)
{
	*(struct omp_task *)task = *omp_thread_task(here);
	return NULL;
}

static void each_thread_has_a_root_of_its_own(void **state)
{
	struct omp_task other;
	pthread_t thread;

	(void)state;
	begin_list();
	assert_int_equal(pthread_create(&thread, NULL, begin_root, &other), 0);
	pthread_join(thread, NULL);
	assert_int_not_equal(other.id, omp_self.root.id);
	assert_int_equal(other.index, omp_self.root.index + 1);
	assert_int_equal(other.parent, PSCAL_NO_TASK);
}

static void *run_region(void *data)
{
	(void)data;
	return omp_thread_task(here);
}

static void *stay_away(void *data)
{
	return data;
}

static pthread_key_t late;

/* The destructor of another library that uses OpenMP, in the next round of destructors. */
static void use_late(void *round)
{
	if (round == &late)
		pthread_setspecific(late, &omp_self);
	else
		omp_task_spawn(omp_thread_task(here), here);
}

static void *leave_late(void *data)
{
	pthread_setspecific(late, &late);
	return run_region(data);
}

static void a_root_ends_with_its_thread(void **state)
{
	static const struct {
		void *(*run)(void *data);
		const char *behind;
	} cases[] = {
		{run_region, "end 2 "},
		{leave_late, "spawn 2.0 end 2 "},
		{stay_away, NULL},
	};

	(void)state;
	assert_int_equal(pthread_key_create(&late, use_late), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		pthread_t thread;
		char want[64];

		begin_list();
		snprintf(want, sizeof(want), "begin 2 of 0.%u %s", omp_self.root.index + 1,
			 cases[i].behind ? cases[i].behind : "");
		assert_int_equal(pthread_create(&thread, NULL, cases[i].run, NULL), 0);
		pthread_join(thread, NULL);
		assert_steps(cases[i].behind ? want : "");
	}
	assert_int_not_equal(omp_self.root.state, OMP_ENDED);
}

static void a_root_begins_once(void **state)
{
	(void)state;
	begin_list();
	assert_ptr_equal(omp_thread_task(here), &omp_self.root);
	assert_ptr_equal(omp_thread_task(here), &omp_self.root);
	assert_steps("");
}

/* The task of the parent continues there, and the child begins with a new root. */
static void the_child_of_a_fork_has_a_root_of_its_own(void **state)
{
	struct omp_task within = {.parent = 1};
	int status;
	pid_t child;

	(void)state;
	begin_list();
	omp_self.task = &within;
	child = fork();
	assert_return_code(child, 0);
	if (child == 0) {
		bool anew = omp_thread_task(here) == &omp_self.root &&
			    strcmp(step_list, "begin 2 of 0.0 ") == 0;

		_exit(anew ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_ptr_equal(omp_thread_task(here), &within);
	omp_self.task = &omp_self.root;
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(each_thread_has_a_root_of_its_own),
	cmocka_unit_test(a_root_begins_once),
	cmocka_unit_test(a_root_ends_with_its_thread),
	cmocka_unit_test(the_child_of_a_fork_has_a_root_of_its_own),
};

TEST_FILE(tests);
