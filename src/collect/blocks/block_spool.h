/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All processes that write into a spool (probe/spool.h), and the events of all their threads as one
 * stream in the order of time. The recorder's memory and its time for a pass are bounded: see the
 * limits in block_spool.c.
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

/* A recently met block, whose number is known. */
struct known_block {
	uint64_t address;
	uint32_t number;
};

enum { KNOWN_BLOCKS = 64 };

/* The most notes of a process: two threads of a child may begin at once, and each offer notes. */
enum { SPOOL_NOTES_MAX = 4 };

/* A process while it runs one program. */
struct spool_process {
	pid_t pid;
	uint64_t image; /* identifies the program */
	uid_t uid;	/* its user at its begin, or the later user of a process of root */
	gid_t gid;
	void *data; /* for the reader of the events; NULL at first */

	/* Private to the spool: */
	struct note_reader notes[SPOOL_NOTES_MAX];
	unsigned note_count;
	size_t threads;
	bool confined, over;
};

struct spool_thread {
	struct spool_reader reader;
	struct spool_process *process;
	struct spool_event event;	     /* the next event, unless there is none yet */
	uint64_t time_ns;		     /* ... and its time */
	uint64_t stack[SPOOL_STACK_MAX + 2]; /* its call chain, from [2] on */
	size_t stack_depth;		     /* 0: not known */

	/* For the reader of the events: */
	uint64_t number; /* number of the thread, from 1 on; 0: new */
	struct known_block known[KNOWN_BLOCKS];

	/* Private to the spool: */
	bool has_event;
	bool replaced; /* by a later program of its process, or a later thread of its number */
	bool over;     /* the file is complete, and its end has been examined since */
	bool drained;  /* ... and has been read */
};

/* Functions that are called for processes. */
struct spool_process_calls {
	/* The library has begun in a new program of the process, after exec. */
	void (*begun)(void *context, pid_t pid);
	/*
	 * A note about the code of the process or the names of its blocks, see note_reader_read().
	 */
	void (*note)(void *context, struct spool_process *process, enum spool_note kind,
		     char *text);
	/* The process is forgotten: all its data has been read. */
	void (*ended)(void *context, struct spool_process *process);
};

/* Events that are not in the recording. */
struct spool_losses {
	uint64_t unread;  /* unread records: at most that many events */
	uint64_t missing; /* events without room */
	uint64_t torn;	  /* events cut by a crash */
};

/* A spool. Begins as block_spool_none(). */
struct block_spool {
	const char *path;	   /* of the directory */
	struct clock_pairs clocks; /* a pair is taken at the begin of each pass */
	char *trouble;		   /* the error of the first failure; NULL: none */
	bool foreign;		   /* a process of another user has offered something */

	/* Private: */
	struct spool_listener listener;
	struct spool_losses losses; /* of threads that have ended */
	struct spool_thread **threads;
	size_t thread_count, thread_capacity;
	struct spool_process **processes;
	size_t process_count, process_capacity;
	struct spool_thread **heap; /* threads with events of this pass, by time */
	size_t heap_count, heap_capacity;
	uint64_t until_ns, checked_ns;
	uint64_t deadline_ns; /* of this pass: notes are read until then */
	uint64_t again_ns;    /* ... time left in it for further searches for offers */
	uint64_t memory_max;  /* bytes that files may take together */
	bool has_room;
	const struct spool_process_calls *calls;
	void *context;
};

struct block_spool block_spool_none(void);

/* Makes the directory and listens. Returns 0, or -1 with an error; the caller always closes it. */
int block_spool_open(struct block_spool *spool, const struct spool_process_calls *calls,
		     void *context, struct err *err);

/* Removes the spool; a process that still records notices that its data is not read, and stops. */
void block_spool_close(struct block_spool *spool);

/* Begins a pass over events up to now. `last`: it is the last one. */
void block_spool_begin_pass(struct block_spool *spool, bool last);

/* Returns the thread with the next event of this pass; NULL: none. */
struct spool_thread *block_spool_first(struct block_spool *spool);

/* Drops the event of that thread, which has been handled. */
void block_spool_drop_first(struct block_spool *spool);

/* Reads the notes that a process has written since. */
void block_spool_read_notes(struct block_spool *spool, struct spool_process *process);

/* Reads all notes and forgets all processes, as nothing more will be read. */
void block_spool_end_processes(struct block_spool *spool);

/* Returns the losses up to now. */
struct spool_losses block_spool_losses(const struct block_spool *spool);

#endif
