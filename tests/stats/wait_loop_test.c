/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/wait_loop.h"

#include "random.h"
#include "support.h"

#include <stdio.h>

/*
 * Functions as gcc 12 (x86-64) and clang 14 (aarch64) make them of C with -O2, of libraries where
 * these are named, and from "stores until it is told to stop" on by hand. Each of their
 * instructions is a place; those in `loops` are in one that waits.
 */
static const struct {
	const char *name;
	enum instruction_set set;
	const char *bytes;
	size_t length;
	struct {
		size_t from, to;
	} loops[2];
} functions[] = {
	{"test and set",
	 INSTRUCTIONS_X86_64,
	 "\xba\x01\x00\x00\x00\x0f\x1f\x00\x89\xd0\x86\x07\x84\xc0\x75\xf8\xc3",
	 17,
	 {{8, 16}}},
	{"... with a pause",
	 INSTRUCTIONS_X86_64,
	 "\xba\x01\x00\x00\x00\xeb\x0b\x66\x0f\x1f\x84\x00\x00\x00\x00\x00\xf3\x90"
	 "\x89\xd0\x86\x07\x84\xc0\x75\xf6\xc3",
	 27,
	 {{16, 26}}},
	{"a flag", INSTRUCTIONS_X86_64, "\x8b\x07\x85\xc0\x74\xfa\xc3", 7, {{0, 6}}},
	{"... with a pause",
	 INSTRUCTIONS_X86_64,
	 "\xeb\x08\x66\x0f\x1f\x44\x00\x00\xf3\x90\x8b\x07\x85\xc0\x74\xf8\xc3",
	 17,
	 {{8, 16}}},
	{"test, then test and set",
	 INSTRUCTIONS_X86_64,
	 "\xba\x01\x00\x00\x00\x0f\x1f\x00\x8b\x07\x85\xc0\x75\xfa\x89\xd0\x87\x07"
	 "\x85\xc0\x75\xf2\xc3",
	 23,
	 {{8, 22}}},
	{"compare and swap 0 for 1",
	 INSTRUCTIONS_X86_64,
	 "\x31\xc9\xba\x01\x00\x00\x00\x89\xc8\xf0\x0f\xb1\x17\x75\xf8\xc3",
	 16,
	 {{7, 15}}},
	{"the number of a ticket",
	 INSTRUCTIONS_X86_64,
	 "\xba\x01\x00\x00\x00\xf0\x0f\xc1\x17\x0f\x1f\x80\x00\x00\x00\x00\x8b\x06"
	 "\x39\xd0\x75\xfa\xc3",
	 23,
	 {{16, 22}}},
	{"a flag, but not for ever",
	 INSTRUCTIONS_X86_64,
	 "\x85\xf6\x7e\x24\x31\xc0\xeb\x0f\x0f\x1f\x84\x00\x00\x00\x00\x00\x83\xc0"
	 "\x01\x39\xc6\x74\x11\x8b\x17\x85\xd2\x74\xf3\xb8\x01\x00\x00\x00\xc3\x0f"
	 "\x1f\x44\x00\x00\x31\xc0\xc3",
	 43,
	 {{16, 29}}},
	{"a flag whose address is looked up",
	 INSTRUCTIONS_X86_64,
	 "\x48\x8b\x07\x8b\x00\x85\xc0\x74\xf7\xc3",
	 10,
	 {{0, 9}}},
	{"pthread_spin_lock of glibc 2.36",
	 INSTRUCTIONS_X86_64,
	 "\xf0\xff\x0f\x75\x0b\x31\xc0\xc3\x0f\x1f\x84\x00\x00\x00\x00\x00\xf3\x90"
	 "\x83\x3f\x00\x7f\xe9\xeb\xf7",
	 25,
	 {{0, 5}, {16, 25}}},
	{"libgomp 12 in GOMP_doacross_wait",
	 INSTRUCTIONS_X86_64,
	 "\x48\x8b\x17\x48\x39\xd0\x72\x0f\x0f\x1f\x44\x00\x00\xf3\x90\x48\x8b\x17"
	 "\x48\x39\xd0\x73\xf6\x5b\x5d\x41\x5c\xc3",
	 28,
	 {{13, 23}}},
	{"test and set, exclusively",
	 INSTRUCTIONS_AARCH64,
	 "\x28\x00\x80\x52\x09\xfc\x5f\x08\x08\x7c\x0a\x08\x29\x01\x00\x12\x49\x01"
	 "\x09\x2a\x89\xff\xff\x35\xc0\x03\x5f\xd6",
	 28,
	 {{4, 24}}},
	{"... with a yield",
	 INSTRUCTIONS_AARCH64,
	 "\x28\x00\x80\x52\x09\xfc\x5f\x08\x08\x7c\x0a\x08\xca\xff\xff\x35\xe9\x00"
	 "\x00\x36\x28\x00\x80\x52\x3f\x20\x03\xd5\x09\xfc\x5f\x08\x08\x7c\x0a\x08"
	 "\xca\xff\xff\x35\x89\xff\x07\x37\xc0\x03\x5f\xd6",
	 48,
	 {{4, 16}, {24, 44}}},
	{"a flag",
	 INSTRUCTIONS_AARCH64,
	 "\x08\xfc\xdf\x88\xe8\xff\xff\x34\xc0\x03\x5f\xd6",
	 12,
	 {{0, 8}}},
	{"test, then test and set",
	 INSTRUCTIONS_AARCH64,
	 "\x28\x00\x80\x52\x09\x00\x40\xb9\xe9\xff\xff\x35\x09\xfc\x5f\x88\x08\xfc"
	 "\x0a\x88\xca\xff\xff\x35\x69\xff\xff\x35\xc0\x03\x5f\xd6",
	 32,
	 {{4, 28}}},
	{"a flag, but not for ever",
	 INSTRUCTIONS_AARCH64,
	 "\x3f\x04\x00\x71\xab\x00\x00\x54\x08\x00\x40\xb9\xa8\x00\x00\x34\x20\x00"
	 "\x80\x52\xc0\x03\x5f\xd6\xe0\x03\x1f\x2a\xc0\x03\x5f\xd6\x29\x00\x80\x52"
	 "\xe8\x03\x09\x2a\x3f\x00\x09\x6b\x80\x00\x00\x54\x0a\x00\x40\xb9\x09\x05"
	 "\x00\x11\x6a\xff\xff\x34\x1f\x01\x01\x6b\xe0\xa7\x9f\x1a\xc0\x03\x5f\xd6",
	 72,
	 {{36, 60}}},
	{"a wait for an event",
	 INSTRUCTIONS_AARCH64,
	 "\xbf\x20\x03\xd5\x5f\x20\x03\xd5\x08\xfc\x5f\x88\xc8\xff\xff\x34\xc0\x03"
	 "\x5f\xd6",
	 20,
	 {{4, 16}}},
	{"test and set of Armv8.1",
	 INSTRUCTIONS_AARCH64,
	 "\x28\x00\x80\x52\x09\x80\xa8\x38\xe9\xff\x07\x37\xc0\x03\x5f\xd6",
	 16,
	 {{4, 12}}},
	{"compare and swap of Armv8.1",
	 INSTRUCTIONS_AARCH64,
	 "\x28\x00\x80\x52\xe9\x03\x1f\x2a\x08\xfc\xe9\x88\x3f\x01\x00\x71\xa1\xff"
	 "\xff\x54\xc0\x03\x5f\xd6",
	 24,
	 {{4, 20}}},
	{"counts until it is told to stop",
	 INSTRUCTIONS_X86_64,
	 "\x31\xc0\xeb\x08\x0f\x1f\x40\x00\x48\x83\xc0\x01\x8b\x17\x85\xd2\x74\xf6"
	 "\xc3",
	 19,
	 {{0, 0}}},
	{"computes until it is told to stop",
	 INSTRUCTIONS_X86_64,
	 "\x48\x89\xf0\x0f\x1f\x44\x00\x00\x48\x89\xc2\x48\xc1\xe2\x0d\x48\x31\xd0"
	 "\x48\x89\xc2\x48\xc1\xea\x07\x48\x31\xc2\x48\x89\xd0\x48\xc1\xe0\x11\x48"
	 "\x31\xd0\x8b\x17\x85\xd2\x74\xdc\xc3",
	 45,
	 {{0, 0}}},
	{"multiplies what others change",
	 INSTRUCTIONS_X86_64,
	 "\x8b\x07\x89\xf2\x0f\xaf\xd0\xf0\x0f\xb1\x17\x75\xf5\xc3",
	 14,
	 {{0, 0}}},
	{"adds",
	 INSTRUCTIONS_X86_64,
	 "\x8d\x46\xff\x85\xf6\x74\x12\x66\x0f\x1f\x84\x00\x00\x00\x00\x00\xf0\x83"
	 "\x07\x01\x83\xe8\x01\x73\xf7\xc3",
	 26,
	 {{0, 0}}},
	{"strlen",
	 INSTRUCTIONS_X86_64,
	 "\x31\xc0\x80\x3f\x00\x74\x19\x66\x0f\x1f\x84\x00\x00\x00\x00\x00\x48\x83"
	 "\xc0\x01\x80\x3c\x07\x00\x75\xf6\xc3\x0f\x1f\x44\x00\x00\xc3",
	 33,
	 {{0, 0}}},
	{"memchr",
	 INSTRUCTIONS_X86_64,
	 "\x0f\xbe\x17\x48\x89\xf8\x39\xd6\x74\x12\x66\x0f\x1f\x44\x00\x00\x0f\xbe"
	 "\x50\x01\x48\x83\xc0\x01\x39\xf2\x75\xf4\xc3",
	 29,
	 {{0, 0}}},
	{"goes along a list",
	 INSTRUCTIONS_X86_64,
	 "\xeb\x0e\x66\x0f\x1f\x44\x00\x00\x39\x77\x08\x74\x13\x48\x8b\x3f\x48\x85"
	 "\xff\x75\xf3\x31\xc0\xc3\x0f\x1f\x84\x00\x00\x00\x00\x00\x48\x89\xf8\xc3",
	 36,
	 {{0, 0}}},
	{"copies",
	 INSTRUCTIONS_X86_64,
	 "\x48\x85\xd2\x74\x1b\x31\xc0\x66\x0f\x1f\x84\x00\x00\x00\x00\x00\x0f\xb6"
	 "\x0c\x06\x88\x0c\x07\x48\x83\xc0\x01\x48\x39\xd0\x75\xf0\xc3",
	 33,
	 {{0, 0}}},
	{"adds up",
	 INSTRUCTIONS_X86_64,
	 "\x48\x85\xf6\x74\x1b\x48\x8d\x04\xf7\x66\x0f\xef\xc0\x0f\x1f\x00\xf2\x0f"
	 "\x58\x07\x48\x83\xc7\x08\x48\x39\xc7\x75\xf3\xc3\x66\x90\x66\x0f\xef\xc0"
	 "\xc3",
	 37,
	 {{0, 0}}},
	{"counts",
	 INSTRUCTIONS_X86_64,
	 "\x48\x8d\x47\xff\x48\x85\xff\x74\x0d\x0f\x1f\x80\x00\x00\x00\x00\x48\x83"
	 "\xe8\x01\x73\xfa\xc3",
	 23,
	 {{0, 0}}},
	{"counts until it is told to stop",
	 INSTRUCTIONS_AARCH64,
	 "\xe8\x03\x00\xaa\x00\x00\x80\x92\x09\x01\x40\xb9\x00\x04\x00\x91\xc9\xff"
	 "\xff\x34\xc0\x03\x5f\xd6",
	 24,
	 {{0, 0}}},
	{"computes until it is told to stop",
	 INSTRUCTIONS_AARCH64,
	 "\x28\x34\x01\xca\x09\x00\x40\xb9\x08\x1d\x48\xca\x01\x45\x08\xca\x89\xff"
	 "\xff\x34\xe0\x03\x01\xaa\xc0\x03\x5f\xd6",
	 28,
	 {{0, 0}}},
	{"multiplies what others change",
	 INSTRUCTIONS_AARCH64,
	 "\x09\x00\x40\xb9\x05\x00\x00\x14\x5f\x3f\x03\xd5\xea\x03\x1f\x2a\xe9\x03"
	 "\x08\x2a\x4a\x01\x00\x35\x08\xfc\x5f\x88\x1f\x01\x09\x6b\x41\xff\xff\x54"
	 "\x29\x7d\x01\x1b\x09\xfc\x0a\x88\x0a\xff\xff\x35\x2a\x00\x80\x52\xe9\x03"
	 "\x08\x2a\x0a\xff\xff\x34\xc0\x03\x5f\xd6",
	 64,
	 {{0, 0}}},
	{"adds",
	 INSTRUCTIONS_AARCH64,
	 "\xe1\x00\x00\x34\x21\x04\x00\x51\x08\xfc\x5f\x88\x08\x05\x00\x11\x08\xfc"
	 "\x09\x88\xa9\xff\xff\x35\x61\xff\xff\x35\xc0\x03\x5f\xd6",
	 32,
	 {{0, 0}}},
	{"strlen",
	 INSTRUCTIONS_AARCH64,
	 "\xe8\x03\x1f\xaa\x09\x68\x68\x38\x08\x05\x00\x91\xc9\xff\xff\x35\x00\x05"
	 "\x00\xd1\xc0\x03\x5f\xd6",
	 24,
	 {{0, 0}}},
	{"memchr",
	 INSTRUCTIONS_AARCH64,
	 "\x00\x04\x00\xd1\x08\x1c\x40\x38\x1f\x01\x01\x6b\xc1\xff\xff\x54\xc0\x03"
	 "\x5f\xd6",
	 20,
	 {{0, 0}}},
	{"goes along a list",
	 INSTRUCTIONS_AARCH64,
	 "\xc0\x00\x00\xb4\x08\x08\x40\xb9\x1f\x01\x01\x6b\x60\x00\x00\x54\x00\x00"
	 "\x40\xf9\x80\xff\xff\xb5\xc0\x03\x5f\xd6",
	 28,
	 {{0, 0}}},
	{"multiplies what others change on Armv8.1",
	 INSTRUCTIONS_AARCH64,
	 "\x09\x00\x40\xb9\xe8\x03\x09\x2a\x2a\x7d\x01\x1b\x0a\xfc\xe8\x88\x1f\x01"
	 "\x09\x6b\xe9\x03\x08\x2a\x81\xff\xff\x54\xc0\x03\x5f\xd6",
	 32,
	 {{0, 0}}},
	{"adds on Armv8.1",
	 INSTRUCTIONS_AARCH64,
	 "\xa1\x00\x00\x34\x28\x00\x80\x52\x09\x00\xe8\xb8\x21\x04\x00\x71\xc1\xff"
	 "\xff\x54\xc0\x03\x5f\xd6",
	 24,
	 {{0, 0}}},
	{"stores until it is told to stop",
	 INSTRUCTIONS_X86_64,
	 "\x89\x06\x8b\x17\x85\xd2\x74\xf8\xc3",
	 9,
	 {{0, 0}}},
	{"counts up to a number in memory",
	 INSTRUCTIONS_X86_64,
	 "\x48\x83\xc0\x01\x48\x39\x07\x75\xf7\xc3",
	 10,
	 {{0, 0}}},
	{"calls until it is told to stop",
	 INSTRUCTIONS_X86_64,
	 "\xe8\x00\x00\x00\x00\x8b\x07\x85\xc0\x74\xf5\xc3",
	 12,
	 {{0, 0}}},
	{"relaxes and calls",
	 INSTRUCTIONS_X86_64,
	 "\xf3\x90\xe8\x06\x00\x00\x00\x8b\x07\x85\xc0\x74\xf3\xc3",
	 14,
	 {{0, 0}}},
	{"keeps a variable on the stack, and does not relax",
	 INSTRUCTIONS_X86_64,
	 "\x89\x54\x24\x08\x8b\x07\x85\xc0\x74\xf6\xc3",
	 11,
	 {{0, 0}}},
	{"relaxes and stores",
	 INSTRUCTIONS_X86_64,
	 "\xf3\x90\x89\x16\x8b\x07\x85\xc0\x74\xf6\xc3",
	 11,
	 {{0, 0}}},
	{"goes along numbers until it is told to stop",
	 INSTRUCTIONS_X86_64,
	 "\x48\x83\xc6\x04\x83\x3e\x00\x48\x39\xf2\x74\x06\x8b\x07\x85\xc0\x74\xee"
	 "\xc3",
	 19,
	 {{0, 0}}},
	{"computes up to a number, or until it is told to stop",
	 INSTRUCTIONS_X86_64,
	 "\x0f\xaf\xf6\x39\xd6\x74\x06\x8b\x07\x85\xc0\x74\xf3\xc3",
	 14,
	 {{0, 0}}},
	{"counts up to a number, or to one in memory",
	 INSTRUCTIONS_X86_64,
	 "\x83\xc1\x01\x39\xca\x74\x04\x39\x0f\x75\xf5\xc3",
	 12,
	 {{0, 0}}},
	{"adds up vectors until it is told to stop",
	 INSTRUCTIONS_X86_64,
	 "\xf3\x0f\x6f\x0e\x66\x0f\xfe\xc1\x8b\x07\x85\xc0\x74\xf2\xc3",
	 15,
	 {{0, 0}}},
	{"computes in a loop within until it is told to stop",
	 INSTRUCTIONS_X86_64,
	 "\xb9\x64\x00\x00\x00\xbb\x03\x00\x00\x00\x0f\xaf\xdb\x83\xe9\x01\x75\xf8"
	 "\x8b\x07\x85\xc0\x74\xe8\xc3",
	 25,
	 {{0, 0}}},
	{"relaxes with a variable on the stack",
	 INSTRUCTIONS_X86_64,
	 "\xf3\x90\x89\x54\x24\x08\x8b\x07\x85\xc0\x74\xf4\xc3",
	 13,
	 {{0, 12}}},
	{"relaxes so many times",
	 INSTRUCTIONS_X86_64,
	 "\xf3\x90\x83\xe9\x01\x75\xf9\xc3",
	 8,
	 {{0, 7}}},
};

enum { AT = 0x401000 };

/* Should a thread that is there be found to wait? */
static bool is_wait(size_t function, size_t place)
{
	for (size_t i = 0; i < 2; i++)
		if (place >= functions[function].loops[i].from &&
		    place < functions[function].loops[i].to)
			return true;
	return false;
}

static void each_place_waits_or_works(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		const struct code code = {(const uint8_t *)functions[i].bytes, functions[i].length,
					  AT};
		struct instruction_reader *reader = instruction_reader_new(functions[i].set);
		struct instruction at;

		assert_non_null(reader);
		for (size_t place = 0; place < code.length; place += at.size) {
			enum code_use use = wait_loop_find(reader, &code, AT + place);

			if (use != (is_wait(i, place) ? CODE_WAITS : CODE_WORKS))
				fail_msg("%s (%zu): the use of place %#zx is %d", functions[i].name,
					 i, place, (int)use);
			assert_int_equal(instruction_read(&at, reader, code.bytes + place,
							  code.length - place, AT + place),
					 0);
		}
		instruction_reader_free(reader);
	}
}

static void a_place_without_an_instruction_is_unknown(void **state)
{
	/* 06 is none in 64 bits; a jump that ends too early; nothing. */
	static const uint8_t bytes[] = {0x06, 0xe9, 0x00};
	const struct code code = {bytes, sizeof(bytes), AT};
	struct instruction_reader *reader = instruction_reader_new(INSTRUCTIONS_X86_64);

	(void)state;
	for (uint64_t place = 0; place < 4; place++)
		assert_int_equal(wait_loop_find(reader, &code, AT + place), CODE_UNKNOWN);
	assert_int_equal(wait_loop_find(reader, &code, AT - 1), CODE_UNKNOWN);
	assert_int_equal(wait_loop_find(reader, &code, 0), CODE_UNKNOWN);
	assert_int_equal(wait_loop_find(reader, &code, UINT64_MAX), CODE_UNKNOWN);
	instruction_reader_free(reader);
}

/* It is of files that anybody may have made. Branches within a few bytes make the most loops. */
static void any_bytes_are_looked_through_to_an_end(void **state)
{
	static const uint8_t often[] = {0x74, 0x75, 0xeb, 0xf0, 0xf8, 0x08, 0x10, 0x54};
	struct instruction_reader *readers[INSTRUCTION_SETS];
	struct random random = {5};
	uint8_t bytes[2 * CODE_REACH];

	(void)state;
	for (int set = 0; set < INSTRUCTION_SETS; set++)
		readers[set] = instruction_reader_new((enum instruction_set)set);
	for (size_t i = 0; i < 2000; i++) {
		/* Also at the end of the addresses. */
		const struct code code = {bytes, sizeof(bytes), i % 3 ? AT : -(uint64_t)CODE_REACH};

		for (size_t at = 0; at < sizeof(bytes); at++)
			bytes[at] = random_one_in(&random, 3)
					    ? (uint8_t)random_next(&random)
					    : often[random_below(&random, sizeof(often))];
		wait_loop_find(readers[i % 2], &code, code.address + CODE_REACH);
	}
	for (int set = 0; set < INSTRUCTION_SETS; set++)
		instruction_reader_free(readers[set]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_place_waits_or_works),
		cmocka_unit_test(a_place_without_an_instruction_is_unknown),
		cmocka_unit_test(any_bytes_are_looked_through_to_an_end),
	};

	return RUN_TESTS(tests);
}
