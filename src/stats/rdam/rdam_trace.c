/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/rdam/rdam_trace.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/sorted.h"
#include "decode/timeline/timeline.h"

#include <stdlib.h>
#include <string.h>

/* A run of a thread of the target on a CPU. */
struct run {
	uint64_t begin_ns, end_ns;
	uint64_t before_ns; /* the sum of all earlier runs on this CPU */
	uint32_t thread;
	int32_t cpu;
};

/* Sorted by CPU and time. */
struct runs {
	struct run *items;
	size_t count, capacity;
};

/* --- Runs on CPUs -------------------------------------------------------------------------- */

static int compare_runs(const void *a, const void *b)
{
	const struct run *one = a, *other = b;

	return compare_values(one->cpu, other->cpu)
		       ?: compare_values(one->begin_ns, other->begin_ns);
}

static void add_runs(struct runs *runs, const struct rdam_trace *trace, size_t number)
{
	const struct rdam_thread *thread = &trace->threads[number];
	uint64_t begin_ns = thread->begin_ns;

	for (size_t i = 0; i < thread->interval_count; i++) {
		const struct block_interval *interval = &thread->intervals[i];

		if (interval->state == STATE_RUNNING && interval->cpu >= 0) {
			array_reserve(&runs->items, &runs->capacity, runs->count + 1);
			runs->items[runs->count++] = (struct run){
				.begin_ns = begin_ns,
				.end_ns = interval->end_ns,
				.thread = (uint32_t)number,
				.cpu = interval->cpu,
			};
		}
		begin_ns = interval->end_ns;
	}
}

static void sort_runs(struct runs *runs)
{
	sort_items(runs->items, runs->count, compare_runs);
	for (size_t i = 1; i < runs->count; i++) {
		const struct run *before = &runs->items[i - 1];
		struct run *run = &runs->items[i];

		if (run->cpu != before->cpu)
			continue;
		/* Damaged recordings have two runs on one CPU at once. */
		if (run->begin_ns < before->end_ns)
			run->begin_ns = before->end_ns;
		if (run->end_ns < run->begin_ns)
			run->end_ns = run->begin_ns;
		run->before_ns = before->before_ns + (before->end_ns - before->begin_ns);
	}
}

/* Returns the last run on the CPU that begins before `time_ns`, or NULL if there is none. */
static const struct run *last_run(const struct runs *runs, int32_t cpu, uint64_t time_ns)
{
	size_t behind =
		find_first(i, 0, runs->count,
			   runs->items[i].cpu > cpu || (runs->items[i].cpu == cpu &&
							runs->items[i].begin_ns >= time_ns));

	return behind && runs->items[behind - 1].cpu == cpu ? &runs->items[behind - 1] : NULL;
}

/* Returns the time that threads of the target had the CPU up to `time_ns`. */
static uint64_t run_up_to_ns(const struct run *last, uint64_t time_ns)
{
	if (!last)
		return 0;
	return last->before_ns + (time_ns < last->end_ns ? time_ns : last->end_ns) - last->begin_ns;
}

/* --- Holders of the CPU -------------------------------------------------------------------- */

static bool was_preempted(const struct rdam_thread *thread, size_t i)
{
	return i && thread->intervals[i - 1].state == STATE_RUNNING;
}

static int32_t awaited_cpu(const struct rdam_thread *thread, size_t i)
{
	if (was_preempted(thread, i))
		return thread->intervals[i - 1].cpu;
	if (i + 1 < thread->interval_count && thread->intervals[i + 1].state == STATE_RUNNING)
		return thread->intervals[i + 1].cpu;
	return -1;
}

/*
 * Writes interval `i` of the thread to `parts`, as one or two, and returns their number. A
 * preempted thread waited first for the thread that took the CPU, a woken one last for the thread
 * that left it.
 */
static size_t divide(struct block_interval parts[2], const struct runs *runs,
		     const struct rdam_thread *thread, size_t i, uint64_t moment_ns)
{
	uint64_t begin_ns = i ? thread->intervals[i - 1].end_ns : thread->begin_ns;
	uint64_t end_ns = thread->intervals[i].end_ns, own_ns, rest_ns;
	int32_t cpu = awaited_cpu(thread, i);
	const struct run *last = last_run(runs, cpu, end_ns);
	bool preempted = was_preempted(thread, i);
	uint32_t holder = thread->intervals[i].holder, stranger;

	parts[0] = thread->intervals[i];
	if (parts[0].state != STATE_RUNNABLE || holder == BY_NO_THREAD || cpu < 0)
		return 1;
	own_ns = run_up_to_ns(last, end_ns) - run_up_to_ns(last_run(runs, cpu, begin_ns), begin_ns);
	rest_ns = end_ns - begin_ns - own_ns;
	if (own_ns > end_ns - begin_ns || !own_ns || rest_ns <= moment_ns)
		return 1;
	if (holder == BY_STRANGER && own_ns <= moment_ns)
		return 1;
	/* Before the thread that left it, the CPU may have been idle: a wakeup takes time. */
	stranger = preempted ? BY_STRANGER : holder == BY_STRANGER ? BY_STRANGER : BY_NO_THREAD;
	if (holder == BY_STRANGER)
		holder = last->thread;
	parts[1] = parts[0];
	parts[0].end_ns = begin_ns + (preempted ? own_ns : rest_ns);
	parts[0].by = BY_NO_THREAD;
	parts[0].holder = preempted ? holder : stranger;
	parts[1].holder = preempted ? stranger : holder;
	return 2;
}

static void divide_thread(struct rdam_thread *thread, const struct runs *runs, uint64_t moment_ns)
{
	struct block_interval *divided = NULL, parts[2];
	size_t count = 0, capacity = 0;

	for (size_t i = 0; i < thread->interval_count; i++) {
		size_t more = divide(parts, runs, thread, i, moment_ns);

		array_reserve(&divided, &capacity, count + more);
		for (size_t j = 0; j < more; j++)
			divided[count++] = parts[j];
	}
	free(thread->intervals);
	thread->intervals = divided;
	thread->interval_count = count;
	thread->interval_capacity = capacity;
}

void block_holders_divide(struct rdam_trace *trace, uint64_t moment_ns)
{
	struct runs runs = {0};

	for (size_t i = 0; i < trace->thread_count; i++)
		add_runs(&runs, trace, i);
	sort_runs(&runs);
	for (size_t i = 0; i < trace->thread_count; i++)
		if (trace->threads[i].count)
			divide_thread(&trace->threads[i], &runs, moment_ns);
	free(runs.items);
}

/* --- Page faults --------------------------------------------------------------------------- */

/* The end of a fault that has not ended. */
enum { OPEN_NS = 0 };

static bool is_open(const struct rdam_details *details)
{
	return details->fault_count && details->faults[details->fault_count - 1].end_ns == OPEN_NS;
}

static struct rdam_details *have_details(struct rdam_thread *thread)
{
	if (!thread->details)
		thread->details = xcalloc(1, sizeof(*thread->details));
	return thread->details;
}

/* A fault without an end was answered by a signal, or its end is not recorded. */
void block_faults_take(struct rdam_thread *thread, enum event_kind kind, uint64_t time_ns)
{
	struct rdam_details *details = have_details(thread);

	if (kind == EVENT_FAULT_END) {
		if (is_open(details))
			details->faults[details->fault_count - 1].end_ns = time_ns;
		return;
	}
	if (is_open(details))
		details->fault_count--;
	array_reserve(&details->faults, &details->fault_capacity, details->fault_count + 1);
	details->faults[details->fault_count++] =
		(struct block_fault){.begin_ns = time_ns, .end_ns = OPEN_NS};
}

static uint64_t overlap_ns(const struct block_fault *fault, uint64_t begin_ns, uint64_t end_ns)
{
	uint64_t from_ns = fault->begin_ns > begin_ns ? fault->begin_ns : begin_ns;
	uint64_t to_ns = fault->end_ns < end_ns ? fault->end_ns : end_ns;

	return to_ns > from_ns ? to_ns - from_ns : 0;
}

/* Adds the times of the thread in the fault to `times`. *at: its first interval; moves on. */
static void add_times(struct block_fault *times, const struct block_fault *fault,
		      const struct rdam_thread *thread, size_t *at)
{
	while (*at < thread->interval_count && thread->intervals[*at].end_ns <= fault->begin_ns)
		++*at;
	for (size_t i = *at; i < thread->interval_count; i++) {
		const struct block_interval *interval = &thread->intervals[i];
		uint64_t begin_ns = i ? thread->intervals[i - 1].end_ns : thread->begin_ns;

		if (begin_ns >= fault->end_ns)
			break;
		if (interval->state == STATE_RUNNING)
			times->cpu_ns += overlap_ns(fault, begin_ns, interval->end_ns);
		else if (interval->state == STATE_DISK)
			times->disk_ns += overlap_ns(fault, begin_ns, interval->end_ns);
	}
}

void block_faults_measure(struct rdam_thread *thread, double outside_ns)
{
	struct block_fault sum = {.begin_ns = UINT64_MAX, .end_ns = UINT64_MAX};
	struct rdam_details *details = thread->details;
	size_t at = 0;

	if (!details)
		return;
	if (is_open(details))
		details->fault_count--;
	array_reserve(&details->faults, &details->fault_capacity, details->fault_count + 1);
	for (size_t i = 0; i < details->fault_count; i++) {
		struct block_fault *fault = &details->faults[i];

		fault->cpu_ns = sum.cpu_ns;
		fault->disk_ns = sum.disk_ns;
		add_times(&sum, fault, thread, &at);
		sum.cpu_ns += (uint64_t)outside_ns;
	}
	details->faults[details->fault_count] = sum;
}

size_t block_faults_find(const struct rdam_thread *thread, uint64_t time_ns, size_t guess)
{
	const struct block_fault *faults = rdam_details(thread)->faults;
	size_t count = rdam_details(thread)->fault_count, low = 0, high = count, step = 1;

	if (guess <= count && (!guess || faults[guess - 1].begin_ns < time_ns)) {
		for (low = guess; low + step <= count && faults[low + step - 1].begin_ns < time_ns;
		     step *= 2)
			low += step;
		high = low + step - 1 < count ? low + step - 1 : count;
	}
	return find_first(i, low, high, faults[i].begin_ns >= time_ns);
}

/*
 * The longest time between a switch-out and the next switch-in if they are two events, as in
 * PERF_RECORD_SWITCH: a thread of another program in between had the CPU for no longer.
 */
enum { HANDOVER_NS = 10000 };

/* The last thread of the target on a CPU, while the trace is read. */
struct cpu_past {
	uint64_t end_ns; /* the time when it left; 0: none has run there yet */
	size_t thread;	 /* the number of the thread */
	size_t interval; /* the number of its next interval */
	bool was_preempted;
};

struct block_reader {
	struct rdam_trace *trace;
	struct cpu_past *cpus;
	size_t cpu_capacity;
	uint32_t *holders; /* [thread]: the holder of the CPU in its next interval */
	size_t holder_capacity;
};

static struct rdam_thread *thread_of(struct block_reader *reader, size_t number)
{
	struct rdam_trace *trace = reader->trace;

	array_reserve(&trace->threads, &trace->thread_capacity, number + 1);
	array_reserve(&reader->holders, &reader->holder_capacity, number + 1);
	for (; trace->thread_count <= number; trace->thread_count++) {
		trace->threads[trace->thread_count].tid = -1;
		trace->threads[trace->thread_count].pid = -1;
		reader->holders[trace->thread_count] = BY_NO_THREAD;
	}
	return &trace->threads[number];
}

/* --- Events -------------------------------------------------------------------------------- */

static size_t argument_count(const struct event *event)
{
	if (event->count <= 0)
		return 0;
	return event->count < BLOCK_ARGUMENTS ? (size_t)event->count : BLOCK_ARGUMENTS;
}

static void add_arguments(struct rdam_thread *thread, const struct event *event)
{
	size_t count = argument_count(event);
	struct rdam_details *details;

	if (!count || event->kind != EVENT_ENTER || thread->count >= RDAM_EVENTS_MAX)
		return;
	details = have_details(thread);
	array_reserve(&details->with_arguments, &details->with_capacity, details->with_count + 1);
	details->with_arguments[details->with_count++] = (struct block_arguments){
		.event = thread->count & (RDAM_EVENTS_MAX - 1),
		.first = details->argument_count & (BLOCK_ARGUMENTS * RDAM_EVENTS_MAX - 1),
	};
	array_reserve(&details->arguments, &details->argument_capacity,
		      details->argument_count + count);
	memcpy(details->arguments + details->argument_count, event->arguments,
	       count * sizeof(*details->arguments));
	details->argument_count += count;
}

static void add_chain(struct rdam_thread *thread, const struct event *event)
{
	struct rdam_details *details;

	if (!event->chain || event->kind != EVENT_ENTER)
		return;
	details = have_details(thread);
	array_reserve(&details->chains, &details->chain_capacity, details->chain_count + 1);
	details->chains[details->chain_count++] =
		(struct block_chain){.event = thread->count, .chain = event->chain};
}

static void take_mark(void *context, const struct mark *mark)
{
	struct block_reader *reader = context;
	const struct event *event = mark->event;
	bool leave = event->kind == EVENT_LEAVE;
	struct rdam_thread *thread;
	size_t times_capacity;

	if (event->kind == EVENT_FAULT || event->kind == EVENT_FAULT_END)
		block_faults_take(thread_of(reader, mark->thread), event->kind, mark->time_ns);
	if ((!leave && event->kind != EVENT_ENTER) || event->block >= reader->trace->blocks->count)
		return;
	thread = thread_of(reader, mark->thread);
	if (thread->tid < 0) {
		thread->tid = event->tid;
		thread->pid = mark->pid;
	}
	add_arguments(thread, event);
	add_chain(thread, event);
	times_capacity = thread->capacity;
	array_reserve(&thread->tokens, &thread->capacity, thread->count + 1);
	array_reserve(&thread->times_ns, &times_capacity, thread->count + 1);
	thread->tokens[thread->count] = block_token(event->block, leave);
	thread->times_ns[thread->count++] = mark->time_ns;
	reader->trace->events++;
}

/* --- States -------------------------------------------------------------------------------- */

/* Notes the holders of a CPU on which `thread` ran, and which `before` may have left to it. */
static void tell_holders(struct block_reader *reader, const struct cpu_past *before,
			 uint64_t begin_ns, size_t number)
{
	struct rdam_thread *thread = &reader->trace->threads[number], *other;
	size_t last = thread->interval_count;

	if (!before->end_ns || begin_ns - before->end_ns > HANDOVER_NS || before->thread == number)
		return;
	other = &reader->trace->threads[before->thread];
	if (before->was_preempted && before->interval < other->interval_count)
		other->intervals[before->interval].holder = (uint32_t)number;
	else if (before->was_preempted)
		reader->holders[before->thread] = (uint32_t)number;
	if (last && thread->intervals[last - 1].state == STATE_RUNNABLE &&
	    thread->intervals[last - 1].holder == BY_NO_THREAD)
		thread->intervals[last - 1].holder = (uint32_t)before->thread;
}

/* Takes a run before its interval is added: the thread's next interval is the one behind it. */
static void take_run(struct block_reader *reader, const struct change *change)
{
	struct cpu_past *past;

	if (change->cpu < 0 || change->cpu >= CPU_MAX)
		return;
	array_reserve(&reader->cpus, &reader->cpu_capacity, (size_t)change->cpu + 1);
	past = &reader->cpus[change->cpu];
	tell_holders(reader, past, change->begin_ns, change->thread);
	*past = (struct cpu_past){
		.end_ns = change->end_ns,
		.thread = change->thread,
		.interval = reader->trace->threads[change->thread].interval_count + 1,
		.was_preempted = change->left_cpu && change->next == STATE_RUNNABLE,
	};
}

/* Reserves little: most of very many threads have two or three intervals. */
static void reserve_interval(struct rdam_thread *thread)
{
	if (thread->interval_count < thread->interval_capacity)
		return;
	thread->interval_capacity += thread->interval_capacity / 2 + 2;
	thread->intervals = xreallocarray(thread->intervals, thread->interval_capacity,
					  sizeof(*thread->intervals));
}

static void add_interval(struct block_reader *reader, const struct change *change)
{
	struct rdam_thread *thread = &reader->trace->threads[change->thread];
	uint32_t *holder = &reader->holders[change->thread];
	bool runnable = change->state == STATE_RUNNABLE;

	if (*holder == BY_NO_THREAD)
		*holder = change->before;
	reserve_interval(thread);
	thread->intervals[thread->interval_count++] = (struct block_interval){
		.end_ns = change->end_ns,
		.state = change->state,
		.cpu = change->cpu,
		.by = change->by,
		.holder = runnable ? *holder : BY_NO_THREAD,
	};
	*holder = BY_NO_THREAD;
	if (change->state == STATE_RUNNING && change->left_cpu && change->next == STATE_RUNNABLE)
		/* unless a thread of the target turns out to have taken it */
		*holder = BY_STRANGER;
	if (change->state != STATE_UNKNOWN)
		reader->trace->has_states = true;
}

static void take_change(struct block_reader *reader, const struct change *change)
{
	struct rdam_thread *thread = thread_of(reader, change->thread);

	thread->tid = change->tid;
	thread->pid = change->pid;
	thread_name_take(&thread->name, change->comm);
	thread->start = change->start;
	if (!thread->interval_count)
		thread->begin_ns = change->begin_ns;
	thread->end_ns = change->end_ns;
	if (change->state == STATE_NONE || change->begin_ns == change->end_ns)
		return;
	if (change->state == STATE_RUNNING)
		take_run(reader, change);
	add_interval(reader, change);
}

/* --- The whole trace --------------------------------------------------------------------- */

static bool is_known(const struct rdam_thread *thread)
{
	for (size_t i = 0; i < thread->interval_count; i++)
		if (thread->intervals[i].state != STATE_UNKNOWN)
			return true;
	return false;
}

static void *trim(void *items, size_t count, size_t size)
{
	if (count)
		return xreallocarray(items, count, size);
	free(items);
	return NULL;
}

static void trim_thread(struct rdam_thread *thread)
{
	thread->tokens = trim(thread->tokens, thread->count, sizeof(*thread->tokens));
	thread->times_ns = trim(thread->times_ns, thread->count, sizeof(*thread->times_ns));
	thread->capacity = thread->count;
	thread->intervals =
		trim(thread->intervals, thread->interval_count, sizeof(*thread->intervals));
	thread->interval_capacity = thread->interval_count;
}

static void finish_thread(struct rdam_thread *thread)
{
	if (thread->count && !is_known(thread)) {
		thread->begin_ns = thread->times_ns[0];
		thread->end_ns = thread->times_ns[thread->count - 1];
		thread->interval_count = 0;
	}
	trim_thread(thread);
}

/* Measures the faults of threads with blocks. */
static void finish_faults(struct rdam_trace *trace, const struct target_info *target)
{
	trace->has_faults = target->has_faults;
	for (size_t i = 0; i < trace->thread_count; i++)
		if (trace->threads[i].count)
			block_faults_measure(&trace->threads[i], target->fault_outside_ns);
}

static int finish(struct rdam_trace *trace, const struct event_source *source, struct err *err)
{
	block_holders_divide(trace, (uint64_t)2 * HANDOVER_NS);
	trace->begin_ns = trace->thread_count ? UINT64_MAX : 0;
	for (size_t i = 0; i < trace->thread_count; i++) {
		struct rdam_thread *thread = &trace->threads[i];

		finish_thread(thread);
		if (thread->begin_ns < trace->begin_ns)
			trace->begin_ns = thread->begin_ns;
		if (thread->end_ns > trace->end_ns)
			trace->end_ns = thread->end_ns;
	}
	finish_faults(trace, &source->target);
	trace->quality = source->quality;
	trace->lost = source->target.blocks_lost;
	trace->cost_ns = source->target.block_cost_ns;
	trace->every = source->target.blocks_every ? source->target.blocks_every : 1;
	if (!trace->events)
		return err_set(err,
			       "the recording has no function calls of the target; record them "
			       "with 'pscal record --probe' or --uprobe, or name another target "
			       "with --pid, --tid or --comm; 'pscal stretch' compares functions "
			       "without them");
	return 0;
}

int rdam_trace_read(struct rdam_trace *trace, struct event_source *source,
		    const struct selection *selection, struct err *err)
{
	struct timeline *timeline = timeline_new(source, selection);
	struct block_reader reader = {.trace = trace};
	const struct change *change;
	int rc;

	*trace = (struct rdam_trace){.blocks = &source->blocks};
	source->wants_faults = source->target.has_faults;
	timeline_want_marks(timeline, take_mark, &reader);
	while ((rc = timeline_borrow(timeline, &change, err)) > 0)
		take_change(&reader, change);
	trace->origin_ns = timeline_begin_ns(timeline);
	/* Freed early: with very many threads they take as much memory as the next step. */
	free(reader.cpus);
	free(reader.holders);
	timeline_free(timeline);
	if (!rc)
		rc = finish(trace, source, err);
	if (rc)
		rdam_trace_release(trace);
	return rc;
}

static void details_free(struct rdam_details *details)
{
	if (!details)
		return;
	free(details->with_arguments);
	free(details->arguments);
	free(details->chains);
	free(details->faults);
	free(details);
}

void rdam_trace_release(struct rdam_trace *trace)
{
	for (size_t i = 0; i < trace->thread_count; i++) {
		thread_name_release(&trace->threads[i].name);
		free(trace->threads[i].tokens);
		free(trace->threads[i].times_ns);
		free(trace->threads[i].intervals);
		details_free(trace->threads[i].details);
	}
	free(trace->threads);
	*trace = (struct rdam_trace){0};
}

/* --- Calls --------------------------------------------------------------------------------- */

/* The enters that have not ended. */
struct open_calls {
	uint32_t *places;
	size_t depth, capacity;
};

static struct called_block *calls_meet(struct block_calls *calls, uint32_t block)
{
	if (!calls->slots[block]) {
		array_reserve(&calls->blocks, &calls->capacity, calls->count + 1);
		calls->blocks[calls->count++].block = block;
		calls->slots[block] = (uint32_t)calls->count;
	}
	return &calls->blocks[calls->slots[block] - 1];
}

const struct called_block *block_calls_of(const struct block_calls *calls, uint32_t block)
{
	return calls->slots[block] ? &calls->blocks[calls->slots[block] - 1] : NULL;
}

static void open_enter(struct open_calls *open, struct called_block *block, uint32_t place)
{
	array_reserve(&open->places, &open->capacity, open->depth + 1);
	open->places[open->depth++] = place;
	block->open++;
}

static uint32_t open_take_last(struct block_calls *calls, struct open_calls *open,
			       const uint32_t *tokens)
{
	uint32_t place = open->places[--open->depth];

	calls_meet(calls, block_of_token(tokens[place]))->open--;
	return place;
}

static void calls_leave(struct block_calls *calls, struct open_calls *open, const uint32_t *tokens,
			uint32_t place)
{
	struct called_block *block = calls_meet(calls, block_of_token(tokens[place]));
	uint32_t entered;

	if (!block->open) {
		calls->unbalanced++;
		return;
	}
	while (block_of_token(tokens[entered = open_take_last(calls, open, tokens)]) !=
	       block->block)
		calls->unbalanced++;
	calls->leaves[entered] = place;
	block->calls++;
}

static void calls_forget_open(struct block_calls *calls, struct open_calls *open,
			      const uint32_t *tokens)
{
	calls->unbalanced += open->depth;
	while (open->depth)
		open_take_last(calls, open, tokens);
}

static void calls_match(struct block_calls *calls, const uint32_t *tokens, size_t count,
			size_t blocks)
{
	struct open_calls open = {0};

	for (uint32_t i = 0; i < count; i++) {
		uint32_t block = block_of_token(tokens[i]);

		calls->leaves[i] = NO_LEAVE;
		if (block >= blocks)
			calls_forget_open(calls, &open, tokens);
		else if (block_token_leaves(tokens[i]))
			calls_leave(calls, &open, tokens, i);
		else
			open_enter(&open, calls_meet(calls, block), i);
	}
	calls_forget_open(calls, &open, tokens);
	free(open.places);
}

/* Returns the block if the call at `place` is listed. Calls are within one another or apart. */
static struct called_block *calls_outer_at(struct block_calls *calls, const uint32_t *tokens,
					   uint32_t place)
{
	struct called_block *block;

	if (calls->leaves[place] == NO_LEAVE)
		return NULL;
	block = calls_meet(calls, block_of_token(tokens[place]));
	if (block->end > place) {
		block->has_nested = true;
		return calls->each ? block : NULL;
	}
	block->end = calls->leaves[place] + 1;
	return block;
}

static void calls_list_outer(struct block_calls *calls, const uint32_t *tokens, size_t count)
{
	struct called_block *block;
	size_t outer = 0;

	for (uint32_t i = 0; i < count; i++)
		if ((block = calls_outer_at(calls, tokens, i)))
			block->outer_count++;
	for (size_t i = 0; i < calls->count; i++) {
		block = &calls->blocks[i];
		block->outer = outer;
		outer += block->outer_count;
		block->outer_count = block->end = 0;
	}
	calls->outer = xreallocarray(NULL, outer, sizeof(*calls->outer));
	for (uint32_t i = 0; i < count; i++)
		if ((block = calls_outer_at(calls, tokens, i)))
			calls->outer[block->outer + block->outer_count++] =
				(struct occurrence){i, calls->leaves[i] + 1};
}

void block_calls_init(struct block_calls *calls, const uint32_t *tokens, size_t count,
		      size_t blocks, uint32_t *slots, bool each)
{
	*calls = (struct block_calls){
		.each = each,
		.leaves = xreallocarray(NULL, count, sizeof(*calls->leaves)),
		.slots = slots,
	};
	calls_match(calls, tokens, count, blocks);
	calls_list_outer(calls, tokens, count);
}

void block_calls_release(struct block_calls *calls)
{
	for (size_t i = 0; i < calls->count; i++)
		calls->slots[calls->blocks[i].block] = 0;
	free(calls->leaves);
	free(calls->blocks);
	free(calls->outer);
}
