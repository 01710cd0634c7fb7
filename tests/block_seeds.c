/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "seeds.h"

#include <inttypes.h>

/* Names as C++ has them, and arguments of all kinds. */
struct bytes seed_enter_leave(const struct move *moves, size_t count)
{
	static const char *const calls[] = {
		"main()",
		"f(int, char)(a=17, b=-1.5)",
		"std::map<int, g(A*)>::operator()(int)(n=0x1f)",
		"open(path=\"a) (b\\\", c=1\", flags=2)",
	};
	struct bytes bytes = {0};

	put_line(&bytes, "#timestamp #ThreadId #Event\n");
	for (size_t i = 0; i < count; i++) {
		put_line(&bytes, "%" PRIu64 ".%09" PRIu64 "s\t%d %s function %s",
			 moves[i].time_ns / 1000000000, moves[i].time_ns % 1000000000,
			 moves[i].tid + 1, i % 2 ? "Leave" : "Enter", calls[i / 2 % 4]);
		if (i % 2)
			put_line(&bytes, " return value=%zu", i);
		put_line(&bytes, "\n");
	}
	return bytes;
}
