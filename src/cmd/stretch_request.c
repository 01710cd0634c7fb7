/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/stretch_request.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/parse.h"
#include "cmd/options/fit_claims.h"
#include "cmd/options/options.h"
#include "report/stretch/stretch_view.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Of text, which somebody reads; and so many parts are drawn apart on no screen. */
static const double TEXT_MIN_SHARE = 0.01;
enum { TEXT_LIMIT = 20, INTERVALS_MAX = 10000 };

static int read_by(struct stretch_request *request, struct err *err)
{
	for (enum stretch_by by = 0; by < STRETCH_BYS; by++)
		if (!request->by || strcmp(request->by, stretch_by_name(by)) == 0) {
			request->options.by = by;
			return 0;
		}
	return err_set(err,
		       "--by %s: there are function, line and path, and of recordings of tasks "
		       "block, task, level and subtree",
		       request->by);
}

static int read_count(size_t *count, const char *option, const char *text, uint64_t most,
		      struct err *err)
{
	uint64_t value;

	if (!text)
		return 0;
	if (parse_u64(&value, text, most) || !value)
		return err_set(err, "%s %s: is not a number from 1 to %llu", option, text,
			       (unsigned long long)most);
	*count = value;
	return 0;
}

static int read_numbers(struct stretch_request *request, bool text, struct err *err)
{
	size_t cores = 0;
	uint64_t level = 1;

	request->min_share = text ? TEXT_MIN_SHARE : 0;
	request->limit = text ? TEXT_LIMIT : SIZE_MAX;
	if (request->min_share_text &&
	    (fit_share_parse(&request->min_share, request->min_share_text) ||
	     !(request->min_share >= 0)))
		return err_set(err, "--min-share %s: is not a share, like 0.02 or 2%%",
			       request->min_share_text);
	if (request->level && parse_u64(&level, request->level, STRETCH_LEVEL_MAX))
		return err_set(err, "--level %s: is not a number from 0 to %d", request->level,
			       STRETCH_LEVEL_MAX);
	if (request->during && strcmp(request->during, "tasks") != 0)
		return err_set(err,
			       "--during %s: there is tasks, from their first step to the last",
			       request->during);
	if (request->level && request->options.by != STRETCH_BY_SUBTREE)
		return err_set(err, "--level: says which subtrees are meant by --by subtree");
	if (read_count(&request->limit, "--limit", request->limit_text, UINT32_MAX, err) ||
	    read_count(&cores, "--cores", request->cores, UINT32_MAX, err) ||
	    read_count(&request->intervals, "--intervals", request->intervals_text, INTERVALS_MAX,
		       err))
		return -1;
	request->options.cores = (double)cores;
	request->options.level = (uint32_t)level;
	request->options.timed = request->intervals > 0;
	request->options.root = request->root;
	request->options.target.comm = request->comm;
	request->options.during_tasks = request->during != NULL;
	return 0;
}

/* --- Which recordings ---------------------------------------------------------------------- */

static bool is_same(const char *path, const char *other)
{
	struct stat one, two;

	if (strcmp(path, other) == 0)
		return true;
	return stat(path, &one) == 0 && stat(other, &two) == 0 && S_ISREG(one.st_mode) &&
	       one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

static int check_paths(const struct stretch_request *request, struct err *err)
{
	for (size_t i = 0; i < request->path_count; i++)
		for (size_t j = 0; j < i; j++)
			if (is_same(request->paths[i], request->paths[j]))
				return err_set(err,
					       "%s and %s are the same file: give recordings of "
					       "different runs",
					       request->paths[j], request->paths[i]);
	return 0;
}

static int read_paths(struct stretch_request *request, const struct options *common,
		      struct err *err)
{
	size_t count = 0;

	while (request->bases && request->bases[count])
		count++;
	if (common->arg_count < 2)
		return err_set(err, "give a recording of a serial run and one or more of parallel "
				    "runs: pscal stretch serial.data parallel.data");
	request->paths = xcalloc(count + common->arg_count, sizeof(*request->paths));
	request->paths[request->path_count++] = common->args[0];
	for (size_t i = 0; i < count; i++)
		request->paths[request->path_count++] = request->bases[i];
	request->base_count = request->path_count;
	for (size_t i = 1; i < common->arg_count; i++)
		request->paths[request->path_count++] = common->args[i];
	return check_paths(request, err);
}

int stretch_request_read(struct stretch_request *request, const struct options *common,
			 struct err *err)
{
	if (read_by(request, err) || read_numbers(request, common->format == REPORT_TEXT, err))
		return -1;
	if (request->intervals && common->format == REPORT_CSV)
		return err_set(err, "--intervals: CSV has room for the blocks only; take --format "
				    "json");
	if (request->show && !stretch_by_tasks(request->options.by))
		return err_set(err, "--show: what is counted in blocks is known of those of tasks; "
				    "take --by block, task, level or subtree");
	return read_paths(request, common, err);
}

void stretch_request_release(struct stretch_request *request)
{
	char *texts[] = {request->by,	 request->min_share_text, request->limit_text,
			 request->cores, request->intervals_text, request->root,
			 request->level, request->comm,		  request->during,
			 request->show};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		free(texts[i]);
	for (size_t i = 0; request->bases && request->bases[i]; i++)
		free(request->bases[i]);
	free(request->bases);
	free(request->paths);
}
