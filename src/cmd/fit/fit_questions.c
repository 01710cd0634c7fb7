/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/fit/fit_questions.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/parse.h"
#include "cmd/options/fit_claims.h"
#include "fit/usl/usl_questions.h"

#include <stdlib.h>
#include <string.h>

struct fit_question_table fit_questions_table(struct fit_questions *questions)
{
	return (struct fit_question_table){{
		{"for-throughput", '\0', POPT_ARG_STRING, &questions->throughputs, 0,
		 "find the N that reach each throughput", "X,..."},
		{"slo", '\0', POPT_ARG_STRING, &questions->latencies, 0,
		 "find the largest N whose latency N/X is within each", "TIME,..."},
		{"target-efficiency", '\0', POPT_ARG_STRING, &questions->efficiencies, 0,
		 "find the largest N that works at each efficiency", "SHARE,..."},
		{"what-if", '\0', POPT_ARG_ARGV, &questions->change_texts, 0,
		 "show the curve with other parameters: alpha=x0.5,beta=0; repeatable", "CHANGES"},
		{"assert", '\0', POPT_ARG_ARGV, &questions->claim_texts, 0,
		 "exit with 3 unless this is shown to hold: 'nc>=64'; repeatable", "CLAIM"},
		POPT_TABLEEND,
	}};
}

/* --- At which N ------------------------------------------------------------ */

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

static int read_list(struct fit_questions *questions, enum usl_subject subject, const char *text,
		     int (*parse)(double *target, const char *text, struct err *err),
		     struct err *err)
{
	char *copy = xstrdup(text), *rest = copy;
	int rc = 0;

	for (char *part; !rc && (part = strsep(&rest, ","));) {
		struct usl_question question = {.subject = subject};
		size_t count = questions->question_count;

		rc = parse(&question.target, part, err);
		if (rc)
			break;
		questions->questions = xreallocarray(questions->questions, count + 1,
						     sizeof(*questions->questions));
		questions->questions[count] = question;
		questions->question_count++;
	}
	free(copy);
	return rc;
}

static int read_targets(struct fit_questions *questions, struct err *err)
{
	const struct {
		const char *option, *text;
		enum usl_subject subject;
		int (*parse)(double *target, const char *text, struct err *err);
	} lists[] = {
		{"--for-throughput", questions->throughputs, USL_THROUGHPUT_REACHED,
		 parse_throughput},
		{"--slo", questions->latencies, USL_LATENCY_WITHIN, parse_latency},
		{"--target-efficiency", questions->efficiencies, USL_EFFICIENCY_AT_LEAST,
		 parse_efficiency},
	};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (lists[i].text &&
		    read_list(questions, lists[i].subject, lists[i].text, lists[i].parse, err))
			return err_wrap(err, "%s", lists[i].option);
	return 0;
}

/* --- Changes and claims ---------------------------------------------------- */

static size_t length(char *const *texts)
{
	size_t count = 0;

	while (texts && texts[count])
		count++;
	return count;
}

static int read_changes(struct fit_questions *questions, struct err *err)
{
	size_t count = length(questions->change_texts);

	questions->changes = xcalloc(count + 1, sizeof(*questions->changes));
	questions->change_count = count;
	for (size_t i = 0; i < count; i++)
		if (fit_change_parse(&questions->changes[i], questions->change_texts[i], err))
			return err_wrap(err, "--what-if");
	return 0;
}

static int read_claims(struct fit_questions *questions, struct err *err)
{
	size_t count = length(questions->claim_texts);

	questions->claims = xcalloc(count + 1, sizeof(*questions->claims));
	questions->claim_count = count;
	for (size_t i = 0; i < count; i++)
		if (fit_claim_parse(&questions->claims[i], questions->claim_texts[i], err))
			return err_wrap(err, "--assert");
	return 0;
}

int fit_questions_read(struct fit_questions *questions, struct err *err)
{
	return read_targets(questions, err) || read_changes(questions, err) ||
			       read_claims(questions, err)
		       ? -1
		       : 0;
}

static void free_texts(char **texts)
{
	for (size_t i = 0; texts && texts[i]; i++)
		free(texts[i]);
	free(texts);
}

void fit_questions_release(struct fit_questions *questions)
{
	free(questions->questions);
	free(questions->changes);
	free(questions->claims);
	free(questions->throughputs);
	free(questions->latencies);
	free(questions->efficiencies);
	free_texts(questions->change_texts);
	free_texts(questions->claim_texts);
}
