/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What `pscal fit` is asked of a curve besides the throughput at N: where it reaches something,
 * how it would be with other parameters, and whether it meets conditions.
 */
#ifndef PSCAL_CMD_FIT_FIT_QUESTIONS_H
#define PSCAL_CMD_FIT_FIT_QUESTIONS_H

#include <popt.h>
#include <stddef.h>

struct err;
struct usl_change;
struct usl_claim;
struct usl_question;

struct fit_questions {
	struct usl_question *questions; /* in the order of the options below */
	size_t question_count;
	struct usl_change *changes;
	size_t change_count;
	struct usl_claim *claims;
	size_t claim_count;
	/* Options as they were written. */
	char *throughputs, *latencies, *efficiencies;
	char **change_texts, **claim_texts; /* NULL-terminated, or NULL */
};

/* A popt table, which writes to *questions, all 0 before. */
enum { FIT_QUESTION_OPTIONS = 6 };
struct fit_question_table {
	struct poptOption options[FIT_QUESTION_OPTIONS];
};
struct fit_question_table fit_questions_table(struct fit_questions *questions);

/* Reads what was written. Returns 0, or -1 with a sentence. The caller releases in any case. */
int fit_questions_read(struct fit_questions *questions, struct err *err);
void fit_questions_release(struct fit_questions *questions);

#endif
