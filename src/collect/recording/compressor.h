/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records compressed as perf record -z does it: one zstd stream through the whole recording, cut
 * into PERFDATA_RECORD_COMPRESSED records. Each can be unpacked as soon as it is in the file.
 */
#ifndef PSCAL_COLLECT_RECORDING_COMPRESSOR_H
#define PSCAL_COLLECT_RECORDING_COMPRESSOR_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

struct compressor;
struct err;

enum {
	COMPRESSOR_LEVEL_DEFAULT = 1, /* as perf; 3 is no smaller here and costs twice as much */
	COMPRESSOR_LEVEL_MAX = 22,

	/* However badly so many bytes compress, one record holds them. */
	COMPRESSOR_CHUNK_BYTES = 60 << 10,
	/* A chunk and the beginning of a record that the one before ended in. */
	COMPRESSOR_UNPACKED_MAX = 128 << 10,
};

/* `level` from 1 to COMPRESSOR_LEVEL_MAX. NULL with a sentence when there is no memory for it. */
struct compressor *compressor_new(int level, struct err *err);
void compressor_free(struct compressor *compressor);

/*
 * From the beginning on each record is a stream of its own, so that what others have packed may
 * stand between any two: repeat_packer.h. They say of how many bytes they made how many.
 */
void compressor_part(struct compressor *compressor);
void compressor_count(struct compressor *compressor, size_t in, size_t out);

/*
 * Packs at most COMPRESSOR_CHUNK_BYTES. The record is valid until the next call. NULL with a
 * sentence when zstd fails.
 */
const struct perf_event_header *compressor_pack(struct compressor *compressor, const void *bytes,
						size_t size, struct err *err);

int compressor_level(const struct compressor *compressor);

/* How many times smaller what it has packed has become, rounded. */
uint32_t compressor_ratio(const struct compressor *compressor);

#endif
