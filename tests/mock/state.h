/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of mock/machine.h share: a run that is going on. */
#ifndef PSCAL_TESTS_MOCK_STATE_H
#define PSCAL_TESTS_MOCK_STATE_H

#include "mock/machine.h"
#include "random.h"

#include <stdbool.h>

enum { MOCK_NOBODY = -1, MOCK_FIRST_TID = 1000 };

/* What things cost, in ns: those of a usual server of 3 GHz. */
enum {
	MOCK_SWITCH_NS = 1200, /* until who comes does its own work */
	MOCK_CALL_NS = 400,    /* into the kernel, up to what the call does there; and back */
	MOCK_WAKE_NS = 600,
	MOCK_FORK_NS = 12000,
	MOCK_EXIT_NS = 8000,
	MOCK_IDLE_NS = 3000, /* from a wake to running where the core was idle */
};

struct mock_list {
	int first, last; /* threads, by next_waiting */
};

enum mock_life { MOCK_UNBORN, MOCK_READY, MOCK_RUNNING, MOCK_WAITING, MOCK_DEAD };

struct mock_thread {
	enum mock_life life;
	size_t step;
	unsigned phase;		/* within the step */
	uint64_t left_ns;	/* to compute before it goes on */
	struct mock_list *list; /* of whom it wakes some, */
	uint32_t count, woke;	/* that many more, and so many so far, */
	unsigned after;		/* before this phase */
	uint32_t item;
	bool woken; /* has been let go on, perhaps before it got to wait */
	char state; /* in which it waits, as the kernel prints it */
	uint64_t timer_ns, due_ns;
	int next_waiting;
	int joiner;
	int core;	 /* where it is, or was */
	int64_t lag_ns;	 /* its virtual time, from that of its core on ... */
	int64_t then_ns; /* ... as that was when it began to wait */
};

struct mock_state {
	uint32_t count; /* tokens, readers, arrived, in the queue, or still in the group */
	bool taken;	/* a mutex, or a writer has it */
	struct mock_list waiting;  /* mutex, semaphore, barrier; writers; for items */
	struct mock_list waiting2; /* readers; for room */
	uint32_t *items, begin;
};

struct mock_core {
	int current; /* MOCK_NOBODY: idle */
	int queue[MOCK_THREADS_MAX];
	size_t queued;
	uint64_t since_ns; /* accounted up to here */
	uint64_t slice_begin_ns;
	uint64_t tick_ns, balance_ns;
	unsigned failed;    /* to find a better place for a thread of another */
	uint64_t start_ns;  /* it will have left idle; UINT64_MAX: nobody asked it to */
	int64_t virtual_ns; /* the least of those of its threads; never goes back */
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
 * Takes the next phase of the thread's step. Where it has got CPU time to use (left_ns), that comes
 * first.
 */
enum mock_outcome mock_execute(struct mock_machine *machine, int thread);
void mock_objects_init(struct mock_machine *machine);
void mock_objects_release(struct mock_machine *machine);

/* --- mock_machine: who runs ------------------------------------------------------------------ */

/* `thread` need not wait any more; `core` is where that comes from. */
void mock_wake(struct mock_machine *machine, int thread, int core, bool interrupt);
void mock_begin_thread(struct mock_machine *machine, int thread, int parent);

/* --- mock_trace: what is recorded ------------------------------------------------------------ */

void mock_trace_switch(const struct mock_machine *machine, int core, int from, char state, int to);
void mock_trace_wake(const struct mock_machine *machine, int core, int whom, bool interrupt);
void mock_trace_fork(const struct mock_machine *machine, int parent, int child);
void mock_trace_exit(const struct mock_machine *machine, int thread);

/* A system call on the word at `offset` in an object; NULL arguments of what has none. */
enum mock_futex { MOCK_FUTEX_WAIT, MOCK_FUTEX_WAIT_BITSET, MOCK_FUTEX_WAKE };
enum { MOCK_WORD_JOIN = 1 << 20 }; /* the word is that of the end of thread `object` */

void mock_trace_futex(const struct mock_machine *machine, int thread, enum mock_futex op,
		      uint32_t object, unsigned word, uint32_t count);
void mock_trace_futex_exit(const struct mock_machine *machine, int thread, long result);
void mock_trace_sleep(const struct mock_machine *machine, int thread, bool enter);
/* A call of the C library; `what` is behind the object: "", " count=4". */
void mock_trace_call(const struct mock_machine *machine, int thread, const char *call,
		     uint32_t object, unsigned word, const char *what);
/* ... of the condition there, with its mutex. */
void mock_trace_wait(const struct mock_machine *machine, int thread, uint32_t object, unsigned word,
		     uint32_t mutex);

#endif
