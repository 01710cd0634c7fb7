/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the command record says on standard error when it is done. */
#ifndef PSCAL_CMD_RECORD_RECORD_SUMMARY_H
#define PSCAL_CMD_RECORD_RECORD_SUMMARY_H

struct recorder_request;
struct recorder_result;

/* A line. */
void record_summary_say(const char *sentence);

/* How much was recorded of what was asked for, and what is missing in it. */
void record_summary_print(const struct recorder_result *result,
			  const struct recorder_request *request);

#endif
