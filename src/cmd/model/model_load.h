/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The performance model that a command works on: of a recording, or from a file of its own. */
#ifndef PSCAL_CMD_MODEL_MODEL_LOAD_H
#define PSCAL_CMD_MODEL_MODEL_LOAD_H

#include <stdbool.h>

#include "model/extract/extract.h"
#include "model/file/model.h"
#include "model/simulate/model_run.h"

struct err;
struct input;
struct trace_options;

struct model_loaded {
	struct model model;
	bool is_extracted;
	struct model_findings findings; /* of the extraction */
	struct model_result result;	/* of the model as it stands */
};

/*
 * Takes `input` over. The self-check is made where the model does not have one, or its result is
 * wanted. Returns 0, or -1 with a sentence, also where no model can be made. The caller releases
 * *loaded after 0.
 */
int model_load(struct model_loaded *loaded, struct trace_options *trace, struct input *input,
	       bool wants_result, struct err *err);
void model_loaded_release(struct model_loaded *loaded);

#endif
