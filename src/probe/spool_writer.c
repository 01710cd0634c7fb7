/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/spool_writer.h"

#include "probe/raw_call.h"
#include "probe/spool_text.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14; before it, pages come as they are touched */
#endif

enum { NAMES_MAX = 1 << 20 };

/* --- System calls -------------------------------------------------------------------------- */

static bool failed(long result)
{
	return result < 0 && result >= -4095;
}

/* All that the file may become; what is behind its end is never touched. */
#define MAPPED (SPOOL_HEADER_BYTES + (uint64_t)SPOOL_WINDOWS * SPOOL_WINDOW)

static struct spool_header *map(int fd)
{
	long at = raw_call(SYS_mmap, 0, MAPPED, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (failed(at))
		return NULL;
	raw_call(SYS_madvise, at, MAPPED, MADV_DONTDUMP, 0, 0, 0);
	return (struct spool_header *)at; // NOLINT: an address
}

/* Room on the disk; where a file system cannot reserve it, it must do with a length. */
static bool reserve(int fd, uint64_t end)
{
	long result = raw_call(SYS_fallocate, fd, 0, 0, (long)end, 0, 0);

	if (result == -EOPNOTSUPP || result == -ENOSYS)
		result = raw_call(SYS_ftruncate, fd, (long)end, 0, 0, 0, 0);
	return !failed(result);
}

/* --- Opening and closing ------------------------------------------------------------------- */

/* SPOOL/PID-TID-N, with the first N that is free. */
static int create(const char *spool, int32_t pid, int32_t tid)
{
	for (uint64_t n = 0; n < NAMES_MAX; n++) {
		struct spool_text path = {.length = 0};
		long fd;

		spool_text_put(&path, spool);
		spool_text_put(&path, "/");
		spool_text_put_number(&path, (uint64_t)pid);
		spool_text_put(&path, "-");
		spool_text_put_number(&path, (uint64_t)tid);
		spool_text_put(&path, "-");
		spool_text_put_number(&path, n);
		fd = raw_call(SYS_openat, AT_FDCWD, (long)path.bytes,
			      O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600, 0, 0);
		if (fd != -EEXIST)
			return failed(fd) ? -1 : (int)fd;
	}
	return -1;
}

int spool_writer_open(struct spool_writer *writer, const char *spool,
		      const struct spool_header *first)
{
	int32_t pid = (int32_t)raw_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
	int32_t tid = (int32_t)raw_call(SYS_gettid, 0, 0, 0, 0, 0, 0);

	*writer = (struct spool_writer){.fd = create(spool, pid, tid)};
	if (writer->fd < 0)
		return -1;
	/* The first event turns to the first window. */
	writer->window = -(uint64_t)SPOOL_WINDOW;
	writer->header = reserve(writer->fd, SPOOL_HEADER_BYTES) ? map(writer->fd) : NULL;
	if (!writer->header) {
		spool_writer_close(writer);
		return -1;
	}
	writer->header->version = first->version;
	writer->header->clock = first->clock;
	writer->header->pid = pid;
	writer->header->tid = tid;
	writer->header->every = first->every;
	writer->header->arguments = first->arguments;
	writer->header->begin_time = first->begin_time;
	writer->header->image = first->image;
	__atomic_store_n(&writer->header->magic, SPOOL_MAGIC, __ATOMIC_RELEASE);
	return 0;
}

void spool_writer_abandon(struct spool_writer *writer)
{
	if (writer->header)
		raw_call(SYS_munmap, (long)writer->header, MAPPED, 0, 0, 0, 0);
	if (writer->fd >= 0)
		raw_call(SYS_close, writer->fd, 0, 0, 0, 0, 0);
	*writer = (struct spool_writer){.fd = -1};
}

void spool_writer_close(struct spool_writer *writer)
{
	if (writer->header)
		__atomic_store_n(&writer->header->ended, 1, __ATOMIC_RELEASE);
	spool_writer_abandon(writer);
}

/* --- Windows ------------------------------------------------------------------------------- */

static uint8_t *place_of(const struct spool_writer *writer, uint64_t window)
{
	uint32_t at = writer->header->windows[window % SPOOL_WINDOWS];

	return (uint8_t *)writer->header + SPOOL_HEADER_BYTES + (uint64_t)at * SPOOL_WINDOW;
}

/* One that the file has and nobody needs, or a new one; -1: there is no room. */
static int64_t free_window(struct spool_writer *writer)
{
	struct spool_header *header = writer->header;
	uint64_t end;

	if (writer->oldest < __atomic_load_n(&header->taken, __ATOMIC_ACQUIRE))
		return header->windows[writer->oldest++ % SPOOL_WINDOWS];
	end = SPOOL_HEADER_BYTES + (header->window_count + UINT64_C(1)) * SPOOL_WINDOW;
	if (header->window_count == SPOOL_WINDOWS || !reserve(writer->fd, end))
		return -1;
	raw_call(SYS_madvise, (long)header + (long)(end - SPOOL_WINDOW), SPOOL_WINDOW,
		 MADV_POPULATE_WRITE, 0, 0, 0);
	return header->window_count++;
}

/* Windows follow one another, as offsets do: no event is longer than one. */
static bool turn_to(struct spool_writer *writer, uint64_t window)
{
	int64_t at = free_window(writer);

	if (at < 0)
		return false;
	__atomic_store_n(&writer->header->windows[window % SPOOL_WINDOWS], (uint32_t)at,
			 __ATOMIC_RELEASE);
	__atomic_store_n(&writer->header->turned, window + 1, __ATOMIC_RELEASE);
	writer->base = place_of(writer, window);
	writer->window = window * SPOOL_WINDOW;
	return true;
}

static struct spool_record *turn(struct spool_writer *writer, uint64_t offset, unsigned records,
				 bool *again)
{
	uint64_t window = offset / SPOOL_WINDOW, inside = offset % SPOOL_WINDOW;
	struct spool_record *head;

	/* A signal handler may have turned already, and further than to here. */
	while ((int64_t)(window * SPOOL_WINDOW - writer->window) > 0)
		if (!turn_to(writer, (writer->window + SPOOL_WINDOW) / SPOOL_WINDOW))
			return NULL;
	head = (struct spool_record *)(void *)(place_of(writer, window) + inside);
	if (inside + records * sizeof(*head) <= SPOOL_WINDOW)
		return spool_writer_begin(head, records);
	spool_writer_put(head, 0, spool_word(SPOOL_PAD, 0, 2 * (records - 1)));
	*again = true;
	return NULL;
}

struct spool_record *spool_writer_turn(struct spool_writer *writer, uint64_t offset,
				       unsigned records, bool *again)
{
	uint64_t all = ~UINT64_C(0), old = 0;
	struct spool_record *head;

	raw_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&old, sizeof(all), 0, 0);
	head = turn(writer, offset, records, again);
	if (!head && !*again)
		writer->header->full++;
	raw_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&old, 0, sizeof(old), 0, 0);
	return head;
}
