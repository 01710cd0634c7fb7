/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The layout of a perf.data file, for the recorder that writes one (collect) and the readers of one
 * (decode).
 *
 * Source: linux/tools/perf/Documentation/perf.data-file-format.txt and, for the records of the
 * kernel, linux/perf_event.h. All numbers are in the byte order of the machine that wrote the
 * file, which its magic shows. File mode:
 *
 *	struct perfdata_header
 *	attrs:  (struct perf_event_attr, struct perfdata_section ids) per event
 *	data:   records, each beginning with struct perf_event_header
 *	at data.offset + data.size: a struct perfdata_section for each bit set in `features`, in
 *	the order of the bits; they point to anywhere in the file
 *
 * Pipe mode: magic, the size of these two words (16), and records to the end. The other parts of
 * file mode are records: ATTR, FEATURE, TRACING_DATA.
 *
 *  perf before 3.3 wrote "PERFFILE" in any byte order, and the first ones a header without
 * `features`: the size of the header shows both. The words of `features` had 32 bits on old 32-bit
 * machines: PERFDATA_HOSTNAME, which is always set, shows which words a file has.
 *
 * A directory of perf record --threads contains such a file, `data`, with PERFDATA_DIR_FORMAT set,
 * and data.0, data.1, ..., which contain only the records of one buffer of the kernel each.
 */
#ifndef PSCAL_PERFDATA_PERFDATA_H
#define PSCAL_PERFDATA_PERFDATA_H

#include <stdint.h>

#define PERFDATA_MAGIC	     0x32454c4946524550ULL /* "PERFILE2", little endian */
#define PERFDATA_MAGIC_1     0x454c494646524550ULL /* "PERFFILE", little endian */
#define PERFDATA_MAGIC_1_BIG 0x5045524646494c45ULL /* the same text, big endian */

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
	PERFDATA_RECORD_USER = 64, /* the first of perf's own types */
	PERFDATA_RECORD_ATTR = 64, /* struct perf_event_attr, u64 ids[] */
	PERFDATA_RECORD_NOTE = 65, /* pscal's, see enum perfdata_note */
	/* u32 size; behind the record that many bytes, a multiple of 8 */
	PERFDATA_RECORD_TRACING_DATA = 66,
	PERFDATA_RECORD_FINISHED_ROUND = 68,
	PERFDATA_RECORD_AUXTRACE_INFO = 70, /* u32 enum perfdata_aux; more that depends on it */
	PERFDATA_RECORD_AUXTRACE = 71,	    /* u64 size; behind the record that many bytes */
	/*
	 * u64 count; for each thread that perf was told to record u64 tid (-1: all), char comm[16]
	 */
	PERFDATA_RECORD_THREAD_MAP = 73,
	PERFDATA_RECORD_FEATURE = 80, /* u64 feature; the contents of its section */
	/*
	 * Compressed records: one zstd stream through the whole file. The payload of one may end in
	 * the middle of a record; it unpacks to at most the size in PERFDATA_COMPRESSED.
	 */
	PERFDATA_RECORD_COMPRESSED = 81,
	PERFDATA_RECORD_COMPRESSED2 = 83, /* u64 size; that many bytes; padding to 8 */
	/* The first type of simpleperf (Android): `misc` is the upper half of the size. */
	PERFDATA_RECORD_SIMPLEPERF = 32768,
	PERFDATA_RECORD_SIMPLEPERF_TRACING_DATA = 32777, /* u32 size; that many bytes */
	PERFDATA_RECORD_LAST = UINT16_MAX,		 /* no tool uses a larger number */
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
 * Records of type 65 were names of events until perf 3.10, and every later perf ignores them, in
 * files and in pipes. The `misc` of pscal's is one of:
 */
enum perfdata_note {
	PERFDATA_NOTE_TABLE = 1, /* the table of sections of a recording that went on behind it */
	PERFDATA_NOTE_TEXT,	 /* a part of the text of PERFDATA_PSCAL; more follows */
	PERFDATA_NOTE_TEXT_END,	 /* its last part, padded by NULs to a multiple of 8 */
	/*
	 * A time in digits, padded by NULs to PERFDATA_TIME_BYTES. ROUND replaces FINISHED_ROUND if
	 * events of blocks are still to come that are older than what has been written: none will
	 * be older than this time. REACHED: these events have come up to this time since.
	 */
	PERFDATA_NOTE_ROUND,
	PERFDATA_NOTE_REACHED,
};

enum { PERFDATA_TIME_BYTES = 24 };
enum { PERFDATA_RECORD_MAX = UINT16_MAX & ~7 }; /* bytes, with the header */

/* The section PERFDATA_COMPRESSED. */
struct perfdata_compressed {
	uint32_t version; /* 1 */
	uint32_t type;	  /* 1: zstd */
	uint32_t level;
	uint32_t ratio;
	uint32_t unpacked_max; /* the most unpacked bytes of a record, with the rest before */
};

/*
 * PERFDATA_PSCAL holds what perf has no field for, as text: one "KEY VALUE" line each, in any
 * order; a reader ignores unknown keys. A recording begins with the same text in notes, as far as
 * it is known then; later notes contain additions, and in pipe mode the whole text comes at the end
 * again. Without end_ns the recorder did not reach its end, and its counts are ignored.
 *
 *	pscal 1                       the version of this list
 *	mode command|attach           started by the recorder, or running before
 *	collector perf|bpf|task       source of scheduler events; task: without wakeups
 *	launched PID                  the process that the recorder started; it belongs to the
 *	                              target from its first exec on
 *	root PID                      a process of the target (one line each)
 *	tid TID                       a thread of the target, beside the roots (one line each)
 *	comm NAME                     threads of this name are the target
 *	wide 1                        all threads of the machine are the target
 *	self PID                      ... but not this process, the recorder
 *	alone 1                       the descendants of the roots, and what the tids create,
 *	                              are not in the target
 *	affinity LIST                 CPUs that the target may use, as 0-3,8; of a command, those
 *	                              that it chose while it ran
 *	cores N                       number of cores of these CPUs: fewer if a core has several
 *	                              hardware threads
 *	start_ns TIME                 recording was on, in the clock of the records
 *	end_ns TIME                   recording was off
 *	paused BEGIN END              the user paused the recording (one line each)
 *	count EVENT N                 hits of a tracepoint that the kernel counted; if there are
 *	                              fewer samples, some were not written
 *	interrupts 1                  the collector bpf marked wakeups by interrupts with flags, as
 *	                              perf always does
 *	hidden LIST                   CPUs where PERF_RECORD_SWITCH was recorded, too, as this
 *	                              kernel hides switches from perf
 *	wrapped 1                     process ids began anew while a filter was on: threads born
 *	                              after that may be missing
 *	calls_end_ns TIME             calls were recorded only until here, as recording them took
 *	                              too much of the target's CPU time
 *	cost_switch_ns N              CPU time that recording added to a context switch, measured
 *	                              on this machine before the recording
 *	cost_call_ns N                ... to a recorded call of the C library
 *	cost_system_call_ns N         ... to a recorded system call, from its beginning to its end
 *	block EVENT NAME              events pscal_enter:EVENT and pscal_leave:EVENT belong to the
 *	                              function NAME, the rest of the line (one line each; none if
 *	                              both are the same). In notes, as they are met: blocks of
 *	                              pscal:enter and pscal:leave, whose EVENT is their number, such
 *	                              as 0x1a; at the end the format texts name them
 *	uprobe_cost_ns N              CPU time that recording added to a call of those functions, in
 *	                              the mean, with its return
 *	blocks_every M                one in M calls of blocks was recorded, at random
 *	block_cost_ns N               CPU time that recording adds to a block, for its enter and its
 *	                              leave, measured before the recording, with decimals
 *	task_cost_ns N                ... to a task, for its beginning and its end
 *	blocks_lost N                 events of blocks, and steps of tasks, that were not recorded
 *	blocks_drift_ns N             largest error of the times of blocks
 *	fault_outside_ns N            page faults were recorded: page-faults when one begins and
 *	                              minor-faults or major-faults when it ends. N is the CPU time
 *	                              that one takes before the first and behind the second event,
 *	                              measured before the recording; 0: not known
 *	ring_bytes N                  bytes that the kernel wrote for the recorder, before they were
 *	                              completed to ordinary records
 *	own_cpu_ns N                  CPU time that the recorder itself took
 *	busy_ns N                     time that the CPUs of the target were used meanwhile, by any
 *	                              program; whole ticks of the kernel, 10 ms each as a rule
 *	steal_ns N                    ... of which the hypervisor took N
 *	quota_ns N                    CPU time that the tightest quota of the target's control
 *	                              groups allows in each period; absent without a quota
 *	quota_period_ns N             wall time of a period; absent without a quota
 *	quota_periods N               periods in which the group ran while it was recorded
 *	quota_throttled N             periods that used up the quota
 *	quota_throttled_ns N          time that its CPUs were throttled, summed over CPUs
 *	quota_used_ns N               CPU time of the group meanwhile, including that of programs
 *	                              beside the target
 *	thread TIME PID TID STATE COMM  a thread that existed at TIME, with the state letter of
 *	                              /proc/PID/stat (R may be running or runnable); COMM is the
 *	                              rest of the line, with '?' for what cannot be shown
 */
#define PERFDATA_PSCAL_VERSION 1

/*
 * The start of a thread: a sample of the software event PERF_COUNT_SW_DUMMY, which counts nothing
 * and of which no other recorder has samples. The thread is the new one, its call chain the
 * function that the C library was given for it. The raw data is the first words that the argument
 * of this function points to, if they can be addresses; others are 0.
 */
#define PERFDATA_START_WORDS 6

/*
 * The first id of events in recordings of pscal that say nothing of the scheduler and have rings of
 * their own: if their records are lost, nothing else is missing. Ids of the kernel, which other
 * recorders write, count up from 1.
 */
#define PERFDATA_ASIDE_ID ((UINT64_C(1) << 62) + 1024)

#endif
