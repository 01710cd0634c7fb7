/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/sweep/sweep_output.h"

#include "base/alloc.h"
#include "base/printable.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 1 << 16, END_LINES = 3, END_BYTES = 300, NUMBER_BYTES = 64 };

struct splitter {
	char line[SWEEP_LINE_MAX + 1];
	size_t length;
	bool (*take)(void *context, const char *line);
	void *context;
	bool enough; /* it wants no more */
};

static void end_line(struct splitter *splitter)
{
	splitter->line[splitter->length] = '\0';
	if (splitter->length && !splitter->enough)
		splitter->enough = !splitter->take(splitter->context, splitter->line);
	splitter->length = 0;
}

/* Ends it before the number it may be in the middle of. */
static void break_line(struct splitter *splitter)
{
	static const char number[] = "0123456789.,+-eE";
	char rest[NUMBER_BYTES];
	size_t kept = 0;

	while (kept < NUMBER_BYTES && strchr(number, splitter->line[splitter->length - 1 - kept]))
		kept++;
	if (kept == NUMBER_BYTES) /* it is none */
		kept = 0;
	splitter->length -= kept;
	memcpy(rest, splitter->line + splitter->length, kept);
	end_line(splitter);
	memcpy(splitter->line, rest, kept);
	splitter->length = kept;
}

static void add_byte(struct splitter *splitter, char byte)
{
	if (byte == '\n' || byte == '\r' || byte == '\0') {
		end_line(splitter);
		return;
	}
	if (splitter->length == SWEEP_LINE_MAX)
		break_line(splitter);
	splitter->line[splitter->length++] = byte;
}

void sweep_output_lines(int fd, bool (*take)(void *context, const char *line), void *context)
{
	struct splitter splitter = {.take = take, .context = context};
	char *piece = xcalloc(PIECE, 1);
	off_t offset = 0;
	ssize_t got;

	while (!splitter.enough &&
	       ((got = pread(fd, piece, PIECE, offset)) > 0 || (got < 0 && errno == EINTR))) {
		for (ssize_t i = 0; i < got && !splitter.enough; i++)
			add_byte(&splitter, piece[i]);
		offset += got > 0 ? got : 0;
	}
	end_line(&splitter);
	free(piece);
}

/* The last ones that came, in a ring. */
struct last_lines {
	char text[END_LINES][END_BYTES / END_LINES];
	size_t count;
};

static bool keep_last(void *context, const char *line)
{
	struct last_lines *last = context;
	char *text = last->text[last->count++ % END_LINES];

	snprintf(text, sizeof(last->text[0]), "%s", line);
	printable_mend(text);
	return true;
}

char *sweep_output_end(int fd)
{
	struct last_lines last = {.count = 0};
	char end[END_BYTES + END_LINES * sizeof(" | ")] = "";
	size_t from;

	sweep_output_lines(fd, keep_last, &last);
	from = last.count > END_LINES ? last.count - END_LINES : 0;
	for (size_t i = from; i < last.count; i++) {
		if (i > from)
			strcat(end, " | ");
		strcat(end, last.text[i % END_LINES]);
	}
	return xstrdup(end);
}
