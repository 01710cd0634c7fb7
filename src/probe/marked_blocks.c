/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks that a program marks itself. */
#include "probe/probe.h"

#include "probe/block_event.h"
#include "probe/confinement.h"
#include "probe/process_notes.h"

/* Exports functions that programs call; the rest of the library is hidden. */
#define EXPORTED __attribute__((visibility("default")))

static void write_event(struct pscal_block *block, enum spool_kind kind, uint64_t value)
{
	struct probe_thread *self = probe_settings.marks ? probe_thread_self() : NULL;
	uint32_t process;

	if (!self)
		return;
	process = probe_process->id;
	/*
	 * The name is noted before any event, also of another thread, as the recorder looks for it
	 * once. Twice does no harm. The child of a fork has not noted it yet.
	 */
	if (__atomic_load_n(&block->known, __ATOMIC_ACQUIRE) != process) {
		if (!confinement_hold())
			return;
		probe_process_name((uintptr_t)block, block->name);
		__atomic_store_n(&block->known, process, __ATOMIC_RELEASE);
		confinement_free();
	}
	block_event_write(self, kind, (uintptr_t)block, &value, probe_settings.arguments > 0);
}

EXPORTED void pscal_block_begin(struct pscal_block *block, uint64_t value)
{
	write_event(block, SPOOL_ENTER, value);
}

EXPORTED void pscal_block_end(struct pscal_block *block, uint64_t value)
{
	write_event(block, SPOOL_LEAVE, value);
}

EXPORTED void pscal_block_mark(struct pscal_block *block, uint64_t value)
{
	write_event(block, SPOOL_MARK, value);
}
