/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls of watched functions that are not over, each at a place that follows from where its return
 * address is on the stack, and from nothing else: stacks are left by longjmp and exceptions, given
 * back by coroutines, and go on on another thread. A call that never returns so leaves nothing to
 * be taken away; the next one whose return address is there takes its place.
 *
 * The addresses of a process are divided into regions, and these into granules; each in which a
 * watched function has been called has a mapping of its own, three times as large, in which a
 * struct open_call stands for each 8 bytes. Both are small, as programs may have their address
 * space limited. block_stub.S reads all of this, for unwinders.
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
	OPEN_CALL_GRANULE_SHIFT = 20, /* 1 MiB; block_stub.S has these numbers too */
	OPEN_CALL_REGION_SHIFT = 35,  /* 32 GiB */
	OPEN_CALL_GRANULES = 1 << (OPEN_CALL_REGION_SHIFT - OPEN_CALL_GRANULE_SHIFT),
	OPEN_CALL_ADDRESS_BITS = 47, /* which user space has */
	OPEN_CALL_SCALE = 3,	     /* sizeof(struct open_call) / 8 */
};

/*
 * [region]: where 64 bits for each granule in it are: the call of `slot` is at that number +
 * OPEN_CALL_SCALE * slot; 0: there is none. Regions without any share one that stays empty.
 */
extern uint64_t *open_calls;

/* To be called once. Returns 0, or -1: there is no memory. */
int open_calls_begin(void);

/* Slow; false: there is no memory. */
bool open_call_add_granule(uint64_t slot);

static inline uint64_t *open_call_granule(uint64_t slot)
{
	uint64_t *region = (uint64_t *)open_calls[slot >> OPEN_CALL_REGION_SHIFT]; // NOLINT

	return &region[slot >> OPEN_CALL_GRANULE_SHIFT & (OPEN_CALL_GRANULES - 1)];
}

/* The one whose return address is at `slot`, which has been asked for before. */
static inline struct open_call *open_call_find(uint64_t slot)
{
	uint64_t place = *open_call_granule(slot) + OPEN_CALL_SCALE * slot;

	return (struct open_call *)place; // NOLINT: an address
}

/* NULL: there is no memory for it, or that is no place for a return address. */
static inline struct open_call *open_call_at(uint64_t slot)
{
	if (__builtin_expect(slot >> OPEN_CALL_ADDRESS_BITS || slot & 7, 0))
		return NULL;
	if (__builtin_expect(!*open_call_granule(slot), 0) && !open_call_add_granule(slot))
		return NULL;
	return open_call_find(slot);
}

#endif
