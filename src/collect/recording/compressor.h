/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records compressed as perf record -z does it: one zstd stream through the whole recording, cut
 * into PERFDATA_RECORD_COMPRESSED records. Each can be unpacked as soon as it is in the file.
 */
#ifndef PSCAL_COLLECT_RECORDING_COMPRESSOR_H
#define PSCAL_COLLECT_RECORDING_COMPRESSOR_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct compressor;
struct err;

enum {
	/* However badly so many bytes compress, one record holds them. */
	COMPRESSOR_CHUNK_BYTES = 60 << 10,
	/* The bytes of a record, and the beginning of one that the record before ended in. */
	COMPRESSOR_UNPACKED_MAX = 512 << 10,
};

/*
 * `level` as recording_open() takes it. `parts`: each record is a stream of its own, so that bytes
 * of a repeat_packer may stand between any two; compressor_count() counts them. NULL with a sentence
 * when there is no memory for it.
 */
struct compressor *compressor_new(int level, bool parts, struct err *err);
void compressor_free(struct compressor *compressor);

/* Counts `in` bytes of which a repeat_packer made `out`. */
void compressor_count(struct compressor *compressor, size_t in, size_t out);

/*
 * Packs at most COMPRESSOR_CHUNK_BYTES. The record is valid until the next call. NULL with a
 * sentence when zstd fails.
 */
const struct perf_event_header *compressor_pack(struct compressor *compressor, const void *bytes,
						size_t size, struct err *err);

int compressor_level(const struct compressor *compressor);

/* The factor by which packed data have become smaller, rounded. */
uint32_t compressor_ratio(const struct compressor *compressor);

/*
 * Packs records of which most are like an earlier one but for their time, as do the tracepoints of
 * blocks: into the records that perf record -z has. Keys tell which records repeat, so libzstd need
 * not search for them, which takes most of its time.
 */
struct repeat_packer;

/* Records are of this size, and their time is there, little-endian. */
enum { REPEAT_RECORD_BYTES = 64, REPEAT_TIME_AT = 24 };

struct repeat_packer *repeat_packer_new(void);
void repeat_packer_free(struct repeat_packer *packer);

/*
 * Adds a record like that with the same key, but for its time. Returns false where there is none
 * near enough: then it has to be put.
 */
bool repeat_packer_repeat(struct repeat_packer *packer, uint64_t key, uint64_t time_ns);

/* A whole record. Those of the same key differ in their time alone. */
void repeat_packer_put(struct repeat_packer *packer, uint64_t key,
		       const uint8_t record[REPEAT_RECORD_BYTES]);

/* The bytes that there would be to take, roughly. */
size_t repeat_packer_size(const struct repeat_packer *packer);

/*
 * All that has been put since the last time, as PERFDATA_RECORD_COMPRESSED records, each of them a
 * zstd frame of its own: what was packed before must have ended its frame. Valid until the next
 * call. `unpacked` is how many bytes that was.
 */
const void *repeat_packer_take(struct repeat_packer *packer, size_t *size, size_t *unpacked);

#endif
