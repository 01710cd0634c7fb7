/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/recording/tracing_data.h"

#include "base/alloc.h"
#include "collect/kernel/tracefs.h"
#include "perfdata/put.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void put_string(FILE *out, const char *text)
{
	put_bytes(out, text, strlen(text) + 1);
}

/* A text with its size in front. */
static void put_text(FILE *out, const char *text, size_t length)
{
	put_u64(out, length);
	put_bytes(out, text, length);
}

/*
 * The file `path` of tracefs. Without tracefs it is empty: readers take what tells how the ring is
 * laid out from their own machine then, and need none of it for the records of a perf.data file.
 */
static int put_file(FILE *out, const char *root, const char *path, struct err *err)
{
	size_t length = 0;
	char *text = root ? tracefs_read(root, path, &length, err) : NULL;

	if (root && !text)
		return -1;
	put_text(out, text, length);
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

/* How many of them are of the system of the first one. */
static size_t same_system(const struct traced_event *events, size_t count)
{
	size_t same = 1;

	while (same < count && strcmp(events[same].system, events[0].system) == 0)
		same++;
	return same;
}

/* A system has the events that stand next to one another; readers take it twice, too. */
static uint32_t count_systems(const struct traced_event *events, size_t count)
{
	uint32_t systems = 0;

	for (size_t i = 0; i < count; i += same_system(events + i, count - i))
		systems++;
	return systems;
}

static int put_event(FILE *out, const char *root, const struct traced_event *event, struct err *err)
{
	char *path;
	int rc;

	if (event->text) {
		put_text(out, event->text, strlen(event->text));
		return 0;
	}
	path = xasprintf("events/%s/%s/format", event->group, event->name);
	rc = put_file(out, root, path, err);
	free(path);
	return rc;
}

static int put_system(FILE *out, const char *root, const struct traced_event *events, size_t count,
		      struct err *err)
{
	put_string(out, events->system);
	put_u32(out, (uint32_t)count);
	for (size_t i = 0; i < count; i++)
		if (put_event(out, root, &events[i], err))
			return -1;
	return 0;
}

static int put_systems(FILE *out, const char *root, const struct traced_event *events, size_t count,
		       struct err *err)
{
	put_u32(out, count_systems(events, count));
	for (size_t i = 0; i < count;) {
		size_t same = same_system(events + i, count - i);

		if (put_system(out, root, events + i, same, err))
			return -1;
		i += same;
	}
	return 0;
}

int tracing_data_write(FILE *out, const char *root, const struct traced_event *events, size_t count,
		       struct err *err)
{
	put_preamble(out);
	put_string(out, "header_page");
	if (put_file(out, root, "events/header_page", err))
		return -1;
	put_string(out, "header_event");
	if (put_file(out, root, "events/header_event", err))
		return -1;
	put_u32(out, 0);
	if (put_systems(out, root, events, count, err))
		return -1;
	put_u32(out, 0);
	put_u32(out, 0);
	put_u64(out, 0);
	return 0;
}
