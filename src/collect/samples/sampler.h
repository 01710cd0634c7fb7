/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The collector of where threads are while they run: so many times a second the place in the code
 * of each CPU, with the calls that led there. It also records what code the target has mapped,
 * without which readers cannot name a function, whoever recorded its address; and, where it is
 * asked for, when page faults begin and end.
 */
#ifndef PSCAL_COLLECT_SAMPLES_SAMPLER_H
#define PSCAL_COLLECT_SAMPLES_SAMPLER_H

#include "collect/samples/sampler_options.h"

struct collector;
struct collector_options;
struct err;

/* Returns NULL with a sentence when the kernel does not let us. `sampling` is copied. */
struct collector *sampler_open(const struct collector_options *options,
			       const struct sampler_options *sampling, struct err *err);

#endif
