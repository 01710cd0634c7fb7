/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A structure as a JSON object, described by a table of its members: a line has the functions that
 * read, write and check a member, and its range. Every error names the place in the file.
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
	struct map stations, pools; /* [name]: number in the file that is read */
	struct map names;	    /* names so far of the model that is checked */
	bool whole;		    /* all members are written, also those that are `ballast` */
	struct err *err;
};

/* The place of a value in the file: a key or an index in the place above. */
struct json_place {
	struct codec *codec;
	const struct field *field;
	const struct json_place *up;
	const char *key;
	size_t index;
};

/*
 * The treatment of a kind of member. `at` is the address of the member, or of the pointer to the
 * items of a list. `read` and `check` return 0, or -1 with an error; if `write` returns NULL the
 * member is left out. `check` may be NULL.
 */
struct field_kind {
	int (*read)(const struct json_place *place, const json_t *json, void *at);
	json_t *(*write)(const struct json_place *place, const void *at);
	int (*check)(const struct json_place *place, const void *at);
};

struct field {
	const char *key;
	const struct field_kind *kind;
	size_t offset, size;		       /* offset and size of the member */
	double least, most;		       /* range of a number, or of the mean of a time;
						  equal: any */
	const void *about;		       /* of a word: its words; of an object or a list:
						  struct json_fields of it or of its items; of other
						  members that are `needed`: the advice if it is
						  missing */
	size_t count, count_least, count_most; /* of a list: offset of its length, and range of
						  that */
	size_t flag;			       /* offset of the bool that says whether the member is
						  set; 0: always */
	unsigned only;			       /* bits of `enum ..._kind`: kinds that have the
						  member; 0: all */
	bool sparse;			       /* left out if it is 0 or empty */
	bool needed, ballast;
};

struct json_fields {
	const struct field *fields;
	size_t field_count, size;
	size_t kind;  /* offset of the enum for `only`; its words are those of the field "kind" */
	size_t early; /* number of fields that are read before unknown keys are refused */
	void (*init)(void *whole);
	/* Called after all fields; or NULL. */
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

/* --- For kinds of other files ----------------------------------------------------------------- */

/* Puts the place in front of the error. */
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

/* Returns the structure whose member `at` is. */
static inline void *place_whole(const struct json_place *place, const void *at)
{
	return (char *)(uintptr_t)at - place->field->offset;
}

/* Returns the length of the list, of a field with a `count`. */
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

/* Looks up the name of a `thing`: its number in `names`. */
int codec_value_name(const struct json_place *place, const json_t *json, const struct map *names,
		     const char *thing, uint32_t *number);

json_t *json_of_text(const char *text);
json_t *json_of_number(double number);
json_t *json_of_numbers(const double *numbers, size_t count);

#endif
