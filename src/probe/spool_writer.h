/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The file of events of one thread, as spool.h lays it out, for the thread that writes it. Signal
 * handlers of that thread may write between any two instructions of what they interrupt.
 */
#ifndef PSCAL_PROBE_SPOOL_WRITER_H
#define PSCAL_PROBE_SPOOL_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/spool.h"

/* Begins as zero. */
struct spool_writer {
	uint64_t offset; /* where the next event begins: its window's number is that / SPOOL_WINDOW
			  */
	uint64_t window; /* ... of the first byte at `base` */
	uint8_t *base;	 /* NULL: nothing can be written */
	struct spool_header *header;
	uint64_t oldest; /* window that is not used again so far */
	int fd;
};

/*
 * Creates the file in the directory `spool`; `first` tells all of its header but pid and tid.
 * Returns 0, or -1: nothing will be written then.
 */
int spool_writer_open(struct spool_writer *writer, const char *spool,
		      const struct spool_header *first);

/* Nothing follows. */
void spool_writer_close(struct spool_writer *writer);

/* After a fork, in the child: the file is that of its parent's thread. */
void spool_writer_abandon(struct spool_writer *writer);

/*
 * For spool_writer_take(), where the event at `offset` is not in the window at `base`, or not all
 * of it. NULL: there is no room, or, where `again` is set then, it lies across the end.
 */
struct spool_record *spool_writer_turn(struct spool_writer *writer, uint64_t offset,
				       unsigned records, bool *again);

static inline struct spool_record *spool_writer_begin(struct spool_record *head, unsigned records)
{
	__atomic_store_n(&head->word, spool_word(SPOOL_NONE, 1, 2 * (records - 1)),
			 __ATOMIC_RELAXED);
	return head;
}

/*
 * Room for an event of so many records; NULL: there is none. The head's word is to be written last,
 * by spool_writer_put().
 */
static inline struct spool_record *spool_writer_take(struct spool_writer *writer, unsigned records)
{
	uint64_t bytes = records * sizeof(struct spool_record);
	bool again = true;

	while (again) {
		uint64_t offset = bytes;
		struct spool_record *turned;

		/* One instruction, so that a signal comes before it or after it. */
#if defined(__x86_64__)
		__asm__ volatile("xaddq %0, %1" : "+r"(offset), "+m"(writer->offset));
#else
		offset = __atomic_fetch_add(&writer->offset, offset, __ATOMIC_RELAXED);
#endif
		if (__builtin_expect(offset - writer->window <= SPOOL_WINDOW - bytes, 1))
			return spool_writer_begin(
				(void *)(writer->base + (offset - writer->window)), records);
		again = false;
		turned = spool_writer_turn(writer, offset, records, &again);
		if (turned)
			return turned;
	}
	return NULL;
}

static inline void spool_writer_put(struct spool_record *head, uint64_t time, uint64_t word)
{
	head->time = time;
	__atomic_store_n(&head->word, word, __ATOMIC_RELEASE);
}

#endif
