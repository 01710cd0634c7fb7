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

/* Arguments as they were written, and flags; NULL and 0 where they were not given. */
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
	char **changes, **claims; /* NULL-terminated */
	int suggest;
	char *suggest_most;
	int compare, details;
};

/* --- Words with a meaning ---------------------------------------------------------------- */

struct word {
	const char *name;
	int value;
};

/* The value of a word in a list that ends with the name NULL, or -1. */
static int value_of_word(const struct word *words, const char *name)
{
	for (; words->name; words++)
		if (strcmp(words->name, name) == 0)
			return words->value;
	return -1;
}

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

static int read_columns(struct fit_request *fit, char *text, struct err *err)
{
	struct series_request *request = &fit->points;
	bool from_log = fit->texts->from_log;
	size_t most = from_log ? COLUMN_CHOICES : 2;

	for (char *part; (part = strsep(&text, ","));) {
		if (!*part || request->column_count == most)
			return err_set(err,
				       "--columns takes %s, by name or number and separated by "
				       "commas; of a name with a comma give the number",
				       from_log ? "the columns of time, N and throughput, "
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

static int read_work(struct fit_request *fit, char *text, struct err *err)
{
	struct series_request *request = &fit->points;

	if (parse_double(&request->work, text)) {
		request->work = 0;
		request->work_column = text;
	} else if (!(request->work > 0)) {
		return err_set(err, "--work %s: the work must be above 0", text);
	}
	return *text ? 0 : err_set(err, "--work takes a number or the name of a column");
}

static int read_weights(struct fit_request *fit, char *text, struct err *err)
{
	static const struct word words[] = {{"none", WEIGHTS_NONE},
					    {"relative", WEIGHTS_RELATIVE},
					    {"steady", WEIGHTS_STEADY},
					    {NULL, 0}};
	struct series_request *request = &fit->points;
	bool from_log = fit->texts->from_log, deviations = strncmp(text, "sd:", 3) == 0;
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

static int check_points(const struct fit_texts *texts, struct err *err)
{
	if (texts->from_log && (texts->time || texts->work))
		return err_set(err, "--from-log takes throughput or what was completed, not --time "
				    "and --work");
	if (texts->cut_end && !texts->from_log)
		return err_set(err, "--cut-end needs --from-log");
	return 0;
}

/* --- The law and the method ------------------------------------------------------------ */

static int read_gamma(struct fit_request *request, char *text, struct err *err)
{
	static const struct word words[] = {{"fitted", false}, {"first", true}, {NULL, 0}};
	int first = value_of_word(words, text);

	request->wish.form.gamma_first = first == true;
	if (first >= 0)
		return 0;
	return err_set(err, "--gamma %s: gamma is 'fitted', or 'first': the throughput at N = 1",
		       text);
}

static int read_loss(struct fit_request *request, char *text, struct err *err)
{
	static const struct word words[] = {
		{"tukey", USL_LOSS_TUKEY}, {"huber", USL_LOSS_HUBER}, {NULL, 0}};
	int loss = value_of_word(words, text);

	if (loss < 0)
		return err_set(err, "--robust=%s: the losses are tukey and huber", text);
	request->wish.loss = (enum usl_loss)loss;
	return 0;
}

static int read_level(struct fit_request *request, char *text, struct err *err)
{
	if (parse_double(&request->wish.level, text) ||
	    !(request->wish.level > 0 && request->wish.level < 1))
		return err_set(err, "--level %s: the level is a share above 0 and below 1, as 0.9",
			       text);
	return 0;
}

static int read_seed(struct fit_request *request, char *text, struct err *err)
{
	uint64_t seed;

	if (!request->texts->bootstrap)
		return err_set(err, "--seed %s: only --bootstrap draws numbers; add it", text);
	if (parse_u64(&seed, text, UINT32_MAX))
		return err_set(err, "--seed %s: the seed is a whole number up to %" PRIu32, text,
			       UINT32_MAX);
	request->wish.bootstrap.seed = (uint32_t)seed;
	return 0;
}

static int read_bootstrap(struct fit_request *request, char *text, struct err *err)
{
	const uint64_t most = 1000000; /* and 120 MB */
	size_t least = usl_bootstrap_least(request->wish.level);
	uint64_t refits;

	if (request->texts->seed && read_seed(request, request->texts->seed, err))
		return -1;
	if (request->texts->loss)
		return err_set(err, "--bootstrap: refits by least squares, which --robust is not; "
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

static int read_at(struct fit_request *request, char *text, struct err *err)
{
	if (parse_doubles(&request->wish.at, &request->wish.at_count, text, err))
		return err_wrap(err, "--at");
	for (size_t i = 0; i < request->wish.at_count; i++)
		if (!(request->wish.at[i] > 0))
			return err_set(err, "--at %s: each N must be above 0", text);
	return 0;
}

static int read_suggest_most(struct fit_request *request, char *text, struct err *err)
{
	const uint64_t most = 1000000;
	uint64_t n;

	request->wish.suggest = true;
	if (parse_u64(&n, text, most) || !n)
		return err_set(err,
			       "--suggest-max %s: the largest N to suggest is a whole number from "
			       "1 to %" PRIu64,
			       text, most);
	request->wish.suggest_most = (double)n;
	return 0;
}

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
	if (parse_share(target, text) || !(*target > 0 && *target <= 1))
		return err_set(err, "'%s' is no share above 0 and up to 1, as 0.5 or 50%%", text);
	return 0;
}

/* Adds a question for each target in the list. */
static int read_targets(struct fit_request *request, char *text, enum usl_subject subject,
			int (*parse)(double *target, const char *text, struct err *err),
			struct err *err)
{
	struct fit_wish *wish = &request->wish;

	for (char *part; (part = strsep(&text, ","));) {
		struct usl_question question = {.subject = subject};

		if (parse(&question.target, part, err))
			return -1;
		wish->questions = xreallocarray(wish->questions, wish->question_count + 1,
						sizeof(*wish->questions));
		wish->questions[wish->question_count++] = question;
	}
	return 0;
}

static int read_throughputs(struct fit_request *request, char *text, struct err *err)
{
	if (read_targets(request, text, USL_THROUGHPUT_REACHED, parse_throughput, err))
		return err_wrap(err, "--for-throughput");
	return 0;
}

static int read_latencies(struct fit_request *request, char *text, struct err *err)
{
	if (read_targets(request, text, USL_LATENCY_WITHIN, parse_latency, err))
		return err_wrap(err, "--slo");
	return 0;
}

static int read_efficiencies(struct fit_request *request, char *text, struct err *err)
{
	if (read_targets(request, text, USL_EFFICIENCY_AT_LEAST, parse_efficiency, err))
		return err_wrap(err, "--target-efficiency");
	return 0;
}

/* --- Claims: QUANTITY[.SIDE] RELATION NUMBER, as "nc >= 64" --------------------------------- */

enum { WORD = 64 };

/* Takes the characters of `set` from the front of *text, less blanks around them. 0 or -1. */
static int take_word(char word[WORD], const char **text, const char *set)
{
	const char *begin = *text + strspn(*text, " \t");
	size_t length = strspn(begin, set);

	if (!length || length >= WORD)
		return -1;
	memcpy(word, begin, length);
	word[length] = '\0';
	*text = begin + length + strspn(begin + length, " \t");
	return 0;
}

static int parse_quantity(struct usl_claim *claim, const char **text)
{
	static const struct word quantities[] = {
		{"alpha", USL_ALPHA}, {"beta", USL_BETA},   {"gamma", USL_GAMMA},
		{"nc", USL_PEAK_N},   {"xmax", USL_PEAK_X}, {"n", USL_POINTS},
		{"x(", USL_X},	      {"e(", USL_USEFUL},   {NULL, 0}};
	char name[WORD], number[WORD];
	int quantity;

	if (take_word(name, text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ("))
		return -1;
	for (char *c = name; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	quantity = value_of_word(quantities, name);
	if (quantity < 0)
		return -1;
	claim->quantity = (enum usl_quantity)quantity;
	if (!strchr(name, '('))
		return 0;
	if (take_word(number, text, "0123456789.eE+") || parse_double(&claim->at, number))
		return -1;
	return *(*text)++ == ')' && claim->at > 0 ? 0 : -1;
}

static int parse_side(struct usl_claim *claim, const char **text)
{
	static const struct word sides[] = {
		{".best", USL_BEST}, {".low", USL_LOW}, {".high", USL_HIGH}, {NULL, 0}};
	char name[WORD];
	int side = USL_WORSE_END;

	if (take_word(name, text, ".abcdefghijklmnopqrstuvwxyz") == 0)
		side = value_of_word(sides, name);
	claim->side = (enum usl_side)side;
	return side < 0 ? -1 : 0;
}

static int parse_relation(struct usl_claim *claim, const char **text)
{
	static const struct word relations[] = {{"<", USL_BELOW},
						{"<=", USL_AT_MOST},
						{">", USL_ABOVE},
						{">=", USL_AT_LEAST},
						{NULL, 0}};
	char name[WORD];
	int relation = take_word(name, text, "<=>!") ? -1 : value_of_word(relations, name);

	claim->relation = (enum usl_relation)relation;
	return relation < 0 ? -1 : 0;
}

static int parse_claim(struct usl_claim *claim, const char *text, struct err *err)
{
	const char *rest = text;
	char number[WORD];

	*claim = (struct usl_claim){.text = text};
	if (parse_quantity(claim, &rest))
		return err_set(err,
			       "'%s' does not begin with alpha, beta, gamma, nc, xmax, n, or x(N) "
			       "or e(N) with N above 0",
			       text);
	if (parse_side(claim, &rest))
		return err_set(err, "'%s': of an interval there are .best, .low and .high", text);
	if (parse_relation(claim, &rest))
		return err_set(err, "'%s': compare with <, <=, > or >=, as in 'nc>=64'", text);
	if (take_word(number, &rest, "0123456789.eE+-%") || *rest ||
	    parse_share(&claim->bound, number))
		return err_set(err, "'%s': compare with a number, as in 'nc>=64'", text);
	return 0;
}

static int read_claim(struct fit_request *request, char *text, struct err *err)
{
	struct fit_wish *wish = &request->wish;

	wish->claims = xreallocarray(wish->claims, wish->claim_count + 1, sizeof(*wish->claims));
	return parse_claim(&wish->claims[wish->claim_count++], text, err)
		       ? err_wrap(err, "--assert")
		       : 0;
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
	return err_set(err, "'%s' is no parameter; there are alpha, beta and gamma", part);
}

/* Each parameter once; the value is a number, xFACTOR, or a difference with its sign. */
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

static int read_change(struct fit_request *request, char *text, struct err *err)
{
	struct fit_wish *wish = &request->wish;

	wish->changes =
		xreallocarray(wish->changes, wish->change_count + 1, sizeof(*wish->changes));
	return parse_change(&wish->changes[wish->change_count++], text, err)
		       ? err_wrap(err, "--what-if")
		       : 0;
}

/* --- The options ------------------------------------------------------------------------- */

/* The groups of --help. */
enum group { READING, FITTING, ASKING, GROUPS };

struct fit_option {
	enum group group;
	const char *name;
	unsigned type;	 /* of popt */
	size_t variable; /* its place in struct fit_texts */
	int value;	 /* that a POPT_ARG_VAL sets */
	/* Of texts, and of each one of a list: into the request. */
	int (*read)(struct fit_request *request, char *text, struct err *err);
	const char *help, *argument;
};

#define IN(field) offsetof(struct fit_texts, field)

/* In the order of --help, in which they are read. */
/* clang-format off */
static const struct fit_option fit_options[] = {
	{READING, "columns", POPT_ARG_STRING, IN(columns), 0, read_columns,
	 "which columns: N and what was measured, by name or number, as 1,time:3", "N,COLUMN"},
	{READING, "time", POPT_ARG_NONE, IN(time), 0, NULL,
	 "what was measured is a time: throughput is 1 / time", NULL},
	{READING, "work", POPT_ARG_STRING, IN(work), 0, read_work,
	 "work done in that time: a number, or the column with it", "W"},
	{READING, "weights", POPT_ARG_STRING, IN(weights), 0, read_weights,
	 "none (default), relative, steady, COLUMN of weights, or sd:COLUMN", "KIND"},
	{READING, "from-log", POPT_ARG_NONE, IN(from_log), 0, NULL,
	 "rows are a log over time: fit the steady part of each N", NULL},
	{READING, "cut-end", POPT_ARG_NONE, IN(cut_end), 0, NULL,
	 "... and cut the end of each too where it is not steady", NULL},
	{FITTING, "usl", POPT_ARG_VAL, IN(model), USL_FULL, NULL,
	 "fit alpha, beta and gamma (default)", NULL},
	{FITTING, "amdahl", POPT_ARG_VAL, IN(model), USL_AMDAHL, NULL,
	 "fit alpha and gamma: Amdahl's law, beta = 0", NULL},
	{FITTING, "linear", POPT_ARG_VAL, IN(model), USL_LINEAR, NULL,
	 "fit gamma: linear scaling, alpha = beta = 0", NULL},
	{FITTING, "gamma", POPT_ARG_STRING, IN(gamma), 0, read_gamma,
	 "fitted (default), or first: the throughput measured at N = 1", "fitted|first"},
	{FITTING, "superlinear", POPT_ARG_NONE, IN(superlinear), 0, NULL,
	 "let alpha and beta be negative", NULL},
	{FITTING, "robust", POPT_ARG_STRING, IN(loss), 0, read_loss,
	 "distrust points far from the curve; tukey if not said", "tukey|huber"},
	{FITTING, "level", POPT_ARG_STRING, IN(level), 0, read_level,
	 "confidence of the intervals (default 0.95)", "SHARE"},
	{FITTING, "bootstrap", POPT_ARG_STRING, IN(bootstrap), 0, read_bootstrap,
	 "intervals by bootstrap-t with so many refits", "REFITS"},
	{FITTING, "seed", POPT_ARG_STRING, IN(seed), 0, read_seed,
	 "what --bootstrap draws with (default 1)", "NUMBER"},
	{ASKING, "at", POPT_ARG_STRING, IN(at), 0, read_at,
	 "predict the throughput at each N", "N,..."},
	{ASKING, "suggest", POPT_ARG_NONE, IN(suggest), 0, NULL,
	 "which N to measure next", NULL},
	{ASKING, "suggest-max", POPT_ARG_STRING, IN(suggest_most), 0, read_suggest_most,
	 "... up to N (default three times the largest)", "N"},
	{ASKING, "compare", POPT_ARG_NONE, IN(compare), 0, NULL,
	 "what has changed from the first file to the second", NULL},
	{ASKING, "details", POPT_ARG_NONE, IN(details), 0, NULL,
	 "list what each point does to the fit", NULL},
	{ASKING, "for-throughput", POPT_ARG_STRING, IN(throughputs), 0, read_throughputs,
	 "find the N that reach each throughput", "X,..."},
	{ASKING, "slo", POPT_ARG_STRING, IN(latencies), 0, read_latencies,
	 "find the largest N whose latency N/X is within each", "TIME,..."},
	{ASKING, "target-efficiency", POPT_ARG_STRING, IN(efficiencies), 0, read_efficiencies,
	 "find the largest N that works at each efficiency", "SHARE,..."},
	{ASKING, "what-if", POPT_ARG_ARGV, IN(changes), 0, read_change,
	 "show the curve with other parameters: alpha=x0.5,beta=0; repeatable", "CHANGES"},
	{ASKING, "assert", POPT_ARG_ARGV, IN(claims), 0, read_claim,
	 "exit with 3 unless this is shown to hold: 'nc>=64'; repeatable", "CLAIM"},
};
/* clang-format on */

static void *variable_of(const struct fit_option *option, struct fit_texts *texts)
{
	return (char *)texts + option->variable;
}

/* The texts that an option was given: one, or a list. NULL behind the last. */
static char *text_of(const struct fit_option *option, struct fit_texts *texts, size_t i)
{
	if (option->type == POPT_ARG_STRING)
		return i ? NULL : *(char **)variable_of(option, texts);
	if (option->type == POPT_ARG_ARGV && *(char ***)variable_of(option, texts))
		return (*(char ***)variable_of(option, texts))[i];
	return NULL;
}

static void texts_free(struct fit_texts *texts)
{
	for (size_t i = 0; texts && i < COUNT(fit_options); i++) {
		char *text;

		for (size_t k = 0; (text = text_of(&fit_options[i], texts, k)); k++)
			free(text);
		if (fit_options[i].type == POPT_ARG_ARGV)
			free(*(char ***)variable_of(&fit_options[i], texts));
	}
	free(texts);
}

/* --- All together -------------------------------------------------------------------- */

static int check_plotting(const struct fit_request *request, struct err *err)
{
	if (request->plotting.path && request->options.arg_count > 1)
		return err_set(err, "--plot: takes one FILE, as each has a picture of its own");
	return plotting_check(&request->plotting, &request->options, err);
}

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

static int read_options(struct fit_request *request, struct err *err)
{
	struct fit_texts *texts = request->texts;

	for (size_t i = 0; i < COUNT(fit_options); i++) {
		char *text;

		for (size_t k = 0; (text = text_of(&fit_options[i], texts, k)); k++)
			if (fit_options[i].read(request, text, err))
				return -1;
	}
	return 0;
}

/* Where the command goes on (-1), or the exit status. */
static int read_texts(struct fit_request *request, struct err *err)
{
	const struct fit_texts *texts = request->texts;

	request->points.time = texts->time;
	request->points.from_log = texts->from_log;
	request->points.cut_end = texts->cut_end;
	request->wish = (struct fit_wish){
		.form = {.model = (enum usl_model)texts->model, .unbounded = texts->superlinear},
		.level = .95,
		/* Any seed is as good as another; one that is always the same makes results that
		 * are. */
		.bootstrap.seed = 1,
		.suggest = texts->suggest};
	request->compare = texts->compare;
	request->details = texts->details;
	if (check_points(texts, err) || read_options(request, err) ||
	    check_plotting(request, err) || check_compare(request, err))
		return STATUS_USAGE;
	return -1;
}

static int request_parse(struct fit_request *request, int argc, const char **argv, struct err *err)
{
	struct poptOption lines[GROUPS][COUNT(fit_options) + 1] = {{POPT_TABLEEND}};
	const struct poptOption drawing[] = {PLOTTING_OPTIONS(&request->plotting), POPT_TABLEEND};
	const struct poptOption table[] = {
		options_include(lines[READING], "How the points are read:"),
		options_include(lines[FITTING], "The law and the method:"),
		options_include(lines[ASKING], "Questions to the curve:"),
		options_include(drawing, "Drawing:"), POPT_TABLEEND};
	size_t counts[GROUPS] = {0};
	int status;

	for (size_t i = 0; i < COUNT(fit_options); i++) {
		const struct fit_option *option = &fit_options[i];

		lines[option->group][counts[option->group]++] =
			(struct poptOption){option->name,    '\0',
					    option->type,    variable_of(option, request->texts),
					    option->value,   option->help,
					    option->argument};
	}
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
	return request_parse(request, argc, request->argv, err);
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
