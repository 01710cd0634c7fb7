/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The file of events of one thread, in the layout of spool.h, for the thread that writes it. Signal
 * handlers of that thread may write between any two instructions.
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
 * The connection of the probe library to its recorder (spool.h): the plan that it reads, and the
 * memory that it hands over. No other process can replace the recorder: the directory and the plan
 * must belong to root or, if the process is not root's, to its own user, and not be writable for
 * other users; the plan must contain the name of the directory, which cannot be guessed; and the
 * listening process must be root's or the own user's.
 *
 * Begins as zero. It remains valid in forked children.
 */
struct recorder_link {
	char path[SPOOL_PATH_MAX];	/* of the directory */
	const struct plan_header *plan; /* mapped; NULL: no recorder */
	size_t plan_bytes;
};

/*
 * Opens the plan in the directory at `path`. Returns 0, or -1: there is none that may be trusted.
 * The plan may have another version than SPOOL_VERSION; then only `version` and the members before
 * it are valid.
 */
int recorder_link_open(struct recorder_link *link, const char *path);

/* Returns whether the recorder still reads events. */
bool recorder_link_is_read(const struct recorder_link *link);

/* Returns whether it does, and files may take more memory. */
bool recorder_link_has_room(const struct recorder_link *link);

/*
 * Makes a memory file of `bytes`, all zeros, which can neither shrink nor grow, and maps `mapped`
 * bytes from its beginning, possibly more than it has; they take no memory until they are used.
 * Hands it over with `offer`, whose magic and version are filled in here. No descriptor stays open.
 * Returns the mapping, or NULL: there is no memory, or no recorder.
 */
void *recorder_link_offer(const struct recorder_link *link, struct spool_offer *offer,
			  uint64_t bytes, uint64_t mapped);

/* Reports to the recorder that this library has another version. */
void recorder_link_refuse(const struct recorder_link *link);

/* --- Writer --------------------------------------------------------------------------------- */

/*
 * Adds to a number of one thread, whose signal handlers may add to it between any two instructions.
 * Returns the number before.
 */
static inline uint64_t own_counter_add(uint64_t *counter, uint64_t more)
{
	/* One instruction, so that a signal comes before or after it. */
#if defined(__x86_64__)
	__asm__ volatile("xaddq %0, %1" : "+r"(more), "+m"(*counter));
	return more;
#else
	return __atomic_fetch_add(counter, more, __ATOMIC_RELAXED);
#endif
}

/*
 * The windows of a file that are mapped first, and the number of later mappings, each of which
 * doubles them: programs may have a limited address space.
 */
enum { SPOOL_FIRST_WINDOWS = 16, SPOOL_MORE_PARTS = 10 };

_Static_assert(SPOOL_FIRST_WINDOWS << SPOOL_MORE_PARTS >= SPOOL_WINDOWS, "all of them");

/* The writer. Begins as zero. */
struct spool_writer {
	uint64_t offset; /* place of the next event: number of its window * SPOOL_WINDOW + ... */
	uint64_t window; /* offset of the first byte at `base` */
	uint8_t *base;
	struct spool_header *header; /* NULL: no file */
	const struct recorder_link *link;
	uint64_t allowed;		 /* windows that the file may have */
	uint64_t count;			 /* ... and has; the header may be changed */
	uint64_t oldest;		 /* oldest window that is not reused yet */
	int32_t pid, tid;		 /* of the thread that opened it */
	uint8_t *more[SPOOL_MORE_PARTS]; /* windows behind the first ones */
};

/*
 * Makes the file and hands it over through `link`, which must stay valid; `first` is the offer
 * except for its kind and ids. Returns 0, or -1: nothing can be written. No descriptor stays open:
 * they belong to the program, which may close any, and may rely on the next number.
 */
int spool_writer_open(struct spool_writer *writer, const struct recorder_link *link,
		      const struct spool_offer *first);

/* Ends the file. */
void spool_writer_close(struct spool_writer *writer);

/* Counts an event that is not written for lack of room. */
void spool_writer_miss(struct spool_writer *writer);

/*
 * Continues spool_writer_take() if the event at `offset` is not completely in the window at `base`.
 * NULL: there is no room, or, if `again` is set, it would cross the end of the window.
 */
struct spool_record *spool_writer_turn(struct spool_writer *writer, uint64_t offset,
				       unsigned records, bool *again);

static inline struct spool_record *spool_writer_begin(struct spool_record *head, unsigned records)
{
	__atomic_store_n(&head->word, spool_word(SPOOL_NONE, 1, 2 * (records - 1)),
			 __ATOMIC_RELAXED);
	return head;
}

/* Returns room for an event; NULL: none. spool_writer_put() writes the word of the head last. */
static inline struct spool_record *spool_writer_take(struct spool_writer *writer, unsigned records)
{
	uint64_t bytes = records * sizeof(struct spool_record);
	bool again = true;

	while (again) {
		uint64_t offset, window;
		struct spool_record *turned;
		uint8_t *base;

		offset = own_counter_add(&writer->offset, bytes);
		/* The order matters: a signal handler may turn to another window in between. */
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
