/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures the time and memory to find repeated sequences among EVENTS enters and leaves, for
 * programs of several kinds: user CPU time, the fastest of ROUNDS.
 *
 *	sequence_speed [ROUNDS [EVENTS]]
 */
#include "base/alloc.h"
#include "base/parse.h"
#include "stats/rdam/rdam_private.h"
#include "stats/rdam/rdam_trace.h"

#include <gsl/gsl_rng.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS_MAX = 1000, EVENTS_MAX = 1000000000, DEPTH_MAX = 64 };

struct list {
	uint32_t *tokens;
	size_t count, room;
	gsl_rng *random;
};

static bool is_full(const struct list *list)
{
	return list->count + DEPTH_MAX > list->room;
}

static void call(struct list *list, uint32_t block)
{
	list->tokens[list->count++] = block_token(block, false);
	list->tokens[list->count++] = block_token(block, true);
}

static unsigned below(struct list *list, unsigned long limit)
{
	return (unsigned)gsl_rng_uniform_int(list->random, limit);
}

/* One function, again and again. */
static void make_loop(struct list *list)
{
	while (!is_full(list))
		call(list, 0);
}

/* Requests: lock, 1 to 8 times the work, unlock, sometimes another call. */
static void make_requests(struct list *list)
{
	while (!is_full(list)) {
		list->tokens[list->count++] = block_token(0, false);
		call(list, 1);
		for (unsigned i = below(list, 8); i < 8; i++)
			call(list, 2);
		if (!below(list, 10))
			call(list, 4 + below(list, 20));
		call(list, 3);
		list->tokens[list->count++] = block_token(0, true);
	}
}

/* Random nested calls of 200 functions. */
static void make_tree(struct list *list)
{
	uint32_t stack[DEPTH_MAX];
	unsigned depth = 0;

	while (list->count + depth < list->room) {
		if (depth && (depth == DEPTH_MAX || below(list, 2))) {
			list->tokens[list->count++] = block_token(stack[--depth], true);
			continue;
		}
		stack[depth] = below(list, 200);
		list->tokens[list->count++] = block_token(stack[depth++], false);
	}
	while (depth && list->count < list->room)
		list->tokens[list->count++] = block_token(stack[--depth], true);
}

/* Random calls of 100000 functions, more often of those with small numbers. */
static void make_many(struct list *list)
{
	while (!is_full(list))
		call(list, below(list, 1 + below(list, 100000)));
}

/* Random enters and leaves of 1000 functions. */
static void make_noise(struct list *list)
{
	while (!is_full(list))
		list->tokens[list->count++] = below(list, 2000);
}

static double user_s(const struct rusage *usage)
{
	return (double)usage->ru_utime.tv_sec + (double)usage->ru_utime.tv_usec / 1e6;
}

struct measured {
	double cpu_s, bytes;
	size_t sequences;
};

/* Runs in a process of its own, so its memory is that of the measured work. */
static void measure_here(int to, void (*make)(struct list *), size_t events,
			 enum sequence_kind kind)
{
	struct list list = {.room = events, .random = gsl_rng_alloc(gsl_rng_taus2)};
	struct measured measured;
	struct sequences found;
	struct rusage before, after;

	list.tokens = xcalloc(events, sizeof(*list.tokens));
	make(&list);
	getrusage(RUSAGE_SELF, &before);
	sequences_find(&found, list.tokens, list.count, kind);
	getrusage(RUSAGE_SELF, &after);
	measured.cpu_s = user_s(&after) - user_s(&before);
	measured.bytes = (double)(after.ru_maxrss - before.ru_maxrss) * 1024;
	measured.sequences = found.count;
	_exit(write(to, &measured, sizeof(measured)) != sizeof(measured));
}

static struct measured measure(void (*make)(struct list *), size_t events, enum sequence_kind kind)
{
	struct measured measured = {0};
	int ends[2];

	if (pipe(ends))
		exit(1);
	fflush(stdout);
	if (!fork())
		measure_here(ends[1], make, events, kind);
	close(ends[1]);
	if (read(ends[0], &measured, sizeof(measured)) != sizeof(measured))
		exit(1);
	close(ends[0]);
	wait(NULL);
	return measured;
}

static void report(const char *name, void (*make)(struct list *), size_t events,
		   enum sequence_kind kind, size_t rounds)
{
	struct measured best = measure(make, events, kind);

	for (size_t i = 1; i < rounds; i++) {
		struct measured again = measure(make, events, kind);

		if (again.cpu_s < best.cpu_s)
			best.cpu_s = again.cpu_s;
	}
	printf("%-10s %-8s %8.3f  %12.1f  %14.1f  %10zu\n", name,
	       kind == SEQUENCES_OF_ALL ? "all" : "blocks", best.cpu_s,
	       (double)events / best.cpu_s / 1e6, best.bytes / (double)events, best.sequences);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*make)(struct list *);
	} table[] = {
		{"loop", make_loop}, {"requests", make_requests}, {"tree", make_tree},
		{"many", make_many}, {"noise", make_noise},
	};
	uint64_t rounds = 3, events = 10000000;

	if ((argc > 1 && parse_u64(&rounds, argv[1], ROUNDS_MAX)) || rounds < 1 ||
	    (argc > 2 && parse_u64(&events, argv[2], EVENTS_MAX)) || events < 1000) {
		fprintf(stderr, "usage: sequence_speed [ROUNDS [EVENTS]]\n");
		return 2;
	}
	printf("%zu events\n\nprogram    of       CPU s   M events / s   bytes / event   "
	       "sequences\n",
	       (size_t)events);
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		report(table[i].name, table[i].make, events, SEQUENCES_OF_BLOCKS, rounds);
		report(table[i].name, table[i].make, events, SEQUENCES_OF_ALL, rounds);
	}
	return 0;
}
