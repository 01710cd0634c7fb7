/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/samples/sampler_options.h"

#include "base/err.h"
#include "base/parse.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * The registers that an unwinder needs, as perf asks for them: on x86 all but the segments that
 * nobody may sample (ds, es, fs, gs).
 */
#if defined(__x86_64__)
#include <asm/perf_regs.h>
#define REGISTERS                                                            \
	(((UINT64_C(1) << PERF_REG_X86_64_MAX) - 1) &                        \
	 ~(UINT64_C(1) << PERF_REG_X86_DS | UINT64_C(1) << PERF_REG_X86_ES | \
	   UINT64_C(1) << PERF_REG_X86_FS | UINT64_C(1) << PERF_REG_X86_GS))
#elif defined(__aarch64__)
#include <asm/perf_regs.h>
#define REGISTERS ((UINT64_C(1) << (PERF_REG_ARM64_PC + 1)) - 1)
#else
#define REGISTERS UINT64_C(0)
#endif

/* UINT32_MAX when the kernel has no such limit. */
static uint64_t highest_frequency_hz(const char *proc)
{
	char path[256];
	uint64_t limit = UINT32_MAX;
	FILE *file;

	snprintf(path, sizeof(path), "%s/sys/kernel/perf_event_max_sample_rate", proc);
	file = fopen(path, "re");
	if (file && fscanf(file, "%" SCNu64, &limit) != 1)
		limit = UINT32_MAX;
	if (file)
		fclose(file);
	return limit;
}

int sampler_options_set_frequency(struct sampler_options *options, const char *text,
				  const char *proc, struct err *err)
{
	uint64_t limit = highest_frequency_hz(proc);
	uint64_t frequency_hz;

	if (parse_u64(&frequency_hz, text, UINT32_MAX) || !frequency_hz)
		return err_set(err, "-F %s: give a number of samples a second, say 997", text);
	if (frequency_hz > limit)
		return err_set(err,
			       "-F %s: the kernel takes at most %" PRIu64 " samples a second "
			       "(kernel.perf_event_max_sample_rate)",
			       text, limit);
	options->frequency_hz = frequency_hz;
	return 0;
}

static int set_dwarf(struct sampler_options *options, const char *size, struct err *err)
{
	uint64_t bytes = SAMPLER_STACK_BYTES;

	if (!REGISTERS)
		return err_set(err, "--call-graph dwarf: the registers that it takes are known "
				    "for x86_64 and aarch64 only; use --call-graph fp");
	if (size && (parse_u64(&bytes, size, SAMPLER_STACK_BYTES_MAX) || !bytes || bytes % 8))
		return err_set(err,
			       "--call-graph dwarf,%s: the bytes of stack must be a multiple of 8, "
			       "from 8 to %d",
			       size, SAMPLER_STACK_BYTES_MAX);
	options->calls = SAMPLER_CALLS_DWARF;
	options->stack_bytes = (uint32_t)bytes;
	return 0;
}

int sampler_options_set_calls(struct sampler_options *options, const char *text, struct err *err)
{
	if (strcmp(text, "dwarf") == 0)
		return set_dwarf(options, NULL, err);
	if (strncmp(text, "dwarf,", 6) == 0)
		return set_dwarf(options, text + 6, err);
	if (strcmp(text, "fp") == 0)
		options->calls = SAMPLER_CALLS_FP;
	else if (strcmp(text, "none") == 0)
		options->calls = SAMPLER_CALLS_NONE;
	else
		return err_set(err, "--call-graph %s: take fp, dwarf, dwarf,SIZE or none", text);
	return 0;
}

void sampler_options_apply(const struct sampler_options *options, struct perf_event_attr *attr)
{
	attr->freq = 1;
	attr->sample_freq = options->frequency_hz;
	attr->sample_type &= ~(uint64_t)PERF_SAMPLE_RAW;
	attr->sample_type |= PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD;
	if (options->calls == SAMPLER_CALLS_NONE)
		return;
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (options->calls == SAMPLER_CALLS_FP)
		return;
	/* The user's part of the calls is in the stack; the kernel's is not. */
	attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr->exclude_callchain_user = 1;
	attr->sample_regs_user = REGISTERS;
	attr->sample_stack_user = options->stack_bytes;
}
