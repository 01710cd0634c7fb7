/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a trace, of whatever layout, of which blocks are scored. */
#include "fuzz.h"

#include "base/input.h"
#include "decode/event_source.h"
#include "rdam_check.h"
#include "trace_check.h"

#include <unistd.h>

FUZZ_LEAKS_OF_LIBTRACEEVENT;
FUZZ_MUTATOR(SEED_TEXT);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct err why = {""}, err = {""};
	char path[64];
	int fd = trace_check_file(bytes, length, path);
	struct input *input = input_open(path, &why);
	struct event_source *source = input ? event_source_open(input, &why) : NULL;

	if (source)
		fuzz_check(rdam_check_trace(source, &err) < 0, &err);
	event_source_free(source);
	close(fd);
	return 0;
}
