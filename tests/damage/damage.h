/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of the ways to damage an input; mutate.c has the table of all ways. */
#ifndef PSCAL_TESTS_DAMAGE_DAMAGE_H
#define PSCAL_TESTS_DAMAGE_DAMAGE_H

#include "random.h"
#include "seeds/seeds.h"

/* A stretch of bytes. */
struct range {
	size_t begin, end;
};

struct way {
	const char *name; /* NULL after the last */
	void (*apply)(struct bytes *bytes, struct random *random);
};

extern const struct way damage_perfdata[], damage_text[];

/* Zero, huge, or about `size`: numbers at limits of types and tables. */
uint64_t damage_number(struct random *random, size_t size);

/* A random range within `count` bytes, mostly no longer than `most`. */
struct range damage_range(struct random *random, size_t count, size_t most);

void damage_erase(struct bytes *bytes, struct range range);
void damage_insert(struct bytes *bytes, size_t place, const void *what, size_t length);
void damage_insert_copy(struct bytes *bytes, size_t place, struct range range);

/* Exchanges two stretches that do not overlap. */
void damage_exchange(struct bytes *bytes, struct range a, struct range b);

/* The lines, or the records as far as they can be found; at most DAMAGE_PIECES. */
enum { DAMAGE_PIECES = 4096 };
size_t damage_lines(struct range lines[DAMAGE_PIECES], const struct bytes *bytes);
size_t damage_records(struct range records[DAMAGE_PIECES], const struct bytes *bytes);

#endif
