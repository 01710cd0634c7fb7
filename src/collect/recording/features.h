/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The contents of the feature sections of a recording: where and how it was made. Strings are
 * u32 size and that many bytes, zero-padded.
 */
#ifndef PSCAL_COLLECT_RECORDING_FEATURES_H
#define PSCAL_COLLECT_RECORDING_FEATURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perfdata/perfdata_write.h"

struct collector_set;
struct err;
struct lineage;
struct run_directory;
struct target;

/* Recording was off, as the user asked. */
struct pause {
	uint64_t begin_ns, end_ns; /* end 0: it still is */
};

/* The sources of the sections; all borrowed. */
struct features_input {
	const char *tracefs;
	const struct run_directory *run; /* of the recorder; NULL: it has no uprobes */
	const char *const *cmdline;	 /* of the recorder, ends in NULL */
	const struct target *target;
	const struct lineage *lineage; /* of the target; NULL: threads are not counted by it */
	const struct collector_set *collectors; /* their events, and what each tells */
	bool launched;				/* the recorder started the target */
	uint64_t start_ns, end_ns;		/* 0: not known yet */
	struct pause *pauses;
	size_t pause_count;
	double cost_switch_ns; /* added to each context switch; 0: not measured */
	uint64_t own_cpu_ns;   /* that the recorder itself took */
	int compression_level; /* 0: none */
	uint32_t compression_ratio;
};

/* Which sections: */
enum features_time {
	FEATURES_BEGIN = 1,  /* what is known before the first record */
	FEATURES_END = 2,    /* what is known, or better known, after the last one */
	FEATURES_TARGET = 4, /* PERFDATA_PSCAL alone */
};

struct features {
	struct perfdata_content contents[16];
	size_t count;
};

/* Ascending by feature. Returns 0, or -1 with a sentence; release them in both cases. */
int features_make(struct features *features, const struct features_input *input,
		  enum features_time time, struct err *err);
void features_release(struct features *features);

#endif
