/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * permits PATTERN K [TRACE [UNIT_US]]: a program on K cores that need not be there. Threads work by
 * sleeping for as long as the work takes, while they hold one of K permits; who finds none waits in
 * a queue for one, and who has worked for a slice while others wait goes to its end. So the wall
 * time is that of a machine with K cores, to within the latency of wake-ups, on any machine: as
 * long as the kernel is asked for no CPU time to speak of. Prints "WALL_S", by the clock.
 *
 * To the kernel these threads sleep. So what a recording on K cores would have held is written
 *here, by the program itself as it happens: TRACE is what perf script would print, with permits for
 * CPUs: a switch when a permit changes hands, a wake when a thread lets another go on, births and
 * ends; and the calls of locks, barriers, semaphores and sleeps, as probes on them have them. All
 *of it under one lock, with the time taken under it.
 *
 * Patterns, whose works are drawn by a generator of their own and the same for each K:
 *	fork-join  16 threads, 12 rounds, unequal works, a barrier after each
 *	unequal    24 threads with works from 1 to 24 units
 *	pipeline   40 items through 5 stages of 2 threads, whose queues hold 2
 *	locks      12 threads, 12 times: work, then a quarter as much under one of 2 locks
 *	naps       12 threads, 10 times: work, then a sleep that is no work
 * A unit is 4 ms (UNIT_US), a slice 2 units.
 */
#include "meter.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 64, WAITERS_MAX = THREADS_MAX, PERMITS_MAX = 1024, FIRST_TID = 1000 };

enum state { RUNNING, RUNNABLE, WAITING, ENDED };

struct queue {
	struct thread *items[WAITERS_MAX];
	size_t begin, count;
};

struct thread {
	struct program *program;
	pthread_t pthread;
	pthread_cond_t changed;
	enum state state;
	int number;	   /* 0: the first */
	int permit;	   /* while it is RUNNING */
	uint64_t since_ns; /* it has worked up to here, or got its permit then */
	uint64_t slice_ns; /* worked since it got its permit */
	uint64_t random;
	struct thread *joiner;
	void (*begin)(struct thread *self);
};

struct lock {
	struct thread *owner;
	struct queue waiters;
};

struct semaphore {
	int tokens;
	struct queue waiters;
};

struct barrier {
	int parties, there;
	unsigned round;
	struct queue waiters;
};

struct program {
	pthread_mutex_t mutex; /* of all that follows, and of the trace */
	FILE *trace;	       /* or NULL */
	int permits;
	struct thread *holders[PERMITS_MAX];
	struct queue ready;
	struct thread threads[THREADS_MAX];
	int count;
	uint64_t unit_ns, slice_ns;
	struct barrier barrier;
	struct lock locks[2];
	struct semaphore items[6], room[6]; /* before each stage, and behind the last */
	int taken[6];			    /* items that a stage has begun */
};

/* --- Queues
 * -------------------------------------------------------------------------------------*/

static void append(struct queue *queue, struct thread *thread)
{
	queue->items[(queue->begin + queue->count++) % WAITERS_MAX] = thread;
}

static struct thread *take_first(struct queue *queue)
{
	struct thread *first = queue->items[queue->begin];

	if (!queue->count)
		return NULL;
	queue->begin = (queue->begin + 1) % WAITERS_MAX;
	queue->count--;
	return first;
}

/* --- The trace
 * ----------------------------------------------------------------------------------*/

static int tid_of(const struct thread *thread)
{
	return thread ? FIRST_TID + thread->number : 0;
}

static const char *comm_of(const struct thread *thread)
{
	return thread ? "permits" : "swapper";
}

/* A line of perf script -F comm,pid,tid,cpu,time,event,trace --ns. `who` NULL is an idle CPU. */
__attribute__((format(printf, 5, 6))) static void tell(struct program *program,
						       const struct thread *who, int cpu,
						       uint64_t now, const char *format, ...)
{
	va_list args;

	if (!program->trace)
		return;
	fprintf(program->trace, "%s %d/%d [%03d] %lu.%09lu: ", comm_of(who), who ? FIRST_TID : 0,
		tid_of(who), cpu, (unsigned long)(now / 1000000000),
		(unsigned long)(now % 1000000000));
	va_start(args, format);
	vfprintf(program->trace, format, args);
	va_end(args);
	putc('\n', program->trace);
}

static void tell_call(struct thread *self, const char *name, const void *object, int count)
{
	struct program *program = self->program;

	if (!program->trace)
		return;
	if (count < 0)
		tell(program, self, self->permit, now_ns(CLOCK_MONOTONIC),
		     "pscal:%s: (401000) object=%p", name, object);
	else
		tell(program, self, self->permit, now_ns(CLOCK_MONOTONIC),
		     "pscal:%s: (401000) object=%p count=%d", name, object, count);
}

/* --- Permits
 * ------------------------------------------------------------------------------------*/

/* `permit` goes from `from`, which is then in `state`, to `to`; either may be NULL: nobody. */
static void hand_over(struct program *program, int permit, struct thread *from, char state,
		      struct thread *to)
{
	uint64_t now = now_ns(CLOCK_MONOTONIC);

	tell(program, from, permit, now,
	     "sched:sched_switch: prev_comm=%s prev_pid=%d prev_prio=120 prev_state=%c ==> "
	     "next_comm=%s next_pid=%d next_prio=120",
	     comm_of(from), tid_of(from), state, comm_of(to), tid_of(to));
	program->holders[permit] = to;
	if (!to)
		return;
	to->permit = permit;
	to->since_ns = now;
	to->slice_ns = 0;
	to->state = RUNNING;
	pthread_cond_signal(&to->changed);
}

/* It may run from now on: at once, where there is a permit. */
static void make_ready(struct program *program, struct thread *thread)
{
	thread->state = RUNNABLE;
	for (int i = 0; i < program->permits; i++) {
		if (!program->holders[i]) {
			hand_over(program, i, NULL, 'R', thread);
			return;
		}
	}
	append(&program->ready, thread);
}

static void wait_for_permit(struct thread *self)
{
	while (self->state != RUNNING)
		pthread_cond_wait(&self->changed, &self->program->mutex);
}

/* Gives its permit back and waits until somebody has made it ready. */
static void block(struct thread *self)
{
	struct program *program = self->program;

	self->state = WAITING;
	hand_over(program, self->permit, self, 'S', take_first(&program->ready));
	wait_for_permit(self);
}

/* `by` NULL: an idle CPU. */
static void wake(struct program *program, struct thread *by, struct thread *whom)
{
	tell(program, by, by ? by->permit : 0, now_ns(CLOCK_MONOTONIC),
	     "sched:sched_waking: comm=permits pid=%d prio=120 target_cpu=000", tid_of(whom));
	make_ready(program, whom);
}

/*
 * Holds a permit for `ns`, in slices. Work begins where the last one ended or where the permit was
 * got, and not when the kernel has woken the thread, so that its latencies do not add up.
 */
static void work(struct thread *self, uint64_t ns)
{
	struct program *program = self->program;

	while (ns) {
		uint64_t left = program->slice_ns - self->slice_ns;
		uint64_t piece = ns < left ? ns : left;

		pthread_mutex_unlock(&program->mutex);
		sleep_until(self->since_ns + piece);
		pthread_mutex_lock(&program->mutex);
		ns -= piece;
		self->since_ns += piece;
		self->slice_ns += piece;
		if (self->slice_ns < program->slice_ns)
			continue;
		self->slice_ns = 0;
		if (ns && program->ready.count) {
			self->state = RUNNABLE;
			append(&program->ready, self);
			hand_over(program, self->permit, self, 'R', take_first(&program->ready));
			wait_for_permit(self);
		}
	}
}

/*
 * A sleep that is one: without a permit. The timer goes off on the first CPU: a trace then names
 * the thread that it interrupts there as the waker.
 */
static void nap(struct thread *self, uint64_t ns)
{
	struct program *program = self->program;
	uint64_t begin_ns = now_ns(CLOCK_MONOTONIC), end_ns = begin_ns + ns;

	tell(program, self, self->permit, begin_ns,
	     "syscalls:sys_enter_clock_nanosleep: which_clock: 0x00000001, flags: 0x00000000, "
	     "rqtp: "
	     "0x7ffc00001000, rmtp: 0x00000000");
	self->state = WAITING;
	hand_over(program, self->permit, self, 'S', take_first(&program->ready));
	pthread_mutex_unlock(&program->mutex);
	sleep_until(end_ns);
	pthread_mutex_lock(&program->mutex);
	wake(program, program->holders[0], self);
	wait_for_permit(self);
	tell(program, self, self->permit, now_ns(CLOCK_MONOTONIC),
	     "syscalls:sys_exit_clock_nanosleep: 0x0");
}

/* --- What threads wait for
 * ----------------------------------------------------------------------*/

/* As glibc does: who is woken tries again, and may find that another was faster. */
static void lock(struct thread *self, struct lock *lock)
{
	tell_call(self, "mutex_lock", lock, -1);
	while (lock->owner) {
		append(&lock->waiters, self);
		block(self);
	}
	lock->owner = self;
}

static void unlock(struct thread *self, struct lock *lock)
{
	struct thread *next = take_first(&lock->waiters);

	tell_call(self, "mutex_unlock", lock, -1);
	lock->owner = NULL;
	if (next)
		wake(self->program, self, next);
}

static void take(struct thread *self, struct semaphore *semaphore)
{
	tell_call(self, "sem_wait", semaphore, -1);
	while (!semaphore->tokens) {
		append(&semaphore->waiters, self);
		block(self);
	}
	semaphore->tokens--;
}

static void give(struct thread *self, struct semaphore *semaphore)
{
	struct thread *next = take_first(&semaphore->waiters);

	tell_call(self, "sem_post", semaphore, -1);
	semaphore->tokens++;
	if (next)
		wake(self->program, self, next);
}

static void meet(struct thread *self, struct barrier *barrier)
{
	unsigned round = barrier->round;

	tell_call(self, "barrier_wait", barrier, -1);
	if (++barrier->there == barrier->parties) {
		barrier->there = 0;
		barrier->round++;
		for (struct thread *other; (other = take_first(&barrier->waiters));)
			wake(self->program, self, other);
		return;
	}
	append(&barrier->waiters, self);
	while (barrier->round == round)
		block(self);
}

/* --- Threads
 * ------------------------------------------------------------------------------------*/

static void end(struct thread *self)
{
	struct program *program = self->program;

	tell(program, self, self->permit, now_ns(CLOCK_MONOTONIC),
	     "sched:sched_process_exit: comm=permits pid=%d prio=120", tid_of(self));
	self->state = ENDED;
	if (self->joiner)
		wake(program, self, self->joiner);
	hand_over(program, self->permit, self, 'X', take_first(&program->ready));
}

static void *run(void *argument)
{
	struct thread *self = argument;

	pthread_mutex_lock(&self->program->mutex);
	wait_for_permit(self);
	self->begin(self);
	end(self);
	pthread_mutex_unlock(&self->program->mutex);
	return NULL;
}

static struct thread *new_thread(struct program *program, void (*begin)(struct thread *))
{
	struct thread *thread = &program->threads[program->count];

	*thread = (struct thread){.program = program,
				  .changed = PTHREAD_COND_INITIALIZER,
				  .state = WAITING,
				  .number = program->count,
				  .random = (uint64_t)program->count * 7919 + 1,
				  .begin = begin};
	program->count++;
	return thread;
}

static void start(struct thread *self, void (*begin)(struct thread *))
{
	struct program *program = self->program;
	struct thread *thread = new_thread(program, begin);

	tell(program, self, self->permit, now_ns(CLOCK_MONOTONIC),
	     "sched:sched_process_fork: comm=permits pid=%d child_comm=permits child_pid=%d",
	     tid_of(self), tid_of(thread));
	make_ready(program, thread);
	if (pthread_create(&thread->pthread, NULL, run, thread)) {
		fputs("permits: cannot start a thread\n", stderr);
		exit(1);
	}
}

static void join_all(struct thread *self)
{
	struct program *program = self->program;

	for (int i = 1; i < program->count; i++) {
		struct thread *thread = &program->threads[i];

		thread->joiner = self;
		while (thread->state != ENDED)
			block(self);
	}
}

/* --- Patterns
 * -----------------------------------------------------------------------------------*/

/* From 1 to `most` units, even: Knuth's MMIX generator. */
static uint64_t some(struct thread *self, unsigned most)
{
	self->random = self->random * 6364136223846793005u + 1442695040888963407u;
	return self->program->unit_ns +
	       (self->random >> 33) * self->program->unit_ns * (most - 1) / (UINT64_C(1) << 31);
}

static void fork_join(struct thread *self)
{
	for (int i = 0; i < 12; i++) {
		work(self, some(self, 4));
		meet(self, &self->program->barrier);
	}
}

static void unequal(struct thread *self)
{
	work(self, (uint64_t)self->number * self->program->unit_ns);
}

static void stage(struct thread *self)
{
	struct program *program = self->program;
	int mine = (self->number - 1) / 2;

	while (program->taken[mine] < 40) {
		program->taken[mine]++;
		if (mine)
			take(self, &program->items[mine]);
		if (mine)
			give(self, &program->room[mine]);
		work(self, some(self, (unsigned)mine + 2));
		if (mine == 4)
			continue;
		take(self, &program->room[mine + 1]);
		give(self, &program->items[mine + 1]);
	}
}

static void locks(struct thread *self)
{
	for (int i = 0; i < 12; i++) {
		struct lock *mine = &self->program->locks[(i + self->number) % 2];

		work(self, some(self, 5));
		lock(self, mine);
		work(self, some(self, 1) * 3 / 4);
		unlock(self, mine);
	}
}

static void naps(struct thread *self)
{
	for (int i = 0; i < 10; i++) {
		work(self, some(self, 4));
		nap(self, some(self, 6));
	}
}

static const struct pattern {
	const char *name;
	int threads;
	void (*begin)(struct thread *self);
} patterns[] = {
	{"fork-join", 16, fork_join}, {"unequal", 24, unequal}, {"pipeline", 10, stage},
	{"locks", 12, locks},	      {"naps", 12, naps},
};

/* What the first thread does: the objects, all threads, and their ends. */
static void run_pattern(struct thread *self, const struct pattern *pattern)
{
	struct program *program = self->program;

	program->barrier.parties = pattern->threads;
	if (pattern->begin == fork_join)
		tell_call(self, "barrier_init", &program->barrier, pattern->threads);
	for (int i = 1; pattern->begin == stage && i < 5; i++) {
		program->room[i].tokens = 2;
		tell_call(self, "sem_init", &program->room[i], 2);
		tell_call(self, "sem_init", &program->items[i], 0);
	}
	for (int i = 0; i < pattern->threads; i++)
		start(self, pattern->begin);
	join_all(self);
}

static double run_program(struct program *program, const struct pattern *pattern)
{
	struct thread *first = new_thread(program, NULL);
	uint64_t begin_ns = now_ns(CLOCK_MONOTONIC), end_ns;

	pthread_mutex_lock(&program->mutex);
	make_ready(program, first);
	run_pattern(first, pattern);
	end(first);
	end_ns = now_ns(CLOCK_MONOTONIC);
	pthread_mutex_unlock(&program->mutex);
	for (int i = 1; i < program->count; i++)
		pthread_join(program->threads[i].pthread, NULL);
	return (double)(end_ns - begin_ns) / 1e9;
}

/* The threads need next to no CPU time, but that at once. Who may not ask for it does without. */
static void be_urgent(void)
{
	const struct sched_param first = {.sched_priority = 1};

	(void)sched_setscheduler(0, SCHED_FIFO, &first);
}

int main(int argc, char **argv)
{
	static struct program program = {.mutex = PTHREAD_MUTEX_INITIALIZER};
	uint64_t unit_us = argc > 4 ? strtoull(argv[4], NULL, 10) : 4000;

	program.permits = argc > 2 ? atoi(argv[2]) : 0;
	program.unit_ns = unit_us * 1000;
	program.slice_ns = 2 * program.unit_ns;
	if (program.permits < 1 || program.permits > PERMITS_MAX || !unit_us) {
		fputs("Usage: permits PATTERN K [TRACE [UNIT_US]]\n", stderr);
		return 2;
	}
	if (argc > 3 && *argv[3] && !(program.trace = fopen(argv[3], "we"))) {
		perror(argv[3]);
		return 1;
	}
	be_urgent();
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		if (strcmp(argv[1], patterns[i].name) == 0)
			printf("%.6f\n", run_program(&program, &patterns[i]));
	return program.trace && fclose(program.trace) ? 1 : 0;
}
