/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/fit/fit_request.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/parse.h"
#include "cmd/options/cmd.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- Words with a meaning ---------------------------------------------------------------- */

struct word {
	const char *name;
	int value;
};

/* Returns the value of a word in a list that ends with the name NULL, or -1. */
static int value_of_word(const struct word *words, const char *name)
{
	for (; words->name; words++)
		if (strcmp(words->name, name) == 0)
			return words->value;
	return -1;
}

/* --- How the points are read --------------------------------------------------------- */

/* Reads COLUMN or QUANTITY:COLUMN, as "time:3". The name of a column may contain a colon. */
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

static int read_columns(void *own, char *text, struct err *err)
{
	struct fit_request *fit = own;
	struct series_request *request = &fit->points;
	bool from_log = fit->points.from_log;
	size_t most = from_log ? COLUMN_CHOICES : 2;

	for (char *part; (part = strsep(&text, ","));) {
		if (!*part || request->column_count == most)
			return err_set(
				err,
				"--columns takes %s, by name or number, separated by commas; "
				"for a name with a comma give its number",
				from_log ? "the columns of time, N and throughput, "
					   "count or total"
					 : "two columns, N and the measurement");
		read_choice(&request->columns[request->column_count++], part);
		if (!*request->columns[request->column_count - 1].column)
			return err_set(err, "--columns: %s names no column", part);
	}
	if (request->column_count < 2)
		return err_set(err, "--columns takes two columns, N and the measurement, as 1,3 or "
				    "threads,elapsed");
	return 0;
}

static int read_work(void *own, char *text, struct err *err)
{
	struct fit_request *fit = own;
	struct series_request *request = &fit->points;

	if (parse_double(&request->work, text)) {
		request->work = 0;
		request->work_column = text;
	} else if (!(request->work > 0)) {
		return err_set(err, "--work %s: the work must be above 0", text);
	}
	return *text ? 0 : err_set(err, "--work takes a number or the name of a column");
}

static int read_weights(void *own, char *text, struct err *err)
{
	struct fit_request *fit = own;
	static const struct word words[] = {{"none", WEIGHTS_NONE},
					    {"relative", WEIGHTS_RELATIVE},
					    {"steady", WEIGHTS_STEADY},
					    {NULL, 0}};
	struct series_request *request = &fit->points;
	bool from_log = fit->points.from_log, deviations = strncmp(text, "sd:", 3) == 0;
	int word = value_of_word(words, text);

	if (word == WEIGHTS_STEADY && !from_log)
		return err_set(err, "--weights steady needs --from-log; for a column of that name "
				    "give its number");
	if (word >= 0) {
		request->weighting = (enum weighting)word;
		return 0;
	}
	request->weighting = deviations ? WEIGHTS_DEVIATIONS : WEIGHTS_COLUMN;
	request->weight_column = deviations ? text + 3 : text;
	if (from_log)
		return err_set(err,
			       "--weights %s: with --from-log they can be none, relative or "
			       "steady",
			       text);
	if (!*request->weight_column)
		return err_set(err, "--weights takes none, relative, steady, COLUMN or sd:COLUMN");
	return 0;
}

/* Reads the argument of --from-log: which ends of a run are cut, "start" (default) or "both". */
static int read_log(void *own, char *text, struct err *err)
{
	struct fit_request *fit = own;

	fit->points.from_log = true;
	fit->points.cut_end = strcmp(text, "both") == 0;
	if (fit->points.cut_end || strcmp(text, "start") == 0)
		return 0;
	return err_set(err, "--from-log=%s: cut the 'start' (default) or 'both' ends", text);
}

/* Reads "program,input=large", or "none", which puts all rows into one series. */
static int read_keys(void *own, char *text, struct err *err)
{
	struct fit_request *fit = own;
	struct series_request *request = &fit->points;

	request->pooled = strcmp(text, "none") == 0;
	for (char *part; !request->pooled && (part = strsep(&text, ","));) {
		char *value = strchr(part, '=');

		if (value)
			*value++ = '\0';
		if (!*part || request->key_count == SERIES_KEYS)
			return err_set(err,
				       "--series takes up to %d columns of text, by name or number "
				       "and separated by commas, each with =VALUE for one series",
				       SERIES_KEYS);
		request->keys[request->key_count++] = (struct series_key){part, value};
	}
	return 0;
}

static int check_points(const struct fit_request *request, struct err *err)
{
	const struct series_request *points = &request->points;

	if (points->from_log && options_text(&request->options, "work"))
		return err_set(err, "--from-log takes a throughput or a count, not --work");
	return 0;
}

/* --- The law and the method ------------------------------------------------------------ */

static int read_gamma(void *own, char *text, struct err *err)
{
	struct fit_request *request = own;
	static const struct word words[] = {{"fitted", false}, {"first", true}, {NULL, 0}};
	int first = value_of_word(words, text);

	request->wish.form.gamma_first = first == true;
	if (first >= 0)
		return 0;
	return err_set(err, "--gamma %s: gamma is 'fitted', or 'first': the throughput at N = 1",
		       text);
}

static int read_loss(void *own, char *text, struct err *err)
{
	struct fit_request *request = own;
	static const struct word words[] = {
		{"tukey", USL_LOSS_TUKEY}, {"huber", USL_LOSS_HUBER}, {NULL, 0}};
	int loss = value_of_word(words, text);

	if (loss < 0)
		return err_set(err, "--robust=%s: the losses are tukey and huber", text);
	request->wish.loss = (enum usl_loss)loss;
	return 0;
}

static int read_level(void *own, char *text, struct err *err)
{
	struct fit_request *request = own;

	if (parse_share(&request->wish.level, text) ||
	    !(request->wish.level > 0 && request->wish.level < 1))
		return err_set(
			err, "--level %s: the level is a share above 0 and below 1, as 0.9 or 90%%",
			text);
	return 0;
}

static int read_bootstrap(void *own, char *text, struct err *err)
{
	struct fit_request *request = own;
	const uint64_t most = 1000000; /* takes 120 MB */
	size_t least = usl_bootstrap_least(request->wish.level);
	char *seed_text = strchr(text, ',');
	uint64_t refits, seed;

	if (seed_text)
		*seed_text++ = '\0';
	if (seed_text && parse_u64(&seed, seed_text, UINT32_MAX))
		return err_set(err, "--bootstrap %s,%s: the seed is a whole number up to %" PRIu32,
			       text, seed_text, UINT32_MAX);
	if (seed_text)
		request->wish.bootstrap.seed = (uint32_t)seed;

	if (options_text(&request->options, "robust"))
		return err_set(err, "--bootstrap: refits by least squares, and --robust does not; "
				    "leave one of them out");
	if (parse_u64(&refits, text, most))
		return err_set(err,
			       "--bootstrap %s: the number of refits is a whole number up to "
			       "%" PRIu64,
			       text, most);
	if (refits < least)
		return err_set(err,
			       "--bootstrap %s: intervals of %.6g %% need at least %zu refits, and "
			       "some hundred to be steady",
			       text, 100 * request->wish.level, least);
	request->wish.bootstrap.refits = (size_t)refits;
	return 0;
}

/* --- Questions: at which N --------------------------------------------------------------- */

static int read_at(void *own, char *text, struct err *err)
{
	struct fit_request *request = own;

	if (parse_doubles(&request->wish.at, &request->wish.at_count, text, err))
		return err_wrap(err, "--at");
	for (size_t i = 0; i < request->wish.at_count; i++)
		if (!(request->wish.at[i] > 0))
			return err_set(err, "--at %s: each N must be above 0", text);
	return 0;
}

/* Reads the largest N to suggest; "auto" is 0: three times the largest N measured. */
static int read_suggest(void *own, char *text, struct err *err)
{
	struct fit_request *request = own;
	const uint64_t most = 1000000;
	uint64_t n = 0;

	request->wish.suggest = true;
	if (strcmp(text, "auto") != 0 && (parse_u64(&n, text, most) || !n))
		return err_set(err,
			       "--suggest=%s: the largest N to suggest is a whole number from 1 to "
			       "%" PRIu64,
			       text, most);
	request->wish.suggest_most = (double)n;
	return 0;
}

/* Reads a throughput or a time above 0, or a share above 0 and up to 1. */
static int parse_target(struct usl_question *question, const char *text, struct err *err)
{
	double *target = &question->target;

	switch (question->subject) {
	case USL_THROUGHPUT_REACHED:
		if (parse_double(target, text) || !(*target > 0))
			return err_set(err, "'%s' is not a throughput above 0", text);
		return 0;
	case USL_LATENCY_WITHIN:
		if (parse_seconds(target, text, err))
			return -1;
		question->in_seconds = isalpha((unsigned char)text[strlen(text) - 1]);
		return *target > 0 ? 0 : err_set(err, "'%s' is not a time above 0", text);
	case USL_EFFICIENCY_AT_LEAST:
		break;
	}
	if (parse_share(target, text) || !(*target > 0 && *target <= 1))
		return err_set(err, "'%s' is not a share above 0 and up to 1, as 0.5 or 50%%",
			       text);
	return 0;
}

/* Reads "throughput=1000,2000", a question for each target. */
static int read_find(void *own, char *text, struct err *err)
{
	static const struct word subjects[] = {{"throughput", USL_THROUGHPUT_REACHED},
					       {"latency", USL_LATENCY_WITHIN},
					       {"efficiency", USL_EFFICIENCY_AT_LEAST},
					       {NULL, 0}};
	struct fit_wish *wish = &((struct fit_request *)own)->wish;
	char *targets = strchr(text, '=');
	int subject;

	if (targets)
		*targets++ = '\0';
	subject = value_of_word(subjects, text);
	if (!targets || subject < 0)
		return err_set(err,
			       "--find %s: is not throughput=X, latency=TIME or "
			       "efficiency=SHARE",
			       text);
	for (char *part; (part = strsep(&targets, ","));) {
		struct usl_question question = {.subject = (enum usl_subject)subject};

		if (parse_target(&question, part, err))
			return err_wrap(err, "--find %s", text);
		wish->questions = xreallocarray(wish->questions, wish->question_count + 1,
						sizeof(*wish->questions));
		wish->questions[wish->question_count++] = question;
	}
	return 0;
}

/* --- Changes: PARAMETER=VALUE,..., as "alpha=x0.5,beta=0" ----------------------------------- */

static int parse_step(struct usl_step *step, const char *text)
{
	if (*text == 'x') {
		step->how = USL_SCALE;
		return parse_double(&step->by, text + 1) || step->by < 0 ? -1 : 0;
	}
	step->how = *text == '+' || *text == '-' ? USL_ADD : USL_SET;
	return parse_double(&step->by, text);
}

static int parse_part(struct usl_change *change, char *part, struct err *err)
{
	const struct {
		const char *name;
		struct usl_step *step;
	} parameters[] = {
		{"alpha", &change->alpha}, {"beta", &change->beta}, {"gamma", &change->gamma}};
	char *value = strchr(part, '=');

	if (!value)
		return err_set(err, "'%s' is not a change like alpha=x0.5 or beta=0", part);
	*value++ = '\0';
	for (size_t i = 0; i < COUNT(parameters); i++) {
		if (strcmp(part, parameters[i].name) != 0)
			continue;
		if (parameters[i].step->how != USL_KEEP)
			return err_set(err, "%s is changed twice", part);
		if (parse_step(parameters[i].step, value))
			return err_set(err,
				       "%s=%s: give a number, a factor like x0.5, or a difference "
				       "like +0.01",
				       part, value);
		return 0;
	}
	return err_set(err, "'%s' is not a parameter; there are alpha, beta and gamma", part);
}

/* Reads PARAMETER=VALUE,...: each parameter once; VALUE: number, xFACTOR or signed difference. */
static int parse_change(struct usl_change *change, const char *text, struct err *err)
{
	char *copy = xstrdup(text), *rest = copy;
	int rc = 0;

	*change = (struct usl_change){.text = text};
	for (char *part; !rc && (part = strsep(&rest, ","));)
		rc = parse_part(change, part, err);
	free(copy);
	return rc;
}

static int read_change(void *own, char *text, struct err *err)
{
	struct fit_request *request = own;
	struct fit_wish *wish = &request->wish;

	wish->changes =
		xreallocarray(wish->changes, wish->change_count + 1, sizeof(*wish->changes));
	return parse_change(&wish->changes[wish->change_count++], text, err)
		       ? err_wrap(err, "--what-if")
		       : 0;
}

/* --- The options ------------------------------------------------------------------------- */

/* The quantities of --assert. */
static const struct assertion_name fit_names[] = {{"alpha", .id = USL_ALPHA},
						  {"beta", .id = USL_BETA},
						  {"gamma", .id = USL_GAMMA},
						  {"nc", .id = USL_PEAK_N},
						  {"xmax", .id = USL_PEAK_X},
						  {"n", .id = USL_POINTS},
						  {"x", .id = USL_X, .takes_n = true},
						  {"e", .id = USL_USEFUL, .takes_n = true},
						  {.name = NULL}};

#define IN(field) offsetof(struct fit_request, field)

static const char *const fit_models[] = {"usl", "amdahl", "linear", NULL};

static const struct option fit_table[] = {
	{.type = OPTION_HEADING, .help = "Input:"},
	{"from-log", '\0', OPTION_READ, .read = read_log, .whole_word = "--from-log=start",
	 .advanced = true,
	 .help = "rows are a log over time: cut the start (default) or both ends of each N",
	 .argument = "start|both"},
	{"columns", '\0', OPTION_READ, .read = read_columns,
	 .help = "columns of N and of the measurement, by name or number: 1,3 or 1,time:3",
	 .argument = "N,COLUMN"},
	{"series", '\0', OPTION_READ, .read = read_keys, .advanced = true,
	 .help = "fit each series that COLUMN names, or one of them; none: all rows as one",
	 .argument = "COLUMN[=VALUE]"},
	{"work", '\0', OPTION_READ, .read = read_work, .advanced = true,
	 .help = "work done in the time measured: a number, or its column", .argument = "W"},
	{"weights", '\0', OPTION_READ, .read = read_weights, .advanced = true,
	 .help = "none (default), relative, steady, COLUMN of weights, or sd:COLUMN",
	 .argument = "KIND"},
	{.type = OPTION_HEADING, .help = "Model:"},
	{"model", '\0', OPTION_CHOICE, IN(wish.form.model),
	 .help = "usl (default), amdahl (beta = 0) or linear (alpha = beta = 0)",
	 .argument = "MODEL", .choices = fit_models, .refusal = "there are usl, amdahl and linear"},
	{"robust", '\0', OPTION_READ, .read = read_loss, .whole_word = "--robust=tukey",
	 .advanced = true, .help = "give points far from the curve less weight (default tukey)",
	 .argument = "tukey|huber"},
	{"superlinear", '\0', OPTION_FLAG, IN(wish.form.unbounded), .advanced = true,
	 .help = "allow negative alpha and beta"},
	{"gamma", '\0', OPTION_READ, .read = read_gamma, .advanced = true,
	 .help = "fitted (default), or first: the throughput measured at N = 1",
	 .argument = "fitted|first"},
	{"level", '\0', OPTION_READ, .read = read_level, .advanced = true,
	 .help = "confidence of the intervals (default 0.95)", .argument = "SHARE"},
	{"bootstrap", '\0', OPTION_READ, .read = read_bootstrap, .advanced = true,
	 .help = "intervals by bootstrap-t with this number of refits (default seed 1)",
	 .argument = "REFITS[,SEED]"},
	{.type = OPTION_HEADING, .help = "Questions:"},
	{"at", 'n', OPTION_READ, .read = read_at, .help = "predict the throughput at each N",
	 .argument = "N,..."},
	{"find", '\0', OPTION_READ_EACH, .read = read_find,
	 .help = "the N for throughput=X, latency=TIME, efficiency=SHARE; repeatable",
	 .argument = "WHAT=TARGET,..."},
	{"what-if", '\0', OPTION_READ_EACH, .read = read_change, .advanced = true,
	 .help = "the curve with other parameters: alpha=x0.5,beta=0; repeatable",
	 .argument = "CHANGES"},
	{"suggest", '\0', OPTION_READ, .read = read_suggest, .whole_word = "--suggest=auto",
	 .help = "suggest the next N to measure, up to MAX (default three times the largest)",
	 .argument = "MAX"},
	{"compare", '\0', OPTION_FLAG, IN(compare),
	 .help = "show the changes from the first file to the second"},
	{.type = OPTION_TABLE, .table = assertion_options, .at = IN(assertions)},
	{.type = OPTION_HEADING, .help = "Drawing:"},
	{.type = OPTION_TABLE, .table = plotting_options, .at = IN(plotting)},
	{"usl", .type = OPTION_GONE, .help = "is the default; --model asks for another law"},
	{"time", .type = OPTION_GONE, .help = "is now --columns N,time:COLUMN, as 1,time:2"},
	{"amdahl", .type = OPTION_GONE, .help = "is now --model amdahl"},
	{"linear", .type = OPTION_GONE, .help = "is now --model linear"},
	{"cut-end", .type = OPTION_GONE, .help = "is now --from-log=both"},
	{"seed", .type = OPTION_GONE, .help = "is now --bootstrap REFITS,SEED"},
	{"suggest-max", .type = OPTION_GONE, .help = "is now --suggest=MAX"},
	{"details", .type = OPTION_GONE, .help = "is now -v"},
	{"for-throughput", .type = OPTION_GONE, .help = "is now --find throughput=X"},
	{"slo", .type = OPTION_GONE, .help = "is now --find latency=TIME"},
	{"target-efficiency", .type = OPTION_GONE, .help = "is now --find efficiency=SHARE"},
	OPTION_TABLE_END};

/* --- All together -------------------------------------------------------------------- */

static int check_plotting(const struct fit_request *request, struct err *err)
{
	if (request->plotting.path && request->options.arg_count > 1)
		return err_set(err, "--plot: takes one FILE, as each FILE has its own picture");
	return plotting_check(&request->plotting, &request->options, err);
}

/* Checks that --compare has two files or --series, and no option about a single fit. */
static int check_compare(const struct fit_request *request, struct err *err)
{
	const struct {
		bool given;
		const char *option;
	} others[] = {
		{request->wish.bootstrap.refits > 0, "--bootstrap"},
		{request->wish.at_count > 0, "--at"},
		{request->wish.question_count > 0, "--find"},
		{request->wish.change_count > 0, "--what-if"},
		{request->assertions.count > 0, "--assert"},
		{request->wish.suggest, "--suggest"},
		{request->plotting.path != NULL, "--plot"},
		{request->plotting.chart != 0, "--chart"},
	};

	if (!request->compare)
		return 0;
	if (request->options.arg_count != 2 && !request->points.key_count)
		return err_set(err, "--compare: name two files, before and after, not %zu",
			       request->options.arg_count);
	for (size_t i = 0; i < COUNT(others); i++)
		if (others[i].given)
			return err_set(err, "--compare: does not go with %s", others[i].option);
	return 0;
}

int fit_request_parse(struct fit_request *request, int argc, const char **argv, struct err *err)
{
	int status;

	*request = (struct fit_request){
		.assertions.names = fit_names,
		.wish = {.form.model = USL_FULL,
			 .level = .95,
			 /* Any seed is as good as another; a fixed one makes results
			  * repeatable. */
			 .bootstrap.seed = 1}};
	status = options_read(&request->options, OPTIONS_REPORT, "[FILE...]", fit_table, request,
			      argc, argv, err);
	if (status >= 0)
		return status;
	return check_points(request, err) || check_plotting(request, err) ||
			       check_compare(request, err)
		       ? STATUS_USAGE
		       : -1;
}

int fit_request_check_series(const struct fit_request *request, size_t count, struct err *err)
{
	if (request->compare && count != 2)
		return err_set(err, "--compare: takes two series, before and after, not %zu",
			       count);
	if (request->plotting.path && count > 1)
		return err_set(err, "--plot: takes one series, as each one has its own picture; "
				    "choose it with --series COLUMN=VALUE");
	return 0;
}

void fit_request_release(struct fit_request *request)
{
	free(request->wish.at);
	free(request->wish.questions);
	free(request->wish.changes);
	assertions_release(&request->assertions);
	options_release(&request->options);
}
