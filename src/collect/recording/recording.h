/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A recording while it is made: collectors put records into it, it counts them and writes them to
 * its file. However the recorder ends, everything up to the last round can be read.
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

/* Levels of zstd: the first as perf; 3 is no smaller here and costs twice as much. */
enum { RECORDING_LEVEL_DEFAULT = 1, RECORDING_LEVEL_MAX = 22 };

struct recording_options {
	const char *path;      /* borrowed; "-": standard output, in perf's pipe format */
	int compression_level; /* of zstd, 1 to RECORDING_LEVEL_MAX; 0: none */
	uint64_t max_bytes;    /* the file is full when it has so many; 0: as large as it gets */
	bool repeats;	       /* many records are like one before: recording_repeat() */
};

/* A process has begun to run another program. */
struct recording_exec {
	pid_t pid;
	char name[16]; /* of the program, cut */
};

enum { RECORDING_EXECS_MAX = 1 << 16 };

/* Counts of the records that go into a recording, for the line that ends it. Begins as zero. */
struct recording_counts {
	uint64_t samples; /* and records of switches */
	uint64_t lost;

	const struct target_spec *spec; /* borrowed, as the lineage is; NULL: none */
	const struct lineage *lineage;
	struct pid_set named; /* threads that have the name which is asked for, or had it */
	uint64_t named_threads;
	uint64_t scanned_ns;	      /* threads that were there at the beginning are counted */
	struct recording_exec *execs; /* the first ones */
	size_t exec_count, exec_capacity;
};

/* A zero recording counts the records that are added, and has no file. */
struct recording {
	struct recording_file file;
	struct perfdata_writer writer;
	struct compressor *compressor; /* or NULL */
	struct repeat_packer *repeats; /* or NULL */
	uint64_t max_bytes;
	struct recording_counts counts;
	bool names_strangers; /* threads of other programs are named where they are met */
	struct pid_set met;   /* ... by then */
	uint8_t *bytes;	      /* records that have not been written yet */
	size_t size, capacity;
	uint64_t sound_bytes; /* of the file: what is a whole recording */
	uint64_t round_ns;    /* when the last round was written */
	/*
	 * A collector has not put all into it that was there at its last pass: what comes next may
	 * be older than what other collectors have put, but not older than this. 0: that is not so.
	 */
	uint64_t behind_ns;
	bool failed; /* nothing more can be written, and why: */
	struct err error;
};

/* Recording was off, as the user asked. */
struct recording_pause {
	uint64_t begin_ns, end_ns; /* end 0: it still is */
};

/* The origin of the recording, for the sections of the file; all borrowed. */
struct recording_facts {
	const char *tracefs;
	const struct run_directory *run; /* of the recorder; NULL: it has no uprobes */
	const char *const *cmdline;	 /* of the recorder, ends in NULL */
	const struct target *target;
	const struct lineage *lineage; /* of the target; NULL: threads are not counted by it */
	const struct collector_set *collectors; /* their events, and what each tells */
	pid_t launched;				/* the recorder started the target; else 0 */
	uint64_t start_ns, end_ns;		/* 0: not known yet */
	struct recording_pause *pauses;
	size_t pause_count;
	uint64_t calls_end_ns; /* calls took too much, and were recorded until then; 0: all are */
	double cost_switch_ns; /* added to each context switch; 0: not measured */
	uint64_t own_cpu_ns;   /* that the recorder itself took */
	uint64_t busy_ns, steal_ns; /* of the target's CPUs meanwhile; busy_ns 0: not known */
	uint64_t quota_ns, quota_period_ns; /* the limit of its control groups; 0: there is none */
	struct cpu_quota_use quota_use;	    /* of that, meanwhile; periods 0: not known */
	int compression_level;		    /* 0: none */
	uint32_t compression_ratio;
};

/* Begins a file that is not called `path` before recording_publish(). 0, or -1 with a sentence. */
int recording_open(struct recording *recording, const struct recording_options *options,
		   struct err *err);

/*
 * Writes the part before the first record. Of `facts` end_ns is 0, and the collectors tell what
 * they know by now; its target and lineage must live as long as the recording. Returns 0, or -1
 * with a sentence.
 */
int recording_begin(struct recording *recording, const struct recording_facts *facts,
		    struct err *err);
int recording_publish(struct recording *recording, struct err *err);

/*
 * Room for a record of `size` bytes, a multiple of 8, all of it zero, its header filled in. To be
 * filled in before the next call. Cannot fail; what cannot be written is told by
 * recording_round().
 */
void *recording_add(struct recording *recording, uint32_t type, uint16_t misc, size_t size);

/* Records of the collector that is behind are not older than that from now on. */
void recording_reach(struct recording *recording, uint64_t time_ns);

/*
 * A line of PERFDATA_PSCAL among the records, for readers of a stream or of what an interrupted
 * recorder left: "KEY VALUE", of which more than a record holds is cut off.
 */
void recording_note(struct recording *recording, const char *line);

/* Counts the record that was added last, once it is filled in. */
void recording_count(struct recording *recording, const void *record);

/*
 * A sample like an earlier one of this key, but for its time, counted. False: there is none, and
 * nothing is done; once the whole one has been added and counted, say so with
 * recording_will_repeat(). It has REPEAT_RECORD_BYTES then, and its time where repeat_packer.h
 * says.
 */
bool recording_repeat(struct recording *recording, uint64_t key, uint64_t time_ns);
void recording_will_repeat(struct recording *recording, uint64_t key);

/*
 * Ends a pass over all collectors: what it brought is in the file RECORDING_LAG_MS later, or as
 * soon as it is enough to be worth a write. 0, or -1 with a sentence, from then on every time.
 */
enum { RECORDING_LAG_MS = 500 };
int recording_round(struct recording *recording, struct err *err);

/*
 * Lines of PERFDATA_PSCAL that would come too late at the end, for readers of a stream or of what
 * an interrupted recorder left. They stand behind all that has been added. 0, or -1 with a
 * sentence.
 */
int recording_tell(struct recording *recording, const char *lines, struct err *err);

/* It has reached its max_bytes: time to stop. */
bool recording_is_full(const struct recording *recording);

/*
 * The feature sections, once nothing more is added. Returns 0, or -1 with a sentence: then the file
 * is that of a recorder that was interrupted.
 */
int recording_end(struct recording *recording, const struct recording_facts *facts,
		  struct err *err);

/* Returns 0, or -1 with a sentence. */
int recording_close(struct recording *recording, struct err *err);

/* Frees a recording that has no file. */
void recording_drop(struct recording *recording);

#endif
