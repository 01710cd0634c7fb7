/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A model that a test has extracted. */
#ifndef PSCAL_TESTS_MODEL_EXTRACT_EXTRACTED_H
#define PSCAL_TESTS_MODEL_EXTRACT_EXTRACTED_H

#include "mock/server.h"
#include "model/extract/extract.h"
#include "model/file/model.h"

#include <string.h>

struct extracted {
	struct model model;
	struct model_findings findings;
	struct server_truth truth;
	const char *place; /* the name of all objects; NULL: unchanged */
};

enum { EXTRACTED_REQUESTS = 3000 };

struct program;
void read_trace(struct program *program, FILE *trace);

/* From the recording that perf would have made of a server; its threads have their names, or all
 * `comm`. */
void extract_server(struct extracted *extracted, const struct server *server,
		    struct server_run run);
void extract_server_named(struct extracted *extracted, const struct server *server,
			  struct server_run run, const char *comm);

static inline void extracted_release(struct extracted *extracted)
{
	model_release(&extracted->model);
	model_findings_release(&extracted->findings);
}

/* Mean time of a visit in nodes of that kind. */
static inline double mean_of(const struct model_pool *pool, enum model_node_kind kind)
{
	double sum = 0;

	for (size_t i = 0; i < pool->step_count; i++)
		if (pool->nodes[pool->steps[i].node].kind == kind)
			sum += (double)pool->steps[i].seconds;
	return sum / (double)pool->visit_count;
}

static inline bool has_doubt(const struct model_findings *findings, const char *words)
{
	for (size_t i = 0; i < findings->doubt_count; i++)
		if (strstr(findings->doubts[i], words))
			return true;
	return false;
}

static inline size_t count_stations(const struct model *model, enum model_station_kind kind)
{
	size_t count = 0;

	for (size_t i = 0; i < model->station_count; i++)
		count += model->stations[i].kind == kind;
	return count;
}

#endif
