/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Announces windows that do not exist, again and again. The argument chooses how:
 *
 *	empty	turned stays ahead of taken, over windows of zeros that are few in the file
 *	huge	turned is 2^63, and then any number
 *	far	windows[] leads out of the file
 *	torn	one event in four windows, the rest begun and never written
 *	back	turned goes back and forth
 */
#include "attack.h"

enum { WINDOWS = SPOOL_WINDOWS, USED = 8 };

static void begin_events(struct spool_header *header)
{
	for (uint64_t i = 0; i < USED; i++)
		for (uint64_t k = 0; k < ATTACK_WINDOW; k++)
			attack_window(header, i)[k] = (struct spool_record){
				1, spool_word(k || i % 4 ? SPOOL_NONE : SPOOL_ENTER, 1, 0)};
}

static void chase(const char *how)
{
	struct spool_header *header = attack_thread(NULL, getpid(), 1, WINDOWS);
	uint64_t begin_ns = monotonic_ns(), times = 0;

	for (uint32_t i = 0; i < SPOOL_WINDOWS; i++)
		header->windows[i] = *how == 'f' ? 0xffffff00 + i : i % USED;
	while (attack_goes_on(begin_ns, ATTACK_MS)) {
		uint64_t taken = __atomic_load_n(&header->taken, __ATOMIC_ACQUIRE);

		if (*how == 't')
			begin_events(header);
		if (*how == 'h')
			attack_turn(header, (UINT64_C(1) << 63) + taken);
		else if (*how == 'b')
			attack_turn(header, taken - 1 + times++ % 3);
		else
			attack_turn(header, taken + WINDOWS - 1);
	}
}

int main(int count, char **words)
{
	attack_begin();
	for (int i = 0; i < 2; i++)
		if (attack_survive() == 0) {
			chase(count > 1 ? words[1] : "empty");
			_exit(0);
		}
	usleep(300000);
	return 0;
}
