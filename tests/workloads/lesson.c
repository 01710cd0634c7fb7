/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lesson STEP [UNIT]: the program of doc/tutorial.md, at one of its steps 0 to 4. Four threads read
 * input, count words in it, add up what they found, and report it. A unit is UNIT million rounds of a
 * loop; in one thread it is 10 + 80 + 10 + 6 = 106 of them.
 *
 * On paper, in units, on four cores:
 *
 *	step	read	count	add	report	wall	speedup
 *	0	10	38	2.5	6	56.5	1.88
 *	1	10	20	10	6	46	2.30	the next piece is for the thread that is free
 *	2	2.5	20	10	6	38.5	2.75	each thread reads a part
 *	3	2.5	20	2.5	6	31	3.42	sums are each thread's own
 *	4	2.5	20	2.5	2.25	27.25	3.89	five sixths of the report, by each its part
 *
 * In step 0 the first thread counts 38 of the 80; in steps 1 and 2 all four come to the one lock of
 * add_sums() at the same time.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, READ = 40, COUNT = 320, ADD = 40, REPORT = 24, LAST = 4, PER_UNIT = 4 };

static int step;
static unsigned long rounds; /* of a piece, which is a quarter of a unit */
static atomic_int next_piece;
static pthread_mutex_t sum_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all_counted;

/* Inline, so that samples name its callers; a chain of multiplications takes the same time in
 * each. */
static inline __attribute__((always_inline)) void compute(int pieces)
{
	unsigned long x = 1;

	for (unsigned long i = 0; i < rounds * (unsigned long)pieces; i++) {
		x = x * 6364136223846793005UL + 1442695040888963407UL; /* Knuth's MMIX generator */
		__asm__ volatile("" : "+r"(x));
	}
}

/* The comments keep the compiler from merging equal functions. */
static __attribute__((noinline)) void read_input(int pieces)
{
	compute(pieces);
	__asm__ volatile("# read_input");
}

static __attribute__((noinline)) void count_words(int pieces)
{
	compute(pieces);
	__asm__ volatile("# count_words");
}

static __attribute__((noinline)) void add_sums(int pieces)
{
	if (step < 3)
		pthread_mutex_lock(&sum_lock);
	compute(pieces);
	if (step < 3)
		pthread_mutex_unlock(&sum_lock);
}

static __attribute__((noinline)) void write_report(int pieces)
{
	compute(pieces);
	__asm__ volatile("# write_report");
}

static void count_all(int number)
{
	if (step < 1) {
		count_words(number == 0 ? 152 : 56);
		return;
	}
	while (atomic_fetch_add(&next_piece, 1) < COUNT)
		count_words(1);
	pthread_barrier_wait(&all_counted);
}

static void *work(void *number)
{
	char name[16];

	snprintf(name, sizeof(name), "worker-%d", *(int *)number);
	pthread_setname_np(pthread_self(), name);
	if (step >= 2)
		read_input(READ / THREADS);
	count_all(*(int *)number);
	add_sums(ADD / THREADS);
	if (step >= 4)
		write_report((REPORT - LAST) / THREADS);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	int numbers[THREADS];

	step = argc > 1 ? atoi(argv[1]) : 0;
	rounds = (unsigned long)(1e6 * (argc > 2 ? atof(argv[2]) : 40) / PER_UNIT);
	pthread_barrier_init(&all_counted, NULL, THREADS);
	if (step < 2)
		read_input(READ);
	for (int i = 0; i < THREADS; i++) {
		numbers[i] = i;
		pthread_create(&threads[i], NULL, work, &numbers[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	write_report(step < 4 ? REPORT : LAST);
	return 0;
}
