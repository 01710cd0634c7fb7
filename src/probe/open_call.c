/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/open_call.h"

#include "probe/confinement.h"
#include "probe/raw_call.h"

#include <sys/mman.h>

#define GRANULE (UINT64_C(1) << OPEN_CALL_GRANULE_SHIFT)

enum {
	REGIONS = 1 << (OPEN_CALL_ADDRESS_BITS - OPEN_CALL_REGION_SHIFT),
	REGION_BYTES = OPEN_CALL_GRANULES * sizeof(uint64_t),
};

_Static_assert(sizeof(struct open_call) == 8 * OPEN_CALL_SCALE, "one for each 8 bytes");

uint64_t *open_calls;
static uint64_t empty_region;

/*
 * Maps memory that comes when it is used, in small pages, as little of it is used, and that is in
 * core dumps, for unwinders. 0: none.
 */
static uint64_t map(uint64_t bytes, int protection)
{
	long at = raw_call(SYS_mmap, 0, (long)bytes, protection,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (raw_call_failed(at))
		return 0;
	raw_call(SYS_madvise, at, (long)bytes, MADV_NOHUGEPAGE, 0, 0, 0);
	return (uint64_t)at;
}

int open_calls_begin(void)
{
	uint64_t at = map(REGIONS * sizeof(*open_calls), PROT_READ | PROT_WRITE);

	empty_region = map(REGION_BYTES, PROT_READ);
	if (!at || !empty_region)
		return -1;
	open_calls = (uint64_t *)at; // NOLINT: an address
	for (size_t i = 0; i < REGIONS; i++)
		open_calls[i] = empty_region;
	return 0;
}

/* Replaces `old` at `place`, unless another thread was faster. */
static void replace_call(uint64_t *place, uint64_t old, uint64_t mapped, uint64_t bytes,
			 uint64_t new)
{
	if (!__atomic_compare_exchange_n(place, &old, new, false, __ATOMIC_RELEASE,
					 __ATOMIC_ACQUIRE))
		raw_call(SYS_munmap, (long)mapped, (long)bytes, 0, 0, 0, 0);
}

static bool add_region(uint64_t slot)
{
	uint64_t *region = &open_calls[slot >> OPEN_CALL_REGION_SHIFT], at;

	if (__atomic_load_n(region, __ATOMIC_ACQUIRE) != empty_region)
		return true;
	at = map(REGION_BYTES, PROT_READ | PROT_WRITE);
	if (at)
		replace_call(region, empty_region, at, REGION_BYTES, at);
	return at;
}

static bool add_granule(uint64_t slot)
{
	uint64_t begin = slot & ~(GRANULE - 1), at;

	if (!add_region(slot))
		return false;
	at = map(OPEN_CALL_SCALE * GRANULE, PROT_READ | PROT_WRITE);
	if (at)
		replace_call(open_call_granule(slot), 0, at, OPEN_CALL_SCALE * GRANULE,
			     at - OPEN_CALL_SCALE * begin);
	return at;
}

bool open_call_add_granule(uint64_t slot)
{
	bool added;

	if (!confinement_hold())
		return false;
	added = add_granule(slot);
	confinement_free();
	return added;
}
