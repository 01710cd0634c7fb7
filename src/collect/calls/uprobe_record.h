/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The payloads of probes on functions: as the kernel writes them, one event for all functions with
 * the number of the place in front of what it fetches; and as the file has them, an event for each
 * function, without. A perf event for each would take the kernel a tenth of a second to close.
 */
#ifndef PSCAL_COLLECT_CALLS_UPROBE_RECORD_H
#define PSCAL_COLLECT_CALLS_UPROBE_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "collect/kernel/uprobes.h"

enum uprobe_side { UPROBE_ENTER, UPROBE_LEAVE, UPROBE_SIDES };

/* "pscal_enter", "pscal_leave": the systems of the events in the file. */
const char *uprobe_record_system(enum uprobe_side side);

/* What a probe fetches, for tracefs; to be freed. */
char *uprobe_record_fetches(enum uprobe_side side, size_t place, unsigned arguments);

/*
 * The number of the place in a payload of the kernel; SIZE_MAX: it is none.
 */
size_t uprobe_record_place(enum uprobe_side side, const uint8_t *raw, size_t size);

/*
 * Fills in the payload for the file, of an event whose number is `type`, and returns its size: of
 * 4 bytes less than a multiple of 8, as the kernel's are. `raw` is one with a place.
 */
enum { UPROBE_RECORD_MAX = 64 };
size_t uprobe_record_rewrite(uint8_t out[UPROBE_RECORD_MAX], enum uprobe_side side, uint16_t type,
			     const uint8_t *raw, size_t size, unsigned arguments);

/* How that is laid out, in the words of tracefs; to be freed. */
char *uprobe_record_format(const char *event, enum uprobe_side side, uint16_t type,
			   unsigned arguments);

#endif
