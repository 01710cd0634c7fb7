/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/fit/fit_request.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/parse.h"
#include "cmd/options/cmd.h"
#include "cmd/options/fit_claims.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Options as they were written. */
struct fit_texts {
	/* The points. */
	char *columns, *work, *weights;
	int time, from_log, cut_end;
	/* The fit. */
	int model;
	char *gamma;
	int superlinear;
	char *loss, *level, *bootstrap, *seed;
	/* The questions. */
	char *at, *throughputs, *latencies, *efficiencies;
	char **changes, **claims; /* NULL-terminated, or NULL */
	int suggest;
	char *suggest_most;
};

/* --- How the points are read --------------------------------------------------------- */

/* "time:3" says what column 3 holds; a name may hold a colon too. */
static void read_choice(struct column_choice *choice, char *text)
{
	static const enum quantity kinds[] = {QUANTITY_N,	QUANTITY_THROUGHPUT, QUANTITY_TIME,
					      QUANTITY_LATENCY, QUANTITY_SPEEDUP,    QUANTITY_COUNT,
					      QUANTITY_TOTAL};
	const char *colon = strchr(text, ':');

	*choice = (struct column_choice){.column = text};
	for (size_t i = 0; colon && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t length = strlen(quantity_name(kinds[i]));

		if (colon != text + length || strncmp(text, quantity_name(kinds[i]), length) != 0)
			continue;
		choice->quantity = kinds[i];
		choice->column = text + length + 1;
	}
}

static int read_columns(struct fit_request *fit, struct err *err)
{
	struct series_request *request = &fit->points;
	const struct fit_texts *texts = fit->texts;
	size_t most = texts->from_log ? COLUMN_CHOICES : 2;
	char *rest = texts->columns;

	if (!rest)
		return 0;
	for (char *part; (part = strsep(&rest, ","));) {
		if (!*part || request->column_count == most)
			return err_set(err,
				       "--columns takes %s, by name or number and separated by "
				       "commas; of a name with a comma give the number",
				       texts->from_log ? "the columns of time, N and throughput, "
							 "count or total"
						       : "two columns, N and what was measured");
		read_choice(&request->columns[request->column_count++], part);
		if (!*request->columns[request->column_count - 1].column)
			return err_set(err, "--columns: %s names no column", part);
	}
	if (request->column_count < 2)
		return err_set(err, "--columns takes two columns, N and what was measured, as 1,3 "
				    "or threads,elapsed");
	return 0;
}

static int read_work(struct fit_request *fit, struct err *err)
{
	struct series_request *request = &fit->points;
	const struct fit_texts *texts = fit->texts;

	if (!texts->work)
		return 0;
	if (parse_double(&request->work, texts->work)) {
		request->work = 0;
		request->work_column = texts->work;
	} else if (!(request->work > 0)) {
		return err_set(err, "--work %s: the work must be above 0", texts->work);
	}
	return *texts->work ? 0 : err_set(err, "--work takes a number or the name of a column");
}

static int read_weights(struct fit_request *fit, struct err *err)
{
	struct series_request *request = &fit->points;
	const struct fit_texts *texts = fit->texts;
	char *text = texts->weights;

	if (!text || strcmp(text, "none") == 0)
		return 0;
	if (strcmp(text, "relative") == 0) {
		request->weighting = WEIGHTS_RELATIVE;
		return 0;
	}
	if (strcmp(text, "steady") == 0) {
		request->weighting = WEIGHTS_STEADY;
		if (texts->from_log)
			return 0;
		return err_set(err, "--weights steady needs --from-log; for a column of that name "
				    "give its number");
	}
	request->weighting = strncmp(text, "sd:", 3) == 0 ? WEIGHTS_DEVIATIONS : WEIGHTS_COLUMN;
	request->weight_column = request->weighting == WEIGHTS_DEVIATIONS ? text + 3 : text;
	if (texts->from_log)
		return err_set(err,
			       "--weights %s: with --from-log they can be none, relative or "
			       "steady",
			       text);
	if (!*request->weight_column)
		return err_set(err, "--weights takes none, relative, steady, COLUMN or sd:COLUMN");
	return 0;
}

static int check_points(const struct fit_texts *texts, struct err *err)
{
	if (texts->from_log && (texts->time || texts->work))
		return err_set(err, "--from-log takes throughput or what was completed, not --time "
				    "and --work");
	if (texts->cut_end && !texts->from_log)
		return err_set(err, "--cut-end needs --from-log");
	return 0;
}

static int read_points(struct fit_request *fit, struct err *err)
{
	const struct fit_texts *texts = fit->texts;

	fit->points.time = texts->time;
	fit->points.from_log = texts->from_log;
	fit->points.cut_end = texts->cut_end;
	if (check_points(texts, err) || read_columns(fit, err) || read_work(fit, err))
		return -1;
	return read_weights(fit, err);
}

/* --- The law and the method ------------------------------------------------------------ */

static int read_at(struct fit_request *request, const char *text, struct err *err)
{
	if (!text)
		return 0;
	if (parse_doubles(&request->wish.at, &request->wish.at_count, text, err))
		return err_wrap(err, "--at");
	for (size_t i = 0; i < request->wish.at_count; i++)
		if (!(request->wish.at[i] > 0))
			return err_set(err, "--at %s: each N must be above 0", text);
	return 0;
}

static int read_level(struct fit_request *request, const char *text, struct err *err)
{
	request->wish.level = .95;
	if (!text)
		return 0;
	if (parse_double(&request->wish.level, text) ||
	    !(request->wish.level > 0 && request->wish.level < 1))
		return err_set(err, "--level %s: the level is a share above 0 and below 1, as 0.9",
			       text);
	return 0;
}

static int read_gamma(struct fit_request *request, const char *text, struct err *err)
{
	request->wish.form.gamma_first = text && strcmp(text, "first") == 0;
	if (!text || request->wish.form.gamma_first || strcmp(text, "fitted") == 0)
		return 0;
	return err_set(err, "--gamma %s: gamma is 'fitted', or 'first': the throughput at N = 1",
		       text);
}

static int read_loss(struct fit_request *request, const char *text, struct err *err)
{
	request->wish.loss = text ? USL_LOSS_TUKEY : USL_LOSS_SQUARES;
	if (!text || strcmp(text, "tukey") == 0)
		return 0;
	request->wish.loss = USL_LOSS_HUBER;
	if (strcmp(text, "huber") == 0)
		return 0;
	return err_set(err, "--robust=%s: the losses are tukey and huber", text);
}

/* Any seed is as good as another; one that is always the same makes results that are. */
static int read_seed(struct fit_request *request, const struct fit_texts *texts, struct err *err)
{
	uint64_t seed = 1;

	if (texts->seed && !texts->bootstrap)
		return err_set(err, "--seed %s: only --bootstrap draws numbers; add it",
			       texts->seed);
	if (texts->seed && parse_u64(&seed, texts->seed, UINT32_MAX))
		return err_set(err, "--seed %s: the seed is a whole number up to %" PRIu32,
			       texts->seed, UINT32_MAX);
	request->wish.bootstrap.seed = (uint32_t)seed;
	return 0;
}

static int read_bootstrap(struct fit_request *request, const struct fit_texts *texts,
			  struct err *err)
{
	const uint64_t most = 1000000; /* and 120 MB */
	size_t least = usl_bootstrap_least(request->wish.level);
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
			       texts->bootstrap, 100 * request->wish.level, least);
	request->wish.bootstrap.refits = (size_t)refits;
	return 0;
}

static int check_plotting(const struct fit_request *request, struct err *err)
{
	if (request->plotting.path && request->options.arg_count > 1)
		return err_set(err, "--plot: takes one FILE, as each has a picture of its own");
	return plotting_check(&request->plotting, &request->options, err);
}

static int read_suggest(struct fit_request *request, const struct fit_texts *texts, struct err *err)
{
	const uint64_t most = 1000000;
	uint64_t n;

	request->wish.suggest = texts->suggest || texts->suggest_most;
	if (!texts->suggest_most)
		return 0;
	if (parse_u64(&n, texts->suggest_most, most) || !n)
		return err_set(err,
			       "--suggest-max %s: the largest N to suggest is a whole number from "
			       "1 to %" PRIu64,
			       texts->suggest_most, most);
	request->wish.suggest_most = (double)n;
	return 0;
}

/* --- The N of questions ----------------------------------------------------------------- */

static int parse_throughput(double *target, const char *text, struct err *err)
{
	if (parse_double(target, text) || !(*target > 0))
		return err_set(err, "'%s' is no throughput above 0", text);
	return 0;
}

static int parse_latency(double *target, const char *text, struct err *err)
{
	if (parse_seconds(target, text, err))
		return -1;
	return *target > 0 ? 0 : err_set(err, "'%s' is no time above 0", text);
}

static int parse_efficiency(double *target, const char *text, struct err *err)
{
	if (fit_share_parse(target, text) || !(*target > 0 && *target <= 1))
		return err_set(err, "'%s' is no share above 0 and up to 1, as 0.5 or 50%%", text);
	return 0;
}

static int read_list(struct fit_request *request, enum usl_subject subject, const char *text,
		     int (*parse)(double *target, const char *text, struct err *err),
		     struct err *err)
{
	char *copy = xstrdup(text), *rest = copy;
	int rc = 0;

	for (char *part; !rc && (part = strsep(&rest, ","));) {
		struct usl_question question = {.subject = subject};
		size_t count = request->wish.question_count;

		rc = parse(&question.target, part, err);
		if (rc)
			break;
		request->wish.questions = xreallocarray(request->wish.questions, count + 1,
							sizeof(*request->wish.questions));
		request->wish.questions[count] = question;
		request->wish.question_count++;
	}
	free(copy);
	return rc;
}

static int read_targets(struct fit_request *request, struct err *err)
{
	const struct fit_texts *texts = request->texts;
	const struct {
		const char *option, *text;
		enum usl_subject subject;
		int (*parse)(double *target, const char *text, struct err *err);
	} lists[] = {
		{"--for-throughput", texts->throughputs, USL_THROUGHPUT_REACHED, parse_throughput},
		{"--slo", texts->latencies, USL_LATENCY_WITHIN, parse_latency},
		{"--target-efficiency", texts->efficiencies, USL_EFFICIENCY_AT_LEAST,
		 parse_efficiency},
	};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (lists[i].text &&
		    read_list(request, lists[i].subject, lists[i].text, lists[i].parse, err))
			return err_wrap(err, "%s", lists[i].option);
	return 0;
}

/* --- What is asked: changes and claims ------------------------------------------------ */

static size_t texts_count(char *const *texts)
{
	size_t count = 0;

	while (texts && texts[count])
		count++;
	return count;
}

static int read_changes(struct fit_request *request, struct err *err)
{
	const struct fit_texts *texts = request->texts;
	size_t count = texts_count(texts->changes);

	request->wish.changes = xcalloc(count + 1, sizeof(*request->wish.changes));
	request->wish.change_count = count;
	for (size_t i = 0; i < count; i++)
		if (fit_change_parse(&request->wish.changes[i], texts->changes[i], err))
			return err_wrap(err, "--what-if");
	return 0;
}

static int read_claims(struct fit_request *request, struct err *err)
{
	const struct fit_texts *texts = request->texts;
	size_t count = texts_count(texts->claims);

	request->wish.claims = xcalloc(count + 1, sizeof(*request->wish.claims));
	request->wish.claim_count = count;
	for (size_t i = 0; i < count; i++)
		if (fit_claim_parse(&request->wish.claims[i], texts->claims[i], err))
			return err_wrap(err, "--assert");
	return 0;
}

/* --- All together -------------------------------------------------------------------- */

/* Two files, and nothing that is asked of one. */
static int check_compare(const struct fit_request *request, struct err *err)
{
	const struct {
		bool given;
		const char *option;
	} others[] = {
		{request->wish.bootstrap.refits > 0, "--bootstrap"},
		{request->wish.at_count > 0, "--at"},
		{request->wish.question_count > 0, "a question about one curve"},
		{request->wish.change_count > 0, "--what-if"},
		{request->wish.claim_count > 0, "--assert"},
		{request->wish.suggest, "--suggest"},
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

static int read_texts(struct fit_request *request, struct err *err)
{
	const struct fit_texts *texts = request->texts;

	request->wish.form.model = (enum usl_model)texts->model;
	request->wish.form.unbounded = texts->superlinear;
	if (read_points(request, err) || read_gamma(request, texts->gamma, err) ||
	    read_loss(request, texts->loss, err) || read_level(request, texts->level, err) ||
	    read_bootstrap(request, texts, err) || read_at(request, texts->at, err) ||
	    read_targets(request, err) || read_changes(request, err) || read_claims(request, err) ||
	    read_suggest(request, texts, err) || check_plotting(request, err) ||
	    check_compare(request, err))
		return STATUS_USAGE;
	return -1;
}

/* clang-format off */
#define READING_OPTIONS(texts) \
	{"columns", '\0', POPT_ARG_STRING, &(texts)->columns, 0, \
	 "which columns: N and what was measured, by name or number, as 1,time:3", \
	 "N,COLUMN"}, \
	{"time", '\0', POPT_ARG_NONE, &(texts)->time, 0, \
	 "what was measured is a time: throughput is 1 / time", NULL}, \
	{"work", '\0', POPT_ARG_STRING, &(texts)->work, 0, \
	 "work done in that time: a number, or the column with it", "W"}, \
	{"weights", '\0', POPT_ARG_STRING, &(texts)->weights, 0, \
	 "none (default), relative, steady, COLUMN of weights, or sd:COLUMN", "KIND"}, \
	{"from-log", '\0', POPT_ARG_NONE, &(texts)->from_log, 0, \
	 "rows are a log over time: fit the steady part of each N", NULL}, \
	{"cut-end", '\0', POPT_ARG_NONE, &(texts)->cut_end, 0, \
	 "... and cut the end of each too where it is not steady", NULL}

#define QUESTION_OPTIONS(texts) \
	{"for-throughput", '\0', POPT_ARG_STRING, &(texts)->throughputs, 0, \
	 "find the N that reach each throughput", "X,..."}, \
	{"slo", '\0', POPT_ARG_STRING, &(texts)->latencies, 0, \
	 "find the largest N whose latency N/X is within each", "TIME,..."}, \
	{"target-efficiency", '\0', POPT_ARG_STRING, &(texts)->efficiencies, 0, \
	 "find the largest N that works at each efficiency", "SHARE,..."}, \
	{"what-if", '\0', POPT_ARG_ARGV, &(texts)->changes, 0, \
	 "show the curve with other parameters: alpha=x0.5,beta=0; repeatable", "CHANGES"}, \
	{"assert", '\0', POPT_ARG_ARGV, &(texts)->claims, 0, \
	 "exit with 3 unless this is shown to hold: 'nc>=64'; repeatable", "CLAIM"}
/* clang-format on */

static int parse(struct fit_request *request, int argc, const char **argv, struct err *err)
{
	struct fit_texts *texts = request->texts;
	const struct poptOption reading[] = {READING_OPTIONS(texts), POPT_TABLEEND};
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
	const struct poptOption questions[] = {QUESTION_OPTIONS(texts), POPT_TABLEEND};
	const struct poptOption asking[] = {
		{"at", '\0', POPT_ARG_STRING, &texts->at, 0, "predict the throughput at each N",
		 "N,..."},
		options_include(questions, NULL),
		{"suggest", '\0', POPT_ARG_NONE, &texts->suggest, 0, "which N to measure next",
		 NULL},
		{"suggest-max", '\0', POPT_ARG_STRING, &texts->suggest_most, 0,
		 "... up to N (default three times the largest)", "N"},
		{"compare", '\0', POPT_ARG_NONE, &request->compare, 0,
		 "what has changed from the first file to the second", NULL},
		{"details", '\0', POPT_ARG_NONE, &request->details, 0,
		 "list what each point does to the fit", NULL},
		POPT_TABLEEND};
	const struct poptOption drawing[] = {PLOTTING_OPTIONS(&request->plotting), POPT_TABLEEND};
	const struct poptOption table[] = {options_include(reading, "How the points are read:"),
					   options_include(fitting, "The law and the method:"),
					   options_include(asking, "Questions to the curve:"),
					   options_include(drawing, "Drawing:"), POPT_TABLEEND};
	int status;

	status = options_parse(&request->options, OPTIONS_GROUPS, "[FILE...]", table, argc, argv,
			       err);
	return status >= 0 ? status : read_texts(request, err);
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
	*request = (struct fit_request){.argv = complete(argc, argv),
					.texts = xcalloc(1, sizeof(*request->texts))};
	request->texts->model = USL_FULL;
	return parse(request, argc, request->argv, err);
}

static void free_list(char **list)
{
	for (size_t i = 0; list && list[i]; i++)
		free(list[i]);
	free(list);
}

static void texts_free(struct fit_texts *texts)
{
	char *const all[] = {texts->columns,	 texts->work,	   texts->weights,
			     texts->gamma,	 texts->loss,	   texts->level,
			     texts->bootstrap,	 texts->seed,	   texts->at,
			     texts->throughputs, texts->latencies, texts->efficiencies,
			     texts->suggest_most};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		free(all[i]);
	free_list(texts->changes);
	free_list(texts->claims);
	free(texts);
}

void fit_request_release(struct fit_request *request)
{
	options_release(&request->options);
	plotting_release(&request->plotting);
	free(request->argv);
	free(request->wish.at);
	free(request->wish.questions);
	free(request->wish.changes);
	free(request->wish.claims);
	texts_free(request->texts);
}
