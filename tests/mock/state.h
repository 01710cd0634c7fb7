/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State of a run, shared by the parts of mock/machine.h. */
#ifndef PSCAL_TESTS_MOCK_STATE_H
#define PSCAL_TESTS_MOCK_STATE_H

#include "mock/machine.h"
#include "random.h"

#include <stdbool.h>

enum { MOCK_NO_THREAD = -1, MOCK_FIRST_TID = 1000 };

/* Costs in ns on a usual server of 3 GHz. */
enum {
	MOCK_SWITCH_NS = 1200, /* until the next thread computes */
	MOCK_CALL_NS = 400,    /* into the kernel, before its action; and back */
	MOCK_WAKE_NS = 600,
	MOCK_FORK_NS = 12000,
	MOCK_EXIT_NS = 8000,
	MOCK_IDLE_NS = 3000, /* from a wake to running on an idle core */
};

struct mock_list {
	int first, last; /* threads, by next_waiting */
};

enum mock_life { MOCK_UNBORN, MOCK_READY, MOCK_RUNNING, MOCK_WAITING, MOCK_DEAD };

struct mock_thread {
	enum mock_life life;
	size_t step;
	unsigned phase;		/* within the step */
	uint64_t left_ns;	/* to compute before the next phase */
	struct mock_list *list; /* A call wakes threads of this list, */
	uint32_t count, woke;	/* so many more, and has woken so many, */
	unsigned after;		/* and continues with this phase */
	uint32_t item;
	bool woken; /* another thread has woken it, perhaps before the wait */
	char state; /* of its wait, as the kernel prints it */
	uint64_t timer_ns, due_ns;
	int next_waiting;
	int joiner;
	int core;	 /* current or last core */
	int64_t lag_ns;	 /* its virtual time, relative to that of its core ... */
	int64_t then_ns; /* ... at the time when it began to wait */
};

struct mock_state {
	uint32_t count; /* tokens, readers, arrived threads, items, or members of the group */
	bool taken;	/* of a mutex, or by a writer */
	bool contended; /* of a mutex: its release makes a call to wake a thread */
	struct mock_list waiting;  /* for mutex, semaphore, barrier; writers; for items */
	struct mock_list waiting2; /* readers; for room */
	uint32_t *items, begin;
};

struct mock_core {
	int current; /* MOCK_NO_THREAD: idle */
	int queue[MOCK_THREADS_MAX];
	size_t queued;
	uint64_t since_ns; /* accounted up to here */
	uint64_t slice_begin_ns;
	uint64_t tick_ns, balance_ns;
	unsigned failed;    /* failed looks for a thread of another core */
	uint64_t start_ns;  /* when it leaves idle; UINT64_MAX: it stays idle */
	int64_t virtual_ns; /* the least of its threads; never decreases */
	bool reschedule;
};

struct mock_machine {
	const struct mock_program *program;
	const struct mock_run *run;
	struct mock_thread threads[MOCK_THREADS_MAX];
	struct mock_state *objects;
	struct mock_core cores[MOCK_CORES_MAX];
	uint64_t begin_ns, now_ns;
	struct random random;
};

/* --- mock_objects: what threads do ----------------------------------------------------------- */

enum mock_outcome { MOCK_GOES_ON, MOCK_WAITS, MOCK_ENDS };

/*
 * Runs the next phase of the thread's step. If that sets left_ns, the thread computes first.
 */
enum mock_outcome mock_execute(struct mock_machine *machine, int thread);
void mock_objects_init(struct mock_machine *machine);
void mock_objects_release(struct mock_machine *machine);

/* --- mock_machine: running threads ----------------------------------------------------------- */

/* `thread` is woken by `core`. */
void mock_wake(struct mock_machine *machine, int thread, int core, bool interrupt);
void mock_begin_thread(struct mock_machine *machine, int thread, int parent);

/* --- mock_trace: what is recorded ------------------------------------------------------------ */

void mock_trace_switch(const struct mock_machine *machine, int core, int from, char state, int to);
void mock_trace_wake(const struct mock_machine *machine, int core, int woken, bool interrupt);
void mock_trace_fork(const struct mock_machine *machine, int parent, int child);
void mock_trace_exit(const struct mock_machine *machine, int thread);

/* A system call on the word at `offset` in an object; arguments that the call lacks are NULL. */
enum mock_futex { MOCK_FUTEX_WAIT, MOCK_FUTEX_WAIT_BITSET, MOCK_FUTEX_WAKE };
enum { MOCK_WORD_JOIN = 1 << 20 }; /* the word of the end of thread `object` */

void mock_trace_futex(const struct mock_machine *machine, int thread, enum mock_futex op,
		      uint32_t object, unsigned word, uint32_t count);
void mock_trace_futex_exit(const struct mock_machine *machine, int thread, long result);
void mock_trace_sleep(const struct mock_machine *machine, int thread, bool enter);
/* A call of the C library; `what` follows the object: "", " count=4". */
void mock_trace_call(const struct mock_machine *machine, int thread, const char *call,
		     uint32_t object, unsigned word, const char *what);
/* ... of the condition there, with its mutex. */
void mock_trace_wait(const struct mock_machine *machine, int thread, uint32_t object, unsigned word,
		     uint32_t mutex);

#endif
