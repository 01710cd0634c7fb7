/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/options/assertion.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/names.h"
#include "base/parse.h"
#include "cmd/options/cmd.h"
#include "cmd/options/options.h"
#include "report/report.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Reading ------------------------------------------------------------------------------- */

enum { ASSERTION_WORD = 64 };

/* Takes characters of `set` from the front of *text, and blanks around them. Returns 0 or -1. */
static int assertion_take_word(char word[ASSERTION_WORD], const char **text, const char *set)
{
	const char *begin = *text + strspn(*text, " \t");
	size_t length = strspn(begin, set);

	if (!length || length >= ASSERTION_WORD)
		return -1;
	memcpy(word, begin, length);
	word[length] = '\0';
	*text = begin + length + strspn(begin + length, " \t");
	return 0;
}

/* Returns the index of a word in a list that ends with NULL, or -1. */
static int assertion_word(const char *const *words, const char *word)
{
	for (int i = 0; words[i]; i++)
		if (strcmp(words[i], word) == 0)
			return i;
	return -1;
}

static int assertion_take_n(struct assertion *assertion, const char **text)
{
	char number[ASSERTION_WORD];

	if (!assertion->name->takes_n)
		return 0;
	if (*(*text)++ != '(' || assertion_take_word(number, text, "0123456789.eE+") ||
	    parse_double(&assertion->n, number) || *(*text)++ != ')')
		return -1;
	return assertion->n > 0 ? 0 : -1;
}

static int assertion_take_name(struct assertion *assertion, const struct assertion_name *names,
			       const char **text)
{
	char word[ASSERTION_WORD];

	if (assertion_take_word(word, text,
				"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"))
		return -1;
	for (char *c = word; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	for (; names->name; names++)
		if (strcmp(names->name, word) == 0)
			assertion->name = names;
	return assertion->name ? assertion_take_n(assertion, text) : -1;
}

static int assertion_take_side(struct assertion *assertion, const char **text)
{
	static const char *const sides[] = {"", ".best", ".low", ".high", NULL};
	char word[ASSERTION_WORD] = "";
	int side;

	assertion_take_word(word, text, ".abcdefghijklmnopqrstuvwxyz");
	side = assertion_word(sides, word);
	assertion->side = (enum assertion_side)side;
	return side < 0 ? -1 : 0;
}

static int assertion_take_relation(struct assertion *assertion, const char **text)
{
	static const char *const relations[] = {"<", "<=", ">", ">=", NULL};
	char word[ASSERTION_WORD];
	int relation =
		assertion_take_word(word, text, "<=>!") ? -1 : assertion_word(relations, word);

	assertion->relation = (enum assertion_relation)relation;
	return relation < 0 ? -1 : 0;
}

/* Takes the bound: "0.5" or "50%", or a time as "10ms". */
static int assertion_take_bound(struct assertion *assertion, const char **text)
{
	const char *name = assertion->name->name;
	size_t length = strlen(name);
	char word[ASSERTION_WORD];
	struct err ignored;

	if (assertion_take_word(word, text, "0123456789.eE+-%mnus") || **text)
		return -1;
	if (length > 2 && strcmp(name + length - 2, "_s") == 0)
		return parse_seconds(&assertion->bound, word, &ignored);
	return parse_share(&assertion->bound, word);
}

/* Returns the names as "alpha, beta, x(N)". */
static char *assertion_list_names(const struct assertion_name *names)
{
	char *list = xstrdup("");

	for (; names->name; names++)
		xappend(&list, "", "%s%s%s", *list ? ", " : "", names->name,
			names->takes_n ? "(N)" : "");
	return list;
}

/* Sets the error for a text that begins with none of `names`, or with a name without its N. */
static int assertion_refuse_name(const struct assertion *assertion,
				 const struct assertion_name *names, const char *text,
				 struct err *err)
{
	size_t length = strcspn(text, "<=>!.( \t");
	char *typed = xasprintf("%.*s", (int)length, text);
	char *list = assertion_list_names(names), *question;
	struct nearest nearest;

	nearest_init(&nearest, typed);
	for (const struct assertion_name *name = names; name->name; name++)
		nearest_try(&nearest, name->name);
	question = nearest_question(&nearest);
	if (assertion->name)
		err_set(err, "--assert '%s': say for which N, as in '%s(8)>=2'", text,
			assertion->name->name);
	else if (question)
		err_set(err, "--assert '%s': '%s' is none of %s; %s", text, typed, list, question);
	else
		err_set(err, "--assert '%s': must begin with one of %s", text, list);
	free(question);
	free(list);
	free(typed);
	return -1;
}

static int assertion_parse(struct assertion *assertion, const struct assertion_name *names,
			   const char *text, struct err *err)
{
	const char *rest = text;

	*assertion = (struct assertion){.text = text};
	if (assertion_take_name(assertion, names, &rest))
		return assertion_refuse_name(assertion, names, text, err);
	if (assertion_take_side(assertion, &rest))
		return err_set(err, "--assert '%s': of an interval there are .best, .low and .high",
			       text);
	if (assertion_take_relation(assertion, &rest) || assertion_take_bound(assertion, &rest))
		return err_set(
			err,
			"--assert '%s': compare with <, <=, > or >= and a number or a percentage, "
			"as in '%s%s>=2'",
			text, assertion->name->name, assertion->name->takes_n ? "(8)" : "");
	return 0;
}

int assertions_add(struct assertions *assertions, const char *text, struct err *err)
{
	struct assertion *items =
		xreallocarray(assertions->items, assertions->count + 1, sizeof(*assertions->items));

	assertions->items = items;
	return assertion_parse(&items[assertions->count++], assertions->names, text, err);
}

static int assertions_read(void *own, char *text, struct err *err)
{
	return assertions_add(own, text, err);
}

const struct option assertion_options[] = {
	{"assert", '\0', OPTION_READ_EACH, .read = assertions_read,
	 .help = "exit with 3 unless this holds, as 'NAME>=2'; repeatable",
	 .argument = "EXPRESSION"},
	OPTION_TABLE_END};

/* --- The judgement ------------------------------------------------------------------------- */

static bool assertion_is_upper(const struct assertion *assertion)
{
	return assertion->relation == ASSERTION_BELOW || assertion->relation == ASSERTION_AT_MOST;
}

static double assertion_end(const struct assertion_value *value, enum assertion_side side)
{
	if (side == ASSERTION_BEST)
		return value->best;
	return side == ASSERTION_LOW ? value->low : value->high;
}

/* A comparison with NaN is false. */
static bool assertion_is_met(const struct assertion *assertion, double value)
{
	switch (assertion->relation) {
	case ASSERTION_BELOW:
		return value < assertion->bound;
	case ASSERTION_AT_MOST:
		return value <= assertion->bound;
	case ASSERTION_ABOVE:
		return value > assertion->bound;
	case ASSERTION_AT_LEAST:
		break;
	}
	return value >= assertion->bound;
}

/*
 * Returns the value with three digits, or all digits before the point, or as many as distinguish it
 * from the bound; as a percentage if the bound is one.
 */
static char *assertion_number(double value, const struct assertion *assertion)
{
	const int most = 17, least = 3;
	bool percent = assertion->text[strlen(assertion->text) - 1] == '%';
	double bound = percent ? 100 * assertion->bound : assertion->bound;
	int whole;

	value = percent ? 100 * value : value;
	whole = fabs(value) >= 1 && fabs(value) < 1e9 ? (int)log10(fabs(value)) + 1 : 0;
	if (isinf(value))
		return xstrdup("unlimited");
	for (int digits = whole > least ? whole : least;; digits++) {
		char *text = xasprintf("%.*g%s", digits, value, percent ? " %" : "");
		char *other = xasprintf("%.*g%s", digits, bound, percent ? " %" : "");
		bool apart = strcmp(text, other) != 0 || value == bound || digits == most;

		free(other);
		if (apart)
			return text;
		free(text);
	}
}

/* Returns the end of the interval that decided, as ", at most 25.6 (95 %)". */
static char *assertion_say_end(const struct assertion *assertion,
			       const struct assertion_value *value, enum assertion_side side,
			       enum assertion_outcome outcome)
{
	static const char *const words[][2] = {{"at least", "at most"},
					       {"but perhaps only", "but perhaps"}};
	double end = assertion_end(value, side);
	char *number, *text;

	if (side == ASSERTION_BEST || (value->low == value->high))
		return xstrdup("");
	number = assertion_number(end, assertion);
	text = xasprintf(
		", %s %s (%.6g %%)",
		words[outcome == ASSERTION_NOT_SHOWN || isinf(end)][side == ASSERTION_HIGH], number,
		100 * value->level);
	free(number);
	return text;
}

struct assertion_finding assertion_judge(const struct assertion *assertion,
					 const struct assertion_value *value)
{
	static const char *const words[] = {[ASSERTION_HOLDS] = "holds",
					    [ASSERTION_NOT_SHOWN] = "is not shown",
					    [ASSERTION_FAILS] = "fails"};
	bool upper = assertion_is_upper(assertion), free_side = !assertion->side;
	enum assertion_side side = !free_side ? assertion->side
				   : upper    ? ASSERTION_HIGH
					      : ASSERTION_LOW;
	struct assertion_finding finding = {.outcome = ASSERTION_NOT_SHOWN,
					    .value = assertion_end(value, side)};
	char *best, *end;

	if (isnan(finding.value)) {
		finding.outcome = ASSERTION_UNKNOWN;
		finding.text = xasprintf("is not known: %s",
					 value->unknown ? value->unknown : "there is no value");
		return finding;
	}
	if (assertion_is_met(assertion, finding.value)) {
		finding.outcome = ASSERTION_HOLDS;
	} else {
		enum assertion_side better = upper ? ASSERTION_LOW : ASSERTION_HIGH;
		double other = assertion_end(value, better);

		if (!free_side || !assertion_is_met(assertion, other)) {
			finding.outcome = ASSERTION_FAILS;
			side = free_side ? better : side;
			finding.value = free_side ? other : finding.value;
		}
	}
	best = assertion_number(value->best, assertion);
	end = assertion_say_end(assertion, value, side, finding.outcome);
	finding.text = xasprintf("%s: %s%s%s%s", words[finding.outcome], best, end,
				 value->where ? ", " : "", value->where ? value->where : "");
	free(best);
	free(end);
	return finding;
}

/* --- All of them --------------------------------------------------------------------------- */

struct assertion_line {
	const char *assertion, *text;
	bool holds;
	double value;
	struct assertion_value known;
};

static const struct column assertion_columns[] = {
	{"assertion", "assertion", UNIT_NONE, -1, FIELD(assertion_line, assertion)},
	{"finding", "result", UNIT_NONE, -1, FIELD(assertion_line, text)},
	{"holds", FIELD(assertion_line, holds)},
	{"value", FIELD(assertion_line, value)},
	{"best", FIELD(assertion_line, known.best)},
	{"low", FIELD(assertion_line, known.low)},
	{"high", FIELD(assertion_line, known.high)},
};

static void assertions_note_failure(struct assertions *assertions, const char *source,
				    const struct assertion_line *line)
{
	if (!assertions->failed++)
		assertions->first = xasprintf("%s%s'%s' %s", source ? source : "",
					      source ? ": " : "", line->assertion, line->text);
}

void assertions_report(struct assertions *assertions, struct report *report, const char *source,
		       assertion_get get, const void *result)
{
	static const struct table table = {.key = "assertions", COLUMNS(assertion_columns)};

	if (!assertions->count)
		return;
	if (report)
		report_begin(report, &table);
	for (size_t i = 0; i < assertions->count; i++) {
		const struct assertion *assertion = &assertions->items[i];
		const struct assertion_value value = get(result, assertion);
		struct assertion_finding finding = assertion_judge(assertion, &value);
		const struct assertion_line line = {assertion->text, finding.text,
						    finding.outcome == ASSERTION_HOLDS,
						    finding.value, value};

		if (!line.holds)
			assertions_note_failure(assertions, source, &line);
		if (report)
			report_row(report, &line);
		free(finding.text);
	}
	if (report)
		report_end(report);
}

int assertions_status(const struct assertions *assertions, struct err *err)
{
	if (!assertions->failed)
		return STATUS_DONE;
	err_set(err, "%s", assertions->first);
	if (assertions->failed > 1)
		err_set(err, "%s (and %zu more)", assertions->first, assertions->failed - 1);
	return STATUS_CONDITION;
}

void assertions_release(struct assertions *assertions)
{
	free(assertions->items);
	free(assertions->first);
}
