/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include "collect/recording/recording.h"
#include "collect/sched/task_record.h"

#include <stdlib.h>
#include <string.h>

/* A record as the kernel writes it: raised by thread 8 of process 7 at time 1000, of event 21. */
struct made {
	struct perf_event_header header;
	uint8_t bytes[120];
};

static struct made make(uint32_t type, uint16_t misc, const void *body, size_t size)
{
	const struct task_record_trailer trailer = {7, 8, 1000, 21};
	struct made made = {
		.header = {type, misc, (uint16_t)(sizeof(made.header) + size + sizeof(trailer))}};

	if (size)
		memcpy(made.bytes, body, size);
	memcpy(made.bytes + size, &trailer, sizeof(trailer));
	return made;
}

/* The 32-bit words of the only record that a recording holds. */
static const uint32_t *completed(struct recording *recording, const struct made *made)
{
	*recording = (struct recording){.size = 0};
	assert_true(task_record_is_whole(&made->header));
	task_record_complete(recording, &made->header, 99, 3);
	return (const uint32_t *)recording->bytes;
}

static void release(struct recording *recording)
{
	recording_drop(recording);
}

static void each_kind_gets_the_layout_of_the_file(void **state)
{
	static const uint32_t ids[] = {70, 7, 71, 8, 1000, 0}, comm[] = {70, 71, 'a', 0},
			      lost[] = {21, 0, 5, 0};
	static const struct {
		uint32_t type;
		uint16_t misc;
		const void *body;
		size_t size;
		uint32_t completed_size, tid; /* tid: in its trailer */
	} cases[] = {
		{PERF_RECORD_SWITCH, 0, NULL, 0, 40, 8},
		{PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT, NULL, 0, 40, 8},
		{PERF_RECORD_SWITCH,
		 PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT, NULL, 0, 40, 8},
		{PERF_RECORD_FORK, 0, ids, sizeof(ids), 64, 8},
		{PERF_RECORD_EXIT, 0, ids, sizeof(ids), 64, 8},
		{PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, comm, sizeof(comm), 64, 71},
		{PERF_RECORD_LOST, 0, lost, sizeof(lost), 56, 8},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct made made = make(cases[i].type, cases[i].misc, cases[i].body, cases[i].size);
		struct perf_event_header header = {cases[i].type, cases[i].misc,
						   (uint16_t)cases[i].completed_size};
		struct recording recording;
		const uint32_t *words = completed(&recording, &made);
		const uint32_t *trailer = words + cases[i].completed_size / 4 - 8;

		assert_memory_equal(words, &header, sizeof(header));
		assert_int_equal(trailer[1], cases[i].tid);
		assert_int_equal(trailer[2], 1000);
		assert_int_equal(trailer[4], 3);
		assert_int_equal(trailer[6], 99);
		release(&recording);
	}
}

static void bodies_stay_what_they_are(void **state)
{
	const uint32_t ids[] = {70, 7, 71, 8, 1000, 0}, lost[] = {21, 0, 5, 0};
	struct made made = make(PERF_RECORD_FORK, 0, ids, sizeof(ids));
	struct recording recording;

	(void)state;
	assert_memory_equal(completed(&recording, &made) + 2, ids, sizeof(ids));
	release(&recording);
	made = make(PERF_RECORD_LOST, 0, lost, sizeof(lost));
	assert_int_equal(completed(&recording, &made)[4], 5);
	assert_int_equal(recording.counts.lost, 5);
	release(&recording);
}

static void what_lacks_a_field_or_is_of_another_kind_is_not_whole(void **state)
{
	struct made made = make(PERF_RECORD_FORK, 0, NULL, 0);

	(void)state;
	assert_false(task_record_is_whole(&made.header));
	made = make(PERF_RECORD_MMAP2, 0, NULL, 0);
	assert_false(task_record_is_whole(&made.header));
	made = make(PERF_RECORD_SWITCH, 0, NULL, 0);
	made.header.size -= 8;
	assert_false(task_record_is_whole(&made.header));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(each_kind_gets_the_layout_of_the_file),
	cmocka_unit_test(bodies_stay_what_they_are),
	cmocka_unit_test(what_lacks_a_field_or_is_of_another_kind_is_not_whole),
};

TEST_FILE(tests);
