/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of program_read.c: marks (program_marks.c), polls and arrivals (program_polls.c,
 * program_naps.c), futex words (program_words.c), sites (program_sites.c), costs (program_costs.c),
 * loops of sched_yield (program_yields.c) and kills (program_kills.c).
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
struct target_quota;

/* --- Steps with only a known time ------------------------------------------------------------ */

/*
 * Marks are steps with a known time and an unknown CPU time, which is known at the end of the
 * interval that they lie in. Until then run_op of the step has its time.
 */
struct program_marks;

/*
 * Adds a step to *marks of a thread (NULL: it has none yet), behind all steps that are not later.
 * `at_ns` counts from the beginning of the program. A STEP_FORK or STEP_WAKE goes before the waits
 * of the same time: the steps of the woken thread may have been added before it.
 */
void marks_add(struct program_marks **marks, uint64_t at_ns, struct step step);

/*
 * Takes the first step if it lies in the interval up to `end_ns`, else returns NULL. The step is
 * valid until the next call. A step at `end_ns` itself lies in the interval unless the thread
 * `waited` until then, or the step is a wait. Frees *marks when no step is left, and sets it to
 * NULL.
 */
const struct step *marks_take(struct program_marks **marks, uint64_t end_ns, bool waited);

/* --- Polls --------------------------------------------------------------------------------- */

/*
 * A poll is a sleep of a thread that waits for another one and looks from time to time whether it
 * is done. The number of such sleeps depends on the speed of the other thread, and so on the number
 * of cores: they become STEP_POLL.
 *
 * A row of polls shows as sleeps with nothing between them, neither CPU time worth mentioning (a
 * 64th of them) nor a wakeup of any thread, and behind the last one a wait that another thread
 * ended. A row of sleeps counts as polls
 *  - if all of them and the wait are calls to wait at the same futex word, or at the two words of
 *    one condition; if most waits of the thread at the word end by a wakeup, the thread may also
 *    wake others in between;
 *  - if no such calls are recorded and there are three or more of the same length, which the wait
 *    did not reach: a longer wait would have been another poll;
 *  - if the end of the process ended the wait, which ends any sleep;
 *  - if no wait is behind them, but there are three or more of the same length: the awaited event
 *    came during the last sleep. The thread that caused it is unknown: a replay is reliable only if
 *    the length of these polls matters little (forecast_points.h);
 *  - if shorter rows occur twice or more, always of the same length and with such a wait behind
 *    them, and three or more waits without a sleep before them did not reach that length either: it
 *    seems to be the timeout of the waits of this thread, which seldom passes. A longer wait
 *    between the first and the last of these rows says that it is not.
 */

/* The sleeps of all threads so far. All zero: empty. */
struct program_polls {
	struct thread_polls *threads;
	size_t capacity;
};

/*
 * Looks for polls of a thread of `program` whose last step is a STEP_BLOCK that another thread
 * ended after `wait_ns`.
 */
void program_polls_find(struct program_polls *polls, const struct futex_words *words,
			struct program *program, uint32_t thread, uint64_t wait_ns);

/* Looks for the other polls in a complete program. `arrivals` [thread]; or NULL. */
void program_polls_finish(struct program_polls *polls, const struct futex_words *words,
			  const struct arrivals *const *arrivals, struct program *program);

void program_polls_release(struct program_polls *polls);

/* Makes `thread` end the wait of `woken` at `edge` as its last act but its exit. */
void program_wake_at_end(struct program *program, uint32_t thread, uint32_t woken, uint32_t edge);

/* --- Polls that end as threads end ----------------------------------------------------------- */

/*
 * A thread may nap again and again until other threads have ended. It notices the last end after
 * the nap in which that happens. So a row of naps without a recorded cause becomes waits for all
 * threads of the process that ended during the row, if
 *  - the last of these ended during the last nap;
 *  - there were five naps or more for each in which a thread ended: an end is in the last of n naps
 *    by chance with a probability of 1 / n.
 * The row is replaced by a wait for each of these ends and half a nap, as an end comes at any time
 * of a nap.
 */

/* The ends of threads, by process and time. */
struct thread_ends {
	struct thread_end *items;
	size_t count;
};

void thread_ends_init(struct thread_ends *ends, const struct program *program);
void thread_ends_release(struct thread_ends *ends);

/*
 * A row of sleeps of a thread, from step `first` to step `last`, with times since the program
 * began.
 */
struct naps {
	size_t first, last, count;
	uint64_t begin_ns, end_ns;
};

/*
 * Rewrites the row if threads ended with it, and adds steps to those threads. Steps of other
 * threads keep their places. Returns whether threads ended with it.
 */
bool naps_find_ends(struct program *program, uint32_t thread, const struct naps *naps,
		    const struct thread_ends *ends);

/* --- Waits that a kill ended ----------------------------------------------------------------- */

/*
 * A signal that ends a process ends the waits of its threads, which then do nothing but end. Such a
 * wait shows nothing on its length: it becomes a wait without an end, as if the recording had ended
 * before the signal. A kill ended the last wait of a thread if
 *  - a thread outside of the target ended it, and behind it the thread neither waits nor calls, and
 *    wakes no thread of its process;
 *  - another thread of its process lived then;
 *  - from then to the end of its process the program used at most 1 ms of CPU time for each of
 *    these threads, and a hundredth of the wait: the last thread frees the memory of the process.
 * If all threads of the process waited, the wait that began last keeps its length.
 *
 * A process with one thread is left out: its last wait may as well have ended in order.
 */
struct program_kills {
	struct thread_kill *items;
	size_t capacity;
};

/*
 * Notes the end of a wait of a thread, when the program had used `work_ns` of CPU time; 0: no thread
 * outside of the target ended it.
 */
void program_kills_note_wait(struct program_kills *kills, uint32_t thread, uint64_t work_ns);

/* Notes the end of a thread. */
void program_kills_note_end(struct program_kills *kills, uint32_t thread, uint64_t work_ns);

/* Rewrites the waits that kills ended. Call it once, when all threads have ended. */
void program_kills_apply(struct program_kills *kills, struct program *program);

void program_kills_release(struct program_kills *kills);

/* --- Futex words ---------------------------------------------------------------------------- */

/*
 * The objects of futex words, recognised by the calls of futex(2).
 *
 * A mutex as in Drepper, "Futexes Are Tricky", has the value 0 if free, 1 if locked, and 2 if
 * locked and waited for. So are those of the GNU C library (lowlevellock.h), of Rust
 * (std::sync::Mutex since 1.62) and of the runtime of Go (lock_futex.go). At such a word
 *  - all waits are for the value 2, and no wake is of more than one thread;
 *  - if all waits are FUTEX_WAIT_BITSET, which Rust uses for everything, one began after a wakeup:
 *    a word that counts wakeups, as a condition of Rust, has another value then.
 *
 * A condition of the GNU C library from 2.25 on (pthread_cond_t) has two groups of threads, and for
 * each of them a word at which they wait: __g_signals, eight aligned bytes. Threads that begin to
 * wait join one group while a signal wakes the other one, and when that one is empty the groups
 * change their parts. So at the two words of a condition
 *  - all waits are FUTEX_WAIT_BITSET, and neither is a mutex;
 *  - between a wakeup at a word and the next wait that begins there, a wakeup is at the other word.
 *
 * Neighbouring words of other kinds, as in programs in Rust, may meet the first condition, but
 * hardly the second: waits begin again at a word with a wakeup. One in eight waits of a condition
 * may do that, as threads may be late. Two threads that wake each other in turns, each by a word of
 * its own, look like such a condition if they use FUTEX_WAIT_BITSET.
 */

enum { MUTEX_WAITS_FOR = 2 };

struct futex_word {
	uint32_t twin; /* site of the neighbouring word, plus one; 0: none */
	uint32_t waits;
	uint32_t odd;	/* waits that contradict a condition */
	bool woken;	/* a thread was woken here since the last wakeup at the other word */
	bool was_woken; /* a thread was ever woken here */
	bool again;	/* a wait began after a wakeup here */
	bool is_plain;	/* another call than FUTEX_WAIT_BITSET waited here */
	bool is_mutex;	/* all waits and wakeups so far fit a mutex */
};

struct futex_words {
	struct futex_word *items; /* [site] */
	size_t capacity;
};

/* Adds the word of `site`. `other`: the site of a neighbouring word; PROGRAM_NONE: none yet. */
void futex_words_add(struct futex_words *words, uint32_t site, uint32_t other);

/* Notes a call at the word, with the count of its event. */
void futex_words_call(struct futex_words *words, uint32_t site, enum sync_call call, int32_t count);

/*
 * Returns whether threads that wait at these sites wait for the same object, as far as seen: the
 * sites are the same word, or the two words of one condition.
 */
bool futex_words_are_one(const struct futex_words *words, uint32_t site, uint32_t other);

/* Writes the results into the sites of the words, and releases the words. */
void futex_words_finish(struct futex_words *words, struct program *program);

/* --- Sites ----------------------------------------------------------------------------------- */

/*
 * The sites of calls, one for each address in each process, and if call chains are recorded those
 * of pauses, one for each chain and kind of pause. All zero: empty.
 */
struct call_sites {
	struct map map;
	uint32_t *indices; /* site of each number of the map */
	size_t capacity;
	uint64_t *calls; /* [site]: number of calls so far */
	size_t call_capacity;
	struct futex_words words;
};

/* Returns the site with that key, and adds `new` if there is none yet. */
uint32_t call_sites_find(struct call_sites *sites, struct program *program, const uint64_t key[2],
			 const struct site *new);

/* Returns the site of the object at `address` of a process. */
uint32_t call_sites_find_object(struct call_sites *sites, struct program *program, uint64_t address,
				int32_t pid);

/* Counts a call at a site. Returns `count` of its step. */
uint32_t call_sites_call(struct call_sites *sites, struct program *program, uint32_t site,
			 enum sync_call call, const struct event *event);

void call_sites_release(struct call_sites *sites);

/* --- Sleeps until a time ------------------------------------------------------------------- */

/*
 * A thread sleeps until set times if its work is due at given times, as that of a source of
 * requests. Then a sleep is the shorter the longer the thread was busy or waited for a CPU before
 * it. With a for the time from the end of a sleep to the next sleep, and s for the length of that,
 * the slope of s over a is -1 if times are set, and 0 if lengths are. Such sleeps become STEP_DUE,
 * but for the first.
 *
 * This takes 20 sleeps, and a slope that is 20 times as likely with set times as with set lengths.
 */

/* The sleeps of a thread. All zero: empty. */
struct arrivals {
	struct arrival *items;
	size_t count, capacity;
	uint32_t waker; /* the thread that ran when the last sleep ended; PROGRAM_NONE: a thread
			   outside of the program */
};

/* Notes that the next step of the thread is a sleep that ended at `end_ns`, when `waker` ran. */
void arrivals_note(struct arrivals *arrivals, const struct program_thread *thread, uint64_t end_ns,
		   uint32_t waker);

/* Returns the end of the sleep that is step `step` of the thread; 0: unknown. */
uint64_t arrivals_end_ns(const struct arrivals *arrivals, size_t step);

/* Turns the sleeps of a complete thread into STEP_DUE if they end at set times. */
void arrivals_apply(const struct arrivals *arrivals, struct program_thread *thread);

void arrivals_release(struct arrivals *arrivals);

/* --- The costs of the machine ---------------------------------------------------------------- */

/*
 * The costs are measured in the intervals of threads:
 *
 *  - wake_ns: the median time from a wakeup to running, of threads that were woken while at most as
 *    many threads of the target were active, themselves included, as it has cores. If in more than a
 *    tenth of these times another program had the CPU, others used the free cores as well: then
 *    only threads that got an idle CPU count;
 *  - slice_ns: the median length of runs that ended in a preemption while more threads were active
 *    than there are cores, and during which, and in the 50 us before their end, no thread was
 *    woken: a woken thread may preempt long before the end of a slice, on a virtual machine 15 us
 *    after its wakeup. The next run of a preempted thread is not counted: from Linux 6.6 on it is
 *    the rest of its slice. Threads of other programs and of the kernel preempt at any time:
 *    the slice is unknown if more runs than these were longer and ended with a wait;
 *  - wakes_preempt: a woken thread preempts at once. True if, of the runs that ended in a
 *    preemption after a thread woke, more than a tenth ended within 50 us of that, and more than
 *    twice as many as in the next 50 us, which are by chance. True as well with fewer than 20 such
 *    runs: CFS and Linux 6.18 preempt so, and a kernel that does not has many such runs where it
 *    matters;
 *  - switch_ns: 0, as sched_switch is a moment within the switch: its cost is part of the CPU time
 *    of the two threads.
 */

/* The median of a stream, from every 1st, 2nd, 4th ... value, as memory allows. */
struct cost_samples {
	uint64_t *values;
	size_t count, stride, passed;
};

/* Times from a wakeup to running while a core was free of threads of the target. */
struct cost_wakes {
	struct cost_samples all, idle; /* idle: the CPU was idle before */
	uint64_t others;	       /* number of times: another program left the CPU */
};

/* Runs that ended in a preemption while more threads were active than there are cores. */
struct cost_preemptions {
	struct cost_samples slices; /* lengths of runs during which no thread became active */
	struct cost_samples uncut;  /* lengths of runs that ended with a wait */
	uint64_t soon, later, all;  /* numbers of other runs: those that ended soon after a thread
				       became active, somewhat later, and all */
};

void cost_samples_add(struct cost_samples *samples, uint64_t value);
void cost_samples_release(struct cost_samples *samples);

/* Adds the time of a wakeup; `before`: as in struct change. */
void cost_wakes_add(struct cost_wakes *wakes, uint32_t before, uint64_t waited_ns);
void cost_wakes_release(struct cost_wakes *wakes);

/* A span in which CPUs were idle beside ready threads. */
struct cost_idle {
	uint64_t begin_ns, end_ns, cpus_ns; /* cpus_ns: sum of all CPUs */
};

/*
 * Passes to `now_ns`. Up to then `running` of `active` threads ran, on `cores`. Returns the idle
 * time of CPUs beside ready threads in a span that has ended, if it was no longer than a tick of the
 * slowest Linux, 10 ms: the scheduler leaves a CPU idle until the next tick, and a limit of CPU time
 * for longer.
 */
uint64_t cost_idle_pass(struct cost_idle *idle, size_t running, size_t active, size_t cores,
			uint64_t now_ns);

struct cost_run {
	uint64_t begin_ns, end_ns;
	uint64_t active_ns; /* time at which the last thread was woken */
	bool is_rest;	    /* the run is the rest of the slice of the run before */
};

/* Adds a run that ended in a preemption. Returns whether its slice was used up, as far as seen. */
bool cost_preemptions_add(struct cost_preemptions *preemptions, const struct cost_run *run);

/* Adds a run that ended with a wait while more threads were active than there are cores. */
void cost_preemptions_add_uncut(struct cost_preemptions *preemptions, const struct cost_run *run);

/*
 * Returns the CPU time of other programs on the CPUs of a target that ran for `run_ns`, without the
 * recorder; 0: none, or unknown.
 */
uint64_t cost_others_ns(const struct target_info *target, uint64_t run_ns);

/* Fills in all costs; the cost of recording calls is that in `target`. */
void cost_tell(struct program_costs *costs, struct cost_wakes *wakes,
	       struct cost_preemptions *preemptions, const struct target_info *target);

/* Returns the quota without the part that other programs of the group used. */
struct program_quota cost_quota_left(const struct target_quota *quota, uint64_t run_ns,
				     uint64_t wall_ns);

/* --- Loops of sched_yield -------------------------------------------------------------------- */

/*
 * A loop of sched_yield waits for an event: at each call the thread leaves its CPU to another
 * thread, and it is always ready. Most recordings do not have these calls. Such a loop shows as
 * YIELD_RUN_CALLS or more runs in a row of YIELD_GAP_NS or less, behind each of which the thread is
 * ready: no slice is so short, and no thread of the program became ready meanwhile that could have
 * preempted it. If no other thread is ready the thread gets its CPU back at once, and its loop is
 * invisible.
 *
 * Loops with recorded calls of trylock are left out, as their mutex is known. A STEP_LOOP follows
 * each other loop.
 */

/* The loop of a thread. All zero: none. */
struct yield_loop {
	uint64_t begin_ns, end_ns; /* start of its first run, and end of its last one */
	uint32_t runs;		   /* number of its runs in a row so far */
};

/*
 * Takes a run at whose end the thread leaves its CPU. Returns the length of the loop that ended
 * before this run; 0: none did.
 */
uint64_t yield_loop_run(struct yield_loop *loop, const struct cost_run *run, bool stays_ready);

/* Notes that the thread tries to get a mutex: its loop is left out. */
void yield_loop_try(struct yield_loop *loop);

#endif
