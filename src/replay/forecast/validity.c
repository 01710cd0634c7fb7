/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/forecast/validity.h"

#include "replay/forecast/forecast_points.h"
#include "replay/program/spin.h"

#include <math.h>

static const struct validity_words words[VALIDITY_CONDITIONS] = {
	[VALIDITY_WAKES] = {"wakes", "wakes are on record",
			    "the recording holds no wakes, so that it does not tell who "
			    "waited for whom",
			    1, true, VALIDITY_COUNT},
	[VALIDITY_LENGTH] = {"length", "the recording is of 100 ms or more",
			     "the recording is too short to tell how the program goes on", .1, true,
			     VALIDITY_SECONDS},
	[VALIDITY_STEPS] = {"steps", "the program has 100 steps or more",
			    "there are few steps to tell how much they vary", 100, false,
			    VALIDITY_COUNT},
	[VALIDITY_COMPLETE] = {"complete", "no records are missing",
			       "records are missing, and with them waits and wakes", 0, true,
			       VALIDITY_COUNT},
	[VALIDITY_KNOWN] = {"known", "what threads did is unknown in 2 % of their time or less",
			    "it is not known what threads did for too long", .02, true,
			    VALIDITY_SHARE},
	[VALIDITY_CERTAIN] = {"certain", "who ended a wait is a guess for 5 % of them or fewer",
			      "who ended waits is a guess for too many of them", .05, true,
			      VALIDITY_SHARE},
	[VALIDITY_INSIDE] = {"inside",
			     "what is not the target ended waits of 10 % of the waiting "
			     "time or less",
			     "much of the waiting is for something outside of the target, "
			     "which is taken to be as fast as it was",
			     .1, false, VALIDITY_SHARE},
	[VALIDITY_ALONE] = {"alone",
			    "others had 5 % or less of the cores that the target could use",
			    "the replay takes what others had to be away, and the closed form "
			    "to be as it was",
			    .05, false, VALIDITY_SHARE},
	[VALIDITY_FINISHES] = {"finishes", "the replay comes to its end",
			       "threads of the replay wait for what never comes", 0, true,
			       VALIDITY_COUNT},
	[VALIDITY_RECOGNISED] = {"recognised",
				 "what is waited for can be replayed as the locks, queues, "
				 "barriers and joins that it was taken for",
				 "that repeats the recording worse, so waits are replayed "
				 "as recorded, locks in their recorded order",
				 0, false, VALIDITY_COUNT},
	[VALIDITY_LOCKS] =
		{"locks", "half of the waits for threads at most look like those for locks",
		 "threads compete for locks or for work, and the recording does not tell when they "
		 "have them, so that neither a replay nor the closed form knows how long they wait "
		 "on other cores: record with pscal record --sync=all",
		 .5, true, VALIDITY_SHARE},
	[VALIDITY_BARRIERS] =
		{"barriers",
		 "5 % of the waits for threads at most are at what may be a barrier or a leader",
		 "one thread wakes all others each time and waits for nobody: it is taken to come "
		 "last to a barrier; if it leads them without one, more cores take less time than "
		 "this: record on more cores, or with pscal record --sync=all",
		 .05, false, VALIDITY_SHARE},
	[VALIDITY_COSTS] = {"costs", "recording calls took 10 % of the CPU time or less",
			    "recording its calls slowed the program down so much that what it "
			    "takes without is not known well: pscal record --sync records those "
			    "to the kernel alone",
			    .1, false, VALIDITY_SHARE},
	[VALIDITY_POLLS] = {"polls",
			    "5 % or less of the wall time hang on threads that look again and "
			    "again whether they may go on",
			    "a thread sleeps again and again until it may go on, and the "
			    "recording does not tell what that depends on, so that a replay "
			    "has it sleep as often on other cores",
			    .05, true, VALIDITY_SHARE},
	[VALIDITY_REPEATS] = {"repeats", "the replay repeats the recorded wall time to 10 %",
			      "the replay does not repeat the recorded wall time on the "
			      "recorded number of cores",
			      .1, true, VALIDITY_SHARE},
	[VALIDITY_THREADS] = {"threads", "as many threads work on other numbers of cores",
			      "one recording does not tell whether the program takes its "
			      "number of threads from that of the cores: give it the same "
			      "number everywhere",
			      0, false, VALIDITY_COUNT},
	[VALIDITY_SPINNING] = {"spinning", "no thread computes only to wait",
			       "threads that spin do no work, and what they wait for may "
			       "take another time on other cores: --spin waiting has them "
			       "wait for as long as they did; samples of running threads "
			       "tell (record with -F), and of loops of sched_yield their "
			       "calls (record with --sync)",
			       .02, false, VALIDITY_SHARE},
};

const struct validity_words *validity_words(enum validity_condition condition)
{
	return &words[condition];
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

/* Records whose lack may hide a wait or a wake. A recording that was cut says nothing wrong. */
static uint64_t missing(const struct quality *quality)
{
	return quality->lost + quality->late + quality->missed_wakes + quality->clock_back;
}

void validity_init(struct validity *validity, const struct program *program,
		   const struct quality *quality, double others_share)
{
	const struct program_shares *shares = &program->shares;
	uint64_t waited_ns = shares->edge_ns + shares->sleep_ns + shares->device_ns +
			     shares->external_ns + shares->unknown_ns;

	judge(validity, VALIDITY_WAKES, (double)shares->edges, program->has_wakes);
	judge_least(validity, VALIDITY_LENGTH, (double)program->wall_ns / 1e9);
	judge_least(validity, VALIDITY_STEPS, (double)program_steps(program));
	judge_most(validity, VALIDITY_COMPLETE, (double)missing(quality));
	judge_most(validity, VALIDITY_KNOWN,
		   share_of(shares->unknown_ns, waited_ns + shares->run_ns + shares->runnable_ns));
	judge_most(validity, VALIDITY_CERTAIN, share_of(shares->guessed, shares->waits));
	judge_most(validity, VALIDITY_INSIDE, share_of(shares->external_ns, waited_ns));
	judge_most(validity, VALIDITY_ALONE, others_share);
	if (validity->findings[VALIDITY_KNOWN].answer == VALIDITY_FAILS)
		leave_open(validity, VALIDITY_ALONE, others_share);
	leave_open(validity, VALIDITY_FINISHES, NAN);
	leave_open(validity, VALIDITY_RECOGNISED, NAN);
	leave_open(validity, VALIDITY_LOCKS, NAN);
	leave_open(validity, VALIDITY_BARRIERS, NAN);
	judge_most(validity, VALIDITY_COSTS, 0);
	leave_open(validity, VALIDITY_POLLS, NAN);
	leave_open(validity, VALIDITY_REPEATS, NAN);
	leave_open(validity, VALIDITY_THREADS, (double)program->thread_count);
	leave_open(validity, VALIDITY_SPINNING, NAN);
}

void validity_add_replay(struct validity *validity, const struct forecast_points *replay)
{
	judge_most(validity, VALIDITY_FINISHES, (double)forecast_points_stuck(replay));
	if (replay->calls_s > 0)
		judge_most(validity, VALIDITY_COSTS,
			   replay->calls_s /
				   (replay->calls_s + (double)replay->bounds.work_ns / 1e9));
	judge_most(validity, VALIDITY_POLLS, replay->polls_share);
	judge_most(validity, VALIDITY_REPEATS, forecast_points_self_error(replay));
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
	judge(validity, VALIDITY_RECOGNISED, (double)recognised->left,
	      recognised->extent == RECOGNISE_ALL);
	judge_most(validity, VALIDITY_LOCKS,
		   share_of(recognise_lock_suspicions(program), program->shares.edges));
	judge_most(validity, VALIDITY_BARRIERS,
		   share_of(recognised->presumed, program->shares.edges));
}

int validity_objection(const struct validity *validity)
{
	for (int i = 0; i < VALIDITY_CONDITIONS; i++)
		if (validity->findings[i].answer == VALIDITY_FAILS &&
		    validity_words((enum validity_condition)i)->decides)
			return i;
	return -1;
}

bool validity_objects_to_locks_alone(const struct validity *validity)
{
	struct validity others = *validity;

	others.findings[VALIDITY_LOCKS].answer = VALIDITY_HOLDS;
	return validity_objection(validity) == VALIDITY_LOCKS && validity_objection(&others) < 0;
}
