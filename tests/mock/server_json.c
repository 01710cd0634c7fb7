/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the model of a mock server as its author would, without the cost of calls and switches. */
#include "mock/server.h"

#include <stdio.h>

static void write_time(FILE *file, const struct server_time *time)
{
	switch (time->shape) {
	case SERVER_FIXED:
		fprintf(file, "{\"fixed\": %.9g}", time->mean_s);
		break;
	case SERVER_EXPONENTIAL:
		fprintf(file, "{\"exponential\": %.9g}", time->mean_s);
		break;
	case SERVER_ERLANG:
		fprintf(file, "{\"erlang\": [4, %.9g]}", time->mean_s);
		break;
	case SERVER_HYPER:
		fprintf(file, "{\"hyper\": [%.9g, 4]}", time->mean_s);
		break;
	default:
		fprintf(file, "{\"lognormal\": [%.9g, 1]}", time->mean_s);
	}
}

static void write_source(FILE *file, const struct server *server)
{
	const struct server_time gap = {server->gaps, 1 / server->rate_per_s};

	if (server->clients) {
		fprintf(file,
			"{\"name\": \"client\", \"kind\": \"closed\", \"clients\": %u, "
			"\"think\": ",
			server->clients);
		write_time(file, &server->think);
	} else {
		fprintf(file,
			"{\"name\": \"source\", \"kind\": \"open\", \"rate\": %.9g, "
			"\"gaps\": ",
			server->rate_per_s);
		write_time(file, &gap);
	}
	fputs(", \"to\": \"Q0\"}", file);
}

/* A request that finds the cache skips the wait for the disk. */
static void write_next(FILE *file, const struct server_pool *pool, size_t next)
{
	double hits = pool->steps[next].act == SERVER_DISK ? pool->steps[next].object / 1e3 : 0;

	fprintf(file, ", \"next\": [[%zu, %.9g]", next, 1 - hits);
	if (hits > 0 && next + 1 < pool->step_count)
		fprintf(file, ", [%zu, %.9g]", next + 1, hits);
	else if (hits > 0)
		fprintf(file, ", [\"end\", %.9g]", hits);
	fputs("]", file);
}

static void write_node(FILE *file, const struct server_pool *pool, size_t number)
{
	static const char *const kinds[SERVER_ACTS] = {"cpu",	  "wait", "acquire",
						       "release", "put",  "wait"};
	const struct server_step *step = &pool->steps[number];

	fprintf(file, "{\"kind\": \"%s\"", kinds[step->act]);
	if (step->act <= SERVER_NAP || step->act == SERVER_DISK) {
		fputs(", \"time\": ", file);
		write_time(file, &step->time);
		fputs(step->act == SERVER_DISK ? ", \"station\": \"disk\"" : "", file);
	} else {
		fprintf(file, ", \"station\": \"%c%u\"", step->act == SERVER_HAND ? 'Q' : 'L',
			step->object);
	}
	if (number + 1 < pool->step_count)
		write_next(file, pool, number + 1);
	fputs("}", file);
}

static void write_pool(FILE *file, const struct server *server, size_t number)
{
	const struct server_pool *pool = &server->pools[number];

	fprintf(file,
		"%s\n  {\"name\": \"%s\", \"threads\": %u, \"takes\": \"Q%zu\", "
		"\"cpu_growth\": %.9g, \"graph\": [",
		number ? "," : "", server_pool_name(number), pool->threads, number, server->growth);
	for (size_t i = 0; i < pool->step_count; i++) {
		fputs(i ? ",\n   " : "", file);
		write_node(file, pool, i);
	}
	fputs("]}", file);
}

void server_write_model(FILE *file, const struct server *server)
{
	fprintf(file, "{\"schema\": 1, \"machine\": {\"cores\": %u},\n \"arrivals\": [",
		server->cores);
	write_source(file, server);
	fputs("],\n \"stations\": [", file);
	for (size_t i = 0; i < server->pool_count; i++)
		fprintf(file, "{\"name\": \"Q%zu\", \"kind\": \"queue\"}, ", i);
	for (size_t i = 0; i < SERVER_LOCKS_MAX; i++)
		fprintf(file, "%s{\"name\": \"L%zu\", \"kind\": \"lock\"}", i ? ", " : "", i);
	if (server->disk_servers)
		fprintf(file, ", {\"name\": \"disk\", \"kind\": \"disk\", \"servers\": %u%s}",
			server->disk_servers,
			server->group_commit ? ", \"group_commit\": true" : "");
	fputs("],\n \"pools\": [", file);
	for (size_t i = 0; i < server->pool_count; i++)
		write_pool(file, server, i);
	fputs("]}\n", file);
}
