/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shared by the programs that run with the probe library in them and without: their output and
 * their end must be the same. Functions named watch_... are watched.
 */
#ifndef PSCAL_PROBE_TARGET_H
#define PSCAL_PROBE_TARGET_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__clang__)
#define WATCHED __attribute__((noinline))
#else
#define WATCHED __attribute__((noinline, noclone))
#endif

/* Hides the value from the compiler. */
#define HIDE(value) __asm__ volatile("" : "+r"(value))

/* Ends the program with a status of its own if a call fails that the test does not concern.
 */
static inline void must(int holds)
{
	if (!holds)
		_Exit(99);
}

static inline void mix(uint64_t *sum, uint64_t value)
{
	*sum = (*sum ^ value) * 0x100000001b3;
}

/* An action of a program, chosen by its first argument. */
struct mode {
	const char *name;
	void (*run)(void);
};

static inline int run_mode(const struct mode *modes, size_t count, int argc, char **argv)
{
	for (size_t i = 0; i < count; i++)
		if (argc > 1 && strcmp(argv[1], modes[i].name) == 0) {
			modes[i].run();
			return 0;
		}
	return 2;
}

#endif
