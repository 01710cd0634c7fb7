/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include "code/mapped_files.h"
#include "collect/kernel/ring.h"
#include "collect/recording/record.h"
#include "collect/recording/recording.h"
#include "collect/target/lineage.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const struct record_place place = {.id = 21, .time_ns = 1000, .pid = 7, .tid = 8, .cpu = 3};

static void release(struct recording *recording)
{
	recording_drop(recording);
}

/* Number `index` of the 32-bit words of a record. */
static uint32_t number(const uint8_t *record, size_t index)
{
	uint32_t value;

	memcpy(&value, record + 4 * index, sizeof(value));
	return value;
}

static uint64_t word(const uint8_t *record, size_t index)
{
	uint64_t value;

	memcpy(&value, record + 8 * index, sizeof(value));
	return value;
}

static void check_header(const uint8_t *record, uint32_t type, uint16_t misc, uint16_t size)
{
	const struct perf_event_header header = {type, misc, size};

	assert_memory_equal(record, &header, sizeof(header));
}

/* The five words at the end of a record of `size` bytes. */
static void check_trailer(const uint8_t *record, size_t size)
{
	const uint8_t *at = record + size - 32;

	assert_int_equal(number(at, 0), 7);
	assert_int_equal(number(at, 1), 8);
	assert_int_equal(word(at, 1), 1000);
	assert_int_equal(number(at, 4), 3);
	assert_int_equal(word(at, 3), 21);
}

static void a_sample_has_its_place_and_raw_bytes_up_to_a_whole_word(void **state)
{
	struct recording recording = {.size = 0};

	(void)state;
	record_sample(&recording, &place, NULL, "raw bytes", 9);
	assert_int_equal(recording.size, 56);
	check_header(recording.bytes, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, 56);
	assert_int_equal(word(recording.bytes, 1), 21);
	assert_int_equal(number(recording.bytes, 4), 7);
	assert_int_equal(number(recording.bytes, 5), 8);
	assert_int_equal(word(recording.bytes, 3), 1000);
	assert_int_equal(number(recording.bytes, 8), 3);
	assert_int_equal(number(recording.bytes, 10), 12);
	assert_memory_equal(recording.bytes + 44, "raw bytes\0\0\0", 12);
	assert_int_equal(recording.counts.samples, 1);
	release(&recording);
}

static void a_stack_comes_before_the_raw_bytes(void **state)
{
	const uint64_t ips[] = {PERF_CONTEXT_USER, 0x1234};
	const struct record_stack stack = {.ips = ips, .depth = 2}, none = {.depth = 0};
	struct recording recording = {.size = 0};

	(void)state;
	record_sample(&recording, &place, &stack, "1234", 4);
	record_sample(&recording, &place, &none, "1234", 4);
	check_header(recording.bytes, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 80);
	assert_int_equal(word(recording.bytes, 2), 0x1234); /* its address */
	assert_int_equal(number(recording.bytes, 7), 8);
	assert_int_equal(word(recording.bytes, 6), 2);
	assert_int_equal(word(recording.bytes, 8), 0x1234);
	assert_memory_equal(recording.bytes + 76, "1234", 4);
	check_header(recording.bytes + 80, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, 64);
	assert_int_equal(word(recording.bytes + 80, 2), 0);
	assert_int_equal(word(recording.bytes + 80, 6), 0);
	assert_int_equal(number(recording.bytes + 80, 14), 4);
	release(&recording);
}

static void births_and_ends_name_the_parents(void **state)
{
	const struct task_body task = {70, 7, 71, 8, 0};
	const uint32_t numbers[] = {70, 7, 71, 8, 1000, 0};
	struct recording recording = {.size = 0};

	(void)state;
	record_task(&recording, PERF_RECORD_FORK, &place, &task);
	record_task(&recording, PERF_RECORD_EXIT, &place, &task);
	check_header(recording.bytes, PERF_RECORD_FORK, 0, 64);
	assert_memory_equal(recording.bytes + 8, numbers, sizeof(numbers));
	check_trailer(recording.bytes, 64);
	check_header(recording.bytes + 64, PERF_RECORD_EXIT, 0, 64);
	release(&recording);
}

static void names_are_cut_at_fifteen_bytes(void **state)
{
	struct recording recording = {.size = 0};

	(void)state;
	record_comm(&recording, &place, "longer than fifteen", 1);
	check_header(recording.bytes, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, 64);
	assert_int_equal(number(recording.bytes, 2), 7);
	assert_int_equal(number(recording.bytes, 3), 8);
	assert_string_equal((const char *)recording.bytes + 16, "longer than fif");
	check_trailer(recording.bytes, 64);
	release(&recording);
}

static void losses_are_counted(void **state)
{
	struct recording recording = {.size = 0};

	(void)state;
	record_lost(&recording, &place, 5);
	check_header(recording.bytes, PERF_RECORD_LOST, 0, 56);
	assert_int_equal(word(recording.bytes, 1), 21);
	assert_int_equal(word(recording.bytes, 2), 5);
	check_trailer(recording.bytes, 56);
	assert_int_equal(recording.counts.lost, 5);
	release(&recording);
}

static void switch_records_tell_the_direction_and_the_other_thread(void **state)
{
	const uint16_t preempted =
		PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	struct recording recording = {.size = 0};

	(void)state;
	record_switch(&recording, 0, &place, &(struct thread_body){0, 0});
	record_switch(&recording, preempted, &place, &(struct thread_body){50, 51});
	check_header(recording.bytes, PERF_RECORD_SWITCH_CPU_WIDE, 0, 48);
	check_trailer(recording.bytes, 48);
	check_header(recording.bytes + 48, PERF_RECORD_SWITCH_CPU_WIDE, preempted, 48);
	assert_int_equal(number(recording.bytes + 48, 2), 50);
	assert_int_equal(number(recording.bytes + 48, 3), 51);
	release(&recording);
}

static void a_switch_of_which_one_side_is_known_has_no_other(void **state)
{
	const uint16_t out = PERF_RECORD_MISC_SWITCH_OUT,
		       preempted = PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	struct recording recording = {.size = 0};

	(void)state;
	record_switch(&recording, PERF_RECORD_MISC_KERNEL, &place, NULL);
	record_switch(&recording, out, &place, NULL);
	record_switch(&recording, out | preempted, &place, NULL);
	check_header(recording.bytes, PERF_RECORD_SWITCH, 0, 40);
	check_trailer(recording.bytes, 40);
	check_header(recording.bytes + 40, PERF_RECORD_SWITCH, out, 40);
	check_header(recording.bytes + 80, PERF_RECORD_SWITCH, out | preempted, 40);
	check_trailer(recording.bytes + 80, 40);
	release(&recording);
}

static void counts_of_a_thread_have_their_times_and_event(void **state)
{
	struct recording recording = {.size = 0};

	(void)state;
	record_read(&recording, &place, 42, 1000, 900);
	check_header(recording.bytes, PERF_RECORD_READ, 0, 80);
	assert_int_equal(number(recording.bytes, 2), 7);
	assert_int_equal(number(recording.bytes, 3), 8);
	assert_int_equal(word(recording.bytes, 2), 42);
	assert_int_equal(word(recording.bytes, 3), 1000);
	assert_int_equal(word(recording.bytes, 4), 900);
	assert_int_equal(word(recording.bytes, 5), 21);
	check_trailer(recording.bytes, 80);
	release(&recording);
}

static void a_thread_that_existed_is_born_at_time_0_by_the_first_of_its_process(void **state)
{
	const uint32_t first[] = {7, 0, 7, 0, 0, 0}, second[] = {7, 7, 8, 7, 0, 0};
	struct recording recording = {.size = 0};

	(void)state;
	record_existing(&recording, 21, 7, 7, 0, "a");
	record_existing(&recording, 21, 7, 8, 0, "b");
	check_header(recording.bytes, PERF_RECORD_FORK, 0, 64);
	assert_memory_equal(recording.bytes + 8, first, sizeof(first));
	check_header(recording.bytes + 64, PERF_RECORD_COMM, 0, 64);
	assert_memory_equal(recording.bytes + 128 + 8, second, sizeof(second));
	assert_string_equal((const char *)recording.bytes + 192 + 16, "b");
	release(&recording);
}

/* It has the name of its parent until it calls exec. */
static void the_parent_of_a_process_that_existed_has_its_name(void **state)
{
	const uint32_t self = (uint32_t)getpid(), parent[] = {self, self};
	struct recording recording = {.size = 0};

	(void)state;
	record_existing(&recording, 21, INT32_MAX, INT32_MAX, getpid(), "a");
	check_header(recording.bytes, PERF_RECORD_COMM, 0, 64);
	assert_memory_equal(recording.bytes + 8, parent, sizeof(parent));
	assert_memory_equal(recording.bytes + 16, "record_test", strlen("record_test"));
	release(&recording);
}

static void mappings_are_code_or_data_of_a_process_or_of_the_kernel(void **state)
{
	const struct {
		struct proc_map map;
		uint16_t misc, size;
		uint32_t pid, tid;
	} cases[] = {
		{{.pid = 7, .prot = PROT_EXEC, .path = (char[]){"/bin/a"}},
		 PERF_RECORD_MISC_USER,
		 112,
		 7,
		 7},
		{{.pid = 7, .prot = PROT_EXEC, .path = (char[]){"/bin/ab"}},
		 PERF_RECORD_MISC_USER,
		 112,
		 7,
		 7},
		{{.pid = 7, .prot = PROT_READ, .path = (char[]){"/bin/abc"}},
		 PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA,
		 120,
		 7,
		 7},
		{{.pid = PROC_MAP_KERNEL, .prot = PROT_EXEC, .path = (char[]){"[ext4]"}},
		 PERF_RECORD_MISC_KERNEL,
		 112,
		 UINT32_MAX,
		 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct recording recording = {.size = 0};
		struct proc_map map = cases[i].map;
		const uint8_t *record, *trailer;

		map.start = 0x1000;
		map.end = 0x4000;
		map.offset = 0x2000;
		map.major = 0xfe;
		map.minor = 1;
		map.inode = 77;
		map.flags = MAP_PRIVATE;
		record_mapped(&recording, 21, 0, &map);
		record = recording.bytes;
		assert_int_equal(recording.size, cases[i].size);
		check_header(record, PERF_RECORD_MMAP2, cases[i].misc, cases[i].size);
		assert_int_equal(number(record, 2), cases[i].pid);
		assert_int_equal(number(record, 3), cases[i].tid);
		assert_int_equal(word(record, 2), 0x1000);
		assert_int_equal(word(record, 3), 0x3000);
		assert_int_equal(word(record, 4), 0x2000);
		assert_int_equal(number(record, 10), 0xfe);
		assert_int_equal(number(record, 11), 1);
		assert_int_equal(word(record, 6), 77);
		assert_int_equal(number(record, 16), map.prot);
		assert_int_equal(number(record, 17), MAP_PRIVATE);
		assert_string_equal((const char *)record + 72, map.path);
		trailer = record + cases[i].size - 32;
		assert_int_equal(number(trailer, 0), cases[i].pid);
		assert_int_equal(number(trailer, 1), cases[i].tid);
		assert_int_equal(word(trailer, 1), 0);
		assert_int_equal(word(trailer, 3), 21);
		release(&recording);
	}
}

/* Without a name perf shows it as ":8". */
static void a_thread_of_another_program_is_named_at_its_first_event(void **state)
{
	struct lineage lineage = {.unknown = 0};
	struct recording recording = {.names_strangers = true, .counts = {.lineage = &lineage}};
	struct record_place named = place;

	(void)state;
	named.comm = "a name that is too long";
	record_sample(&recording, &named, NULL, "1234", 4);
	check_header(recording.bytes, PERF_RECORD_COMM, 0, 8 + 8 + 16 + 32);
	assert_int_equal(number(recording.bytes, 2), 7);
	assert_int_equal(number(recording.bytes, 3), 8);
	assert_string_equal((const char *)recording.bytes + 16, "a name that is ");
	check_trailer(recording.bytes, 8 + 8 + 16 + 32);
	recording.size = 0;
	record_sample(&recording, &named, NULL, "1234", 4); /* the name is written once */
	assert_int_equal(number(recording.bytes, 0), PERF_RECORD_SAMPLE);
	release(&recording);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_thread_of_another_program_is_named_at_its_first_event),
	cmocka_unit_test(a_sample_has_its_place_and_raw_bytes_up_to_a_whole_word),
	cmocka_unit_test(a_stack_comes_before_the_raw_bytes),
	cmocka_unit_test(births_and_ends_name_the_parents),
	cmocka_unit_test(names_are_cut_at_fifteen_bytes),
	cmocka_unit_test(losses_are_counted),
	cmocka_unit_test(switch_records_tell_the_direction_and_the_other_thread),
	cmocka_unit_test(a_switch_of_which_one_side_is_known_has_no_other),
	cmocka_unit_test(counts_of_a_thread_have_their_times_and_event),
	cmocka_unit_test(a_thread_that_existed_is_born_at_time_0_by_the_first_of_its_process),
	cmocka_unit_test(the_parent_of_a_process_that_existed_has_its_name),
	cmocka_unit_test(mappings_are_code_or_data_of_a_process_or_of_the_kernel),
};

TEST_FILE(tests);
