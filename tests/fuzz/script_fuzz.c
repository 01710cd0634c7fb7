/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads any bytes as a text of any layout, which its first lines tell. */
#include "fuzz.h"

#include "check/bytes_check.h"

FUZZ_MUTATOR(SEED_TEXT);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct err err = {.text = ""};
	bool read;

	if (length >= 8 && memcmp(bytes, "PERFILE2", 8) == 0)
		return 0; /* an input of the other fuzzer */
	fuzz_check(bytes_check_trace(&read, bytes, length, &err), &err);
	return 0;
}
