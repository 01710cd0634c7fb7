/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/block_entry.h"

#include "probe/block_event.h"

void probe_entered(uint64_t block, uint64_t *slot, const struct probe_registers *registers)
{
	struct probe_thread *self = probe_thread_self();
	struct probe_call *call;

	if (!self || (probe_settings.every > 1 && !probe_thread_samples(self)))
		return;
	/* A tail call: it returns when the function does that it stands in for. */
	if (*slot == (uint64_t)(uintptr_t)probe_stub_leave)
		return;
	call = probe_thread_push(self, (uintptr_t)slot);
	if (!call)
		return;
	call->caller = *slot;
	call->block = block;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	*slot = (uint64_t)(uintptr_t)probe_stub_leave;
	block_event_stack(self, block, call->caller);
	block_event_write(self, SPOOL_ENTER, block, registers->arguments, probe_settings.arguments);
}

static struct probe_call *find(struct probe_thread *self, uintptr_t slot)
{
	for (size_t i = self->depth; i-- > 0;)
		if (self->calls[i].slot == slot)
			return &self->calls[i];
	return probe_threads_find(slot);
}

/* Whatever has become of the thread, the call must return. */
uint64_t probe_left(uint64_t *slot, uint64_t result)
{
	struct probe_thread *self = &probe_self;
	struct probe_call *call = find(self, (uintptr_t)slot);
	uint64_t caller, block;

	if (!call)
		__builtin_trap(); /* there is nowhere to return to */
	caller = call->caller;
	block = call->block;
	probe_thread_pop(self, call);
	if (self->state == PROBE_ON)
		block_event_write(self, SPOOL_LEAVE, block, &result, probe_settings.arguments > 0);
	return caller;
}

void probe_restore_returns(void)
{
	struct probe_thread *self = &probe_self;

	for (size_t i = self->depth; i-- > 0;) {
		struct probe_call *call = &self->calls[i];
		uint64_t *slot = (uint64_t *)call->slot; // NOLINT: an address

		if (call->slot & 1 || !slot || *slot != (uint64_t)(uintptr_t)probe_stub_leave)
			continue;
		*slot = call->caller;
		call->slot = 0;
	}
}
