/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What reads a model of JSON value by value, with the place of each fault: for model_read.c and
 * model_read_pools.c. Each function returns 0, or -1 with a sentence.
 */
#ifndef PSCAL_MODEL_FILE_MODEL_READER_H
#define PSCAL_MODEL_FILE_MODEL_READER_H

#include <jansson.h>
#include <stdint.h>

#include "base/err.h"
#include "base/map.h"
#include "model/file/model.h"

/* Where in the file a value stands: behind a key of the place above, or at an index of it. */
struct json_place {
	const struct json_place *up;
	const char *key;
	size_t index;
};

struct reader {
	struct model *model;
	struct map stations, pools; /* names, as numbered in the model */
	struct err *err;
};

/* A member of an object, and its place in the structure. */
struct field {
	const char *key;
	/* Reads the value; NULL: it is one of `words`, for an enum. */
	int (*read)(struct reader *reader, const json_t *json, const struct json_place *place,
		    void *to);
	size_t offset;
	const char *const *words;
};

/* For a member of the structure, for an enum of it, and for a function that needs all of it. */
#define FIELD(key, read, structure, member)                  \
	{                                                    \
		key, read, offsetof(structure, member), NULL \
	}
#define FIELD_WORD(key, words, structure, member)             \
	{                                                     \
		key, NULL, offsetof(structure, member), words \
	}
#define FIELD_WHOLE(key, read)     \
	{                          \
		key, read, 0, NULL \
	}

#define field_count(fields) (sizeof(fields) / sizeof((fields)[0]))

/* Puts the place in front of the sentence. */
void reader_place(const struct reader *reader, const struct json_place *place);

static inline int reader_refuse(const struct reader *reader, const struct json_place *place)
{
	reader_place(reader, place);
	return -1;
}

#define refuse(reader, place, ...) \
	(err_set((reader)->err, __VA_ARGS__), reader_refuse((reader), (place)))

/* Reads the members in the order of `fields`. A member that the object lacks keeps its value in `to`. */
int reader_fields(struct reader *reader, const json_t *json, const struct json_place *place,
		  const struct field *fields, size_t count, void *to);

/* The length of an array. */
int reader_length(struct reader *reader, const json_t *json, const struct json_place *place,
		  size_t most, size_t *length);

/* For fields: double, uint32_t, uint64_t, bool, char *, struct distribution. */
int reader_number(struct reader *reader, const json_t *json, const struct json_place *place,
		  void *to);
int reader_u32(struct reader *reader, const json_t *json, const struct json_place *place, void *to);
int reader_u64(struct reader *reader, const json_t *json, const struct json_place *place, void *to);
int reader_bool(struct reader *reader, const json_t *json, const struct json_place *place,
		void *to);
int reader_text(struct reader *reader, const json_t *json, const struct json_place *place,
		void *to);
int reader_time(struct reader *reader, const json_t *json, const struct json_place *place,
		void *to);

/* One of `words`, which NULL ends: its number. */
int reader_word(struct reader *reader, const json_t *json, const struct json_place *place,
		const char *const *words, unsigned *number);

/* `names` gets the name of the thing `index`, or, where it is a twin, one that no text has. */
void reader_add_name(struct map *names, size_t index, const char *name);

/* The number of a name of a `thing`, and of a station: uint32_t. */
int reader_name(struct reader *reader, const json_t *json, const struct json_place *place,
		const struct map *names, const char *thing, uint32_t *number);
int reader_station(struct reader *reader, const json_t *json, const struct json_place *place,
		   void *to);

/* All pools, into the struct model. */
int reader_pools(struct reader *reader, const json_t *json, const struct json_place *place,
		 void *to);

#endif
