/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/fit/fit_request.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/parse.h"
#include "cmd/options/cmd.h"
#include "fit/usl/usl_intervals.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Options as they were written. */
struct texts {
	int model;
	char *gamma;
	int superlinear;
	char *loss;
	char *level;
	char *bootstrap;
	char *seed;
	char *at;
	char *suggest_most;
};

static int read_at(struct fit_request *request, const char *text, struct err *err)
{
	if (!text)
		return 0;
	if (parse_doubles(&request->at, &request->at_count, text, err))
		return err_wrap(err, "--at");
	for (size_t i = 0; i < request->at_count; i++)
		if (!(request->at[i] > 0))
			return err_set(err, "--at %s: each N must be above 0", text);
	return 0;
}

static int read_level(struct fit_request *request, const char *text, struct err *err)
{
	request->level = .95;
	if (!text)
		return 0;
	if (parse_double(&request->level, text) || !(request->level > 0 && request->level < 1))
		return err_set(err, "--level %s: the level is a share above 0 and below 1, as 0.9",
			       text);
	return 0;
}

static int read_gamma(struct fit_request *request, const char *text, struct err *err)
{
	request->form.gamma_first = text && strcmp(text, "first") == 0;
	if (!text || request->form.gamma_first || strcmp(text, "fitted") == 0)
		return 0;
	return err_set(err, "--gamma %s: gamma is 'fitted', or 'first': the throughput at N = 1",
		       text);
}

static int read_loss(struct fit_request *request, const char *text, struct err *err)
{
	request->loss = text ? USL_LOSS_TUKEY : USL_LOSS_SQUARES;
	if (!text || strcmp(text, "tukey") == 0)
		return 0;
	request->loss = USL_LOSS_HUBER;
	if (strcmp(text, "huber") == 0)
		return 0;
	return err_set(err, "--robust=%s: the losses are tukey and huber", text);
}

/* Any seed is as good as another; one that is always the same makes results that are. */
static int read_seed(struct fit_request *request, const struct texts *texts, struct err *err)
{
	uint64_t seed = 1;

	if (texts->seed && !texts->bootstrap)
		return err_set(err, "--seed %s: only --bootstrap draws numbers; add it",
			       texts->seed);
	if (texts->seed && parse_u64(&seed, texts->seed, UINT32_MAX))
		return err_set(err, "--seed %s: the seed is a whole number up to %" PRIu32,
			       texts->seed, UINT32_MAX);
	request->seed = (uint32_t)seed;
	return 0;
}

static int read_bootstrap(struct fit_request *request, const struct texts *texts, struct err *err)
{
	const uint64_t most = 1000000; /* and 120 MB */
	size_t least = usl_bootstrap_least(request->level);
	uint64_t refits = 0;

	if (read_seed(request, texts, err))
		return -1;
	if (!texts->bootstrap)
		return 0;
	if (texts->loss)
		return err_set(err, "--bootstrap: refits by least squares, which --robust is not; "
				    "leave one of them out");
	if (parse_u64(&refits, texts->bootstrap, most))
		return err_set(err,
			       "--bootstrap %s: the number of refits is a whole number up to "
			       "%" PRIu64,
			       texts->bootstrap, most);
	if (refits < least)
		return err_set(err,
			       "--bootstrap %s: intervals of %.6g %% need at least %zu refits, and "
			       "some hundred to be steady",
			       texts->bootstrap, 100 * request->level, least);
	request->refits = (size_t)refits;
	return 0;
}

static int check_plotting(const struct fit_request *request, struct err *err)
{
	if (request->plotting.path && request->options.arg_count > 1)
		return err_set(err, "--plot: takes one FILE, as each has a picture of its own");
	return plotting_check(&request->plotting, &request->options, err);
}

static int read_suggest(struct fit_request *request, const char *text, struct err *err)
{
	const uint64_t most = 1000000;

	if (!text)
		return 0;
	request->suggest = true;
	if (parse_u64(&request->suggest_most, text, most) || !request->suggest_most)
		return err_set(err,
			       "--suggest-max %s: the largest N to suggest is a whole number from "
			       "1 to %" PRIu64,
			       text, most);
	return 0;
}

/* Two files, and nothing that is asked of one. */
static int check_compare(const struct fit_request *request, struct err *err)
{
	const struct {
		bool given;
		const char *option;
	} others[] = {
		{request->refits > 0, "--bootstrap"},
		{request->at_count > 0, "--at"},
		{request->questions.question_count > 0, "a question about one curve"},
		{request->questions.change_count > 0, "--what-if"},
		{request->questions.claim_count > 0, "--assert"},
		{request->suggest != 0, "--suggest"},
		{request->details != 0, "--details"},
		{request->plotting.path != NULL, "--plot"},
		{request->plotting.chart != 0, "--chart"},
	};

	if (!request->compare)
		return 0;
	if (request->options.arg_count != 2)
		return err_set(err, "--compare: name two files, before and after, not %zu",
			       request->options.arg_count);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (others[i].given)
			return err_set(err, "--compare: does not go with %s", others[i].option);
	return 0;
}

static int read_texts(struct fit_request *request, const struct texts *texts, struct err *err)
{
	request->form.model = (enum usl_model)texts->model;
	request->form.unbounded = texts->superlinear;
	if (fit_points_read(&request->points, err) || read_gamma(request, texts->gamma, err) ||
	    read_loss(request, texts->loss, err) || read_level(request, texts->level, err) ||
	    read_bootstrap(request, texts, err) || read_at(request, texts->at, err) ||
	    fit_questions_read(&request->questions, err) ||
	    read_suggest(request, texts->suggest_most, err) || check_plotting(request, err) ||
	    check_compare(request, err))
		return STATUS_USAGE;
	return -1;
}

static int parse(struct fit_request *request, struct texts *texts, int argc, const char **argv,
		 struct err *err)
{
	const struct poptOption fitting[] = {
		{"usl", '\0', POPT_ARG_VAL, &texts->model, USL_FULL,
		 "fit alpha, beta and gamma (default)", NULL},
		{"amdahl", '\0', POPT_ARG_VAL, &texts->model, USL_AMDAHL,
		 "fit alpha and gamma: Amdahl's law, beta = 0", NULL},
		{"linear", '\0', POPT_ARG_VAL, &texts->model, USL_LINEAR,
		 "fit gamma: linear scaling, alpha = beta = 0", NULL},
		{"gamma", '\0', POPT_ARG_STRING, &texts->gamma, 0,
		 "fitted (default), or first: the throughput measured at N = 1", "fitted|first"},
		{"superlinear", '\0', POPT_ARG_NONE, &texts->superlinear, 0,
		 "let alpha and beta be negative", NULL},
		{"robust", '\0', POPT_ARG_STRING, &texts->loss, 0,
		 "distrust points far from the curve; tukey if not said", "tukey|huber"},
		{"level", '\0', POPT_ARG_STRING, &texts->level, 0,
		 "confidence of the intervals (default 0.95)", "SHARE"},
		{"bootstrap", '\0', POPT_ARG_STRING, &texts->bootstrap, 0,
		 "intervals by bootstrap-t with so many refits", "REFITS"},
		{"seed", '\0', POPT_ARG_STRING, &texts->seed, 0,
		 "what --bootstrap draws with (default 1)", "NUMBER"},
		POPT_TABLEEND};
	const struct fit_question_table questions = fit_questions_table(&request->questions);
	const struct poptOption asking[] = {
		{"at", '\0', POPT_ARG_STRING, &texts->at, 0, "predict the throughput at each N",
		 "N,..."},
		options_include(questions.options, NULL),
		{"suggest", '\0', POPT_ARG_NONE, &request->suggest, 0, "which N to measure next",
		 NULL},
		{"suggest-max", '\0', POPT_ARG_STRING, &texts->suggest_most, 0,
		 "... up to N (default three times the largest)", "N"},
		{"compare", '\0', POPT_ARG_NONE, &request->compare, 0,
		 "what has changed from the first file to the second", NULL},
		{"details", '\0', POPT_ARG_NONE, &request->details, 0,
		 "list what each point does to the fit", NULL},
		POPT_TABLEEND};
	struct poptOption reading[FIT_POINTS_OPTIONS] = {POPT_TABLEEND};
	const struct poptOption drawing[] = {PLOTTING_OPTIONS(&request->plotting), POPT_TABLEEND};
	const struct poptOption table[] = {options_include(reading, "How the points are read:"),
					   options_include(fitting, "What is fitted:"),
					   options_include(asking, "What is asked of the curve:"),
					   options_include(drawing, "Drawing:"), POPT_TABLEEND};
	int status;

	fit_points_table(reading, &request->points);
	status = options_parse(&request->options, OPTIONS_GROUPS, "[FILE...]", table, argc, argv,
			       err);
	return status >= 0 ? status : read_texts(request, texts, err);
}

/* popt would take what follows for the value that an option may have. The caller frees. */
static const char **complete(int argc, const char **argv)
{
	const char **all = xcalloc((size_t)argc + 1, sizeof(*all));
	bool options = true;

	for (int i = 0; i < argc; i++) {
		options = options && strcmp(argv[i], "--") != 0;
		all[i] = options && strcmp(argv[i], "--robust") == 0 ? "--robust=tukey" : argv[i];
	}
	return all;
}

int fit_request_parse(struct fit_request *request, int argc, const char **argv, struct err *err)
{
	struct texts texts = {.model = USL_FULL};
	int status;

	*request = (struct fit_request){.argv = complete(argc, argv)};
	status = parse(request, &texts, argc, request->argv, err);
	free(texts.loss);
	free(texts.gamma);
	free(texts.level);
	free(texts.bootstrap);
	free(texts.seed);
	free(texts.at);
	free(texts.suggest_most);
	return status;
}

void fit_request_release(struct fit_request *request)
{
	options_release(&request->options);
	fit_points_release(&request->points);
	free(request->argv);
	free(request->at);
	fit_questions_release(&request->questions);
	plotting_release(&request->plotting);
}
