/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a trace, of whatever layout, that is replayed as a forecast does. */
#include "fuzz.h"

#include "check/forecast_check.h"

FUZZ_LEAKS_OF_LIBTRACEEVENT;
FUZZ_MUTATOR(SEED_TEXT);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	fuzz_trace(bytes, length, forecast_check_trace);
	return 0;
}
