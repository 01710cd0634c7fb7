/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * random_calls functions|marks [EVENTS [THREADS [SEED]]]: makes random calls, and prints at the end
 * what each thread has entered and left. The same numbers give the same calls.
 *
 * THREADS (default 64) threads make EVENTS / 4 (default 1 000 000) events together, then end, and
 * as many new ones follow, four times in all. They call one another's functions call_0 to call_7,
 * or run what is marked as block_0 to block_7. From time to time a thread gets a signal, whose
 * handler makes calls, too, in every second thread on a stack of its own; or it leaves many calls
 * by longjmp, also out of handlers; a third of the threads end by pthread_exit in the middle of
 * calls, and an eighth once forks there: the child makes calls of its own in two threads, and ends
 * in one of three ways, or executes this program anew, with two threads at once.
 *
 * Prints a line for each thread: "PID TID EVENTS SUM", where SUM begins with 0 and is SUM x P + the
 * event with each, modulo 2^64. An event is twice the FNV-1a of its name, and 1 more where it is
 * left; P is 0x100000001b3.
 */
#include "probe/probe.h"

#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* For all functions but call_0 to call_7, if compiled with -finstrument-functions. */
#define UNSEEN __attribute__((no_instrument_function))

enum { NAMES = 8, DEPTH_MAX = 500, GENERATIONS = 4, FORK_EVERY = 8, EXIT_EVERY = 3 };
enum { SIGNAL_EVERY = 200, STACK_BYTES = 1 << 20, EXEC_THREADS = 2 };

static const uint64_t prime = 0x100000001b3;

struct walk {
	uint64_t random, sum, events, limit;
	uint64_t fork_at; /* events; UINT64_MAX: never */
	int number, depth;
	bool marks, exits;
	jmp_buf top;
};

/* --- The printed sums ---------------------------------------------------------------------- */

UNSEEN static inline uint64_t name_sum(const char *name)
{
	uint64_t sum = 0xcbf29ce484222325;

	for (; *name; name++)
		sum = (sum ^ (unsigned char)*name) * prime;
	return sum;
}

UNSEEN static inline void note(struct walk *walk, const char *name, bool leave)
{
	walk->sum = walk->sum * prime + name_sum(name) * 2 + leave;
	walk->events++;
}

/* One write for each line, so that lines stay whole. */
UNSEEN static void tell(const struct walk *walk)
{
	char line[100];
	int length = snprintf(line, sizeof(line), "%d %d %" PRIu64 " %016" PRIx64 "\n", getpid(),
			      gettid(), walk->events, walk->sum);

	if (write(STDOUT_FILENO, line, (size_t)length) != length)
		_exit(3);
}

UNSEEN static inline uint64_t draw(struct walk *walk)
{
	walk->random ^= walk->random << 13;
	walk->random ^= walk->random >> 7;
	walk->random ^= walk->random << 17;
	return walk->random >> 8;
}

/* --- Calls --------------------------------------------------------------------------------- */

UNSEEN static void inside(struct walk *walk);

#define CALLS(n)                                                                      \
	static __attribute__((noinline)) void call_##n(struct walk *walk)             \
	{                                                                             \
		note(walk, "call_" #n, false);                                        \
		inside(walk);                                                         \
		note(walk, "call_" #n, true);                                         \
	}                                                                             \
	UNSEEN static __attribute__((noinline)) void run_block_##n(struct walk *walk) \
	{                                                                             \
		PSCAL_BEGIN(block_##n);                                               \
		note(walk, "block_" #n, false);                                       \
		inside(walk);                                                         \
		note(walk, "block_" #n, true);                                        \
		PSCAL_END(block_##n);                                                 \
	}

CALLS(0)
CALLS(1)
CALLS(2)
CALLS(3)
CALLS(4)
CALLS(5)
CALLS(6)
CALLS(7)

static void (*const functions[NAMES])(struct walk *) = {
	call_0, call_1, call_2, call_3, call_4, call_5, call_6, call_7,
};
static void (*const blocks[NAMES])(struct walk *) = {
	run_block_0, run_block_1, run_block_2, run_block_3,
	run_block_4, run_block_5, run_block_6, run_block_7,
};

UNSEEN static void call_one(struct walk *walk)
{
	(walk->marks ? blocks : functions)[draw(walk) % NAMES](walk);
}

UNSEEN static void fork_here(const struct walk *walk);

static __thread struct walk *current;

/* Only raise() sends it, so its place among the events is known. */
UNSEEN static void on_signal(int number)
{
	(void)number;
	call_one(current);
	call_one(current);
}

UNSEEN static void inside(struct walk *walk)
{
	if (walk->events >= walk->fork_at) {
		walk->fork_at = UINT64_MAX;
		fork_here(walk);
	}
	walk->depth++;
	if (draw(walk) % SIGNAL_EVERY == 0 && walk->depth < DEPTH_MAX)
		raise(SIGUSR1);
	while (walk->events < walk->limit && walk->depth < DEPTH_MAX && draw(walk) % 9 < 4)
		call_one(walk);
	if (walk->exits && walk->events >= walk->limit) {
		tell(walk);
		pthread_exit(NULL);
	}
	if (draw(walk) % 1000 == 0)
		longjmp(walk->top, 1);
	walk->depth--;
}

/* The stack is never freed: a thread on it may end by pthread_exit, or fork and continue there. */
UNSEEN static void have_stack(void)
{
	stack_t own;
	void *at =
		mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const stack_t stack = {.ss_sp = at, .ss_size = STACK_BYTES};

	if (at == MAP_FAILED || sigaltstack(NULL, &own) ||
	    (!(own.ss_flags & SS_ONSTACK) && sigaltstack(&stack, NULL)))
		abort();
}

UNSEEN static void walk_on(struct walk *walk)
{
	const struct sigaction action = {.sa_handler = on_signal,
					 .sa_flags = SA_NODEFER | SA_ONSTACK};

	sigaction(SIGUSR1, &action, NULL);
	current = walk;
	if (walk->number % 2 == 0)
		have_stack();
	(void)setjmp(walk->top);
	walk->depth = 0;
	while (walk->events < walk->limit)
		call_one(walk);
}

/* --- Threads and processes ----------------------------------------------------------------- */

UNSEEN static struct walk begin(uint64_t seed, int number, uint64_t limit, bool marks)
{
	struct walk walk = {
		.random = (seed << 20) + (uint64_t)number * 2 + 1,
		.limit = limit,
		.fork_at = UINT64_MAX,
		.number = number,
		.marks = marks,
	};

	for (int i = 0; i < 20; i++)
		draw(&walk);
	return walk;
}

UNSEEN static void *work(void *argument)
{
	struct walk *walk = argument;

	walk_on(walk);
	tell(walk);
	return NULL;
}

UNSEEN static _Noreturn void be_anew(const struct walk *walk)
{
	char events[32], threads[16], seed[16];

	snprintf(events, sizeof(events), "%" PRIu64, walk->limit);
	snprintf(threads, sizeof(threads), "%d", EXEC_THREADS);
	snprintf(seed, sizeof(seed), "%d", walk->number);
	execl("/proc/self/exe", "random_calls", walk->marks ? "marks" : "functions", events,
	      threads, seed, NULL);
	_exit(5);
}

UNSEEN static _Noreturn void be_child(const struct walk *parent)
{
	struct walk own = begin(parent->random, parent->number, parent->limit / 4, parent->marks);
	struct walk other = begin(parent->random, -1, parent->limit / 4, parent->marks);
	pthread_t thread;

	if (pthread_create(&thread, NULL, work, &other))
		_exit(4);
	work(&own);
	pthread_join(thread, NULL);
	switch (parent->number / FORK_EVERY % 4) {
	case 0:
		_exit(0);
	case 1:
		exit(0);
	case 2:
		pthread_exit(NULL);
	default:
		be_anew(parent);
	}
}

UNSEEN static void fork_here(const struct walk *walk)
{
	pid_t child = fork();
	int status = 0;

	if (child == 0)
		be_child(walk);
	if (child > 0 && waitpid(child, &status, 0) == child && !status)
		return;
	if (child > 0 && status)
		fprintf(stderr, "random_calls: child %d ended with %#x\n", child, (unsigned)status);
	else
		fprintf(stderr, "random_calls: %s failed: %m\n", child < 0 ? "fork" : "waitpid");
	exit(1);
}

UNSEEN static int run_generation(struct walk *walks, pthread_t *threads, int count)
{
	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, work, &walks[i]))
			return -1;
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

UNSEEN int main(int argc, char **argv)
{
	bool marks = argc > 1 && strcmp(argv[1], "marks") == 0;
	uint64_t events = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000000;
	int count = argc > 3 ? atoi(argv[3]) : 64;
	uint64_t seed = argc > 4 ? strtoull(argv[4], NULL, 10) : 1;
	struct walk *walks = calloc((size_t)count, sizeof(*walks));
	pthread_t *threads = calloc((size_t)count, sizeof(*threads));

	if (!walks || !threads || count < 1)
		return 2;
	for (int generation = 0; generation < GENERATIONS; generation++) {
		for (int i = 0; i < count; i++) {
			int number = generation * count + i;

			walks[i] =
				begin(seed, number, events / GENERATIONS / (uint64_t)count, marks);
			walks[i].exits = number % EXIT_EVERY == 1;
			if (number % FORK_EVERY == 0)
				walks[i].fork_at = draw(&walks[i]) % (walks[i].limit / 2 + 1);
		}
		if (run_generation(walks, threads, count))
			return 1;
	}
	free(walks);
	free(threads);
	return 0;
}
