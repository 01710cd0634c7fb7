/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/options/fit_claims.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/parse.h"
#include "cmd/options/options.h"
#include "fit/usl/usl_questions.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { WORD = 64 };

int fit_share_parse(double *share, const char *text)
{
	return options_share(share, text);
}

/* --- Claims ---------------------------------------------------------------- */

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
	static const struct {
		const char *name;
		enum usl_quantity quantity;
	} quantities[] = {{"alpha", USL_ALPHA}, {"beta", USL_BETA},   {"gamma", USL_GAMMA},
			  {"nc", USL_PEAK_N},	{"xmax", USL_PEAK_X}, {"n", USL_POINTS},
			  {"x(", USL_X},	{"e(", USL_USEFUL}};
	char name[WORD], number[WORD];

	if (take_word(name, text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ("))
		return -1;
	for (size_t i = 0; i < COUNT(quantities); i++) {
		if (strcasecmp(name, quantities[i].name) != 0)
			continue;
		claim->quantity = quantities[i].quantity;
		if (!strchr(name, '('))
			return 0;
		if (take_word(number, text, "0123456789.eE+") || parse_double(&claim->at, number))
			return -1;
		return *(*text)++ == ')' && claim->at > 0 ? 0 : -1;
	}
	return -1;
}

static int parse_side(struct usl_claim *claim, const char **text)
{
	static const struct {
		const char *name;
		enum usl_side side;
	} sides[] = {{".best", USL_BEST}, {".low", USL_LOW}, {".high", USL_HIGH}};
	char name[WORD];

	claim->side = USL_WORSE_END;
	if (take_word(name, text, ".abcdefghijklmnopqrstuvwxyz"))
		return 0;
	for (size_t i = 0; i < COUNT(sides); i++) {
		if (strcmp(name, sides[i].name) == 0) {
			claim->side = sides[i].side;
			return 0;
		}
	}
	return -1;
}

static int parse_relation(struct usl_claim *claim, const char **text)
{
	static const struct {
		const char *name;
		enum usl_relation relation;
	} relations[] = {
		{"<", USL_BELOW}, {"<=", USL_AT_MOST}, {">", USL_ABOVE}, {">=", USL_AT_LEAST}};
	char name[WORD];

	if (take_word(name, text, "<=>!"))
		return -1;
	for (size_t i = 0; i < COUNT(relations); i++) {
		if (strcmp(name, relations[i].name) == 0) {
			claim->relation = relations[i].relation;
			return 0;
		}
	}
	return -1;
}

int fit_claim_parse(struct usl_claim *claim, const char *text, struct err *err)
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
	    fit_share_parse(&claim->bound, number))
		return err_set(err, "'%s': compare with a number, as in 'nc>=64'", text);
	return 0;
}

/* --- Changes --------------------------------------------------------------- */

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

int fit_change_parse(struct usl_change *change, const char *text, struct err *err)
{
	char *copy = xstrdup(text), *rest = copy;
	int rc = 0;

	*change = (struct usl_change){.text = text};
	for (char *part; !rc && (part = strsep(&rest, ","));)
		rc = parse_part(change, part, err);
	free(copy);
	return rc;
}
