/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dependent [CALLS]: blocks whose durations vary for two reasons. CALLS (default 600) times each of
 * two threads calls each of
 *
 *	search_list(n)	   walks a list to its n-th element
 *	copy_bytes(n, to)  copies n bytes, up to 1 MiB, by memcpy
 *	triangle(n)	   a loop in a loop, n (n + 1) / 2 steps
 *	take_turn(n)	   waits for a mutex that the other thread may hold, asleep
 *	count_up(n)	   counts in a cache line in which the other thread counts, too
 *
 * with a random n, for triangle one of 100, 200, ... 600. On paper: the durations of the first
 * three depend on n, those of the last two on the other thread.
 */
#include "meter.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS = 20000, COPY_MAX = 1 << 20, TRIANGLE_SIZES = 6, THREADS = 2 };

/* The compiler leaves such functions, their calls and their arguments as they are. */
#if defined(__clang__)
#define APART __attribute__((noinline, used))
#else
#define APART __attribute__((noipa))
#endif
#define BLOCK static APART void

struct element {
	struct element *next;
	uint64_t value;
};

struct shared {
	struct element *list;
	pthread_mutex_t mutex;
	int calls;
	_Alignas(128) atomic_uint counters[THREADS];
};

struct thread {
	struct shared *shared;
	uint64_t random;
	int number;
	char *from, *to;
	volatile uint64_t result;
};

BLOCK search_list(uint64_t n, struct thread *thread)
{
	const struct element *at = thread->shared->list;

	while (at && at->value != n)
		at = at->next;
	thread->result = at ? at->value : 0;
}

BLOCK copy_bytes(uint64_t n, struct thread *thread)
{
	memcpy(thread->to, thread->from, n);
	thread->result = (uint64_t)thread->to[n / 2];
}

BLOCK triangle(uint64_t n, struct thread *thread)
{
	for (uint64_t i = 0; i < n; i++)
		for (uint64_t j = 0; j <= i; j++)
			thread->result += j;
}

BLOCK take_turn(uint64_t n, struct thread *thread)
{
	pthread_mutex_lock(&thread->shared->mutex);
	thread->result = n;
	sleep_until(now_ns(CLOCK_MONOTONIC) + 100000);
	pthread_mutex_unlock(&thread->shared->mutex);
}

BLOCK count_up(uint64_t n, struct thread *thread)
{
	thread->result = n;
	for (int i = 0; i < 5000; i++)
		atomic_fetch_add_explicit(&thread->shared->counters[thread->number], 1,
					  memory_order_relaxed);
}

static uint64_t draw(struct thread *thread, uint64_t count)
{
	thread->random ^= thread->random << 13;
	thread->random ^= thread->random >> 7;
	thread->random ^= thread->random << 17;
	return (thread->random >> 16) % count;
}

static void *work(void *argument)
{
	struct thread *thread = argument;

	for (int i = 0; i < thread->shared->calls; i++) {
		search_list(draw(thread, ELEMENTS), thread);
		copy_bytes(draw(thread, COPY_MAX), thread);
		triangle(100 * (1 + draw(thread, TRIANGLE_SIZES)), thread);
		take_turn(draw(thread, 1000000), thread);
		count_up(draw(thread, 1000000), thread);
	}
	return NULL;
}

static struct element *new_list(void)
{
	struct element *elements = calloc(ELEMENTS, sizeof(*elements));

	for (size_t i = 0; elements && i < ELEMENTS; i++) {
		elements[i].value = i;
		elements[i].next = i + 1 < ELEMENTS ? &elements[i + 1] : NULL;
	}
	return elements;
}

int main(int argc, char **argv)
{
	static struct shared shared = {.mutex = PTHREAD_MUTEX_INITIALIZER};
	struct thread threads[THREADS];
	pthread_t ids[THREADS];

	shared.calls = argc > 1 ? atoi(argv[1]) : 600;
	shared.list = new_list();
	for (int i = 0; i < THREADS; i++) {
		threads[i] = (struct thread){&shared, 77 + (uint64_t)i, i, NULL, NULL, 0};
		threads[i].from = calloc(1, COPY_MAX);
		threads[i].to = malloc(COPY_MAX);
		if (!shared.list || !threads[i].from || !threads[i].to)
			return 1;
		memset(threads[i].to, 1, COPY_MAX);
		if (pthread_create(&ids[i], NULL, work, &threads[i]))
			return 1;
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(ids[i], NULL);
	return 0;
}
