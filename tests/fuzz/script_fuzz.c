/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as the text of perf script: as a trace, and line by line. */
#include "trace_fuzz.h"

#include "base/alloc.h"
#include "decode/script_line.h"

#include <stdlib.h>

static void read_line(const uint8_t *bytes, size_t length)
{
	char *line = xcalloc(length + 1, 1);
	struct event event = {.kind = EVENT_GAP};
	struct quality quality = {.events = 0};
	struct line_reading reading = {
		.state = xcalloc(1, script_line_layout.state_bytes + 1),
		.quality = &quality,
	};

	memcpy(line, bytes, length);
	if (script_line_layout.parse(&reading, &event, line, length) == LINE_EVENT) {
		assert(event.kind <= EVENT_TASK && event.state < STATE_COUNT);
		assert(event.cpu >= -1 && event.pid >= -1 && event.tid >= -1 && event.other >= -1);
		assert(memchr(event.comm, '\0', COMM_SIZE));
		assert(memchr(event.other_comm, '\0', COMM_SIZE));
	}
	free(reading.state);
	free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	const uint8_t *newline = memchr(bytes, '\n', length);

	if (length >= 8 && memcmp(bytes, "PERFILE2", 8) == 0)
		return 0; /* for the other fuzzer */
	read_line(bytes, newline ? (size_t)(newline - bytes) : length);
	read_bytes(bytes, length);
	return 0;
}
