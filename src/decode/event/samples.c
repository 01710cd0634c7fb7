/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/event/samples.h"

#include "base/alloc.h"
#include "base/map.h"
#include "base/sorted.h"
#include "perfdata/byte_order.h"
#include "perfdata/sample.h"

#include <limits.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* --- Call chains --------------------------------------------------------------------------- */

void chains_release(struct chains *chains)
{
	map_release(&chains->numbers);
	free(chains->times_ns);
	*chains = (struct chains){0};
}

uint32_t chains_add(struct chains *chains, int32_t pid, uint64_t time_ns, const uint64_t *frames,
		    size_t count)
{
	uint64_t key[1 + CHAIN_FRAMES_MAX];
	uint32_t number;
	size_t size;

	if (!count)
		return 0;
	if (count > CHAIN_FRAMES_MAX)
		count = CHAIN_FRAMES_MAX;
	key[0] = (uint32_t)pid;
	memcpy(key + 1, frames, count * sizeof(*frames));
	size = (1 + count) * sizeof(*key);
	number = map_find(&chains->numbers, key, size);
	if (number != MAP_NONE)
		return number + 1;
	if (chains->count == CHAINS_MAX || count > CHAINS_FRAMES_MAX - chains->frame_count) {
		chains->dropped++;
		return 0;
	}
	map_add(&chains->numbers, key, size);
	chains->frame_count += count;
	array_reserve(&chains->times_ns, &chains->capacity, chains->count + 1);
	chains->times_ns[chains->count++] = time_ns;
	return (uint32_t)chains->count;
}

struct chain chains_get(const struct chains *chains, uint32_t number)
{
	const uint64_t *key;
	size_t size;

	if (!number || number > chains->count)
		return (struct chain){.pid = -1};
	key = map_key(&chains->numbers, number - 1, &size); /* each key is whole words */
	return (struct chain){(int32_t)*key, chains->times_ns[number - 1], key + 1,
			      size / sizeof(*key) - 1};
}

size_t chain_add_start(uint64_t *frames, size_t count, const struct sparse *routines,
		       const struct sample *sample)
{
	uint64_t routine = routines ? (uintptr_t)sparse_get(routines, (uint32_t)sample->tid) : 0;

	if (!count || !routines || (!routine && sample->tid != sample->pid))
		return count;
	frames[count] = CHAIN_BEGAN_WITH;
	frames[count + 1] = routine;
	return count + 2;
}

/* --- Samples ------------------------------------------------------------------------------- */

/* The bits of a chain's number in a row, enough for CHAINS_MAX. */
enum { CHAIN_MASK = (1 << 24) - 1 };

/* Fewer rows than ROWS_UNMERGED are not worth merging. Paths have some dozens of bytes each. */
enum { ROWS_UNMERGED = 4096, PATH_BYTES_MAX = 64 << 20 };

void samples_release(struct samples *samples)
{
	for (size_t i = 0; i < samples->map_count; i++)
		free(samples->maps[i].path);
	free(samples->maps);
	free(samples->root);
	free(samples->parents);
	free(samples->rows);
	map_release(&samples->probes);
	*samples = (struct samples){0};
}

/* --- Probes --------------------------------------------------------------------------------- */

void samples_note_probe(struct samples *samples, int32_t pid, uint64_t ip)
{
	const uint64_t key[] = {(uint32_t)pid, ip};

	map_add(&samples->probes, key, sizeof(key));
}

/* The breakpoint of x86 has one byte: until the kernel acts, the thread is one byte behind it. */
bool samples_at_probe(const struct samples *samples, const struct sampled *row)
{
	const uint64_t at[] = {(uint32_t)row->pid, row->ip};
	const uint64_t behind[] = {(uint32_t)row->pid, row->ip - 1};

	return map_find(&samples->probes, at, sizeof(at)) != MAP_NONE ||
	       map_find(&samples->probes, behind, sizeof(behind)) != MAP_NONE;
}

/* --- Rows ---------------------------------------------------------------------------------- */

static int compare_rows(const void *a, const void *b)
{
	const struct sampled *one = a, *other = b;

	return compare_values(one->pid, other->pid)
		       ?: compare_values(one->tid, other->tid)
		       ?: compare_values(one->mode, other->mode)
		       ?: compare_values(one->chain, other->chain)
		       ?: compare_values(one->ip, other->ip);
}

static void merge_rows(struct samples *samples)
{
	struct sampled *rows = samples->rows;
	size_t kept = 0;

	qsort(rows, samples->row_count, sizeof(*rows), compare_rows);
	for (size_t i = 1; i < samples->row_count; i++) {
		if (compare_rows(&rows[kept], &rows[i]) ||
		    rows[kept].count > UINT32_MAX - rows[i].count) {
			rows[++kept] = rows[i];
			continue;
		}
		rows[kept].count += rows[i].count;
		if (rows[i].time_ns < rows[kept].time_ns)
			rows[kept].time_ns = rows[i].time_ns;
	}
	samples->row_count = samples->merged = kept + 1;
}

static enum quality_fact add_row(struct samples *samples, const struct sampled *row)
{
	size_t count = samples->row_count;

	if (samples->may_merge && count == SAMPLES_ROWS_MAX)
		samples->timed = false;
	/* A merge waits for as many new rows as old ones: the cost of a sample stays constant. */
	if (!samples->timed && count >= ROWS_UNMERGED && count >= 2 * samples->merged)
		merge_rows(samples);
	if (samples->row_count == SAMPLES_ROWS_MAX)
		return QUALITY_DROPPED_SAMPLES;
	array_reserve(&samples->rows, &samples->row_capacity, samples->row_count + 1);
	samples->rows[samples->row_count++] = *row;
	return QUALITY_EVENTS;
}

/* Returns true for a clock. The upper half of a hardware event holds the kind of PMU. */
static bool is_clock(const struct perf_event_attr *attr)
{
	if (attr->type == PERF_TYPE_HARDWARE)
		return (attr->config & UINT32_MAX) == PERF_COUNT_HW_CPU_CYCLES;
	return attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
						    attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

bool samples_attr_is_clock(const struct perf_event_attr *attr)
{
	const uint64_t needed = PERF_SAMPLE_IP | PERF_SAMPLE_TID;

	return is_clock(attr) && (attr->sample_type & needed) == needed;
}

/* Returns the time between samples; 0: not known, as the rate of cycles is not recorded. */
static uint64_t tick_of(const struct perf_event_attr *attr)
{
	if (attr->freq)
		return attr->sample_freq ? 1000000000 / attr->sample_freq : 0;
	return attr->type == PERF_TYPE_SOFTWARE ? attr->sample_period : 0;
}

/* Returns true for events of the first clock: two clocks would count a thread twice. */
static bool is_taken(struct samples *samples, const struct perf_event_attr *attr)
{
	if (!samples->has_clock) {
		samples->tick_ns = tick_of(attr);
		samples->has_clock = true;
		samples->type = attr->type;
		samples->config = attr->config & UINT32_MAX;
	}
	return samples->type == attr->type && samples->config == (attr->config & UINT32_MAX);
}

static void take_chain(struct sampled *row, const struct samples *samples,
		       const struct sample *sample)
{
	uint64_t frames[CHAIN_FRAMES_MAX];
	size_t count = sample_user_chain(frames, CHAIN_FRAMES_MAX - 2, sample);

	if (!count)
		return;
	if (row->mode == SAMPLED_KERNEL)
		row->ip = frames[0];
	if (count > samples->chain_frames)
		count = samples->chain_frames;
	else if (samples->chain_frames == CHAIN_FRAMES_MAX)
		count = chain_add_start(frames, count, samples->routines, sample);
	row->chain = chains_add(samples->chains, sample->pid, sample->time_ns, frames, count) &
		     CHAIN_MASK;
}

enum quality_fact samples_add(struct samples *samples, const struct perf_event_attr *attr,
			      const struct sample *sample, uint16_t misc, const char *body)
{
	bool user = (misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER;
	struct sampled row = {
		.pid = sample->pid,
		.tid = sample->tid,
		.time_ns = sample->time_ns,
		.count = 1,
		.mode = user ? SAMPLED_USER : SAMPLED_KERNEL,
	};

	if (!samples_attr_is_clock(attr))
		return QUALITY_EVENTS;
	if (!is_taken(samples, attr))
		return QUALITY_SECOND_CLOCK;
	/* Thread 0 is the idle thread of a CPU, which runs in the kernel. */
	if (sample->tid <= 0)
		return sample->tid || user ? QUALITY_NAMELESS_SAMPLES : QUALITY_EVENTS;
	if (user)
		memcpy(&row.ip, body + (attr->sample_type & PERF_SAMPLE_IDENTIFIER ? 8 : 0),
		       sizeof(row.ip));
	if (samples->chains && sample->chain_length)
		take_chain(&row, samples, sample);
	return add_row(samples, &row);
}

/* --- Mappings ------------------------------------------------------------------------------ */

/* Returns the path, or NULL for anonymous memory, mappings of the kernel, and too long paths. */
static char *path_of(const char *name, size_t length)
{
	if (!length || name[0] != '/' || (length > 1 && name[1] == '/') ||
	    !memchr(name, '\0', length < PATH_MAX ? length : PATH_MAX))
		return NULL;
	return xstrdup(name);
}

static bool is_stack(const char *name, size_t length)
{
	static const char stack[] = "[stack:";

	return length > sizeof(stack) && memcmp(name, stack, sizeof(stack) - 1) == 0;
}

static bool is_vdso(const char *name, size_t length)
{
	static const char vdso[] = "[vdso]";

	return length >= sizeof(vdso) && memcmp(name, vdso, sizeof(vdso)) == 0;
}

static void add_map(struct samples *samples, const struct mapped *map)
{
	array_reserve(&samples->maps, &samples->map_capacity, samples->map_count + 1);
	samples->maps[samples->map_count++] = *map;
}

static void take_inode(struct mapped *map, struct byte_cursor *cursor)
{
	byte_cursor_u64(cursor);
	map->inode = byte_cursor_u64(cursor);
	byte_cursor_u64(cursor);
}

/* Reads u8 size, 3 unused bytes, and 20 bytes of build id. */
static void take_build_id(struct mapped *map, struct byte_cursor *cursor)
{
	const char *bytes = byte_cursor_take(cursor, 4 + sizeof(map->build_id));

	if (!bytes || (uint8_t)bytes[0] > sizeof(map->build_id))
		return;
	map->build_id_size = (uint8_t)bytes[0];
	memcpy(map->build_id, bytes + 4, map->build_id_size);
}

/*
 * The body is u32 pid, tid; u64 address, length, offset; char name[]. MMAP2 has before the name u32
 * major, minor; u64 inode, generation, or a build id instead of these four; then u32 prot, flags.
 */
int samples_map(struct samples *samples, uint32_t type, uint16_t misc, uint64_t time_ns,
		const char *body, size_t length)
{
	struct byte_cursor cursor = {.at = body, .left = length};
	struct mapped map = {.time_ns = time_ns};
	bool is_code = !(misc & PERF_RECORD_MISC_MMAP_DATA);
	int32_t tid;

	map.pid = (int32_t)byte_cursor_u32(&cursor);
	tid = (int32_t)byte_cursor_u32(&cursor);
	map.begin = byte_cursor_u64(&cursor);
	map.end = map.begin + byte_cursor_u64(&cursor);
	map.offset = byte_cursor_u64(&cursor);
	if (type == PERF_RECORD_MMAP2) {
		if (misc & PERF_RECORD_MISC_MMAP_BUILD_ID)
			take_build_id(&map, &cursor);
		else
			take_inode(&map, &cursor);
		is_code &= (byte_cursor_u32(&cursor) & PROT_EXEC) != 0;
		byte_cursor_u32(&cursor);
	}
	if (cursor.short_of)
		return -1;
	if (!is_code && tid > 0 && samples->stack_count < SAMPLES_STACKS_MAX &&
	    is_stack(cursor.at, cursor.left)) {
		map.stack_of = tid;
		samples->stack_count++;
	}
	if ((!is_code && !map.stack_of) || map.pid <= 0 || map.end < map.begin ||
	    samples->map_count == SAMPLES_MAPS_MAX || samples->path_bytes > PATH_BYTES_MAX)
		return 0;
	map.path = path_of(cursor.at, cursor.left);
	map.is_vdso = is_code && is_vdso(cursor.at, cursor.left);
	samples->path_bytes += map.path ? strlen(map.path) : 0;
	add_map(samples, &map);
	return 0;
}

void samples_fork(struct samples *samples, int32_t pid, int32_t parent, uint64_t time_ns)
{
	if (pid == parent || samples->parent_count == SAMPLES_MAPS_MAX)
		return;
	array_reserve(&samples->parents, &samples->parent_capacity, samples->parent_count + 1);
	samples->parents[samples->parent_count++] = (struct parentage){pid, parent, time_ns};
}

void samples_set_root(struct samples *samples, const char *root)
{
	free(samples->root);
	samples->root = xstrdup(root);
	for (size_t i = 0; i < samples->map_count; i++) {
		struct mapped *map = &samples->maps[i];
		char *below;

		if (!map->path)
			continue;
		below = xasprintf("%s%s", root, map->path);
		free(map->path);
		map->path = below;
		map->inode = 0; /* the inode on the other machine */
	}
}
