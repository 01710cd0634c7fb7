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

/* The quantities of --assert: the wall time of a batch on N cores, and three of requests. */
enum model_wish_quantity {
	MODEL_WISH_WALL,
	MODEL_WISH_NONE, /* the quantities of requests follow */
	MODEL_WISH_THROUGHPUT,
	MODEL_WISH_RESPONSE,
	MODEL_WISH_P95,
};

/* The options as given on the command line. Begins as zero, except think_s, which begins as NaN. */
struct model_wish {
	const char *threads, *rates, *goal;
	struct number_list clients;
	double think_s;
	const char **settings;
	bool trust;
	const char *measured_path; /* a table of model_measured.h, or NULL */
	const struct plotting *plotting;
};

extern const struct option model_wish_options[];

/* Returns the first given option of this table, as "--threads"; NULL: none is given. */
const char *model_wish_asked(const struct options *common);

/* Checks the texts as far as possible without a model. Returns 0, or -1 with an error. */
int model_wish_check(const struct model_wish *wish, struct err *err);

/*
 * Makes the forecast from the recording or model in `input`, whose name is `path`, and prints it.
 * Takes ownership of `input`. Assertions are of enum model_wish_quantity; each row of the forecast
 * has to meet them. Returns 0, or -1 with an error.
 */
int model_wish_print(const struct model_wish *wish, const struct number_list *cores,
		     struct assertions *assertions, struct trace_options *trace, const char *path,
		     struct input *input, struct err *err);

#endif
