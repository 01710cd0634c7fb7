/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/event/counts.h"

#include "base/alloc.h"
#include "base/sorted.h"
#include "perfdata/byte_order.h"
#include "perfdata/sample.h"

#include <stdlib.h>
#include <string.h>

struct counter_id {
	uint64_t id;
	size_t counter;
};

/* Far above the events of a PMU: a larger group is damaged, more unnamed events share a counter. */
enum { GROUP_MAX = 256, UNNAMED_MAX = 256 };

void counts_release(struct counts *counts)
{
	for (size_t i = 0; i < counts->counter_count; i++)
		free(counts->counters[i].name);
	free(counts->counters);
	free(counts->rows);
	free(counts->ids);
	*counts = (struct counts){0};
}

/* --- The counter of an id ------------------------------------------------------------------ */

/* Returns the place of the first id that is not smaller. */
static size_t place_of(const struct counts *counts, uint64_t id)
{
	return find_first(i, 0, counts->id_count, counts->ids[i].id >= id);
}

static void add_id(struct counts *counts, uint64_t id, size_t counter)
{
	array_reserve(&counts->ids, &counts->id_capacity, counts->id_count + 1);
	counts->ids[counts->id_count++] = (struct counter_id){id, counter};
}

static int compare_ids(const void *a, const void *b)
{
	const struct counter_id *one = a, *other = b;

	return compare_values(one->id, other->id);
}

/* Takes ownership of `name`. */
static size_t add_counter(struct counts *counts, char *name, uint32_t type, uint64_t config)
{
	bool clock = type == PERF_TYPE_SOFTWARE &&
		     (config == PERF_COUNT_SW_TASK_CLOCK || config == PERF_COUNT_SW_CPU_CLOCK);

	array_reserve(&counts->counters, &counts->counter_capacity, counts->counter_count + 1);
	counts->counters[counts->counter_count] = (struct counter){name, type, config, clock};
	return counts->counter_count++;
}

/* Returns the counter of an event that no section names: its name is made of its numbers. */
static size_t unnamed_counter(struct counts *counts, const struct perf_event_attr *attr)
{
	size_t first = counts->counter_count - counts->unnamed;

	for (size_t i = first; i < counts->counter_count; i++)
		if (counts->counters[i].type == attr->type &&
		    counts->counters[i].config == attr->config)
			return i;
	if (counts->unnamed == UNNAMED_MAX)
		return counts->counter_count - 1;
	counts->unnamed++;
	return add_counter(
		counts,
		xasprintf("type %u config 0x%llx", attr->type, (unsigned long long)attr->config),
		attr->type, attr->config);
}

static size_t counter_of(struct counts *counts, uint64_t id, const struct perf_event_attr *attr)
{
	size_t place = place_of(counts, id);

	if (place < counts->id_count && counts->ids[place].id == id)
		return counts->ids[place].counter;
	return unnamed_counter(counts, attr);
}

/* Reads one event: attr, u32 ids, string, u64 for each id. A string is u32 size and bytes. */
static void name_one(struct counts *counts, struct byte_cursor *cursor, size_t attr_size)
{
	const char *attr = byte_cursor_take(cursor, attr_size);
	uint32_t id_count = byte_cursor_u32(cursor);
	size_t length = byte_cursor_u32(cursor), counter;
	const char *name = byte_cursor_take(cursor, length);
	uint64_t config;
	uint32_t type;

	if (cursor->short_of || id_count > cursor->left / sizeof(uint64_t)) {
		cursor->short_of = true;
		return;
	}
	memcpy(&type, attr + offsetof(struct perf_event_attr, type), sizeof(type));
	memcpy(&config, attr + offsetof(struct perf_event_attr, config), sizeof(config));
	counter = add_counter(counts, xasprintf("%.*s", (int)strnlen(name, length), name), type,
			      config);
	for (uint32_t i = 0; i < id_count; i++)
		add_id(counts, byte_cursor_u64(cursor), counter);
}

int counts_name(struct counts *counts, const char *bytes, size_t length)
{
	struct byte_cursor cursor = {.at = bytes, .left = length};
	uint32_t events = byte_cursor_u32(&cursor), attr_size = byte_cursor_u32(&cursor);

	counts->unnamed = 0;
	if (attr_size < PERF_ATTR_SIZE_VER0)
		return -1;
	for (uint32_t i = 0; i < events && !cursor.short_of; i++)
		name_one(counts, &cursor, attr_size);
	sort_items(counts->ids, counts->id_count, compare_ids);
	return cursor.short_of ? -1 : 0;
}

/* --- Values -------------------------------------------------------------------------------- */

static void take_times(struct byte_cursor *cursor, struct count *count, uint64_t format)
{
	const uint64_t both = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;

	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		count->enabled_ns = byte_cursor_u64(cursor);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		count->running_ns = byte_cursor_u64(cursor);
	count->has_times = (format & both) == both;
}

static void add_row(struct counts *counts, const struct count *count)
{
	array_reserve(&counts->rows, &counts->row_capacity, counts->row_count + 1);
	counts->rows[counts->row_count++] = *count;
}

/* Reads value, time enabled, time running, id: those that the format has, in this order. */
static int add_single(struct counts *counts, const struct perf_event_attr *attr, uint64_t id,
		      struct byte_cursor *cursor, struct count *count)
{
	count->value = byte_cursor_u64(cursor);
	take_times(cursor, count, attr->read_format);
	if (attr->read_format & PERF_FORMAT_ID)
		id = byte_cursor_u64(cursor);
	if (cursor->short_of)
		return -1;
	count->counter = counter_of(counts, id, attr);
	add_row(counts, count);
	return 0;
}

/* Reads the number of members, time enabled, time running, then for each member value, id, lost. */
static int add_group(struct counts *counts, const struct perf_event_attr *attr,
		     struct byte_cursor *cursor, struct count *count)
{
	bool has_lost = attr->read_format & SAMPLE_FORMAT_LOST;
	uint64_t members = byte_cursor_u64(cursor);
	size_t each = 8 * (2 + (size_t)has_lost);

	take_times(cursor, count, attr->read_format);
	if (cursor->short_of || !(attr->read_format & PERF_FORMAT_ID) || members > GROUP_MAX ||
	    members * each > cursor->left)
		return -1;
	for (uint64_t i = 0; i < members; i++) {
		count->value = byte_cursor_u64(cursor);
		count->counter = counter_of(counts, byte_cursor_u64(cursor), attr);
		if (has_lost)
			byte_cursor_u64(cursor);
		add_row(counts, count);
	}
	return 0;
}

int counts_add(struct counts *counts, const struct perf_event_attr *attr,
	       const struct sample *sample, const char *body, size_t length)
{
	struct byte_cursor cursor = {.at = body, .left = length};
	struct count count = {.time_ns = sample->time_ns};

	count.pid = (int32_t)byte_cursor_u32(&cursor);
	count.tid = (int32_t)byte_cursor_u32(&cursor);
	if (attr->read_format & PERF_FORMAT_GROUP)
		return add_group(counts, attr, &cursor, &count);
	return add_single(counts, attr, sample->id, &cursor, &count);
}
