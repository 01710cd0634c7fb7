/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/file/distribution.h"
#include "model/file/model_codec.h"

#include <math.h>
#include <string.h>

/* A kind of time: name, parameters, and range of the squared coefficient of variation. */
static const struct {
	const char *name, *pair;
	double cv2_least, cv2_most;
} times[DISTRIBUTION_KINDS] = {
	[DISTRIBUTION_FIXED] = {"fixed", NULL, 0, 1},
	[DISTRIBUTION_EXPONENTIAL] = {"exponential", NULL, 0, 1},
	[DISTRIBUTION_ERLANG] = {"erlang", "PHASES, MEAN", 0, 1},
	[DISTRIBUTION_HYPER] = {"hyper", "MEAN, CV2", 1, DISTRIBUTION_CV2_MAX},
	[DISTRIBUTION_LOGNORMAL] = {"lognormal", "MEAN, CV2", 0, DISTRIBUTION_CV2_MAX},
	[DISTRIBUTION_QUANTILES] = {"quantiles", NULL, 0, INFINITY},
};

/* Reads a mean, or a pair of a mean and a shape. */
static int time_moments(const struct json_place *place, const json_t *json, unsigned kind,
			struct distribution *time)
{
	size_t at = kind == DISTRIBUTION_ERLANG;
	double mean = 0, shape = 0;

	if (!times[kind].pair) {
		if (codec_value_number(place, json, &mean))
			return -1;
	} else if (json_array_size(json) != 2) {
		return codec_refuse(place, "it is not a pair; give [%s]", times[kind].pair);
	} else if (codec_value_number(place, json_array_get(json, at), &mean) ||
		   codec_value_number(place, json_array_get(json, 1 - at), &shape)) {
		return -1;
	}
	if (at && !(shape >= 1 && shape <= DISTRIBUTION_PHASES_MAX && shape <= floor(shape)))
		return codec_refuse(place, "it has %g phases; give 1 to %d", shape,
				    DISTRIBUTION_PHASES_MAX);
	*time = distribution_make(kind, mean, shape);
	return 0;
}

static int time_quantiles(const struct json_place *place, const json_t *json,
			  struct distribution *time)
{
	double quantiles[DISTRIBUTION_QUANTILE_COUNT];

	if (json_array_size(json) != DISTRIBUTION_QUANTILE_COUNT)
		return codec_refuse(place, "it has %zu quantiles; give %d", json_array_size(json),
				    DISTRIBUTION_QUANTILE_COUNT);
	if (codec_value_numbers(place, json, quantiles, DISTRIBUTION_QUANTILE_COUNT))
		return -1;
	*time = distribution_of_quantiles(quantiles);
	return 0;
}

/* Reads a time. A field with words also accepts a shape alone, with the mean 1. */
static int read_time(const struct json_place *place, const json_t *json, void *at)
{
	struct distribution *time = at;
	void *member = json_object_iter((json_t *)(uintptr_t)json);
	struct json_place here;
	unsigned kind = 1;

	if (place->field->about && json_is_string(json)) {
		if (codec_read_word(place, json, &kind))
			return -1;
		*time = distribution_make(DISTRIBUTION_FIXED + kind, 1, 0);
		return 0;
	}
	if (json_is_number(json))
		return time_moments(place, json, DISTRIBUTION_FIXED, time);
	if (json_object_size(json) != 1)
		return codec_refuse(
			place,
			"it is not a time; give seconds, or {\"exponential\": MEAN} and the like");
	here = place_at(place, json_object_iter_key(member), 0);
	while (kind < DISTRIBUTION_KINDS && strcmp(times[kind].name, here.key))
		kind++;
	if (kind == DISTRIBUTION_KINDS)
		return codec_refuse(place,
				    "there is no kind of time \"%.60s\"; give fixed, "
				    "exponential, erlang, hyper, lognormal or quantiles",
				    here.key);
	if (kind == DISTRIBUTION_QUANTILES)
		return time_quantiles(&here, json_object_iter_value(member), time);
	return time_moments(&here, json_object_iter_value(member), kind, time);
}

static json_t *write_time(const struct json_place *place, const void *at)
{
	const struct distribution *time = at;
	double pair[2] = {time->mean, time->cv2};
	json_t *value;

	if (time->kind == DISTRIBUTION_NONE)
		return NULL;
	if (place->field->about && time->kind <= DISTRIBUTION_EXPONENTIAL && time->mean >= 1 &&
	    time->mean <= 1)
		return json_string(times[time->kind].name);
	if (time->kind == DISTRIBUTION_ERLANG) {
		pair[0] = time->phases;
		pair[1] = time->mean;
	}
	if (time->kind == DISTRIBUTION_QUANTILES)
		value = json_of_numbers(time->quantiles, DISTRIBUTION_QUANTILE_COUNT);
	else
		value = times[time->kind].pair ? json_of_numbers(pair, 2)
					       : json_of_number(time->mean);
	if (time->kind == DISTRIBUTION_FIXED)
		return value;
	return json_pack("{s:o}", times[time->kind].name, value);
}

static int check_quantiles(const struct json_place *place, const double *quantiles)
{
	for (size_t i = 0; i < DISTRIBUTION_QUANTILE_COUNT; i++) {
		if (!(quantiles[i] >= 0 && quantiles[i] <= DISTRIBUTION_MEAN_MAX))
			return codec_refuse(place, "quantile %zu is %g; give 0 to %g", i,
					    quantiles[i], DISTRIBUTION_MEAN_MAX);
		if (i && quantiles[i] < quantiles[i - 1])
			return codec_refuse(
				place, "quantile %zu is %g, less than the one before it; sort them",
				i, quantiles[i]);
	}
	return 0;
}

static int check_time(const struct json_place *place, const void *at)
{
	const struct distribution *time = at;
	double cv2_least = times[time->kind].cv2_least, cv2_most = times[time->kind].cv2_most;

	if (time->kind == DISTRIBUTION_NONE)
		return 0;
	if (time->kind == DISTRIBUTION_QUANTILES && check_quantiles(place, time->quantiles))
		return -1;
	if (!(time->cv2 >= cv2_least && time->cv2 <= cv2_most))
		return codec_refuse(place,
				    "the squared coefficient of variation is %g; give %g to %g",
				    time->cv2, cv2_least, cv2_most);
	if (time->mean >= place->field->least && time->mean <= DISTRIBUTION_MEAN_MAX)
		return 0;
	return codec_refuse(place, "the mean is %g; give %g to %g", time->mean, place->field->least,
			    DISTRIBUTION_MEAN_MAX);
}

const struct field_kind kind_time = {read_time, write_time, check_time};
