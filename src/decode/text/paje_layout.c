/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/paje_layout.h"

#include "base/alloc.h"
#include "decode/event/scan.h"

#include <stdlib.h>

void paje_layouts_release(struct paje_layouts *layouts)
{
	free(layouts->items);
	*layouts = (struct paje_layouts){.items = NULL};
}

/* --- Words --------------------------------------------------------------------------------- */

/* The next one, without its quotation marks. Returns what follows; NULL: there is none. */
static const char *next_word(struct paje_word *word, const char *at)
{
	at = scan_blanks(at);
	if (*at == '"') {
		word->at = at + 1;
		word->length = strcspn(at + 1, "\"");
		at += 1 + word->length;
		return *at ? at + 1 : NULL;
	}
	word->at = at;
	word->length = strcspn(at, " \t");
	return word->length ? at + word->length : NULL;
}

static bool is_word(const struct paje_word *word, const char *text)
{
	return strlen(text) == word->length && memcmp(word->at, text, word->length) == 0;
}

/* --- The head ------------------------------------------------------------------------------ */

static enum paje_kind kind_of(const struct paje_word *name)
{
	static const struct {
		const char *name;
		enum paje_kind kind;
	} kinds[] = {
		{"PajeDefineEntityValue", PAJE_ENTITY_VALUE},
		{"PajeCreateContainer", PAJE_CREATE},
		{"PajeDestroyContainer", PAJE_DESTROY},
		{"PajeSetState", PAJE_SET},
		{"PajePushState", PAJE_PUSH},
		{"PajePopState", PAJE_POP},
		{"PajeResetState", PAJE_RESET},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (is_word(name, kinds[i].name))
			return kinds[i].kind;
	return PAJE_OTHER;
}

/* What a line of that kind says nothing without. */
static bool is_whole(const struct paje_layout *layout, enum paje_kind kind)
{
	static const uint8_t needed[][PAJE_FIELDS] = {
		[PAJE_OTHER] = {0},
		[PAJE_ENTITY_VALUE] = {[PAJE_TYPE] = 1, [PAJE_NAME] = 1},
		[PAJE_CREATE] = {[PAJE_NAME] = 1},
		[PAJE_DESTROY] = {[PAJE_TIME] = 1, [PAJE_NAME] = 1},
		[PAJE_SET] =
			{[PAJE_TIME] = 1, [PAJE_TYPE] = 1, [PAJE_CONTAINER] = 1, [PAJE_VALUE] = 1},
		[PAJE_PUSH] =
			{[PAJE_TIME] = 1, [PAJE_TYPE] = 1, [PAJE_CONTAINER] = 1, [PAJE_VALUE] = 1},
		[PAJE_POP] = {[PAJE_TIME] = 1, [PAJE_TYPE] = 1, [PAJE_CONTAINER] = 1},
		[PAJE_RESET] = {[PAJE_TIME] = 1, [PAJE_TYPE] = 1, [PAJE_CONTAINER] = 1},
	};

	for (size_t i = 0; i < PAJE_FIELDS; i++)
		if (needed[kind][i] && !layout->place[i])
			return false;
	return true;
}

/* Older traces have other names for some. */
static enum paje_field field_of(const struct paje_word *name, enum paje_kind kind)
{
	static const struct {
		const char *name;
		enum paje_field field;
	} fields[] = {
		{"Time", PAJE_TIME},	       {"Type", PAJE_TYPE},   {"EntityType", PAJE_TYPE},
		{"Container", PAJE_CONTAINER}, {"Value", PAJE_VALUE}, {"Alias", PAJE_ALIAS},
		{"Name", PAJE_NAME},
	};

	if (kind == PAJE_DESTROY && is_word(name, "Container"))
		return PAJE_NAME;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (is_word(name, fields[i].name))
			return fields[i].field;
	return PAJE_FIELDS;
}

/* `NAME NUMBER` */
static int begin_layout(struct paje_layouts *layouts, const char *at)
{
	struct paje_word name;
	int32_t number;

	at = next_word(&name, at);
	at = at ? scan_number(scan_blanks(at), &number) : NULL;
	layouts->current = NULL;
	if (!at || *scan_blanks(at) || number < 0 || number >= PAJE_NUMBERS)
		return -1;
	array_reserve(&layouts->items, &layouts->count, (size_t)number + 1);
	layouts->current = &layouts->items[number];
	*layouts->current = (struct paje_layout){.kind = PAJE_NONE}; /* up to its end */
	layouts->kind = kind_of(&name);
	return 0;
}

/* `NAME TYPE` */
static int add_field(struct paje_layouts *layouts, const struct paje_word *name)
{
	struct paje_layout *layout = layouts->current;
	enum paje_field field;

	if (!layout || layout->words == PAJE_WORDS)
		return -1;
	field = field_of(name, layouts->kind);
	layout->words++;
	if (field < PAJE_FIELDS && !layout->place[field])
		layout->place[field] = layout->words;
	return 0;
}

/* What is between the lines that begin and end it may lack something: then none is read. */
static int end_layout(struct paje_layouts *layouts)
{
	struct paje_layout *layout = layouts->current;
	bool whole = layout && is_whole(layout, layouts->kind);

	layouts->current = NULL;
	if (layout)
		layout->kind = whole ? layouts->kind : PAJE_OTHER;
	return whole ? 0 : -1;
}

/* Behind the percent sign. */
static int read_head(struct paje_layouts *layouts, const char *at)
{
	struct paje_word word;

	at = next_word(&word, at);
	if (!at)
		return 0;
	if (is_word(&word, "EventDef"))
		return begin_layout(layouts, at);
	if (is_word(&word, "EndEventDef"))
		return end_layout(layouts);
	return add_field(layouts, &word);
}

bool paje_layouts_is_head(const char *text)
{
	struct paje_word word, name;
	const char *at = scan_blanks(text);

	at = *at == '%' ? next_word(&word, at + 1) : NULL;
	at = at && is_word(&word, "EventDef") ? next_word(&name, at) : NULL;
	return at && name.length > 4 && memcmp(name.at, "Paje", 4) == 0;
}

/* --- Lines --------------------------------------------------------------------------------- */

static int read_fields(struct paje_line *line, const struct paje_layout *layout, const char *at)
{
	struct paje_word words[PAJE_WORDS];

	for (size_t i = 0; i < layout->words; i++) {
		at = next_word(&words[i], at);
		if (!at)
			return -1;
	}
	line->kind = layout->kind;
	for (size_t i = 0; i < PAJE_FIELDS; i++)
		line->fields[i] = layout->place[i] ? words[layout->place[i] - 1]
						   : (struct paje_word){NULL, 0};
	return 1;
}

int paje_layouts_parse(struct paje_layouts *layouts, struct paje_line *line, const char *text)
{
	const char *at = scan_blanks(text);
	const struct paje_layout *layout;
	int32_t number;

	if (!*at || *at == '#')
		return 0;
	if (*at == '%')
		return read_head(layouts, at + 1);
	at = scan_number(at, &number);
	if (!at || number < 0 || (*at && !scan_is_blank(*at)))
		return -1;
	layout = (size_t)number < layouts->count ? &layouts->items[number] : NULL;
	if (!layout || layout->kind == PAJE_NONE)
		return -2;
	return layout->kind == PAJE_OTHER ? 0 : read_fields(line, layout, at);
}
