/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The collector of samples: the code address of each CPU at a given frequency, with its call chain.
 * It also records the code mappings of the target, which readers need to name functions, for all
 * collectors; and, if asked, the begin and end of page faults.
 */
#ifndef PSCAL_COLLECT_SAMPLES_SAMPLER_H
#define PSCAL_COLLECT_SAMPLES_SAMPLER_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

struct collector;
struct collector_options;
struct err;

enum sampler_calls {
	SAMPLER_CALLS_FP,    /* found by frame pointers, by the kernel */
	SAMPLER_CALLS_DWARF, /* a copy of the registers and the stack, which readers unwind */
	SAMPLER_CALLS_NONE,
};

enum { SAMPLER_STACK_BYTES = 8192, SAMPLER_STACK_BYTES_MAX = 65528 };

/* All zero: nothing but what is mapped. */
struct sampler_options {
	uint64_t frequency_hz; /* 0: no samples */
	enum sampler_calls calls;
	uint32_t stack_bytes; /* with SAMPLER_CALLS_DWARF; a multiple of 8 */
	bool faults;	      /* beside them when page faults begin and end */
};

/*
 * "997", as in -F 997. The kernel's limit is read below `proc` ("/proc"). Returns 0, or -1 with a
 * sentence.
 */
int sampler_options_set_frequency(struct sampler_options *options, const char *text,
				  const char *proc, struct err *err);

/* "fp", "none", "dwarf" or "dwarf,SIZE". Returns 0, or -1 with a sentence. */
int sampler_options_set_calls(struct sampler_options *options, const char *text, struct err *err);

/* Makes the attr of an event one that samples so. */
void sampler_options_apply(const struct sampler_options *options, struct perf_event_attr *attr);

/* Returns NULL with a sentence when the kernel does not let us. `sampling` is copied. */
struct collector *sampler_open(const struct collector_options *options,
			       const struct sampler_options *sampling, struct err *err);

#endif
