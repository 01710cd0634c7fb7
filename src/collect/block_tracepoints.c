/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/block_tracepoints.h"

#include <stdio.h>
#include <stdlib.h>

/* The kernel's own count up from 1, and are at most 65535. */
enum { FIRST_TYPE = 65024 };

static const char *const names_of_formats[BLOCK_TRACEPOINTS] = {"pscal:enter", "pscal:leave",
								"pscal:mark"};

const char *block_tracepoint_name(size_t which)
{
	return names_of_formats[which];
}

uint16_t block_tracepoint_type(size_t which)
{
	return (uint16_t)(FIRST_TYPE + which);
}

/* What would end the text of C that it stands in, or a line, is a '?'. */
static void put_name(FILE *out, const char *name)
{
	for (; *name; name++)
		putc((unsigned char)*name < ' ' || *name == '"' || *name == '\\' ? '?' : *name,
		     out);
}

static void put_symbols(FILE *out, char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		fprintf(out, ", { %zu, \"", i);
		put_name(out, names[i]);
		fputs("\" }", out);
	}
}

/* Without any name there can be no table of them. */
char *block_tracepoint_text(size_t which, char *const *names, size_t count)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		abort(); /* as base/alloc does where memory is short */
	fprintf(out,
		"name: %s\nID: %d\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		"\tfield:unsigned int block;\toffset:8;\tsize:4;\tsigned:0;\n"
		"\tfield:__data_loc unsigned long[] args;\toffset:12;\tsize:4;\tsigned:0;\n\n"
		"print fmt: \"block=%%%c args=%%s\", ",
		names_of_formats[which] + sizeof("pscal:") - 1, block_tracepoint_type(which),
		count ? 's' : 'u');
	fputs(count ? "__print_symbolic(REC->block" : "REC->block", out);
	put_symbols(out, names, count);
	fputs(count ? "), " : ", ", out);
	fputs("__print_array(__get_dynamic_array(args), (__get_dynamic_array_len(args) / 8), 8)\n",
	      out);
	fclose(out);
	return text;
}
