/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Has as many mappings as the kernel allows, and events with as many addresses, without notes of
 * the code there.
 */
#include "attack.h"

enum { MAPPINGS = 60000, WINDOWS = 64 };

static void map_many(void)
{
	long page = sysconf(_SC_PAGESIZE);
	char *at = mmap(NULL, (size_t)(2 * MAPPINGS * page), PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	for (long i = 0; at != MAP_FAILED && i < MAPPINGS; i++)
		if (mprotect(at + 2 * i * page, (size_t)page, PROT_READ))
			break;
}

static void point(uint64_t image)
{
	struct spool_header *header = attack_thread(NULL, getpid(), image, WINDOWS);

	for (uint64_t i = 0; i < WINDOWS; i++) {
		attack_fill(header, i, monotonic_ns(), (image << 32) + i * ATTACK_WINDOW * 16, 16);
		attack_turn(header, i + 1);
	}
	munmap(header, SPOOL_HEADER_BYTES + (uint64_t)WINDOWS * SPOOL_WINDOW);
	usleep(20000);
}

int main(void)
{
	uint64_t begin_ns;

	attack_begin();
	map_many();
	if (attack_survive() == 0) {
		begin_ns = monotonic_ns();
		for (uint64_t image = 1; attack_goes_on(begin_ns, ATTACK_MS); image++)
			point(image);
		_exit(0);
	}
	usleep(500000);
	return 0;
}
