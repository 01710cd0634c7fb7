/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/spool_writer.h"

#include "probe/confinement.h"
#include "probe/probe_clock.h"
#include "probe/raw_call.h"
#include "probe/spool_text.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14; before it, pages come as they are touched */
#endif

enum {
	NAMES_MAX = 1 << 20,
	WINDOWS_MIN = 4,
	AHEAD_PARTS = 2, /* 16 MiB, as programs may have their address space limited later */
	FIRST_BYTES = SPOOL_HEADER_BYTES + SPOOL_FIRST_WINDOWS * SPOOL_WINDOW,
};

/* --- The file ------------------------------------------------------------------------------ */

bool spool_writer_is_read(const char *spool)
{
	long fd = raw_call(SYS_openat, AT_FDCWD, (long)spool, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0,
			   0, 0);
	long locked;

	if (fd < 0)
		return false;
	locked = raw_call(SYS_flock, fd, LOCK_SH | LOCK_NB, 0, 0, 0, 0);
	raw_call(SYS_close, fd, 0, 0, 0, 0, 0);
	return locked != 0; /* also where the file system has no locks */
}

/* SPOOL/PID-TID-N; a descriptor, or -errno. */
static long open_file(const char *spool, int32_t pid, int32_t tid, uint64_t n, int flags)
{
	struct spool_text path = {.length = 0};

	spool_text_put(&path, spool);
	spool_text_put(&path, "/");
	spool_text_put_number(&path, (uint64_t)pid);
	spool_text_put(&path, "-");
	spool_text_put_number(&path, (uint64_t)tid);
	spool_text_put(&path, "-");
	spool_text_put_number(&path, n);
	return raw_call(SYS_openat, AT_FDCWD, (long)path.bytes, O_RDWR | O_CLOEXEC | flags, 0600, 0,
			0);
}

static uint64_t limit(int resource)
{
	uint64_t limits[2] = {0, 0}; /* struct rlimit64 */

	raw_call(SYS_prlimit64, 0, resource, 0, (long)limits, 0, 0);
	return limits[0];
}

/* Where a file system cannot reserve room, what is written has it. */
static long write_zeros(long fd, uint64_t begin, uint64_t end)
{
	static const uint8_t zeros[SPOOL_HEADER_BYTES];

	while (begin < end) {
		uint64_t rest = end - begin < sizeof(zeros) ? end - begin : sizeof(zeros);
		long written =
			raw_call(SYS_pwrite64, fd, (long)zeros, (long)rest, (long)begin, 0, 0);

		if (written <= 0)
			return written ? written : -ENOSPC;
		begin += (uint64_t)written;
	}
	return 0;
}

/*
 * Room on the disk for what is new in the file. Without it the kernel would send SIGBUS to the
 * program, and SIGXFSZ beyond a limit.
 */
static bool reserve(long fd, uint64_t begin, uint64_t end)
{
	long result;

	if (end > limit(RLIMIT_FSIZE))
		return false;
	result = raw_call(SYS_fallocate, fd, 0, (long)begin, (long)(end - begin), 0, 0);
	if (result == -EOPNOTSUPP || result == -ENOSYS)
		result = write_zeros(fd, begin, end);
	return !raw_call_failed(result);
}

/* Windows of a file. A program whose memory is limited shall not miss what we take. */
static uint64_t windows_allowed(void)
{
	uint64_t windows = limit(RLIMIT_AS) / 256 / SPOOL_WINDOW;

	if (windows < WINDOWS_MIN)
		return 0;
	return windows < SPOOL_WINDOWS ? windows : SPOOL_WINDOWS;
}

/* What is behind its end is never touched. NULL: there is no room. */
static void *map(long fd, uint64_t offset, uint64_t bytes)
{
	long at = raw_call(SYS_mmap, 0, (long)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			   (long)offset);

	if (raw_call_failed(at))
		return NULL;
	raw_call(SYS_madvise, at, (long)bytes, MADV_DONTDUMP, 0, 0, 0);
	/* Nothing is read ahead: there are zeros, which would be made for nobody. */
	raw_call(SYS_madvise, at, (long)bytes, MADV_RANDOM, 0, 0, 0);
	return (void *)at; // NOLINT: an address
}

/* --- Parts of it that are mapped ----------------------------------------------------------- */

/* With so many windows before it: part 0 begins with SPOOL_FIRST_WINDOWS, part 1 with twice ... */
static unsigned part_of(uint64_t at)
{
	return 63 - (unsigned)__builtin_clzll(at / SPOOL_FIRST_WINDOWS);
}

static uint64_t part_begin(unsigned part)
{
	return (uint64_t)SPOOL_FIRST_WINDOWS << part;
}

static uint64_t part_bytes(unsigned part)
{
	uint64_t begin = part_begin(part), windows = begin;

	if (begin + windows > SPOOL_WINDOWS)
		windows = SPOOL_WINDOWS - begin;
	return windows * SPOOL_WINDOW;
}

static uint8_t *window_at(const struct spool_writer *writer, uint64_t at)
{
	unsigned part;

	if (at < SPOOL_FIRST_WINDOWS)
		return (uint8_t *)writer->header + SPOOL_HEADER_BYTES + at * SPOOL_WINDOW;
	part = part_of(at);
	return writer->more[part] + (at - part_begin(part)) * SPOOL_WINDOW;
}

static bool map_window(struct spool_writer *writer, long fd, uint64_t at)
{
	unsigned part;

	if (at < SPOOL_FIRST_WINDOWS)
		return true;
	part = part_of(at);
	if (!writer->more[part])
		writer->more[part] = map(fd, SPOOL_HEADER_BYTES + part_begin(part) * SPOOL_WINDOW,
					 part_bytes(part));
	return writer->more[part];
}

/* Where there is no room for it on the disk, or it is behind the end of the file, it fails. */
static bool populate(const struct spool_writer *writer, uint64_t at)
{
	return !raw_call_failed(raw_call(SYS_madvise, (long)window_at(writer, at), SPOOL_WINDOW,
					 MADV_POPULATE_WRITE, 0, 0, 0));
}

/*
 * Root may become somebody else, who may not open the file: then it has so many windows all the
 * same. They take no room on the disk before they are used.
 */
static void map_ahead(struct spool_writer *writer, long fd)
{
	uint64_t count = SPOOL_FIRST_WINDOWS << AHEAD_PARTS, end;

	if (raw_call(SYS_geteuid, 0, 0, 0, 0, 0, 0) != 0)
		return;
	if (count > windows_allowed())
		count = SPOOL_FIRST_WINDOWS;
	end = SPOOL_HEADER_BYTES + count * SPOOL_WINDOW;
	if (end > limit(RLIMIT_FSIZE) ||
	    raw_call_failed(raw_call(SYS_ftruncate, fd, (long)end, 0, 0, 0, 0)))
		return;
	for (uint64_t at = SPOOL_FIRST_WINDOWS; at < count; at *= 2)
		map_window(writer, fd, at);
}

/* Without opening the file. */
static bool grow_ahead(const struct spool_writer *writer, uint64_t at)
{
	return (at < SPOOL_FIRST_WINDOWS || writer->more[part_of(at)]) && populate(writer, at);
}

/* One more window; the file is opened again for that, if the thread still may. */
static bool grow(struct spool_writer *writer)
{
	struct spool_header *header = writer->header;
	uint64_t count = header->window_count,
		 end = SPOOL_HEADER_BYTES + (count + 1) * SPOOL_WINDOW;
	bool grown;
	long fd;

	if (count >= windows_allowed() || !spool_writer_is_read(writer->spool))
		return false;
	fd = open_file(writer->spool, header->pid, header->tid, writer->number, O_NOFOLLOW);
	if (fd < 0)
		return grow_ahead(writer, count);
	grown = reserve(fd, end - SPOOL_WINDOW, end) && map_window(writer, fd, count);
	raw_call(SYS_close, fd, 0, 0, 0, 0, 0);
	if (grown)
		populate(writer, count);
	return grown;
}

/* --- Opening and closing ------------------------------------------------------------------- */

/* With the first N that is free. */
static long create(struct spool_writer *writer, int32_t pid, int32_t tid)
{
	long fd;

	do
		fd = open_file(writer->spool, pid, tid, writer->number, O_CREAT | O_EXCL);
	while (fd == -EEXIST && ++writer->number < NAMES_MAX);
	return fd;
}

static void put_header(struct spool_header *header, const struct spool_header *first, int32_t pid,
		       int32_t tid)
{
	header->version = first->version;
	header->clock = first->clock;
	header->pid = pid;
	header->tid = tid;
	header->every = first->every;
	header->arguments = first->arguments;
	header->begin_time = probe_clock_read((enum spool_clock)first->clock);
	header->image = first->image;
	__atomic_store_n(&header->magic, SPOOL_MAGIC, __ATOMIC_RELEASE);
}

int spool_writer_open(struct spool_writer *writer, const char *spool,
		      const struct spool_header *first)
{
	int32_t pid = (int32_t)raw_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
	int32_t tid = (int32_t)raw_call(SYS_gettid, 0, 0, 0, 0, 0, 0);
	long fd;

	/* The first event turns to the first window. */
	*writer = (struct spool_writer){.window = -(uint64_t)SPOOL_WINDOW, .spool = spool};
	if (!windows_allowed())
		return -1;
	fd = create(writer, pid, tid);
	if (fd < 0)
		return -1;
	if (reserve(fd, 0, SPOOL_HEADER_BYTES))
		writer->header = map(fd, 0, FIRST_BYTES);
	if (writer->header)
		map_ahead(writer, fd);
	raw_call(SYS_close, fd, 0, 0, 0, 0, 0);
	if (!writer->header)
		return -1;
	put_header(writer->header, first, pid, tid);
	return 0;
}

void spool_writer_close(struct spool_writer *writer)
{
	__atomic_store_n(&writer->header->ended, 1, __ATOMIC_RELEASE);
	raw_call(SYS_munmap, (long)writer->header, FIRST_BYTES, 0, 0, 0, 0);
	for (unsigned i = 0; i < SPOOL_MORE_PARTS; i++)
		if (writer->more[i])
			raw_call(SYS_munmap, (long)writer->more[i], (long)part_bytes(i), 0, 0, 0,
				 0);
	*writer = (struct spool_writer){.offset = 0};
}

void spool_writer_miss(struct spool_writer *writer)
{
	__atomic_fetch_add(&writer->header->full, 1, __ATOMIC_RELAXED);
}

/* --- Windows ------------------------------------------------------------------------------- */

static uint8_t *place_of(const struct spool_writer *writer, uint64_t window)
{
	return window_at(writer, writer->header->windows[window % SPOOL_WINDOWS]);
}

/* One that the file has and nobody needs, or a new one; -1: there is no room. */
static int64_t free_window(struct spool_writer *writer)
{
	struct spool_header *header = writer->header;

	if (writer->oldest < __atomic_load_n(&header->taken, __ATOMIC_ACQUIRE))
		return header->windows[writer->oldest++ % SPOOL_WINDOWS];
	if (!grow(writer))
		return -1;
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

	if (!confinement_hold()) {
		*again = false;
		spool_writer_miss(writer);
		return NULL;
	}
	raw_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&old, sizeof(all), 0, 0);
	head = turn(writer, offset, records, again);
	if (!head && !*again)
		spool_writer_miss(writer);
	raw_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&old, 0, sizeof(old), 0, 0);
	confinement_free();
	return head;
}
