/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What pscal record says of the target in a perf.data file: in a section at its end, or in notes
 * among its records, where it did not come to its end or has none.
 */
#ifndef PSCAL_DECODE_KERNEL_PERFDATA_TARGET_H
#define PSCAL_DECODE_KERNEL_PERFDATA_TARGET_H

#include <stdbool.h>
#include <stddef.h>

#include "decode/kernel/target_feature.h"
#include "perfdata/perfdata_reader.h"

struct err;
struct blocks;
struct input;
struct order;
struct perfdata_file;
struct target_info;

struct perfdata_target {
	/* To be filled in; borrowed. */
	struct target_info *target; /* where it goes, */
	struct order *order;	    /* and the states in which threads were found */
	struct blocks *blocks;	    /* ... whose names are not those of their events; or NULL */

	bool described; /* something has been said */
	struct target_feature feature;
	bool has_section; /* so notes are old */
	char *text;	  /* notes, as far as they have been read */
	size_t text_length, text_capacity;
};

/* Both return 0, or -1 with a sentence that lacks the name of the input. */
int perfdata_target_section(struct perfdata_target *target, const struct perfdata_file *file,
			    const struct input *input, struct err *err);
int perfdata_target_note(struct perfdata_target *target, const struct perfdata_record *record,
			 struct err *err);
void perfdata_target_release(struct perfdata_target *target);

#endif
