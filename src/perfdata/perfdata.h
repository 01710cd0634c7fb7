/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The layout of a perf.data file, for the recorder that writes one (collect) and the readers of one
 * (decode).
 *
 * Source: linux/tools/perf/Documentation/perf.data-file-format.txt and, for the records of the
 * kernel, linux/perf_event.h. All numbers are in the byte order of the machine that wrote the
 * file, which its magic tells. File mode:
 *
 *	struct perfdata_header
 *	attrs:  (struct perf_event_attr, struct perfdata_section ids) per event
 *	data:   records, each beginning with struct perf_event_header
 *	at data.offset + data.size: a struct perfdata_section for each bit set in `features`, in
 *	the order of the bits; they point to anywhere in the file
 *
 * Pipe mode: magic, the size of these two words (16), and records to the end. What file mode has
 * elsewhere comes as records: ATTR, FEATURE, TRACING_DATA.
 *
 * perf before 3.3 wrote "PERFFILE" in any byte order, and the header without `features` at first:
 * the size of the header tells both. Where the words of its `features` were of 32 bits, as on old
 * 32-bit machines, their bits are found by PERFDATA_HOSTNAME, which is always set.
 *
 * A directory of perf record --threads holds such a file, `data`, with PERFDATA_DIR_FORMAT set, and
 * beside it the records of each buffer of the kernel as data.0, data.1, ..., with nothing else.
 */
#ifndef PSCAL_PERFDATA_PERFDATA_H
#define PSCAL_PERFDATA_PERFDATA_H

#include <stdint.h>

#define PERFDATA_MAGIC	       0x32454c4946524550ULL /* "PERFILE2", little endian */
#define PERFDATA_MAGIC_SWAPPED 0x50455246494c4532ULL /* the other byte order */
#define PERFDATA_MAGIC_1       0x454c494646524550ULL /* "PERFFILE", little endian */
#define PERFDATA_MAGIC_1_BIG   0x5045524646494c45ULL /* the same text, big endian */

struct perfdata_section {
	uint64_t offset; /* bytes from the beginning of the file */
	uint64_t size;	 /* bytes */
};

struct perfdata_header {
	uint64_t magic;
	uint64_t size;	    /* of this header: 104, or 16 in pipe mode */
	uint64_t attr_size; /* of one attr and its ids section */
	struct perfdata_section attrs, data, event_types;
	uint64_t features[4]; /* a bit set for each feature section */
};

enum {
	PERFDATA_HEADER_SIZE = sizeof(struct perfdata_header),
	PERFDATA_HEADER_SIZE_MIN = 72, /* without features */
	PERFDATA_PIPE_HEADER_SIZE = 16,
};

/* Bits in `features`. */
enum perfdata_feature {
	PERFDATA_RESERVED = 0, /* perf never sets it and reads nothing from its section */
	PERFDATA_TRACING_DATA = 1,
	PERFDATA_HOSTNAME = 3,
	PERFDATA_OSRELEASE = 4,
	PERFDATA_VERSION = 5,
	PERFDATA_ARCH = 6,
	PERFDATA_NRCPUS = 7,
	PERFDATA_CPUDESC = 8,
	PERFDATA_CMDLINE = 11,
	PERFDATA_EVENT_DESC = 12,
	PERFDATA_AUXTRACE = 18,
	PERFDATA_SAMPLE_TIME = 21,
	PERFDATA_CLOCKID = 23,
	PERFDATA_DIR_FORMAT = 24,
	PERFDATA_COMPRESSED = 27,
	PERFDATA_CLOCK_DATA = 29,
	PERFDATA_PSCAL = 250, /* ours, see below; perf skips bits it does not know */
	PERFDATA_FEATURE_COUNT = 256,
};

/* Record types that perf itself writes, beside those of the kernel (enum perf_event_type). */
enum perfdata_record_type {
	PERFDATA_RECORD_USER = 64, /* the first of them */
	PERFDATA_RECORD_ATTR = 64, /* struct perf_event_attr, u64 ids[] */
	PERFDATA_RECORD_NOTE = 65, /* ours, see enum perfdata_note */
	/* u32 size; behind the record so many bytes, a multiple of 8 */
	PERFDATA_RECORD_TRACING_DATA = 66,
	PERFDATA_RECORD_FINISHED_ROUND = 68,
	PERFDATA_RECORD_AUXTRACE_INFO = 70, /* u32 enum perfdata_aux; more that depends on it */
	PERFDATA_RECORD_AUXTRACE = 71,	    /* u64 size; behind the record so many bytes */
	/* u64 count; of each thread that perf was told to record u64 tid (-1: all), char comm[16] */
	PERFDATA_RECORD_THREAD_MAP = 73,
	PERFDATA_RECORD_FEATURE = 80, /* u64 feature; what its section would hold */
	/*
	 * Records as one zstd stream through the whole file. What one of these unpacks to may end
	 * in the middle of a record, and has at most the bytes that PERFDATA_COMPRESSED names.
	 */
	PERFDATA_RECORD_COMPRESSED = 81,
	PERFDATA_RECORD_COMPRESSED2 = 83, /* u64 size; so many bytes; up to a multiple of 8 */
	/*
	 * From here on records of simpleperf (Android), whose `misc` is the upper half of a size of
	 * 32 bits.
	 */
	PERFDATA_RECORD_SIMPLEPERF = 32768,
	PERFDATA_RECORD_SIMPLEPERF_TRACING_DATA = 32777, /* u32 size; so many bytes */
	PERFDATA_RECORD_LAST = UINT16_MAX,		 /* no tool numbers its own beyond */
};

/* The writer of an AUX trace. */
enum perfdata_aux {
	PERFDATA_AUX_INTEL_PT = 1,
	PERFDATA_AUX_INTEL_BTS,
	PERFDATA_AUX_CS_ETM,
	PERFDATA_AUX_ARM_SPE,
	PERFDATA_AUX_S390_CPUMSF,
	PERFDATA_AUX_HISI_PTT,
};

/*
 * Records of type 65 were names of events until perf 3.10, and every later perf passes over them,
 * in files and in pipes. `misc` tells ours apart:
 */
enum perfdata_note {
	PERFDATA_NOTE_TABLE = 1, /* the table of sections of a recording that was not ended here */
	PERFDATA_NOTE_TEXT,	 /* a part of the text of PERFDATA_PSCAL, the rest follows */
	PERFDATA_NOTE_TEXT_END,	 /* its last part, up to a multiple of 8 in NULs */
	/*
	 * A time in digits, up to PERFDATA_TIME_BYTES in NULs. In the place of FINISHED_ROUND where
	 * events of blocks are still to come that are older than what has been written, but not
	 * older than that; and that these have come so far meanwhile.
	 */
	PERFDATA_NOTE_ROUND,
	PERFDATA_NOTE_REACHED,
};

enum { PERFDATA_TIME_BYTES = 24 };
enum { PERFDATA_RECORD_MAX = UINT16_MAX & ~7 }; /* bytes, its header included */

/* The section PERFDATA_COMPRESSED. */
struct perfdata_compressed {
	uint32_t version; /* 1 */
	uint32_t type;	  /* 1: zstd */
	uint32_t level;
	uint32_t ratio;
	uint32_t unpacked_max; /* bytes that a record unpacks to, with the rest of the one before */
};

/*
 * PERFDATA_PSCAL holds what perf has no field for, as text: one "KEY VALUE" line each, in any
 * order; a reader passes over keys it does not know. A recording begins with the same text in
 * notes, as far as it is known then; later notes say what has been added to it, and in pipe mode
 * the whole text ends it too. When no end_ns is there the recorder did not come to its end, and
 * counts do not count.
 *
 *	pscal 1                       the version of this list
 *	mode command|attach           started by the recorder, or running before
 *	collector perf|bpf|task       what watched the scheduler; task: no wakes were seen
 *	launched PID                  the recorder started this one, which is of the target from
 *	                              its first exec on
 *	root PID                      a process of the target (one line each)
 *	tid TID                       a thread of the target, beside the roots (one line each)
 *	comm NAME                     threads of this name are the target
 *	wide 1                        all threads of the machine are the target
 *	self PID                      ... but not this process, the recorder
 *	alone 1                       the descendants of the roots, and what the tids create,
 *	                              are not in the target
 *	affinity LIST                 CPUs that the target may use, as 0-3,8; of a command, what
 *	                              it settled for while it ran
 *	cores N                       that these CPUs belong to: fewer than CPUs where cores have
 *	                              several hardware threads
 *	start_ns TIME                 recording was on, in the clock of the records
 *	end_ns TIME                   recording was off
 *	paused BEGIN END              it was off in between, as the user asked (one line each)
 *	count EVENT N                 hits of a tracepoint that the kernel counted; more than
 *	                              there are samples means that samples were not written
 *	interrupts 1                  of the collector bpf: wakes that interrupts raised have flags
 *	                              that say so, as with perf always
 *	hidden LIST                   CPUs where PERF_RECORD_SWITCH was recorded, too, as this
 *	                              kernel hides switches from perf
 *	wrapped 1                     process ids began anew while a filter was on: threads born
 *	                              after that may be missing
 *	calls_end_ns TIME             calls were recorded up to here only, as that took more of the
 *	                              target's CPU time than a user has to be asked for
 *	cost_switch_ns N              CPU time that recording added to a context switch, measured
 *	                              on this machine before the recording
 *	cost_call_ns N                ... to a recorded call of the C library
 *	cost_system_call_ns N         ... to a recorded system call, from its beginning to its end
 *	block EVENT NAME              events pscal_enter:EVENT and pscal_leave:EVENT are of the
 *	                              function NAME, the rest of the line (one line each; none
 *	                              where both are the same); and in notes, as they are met:
 *	                              blocks of pscal:enter and pscal:leave, whose EVENT is their
 *	                              number as 0x1a, and which the format texts name at the end
 *	uprobe_cost_ns N              CPU time that recording added to a call of those functions, in
 *	                              the mean, with its return
 *	blocks_every M                one in M calls of blocks was recorded, at random
 *	block_cost_ns N               CPU time that recording adds to a block, for its enter and its
 *	                              leave, measured before the recording, with decimals
 *	task_cost_ns N                ... to a task, for its beginning and its end
 *	blocks_lost N                 events of blocks, and steps of tasks, that were not recorded
 *	blocks_drift_ns N             how far off the times of blocks may be
 *	fault_outside_ns N            page faults were recorded: as page-faults when one begins and
 *	                              as minor-faults or major-faults when it ends; and so much CPU
 *	                              time it takes before the one and behind the other, measured
 *	                              before the recording; 0: not known
 *	ring_bytes N                  what the kernel wrote for the recorder, before it was
 *	                              completed to ordinary records
 *	own_cpu_ns N                  CPU time that the recorder itself took
 *	busy_ns N                     time that the CPUs of the target were in use meanwhile, by any
 *	                              program; whole ticks of the kernel, 10 ms each as a rule
 *	steal_ns N                    ... of which the hypervisor took so much
 *	quota_ns N                    the control groups of the target allow so much CPU time in each
 *	quota_period_ns N             ... of so much wall time; neither is there where they set no
 *	                              limit, and the tightest one counts
 *	quota_periods N               periods of it in which the group ran while it was recorded,
 *	quota_throttled N             ... of which so many used it up,
 *	quota_throttled_ns N          ... and so long its CPUs were throttled, all together
 *	quota_used_ns N               CPU time that the group had meanwhile, with that of programs
 *	                              beside the target
 *	thread TIME PID TID STATE COMM  a thread that existed at TIME, with the state letter of
 *	                              /proc/PID/stat (R may be running or runnable); COMM is the
 *	                              rest of the line, with '?' for what cannot be shown
 */
#define PERFDATA_PSCAL_VERSION 1

/*
 * The start of a thread: a sample of the software event that counts nothing, PERF_COUNT_SW_DUMMY,
 * of which no other recorder has samples. The thread is the new one, its call chain is the function
 * that the C library was given for it, and the raw data the first words that the argument of this
 * points to, as far as they can be addresses; others are 0.
 */
#define PERFDATA_START_WORDS 6

/*
 * Ids of events in our recordings, from here on, are of those that tell nothing of the scheduler
 * and have rings of their own: nothing else is missing where their records are lost. The ids of
 * the kernel, which other recorders write, count up from 1.
 */
#define PERFDATA_ASIDE_ID ((UINT64_C(1) << 62) + 1024)

#endif
