/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include "base/err.h"
#include "base/monotonic.h"
#include "collect/recording/collector.h"
#include "collect/recording/recording.h"
#include "collect/samples/thread_starts.h"
#include "collect/target/lineage.h"

#include <pthread.h>
#include <unistd.h>

static void *wait_at(void *barrier)
{
	pthread_barrier_wait(barrier);
	pthread_barrier_wait(barrier);
	return NULL;
}

/* Passes until no look is due at once; returns how many samples there are then. */
static uint64_t samples_after(struct collector *collector, struct recording *recording, int passes)
{
	struct err err;

	for (int i = 0; i < passes; i++) {
		assert_int_equal(collector->kind->pass(collector, recording, &err), 0);
		usleep(50000);
	}
	return recording->counts.samples;
}

static void each_thread_but_the_first_is_told_once(void **state)
{
	struct lineage lineage = {.proc = "/proc"};
	const struct collector_options options = {.lineage = &lineage};
	struct collector *collector = thread_starts_open(&options, false);
	struct recording recording = {.size = 0}; /* counts what comes, and has no file */
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

static void a_whole_machine_is_not_looked_through(void **state)
{
	struct lineage lineage = {.proc = "/proc", .wide = true};
	const struct collector_options options = {.lineage = &lineage};

	(void)state;
	assert_null(thread_starts_open(&options, false));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(each_thread_but_the_first_is_told_once),
	cmocka_unit_test(a_whole_machine_is_not_looked_through),
};

TEST_FILE(tests);
