/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/probe_thread.h"

#include "probe/probe_clock.h"
#include "probe/process_files.h"
#include "probe/raw_call.h"

#include <limits.h>
#include <pthread.h>
#include <sys/mman.h>

struct probe_settings probe_settings;
__thread struct probe_thread probe_self __attribute__((tls_model("initial-exec")));

static struct {
	struct probe_thread *first;
	int lock;
	pthread_key_t key;
	bool has_key;
} threads;

/* --- All threads --------------------------------------------------------------------------- */

/* Held for some instructions by who begins, ends or returns on another thread than it was on. */
static void lock(void)
{
	while (__atomic_exchange_n(&threads.lock, 1, __ATOMIC_ACQUIRE))
		raw_call(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
}

static void unlock(void)
{
	__atomic_store_n(&threads.lock, 0, __ATOMIC_RELEASE);
}

static void add(struct probe_thread *self)
{
	lock();
	self->next = threads.first;
	threads.first = self;
	unlock();
}

static void take_off(struct probe_thread *self)
{
	struct probe_thread **at;

	lock();
	for (at = &threads.first; *at && *at != self; at = &(*at)->next)
		;
	if (*at)
		*at = self->next;
	unlock();
}

struct probe_call *probe_threads_find(uintptr_t slot)
{
	struct probe_call *found = NULL;

	lock();
	for (struct probe_thread *thread = threads.first; thread && !found; thread = thread->next)
		for (size_t i = thread->depth; i-- > 0 && !found;)
			if (thread->calls[i].slot == slot)
				found = &thread->calls[i];
	unlock();
	return found;
}

/* --- One ----------------------------------------------------------------------------------- */

static bool map_calls(struct probe_thread *self)
{
	long at;

	if (self->calls)
		return true;
	at = raw_call(SYS_mmap, 0, PROBE_DEPTH_MAX * sizeof(struct probe_call),
		      PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at < 0 && at >= -4095)
		return false;
	self->calls = (struct probe_call *)at; // NOLINT: an address
	return true;
}

/*
 * Signal handlers may come here while the thread does: they find it off, and record nothing until
 * it is on.
 */
bool probe_thread_begin(struct probe_thread *self)
{
	struct spool_header first = probe_settings.first;

	if (!probe_settings.on)
		return false;
	self->state = PROBE_OFF;
	if (!probe_settings.process)
		probe_process_begin();
	first.begin_time = probe_clock_read((enum spool_clock)first.clock);
	if (!map_calls(self) || spool_writer_open(&self->writer, probe_settings.spool, &first))
		return false;
	self->random = first.begin_time | 1;
	self->until_sample = self->until_stack = 0;
	add(self);
	/* Without a destructor the file stays open to the end of the process, which does no harm.
	 */
	if (threads.has_key)
		pthread_setspecific(threads.key, (void *)(intptr_t)1);
	self->state = PROBE_ON;
	return true;
}

struct probe_call *probe_thread_push(struct probe_thread *self, uintptr_t slot)
{
	struct probe_call *call;

	while (self->depth && (!self->calls[self->depth - 1].slot ||
			       (!(slot & 1) && self->calls[self->depth - 1].slot == slot)))
		self->depth--;
	if (self->depth == PROBE_DEPTH_MAX)
		return NULL;
	call = &self->calls[self->depth];
	call->slot = slot;
	self->depth++;
	return call;
}

void probe_thread_pop(struct probe_thread *self, struct probe_call *call)
{
	call->slot = 0;
	while (self->depth && !self->calls[self->depth - 1].slot)
		self->depth--;
}

void probe_thread_stop(struct probe_thread *self)
{
	self->state = PROBE_OFF;
}

bool probe_thread_samples(struct probe_thread *self)
{
	uint64_t random = self->random;

	if (self->until_sample--)
		return false;
	random ^= random << 13;
	random ^= random >> 7;
	random ^= random << 17;
	self->random = random;
	self->until_sample = random % (2 * (uint64_t)probe_settings.every - 1);
	return true;
}

/* --- Ends and forks ------------------------------------------------------------------------ */

/*
 * Other destructors may run functions that are watched, so this one is to be the last: it has
 * itself called again as often as there is a next round.
 */
static void end_thread(void *value)
{
	struct probe_thread *self = &probe_self;
	intptr_t round = (intptr_t)value;

	if (round < PTHREAD_DESTRUCTOR_ITERATIONS) {
		pthread_setspecific(threads.key, (void *)(round + 1));
		return;
	}
	if (self->state != PROBE_ON)
		return;
	self->state = PROBE_OFF;
	take_off(self);
	spool_writer_close(&self->writer);
	raw_call(SYS_munmap, (long)self->calls, PROBE_DEPTH_MAX * sizeof(struct probe_call), 0, 0,
		 0, 0);
	self->calls = NULL;
	self->depth = 0;
}

/* The child has one thread, whose calls will return there too, and which gets a file of its own. */
static void begin_child(void)
{
	struct probe_thread *self = &probe_self;

	threads.lock = 0;
	threads.first = NULL;
	probe_settings.process = 0;
	if (self->state != PROBE_ON)
		return;
	self->state = PROBE_NEW;
	spool_writer_abandon(&self->writer);
}

int probe_threads_begin(void)
{
	threads.has_key = pthread_key_create(&threads.key, end_thread) == 0;
	return pthread_atfork(NULL, NULL, begin_child);
}
