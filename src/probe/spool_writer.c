/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/spool_writer.h"

#include "probe/confinement.h"
#include "probe/raw_call.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14; before it, pages come as they are touched */
#endif

/* So much is mapped at first. */
enum { FIRST_BYTES = SPOOL_HEADER_BYTES + SPOOL_FIRST_WINDOWS * SPOOL_WINDOW };

/* --- Room ---------------------------------------------------------------------------------- */

static uint64_t limit(int resource)
{
	uint64_t limits[2] = {0, 0}; /* struct rlimit64 */

	raw_call(SYS_prlimit64, 0, resource, 0, (long)limits, 0, 0);
	return limits[0];
}

/* Windows of a file, few enough that a program with limited memory does not run out of it. */
static uint64_t windows_allowed(void)
{
	uint64_t windows = limit(RLIMIT_AS) / 256 / SPOOL_WINDOW, file = limit(RLIMIT_FSIZE);

	if (windows < SPOOL_FIRST_WINDOWS || file < SPOOL_HEADER_BYTES + SPOOL_WINDOW)
		return 0;
	if ((file - SPOOL_HEADER_BYTES) / SPOOL_WINDOW < windows)
		windows = (file - SPOOL_HEADER_BYTES) / SPOOL_WINDOW;
	return windows < SPOOL_WINDOWS ? windows : SPOOL_WINDOWS;
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

/*
 * Part number `part`, without a descriptor: the mapping before it is copied and made longer
 * (mremap(2) with an old size of 0). It begins with that one's last window.
 */
static bool map_part(struct spool_writer *writer, unsigned part)
{
	uint8_t *last = window_at(writer, part_begin(part) - 1);
	long at = raw_call(SYS_mremap, (long)last, 0, (long)(SPOOL_WINDOW + part_bytes(part)),
			   MREMAP_MAYMOVE, 0, 0);

	if (raw_call_failed(at))
		return false;
	writer->more[part] = (uint8_t *)at + SPOOL_WINDOW; // NOLINT: an address
	return true;
}

/*
 * Its pages come now, and not one by one. Where there is no memory for them the kernel says so here;
 * it would send SIGBUS to the program later.
 */
static bool populate(const struct spool_writer *writer, uint64_t at)
{
	long result = raw_call(SYS_madvise, (long)window_at(writer, at), SPOOL_WINDOW,
			       MADV_POPULATE_WRITE, 0, 0, 0);

	return !raw_call_failed(result) || result == -EINVAL;
}

/* One more window. */
static bool grow(struct spool_writer *writer)
{
	uint64_t count = writer->count;

	if (count >= writer->allowed || !recorder_link_has_room(writer->link))
		return false;
	if (count >= SPOOL_FIRST_WINDOWS && !writer->more[part_of(count)] &&
	    !map_part(writer, part_of(count)))
		return false;
	return populate(writer, count);
}

/* --- Opening and closing ------------------------------------------------------------------- */

int spool_writer_open(struct spool_writer *writer, const struct recorder_link *link,
		      const struct spool_offer *first)
{
	struct spool_offer offer = *first;
	uint64_t allowed = windows_allowed();
	uint64_t bytes = SPOOL_HEADER_BYTES + allowed * SPOOL_WINDOW;

	offer.kind = SPOOL_OFFER_THREAD;
	offer.pid = (int32_t)raw_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
	offer.tid = (int32_t)raw_call(SYS_gettid, 0, 0, 0, 0, 0, 0);
	/* The first event turns to the first window. */
	*writer = (struct spool_writer){.window = -(uint64_t)SPOOL_WINDOW,
					.link = link,
					.allowed = allowed,
					.pid = offer.pid,
					.tid = offer.tid};
	if (allowed)
		writer->header = recorder_link_offer(link, &offer, bytes, FIRST_BYTES);
	return writer->header ? 0 : -1;
}

void spool_writer_close(struct spool_writer *writer)
{
	__atomic_store_n(&writer->header->ended, 1, __ATOMIC_RELEASE);
	raw_call(SYS_munmap, (long)writer->header, FIRST_BYTES, 0, 0, 0, 0);
	for (unsigned i = 0; i < SPOOL_MORE_PARTS; i++)
		if (writer->more[i])
			raw_call(SYS_munmap, (long)(writer->more[i] - SPOOL_WINDOW),
				 (long)(SPOOL_WINDOW + part_bytes(i)), 0, 0, 0, 0);
	*writer = (struct spool_writer){.offset = 0};
}

void spool_writer_miss(struct spool_writer *writer)
{
	__atomic_fetch_add(&writer->header->full, 1, __ATOMIC_RELAXED);
}

/* --- Windows ------------------------------------------------------------------------------- */

/*
 * NULL: it is none of the thread's. A child of the process has this memory as well, and may have become
 * another user.
 */
static uint8_t *place_of(const struct spool_writer *writer, uint64_t window)
{
	uint32_t at =
		__atomic_load_n(&writer->header->windows[window % SPOOL_WINDOWS], __ATOMIC_RELAXED);

	return at < writer->count ? window_at(writer, at) : NULL;
}

/* One that has been read, or a new one; -1: there is no room, or the recorder reads no more. */
static int64_t free_window(struct spool_writer *writer)
{
	struct spool_header *header = writer->header;
	uint64_t taken = __atomic_load_n(&header->taken, __ATOMIC_ACQUIRE);

	if (taken == UINT64_MAX)
		return -1;
	if (writer->oldest < taken)
		return __atomic_load_n(&header->windows[writer->oldest++ % SPOOL_WINDOWS],
				       __ATOMIC_RELAXED);
	if (!grow(writer))
		return -1;
	header->window_count = (uint32_t)writer->count + 1;
	return (int64_t)writer->count++;
}

/* Windows follow one another, as offsets do: no event is longer than one. */
static bool turn_to(struct spool_writer *writer, uint64_t window)
{
	int64_t at = free_window(writer);

	if (at < 0 || at >= (int64_t)writer->count)
		return false;
	__atomic_store_n(&writer->header->windows[window % SPOOL_WINDOWS], (uint32_t)at,
			 __ATOMIC_RELEASE);
	__atomic_store_n(&writer->header->turned, window + 1, __ATOMIC_RELEASE);
	writer->base = window_at(writer, (uint64_t)at);
	writer->window = window * SPOOL_WINDOW;
	return true;
}

static struct spool_record *turn(struct spool_writer *writer, uint64_t offset, unsigned records,
				 bool *again)
{
	uint64_t window = offset / SPOOL_WINDOW, inside = offset % SPOOL_WINDOW;
	struct spool_record *head;
	uint8_t *place;

	/* A signal handler may have turned already, and further than to here. */
	while ((int64_t)(window * SPOOL_WINDOW - writer->window) > 0)
		if (!turn_to(writer, (writer->window + SPOOL_WINDOW) / SPOOL_WINDOW))
			return NULL;
	place = place_of(writer, window);
	if (!place)
		return NULL;
	head = (struct spool_record *)(void *)(place + inside);
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
