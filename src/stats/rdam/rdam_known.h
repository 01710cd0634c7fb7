/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions of the C library whose duration is known to depend on their arguments, or on what they
 * are given: the more there is to copy, the longer it takes, and a sleep is as long as it is asked
 * to be. What varies there is not interference, or not known to be.
 */
#ifndef PSCAL_STATS_RDAM_RDAM_KNOWN_H
#define PSCAL_STATS_RDAM_RDAM_KNOWN_H

#include <stdbool.h>

/* Also "__memcpy_chk", "memcpy@plt", "__memmove_avx_unaligned_erms", "libc.so.6:memcpy". */
bool rdam_is_known_dependent(const char *name);

#endif
