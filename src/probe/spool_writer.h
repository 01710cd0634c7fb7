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

#include "probe/patch_plan.h"
#include "probe/spool.h"

/* --- Recorder ------------------------------------------------------------------------------- */

/*
 * The connection of the probe library to its recorder (spool.h): the plan that it takes, and the
 * memory that it hands over. No other process can take the recorder's place: the directory and the
 * plan must belong to root or, where the process is not root's, to the process's own user, with no
 * right for other users to write; the plan must carry the name of the directory, which cannot be
 * guessed; and so must the process that listens be root's or the own user's.
 *
 * Begins as zero. Stays as it is over forks.
 */
struct recorder_link {
	char path[SPOOL_PATH_MAX];	/* of the directory */
	const struct plan_header *plan; /* mapped; NULL: there is no recorder */
	size_t plan_bytes;
};

/*
 * Takes the plan from the directory at `path`. Returns 0, or -1: there is none that may be trusted.
 * The plan may be of another version than SPOOL_VERSION, with nothing behind `version` in its place.
 */
int recorder_link_open(struct recorder_link *link, const char *path);

/* Does the recorder still read events? */
bool recorder_link_is_read(const struct recorder_link *link);

/* ... and may files take more memory? */
bool recorder_link_has_room(const struct recorder_link *link);

/*
 * Makes a memory file of `bytes`, all zeros, which can neither be cut nor grow, and maps `mapped`
 * bytes from its beginning, which may be more than it has; they take no memory before they are
 * touched. Hands it over as `offer` says; its magic and version are filled in here. No descriptor
 * stays open. Returns the mapping, or NULL: there is no memory, or no recorder.
 */
void *recorder_link_offer(const struct recorder_link *link, struct spool_offer *offer,
			  uint64_t bytes, uint64_t mapped);

/* Tells of a library of another version than the recorder's. */
void recorder_link_refuse(const struct recorder_link *link);

/* --- Writer --------------------------------------------------------------------------------- */

/*
 * Adds to a number of one thread, whose signal handlers may add to it between any two instructions.
 * Returns the number before.
 */
static inline uint64_t own_counter_add(uint64_t *counter, uint64_t more)
{
	/* One instruction, so that a signal comes before it or after it. */
#if defined(__x86_64__)
	__asm__ volatile("xaddq %0, %1" : "+r"(more), "+m"(*counter));
	return more;
#else
	return __atomic_fetch_add(counter, more, __ATOMIC_RELAXED);
#endif
}

/*
 * Of the file, this much is mapped with its header; as it grows, as much again, and so on, as
 * programs may have their address space limited.
 */
enum { SPOOL_FIRST_WINDOWS = 16, SPOOL_MORE_PARTS = 10 };

_Static_assert(SPOOL_FIRST_WINDOWS << SPOOL_MORE_PARTS >= SPOOL_WINDOWS, "all of them");

/* Begins as zero. */
struct spool_writer {
	uint64_t offset; /* where the next event begins; its window's number * SPOOL_WINDOW + ... */
	uint64_t window; /* the offset of the first byte at `base` */
	uint8_t *base;
	struct spool_header *header; /* NULL: there is no file */
	const struct recorder_link *link;
	uint64_t allowed;		 /* windows that the file may have */
	uint64_t count;			 /* ... and has: the header's may be another process's */
	uint64_t oldest;		 /* window that is not used again so far */
	int32_t pid, tid;		 /* of the thread that has opened it */
	uint8_t *more[SPOOL_MORE_PARTS]; /* the windows behind the first ones */
};

/*
 * Makes the file and hands it over through `link`, which stays; `first` tells all of the offer but
 * its kind and the ids. Returns 0, or -1: nothing can be written then. No file stays open:
 * descriptors are the program's, which may close any, and may count on the number of the next.
 */
int spool_writer_open(struct spool_writer *writer, const struct recorder_link *link,
		      const struct spool_offer *first);

/* Nothing follows. */
void spool_writer_close(struct spool_writer *writer);

/* There was an event that is not written, as there is no room. */
void spool_writer_miss(struct spool_writer *writer);

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
		uint64_t offset, window;
		struct spool_record *turned;
		uint8_t *base;

		offset = own_counter_add(&writer->offset, bytes);
		/* In this order: if a signal handler turns in between, it is not in that window. */
		base = __atomic_load_n(&writer->base, __ATOMIC_RELAXED);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		window = __atomic_load_n(&writer->window, __ATOMIC_RELAXED);
		if (__builtin_expect(offset - window <= SPOOL_WINDOW - bytes, 1))
			return spool_writer_begin((void *)(base + (offset - window)), records);
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
