/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A format of an export: its functions are called as those of export.h. */
#ifndef PSCAL_REPORT_EXPORT_EXPORT_FORMAT_H
#define PSCAL_REPORT_EXPORT_EXPORT_FORMAT_H

#include "report/export/export.h"

struct export_format {
	bool nests, task_tree;
	void *(*open)(const struct export_request *request, struct event_source *source,
		      struct err *err);
	void (*change)(void *own, const struct change *change, uint64_t begin_ns);
	void (*span)(void *own, const struct block_span *span, uint64_t begin_ns); /* or NULL */
	int (*check)(const void *own, struct err *err);
	int (*finish)(void *own, const struct export_facts *facts, struct err *err);
	void (*report)(const void *own, struct report *report);
	void (*free)(void *own);
};

extern const struct export_format export_sqlite, export_csv, export_trace, export_folded;

#endif
