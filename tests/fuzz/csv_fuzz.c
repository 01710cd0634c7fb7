/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads any bytes as a CSV table: as a series to fit, and as the levels of a profile. */
#include "fuzz.h"

#include "check/bytes_check.h"
#include "check/csv_check.h"

FUZZ_MUTATOR(SEED_CSV);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct err err = {.text = ""};
	bool read;

	fuzz_check(csv_check_bytes(&read, bytes, length, &err), &err);
	fuzz_check(bytes_check_levels_csv(&read, bytes, length, &err), &err);
	return 0;
}
