/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the head of a Paje trace says of its lines, and lines taken to pieces by that. */
#ifndef PSCAL_DECODE_TEXT_PAJE_LAYOUT_H
#define PSCAL_DECODE_TEXT_PAJE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The events that tell something here. */
enum paje_kind {
	PAJE_NONE, /* it is not described */
	PAJE_OTHER,
	PAJE_ENTITY_VALUE,
	PAJE_CREATE,
	PAJE_DESTROY,
	PAJE_SET,
	PAJE_PUSH,
	PAJE_POP,
	PAJE_RESET,
};

/* The fields that do. */
enum paje_field {
	PAJE_TIME,
	PAJE_TYPE,
	PAJE_CONTAINER,
	PAJE_VALUE,
	PAJE_ALIAS,
	PAJE_NAME,
	PAJE_FIELDS,
};

enum { PAJE_WORDS = 32, PAJE_NUMBERS = 1 << 16 };

struct paje_layout {
	enum paje_kind kind;
	uint8_t words;		    /* fields that it has */
	uint8_t place[PAJE_FIELDS]; /* of each of ours, from 1 on; 0: it has none */
};

/* Begins as zero. */
struct paje_layouts {
	struct paje_layout *items; /* by the number that lines begin with */
	size_t count;
	struct paje_layout *current; /* whose fields are being listed; NULL: none */
	enum paje_kind kind;	     /* that it will be of */
};

/* Bytes of a line. */
struct paje_word {
	const char *at; /* NULL: there is none */
	size_t length;
};

struct paje_line {
	enum paje_kind kind;
	struct paje_word fields[PAJE_FIELDS];
};

void paje_layouts_release(struct paje_layouts *layouts);

/*
 * Returns 1 with a line that may tell something; 0 when it is of the head, a comment, empty or of
 * another event; -1 when it cannot be read, and -2 when its event is not described.
 */
int paje_layouts_parse(struct paje_layouts *layouts, struct paje_line *line, const char *text);

/* "%EventDef NAME NUMBER", as a head begins. */
bool paje_layouts_is_head(const char *text);

#endif
