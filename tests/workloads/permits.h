/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The simulated machine of permits.c: its permits, its trace, its threads, and the objects on which
 * these wait. */
#ifndef PSCAL_WORKLOADS_PERMITS_H
#define PSCAL_WORKLOADS_PERMITS_H

#include "meter.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	DILATION = 4,
	THREADS_MAX = 64,
	WAITERS_MAX = THREADS_MAX,
	PERMITS_MAX = 1024,
	FIRST_TID = 1000
};

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
	uint64_t since_ns; /* the end of its work so far, or the time of its permit */
	uint64_t slice_ns; /* work since it got its permit */
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
	pthread_mutex_t mutex; /* protects all that follows, and the trace */
	FILE *trace;	       /* or NULL */
	int permits;
	struct thread *holders[PERMITS_MAX];
	struct queue ready;
	struct thread threads[THREADS_MAX];
	int count;
	uint64_t unit_ns, slice_ns;
	struct barrier barrier;
	struct lock locks[2];
	struct semaphore items[6], room[6]; /* before each stage, and after the last */
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

/* Writes a line of perf script -F comm,pid,tid,cpu,time,event,trace --ns. `thread` is NULL for an idle
 * CPU. */
__attribute__((format(printf, 5, 6))) static void tell(struct program *program,
						       const struct thread *thread, int cpu,
						       uint64_t now, const char *format, ...)
{
	va_list args;

	if (!program->trace)
		return;
	now /= DILATION;
	fprintf(program->trace, "%s %d/%d [%03d] %lu.%09lu: ", comm_of(thread),
		thread ? FIRST_TID : 0, tid_of(thread), cpu, (unsigned long)(now / 1000000000),
		(unsigned long)(now % 1000000000));
	va_start(args, format);
	vfprintf(program->trace, format, args);
	va_end(args);
	putc('\n', program->trace);
}

/* `count` is below 0 for a call without one. */
static void tell_call(struct thread *self, const char *name, const void *object, int count)
{
	char text[32] = "";

	if (count >= 0)
		snprintf(text, sizeof(text), " count=%d", count);
	tell(self->program, self, self->permit, now_ns(CLOCK_MONOTONIC),
	     "pscal:%s: (401000) object=%p%s", name, object, text);
}

/* --- Permits
 * ------------------------------------------------------------------------------------*/

/* `permit` goes from `from`, which is then in `state`, to `to`; NULL: no thread. */
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

/* The thread may run from now on; at once if a permit is free. */
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

/* Gives the permit back and waits until another thread has made this one ready. */
static void block(struct thread *self)
{
	struct program *program = self->program;

	self->state = WAITING;
	hand_over(program, self->permit, self, 'S', take_first(&program->ready));
	wait_for_permit(self);
}

/* `by` NULL: an idle CPU. */
static void wake(struct program *program, struct thread *by, struct thread *woken)
{
	tell(program, by, by ? by->permit : 0, now_ns(CLOCK_MONOTONIC),
	     "sched:sched_waking: comm=permits pid=%d prio=120 target_cpu=000", tid_of(woken));
	make_ready(program, woken);
}

/*
 * Holds a permit for `ns`, in slices. Work begins at the end of the last work or at the time of the
 * permit, not when the kernel has woken the thread, so that latencies do not add up.
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
 * A sleep that is no work: without a permit. The timer is on the first CPU, so the trace names the
 * thread there as the waker.
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

/* As in glibc: a woken thread tries again, and may find that another one was faster. */
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

#endif
