/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program in which one function can really be made faster, to test forecasts of what-ifs.
 *
 *	stages pipeline N [SHARE]: N blocks go from read_block through compress_block to write_block,
 *		each in a thread of its own, in 1, 3 and 1 units of work.
 *	stages lock N [SHARE [UNITS]]: four threads, each of which N times works for UNITS (1) in
 *		update_table, under a lock, and for twice that outside of it, in own_part.
 *	stages server N [SHARE]: N requests, which one thread reads (read_block, 1 unit) and four handle:
 *		1 unit in parse and 3 in answer, and a quarter under a lock, in log_answer.
 *	stages naps N: eight threads, of which thread K works N times for 4 K units, and then sleeps for
 *		2 ms. (naps.c computes until a time of the clock, which is less work on a busy machine.)
 *
 * SHARE (100) is the share of the work of compress_block, update_table or answer that is left, in per
 * cent.
 * A unit is some tenths of a ms, UNITS may be a fraction. Each piece of work takes 0.5 to 1.5 times as
 * much, by chance and in each run the same: loops of constant length would be sampled at the same place
 * each time, and threads would meet at the lock always or never. On paper and two cores or more, the
 * pipeline takes the 3 units of compress_block a block; on four the lock has 4 units of each N, and
 * 2 of work for each thread beside it. It is compiled with frame pointers; its functions are APART, as
 * a compiler may merge functions that are alike.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { UNIT = 1000000, ROOM = 4, THREADS = 8, NAP_US = 2000 };

static int rounds;
static unsigned piece;	 /* work of UNITS */
static unsigned changed; /* remaining work of UNITS */

static _Thread_local uint64_t drawn; /* the number of the thread to begin with */

/* Counts in a register: a counter in memory takes six times as long on some CPUs. */
static __attribute__((always_inline)) inline void compute(unsigned count)
{
	unsigned sum = 0, varied;

	drawn = drawn * 6364136223846793005 + 1442695040888963407; /* Knuth's MMIX */
	varied = count / 2 + (unsigned)(((drawn >> 32) * count) >> 32);
	for (unsigned i = 0; i < varied; i++) {
		sum += i;
		__asm__ volatile("" : "+r"(sum));
	}
}

/* The compiler leaves such functions and their calls as they are. */
#if defined(__clang__)
#define APART __attribute__((noinline, used))
#else
#define APART __attribute__((noipa))
#endif

static APART void read_block(void)
{
	compute(piece);
}

static APART void compress_block(void)
{
	compute(3 * changed);
}

static APART void write_block(void)
{
	compute(piece);
}

static APART void update_table(void)
{
	compute(changed);
}

static APART void own_part(void)
{
	compute(2 * piece);
}

/* --- Queues of blocks ----------------------------------------------------------------------- */

struct queue {
	pthread_mutex_t mutex;
	pthread_cond_t change, room; /* the latter only of the server */
	int count;
};

static struct queue queues[2] = {
	{PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, 0},
	{PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, 0},
};

static void move(struct queue *queue, int count)
{
	pthread_mutex_lock(&queue->mutex);
	while (queue->count + count < 0 || queue->count + count > ROOM)
		pthread_cond_wait(&queue->change, &queue->mutex);
	queue->count += count;
	pthread_mutex_unlock(&queue->mutex);
	pthread_cond_signal(&queue->change);
}

static APART void *reader(void *argument)
{
	drawn = (uintptr_t)argument;
	for (int i = 0; i < rounds; i++) {
		read_block();
		move(&queues[0], 1);
	}
	return NULL;
}

static APART void *compressor(void *argument)
{
	drawn = (uintptr_t)argument;
	for (int i = 0; i < rounds; i++) {
		move(&queues[0], -1);
		compress_block();
		move(&queues[1], 1);
	}
	return NULL;
}

static APART void *writer(void *argument)
{
	drawn = (uintptr_t)argument;
	for (int i = 0; i < rounds; i++) {
		move(&queues[1], -1);
		write_block();
	}
	return NULL;
}

/* --- A lock --------------------------------------------------------------------------------- */

static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;

static APART void *worker(void *argument)
{
	drawn = (uintptr_t)argument;
	for (int i = 0; i < rounds; i++) {
		pthread_mutex_lock(&table);
		update_table();
		pthread_mutex_unlock(&table);
		own_part();
	}
	return NULL;
}

/* --- A server ------------------------------------------------------------------------------- */

static int taken; /* of the requests, under the mutex of the queue */

static APART void parse(void)
{
	compute(piece);
}

static APART void answer(void)
{
	compute(3 * changed);
}

static APART void log_answer(void)
{
	pthread_mutex_lock(&table);
	compute(piece / 4);
	pthread_mutex_unlock(&table);
}

static APART void *source(void *argument)
{
	struct queue *queue = &queues[0];

	drawn = (uintptr_t)argument;
	for (int i = 0; i < rounds; i++) {
		read_block();
		pthread_mutex_lock(&queue->mutex);
		while (queue->count == ROOM)
			pthread_cond_wait(&queue->room, &queue->mutex);
		queue->count++;
		pthread_cond_signal(&queue->change);
		pthread_mutex_unlock(&queue->mutex);
	}
	return NULL;
}

/* Returns whether there is one; all threads end after the last one. */
static bool take_request(struct queue *queue)
{
	bool is_there;

	pthread_mutex_lock(&queue->mutex);
	while (!queue->count && taken < rounds)
		pthread_cond_wait(&queue->change, &queue->mutex);
	is_there = queue->count > 0;
	queue->count -= is_there;
	taken += is_there;
	if (taken == rounds)
		pthread_cond_broadcast(&queue->change);
	pthread_cond_signal(&queue->room);
	pthread_mutex_unlock(&queue->mutex);
	return is_there;
}

static APART void *handler(void *argument)
{
	drawn = (uintptr_t)argument;
	while (take_request(&queues[0])) {
		parse();
		answer();
		log_answer();
	}
	return NULL;
}

/* --- Sleepers ------------------------------------------------------------------------------- */

static APART void *sleeper(void *argument)
{
	unsigned number = (unsigned)(uintptr_t)argument;

	drawn = number;
	for (int i = 0; i < rounds; i++) {
		compute(4 * number * piece);
		usleep(NAP_US);
	}
	return NULL;
}

/* --- All of them ---------------------------------------------------------------------------- */

static const struct program {
	const char *name;
	void *(*threads[THREADS])(void *);
} programs[] = {
	{"pipeline", {reader, compressor, writer}},
	{"lock", {worker, worker, worker, worker}},
	{"server", {source, handler, handler, handler, handler}},
	{"naps", {sleeper, sleeper, sleeper, sleeper, sleeper, sleeper, sleeper, sleeper}},
};

int main(int argc, char **argv)
{
	const struct program *program = &programs[0];
	pthread_t threads[THREADS];
	size_t count = 0;

	rounds = argc > 2 ? atoi(argv[2]) : 100;
	piece = (unsigned)(UNIT * (argc > 4 ? strtod(argv[4], NULL) : 1));
	changed = (unsigned)(piece * (argc > 3 ? strtod(argv[3], NULL) / 100 : 1));
	for (size_t i = 0; argc > 1 && i < sizeof(programs) / sizeof(programs[0]); i++)
		if (strcmp(argv[1], programs[i].name) == 0)
			program = &programs[i];
	for (; count < THREADS && program->threads[count]; count++)
		if (pthread_create(&threads[count], NULL, program->threads[count],
				   (void *)(count + 1)))
			return 1;
	for (size_t i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
