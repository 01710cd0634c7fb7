/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/model/model_load.h"

#include "base/err.h"
#include "cmd/options/trace.h"
#include "decode/trace_input.h"
#include "model/file/model_file.h"
#include "model/forecast/model_forecast.h"
#include "replay/program/program_read.h"
#include "stats/spin/symbol_finder.h"
#include "stats/spin/thread_names.h"
#include <math.h>
#include <string.h>

static int from_program(struct model_loaded *loaded, struct program *program,
			const struct event_source *source, struct err *err)
{
	struct chain_names *names = source->chains.count || source->samples.map_count
					    ? chain_names_new(&source->chains, &source->samples)
					    : NULL;
	int rc = model_extract(&loaded->model, &loaded->findings, program, names, err);

	chain_names_free(names);
	if (!rc && !loaded->findings.reason)
		return 0;
	if (loaded->findings.reason)
		err_set_sentence(err, loaded->findings.reason);
	model_findings_release(&loaded->findings);
	model_release(&loaded->model);
	return -1;
}

static int from_recording(struct model_loaded *loaded, struct trace_options *trace,
			  struct input *input, struct err *err)
{
	struct event_source *source = trace_input_read(input, err);
	struct program program;
	int rc;

	if (!source)
		return -1;
	source->chains.wanted = true;
	rc = program_read_with_gaps(&program, source, &trace->selection, err);
	progress_end(&trace->progress);
	if (!rc) {
		thread_names_complete(program.threads, program.thread_count,
				      THREAD_NAME_PLACE(struct program_thread), source);
		rc = from_program(loaded, &program, source, err);
		program_release(&program);
	}
	event_source_free(source);
	loaded->is_extracted = !rc;
	return rc;
}

static int from_file(struct model_loaded *loaded, struct trace_options *trace, struct input *input,
		     struct err *err)
{
	int rc = model_read_input(&loaded->model, input, err);

	input_close(input);
	progress_end(&trace->progress);
	return rc;
}

int model_load(struct model_loaded *loaded, struct trace_options *trace, struct input *input,
	       bool wants_result, struct err *err)
{
	bool is_file = model_input_is(input), unchecked;
	int rc;

	memset(loaded, 0, sizeof(*loaded));
	rc = is_file ? from_file(loaded, trace, input, err)
		     : from_recording(loaded, trace, input, err);
	if (rc)
		return -1;
	unchecked = loaded->model.has_check && isnan(loaded->model.check.throughput_per_s.model);
	if ((wants_result || unchecked) && model_self_check(&loaded->result, &loaded->model, err)) {
		loaded->result = (struct model_result){0};
		model_loaded_release(loaded);
		return -1;
	}
	return 0;
}

void model_loaded_release(struct model_loaded *loaded)
{
	model_result_release(&loaded->result);
	if (loaded->is_extracted)
		model_findings_release(&loaded->findings);
	model_release(&loaded->model);
}
