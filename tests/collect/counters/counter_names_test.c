/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/counters/counters.h"

#include "base/err.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void open_names(void)
{
	struct err err = {.text = ""};

	if (counter_names_open(&err))
		fail_msg("%s", err.text);
}

struct encoding {
	const char *name;
	uint32_t type;
	uint64_t config;
	const char *modes; /* modes in which it counts */
};

struct mistake {
	const char *name;
	const char *sentence; /* part of the sentence */
};

/* libpfm4 looks for PMUs once in a process, so the test forks. NULL: the PMUs of this machine. */
static void as_if_on(const char *pmu, void (*check)(const void *cases), const void *cases)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (!child) {
		setenv("CMOCKA_TEST_ABORT", "1", 1);
		if (pmu)
			setenv("LIBPFM_FORCE_PMU", pmu, 1);
		open_names();
		check(cases);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* `cases` ends with a case without a name. */
static void assert_encodings(const void *list)
{
	const struct encoding *cases = list;

	for (size_t i = 0; cases[i].name; i++) {
		struct perf_event_attr attr = {0};
		struct err err = {.text = ""};
		char modes[3] = "";

		if (counter_names_encode(&attr, cases[i].name, NULL, &err))
			fail_msg("%s", err.text);
		if (!attr.exclude_user)
			strcat(modes, "u");
		if (!attr.exclude_kernel)
			strcat(modes, "k");
		if (attr.type != cases[i].type || attr.config != cases[i].config ||
		    strcmp(modes, cases[i].modes) != 0)
			fail_msg("%s: type %d, config 0x%llx, counts in '%s'", cases[i].name,
				 (int)attr.type, (unsigned long long)attr.config, modes);
	}
}

static void names_of_perf_are_known_on_every_machine(void **state)
{
	static const struct encoding cases[] = {
		{"cpu-clock", 1, 0, "uk"},
		{"task-clock", 1, 1, "uk"},
		{"page-faults", 1, 2, "uk"},
		{"faults", 1, 2, "uk"},
		{"context-switches", 1, 3, "uk"},
		{"cs", 1, 3, "uk"},
		{"cpu-migrations", 1, 4, "uk"},
		{"migrations", 1, 4, "uk"},
		{"minor-faults", 1, 5, "uk"},
		{"major-faults", 1, 6, "uk"},
		{"alignment-faults", 1, 7, "uk"},
		{"emulation-faults", 1, 8, "uk"},
		{"cycles", 0, 0, "uk"},
		{"cpu-cycles", 0, 0, "uk"},
		{"Instructions", 0, 1, "uk"},
		{"cache-references", 0, 2, "uk"},
		{"cache-misses", 0, 3, "uk"},
		{"branches", 0, 4, "uk"},
		{"branch-misses", 0, 5, "uk"},
		{"ref-cycles", 0, 9, "uk"},
		{"cycles:u", 0, 0, "u"},
		{"cycles:k", 0, 0, "k"},
		{"page-faults:uk", 1, 2, "uk"},
		{"PAGE-FAULTS:u", 1, 2, "u"},
		{.name = NULL},
	};

	(void)state;
	as_if_on(NULL, assert_encodings, cases);
}

static void raw_codes_and_caches_are_known_on_every_machine(void **state)
{
	static const struct encoding cases[] = {
		{"r1c2", PERF_TYPE_RAW, 0x1c2, "uk"},
		{"r01c2:u", PERF_TYPE_RAW, 0x1c2, "u"},
		{"L1-dcache-loads", PERF_TYPE_HW_CACHE, 0, "uk"},
		{"L1-dcache-load-misses", PERF_TYPE_HW_CACHE, 0x10000, "uk"},
		{"LLC-load-misses:u", PERF_TYPE_HW_CACHE, 0x10002, "u"},
		{.name = NULL},
	};

	(void)state;
	as_if_on(NULL, assert_encodings, cases);
}

/*
 * Numbers: Intel SDM, volume 3B, performance monitoring events of Skylake: UOPS_ISSUED.ANY is
 * event 0EH, umask 01H; LONGEST_LAT_CACHE.MISS 2EH, 41H; UOPS_ISSUED.STALL_CYCLES has CMASK 1 and
 * INV. AMD PPR of family 17h: retired branches are C2H.
 */
static void events_of_a_missing_pmu_are_encoded_if_it_is_forced(void **state)
{
	static const struct encoding skylake[] = {
		{"UOPS_ISSUED:ANY", PERF_TYPE_RAW, 0x010e, "uk"},
		{"UOPS_ISSUED.ANY", PERF_TYPE_RAW, 0x010e, "uk"},
		{"skl::uops_issued:any:u", PERF_TYPE_RAW, 0x010e, "u"},
		{"skl::UOPS_ISSUED:STALL_CYCLES", PERF_TYPE_RAW, 0x180010e, "uk"},
		{"LONGEST_LAT_CACHE:MISS:k", PERF_TYPE_RAW, 0x412e, "k"},
		{"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, "uk"},
		{.name = NULL},
	};
	static const struct encoding zen[] = {
		{"RETIRED_BRANCH_INSTRUCTIONS", PERF_TYPE_RAW, 0xc2, "uk"},
		{.name = NULL},
	};

	(void)state;
	as_if_on("skl", assert_encodings, skylake);
	as_if_on("amd64_fam17h_zen2", assert_encodings, zen);
}

static void assert_tracepoints(const void *root)
{
	struct perf_event_attr attr = {0};
	struct err err;

	assert_int_equal(counter_names_encode(&attr, "pscal:an_event", root, &err), 0);
	assert_int_equal(attr.type, PERF_TYPE_TRACEPOINT);
	assert_int_equal(attr.config, 314);
	assert_int_equal(counter_names_encode(&attr, "pscal:no_event", root, &err), -1);
	assert_int_equal(counter_names_encode(&attr, "..:pscal", root, &err), -1);
	assert_int_equal(counter_names_encode(&attr, "pscal:an_event", NULL, &err), -1);
}

static void a_tracepoint_is_looked_up_in_tracefs(void **state)
{
	char root[] = "/tmp/pscal-tracefs-XXXXXX", command[256];

	(void)state;
	assert_non_null(mkdtemp(root));
	snprintf(command, sizeof(command),
		 "mkdir -p %s/events/pscal/an_event && echo 314 "
		 ">%s/events/pscal/an_event/id",
		 root, root);
	assert_int_equal(system(command), 0);
	as_if_on(NULL, assert_tracepoints, root);
	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

static void assert_sentences(const void *list)
{
	const struct mistake *cases = list;

	for (size_t i = 0; cases[i].name; i++) {
		struct perf_event_attr attr = {0};
		struct err err = {.text = ""};

		assert_int_not_equal(counter_names_encode(&attr, cases[i].name, NULL, &err), 0);
		if (!strstr(err.text, cases[i].sentence) || strchr(err.text, '\n'))
			fail_msg("'%s': %s", cases[i].name, err.text);
	}
}

static void a_fault_in_a_name_is_one_sentence(void **state)
{
	static const struct mistake here[] = {
		{"page-fault", "did you mean page-faults?"},
		{"cycels", "did you mean cycles?"},
		{"no-such-event", "neither libpfm4 nor the kernel knows this event"},
		{"", "neither libpfm4 nor the kernel knows this event"},
		{"cycles:x", "after the colon may come u, k and h"},
		{"cycles:", "after the colon may come u, k and h"},
		{"r", "neither libpfm4 nor the kernel knows this event"},
		{"knc::INSTRUCTIONS_EXECUTED", "PMU knc, which this machine does not have"},
		{"VPU_DATA_READ", "PMU knc, which this machine does not have"},
		{.name = NULL},
	};
	static const struct mistake skylake[] = {
		{"UOPS_ISUED", "did you mean skl::UOPS_ISSUED"},
		{"UOPS_ISSUED:FOO", "after UOPS_ISSUED may come: ANY, ALL, "},
		{"skl::UOPS_ISSUED:u=7", "after skl::UOPS_ISSUED may come: ANY, "},
		{"core::UOPS_RETIRED", "PMU core, which this machine does not have"},
		{.name = NULL},
	};

	(void)state;
	as_if_on(NULL, assert_sentences, here);
	as_if_on("skl", assert_sentences, skylake);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(names_of_perf_are_known_on_every_machine),
	cmocka_unit_test(raw_codes_and_caches_are_known_on_every_machine),
	cmocka_unit_test(events_of_a_missing_pmu_are_encoded_if_it_is_forced),
	cmocka_unit_test(a_tracepoint_is_looked_up_in_tracefs),
	cmocka_unit_test(a_fault_in_a_name_is_one_sentence),
};

TEST_FILE(tests);
