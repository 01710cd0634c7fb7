/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/decimal_comma.h"

#include "base/parse.h"

#include <string.h>

static const char digits[] = "0123456789";

void decimal_comma_weigh(struct comma_evidence *evidence, const char *cell)
{
	const char *begin = cell + strspn(cell, "+-");
	size_t before = strspn(begin, digits);
	const char *mark = begin + before;
	size_t after = *mark ? strspn(mark + 1, digits) : 0;
	const char *end = *mark ? mark + 1 + after : mark;

	if ((*mark != ',' && *mark != '.') || before + after == 0)
		return;
	if (*end == ',' || (*end == '.' && *mark == ','))
		evidence->grouping |= !end[strspn(end, "0123456789.,")];
	else if (*end && *end != 'e' && *end != 'E')
		return;
	else if (*mark == '.')
		evidence->points = true;
	else if (after == 3 && before >= 1 && before <= 3 && *begin != '0' && !*end)
		evidence->ambiguous = true;
	else
		evidence->decimal = true;
}

enum commas decimal_comma_judge(const struct comma_evidence *evidence)
{
	bool commas = evidence->decimal || evidence->ambiguous;

	if (evidence->grouping || !commas)
		return COMMAS_REFUSED;
	if (evidence->points)
		return COMMAS_MIXED;
	return evidence->decimal ? COMMAS_DECIMAL : COMMAS_AMBIGUOUS;
}

int decimal_comma_parse(double *value, const char *cell)
{
	const char *comma = strchr(cell, ',');
	char number[64];

	if (!comma || strlen(cell) >= sizeof(number))
		return -1;
	strcpy(number, cell);
	number[comma - cell] = '.';
	return parse_double(value, number);
}

const char *decimal_comma_advice(enum commas commas)
{
	if (commas == COMMAS_AMBIGUOUS)
		return ": its comma may be one of decimals or of thousands; write a decimal "
		       "point, and no commas";
	if (commas == COMMAS_MIXED)
		return ": other numbers have a decimal point; write points everywhere, and no "
		       "commas";
	return ": write a decimal point, and no commas";
}
