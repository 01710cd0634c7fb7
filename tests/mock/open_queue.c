/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mock/open_queue.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/input.h"
#include "decode/event/event_source.h"
#include "decode/trace_input.h"
#include "replay/program/program_read.h"
#include "replay/recognise/recognise.h"
#include "replay/simulate/simulation.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_statistics_double.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAIN_TID = 1000, SERVERS_MAX = 64, TIMER_CPU = 100, FORK_NS = 2, SHORT_NS = 1 };

/* --- Theory ---------------------------------------------------------------------------------- */

/* [Erlang 1917; Kleinrock 1975, 3.5] */
double open_queue_theory_s(const struct open_queue *queue, unsigned cores)
{
	double term = 1, sum = 0, all_busy, waits;

	if (queue->load >= cores)
		return INFINITY;
	for (unsigned i = 0; i < cores; i++) {
		sum += term;
		term *= queue->load / (i + 1);
	}
	all_busy = term / (1 - queue->load / cores);
	waits = all_busy / (sum + all_busy);
	return queue->service_ns * (1 + waits / (cores - queue->load)) / 1e9;
}

/* --- The trace ------------------------------------------------------------------------------- */

struct line {
	uint64_t ns;
	size_t order;
	char *text;
};

struct lines {
	struct line *items;
	size_t count, capacity;
};

/* An event of `tid` on `cpu`; 0: of the idle thread. */
__attribute__((format(printf, 5, 6))) static void add(struct lines *lines, uint64_t ns, int tid,
						      int cpu, const char *format, ...)
{
	va_list arguments;
	char *what = NULL;

	va_start(arguments, format);
	if (vasprintf(&what, format, arguments) < 0)
		abort();
	va_end(arguments);
	array_reserve(&lines->items, &lines->capacity, lines->count + 1);
	lines->items[lines->count] =
		(struct line){ns, lines->count,
			      xasprintf("%s %d/%d [%03d] %" PRIu64 ".%09" PRIu64 ": sched:%s\n",
					tid ? "queue" : "swapper", tid ? MAIN_TID : 0, tid, cpu,
					ns / 1000000000, ns % 1000000000, what)};
	lines->count++;
	free(what);
}

static void add_switch(struct lines *lines, uint64_t ns, int cpu, int from, char state, int to)
{
	add(lines, ns, from, cpu,
	    "sched_switch: prev_comm=%s prev_pid=%d prev_prio=120 prev_state=%c ==> next_comm=%s "
	    "next_pid=%d next_prio=120",
	    from ? "queue" : "swapper", from, from ? state : 'R', to ? "queue" : "swapper", to);
}

static void add_wake(struct lines *lines, uint64_t ns, int by, int cpu, int woken)
{
	add(lines, ns, by, cpu, "sched_waking: comm=queue pid=%d prio=120 target_cpu=000", woken);
}

static int tid_of(size_t customer)
{
	return MAIN_TID + 1 + (int)customer;
}

/* The first thread creates all other ones, and these go to sleep. Returns the time when all
 * sleep. */
static uint64_t begin(struct lines *lines, uint64_t now_ns, size_t customers)
{
	int before = MAIN_TID;

	add_switch(lines, now_ns, 0, 0, 'R', MAIN_TID);
	for (size_t i = 0; i < customers; i++)
		add(lines, now_ns += FORK_NS, MAIN_TID, 0,
		    "sched_process_fork: comm=queue pid=%d child_comm=queue child_pid=%d", MAIN_TID,
		    tid_of(i));
	for (size_t i = 0; i < customers; i++) {
		add_switch(lines, now_ns += SHORT_NS, 0, before, 'S', tid_of(i));
		before = tid_of(i);
	}
	add_switch(lines, now_ns += SHORT_NS, 0, before, 'S', 0);
	return now_ns;
}

struct server {
	uint64_t free_ns;
	int last; /* thread that it served; 0: none yet */
};

static void serve(struct lines *lines, struct server *server, int cpu, int tid, uint64_t comes_ns,
		  uint64_t service_ns)
{
	uint64_t begin_ns = comes_ns > server->free_ns ? comes_ns : server->free_ns;
	int before = server->last;

	add_wake(lines, comes_ns, 0, TIMER_CPU, tid);
	if (before && begin_ns > server->free_ns) {
		add_switch(lines, server->free_ns, cpu, before, 'S', 0);
		before = 0;
	}
	add_switch(lines, begin_ns, cpu, before, 'S', tid);
	*server = (struct server){begin_ns + service_ns, tid};
}

static struct server *first_free(struct server *servers, unsigned count)
{
	struct server *first = servers;

	for (unsigned i = 1; i < count; i++)
		if (servers[i].free_ns < first->free_ns)
			first = &servers[i];
	return first;
}

/* Returns the time when all have been served. */
static uint64_t serve_all(struct lines *lines, uint64_t now_ns, const struct open_queue *queue,
			  unsigned recorded)
{
	struct server servers[SERVERS_MAX] = {{0, 0}};
	gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);

	gsl_rng_set(random, (unsigned long)queue->seed);
	for (size_t i = 0; i < queue->customers; i++) {
		struct server *server = first_free(servers, recorded);

		now_ns +=
			1 + (uint64_t)gsl_ran_exponential(random, queue->service_ns / queue->load);
		serve(lines, server, (int)(server - servers), tid_of(i), now_ns,
		      1 + (uint64_t)gsl_ran_exponential(random, queue->service_ns));
	}
	for (unsigned i = 0; i < recorded; i++) {
		if (servers[i].last)
			add_switch(lines, servers[i].free_ns, (int)i, servers[i].last, 'S', 0);
		now_ns = servers[i].free_ns > now_ns ? servers[i].free_ns : now_ns;
	}
	gsl_rng_free(random);
	return now_ns;
}

/* The first thread wakes all other ones. */
static void end(struct lines *lines, uint64_t now_ns, size_t customers)
{
	int before = MAIN_TID;

	add_wake(lines, now_ns, 0, TIMER_CPU, MAIN_TID);
	add_switch(lines, now_ns, 0, 0, 'R', MAIN_TID);
	for (size_t i = 0; i < customers; i++)
		add_wake(lines, now_ns += SHORT_NS, MAIN_TID, 0, tid_of(i));
	for (size_t i = 0; i < customers; i++) {
		add_switch(lines, now_ns += SHORT_NS, 0, before, 'X', tid_of(i));
		before = tid_of(i);
	}
	add_switch(lines, now_ns += SHORT_NS, 0, before, 'X', 0);
}

static int by_time(const void *left, const void *right)
{
	const struct line *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns < b->ns ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

/* A pause before the end: a replay on fewer cores also has to serve all customers before the first
 * thread wakes them. */
static uint64_t rest_ns(const struct open_queue *queue)
{
	return (uint64_t)(queue->service_ns * (double)queue->customers / 2);
}

static void write_trace(FILE *file, const struct open_queue *queue, unsigned recorded)
{
	struct lines lines = {.count = 0};
	uint64_t now_ns = begin(&lines, 1000000000, queue->customers);

	now_ns = serve_all(&lines, now_ns, queue, recorded);
	end(&lines, now_ns + rest_ns(queue), queue->customers);
	qsort(lines.items, lines.count, sizeof(*lines.items), by_time);
	for (size_t i = 0; i < lines.count; i++) {
		fputs(lines.items[i].text, file);
		free(lines.items[i].text);
	}
	free(lines.items);
}

/* --- The forecast ---------------------------------------------------------------------------- */

static int read_program(struct program *program, const struct open_queue *queue, unsigned recorded,
			struct err *err)
{
	int descriptor = memfd_create("trace", MFD_CLOEXEC), rc;
	FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
	const struct selection all = {.pids = NULL};
	struct event_source *source;
	struct input *input;
	char path[40];

	if (!file)
		return err_set(err, "a file in memory: it cannot be made");
	write_trace(file, queue, recorded);
	fflush(file);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", descriptor);
	input = trace_input_open(path, INPUT_OF_ANYONE, err);
	source = input ? trace_input_read(input, err) : NULL;
	fclose(file);
	if (!source)
		return -1;
	rc = program_read(program, source, &all, err);
	event_source_free(source);
	return rc;
}

/* The mean time without the final wait: the total time of all customers less their waits; the first
 * thread only sleeps. */
static double in_system_s(const struct simulated *simulated, const struct program *program)
{
	double customers = (double)program->thread_count - 1, waited_ns = 0;

	for (size_t i = 0; i < program->site_count; i++)
		waited_ns += (double)simulated->waited_ns[i];
	waited_ns -= (double)simulated->wall_ns;
	return ((double)simulated->wall_ns - waited_ns / customers) / 1e9;
}

int open_queue_forecast(double *results_s, const struct open_queue *queue, unsigned recorded,
			const unsigned *cores, size_t count, struct err *err)
{
	struct recognised recognised;
	struct program program;
	int rc;

	program = (struct program){0};
	rc = read_program(&program, queue, recorded, err);
	if (!rc)
		recognise(&program, &recognised);
	for (size_t i = 0; !rc && i < count; i++) {
		const struct machine machine = {.cores = cores[i], .costs = program.costs};
		struct simulated simulated;

		rc = simulate(&simulated, &program, &machine, true, err);
		if (rc)
			break;
		if (simulated.stuck)
			rc = err_set(err, "%zu customers are never served", simulated.stuck);
		results_s[i] = in_system_s(&simulated, &program);
		free(simulated.waited_ns);
	}
	program_release(&program);
	return rc;
}

int open_queue_mean(struct open_queue_mean *means, const struct open_queue *queue, size_t queues,
		    unsigned recorded, const unsigned *cores, size_t count, struct err *err)
{
	double *results_s = xcalloc(queues * count, sizeof(*results_s));
	struct open_queue one = *queue;
	int rc = 0;

	for (size_t i = 0; !rc && i < queues; i++) {
		one.seed = i + 1;
		rc = open_queue_forecast(&results_s[i * count], &one, recorded, cores, count, err);
	}
	for (size_t i = 0; !rc && i < count; i++) {
		means[i].mean_s = gsl_stats_mean(&results_s[i], count, queues);
		means[i].error_s =
			gsl_stats_sd(&results_s[i], count, queues) / sqrt((double)queues);
	}
	free(results_s);
	return rc;
}

double open_queue_tolerance_s(const struct open_queue_mean *mean)
{
	return 3 * mean->error_s;
}
