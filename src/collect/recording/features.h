/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The contents of the feature sections of a recording: its origin and method. Strings are u32 size
 * and that many bytes, zero-padded.
 */
#ifndef PSCAL_COLLECT_RECORDING_FEATURES_H
#define PSCAL_COLLECT_RECORDING_FEATURES_H

#include <stddef.h>

#include "perfdata/perfdata_write.h"

struct err;
struct recording_facts;

/* The sections to make. */
enum features_time {
	FEATURES_BEGIN = 1,  /* known before the first record */
	FEATURES_END = 2,    /* known, or better known, after the last one */
	FEATURES_TARGET = 4, /* PERFDATA_PSCAL alone */
};

struct features {
	struct perfdata_content contents[16];
	size_t count;
};

/* Makes sections, ascending by feature. Returns 0, or -1 with an error; always release them. */
int features_make(struct features *features, const struct recording_facts *facts,
		  enum features_time time, struct err *err);
void features_release(struct features *features);

#endif
