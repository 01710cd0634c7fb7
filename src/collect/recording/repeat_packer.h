/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Packs records of which most are like an earlier one but for their time, as do the tracepoints of
 * blocks: into the records that perf record -z has, without making them first. What repeats is
 * known from their keys, so nothing is searched for: that takes a fifth of the time of libzstd,
 * and twice its room, of which there are still a dozen times fewer bytes than of the records.
 */
#ifndef PSCAL_COLLECT_RECORDING_REPEAT_PACKER_H
#define PSCAL_COLLECT_RECORDING_REPEAT_PACKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct repeat_packer;

/* Records are of this size, and their time is there, little-endian. */
enum { REPEAT_RECORD_BYTES = 64, REPEAT_TIME_AT = 24 };

struct repeat_packer *repeat_packer_new(void);
void repeat_packer_free(struct repeat_packer *packer);

/*
 * A record like that with the same key, but for its time. Returns false where there is none near
 * enough: then it has to be put.
 */
bool repeat_packer_repeat(struct repeat_packer *packer, uint64_t key, uint64_t time_ns);

/* A whole record. Those of the same key differ in their time alone. */
void repeat_packer_put(struct repeat_packer *packer, uint64_t key,
		       const uint8_t record[REPEAT_RECORD_BYTES]);

/* The bytes that there would be to take, roughly. */
size_t repeat_packer_size(const struct repeat_packer *packer);

/*
 * All that has been put since the last time, as PERFDATA_RECORD_COMPRESSED records, which are a
 * zstd frame of their own: what was packed before must have ended its frame. Valid until the next
 * call. `unpacked` is how many bytes that was.
 */
const void *repeat_packer_take(struct repeat_packer *packer, size_t *size, size_t *unpacked);

#endif
