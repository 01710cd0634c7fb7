/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The test's own code as in a recording, in process OWN_PID: its mappings, and call chains of
 * functions that call one another as their names say.
 */
#ifndef PSCAL_TESTS_OWN_CODE_H
#define PSCAL_TESTS_OWN_CODE_H

#include "base/alloc.h"
#include "decode/event/samples.h"

#include <gnu/libc-version.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OWN_PID = 100 };

/* The caller releases *samples. Inodes are zero. */
static inline void own_code_map(struct samples *samples)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512], path[256];

	*samples = (struct samples){0};
	while (maps && fgets(line, sizeof(line), maps)) {
		struct mapped map = {.pid = OWN_PID};
		int read = sscanf(line, "%" SCNx64 "-%" SCNx64 " r-xp %" SCNx64 " %*s %*u %255s",
				  &map.begin, &map.end, &map.offset, path);

		if (read != 4 || path[0] != '/')
			continue;
		map.path = xstrdup(path);
		array_reserve(&samples->maps, &samples->map_capacity, samples->map_count + 1);
		samples->maps[samples->map_count++] = map;
	}
	if (maps)
		fclose(maps);
}

static inline uint64_t own_code_address(const void *at)
{
	return (uint64_t)(uintptr_t)at;
}

struct own_returns;

/* The address of a function. */
static inline uint64_t own_code_function(int (*function)(struct own_returns *))
{
	void *at;

	memcpy(&at, &function, sizeof(at));
	return own_code_address(at);
}

/* An address in the C library. */
static inline uint64_t own_code_libc(void)
{
	const char *(*function)(void) = gnu_get_libc_version;
	void *at;

	memcpy(&at, &function, sizeof(at));
	return own_code_address(at) + 1;
}

static inline int own_compare(const void *a, const void *b, void *returns_to)
{
	(void)a, (void)b;
	*(uint64_t *)returns_to = own_code_address(__builtin_return_address(0));
	return 0;
}

/* A return address there. */
static inline uint64_t own_code_libc_return(void)
{
	uint64_t returns_to = 0;
	int items[2] = {0};

	qsort_r(items, 2, sizeof(items[0]), own_compare, &returns_to);
	return returns_to;
}

/* The return addresses of these functions: that of own_innermost is in own_middle, and so on. */
struct own_returns {
	uint64_t innermost, middle, outer;
};

/* Keeps each a function of its own; clang makes no copies for some callers. */
#if defined(__clang__)
#define OWN_FUNCTION __attribute__((noinline, used, unused)) static
#else
#define OWN_FUNCTION __attribute__((noinline, noclone, used, unused)) static
#endif

OWN_FUNCTION int own_innermost(struct own_returns *returns)
{
	returns->innermost = own_code_address(__builtin_return_address(0));
	return 1;
}

OWN_FUNCTION int own_middle(struct own_returns *returns)
{
	returns->middle = own_code_address(__builtin_return_address(0));
	return own_innermost(returns) + 1;
}

OWN_FUNCTION int own_outer(struct own_returns *returns)
{
	returns->outer = own_code_address(__builtin_return_address(0));
	return own_middle(returns) + 1;
}

/* Calls a function by a pointer. */
OWN_FUNCTION int own_by_pointer(struct own_returns *returns,
				int (*volatile function)(struct own_returns *))
{
	return function(returns) + 1;
}

static inline struct own_returns own_code_returns(void)
{
	struct own_returns returns;

	own_outer(&returns);
	return returns;
}

/* A return address in own_by_pointer. */
static inline uint64_t own_code_pointer_return(void)
{
	struct own_returns returns;

	own_by_pointer(&returns, own_innermost);
	return returns.innermost;
}

#endif
