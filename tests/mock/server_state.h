/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State of a run, shared by the parts of mock/server.h. */
#ifndef PSCAL_TESTS_MOCK_SERVER_STATE_H
#define PSCAL_TESTS_MOCK_SERVER_STATE_H

#include "mock/server.h"
#include "random.h"

enum { SERVER_NONE = -1, SERVER_FIRST_TID = 1000 };

/* The role of a thread in the server. */
enum server_role { SERVER_MAIN, SERVER_SOURCE, SERVER_CLIENT, SERVER_WORKER };

enum server_life { SERVER_UNBORN, SERVER_READY, SERVER_RUNNING, SERVER_WAITING, SERVER_DEAD };

/* A thread may be in the list of a condition while it still runs, and so be ready, too. */
struct server_list {
	int first, last; /* threads, ... */
	int link;	 /* ... linked by next[link] */
};

struct server_thread {
	enum server_role role;
	enum server_life life;
	unsigned number;	/* in its role or pool */
	unsigned pool;		/* of a worker */
	size_t step;		/* of its program */
	unsigned phase;		/* ... in that step */
	uint64_t left_ns;	/* to compute before the next phase */
	uint64_t slice_left_ns; /* after a preemption */
	int64_t had_ns;		/* CPU time, comparable on its core */
	uint64_t due_ns;	/* of a source: the next request */
	bool granted;		/* another thread has granted the object, perhaps before the wait */
	bool handed;		/* another thread has answered its request */
	uint64_t request;	/* that it works on */
	uint64_t taken_ns;	/* when it took the request */
	int next[2];		/* in the list in which it waits, and among ready threads */
	int core;		/* current or last core */
	int waker;		/* the core of the thread that woke it; SERVER_NONE: a timer did */
	bool at_disk;
	uint64_t disk_ns; /* service time of its request at the disk */
};

struct server_mutex {
	bool taken;
	uint64_t since_ns, held_ns;
	struct server_list waiting;
};

struct server_queue {
	struct server_mutex mutex;
	struct server_list waiting; /* of the condition of the queue */
	uint64_t *ring;
	size_t capacity, first, count;
	bool stopped;
	uint64_t since_ns;
	double waited; /* number integrated over time */
};

struct server_disk {
	unsigned busy;
	uint64_t since_ns, busy_ns; /* sum over its servers, until then */
	struct server_list waiting;
	struct server_list served; /* of a group commit: together with the first one */
};

struct server_request {
	uint64_t begin_ns;
	int client; /* thread; SERVER_NONE: of the source */
};

struct server_core {
	int current;
	uint64_t since_ns; /* the begin of the current run ... */
	uint64_t stamp;	   /* ... and the number of the burst */
	uint64_t slice_ns; /* end of the slice of its thread */
	uint64_t busy_ns;
	struct server_list ready; /* threads that are ready for it */
	size_t ready_count;
	int64_t least_ns;    /* least CPU time of its threads; it never decreases */
	uint64_t balance_ns; /* next look at the threads of other cores */
};

enum server_happening { SERVER_BURST_ENDS, SERVER_TIMER_ENDS };

struct server_due {
	uint64_t ns, order, stamp;
	enum server_happening what;
	int number;
};

/* Times of steps as quantiles in random order: [pool][step], the gaps and thinking. */
struct server_exact {
	double *steps[SERVER_POOLS_MAX][SERVER_STEPS_MAX];
	double *gaps;
};

struct server_state {
	const struct server *server;
	const struct server_run *run;
	struct random random;
	uint64_t now_ns, begin_ns;
	struct server_thread threads[SERVER_THREADS_MAX];
	size_t thread_count, alive, loaders, workers; /* ... of these, still running */
	struct server_queue queues[SERVER_POOLS_MAX];
	struct server_mutex locks[SERVER_LOCKS_MAX];
	struct server_disk disk;
	unsigned tokens[SERVER_THREADS_MAX]; /* of the semaphores of clients ... */
	struct server_list answers[SERVER_THREADS_MAX];
	struct server_list joiners; /* main */
	struct server_core cores[SERVER_CORES_MAX];
	struct server_list woken; /* woken, and not in the queue of a core yet */
	struct server_due *agenda;
	size_t due_count, due_capacity;
	uint64_t order;
	struct server_request *requests; /* by number */
	size_t request_capacity;
	uint64_t thoughts, asked, answered;
	size_t working;	     /* workers that have a request */
	double *responses_s; /* of all that were answered */
	uint64_t pool_busy_ns[SERVER_POOLS_MAX];
	struct server_exact exact;
	bool killed, over;
};

/* --- server.c: running threads ---------------------------------------------------------------- */

/* `thread` is ready now, woken by thread `by`; SERVER_NONE: by the timer of its core. */
void server_wake(struct server_state *state, int thread, int by);
void server_sleep_until(struct server_state *state, int thread, uint64_t ns);
void server_begin_thread(struct server_state *state, int thread, int parent);
void server_answer(struct server_state *state, struct server_thread *worker);
void server_list_append(struct server_state *state, struct server_list *list, int thread);
int server_list_pop(struct server_state *state, struct server_list *list);

/* A random time of request `number`. */
uint64_t server_time_ns(struct server_state *state, const struct server_time *time,
			const double *exact, uint64_t number);

/* --- server_draw.c: times --------------------------------------------------------------------- */

double server_time_draw(const struct server_time *time, struct random *random);
/* A fraction `part` of 0..1 of the times is less. */
double server_time_quantile(const struct server_time *time, double part);

/* --- server_acts.c: what threads do ----------------------------------------------------------- */

enum server_outcome { SERVER_GOES_ON, SERVER_BLOCKS, SERVER_ENDS };

/* The next action of the thread; if it sets left_ns, the thread computes first. */
enum server_outcome server_execute(struct server_state *state, int thread);

/* The disk has served the request of `thread`, and begins with the next one. */
void server_disk_ends(struct server_state *state, int thread);
void server_disk_count(struct server_state *state);

/* --- server_trace.c: what is recorded --------------------------------------------------------- */

enum server_kind {
	SERVER_OF_QUEUE,     /* its mutex ... */
	SERVER_OF_CONDITION, /* ... and its condition */
	SERVER_OF_LOCK,
	SERVER_OF_ANSWER, /* the semaphore of a client */
	SERVER_OF_END,	  /* of a thread */
};

/* Its address in memory. */
struct server_object {
	enum server_kind kind;
	unsigned number;
};

void server_trace_switch(const struct server_state *state, int core, int from, char how, int to);
void server_trace_wake(const struct server_state *state, int by, int core, int thread);
void server_trace_fork(const struct server_state *state, int parent, int child);
void server_trace_exit(const struct server_state *state, int thread);
void server_trace_futex(const struct server_state *state, int thread, bool wake,
			struct server_object object);
void server_trace_futex_exit(const struct server_state *state, int thread, long result);
void server_trace_sleep(const struct server_state *state, int thread, bool enter);
void server_trace_call(const struct server_state *state, int thread, const char *call,
		       struct server_object object);

#endif
