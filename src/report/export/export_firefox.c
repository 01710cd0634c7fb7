/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/export/export_trace.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/files.h"
#include "base/map.h"
#include "base/names.h"
#include "base/sorted.h"
#include "decode/event/event_source.h"
#include "report/report_embed.h"
#include "stats/spin/chain_functions.h"
#include "stats/spin/spin_table.h"
#include "stats/spin/symbol_finder.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * A profile in the processed format of the Firefox Profiler
 * (docs-developer/processed-profile-format.md and src/types/profile.ts there), version 62. Tables
 * are columns, and a thread has all of its markers in one place: so markers wait in a file until
 * the input ends.
 */
enum { FIREFOX_VERSION = 62, FIREFOX_GECKO_VERSION = 24 };

/* --- Markers until they are written ---------------------------------------------------------- */

/*
 * Records of many lists, which come in any order and are read list by list, in a file without a
 * name: only a block of each list is in memory. All records have the same size.
 */
enum { SPOOL_BLOCK_RECORDS = 64 };

/* A list. Its blocks are anywhere in the file; each begins with the place of the next one. */
struct spool_list {
	uint64_t count;
	off_t first, place; /* place of the first block, and of the block that is being filled */
	char *block;	    /* the place of the next block, and the records */
};

struct marker_spool {
	int fd;
	size_t record_size, block_size;
	off_t end;
	struct spool_list *lists;
	size_t list_count, list_capacity;
	int problem; /* errno of the first failure; 0: none */
};

static struct marker_spool *spool_new(size_t record_size, struct err *err)
{
	int fd = scratch_file_open(err);
	struct marker_spool *spool;

	if (fd < 0)
		return NULL;
	spool = xcalloc(1, sizeof(*spool));
	spool->fd = fd;
	spool->record_size = record_size;
	spool->block_size = sizeof(off_t) + SPOOL_BLOCK_RECORDS * record_size;
	return spool;
}

static void spool_free(struct marker_spool *spool)
{
	if (!spool)
		return;
	for (size_t i = 0; i < spool->list_count; i++)
		free(spool->lists[i].block);
	free(spool->lists);
	close(spool->fd);
	free(spool);
}

static off_t take_place(struct marker_spool *spool)
{
	off_t place = spool->end;

	spool->end += (off_t)spool->block_size;
	return place;
}

static void write_block(struct marker_spool *spool, struct spool_list *list, off_t next)
{
	ssize_t written;

	memcpy(list->block, &next, sizeof(next));
	errno = ENOSPC;
	written = pwrite(spool->fd, list->block, spool->block_size, list->place);
	if (written != (ssize_t)spool->block_size && !spool->problem)
		spool->problem = errno;
	list->place = next;
}

static void spool_add(struct marker_spool *spool, size_t number, const void *record)
{
	struct spool_list *list;

	array_reserve(&spool->lists, &spool->list_capacity, number + 1);
	if (number >= spool->list_count)
		spool->list_count = number + 1;
	list = &spool->lists[number];
	if (!list->block) {
		list->block = xcalloc(1, spool->block_size);
		list->first = list->place = take_place(spool);
	} else if (list->count % SPOOL_BLOCK_RECORDS == 0) {
		write_block(spool, list, take_place(spool));
	}
	memcpy(list->block + sizeof(off_t) + list->count % SPOOL_BLOCK_RECORDS * spool->record_size,
	       record, spool->record_size);
	list->count++;
}

static int spool_check(const struct marker_spool *spool, struct err *err)
{
	if (!spool->problem)
		return 0;
	return err_set(err, "a temporary file cannot be written: %s; TMPDIR names its directory",
		       strerror(spool->problem));
}

static uint64_t spool_count(const struct marker_spool *spool, size_t list)
{
	return list < spool->list_count ? spool->lists[list].count : 0;
}

static int read_block(const struct marker_spool *spool, char *block, off_t place, struct err *err)
{
	if (pread(spool->fd, block, spool->block_size, place) == (ssize_t)spool->block_size)
		return 0;
	return err_set(err, "a temporary file cannot be read: %s", strerror(errno));
}

static int spool_each(struct marker_spool *spool, size_t number,
		      void (*take)(void *context, const void *record), void *context,
		      struct err *err)
{
	uint64_t count = spool_count(spool, number);
	char *block = xcalloc(1, spool->block_size);
	off_t place = count ? spool->lists[number].first : 0;
	int rc = 0;

	for (uint64_t i = 0; i < count && !rc; i++) {
		size_t at = i % SPOOL_BLOCK_RECORDS;

		if (!at && place == spool->lists[number].place)
			memcpy(block, spool->lists[number].block, spool->block_size);
		else if (!at)
			rc = read_block(spool, block, place, err);
		if (rc)
			break;
		if (!at)
			memcpy(&place, block, sizeof(place));
		take(context, block + sizeof(off_t) + at * spool->record_size);
	}
	free(block);
	return rc;
}

enum category {
	IN_USER,
	IN_KERNEL,
	IN_OTHER,
	IN_RUN_QUEUE,
	IN_BLOCKED,
	IN_DISK,
	IN_UNKNOWN,
	IN_CODE
};

static const struct {
	const char *name, *colour;
} categories[] = {
	[IN_USER] = {"User code", "yellow"},
	[IN_KERNEL] = {"Kernel", "orange"},
	[IN_OTHER] = {"Other", "grey"},
	[IN_RUN_QUEUE] = {"Run queue", "red"},
	[IN_BLOCKED] = {"Blocked", "transparent"},
	[IN_DISK] = {"Disk", "blue"},
	[IN_UNKNOWN] = {"Unknown state", "grey"},
	[IN_CODE] = {"Functions and tasks", "green"},
};
enum { CATEGORIES = sizeof(categories) / sizeof(categories[0]) };

/* The phases of the profiler; start and end of one name match as they nest. */
enum marker_phase { PHASE_INTERVAL = 1, PHASE_BEGIN, PHASE_END };

/* A wait, or the start or end of a function or task. */
struct firefox_marker {
	enum marker_phase phase;
	uint64_t begin_ns, end_ns;
	uint32_t name; /* number in `strings` */
	uint32_t chain;
	enum category category;
};

/* A place in the code. Strings are names of functions, and functions are frames. */
struct firefox_frame {
	uint32_t name;
	enum category category;
};

struct firefox_stack {
	uint32_t prefix, frame; /* prefix: a stack, plus one; 0: none */
};

struct firefox_file {
	struct trace_walk walk;
	struct marker_spool *markers; /* [number of the thread] */
	struct map strings;
	struct map pids;
	const char **processes; /* [number of the pid]: name; borrowed */
	size_t process_capacity;
	struct map frame_numbers, stack_numbers;
	struct firefox_frame *frames;
	struct firefox_stack *stacks;
	size_t frame_count, frame_capacity, stack_count, stack_capacity;
	uint32_t *chain_stacks; /* [chain]: its stack, plus one; 0: not made yet */
	struct symbol_finder finder;
	struct trace_thread *threads; /* copies of threads with their names, at the end */
	size_t thread_count, thread_capacity;
	const struct sampled **samples; /* samples by thread and time; borrowed */
	size_t *sample_ends;		/* [thread]: end of its samples */
};

/* --- Strings, frames and stacks ------------------------------------------------------------- */

static uint32_t firefox_string(struct firefox_file *firefox, const char *text)
{
	return map_add(&firefox->strings, text, strlen(text));
}

static uint32_t frame_of(struct firefox_file *firefox, const char *text, enum category category)
{
	uint32_t name = firefox_string(firefox, text);
	uint32_t number =
		map_add_u64(&firefox->frame_numbers, (uint64_t)name << 8 | (uint64_t)category);

	if (number == firefox->frame_count) {
		array_reserve(&firefox->frames, &firefox->frame_capacity, firefox->frame_count + 1);
		firefox->frames[firefox->frame_count++] = (struct firefox_frame){name, category};
	}
	return number;
}

/* Returns the stack of a frame and its callers. `prefix` and the result are numbers plus one. */
static uint32_t stack_of(struct firefox_file *firefox, uint32_t prefix, uint32_t frame)
{
	uint32_t number = map_add_u64(&firefox->stack_numbers, (uint64_t)prefix << 32 | frame);

	if (number == firefox->stack_count) {
		array_reserve(&firefox->stacks, &firefox->stack_capacity, firefox->stack_count + 1);
		firefox->stacks[firefox->stack_count++] = (struct firefox_stack){prefix, frame};
	}
	return number + 1;
}

struct chain_frames {
	struct firefox_file *firefox;
	uint32_t frames[CHAIN_FRAMES_MAX];
	size_t count;
};

static bool take_function(void *context, const struct symbol *symbol)
{
	struct chain_frames *taken = context;
	const char *slash = strrchr(symbol->path, '/');
	char *name = symbol->function ? demangle_or_copy(symbol->function)
				      : xasprintf("%s+0x%" PRIx64, slash ? slash + 1 : symbol->path,
						  symbol->offset);

	name[demangled_length(name)] = '\0';
	taken->frames[taken->count++] = frame_of(taken->firefox, name, IN_USER);
	free(name);
	return taken->count < CHAIN_FRAMES_MAX;
}

static uint32_t stack_of_frames(const struct chain_frames *taken)
{
	uint32_t stack = 0;

	for (size_t i = taken->count; i--;)
		stack = stack_of(taken->firefox, stack, taken->frames[i]);
	return stack;
}

/* Returns the number of the stack, plus one; 0: none of its functions is known. */
static uint32_t stack_of_chain(struct firefox_file *firefox, uint32_t number)
{
	const struct chain chain = chains_get(&firefox->walk.source->chains, number);
	struct chain_frames taken = {.firefox = firefox};

	if (!chain.count)
		return 0;
	if (!firefox->chain_stacks[number]) {
		chain_functions(&firefox->finder, &chain, take_function, &taken);
		firefox->chain_stacks[number] = stack_of_frames(&taken) + 1;
	}
	return firefox->chain_stacks[number] - 1;
}

static uint32_t stack_of_sample(struct firefox_file *firefox, const struct sampled *row)
{
	struct chain_frames taken = {.firefox = firefox};
	struct symbol symbol;
	uint32_t stack = stack_of_chain(firefox, row->chain);

	if (!stack && row->ip &&
	    symbol_finder_find(&symbol, &firefox->finder, row->pid, row->ip, row->time_ns)) {
		take_function(&taken, &symbol);
		stack = stack_of_frames(&taken);
	}
	if (row->mode == SAMPLED_KERNEL)
		stack = stack_of(firefox, stack, frame_of(firefox, "[kernel]", IN_KERNEL));
	return stack ?: stack_of(firefox, 0, frame_of(firefox, "[unknown]", IN_OTHER));
}

/* --- Calls of the walk --------------------------------------------------------------------- */

static enum category category_of(const struct trace_slice *slice)
{
	if (slice->lane == LANE_CODE)
		return IN_CODE;
	if (slice->state == STATE_RUNNABLE)
		return IN_RUN_QUEUE;
	if (slice->state == STATE_DISK)
		return IN_DISK;
	return slice->state >= STATE_INACTIVE ? IN_BLOCKED : IN_UNKNOWN;
}

static void add_marker(struct trace_walk *walk, const struct trace_slice *slice,
		       enum marker_phase phase)
{
	struct firefox_file *firefox = (struct firefox_file *)walk;
	const struct firefox_marker marker = {
		.phase = phase,
		.begin_ns = slice->begin_ns,
		.end_ns = slice->end_ns,
		.name = firefox_string(firefox, slice->name),
		.chain = slice->chain,
		.category = category_of(slice),
	};

	spool_add(firefox->markers, slice->thread->number, &marker);
}

/* Adds a marker for a state other than running, which samples show. */
static void firefox_slice(struct trace_walk *walk, const struct trace_slice *slice)
{
	if (slice->state != STATE_RUNNING)
		add_marker(walk, slice, PHASE_INTERVAL);
}

static void firefox_code(struct trace_walk *walk, const struct trace_slice *slice, bool begins)
{
	add_marker(walk, slice, begins ? PHASE_BEGIN : PHASE_END);
}

static void firefox_process(struct trace_walk *walk, int32_t pid, const char *name)
{
	struct firefox_file *firefox = (struct firefox_file *)walk;
	uint32_t number = map_add_u64(&firefox->pids, (uint32_t)pid);

	array_reserve(&firefox->processes, &firefox->process_capacity, (size_t)number + 1);
	firefox->processes[number] = name;
}

static void firefox_thread(struct trace_walk *walk, const struct trace_thread *thread)
{
	struct firefox_file *firefox = (struct firefox_file *)walk;

	array_reserve(&firefox->threads, &firefox->thread_capacity, firefox->thread_count + 1);
	firefox->threads[firefox->thread_count++] = *thread;
}

/* --- Samples ------------------------------------------------------------------------------- */

struct placed_sample {
	size_t thread;
	const struct sampled *row;
};

static int by_thread_and_time(const void *a, const void *b)
{
	const struct placed_sample *one = a, *other = b;

	return compare_values(one->thread, other->thread)
		       ?: compare_values(one->row->time_ns, other->row->time_ns);
}

static void sort_samples(struct firefox_file *firefox, uint64_t begin_ns)
{
	const struct samples *samples = &firefox->walk.source->samples;
	struct counted_thread *threads = xcalloc(firefox->thread_count, sizeof(*threads));
	struct placed_sample *placed = xcalloc(samples->row_count, sizeof(*placed));
	struct thread_finder finder;
	size_t count = 0;

	for (size_t i = 0; i < firefox->thread_count; i++)
		threads[i] =
			(struct counted_thread){firefox->threads[i].tid, firefox->threads[i].pid,
						firefox->threads[i].begin_ns + begin_ns};
	thread_finder_init(&finder, threads, firefox->thread_count);
	for (size_t i = 0; i < samples->row_count; i++) {
		const struct sampled *row = &samples->rows[i];
		ptrdiff_t thread = thread_finder_find(&finder, row->tid, row->time_ns);

		if (thread >= 0)
			placed[count++] = (struct placed_sample){(size_t)thread, row};
	}
	sort_items(placed, count, by_thread_and_time);
	firefox->samples = xcalloc(count, sizeof(*firefox->samples));
	firefox->sample_ends = xcalloc(firefox->thread_count, sizeof(*firefox->sample_ends));
	for (size_t i = 0, t = 0; t < firefox->thread_count; t++) {
		for (; i < count && placed[i].thread == t; i++)
			firefox->samples[i] = placed[i].row;
		firefox->sample_ends[t] = i;
	}
	thread_finder_release(&finder);
	free(placed);
	free(threads);
}

/* --- Writing ------------------------------------------------------------------------------- */

/* Writes "KEY":[...] with `count` elements by `put`. */
static void put_column(struct firefox_file *firefox, const char *key, size_t count,
		       void (*put)(struct firefox_file *firefox, size_t i))
{
	FILE *out = firefox->walk.file.out;

	fprintf(out, "\"%s\":[", key);
	for (size_t i = 0; i < count; i++) {
		if (i)
			putc(',', out);
		put(firefox, i);
	}
	fputs("],", out);
}

static void put_null(struct firefox_file *firefox, size_t i)
{
	(void)i;
	fputs("null", firefox->walk.file.out);
}

static void put_zero(struct firefox_file *firefox, size_t i)
{
	(void)i;
	putc('0', firefox->walk.file.out);
}

static void put_minus_one(struct firefox_file *firefox, size_t i)
{
	(void)i;
	fputs("-1", firefox->walk.file.out);
}

static void put_false(struct firefox_file *firefox, size_t i)
{
	(void)i;
	fputs("false", firefox->walk.file.out);
}

static void put_number(struct firefox_file *firefox, size_t i)
{
	fprintf(firefox->walk.file.out, "%zu", i);
}

static void put_frame_name(struct firefox_file *firefox, size_t i)
{
	fprintf(firefox->walk.file.out, "%" PRIu32, firefox->frames[i].name);
}

static void put_frame_category(struct firefox_file *firefox, size_t i)
{
	fprintf(firefox->walk.file.out, "%d", (int)firefox->frames[i].category);
}

static void put_stack_frame(struct firefox_file *firefox, size_t i)
{
	fprintf(firefox->walk.file.out, "%" PRIu32, firefox->stacks[i].frame);
}

static void put_stack_prefix(struct firefox_file *firefox, size_t i)
{
	if (firefox->stacks[i].prefix)
		fprintf(firefox->walk.file.out, "%" PRIu32, firefox->stacks[i].prefix - 1);
	else
		put_null(firefox, i);
}

static void put_string(struct firefox_file *firefox, size_t i)
{
	size_t length;
	const char *bytes = map_key(&firefox->strings, (uint32_t)i, &length);
	char *text = xasprintf("%.*s", (int)length, bytes);

	report_put_json(firefox->walk.file.out, text);
	free(text);
}

struct firefox_column {
	const char *key;
	void (*put)(struct firefox_file *firefox, size_t i);
};

/* Writes a table of `count` rows, and a comma. */
static void put_table(struct firefox_file *firefox, const char *key,
		      const struct firefox_column *columns, size_t count)
{
	fprintf(firefox->walk.file.out, "\"%s\":{", key);
	for (; columns->key; columns++)
		put_column(firefox, columns->key, count, columns->put);
	fprintf(firefox->walk.file.out, "\"length\":%zu},\n", count);
}

static const struct firefox_column frame_columns[] = {
	{"address", put_minus_one},
	{"inlineDepth", put_zero},
	{"category", put_frame_category},
	{"subcategory", put_zero},
	{"func", put_number},
	{"nativeSymbol", put_null},
	{"innerWindowID", put_zero},
	{"line", put_null},
	{"column", put_null},
	{NULL, NULL},
};

static const struct firefox_column function_columns[] = {
	{"isJS", put_false},	    {"relevantForJS", put_false},
	{"name", put_frame_name},   {"resource", put_minus_one},
	{"source", put_null},	    {"lineNumber", put_null},
	{"columnNumber", put_null}, {NULL, NULL},
};

static const struct firefox_column stack_columns[] = {
	{"frame", put_stack_frame}, {"prefix", put_stack_prefix}, {NULL, NULL}};
static void put_shared(struct firefox_file *firefox)
{
	FILE *out = firefox->walk.file.out;

	fputs("\"shared\":{", out);
	put_table(firefox, "frameTable", frame_columns, firefox->frame_count);
	put_table(firefox, "funcTable", function_columns, firefox->frame_count);
	put_table(firefox, "stackTable", stack_columns, firefox->stack_count);
	/* These tables are empty, but the format requires each of their columns. */
	fputs("\"nativeSymbols\":{\"address\":[],\"functionSize\":[],\"libIndex\":[],\"name\":[],"
	      "\"length\":0},\n\"resourceTable\":{\"host\":[],\"lib\":[],\"name\":[],\"type\":[],"
	      "\"length\":0},\n\"sources\":{\"filename\":[],\"id\":[],\"sourceMapURL\":[],"
	      "\"startColumn\":[],\"startLine\":[],\"length\":0},\n\"stringArray\":[",
	      out);
	for (size_t i = 0; i < firefox->strings.count; i++) {
		fputs(i ? ",\n" : "", out);
		put_string(firefox, i);
	}
	fputs("]},\n", out);
}

static void put_meta(struct firefox_file *firefox)
{
	const struct trace_walk *walk = &firefox->walk;
	FILE *out = walk->file.out;
	uint64_t tick_ns = walk->source->samples.tick_ns;

	fprintf(out, "{\"meta\":{\"version\":%d,\"preprocessedProfileVersion\":%d,\"interval\":",
		FIREFOX_GECKO_VERSION, FIREFOX_VERSION);
	export_put_ms(out, tick_ns ? tick_ns : 1000000);
	fputs(",\"startTime\":0,\"processType\":0,\"product\":", out);
	report_put_json(out, walk->input);
	fputs(",\"stackwalk\":1,\"debug\":false,\"symbolicated\":true,"
	      "\"usesOnlyOneStackType\":true,\"sourceCodeIsNotOnSearchfox\":true,"
	      "\"pausedRanges\":[],\"importedFrom\":\"pscal " PSCAL_VERSION "\","
	      "\"extensions\":{\"baseURL\":[],\"id\":[],\"length\":0,\"name\":[]},\n"
	      "\"markerSchema\":[{\"name\":\"Slice\",\"tooltipLabel\":\"{marker.name}\","
	      "\"tableLabel\":\"{marker.name}\",\"chartLabel\":\"{marker.name}\","
	      "\"display\":[\"marker-chart\",\"marker-table\",\"timeline-overview\"],"
	      "\"fields\":[]}],\n\"categories\":[",
	      out);
	for (size_t i = 0; i < CATEGORIES; i++)
		fprintf(out, "%s{\"name\":\"%s\",\"color\":\"%s\",\"subcategories\":[\"Other\"]}",
			i ? "," : "", categories[i].name, categories[i].colour);
	fputs("]},\n\"libs\":[],\"pages\":[],\"profilerOverhead\":[],\"counters\":[],\n", out);
}

/* --- Threads ------------------------------------------------------------------------------- */

enum marker_column { MARK_CATEGORY, MARK_DATA, MARK_END, MARK_NAME, MARK_PHASE, MARK_START };

struct marker_writing {
	struct firefox_file *firefox;
	enum marker_column column;
	bool behind;
};

static void put_marker_data(struct firefox_file *firefox, const struct firefox_marker *marker)
{
	FILE *out = firefox->walk.file.out;
	uint32_t stack = stack_of_chain(firefox, marker->chain);

	fputs("{\"type\":\"Slice\"", out);
	if (stack) {
		fprintf(out, ",\"cause\":{\"stack\":%" PRIu32 ",\"time\":", stack - 1);
		export_put_ms(out, marker->begin_ns);
		putc('}', out);
	}
	putc('}', out);
}

static void put_marker(void *context, const void *record)
{
	struct marker_writing *writing = context;
	const struct firefox_marker *marker = record;
	struct firefox_file *firefox = writing->firefox;
	FILE *out = firefox->walk.file.out;

	if (writing->behind)
		putc(',', out);
	writing->behind = true;
	switch (writing->column) {
	case MARK_CATEGORY:
		fprintf(out, "%d", (int)marker->category);
		break;
	case MARK_DATA:
		put_marker_data(firefox, marker);
		break;
	case MARK_END:
		marker->phase == PHASE_BEGIN ? put_null(firefox, 0)
					     : export_put_ms(out, marker->end_ns);
		break;
	case MARK_NAME:
		fprintf(out, "%" PRIu32, marker->name);
		break;
	case MARK_PHASE:
		fprintf(out, "%d", (int)marker->phase);
		break;
	case MARK_START:
		marker->phase == PHASE_END ? put_null(firefox, 0)
					   : export_put_ms(out, marker->begin_ns);
		break;
	}
}

static int put_markers(struct firefox_file *firefox, size_t number, struct err *err)
{
	static const char *const keys[] = {
		[MARK_CATEGORY] = "category", [MARK_DATA] = "data",   [MARK_END] = "endTime",
		[MARK_NAME] = "name",	      [MARK_PHASE] = "phase", [MARK_START] = "startTime",
	};
	FILE *out = firefox->walk.file.out;

	fputs("\"markers\":{", out);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		struct marker_writing writing = {.firefox = firefox,
						 .column = (enum marker_column)i};

		fprintf(out, "\"%s\":[", keys[i]);
		if (spool_each(firefox->markers, number, put_marker, &writing, err))
			return -1;
		fputs("],", out);
	}
	fprintf(out, "\"length\":%" PRIu64 "},\n", spool_count(firefox->markers, number));
	return 0;
}

static void put_samples(struct firefox_file *firefox, size_t first, size_t end, uint64_t begin_ns)
{
	FILE *out = firefox->walk.file.out;
	uint64_t last_ns = begin_ns;

	fputs("\"samples\":{\"weightType\":\"samples\",\"weight\":[", out);
	for (size_t i = first; i < end; i++)
		fprintf(out, "%s%" PRIu32, i > first ? "," : "", firefox->samples[i]->count);
	fputs("],\"stack\":[", out);
	for (size_t i = first; i < end; i++)
		fprintf(out, "%s%" PRIu32, i > first ? "," : "",
			stack_of_sample(firefox, firefox->samples[i]) - 1);
	fputs("],\"timeDeltas\":[", out);
	for (size_t i = first; i < end; i++) {
		uint64_t time_ns = firefox->samples[i]->time_ns;

		fputs(i > first ? "," : "", out);
		export_put_ms(out, time_ns > last_ns ? time_ns - last_ns : 0);
		last_ns = time_ns > last_ns ? time_ns : last_ns;
	}
	fprintf(out, "],\"length\":%zu}", end - first);
}

static int put_thread(struct firefox_file *firefox, size_t i, uint64_t begin_ns, struct err *err)
{
	const struct trace_thread *thread = &firefox->threads[i];
	FILE *out = firefox->walk.file.out;

	fprintf(out,
		"%s{\"processType\":\"default\",\"processStartupTime\":0,"
		"\"processShutdownTime\":null,\"pausedRanges\":[],\"showMarkersInTimeline\":true,"
		"\"isMainThread\":%s,\"pid\":\"%" PRId32 "\",\"tid\":\"%" PRId32 "\",\"name\":",
		i ? ",\n" : "", thread->tid == thread->pid ? "true" : "false", thread->pid,
		thread->tid);
	report_put_json(out, thread_name_text(&thread->name));
	fputs(",\"processName\":", out);
	report_put_json(out,
			firefox->processes[map_find_u64(&firefox->pids, (uint32_t)thread->pid)]);
	fputs(",\"registerTime\":", out);
	export_put_ms(out, thread->begin_ns);
	fputs(",\"unregisterTime\":", out);
	export_put_ms(out, thread->end_ns);
	fputs(",\n", out);
	if (put_markers(firefox, thread->number, err))
		return -1;
	put_samples(firefox, i ? firefox->sample_ends[i - 1] : 0, firefox->sample_ends[i],
		    begin_ns);
	fputs("}", out);
	return 0;
}

static int firefox_end(struct trace_walk *walk, const struct export_facts *facts, struct err *err)
{
	struct firefox_file *firefox = (struct firefox_file *)walk;
	FILE *out = walk->file.out;

	if (spool_check(firefox->markers, err))
		return -1;
	firefox->chain_stacks =
		xcalloc(walk->source->chains.count + 1, sizeof(*firefox->chain_stacks));
	symbol_finder_init(&firefox->finder, &walk->source->samples);
	sort_samples(firefox, facts->begin_ns);
	put_meta(firefox);
	fputs("\"threads\":[", out);
	for (size_t i = 0; i < firefox->thread_count; i++)
		if (put_thread(firefox, i, facts->begin_ns, err))
			return -1;
	fputs("],\n", out);
	put_shared(firefox);
	fputs("\"other\":null}\n", out);
	return 0;
}

static int firefox_begin(struct trace_walk *walk, struct err *err)
{
	struct firefox_file *firefox = (struct firefox_file *)walk;
	struct event_source *source = walk->source;

	source->chains.wanted = true;
	source->samples.chains = &source->chains;
	source->samples.chain_frames = CHAIN_FRAMES_MAX;
	source->samples.timed = source->samples.may_merge = true;
	firefox->markers = spool_new(sizeof(struct firefox_marker), err);
	return firefox->markers ? 0 : -1;
}

static void firefox_release(struct trace_walk *walk)
{
	struct firefox_file *firefox = (struct firefox_file *)walk;

	spool_free(firefox->markers);
	map_release(&firefox->strings);
	map_release(&firefox->pids);
	free(firefox->processes);
	map_release(&firefox->frame_numbers);
	map_release(&firefox->stack_numbers);
	free(firefox->frames);
	free(firefox->stacks);
	free(firefox->chain_stacks);
	symbol_finder_release(&firefox->finder);
	free(firefox->threads);
	free(firefox->samples);
	free(firefox->sample_ends);
}

const struct trace_ops firefox_ops = {
	.size = sizeof(struct firefox_file),
	.begin = firefox_begin,
	.release = firefox_release,
	.slice = firefox_slice,
	.code = firefox_code,
	.process = firefox_process,
	.thread = firefox_thread,
	.end = firefox_end,
};
