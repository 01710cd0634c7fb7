/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shared by the fuzzers. libFuzzer damages inputs blindly, guided by the code that they reach; with
 * FUZZ_MUTATOR every second mutation is one of damage/mutate.h, which knows the bounds of records,
 * lines and sections.
 */
#ifndef PSCAL_TESTS_FUZZ_H
#define PSCAL_TESTS_FUZZ_H

#include "base/err.h"
#include "base/io/input.h"
#include "check/bytes_check.h"
#include "damage/mutate.h"
#include "decode/event/event_source.h"
#include "decode/trace_input.h"
#include "random.h"

#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t length, size_t most);

/* Prints the fault and ends the fuzzer. */
static inline void fuzz_check(int rc, const struct err *err)
{
	if (!rc)
		return;
	fprintf(stderr, "wrong: %s\n", err->text);
	abort();
}

/* Reads any bytes as a trace of any layout; `check` returns -1 with the fault. */
static inline void fuzz_trace(const uint8_t *bytes, size_t length,
			      int (*check)(struct event_source *source, struct err *err))
{
	struct err why = {.text = ""}, err = {.text = ""};
	char path[64];
	int fd = bytes_check_file(bytes, length, path);
	struct input *input = input_open(path, INPUT_OF_ANYONE, &why);
	struct event_source *source = input ? trace_input_read(input, &why) : NULL;

	if (source)
		fuzz_check(check(source, &err) < 0, &err);
	event_source_free(source);
	close(fd);
}

static inline size_t fuzz_mutate(uint8_t *bytes, size_t length, size_t most, unsigned seed,
				 enum seed_kind kind)
{
	struct random random = {seed};
	struct bytes copy = {0};

	if (!length || random_one_in(&random, 2))
		return LLVMFuzzerMutate(bytes, length, most);
	put(&copy, bytes, length);
	mutate(&copy, kind, random_below(&random, mutate_count(kind)), &random);
	length = copy.count < most ? copy.count : most;
	memcpy(bytes, copy.at, length);
	free(copy.at);
	return length;
}

#define FUZZ_MUTATOR(kind)                                                                        \
	size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t most, unsigned seed) \
	{                                                                                         \
		return fuzz_mutate(bytes, length, most, seed, kind);                              \
	}                                                                                         \
	_Static_assert(1, "a semicolon follows")

/* Puts extreme numbers into the places where a program file has numbers. */
static inline size_t fuzz_mutate_numbers(uint8_t *bytes, size_t length, size_t most, unsigned seed)
{
	static const uint64_t numbers[] = {
		0,	    1,		8,	    0x40,	0xff,	    0x7fff,
		0xffff,	    1 << 20,	0x7fffffff, 0xffffffff, UINT64_MAX, UINT64_MAX - 7,
		1ULL << 40, 1ULL << 63, 0x400400,
	};
	struct random random = {seed};
	size_t size = (size_t)1 << random_below(&random, 4), at;
	uint64_t number = numbers[random_below(&random, sizeof(numbers) / sizeof(numbers[0]))];

	if (length < 64 || random_one_in(&random, 2))
		return LLVMFuzzerMutate(bytes, length, most);
	at = random_below(&random, length / size) * size;
	if (random_one_in(&random, 3))
		number += random_below(&random, length);
	memcpy(bytes + at, &number, size);
	return length;
}

/* libtraceevent 1.7 leaks a few bytes of each format text that it refuses. */
#define FUZZ_LEAKS_OF_LIBTRACEEVENT                    \
	const char *__lsan_default_suppressions(void); \
	const char *__lsan_default_suppressions(void)  \
	{                                              \
		return "leak:libtraceevent.so";        \
	}                                              \
	_Static_assert(1, "a semicolon follows")

#endif
