/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/block_event.h"

/* Where the calls return to that are on record as not over. */
void block_event_stack(struct probe_thread *self, uint64_t block, uint64_t caller)
{
	uint64_t frames[SPOOL_STACK_MAX];
	unsigned count = 0;

	if (!probe_settings.stack_every)
		return;
	if (self->until_stack) {
		self->until_stack--;
		return;
	}
	self->until_stack = probe_settings.stack_every - 1;
	frames[count++] = caller;
	for (size_t i = self->depth; i-- > 0 && count < SPOOL_STACK_MAX;)
		if (self->calls[i].slot && self->calls[i].caller != caller)
			frames[count++] = caller = self->calls[i].caller;
	block_event_write(self, SPOOL_STACK, block, frames, count);
}
