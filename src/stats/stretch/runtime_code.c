/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/stretch/runtime_code.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* How names begin: of files without their directory, of functions without the underscores. */
static const char *const runtimes[] = {"libgomp.so",   "libgomp-",    "libomp.so",
				       "libomp-",      "libiomp5.",   "libtbb",
				       "libopencilk.", "libcilkrts.", "libpscal-"};

static const char *const libraries[] = {"libc.so",  "libc-",   "libpthread", "ld-linux",
					"ld-musl-", "libm.so", "libm-"};

static const char *const threads[] = {
	"pthread_",    "lll_",
	"futex_",      "sem_",
	"new_sem_",    "nptl_",
	"cnd_",	       "mtx_",
	"thrd_",       "sched_yield",
	"clone",       "start_thread",
	"ZNSt6thread", "ZNSt18condition_variable",
};

static const char *const waits[] = {"kmp_wait_"};

static bool begins(const char *text, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strncmp(text, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

enum code_part runtime_code_part(const char *path, const char *function)
{
	const char *file = basename(path);
	const char *name = function ? function + strspn(function, "_") : "";

	if (begins(name, waits, COUNT(waits)))
		return CODE_OF_WAITING;
	if (begins(file, runtimes, COUNT(runtimes)))
		return CODE_OF_RUNTIME;
	if (begins(file, libraries, COUNT(libraries)))
		return begins(name, threads, COUNT(threads)) ? CODE_OF_RUNTIME : CODE_OF_LIBRARY;
	return begins(name, threads + COUNT(threads) - 2, 2) ? CODE_OF_RUNTIME : CODE_OF_PROGRAM;
}
