/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/target/thread_layout.h"

#include <dlfcn.h>
#include <stddef.h>

uint32_t thread_layout_offset(enum thread_layout_field field)
{
	static const struct {
		const char *name;
		uint32_t bits;
	} fields[] = {
		[THREAD_LAYOUT_TID] = {"_thread_db_pthread_tid", 32},
		[THREAD_LAYOUT_START] = {"_thread_db_pthread_start_routine", 64},
	};
	enum { BITS, NUMBER, OFFSET };
	const uint32_t *told = dlvsym(RTLD_DEFAULT, fields[field].name, "GLIBC_PRIVATE");

	return told && told[BITS] == fields[field].bits && told[NUMBER] == 1 ? told[OFFSET] : 0;
}
