/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/calls/calls_private.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

/* Offsets behind the common fields and __probe_ip; the kernel has the number of the kind there. */
enum { COMMON_SIZE = 8, OBJECT_AT = 16, MORE_AT = 24 };

static const struct {
	unsigned argument; /* index of the function's argument that follows the object */
	size_t size;
	const char *field, *print, *value;
} more[] = {
	[SYNC_OBJECT] = {0, 0, "", "", ""},
	[SYNC_OBJECT2] = {1, 8, "\tfield:u64 object2;\toffset:24;\tsize:8;\tsigned:0;\n",
			  " object2=0x%Lx", ", REC->object2"},
	[SYNC_COUNT] = {2, 4, "\tfield:u32 count;\toffset:24;\tsize:4;\tsigned:0;\n", " count=%u",
			", REC->count"},
};

/* Returns an argument in a payload of the kernel; 0: it is cut off. */
static uint64_t argument_in(const uint8_t *raw, size_t size, unsigned number)
{
	size_t at = OBJECT_AT + (1 + number) * sizeof(uint64_t);
	uint64_t value = 0;

	if (size >= at + sizeof(value))
		memcpy(&value, raw + at, sizeof(value));
	return value;
}

uint64_t sync_record_return(const uint8_t *raw, size_t size)
{
	return argument_in(raw, size, SYNC_ARGUMENTS);
}

/* Copies the arguments. Returns the size of the payload. */
static size_t put_arguments(uint8_t *out, enum sync_values values, const uint8_t *raw, size_t size)
{
	uint64_t object = argument_in(raw, size, 0);
	uint64_t second = argument_in(raw, size, more[values].argument);
	size_t used = MORE_AT + more[values].size;

	memcpy(out + OBJECT_AT, &object, sizeof(object));
	memcpy(out + MORE_AT, &second, more[values].size); /* the low half of it */
	return used % 8 ? used : used + 4;
}

size_t sync_record_rewrite(uint8_t *out, enum sync_values values, uint16_t type, const uint8_t *raw,
			   size_t size)
{
	bool is_system_call = values == SYNC_SYSTEM_CALL;
	size_t head = is_system_call ? COMMON_SIZE : OBJECT_AT;

	memset(out, 0, UPROBE_RECORD_MAX);
	memcpy(out, raw, size < head ? size : head);
	memcpy(out, &type, sizeof(type));
	if (!is_system_call)
		return put_arguments(out, values, raw, size);
	memcpy(out + COMMON_SIZE, &(int32_t){SYS_sched_yield}, sizeof(int32_t));
	return OBJECT_AT + 4;
}

char *sync_record_format(const char *event, enum sync_values values, uint16_t type)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		abort();
	uprobe_record_head(out, event, UPROBE_ENTER, type);
	fprintf(out,
		"\tfield:u64 object;\toffset:16;\tsize:8;\tsigned:0;\n%s\n"
		"print fmt: \"(%%lx) object=0x%%Lx%s\", REC->__probe_ip, REC->object%s\n",
		more[values].field, more[values].print, more[values].value);
	fclose(out);
	return text;
}
