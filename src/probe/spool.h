/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The protocol by which the probe library, inside a recorded process, hands events to the recorder.
 * The recorder makes a directory in which no other user can make or remove names, and names it in
 * the environment (SPOOL_ENVIRONMENT). In it are
 *
 *	plan	the changes of functions, from the recorder; see patch_plan.h
 *	socket	where processes hand over their memory
 *
 * A process writes nothing into that directory, but into memory files (memfd_create(2)) of its own,
 * which it seals against being cut or grown and offers to the recorder over the socket (struct
 * spool_offer, the descriptor beside it). So the kernel names the process that offers a file, the
 * file cannot be truncated while it is read, and it disappears when both have ended. The library
 * keeps no descriptor open, as descriptors belong to the program.
 *
 * A file of notes, one for each process, is text: a struct spool_notes and lines behind it, each of
 * which begins with the letter of its kind (enum spool_note). A file of events, one for each
 * thread, begins with a struct spool_header, and behind SPOOL_HEADER_BYTES are windows of
 * SPOOL_WINDOW bytes. The thread fills one after the other; which of the file's windows is its
 * number W the header tells (`windows`). The recorder fills a window that it has read with zeros
 * again and says so (`taken`), and so the thread uses the same memory over and over, while it is in
 * the caches. The thread takes a further window only where the recorder is late, as long as the
 * recorder lives and allows it (patch_plan.h: `read_ns`, `room`); else it stops recording, and says
 * in the header so.
 *
 * In windows are records of 16 bytes: a head, and behind that its values, two in each. First of an
 * event its head's word is written, of the kind SPOOL_NONE; then all else; then its word as it is
 * to be. Where a word is zero or of SPOOL_NONE, the event is not there so far, or has been cut: by
 * a crash, or by a signal handler that has jumped elsewhere. So neither side takes a lock, and what
 * a process has written is there however it ends. An event does not cross the end of a
 * window: there stands a SPOOL_PAD instead, with the values that it would have had, and behind what
 * that takes, in the next window, goes on what follows.
 */
#ifndef PSCAL_PROBE_SPOOL_H
#define PSCAL_PROBE_SPOOL_H

#include <stdint.h>

#define SPOOL_ENVIRONMENT "PSCAL_SPOOL"
#define SPOOL_MAGIC	  0x314c4f4f50534350ULL /* "PCSPOOL1" */

/* Raised with each change here or in patch_plan.h: both sides refuse another one. */
enum { SPOOL_VERSION = 5 };

#define SPOOL_PLAN   "plan"
#define SPOOL_SOCKET "socket"

enum {
	SPOOL_HEADER_BYTES = 1 << 17,
	SPOOL_WINDOW = 1 << 16,
	SPOOL_WINDOWS = 16384,	     /* that a file has at most: 1 GiB */
	SPOOL_VALUES_MAX = 126,	     /* of an event */
	SPOOL_STACK_MAX = 64,	     /* frames of a SPOOL_STACK */
	SPOOL_PATH_MAX = 96,	     /* of the directory, its NUL included: sun_path has 108 */
	SPOOL_TOKEN = 32,	     /* random characters of its last component */
	SPOOL_NOTES_BYTES = 1 << 20, /* of a file of notes at most, and at least: */
	SPOOL_NOTES_MIN = 1 << 12,
	SPOOL_LINE_MAX = 1024, /* of a note, its newline included */
};

/* Which file is offered. The first two members stay where they are in all versions. */
struct spool_offer {
	uint64_t magic;
	uint32_t version;
	enum {
		SPOOL_OFFER_PROGRAM, /* notes of a process that has begun to run a program */
		SPOOL_OFFER_CHILD,   /* notes of one that was forked since, and runs the same */
		SPOOL_OFFER_THREAD,  /* events of a thread */
	} kind;
	int32_t pid,
		tid;	/* as the process sees them itself; the kernel tells the recorder its own */
	uint64_t image; /* which of the programs that the process has run by exec */
	uint32_t clock; /* enum spool_clock: of the events */
	uint32_t unused;
};

enum spool_note {
	SPOOL_NOTE_MAP = 'm',	     /* a line of /proc/PID/maps of code, from the beginning */
	SPOOL_NOTE_LATER_MAP = 'l',  /* the same, from a later look */
	SPOOL_NOTE_NAME = 'n',	     /* "ADDRESS NAME" of a block that no symbol names, one of
					pscal/probe.h, or a place of pscal/task.h, "FUNCTION FILE:LINE" */
	SPOOL_NOTE_TROUBLE = 't',    /* a sentence: a failure of the library */
	SPOOL_NOTE_CONFINED = 'c',   /* the process is about to confine itself (seccomp) */
	SPOOL_NOTE_UNCONFINED = 'u', /* ... and could not */
};

struct spool_notes {
	uint64_t used; /* bytes that have been claimed; zeros in them are to come */
	char text[SPOOL_NOTES_BYTES - sizeof(uint64_t)];
};

enum spool_clock {
	SPOOL_TSC,	 /* the time stamp counter, where it is invariant (CPUID 80000007h EDX 8) */
	SPOOL_MONOTONIC, /* CLOCK_MONOTONIC in ns, which is that of our recordings */
};

struct spool_header {
	uint64_t full;	       /* events that were not written, as there was no room; 0: none */
	uint32_t ended;	       /* 1: the thread has ended: nothing will follow */
	uint32_t window_count; /* in use */
	uint64_t turned; /* windows that the thread has come to: those before this are there */
	uint64_t taken;	 /* by the recorder: all windows before this number are of zeros again;
			    UINT64_MAX: it reads no more */
	uint32_t windows[SPOOL_WINDOWS]; /* [W % SPOOL_WINDOWS]: which of the file's is number W */
};

_Static_assert(sizeof(struct spool_header) <= SPOOL_HEADER_BYTES, "windows begin behind it");

/*
 * A block is the address of what was entered: of a function, or of a struct pscal_block; of a
 * SPOOL_TASK or SPOOL_COUNTED that of a struct pscal_site, or else any address of code. All
 * addresses are those of the process (48 bits).
 */
enum spool_kind {
	SPOOL_NONE,  /* not written so far; the block is 1 */
	SPOOL_ENTER, /* values: its first arguments, as they are in registers */
	SPOOL_LEAVE, /* value, if arguments are recorded: the register for what it returns */
	SPOOL_MARK,  /* a moment; values: as given */
	SPOOL_STACK, /* of the SPOOL_ENTER behind it: where calls return to, the innermost first */
	SPOOL_PAD,   /* nothing */
	SPOOL_TASK,  /* a step of a task (pscal/task.h), see below */
	SPOOL_COUNTED, /* the same, and behind its values what the thread has counted so far */
	SPOOL_KINDS,
};

struct spool_record {
	uint64_t time; /* in the clock of the file; never less than that of the one before, but for
			  what a signal handler did in between */
	uint64_t word; /* the block in bits 0-47, enum spool_kind in 48-55, values in 56-63 */
};

static inline uint64_t spool_word(enum spool_kind kind, uint64_t block, unsigned values)
{
	return (block & 0xffffffffffff) | (uint64_t)kind << 48 | (uint64_t)values << 56;
}

static inline uint64_t spool_block(uint64_t word)
{
	return word & 0xffffffffffff;
}

static inline enum spool_kind spool_kind(uint64_t word)
{
	return (enum spool_kind)(word >> 48 & 0xff);
}

static inline unsigned spool_values(uint64_t word)
{
	return (unsigned)(word >> 56);
}

/*
 * Values of a SPOOL_TASK. The first one is spool_task_value(). Of a BEGIN follow the parent, 0 if
 * it has none, and the index; of SPAWN and SYNC_OF the index of the child; of SYNC 1 if it is for
 * what is below the children, too, else 0. Behind those of a SPOOL_COUNTED is what each of the
 * plan's counters says, UINT64_MAX where that is not known: at the end of what is done at a step
 * that starts a block, at the beginning of one that ends it.
 */
static inline uint64_t spool_task_value(unsigned step, uint64_t task)
{
	return (task & 0xffffffffffffff) | (uint64_t)step << 56;
}

static inline unsigned spool_task_step(uint64_t value)
{
	return (unsigned)(value >> 56);
}

static inline uint64_t spool_task(uint64_t value)
{
	return value & 0xffffffffffffff;
}

/* The number of these without counters; steps are those of pscal/task.h. */
static inline unsigned spool_step_values(unsigned step)
{
	return step == 1 ? 3 : step == 3 || step == 5 || step == 6 ? 2 : 1;
}

/* Records that an event takes, its head included. */
static inline unsigned spool_records(unsigned values)
{
	return 1 + (values + 1) / 2;
}

#endif
