/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One kernel on some CPUs at once, for a moment: how much work each got done by CPU time. */
#ifndef PSCAL_COLLECT_CALIBRATION_CALIBRATION_RUN_H
#define PSCAL_COLLECT_CALIBRATION_CALIBRATION_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "collect/calibration/calibration.h"

struct err;

struct calibration_bench {
	const int *cpus; /* borrowed */
	size_t cpu_count;
	double **buffers; /* of each CPU, near to it; NULL until it is first used */
	uint64_t buffer_bytes;
	double sample_s;
};

/*
 * The mean of the rates at which the first `busy` CPUs work on `kernel`, in pieces of work a second
 * of CPU time. Returns 0, or -1 with a sentence.
 */
int calibration_run(double *rate, struct calibration_bench *bench, enum calibration_kernel kernel,
		    size_t busy, struct err *err);

void calibration_bench_release(struct calibration_bench *bench);

#endif
