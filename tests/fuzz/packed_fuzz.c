/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compresses any records and reads them: the fuzzer cannot make valid zstd of bytes that it has
 * damaged.
 */
#include "fuzz.h"

#include "check/bytes_check.h"

FUZZ_LEAKS_OF_LIBTRACEEVENT;
FUZZ_MUTATOR(SEED_PERFDATA);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct bytes copy = {0};
	struct err err = {.text = ""};
	bool read;

	if (!length)
		return 0;
	put(&copy, bytes, length);
	memcpy(copy.at, "PERFILE2", length < 8 ? length : 8);
	(length % 2 ? wrap_records2 : wrap_records)(&copy);
	fuzz_check(bytes_check_trace(&read, copy.at, copy.count, &err), &err);
	free(copy.at);
	return 0;
}
