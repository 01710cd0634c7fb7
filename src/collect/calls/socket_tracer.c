/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/calls/calls.h"

#include "base/alloc.h"
#include "base/err.h"
#include "collect/calls/calls_private.h"
#include "collect/kernel/tracefs.h"
#include "collect/recording/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The tracepoints. The network code runs in the thread that it interrupts, so its records are of
 * all threads. Readers recognize the target's sockets by the calls of its threads.
 */
static const struct {
	const char *name;
	bool by_anyone;
} tracepoints[] = {
	{"sk_data_ready", true},
	{"sock_recv_length", false},
	{"sock_send_length", false},
	{"inet_sock_set_state", true},
};
enum { TRACEPOINTS = sizeof(tracepoints) / sizeof(tracepoints[0]) };

/* Fields of sock:inet_sock_set_state to blank: addresses, also of other programs' connections. */
static const char *const address_fields[] = {"sport",	 "dport",    "saddr", "daddr",
					     "saddr_v6", "daddr_v6", NULL};

struct socket_tracer {
	struct call_tracer base;
	struct tracefs_format state;
};

static void blank_field(char *raw, size_t length, const struct tracefs_field *field)
{
	if (field->size && field->offset <= length && field->size <= length - field->offset)
		memset(raw + field->offset, 0, field->size);
}

static void socket_put(struct call_tracer *tracer, struct recording *recording,
		       const struct call_sample *sample)
{
	const struct call_events *events = &tracer->events;
	const struct tracefs_format *state = &((struct socket_tracer *)tracer)->state;
	size_t i = sample->event, length = sample->parts->raw_length;
	const void *raw = sample->parts->raw;
	char blanked[TRACEFS_PAYLOAD_MAX]; /* all fields are within, as other formats are refused */

	if (events->table[i].attr.config == state->type) {
		length = length < sizeof(blanked) ? length : sizeof(blanked);
		memcpy(blanked, raw, length);
		for (size_t j = 0; address_fields[j]; j++)
			blank_field(blanked, length, &state->fields[j]);
		raw = blanked;
	}
	tracer->base.calls += !tracepoints[i].by_anyone;
	call_tracer_record(recording, sample, events->ids[i], &events->attrs[i], raw, length);
}

static void socket_release(struct collector *collector)
{
	call_tracer_release((struct call_tracer *)collector);
	free(collector);
}

static const struct collector_kind kind = {
	.name = "requests",
	.free = socket_release,
};

int socket_tracer_check(const char *tracefs, struct err *err)
{
	char event[64];
	uint64_t id;

	for (size_t i = 0; i < TRACEPOINTS; i++) {
		snprintf(event, sizeof(event), "sock:%s", tracepoints[i].name);
		if (tracefs_event_id(&id, tracefs, event, err))
			return err_wrap(err, "--requests needs the events of sockets of Linux 6.3");
	}
	return 0;
}

struct collector *socket_tracer_open(const struct collector_options *options, struct err *err)
{
	struct socket_tracer *sockets = xcalloc(1, sizeof(*sockets));
	struct call_tracer *tracer = &sockets->base;
	int rc;

	tracer->put = socket_put;
	tracer->events.first_id = RECORD_SOCKET_ID;
	tracer->trials = 1U << CALL_OF_SOCKET;
	rc = call_tracer_begin(tracer, &kind, options, err) ||
	     socket_tracer_check(options->tracefs, err);
	for (size_t i = 0; !rc && i < TRACEPOINTS; i++) {
		tracer->events.by_anyone[i] = tracepoints[i].by_anyone;
		rc = call_tracer_add(tracer, "sock", "sock", tracepoints[i].name, false, err);
	}
	if (rc ||
	    tracefs_format_read(&sockets->state, options->tracefs, "sock:inet_sock_set_state",
				address_fields, err) ||
	    call_tracer_open(tracer, err)) {
		socket_release(&tracer->base);
		return NULL;
	}
	tracer->base.call_ns = tracer->cost.ns[CALL_OF_SOCKET];
	return &tracer->base;
}
