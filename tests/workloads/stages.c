/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program in which one function can really be made faster, to test forecasts of what-ifs.
 *
 *	stages pipeline N [SHARE]: N blocks go from read_block through compress_block to write_block,
 *		each in a thread of its own, in 1, 3 and 1 units of work.
 *	stages lock N [SHARE [UNITS]]: four threads, each of which N times works for UNITS (1) in
 *		update_table, under a lock, and for twice that outside of it, in own_part.
 *
 * SHARE (100) is the share of the work of compress_block or update_table that is left, in per cent.
 * A unit is some tenths of a ms, UNITS may be a fraction. Each piece of work takes 0.5 to 1.5 times as
 * much, by chance and in each run the same: loops of constant length would be sampled at the same place
 * each time, and threads would meet at the lock always or never. On paper and two cores or more, the
 * pipeline takes the 3 units of compress_block a block; on four the lock has 4 units of each N, and
 * 2 of work for each thread beside it. It is compiled with frame pointers.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { UNIT = 1000000, ROOM = 4, WORKERS = 4 };

static int rounds;
static unsigned piece;	 /* work of UNITS */
static unsigned changed; /* remaining work of UNITS */

static _Thread_local uint64_t drawn; /* the number of the thread to begin with */

static __attribute__((always_inline)) inline void compute(unsigned count)
{
	volatile unsigned sink = 0;
	unsigned varied;

	drawn = drawn * 6364136223846793005 + 1442695040888963407; /* Knuth's MMIX */
	varied = count / 2 + (unsigned)(((drawn >> 32) * count) >> 32);
	for (unsigned i = 0; i < varied; i++)
		sink = sink + i;
}

static __attribute__((noinline)) void read_block(void)
{
	compute(piece);
}

static __attribute__((noinline)) void compress_block(void)
{
	compute(3 * changed);
}

static __attribute__((noinline)) void write_block(void)
{
	compute(piece);
}

static __attribute__((noinline)) void update_table(void)
{
	compute(changed);
}

static __attribute__((noinline)) void own_part(void)
{
	compute(2 * piece);
}

/* --- Queues of blocks ----------------------------------------------------------------------- */

struct queue {
	pthread_mutex_t mutex;
	pthread_cond_t change;
	int count;
};

static struct queue queues[2] = {
	{PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0},
	{PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0},
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

static __attribute__((noinline)) void *reader(void *argument)
{
	drawn = (uintptr_t)argument;
	for (int i = 0; i < rounds; i++) {
		read_block();
		move(&queues[0], 1);
	}
	return NULL;
}

static __attribute__((noinline)) void *compressor(void *argument)
{
	drawn = (uintptr_t)argument;
	for (int i = 0; i < rounds; i++) {
		move(&queues[0], -1);
		compress_block();
		move(&queues[1], 1);
	}
	return NULL;
}

static __attribute__((noinline)) void *writer(void *argument)
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

static __attribute__((noinline)) void *worker(void *argument)
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

int main(int argc, char **argv)
{
	void *(*const pipeline[])(void *) = {reader, compressor, writer};
	bool has_lock = argc > 1 && strcmp(argv[1], "lock") == 0;
	size_t count = has_lock ? WORKERS : sizeof(pipeline) / sizeof(pipeline[0]);
	pthread_t threads[WORKERS];

	rounds = argc > 2 ? atoi(argv[2]) : 100;
	piece = (unsigned)(UNIT * (argc > 4 ? strtod(argv[4], NULL) : 1));
	changed = (unsigned)(piece * (argc > 3 ? strtod(argv[3], NULL) / 100 : 1));
	for (size_t i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, has_lock ? worker : pipeline[i],
				   (void *)(i + 1)))
			return 1;
	for (size_t i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
