/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The collector of samples: the code address on each CPU at a given frequency, with its call chain.
 * It also records the code mappings of the target, which readers need to name functions, for all
 * collectors; and, if requested, the begin and end of page faults.
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
	SAMPLER_CALLS_FP,    /* by frame pointers, in the kernel */
	SAMPLER_CALLS_DWARF, /* copies of registers and stack, which readers unwind */
	SAMPLER_CALLS_NONE,
};

enum { SAMPLER_STACK_BYTES = 8192, SAMPLER_STACK_BYTES_MAX = 65528 };

/* The options. All zero: only mappings. */
struct sampler_options {
	uint64_t frequency_hz; /* 0: no samples */
	enum sampler_calls calls;
	uint32_t stack_bytes; /* with SAMPLER_CALLS_DWARF; a multiple of 8 */
	bool faults;	      /* also record the begin and end of page faults */
};

/* Parses "997" of -F 997. `proc` ("/proc") has the kernel's limit. 0, or -1 with an error. */
int sampler_options_set_frequency(struct sampler_options *options, const char *text,
				  const char *proc, struct err *err);

/* Parses "fp", "none", "dwarf" or "dwarf,SIZE". Returns 0, or -1 with an error. */
int sampler_options_set_calls(struct sampler_options *options, const char *text, struct err *err);

/* Changes the attr of an event to sample with these options. */
void sampler_options_apply(const struct sampler_options *options, struct perf_event_attr *attr);

/* Opens the collector; `sampling` is copied. Returns NULL with an error if the kernel refuses. */
struct collector *sampler_open(const struct collector_options *options,
			       const struct sampler_options *sampling, struct err *err);

#endif
