/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/script_times.h"

uint64_t script_times_read(struct script_times *times, uint64_t printed_ns)
{
	if (!times->count++)
		times->from_zero = printed_ns == 0;
	times->backward += printed_ns < times->last_ns;
	times->last_ns = printed_ns;
	if (!times->are_deltas)
		return printed_ns;
	times->sum_ns += printed_ns;
	return times->sum_ns;
}

bool script_times_look_like_deltas(const struct script_times *times)
{
	return times->from_zero && times->backward && times->backward >= times->count / 8;
}
