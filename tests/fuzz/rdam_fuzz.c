/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads any bytes as a trace of any layout, and makes the score of its blocks. */
#include "fuzz.h"

#include "check/rdam_check.h"

FUZZ_LEAKS_OF_LIBTRACEEVENT;
FUZZ_MUTATOR(SEED_TEXT);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	fuzz_trace(bytes, length, rdam_check_trace);
	return 0;
}
