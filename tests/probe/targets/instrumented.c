/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For the compiler's -finstrument-functions. */
#include <stdint.h>

uint64_t instrumented_sum(uint64_t n);

__attribute__((noinline)) static uint64_t instrumented_leaf(uint64_t value)
{
	__asm__ volatile("" : "+r"(value));
	return value * 7 + 1;
}

uint64_t instrumented_sum(uint64_t n)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum = sum * 3 + instrumented_leaf(i);
	return sum;
}
