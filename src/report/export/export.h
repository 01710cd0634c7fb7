/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The export of a recording in formats of other programs, which pscal-export(1) describes. A format
 * receives all changes in one pass over the timeline, and writes at once: its memory is for
 * threads, samples and tasks, not for events. A file appears under its name when it is complete.
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
	const char *path;	  /* path of the file, or of the directory of EXPORT_CSV;
				     borrowed */
	bool replace;		  /* replace an existing file */
	bool (*stop)(void);	  /* asked now and then: after true nothing more is written */
	const char *id;		  /* identifier of the recording, in EXPORT_CSV; borrowed */
	const char *input;	  /* name of the recording; borrowed */
	enum stack_weight weight; /* of EXPORT_FOLDED */
};

/*
 * Return whether the format needs the spans of tasks, with the start of each; and whether it needs
 * a tree of tasks.
 */
bool export_wants_nesting(enum export_kind kind);
bool export_wants_task_tree(enum export_kind kind);

/*
 * Opens an export, before anything is read from `source`, which is borrowed. Returns NULL with an
 * error.
 */
struct export *export_open(const struct export_request *request, struct event_source *source,
			   struct err *err);

/* Add changes and spans of a timeline that begins at `begin_ns`. */
void export_change(struct export *export, const struct change *change, uint64_t begin_ns);
void export_span(struct export *export, const struct block_span *span, uint64_t begin_ns);

/* Returns 0, or -1 with an error if a write failed. It may be called often. */
int export_check(const struct export *export, struct err *err);

/* Facts that are known at the end of the input. */
struct export_facts {
	const struct block_spans_counts *spans;
	const struct task_tree *tree; /* NULL: not requested, or without tasks */
	uint64_t begin_ns;	      /* start of the timeline */
	unsigned cores;		      /* 0: unknown */
	struct progress *progress;
};

/*
 * Give the output its name, and report its contents. export_finish() returns 0, or -1 with an
 * error.
 */
int export_finish(struct export *export, const struct export_facts *facts, struct err *err);
void export_report(const struct export *export, struct report *report);

/* Frees the export, and removes an unfinished output. NULL is allowed. */
void export_free(struct export *export);

#endif
