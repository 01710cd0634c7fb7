/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/trace_input.h"

#include "base/err.h"
#include "base/io/input.h"
#include "decode/event/event_source.h"
#include "decode/kernel/perfdata_source.h"
#include "decode/text/text_source.h"
#include "perfdata/perfdata_reader.h"

#include <stdbool.h>
#include <string.h>

enum { LOOK_BYTES = 4096 };

struct input *trace_input_open(const char *path, enum input_owners owners, struct err *err)
{
	return perfdata_reader_open(path, owners, err);
}

/* Returns true for both versions of perf.data, in either byte order. */
static bool is_perfdata(const void *bytes, size_t length)
{
	return length >= 8 &&
	       (memcmp(bytes, "PERFILE2", 8) == 0 || memcmp(bytes, "2ELIFREP", 8) == 0 ||
		memcmp(bytes, "PERFFILE", 8) == 0);
}

struct event_source *trace_input_read(struct input *input, struct err *err)
{
	struct event_source *source = NULL;
	const void *bytes;
	size_t length = input_peek(input, &bytes, LOOK_BYTES);

	if (length > LOOK_BYTES)
		length = LOOK_BYTES;
	if (!length)
		err_set(err, "%s: is empty", input->name);
	else if (is_perfdata(bytes, length))
		source = perfdata_source_new(input, err);
	else
		source = text_source_new(input, bytes, length, err);
	if (!source)
		input_close(input);
	return source;
}
