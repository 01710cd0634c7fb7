/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that were compiled with -finstrument-functions. */
#include "probe/block_event.h"

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void __cyg_profile_func_enter(void *function, void *caller);
EXPORTED void __cyg_profile_func_exit(void *function, void *caller);

/* As the compiler calls these in pairs, also where an exception ends the function. */
EXPORTED void __cyg_profile_func_enter(void *function, void *caller)
{
	struct probe_thread *self = probe_settings.functions ? probe_thread_self() : NULL;
	uint64_t block = (uintptr_t)function;
	struct probe_call *call;

	if (!self)
		return;
	call = probe_thread_push(self, block << 1 | 1);
	if (!call)
		return;
	call->caller = (uintptr_t)caller;
	call->block = probe_settings.every > 1 && !probe_thread_samples(self) ? 0 : block;
	if (!call->block)
		return;
	block_event_stack(self, block, call->caller);
	block_event_write(self, SPOOL_ENTER, block, NULL, 0);
}

EXPORTED void __cyg_profile_func_exit(void *function, void *caller)
{
	struct probe_thread *self = &probe_self;
	uint64_t block = (uintptr_t)function;
	struct probe_call *call = NULL;

	(void)caller;
	if (self->state != PROBE_ON || !probe_settings.functions)
		return;
	for (size_t i = self->depth; i-- > 0 && !call;)
		if (self->calls[i].slot == (block << 1 | 1))
			call = &self->calls[i];
	if (!call)
		return;
	if (call->block)
		block_event_write(self, SPOOL_LEAVE, block, NULL, 0);
	probe_thread_pop(self, call);
}
