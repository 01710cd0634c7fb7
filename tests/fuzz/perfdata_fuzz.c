/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads any bytes as a perf.data file, and gives them its magic number if they have none. */
#include "fuzz.h"

#include "check/bytes_check.h"

FUZZ_LEAKS_OF_LIBTRACEEVENT;
FUZZ_MUTATOR(SEED_PERFDATA);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	static const char swapped[] = "2ELIFREP";
	struct bytes copy = {0};
	struct err err = {.text = ""};
	bool read;

	if (!length)
		return 0;
	put(&copy, bytes, length);
	if (length < 8 || memcmp(bytes, swapped, 8) != 0)
		memcpy(copy.at, "PERFILE2", length < 8 ? length : 8);
	fuzz_check(bytes_check_trace(&read, copy.at, length, &err), &err);
	free(copy.at);
	return 0;
}
