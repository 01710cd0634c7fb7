/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All threads that write into a spool, as one stream of events in the order of time. Files of
 * threads that have ended are removed as soon as they have been read.
 */
#ifndef PSCAL_COLLECT_BLOCK_SPOOL_H
#define PSCAL_COLLECT_BLOCK_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/clock_pairs.h"
#include "collect/spool_directory.h"
#include "collect/spool_reader.h"

struct err;

/* A block that was met lately, so that its number need not be looked for. */
struct known_block {
	uint64_t address;
	uint32_t number;
};

enum { KNOWN_BLOCKS = 64 };

struct block_thread {
	struct spool_reader reader;
	struct spool_event event;	     /* the next one, unless there is none so far */
	uint64_t time_ns;		     /* ... and when that was */
	uint64_t stack[SPOOL_STACK_MAX + 2]; /* where it was called from, from [2] on */
	size_t stack_depth;		     /* 0: that is not known */

	/* For who reads the events: */
	void *process;	 /* NULL: it is new */
	uint64_t number; /* which of all it is */
	struct known_block known[KNOWN_BLOCKS];

	/* The spool's own: */
	char *path;
	bool has_event;
	bool over;    /* nobody writes the file any more */
	bool drained; /* ... and all of it has been read */
};

/* Begins as zero, with `notify` -1; closing it is right then, too. */
struct block_spool {
	const char *path;	   /* of the directory */
	struct clock_pairs clocks; /* the time is taken at the beginning of each pass */
	uint64_t unread;	   /* files that could not be read, and why: */
	char *trouble;		   /* NULL: none */

	/* Its own: */
	struct spool_directory directory;
	int notify;
	uint64_t lost, missing; /* of threads that are over */
	struct block_thread **threads;
	size_t thread_count, thread_capacity;
	struct block_thread **heap; /* those whose turn it is in this pass, by time */
	size_t heap_count, heap_capacity;
	char **waiting; /* files that have no header so far */
	size_t waiting_count, waiting_capacity;
	uint64_t until_ns, checked_ns;
	void (*ended)(void *context, struct block_thread *thread);
	void *context;
};

/*
 * Makes the directory, whose name begins with `prefix`. `ended` is called with each thread that is
 * forgotten. Returns 0, or -1 with a sentence.
 */
int block_spool_open(struct block_spool *spool, const char *prefix,
		     void (*ended)(void *context, struct block_thread *thread), void *context,
		     struct err *err);

/*
 * Has the kernel tell of files that come, which is cheaper than to look through the directory at
 * each pass; but to stop watching takes the kernel some 20 ms. Returns 0, or -1 with a sentence.
 */
int block_spool_watch(struct block_spool *spool, struct err *err);

/* Nothing is left of it; who still writes into it does so in memory that it has already. */
void block_spool_close(struct block_spool *spool);

/* Of what has happened up to now. `last`: no other one follows. */
void block_spool_begin_pass(struct block_spool *spool, bool last);

/* The thread whose event is the next one of this pass; NULL: there is none. */
struct block_thread *block_spool_first(struct block_spool *spool);

/* It has been dealt with. */
void block_spool_drop_first(struct block_spool *spool);

/* Events for which there was no room, or that a crash has cut. */
uint64_t block_spool_lost(const struct block_spool *spool);

/* ... the former alone. */
uint64_t block_spool_missing(const struct block_spool *spool);

/* What could not be done in a process, a sentence, to be freed; NULL: nothing. */
char *block_spool_trouble(const struct block_spool *spool);

#endif
