/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One line of the text that enter_leave_source reads, taken to pieces. */
#ifndef PSCAL_DECODE_TEXT_ENTER_LEAVE_LINE_H
#define PSCAL_DECODE_TEXT_ENTER_LEAVE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a line, which do not end in a NUL. */
struct piece {
	const char *at;
	size_t length;
};

struct enter_leave_line {
	uint64_t time_ns;
	int32_t tid;
	bool leave;
	struct piece name;
	struct piece arguments; /* what is between the parentheses; NULL: there are none */
	struct piece result;	/* what a Leave returns; NULL: it does not say */
};

/* Returns 1; 0 for a comment or an empty line; -1 when it cannot be read. */
int enter_leave_line_parse(struct enter_leave_line *line, const char *text);

/* Is it the line that says what columns there are? `length` bytes. */
bool enter_leave_line_is_head(const char *text, size_t length);

struct argument {
	struct piece name, value;
};

/*
 * Takes the next NAME=VALUE from *arguments. Returns 1; 0 at the end; -1 where there is something
 * else, and then the rest is of no use.
 */
int enter_leave_argument(struct argument *argument, struct piece *arguments);

/* A finite number, decimal or 0x... Returns 0, or -1 where it is none. */
int enter_leave_number(double *number, const struct piece *value);

#endif
