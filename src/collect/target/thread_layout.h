/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The C library's description of a thread, as glibc provides it to debuggers (nptl_db/structs.def).
 * The target's layout is taken to be that of this process.
 */
#ifndef PSCAL_COLLECT_TARGET_THREAD_LAYOUT_H
#define PSCAL_COLLECT_TARGET_THREAD_LAYOUT_H

#include <stdint.h>

enum thread_layout_field {
	THREAD_LAYOUT_TID,   /* 32 bits */
	THREAD_LAYOUT_START, /* 64 bits: its first function; its argument follows */
};

/* Returns the offset of a field in bytes; 0: not known. */
uint32_t thread_layout_offset(enum thread_layout_field field);

#endif
