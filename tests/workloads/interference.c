/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * interference KIND PERCENT [ROUNDS [FILE]]: threads that use something together, for part of their
 * time. In each of ROUNDS rounds (default 40) each of T threads waits until all are there, and then
 * does two things: it runs a block once, which takes B without interference, and it waits for (T -
 * 1) B in all, of which thread i = 0, 1, ... waits i PERCENT % of B before the block and the rest
 * after it.
 *
 *	KIND	block		  shared object	      B		T
 *	mutex	block_of_mutex	  a pthread mutex     2 ms	4, asleep with it
 *	spin	block_of_spin	  a spin lock	      1 ms	2, computing with it
 *	sharing	block_of_sharing  a cache line	      1 ms	2, each a counter of its own in it
 *	disk	block_of_disk	  the device of FILE  4 ms	4, by O_DIRECT reads of it; B only
 *						by and large
 *	faults	block_of_faults	  memory	      1 ms	1, which touches PAGES pages
 *
 * On paper: with mutex and spin, thread i waits i (100 - PERCENT) % of B within its block, and the
 * rounds take (T - 1) (100 - PERCENT) % of B longer than T B each. With sharing both run s times as
 * slowly while both are in the block, for (100 - PERCENT) % of what they do; with disk all share
 * what the device gives. With faults there is one thread: the kernel has taken (100 - PERCENT) % of
 * the pages back before the block, which computes for B and touches all of them. With 100 % there
 * is no interference. Every 8th round has 100 %, for every PERCENT, so that some blocks run
 * undisturbed, as in programs without rounds.
 *
 * Prints the time that the rounds take, in seconds. FILE is made, and removed at the end.
 */
#include "meter.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef READ_BYTES
#define READ_BYTES (4 << 20)
#endif
enum { THREADS_MAX = 4, ALONE_EVERY = 8, READS_IN_FILE = 16, PAGES = 200, PAGE_BYTES = 4096 };

struct counters {
	_Alignas(128) atomic_uint of_thread[THREADS_MAX];
};

struct plan {
	const struct kind *kind;
	int percent, rounds;
	uint64_t block_ns; /* B */
	unsigned steps;	   /* of computing, which take B */
	pthread_barrier_t start;
	atomic_uint arrived;
	pthread_mutex_t mutex;
	atomic_bool taken;
	struct counters counters;
	int file;
	char *pages;
	char *buffers[THREADS_MAX];
};

struct kind {
	const char *name;
	int threads;
	bool computes; /* threads do not sleep, and each has a CPU of its own */
	unsigned block_us;
	void (*block)(struct plan *plan, int thread, int round);
};

/* The compiler leaves such functions, their calls and their arguments as they are. */
#if defined(__clang__)
#define APART __attribute__((noinline, used))
#else
#define APART __attribute__((noipa))
#endif
#define BLOCK static APART void

static void compute(struct plan *plan, int thread)
{
	for (unsigned i = 0; i < plan->steps; i++)
		atomic_fetch_add_explicit(&plan->counters.of_thread[thread], 1,
					  memory_order_relaxed);
}

BLOCK block_of_mutex(struct plan *plan, int thread, int round)
{
	(void)thread, (void)round;
	pthread_mutex_lock(&plan->mutex);
	sleep_until(now_ns(CLOCK_MONOTONIC) + plan->block_ns);
	pthread_mutex_unlock(&plan->mutex);
}

BLOCK block_of_spin(struct plan *plan, int thread, int round)
{
	(void)thread, (void)round;
	while (atomic_exchange_explicit(&plan->taken, true, memory_order_acquire))
		;
	compute(plan, 0);
	atomic_store_explicit(&plan->taken, false, memory_order_release);
}

BLOCK block_of_sharing(struct plan *plan, int thread, int round)
{
	(void)round;
	compute(plan, thread);
}

BLOCK block_of_disk(struct plan *plan, int thread, int round)
{
	off_t place = (off_t)((round * THREADS_MAX + thread) % READS_IN_FILE) * READ_BYTES;

	if (pread(plan->file, plan->buffers[thread], READ_BYTES, place) != READ_BYTES)
		perror("pread");
}

/* Computes between touches of pages, as programs do. */
BLOCK block_of_faults(struct plan *plan, int thread, int round)
{
	(void)round;
	for (unsigned i = 0; i < PAGES; i++) {
		for (unsigned k = 0; k < plan->steps / PAGES; k++)
			atomic_fetch_add_explicit(&plan->counters.of_thread[thread], 1,
						  memory_order_relaxed);
		*(volatile char *)(plan->pages + (size_t)i * PAGE_BYTES) = 1;
	}
}

static const struct kind kinds[] = {
	{"mutex", 4, false, 2000, block_of_mutex},    {"spin", 2, true, 1000, block_of_spin},
	{"sharing", 2, true, 1000, block_of_sharing}, {"disk", 4, false, 4000, block_of_disk},
	{"faults", 1, true, 1000, block_of_faults},
};

/* --- Threads ------------------------------------------------------------------------------- */

struct member {
	struct plan *plan;
	int number;
};

/* A thread with a CPU of its own waits without sleeping, as a wakeup takes long, for a time that
 * varies. */
static void meet(struct plan *plan, int round)
{
	unsigned all = (unsigned)(round + 1) * (unsigned)plan->kind->threads;

	if (!plan->kind->computes) {
		pthread_barrier_wait(&plan->start);
		return;
	}
	atomic_fetch_add(&plan->arrived, 1);
	while (atomic_load(&plan->arrived) < all)
		;
}

static void wait_ns(const struct plan *plan, uint64_t ns)
{
	uint64_t end_ns = now_ns(CLOCK_MONOTONIC) + ns;

	if (plan->kind->computes)
		compute_until(end_ns);
	else if (ns)
		sleep_until(end_ns);
}

static void stay_on_cpu(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	(void)sched_setaffinity(0, sizeof(set), &set);
}

/* The kept pages must not be adjacent to the taken ones, or the block would have faults without a
 * wait. */
static void take_pages(struct plan *plan, int percent)
{
	size_t taken = (size_t)(PAGES * (100 - percent) / 100);

	memset(plan->pages, 1, (size_t)PAGES * PAGE_BYTES);
	if (taken)
		madvise(plan->pages, taken * PAGE_BYTES, MADV_DONTNEED);
}

static void *work(void *argument)
{
	struct member *self = argument;
	struct plan *plan = self->plan;
	uint64_t rest_ns = (uint64_t)(plan->kind->threads - 1) * plan->block_ns;

	if (plan->kind->computes)
		stay_on_cpu((unsigned)self->number);
	for (int round = 0; round < plan->rounds; round++) {
		int percent = round % ALONE_EVERY == 0 ? 100 : plan->percent;
		uint64_t before_ns = (uint64_t)(self->number * percent) * plan->block_ns / 100;

		meet(plan, round);
		if (plan->pages)
			take_pages(plan, percent);
		wait_ns(plan, before_ns);
		plan->kind->block(plan, self->number, round);
		wait_ns(plan, rest_ns - before_ns);
	}
	return NULL;
}

static int run(struct plan *plan)
{
	pthread_t threads[THREADS_MAX];
	struct member members[THREADS_MAX];

	for (int i = 0; i < plan->kind->threads; i++) {
		members[i] = (struct member){plan, i};
		if (pthread_create(&threads[i], NULL, work, &members[i]))
			return -1;
	}
	for (int i = 0; i < plan->kind->threads; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

/* --- Blocks alone -------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The median of some measurements. */
static uint64_t computing_ns(struct plan *plan)
{
	uint64_t times_ns[15];

	for (int i = 0; i < 15; i++) {
		uint64_t begin_ns = now_ns(CLOCK_MONOTONIC);

		compute(plan, 0);
		times_ns[i] = now_ns(CLOCK_MONOTONIC) - begin_ns;
	}
	qsort(times_ns, 15, sizeof(times_ns[0]), by_size);
	return times_ns[7];
}

/* Makes FILE and removes its name, and makes the memory for reads. */
static int open_file(struct plan *plan, const char *path)
{
	plan->file = open(path, O_RDWR | O_CREAT | O_EXCL | O_DIRECT | O_CLOEXEC, 0600);
	if (plan->file < 0)
		return -1;
	unlink(path);
	for (int i = 0; i < THREADS_MAX; i++) {
		if (posix_memalign((void **)&plan->buffers[i], 4096, READ_BYTES))
			return -1;
		memset(plan->buffers[i], i + 1, READ_BYTES);
	}
	for (int i = 0; i < READS_IN_FILE; i++)
		if (write(plan->file, plan->buffers[0], READ_BYTES) != READ_BYTES)
			return -1;
	return fsync(plan->file);
}

static int map_pages(struct plan *plan)
{
	size_t size = (size_t)PAGES * PAGE_BYTES;

	plan->pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (plan->pages == MAP_FAILED)
		return -1;
	(void)madvise(plan->pages, size, MADV_NOHUGEPAGE);
	return 0;
}

static int prepare(struct plan *plan, const char *path)
{
	plan->block_ns = (uint64_t)plan->kind->block_us * 1000;
	pthread_mutex_init(&plan->mutex, NULL);
	pthread_barrier_init(&plan->start, NULL, (unsigned)plan->kind->threads);
	if (plan->kind->block == block_of_disk)
		return open_file(plan, path);
	if (plan->kind->block == block_of_faults && map_pages(plan))
		return -1;
	plan->steps = 20000;
	plan->steps = (unsigned)(plan->steps * plan->block_ns / computing_ns(plan));
	return 0;
}

/* Uses SCHED_FIFO, so that no other program interferes; continues without it if that is not
 * allowed. */
static void be_urgent(void)
{
	const struct sched_param first = {.sched_priority = 1};

	(void)sched_setscheduler(0, SCHED_FIFO, &first);
}

int main(int argc, char **argv)
{
	static struct plan plan;
	uint64_t begin_ns;

	for (size_t i = 0; argc > 2 && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(argv[1], kinds[i].name) == 0)
			plan.kind = &kinds[i];
	if (!plan.kind) {
		fputs("Usage: interference mutex|spin|sharing|disk|faults PERCENT [ROUNDS "
		      "[FILE]]\n",
		      stderr);
		return 2;
	}
	plan.percent = atoi(argv[2]);
	plan.rounds = argc > 3 ? atoi(argv[3]) : 40;
	be_urgent();
	if (prepare(&plan, argc > 4 ? argv[4] : "interference.tmp")) {
		perror("interference");
		return 1;
	}
	begin_ns = now_ns(CLOCK_MONOTONIC);
	if (run(&plan))
		return 1;
	printf("%.6f\n", (double)(now_ns(CLOCK_MONOTONIC) - begin_ns) / 1e9);
	return 0;
}
