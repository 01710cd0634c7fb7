/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The share of busy-waiting in samples, for the facts of a profile and the rows of its threads. */
#ifndef PSCAL_REPORT_PROFILE_REPORT_PROFILE_PRIVATE_H
#define PSCAL_REPORT_PROFILE_REPORT_PROFILE_PRIVATE_H

#include <stdint.h>

#include "stats/profile/profile.h"

/* Shares of samples; NaN without samples. */
struct spin {
	double value, error, unknown;
	uint64_t samples;
};

static inline struct spin spin_of(const struct spin_share *share)
{
	return (struct spin){spin_share_estimate(share).value, spin_share_estimate(share).error,
			     spin_share_estimate(share).unknown, share->samples};
}

#endif
