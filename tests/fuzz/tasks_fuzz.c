/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes any steps of tasks in any order, in any threads, with a scheduler or without: the results
 * fulfil task_check.h, and can be exported. The first byte chooses the result, and each four bytes
 * after it are one event: thread, kind, task, and time since the last event. Other fuzzers read
 * steps from texts and files.
 */
#include "fuzz.h"

#include "base/alloc.h"
#include "check/task_check.h"
#include "decode/timeline/selection.h"
#include "decode/timeline/timeline.h"
#include "draw/task_drawing.h"
#include "report/export/export.h"
#include "report/progress.h"
#include "stats/profile/block_spans.h"

#include <unistd.h>

enum { EVENTS_MAX = 1 << 12, WORKERS = 4, TASKS = 32, BY_EXPORT = 7 };

static struct event scheduled(uint64_t time_ns, unsigned worker, unsigned what)
{
	static const enum thread_state leaves_for[] = {STATE_SLEEPING, STATE_RUNNABLE, STATE_DISK,
						       STATE_NONE};
	struct event event = event_new(EVENT_SWITCH, DRAWING_BEGIN_NS + time_ns);
	int32_t tid = DRAWING_TID + (int32_t)worker;

	event.cpu = (int32_t)worker;
	event.pid = event.other_pid = DRAWING_TID;
	event.tid = what & 1 ? tid : 0;
	event.other = what & 1 ? 0 : tid;
	event.state = what & 1 ? leaves_for[what >> 1 & 3] : STATE_RUNNABLE;
	if (what & 8)
		event.kind = EVENT_WAKE;
	return event;
}

/* A kind below 11 is a step or an invalid step; any other one is an event of the scheduler. */
static struct event event_of(const uint8_t *bytes, uint64_t *now_ns)
{
	unsigned worker = bytes[0] % WORKERS, what = bytes[0] / WORKERS % 16;
	unsigned task = bytes[1] % TASKS, index = bytes[1] / TASKS;
	struct event event;

	*now_ns += bytes[2] * UINT64_C(100);
	if (what >= TASK_STEPS)
		return scheduled(*now_ns, worker, bytes[1]);
	event = task_drawing_step(*now_ns, (int32_t)worker, task,
				  what ? (enum task_step)what : TASK_BEGIN, bytes[3] % TASKS,
				  index);
	if (bytes[3] >= 224)
		event.pid = 2 * DRAWING_TID; /* a task of another process */
	event.block = bytes[3] / TASKS;
	return event;
}

static struct event_source *source_of(const uint8_t *bytes, size_t length)
{
	size_t count = length / 4 < EVENTS_MAX ? length / 4 : EVENTS_MAX;
	struct event *events = xcalloc(count + 1, sizeof(*events));
	struct event_source *source;
	uint64_t now_ns = 0;

	for (size_t i = 0; i < count; i++)
		events[i] = event_of(bytes + 4 * i, &now_ns);
	source = task_drawing_source(events, count);
	free(events);
	return source;
}

/* --- Export -------------------------------------------------------------------------------- */

struct exporting {
	struct export *export;
	struct timeline *timeline;
	struct task_tree_reader *reader;
};

static void take_change(void *context, const struct change *change)
{
	struct exporting *now = context;

	task_tree_reader_change(now->reader, change);
	export_change(now->export, change, timeline_begin_ns(now->timeline));
}

static void take_mark(void *context, const struct mark *mark)
{
	task_tree_reader_mark(((struct exporting *)context)->reader, mark);
}

static bool never(void)
{
	return false;
}

static int write_tables(struct exporting *now, struct task_tree *tree, struct block_spans *spans,
			struct err *err)
{
	struct progress no_progress = {0};
	struct export_facts facts = {.spans = block_spans_counts(spans),
				     .begin_ns = timeline_begin_ns(now->timeline),
				     .progress = &no_progress};

	if (tree->task_count) {
		if (task_tree_reader_finish(now->reader, facts.begin_ns, err))
			return 0;
		facts.tree = tree;
	}
	return export_finish(now->export, &facts, err);
}

/* Exports as the command does, into a temporary file. */
static void export_source(struct event_source *source)
{
	const struct selection everybody = {0};
	const struct block_spans_watcher watcher = {take_change, take_mark, NULL};
	char *path = xasprintf("/dev/shm/pscal-fuzz-%d.db", (int)getpid());
	struct task_tree tree = {.tasks = NULL};
	struct exporting now = {.timeline = timeline_new(source, &everybody)};
	struct block_spans_watcher own = watcher;
	struct block_spans *spans = block_spans_new(now.timeline);
	struct block_span span;
	struct err err = {.text = ""};
	const struct export_request request = {.kind = EXPORT_SQLITE,
					       .path = path,
					       .replace = true,
					       .stop = never,
					       .input = "fuzz"};
	int rc;

	now.reader = task_tree_reader_new(&tree, source);
	now.export = export_open(&request, source, &err);
	if (!now.export)
		fuzz_check(-1, &err);
	own.context = &now;
	block_spans_watch(spans, &own);
	while ((rc = block_spans_next(spans, &span, &err)) > 0)
		export_span(now.export, &span, timeline_begin_ns(now.timeline));
	if (!rc)
		fuzz_check(write_tables(&now, &tree, spans, &err), &err);
	export_free(now.export);
	task_tree_reader_free(now.reader);
	task_tree_release(&tree);
	block_spans_free(spans);
	timeline_free(now.timeline);
	unlink(path);
	free(path);
}

/* --- One input ----------------------------------------------------------------------------- */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct event_source *source;
	struct err err = {.text = ""};

	if (!length)
		return 0;
	source = source_of(bytes + 1, length - 1);
	fuzz_check(task_check_trace(source, &err), &err);
	event_source_free(source);
	source = source_of(bytes + 1, length - 1);
	if (bytes[0] % 8 == BY_EXPORT)
		export_source(source);
	else
		fuzz_check(task_check_stretch(source, bytes[0] % 8, &err), &err);
	event_source_free(source);
	return 0;
}
