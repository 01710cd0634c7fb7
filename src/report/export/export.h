/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A recording in formats of other programs, which pscal-export(1) describes. A format receives all
 * changes in one pass over the timeline, and writes at once: its memory is for threads, samples and
 * tasks, not for events. A file appears under its name when it is complete.
 *
 *	export = export_open(&request, source, &err);
 *	export_change(export, &change, begin_ns); export_span(export, &span, begin_ns);
 *	export_finish(export, &facts, &err);
 *	export_report(export, report);
 *	export_free(export);
 */
#ifndef PSCAL_REPORT_EXPORT_EXPORT_H
#define PSCAL_REPORT_EXPORT_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/stacks/folded_stacks.h"

struct block_span;
struct block_spans_counts;
struct change;
struct err;
struct event_source;
struct export;
struct progress;
struct report;
struct task_tree;

enum export_kind {
	EXPORT_SQLITE,
	EXPORT_CSV,
	EXPORT_CHROME,
	EXPORT_PERFETTO,
	EXPORT_FIREFOX,
	EXPORT_FOLDED,
	EXPORT_KINDS,
};

struct export_request {
	enum export_kind kind;
	const char *path;   /* of the file, or of the directory of EXPORT_CSV; borrowed */
	bool replace;	    /* what is there */
	bool (*stop)(void); /* once it says so, asked now and then, nothing is written any more */
	const char *id;	    /* of the recording, in EXPORT_CSV; borrowed, as is */
	const char *input;  /* ... its name */
	enum stack_weight weight; /* of EXPORT_FOLDED */
};

/* Does the format need the spans of tasks, too, and where each begins? A tree of tasks? */
bool export_wants_nesting(enum export_kind kind);
bool export_wants_task_tree(enum export_kind kind);

/* Before anything is read from `source`, which is borrowed. NULL with a sentence. */
struct export *export_open(const struct export_request *request, struct event_source *source,
			   struct err *err);

/* Those of a timeline, which begins at `begin_ns`. */
void export_change(struct export *export, const struct change *change, uint64_t begin_ns);
void export_span(struct export *export, const struct block_span *span, uint64_t begin_ns);

/* Could everything be written so far? It may be asked often. Returns 0, or -1 with a sentence. */
int export_check(const struct export *export, struct err *err);

/* Facts that are known when all has been read. */
struct export_facts {
	const struct block_spans_counts *spans;
	const struct task_tree *tree; /* NULL: not wanted, or without tasks */
	uint64_t begin_ns;	      /* of the timeline */
	unsigned cores;		      /* 0: not known */
	struct progress *progress;
};

/* Gives the output its name, and reports its contents. Returns 0, or -1 with a sentence. */
int export_finish(struct export *export, const struct export_facts *facts, struct err *err);
void export_report(const struct export *export, struct report *report);

/* One that is not finished is gone. NULL is fine. */
void export_free(struct export *export);

#endif
