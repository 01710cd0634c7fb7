/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/calibration/calibration.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/monotonic.h"
#include "base/parse.h"
#include "collect/kernel/cpu_list.h"
#include "collect/kernel/proc_stat.h"
#include "collect/sweep/conditions.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* --- One kernel on some CPUs at once ---------------------------------------------------------- */

struct bench {
	const int *cpus; /* borrowed */
	size_t cpu_count;
	double **buffers; /* of each CPU, in its memory node; NULL until it is used */
	uint64_t buffer_bytes;
	double sample_s;
};

/* The size of a piece of some tens of microseconds: clocks are only read in between. */
enum { CHAINS = 4, COMPUTE_STEPS = 4096, PIECE_DOUBLES = 1 << 15, LINE_DOUBLES = 8 };

/* A gate at which threads wait until all are ready. */
struct gate {
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	size_t ready;
	enum { SHUT, OPEN, CALLED_OFF } state;
};

struct worker {
	struct bench *bench;
	struct gate *gate;
	pthread_t thread;
	enum calibration_kernel kernel;
	size_t cpu; /* index in the bench's `cpus` */
	size_t at;  /* position in its buffer */
	double rate;
	bool failed;
};

/* Uses a result, so that the compiler does not remove its computation. */
static void need(double value, uint64_t bits)
{
	__asm__ volatile("" : : "m"(value), "m"(bits));
}

/* Computes independent chains, of integers (Knuth's MMIX generator) and of doubles. */
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

/* Reads and writes every line of the buffer in turn, from the end of the last piece on. */
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

/* Makes the buffer and its pages. The CPU of this thread, which is pinned, sets their memory node. */
static int make_buffer(struct worker *worker)
{
	struct bench *bench = worker->bench;
	void *memory;

	if (worker->kernel != CALIBRATION_MEMORY || bench->buffers[worker->cpu])
		return 0;
	memory = mmap(NULL, bench->buffer_bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (memory == MAP_FAILED)
		return -1;
	bench->buffers[worker->cpu] = memory;
	return 0;
}

/* Waits at the gate. Returns whether to begin. */
static bool pass_gate(struct gate *gate)
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

/* Opens the gate when `wanted` threads have come; `off`: cancels, as no more will come. */
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
 * The thread of a worker. Work begins and ends a tenth of the measured time earlier and later, as
 * threads do not get their CPUs at the same instant.
 */
static void *work(void *argument)
{
	struct worker *worker = argument;
	uint64_t sample_ns = (uint64_t)(worker->bench->sample_s * 1e9), begin_ns;
	double begin_s, used_s;
	size_t pieces = 0;

	worker->failed = make_buffer(worker) != 0;
	if (!pass_gate(worker->gate) || worker->failed)
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

static int start_worker(struct worker *worker, int cpu)
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

/* Runs the workers. Returns the number of those that could be started. */
static size_t run_workers(struct worker *workers, struct bench *bench,
			  enum calibration_kernel kernel, size_t busy)
{
	struct gate gate = {.mutex = PTHREAD_MUTEX_INITIALIZER,
			    .changed = PTHREAD_COND_INITIALIZER};
	size_t started = 0;

	for (; started < busy; started++) {
		workers[started] = (struct worker){
			.bench = bench, .gate = &gate, .kernel = kernel, .cpu = started};
		if (start_worker(&workers[started], bench->cpus[started]))
			break;
	}
	open_gate(&gate, busy, started < busy);
	for (size_t i = 0; i < started; i++)
		pthread_join(workers[i].thread, NULL);
	return started;
}

/*
 * Measures the mean rate at which the first `busy` CPUs work on `kernel`, in pieces of work a
 * second of CPU time. Returns 0, or -1 with an error.
 */
static int run_kernel(double *rate, struct bench *bench, enum calibration_kernel kernel,
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

static void release_bench(struct bench *bench)
{
	for (size_t i = 0; bench->buffers && i < bench->cpu_count; i++)
		if (bench->buffers[i])
			munmap(bench->buffers[i], bench->buffer_bytes);
	free(bench->buffers);
	bench->buffers = NULL;
}

/* --- All rounds ------------------------------------------------------------------------------- */

enum { ROUNDS_MIN = 7, ROUNDS_MAX = 31, EACH_UP_TO = 8, CACHES_MAX = 16 };

static const double usual_sample_s = .025, usual_total_s = 3;

/* The assumed size of unknown caches: larger than most are. */
static const uint64_t unknown_cache_bytes = 64 << 20;

uint64_t calibration_cache_bytes(const char *root, int cpu)
{
	uint64_t largest = 0;

	for (int i = 0; i < CACHES_MAX; i++) {
		char *path =
			xasprintf("%s" CPU_ORDER_SYS "/cpu%d/cache/index%d/size", root, cpu, i);
		char text[32];
		uint64_t bytes;
		struct err ignored;

		if (proc_scan(path, "%31s", text) && !parse_size(&bytes, text, &ignored) &&
		    bytes > largest)
			largest = bytes;
		free(path);
	}
	return largest;
}

/*
 * Chooses the size of the buffer of each thread; all together take at most half of the free memory.
 */
static int choose_buffer(struct bench *bench, struct err *err)
{
	uint64_t cache = calibration_cache_bytes("", bench->cpus[0]);
	uint64_t bytes = 2 * (cache ? cache : unknown_cache_bytes);
	uint64_t free_bytes = (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);

	bench->buffer_bytes = bytes;
	if (bytes > free_bytes / 2 / bench->cpu_count)
		return err_set(err,
			       "there is not enough free memory for %zu buffers of %zu MB, twice "
			       "the largest cache; calibrate on fewer cores with taskset(1)",
			       bench->cpu_count, (size_t)(bytes >> 20));
	return 0;
}

static void choose_points(struct calibration *calibration, size_t cores)
{
	calibration->points = xcalloc(cores, sizeof(*calibration->points));
	for (size_t b = 1; b < cores; b += b < EACH_UP_TO ? 1 : b / 4)
		calibration->points[calibration->count++].cores = (unsigned)b;
	calibration->points[calibration->count++].cores = (unsigned)cores;
}

/* Returns the slowdowns of a point in a table [kernel][point][round]. */
static double *slowdowns_of(double *table, const struct calibration *calibration, size_t rounds,
			    size_t kernel, size_t point)
{
	return table + (kernel * calibration->count + point) * rounds;
}

/* Measures a round. The time of a piece on one busy core is added to the rates of the speed. */
static int measure_round(double *table, struct calibration *calibration, struct bench *bench,
			 size_t rounds, size_t round, struct err *err)
{
	for (size_t kernel = 0; kernel < CALIBRATION_KERNELS; kernel++) {
		double alone = 0, rate;

		for (size_t point = 0; point < calibration->count; point++) {
			if (run_kernel(&rate, bench, (enum calibration_kernel)kernel,
				       calibration->points[point].cores, err))
				return -1;
			if (!point) {
				alone = rate;
				calibration->speeds[0].rate[kernel] += 1 / rate;
			}
			slowdowns_of(table, calibration, rounds, kernel, point)[round] =
				alone / rate;
		}
	}
	return 0;
}

static void summarise(struct calibration *calibration, double *table, size_t rounds)
{
	double *work = xcalloc(rounds, sizeof(*work));

	for (size_t kernel = 0; kernel < CALIBRATION_KERNELS; kernel++)
		for (size_t i = 0; i < calibration->count; i++) {
			double *values = slowdowns_of(table, calibration, rounds, kernel, i);
			struct calibration_point *point = &calibration->points[i];

			point->noise[kernel] = gsl_stats_mad(values, 1, rounds, work);
			point->slowdown[kernel] = gsl_stats_median(values, 1, rounds);
		}
	free(work);
}

/* Computes the mean speed over all rounds, as a program of that length would see it. */
static void summarise_speed(struct calibration *calibration, size_t rounds)
{
	struct calibration_speed *speed = &calibration->speeds[0];

	for (size_t kernel = 0; kernel < CALIBRATION_KERNELS; kernel++)
		speed->rate[kernel] = (double)rounds / speed->rate[kernel];
	speed->time_s = time(NULL);
	calibration->speed_count = 1;
}

static double own_cpu_s(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static int measure_rounds(struct calibration *calibration, struct bench *bench,
			  const struct calibration_request *request, size_t rounds, struct err *err)
{
	double busy_s = cpu_busy_s(""), cpu_s = own_cpu_s();
	uint64_t begin_ns = monotonic_ns();
	double *table = xcalloc(CALIBRATION_KERNELS * calibration->count * rounds, sizeof(*table));
	int rc = 0;

	for (size_t round = 0; !rc && round < rounds; round++) {
		rc = measure_round(table, calibration, bench, rounds, round, err);
		if (request->show)
			request->show(request->context, round + 1, rounds);
	}
	if (!rc) {
		double after_s = cpu_busy_s("");

		summarise(calibration, table, rounds);
		summarise_speed(calibration, rounds);
		calibration->others = cpu_busy_others(
			busy_s < 0 || after_s < 0 ? -1 : after_s - busy_s, own_cpu_s() - cpu_s,
			(double)(monotonic_ns() - begin_ns) / 1e9);
	}
	free(table);
	return rc;
}

static size_t usual_rounds(size_t points, double sample_s)
{
	double rounds = usual_total_s / ((double)(points * CALIBRATION_KERNELS) * sample_s * 1.2);

	if (rounds < ROUNDS_MIN)
		return ROUNDS_MIN;
	return rounds > ROUNDS_MAX ? ROUNDS_MAX : (size_t)rounds;
}

int calibration_measure(struct calibration *calibration, const struct calibration_request *request,
			struct err *err)
{
	struct bench bench = {.sample_s =
				      request->sample_s > 0 ? request->sample_s : usual_sample_s};
	struct cpu_mask allowed = {{false}};
	struct cpu_list order;
	int rc;

	*calibration = (struct calibration){.others = -1};
	if (cpu_mask_add_affinity(&allowed, 0))
		return err_set(err, "cannot read which CPUs may be used: %m");
	cpu_order(&order, &allowed, CPU_ORDER_SYS);
	bench.cpus = order.cpus;
	bench.cpu_count = order.count;
	choose_points(calibration, order.count);
	rc = choose_buffer(&bench, err);
	calibration->buffer_bytes = bench.buffer_bytes;
	if (!rc)
		rc = measure_rounds(calibration, &bench, request,
				    request->rounds
					    ? request->rounds
					    : usual_rounds(calibration->count, bench.sample_s),
				    err);
	release_bench(&bench);
	cpu_list_release(&order);
	if (rc)
		calibration_release(calibration);
	return rc;
}

void calibration_release(struct calibration *calibration)
{
	free(calibration->points);
	*calibration = (struct calibration){.others = -1};
}

double calibration_speed_noise(const struct calibration *calibration)
{
	size_t count = calibration->speed_count;
	double logs[CALIBRATION_SPEEDS], squares = 0;

	if (count < CALIBRATION_SPEEDS_LEAST)
		return NAN;
	for (size_t kernel = 0; kernel < CALIBRATION_KERNELS; kernel++) {
		for (size_t i = 0; i < count; i++)
			logs[i] = log(calibration->speeds[i].rate[kernel]);
		squares += gsl_stats_variance(logs, 1, count);
	}
	return sqrt(squares / CALIBRATION_KERNELS);
}
