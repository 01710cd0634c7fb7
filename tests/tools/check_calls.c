/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * check_calls FILE <TOLD: checks that the recording FILE has the events of each thread that the
 * workload random_calls has printed, and no event of any other thread. Prints the numbers of events
 * and threads; or the first difference, and exits with 1.
 */
#include "base/err.h"
#include "decode/event/event_source.h"
#include "decode/trace_input.h"
#include "stats/rdam/rdam_trace.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static const uint64_t prime = 0x100000001b3;

/* The printed events of a thread. */
struct told {
	int32_t pid, tid;
	uint64_t events, sum;
	bool found;
};

struct tale {
	struct told *items;
	size_t count, wrong;
	uint64_t events;
};

static void read_told(struct tale *tale)
{
	struct told told = {0};

	while (scanf("%" SCNd32 " %" SCNd32 " %" SCNu64 " %" SCNx64, &told.pid, &told.tid,
		     &told.events, &told.sum) == 4) {
		tale->items = realloc(tale->items, (tale->count + 1) * sizeof(told));
		if (!tale->items)
			abort();
		tale->items[tale->count++] = told;
	}
}

static uint64_t name_sum(const char *name)
{
	uint64_t sum = 0xcbf29ce484222325;

	for (; *name; name++)
		sum = (sum ^ (unsigned char)*name) * prime;
	return sum;
}

static uint64_t thread_sum(const struct rdam_thread *thread, const uint64_t *names)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < thread->count; i++)
		sum = sum * prime + names[block_of_token(thread->tokens[i])] * 2 +
		      block_token_leaves(thread->tokens[i]);
	return sum;
}

/* The first thread of this number without a match: the kernel may have used the number twice. */
static struct told *find(struct tale *tale, const struct rdam_thread *thread, uint64_t sum)
{
	struct told *other = NULL;

	for (size_t i = 0; i < tale->count; i++) {
		struct told *told = &tale->items[i];

		if (told->found || told->tid != thread->tid || told->pid != thread->pid)
			continue;
		other = told;
		if (told->sum == sum && told->events == thread->count)
			break;
	}
	return other;
}

static void check_thread(struct tale *tale, const struct rdam_thread *thread, const uint64_t *names)
{
	uint64_t sum = thread_sum(thread, names);
	struct told *told = find(tale, thread, sum);

	tale->events += thread->count;
	if (!told) {
		printf("%d/%d: %zu events of a thread that printed none\n", thread->pid,
		       thread->tid, thread->count);
		tale->wrong++;
		return;
	}
	told->found = true;
	if (told->events == thread->count && told->sum == sum)
		return;
	printf("%d/%d: %zu events on record, %" PRIu64 " are told; sum %016" PRIx64
	       ", not %016" PRIx64 "\n",
	       thread->pid, thread->tid, thread->count, told->events, sum, told->sum);
	tale->wrong++;
}

static void check(struct tale *tale, const struct rdam_trace *trace)
{
	uint64_t *names = calloc(trace->blocks->count + 1, sizeof(*names));

	if (!names)
		abort();
	for (size_t i = 0; i < trace->blocks->count; i++)
		names[i] = name_sum(trace->blocks->items[i].name);
	for (size_t i = 0; i < trace->thread_count; i++)
		if (trace->threads[i].count)
			check_thread(tale, &trace->threads[i], names);
	for (size_t i = 0; i < tale->count; i++) {
		if (tale->items[i].found || !tale->items[i].events)
			continue;
		printf("%d/%d: nothing on record of %" PRIu64 " events\n", tale->items[i].pid,
		       tale->items[i].tid, tale->items[i].events);
		tale->wrong++;
	}
	free(names);
}

int main(int argc, char **argv)
{
	static const struct selection as_recorded;
	struct rdam_trace trace = {0};
	struct event_source *source;
	struct tale tale = {0};
	struct input *input;
	struct err err = {0};

	if (argc != 2) {
		fputs("Usage: check_calls FILE <TOLD\n", stderr);
		return 2;
	}
	read_told(&tale);
	input = trace_input_open(argv[1], INPUT_OF_ANYONE, &err);
	source = input ? trace_input_read(input, &err) : NULL;
	if (!source || rdam_trace_read(&trace, source, &as_recorded, &err)) {
		fprintf(stderr, "check_calls: %s\n", err.text);
		return 1;
	}
	check(&tale, &trace);
	printf("%" PRIu64 " events of %zu threads, %zu threads wrong\n", tale.events, tale.count,
	       tale.wrong);
	rdam_trace_release(&trace);
	event_source_free(source);
	free(tale.items);
	return tale.wrong || !tale.count;
}
