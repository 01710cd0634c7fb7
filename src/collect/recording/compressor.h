/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records compressed as by perf record -z: one zstd stream through the whole recording, in
 * PERFDATA_RECORD_COMPRESSED records. Each can be unpacked as soon as it is in the file.
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
	/* The most bytes that fit into one record even if they do not compress. */
	COMPRESSOR_CHUNK_BYTES = 60 << 10,
	/* The bytes of a record, and the beginning of one at the end of the record before. */
	COMPRESSOR_UNPACKED_MAX = 512 << 10,
};

/*
 * Makes a compressor. `level` is that of recording_open(). `parts`: each record is a separate
 * stream, so that bytes of a repeat_packer may come between any two; compressor_count() counts
 * them. NULL with an error if memory is short.
 */
struct compressor *compressor_new(int level, bool parts, struct err *err);
void compressor_free(struct compressor *compressor);

/* Counts `in` bytes that a repeat_packer packed into `out`. */
void compressor_count(struct compressor *compressor, size_t in, size_t out);

/* Packs at most COMPRESSOR_CHUNK_BYTES. Valid until the next call. NULL with an error. */
const struct perf_event_header *compressor_pack(struct compressor *compressor, const void *bytes,
						size_t size, struct err *err);

int compressor_level(const struct compressor *compressor);

/* Returns the factor of compression, rounded. */
uint32_t compressor_ratio(const struct compressor *compressor);

/*
 * Packs records of which most equal an earlier one except for their time, as tracepoints of blocks
 * do: into records of perf record -z. Keys identify repetitions, so libzstd need not search for
 * them, which takes most of its time.
 */
struct repeat_packer;

/* The size of records, and the place of their time, little-endian. */
enum { REPEAT_RECORD_BYTES = 64, REPEAT_TIME_AT = 24 };

struct repeat_packer *repeat_packer_new(void);
void repeat_packer_free(struct repeat_packer *packer);

/*
 * Adds a record like the one with the same key, with another time. Returns false if none is near
 * enough: then the caller puts the whole record.
 */
bool repeat_packer_repeat(struct repeat_packer *packer, uint64_t key, uint64_t time_ns);

/* Adds a whole record. Records with the same key differ only in their time. */
void repeat_packer_put(struct repeat_packer *packer, uint64_t key,
		       const uint8_t record[REPEAT_RECORD_BYTES]);

/* Returns the bytes of the next take, roughly. */
size_t repeat_packer_size(const struct repeat_packer *packer);

/*
 * Returns all records since the last take, as PERFDATA_RECORD_COMPRESSED records, each a separate
 * zstd frame: data packed before must have ended its frame. Valid until the next call. `unpacked`
 * is their unpacked size.
 */
const void *repeat_packer_take(struct repeat_packer *packer, size_t *size, size_t *unpacked);

#endif
