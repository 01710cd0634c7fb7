/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/calls/calls.h"

#include "base/alloc.h"
#include "base/err.h"
#include "collect/calls/calls_private.h"
#include "collect/recording/record.h"

#include <stdlib.h>

/*
 * What the network does is done in the name of whatever thread is interrupted, so these records are
 * of all threads. A reader knows the sockets of the target by the calls of its threads.
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

static void socket_put(struct call_tracer *tracer, struct recording *recording,
		       const struct call_sample *sample)
{
	const struct call_events *events = &tracer->events;
	size_t i = sample->event;

	tracer->base.calls += !tracepoints[i].by_anyone;
	call_tracer_record(recording, sample, events->ids[i], &events->attrs[i], sample->parts->raw,
			   sample->parts->raw_length);
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

struct collector *socket_tracer_open(const struct collector_options *options, struct err *err)
{
	struct call_tracer *tracer = xcalloc(1, sizeof(*tracer));
	int rc;

	tracer->put = socket_put;
	tracer->events.first_id = RECORD_SOCKET_ID;
	tracer->trials = 1U << CALL_OF_SOCKET;
	rc = call_tracer_begin(tracer, &kind, options, err);
	for (size_t i = 0; !rc && i < TRACEPOINTS; i++) {
		tracer->events.by_anyone[i] = tracepoints[i].by_anyone;
		rc = call_tracer_add(tracer, "sock", "sock", tracepoints[i].name, false, err);
		if (rc)
			err_wrap(err, "--requests needs the events of sockets of Linux 6.3");
	}
	if (rc || call_tracer_open(tracer, err)) {
		socket_release(&tracer->base);
		return NULL;
	}
	tracer->base.call_ns = tracer->cost.ns[CALL_OF_SOCKET];
	return &tracer->base;
}
