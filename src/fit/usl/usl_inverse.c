/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_inverse.h"

#include "fit/usl/usl.h"

#include <float.h>
#include <math.h>

/* --- N(X) ------------------------------------------------------------------
 * X = gamma N / D(N) is a N^2 + b N + c = 0 with
 *
 *	a = beta, b = alpha - beta - gamma / X, c = 1 - alpha
 *
 * and dX/dN has the sign of c - a N^2.
 */

/* sqrt(b^2 - 4ac) as sqrt((|b| - 2s) (|b| + 2s)), which neither overflows nor loses the little that
 * is left near the peak; NaN where it is imaginary. `size` is that of what b is the sum of. */
static double root_of_discriminant(double a, double b, double c, double size)
{
	const double rounding = 4 * DBL_EPSILON;
	double s = sqrt(fabs(a)) * sqrt(fabs(c));
	double above = fabs(b) - 2 * s;

	if ((a < 0) != (c < 0))
		return hypot(b, 2 * s);
	if (fabs(above) <= rounding * (size + 2 * s))
		return 0;
	return above > 0 ? sqrt(above) * sqrt(above + 4 * s) : NAN;
}

static void place(struct usl_branches *branches, double n, int is_rising)
{
	if (!(n > 0) || isinf(n))
		return;
	if (is_rising)
		branches->rising = n;
	else
		branches->falling = n;
}

struct usl_branches usl_n_of_throughput(const struct usl *usl, double throughput)
{
	double y = usl->gamma / throughput;
	double a = usl->beta, b = usl->alpha - usl->beta - y, c = 1 - usl->alpha;
	double root = root_of_discriminant(a, b, c, fabs(usl->alpha) + fabs(usl->beta) + y);
	double t = -(b + copysign(root, b)) / 2;
	struct usl_branches branches = {NAN, NAN};

	if (a != 0)
		place(&branches, t / a, a < 0);
	if (c != 0)
		place(&branches, c / t, c > 0);
	return branches;
}

/* --- N(D) ------------------------------------------------------------------
 * D = d is beta M^2 + (alpha + beta) M = d - 1 with M = N - 1. Where D crosses d on its way up, its
 * slope 2 beta M + alpha + beta is the positive root of the discriminant.
 */

static double n_of_slowdown(const struct usl *usl, double d)
{
	double a = usl->beta, b = usl->alpha + usl->beta;
	double discriminant = b * b + 4 * a * (d - 1), m;

	if (a <= 0 && b <= 0) /* D does not rise */
		return a < 0 || b < 0 || d >= 1 ? INFINITY : NAN;
	if (discriminant < 0)
		return a < 0 ? INFINITY : NAN;
	if (b > 0)
		m = 2 * (d - 1) / (b + sqrt(discriminant));
	else
		m = (-b + sqrt(discriminant)) / (2 * a);
	return m > -1 ? 1 + m : NAN;
}

double usl_latency(const struct usl *usl, double n)
{
	return n / usl_throughput(usl, n);
}

double usl_n_of_latency(const struct usl *usl, double latency)
{
	return n_of_slowdown(usl, usl->gamma * latency);
}

double usl_throughput_of_latency(const struct usl *usl, double latency)
{
	return usl_n_of_latency(usl, latency) / latency;
}

double usl_efficiency_at(const struct usl *usl, double n)
{
	return usl_throughput(usl, n) / n / usl->gamma;
}

double usl_n_of_efficiency(const struct usl *usl, double share)
{
	return n_of_slowdown(usl, 1 / share);
}
