/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a sweep has measured before: the file of an earlier one, read back. */
#ifndef PSCAL_COLLECT_SWEEP_SWEEP_PAST_H
#define PSCAL_COLLECT_SWEEP_SWEEP_PAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct err;

/* How such a file begins, and what stands above its rows. */
#define SWEEP_FIRST_LINE "# sweep"
#define SWEEP_COLUMNS	 "n,throughput,wall_s,cpu_s,repeat,load,others"

struct sweep_past_row {
	uint64_t n;
	uint64_t repeat;
};

struct sweep_past_fact {
	char *key;
	char *value;
};

struct sweep_past {
	struct sweep_past_fact *facts; /* as they stand in it: above the rows and between them */
	size_t fact_count, fact_capacity;
	struct sweep_past_row *rows; /* in order of n, then of repeat */
	size_t count, capacity;
	off_t size;   /* up to the end of the last whole line */
	bool dropped; /* there is something behind that */
};

/*
 * Reads the file from its beginning. `name` is what the user calls it. Returns 0, or -1 with a
 * sentence: it is no such file, a row of it cannot be read. Release it in any case.
 */
int sweep_past_read(struct sweep_past *past, int fd, const char *name, struct err *err);
void sweep_past_release(struct sweep_past *past);

/* The last value of a key, NULL where there is none. Borrowed. */
const char *sweep_past_value(const struct sweep_past *past, const char *key);
bool sweep_past_has(const struct sweep_past *past, uint64_t n, uint64_t repeat);

#endif
