/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/counters/counter_names.h"

#include "base/err.h"
#include "collect/counters/counter_advice.h"
#include "collect/kernel/tracefs.h"

#include <perfmon/pfmlib_perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define SOFTWARE(what) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##what
#define HARDWARE(what) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##what

/*
 * The names of perf-list(1). libpfm4 knows most of them too, but without a description, and none
 * of them once LIBPFM_FORCE_PMU is set.
 */
static const struct counter_generic generics[] = {
	{"task-clock", NULL, SOFTWARE(TASK_CLOCK), "Nanoseconds on a CPU"},
	{"cpu-clock", NULL, SOFTWARE(CPU_CLOCK), "Nanoseconds on a CPU, by the clock of the CPU"},
	{"context-switches", "cs", SOFTWARE(CONTEXT_SWITCHES), "Times it left a CPU"},
	{"cpu-migrations", "migrations", SOFTWARE(CPU_MIGRATIONS), "Times it moved to another CPU"},
	{"cgroup-switches", NULL, SOFTWARE(CGROUP_SWITCHES),
	 "Switches between threads of different control groups"},
	{"page-faults", "faults", SOFTWARE(PAGE_FAULTS), "Page faults of both kinds"},
	{"minor-faults", NULL, SOFTWARE(PAGE_FAULTS_MIN), "Page faults that needed no device"},
	{"major-faults", NULL, SOFTWARE(PAGE_FAULTS_MAJ), "Page faults that waited for a device"},
	{"alignment-faults", NULL, SOFTWARE(ALIGNMENT_FAULTS),
	 "Unaligned accesses that the kernel had to mend"},
	{"emulation-faults", NULL, SOFTWARE(EMULATION_FAULTS),
	 "Instructions that the kernel had to emulate"},
	{"bpf-output", NULL, SOFTWARE(BPF_OUTPUT), "Events written by BPF programs"},
	{"cycles", "cpu-cycles", HARDWARE(CPU_CYCLES), "Cycles of the CPU, whatever its clock"},
	{"instructions", NULL, HARDWARE(INSTRUCTIONS), "Instructions retired"},
	{"cache-references", NULL, HARDWARE(CACHE_REFERENCES), "Accesses to the last-level cache"},
	{"cache-misses", NULL, HARDWARE(CACHE_MISSES), "Accesses that missed the last-level cache"},
	{"branches", "branch-instructions", HARDWARE(BRANCH_INSTRUCTIONS), "Branches retired"},
	{"branch-misses", NULL, HARDWARE(BRANCH_MISSES), "Branches predicted wrongly"},
	{"bus-cycles", NULL, HARDWARE(BUS_CYCLES), "Cycles of the bus"},
	{"stalled-cycles-frontend", "idle-cycles-frontend", HARDWARE(STALLED_CYCLES_FRONTEND),
	 "Cycles in which no instruction could be issued"},
	{"stalled-cycles-backend", "idle-cycles-backend", HARDWARE(STALLED_CYCLES_BACKEND),
	 "Cycles in which no instruction could be retired"},
	{"ref-cycles", NULL, HARDWARE(REF_CPU_CYCLES), "Cycles at the nominal clock of the CPU"},
};
enum { GENERIC_COUNT = sizeof(generics) / sizeof(generics[0]) };

const struct counter_generic *counter_generics(size_t *count)
{
	*count = GENERIC_COUNT;
	return generics;
}

/* It stays on: pfm_terminate of libpfm 4.13 crashes where the kernel's tracepoints can be read. */
int counter_names_open(struct err *err)
{
	int code = pfm_initialize();

	/* Not supported: it knows no PMU of this machine, but all that it has tables for. */
	if (code != PFM_SUCCESS && code != PFM_ERR_NOTSUPP)
		return err_set(err, "libpfm4 does not start: %s", pfm_strerror(code));
	return 0;
}

/* --- Names of perf ------------------------------------------------------------------------- */

static const struct counter_generic *find_generic(const char *name, size_t length)
{
	for (size_t i = 0; i < GENERIC_COUNT; i++) {
		const char *const spellings[] = {generics[i].name, generics[i].alias};

		for (size_t k = 0; k < 2; k++)
			if (spellings[k] && strlen(spellings[k]) == length &&
			    strncasecmp(spellings[k], name, length) == 0)
				return &generics[i];
	}
	return NULL;
}

/* "u", "uk": the modes that count; the others are excluded. Returns -1 for any other letter. */
static int set_modes(struct perf_event_attr *attr, const char *letters)
{
	if (!*letters || letters[strspn(letters, "ukh")])
		return -1;
	attr->exclude_user = !strchr(letters, 'u');
	attr->exclude_kernel = !strchr(letters, 'k');
	attr->exclude_hv = !strchr(letters, 'h');
	return 0;
}

static int encode_generic(struct perf_event_attr *attr, const struct counter_generic *generic,
			  const char *name, const char *modes, struct err *err)
{
	attr->type = generic->type;
	attr->config = generic->config;
	if (*modes && set_modes(attr, modes + 1))
		return err_set(err, "%s: after the colon come u, k and h: what to count in", name);
	return 0;
}

/* --- Names of libpfm4 ---------------------------------------------------------------------- */

static bool is_of_socket(int event)
{
	pfm_event_info_t info = {.size = sizeof(info)};
	pfm_pmu_info_t pmu = {.size = sizeof(pmu)};

	return pfm_get_event_info(event, PFM_OS_PERF_EVENT, &info) == PFM_SUCCESS &&
	       pfm_get_pmu_info(info.pmu, &pmu) == PFM_SUCCESS && pmu.type == PFM_PMU_TYPE_UNCORE;
}

/* Returns 0, or the code of libpfm4, or 1 with a sentence. */
static int encode_pfm(struct perf_event_attr *attr, const char *name, struct err *err)
{
	struct perf_event_attr encoded = {.size = sizeof(encoded)};
	pfm_perf_encode_arg_t argument = {.attr = &encoded, .size = sizeof(argument)};
	int code = pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3 | PFM_PLMH,
					     PFM_OS_PERF_EVENT, &argument);

	if (code != PFM_SUCCESS)
		return code;
	if (is_of_socket(argument.idx)) {
		err_set(err, "%s: counts for a whole socket, and not for a thread", name);
		return 1;
	}
	attr->type = encoded.type;
	attr->config = encoded.config;
	attr->config1 = encoded.config1;
	attr->config2 = encoded.config2;
	attr->exclude_user = encoded.exclude_user;
	attr->exclude_kernel = encoded.exclude_kernel;
	attr->exclude_hv = encoded.exclude_hv;
	attr->exclude_guest = encoded.exclude_guest;
	attr->exclude_host = encoded.exclude_host;
	return 0;
}

/* --- Tracepoints --------------------------------------------------------------------------- */

/* SYSTEM:NAME, and neither leads out of tracefs. Returns whether `attr` is set. */
static bool encode_tracepoint(struct perf_event_attr *attr, const char *name, const char *tracefs)
{
	size_t system = strcspn(name, ":");
	struct err ignored;
	uint64_t number;
	char path[96];

	if (!tracefs || !system || name[system] != ':' || strpbrk(name, "/.") ||
	    strchr(name + system + 1, ':') || strlen(name) >= sizeof(path))
		return false;
	snprintf(path, sizeof(path), "%s", name);
	path[system] = '/';
	if (tracefs_event_id(&number, tracefs, path, &ignored))
		return false;
	attr->type = PERF_TYPE_TRACEPOINT;
	attr->config = number;
	return true;
}

int counter_names_encode(struct perf_event_attr *attr, const char *name, const char *tracefs,
			 struct err *err)
{
	size_t length = strcspn(name, ":");
	const struct counter_generic *generic = find_generic(name, length);
	int code;

	if (generic)
		return encode_generic(attr, generic, name, name + length, err);
	if (encode_tracepoint(attr, name, tracefs))
		return 0;
	code = encode_pfm(attr, name, err);
	if (code == PFM_SUCCESS)
		return 0;
	if (code > 0)
		return -1;
	if (code == PFM_ERR_NOTFOUND || code == PFM_ERR_NOINIT)
		return counter_advice_unknown(name, err);
	return counter_advice_masks(name, pfm_strerror(code), err);
}
