/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/calibration/calibration_run.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/monotonic.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* A piece is some tens of microseconds: the clocks are read only in between. */
enum { CHAINS = 4, COMPUTE_STEPS = 4096, PIECE_DOUBLES = 1 << 15, LINE_DOUBLES = 8 };

/* Where threads wait until all are ready. */
struct gate {
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	size_t ready;
	enum { SHUT, OPEN, CALLED_OFF } state;
};

struct worker {
	struct calibration_bench *bench;
	struct gate *gate;
	pthread_t thread;
	enum calibration_kernel kernel;
	size_t cpu; /* which of the bench's */
	size_t at;  /* in its buffer */
	double rate;
	bool failed;
};

/* Keeps what is computed from being left out, since nobody looks at it. */
static void need(double value, uint64_t bits)
{
	__asm__ volatile("" : : "m"(value), "m"(bits));
}

/* Chains that do not wait for one another, of integers (Knuth's MMIX generator) and of doubles. */
static void compute_piece(void)
{
	uint64_t bits[CHAINS] = {1, 2, 3, 4};
	double values[CHAINS] = {.1, .2, .3, .4};

	for (int i = 0; i < COMPUTE_STEPS; i++)
		for (int chain = 0; chain < CHAINS; chain++) {
			bits[chain] = bits[chain] * 6364136223846793005u + 1442695040888963407u;
			bits[chain] ^= bits[chain] >> 33;
			values[chain] = values[chain] * .999 + .001;
		}
	need(values[0] + values[1] + values[2] + values[3], bits[0] ^ bits[1] ^ bits[2] ^ bits[3]);
}

/* Every line of the buffer in turn, read and written; on from where the last piece ended. */
static void memory_piece(struct worker *worker)
{
	double *buffer = worker->bench->buffers[worker->cpu];
	size_t size = worker->bench->buffer_bytes / sizeof(*buffer);

	for (size_t i = 0; i < PIECE_DOUBLES; i++)
		buffer[worker->at + i] += 1;
	worker->at += PIECE_DOUBLES;
	if (worker->at + PIECE_DOUBLES > size)
		worker->at = 0;
	need(*buffer, 0);
}

static void piece(struct worker *worker)
{
	if (worker->kernel == CALIBRATION_COMPUTE)
		compute_piece();
	else
		memory_piece(worker);
}

/* The first to write to a page decides which memory it is in: so this is for the pinned thread. */
static int make_buffer(struct worker *worker)
{
	struct calibration_bench *bench = worker->bench;
	void *memory;

	if (worker->kernel != CALIBRATION_MEMORY || bench->buffers[worker->cpu])
		return 0;
	memory = mmap(NULL, bench->buffer_bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return -1;
	bench->buffers[worker->cpu] = memory;
	memset(memory, 0, bench->buffer_bytes);
	return 0;
}

/* Returns whether to begin. */
static bool pass(struct gate *gate)
{
	bool open;

	pthread_mutex_lock(&gate->mutex);
	gate->ready++;
	pthread_cond_broadcast(&gate->changed);
	while (gate->state == SHUT)
		pthread_cond_wait(&gate->changed, &gate->mutex);
	open = gate->state == OPEN;
	pthread_mutex_unlock(&gate->mutex);
	return open;
}

/* Once `wanted` are there; off if no more will come. */
static void open_gate(struct gate *gate, size_t wanted, bool off)
{
	pthread_mutex_lock(&gate->mutex);
	while (!off && gate->ready < wanted)
		pthread_cond_wait(&gate->changed, &gate->mutex);
	gate->state = off ? CALLED_OFF : OPEN;
	pthread_cond_broadcast(&gate->changed);
	pthread_mutex_unlock(&gate->mutex);
}

static double cpu_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/*
 * The work goes on for a tenth longer than it is measured for, on both sides, as threads do not get
 * their CPUs at the same instant.
 */
static void *work(void *argument)
{
	struct worker *worker = argument;
	uint64_t sample_ns = (uint64_t)(worker->bench->sample_s * 1e9), begin_ns;
	double begin_s, used_s;
	size_t pieces = 0;

	worker->failed = make_buffer(worker) != 0;
	if (!pass(worker->gate) || worker->failed)
		return NULL;
	begin_ns = monotonic_ns();
	while (monotonic_ns() - begin_ns < sample_ns / 10)
		piece(worker);
	begin_s = cpu_s();
	do {
		piece(worker);
		pieces++;
	} while (monotonic_ns() - begin_ns < sample_ns * 11 / 10);
	used_s = cpu_s() - begin_s;
	while (monotonic_ns() - begin_ns < sample_ns * 12 / 10)
		piece(worker);
	worker->rate = (double)pieces / used_s;
	return NULL;
}

static int start(struct worker *worker, int cpu)
{
	size_t size = CPU_ALLOC_SIZE((size_t)cpu + 1);
	cpu_set_t *set = CPU_ALLOC((size_t)cpu + 1);
	pthread_attr_t attributes;
	int rc;

	if (!set)
		return -1;
	CPU_ZERO_S(size, set);
	CPU_SET_S((size_t)cpu, size, set);
	pthread_attr_init(&attributes);
	rc = pthread_attr_setaffinity_np(&attributes, size, set);
	if (!rc)
		rc = pthread_create(&worker->thread, &attributes, work, worker);
	pthread_attr_destroy(&attributes);
	CPU_FREE(set);
	return rc ? -1 : 0;
}

/* Returns how many have been started and are ended again. */
static size_t run_workers(struct worker *workers, struct calibration_bench *bench,
			  enum calibration_kernel kernel, size_t busy)
{
	struct gate gate = {.mutex = PTHREAD_MUTEX_INITIALIZER,
			    .changed = PTHREAD_COND_INITIALIZER};
	size_t started = 0;

	for (; started < busy; started++) {
		workers[started] = (struct worker){
			.bench = bench, .gate = &gate, .kernel = kernel, .cpu = started};
		if (start(&workers[started], bench->cpus[started]))
			break;
	}
	open_gate(&gate, busy, started < busy);
	for (size_t i = 0; i < started; i++)
		pthread_join(workers[i].thread, NULL);
	return started;
}

int calibration_run(double *rate, struct calibration_bench *bench, enum calibration_kernel kernel,
		    size_t busy, struct err *err)
{
	struct worker *workers = xcalloc(busy, sizeof(*workers));
	size_t started, failed = 0;

	if (!bench->buffers)
		bench->buffers = xcalloc(bench->cpu_count, sizeof(*bench->buffers));
	started = run_workers(workers, bench, kernel, busy);
	*rate = 0;
	for (size_t i = 0; i < started; i++) {
		failed += workers[i].failed;
		*rate += workers[i].rate / (double)busy;
	}
	free(workers);
	if (started < busy)
		return err_set(err, "cannot start a thread on CPU %d", bench->cpus[started]);
	if (failed)
		return err_set(err, "there is no memory for %zu buffers of %zu MB",
			       bench->cpu_count, (size_t)(bench->buffer_bytes >> 20));
	return 0;
}

void calibration_bench_release(struct calibration_bench *bench)
{
	for (size_t i = 0; bench->buffers && i < bench->cpu_count; i++)
		if (bench->buffers[i])
			munmap(bench->buffers[i], bench->buffer_bytes);
	free(bench->buffers);
	bench->buffers = NULL;
}
