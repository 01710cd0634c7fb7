/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/paje_source.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/input.h"
#include "decode/event/scan.h"
#include "decode/text/paje_layout.h"
#include "decode/text/paje_stacks.h"

#include <stdlib.h>
#include <string.h>

struct paje {
	struct event_source source;
	struct input *input;
	struct paje_layouts layouts;
	struct paje_stacks *stacks;
	uint64_t lines;
	bool any;
	enum quality_fact untold; /* of the last line, for who audits; QUALITY_FACTS: nothing */
};

static struct paje *of(struct event_source *source)
{
	return (struct paje *)source;
}

static void pass_over(struct paje *paje, enum quality_fact fact)
{
	quality_count(&paje->source.quality, fact);
	if (paje->source.audited)
		paje->untold = fact;
}

static void take_line(struct paje *paje, const char *text, size_t length)
{
	struct paje_line line;
	int rc = strlen(text) == length ? paje_layouts_parse(&paje->layouts, &line, text) : -1;

	if (rc > 0)
		rc = paje_stacks_take(paje->stacks, &line);
	if (rc == -2)
		pass_over(paje, QUALITY_UNKNOWN_EVENTS);
	else if (rc < 0)
		pass_over(paje, QUALITY_MALFORMED);
}

static bool tell(struct paje *paje, struct event *event)
{
	if (paje->untold == QUALITY_FACTS)
		return false;
	*event = event_note(paje->untold, paje->lines);
	paje->untold = QUALITY_FACTS;
	return true;
}

static bool pop(struct paje *paje, struct event *event)
{
	if (tell(paje, event))
		return true;
	if (!paje_stacks_pop(paje->stacks, event))
		return false;
	event->place = paje->lines;
	paje->any = true;
	return true;
}

static int next(struct event_source *base, struct event *event, struct err *err)
{
	struct paje *paje = of(base);
	const char *failure;

	while (!pop(paje, event)) {
		size_t length;
		const char *text = input_line(paje->input, &length);

		if (text) {
			paje->lines++;
			take_line(paje, text, length);
			continue;
		}
		failure = input_error(paje->input);
		if (failure)
			return err_set(err, "%s", failure);
		if (paje->any)
			return 0;
		return err_set(err,
			       "%s: is a trace of Paje without states of containers "
			       "(PajePushState, PajeSetState), and nothing else of it is read",
			       input_name(paje->input));
	}
	return 1;
}

static void release(struct event_source *base)
{
	struct paje *paje = of(base);

	paje_layouts_release(&paje->layouts);
	paje_stacks_free(paje->stacks);
	input_close(paje->input);
	free(paje);
}

bool paje_source_is(const char *bytes, size_t length)
{
	struct scan_lines lines = {.at = bytes, .left = length};

	while (scan_lines_next(&lines)) {
		const char *at = scan_blanks(lines.line);

		if (*at && *at != '#' && *at != '\r')
			return paje_layouts_is_head(at);
	}
	return false;
}

struct event_source *paje_source_new(struct input *input)
{
	struct paje *paje = xcalloc(1, sizeof(*paje));

	paje->source.next = next;
	paje->source.free = release;
	paje->input = input;
	paje->untold = QUALITY_FACTS;
	paje->stacks = paje_stacks_new(&paje->source.blocks);
	return &paje->source;
}
