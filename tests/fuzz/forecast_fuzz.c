/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads any bytes as a trace of any layout, and replays it as a forecast does. */
#include "fuzz.h"

#include "check/forecast_check.h"

FUZZ_LEAKS_OF_LIBTRACEEVENT;
FUZZ_MUTATOR(SEED_TEXT);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	fuzz_trace(bytes, length, forecast_check_trace);
	return 0;
}
