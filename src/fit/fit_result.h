/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A series with the requested fit and all results that follow from it: the input of the reports and
 * pictures of a fit.
 */
#ifndef PSCAL_FIT_FIT_RESULT_H
#define PSCAL_FIT_FIT_RESULT_H

#include <stdbool.h>
#include <stddef.h>

#include "fit/usl/usl.h"
#include "fit/usl/usl_diagnosis.h"
#include "fit/usl/usl_intervals.h"
#include "fit/usl/usl_questions.h"
#include "stats/series/series.h"

struct err;
struct usl_diagnosis;

/* The request: the kind of fit, and the questions about the curve. */
struct fit_wish {
	struct usl_form form;
	enum usl_loss loss;
	double level;			     /* the confidence level of the intervals: 0..1 */
	struct usl_bootstrap_plan bootstrap; /* without refits the method is profile-t */
	double *at;			     /* N whose throughput is predicted, each > 0 */
	size_t at_count;
	struct usl_question *questions; /* the N at which a target is reached */
	size_t question_count;
	struct usl_change *changes; /* curves with other parameters */
	size_t change_count;
	bool suggest;	     /* suggest the next N to measure */
	double suggest_most; /* the largest N to suggest; 0: three times the largest measured N */
};

/* A series, and the curve through it. */
struct fitted {
	struct series series;
	struct usl usl;
	struct usl_robust robust; /* the robust fit, if series.trust is set */
};

/*
 * Fits the series, which has been read; a robust fit sets its trust. Returns 0, or -1 with an
 * error: the series cannot be fitted, or the fit does not allow one of the changes.
 */
int fit_series(struct fitted *fitted, const struct fit_wish *wish, struct err *err);

/* The N from which on all CPUs were busy: more threads get no more CPUs. */
struct fit_full {
	double n;      /* NaN: none, or not known */
	double others; /* CPUs that other programs used there, on average */
};

/* The predicted throughput at an N. */
struct fit_prediction {
	double throughput;
	struct usl_interval curve, measured;
};

struct fit_answer {
	struct usl_answer answers[USL_ANSWERS];
	size_t count;
};

/* The number of quantities that are parameters, or follow from them: alpha to X_max. */
enum { FIT_PARAMETERS = USL_PEAK_X + 1 };

/* The parts of the capacity: useful work, contention, coherency. */
enum fit_part { FIT_USEFUL, FIT_CONTENTION, FIT_COHERENCY, FIT_PARTS };

struct fit_result {
	const struct fit_wish *wish;			/* borrowed */
	const struct series *series;			/* borrowed, as are the next two */
	const struct usl *usl;				/* the fit */
	const struct usl_robust *robust;		/* NULL: least squares */
	struct usl_intervals *intervals;		/* intervals for curves and pictures */
	struct usl_interval parameters[FIT_PARAMETERS]; /* the parameters, by enum usl_quantity */
	struct fit_full full;
	struct usl_diagnosis *diagnosis;
	struct usl_suggestion *suggestion; /* NULL: not requested */
	/* The rest is set only in a whole result. */
	/*
	 * Intervals of the curve, computed on demand by fit_curve_interval(); points with the same
	 * N share one. NULL for more than USL_REGION_POINTS different N, which would take too long.
	 */
	struct fit_curve {
		size_t shared; /* the point that has the interval */
		struct usl_interval interval;
	} * curve;
	struct usl_choice *choice; /* the laws side by side */
	/* N_c of the full law, and its useful share at N = 2; NaN if it cannot be fitted. */
	struct usl_interval full_peak_n, full_useful;
	double largest_n;	 /* the largest N measured */
	double share[FIT_PARTS]; /* the shares of the capacity at largest_n */
	struct usl_interval share_interval[FIT_PARTS];
	struct fit_prediction *predictions; /* the predictions, by wish->at */
	struct fit_answer *answers;	    /* the answers, by wish->questions */
	struct usl *changed;		    /* curves with other parameters, by wish->changes */
};

/*
 * Makes the result of a fit: whole for people, JSON and pictures; a row of CSV needs only its first
 * part. The fit and the wish are borrowed. The caller frees the result.
 */
struct fit_result *fit_make(const struct fitted *fitted, const struct fit_wish *wish, bool whole);

/* Returns the interval of the curve at a point; NaN: not computed. */
struct usl_interval fit_curve_interval(const struct fit_result *result, size_t point);
void fit_result_free(struct fit_result *result);

#endif
