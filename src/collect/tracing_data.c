/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/tracing_data.h"

#include "base/alloc.h"
#include "collect/put.h"
#include "collect/tracefs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void put_string(FILE *out, const char *text)
{
	put_bytes(out, text, strlen(text) + 1);
}

/* The file `path` of tracefs with its size in front. */
static int put_file(FILE *out, const char *root, const char *path, struct err *err)
{
	size_t length;
	char *text = tracefs_read(root, path, &length, err);

	if (!text)
		return -1;
	put_u64(out, length);
	put_bytes(out, text, length);
	free(text);
	return 0;
}

static void put_preamble(FILE *out)
{
	static const char magic[] = {23, 8, 68, 't', 'r', 'a', 'c', 'i', 'n', 'g'};

	put_bytes(out, magic, sizeof(magic));
	put_string(out, "0.6");
	put_u8(out, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	put_u8(out, sizeof(long));
	put_u32(out, (uint32_t)sysconf(_SC_PAGESIZE));
}

static int put_formats(FILE *out, const char *root, const char *system, const char *const *events,
		       size_t count, struct err *err)
{
	put_u32(out, 1);
	put_string(out, system);
	put_u32(out, (uint32_t)count);
	for (size_t i = 0; i < count; i++) {
		char *path = xasprintf("events/%s/%s/format", system, events[i]);
		int rc = put_file(out, root, path, err);

		free(path);
		if (rc)
			return -1;
	}
	return 0;
}

int tracing_data_write(FILE *out, const char *root, const char *system, const char *const *events,
		       size_t count, struct err *err)
{
	put_preamble(out);
	put_string(out, "header_page");
	if (put_file(out, root, "events/header_page", err))
		return -1;
	put_string(out, "header_event");
	if (put_file(out, root, "events/header_event", err))
		return -1;
	put_u32(out, 0);
	if (put_formats(out, root, system, events, count, err))
		return -1;
	put_u32(out, 0);
	put_u32(out, 0);
	put_u64(out, 0);
	return 0;
}
