/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/record/record_clean.h"

#include "base/alloc.h"
#include "base/err.h"
#include "cmd/options/cmd.h"
#include "cmd/record/record_summary.h"
#include "collect/kernel/run_left.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Only root can list it. */
#define OF_ROOT "/run/pscal"

static void print(const struct run_left *left)
{
	for (size_t i = 0; i < left->cleared_count; i++)
		printf("cleared %s\n", left->cleared[i]);
	if (!left->cleared_count && !left->kept_count)
		puts("nothing was left");
	if (geteuid() != 0 && access(OF_ROOT, F_OK) == 0)
		puts("only root can clear the remains of root's recordings");
}

int record_clean(int quiet, struct err *err)
{
	struct run_left left = {.cleared_count = 0};
	int status = STATUS_DONE;

	run_left_clear(&left);
	if (!quiet)
		print(&left);
	if (left.kept_count) {
		err_set(err, "%zu recording%s could not be cleared: %s", left.kept_count,
			left.kept_count == 1 ? "" : "s", left.kept[0]);
		status = STATUS_FAILED;
	}
	run_left_release(&left);
	return status;
}

static void say(const char *what, const char *line)
{
	char *sentence = xasprintf("%s%s", what, line);

	record_summary_say(sentence);
	free(sentence);
}

void record_clean_before(int quiet, int verbose)
{
	struct run_left left = {.cleared_count = 0};
	char number[64];

	run_left_clear(&left);
	for (size_t i = 0; verbose && i < left.kept_count; i++)
		say("not cleared: ", left.kept[i]);
	if (!quiet && left.cleared_count > 1 && !verbose) {
		snprintf(number, sizeof(number), "%zu recordings that were killed have left",
			 left.cleared_count);
		say("cleared what ", number);
	} else if (!quiet) {
		for (size_t i = 0; i < left.cleared_count; i++)
			say("cleared ", left.cleared[i]);
	}
	run_left_release(&left);
}
