/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A recording as tables of an SQLite database: pscal-export(1) describes them. Memory is for the
 * threads; what fails is told by the end.
 */
#ifndef PSCAL_REPORT_EXPORT_EXPORT_SQLITE_H
#define PSCAL_REPORT_EXPORT_EXPORT_SQLITE_H

#include <stdbool.h>
#include <stdint.h>

struct block_span;
struct block_spans_counts;
struct blocks;
struct change;
struct err;
struct event_source;
struct export;
struct progress;
struct report;
struct task_tree;

/*
 * A database that is to be at `path`; what is there is only replaced with `replace`. Once `stop`
 * says so, asked now and then, nothing can be written any more. NULL with a sentence.
 */
struct export *export_open(const char *path, bool replace, bool (*stop)(void), struct err *err);

/* Those of a timeline; times are counted from `origin_ns`. */
void export_change(struct export *export, const struct change *change, uint64_t origin_ns);
void export_span(struct export *export, const struct block_span *span, const struct blocks *blocks,
		 uint64_t origin_ns);

/* When all of these are there. */
void export_tasks(struct export *export, const struct task_tree *tree, struct progress *progress);
void export_samples(struct export *export, const struct event_source *source, uint64_t origin_ns,
		    struct progress *progress);

/* Where times are counted from: where nothing but samples is on record, from the first of these. */
uint64_t export_origin_ns(struct export *export, const struct event_source *source,
			  uint64_t timeline_begin_ns);

/* Could everything be written so far? It may be asked often. Returns 0, or -1 with a sentence. */
int export_check(const struct export *export, struct err *err);

/* Facts on the recording as a whole. */
struct export_facts {
	const char *input;
	const struct event_source *source;
	const struct block_spans_counts *spans;
	uint64_t origin_ns;
	unsigned cores; /* 0: not known */
};

/* Gives the database its name, and reports what is in it. Returns 0, or -1 with a sentence. */
int export_finish(struct export *export, const struct export_facts *facts, struct err *err);
void export_report(const struct export *export, struct report *report);

/* One that is not finished is gone. NULL is fine. */
void export_free(struct export *export);

#endif
