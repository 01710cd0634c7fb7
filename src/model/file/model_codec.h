/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A structure as a JSON object, by a table of its members: what reads, writes and checks one is in the
 * same line, with its range. Each fault is told with its place.
 */
#ifndef PSCAL_MODEL_FILE_MODEL_CODEC_H
#define PSCAL_MODEL_FILE_MODEL_CODEC_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/map.h"

struct field;
struct model;

struct codec {
	const struct model *model;
	struct map stations, pools; /* names in the file that is read, as numbered there */
	struct map names;	    /* of a model that is checked, so far */
	bool whole;		    /* all is written, not only members that are no ballast */
	struct err *err;
};

/* Where in the file a value stands: behind a key of the place above, or at an index of it. */
struct json_place {
	struct codec *codec;
	const struct field *field;
	const struct json_place *up;
	const char *key;
	size_t index;
};

/*
 * The treatment of a member: `at` is the address of it, or of the pointer to the items of a list.
 * `read` and `check` return 0, or -1 with a sentence; what `write` returns NULL for is left out.
 * There may be nothing to check.
 */
struct field_kind {
	int (*read)(const struct json_place *place, const json_t *json, void *at);
	json_t *(*write)(const struct json_place *place, const void *at);
	int (*check)(const struct json_place *place, const void *at);
};

struct field {
	const char *key;
	const struct field_kind *kind;
	size_t offset, size; /* of the member */
	double least, most;  /* of numbers, the mean of a time. Equal: any */
	const void *about;   /* words of a word; struct json_fields of an object and of items; of
			      * any other that is needed the remedy where it is missing */
	size_t count, count_least, count_most; /* of a list: where its length is, and the range */
	size_t flag;   /* where it is said whether there is one; 0: always */
	unsigned only; /* bits of `enum ..._kind`: others lack the member; 0: all have it */
	bool sparse;   /* left out where it is 0 or empty */
	bool needed, ballast;
};

struct json_fields {
	const struct field *fields;
	size_t field_count, size;
	size_t kind;  /* where the enum for `only` is; its words are those of the field "kind" */
	size_t early; /* that many fields are read before a key that is not known is refused */
	void (*init)(void *whole);
	/* After all fields; may be NULL. */
	int (*check)(const struct json_place *place, const void *whole);
};

int codec_object_read(const struct json_place *place, const json_t *json,
		      const struct json_fields *object, void *whole);
json_t *codec_object_write(const struct json_place *place, const struct json_fields *object,
			   const void *whole);
int codec_object_check(const struct json_place *place, const struct json_fields *object,
		       const void *whole);

int codec_read_word(const struct json_place *place, const json_t *json, void *at);
int codec_read_text(const struct json_place *place, const json_t *json, void *at);
json_t *codec_write_text(const struct json_place *place, const void *at);
int codec_read_list(const struct json_place *place, const json_t *json, void *at);
json_t *codec_write_list(const struct json_place *place, const void *at);
int codec_check_list(const struct json_place *place, const void *at);
int codec_check_length(const struct json_place *place, size_t count);

/* number: double; whole: uint32_t or uint64_t; word: an enum; numbers: a list of double. */
extern const struct field_kind kind_number, kind_whole, kind_bool, kind_text, kind_word, kind_time,
	kind_object, kind_list, kind_numbers;

/* --- For kinds of other files ------------------------------------------------------------------- */

/* Puts the place in front of the sentence. */
void place_refuse(const struct json_place *place);

static inline int codec_refuse_at(const struct json_place *place)
{
	place_refuse(place);
	return -1;
}

#define codec_refuse(place, ...) (err_set((place)->codec->err, __VA_ARGS__), codec_refuse_at(place))

static inline struct json_place place_at(const struct json_place *up, const char *key, size_t index)
{
	return (struct json_place){up->codec, up->field, up, key, index};
}

static inline struct json_place place_of_field(const struct json_place *up,
					       const struct field *field)
{
	return (struct json_place){up->codec, field, up, field->key, 0};
}

/* The structure of which `at` is the member. */
static inline void *place_whole(const struct json_place *place, const void *at)
{
	return (char *)(uintptr_t)at - place->field->offset;
}

/* The length of the list, of a field with a `count`. */
static inline size_t *place_count(const struct json_place *place, const void *at)
{
	return (void *)((char *)place_whole(place, at) + place->field->count);
}

int codec_value_length(const struct json_place *place, const json_t *json, size_t most,
		       size_t *length);
int codec_value_number(const struct json_place *place, const json_t *json, double *number);
int codec_value_whole(const struct json_place *place, const json_t *json, double least, double most,
		      double *whole);
int codec_value_numbers(const struct json_place *place, const json_t *json, double *numbers,
			size_t count);
int codec_value_range(const struct json_place *place, double value, double least, double most);

/* A name of a `thing`: its number in `names`. */
int codec_value_name(const struct json_place *place, const json_t *json, const struct map *names,
		     const char *thing, uint32_t *number);

json_t *json_of_text(const char *text);
json_t *json_of_number(double number);
json_t *json_of_numbers(const double *numbers, size_t count);

#endif
