/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/recorder_private.h"

#include "base/err.h"
#include "base/monotonic.h"
#include "collect/recording/collector.h"
#include "collect/recording/recording.h"

#include <fcntl.h>
#include <gsl/gsl_statistics_double.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/*
 * The size of a measurement. A round is shorter than a time slice, so that even on a busy machine
 * most rounds, and their median, are undisturbed.
 */
enum { ROUNDS = 15, HANDOVERS = 40, STEPS = 80 };

/* Two threads and a pipe to each. The first one measures. */
struct partners {
	int to_second[2], to_first[2];
	uint32_t turn; /* the thread whose turn it is: 1 or 2 */
	pthread_t second;
	pid_t second_tid;
	cpu_set_t before; /* affinity of the first */
};

/* --- Two threads --------------------------------------------------------------------------- */

static void call_futex(uint32_t *word, int op, uint32_t value)
{
	syscall(SYS_futex, word, op | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

/* Waits for its own turn, and hands over to the other thread. */
static void take_turn(struct partners *partners, uint32_t own, uint32_t other)
{
	while (__atomic_load_n(&partners->turn, __ATOMIC_SEQ_CST) != own)
		call_futex(&partners->turn, FUTEX_WAIT, other);
	__atomic_store_n(&partners->turn, other, __ATOMIC_SEQ_CST);
	call_futex(&partners->turn, FUTEX_WAKE, 1);
}

/* The second thread: answers each byte, after as many turns as it says. */
static void *answer(void *context)
{
	struct partners *partners = context;
	pid_t tid = gettid();
	uint8_t byte;

	if (write(partners->to_first[1], &tid, sizeof(tid)) != sizeof(tid))
		return NULL;
	while (read(partners->to_second[0], &byte, 1) == 1) {
		for (uint8_t turns = byte; turns; turns--)
			take_turn(partners, 2, 1);
		if (write(partners->to_first[1], &byte, 1) != 1)
			break;
	}
	return NULL;
}

static void close_pipe(int ends[2])
{
	close(ends[0]);
	close(ends[1]);
}

static int pair_up(struct partners *partners, struct err *err)
{
	cpu_set_t here;
	int rc;

	CPU_ZERO(&here);
	CPU_SET((size_t)sched_getcpu(), &here);
	if (pipe2(partners->to_second, O_CLOEXEC))
		return err_set(err, "the cost of recording cannot be measured: %m");
	if (pipe2(partners->to_first, O_CLOEXEC)) {
		close_pipe(partners->to_second);
		return err_set(err, "the cost of recording cannot be measured: %m");
	}
	sched_getaffinity(0, sizeof(partners->before), &partners->before);
	rc = sched_setaffinity(0, sizeof(here), &here); /* inherited by the second thread */
	if (!rc)
		rc = pthread_create(&partners->second, NULL, answer, partners);
	if (!rc && read(partners->to_first[0], &partners->second_tid, sizeof(pid_t)) > 0)
		return 0;
	sched_setaffinity(0, sizeof(partners->before), &partners->before);
	close_pipe(partners->to_second);
	close_pipe(partners->to_first);
	return err_set(err, "the cost of recording cannot be measured: no thread can be started");
}

static void part(struct partners *partners)
{
	close(partners->to_second[1]); /* ends the second thread */
	pthread_join(partners->second, NULL);
	close(partners->to_second[0]);
	close_pipe(partners->to_first);
	sched_setaffinity(0, sizeof(partners->before), &partners->before);
}

/* --- Measuring ----------------------------------------------------------------------------- */

static uint64_t switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)usage.ru_nvcsw + (uint64_t)usage.ru_nivcsw;
}

/* Returns the CPU time per switch; this process does nothing else meanwhile. */
static double time_switches(const struct partners *partners)
{
	uint64_t switched = switches(), begin_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID), end_ns;
	char byte = 0;

	for (int i = 0; i < HANDOVERS; i++)
		if (write(partners->to_second[1], &byte, 1) != 1 ||
		    read(partners->to_first[0], &byte, 1) != 1)
			break;
	end_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	switched = switches() - switched;
	return switched ? (double)(end_ns - begin_ns) / (double)switched : 0;
}

static double time_steps(const struct partners *partners)
{
	uint64_t begin_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	char byte = 0;

	for (int i = 0; i < STEPS; i++)
		if (write(partners->to_first[1], &byte, 1) != 1 ||
		    read(partners->to_first[0], &byte, 1) != 1)
			break;
	return (double)(clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begin_ns) / STEPS;
}

static struct cost play(const struct partners *partners)
{
	double ratios[ROUNDS], steps[ROUNDS];
	struct cost cost;

	time_switches(partners); /* warm-up */
	for (int i = 0; i < ROUNDS; i++) {
		steps[i] = time_steps(partners);
		ratios[i] = time_switches(partners) / steps[i];
	}
	cost.step_ns = gsl_stats_median(steps, 1, ROUNDS);
	cost.switch_ns = gsl_stats_median(ratios, 1, ROUNDS) * cost.step_ns;
	return cost;
}

double cost_added_ns(const struct cost *bare, const struct cost *watched)
{
	double bare_ns = bare->switch_ns / bare->step_ns * watched->step_ns;

	return watched->switch_ns > bare_ns ? watched->switch_ns - bare_ns : 0;
}

/* --- Collectors ---------------------------------------------------------------------------- */

static int check_collectors(struct collector *const *collectors, size_t count, struct err *err)
{
	for (size_t i = 0; i < count; i++)
		if (!collectors[i]->kind->forget)
			return err_set(err,
				       "the cost of recording is unknown: the collector '%s' "
				       "cannot measure itself",
				       collectors[i]->kind->name);
	return 0;
}

static int watch(struct collector *collector, const struct partners *partners, struct err *err)
{
	const struct collector_kind *kind = collector->kind;

	if (kind->start && kind->start(collector, err))
		return -1;
	if (kind->adopt && (kind->adopt(collector, getpid(), gettid(), err) < 0 ||
			    kind->adopt(collector, getpid(), partners->second_tid, err) < 0))
		return -1;
	return 0;
}

/* Discards the events seen so far. */
static int forget(struct collector *collector, const struct partners *partners, struct err *err)
{
	const struct collector_kind *kind = collector->kind;
	const pid_t tids[] = {gettid(), partners->second_tid};
	struct recording scratch = {.size = 0}; /* counts events, and has no file */
	int rc = kind->forget(collector, tids, 2, &scratch, err);

	recording_drop(&scratch);
	return rc;
}

/* --- Calls --------------------------------------------------------------------------------- */

enum { TURNS = 20, CALLS_A_TURN = 4 /* both threads wait, and wake the other */ };

/* Returns the CPU time per call of futex, with its consequences. */
static double time_turns(struct partners *partners)
{
	uint64_t begin_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	uint8_t turns = TURNS;

	partners->turn = 1;
	if (write(partners->to_second[1], &turns, 1) != 1)
		return 0;
	for (int i = 0; i < TURNS; i++)
		take_turn(partners, 1, 2);
	if (read(partners->to_first[0], &turns, 1) != 1)
		return 0;
	return (double)(clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begin_ns) / (TURNS * CALLS_A_TURN);
}

/* Returns the cost of recording a call, measured in this process. */
static double play_calls(struct partners *partners, struct collector *collector)
{
	double added_ns[ROUNDS], median_ns;

	for (int i = 0; i < ROUNDS; i++) {
		collector->kind->see_calls(collector, false);
		added_ns[i] = -time_turns(partners);
		collector->kind->see_calls(collector, true);
		added_ns[i] += time_turns(partners);
	}
	median_ns = gsl_stats_median(added_ns, 1, ROUNDS);
	return median_ns > 0 ? median_ns : 0;
}

int cost_measure_call(struct collector *collector, struct err *err)
{
	struct partners partners = {.turn = 1};
	int rc;

	if (check_collectors(&collector, 1, err) || pair_up(&partners, err))
		return -1;
	rc = watch(collector, &partners, err);
	if (!rc)
		collector->call_ns = play_calls(&partners, collector);
	if (!rc)
		rc = forget(collector, &partners, err);
	part(&partners);
	return rc;
}

/* --- Switches ------------------------------------------------------------------------------ */

int cost_measure(struct cost *cost, struct collector *const *collectors, size_t count,
		 struct err *err)
{
	struct partners partners;
	size_t watching = 0;
	int rc = 0;

	if (check_collectors(collectors, count, err) || pair_up(&partners, err))
		return -1;
	while (!rc && watching < count)
		rc = watch(collectors[watching++], &partners, err);
	if (!rc)
		*cost = play(&partners);
	while (watching) {
		struct err later;

		if (forget(collectors[--watching], &partners, &later) && !rc) {
			*err = later;
			rc = -1;
		}
	}
	part(&partners);
	return rc;
}
