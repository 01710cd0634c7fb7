/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The timeline of a recording as rows: intervals of the states of threads, blocks of code, and
 * cases of damaged or missing data.
 */
#ifndef PSCAL_REPORT_PROFILE_REPORT_TIMELINE_H
#define PSCAL_REPORT_PROFILE_REPORT_TIMELINE_H

#include "decode/event/blocks.h"
#include "decode/timeline/timeline.h"
#include "stats/profile/block_spans.h"

struct profile_view;
struct report;
struct thread_names;

/* Text: adds the number of threads, the duration, and the table of threads or groups. */
void report_timeline_summary(struct report *report, const struct profile_view *view);

/*
 * Add intervals as they end, up to report_end(). `names` are those of their source. Times count
 * from `origin_ns`.
 */
void report_timeline_begin(struct report *report);
void report_timeline_interval(struct report *report, const struct change *change,
			      struct thread_names *names, uint64_t origin_ns);

/* Add spans of blocks as they end. Times count from `origin_ns`. */
void report_blocks_begin(struct report *report);
void report_blocks_span(struct report *report, const struct block_span *span,
			const struct blocks *blocks, uint64_t origin_ns);
/*
 * Adds the numbers of calls without a span or with an unusual one. One in `every` calls is
 * recorded.
 */
void report_blocks_end(struct report *report, const struct block_spans_counts *counts,
		       uint64_t every);

/* Text: adds blocks in the layout of decode/text/enter_leave_line.c. */
void report_enter_leave_begin(struct report *report);
void report_enter_leave_event(struct report *report, const struct mark *mark,
			      const struct blocks *blocks, uint64_t origin_ns);

/* The largest number of listed cases of each kind. */
enum { REPORT_AUDIT_MAX = 1000 };

struct report_audit {
	struct report *report;
	uint64_t seen[QUALITY_FACTS];
};

/*
 * Adds each case of damaged or missing data, with its place in the input and its treatment. Times
 * count from `origin_ns`; 0: not known yet.
 */
void report_audit_begin(struct report_audit *audit, struct report *report);
void report_audit_finding(struct report_audit *audit, const struct finding *finding,
			  uint64_t origin_ns);
void report_audit_end(struct report_audit *audit);

#endif
