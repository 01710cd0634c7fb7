/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What threads enter and leave: as spans with their states, or as the text that others read. */
#ifndef PSCAL_REPORT_PROFILE_REPORT_BLOCKS_H
#define PSCAL_REPORT_PROFILE_REPORT_BLOCKS_H

#include "decode/event/blocks.h"
#include "report/report.h"
#include "stats/profile/block_spans.h"

/* Spans as they end. Times are given from `origin_ns` on. */
void report_blocks_begin(struct report *report);
void report_blocks_span(struct report *report, const struct block_span *span,
			const struct blocks *blocks, uint64_t origin_ns);
/* What is no span, or a strange one; one in `every` calls is on record. */
void report_blocks_end(struct report *report, const struct block_spans_counts *counts,
		       uint64_t every);

/* The layout of decode/text/enter_leave_source.h; in text only. */
void report_enter_leave_begin(struct report *report);
void report_enter_leave_event(struct report *report, const struct mark *mark,
			      const struct blocks *blocks, uint64_t origin_ns);

#endif
