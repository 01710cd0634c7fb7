/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Converts records of a perf.data file of the other byte order to that of this machine. Payloads of
 * tracepoints and the texts that describe them stay as they are: they have a byte order of their
 * own, see decode/kernel/formats.h.
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
 * Replaces the body of a record by a converted copy, which is valid until the next call. The header
 * has been converted already; `file` has the layout of its events' records.
 */
void perfdata_swap_record(struct perfdata_swap *swap, const struct perfdata_file *file,
			  struct perfdata_record *record);

/*
 * Converts the numbers in `bytes` to the other byte order, in place. `layout` describes them, one
 * letter each: '2', '4' and '8' are numbers of that many bytes, '1' is a byte that stays, 'b' eight
 * bytes of one-bit fields, and '*' is 8 for all the rest. Bytes behind the layout, or fewer than
 * its next number, stay.
 */
void byte_order_swap(void *bytes, size_t length, const char *layout);

/* struct perf_event_attr, as a layout. */
#define BYTE_ORDER_ATTR "448888b44888844842244*"

/* Converts a section PERFDATA_EVENT_DESC in place, as far as it is not damaged. */
void byte_order_swap_event_desc(char *bytes, size_t length);

#endif
