/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/sched/hidden_switches.h"

#include "base/alloc.h"
#include "collect/kernel/cpu_events.h"
#include "collect/sched/slim_records.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>

enum {
	SLEEPS = 3,
	SLEEP_NS = 100000,
	TRIES = 3,    /* for a CPU on which others run */
	AT_ONCE = 64, /* threads */
	PAIRS_MAX = 256,
};

enum hidden hidden_switches_judge(const struct switch_pair *pairs, size_t count)
{
	enum hidden result = HIDDEN_PERHAPS;

	for (size_t i = 0; i < count; i++) {
		if (i && pairs[i - 1].to == 0 && pairs[i].from != 0)
			return HIDDEN_YES;
		if (pairs[i].from == 0)
			result = HIDDEN_NO;
	}
	return result;
}

/* --- Making a CPU switch ------------------------------------------------------------------- */

static int pin(int cpu)
{
	cpu_set_t *set = CPU_ALLOC(CPU_LIST_MAX);
	size_t size = CPU_ALLOC_SIZE(CPU_LIST_MAX);
	int rc = -1;

	if (set) {
		CPU_ZERO_S(size, set);
		CPU_SET_S((size_t)cpu, size, set);
		rc = sched_setaffinity(0, size, set);
	}
	CPU_FREE(set);
	return rc;
}

static void *sleep_there(void *cpu)
{
	const struct timespec interval = {.tv_nsec = SLEEP_NS};

	if (pin(*(const int *)cpu))
		return NULL; /* this user may not run there */
	for (int i = 0; i < SLEEPS; i++)
		nanosleep(&interval, NULL);
	return NULL;
}

/* Starts a thread on each of at most AT_ONCE CPUs and waits for all of them. */
static void sleep_on(int *const *cpus, size_t count)
{
	pthread_t threads[AT_ONCE];
	pthread_attr_t attr;
	size_t started = 0;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, (size_t)PTHREAD_STACK_MIN + 16384);
	while (started < count &&
	       pthread_create(&threads[started], &attr, sleep_there, cpus[started]) == 0)
		started++;
	while (started)
		pthread_join(threads[--started], NULL);
	pthread_attr_destroy(&attr);
}

/* --- Looking at it ------------------------------------------------------------------------- */

/* Empties the ring. */
static enum hidden judge_ring(struct ring *ring, const struct slim_layout *layout)
{
	struct switch_pair pairs[PAIRS_MAX];
	const struct perf_event_header *record;
	size_t count = 0;

	if (!ring_read(ring))
		return HIDDEN_PERHAPS;
	while ((record = ring_next(ring)))
		if (count < PAIRS_MAX && slim_switch_pair(&pairs[count], record, layout) == 0)
			count++;
	ring_consume(ring);
	return hidden_switches_judge(pairs, count);
}

/* One try with those of CPUs [first, end) that are not known. */
static void try(enum hidden *found, struct cpu_events *events, size_t first, size_t end,
		const struct slim_layout *layout)
{
	int *cpus[AT_ONCE];
	size_t count = 0;

	for (size_t at = first; at < end; at++) {
		if (found[at - first] != HIDDEN_PERHAPS)
			continue;
		cpus[count++] = &events->cpus[at];
		cpu_events_control_at(events, 0, at, PERF_EVENT_IOC_ENABLE, NULL);
	}
	if (!count)
		return;
	sleep_on(cpus, count);
	for (size_t at = first; at < end; at++) {
		if (found[at - first] != HIDDEN_PERHAPS)
			continue;
		cpu_events_control_at(events, 0, at, PERF_EVENT_IOC_DISABLE, NULL);
		cpu_events_control_at(events, 0, at, PERF_EVENT_IOC_RESET, NULL);
		found[at - first] = judge_ring(&events->rings[at], layout);
	}
}

void hidden_switches_find(enum hidden *found, struct cpu_events *events, size_t first,
			  const struct slim_layout *layout)
{
	for (size_t at = first; at < events->cpu_count; at += AT_ONCE) {
		size_t end = at + AT_ONCE < events->cpu_count ? at + AT_ONCE : events->cpu_count;
		enum hidden *part = found + (at - first);

		for (int i = 0; i < TRIES; i++)
			try(part, events, at, end, layout);
	}
}
