/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of tasks, as reported by the program or a runtime library. */
#include "probe/confinement.h"
#include "probe/probe_clock.h"
#include "probe/probe_thread.h"
#include "probe/process_notes.h"
#include "probe/spool_writer.h"
#include "probe/task.h"

#define EXPORTED __attribute__((visibility("default")))

/*
 * Tasks are numbered in lots, of which a thread has one at a time. The first numbers of each stand
 * for none: their taker needs a lot, and may be a signal handler that interrupted this. The child
 * of a fork continues its parent's lot, as it may have tasks of its parent.
 */
enum { LOT = 1 << 20, SPARE = 8 };

static uint64_t lots;

static pscal_task new_task(struct probe_thread *self)
{
	uint64_t task = own_counter_add(&self->next_task, 1);

	if (__builtin_expect(task % LOT < SPARE, 0)) {
		task = __atomic_fetch_add(&lots, LOT, __ATOMIC_RELAXED) + SPARE;
		self->next_task = task + 1;
	}
	return task;
}

/* Sets of steps, a bit for each. */
enum {
	/* Steps that end a block of code: the cost of recording from now on is not part of it. */
	STOPS = 1 << PSCAL_STEP_END | 1 << PSCAL_STEP_SPAWN | 1 << PSCAL_STEP_SYNC |
		1 << PSCAL_STEP_PAUSE | 1 << PSCAL_STEP_BARRIER,
	/* Steps that begin one: the cost of recording before is not part of it. */
	STARTS = 1 << PSCAL_STEP_BEGIN | 1 << PSCAL_STEP_SPAWNED | 1 << PSCAL_STEP_SYNCED |
		 1 << PSCAL_STEP_RESUME,
	HAVE_VALUES = 1 << PSCAL_STEP_SPAWN | 1 << PSCAL_STEP_SYNC_OF | 1 << PSCAL_STEP_SYNC,
};

_Static_assert(PSCAL_STEP_BEGIN == 1 && PSCAL_STEP_SPAWN == 3 && PSCAL_STEP_SYNC_OF == 5 &&
		       PSCAL_STEP_SYNC == 6,
	       "spool_step_values() knows them by number");

static inline bool is_in(unsigned set, enum pscal_step step)
{
	return set >> step & 1;
}

static uint64_t now(void)
{
	return probe_clock_read((enum spool_clock)probe_settings.first.clock);
}

static inline struct spool_record *take_records(struct probe_thread *self, unsigned count)
{
	struct spool_record *head = spool_writer_take(&self->writer, spool_records(count));

	if (__builtin_expect(!head, 0))
		probe_thread_stop(self);
	return head;
}

/* Writes a step with counters, which are read last at the start of a block and first at its end. */
static void write_counted(struct probe_thread *self, uint64_t site, uint64_t time,
			  const uint64_t *values, unsigned count, const uint64_t *counted)
{
	unsigned counters = self->counters.count;
	struct spool_record *head = take_records(self, count + counters);

	if (!head)
		return;
	for (unsigned i = 0; i < count; i++)
		(&head[1].time)[i] = values[i];
	for (unsigned i = 0; i < counters && time; i++)
		(&head[1].time)[count + i] = counted[i];
	if (!time)
		thread_counters_read(&head[1].time + count, &self->counters);
	spool_writer_put(head, time ? time : now(),
			 spool_word(SPOOL_COUNTED, site, count + counters));
}

/* Notes the name of a site, as marked_blocks.c does. False: nothing is recorded any more. */
static bool name_site(struct pscal_site *site)
{
	uint32_t process = probe_process->id;

	if (__builtin_expect(__atomic_load_n(&site->known, __ATOMIC_ACQUIRE) == process, 1))
		return true;
	if (!confinement_hold())
		return false;
	probe_process_site((uintptr_t)site, site->function, site->file, site->line);
	__atomic_store_n(&site->known, process, __ATOMIC_RELEASE);
	confinement_free();
	return true;
}

/*
 * Begins a task. Without room to record it, it still has its own number, for its children. The time
 * is not read if nothing is recorded, as that kills a thread in strict confinement.
 */
static inline pscal_task begin_task(const void *code, struct pscal_site *site, pscal_task parent,
				    uint32_t index)
{
	pscal_task task = new_task(&probe_self);
	struct probe_thread *self = probe_thread_self();
	struct spool_record *head;

	if (__builtin_expect(!self || (site && !name_site(site)), 0))
		return task;
	head = take_records(self, 3);
	if (__builtin_expect(!head, 0))
		return task;
	head[1].time = spool_task_value(PSCAL_STEP_BEGIN, task);
	head[1].word = parent;
	head[2].time = index;
	spool_writer_put(head, now(), spool_word(SPOOL_TASK, (uintptr_t)code, 3));
	return task;
}

/* Records a step, with room for a value even if it has none. */
static inline void go_on(const void *code, struct pscal_site *site, enum pscal_step step,
			 pscal_task task, uint32_t value)
{
	struct probe_thread *self = task == PSCAL_NO_TASK ? NULL : probe_thread_self();
	struct spool_record *head;
	uint64_t time;

	if (__builtin_expect(!self, 0))
		return;
	time = is_in(STOPS, step) ? now() : 0;
	if (__builtin_expect(site && !name_site(site), 0))
		return;
	head = take_records(self, 2);
	if (__builtin_expect(!head, 0))
		return;
	head[1].time = spool_task_value(step, task);
	head[1].word = value;
	spool_writer_put(head, time ? time : now(),
			 spool_word(SPOOL_TASK, (uintptr_t)code, 1 + is_in(HAVE_VALUES, step)));
}

static inline pscal_task tell_plain(const void *code, struct pscal_site *site, enum pscal_step step,
				    pscal_task task, uint32_t value)
{
	if (step == PSCAL_STEP_BEGIN)
		return begin_task(code, site, task, value);
	go_on(code, site, step, task, value);
	return task;
}

static unsigned put_values(uint64_t *values, enum pscal_step step, pscal_task about,
			   pscal_task task, uint32_t value)
{
	unsigned count = 0;

	values[count++] = spool_task_value(step, about);
	if (step == PSCAL_STEP_BEGIN)
		values[count++] = task;
	if (is_in(HAVE_VALUES, step) || step == PSCAL_STEP_BEGIN)
		values[count++] = value;
	return count;
}

/* Does the same as tell_plain(), which does not even check for counters. */
static __attribute__((noinline)) pscal_task tell_counted(const void *code, struct pscal_site *site,
							 enum pscal_step step, pscal_task task,
							 uint32_t value)
{
	pscal_task about = step == PSCAL_STEP_BEGIN ? new_task(&probe_self) : task;
	struct probe_thread *self = about == PSCAL_NO_TASK ? NULL : probe_thread_self();
	uint64_t time = self && is_in(STOPS, step) ? now() : 0;
	uint64_t values[3], counted[PLAN_COUNTERS_MAX];

	if (self && time)
		thread_counters_read(counted, &self->counters);
	if (!self || (site && !name_site(site)))
		return about;
	write_counted(self, (uintptr_t)code, time, values,
		      put_values(values, step, about, task, value), counted);
	return about;
}

/* Handles steps that are not recorded, or need more than tell_step(). */
static __attribute__((noinline)) pscal_task tell_otherwise(const void *code,
							   struct pscal_site *site,
							   enum pscal_step step, pscal_task task,
							   uint32_t value)
{
	if (probe_settings.tasks == TASKS_NOT)
		return PSCAL_NO_TASK;
	/* When a thread begins to be recorded it begins to be counted. */
	if ((step == PSCAL_STEP_BEGIN || task != PSCAL_NO_TASK) && is_in(STARTS | STOPS, step) &&
	    probe_thread_self() && probe_self.counters.count)
		return tell_counted(code, site, step, task, value);
	return tell_plain(code, site, step, task, value);
}

static inline pscal_task tell_step(const void *code, struct pscal_site *site, enum pscal_step step,
				   pscal_task task, uint32_t value)
{
	if (__builtin_expect(probe_settings.tasks != TASKS_TOLD, 0))
		return tell_otherwise(code, site, step, task, value);
	return tell_plain(code, site, step, task, value);
}

EXPORTED pscal_task pscal_task_step(struct pscal_site *site, enum pscal_step step, pscal_task task,
				    uint32_t value)
{
	return tell_step(site, site, step, task, value);
}

EXPORTED pscal_task pscal_task_step_at(const void *code, enum pscal_step step, pscal_task task,
				       uint32_t value)
{
	return tell_step(code, NULL, step, task, value);
}
