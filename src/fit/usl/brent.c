/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/brent.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_min.h>
#include <gsl/gsl_roots.h>
#include <math.h>

double brent_root(double (*function)(double x, void *data), void *data, double from, double to,
		  struct brent_precision precision)
{
	enum { ITERATIONS = 100 };
	gsl_error_handler_t *handler = gsl_set_error_handler_off();
	gsl_root_fsolver *solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
	gsl_function wrapped = {.function = function, .params = data};
	double root = to;

	if (solver &&
	    gsl_root_fsolver_set(solver, &wrapped, fmin(from, to), fmax(from, to)) == GSL_SUCCESS) {
		for (int i = 0; i < ITERATIONS; i++)
			if (gsl_root_fsolver_iterate(solver) ||
			    gsl_root_test_interval(gsl_root_fsolver_x_lower(solver),
						   gsl_root_fsolver_x_upper(solver),
						   precision.absolute,
						   precision.relative) == GSL_SUCCESS)
				break;
		root = gsl_root_fsolver_root(solver);
	}
	gsl_root_fsolver_free(solver);
	gsl_set_error_handler(handler);
	return root;
}

struct brent_minimum brent_minimum(double (*function)(double x, void *data), void *data, double low,
				   double middle, double high, struct brent_precision precision,
				   double enough)
{
	enum { ITERATIONS = 60 };
	gsl_error_handler_t *handler = gsl_set_error_handler_off();
	gsl_min_fminimizer *solver = gsl_min_fminimizer_alloc(gsl_min_fminimizer_brent);
	gsl_function wrapped = {.function = function, .params = data};
	struct brent_minimum minimum = {NAN, NAN};

	if (solver && gsl_min_fminimizer_set(solver, &wrapped, middle, low, high) == GSL_SUCCESS) {
		for (int i = 0; i < ITERATIONS; i++)
			if (gsl_min_fminimizer_iterate(solver) ||
			    gsl_min_fminimizer_f_minimum(solver) <= enough ||
			    gsl_min_test_interval(gsl_min_fminimizer_x_lower(solver),
						  gsl_min_fminimizer_x_upper(solver),
						  precision.absolute,
						  precision.relative) == GSL_SUCCESS)
				break;
		minimum = (struct brent_minimum){gsl_min_fminimizer_x_minimum(solver),
						 gsl_min_fminimizer_f_minimum(solver)};
	}
	gsl_min_fminimizer_free(solver);
	gsl_set_error_handler(handler);
	return minimum;
}
