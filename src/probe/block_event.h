/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The record of the enter or the leave of a block. */
#ifndef PSCAL_PROBE_BLOCK_EVENT_H
#define PSCAL_PROBE_BLOCK_EVENT_H

#include <stddef.h>
#include <stdint.h>

#include "probe/probe_clock.h"
#include "probe/probe_thread.h"

/* Writes an event. Each record behind the head holds two values. */
static inline void block_event_write(struct probe_thread *self, enum spool_kind kind,
				     uint64_t block, const uint64_t *values, unsigned count)
{
	struct spool_record *head = spool_writer_take(&self->writer, spool_records(count));

	if (__builtin_expect(!head, 0)) {
		probe_thread_stop(self);
		return;
	}
	for (unsigned i = 0; i < count; i++)
		(&head[1].time)[i] = values[i];
	spool_writer_put(head, probe_clock_read((enum spool_clock)probe_settings.first.clock),
			 spool_word(kind, block, count));
}

/* Returns whether the call that is about to be entered is one whose call chain is recorded. */
static inline bool block_event_stack_is_due(struct probe_thread *self)
{
	if (!probe_settings.stack_every)
		return false;
	if (self->until_stack) {
		self->until_stack--;
		return false;
	}
	self->until_stack = probe_settings.stack_every - 1;
	return true;
}

#endif
