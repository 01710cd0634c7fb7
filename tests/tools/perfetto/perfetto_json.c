/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Prints the packets of a Perfetto trace on standard input as lines of JSON, decoded by code that
 * protobuf-c makes of perfetto.proto. A field that the schema does not have is an error.
 */
#include "perfetto.pb-c.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int strange(const ProtobufCMessage *message)
{
	return message && message->n_unknown_fields;
}

static void put_text(const char *key, const char *text)
{
	if (!text)
		return;
	printf(",\"%s\":\"", key);
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == '"' || *text == '\\')
			printf("\\u%04x", (unsigned)*text);
		else
			putchar(*text);
	putchar('"');
}

static int put_track(const Perfetto__TrackDescriptor *track)
{
	printf("\"track\":%" PRIu64, track->uuid);
	if (track->has_parent_uuid)
		printf(",\"parent\":%" PRIu64, track->parent_uuid);
	put_text("name", track->name);
	if (track->process)
		printf(",\"pid\":%" PRId32, track->process->pid);
	if (track->process)
		put_text("process", track->process->process_name);
	if (track->thread)
		printf(",\"pid\":%" PRId32 ",\"tid\":%" PRId32, track->thread->pid,
		       track->thread->tid);
	if (track->thread)
		put_text("thread", track->thread->thread_name);
	if (track->counter)
		printf(",\"counter\":true");
	return strange(&track->base) || (track->process && strange(&track->process->base)) ||
	       (track->thread && strange(&track->thread->base)) ||
	       (track->counter && strange(&track->counter->base));
}

static void put_flows(const char *key, const uint64_t *ids, size_t count)
{
	if (count)
		printf(",\"%s\":%" PRIu64, key, ids[0]);
}

static int put_event(const Perfetto__TrackEvent *event, uint64_t time)
{
	static const char *const types[] = {"none", "begin", "end", "instant", "counter"};

	printf("\"time\":%" PRIu64 ",\"on\":%" PRIu64 ",\"type\":\"%s\"", time, event->track_uuid,
	       types[event->type]);
	put_text("name", event->name);
	put_text("category", event->n_categories ? event->categories[0] : NULL);
	if (event->has_double_counter_value)
		printf(",\"value\":%.9g", event->double_counter_value);
	put_flows("flow", event->flow_ids, event->n_flow_ids);
	put_flows("ends_flow", event->terminating_flow_ids, event->n_terminating_flow_ids);
	for (size_t i = 0; i < event->n_debug_annotations; i++) {
		const Perfetto__DebugAnnotation *note = event->debug_annotations[i];

		if (strange(&note->base))
			return 1;
		if (note->has_uint_value)
			printf(",\"note_%s\":%" PRIu64, note->name, note->uint_value);
		else
			put_text(note->name, note->string_value);
	}
	return strange(&event->base);
}

int main(void)
{
	size_t size = 0, capacity = 1 << 20, got;
	uint8_t *bytes = malloc(capacity);
	Perfetto__Trace *trace;

	while (bytes && (got = fread(bytes + size, 1, capacity - size, stdin)) > 0) {
		size += got;
		if (size == capacity)
			bytes = realloc(bytes, capacity *= 2);
	}
	trace = bytes ? perfetto__trace__unpack(NULL, size, bytes) : NULL;
	if (!trace || strange(&trace->base)) {
		fputs("perfetto_json: no trace\n", stderr);
		return 1;
	}
	for (size_t i = 0; i < trace->n_packet; i++) {
		const Perfetto__TracePacket *packet = trace->packet[i];
		int bad = strange(&packet->base) || packet->trusted_packet_sequence_id != 1;

		putchar('{');
		if (packet->track_descriptor)
			bad |= put_track(packet->track_descriptor);
		if (packet->track_event)
			bad |= put_event(packet->track_event, packet->timestamp);
		puts("}");
		if (bad) {
			fputs("perfetto_json: a field that the schema does not have\n", stderr);
			return 1;
		}
	}
	perfetto__trace__free_unpacked(trace, NULL);
	free(bytes);
	return 0;
}
