/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A model as a JSON value, for its files and for numbers that are set by their names there.
 * model_validate() of model.h uses the same tables.
 */
#ifndef PSCAL_MODEL_FILE_MODEL_JSON_H
#define PSCAL_MODEL_FILE_MODEL_JSON_H

#include <jansson.h>
#include <stdbool.h>

struct err;
struct model;

/*
 * Returns the model as JSON, without recorded visits and self-check unless `whole`. The caller
 * drops it.
 */
json_t *model_to_json(const struct model *model, bool whole);

/*
 * Reads a model, without validating it. Returns 0, or -1 with an error that names the place. The
 * caller releases `model` after 0.
 */
int model_of_json(struct model *model, const json_t *json, struct err *err);

#endif
