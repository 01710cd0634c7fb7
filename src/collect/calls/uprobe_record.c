/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/calls/calls_private.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The layout of payloads (kernel/trace/trace_probe.h): the common fields, __probe_ip of an entry,
 * or __probe_func and __probe_ret_ip of a return, and the fetched values in a row.
 */
static const struct {
	const char *system, *addresses, *print, *values;
	size_t fetched; /* offset of the fetched values */
} sides[UPROBE_SIDES] = {
	[UPROBE_ENTER] = {"pscal_enter",
			  "\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n",
			  "(%lx)", "REC->__probe_ip", 16},
	[UPROBE_LEAVE] = {"pscal_leave",
			  "\tfield:unsigned long __probe_func;\toffset:8;\tsize:8;\tsigned:0;\n"
			  "\tfield:unsigned long __probe_ret_ip;\toffset:16;\tsize:8;\tsigned:0;\n",
			  "(%lx <- %lx)", "REC->__probe_func, REC->__probe_ret_ip", 24},
};

const char *uprobe_record_system(enum uprobe_side side)
{
	return sides[side].system;
}

/* Writes the name of a field: "arg1", ... */
static void name_of(char name[8], enum uprobe_side side, unsigned number)
{
	if (side == UPROBE_LEAVE)
		strcpy(name, "ret");
	else
		snprintf(name, 8, "arg%u", number % 10 + 1);
}

static unsigned values_of(enum uprobe_side side, unsigned arguments)
{
	return side == UPROBE_LEAVE ? 1 : arguments;
}

char *uprobe_record_fetches(enum uprobe_side side, size_t place, unsigned arguments)
{
	char *text = xasprintf("block=\\%zu:u64", place), name[8];

	for (unsigned i = 0; i < values_of(side, arguments); i++) {
		name_of(name, side, i);
		xappend(&text, " ", "%s=%s:s64", name,
			side == UPROBE_LEAVE ? "$retval" : uprobes_argument(i));
	}
	return text;
}

size_t uprobe_record_place(enum uprobe_side side, const uint8_t *raw, size_t size)
{
	uint64_t place;

	if (size < sides[side].fetched + sizeof(place))
		return SIZE_MAX;
	memcpy(&place, raw + sides[side].fetched, sizeof(place));
	return (size_t)place;
}

size_t uprobe_record_rewrite(uint8_t out[UPROBE_RECORD_MAX], enum uprobe_side side, uint16_t type,
			     const uint8_t *raw, size_t size, unsigned arguments)
{
	size_t head = sides[side].fetched, from = head + sizeof(uint64_t);
	size_t bytes = values_of(side, arguments) * sizeof(uint64_t);

	memset(out, 0, UPROBE_RECORD_MAX);
	memcpy(out, raw, head);
	memcpy(out, &type, sizeof(type));
	if (size < from + bytes)
		bytes = size - from;
	memcpy(out + head, raw + from, bytes);
	return head + values_of(side, arguments) * sizeof(uint64_t) + 4;
}

void uprobe_record_head(FILE *out, const char *event, enum uprobe_side side, uint16_t type)
{
	fprintf(out,
		"name: %s\nID: %u\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n%s",
		event, type, sides[side].addresses);
}

char *uprobe_record_format(const char *event, enum uprobe_side side, uint16_t type,
			   unsigned arguments)
{
	char *text = NULL, name[8];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		abort();
	uprobe_record_head(out, event, side, type);
	for (unsigned i = 0; i < values_of(side, arguments); i++) {
		name_of(name, side, i);
		fprintf(out, "\tfield:s64 %s;\toffset:%zu;\tsize:8;\tsigned:1;\n", name,
			sides[side].fetched + i * sizeof(uint64_t));
	}
	fprintf(out, "\nprint fmt: \"%s", sides[side].print);
	for (unsigned i = 0; i < values_of(side, arguments); i++) {
		name_of(name, side, i);
		fprintf(out, " %s=%%Ld", name);
	}
	fprintf(out, "\", %s", sides[side].values);
	for (unsigned i = 0; i < values_of(side, arguments); i++) {
		name_of(name, side, i);
		fprintf(out, ", REC->%s", name);
	}
	fputc('\n', out);
	fclose(out);
	return text;
}
