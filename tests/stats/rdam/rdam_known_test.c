/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/rdam/rdam_known.h"

#include "support.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* From all over the list, which is searched as a sorted one. */
static void functions_that_do_as_they_are_told_are_known(void **state)
{
	static const char *const names[] = {
		"memcpy",
		"memmove",
		"memset",
		"memcmp",
		"qsort",
		"qsort_r",
		"bsearch",
		"read",
		"write",
		"send",
		"recv",
		"sendto",
		"recvmsg",
		"malloc",
		"calloc",
		"realloc",
		"free",
		"fread",
		"fwrite",
		"nanosleep",
		"clock_nanosleep",
		"usleep",
		"sleep",
		"poll",
		"ppoll",
		"select",
		"epoll_wait",
		"strlen",
		"strcmp",
		"strdup",
		"bcmp",
		"writev",
		"pread64",
		"getline",
		"deflate",
		"inflate",
		"mmap",
		"munmap",
		"copy_file_range",
		"vsnprintf",
		"wmemset",
		"sendfile",
		/* under other names */
		"__memcpy_chk",
		"memcpy@plt",
		"__memmove_avx_unaligned_erms",
		"libc.so.6:memcpy",
		"__libc_malloc",
		"__GI___libc_write",
		"memcpy@@GLIBC_2.14",
		"__read_nocancel",
		"__memset_evex_unaligned",
		"__strlen_sse2",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++)
		if (!rdam_is_known_dependent(names[i]))
			fail_msg("%s", names[i]);
}

static void others_are_not(void **state)
{
	static const char *const names[] = {
		"",
		"_",
		"main",
		"pthread_mutex_lock",
		"pthread_cond_wait",
		"sem_wait",
		"memcpy2",
		"my_memcpy",
		"reader",
		"memcp",
		"pthread_barrier_wait",
		"fsync",
		"a:b",
		"_chk",
		"a_name_that_is_far_longer_than_any_function_of_the_c_library_will_ever_have_it",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++)
		if (rdam_is_known_dependent(names[i]))
			fail_msg("%s", names[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_that_do_as_they_are_told_are_known),
		cmocka_unit_test(others_are_not),
	};

	return RUN_TESTS(tests);
}
