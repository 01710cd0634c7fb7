/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models as JSON files that people can read and edit:
 *
 *	{"schema": 1, "made_from": "perf.data", "machine": {"cores": 2, "switch_s": 2e-6},
 *	 "arrivals": [{"name": "main", "kind": "open", "rate": 589.4, "gaps": "exponential",
 *	               "to": "A"}],
 *	 "stations": [{"name": "A", "kind": "queue"}, {"name": "B", "kind": "lock"},
 *	              {"name": "sda", "kind": "disk", "servers": 1,
 *	               "service": {"exponential": 0.004}}],
 *	 "pools": [{"name": "worker", "threads": 4, "takes": "A", "dispatch": "shared",
 *	            "scale": {"cpu": 1, "wait": 1},
 *	            "graph": [{"kind": "cpu", "time": {"exponential": 0.0003}, "where": "worker",
 *	                       "next": [[1, 1]]},
 *	                      {"kind": "acquire", "station": "B", "next": [[2, 1]]}, ...],
 *	            "visits": [[[0, 0.000201], [1], [2, 0.0001]], ...]}],
 *	 "check": {"throughput_per_s": {"recorded": 589.4, "model": 589.2}, ...}}
 *
 * "next" of a step is the number of a step, "end", or a list of [STEP, SHARE]; if left out, the
 * next step. Gaps may be a shape alone, "exponential" or "fixed", as "rate" gives their mean; "to"
 * may be a list of queues. A queue without "limit", or with null, has room for all tokens.
 *
 * A time is a number of seconds, or one of {"fixed": s}, {"exponential": mean}, {"erlang": [k,
 * mean]}, {"hyper": [mean, cv2]}, {"lognormal": [mean, cv2]}, {"quantiles": [65 numbers]}. An
 * unknown key is an error, so that a misspelt one is noticed. Stations and pools are named, nodes
 * are numbered from 0.
 */
#ifndef PSCAL_MODEL_FILE_MODEL_FILE_H
#define PSCAL_MODEL_FILE_MODEL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct err;
struct input;
struct model;

/* The largest model file. */
enum { MODEL_FILE_MAX = 16 << 20, MODEL_VALUES_MAX = 2000000 };

/*
 * Reads and validates a model. Returns 0, or -1 with an error that has the line or the place in the
 * file ("pools[0].graph[3].station: there is no station \"C\""). The caller releases `model` after
 * 0.
 */
int model_read_text(struct model *model, const char *text, size_t size, struct err *err);
int model_read_file(struct model *model, const char *path, struct err *err);

/* Reads an input from its beginning. The error also has the name of the input. */
int model_read_input(struct model *model, struct input *input, struct err *err);

/* Returns whether the input begins like JSON, for commands that take a recording or a model. */
bool model_input_is(struct input *input);

/* Writes the whole model; reading the file gives an equal model. Returns 0, or -1 with an error. */
int model_write(const struct model *model, FILE *stream, struct err *err);

#endif
