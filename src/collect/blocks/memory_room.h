/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much memory this process and its children may still take. */
#ifndef PSCAL_COLLECT_BLOCKS_MEMORY_ROOM_H
#define PSCAL_COLLECT_BLOCKS_MEMORY_ROOM_H

#include <stdint.h>

/*
 * In bytes: what the machine has available (MemAvailable of /proc/meminfo), and no more than the
 * limits of the control group (version 2) and of those around it leave. 0: it cannot be known.
 */
uint64_t memory_room(void);

#endif
