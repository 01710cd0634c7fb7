/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recordings of --against: runs on other numbers of cores, to compare a forecast with. */
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
	const char **paths; /* as given on the command line, ending in NULL; NULL: none */
	struct against_recording *items;
	size_t count;
};

/*
 * Reads all recordings, with the selection of the first one. Returns 0, or -1 with an error. The
 * caller releases in either case.
 */
int against_list_read(struct against_list *list, struct trace_options *trace, bool spin_waits,
		      struct err *err);
void against_list_release(struct against_list *list);

/* Returns the number of cores of recording `which`. */
uint64_t against_list_cores(const struct against_list *list, size_t which);

/*
 * Compares `forecast`, of the recording at `path`, with each recording, splits its error, and
 * prints the result. Returns 0, or -1 with an error.
 */
int against_list_print(const struct against_list *list, struct trace_options *trace,
		       const char *path, const struct forecast *forecast, struct err *err);

#endif
