/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/calls/calls.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/printable.h"
#include "collect/calls/calls_private.h"
#include "collect/kernel/uprobes.h"
#include "collect/recording/record.h"
#include "collect/recording/recording.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PURPOSE "block"

/* The first number of events. The kernel's tracepoints begin at 1. */
enum { FIRST_TYPE = 32768 };

/* The two events in the kernel, for all functions. */
static const char *const kernel_events[UPROBE_SIDES] = {"enter", "leave"};

/* The event of a function on one side. */
struct described {
	char name[CALL_EVENT_NAME_SIZE + UPROBE_NAME_SIZE];
	struct perf_event_attr attr;
	uint64_t id;
	uint16_t type;
	char *format;
};

struct uprobe_tracer {
	struct call_tracer tracer;
	struct uprobes probes;
	struct uprobe_functions functions;
	unsigned arguments;
	struct described *described; /* UPROBE_SIDES for each function */
	struct perfdata_event *events;
	double taken_ns; /* cost of all recorded calls */
	uint64_t sides[UPROBE_SIDES];
	uint64_t hits_before; /* hits during the measurement of the cost */
};

/* --- Records ------------------------------------------------------------------------------- */

static void uprobe_put(struct call_tracer *tracer, struct recording *recording,
		       const struct call_sample *sample)
{
	struct uprobe_tracer *uprobe = (struct uprobe_tracer *)tracer;
	enum uprobe_side side = (enum uprobe_side)sample->event;
	const uint8_t *payload = sample->parts->raw;
	size_t length = sample->parts->raw_length;
	size_t at = uprobe_record_place(side, payload, length), size;
	const struct uprobe_place *place;
	const struct described *described;
	uint8_t raw[UPROBE_RECORD_MAX];

	if (at >= uprobe->functions.place_count)
		return; /* calls of this process for the measurement */
	place = &uprobe->functions.places[at];
	described = &uprobe->described[place->function * UPROBE_SIDES + side];
	uprobe->sides[side]++;
	if (side == UPROBE_ENTER)
		uprobe->taken_ns +=
			uprobe->tracer.cost.ns[place->is_cheap ? CALL_OF_CHEAP : CALL_OF_STEPPED];
	size = uprobe_record_rewrite(raw, side, described->type, payload, length,
				     uprobe->arguments);
	call_tracer_record(recording, sample, described->id, &described->attr, raw, size);
}

static void describe(struct uprobe_tracer *uprobe, size_t function, enum uprobe_side side)
{
	size_t at = function * UPROBE_SIDES + side;
	const char *event = uprobe->functions.items[function].event;
	struct described *described = &uprobe->described[at];

	described->type = (uint16_t)(FIRST_TYPE + at);
	described->id = RECORD_UPROBE_ID + at;
	described->attr = uprobe->tracer.events.attrs[side]; /* except its number */
	described->attr.config = described->type;
	described->format = uprobe_record_format(event, side, described->type, uprobe->arguments);
	snprintf(described->name, sizeof(described->name), "%s:%s", uprobe_record_system(side),
		 event);
	uprobe->events[at] =
		(struct perfdata_event){described->name, &described->attr, &described->id, 1};
}

/* Describes all events of the file. */
static void describe_all(struct uprobe_tracer *uprobe)
{
	size_t count = uprobe->functions.count * UPROBE_SIDES;

	uprobe->described = xcalloc(count, sizeof(*uprobe->described));
	uprobe->events = xcalloc(count, sizeof(*uprobe->events));
	for (size_t i = 0; i < uprobe->functions.count; i++)
		for (int side = 0; side < UPROBE_SIDES; side++)
			describe(uprobe, i, (enum uprobe_side)side);
	uprobe->tracer.base.events = uprobe->events;
	uprobe->tracer.base.event_count = count;
	uprobe->tracer.lost_id = RECORD_UPROBE_ID;
}

static const char *format(const struct collector *collector, const char *event)
{
	const struct uprobe_tracer *uprobe = (const struct uprobe_tracer *)collector;

	for (size_t i = 0; i < collector->event_count; i++)
		if (strcmp(uprobe->described[i].name, event) == 0)
			return uprobe->described[i].format;
	return NULL;
}

/* --- The probes ---------------------------------------------------------------------------- */

static int add_place(struct uprobe_tracer *uprobe, const char *path, uint64_t offset, size_t number)
{
	int code = 0;

	for (int side = 0; side < UPROBE_SIDES && !code; side++) {
		char *fetches =
			uprobe_record_fetches((enum uprobe_side)side, number, uprobe->arguments);

		code = uprobes_add(&uprobe->probes,
				   &(struct uprobe){.event = kernel_events[side],
						    .at_return = side == UPROBE_LEAVE,
						    .path = path,
						    .offset = offset,
						    .argument = fetches});
		free(fetches);
	}
	return code;
}

static int explain(int code, const struct uprobe_place *place, const char *name, bool first,
		   struct err *err)
{
	if ((code != ENOENT || first) &&
	    uprobes_explain(err, code, "start the program with --probe"))
		return err_wrap(err, "--uprobe");
	if (!first && code == EEXIST)
		return err_set(err, "--uprobe: more than one function needs Linux 5.4: name one");
	if (strpbrk(place->path, " \t\n"))
		return err_set(err,
			       "--uprobe: the kernel takes no path with a blank in it, as in '%s'",
			       place->path);
	return err_set(err, "--uprobe: the kernel takes no probe on %s of %s: %s", name,
		       place->path, strerror(code));
}

/* Makes the probes, and after them probes on functions of our own, to measure the cost. */
static int make_probes(struct uprobe_tracer *uprobe, const struct collector_options *options,
		       struct err *err)
{
	const struct uprobe_functions *functions = &uprobe->functions;

	if (uprobes_init(&uprobe->probes, options->tracefs, PURPOSE, options->run, err))
		return err_wrap(err, "--uprobe");
	for (size_t i = 0; i < functions->place_count; i++) {
		const struct uprobe_place *place = &functions->places[i];
		int code = add_place(uprobe, place->path, place->offset, i);

		if (code)
			return explain(code, place, functions->items[place->function].name, i == 0,
				       err);
	}
	for (int trial = CALL_OF_STEPPED; trial <= CALL_OF_CHEAP; trial++) {
		uint64_t offset = call_cost_place((enum call_trial)trial);

		if (offset) /* if that fails the cost is not known */
			add_place(uprobe, CALL_COST_FILE, offset,
				  functions->place_count + (size_t)(trial - CALL_OF_STEPPED));
	}
	return 0;
}

static uint64_t hits(const struct uprobe_tracer *uprobe)
{
	const struct perf_events *open = &uprobe->tracer.events.open;

	return perf_events_count(open, 0, UPROBE_ENTER).value +
	       perf_events_count(open, 0, UPROBE_LEAVE).value;
}

/* --- Results -------------------------------------------------------------------------------- */

static double call_ns(const struct uprobe_tracer *uprobe)
{
	return uprobe->sides[UPROBE_ENTER] ? uprobe->taken_ns / (double)uprobe->sides[UPROBE_ENTER]
					   : 0;
}

static void uprobe_tell(const struct collector *collector, FILE *out)
{
	const struct uprobe_tracer *uprobe = (const struct uprobe_tracer *)collector;

	for (size_t i = 0; i < uprobe->functions.count; i++) {
		const struct uprobe_function *function = &uprobe->functions.items[i];

		if (strcmp(function->name, function->event) != 0) {
			char *name = printable_mend(xstrdup(function->name));

			fprintf(out, "block %s %s\n", function->event, name);
			free(name);
		}
	}
	if (uprobe->taken_ns > 0)
		fprintf(out, "uprobe_cost_ns %.0f\n", call_ns(uprobe));
}

void uprobe_tracer_result(struct uprobe_result *result, const struct collector *collector)
{
	const struct uprobe_tracer *uprobe = (const struct uprobe_tracer *)collector;
	uint64_t counted = hits(uprobe) - uprobe->hits_before;
	uint64_t known = uprobe->sides[UPROBE_ENTER] + uprobe->sides[UPROBE_LEAVE] +
			 uprobe->tracer.strangers + uprobe->tracer.lost;

	*result = (struct uprobe_result){
		.functions = uprobe->functions.count,
		.enters = uprobe->sides[UPROBE_ENTER],
		.leaves = uprobe->sides[UPROBE_LEAVE],
		.strangers = uprobe->tracer.strangers,
		.missed = counted > known ? counted - known : 0,
		.call_ns = call_ns(uprobe),
	};
}

/* --- Opening and the end ------------------------------------------------------------------- */

/* A probe can only be removed if no event is open on it. */
static void uprobe_release(struct collector *collector)
{
	struct uprobe_tracer *uprobe = (struct uprobe_tracer *)collector;

	call_tracer_release(&uprobe->tracer);
	uprobes_release(&uprobe->probes);
	for (size_t i = 0; uprobe->described && i < uprobe->functions.count * UPROBE_SIDES; i++)
		free(uprobe->described[i].format);
	free(uprobe->described);
	free(uprobe->events);
	uprobe_functions_release(&uprobe->functions);
	free(uprobe);
}

static const struct collector_kind kind = {
	.name = "uprobe",
	.format = format,
	.tell = uprobe_tell,
	.free = uprobe_release,
};

static int find_functions(struct uprobe_tracer *uprobe, const struct uprobe_options *options,
			  const struct uprobe_target *target, struct err *err)
{
	for (const char *const *spec = options->functions; *spec; spec++)
		if (uprobe_functions_add(&uprobe->functions, *spec, target, options->arguments,
					 "/proc", err))
			return -1;
	return 0;
}

static void announce_probes(const struct uprobe_tracer *uprobe,
			    const struct collector_options *options)
{
	char *step;

	if (!options->step)
		return;
	step = xasprintf("attaching probes to %zu functions", uprobe->functions.count);
	options->step(options->step_context, step);
	free(step);
}

static int open_events(struct uprobe_tracer *uprobe, const struct collector_options *options,
		       struct err *err)
{
	struct call_tracer *tracer = &uprobe->tracer;

	announce_probes(uprobe, options);
	if (make_probes(uprobe, options, err))
		return -1;
	for (int side = 0; side < UPROBE_SIDES; side++)
		if (call_tracer_add(tracer, uprobe->probes.group, PURPOSE, kernel_events[side],
				    side == UPROBE_ENTER, err))
			return -1;
	if (call_tracer_open(tracer, err))
		return -1;
	describe_all(uprobe);
	uprobe->hits_before = hits(uprobe);
	return 0;
}

struct collector *uprobe_tracer_open(const struct collector_options *options,
				     const struct uprobe_options *uprobes,
				     const struct uprobe_target *target, struct err *err)
{
	struct uprobe_tracer *uprobe = xcalloc(1, sizeof(*uprobe));

	uprobe->tracer.put = uprobe_put;
	uprobe->tracer.trials = CALL_COST_UPROBE;
	uprobe->tracer.events.stacks = uprobes->stacks;
	uprobe->arguments = uprobes->arguments;
	uprobe->functions.risk_exceptions = uprobes->risk_exceptions;
	/* Functions are looked up first, so that wrong names are errors for every user. */
	if (find_functions(uprobe, uprobes, target, err) ||
	    call_tracer_begin(&uprobe->tracer, &kind, options, err) ||
	    (!uprobes_argument(0) &&
	     err_set(err, "--uprobe: the argument registers of this machine are unknown")) ||
	    open_events(uprobe, options, err)) {
		uprobe_release(&uprobe->tracer.base);
		return NULL;
	}
	return &uprobe->tracer.base;
}
