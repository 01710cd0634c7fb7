/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/block_entry.h"

#include "probe/block_event.h"
#include "probe/open_call.h"

static bool is_watched(uint64_t caller)
{
	return caller == (uint64_t)(uintptr_t)probe_stub_leave;
}

/* Writes the return addresses of open calls. */
static void write_stack(struct probe_thread *self, const struct open_call *call)
{
	uint64_t frames[SPOOL_STACK_MAX], block = call->block;
	unsigned count = 0;

	for (;; call = open_call_find(call->outer)) {
		frames[count++] = call->caller;
		if (!call->outer || count == SPOOL_STACK_MAX)
			break;
	}
	block_event_write(self, SPOOL_STACK, block, frames, count);
}

/*
 * Returns the call around one whose return address is at `slot`. Calls with theirs below have been
 * left without a return, or are on another stack; then the chain ends here until they return.
 */
static uint64_t find_outer(const struct probe_thread *self, uint64_t slot)
{
	uint64_t outer = self->innermost, next;

	while (outer && outer <= slot) {
		next = open_call_find(outer)->outer;
		outer = next > outer ? next : 0;
	}
	return outer;
}

/* Ends the function that was entered with this return address and has jumped to another one. */
static uint64_t leave_by_jump(struct probe_thread *self, uint64_t slot)
{
	const struct open_call *call = open_call_find(slot);

	self->innermost = call->outer;
	block_event_write(self, SPOOL_LEAVE, call->block, NULL, 0);
	return call->caller;
}

void probe_entered(uint64_t block, uint64_t *slot, const struct probe_registers *registers)
{
	struct probe_thread *self = probe_thread_self();
	struct open_call *call;

	if (!self)
		return;
	if (__builtin_expect(is_watched(*slot), 0))
		*slot = leave_by_jump(self, (uintptr_t)slot);
	if (probe_settings.every > 1 && !probe_thread_samples(self))
		return;
	call = open_call_at((uintptr_t)slot);
	if (!call)
		return;
	call->caller = *slot;
	call->block = block;
	call->outer = find_outer(self, (uintptr_t)slot);
	if (block_event_stack_is_due(self))
		write_stack(self, call);
	self->innermost = (uintptr_t)slot;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	*slot = (uint64_t)(uintptr_t)probe_stub_leave;
	block_event_write(self, SPOOL_ENTER, block, registers->arguments, probe_settings.arguments);
}

/* The call must return, whatever has happened to the thread. */
uint64_t probe_left(uint64_t *slot, uint64_t result)
{
	const struct open_call *call = open_call_find((uintptr_t)slot);
	uint64_t caller = call->caller, block = call->block, outer = call->outer;
	struct probe_thread *self = probe_thread_self();

	if (!self)
		return caller;
	self->innermost = outer;
	block_event_write(self, SPOOL_LEAVE, block, &result, probe_settings.arguments > 0);
	return caller;
}
