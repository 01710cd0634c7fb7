/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records of many lists, which come in any order and are read list by list: in a file without a name,
 * so that memory is for a block of each list and not for the records.
 */
#ifndef PSCAL_REPORT_EXPORT_RECORD_SPOOL_H
#define PSCAL_REPORT_EXPORT_RECORD_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct record_spool;

/* All records have that many bytes. NULL with a sentence. */
struct record_spool *record_spool_new(size_t record_size, struct err *err);
void record_spool_free(struct record_spool *spool);

/* Lists have small numbers. The first failure is kept, and all that follows does nothing. */
void record_spool_add(struct record_spool *spool, size_t list, const void *record);
int record_spool_check(const struct record_spool *spool, struct err *err);

uint64_t record_spool_count(const struct record_spool *spool, size_t list);

/* Those of a list, in their order. Returns 0, or -1 with a sentence. */
int record_spool_each(struct record_spool *spool, size_t list,
		      void (*take)(void *context, const void *record), void *context,
		      struct err *err);

#endif
