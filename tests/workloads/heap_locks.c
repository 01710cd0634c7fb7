/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * heap_locks T N L: T threads, each of which N times computes for 0.1 ms in update_table() under
 * the lock of one of L tables on the heap, by turns, and then for as long without a lock.
 *
 * On paper: N T / 5 ms of work. With one table half of it is done by one thread at a time. It is
 * compiled without frame pointers.
 */
#include <pthread.h>
#include <stdlib.h>

struct table {
	long entries;
	pthread_mutex_t lock;
};

static struct table **tables;
static int turns, table_count;

static __attribute__((noinline)) void compute(volatile unsigned *sink)
{
	for (unsigned i = 0; i < 100000; i++)
		*sink += i;
}

/* Code follows the last call, so that it is no tail call and this function stays on the stack. */
static __attribute__((noinline)) void update_table(struct table *table, volatile unsigned *sink)
{
	pthread_mutex_lock(&table->lock);
	compute(sink);
	table->entries++;
	pthread_mutex_unlock(&table->lock);
	*sink += 1;
}

static void *work(void *argument)
{
	volatile unsigned sink = 0;

	for (int i = 0; i < turns; i++) {
		update_table(tables[i % table_count], &sink);
		compute(&sink);
	}
	return argument;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 2;
	pthread_t *threads = calloc((size_t)count, sizeof(*threads));

	turns = argc > 2 ? atoi(argv[2]) : 100;
	table_count = argc > 3 ? atoi(argv[3]) : 1;
	tables = calloc((size_t)table_count, sizeof(struct table *));
	if (!threads || !tables)
		return 1;
	for (int i = 0; i < table_count; i++) {
		tables[i] = calloc(1, sizeof(*tables[i]));
		if (!tables[i] || pthread_mutex_init(&tables[i]->lock, NULL))
			return 1;
	}
	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, work, NULL))
			return 1;
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < table_count; i++)
		free(tables[i]);
	free(tables);
	free(threads);
	return 0;
}
