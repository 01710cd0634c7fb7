/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/spool_reader.h"

#include "base/err.h"
#include "probe/patch_plan.h"
#include "probe/task.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* All that the file may become; nothing behind its end is touched. */
#define MAPPED (SPOOL_HEADER_BYTES + (size_t)SPOOL_WINDOWS * SPOOL_WINDOW)

enum { WINDOW_RECORDS = SPOOL_WINDOW / sizeof(struct spool_record) };

/* --- Opening and closing ------------------------------------------------------------------- */

/* 0: it is no file. */
static size_t length_of(int fd)
{
	struct stat file;

	return fstat(fd, &file) == 0 && S_ISREG(file.st_mode) ? (size_t)file.st_size : 0;
}

static struct spool_header *map_file(int fd)
{
	void *header;

	if (length_of(fd) < SPOOL_HEADER_BYTES)
		return NULL;
	header = mmap(NULL, MAPPED, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return header == MAP_FAILED ? NULL : header;
}

int spool_reader_open(struct spool_reader *reader, const char *path, struct err *err)
{
	uint64_t magic;

	*reader = (struct spool_reader){
		.fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
	if (reader->fd < 0)
		return err_set(err, "%s: %s", path, strerror(errno));
	reader->header = map_file(reader->fd);
	magic = reader->header ? __atomic_load_n(&reader->header->magic, __ATOMIC_ACQUIRE) : 0;
	if (!magic) {
		spool_reader_close(reader);
		return 0;
	}
	if (magic != SPOOL_MAGIC || reader->header->version != SPOOL_VERSION) {
		spool_reader_close(reader);
		return err_set(err,
			       "%s: written by the probe library of another version of pscal; "
			       "install both from the same build",
			       path);
	}
	reader->clock = (enum spool_clock)reader->header->clock;
	reader->pid = reader->header->pid;
	reader->tid = reader->header->tid;
	reader->image = reader->header->image;
	reader->begin_time = reader->header->begin_time;
	return 1;
}

void spool_reader_close(struct spool_reader *reader)
{
	if (reader->header)
		munmap(reader->header, MAPPED);
	if (reader->fd >= 0)
		close(reader->fd);
	*reader = (struct spool_reader){.fd = -1};
}

void spool_reader_let_go(struct spool_reader *reader)
{
	if (reader->header)
		__atomic_store_n(&reader->header->taken, UINT64_MAX, __ATOMIC_RELEASE);
	spool_reader_close(reader);
}

/* --- Windows ------------------------------------------------------------------------------- */

static uint64_t turned(const struct spool_reader *reader)
{
	return __atomic_load_n(&reader->header->turned, __ATOMIC_ACQUIRE);
}

static bool is_there(const struct spool_reader *reader, uint64_t window)
{
	return window < turned(reader);
}

/*
 * NULL: window number `window` is not there so far. Nor is it where more are said to follow than
 * the file has: these would never end.
 */
static struct spool_record *find_window(const struct spool_reader *reader, uint64_t window)
{
	uint64_t end = turned(reader);
	size_t length = length_of(reader->fd), place;
	uint32_t at;

	if (window >= end || length < SPOOL_HEADER_BYTES ||
	    end - window > (length - SPOOL_HEADER_BYTES) / SPOOL_WINDOW)
		return NULL;
	at = __atomic_load_n(&reader->header->windows[window % SPOOL_WINDOWS], __ATOMIC_RELAXED);
	place = SPOOL_HEADER_BYTES + (size_t)at * SPOOL_WINDOW;
	if (at >= SPOOL_WINDOWS || place + SPOOL_WINDOW > length)
		return NULL;
	return (struct spool_record *)(void *)((char *)reader->header + place);
}

/* The window has been read and is of zeros again: the thread may have it back. */
static void give_back(struct spool_reader *reader)
{
	memset(reader->window, 0, SPOOL_WINDOW);
	__atomic_store_n(&reader->header->taken, reader->offset / SPOOL_WINDOW + 1,
			 __ATOMIC_RELEASE);
	reader->window = NULL;
}

/* --- Events -------------------------------------------------------------------------------- */

static size_t inside(const struct spool_reader *reader)
{
	return reader->offset % SPOOL_WINDOW / sizeof(struct spool_record);
}

/* May lead into the next window; then the one before is given back. */
static void pass(struct spool_reader *reader, size_t records)
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

/* Records up to the next word, or as many as there are. */
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
 * No word so far, or that of an event which is not written: the end, or what a crash or a jump out
 * of a signal handler has cut. Returns whether there is something behind it.
 */
static bool skip_torn(struct spool_reader *reader, uint64_t word)
{
	size_t count = count_torn(reader, word);

	if (!word && inside(reader) + count == WINDOW_RECORDS &&
	    !is_there(reader, reader->offset / SPOOL_WINDOW + 1))
		return false;
	reader->torn++;
	pass(reader, count);
	return true;
}

/* What has not been written by then never will: the thread has come further by a whole window. */
static bool is_left_behind(const struct spool_reader *reader)
{
	return is_there(reader, reader->offset / SPOOL_WINDOW + 2);
}

/* The next head's word; 0: there is none so far. */
static uint64_t find_word(struct spool_reader *reader, bool last)
{
	uint64_t word;

	do {
		if (!reader->window)
			reader->window = find_window(reader, reader->offset / SPOOL_WINDOW);
		if (!reader->window)
			return 0;
		word = word_at(reader, inside(reader));
		if (word && spool_kind(word) != SPOOL_NONE)
			return word;
	} while ((last || is_left_behind(reader)) && skip_torn(reader, word));
	return 0;
}

static void note_end(struct spool_reader *reader)
{
	reader->missing = __atomic_load_n(&reader->header->full, __ATOMIC_RELAXED);
	reader->ended = __atomic_load_n(&reader->header->ended, __ATOMIC_ACQUIRE);
}

/* Has it the values that its step has, and counters behind them where there are some? */
static bool is_step(enum spool_kind kind, const uint64_t *values, unsigned count)
{
	unsigned step = count ? spool_task_step(values[0]) : 0, own = spool_step_values(step);

	if (step < PSCAL_STEP_BEGIN || step > PSCAL_STEP_BARRIER)
		return false;
	return kind == SPOOL_TASK ? count == own : count > own && count <= own + PLAN_COUNTERS_MAX;
}

int spool_reader_next(struct spool_reader *reader, struct spool_event *event, bool last)
{
	uint64_t word;

	while ((word = find_word(reader, last))) {
		const struct spool_record *head = &reader->window[inside(reader)];
		unsigned count = spool_values(word), records = spool_records(count);
		enum spool_kind kind = spool_kind(word);
		bool whole = inside(reader) + records <= WINDOW_RECORDS &&
			     count <= SPOOL_VALUES_MAX && kind < SPOOL_KINDS &&
			     ((kind != SPOOL_TASK && kind != SPOOL_COUNTED) ||
			      is_step(kind, &head[1].time, count));

		*event = (struct spool_event){head->time, kind, spool_block(word), reader->values,
					      count};
		if (whole && kind != SPOOL_PAD)
			memcpy(reader->values, &head[1].time, count * sizeof(*reader->values));
		pass(reader, records);
		if (whole && kind != SPOOL_PAD)
			return 1;
		reader->torn += kind != SPOOL_PAD;
	}
	note_end(reader);
	return 0;
}
