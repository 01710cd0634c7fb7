/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What tasks of the program do, as it says itself or as a runtime library does. */
#include "probe/confinement.h"
#include "probe/own_counter.h"
#include "probe/probe_clock.h"
#include "probe/probe_thread.h"
#include "probe/process_files.h"
#include "probe/task.h"

#define EXPORTED __attribute__((visibility("default")))

/*
 * Tasks are numbered in lots, of which a thread has one at a time. The first numbers of each stand
 * for none: who gets one needs a lot, and that may be a signal handler which has interrupted this.
 * The child of a fork goes on where its parent was, as it may have tasks of its parent.
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

/* A block of code ends with it: what recording takes from now on is no part of that. */
static bool is_stop(enum pscal_step step)
{
	return step == PSCAL_STEP_END || step == PSCAL_STEP_SPAWN || step == PSCAL_STEP_SYNC ||
	       step == PSCAL_STEP_PAUSE || step == PSCAL_STEP_BARRIER;
}

static uint64_t now(void)
{
	return probe_clock_read((enum spool_clock)probe_settings.first.clock);
}

/* `time` 0: that of its end. */
static inline void write_step(struct probe_thread *self, uint64_t site, uint64_t time,
			      const uint64_t *values, unsigned count)
{
	struct spool_record *head = spool_writer_take(&self->writer, spool_records(count));

	if (__builtin_expect(!head, 0)) {
		probe_thread_stop(self);
		return;
	}
	for (unsigned i = 0; i < count; i++)
		(&head[1].time)[i] = values[i];
	spool_writer_put(head, time ? time : now(), spool_word(SPOOL_TASK, site, count));
}

/* As blocks are named in marked_blocks.c. False: nothing is recorded any more. */
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
 * Even where there is no room to tell of it, a task has a number of its own, for its children. The
 * time is not read where nothing is recorded, as that kills who has confined itself strictly.
 */
static inline pscal_task tell(const void *code, struct pscal_site *site, enum pscal_step step,
			      pscal_task task, uint32_t value)
{
	pscal_task about = step == PSCAL_STEP_BEGIN ? new_task(&probe_self) : task;
	struct probe_thread *self = about == PSCAL_NO_TASK ? NULL : probe_thread_self();
	uint64_t time = self && is_stop(step) ? now() : 0, values[3];

	if (!self || (site && !name_site(site)))
		return about;
	values[0] = spool_task_value(step, about);
	if (step == PSCAL_STEP_BEGIN) {
		values[1] = task;
		values[2] = value;
		write_step(self, (uintptr_t)code, time, values, 3);
	} else {
		values[1] = value;
		write_step(self, (uintptr_t)code, time, values,
			   step == PSCAL_STEP_SPAWN || step == PSCAL_STEP_SYNC_OF ||
					   step == PSCAL_STEP_SYNC
				   ? 2
				   : 1);
	}
	return about;
}

EXPORTED pscal_task pscal_task_step(struct pscal_site *site, enum pscal_step step, pscal_task task,
				    uint32_t value)
{
	if (!probe_settings.tasks)
		return PSCAL_NO_TASK;
	return tell(site, site, step, task, value);
}

EXPORTED pscal_task pscal_task_step_at(const void *code, enum pscal_step step, pscal_task task,
				       uint32_t value)
{
	if (!probe_settings.tasks)
		return PSCAL_NO_TASK;
	return tell(code, NULL, step, task, value);
}
