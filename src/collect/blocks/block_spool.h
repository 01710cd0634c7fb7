/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All processes that write into a spool (probe/spool.h), and the events of all their threads as one
 * stream in the order of time. The recorder's memory and its time for a pass
 * are bounded: see the limits in block_spool.c.
 */
#ifndef PSCAL_COLLECT_BLOCKS_BLOCK_SPOOL_H
#define PSCAL_COLLECT_BLOCKS_BLOCK_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/blocks/spool_listener.h"
#include "collect/blocks/spool_reader.h"

struct err;

/* A block that was met lately, so that its number need not be looked for. */
struct known_block {
	uint64_t address;
	uint32_t number;
};

enum { KNOWN_BLOCKS = 64 };

/* Two threads of a child may come at once, and each offer notes. */
enum { SPOOL_NOTES_MAX = 4 };

/* A process while it runs one program. */
struct spool_process {
	pid_t pid;
	uint64_t image; /* which program that is */
	uid_t uid;	/* its user when it began, or the one that root's has become since */
	gid_t gid;
	void *data; /* for the reader of the events; NULL at first */

	/* The spool's own: */
	struct note_reader notes[SPOOL_NOTES_MAX];
	unsigned note_count;
	size_t threads;
	bool confined, over;
};

struct spool_thread {
	struct spool_reader reader;
	struct spool_process *process;
	struct spool_event event;	     /* the next one, unless there is none so far */
	uint64_t time_ns;		     /* ... and when that was */
	uint64_t stack[SPOOL_STACK_MAX + 2]; /* where it was called from, from [2] on */
	size_t stack_depth;		     /* 0: that is not known */

	/* For the reader of the events: */
	uint64_t number; /* which of all it is, from 1 on; 0: it is new */
	struct known_block known[KNOWN_BLOCKS];

	/* The spool's own: */
	bool has_event;
	bool replaced; /* by a later program of its process, or a later thread of its number */
	bool over;     /* the file is not written any more, and its end has been looked at since */
	bool drained;  /* ... and all of it has been read */
};

/* Called for processes. */
struct spool_process_calls {
	/* The library has begun in a program that the process runs from now on, by exec. */
	void (*begun)(void *context, pid_t pid);
	/* A note about its code or the names of its blocks, see note_reader_read(). */
	void (*note)(void *context, struct spool_process *process, enum spool_note kind,
		     char *text);
	/* It is forgotten: all that it has written has been read. */
	void (*ended)(void *context, struct spool_process *process);
};

/* Events that are not in the recording. */
struct spool_losses {
	uint64_t unread;  /* records that have not been read: no more than so many events */
	uint64_t missing; /* there was no room for them */
	uint64_t torn;	  /* a crash has cut them */
};

/* Begins as block_spool_none(). */
struct block_spool {
	const char *path;	   /* of the directory */
	struct clock_pairs clocks; /* the time is taken at the beginning of each pass */
	char *trouble;		   /* the first failure, a sentence; NULL: none */
	bool foreign;		   /* a process of another user has handed something over */

	/* Its own: */
	struct spool_listener listener;
	struct spool_losses losses; /* of threads that are over */
	struct spool_thread **threads;
	size_t thread_count, thread_capacity;
	struct spool_process **processes;
	size_t process_count, process_capacity;
	struct spool_thread **heap; /* those whose turn it is in this pass, by time */
	size_t heap_count, heap_capacity;
	uint64_t until_ns, checked_ns;
	uint64_t deadline_ns; /* of this pass: notes are read no further */
	uint64_t again_ns;    /* ... in which so much time is left to look for offers again */
	uint64_t memory_max;  /* bytes that files may take together */
	bool has_room;
	const struct spool_process_calls *calls;
	void *context;
};

struct block_spool block_spool_none(void);

/* Makes the directory and listens. Returns 0, or -1 with a sentence; close it then, too. */
int block_spool_open(struct block_spool *spool, const struct spool_process_calls *calls,
		     void *context, struct err *err);

/* Nothing is left of it; a process that still records notices that it is not read, and stops. */
void block_spool_close(struct block_spool *spool);

/* Of what has happened up to now. `last`: no other one follows. */
void block_spool_begin_pass(struct block_spool *spool, bool last);

/* The thread whose event is the next one of this pass; NULL: there is none. */
struct spool_thread *block_spool_first(struct block_spool *spool);

/* It has been dealt with. */
void block_spool_drop_first(struct block_spool *spool);

/* Takes the notes that a process has taken meanwhile. */
void block_spool_read_notes(struct block_spool *spool, struct spool_process *process);

/* Takes all notes, as nothing will be read any more: none of the processes is there afterwards. */
void block_spool_end_processes(struct block_spool *spool);

/* Up to now. */
struct spool_losses block_spool_losses(const struct block_spool *spool);

#endif
