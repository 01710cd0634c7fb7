/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_change.h"

#include "base/err.h"
#include "fit/usl/usl.h"

#include <math.h>
#include <stdbool.h>

static double stepped(double value, const struct usl_step *step)
{
	switch (step->how) {
	case USL_SET:
		return step->by;
	case USL_SCALE:
		return value * step->by;
	case USL_ADD:
		return value + step->by;
	case USL_KEEP:
		break;
	}
	return value;
}

static int step(double *value, const struct usl_step *step, const char *name, bool bounded,
		struct err *err)
{
	double was = *value;

	*value = stepped(was, step);
	if (step->how == USL_KEEP)
		return 0;
	if (!isfinite(*value))
		return err_set(err, "%s would be out of range; it is %.6g", name, was);
	if (bounded && *value < 0)
		return err_set(err, "%s would be %.6g, and cannot be below 0; it is %.6g", name,
			       *value, was);
	return 0;
}

int usl_change_apply(struct usl *changed, const struct usl *usl, const struct usl_change *change,
		     struct err *err)
{
	bool bounded = !usl->form.unbounded;

	*changed = *usl;
	changed->alpha_se = changed->beta_se = changed->gamma_se = NAN;
	if (step(&changed->alpha, &change->alpha, "alpha", bounded, err) ||
	    step(&changed->beta, &change->beta, "beta", bounded, err) ||
	    step(&changed->gamma, &change->gamma, "gamma", true, err))
		return -1;
	if (!(changed->gamma > 0))
		return err_set(err, "gamma would be 0, which is no throughput");
	return 0;
}
