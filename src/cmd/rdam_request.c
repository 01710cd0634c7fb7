/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/rdam_request.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/parse.h"
#include "cmd/options/fit_claims.h"

#include <stdlib.h>
#include <string.h>

/* Of text, which somebody reads. */
static const double TEXT_THRESHOLD = 0.2;
enum { TEXT_LIMIT = 20 };

/* FUNC:arg1. Names of C++ have colons, those of arguments have none. The text is cut there. */
static int read_key(struct rdam_key *key, char *text, struct err *err)
{
	char *colon = strrchr(text, ':');

	if (!colon || colon == text || !colon[1] || colon[-1] == ':')
		return err_set(err, "--key %s: give BLOCK:ARGUMENT, as in list_search:arg1", text);
	*colon = '\0';
	*key = (struct rdam_key){text, colon + 1};
	return 0;
}

static int read_keys(struct rdam_request *request, struct err *err)
{
	size_t count = 0;

	while (request->keys && request->keys[count])
		count++;
	request->key_list = xcalloc(count, sizeof(*request->key_list));
	for (size_t i = 0; i < count; i++)
		if (read_key(&request->key_list[i], request->keys[i], err))
			return -1;
	request->options.keys = request->key_list;
	request->options.key_count = count;
	return 0;
}

static int read_min(struct rdam_request *request, struct err *err)
{
	if (!request->min || strcmp(request->min, "thread") == 0)
		request->options.min = RDAM_MIN_THREAD;
	else if (strcmp(request->min, "pooled") == 0)
		request->options.min = RDAM_MIN_POOLED;
	else
		return err_set(err, "--min %s: there are thread and pooled", request->min);
	return 0;
}

static int read_order(struct rdam_request *request, struct err *err)
{
	char *names = xstrdup("");

	for (enum rdam_order order = 0; order < RDAM_ORDERS; order++) {
		const char *name = rdam_order_name(order);
		char *longer;

		if (!request->sort || strcmp(request->sort, name) == 0) {
			request->order = order;
			free(names);
			return 0;
		}
		longer = xasprintf("%s%s%s", names, order ? ", " : "", name);
		free(names);
		names = longer;
	}
	err_set(err, "--sort %s: there are %s", request->sort, names);
	free(names);
	return -1;
}

static int read_share(double *share, const char *option, const char *text, struct err *err)
{
	if (fit_share_parse(share, text) || !(*share >= 0))
		return err_set(err, "%s %s: is not a share, like 0.2 or 20%%", option, text);
	return 0;
}

static int read_count(size_t *count, const char *option, const char *text, uint64_t least,
		      struct err *err)
{
	uint64_t value;

	if (parse_u64(&value, text, UINT32_MAX) || value < least)
		return err_set(err, "%s %s: is not a number from %llu on", option, text,
			       (unsigned long long)least);
	*count = value;
	return 0;
}

static int read_numbers(struct rdam_request *request, struct err *err)
{
	bool text = request->trace.common->format == REPORT_TEXT;

	request->threshold = text ? TEXT_THRESHOLD : 0;
	request->limit = text ? TEXT_LIMIT : SIZE_MAX;
	request->options.least = 2;
	request->has_gate = request->gate_text;
	if (request->threshold_text &&
	    read_share(&request->threshold, "--threshold", request->threshold_text, err))
		return -1;
	if (request->gate_text && read_share(&request->gate, "--gate", request->gate_text, err))
		return -1;
	if (request->limit_text &&
	    read_count(&request->limit, "--limit", request->limit_text, 1, err))
		return -1;
	return request->least
		       ? read_count(&request->options.least, "--least", request->least, 2, err)
		       : 0;
}

int rdam_request_read(struct rdam_request *request, struct err *err)
{
	request->options.all_sequences = request->all;
	request->options.only = request->block;
	request->options.want_spread = request->plotting.path;
	if (read_min(request, err) || read_order(request, err) || read_numbers(request, err) ||
	    read_keys(request, err))
		return -1;
	return plotting_check(&request->plotting, request->trace.common, err);
}

void rdam_request_release(struct rdam_request *request)
{
	char *texts[] = {request->min,	    request->threshold_text, request->least,
			 request->sort,	    request->limit_text,     request->block,
			 request->gate_text};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		free(texts[i]);
	for (size_t i = 0; request->keys && request->keys[i]; i++)
		free(request->keys[i]);
	free(request->keys);
	free(request->key_list);
	plotting_release(&request->plotting);
}
