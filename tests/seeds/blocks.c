/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "seeds/seeds.h"

#include <inttypes.h>

/* Names of C++ functions, and arguments of all kinds. */
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

/* Containers begin and end, and some states are never left. */
struct bytes seed_paje(const struct move *moves, size_t count)
{
	struct bytes bytes = {0};
	int depths[8] = {0};

	put_line(&bytes, "%%EventDef PajeDefineEntityValue 6\n%% Alias string\n%% Type string\n"
			 "%% Name string\n%%EndEventDef\n"
			 "%%EventDef PajeDestroyContainer 8\n%% Time date\n%% Type string\n"
			 "%% Name string\n%%EndEventDef\n");
	for (int i = 0; i < 4; i++)
		put_line(&bytes,
			 "%%EventDef Paje%sState %d\n%% Time date\n%% Container string\n"
			 "%% Type string\n%s%%EndEventDef\n",
			 i == 0	  ? "Set"
			 : i == 1 ? "Push"
			 : i == 2 ? "Pop"
				  : "Reset",
			 10 + i, i < 2 ? "% Value string\n" : "");
	put_line(&bytes, "6 V0 S \"read me\"\n6 V1 S work\n");
	for (size_t i = 0; i < count; i++) {
		static const int numbers[] = {10, 11, 11, 12, 11, 12, 12, 13, 8};
		int number = numbers[i % 9], *depth = &depths[moves[i].tid % 100 % 8];

		if (number == 12 && !*depth)
			number = 11; /* no state to leave */
		*depth = number == 10	? 1
			 : number == 11 ? *depth + 1
			 : number == 12 ? *depth - 1
					: 0;

		put_line(&bytes, "%d %" PRIu64 ".%09" PRIu64 " %s%d", number,
			 moves[i].time_ns / 1000000000, moves[i].time_ns % 1000000000,
			 number == 8 ? "C T" : "T", moves[i].tid);
		if (number != 8)
			put_line(&bytes, " S");
		if (number == 10 || number == 11)
			put_line(&bytes, " V%zu", i % 3);
		put_line(&bytes, "\n");
	}
	return bytes;
}
