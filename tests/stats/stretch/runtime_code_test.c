/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/stretch/stretch_private.h"

#include "support.h"

static void files_and_functions_tell_if_code_is_of_a_runtime(void **state)
{
	static const struct {
		const char *path, *function;
		enum code_part part;
	} cases[] = {
		{"/home/me/program", "work", CODE_OF_PROGRAM},
		{"/home/me/program", NULL, CODE_OF_PROGRAM},
		{"/home/me/libgomp.so.1/program", "work", CODE_OF_PROGRAM},
		{"/usr/lib/libgomp.so.1", "GOMP_parallel", CODE_OF_RUNTIME},
		{"/usr/lib/libgomp.so.1.0.0", NULL, CODE_OF_RUNTIME},
		{"/usr/lib/llvm-14/lib/libomp.so.5", "__kmpc_fork_call", CODE_OF_RUNTIME},
		{"/usr/lib/llvm-14/lib/libomp-14.so.5", "__kmp_wait_64", CODE_OF_WAITING},
		{"/usr/lib/libtbb.so.12", NULL, CODE_OF_RUNTIME},
		{"/usr/lib/libompc.so", "work", CODE_OF_PROGRAM},
		{"/usr/lib/libc.so.6", "pthread_mutex_lock", CODE_OF_RUNTIME},
		{"/usr/lib/libc.so.6", "__lll_lock_wait", CODE_OF_RUNTIME},
		{"/usr/lib/libc.so.6", "clone3", CODE_OF_RUNTIME},
		{"/usr/lib/libc.so.6", "__sched_yield", CODE_OF_RUNTIME},
		{"/usr/lib/libc.so.6", "malloc", CODE_OF_LIBRARY},
		{"/usr/lib/libc.so.6", NULL, CODE_OF_LIBRARY},
		{"/usr/lib/libm.so.6", "exp", CODE_OF_LIBRARY},
		{"/usr/lib/libstdc++.so.6", "_ZNSt6thread4joinEv", CODE_OF_RUNTIME},
		{"/home/me/program", "pthread_like", CODE_OF_PROGRAM},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (runtime_code_part(cases[i].path, cases[i].function) != cases[i].part)
			fail_msg("%s of %s", cases[i].function, cases[i].path);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(files_and_functions_tell_if_code_is_of_a_runtime),
};

TEST_FILE(tests);
