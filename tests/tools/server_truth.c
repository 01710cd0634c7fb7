/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * server_truth --seed S --trace | --rows | --describe | --model
 * server_truth --pool "THREADS: STEP, STEP..." [--pool ...] [--rate R | --clients N --think TIME]
 *              [--cores K] [--slice MS] [--costs US] [--growth G] [--disk SERVERS [--group-commit]]
 *              --trace | --truth | --model
 *
 * Prints the events that perf would have recorded of a simulated server (mock/server.h), or its
 * true throughput and response times, as CSV. A seed draws a server, and its rows: configurations
 * of it to forecast. The model is that of its author. A STEP is "cpu TIME", "nap TIME", "lock N",
 * "unlock N", "disk TIME" or "hand POOL", and a TIME is a shape and a mean in ms: "fixed 1", "exp
 * 4", "erlang 4", "hyper 4", "lognormal 4".
 *
 *	--requests N	number of requests: recorded (4000), or answered in a simulation (400000)
 *	--drawn		in a recording: times are random, not the quantiles of their distribution
 *	--no-calls, --end exit|stop|cut, --attach S	parts of the run that are recorded
 *	--run-seed N	seed of the random times of the run
 */
#include "mock/server.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void refuse(const char *what, const char *text)
{
	fprintf(stderr, "server_truth: %s: is no %s\n", text, what);
	exit(2);
}

static double number_of(const char *text)
{
	char *end;
	double number = strtod(text, &end);

	if (end == text || number < 0)
		refuse("number", text);
	return number;
}

/* --- A server by hand ------------------------------------------------------------------------ */

static struct server_time time_of(const char *text)
{
	static const char *const names[SERVER_SHAPES] = {"fixed", "exp", "erlang", "hyper",
							 "lognormal"};
	char word[16] = "";
	double mean_ms;

	if (sscanf(text, "%15s %lf", word, &mean_ms) == 2)
		for (int i = 0; i < SERVER_SHAPES; i++)
			if (strcmp(word, names[i]) == 0)
				return (struct server_time){(enum server_shape)i, mean_ms / 1e3};
	refuse("time, as \"exp 4\"", text);
	return (struct server_time){SERVER_FIXED, 0};
}

static struct server_step step_of(const char *text)
{
	static const char *const names[SERVER_ACTS] = {"cpu",	 "nap",	 "lock",
						       "unlock", "hand", "disk"};
	struct server_step step = {SERVER_CPU, 0, {SERVER_FIXED, 0}};
	char word[16] = "";
	int length = 0;

	sscanf(text, " %15s%n", word, &length);
	while (step.act < SERVER_ACTS && strcmp(word, names[step.act]) != 0)
		step.act++;
	if (step.act == SERVER_ACTS)
		refuse("step", text);
	if (step.act == SERVER_CPU || step.act == SERVER_NAP || step.act == SERVER_DISK)
		step.time = time_of(text + length);
	else
		step.object = (unsigned)number_of(text + length);
	if (step.object >= SERVER_LOCKS_MAX)
		refuse("object", text);
	return step;
}

static void add_pool(struct server *server, char *text)
{
	struct server_pool *pool = &server->pools[server->pool_count++];
	char *steps = strchr(text, ':');

	if (server->pool_count > SERVER_POOLS_MAX || !steps)
		refuse("pool", text);
	pool->threads = (unsigned)number_of(text);
	for (char *at = strtok(steps + 1, ","); at; at = strtok(NULL, ",")) {
		if (pool->step_count == SERVER_STEPS_MAX)
			refuse("pool", text);
		pool->steps[pool->step_count++] = step_of(at);
	}
}

/* --- Output ---------------------------------------------------------------------------------- */

static void print_head(void)
{
	puts("threads,rate_per_s,clients,think_s,cores,utilisation,throughput_per_s,response_s,"
	     "response_se_s,response_p95_s,busy_cores,pool_busy,lock_busy");
}

static void print_row(const struct server *server, unsigned pool, double utilisation,
		      const struct server_run *run)
{
	struct server_truth truth;

	if (server_run(&truth, server, run)) {
		fprintf(stderr, "server_truth: the server is stuck\n");
		exit(1);
	}
	printf("%u,%.6f,%u,%.9f,%u,%.3f,%.6f,%.9f,%.9f,%.9f,%.4f,%.4f,%.4f\n",
	       server->pools[pool].threads, server->clients ? 0 : server->rate_per_s,
	       server->clients, server->clients ? server->think.mean_s : 0, server->cores,
	       utilisation, truth.throughput_per_s, truth.response_s, truth.response_se,
	       truth.response_p95_s, truth.busy_cores, truth.pool_busy[pool], truth.lock_busy[0]);
}

static void print_rows(const struct server_case *drawn, struct server_run *run)
{
	print_head();
	for (size_t i = 0; i < drawn->asked_count; i++)
		print_row(&drawn->asked[i], drawn->pool, drawn->utilisation[i], run);
}

static void describe_time(const struct server_time *time)
{
	static const char *const names[SERVER_SHAPES] = {"fixed", "exp", "erlang", "hyper",
							 "lognormal"};

	printf(" %s %.6g", names[time->shape], time->mean_s * 1e3);
}

static void describe(const struct server *server)
{
	static const char *const acts[SERVER_ACTS] = {"cpu",	"nap",	"lock",
						      "unlock", "hand", "disk"};

	for (size_t i = 0; i < server->pool_count; i++) {
		const struct server_pool *pool = &server->pools[i];

		printf("%s %u:", server_pool_name(i), pool->threads);
		for (size_t k = 0; k < pool->step_count; k++) {
			printf("%s %s", k ? "," : "", acts[pool->steps[k].act]);
			if (pool->steps[k].act <= SERVER_NAP || pool->steps[k].act == SERVER_DISK)
				describe_time(&pool->steps[k].time);
			if (pool->steps[k].act == SERVER_DISK)
				printf(" but for %u in 1000", pool->steps[k].object);
			else if (pool->steps[k].act > SERVER_NAP)
				printf(" %u", pool->steps[k].object);
		}
		putchar('\n');
	}
	if (server->clients) {
		printf("clients %u, think", server->clients);
		describe_time(&server->think);
	} else {
		printf("rate %.3f, gaps of shape %d", server->rate_per_s, server->gaps);
	}
	printf("\ncores %u\ndisk servers %u\n", server->cores, server->disk_servers);
}

/* --- The command line ------------------------------------------------------------------------ */

enum action { PRINT_TRACE, PRINT_ROWS, PRINT_TRUTH, PRINT_MODEL, PRINT_DESCRIPTION };

struct request {
	enum action action;
	struct server_case drawn;
	struct server_run run;
	bool by_times;
};

static void take_ending(struct request *request, const char *text)
{
	static const char *const names[] = {"exit", "stop", "cut"};

	for (int i = SERVER_EXITS; i <= SERVER_CUT; i++)
		if (strcmp(text, names[i]) == 0) {
			request->run.ending = (enum server_ending)i;
			return;
		}
	refuse("end", text);
}

static void take_server_option(struct request *request, int option, char *text)
{
	struct server *server = &request->drawn.recorded;

	switch (option) {
	case 'p':
		add_pool(server, text);
		break;
	case 'r':
		server->rate_per_s = number_of(text);
		break;
	case 'g':
		server->gaps = time_of(text).shape;
		break;
	case 'c':
		server->clients = (unsigned)number_of(text);
		break;
	case 't':
		server->think = time_of(text);
		break;
	case 'k':
		server->cores = (unsigned)number_of(text);
		break;
	case 'q':
		server->slice_s = number_of(text) / 1e3;
		break;
	case 'i':
		server->disk_servers = (unsigned)number_of(text);
		break;
	case 'G':
		server->group_commit = true;
		break;
	case 'w':
		server->growth = number_of(text);
		break;
	case 'u':
		server->call_s = server->wake_s = server->switch_s = number_of(text) / 1e6;
		break;
	default:
		exit(2);
	}
}

static void take_option(struct request *request, int option, char *text)
{
	switch (option) {
	case 'S':
		server_draw_case(&request->drawn, strtoull(text, NULL, 10));
		break;
	case 'n':
		request->run.requests = (uint64_t)number_of(text);
		break;
	case 'd':
		request->by_times = true;
		break;
	case 'N':
		request->run.no_calls = true;
		break;
	case 'e':
		take_ending(request, text);
		break;
	case 'a':
		request->run.attached_s = number_of(text);
		break;
	case 'l':
		request->run.seed = strtoull(text, NULL, 10);
		break;
	case 'T':
		request->action = PRINT_TRACE;
		break;
	case 'R':
		request->action = PRINT_ROWS;
		break;
	case 'U':
		request->action = PRINT_TRUTH;
		break;
	case 'D':
		request->action = PRINT_DESCRIPTION;
		break;
	case 'M':
		request->action = PRINT_MODEL;
		break;
	default:
		take_server_option(request, option, text);
	}
}

static void print_all(struct request *request)
{
	struct server_run *run = &request->run;
	struct server_truth truth;

	if (!run->requests)
		run->requests = request->action == PRINT_TRACE ? 4000 : 400000;
	switch (request->action) {
	case PRINT_TRACE:
		run->trace = stdout;
		run->exact = !request->by_times;
		server_run(&truth, &request->drawn.recorded, run);
		break;
	case PRINT_ROWS:
		print_rows(&request->drawn, run);
		break;
	case PRINT_TRUTH:
		print_head();
		print_row(&request->drawn.recorded, request->drawn.pool, 0, run);
		break;
	case PRINT_MODEL:
		server_write_model(stdout, &request->drawn.recorded);
		break;
	default:
		describe(&request->drawn.recorded);
	}
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"seed", 1, NULL, 'S'},	    {"pool", 1, NULL, 'p'},
		{"rate", 1, NULL, 'r'},	    {"gaps", 1, NULL, 'g'},
		{"clients", 1, NULL, 'c'},  {"think", 1, NULL, 't'},
		{"cores", 1, NULL, 'k'},    {"slice", 1, NULL, 'q'},
		{"costs", 1, NULL, 'u'},    {"growth", 1, NULL, 'w'},
		{"disk", 1, NULL, 'i'},	    {"group-commit", 0, NULL, 'G'},
		{"requests", 1, NULL, 'n'}, {"drawn", 0, NULL, 'd'},
		{"no-calls", 0, NULL, 'N'}, {"end", 1, NULL, 'e'},
		{"attach", 1, NULL, 'a'},   {"run-seed", 1, NULL, 'l'},
		{"trace", 0, NULL, 'T'},    {"rows", 0, NULL, 'R'},
		{"truth", 0, NULL, 'U'},    {"describe", 0, NULL, 'D'},
		{"model", 0, NULL, 'M'},    {NULL, 0, NULL, 0},
	};
	static struct request request = {
		.action = PRINT_DESCRIPTION,
		.drawn.recorded = {.rate_per_s = 600,
				   .gaps = SERVER_EXPONENTIAL,
				   .cores = 2,
				   .slice_s = 3e-3,
				   .call_s = 500e-9,
				   .wake_s = 500e-9,
				   .switch_s = 1e-6},
		.run = {.seed = 1},
	};
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
		take_option(&request, option, optarg);
	if (!request.drawn.recorded.pool_count) {
		fprintf(stderr, "server_truth: which server? --seed or --pool says it\n");
		return 2;
	}
	print_all(&request);
	return 0;
}
