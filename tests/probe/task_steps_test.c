/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/task.h"

#include "base/err.h"
#include "collect/blocks/spool_reader.h"
#include "probe/probe_clock.h"
#include "probe/probe_thread.h"
#include "probe/spool_ends.h"
#include "support.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOT = 1 << 20 };

static struct spool_listener listener;

static int begin_spool(void **state)
{
	(void)state;
	spool_ends_listen(&listener, &(struct plan_header){.tasks = 1});
	probe_settings.link = (struct recorder_link){.path = ""};
	assert_int_equal(recorder_link_open(&probe_settings.link, listener.path), 0);
	probe_settings.first = (struct spool_offer){.clock = probe_clock_choose()};
	probe_settings.every = 1;
	*probe_process = (struct probe_process){.id = (uint32_t)getpid()};
	probe_settings.on = true;
	probe_settings.tasks = TASKS_TOLD;
	probe_self = (struct probe_thread){.until_stack = 0};
	return 0;
}

static int end_spool(void **state)
{
	(void)state;
	if (probe_self.writer.header)
		spool_writer_close(&probe_self.writer);
	probe_settings.on = false;
	probe_settings.tasks = TASKS_NOT;
	spool_listener_close(&listener);
	return 0;
}

static void open_reader(struct spool_reader *reader)
{
	struct spool_arrival arrival = spool_ends_take(&listener, SPOOL_OFFER_THREAD);
	struct err err;

	assert_true(arrival.fd >= 0);
	assert_int_equal(spool_reader_open(reader, &arrival, &err), 0);
	spool_reader_look(reader);
}

/* --- Recorded events ----------------------------------------------------------------------- */

static void each_step_is_recorded_with_its_values(void **state)
{
	static const struct {
		unsigned step, count;
		uint64_t more[2];
	} wanted[] = {
		{PSCAL_STEP_BEGIN, 3, {0, 7}}, {PSCAL_STEP_SPAWN, 2, {4000000000}},
		{PSCAL_STEP_SPAWNED, 1, {0}},  {PSCAL_STEP_SYNC_OF, 2, {4000000000}},
		{PSCAL_STEP_SYNC, 2, {0}},     {PSCAL_STEP_SYNCED, 1, {0}},
		{PSCAL_STEP_SYNC, 2, {1}},     {PSCAL_STEP_SYNCED, 1, {0}},
		{PSCAL_STEP_PAUSE, 1, {0}},    {PSCAL_STEP_RESUME, 1, {0}},
		{PSCAL_STEP_BARRIER, 1, {0}},  {PSCAL_STEP_END, 1, {0}},
	};
	struct spool_reader reader;
	struct spool_event event;

	(void)state;
	PSCAL_TASK_BEGIN(task, PSCAL_NO_TASK, 7);
	PSCAL_SPAWN(task, 4000000000);
	PSCAL_SPAWNED(task);
	PSCAL_SYNC_OF(task, 4000000000);
	PSCAL_SYNC(task);
	PSCAL_SYNCED(task);
	PSCAL_SYNC_ALL(task);
	PSCAL_SYNCED(task);
	PSCAL_PAUSE(task);
	PSCAL_RESUME(task);
	PSCAL_BARRIER(task);
	PSCAL_TASK_END(task);
	open_reader(&reader);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		assert_int_equal(spool_reader_next(&reader, &event, false), 1);
		assert_int_equal(event.kind, SPOOL_TASK);
		assert_int_equal(spool_task_step(event.values[0]), wanted[i].step);
		assert_int_equal(spool_task(event.values[0]), task);
		assert_int_equal(event.count, wanted[i].count);
		for (unsigned k = 1; k < event.count; k++)
			assert_int_equal(event.values[k], wanted[i].more[k - 1]);
	}
	assert_int_equal(spool_reader_next(&reader, &event, false), 0);
	spool_reader_close(&reader);
}

static void a_child_names_its_parent(void **state)
{
	struct spool_reader reader;
	struct spool_event event;

	(void)state;
	PSCAL_TASK_BEGIN(parent, PSCAL_NO_TASK, 0);
	PSCAL_TASK_BEGIN(child, parent, 200);
	assert_int_not_equal(parent, child);
	open_reader(&reader);
	assert_int_equal(spool_reader_next(&reader, &event, false), 1);
	assert_int_equal(spool_reader_next(&reader, &event, false), 1);
	assert_int_equal(spool_task(event.values[0]), child);
	assert_int_equal(event.values[1], parent);
	assert_int_equal(event.values[2], 200);
	spool_reader_close(&reader);
}

static void steps_without_a_task_are_not_recorded(void **state)
{
	struct spool_reader reader;
	struct spool_event event;

	(void)state;
	PSCAL_SPAWN(PSCAL_NO_TASK, 0);
	PSCAL_SPAWNED(PSCAL_NO_TASK);
	PSCAL_TASK_BEGIN(task, PSCAL_NO_TASK, 0);
	open_reader(&reader);
	assert_int_equal(spool_reader_next(&reader, &event, false), 1);
	assert_int_equal(spool_task(event.values[0]), task);
	assert_int_equal(spool_reader_next(&reader, &event, false), 0);
	spool_reader_close(&reader);
}

static void without_a_request_for_tasks_no_step_is_recorded(void **state)
{
	(void)state;
	probe_settings.tasks = TASKS_NOT;
	PSCAL_TASK_BEGIN(task, PSCAL_NO_TASK, 0);
	PSCAL_TASK_END(task);
	assert_int_equal(task, PSCAL_NO_TASK);
	assert_null(probe_self.writer.header);
}

/* The time between two steps belongs to neither. */
static void time_is_read_at_the_inner_ends(void **state)
{
	enum spool_clock clock = probe_clock_choose();
	uint64_t before, begun, ending, after;
	struct spool_reader reader;
	struct spool_event event;

	(void)state;
	before = probe_clock_read(clock);
	PSCAL_TASK_BEGIN(task, PSCAL_NO_TASK, 0); /* makes the file, which takes long */
	begun = probe_clock_read(clock);
	ending = probe_clock_read(clock);
	PSCAL_TASK_END(task);
	after = probe_clock_read(clock);
	open_reader(&reader);
	assert_int_equal(spool_reader_next(&reader, &event, false), 1);
	assert_true(begun - event.time < (begun - before) / 4);
	assert_int_equal(spool_reader_next(&reader, &event, false), 1);
	assert_in_range(event.time, ending, after);
	spool_reader_close(&reader);
}

/* --- Names --------------------------------------------------------------------------------- */

static void assert_name(const void *site, const char *name)
{
	struct spool_arrival arrival = spool_ends_take(&listener, SPOOL_OFFER_CHILD);
	char notes[4000], want[2000];

	assert_true(arrival.fd >= 0);
	spool_ends_notes(notes, sizeof(notes), arrival.fd);
	close(arrival.fd);
	snprintf(want, sizeof(want), "n%lu %s\n", (unsigned long)(uintptr_t)site, name);
	assert_non_null(strstr(notes, want));
}

static void a_site_is_named_by_its_function_file_and_line(void **state)
{
	static struct pscal_site site = {"work", "src/work.c", 12, 0};

	(void)state;
	pscal_task_step(&site, PSCAL_STEP_BEGIN, PSCAL_NO_TASK, 0);
	assert_name(&site, "work src/work.c:12");
}

static void a_long_path_keeps_its_end(void **state)
{
	static char function[5000], file[5000], want[5000];
	static struct pscal_site site = {function, file, UINT32_MAX, 0};

	(void)state;
	memset(function, 'f', sizeof(function) - 1);
	memset(file, '/', sizeof(file) - 1);
	strcpy(file + sizeof(file) - sizeof("work.c"), "work.c");
	pscal_task_step(&site, PSCAL_STEP_BEGIN, PSCAL_NO_TASK, 0);
	snprintf(want, sizeof(want), "%.206s %s:4294967295", function,
		 file + sizeof(file) - 1 - 256);
	assert_name(&site, want);
}

static void a_step_of_unknown_code_has_no_name(void **state)
{
	struct spool_arrival arrival;
	struct spool_reader reader;
	struct spool_event event;

	(void)state;
	pscal_task_step_at((char *)(uintptr_t)a_step_of_unknown_code_has_no_name + 1,
			   PSCAL_STEP_BEGIN, PSCAL_NO_TASK, 0);
	open_reader(&reader);
	assert_int_equal(spool_reader_next(&reader, &event, false), 1);
	assert_int_equal(event.block, (uintptr_t)a_step_of_unknown_code_has_no_name + 1);
	spool_reader_close(&reader);
	arrival = spool_ends_take(&listener, SPOOL_OFFER_CHILD);
	assert_int_equal(arrival.fd, -1);
}

/* --- Numbers ------------------------------------------------------------------------------- */

enum { THREADS = 4, TASKS = LOT + 100 };

static void *take_numbers(void *context)
{
	static struct pscal_site site = {"work", "src/work.c", 12, 0};
	uint32_t *numbers = context;

	/* No file, as there is no reader; but tasks have numbers. */
	for (int i = 0; i < TASKS; i++)
		numbers[i] = (uint32_t)pscal_task_step(&site, PSCAL_STEP_BEGIN, PSCAL_NO_TASK, 0);
	return NULL;
}

static int compare(const void *a, const void *b)
{
	uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;

	return (one > other) - (one < other);
}

/* Each thread takes more numbers than a lot has. */
static void no_two_tasks_have_the_same_number(void **state)
{
	uint32_t *numbers = calloc(THREADS * TASKS, sizeof(*numbers));
	pthread_t threads[THREADS];

	(void)state;
	spool_listener_tell(&listener, 0, true);
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(
			pthread_create(&threads[i], NULL, take_numbers, numbers + i * TASKS), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	qsort(numbers, THREADS * TASKS, sizeof(*numbers), compare);
	assert_int_not_equal(numbers[0], PSCAL_NO_TASK);
	for (size_t i = 1; i < (size_t)THREADS * TASKS; i++)
		assert_int_not_equal(numbers[i - 1], numbers[i]);
	free(numbers);
}

/* The child may continue the tasks of its parent, and begins new ones. */
static void the_child_of_a_fork_does_not_use_a_number_again(void **state)
{
	static struct pscal_site site = {"work", "src/work.c", 12, 0};
	pscal_task own, last = 0;
	int status;
	pid_t child;

	(void)state;
	own = pscal_task_step(&site, PSCAL_STEP_BEGIN, PSCAL_NO_TASK, 0);
	child = fork();
	if (child == 0) {
		probe_process->id = (uint32_t)getpid();
		for (int i = 0; i < LOT + 10; i++) {
			pscal_task next =
				pscal_task_step(&site, PSCAL_STEP_BEGIN, PSCAL_NO_TASK, 0);

			if (next <= own || next <= last)
				_exit(1);
			last = next;
		}
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* Between the last number of a lot and the first one of the next: the handler sees 0 numbers
 * left. */
static void a_signal_handler_does_not_use_a_number_of_another_threads_lot(void **state)
{
	static struct pscal_site site = {"work", "src/work.c", 12, 0};
	pscal_task before = pscal_task_step(&site, PSCAL_STEP_BEGIN, PSCAL_NO_TASK, 0), within;

	(void)state;
	probe_self.next_task = 1;
	within = pscal_task_step(&site, PSCAL_STEP_BEGIN, PSCAL_NO_TASK, 0);
	assert_true(within / LOT > before / LOT);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(each_step_is_recorded_with_its_values, begin_spool,
					end_spool),
	cmocka_unit_test_setup_teardown(a_child_names_its_parent, begin_spool, end_spool),
	cmocka_unit_test_setup_teardown(steps_without_a_task_are_not_recorded, begin_spool,
					end_spool),
	cmocka_unit_test_setup_teardown(without_a_request_for_tasks_no_step_is_recorded,
					begin_spool, end_spool),
	cmocka_unit_test_setup_teardown(time_is_read_at_the_inner_ends, begin_spool, end_spool),
	cmocka_unit_test_setup_teardown(a_site_is_named_by_its_function_file_and_line, begin_spool,
					end_spool),
	cmocka_unit_test_setup_teardown(a_long_path_keeps_its_end, begin_spool, end_spool),
	cmocka_unit_test_setup_teardown(a_step_of_unknown_code_has_no_name, begin_spool, end_spool),
	cmocka_unit_test_setup_teardown(no_two_tasks_have_the_same_number, begin_spool, end_spool),
	cmocka_unit_test_setup_teardown(the_child_of_a_fork_does_not_use_a_number_again,
					begin_spool, end_spool),
	cmocka_unit_test_setup_teardown(
		a_signal_handler_does_not_use_a_number_of_another_threads_lot, begin_spool,
		end_spool),
};

TEST_FILE(tests);
