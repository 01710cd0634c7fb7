/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include "collect/tally.h"
#include "collect/target.h"

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

/* By the first thread of its process. */
static void add_fork(struct tally *tally, uint32_t pid, uint32_t ppid, uint32_t tid)
{
	add_fork_of(tally, pid, ppid, tid, ppid);
}

static void what_tells_of_a_thread_that_existed_is_no_birth(void **state)
{
	union record stranger = forked(10, 3, 10, 3);
	struct tally tally = {0};

	(void)state;
	stranger.words[3] = 0;
	tally_thread(&tally, 10, 10);
	tally_record(&tally, &stranger.header);
	for (int round = 0; round < 3; round++)
		tally_round(&tally);
	add_fork(&tally, 10, 10, 11); /* 10 is still a member */
	assert_int_equal(tally.threads, 2);
	tally_release(&tally);
}

static void threads_and_children_of_the_target_count(void **state)
{
	struct tally tally = {0};

	(void)state;
	tally_thread(&tally, 10, 10);
	add_fork(&tally, 10, 10, 11); /* a thread */
	add_fork(&tally, 20, 10, 20); /* a child */
	add_fork(&tally, 30, 20, 30); /* its child */
	add_fork(&tally, 50, 40, 50); /* a stranger's */
	tally_round(&tally);
	assert_int_equal(tally.threads, 4);
	tally_release(&tally);
}

static const struct {
	struct target_spec spec;
	uint64_t threads;    /* at the beginning, of 10, 11, 20, 30 */
	uint64_t with_forks; /* of whatever all of them create */
} targets[] = {
	{{.pids = (const pid_t[]){10}, .pid_count = 1}, 2, 2 + 4},
	{{.pids = (const pid_t[]){10}, .pid_count = 1, .alone = true}, 2, 2 + 2},
	{{.tids = (const pid_t[]){11}, .tid_count = 1}, 1, 1 + 2},
	{{.tids = (const pid_t[]){11}, .tid_count = 1, .alone = true}, 1, 1},
	{{.comm = "b"}, 2, 2 + 3},
	{{.all = true}, 4, 4 + 6},
};

static void each_kind_of_target_grows_in_its_way(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
		const struct target_spec *spec = &targets[i].spec;
		struct target_thread threads[] = {
			{0, 10, 10, 1, 'S', "a"},
			{0, 10, 11, 1, 'S', "b"},
			{0, 20, 20, 1, 'S', "b"},
			{0, 30, 30, 1, 'S', "c"},
		};
		struct target_process process = {10, 0};
		/* The scan finds what was asked for. */
		struct target *target = calloc(1, sizeof(*target));
		struct tally tally = {0};

		*target = (struct target){.spec = spec,
					  .processes = &process,
					  .process_count = spec->pid_count,
					  .threads = threads + (spec->tid_count > 0),
					  .thread_count = spec->pid_count   ? 2
							  : spec->tid_count ? 1
									    : 4};
		tally_target(&tally, target);
		assert_int_equal(tally.threads, targets[i].threads);
		add_fork(&tally, 10, 10, 12); /* a thread of process 10 */
		add_fork_of(&tally, 10, 10, 13, 11);
		add_fork(&tally, 40, 10, 40); /* its child, and one of thread 11 */
		add_fork_of(&tally, 41, 10, 41, 11);
		add_fork(&tally, 50, 30, 50); /* of the others */
		add_fork(&tally, 51, 20, 51);
		tally_round(&tally);
		if (tally.threads != targets[i].with_forks)
			fail_msg("target %zu: %d threads", i, (int)tally.threads);
		tally_release(&tally);
		free(target);
	}
}

static void a_thread_joins_when_it_gets_the_name(void **state)
{
	static const struct target_spec spec = {.comm = "work"};
	union record record = {.words = {[1] = 10 | UINT64_C(12) << 32}};
	struct target *target = calloc(1, sizeof(*target));
	struct tally tally = {0};

	(void)state;
	target->spec = &spec;
	tally_target(&tally, target);
	record.header = (struct perf_event_header){.type = PERF_RECORD_COMM, .size = 40};
	strcpy((char *)&record.words[2], "worker");
	tally_record(&tally, &record.header);
	assert_int_equal(tally.threads, 0);
	strcpy((char *)&record.words[2], "work");
	tally_record(&tally, &record.header);
	tally_record(&tally, &record.header);
	assert_int_equal(tally.threads, 1);
	tally_release(&tally);
	free(target);
}

static void a_number_may_pass_to_a_stranger(void **state)
{
	struct tally tally = {0};

	(void)state;
	tally_thread(&tally, 10, 10);
	add_fork(&tally, 20, 10, 20);
	add_fork(&tally, 20, 99, 20);
	tally_round(&tally);
	tally_round(&tally);
	assert_false(pid_set_has(&tally.processes.all, 20));
	add_fork(&tally, 30, 20, 30);
	tally_round(&tally);
	assert_int_equal(tally.threads, 2);
	tally_release(&tally);
}

static void a_child_may_be_seen_before_its_parent(void **state)
{
	struct tally tally = {0};

	(void)state;
	tally_thread(&tally, 10, 10);
	add_fork(&tally, 40, 30, 40);
	add_fork(&tally, 30, 20, 30);
	tally_round(&tally);
	assert_int_equal(tally.threads, 1);
	add_fork(&tally, 20, 10, 20); /* in the ring of another CPU, a pass later */
	tally_round(&tally);
	assert_int_equal(tally.threads, 4);
	tally_release(&tally);
}

static void strangers_are_forgotten_after_a_round(void **state)
{
	struct tally tally = {0};

	(void)state;
	tally_thread(&tally, 10, 10);
	for (uint32_t round = 0; round < 100; round++) {
		add_fork(&tally, 1000 + round, 999, 1000 + round);
		tally_round(&tally);
		assert_true(tally.orphan_count <= 1);
	}
	assert_int_equal(tally.threads, 1);
	tally_release(&tally);
}

static void a_thread_that_the_scan_saw_counts_once(void **state)
{
	struct tally tally = {0};

	(void)state;
	tally_thread(&tally, 10, 10);
	tally_thread(&tally, 10, 11);
	tally_thread(&tally, 10, 11);
	add_fork(&tally, 10, 10, 11); /* it was born between the start and the scan */
	assert_int_equal(tally.threads, 2);
	add_fork(&tally, 10, 10, 11); /* another one with its id */
	assert_int_equal(tally.threads, 3);
	tally_release(&tally);
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
		cmocka_unit_test(what_tells_of_a_thread_that_existed_is_no_birth),
		cmocka_unit_test(threads_and_children_of_the_target_count),
		cmocka_unit_test(each_kind_of_target_grows_in_its_way),
		cmocka_unit_test(a_thread_joins_when_it_gets_the_name),
		cmocka_unit_test(a_number_may_pass_to_a_stranger),
		cmocka_unit_test(a_child_may_be_seen_before_its_parent),
		cmocka_unit_test(strangers_are_forgotten_after_a_round),
		cmocka_unit_test(a_thread_that_the_scan_saw_counts_once),
		cmocka_unit_test(samples_and_losses_add_up),
	};

	return RUN_TESTS(tests);
}
