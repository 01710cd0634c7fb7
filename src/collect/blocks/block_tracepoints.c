/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/blocks/block_tracepoints.h"

#include "base/alloc.h"
#include "base/printable.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

/* The first number; the kernel's count up from 1, and are at most 65535. */
enum { FIRST_TYPE = 65024 };

static const char *const names_of_formats[BLOCK_TRACEPOINTS] = {"pscal:enter", "pscal:leave",
								"pscal:mark", "pscal:task"};

/* The names of enum pscal_step, from 1 on. */
static const char *const steps[] = {"begin", "end",    "spawn", "spawned", "sync_of",
				    "sync",  "synced", "pause", "resume",  "barrier"};

const char *block_tracepoint_name(size_t which)
{
	return names_of_formats[which];
}

uint16_t block_tracepoint_type(size_t which)
{
	return (uint16_t)(FIRST_TYPE + which);
}

/* Writes a name. Characters that would end the C text around it, or a line, become '?'. */
static void put_name(FILE *out, const char *name)
{
	char *text = printable_mend(xstrdup(name));

	for (const char *at = text; *at; at++)
		putc(*at == '"' || *at == '\\' ? '?' : *at, out);
	free(text);
}

/* Writes a field with its names; without names there can be no table of them. */
static void put_symbol(FILE *out, const char *field, char *const *names, size_t count)
{
	fprintf(out, count ? "__print_symbolic(REC->%s" : "REC->%s", field);
	for (size_t i = 0; i < count; i++) {
		fprintf(out, ", { %zu, \"", i);
		put_name(out, names[i]);
		fputs("\" }", out);
	}
	fputs(count ? "), " : ", ", out);
}

static void put_steps(FILE *out)
{
	fputs("__print_symbolic(REC->step", out);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		fprintf(out, ", { %zu, \"%s\" }", i + 1, steps[i]);
	fputs("), ", out);
}

/* Writes a name as a name of a field: letters, digits and underscores. */
static void put_field(FILE *out, const char *name)
{
	fputs(isdigit((unsigned char)*name) ? "_" : "", out);
	for (; *name; name++)
		putc(isalnum((unsigned char)*name) ? *name : '_', out);
}

static void put_counter_fields(FILE *out, const struct task_counter_names *counters)
{
	for (size_t i = 0; i < counters->count; i++) {
		fputs("\tfield:long ", out);
		put_field(out, counters->items[i]);
		fprintf(out, ";\toffset:%zu;\tsize:8;\tsigned:1;\n",
			STEP_PAYLOAD_COUNTED + i * sizeof(int64_t));
	}
}

static void put_task(FILE *out, char *const *names, size_t count,
		     const struct task_counter_names *counters)
{
	fprintf(out, "\tfield:unsigned int site;\toffset:8;\tsize:4;\tsigned:0;\n"
		     "\tfield:unsigned int step;\toffset:12;\tsize:4;\tsigned:0;\n"
		     "\tfield:unsigned long task;\toffset:16;\tsize:8;\tsigned:0;\n"
		     "\tfield:unsigned long value;\toffset:24;\tsize:8;\tsigned:0;\n"
		     "\tfield:unsigned int index;\toffset:32;\tsize:4;\tsigned:0;\n");
	put_counter_fields(out, counters);
	fprintf(out, "\nprint fmt: \"site=%%%c step=%%s task=%%lu value=%%lu index=%%u",
		count ? 's' : 'u');
	for (size_t i = 0; i < counters->count; i++) {
		putc(' ', out);
		put_name(out, counters->items[i]);
		fputs("=%ld", out);
	}
	fputs("\", ", out);
	put_symbol(out, "site", names, count);
	put_steps(out);
	fputs("REC->task, REC->value, REC->index", out);
	for (size_t i = 0; i < counters->count; i++) {
		fputs(", REC->", out);
		put_field(out, counters->items[i]);
	}
	putc('\n', out);
}

static void put_block(FILE *out, char *const *names, size_t count)
{
	fprintf(out,
		"\tfield:unsigned int block;\toffset:8;\tsize:4;\tsigned:0;\n"
		"\tfield:__data_loc unsigned long[] args;\toffset:12;\tsize:4;\tsigned:0;\n\n"
		"print fmt: \"block=%%%c args=%%s\", ",
		count ? 's' : 'u');
	put_symbol(out, "block", names, count);
	fputs("__print_array(__get_dynamic_array(args), (__get_dynamic_array_len(args) / 8), 8)\n",
	      out);
}

char *block_tracepoint_text(size_t which, char *const *names, size_t count,
			    const struct task_counter_names *counters)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		abort(); /* as base/alloc does if memory is short */
	fprintf(out,
		"name: %s\nID: %d\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n",
		names_of_formats[which] + sizeof("pscal:") - 1, block_tracepoint_type(which));
	if (which == BLOCK_TRACEPOINT_TASK)
		put_task(out, names, count, counters);
	else
		put_block(out, names, count);
	fclose(out);
	return text;
}
