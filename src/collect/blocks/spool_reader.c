/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/blocks/spool_reader.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/monotonic.h"
#include "base/printable.h"
#include "probe/patch_plan.h"
#include "probe/task.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/* --- Clocks -------------------------------------------------------------------------------- */

/* The number of tries, of which the least interrupted one counts. */
enum { TRIES = 8 };

void clock_pairs_release(struct clock_pairs *pairs)
{
	free(pairs->items);
	*pairs = (struct clock_pairs){0};
}

/* Returns the time on the line through a and b. No product overflows: spans are hours. */
static uint64_t extend(struct clock_pair a, struct clock_pair b, uint64_t ticks)
{
	__int128 ns = (__int128)((int64_t)(ticks - a.ticks)) * (int64_t)(b.ns - a.ns);

	return a.ns + (uint64_t)(int64_t)(ns / (int64_t)(b.ticks - a.ticks));
}

static void forget_half(struct clock_pairs *pairs)
{
	size_t half = pairs->count / 2;

	pairs->count -= half;
	pairs->last = pairs->last > half ? pairs->last - half : 0;
	memmove(pairs->items, pairs->items + half, pairs->count * sizeof(*pairs->items));
}

void clock_pairs_add(struct clock_pairs *pairs, struct clock_pair pair)
{
	struct clock_pair *last = pairs->count ? &pairs->items[pairs->count - 1] : NULL;

	if (last && (pair.ticks <= last->ticks || pair.ns <= last->ns))
		return;
	if (pairs->count >= 2) {
		uint64_t ns = extend(last[-1], *last, pair.ticks);
		uint64_t off = ns > pair.ns ? ns - pair.ns : pair.ns - ns;

		if (off > pairs->drift_ns)
			pairs->drift_ns = off;
	}
	if (pairs->count == CLOCK_PAIRS_MAX)
		forget_half(pairs);
	array_reserve(&pairs->items, &pairs->capacity, pairs->count + 1);
	pairs->items[pairs->count++] = pair;
	pairs->ns_per_tick = 0;
}

void clock_pairs_take(struct clock_pairs *pairs)
{
#if defined(__x86_64__)
	struct clock_pair best = {0, 0};
	uint64_t shortest = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		uint64_t before = __rdtsc(), ns = monotonic_ns(), after = __rdtsc();

		if (after - before >= shortest)
			continue;
		shortest = after - before;
		best = (struct clock_pair){before + shortest / 2, ns};
	}
	clock_pairs_add(pairs, best);
#else
	(void)pairs;
#endif
}

/* Finds the interval, mostly the last one or the next: times come nearly in order. */
static void find_pair(struct clock_pairs *pairs, uint64_t ticks)
{
	const struct clock_pair *items = pairs->items;
	size_t i = pairs->last;

	while (i > 0 && ticks < items[i].ticks)
		i--;
	while (i + 2 < pairs->count && ticks >= items[i + 1].ticks)
		i++;
	pairs->last = i;
	pairs->ns_per_tick = (double)(items[i + 1].ns - items[i].ns) /
			     (double)(items[i + 1].ticks - items[i].ticks);
}

static bool is_at_last(const struct clock_pairs *pairs, uint64_t ticks)
{
	const struct clock_pair *pair = &pairs->items[pairs->last];

	return pairs->ns_per_tick > 0 && ticks >= pair[0].ticks && ticks < pair[1].ticks;
}

/* Floating point is exact to less than 1 ns for weeks, and ten times as fast as a division. */
uint64_t clock_pairs_ns(struct clock_pairs *pairs, uint64_t ticks)
{
	const struct clock_pair *pair;
	double ns;

	if (pairs->count < 2)
		return 0;
	if (!is_at_last(pairs, ticks))
		find_pair(pairs, ticks);
	pair = &pairs->items[pairs->last];
	ns = (double)(int64_t)(ticks - pair->ticks) * pairs->ns_per_tick;
	return pair->ns + (uint64_t)(int64_t)(ns < 0 ? ns - 0.5 : ns + 0.5);
}

enum { WINDOW_RECORDS = SPOOL_WINDOW / sizeof(struct spool_record) };

/* The most heads without their word in a row that a thread leaves. */
enum { TORN_MAX = 4 * WINDOW_RECORDS };

/* --- Opening and closing ------------------------------------------------------------------- */

int spool_reader_open(struct spool_reader *reader, const struct spool_arrival *arrival,
		      struct err *err)
{
	const struct spool_offer *offer = &arrival->offer;
	void *at = mmap(NULL, arrival->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, arrival->fd, 0);

	*reader = (struct spool_reader){.fd = -1};
	if (at == MAP_FAILED) {
		err_set(err, "process %d: the memory that it offers cannot be mapped: %m",
			(int)offer->pid);
		close(arrival->fd);
		return -1;
	}
	*reader = (struct spool_reader){
		.clock = offer->clock == SPOOL_TSC ? SPOOL_TSC : SPOOL_MONOTONIC,
		.pid = offer->pid,
		.tid = offer->tid,
		.image = offer->image,
		.fd = arrival->fd,
		.after_ns = arrival->after_ns,
		.windows = (arrival->bytes - SPOOL_HEADER_BYTES) / SPOOL_WINDOW,
		.keep = SPOOL_KEEP_MIN,
		.header = at,
	};
	return 0;
}

void spool_reader_close(struct spool_reader *reader)
{
	if (reader->header)
		munmap(reader->header, SPOOL_HEADER_BYTES + reader->windows * SPOOL_WINDOW);
	if (reader->fd >= 0)
		close(reader->fd);
	*reader = (struct spool_reader){.fd = -1};
}

void spool_reader_let_go(struct spool_reader *reader)
{
	if (reader->header) {
		__atomic_store_n(&reader->header->taken, UINT64_MAX, __ATOMIC_RELEASE);
		fallocate(reader->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			  SPOOL_HEADER_BYTES, (off_t)(reader->windows * SPOOL_WINDOW));
	}
	spool_reader_close(reader);
}

uint64_t spool_reader_memory(const struct spool_reader *reader)
{
	struct stat file;

	return fstat(reader->fd, &file) ? 0 : (uint64_t)file.st_blocks * 512;
}

/* --- Windows ------------------------------------------------------------------------------- */

/* Looks for new windows. More windows than the file has would never end. */
void spool_reader_look(struct spool_reader *reader)
{
	uint64_t turned = __atomic_load_n(&reader->header->turned, __ATOMIC_ACQUIRE);

	if (turned - reader->offset / SPOOL_WINDOW <= reader->windows)
		reader->end = turned;
	else
		reader->damaged = true;
}

/* Checks the memory; the last window may have none yet. */
void spool_reader_hold_to_memory(struct spool_reader *reader)
{
	uint64_t held = spool_reader_memory(reader) / SPOOL_WINDOW + 1;

	reader->damaged |= reader->end > reader->offset / SPOOL_WINDOW + held;
}

static bool is_there(const struct spool_reader *reader, uint64_t window)
{
	return window < reader->end;
}

uint64_t spool_reader_unread(const struct spool_reader *reader)
{
	uint64_t window = reader->offset / SPOOL_WINDOW;
	uint64_t most = spool_reader_memory(reader) / sizeof(struct spool_record), records = 0;

	/* The last window is not full. */
	if (reader->end > window + 1)
		records = (reader->end - window - 1) * WINDOW_RECORDS;
	return records < most ? records : most;
}

/* Returns window number `window`; NULL: not there yet. */
static struct spool_record *find_window(struct spool_reader *reader, uint64_t window)
{
	uint32_t at;

	if (!is_there(reader, window))
		return NULL;
	at = __atomic_load_n(&reader->header->windows[window % SPOOL_WINDOWS], __ATOMIC_RELAXED);
	if (at < reader->windows)
		return (struct spool_record *)(void *)((char *)reader->header + SPOOL_HEADER_BYTES +
						       (size_t)at * SPOOL_WINDOW);
	reader->damaged = true;
	return NULL;
}

/*
 * Returns a window that has been read, zeroed, to the thread. After some windows all are unmapped,
 * so that the memory of the recorder does not grow with the events that it has read. Each unmapping
 * takes time.
 */
static void give_back(struct spool_reader *reader)
{
	memset(reader->window, 0, SPOOL_WINDOW);
	if (++reader->given_back >= reader->keep) {
		madvise((char *)reader->header + SPOOL_HEADER_BYTES, reader->windows * SPOOL_WINDOW,
			MADV_DONTNEED);
		reader->given_back = 0;
	}
	__atomic_store_n(&reader->header->taken, reader->offset / SPOOL_WINDOW + 1,
			 __ATOMIC_RELEASE);
	reader->window = NULL;
}

/* --- Events -------------------------------------------------------------------------------- */

static size_t inside(const struct spool_reader *reader)
{
	return reader->offset % SPOOL_WINDOW / sizeof(struct spool_record);
}

/* Skips records, possibly into the next window; then the window before is returned. */
static void pass_records(struct spool_reader *reader, size_t records)
{
	uint64_t offset = reader->offset + records * sizeof(struct spool_record);

	if (offset / SPOOL_WINDOW != reader->offset / SPOOL_WINDOW)
		give_back(reader);
	reader->offset = offset;
}

static uint64_t word_at(const struct spool_reader *reader, size_t at)
{
	return __atomic_load_n(&reader->window[at].word, __ATOMIC_ACQUIRE);
}

/* Returns the records up to the next word, or the end. */
static size_t count_torn(const struct spool_reader *reader, uint64_t word)
{
	size_t at = inside(reader), next = at;

	if (word)
		return spool_records(spool_values(word));
	while (next < WINDOW_RECORDS && !word_at(reader, next))
		next++;
	return next - at;
}

/*
 * Skips a missing word, or that of an event which is not written: the end, or an event cut by a
 * crash or a jump out of a signal handler. Returns whether something follows.
 */
static bool skip_torn(struct spool_reader *reader, uint64_t word)
{
	size_t count = count_torn(reader, word);

	if (!word && inside(reader) + count == WINDOW_RECORDS &&
	    !is_there(reader, reader->offset / SPOOL_WINDOW + 1))
		return false;
	reader->torn++;
	reader->torn_since += (unsigned)count;
	pass_records(reader, count);
	return true;
}

/* Returns whether the thread is a whole window further: a missing event will never come. */
static bool is_left_behind(const struct spool_reader *reader)
{
	return is_there(reader, reader->offset / SPOOL_WINDOW + 2);
}

/* Returns the word of the next head; 0: none yet. */
static uint64_t find_word(struct spool_reader *reader, bool last)
{
	uint64_t word;

	do {
		reader->damaged |= reader->torn_since > TORN_MAX;
		if (!reader->window && !reader->damaged)
			reader->window = find_window(reader, reader->offset / SPOOL_WINDOW);
		if (!reader->window || reader->damaged)
			return 0;
		word = word_at(reader, inside(reader));
		if (word && spool_kind(word) != SPOOL_NONE)
			return word;
	} while ((last || is_left_behind(reader)) && skip_torn(reader, word));
	return 0;
}

static void note_end(struct spool_reader *reader)
{
	uint64_t full = __atomic_load_n(&reader->header->full, __ATOMIC_RELAXED);

	/* A thread has at most one event per nanosecond. */
	if (full && full <= monotonic_ns() - reader->after_ns)
		reader->missing = full;
	reader->ended = __atomic_load_n(&reader->header->ended, __ATOMIC_ACQUIRE);
}

/* Returns whether it has the values of its step, possibly followed by counters. */
static bool is_step(enum spool_kind kind, const uint64_t *values, unsigned count)
{
	unsigned step = count ? spool_task_step(values[0]) : 0, own = spool_step_values(step);

	if (step < PSCAL_STEP_BEGIN || step > PSCAL_STEP_BARRIER)
		return false;
	return kind == SPOOL_TASK ? count == own : count > own && count <= own + PLAN_COUNTERS_MAX;
}

/* Copies the event at `offset`, and examines the copy. Returns whether it is valid. */
static bool copy_event(struct spool_reader *reader, struct spool_event *event, uint64_t word)
{
	const struct spool_record *head = &reader->window[inside(reader)];
	unsigned count = spool_values(word);
	enum spool_kind kind = spool_kind(word);

	if (inside(reader) + spool_records(count) > WINDOW_RECORDS || count > SPOOL_VALUES_MAX ||
	    kind >= SPOOL_KINDS)
		return false;
	*event = (struct spool_event){__atomic_load_n(&head->time, __ATOMIC_RELAXED), kind,
				      spool_block(word), reader->values, count};
	memcpy(reader->values, &head[1].time, count * sizeof(*reader->values));
	return (kind != SPOOL_TASK && kind != SPOOL_COUNTED) ||
	       is_step(kind, reader->values, count);
}

int spool_reader_next(struct spool_reader *reader, struct spool_event *event, bool last)
{
	uint64_t word;

	while ((word = find_word(reader, last))) {
		unsigned records = spool_records(spool_values(word));
		bool is_pad = spool_kind(word) == SPOOL_PAD;
		bool is_event = !is_pad && copy_event(reader, event, word);

		pass_records(reader, records);
		if (is_event) {
			/* A stack is followed by its event. */
			reader->torn_since +=
				event->kind == SPOOL_STACK ? records : -reader->torn_since;
			return 1;
		}
		reader->torn += !is_pad;
		reader->torn_since += records;
	}
	note_end(reader);
	return 0;
}

/* --- Notes --------------------------------------------------------------------------------- */

/* Reads notes. Returns the bytes that have been handled; 0: the first note is incomplete. */
static size_t pass_notes(char *text, size_t length, bool last,
			 void (*take)(void *context, enum spool_note kind, char *text),
			 void *context)
{
	size_t at = 0;

	while (at < length) {
		char *end = memchr(text + at, '\n', length - at);
		bool is_whole = end && !memchr(text + at, '\0', (size_t)(end - text) - at);

		if (!end || (!is_whole && !last))
			break;
		*end = '\0';
		if (is_whole && end > text + at)
			take(context, (enum spool_note)(unsigned char)text[at],
			     printable_mend(text + at + 1));
		at = (size_t)(end - text) + 1;
	}
	return at;
}

bool note_reader_read(struct note_reader *reader, bool last,
		      void (*take)(void *context, enum spool_note kind, char *text), void *context)
{
	char text[16 * SPOOL_LINE_MAX];
	const uint64_t begin = offsetof(struct spool_notes, text);
	ssize_t length = pread(reader->fd, text, sizeof(text), (off_t)(begin + reader->at));
	size_t taken = length > 0 ? pass_notes(text, (size_t)length, last, take, context) : 0;

	/* No note is so long: the process did not write it through the library. */
	if (!taken && length == sizeof(text) && !memchr(text, '\0', SPOOL_LINE_MAX))
		taken = (size_t)length;
	reader->at += taken;
	return taken > 0;
}

bool note_reader_is_over_full(const struct note_reader *reader)
{
	uint64_t begin = offsetof(struct spool_notes, text), used;
	struct stat file;

	return fstat(reader->fd, &file) == 0 && (uint64_t)file.st_size >= begin &&
	       pread(reader->fd, &used, sizeof(used), offsetof(struct spool_notes, used)) ==
		       (ssize_t)sizeof(used) &&
	       used > (uint64_t)file.st_size - begin;
}
