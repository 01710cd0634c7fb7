/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One small input of each kind that pscal reads, for mutants and fuzzers.
 */
#ifndef PSCAL_TESTS_SEEDS_SEEDS_H
#define PSCAL_TESTS_SEEDS_SEEDS_H

#include "decode/recording_bytes.h"
#include "seeds/schedule.h"

enum seed_kind { SEED_PERFDATA, SEED_TEXT, SEED_CSV };

struct seed {
	const char *name;
	enum seed_kind kind;
	/* The caller frees the bytes. */
	struct bytes (*make)(const struct move *moves, size_t count);
	void (*wrap)(struct bytes *bytes); /* compresses it or a part of it; NULL: not compressed */
};

/* The seeds from 0 on; NULL after the last. */
const struct seed *seed_get(size_t number);

/* The bytes before wrapping. */
struct bytes seed_make(const struct seed *seed);

/* Appends text. */
void put_line(struct bytes *bytes, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Wrappers. Bytes that are too damaged stay as they are. */
void wrap_records(struct bytes *bytes);	 /* perf record -z: COMPRESSED */
void wrap_records2(struct bytes *bytes); /* COMPRESSED2 */
void wrap_zstd(struct bytes *bytes);
void wrap_gzip(struct bytes *bytes);

/* The text formats; in text.c. */
struct bytes seed_script(const struct move *moves, size_t count);
struct bytes seed_script_plugin(const struct move *moves, size_t count);
struct bytes seed_script_records(const struct move *moves, size_t count);
struct bytes seed_script_chains(const struct move *moves, size_t count);
struct bytes seed_script_hostile(const struct move *moves, size_t count);
struct bytes seed_calls(const struct move *moves, size_t count);
struct bytes seed_script_blocks(const struct move *moves, size_t count);
struct bytes seed_script_tasks(const struct move *moves, size_t count);
struct bytes seed_sync(const struct move *moves, size_t count);
struct bytes seed_ftrace_calls(const struct move *moves, size_t count);
struct bytes seed_sched_script(const struct move *moves, size_t count);
struct bytes seed_ftrace(const struct move *moves, size_t count);
struct bytes seed_trace_cmd(const struct move *moves, size_t count);
struct bytes seed_timehist(const struct move *moves, size_t count);

/* The formats of blocks alone; in blocks.c. */
struct bytes seed_enter_leave(const struct move *moves, size_t count);
struct bytes seed_paje(const struct move *moves, size_t count);

/* Tables. */
struct bytes seed_levels_csv(const struct move *moves, size_t count);
struct bytes seed_series_csv(const struct move *moves, size_t count);
struct bytes seed_log_csv(const struct move *moves, size_t count);

#endif
