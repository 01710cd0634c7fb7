/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/sweep_rate.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/parse.h"
#include "collect/sweep_output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int set_work(struct sweep_rate *rate, const char *text, struct err *err)
{
	char *number = xstrdup(text);
	char *star = strchr(number, '*');
	int rc;

	rate->work_per_n = star && strcmp(star, "*n") == 0;
	if (rate->work_per_n)
		*star = '\0';
	rc = parse_double(&rate->work, number);
	free(number);
	if (rc || !(rate->work > 0))
		return err_set(err,
			       "--work %s: is not a number above 0, as 1000, or 1000*n for work "
			       "that grows with N",
			       text);
	return 0;
}

static int set_pattern(struct sweep_rate *rate, enum sweep_rate_kind kind, const char *pattern,
		       struct err *err)
{
	const char *option = kind == SWEEP_RATE_TIME ? "--match-time" : "--match";
	char why[128];
	int code = regcomp(&rate->pattern, pattern, REG_EXTENDED);

	if (code) {
		regerror(code, &rate->pattern, why, sizeof(why));
		return err_set(err, "%s '%s': is not an extended regular expression: %s", option,
			       pattern, why);
	}
	rate->kind = kind; /* there is a pattern to release */
	if (rate->pattern.re_nsub == 0)
		return err_set(err, "%s '%s': put parentheses around the number, as ([0-9.]+)",
			       option, pattern);
	return 0;
}

int sweep_rate_init(struct sweep_rate *rate, const char *work, enum sweep_rate_kind kind,
		    const char *pattern, struct err *err)
{
	*rate = (struct sweep_rate){.kind = SWEEP_RATE_WALL};
	if (set_work(rate, work, err))
		return -1;
	return kind == SWEEP_RATE_WALL ? 0 : set_pattern(rate, kind, pattern, err);
}

void sweep_rate_release(struct sweep_rate *rate)
{
	if (rate->kind != SWEEP_RATE_WALL)
		regfree(&rate->pattern);
}

struct search {
	const regex_t *pattern;
	char text[64]; /* the last that was found */
	bool found;
};

static void find_in(void *context, const char *line)
{
	struct search *search = context;
	regmatch_t match[2];
	int flags = 0;

	while (regexec(search->pattern, line, 2, match, flags) == 0) {
		if (match[1].rm_so >= 0) {
			snprintf(search->text, sizeof(search->text), "%.*s",
				 (int)(match[1].rm_eo - match[1].rm_so), line + match[1].rm_so);
			search->found = true;
		}
		line += match[0].rm_eo;
		flags = REG_NOTBOL;
		if (match[0].rm_eo == match[0].rm_so && !*line++) /* it may match nothing */
			break;
	}
}

static int find_number(double *number, const struct sweep_rate *rate, int output, struct err *err)
{
	struct search search = {.pattern = &rate->pattern};

	sweep_output_lines(output, find_in, &search);
	if (!search.found)
		return err_set(err, "it printed nothing that matches");
	if (parse_double(number, search.text))
		return err_set(err, "it printed '%s', which is not a number", search.text);
	if (!(*number > 0))
		return err_set(err, "it printed %s, which is not above 0", search.text);
	return 0;
}

int sweep_rate_take(double *throughput, const struct sweep_rate *rate, uint64_t n, uint64_t wall_ns,
		    int output, struct err *err)
{
	double seconds = (double)(wall_ns ? wall_ns : 1) / 1e9, found;

	if (rate->kind != SWEEP_RATE_WALL && find_number(&found, rate, output, err))
		return -1;
	if (rate->kind == SWEEP_RATE_TIME)
		seconds = found;
	if (rate->kind == SWEEP_RATE_MATCH)
		*throughput = found;
	else
		*throughput = rate->work * (rate->work_per_n ? (double)n : 1) / seconds;
	if (!isfinite(*throughput))
		return err_set(err, "its throughput is too large for a number");
	return 0;
}
