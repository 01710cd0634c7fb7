/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/extract/extracted.h"

#include "base/alloc.h"
#include "base/err.h"
#include "decode/trace_input.h"
#include "replay/program/program_read.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void read_trace(struct program *program, FILE *trace)
{
	const struct selection all = {.pids = NULL};
	struct event_source *source;
	struct input *input;
	struct err err;
	char path[40];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(trace));
	input = trace_input_open(path, INPUT_OF_ANYONE, &err);
	source = input ? trace_input_read(input, &err) : NULL;
	*program = (struct program){0};
	if (!source || program_read_with_gaps(program, source, &all, &err))
		fail_msg("%s", err.text);
	event_source_free(source);
}

void extract_server_named(struct extracted *extracted, const struct server *server,
			  struct server_run run, const char *comm)
{
	struct program program;
	struct err err;

	run.trace = fdopen(memfd_create("trace", MFD_CLOEXEC), "w");
	run.seed = run.seed ? run.seed : 1;
	run.requests = EXTRACTED_REQUESTS;
	run.exact = true;
	assert_non_null(run.trace);
	assert_int_equal(server_run(&extracted->truth, server, &run), 0);
	fflush(run.trace);
	read_trace(&program, run.trace);
	fclose(run.trace);
	for (size_t i = 0; comm && i < program.thread_count; i++) {
		char bytes[COMM_SIZE] = "";

		memcpy(bytes, comm, strlen(comm));
		thread_name_release(&program.threads[i].name);
		thread_name_take(&program.threads[i].name, bytes);
	}
	for (size_t i = 0; extracted->place && i < program.site_count; i++)
		if (program.sites[i].address && !program.sites[i].name)
			program.sites[i].name = xstrdup(extracted->place);
	if (model_extract(&extracted->model, &extracted->findings, &program, NULL, &err))
		fail_msg("%s", err.text);
	program_release(&program);
}

void extract_server(struct extracted *extracted, const struct server *server, struct server_run run)
{
	extract_server_named(extracted, server, run, NULL);
}
