/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The C library's description of a thread, as glibc tells debuggers (nptl_db/structs.def). That of a
 * target is taken to be laid out as in this process.
 */
#ifndef PSCAL_COLLECT_TARGET_THREAD_LAYOUT_H
#define PSCAL_COLLECT_TARGET_THREAD_LAYOUT_H

#include <stdint.h>

enum thread_layout_field {
	THREAD_LAYOUT_TID,   /* 32 bits */
	THREAD_LAYOUT_START, /* 64 bits: the function that it begins with; its argument is behind */
};

/* Where it is, in bytes; 0: not known. */
uint32_t thread_layout_offset(enum thread_layout_field field);

#endif
