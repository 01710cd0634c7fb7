/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/export/export.h"

#include "base/alloc.h"
#include "decode/event/event_source.h"
#include "report/export/export_format.h"

#include <stdlib.h>

struct export
{
	const struct export_format *format;
	void *own;
};

static const struct export_format *const formats[EXPORT_KINDS] = {
	[EXPORT_SQLITE] = &export_sqlite, [EXPORT_CSV] = &export_csv,
	[EXPORT_CHROME] = &export_trace,  [EXPORT_PERFETTO] = &export_trace,
	[EXPORT_FIREFOX] = &export_trace, [EXPORT_FOLDED] = &export_folded,
};

bool export_wants_nesting(enum export_kind kind)
{
	return formats[kind]->nests;
}

bool export_wants_task_tree(enum export_kind kind)
{
	return formats[kind]->task_tree;
}

struct export *export_open(const struct export_request *request, struct event_source *source,
			   struct err *err)
{
	struct export *export = xcalloc(1, sizeof(*export));

	export->format = formats[request->kind];
	source->samples.suffice = true;
	export->own = export->format->open(request, source, err);
	if (export->own)
		return export;
	free(export);
	return NULL;
}

void export_change(struct export *export, const struct change *change, uint64_t begin_ns)
{
	export->format->change(export->own, change, begin_ns);
}

void export_span(struct export *export, const struct block_span *span, uint64_t begin_ns)
{
	if (export->format->span)
		export->format->span(export->own, span, begin_ns);
}

int export_check(const struct export *export, struct err *err)
{
	return export->format->check(export->own, err);
}

int export_finish(struct export *export, const struct export_facts *facts, struct err *err)
{
	return export->format->finish(export->own, facts, err);
}

void export_report(const struct export *export, struct report *report)
{
	export->format->report(export->own, report);
}

void export_free(struct export *export)
{
	if (!export)
		return;
	export->format->free(export->own);
	free(export);
}
