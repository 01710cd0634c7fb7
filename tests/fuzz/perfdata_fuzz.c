/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a perf.data file. What does not begin as one is made to. */
#include "trace_fuzz.h"

#include "base/alloc.h"

#include <stdlib.h>

const char *__lsan_default_suppressions(void);

/* libtraceevent 1.7 forgets a few bytes of each format text that it refuses. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libtraceevent.so";
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	uint8_t *copy = xcalloc(length, 1);

	memcpy(copy, bytes, length);
	memcpy(copy, "PERFILE2", length < 8 ? length : 8);
	read_bytes(copy, length);
	free(copy);
	return 0;
}
