/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of program_read.c: marks (program_marks.c), polls and arrivals (program_polls.c, program_naps.c),
 * futex words (program_words.c), sites (program_sites.c), costs (program_costs.c), loops of sched_yield
 * (program_yields.c).
 */
#ifndef PSCAL_REPLAY_PROGRAM_PROGRAM_READ_PRIVATE_H
#define PSCAL_REPLAY_PROGRAM_PROGRAM_READ_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "replay/program/program.h"

struct arrivals;
struct futex_words;
struct target_info;

/* --- Steps of which only the time is known --------------------------------------------------- */

/*
 * The time of these steps is known, and their CPU time will be at the end of the interval that they
 * lie in. Until then a step has its time where its CPU time belongs.
 */
struct program_marks;

/*
 * Adds a step to *marks of a thread (NULL: it has none yet), behind all steps that are not later. `at_ns`
 * counts from the beginning of the program. A STEP_FORK or STEP_WAKE goes before the waits of the same
 * time: the steps of the thread that it lets go on may have been added before it.
 */
void marks_add(struct program_marks **marks, uint64_t at_ns, struct step step);

/*
 * Takes the first step if it lies in the interval up to `end_ns`, else returns NULL. The step is valid
 * until the next call. A step at `end_ns` itself lies in the interval unless the thread `waited` until
 * then, or the step is a wait. Frees *marks when no step is left, and sets it to NULL.
 */
const struct step *marks_take(struct program_marks **marks, uint64_t end_ns, bool waited);

/* --- Polls --------------------------------------------------------------------------------- */

/*
 * Which sleeps of a thread were waits for another one, for some time at most: that time passed
 * again and again until the other came. How often depends on how fast the other is, so that such
 * sleeps are not as many on other cores: they become STEP_POLL.
 *
 * What can be seen of that are sleeps with nothing between them, neither CPU time worth mentioning
 * (a 64th of them) nor a wake of any thread, locks or not, and behind the last one a wait that
 * another thread ended. They are taken for polls
 *  - where all of them and the wait are calls to wait at the same word of memory, or at the two
 *    words of one condition;
 *  - where no such calls are on record and there are three or more of the same length, which the
 *    wait did not reach: it would have been another one of them;
 *  - where what ended the wait is the end of the process. That ends any sleep;
 *  - where no wait is behind them, but three or more of the same length: what they were
 *    for has happened in the meantime. Nothing tells which thread did what, so that a replay is as
 *    good as it matters little how long they take: see forecast_points.h;
 *  - where fewer in a row are there twice or more, always of the same length and with such a wait
 *    behind them, and three waits or more that no sleep is before did not reach that length either:
 *    it seems to be the most that the thread waits for others at a time, which seldom passes. A
 *    longer wait between the first and the last of them says that it is not.
 */

/* The sleeps of all threads so far. Begins as zero. */
struct program_polls {
	struct thread_polls *threads;
	size_t capacity;
};

/* For a thread of `program` whose last step is a STEP_BLOCK that another one ended after `wait_ns`. */
void program_polls_find(struct program_polls *polls, const struct futex_words *words,
			struct program *program, uint32_t thread, uint64_t wait_ns);

/* For all threads, the last three of these, when the program is complete. `arrivals` [thread]; or NULL. */
void program_polls_finish(struct program_polls *polls, const struct futex_words *words,
			  const struct arrivals *const *arrivals, struct program *program);

void program_polls_release(struct program_polls *polls);

/* --- Polls that end as threads end ----------------------------------------------------------- */

/*
 * A thread may nap until other threads are done, and these end then. It notices the last end after the
 * nap in which that happens. So a row of naps with no recorded cause becomes a wait for all threads of
 * the process that ended during the row, if
 *  - the last of these ended during the last nap;
 *  - there were five naps or more for each in which a thread ended: an end is in the last of n naps by
 *    chance with a probability of 1 / n.
 * In their place is a wait for the end of each, and half a nap, as ends come at any time of one.
 */

/* Ends of threads, by process and time. */
struct thread_ends {
	struct thread_end *items;
	size_t count;
};

void thread_ends_init(struct thread_ends *ends, const struct program *program);
void thread_ends_release(struct thread_ends *ends);

/* A row of STEP_POLL of a thread, from step `first` to step `last`; times since the program began. */
struct naps {
	size_t first, last, count;
	uint64_t begin_ns, end_ns;
};

/* Rewrites the row if threads ended with it, and adds steps to these. Others keep their places. */
void naps_find_ends(struct program *program, uint32_t thread, const struct naps *naps,
		    const struct thread_ends *ends);

/* --- Futex words ---------------------------------------------------------------------------- */

/*
 * Objects that threads wait at, by the calls of futex(2) at a word.
 *
 * A mutex as of Drepper, "Futexes Are Tricky": 0 is free, 1 locked, and 2 locked and waited for.
 * So are those of the GNU C library (lowlevellock.h), of Rust (std::sync::Mutex since 1.62) and of the
 * runtime of Go (lock_futex.go). At such a word
 *  - all waits are for the value 2, and no wake is of more than one thread;
 *  - where all waits are FUTEX_WAIT_BITSET, which Rust uses for everything, one began after a wake:
 *    what counts wakes, as a condition of Rust, has another value then.
 *
 * A condition of the GNU C library from 2.25 on (pthread_cond_t) has two groups of threads, and for
 * each of them a word at which they wait: __g_signals, eight aligned bytes. Threads that begin to
 * wait join one group while a signal wakes the other one, and when none is left in that the two take
 * turns. So at two words that are one condition
 *  - all waits are FUTEX_WAIT_BITSET, and none of the two is a mutex;
 *  - between a wake at a word and the next wait that begins there is a wake at the other word.
 *
 * Two other words beside each other may have the first in common, as those of programs in Rust, and
 * hardly the second: a thread that waits again at a word where one was woken shows it. One in eight
 * waits may: threads are late. Two threads that in turns wake each other, each by a word of its own,
 * are taken for such a condition if they use FUTEX_WAIT_BITSET: nothing tells them apart.
 */

enum { MUTEX_WAITS_FOR = 2 };

struct futex_word {
	uint32_t twin; /* the site of the word beside it, plus one; 0: it has none */
	uint32_t waits;
	uint32_t odd;	/* waits that no condition has */
	bool woken;	/* a thread was, since one was at the other word */
	bool was_woken; /* ... or ever */
	bool again;	/* a wait began after that */
	bool is_plain;	/* a thread waited there as at no condition */
	bool is_mutex;	/* so far waits and wakes were those of a mutex */
};

struct futex_words {
	struct futex_word *items; /* [site] */
	size_t capacity;
};

/* `other` PROGRAM_NONE: there is no site beside it yet. */
void futex_words_add(struct futex_words *words, uint32_t site, uint32_t other);

/* A call there, with the count of its event. */
void futex_words_call(struct futex_words *words, uint32_t site, enum sync_call call, int32_t count);

/*
 * Do threads that wait at these sites wait for one thing, as far as is seen yet: are they one word, or both
 * words of one condition?
 */
bool futex_words_are_one(const struct futex_words *words, uint32_t site, uint32_t other);

/* Fills in what sites tell of futex words, and releases the words. */
void futex_words_finish(struct futex_words *words, struct program *program);

/* --- Sites ----------------------------------------------------------------------------------- */

/*
 * The sites of calls, one for each address in each process; and where call chains are on record,
 * those of pauses, one for each chain and kind of pause. Begins as zero.
 */
struct call_sites {
	struct map map;
	uint32_t *indices; /* of the site, for each number of the map */
	size_t capacity;
	uint64_t *calls; /* [site]: so far */
	size_t call_capacity;
	struct futex_words words;
};

/* The site of that key, `new` if there is none yet. */
uint32_t call_sites_find(struct call_sites *sites, struct program *program, const uint64_t key[2],
			 const struct site *new);

/* That of the object at `address` of a process. */
uint32_t call_sites_find_object(struct call_sites *sites, struct program *program, uint64_t address,
				int32_t pid);

/* One more call there, of that event: `count` of its step. */
uint32_t call_sites_call(struct call_sites *sites, struct program *program, uint32_t site,
			 enum sync_call call, const struct event *event);

void call_sites_release(struct call_sites *sites);

/* --- Sleeps until a time ------------------------------------------------------------------- */

/*
 * Which threads sleep until a time that was set before, as sources do for which work comes when it
 * comes: then a thread sleeps the less the longer it was busy or waited for a CPU. With a for the
 * time from the end of a sleep to the next one, and s for the length of that, the slope of s over a
 * is -1 where times are set, and 0 where lengths are. Such sleeps become STEP_DUE, but for the first.
 *
 * It takes 20 sleeps, and a slope that is 20 times as likely with set times as with set lengths.
 */

/* The sleeps of a thread. Begins as zero. */
struct arrivals {
	struct arrival *items;
	size_t count, capacity;
	uint32_t waker; /* the thread that ran when the last one ended; PROGRAM_NONE: another one */
};

/* The next step of the thread is a sleep that ended at `end_ns`, when `waker` ran. */
void arrivals_note(struct arrivals *arrivals, const struct program_thread *thread, uint64_t end_ns,
		   uint32_t waker);

/* The end of the sleep that is `step` of the thread; 0: it is not known. */
uint64_t arrivals_end_ns(const struct arrivals *arrivals, size_t step);

/* When the thread is complete. */
void arrivals_apply(const struct arrivals *arrivals, struct program_thread *thread);

void arrivals_release(struct arrivals *arrivals);

/* --- The costs of the machine ---------------------------------------------------------------- */

/*
 * Known from the intervals of its threads:
 *
 *  - wake_ns, the median time from a wake to running of those that were woken while no more threads
 *    of the target were active, themselves among them, than it has cores;
 *  - slice_ns, the median length of runs that ended in a preemption while more threads were active
 *    than there are cores, and during which none became so: one that wakes may preempt long before
 *    the end of a slice. The next run of a thread that was preempted so is the rest of its slice, as
 *    from Linux 6.6 on, and tells nothing. Threads of other programs preempt at any time. Where these
 *    programs took a twentieth of the CPU time or more, or their time is unknown, the slice is therefore
 *    unknown if more runs than these were longer, and ended with a wait;
 *  - wakes_preempt, whether runs during which a thread woke end in a preemption at once: within
 *    50 us of that, more than a tenth of all that end in one, and more than twice as many as in the
 *    50 us that follow, as those are by chance. Where fewer than 20 tell, they do: CFS and Linux
 *    6.18 preempt so, and one that does not shows it where it matters;
 *  - switch_ns stays 0: sched_switch is a moment within the switch, so that what one costs is part
 *    of the CPU time of the two threads.
 */

/* The median of a stream: of every 1st, 2nd, 4th ... value, as many as there is room for. */
struct cost_samples {
	uint64_t *values;
	size_t count, stride, passed;
};

/* Runs that ended in a preemption while more threads were active than there are cores. */
struct cost_preemptions {
	struct cost_samples slices; /* the lengths of those during which no thread became active */
	struct cost_samples uncut;  /* ... and those of runs that ended with a wait */
	uint64_t soon, later, all;  /* the others: soon after that, somewhat later, and all */
};

void cost_samples_add(struct cost_samples *samples, uint64_t value);
void cost_samples_release(struct cost_samples *samples);

struct cost_run {
	uint64_t begin_ns, end_ns;
	uint64_t active_ns; /* when the last thread became active */
	bool is_rest;	    /* of a slice of which the beginning was another run */
};

/* Returns whether the run ended with its slice, as far as that is seen. */
bool cost_preemptions_add(struct cost_preemptions *preemptions, const struct cost_run *run);

/* The run ended with a wait, while more threads were active than there are cores. */
void cost_preemptions_add_uncut(struct cost_preemptions *preemptions, const struct cost_run *run);

/* All costs, of a target that ran for run_ns; the recorder itself says how much recording calls has cost. */
void cost_tell(struct program_costs *costs, struct cost_samples *wakes,
	       struct cost_preemptions *preemptions, const struct target_info *target,
	       uint64_t run_ns);

/* --- Loops of sched_yield -------------------------------------------------------------------- */

/*
 * A thread that calls sched_yield until something has happened leaves its CPU to another thread each
 * time, and is ready all the while. In most recordings the calls are not to be seen. What shows them are
 * runs of YIELD_GAP_NS or less, YIELD_RUN_CALLS or more in a row, behind each of which the thread is
 * ready: no slice is so short, and no thread of the program became ready meanwhile that could have
 * preempted it. Where no other thread is ready the thread gets its CPU back at once, and nothing
 * shows.
 *
 * Loops with recorded calls of trylock are left out, as their mutex is known. A STEP_LOOP follows each
 * other loop.
 */

/* A thread's. Begins as zero. */
struct yield_loop {
	uint64_t begin_ns, end_ns; /* of the first run, and of the last one, ... */
	uint32_t runs;		   /* ... of so many in a row so far */
};

/* The thread leaves its CPU. Returns how long the loop took that was over before this run; 0: there was none. */
uint64_t yield_loop_run(struct yield_loop *loop, const struct cost_run *run, bool stays_ready);

/* The thread tries to get a mutex. */
void yield_loop_try(struct yield_loop *loop);

#endif
