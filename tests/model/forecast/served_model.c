/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/forecast/served_model.h"

#include "base/err.h"
#include "model/file/model_file.h"
#include "model/forecast/model_forecast.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct model model_of(const char *source, unsigned threads, double service_s)
{
	struct err err = {.text = ""};
	struct model model;
	char text[1024];

	snprintf(text, sizeof(text),
		 "{\"schema\": 1, \"arrivals\": [{\"name\": \"main\", \"to\": \"A\", %s}],"
		 "\"stations\": [{\"name\": \"A\", \"kind\": \"queue\"}],"
		 "\"pools\": [{\"name\": \"worker\", \"threads\": %u, \"takes\": \"A\","
		 "\"graph\": [{\"kind\": \"wait\", \"time\": {\"exponential\": %g}}]}]}",
		 source, threads, service_s);
	if (model_read_text(&model, text, strlen(text), &err))
		fail_msg("%s", err.text);
	return model;
}

struct model served_open(unsigned threads, double rate, double service_s)
{
	char source[128];

	snprintf(source, sizeof(source), "\"kind\": \"open\", \"rate\": %g", rate);
	return model_of(source, threads, service_s);
}

struct model served_closed(unsigned threads, unsigned clients, double think_s, double service_s)
{
	char source[128];

	snprintf(source, sizeof(source),
		 "\"kind\": \"closed\", \"clients\": %u, \"think\": {\"exponential\": %g}", clients,
		 think_s);
	return model_of(source, threads, service_s);
}

struct model served_batch(unsigned threads, unsigned items, double service_s)
{
	char source[128];

	snprintf(source, sizeof(source), "\"kind\": \"batch\", \"items\": %u", items);
	return model_of(source, threads, service_s);
}

void served_check(struct model *model, double rate, double mean_s, double p95_s)
{
	struct model_result result;
	struct err err = {.text = ""};

	model->has_check = true;
	model->check = (struct model_check){
		.throughput_per_s = {rate, NAN},
		.response_s = {mean_s, NAN},
		.response_p95_s = {p95_s, NAN},
		.busy_cores = {NAN, NAN},
		.wall_s = {NAN, NAN},
	};
	if (model_self_check(&result, model, &err))
		fail_msg("%s", err.text);
	model_result_release(&result);
}

/* --- M/M/c ----------------------------------------------------------------------------------- */

/* The probability that an arrival has to wait [Erlang C]. */
static double waits_share(unsigned threads, double load)
{
	double sum = 0, term = 1;

	for (unsigned i = 0; i < threads; i++) {
		sum += term;
		term *= load / (i + 1);
	}
	term *= threads / (threads - load);
	return term / (sum + term);
}

double served_mean_s(unsigned threads, double lambda, double mu)
{
	if (lambda >= threads * mu)
		return INFINITY;
	return 1 / mu + waits_share(threads, lambda / mu) / (threads * mu - lambda);
}

/* The share of response times longer than `time_s`. */
static double longer_share(unsigned threads, double lambda, double mu, double time_s)
{
	double waits = waits_share(threads, lambda / mu);
	double drain = (threads * mu - lambda) * (1 + 1e-6); /* at `mu` the form differs */
	double served = exp(-mu * time_s);

	return (1 - waits) * served +
	       waits * (drain * served - mu * exp(-drain * time_s)) / (drain - mu);
}

double served_p95_s(unsigned threads, double lambda, double mu)
{
	double low = 0, high = 1000 * served_mean_s(threads, lambda, mu);

	if (isinf(high))
		return INFINITY;
	for (int i = 0; i < 100; i++) {
		double middle = (low + high) / 2;

		*(longer_share(threads, lambda, mu, middle) > .05 ? &low : &high) = middle;
	}
	return low;
}
