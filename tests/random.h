/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers that look random and are the same everywhere: splitmix64 [Steele et al., OOPSLA 2014]. */
#ifndef PSCAL_TESTS_RANDOM_H
#define PSCAL_TESTS_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct random {
	uint64_t state;
};

static inline uint64_t random_next(struct random *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* 0 .. count - 1; 0 if count is 0 */
static inline size_t random_below(struct random *random, size_t count)
{
	return count ? (size_t)(random_next(random) % count) : 0;
}

static inline bool random_one_in(struct random *random, size_t count)
{
	return random_below(random, count) == 0;
}

#endif
