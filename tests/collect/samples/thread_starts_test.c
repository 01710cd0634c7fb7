/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include "base/err.h"
#include "base/monotonic.h"
#include "collect/recording/collector.h"
#include "collect/recording/recording.h"
#include "collect/samples/thread_starts.h"
#include "collect/target/lineage.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static void *wait_at(void *barrier)
{
	pthread_barrier_wait(barrier);
	pthread_barrier_wait(barrier);
	return NULL;
}

static void *wait_for_end(void *fd)
{
	char byte;

	while (read(*(int *)fd, &byte, 1) > 0)
		;
	return NULL;
}

/* Runs passes until none is due at once; returns the number of samples then. */
static uint64_t samples_after(struct collector *collector, struct recording *recording, int passes)
{
	struct err err;

	for (int i = 0; i < passes; i++) {
		assert_int_equal(collector->kind->pass(collector, recording, &err), 0);
		usleep(50000);
	}
	return recording->counts.samples;
}

static void each_thread_but_the_first_is_recorded_once(void **state)
{
	struct lineage lineage = {.proc = "/proc"};
	const struct collector_options options = {.lineage = &lineage};
	struct collector *collector = thread_starts_open(&options, false);
	struct recording recording = {.size = 0}; /* counts its records, and has no file */
	pthread_barrier_t barrier;
	pthread_t threads[3];

	(void)state;
	if (!collector)
		skip();
	lineage_give_process(&lineage, getpid(), monotonic_ns());
	assert_int_equal(samples_after(collector, &recording, 1), 0);
	pthread_barrier_init(&barrier, NULL, 4);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, wait_at, &barrier);
	pthread_barrier_wait(&barrier);
	assert_int_equal(samples_after(collector, &recording, 2), 3);
	assert_int_equal(samples_after(collector, &recording, 3), 3);
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&barrier);
	collector->kind->free(collector);
	recording_drop(&recording);
	lineage_release(&lineage);
}

/* Starts a process of two threads, which ends when `end` is closed. */
static pid_t start_as(uid_t user, int *end)
{
	int ready[2], until[2];
	pthread_t thread;
	pid_t child;
	char byte = 0;

	assert_int_equal(pipe(ready) | pipe(until), 0);
	child = fork();
	if (!child) {
		close(until[1]);
		if (setresuid(user, user, user) ||
		    pthread_create(&thread, NULL, wait_for_end, &until[0]) ||
		    write(ready[1], &byte, 1) != 1)
			_exit(1);
		_exit(read(until[0], &byte, 1) != 0);
	}
	close(until[0]);
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	*end = until[1];
	return child;
}

/* The owner could delay root's recorder: by a file of FUSE, or userfaultfd. */
static void memory_of_another_user_is_not_read(void **state)
{
	static const struct {
		uid_t user;
		uint64_t samples;
	} cases[] = {{0, 1}, {65534, 0}};

	(void)state;
	if (geteuid() != 0)
		skip();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct lineage lineage = {.proc = "/proc"};
		const struct collector_options options = {.lineage = &lineage};
		struct collector *collector = thread_starts_open(&options, false);
		struct recording recording = {.size = 0};
		pid_t child;
		int end;

		if (!collector)
			skip();
		child = start_as(cases[i].user, &end);
		lineage_give_process(&lineage, child, monotonic_ns());
		assert_int_equal(samples_after(collector, &recording, 3), cases[i].samples);
		close(end);
		assert_int_equal(waitpid(child, NULL, 0), child);
		collector->kind->free(collector);
		recording_drop(&recording);
		lineage_release(&lineage);
	}
}

static void a_whole_machine_is_not_looked_through(void **state)
{
	struct lineage lineage = {.proc = "/proc", .wide = true};
	const struct collector_options options = {.lineage = &lineage};

	(void)state;
	assert_null(thread_starts_open(&options, false));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(each_thread_but_the_first_is_recorded_once),
	cmocka_unit_test(memory_of_another_user_is_not_read),
	cmocka_unit_test(a_whole_machine_is_not_looked_through),
};

TEST_FILE(tests);
