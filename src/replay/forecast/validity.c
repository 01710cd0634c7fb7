/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/forecast/validity.h"

#include "replay/forecast/forecast_points.h"
#include "replay/program/spin.h"

#include <math.h>

static const struct validity_words words[VALIDITY_CONDITIONS] = {
	[VALIDITY_WAKES] = {"wakes", "wakeups are recorded", "The recording has no wakeups",
			    "Record with pscal record, as root", 1, true, false, VALIDITY_COUNT,
			    NULL},
	[VALIDITY_LENGTH] = {"length", "the recording lasts 100 ms or more",
			     "The recording is too short", "Record a longer run", .1, true, false,
			     VALIDITY_SECONDS, NULL},
	[VALIDITY_STEPS] = {"steps", "threads wait or wake 100 times or more",
			    "Threads wait and wake too seldom to show how much runs vary", NULL,
			    100, false, false, VALIDITY_COUNT, NULL},
	[VALIDITY_COMPLETE] = {"complete", "no events are missing",
			       "Events are missing, and waits and wakeups with them", NULL, 0, true,
			       false, VALIDITY_COUNT, NULL},
	[VALIDITY_KNOWN] = {"known", "the state of threads is unknown for 2 % of the time or less",
			    "Thread states are unknown", "See pscal timeline --audit", .02, true,
			    false, VALIDITY_SHARE, "of the wall time"},
	[VALIDITY_CERTAIN] = {"certain", "the waker is a guess for 5 % of the waits or fewer",
			      "The waker is a guess for too many waits", NULL, .05, true, false,
			      VALIDITY_SHARE, "of the waits"},
	[VALIDITY_INSIDE] = {"inside", "10 % or less of the waiting is for I/O and other processes",
			     "I/O and other processes are assumed to be as fast as recorded", NULL,
			     .1, false, true, VALIDITY_SHARE, "of the waiting"},
	[VALIDITY_ALONE] = {"alone", "other programs took 5 % or less of the usable CPU time",
			    "Other programs took CPU time", "Record on an idle machine", .05, false,
			    false, VALIDITY_SHARE, "of the usable CPU time"},
	[VALIDITY_FINISHES] = {"finishes", "the replay ends",
			       "Threads of the replay wait for events that never come", NULL, 0,
			       true, false, VALIDITY_COUNT, NULL},
	[VALIDITY_RECOGNISED] = {"recognised",
				 "locks, queues, barriers and joins are replayed as such",
				 "Replayed as locks, queues, barriers and joins, waits fit the "
				 "recording worse: they keep the recorded order",
				 NULL, 0, false, false, VALIDITY_COUNT, NULL},
	[VALIDITY_LOCKS] = {"locks",
			    "5 % or less of the wall time is waiting for locks, or more cores gain "
			    "nothing",
			    "Threads wait for locks whose hold times are not recorded",
			    "Record with --sync=all", .05, true, false, VALIDITY_SHARE,
			    "of the wall time"},
	[VALIDITY_CONTENTION] =
		{"contention",
		 "half of the waits or fewer are for locks, or these are few, or the "
		 "recording is of two cores or more",
		 "One core hides lock contention",
		 "Record on two cores or more, or with --sync=all", .5, true, false, VALIDITY_SHARE,
		 "of the waits for threads"},
	[VALIDITY_BARRIERS] = {"barriers", "5 % or fewer of the waits for threads may be barriers",
			       "Barriers are a guess", "Record with --sync=all", .05, false, true,
			       VALIDITY_SHARE, "of the waits for threads"},
	[VALIDITY_COSTS] = {"costs", "recording calls took 10 % of the CPU time or less",
			    "Recording calls slowed the program", "Try --sync=futex", .1, false,
			    true, VALIDITY_SHARE, "of the CPU time"},
	[VALIDITY_POLLS] = {"polls", "5 % or less of the wall time depends on polling",
			    "Threads poll for something not recorded", NULL, .05, true, false,
			    VALIDITY_SHARE, "of the wall time"},
	[VALIDITY_REPEATS] = {"repeats", "the replay reproduces the recorded run within 10 %",
			      "The replay misses the recorded wall time", "Record it again", .1,
			      true, false, VALIDITY_SHARE, NULL},
	[VALIDITY_MEMORY] = {"memory", "10 cache misses per 1000 instructions or fewer",
			     "Memory-bound: more cores gain less", "Add a recording on other cores",
			     10, false, true, VALIDITY_COUNT, "cache misses per 1000 instructions"},
	[VALIDITY_THREADS] =
		{"threads", "the program has as many threads on other machines",
		 "The number of threads on other machines is not known",
		 "If the program derives it from the cores, fix it for all measurements", 0, false,
		 false, VALIDITY_COUNT, NULL},
	[VALIDITY_SPINNING] = {"spinning", "no thread is busy-waiting",
			       "Busy-waiting counts as work", "Try --spin waiting", .02, false,
			       true, VALIDITY_SHARE, "of the CPU time"},
};

const struct validity_words *validity_words(enum validity_condition condition)
{
	return &words[condition];
}

bool validity_is_of_unused_locks(const struct validity *validity, enum validity_condition condition)
{
	return validity->locks_unused &&
	       (condition == VALIDITY_LOCKS || condition == VALIDITY_CONTENTION);
}

/* Returns whether threads poll by sched_yield more than the condition allows. */
static bool polls_by_yields(const struct validity *validity, enum validity_condition condition)
{
	return condition == VALIDITY_POLLS && validity->yields_share > words[condition].limit;
}

const char *validity_failure(const struct validity *validity, enum validity_condition condition)
{
	if (polls_by_yields(validity, condition))
		return "Threads poll with sched_yield for something not recorded";
	return validity_is_of_unused_locks(validity, condition)
		       ? "The replay of the recorded lock calls misses the run"
		       : words[condition].fails;
}

static bool fails(const struct validity *validity, enum validity_condition condition)
{
	return validity->findings[condition].answer == VALIDITY_FAILS;
}

bool validity_asks_for_calls(const struct validity *validity)
{
	bool by_locks = fails(validity, VALIDITY_LOCKS) || fails(validity, VALIDITY_CONTENTION);

	return (by_locks && !validity->locks_unused && !validity->hides_calls) ||
	       (fails(validity, VALIDITY_POLLS) && polls_by_yields(validity, VALIDITY_POLLS) &&
		!validity->has_calls);
}

const char *validity_advice(const struct validity *validity, enum validity_condition condition)
{
	if (validity_is_of_unused_locks(validity, condition))
		return "Record it again on an idle machine";
	if (condition == VALIDITY_REPEATS && validity->cpus_withheld)
		return "CPUs idled beside ready threads: look for a CPU limit (cgroup)";
	if (condition == VALIDITY_LOCKS && validity->hides_calls)
		return "Calls of these locks, as of Rust, cannot be recorded";
	if (condition == VALIDITY_CONTENTION && validity->hides_calls)
		return "Record on two cores or more";
	if (polls_by_yields(validity, condition) && !validity->has_calls)
		return "Record with --sync=all: it shows locks that they try to get";
	return words[condition].advice;
}

static double share_of(uint64_t part, uint64_t all)
{
	return all ? (double)part / (double)all : 0;
}

static void judge(struct validity *validity, enum validity_condition condition, double value,
		  bool holds)
{
	validity->findings[condition] =
		(struct validity_finding){holds ? VALIDITY_HOLDS : VALIDITY_FAILS, value};
}

static void judge_most(struct validity *validity, enum validity_condition condition, double value)
{
	judge(validity, condition, value, fabs(value) <= validity_words(condition)->limit);
}

static void judge_least(struct validity *validity, enum validity_condition condition, double value)
{
	judge(validity, condition, value, value >= validity_words(condition)->limit);
}

static void leave_open(struct validity *validity, enum validity_condition condition, double value)
{
	validity->findings[condition] = (struct validity_finding){VALIDITY_UNKNOWN, value};
}

/* Returns the number of missing records that may hide a wait or wakeup; a cut hides none. */
static uint64_t missing(const struct quality *quality)
{
	return quality->lost + quality->late + quality->missed_wakes + quality->clock_back;
}

/* Returns the least share of other programs: all threads that may have run, ran. `share`: none. */
static double others_at_least(const struct program_shares *shares, double share)
{
	double run_ns = (double)shares->run_ns;

	return run_ns > 0 ? 1 - (1 - share) * (run_ns + (double)shares->unsure_ns) / run_ns : 0;
}

/* Returns whether it has mutexes, and none of the C library. */
static bool hides_calls(const struct program *program)
{
	bool hides = false;

	for (size_t i = 0; i < program->site_count; i++) {
		if (program->sites[i].waits_as_mutex && !program->sites[i].hides_calls)
			return false;
		hides |= program->sites[i].hides_calls;
	}
	return hides;
}

void validity_init(struct validity *validity, const struct program *program,
		   const struct quality *quality, double others_share)
{
	const struct program_shares *shares = &program->shares;
	uint64_t waited_ns = shares->edge_ns + shares->sleep_ns + shares->device_ns +
			     shares->external_ns + shares->unknown_ns;

	validity->locks_unused = false;
	validity->locks_s = NAN;
	validity->cpus_withheld = false;
	validity->yields_share = 0;
	validity->has_calls = program->costs.call_ns;
	validity->hides_calls = hides_calls(program);
	judge(validity, VALIDITY_WAKES, (double)shares->edges, program->has_wakes);
	judge_least(validity, VALIDITY_LENGTH, (double)program->wall_ns / 1e9);
	judge_least(validity, VALIDITY_STEPS, (double)program_steps(program));
	judge_most(validity, VALIDITY_COMPLETE, (double)missing(quality));
	judge_most(validity, VALIDITY_KNOWN,
		   share_of(shares->unknown_ns, waited_ns + shares->run_ns + shares->runnable_ns));
	judge_most(validity, VALIDITY_CERTAIN, share_of(shares->guessed, shares->waits));
	judge_most(validity, VALIDITY_INSIDE, share_of(shares->external_ns, waited_ns));
	judge_most(validity, VALIDITY_ALONE, others_share);
	if (validity->findings[VALIDITY_KNOWN].answer == VALIDITY_FAILS &&
	    others_at_least(shares, others_share) <= validity_words(VALIDITY_ALONE)->limit)
		leave_open(validity, VALIDITY_ALONE, others_share);
	leave_open(validity, VALIDITY_FINISHES, NAN);
	leave_open(validity, VALIDITY_RECOGNISED, NAN);
	leave_open(validity, VALIDITY_LOCKS, NAN);
	leave_open(validity, VALIDITY_CONTENTION, NAN);
	leave_open(validity, VALIDITY_BARRIERS, NAN);
	judge_most(validity, VALIDITY_COSTS, 0);
	leave_open(validity, VALIDITY_POLLS, NAN);
	leave_open(validity, VALIDITY_REPEATS, NAN);
	leave_open(validity, VALIDITY_MEMORY, NAN);
	leave_open(validity, VALIDITY_THREADS, (double)program->thread_count);
	leave_open(validity, VALIDITY_SPINNING, NAN);
}

/*
 * Returns the share of lock waits that one core may hide. There a thread waits for a lock if its
 * holder was preempted, so lock waits by preemptions are about the share of the time in which a
 * lock is held; each of k - 1 other cores may hold it.
 */
static double hidden_locks(const struct program *program, const struct forecast_points *replay)
{
	const double seldom = .25;
	uint64_t most = replay->count ? replay->points[replay->count - 1].cores : 1;
	double met = (double)replay->lock_waits * (double)(most - 1);

	/* Handovers may outnumber the replayed waits. */
	return replay->recorded_cores == 1 && met > seldom * (double)program->shares.preempted
		       ? fmin(share_of(replay->lock_waits, program->shares.edges), 1)
		       : 0;
}

/* Wall times that differ by less count as equal. */
static const double same = .03;

static bool gains_on_more_cores(const struct forecast_points *replay)
{
	const struct forecast_point *recorded =
		forecast_points_find(replay, replay->recorded_cores);
	double least_s = recorded ? recorded->wall_s : 0;

	for (size_t i = 0; i < replay->count; i++)
		if (replay->points[i].cores > replay->recorded_cores)
			least_s = fmin(least_s, replay->points[i].wall_s);
	return recorded && least_s < (1 - same) * recorded->wall_s;
}

/* Judges locks. Unknown hold times and hidden contention can only reduce a gain. */
static void judge_locks(struct validity *validity, const struct program *program,
			const struct forecast_points *replay)
{
	bool gains = gains_on_more_cores(replay);
	double hidden = hidden_locks(program, replay);

	judge(validity, VALIDITY_LOCKS, replay->locks_share,
	      !gains || replay->locks_share <= words[VALIDITY_LOCKS].limit);
	judge(validity, VALIDITY_CONTENTION, hidden,
	      !gains || hidden <= words[VALIDITY_CONTENTION].limit);
}

void validity_add_replay(struct validity *validity, const struct program *program,
			 const struct forecast_points *replay)
{
	judge_most(validity, VALIDITY_FINISHES, (double)forecast_points_stuck(replay));
	if (replay->calls_s > 0)
		judge_most(validity, VALIDITY_COSTS,
			   replay->calls_s /
				   (replay->calls_s + (double)replay->bounds.work_ns / 1e9));
	judge_locks(validity, program, replay);
	validity->yields_share = replay->loops_share;
	judge_most(validity, VALIDITY_POLLS, fmax(replay->polls_share, replay->loops_share));
	if (replay->self_open)
		leave_open(validity, VALIDITY_REPEATS, NAN);
	else
		judge_most(validity, VALIDITY_REPEATS, forecast_points_self_error(replay));
}

void validity_add_lacked(struct validity *validity, double lacked_share)
{
	double others_share = fmax(validity->findings[VALIDITY_ALONE].value, 0);

	validity->cpus_withheld =
		lacked_share - others_share > fmax(others_share, words[VALIDITY_ALONE].limit);
}

void validity_add_memory(struct validity *validity, double misses_per_1000)
{
	if (!isnan(misses_per_1000))
		judge_most(validity, VALIDITY_MEMORY, misses_per_1000);
}

void validity_add_spin(struct validity *validity, const struct spun *spun, bool as_waits)
{
	double limit = validity_words(VALIDITY_SPINNING)->limit;
	double sampled = spin_share_estimate(&spun->share).value,
	       yielded = yielded_share(&spun->yielded);
	double least = as_waits ? 0 : fmax(sampled, yielded);
	double most = as_waits ? 0 : sampled + (isnan(yielded) ? 0 : yielded);

	if (isnan(sampled) && isnan(yielded))
		return;
	leave_open(validity, VALIDITY_SPINNING, least);
	if (least > limit || (most <= limit && (double)spun->share.samples * limit >= 3 &&
			      spin_share_estimate(&spun->share).unknown <= limit))
		judge_most(validity, VALIDITY_SPINNING, least);
}

void validity_add_recognised(struct validity *validity, const struct program *program,
			     const struct recognised *recognised)
{
	validity->locks_unused = recognised->locks_unused;
	validity->locks_s = recognised->locks_s;
	judge(validity, VALIDITY_RECOGNISED, (double)recognised->left,
	      recognised->extent == RECOGNISE_ALL);
	judge_most(validity, VALIDITY_BARRIERS,
		   share_of(recognised->presumed, program->shares.edges));
}

size_t validity_count(const struct validity *validity, enum validity_answer answer)
{
	size_t count = 0;

	for (size_t i = 0; i < VALIDITY_CONDITIONS; i++)
		count += validity->findings[i].answer == answer;
	return count;
}

int validity_objection(const struct validity *validity)
{
	for (int i = 0; i < VALIDITY_CONDITIONS; i++)
		if (validity->findings[i].answer == VALIDITY_FAILS &&
		    validity_words((enum validity_condition)i)->decides)
			return i;
	return -1;
}
