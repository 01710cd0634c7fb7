/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/open_call.h"

#include "probe/raw_call.h"

#include <sys/mman.h>

#define GRANULE	 (UINT64_C(1) << OPEN_CALL_SHIFT)
#define GRANULES (UINT64_C(1) << (OPEN_CALL_ADDRESS_BITS - OPEN_CALL_SHIFT))

_Static_assert(sizeof(struct open_call) == 8 * OPEN_CALL_SCALE, "one for each 8 bytes");

uint64_t *open_calls;

/* Memory comes as it is touched, and is in core dumps, for who unwinds there. 0: there is none. */
static uint64_t map(uint64_t bytes)
{
	long at = raw_call(SYS_mmap, 0, (long)bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return raw_call_failed(at) ? 0 : (uint64_t)at;
}

int open_calls_begin(void)
{
	open_calls = (uint64_t *)map(GRANULES * sizeof(*open_calls)); // NOLINT: an address
	return open_calls ? 0 : -1;
}

/* Of two threads that come at once, one is late. */
bool open_call_add_granule(uint64_t slot)
{
	uint64_t *granule = &open_calls[slot >> OPEN_CALL_SHIFT];
	uint64_t at = map(OPEN_CALL_SCALE * GRANULE), none = 0;
	uint64_t begin = slot & ~(GRANULE - 1);

	if (!at)
		return false;
	if (!__atomic_compare_exchange_n(granule, &none, at - OPEN_CALL_SCALE * begin, false,
					 __ATOMIC_RELEASE, __ATOMIC_ACQUIRE))
		raw_call(SYS_munmap, (long)at, OPEN_CALL_SCALE * GRANULE, 0, 0, 0, 0);
	return true;
}
