/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A model as a JSON value, for its files and for numbers that are set by their names in these; and,
 * by the same tables, model_validate() of model.h.
 */
#ifndef PSCAL_MODEL_FILE_MODEL_JSON_H
#define PSCAL_MODEL_FILE_MODEL_JSON_H

#include <jansson.h>
#include <stdbool.h>

struct err;
struct model;

/* All of it, or without recorded visits and without the self-check. The caller drops it. */
json_t *model_to_json(const struct model *model, bool whole);

/*
 * Returns 0, or -1 with a sentence with the place. It is not yet validated. The caller releases
 * `model` after 0.
 */
int model_of_json(struct model *model, const json_t *json, struct err *err);

#endif
