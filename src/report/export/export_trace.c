/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/export/export_trace.h"

#include "base/alloc.h"
#include "decode/event/event_source.h"
#include "decode/timeline/timeline.h"
#include "report/report.h"
#include "report/report_text.h"
#include "stats/profile/block_spans.h"
#include "stats/spin/thread_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRACE_BINS = 8192 };
enum { LANE_READY, LANE_RUNNING, LANE_UNKNOWN, COUNTERS };

static const char *const counter_names[COUNTERS] = {
	[LANE_READY] = "threads ready",
	[LANE_RUNNING] = "CPUs used",
	[LANE_UNKNOWN] = "threads in an unknown state",
};

static const struct trace_ops *const writers[EXPORT_KINDS] = {
	[EXPORT_CHROME] = &chrome_ops,
	[EXPORT_PERFETTO] = &perfetto_ops,
	[EXPORT_FIREFOX] = &firefox_ops,
};

static void walk_free(void *own)
{
	struct trace_walk *walk = own;

	if (walk->ops->release)
		walk->ops->release(walk);
	for (size_t i = 0; i < walk->thread_count; i++) {
		thread_name_release(&walk->threads[i]->name);
		free(walk->threads[i]);
	}
	free(walk->threads);
	map_release(&walk->numbers);
	time_bins_release(&walk->bins);
	export_file_close(&walk->file);
	free(walk);
}

static void *walk_open(const struct export_request *request, struct event_source *source,
		       struct err *err)
{
	const struct trace_ops *ops = writers[request->kind];
	struct trace_walk *walk = xcalloc(1, ops->size);

	*walk = (struct trace_walk){
		.ops = ops, .path = request->path, .input = request->input, .source = source};
	if ((ops->begin && ops->begin(walk, err)) ||
	    export_file_open(&walk->file, request->path, request->replace, err)) {
		walk_free(walk);
		return NULL;
	}
	time_bins_init(&walk->bins, 1, TRACE_BINS, COUNTERS);
	return walk;
}

static int walk_check(const void *own, struct err *err)
{
	const struct trace_walk *walk = own;

	return export_file_check(&walk->file, err);
}

static uint64_t since(uint64_t time_ns, uint64_t begin_ns)
{
	return time_ns > begin_ns ? time_ns - begin_ns : 0;
}

static struct trace_thread *thread_at(struct trace_walk *walk, size_t number)
{
	array_reserve(&walk->threads, &walk->thread_capacity, number + 1);
	for (; walk->thread_count <= number; walk->thread_count++) {
		walk->threads[walk->thread_count] = xcalloc(1, sizeof(**walk->threads));
		walk->threads[walk->thread_count]->number = walk->thread_count;
	}
	return walk->threads[number];
}

/* --- States -------------------------------------------------------------------------------- */

static struct trace_thread *take_thread(struct trace_walk *walk, const struct change *change,
					uint64_t begin_ns)
{
	struct trace_thread *thread = thread_at(walk, change->thread);

	if (!thread->appeared) {
		size_t known = walk->numbers.count;

		map_add_u64(&walk->numbers,
			    (uint64_t)(uint32_t)change->pid << 32 | (uint32_t)change->tid);
		thread->is_again = walk->numbers.count == known;
		thread->begin_ns = since(change->begin_ns, begin_ns);
	}
	thread->appeared = true;
	thread->tid = change->tid;
	thread->pid = change->pid > 0 ? change->pid : 0;
	thread->start = change->start;
	thread->end_ns = since(change->end_ns, begin_ns);
	thread_name_take(&thread->name, change->comm);
	return thread;
}

static void count_state(struct trace_walk *walk, const struct trace_slice *slice)
{
	struct time_bins *bins = &walk->bins;

	time_bins_extend(bins, slice->end_ns);
	if (slice->state == STATE_UNKNOWN)
		time_bins_add(bins, LANE_UNKNOWN, slice->begin_ns, slice->end_ns);
	if (thread_state_is_active(slice->state))
		time_bins_add(bins, LANE_READY, slice->begin_ns, slice->end_ns);
	if (slice->state == STATE_RUNNING)
		time_bins_add(bins, LANE_RUNNING, slice->begin_ns, slice->end_ns);
}

/* Adds an arrow from the thread of the target that wakes thread `to`. */
static void put_arrow(struct trace_walk *walk, struct trace_thread *to, const struct change *change)
{
	struct trace_arrow arrow = {.time_ns = to->end_ns, .to = to};

	arrow.from = thread_at(walk, change->by);
	if (!arrow.from->appeared)
		return;
	arrow.id = to->flow = ++walk->arrows;
	if (walk->ops->arrow)
		walk->ops->arrow(walk, &arrow);
}

static void walk_change(void *own, const struct change *change, uint64_t begin_ns)
{
	struct trace_walk *walk = own;
	struct trace_thread *thread = take_thread(walk, change, begin_ns);
	struct trace_slice slice = {
		.thread = thread,
		.lane = LANE_STATES,
		.name = thread_state_name(change->state),
		.category = change->state == STATE_UNKNOWN ? "quality" : "state",
		.begin_ns = since(change->begin_ns, begin_ns),
		.end_ns = thread->end_ns,
		.state = change->state,
		.cpu = change->cpu,
		.chain = change->chain,
		.flow = thread->flow,
	};

	if (change->state != STATE_NONE && slice.begin_ns < slice.end_ns) {
		thread->flow = 0;
		count_state(walk, &slice);
		walk->ops->slice(walk, &slice);
		walk->slices++;
	}
	if (change->by < BY_INTERRUPT && change->next != STATE_NONE)
		put_arrow(walk, thread, change);
}

static void walk_span(void *own, const struct block_span *span, uint64_t begin_ns)
{
	struct trace_walk *walk = own;
	struct trace_thread *thread = thread_at(walk, span->thread);
	const struct trace_slice slice = {
		.thread = thread,
		.lane = LANE_CODE,
		.name = walk->source->blocks.items[span->block].name,
		.category = span->of_task ? "task" : "function",
		.begin_ns = since(span->enter_ns, begin_ns),
		.end_ns = since(span->leave_ns, begin_ns),
		.cpu = -1,
		.open = span->open,
	};

	thread->has_code = true;
	walk->slices += span->begins;
	walk->ops->code(walk, &slice, span->begins);
}

/* --- At the end ---------------------------------------------------------------------------- */

const char *trace_lane_name(char out[2 * THREAD_NAME_SIZE], const struct trace_thread *thread,
			    enum trace_lane lane)
{
	snprintf(out, (size_t)2 * THREAD_NAME_SIZE, "%.*s%s", THREAD_NAME_SIZE,
		 thread_name_text(&thread->name), lane == LANE_CODE ? " (code)" : "");
	return out;
}

static void put_processes(struct trace_walk *walk)
{
	struct map pids = {0};
	const char **names = xcalloc(walk->thread_count, sizeof(*names));

	for (size_t i = 0; i < walk->thread_count; i++) {
		const struct trace_thread *thread = walk->threads[i];
		uint32_t number = map_add_u64(&pids, (uint32_t)thread->pid);

		if (!names[number] || thread->tid == thread->pid)
			names[number] = thread_name_text(&thread->name);
	}
	for (size_t i = 0; i < walk->thread_count; i++) {
		int32_t pid = walk->threads[i]->pid;
		uint32_t number = map_find_u64(&pids, (uint32_t)pid);

		if (names[number])
			walk->ops->process(walk, pid, names[number]);
		names[number] = NULL;
	}
	free(names);
	map_release(&pids);
}

/* Writes the threads, with their start functions in the names if several have one name. */
static void put_threads(struct trace_walk *walk)
{
	struct trace_thread *named = xcalloc(walk->thread_count, sizeof(*named));

	for (size_t i = 0; i < walk->thread_count; i++)
		named[i] = *walk->threads[i];
	thread_names_complete(named, walk->thread_count, THREAD_NAME_PLACE(struct trace_thread),
			      walk->source);
	for (size_t i = 0; i < walk->thread_count; i++) {
		walk->threads[i]->name = named[i].name;
		if (named[i].appeared)
			walk->ops->thread(walk, &named[i]);
	}
	free(named);
}

/* Writes a counter when its value changes, and 0 at the end of the time. */
static void put_counter(struct trace_walk *walk, size_t lane)
{
	struct time_bins *bins = &walk->bins;
	size_t count = time_bins_count(bins);
	double last = -1;
	bool any = lane != LANE_UNKNOWN;

	for (size_t i = 0; i < count && !any; i++)
		any = time_bins_mean(bins, lane, i) > 0;
	for (size_t i = 0; i < count && any; i++) {
		double value = time_bins_mean(bins, lane, i);

		if (value < last || value > last)
			walk->ops->counter(walk, counter_names[lane], i * bins->bin_ns, value);
		last = value;
	}
	if (any && count)
		walk->ops->counter(walk, counter_names[lane], bins->end_ns, 0);
}

static void put_marks(struct trace_walk *walk)
{
	for (enum quality_fact fact = 0; fact < QUALITY_FACTS; fact++) {
		const struct quality_words *words = quality_words(fact);
		uint64_t value = quality_value(&walk->source->quality, fact);
		const struct trace_mark mark = {words->several ? words->several : words->meaning,
						words->meaning, value};

		if (value && words->meaning)
			walk->ops->mark(walk, &mark);
	}
}

static int walk_finish(void *own, const struct export_facts *facts, struct err *err)
{
	struct trace_walk *walk = own;

	put_processes(walk);
	put_threads(walk);
	time_bins_settle(&walk->bins);
	for (size_t i = 0; i < COUNTERS && walk->ops->counter; i++)
		put_counter(walk, i);
	if (walk->ops->mark)
		put_marks(walk);
	if (walk->ops->end(walk, facts, err))
		return -1;
	return export_file_publish(&walk->file, err);
}

static void walk_report(const void *own, struct report *report)
{
	const struct trace_walk *walk = own;

	report_verdict(report, "%s has %" PRIu64 " slices of %zu threads and %" PRIu64 " wakeups.",
		       walk->path, walk->slices, walk->thread_count, walk->arrows);
}

const struct export_format export_trace = {
	.nests = true,
	.open = walk_open,
	.change = walk_change,
	.span = walk_span,
	.check = walk_check,
	.finish = walk_finish,
	.report = walk_report,
	.free = walk_free,
};
