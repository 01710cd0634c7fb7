/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads any text as a performance model. A valid model is written, and reads the same again; a
 * simulation of some requests ends, in little memory, with plausible numbers or with a sentence.
 */
#include "fuzz.h"

#include "base/alloc.h"
#include "model/file/model.h"
#include "model/file/model_file.h"
#include "model/simulate/model_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REQUESTS = 200 };

static void check_that(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "wrong: %s\n", what);
	abort();
}

static char *text_of(const struct model *model)
{
	struct err err = {.text = ""};
	char *text;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	fuzz_check(model_write(model, stream, &err), &err);
	fclose(stream);
	return text;
}

static void write_again(const struct model *model)
{
	struct err err = {.text = ""};
	struct model again;
	char *text = text_of(model), *text_again;

	fuzz_check(model_read_text(&again, text, strlen(text), &err), &err);
	text_again = text_of(&again);
	check_that(!strcmp(text, text_again), "a model is written otherwise when it is read again");
	free(text);
	free(text_again);
	model_release(&again);
}

static void set_threads(struct model *model)
{
	char *name = xasprintf("%s.threads", model->pools[0].name);
	struct err err = {.text = ""};

	if (model_set(model, name, 3, &err))
		check_that(*err.text, "there is no sentence");
	free(name);
}

static void run_some(const struct model *model)
{
	struct err err = {.text = ""};
	struct model_result result;

	if (model_run(&result, model, &(struct model_run_request){.requests_most = REQUESTS},
		      &err)) {
		check_that(*err.text, "there is no sentence");
		return;
	}
	check_that(result.throughput_per_s >= 0, "the throughput is no number");
	check_that(result.grows || result.response_s >= 0 || !result.requests,
		   "the response time is no number");
	check_that(result.busy_cores >= -1e-6 &&
			   result.busy_cores <= model->machine.cores * 1.000001,
		   "there are too many busy cores");
	for (size_t i = 0; i < model->pool_count; i++)
		check_that(result.pools[i].utilisation >= -1e-6 &&
				   result.pools[i].utilisation <= 1.000001,
			   "the utilisation of a pool is not from 0 to 1");
	model_result_release(&result);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct err err = {.text = ""};
	struct model model;

	if (model_read_text(&model, (const char *)bytes, length, &err)) {
		check_that(*err.text, "there is no sentence");
		return 0;
	}
	write_again(&model);
	run_some(&model);
	set_threads(&model);
	run_some(&model);
	model_release(&model);
	return 0;
}
