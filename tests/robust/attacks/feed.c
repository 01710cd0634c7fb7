/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A process that outlives the command hands over events for ever, with the given time: 0, "now", or
 * far ahead.
 */
#include "attack.h"

/* The pause while all windows are full: the recorder needs much longer to empty them. */
enum { WINDOWS = 256, FULL_US = 100 };

static void feed(const char *time)
{
	struct spool_header *header = attack_thread(NULL, getpid(), 1, WINDOWS);
	uint64_t begin_ns = monotonic_ns(), turned = 0;

	while (attack_goes_on(begin_ns, ATTACK_MS)) {
		uint64_t taken = __atomic_load_n(&header->taken, __ATOMIC_ACQUIRE);

		if (taken != UINT64_MAX && turned - taken >= WINDOWS) {
			usleep(FULL_US);
			continue;
		}
		attack_fill(header, turned % WINDOWS,
			    *time == 'n' ? monotonic_ns() : strtoull(time, NULL, 0), 0x1000, 0);
		header->windows[turned % SPOOL_WINDOWS] = (uint32_t)(turned % WINDOWS);
		attack_turn(header, ++turned);
	}
}

int main(int count, char **words)
{
	attack_begin();
	for (int i = 0; i < 4; i++)
		if (attack_survive() == 0) {
			feed(count > 1 ? words[1] : "0");
			_exit(0);
		}
	usleep(count > 2 ? (useconds_t)atoi(words[2]) * 1000 : 400000);
	return 0;
}
