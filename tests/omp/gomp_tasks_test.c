/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "omp/gomp.h"

#include "omp/omp_thread.h"
#include "root.h"

#include <stdlib.h>
#include <string.h>

/* A call of GOMP_task by a compiler, with no argument after those of the first version. */
static void create(gomp_body *body, void *data, gomp_copier *copy, long size, long align,
		   bool deferred)
{
	GOMP_task(body, data, copy, size, align, deferred, 0, NULL, 0, NULL);
}

static void in_team(gomp_body *body, void *data)
{
	GOMP_parallel(body, data, 1, 0);
}

/* --- Data ---------------------------------------------------------------------------------- */

enum { LARGEST = 5000, DATA_ALIGN = 4096 };

static struct {
	long size, align;
	bool copies, deferred, in_team;
	int runs, copied, wrong;
	unsigned char *source;
} now;

static void check_data(void *data)
{
	const unsigned char *bytes = data;

	now.runs++;
	now.wrong += (uintptr_t)data % (size_t)now.align != 0;
	for (long i = 0; i < now.size; i++)
		now.wrong += bytes[i] != (unsigned char)(i * 7 + now.size);
}

static void copy_data(void *to, void *from)
{
	now.copied++;
	now.wrong += from != now.source || (uintptr_t)to % (size_t)now.align != 0;
	memcpy(to, from, (size_t)now.size);
}

static void make_task(void *nothing)
{
	(void)nothing;
	for (long i = 0; i < now.size; i++)
		now.source[i] = (unsigned char)(i * 7 + now.size);
	create(check_data, now.source, now.copies ? copy_data : NULL, now.size, now.align,
	       now.deferred);
	if (now.in_team && now.deferred) /* the task has a copy of its data */
		memset(now.source, 0, (size_t)now.size);
	GOMP_taskwait();
}

static void a_task_has_its_data_of_any_size(void **state)
{
	static const long sizes[] = {1, 8, 40, 1000, LARGEST};
	unsigned char *source = aligned_alloc(DATA_ALIGN, 2 * DATA_ALIGN);

	(void)state;
	now.source = source;
	for (unsigned i = 0; i < 5 * 8; i++) {
		for (now.align = 1; now.align <= DATA_ALIGN; now.align *= 2) {
			now.size = sizes[i / 8];
			now.copies = i & 1;
			now.deferred = i & 2;
			now.in_team = i & 4;
			now.runs = now.copied = 0;
			if (now.in_team)
				in_team(make_task, NULL);
			else
				make_task(NULL);
			assert_int_equal(now.runs, 1);
			assert_int_equal(now.copied, now.copies);
			assert_int_equal(now.wrong, 0);
		}
	}
	free(source);
}

static void run_without_data(void *data)
{
	now.runs += !data;
}

static void a_task_may_have_no_data(void **state)
{
	(void)state;
	now.runs = 0;
	create(run_without_data, NULL, NULL, 0, 1, true);
	create(run_without_data, NULL, NULL, 0, 1, false);
	assert_int_equal(now.runs, 2);
}

void omp_fulfill_event(uintptr_t event);

static uintptr_t event;

static void fulfill(void *data)
{
	now.runs++;
	now.wrong += *(uintptr_t *)data != event;
	omp_fulfill_event(event);
}

static void make_with_event(void *nothing)
{
	uintptr_t data[2] = {0, 7};

	(void)nothing;
	now.source = (unsigned char *)data;
	now.size = sizeof(data);
	now.align = _Alignof(uintptr_t);
	GOMP_task(fulfill, data, now.copies ? copy_data : NULL, sizeof(data), now.align,
		  now.deferred, GOMP_FLAG_DETACH, NULL, 0, &event);
	GOMP_taskwait();
}

static void the_event_of_a_task_is_the_first_of_its_data(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		now.copies = i & 1;
		now.deferred = i & 2;
		now.runs = now.wrong = 0;
		in_team(make_with_event, NULL);
		assert_int_equal(now.runs, 1);
		assert_int_equal(now.wrong, 0);
	}
}

/* gcc 4.2 to 4.8 pass seven arguments; the rest is undefined. */
static void a_program_may_pass_only_the_first_arguments(void **state)
{
	typedef void first_version(gomp_body * body, void *data, gomp_copier *copy, long size,
				   long align, bool deferred, unsigned flags);
	union {
		__typeof__(GOMP_task) *now;
		first_version *then;
	} call = {.now = GOMP_task};

	(void)state;
	now.runs = 0;
	call.then(run_without_data, NULL, NULL, 0, 1, true, 0);
	assert_int_equal(now.runs, 1);
}

/* --- Steps --------------------------------------------------------------------------------- */

static void nothing(void *data)
{
	(void)data;
}

static void make_two_and_wait(void *data)
{
	(void)data;
	create(nothing, NULL, NULL, 0, 1, false);
	create(nothing, NULL, NULL, 0, 1, false);
	GOMP_taskwait();
}

static void make_one_later(void *data)
{
	create(nothing, data, NULL, 0, 1, true);
	GOMP_taskwait();
}

/* Runs `body` in a team of one thread; the steps between its begin and end are `steps`. */
static void assert_told(gomp_body *body, const char *steps)
{
	static const char begin[] = "spawn 1.0 begin 2 of 1.0 ",
			  end[] = "end 2 sync_all 1 synced 1 ";

	begin_list();
	in_team(body, NULL);
	assert_int_equal(strncmp(step_list, begin, strlen(begin)), 0);
	assert_string_equal(step_list + step_list_length - strlen(end), end);
	step_list[step_list_length - strlen(end)] = '\0';
	assert_string_equal(step_list + strlen(begin), steps);
}

static void a_task_that_may_not_be_deferred_is_a_call(void **state)
{
	(void)state;
	assert_told(make_two_and_wait,
		    "begin 3 of 2.0 end 3 begin 4 of 2.1 end 4 sync 2 synced 2 ");
}

static void make_final(void *data)
{
	GOMP_task(make_one_later, data, NULL, 0, 1, true, GOMP_FLAG_FINAL, NULL, 0, NULL);
	GOMP_taskwait();
}

static void a_task_of_a_final_task_is_a_call(void **state)
{
	(void)state;
	assert_told(make_final, "spawn 2.0 spawned 2 sync 2 begin 3 of 2.0 begin 4 of 3.0 end 4 "
				"sync 3 synced 3 end 3 synced 2 ");
}

static void a_task_outside_of_regions_is_a_call(void **state)
{
	(void)state;
	begin_list();
	make_one_later(NULL);
	assert_steps("begin 2 of 1.0 end 2 sync 1 synced 1 ");
}

static void a_task_that_is_not_deferred_runs_between_spawn_and_spawned(void **state)
{
	(void)state;
	begin_list();
	omp_self.root.serial = false; /* as in a region with too many tasks */
	create(nothing, NULL, NULL, 0, 1, true);
	assert_steps("spawn 1.0 begin 2 of 1.0 end 2 spawned 1 ");
}

static void a_deferred_task_runs_in_a_thread_that_waits(void **state)
{
	(void)state;
	begin_list();
	in_team(make_one_later, NULL);
	assert_steps("spawn 1.0 begin 2 of 1.0 spawn 2.0 spawned 2 sync 2 begin 3 of 2.0 end 3 "
		     "synced 2 end 2 sync_all 1 synced 1 ");
}

/* --- Loops --------------------------------------------------------------------------------- */

struct loop_data {
	long start, end;
	long *sum;
};

static void add_up(void *data)
{
	const struct loop_data *loop = data;

	for (long i = loop->start; i < loop->end; i++)
		*loop->sum += i;
}

/* The indices are iterations: tasks of 4, 3 and 3. */
static void a_loop_has_the_steps_of_its_tasks(void **state)
{
	enum { NO_GROUP = GOMP_FLAG_NO_GROUP };
	static const struct {
		unsigned flags;
		const char *steps;
	} cases[] = {
		{0, "spawn 1.0 begin 2 of 1.0 end 2 begin 3 of 1.4 end 3 begin 4 of 1.7 end 4 "
		    "spawned 1 sync_all 1 synced 1 "},
		{NO_GROUP, "spawn 1.0 begin 2 of 1.0 end 2 begin 3 of 1.4 end 3 begin 4 of 1.7 "
			   "end 4 spawned 1 "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		long sum = 0;
		struct loop_data data = {.sum = &sum};

		begin_list();
		GOMP_taskloop(add_up, &data, NULL, sizeof(data), _Alignof(struct loop_data),
			      cases[i].flags, 3, 0, 0, 10, 1);
		assert_int_equal(sum, 45);
		assert_steps(cases[i].steps);
		assert_int_equal(omp_self.root.children, 10);
		assert_null(omp_self.root.group);
	}
}

static void a_loop_without_iterations_has_no_steps(void **state)
{
	(void)state;
	begin_list();
	GOMP_taskloop(add_up, NULL, NULL, 0, 1, 0, 3, 0, 10, 10, 1);
	GOMP_taskloop_ull(add_up, NULL, NULL, 0, 1, GOMP_FLAG_UP, 3, 0, 10, 9, 1);
	assert_steps("");
}

static void take_down(void *data)
{
	const struct loop_data *loop = data;

	*loop->sum = *loop->sum * 100 + loop->start;
}

static void a_loop_may_go_down(void **state)
{
	long sum = 0;
	struct loop_data data = {.sum = &sum};

	(void)state;
	begin_list();
	GOMP_taskloop(take_down, &data, NULL, sizeof(data), _Alignof(struct loop_data), 0, 2, 0, 9,
		      -1, -2);
	assert_int_equal(sum, 903);
	assert_non_null(strstr(step_list, "begin 2 of 1.0 end 2 begin 3 of 1.3 end 3"));
	GOMP_taskloop_ull(take_down, &data, NULL, sizeof(data), _Alignof(struct loop_data), 0, 2, 0,
			  9, 1, -2ULL);
	assert_non_null(strstr(step_list, "begin 4 of 1.5 end 4 begin 5 of 1.7 end 5"));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_task_has_its_data_of_any_size),
	cmocka_unit_test(the_event_of_a_task_is_the_first_of_its_data),
	cmocka_unit_test(a_task_may_have_no_data),
	cmocka_unit_test(a_program_may_pass_only_the_first_arguments),
	cmocka_unit_test(a_task_that_may_not_be_deferred_is_a_call),
	cmocka_unit_test(a_task_of_a_final_task_is_a_call),
	cmocka_unit_test(a_task_outside_of_regions_is_a_call),
	cmocka_unit_test(a_task_that_is_not_deferred_runs_between_spawn_and_spawned),
	cmocka_unit_test(a_deferred_task_runs_in_a_thread_that_waits),
	cmocka_unit_test(a_loop_has_the_steps_of_its_tasks),
	cmocka_unit_test(a_loop_without_iterations_has_no_steps),
	cmocka_unit_test(a_loop_may_go_down),
};

TEST_FILE(tests);
