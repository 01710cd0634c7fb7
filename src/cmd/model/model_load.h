/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The performance model of a command, extracted from a recording or read from a file. */
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
	struct model_findings findings; /* of the extraction, if any */
	struct model_result result;	/* of the model as it stands: its self-check */
};

/*
 * Loads a model. Takes ownership of `input`. The self-check is made if the model lacks one, or if
 * the caller wants its result. Returns 0, or -1 with an error, for example if no model can be
 * extracted. The caller releases *loaded after 0.
 */
int model_load(struct model_loaded *loaded, struct trace_options *trace, struct input *input,
	       bool wants_result, struct err *err);
void model_loaded_release(struct model_loaded *loaded);

#endif
