/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/sweep/sweep_rate.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/parse.h"
#include "base/printable.h"
#include "collect/sweep/sweep_run.h"

#include <ctype.h>
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

/* How much is searched before who waits is asked again. */
enum { ASK_BYTES = 1 << 16 };

struct search {
	const regex_t *pattern;
	const struct sweep_rate_run *run;
	size_t bytes;	/* searched since it was asked */
	char text[64];	/* the last that was found, */
	char whole[64]; /* and the number that it is only a part of, or "" */
	bool found;
};

static void copy(char out[64], const char *from, const char *to)
{
	size_t count = 0;

	for (; from < to && count < 63; from++)
		out[count++] = *from;
	out[count] = '\0';
	printable_mend(out);
}

/* Also one with commas, wherever they are. */
static bool is_number(const char *from, const char *to)
{
	char digits[64];
	size_t count = 0;
	double number;

	for (; from < to; from++)
		if (*from != ',' && count < sizeof(digits) - 1)
			digits[count++] = *from;
	digits[count] = '\0';
	return parse_double(&number, digits) == 0;
}

/*
 * "1,532" is one and a half or one and a half thousand, but not the 1 that ([0-9.]+) finds in it,
 * nor is "1.5e+06" any 1.5. Where the pattern itself goes on beyond the group it knows better.
 */
static void find_whole(struct search *search, const char *line, const char *begin,
		       const regmatch_t match[2])
{
	static const char in_number[] = "0123456789.,+-eE";
	const char *from = begin + match[1].rm_so, *to = begin + match[1].rm_eo;

	search->whole[0] = '\0';
	if (match[1].rm_so == match[0].rm_so)
		while (from > line && strchr(in_number, from[-1]))
			from--;
	if (match[1].rm_eo == match[0].rm_eo)
		while (*to && strchr(in_number, *to))
			to++;
	while (to > begin + match[1].rm_eo && strchr(".,", to[-1])) /* the end of a sentence */
		to--;
	if (from > line && isalnum((unsigned char)from[-1])) /* "run-8", "v1" */
		return;
	if ((from < begin + match[1].rm_so || to > begin + match[1].rm_eo) && is_number(from, to))
		copy(search->whole, from, to);
}

static bool find_in(void *context, const char *line)
{
	struct search *search = context;
	const char *begin = line;
	regmatch_t match[2];
	int flags = 0;

	while (regexec(search->pattern, begin, 2, match, flags) == 0) {
		if (match[1].rm_so >= 0) {
			copy(search->text, begin + match[1].rm_so, begin + match[1].rm_eo);
			find_whole(search, line, begin, match);
			search->found = true;
		}
		begin += match[0].rm_eo;
		flags = REG_NOTBOL;
		if (match[0].rm_eo == match[0].rm_so && !*begin++) /* it may match nothing */
			break;
	}
	search->bytes += strlen(line);
	if (search->bytes < ASK_BYTES || !search->run->give_up)
		return true;
	search->bytes = 0;
	return !search->run->give_up(search->run->context);
}

static int find_number(double *number, const struct sweep_rate *rate,
		       const struct sweep_rate_run *run, struct err *err)
{
	struct search search = {.pattern = &rate->pattern, .run = run};

	sweep_output_lines(run->output, find_in, &search);
	if (!search.found)
		return err_set(err, "it printed nothing that matches");
	if (search.whole[0])
		return err_set(err,
			       "it printed '%s', of which the group in the pattern takes '%s' "
			       "only: let it take all of a number that has a decimal point and no "
			       "commas, or say in the pattern what is around it",
			       search.whole, search.text);
	if (parse_double(number, search.text))
		return err_set(err, "it printed '%s', which is not a number", search.text);
	if (!(*number > 0))
		return err_set(err, "it printed %s, which is not above 0", search.text);
	return 0;
}

int sweep_rate_take(double *throughput, const struct sweep_rate *rate,
		    const struct sweep_rate_run *run, struct err *err)
{
	double seconds = (double)(run->wall_ns ? run->wall_ns : 1) / 1e9, found;

	if (rate->kind != SWEEP_RATE_WALL && find_number(&found, rate, run, err))
		return -1;
	if (rate->kind == SWEEP_RATE_TIME)
		seconds = found;
	if (rate->kind == SWEEP_RATE_MATCH)
		*throughput = found;
	else
		*throughput = rate->work * (rate->work_per_n ? (double)run->n : 1) / seconds;
	if (!isfinite(*throughput))
		return err_set(err, "its throughput is too large for a number");
	return 0;
}
