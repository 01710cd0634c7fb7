/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Commas in numbers: a comma that separates no cells is one of decimals (10,5) or of thousands
 * (1,000). Which, all numbers of a table tell together, or nobody can.
 */
#ifndef PSCAL_BASE_DECIMAL_COMMA_H
#define PSCAL_BASE_DECIMAL_COMMA_H

#include <stdbool.h>

enum commas {
	COMMAS_REFUSED,	  /* no number holds a comma that could be one of decimals */
	COMMAS_DECIMAL,	  /* all numbers can be read so, and some in no other way */
	COMMAS_AMBIGUOUS, /* 1,000 may be a thousand, or one */
	COMMAS_MIXED,	  /* other numbers hold points */
};

/* What the cells seen so far say. Begins with zeros. */
struct comma_evidence {
	bool decimal;	/* 10,5 and 0,125: no thousand */
	bool ambiguous; /* 1,000 */
	bool grouping;	/* 1,000,000 and 1.000,5 */
	bool points;	/* 10.5 */
};

/* Adds a cell. What does not look like a number says nothing. */
void decimal_comma_weigh(struct comma_evidence *evidence, const char *cell);

enum commas decimal_comma_judge(const struct comma_evidence *evidence);

/* A finite number with one decimal comma. 0 or -1. */
int decimal_comma_parse(double *value, const char *cell);

/* How a sentence goes on that refuses a number with a comma. */
const char *decimal_comma_advice(enum commas commas);

#endif
