/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records of a perf.data file of the other byte order, turned to the one of this machine. Payloads
 * of tracepoints and the texts that describe them stay as they are: those have a byte order of
 * their own, see decode/kernel/formats.h.
 */
#ifndef PSCAL_PERFDATA_PERFDATA_SWAP_H
#define PSCAL_PERFDATA_PERFDATA_SWAP_H

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

#endif
