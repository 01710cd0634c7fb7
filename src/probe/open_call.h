/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls of watched functions that are not over, each at a place that follows from where its return
 * address is on the stack, and from nothing else: stacks are left by longjmp and exceptions, given
 * back by coroutines, and go on on another thread. A call that never returns so leaves nothing to
 * be taken away; the next one whose return address is there takes its place.
 *
 * The addresses of a process are divided into granules; each in which a watched function has been
 * called has a mapping of its own, three times as large, in which a struct open_call stands for
 * each 8 bytes. block_stub.S reads both, for who unwinds the stack.
 */
#ifndef PSCAL_PROBE_OPEN_CALL_H
#define PSCAL_PROBE_OPEN_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct open_call {
	uint64_t caller; /* where it is to return to */
	uint64_t block;
	uint64_t outer; /* where the return address of the call around it is; 0: not known */
};

enum {
	OPEN_CALL_SHIFT = 23,	     /* a granule is 8 MiB; block_stub.S has this number too */
	OPEN_CALL_ADDRESS_BITS = 47, /* which user space has */
	OPEN_CALL_SCALE = 3,	     /* sizeof(struct open_call) / 8 */
};

/* [slot >> OPEN_CALL_SHIFT]: the call of `slot` is at that + OPEN_CALL_SCALE * slot; 0: none. */
extern uint64_t *open_calls;

/* To be called once. Returns 0, or -1: there is no memory. */
int open_calls_begin(void);

/* Slow; false: there is no memory, or that is no place for a return address. */
bool open_call_add_granule(uint64_t slot);

/* The one whose return address is at `slot`, which has been asked for before. */
static inline struct open_call *open_call_find(uint64_t slot)
{
	uint64_t place = open_calls[slot >> OPEN_CALL_SHIFT] + OPEN_CALL_SCALE * slot;

	return (struct open_call *)place; // NOLINT: an address
}

/* NULL: there is no memory for it. */
static inline struct open_call *open_call_at(uint64_t slot)
{
	if (__builtin_expect(slot >> OPEN_CALL_ADDRESS_BITS || slot & 7, 0))
		return NULL;
	if (__builtin_expect(!open_calls[slot >> OPEN_CALL_SHIFT], 0) &&
	    !open_call_add_granule(slot))
		return NULL;
	return open_call_find(slot);
}

#endif
