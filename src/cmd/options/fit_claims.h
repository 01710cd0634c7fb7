/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What --assert and --what-if of `pscal fit` say: "nc >= 64", "alpha=x0.5,beta=0".
 */
#ifndef PSCAL_CMD_OPTIONS_FIT_CLAIMS_H
#define PSCAL_CMD_OPTIONS_FIT_CLAIMS_H

struct err;
struct usl_change;
struct usl_claim;

/*
 * QUANTITY[.SIDE] RELATION NUMBER: the quantity is alpha, beta, gamma, nc, xmax, n, x(N) or e(N),
 * the side best, low or high, the relation <, <=, > or >=, and the number may end in %. Both
 * return 0, or -1 with a sentence, and borrow the text.
 */
int fit_claim_parse(struct usl_claim *claim, const char *text, struct err *err);

/*
 * PARAMETER=VALUE,...: the parameter is alpha, beta or gamma, each once; the value is a number,
 * xFACTOR, or a difference with its sign.
 */
int fit_change_parse(struct usl_change *change, const char *text, struct err *err);

/* "0.5" or "50%". 0 or -1. */
int fit_share_parse(double *share, const char *text);

#endif
