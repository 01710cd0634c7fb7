/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of forecasts that are made with a performance model. */
#ifndef PSCAL_CMD_MODEL_MODEL_WISH_H
#define PSCAL_CMD_MODEL_MODEL_WISH_H

#include <stdbool.h>

#include "cmd/options/options.h"

struct assertion;
struct assertions;
struct err;
struct input;
struct trace_options;

/* Quantities for --assert: the wall time of a batch on so many cores, the other three of requests. */
enum model_wish_quantity {
	MODEL_WISH_WALL,
	MODEL_WISH_NONE, /* from here on of no wall time */
	MODEL_WISH_THROUGHPUT,
	MODEL_WISH_RESPONSE,
	MODEL_WISH_P95,
};

/* As typed; begins with zeros but for think_s, which is NaN. */
struct model_wish {
	const char *threads, *rates, *goal;
	struct number_list clients;
	double think_s;
	const char **settings;
	bool trust;
	const char *measured_path; /* of a table of model_measured.h, or NULL */
	const struct plotting *plotting;
};

extern const struct option model_wish_options[];

/* The first of the options that is given, "--threads"; NULL: none is. */
const char *model_wish_asked(const struct model_wish *wish, const struct options *common);

/* Are they written as they have to be? Returns 0, or -1 with a sentence. */
int model_wish_check(const struct model_wish *wish, struct err *err);

/*
 * Makes the forecast from the recording or the model in `input`, which is taken over, and prints it.
 * `path` is its name. Assertions have numbers of enum model_wish_quantity, and each row has to meet
 * them. Returns 0, or -1 with a sentence.
 */
int model_wish_print(const struct model_wish *wish, const struct number_list *cores,
		     struct assertions *assertions, struct trace_options *trace, const char *path,
		     struct input *input, struct err *err);

#endif
