/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/instrumented.h"

#include "probe/block_event.h"
#include "probe/confinement.h"
#include "probe/raw_call.h"

#include <sys/mman.h>

#define EXPORTED __attribute__((visibility("default")))

/* A call that has not ended. */
struct instrumented_call {
	uint64_t function, caller;
	bool recorded;
};

/* The calls of a thread that are kept, the last ones. */
enum { CALLS = 1 << 16 };

static bool map_calls(struct probe_thread *self)
{
	long at;

	if (!confinement_hold())
		return false;
	at = raw_call(SYS_mmap, 0, CALLS * sizeof(*self->calls), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	confinement_free();
	if (raw_call_failed(at))
		return false;
	self->calls = (struct instrumented_call *)at; // NOLINT: an address
	return true;
}

void instrumented_release(struct probe_thread *self)
{
	if (self->calls)
		raw_call(SYS_munmap, (long)self->calls, CALLS * sizeof(*self->calls), 0, 0, 0, 0);
	self->calls = NULL;
	self->call_count = self->oldest_call = 0;
}

static void write_stack(struct probe_thread *self, uint64_t function)
{
	uint64_t frames[SPOOL_STACK_MAX];
	unsigned count = 0;

	for (uint64_t i = self->call_count; i > self->oldest_call && count < SPOOL_STACK_MAX; i--)
		frames[count++] = self->calls[(i - 1) % CALLS].caller;
	block_event_write(self, SPOOL_STACK, function, frames, count);
}

/* Removes the last call of the function, and returns it; NULL: unknown. */
static struct instrumented_call *take_call(struct probe_thread *self, uint64_t function)
{
	for (uint64_t i = self->call_count; i > self->oldest_call; i--)
		if (self->calls[(i - 1) % CALLS].function == function) {
			self->call_count = i - 1;
			return &self->calls[(i - 1) % CALLS];
		}
	return NULL;
}

EXPORTED void __cyg_profile_func_enter(void *function, void *caller)
{
	struct probe_thread *self = probe_settings.functions ? probe_thread_self() : NULL;
	struct instrumented_call *call;

	if (!self || (!self->calls && !map_calls(self)))
		return;
	if (self->call_count - self->oldest_call == CALLS)
		self->oldest_call++;
	call = &self->calls[self->call_count++ % CALLS];
	call->function = (uintptr_t)function;
	call->caller = (uintptr_t)caller;
	call->recorded = probe_settings.every <= 1 || probe_thread_samples(self);
	if (!call->recorded)
		return;
	if (block_event_stack_is_due(self))
		write_stack(self, (uintptr_t)function);
	block_event_write(self, SPOOL_ENTER, (uintptr_t)function, NULL, 0);
}

EXPORTED void __cyg_profile_func_exit(void *function, void *caller)
{
	struct probe_thread *self = probe_settings.functions ? probe_thread_self() : NULL;
	const struct instrumented_call *call = self ? take_call(self, (uintptr_t)function) : NULL;

	(void)caller;
	if (!self || (call ? !call->recorded : probe_settings.every > 1))
		return;
	block_event_write(self, SPOOL_LEAVE, (uintptr_t)function, NULL, 0);
}
