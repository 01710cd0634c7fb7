/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A recording in progress: collectors put records into it; it counts them and writes them to its
 * file. However the recorder ends, everything up to the last round is readable.
 */
#ifndef PSCAL_COLLECT_RECORDING_RECORDING_H
#define PSCAL_COLLECT_RECORDING_RECORDING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "collect/kernel/proc_stat.h"
#include "collect/target/pid_set.h"
#include "perfdata/perfdata_write.h"

struct collector_set;
struct compressor;
struct lineage;
struct repeat_packer;
struct run_directory;
struct target;
struct target_spec;

/* Levels of zstd: the default is perf's; 3 costs twice as much and saves nothing here. */
enum { RECORDING_LEVEL_DEFAULT = 1, RECORDING_LEVEL_MAX = 22 };

struct recording_options {
	const char *path;      /* borrowed; "-": standard output, in perf's pipe format */
	int compression_level; /* of zstd, 1 to RECORDING_LEVEL_MAX; 0: none */
	uint64_t max_bytes;    /* largest size of the file; 0: no limit */
	bool repeats;	       /* many records repeat: recording_repeat() */
};

/* An exec of a process. */
struct recording_exec {
	pid_t pid;
	char name[16]; /* name of the program, cut */
};

enum { RECORDING_EXECS_MAX = 1 << 16 };

/* Counts of the records of a recording, for its summary. Begins as zero. */
struct recording_counts {
	uint64_t samples; /* includes records of switches */
	uint64_t lost;

	const struct target_spec *spec; /* borrowed, as the lineage is; NULL: none */
	const struct lineage *lineage;
	struct pid_set named; /* threads that have, or had, the requested name */
	uint64_t named_threads;
	uint64_t scanned_ns;	      /* time of the scan; threads that existed then are counted */
	struct recording_exec *execs; /* the first execs */
	size_t exec_count, exec_capacity;
};

/* A recording. One that is all zero counts the added records, and has no file. */
struct recording {
	struct recording_file file;
	struct perfdata_writer writer;
	struct compressor *compressor; /* or NULL */
	struct repeat_packer *repeats; /* or NULL */
	uint64_t max_bytes;
	struct recording_counts counts;
	bool names_strangers; /* threads of other programs are named when they are first seen */
	struct pid_set met;   /* ... threads seen so far */
	uint8_t *bytes;	      /* records not written yet */
	size_t size, capacity;
	uint64_t sound_bytes; /* bytes of the file that are a complete recording */
	uint64_t round_ns;    /* time at which the last round was written */
	/*
	 * A collector has not delivered all events of its last pass: its next ones may be older
	 * than those of other collectors, but not older than this. 0: all were delivered.
	 */
	uint64_t behind_ns;
	bool failed; /* nothing more can be written, for this reason: */
	struct err error;
};

/* A pause that the user requested. */
struct recording_pause {
	uint64_t begin_ns, end_ns; /* end 0: not over */
};

/* The origin of the recording, for the sections of the file; all borrowed. */
struct recording_facts {
	const char *tracefs;
	const struct run_directory *run; /* of the recorder; NULL: no uprobes */
	const char *const *cmdline;	 /* command line of the recorder, ends in NULL */
	const struct target *target;
	const struct lineage *lineage;		/* of the target; NULL: it does not count threads */
	const struct collector_set *collectors; /* with their events and facts */
	pid_t launched;				/* the process that the recorder started; 0: none */
	uint64_t start_ns, end_ns;		/* 0: not known yet */
	struct recording_pause *pauses;
	size_t pause_count;
	uint64_t calls_end_ns; /* calls were recorded until then, as they cost too much; 0: all */
	double cost_switch_ns; /* added to each context switch; 0: not measured */
	uint64_t own_cpu_ns;   /* CPU time of the recorder itself */
	uint64_t busy_ns, steal_ns; /* of the target's CPUs meanwhile; busy_ns 0: not known */
	uint64_t quota_ns, quota_period_ns; /* quota of its control groups; 0: none */
	struct cpu_quota_use quota_use;	    /* use of the quota meanwhile; periods 0: not known */
	int compression_level;		    /* 0: none */
	uint32_t compression_ratio;
};

/*
 * Begins a file that gets the name `path` from recording_publish(). Returns 0, or -1 with an error.
 */
int recording_open(struct recording *recording, const struct recording_options *options,
		   struct err *err);

/*
 * Writes the part before the first record. end_ns of `facts` is 0, and the collectors write what
 * they know; its target and lineage must live as long as the recording. Returns 0, or -1 with an
 * error.
 */
int recording_begin(struct recording *recording, const struct recording_facts *facts,
		    struct err *err);
int recording_publish(struct recording *recording, struct err *err);

/*
 * Returns room for a record of `size` bytes, a multiple of 8, zero except for its header. The
 * caller fills it in before the next call. Cannot fail; recording_round() returns errors of
 * writing.
 */
void *recording_add(struct recording *recording, uint32_t type, uint16_t misc, size_t size);

/* Notes that records of the collector that is behind are not older than that from now on. */
void recording_reach(struct recording *recording, uint64_t time_ns);

/*
 * Adds a line of PERFDATA_PSCAL, "KEY VALUE", among the records, for readers of a stream or of an
 * interrupted recording. It is cut to the size of a record.
 */
void recording_note(struct recording *recording, const char *line);

/* Counts the last added record, once it is filled in. */
void recording_count(struct recording *recording, const void *record);

/*
 * Adds and counts a sample like an earlier one with this key, with another time. False: there is
 * none, and nothing is added; after the caller has added and counted the whole sample it calls
 * recording_will_repeat(). That sample has REPEAT_RECORD_BYTES, and its time at REPEAT_TIME_AT.
 */
bool recording_repeat(struct recording *recording, uint64_t key, uint64_t time_ns);
void recording_will_repeat(struct recording *recording, uint64_t key);

/*
 * Ends a pass over all collectors: its records are in the file RECORDING_LAG_MS later, or as soon
 * as there are enough for a write. Returns 0, or -1 with an error, from then on every time.
 */
enum { RECORDING_LAG_MS = 500 };
int recording_round(struct recording *recording, struct err *err);

/*
 * Adds lines of PERFDATA_PSCAL that would come too late at the end, for readers of a stream or of
 * an interrupted recording. They come after all records so far. Returns 0, or -1 with an error.
 */
int recording_tell(struct recording *recording, const char *lines, struct err *err);

/* Returns whether the file has reached max_bytes, so that the recording should stop. */
bool recording_is_full(const struct recording *recording);

/*
 * Writes the feature sections, after the last record. Returns 0, or -1 with an error: the file is
 * then that of an interrupted recorder.
 */
int recording_end(struct recording *recording, const struct recording_facts *facts,
		  struct err *err);

/* Closes the recording. Returns 0, or -1 with an error. */
int recording_close(struct recording *recording, struct err *err);

/* Frees a recording that has no file. */
void recording_drop(struct recording *recording);

#endif
