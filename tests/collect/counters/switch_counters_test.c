/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/collect_dir.h"

#include "base/err.h"
#include "collect/counters/counters.h"
#include "collect/counters/counters_private.h"
#include "collect/kernel/ring.h"
#include "collect/kernel/tracefs.h"
#include "collect/recording/recording.h"
#include "collect/target/lineage.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

/* A machine whose list of CPUs a test can change; all threads are recorded. */
struct fixture {
	char root[64], path[80];
	struct tracefs tracefs;
	struct lineage lineage;
	struct recording recording;
	struct collector *collector;
};

static void begin(struct fixture *fixture, const char *online)
{
	struct counter_choice choice;
	struct collector_options options = {.lineage = &fixture->lineage};
	struct err err = {.text = ""};

	*fixture = (struct fixture){.tracefs = {.hold = -1}, .lineage = {.wide = true}};
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2 || geteuid() != 0 ||
	    tracefs_open(&fixture->tracefs, NULL, &err))
		skip();
	dir_make(fixture->root);
	dir_put(fixture->root, "online", online);
	snprintf(fixture->path, sizeof(fixture->path), "%s/online", fixture->root);
	options.online = fixture->path;
	options.tracefs = fixture->tracefs.root;
	if (counter_choice_init(&choice, "task-clock,page-faults", false, options.tracefs, &err))
		fail_msg("%s", err.text);
	fixture->collector = switch_counters_open(&options, &choice, &err);
	if (!fixture->collector)
		fail_msg("%s", err.text);
	counter_choice_release(&choice);
	assert_int_equal(fixture->collector->kind->start(fixture->collector, &err), 0);
}

static void end(struct fixture *fixture)
{
	fixture->collector->kind->free(fixture->collector);
	lineage_release(&fixture->lineage);
	recording_drop(&fixture->recording);
	tracefs_close(&fixture->tracefs, NULL);
	dir_remove(fixture->root);
}

static void pass(struct fixture *fixture)
{
	struct collector *collector = fixture->collector;
	struct err err;

	collector->kind->mark(collector);
	assert_int_equal(collector->kind->pass(collector, &fixture->recording, &err), 0);
}

/* Works for some milliseconds on CPU 1, with a sleep, and sets its tid. */
static void *work_there(void *tid)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	cpu_set_t set;

	*(pid_t *)tid = gettid();
	CPU_ZERO(&set);
	CPU_SET(1, &set);
	sched_setaffinity(0, sizeof(set), &set);
	for (int i = 0; i < 10; i++) {
		clock_t until = clock() + CLOCKS_PER_SEC / 1000;

		while (clock() < until)
			;
		nanosleep(&pause, NULL);
	}
	return NULL;
}

/* The first counter, time, of the thread that worked there; 0: unknown. */
static uint64_t time_counted(struct fixture *fixture)
{
	const uint8_t *at, *bytes;
	uint64_t counted = 0;
	pthread_t thread;
	pid_t tid;

	pthread_create(&thread, NULL, work_there, &tid);
	pthread_join(thread, NULL);
	usleep(20000);
	pass(fixture);
	bytes = (const uint8_t *)fixture->recording.bytes;
	for (at = bytes; at < bytes + fixture->recording.size;) {
		const struct perf_event_header *record = (const void *)at;
		const struct read_body *body = (const void *)(record + 1);

		if (record->type == PERF_RECORD_READ && (pid_t)body->tid == tid && !counted)
			counted = body->value;
		at += record->size;
	}
	return counted;
}

static void counts_on_a_cpu_that_comes_online_are_known(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture, "0\n");
	assert_int_equal(time_counted(&fixture), 0);
	dir_put(fixture.root, "online", "0-1\n");
	sleep(1);
	pass(&fixture);
	assert_in_range(time_counted(&fixture), 5000000, 500000000);
	end(&fixture);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(counts_on_a_cpu_that_comes_online_are_known),
};

TEST_FILE(tests);
