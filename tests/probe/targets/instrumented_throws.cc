/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compiled with -finstrument-functions: calls, exceptions, longjmp. */
#include "target.h"

#include <csetjmp>

#define QUIET __attribute__((no_instrument_function))

extern "C" {

WATCHED uint64_t traced_leaf(uint64_t value)
{
	HIDE(value);
	return value * 7 + 1;
}

WATCHED uint64_t traced_throw(int depth)
{
	if (!depth)
		throw 7;
	return traced_throw(depth - 1) + traced_leaf((uint64_t)depth);
}

WATCHED uint64_t traced_catch(int depth)
{
	try {
		return traced_throw(depth);
	} catch (int value) {
		return traced_leaf((uint64_t)(value + depth));
	}
}

static jmp_buf back;

WATCHED void traced_jump(int depth)
{
	if (depth)
		traced_jump(depth - 1);
	else
		longjmp(back, 1);
	HIDE(depth);
}
}

QUIET int main()
{
	static uint64_t sum;

	for (int i = 0; i < 2000; i++)
		sum = sum * 3 + traced_catch(i % 10);
	for (volatile int i = 0; i < 100000; i = i + 1)
		if (!setjmp(back))
			traced_jump(i % 4);
	printf("%lu %lu\n", sum, traced_leaf(sum));
}
