/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recordings on other numbers of cores, which a forecast is held against: --against. */
#ifndef PSCAL_CMD_FORECAST_AGAINST_READ_H
#define PSCAL_CMD_FORECAST_AGAINST_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct against_recording;
struct err;
struct forecast;
struct trace_options;

struct against_list {
	const char **paths; /* as typed; ends in NULL, or NULL: there are none */
	struct against_recording *items;
	size_t count;
};

/*
 * Reads them all, the same threads as of the first recording. Returns 0, or -1 with a sentence. The
 * caller releases in any case.
 */
int against_list_read(struct against_list *list, struct trace_options *trace, bool spin_waits,
		      struct err *err);
void against_list_release(struct against_list *list);

/* The cores of one of them. */
uint64_t against_list_cores(const struct against_list *list, size_t which);

/*
 * Splits the error of `forecast`, of the recording at `path`, against each of them, and prints that.
 * Returns 0, or -1 with a sentence.
 */
int against_list_print(const struct against_list *list, struct trace_options *trace,
		       const char *path, const struct forecast *forecast, struct err *err);

#endif
