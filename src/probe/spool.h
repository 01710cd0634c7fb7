/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The protocol by which the probe library, inside a recorded process, hands events to the recorder.
 * The recorder makes a directory in which no other user can make or remove names, and names it in
 * the environment (SPOOL_ENVIRONMENT). It contains
 *
 *	plan	the recorder's changes of functions; see patch_plan.h
 *	socket	where processes hand over their memory
 *
 * A process writes nothing into that directory, but into its own memory files (memfd_create(2)),
 * which it seals against truncation and growth and offers to the recorder over the socket (struct
 * spool_offer, with the descriptor). So the kernel identifies the process that offers a file, the
 * file cannot be truncated while it is read, and it disappears when both have ended. The library
 * keeps no descriptor open, as descriptors belong to the program.
 *
 * A file of notes, one for each process, is text: a struct spool_notes and lines behind it, each of
 * which begins with the letter of its kind (enum spool_note). A file of events, one for each
 * thread, begins with a struct spool_header, followed, at SPOOL_HEADER_BYTES, by windows of
 * SPOOL_WINDOW bytes. The thread fills one after the other; `windows` of the header has the file's
 * window for number W. The recorder zeroes a window that it has read and says so (`taken`), so that
 * the thread uses the same memory again and again while it is in the caches. The thread takes a
 * further window only if the recorder is late, while the recorder lives and allows it
 * (patch_plan.h: `read_ns`, `room`); otherwise it stops recording, and says so in the header.
 *
 * Windows contain records of 16 bytes: a head, followed by its values, two in each. The thread
 * first writes the word of the head with the kind SPOOL_NONE, then all else, then the final word.
 * An event whose word is zero or of SPOOL_NONE is not complete yet, or was cut: by a crash, or by a
 * signal handler that has jumped elsewhere. So neither side takes a lock, and the data of a process
 * is there however it ends. An event does not cross the end of a window: a SPOOL_PAD is there
 * instead, with the values that it would have had, and the next event follows behind their space,
 * in the next window.
 */
#ifndef PSCAL_PROBE_SPOOL_H
#define PSCAL_PROBE_SPOOL_H

#include <stdint.h>

#define SPOOL_ENVIRONMENT "PSCAL_SPOOL"
#define SPOOL_MAGIC	  0x314c4f4f50534350ULL /* "PCSPOOL1" */

/* The version, raised with each change here or in patch_plan.h: both sides refuse another one. */
enum { SPOOL_VERSION = 5 };

#define SPOOL_PLAN   "plan"
#define SPOOL_SOCKET "socket"

enum {
	SPOOL_HEADER_BYTES = 1 << 17,
	SPOOL_WINDOW = 1 << 16,
	SPOOL_WINDOWS = 16384,	     /* of a file at most: 1 GiB */
	SPOOL_VALUES_MAX = 126,	     /* of an event */
	SPOOL_STACK_MAX = 64,	     /* frames of a SPOOL_STACK */
	SPOOL_PATH_MAX = 96,	     /* of the directory, with its NUL: sun_path has 108 */
	SPOOL_TOKEN = 32,	     /* random characters of its last component */
	SPOOL_NOTES_BYTES = 1 << 20, /* of a file of notes, at most and at least: */
	SPOOL_NOTES_MIN = 1 << 12,
	SPOOL_LINE_MAX = 1024, /* of a note, with its newline */
};

/* An offer of a file. The first two members are the same in all versions. */
struct spool_offer {
	uint64_t magic;
	uint32_t version;
	enum {
		SPOOL_OFFER_PROGRAM, /* notes of a process that has begun to run a program */
		SPOOL_OFFER_CHILD,   /* notes of a forked child that runs the same program */
		SPOOL_OFFER_THREAD,  /* events of a thread */
	} kind;
	int32_t pid,
		tid;	/* as the process sees them itself; the kernel tells the recorder its own */
	uint64_t image; /* number of the program among those of the process, by exec */
	uint32_t clock; /* enum spool_clock of the events */
	uint32_t unused;
};

enum spool_note {
	SPOOL_NOTE_MAP = 'm',	    /* a line of /proc/PID/maps of code, from the beginning */
	SPOOL_NOTE_LATER_MAP = 'l', /* likewise, from a later look */
	/*
	 * "ADDRESS NAME" of a block without a symbol, one of pscal/probe.h, or a place of
	 * pscal/task.h, "FUNCTION FILE:LINE".
	 */
	SPOOL_NOTE_NAME = 'n',
	SPOOL_NOTE_TROUBLE = 't',    /* a sentence: a failure of the library */
	SPOOL_NOTE_CONFINED = 'c',   /* the process is about to confine itself (seccomp) */
	SPOOL_NOTE_UNCONFINED = 'u', /* ... and could not */
};

struct spool_notes {
	uint64_t used; /* bytes claimed; zeros in them are not written yet */
	char text[SPOOL_NOTES_BYTES - sizeof(uint64_t)];
};

enum spool_clock {
	SPOOL_TSC,	 /* the time stamp counter, if invariant (CPUID 80000007h EDX 8) */
	SPOOL_MONOTONIC, /* CLOCK_MONOTONIC in ns, the clock of recordings */
};

struct spool_header {
	uint64_t full;	       /* events not written for lack of room; 0: none */
	uint32_t ended;	       /* 1: the thread has ended: nothing follows */
	uint32_t window_count; /* in use */
	uint64_t turned;       /* number of windows that the thread has reached */
	/* Windows before this number are zeroed by the recorder; UINT64_MAX: it reads no more. */
	uint64_t taken;
	uint32_t windows[SPOOL_WINDOWS]; /* [W % SPOOL_WINDOWS]: the file's window for number W */
};

_Static_assert(sizeof(struct spool_header) <= SPOOL_HEADER_BYTES, "windows begin behind it");

/*
 * The kinds of events. A block is the address of the function that was entered, or of a struct
 * pscal_block; for SPOOL_TASK and SPOOL_COUNTED that of a struct pscal_site, or any address of
 * code. All addresses are those of the process (48 bits).
 */
enum spool_kind {
	SPOOL_NONE,    /* not written yet; the block is 1 */
	SPOOL_ENTER,   /* values: its first arguments, in registers */
	SPOOL_LEAVE,   /* value, if arguments are recorded: the register of its result */
	SPOOL_MARK,    /* a moment; values: as given */
	SPOOL_STACK,   /* of the SPOOL_ENTER behind it: return addresses, innermost first */
	SPOOL_PAD,     /* nothing */
	SPOOL_TASK,    /* a step of a task (pscal/task.h), see below */
	SPOOL_COUNTED, /* likewise, followed by the thread's counts so far */
	SPOOL_KINDS,
};

struct spool_record {
	/* In the clock of the file; never goes back, except by signal handlers. */
	uint64_t time;
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
 * The values of a SPOOL_TASK. The first is spool_task_value(). For BEGIN the parent (0: none) and
 * the index follow; for SPAWN and SYNC_OF the index of the child; for SYNC 1 if it also waits for
 * descendants of the children, otherwise 0. In a SPOOL_COUNTED the values of the plan's counters
 * follow, UINT64_MAX if unknown: read last in a step that starts a block, and first in one that
 * ends it.
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

/* Returns the number of values without counters; steps are those of pscal/task.h. */
static inline unsigned spool_step_values(unsigned step)
{
	return step == 1 ? 3 : step == 3 || step == 5 || step == 6 ? 2 : 1;
}

/* Returns the records of an event, with its head. */
static inline unsigned spool_records(unsigned values)
{
	return 1 + (values + 1) / 2;
}

#endif
