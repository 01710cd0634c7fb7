/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/trace_input.h"

#include "base/err.h"
#include "base/io/input.h"
#include "decode/event/event_source.h"
#include "decode/kernel/perfdata_source.h"
#include "decode/text/enter_leave_source.h"
#include "decode/text/paje_source.h"
#include "decode/text/script_source.h"
#include "decode/text/timehist_source.h"
#include "perfdata/perfdata_reader.h"

#include <stdbool.h>
#include <string.h>

enum { LOOK_BYTES = 4096 };

/* What people may hand us by mistake, and what to do about it. */
static const struct {
	const char *magic;
	size_t length;
	const char *name;
	const char *advice;
} foreign[] = {
	{"\x17\x08\x44tracing", 10, "a trace-cmd file",
	 "give what 'trace-cmd report' prints of it"},
	{"\x7f"
	 "ELF",
	 4, "a program", "record it with: pscal record -- PROGRAM"},
	{"{", 1, "JSON", "give a perf.data file or the output of perf script"},
	{"[", 1, "JSON", "give a perf.data file or the output of perf script"},
};

/* A line of perf script without the thread begins with "[000]", which would be a strange list. */
static bool begins_with_cpu(const char *bytes, size_t length)
{
	size_t digits = 1;

	while (digits < length && bytes[digits] >= '0' && bytes[digits] <= '9')
		digits++;
	return length > digits + 1 && bytes[0] == '[' && digits > 3 && bytes[digits] == ']' &&
	       bytes[digits + 1] == ' ';
}

static int refuse_foreign(const struct input *input, const char *bytes, size_t length,
			  struct err *err)
{
	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
		if (length >= foreign[i].length &&
		    memcmp(bytes, foreign[i].magic, foreign[i].length) == 0 &&
		    !begins_with_cpu(bytes, length))
			return err_set(err, "%s: is %s, which cannot be read: %s", input->name,
				       foreign[i].name, foreign[i].advice);
	if (memchr(bytes, '\0', length))
		return err_set(err, "%s: is neither a perf.data file nor the text of perf script",
			       input->name);
	return 0;
}

struct input *trace_input_open(const char *path, enum input_owners owners, struct err *err)
{
	return perfdata_reader_open(path, owners, err);
}

/* Of either version and byte order. */
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
	else if (enter_leave_source_is(bytes, length))
		source = enter_leave_source_new(input);
	else if (paje_source_is(bytes, length))
		source = paje_source_new(input);
	else if (timehist_source_is(bytes, length))
		source = timehist_source_new(input);
	else if (!refuse_foreign(input, bytes, length, err))
		source = script_source_new(input);
	if (!source)
		input_close(input);
	return source;
}
