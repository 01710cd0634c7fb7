/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include "collect/recording/tally.h"
#include "collect/target/lineage.h"
#include "collect/target/target.h"

#include <stdlib.h>
#include <string.h>

/* As much of a record as is looked at. */
union record {
	struct perf_event_header header;
	uint64_t words[8];
};

static union record forked(uint32_t pid, uint32_t ppid, uint32_t tid, uint32_t ptid)
{
	const uint32_t body[4] = {pid, ppid, tid, ptid};
	union record record = {.header = {.type = PERF_RECORD_FORK, .size = 32}};

	memcpy(&record.words[1], body, sizeof(body));
	record.words[3] = 1000; /* when */
	return record;
}

static void add_fork_of(struct tally *tally, uint32_t pid, uint32_t ppid, uint32_t tid,
			uint32_t ptid)
{
	union record record = forked(pid, ppid, tid, ptid);

	tally_record(tally, &record.header);
}

static void what_threads_of_a_name_create_has_it_too(void **state)
{
	static const struct target_spec spec = {.comm = "b"};
	struct target_thread threads[] = {
		{0, 10, 10, 1, 'S', "a"}, {0, 10, 11, 1, 'S', "b"}, {0, 20, 20, 1, 'S', "b"}};
	struct target *target = calloc(1, sizeof(*target));
	union record before = forked(21, 20, 21, 20);
	struct tally tally = {0};

	(void)state;
	*target = (struct target){.spec = &spec, .threads = threads, .thread_count = 3};
	tally_target(&tally, target, NULL);
	assert_int_equal(tally_threads(&tally), 2);
	add_fork_of(&tally, 10, 10, 12, 10);
	add_fork_of(&tally, 10, 10, 13, 11);
	add_fork_of(&tally, 40, 20, 40, 20);
	add_fork_of(&tally, 40, 20, 40, 20); /* another one with its number */
	before.words[3] = 0;		     /* of one that existed before */
	tally_record(&tally, &before.header);
	assert_int_equal(tally_threads(&tally), 5);
	tally_release(&tally);
	free(target);
}

static void else_threads_are_counted_by_descent(void **state)
{
	static const struct target_spec spec = {.all = true};
	struct lineage lineage = {.threads = 7};
	struct target *target = calloc(1, sizeof(*target));
	struct tally tally = {0};

	(void)state;
	target->spec = &spec;
	tally_target(&tally, target, &lineage);
	add_fork_of(&tally, 10, 10, 12, 10);
	assert_int_equal(tally_threads(&tally), 7);
	tally_release(&tally);
	free(target);
}

static void a_thread_joins_when_it_gets_the_name(void **state)
{
	static const struct target_spec spec = {.comm = "work"};
	union record record = {.words = {[1] = 10 | UINT64_C(12) << 32}};
	struct target *target = calloc(1, sizeof(*target));
	struct tally tally = {0};

	(void)state;
	target->spec = &spec;
	tally_target(&tally, target, NULL);
	record.header = (struct perf_event_header){.type = PERF_RECORD_COMM, .size = 40};
	strcpy((char *)&record.words[2], "worker");
	tally_record(&tally, &record.header);
	assert_int_equal(tally_threads(&tally), 0);
	strcpy((char *)&record.words[2], "work");
	tally_record(&tally, &record.header);
	tally_record(&tally, &record.header);
	assert_int_equal(tally_threads(&tally), 1);
	tally_release(&tally);
	free(target);
}

static void samples_and_losses_add_up(void **state)
{
	const union record sample = {.header = {.type = PERF_RECORD_SAMPLE, .size = 64}};
	const union record lost = {.words = {[0] = 0, [1] = 77 /* id */, [2] = 5}};
	union record record = lost;
	struct tally tally = {0};

	(void)state;
	record.header = (struct perf_event_header){.type = PERF_RECORD_LOST, .size = 24};
	tally_record(&tally, &sample.header);
	tally_record(&tally, &record.header);
	tally_record(&tally, &sample.header);
	record.header.type = PERF_RECORD_LOST_SAMPLES;
	record.words[1] = 2;
	tally_record(&tally, &record.header);
	assert_int_equal(tally.samples, 2);
	assert_int_equal(tally.lost, 7);
	tally_release(&tally);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_threads_of_a_name_create_has_it_too),
		cmocka_unit_test(else_threads_are_counted_by_descent),
		cmocka_unit_test(a_thread_joins_when_it_gets_the_name),
		cmocka_unit_test(samples_and_losses_add_up),
	};

	return RUN_TESTS(tests);
}
