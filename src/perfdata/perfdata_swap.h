/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records of a perf.data file of the other byte order, turned to the one of this machine. Payloads
 * of tracepoints and the texts that describe them stay as they are: those have a byte order of
 * their own, see decode/kernel/formats.h.
 */
#ifndef PSCAL_PERFDATA_PERFDATA_SWAP_H
#define PSCAL_PERFDATA_PERFDATA_SWAP_H

#include <stddef.h>

struct perfdata_file;
struct perfdata_record;
struct perfdata_swap;

struct perfdata_swap *perfdata_swap_new(void);
void perfdata_swap_free(struct perfdata_swap *swap);

/*
 * Puts a turned copy of its body in place of the body, valid until the next call. The header has
 * been turned already; `file` tells how its events lay out their records.
 */
void perfdata_swap_record(struct perfdata_swap *swap, const struct perfdata_file *file,
			  struct perfdata_record *record);

/*
 * Turns the numbers in `bytes` to the other byte order, in place. `layout` says which they are, one
 * letter each: '2', '4' and '8' are numbers of so many bytes, '1' is a byte that stays, 'b' eight
 * bytes of one-bit fields, and '*' is 8 for all the rest. What is behind the layout, or less than
 * its next number, stays.
 */
void byte_order_swap(void *bytes, size_t length, const char *layout);

/* struct perf_event_attr, as a layout. */
#define BYTE_ORDER_ATTR "448888b44888844842244*"

/* The same for a section PERFDATA_EVENT_DESC; where it is damaged the rest stays. */
void byte_order_swap_event_desc(char *bytes, size_t length);

#endif
