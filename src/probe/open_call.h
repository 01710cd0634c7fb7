/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls of watched functions that have not ended, each at a place that depends only on the place of
 * its return address on the stack: stacks are left by longjmp and exceptions, released by
 * coroutines, and continued by other threads. A call that never returns needs no removal; the next
 * one with its return address there replaces it.
 *
 * The addresses of a process are divided into regions, and these into granules. Each granule in
 * which a watched function has been called has a mapping, three times as large, with a struct
 * open_call for each 8 bytes. Both are small, as programs may have a limited address space.
 * block_stub.S reads all of this, for unwinders.
 */
#ifndef PSCAL_PROBE_OPEN_CALL_H
#define PSCAL_PROBE_OPEN_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct open_call {
	uint64_t caller; /* the original return address */
	uint64_t block;
	uint64_t outer; /* place of the return address of the call around it; 0: not known */
};

enum {
	OPEN_CALL_GRANULE_SHIFT = 20, /* 1 MiB; block_stub.S repeats these numbers */
	OPEN_CALL_REGION_SHIFT = 35,  /* 32 GiB */
	OPEN_CALL_GRANULES = 1 << (OPEN_CALL_REGION_SHIFT - OPEN_CALL_GRANULE_SHIFT),
	OPEN_CALL_ADDRESS_BITS = 47, /* of user space */
	OPEN_CALL_SCALE = 3,	     /* sizeof(struct open_call) / 8 */
};

/*
 * [region]: 64 bits for each granule in it: the call of `slot` is at that number + OPEN_CALL_SCALE
 * * slot; 0: none. Regions without calls share one that stays empty.
 */
extern uint64_t *open_calls;

/* Begins open calls, once. Returns 0, or -1: there is no memory. */
int open_calls_begin(void);

/* Adds the granule of `slot`, which is slow. False: there is no memory. */
bool open_call_add_granule(uint64_t slot);

static inline uint64_t *open_call_granule(uint64_t slot)
{
	uint64_t *region = (uint64_t *)open_calls[slot >> OPEN_CALL_REGION_SHIFT]; // NOLINT

	return &region[slot >> OPEN_CALL_GRANULE_SHIFT & (OPEN_CALL_GRANULES - 1)];
}

/* Returns the call whose return address is at `slot`, after open_call_at() has made it. */
static inline struct open_call *open_call_find(uint64_t slot)
{
	uint64_t place = *open_call_granule(slot) + OPEN_CALL_SCALE * slot;

	return (struct open_call *)place; // NOLINT: an address
}

/* Returns the call whose return address is at `slot`; NULL: no memory, or an impossible slot. */
static inline struct open_call *open_call_at(uint64_t slot)
{
	if (__builtin_expect(slot >> OPEN_CALL_ADDRESS_BITS || slot & 7, 0))
		return NULL;
	if (__builtin_expect(!*open_call_granule(slot), 0) && !open_call_add_granule(slot))
		return NULL;
	return open_call_find(slot);
}

#endif
