/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/export/export_trace.h"

#include "base/printable.h"

#include <string.h>

/*
 * A trace of Perfetto: packets with one TrackEvent each (protos/perfetto/trace/ of Perfetto), in
 * the wire format of protocol buffers. A packet is small and has two levels, so it is made in
 * memory, where lengths are known: that is shorter than generated code for the schema.
 */

/* The sizes of a packet and of a text; longer names are cut, so that a packet fits. */
enum { MESSAGE_SIZE = 4096, MESSAGE_TEXT_MAX = 1024 };

struct message {
	uint8_t bytes[MESSAGE_SIZE];
	size_t length;
};

enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2 };

/* The numbers of the fields. */
enum {
	TRACE_PACKET = 1,

	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE_ID = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_TRACK_DESCRIPTOR = 60,

	EVENT_DEBUG_ANNOTATIONS = 4,
	EVENT_TYPE = 9,
	EVENT_TRACK_UUID = 11,
	EVENT_CATEGORIES = 22,
	EVENT_NAME = 23,
	EVENT_DOUBLE_COUNTER_VALUE = 44,
	EVENT_FLOW_IDS = 47,
	EVENT_TERMINATING_FLOW_IDS = 48,

	ANNOTATION_UINT_VALUE = 3,
	ANNOTATION_STRING_VALUE = 6,
	ANNOTATION_NAME = 10,

	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT_UUID = 5,
	TRACK_COUNTER = 8,

	PROCESS_PID = 1,
	PROCESS_NAME = 6,
	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5,
};

enum { TYPE_SLICE_BEGIN = 1, TYPE_SLICE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };
enum { INCREMENTAL_STATE_CLEARED = 1 };

struct perfetto_file {
	struct trace_walk walk;
	bool begun; /* a packet has been written */
	const char *counter;
	uint64_t counter_number;
};

/* --- The wire format ----------------------------------------------------------------------- */

static void put_varint(struct message *message, uint64_t value)
{
	for (; value > 0x7f; value >>= 7)
		message->bytes[message->length++] = (uint8_t)(value | 0x80);
	message->bytes[message->length++] = (uint8_t)value;
}

static void put_tag(struct message *message, unsigned field, enum wire_type type)
{
	put_varint(message, field << 3 | type);
}

static void put_uint(struct message *message, unsigned field, uint64_t value)
{
	put_tag(message, field, WIRE_VARINT);
	put_varint(message, value);
}

static void put_fixed64(struct message *message, unsigned field, uint64_t value)
{
	put_tag(message, field, WIRE_FIXED64);
	for (unsigned i = 0; i < 64; i += 8)
		message->bytes[message->length++] = (uint8_t)(value >> i);
}

static void put_double(struct message *message, unsigned field, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	put_fixed64(message, field, bits);
}

static void put_bytes(struct message *message, unsigned field, const void *bytes, size_t length)
{
	put_tag(message, field, WIRE_BYTES);
	put_varint(message, length);
	memcpy(message->bytes + message->length, bytes, length);
	message->length += length;
}

/* Writes a text as UTF-8. */
static void put_text(struct message *message, unsigned field, const char *text)
{
	char shown[MESSAGE_TEXT_MAX];

	printable_copy(shown, sizeof(shown), PRINTABLE_DATA, text);
	put_bytes(message, field, shown, strlen(shown));
}

static void put_message(struct message *message, unsigned field, const struct message *inner)
{
	put_bytes(message, field, inner->bytes, inner->length);
}

/* --- Packets ------------------------------------------------------------------------------- */

static void put_packet(struct trace_walk *walk, const struct message *packet)
{
	struct message head;

	head.length = 0;
	put_tag(&head, TRACE_PACKET, WIRE_BYTES);
	put_varint(&head, packet->length);
	fwrite(head.bytes, 1, head.length, walk->file.out);
	fwrite(packet->bytes, 1, packet->length, walk->file.out);
}

static void put_event(struct trace_walk *walk, uint64_t time_ns, const struct message *event)
{
	struct perfetto_file *perfetto = (struct perfetto_file *)walk;
	struct message packet;

	packet.length = 0;
	put_uint(&packet, PACKET_TIMESTAMP, time_ns);
	put_uint(&packet, PACKET_SEQUENCE_ID, 1);
	if (!perfetto->begun)
		put_uint(&packet, PACKET_SEQUENCE_FLAGS, INCREMENTAL_STATE_CLEARED);
	perfetto->begun = true;
	put_message(&packet, PACKET_TRACK_EVENT, event);
	put_packet(walk, &packet);
}

static void put_track(struct trace_walk *walk, const struct message *track)
{
	struct message packet;

	packet.length = 0;
	put_uint(&packet, PACKET_SEQUENCE_ID, 1);
	put_message(&packet, PACKET_TRACK_DESCRIPTOR, track);
	put_packet(walk, &packet);
}

/* --- Tracks -------------------------------------------------------------------------------- */

enum track_kind { OF_PROCESS = 1, OF_STATES, OF_CODE, OF_COUNTER, OF_MARKS };

static uint64_t track_of(enum track_kind kind, uint64_t number)
{
	return (uint64_t)kind << 40 | number;
}

static uint64_t track_of_lane(const struct trace_thread *thread, enum trace_lane lane)
{
	return track_of(lane == LANE_CODE ? OF_CODE : OF_STATES, thread->number);
}

static void begin_event(struct message *event, unsigned type, uint64_t track)
{
	event->length = 0;
	put_uint(event, EVENT_TYPE, type);
	put_uint(event, EVENT_TRACK_UUID, track);
}

static void put_note(struct message *event, const char *name, uint64_t value, const char *text)
{
	struct message note;

	note.length = 0;
	put_text(&note, ANNOTATION_NAME, name);
	if (text)
		put_text(&note, ANNOTATION_STRING_VALUE, text);
	else
		put_uint(&note, ANNOTATION_UINT_VALUE, value);
	put_message(event, EVENT_DEBUG_ANNOTATIONS, &note);
}

/* --- Calls of the walk --------------------------------------------------------------------- */

static void perfetto_begin(struct trace_walk *walk, const struct trace_slice *slice)
{
	struct message event;

	begin_event(&event, TYPE_SLICE_BEGIN, track_of_lane(slice->thread, slice->lane));
	put_text(&event, EVENT_CATEGORIES, slice->category);
	put_text(&event, EVENT_NAME, slice->name);
	if (slice->cpu >= 0)
		put_note(&event, "cpu", (uint64_t)slice->cpu, NULL);
	if (slice->flow)
		put_fixed64(&event, EVENT_TERMINATING_FLOW_IDS, slice->flow);
	put_event(walk, slice->begin_ns, &event);
}

static void perfetto_finish(struct trace_walk *walk, const struct trace_slice *slice)
{
	struct message event;

	begin_event(&event, TYPE_SLICE_END, track_of_lane(slice->thread, slice->lane));
	if (slice->open)
		put_note(&event, "end", 0, "not on record");
	put_event(walk, slice->end_ns, &event);
}

static void perfetto_slice(struct trace_walk *walk, const struct trace_slice *slice)
{
	perfetto_begin(walk, slice);
	perfetto_finish(walk, slice);
}

static void perfetto_code(struct trace_walk *walk, const struct trace_slice *slice, bool begins)
{
	(begins ? perfetto_begin : perfetto_finish)(walk, slice);
}

/* Writes an arrow from a point in the slice of the waker, which has not ended. */
static void perfetto_arrow(struct trace_walk *walk, const struct trace_arrow *arrow)
{
	struct message event;

	begin_event(&event, TYPE_INSTANT, track_of_lane(arrow->from, LANE_STATES));
	put_text(&event, EVENT_CATEGORIES, "wakeup");
	put_text(&event, EVENT_NAME, "wakeup");
	put_fixed64(&event, EVENT_FLOW_IDS, arrow->id);
	put_event(walk, arrow->time_ns, &event);
}

static void perfetto_process(struct trace_walk *walk, int32_t pid, const char *name)
{
	struct message track, process;

	process.length = track.length = 0;
	put_uint(&process, PROCESS_PID, (uint64_t)pid);
	put_text(&process, PROCESS_NAME, name);
	put_uint(&track, TRACK_UUID, track_of(OF_PROCESS, (uint32_t)pid));
	put_message(&track, TRACK_PROCESS, &process);
	put_track(walk, &track);
}

static void perfetto_thread(struct trace_walk *walk, const struct trace_thread *thread)
{
	char name[2 * THREAD_NAME_SIZE];
	struct message track, of;

	of.length = track.length = 0;
	put_uint(&of, THREAD_PID, (uint64_t)thread->pid);
	put_uint(&of, THREAD_TID, (uint64_t)thread->tid);
	put_text(&of, THREAD_NAME, trace_lane_name(name, thread, LANE_STATES));
	put_uint(&track, TRACK_UUID, track_of_lane(thread, LANE_STATES));
	put_uint(&track, TRACK_PARENT_UUID, track_of(OF_PROCESS, (uint32_t)thread->pid));
	put_message(&track, TRACK_THREAD, &of);
	put_track(walk, &track);
	if (!thread->has_code)
		return;
	track.length = 0;
	put_uint(&track, TRACK_UUID, track_of_lane(thread, LANE_CODE));
	put_uint(&track, TRACK_PARENT_UUID, track_of_lane(thread, LANE_STATES));
	put_text(&track, TRACK_NAME, trace_lane_name(name, thread, LANE_CODE));
	put_track(walk, &track);
}

static void perfetto_counter(struct trace_walk *walk, const char *name, uint64_t time_ns,
			     double value)
{
	struct perfetto_file *perfetto = (struct perfetto_file *)walk;
	struct message event, track;

	if (perfetto->counter != name) {
		perfetto->counter = name;
		track.length = event.length = 0;
		put_uint(&track, TRACK_UUID, track_of(OF_COUNTER, ++perfetto->counter_number));
		put_text(&track, TRACK_NAME, name);
		put_message(&track, TRACK_COUNTER, &event);
		put_track(walk, &track);
	}
	begin_event(&event, TYPE_COUNTER, track_of(OF_COUNTER, perfetto->counter_number));
	put_double(&event, EVENT_DOUBLE_COUNTER_VALUE, value);
	put_event(walk, time_ns, &event);
}

static void perfetto_mark(struct trace_walk *walk, const struct trace_mark *mark)
{
	struct message event;

	begin_event(&event, TYPE_INSTANT, track_of(OF_MARKS, 0));
	put_text(&event, EVENT_CATEGORIES, "quality");
	put_text(&event, EVENT_NAME, mark->name);
	put_note(&event, "value", mark->value, NULL);
	put_note(&event, "meaning", 0, mark->meaning);
	put_event(walk, 0, &event);
}

static int perfetto_end(struct trace_walk *walk, const struct export_facts *facts, struct err *err)
{
	struct message track;

	(void)facts, (void)err;
	track.length = 0;
	put_uint(&track, TRACK_UUID, track_of(OF_MARKS, 0));
	put_text(&track, TRACK_NAME, "data quality");
	put_track(walk, &track);
	return 0;
}

const struct trace_ops perfetto_ops = {
	.size = sizeof(struct perfetto_file),
	.slice = perfetto_slice,
	.code = perfetto_code,
	.arrow = perfetto_arrow,
	.process = perfetto_process,
	.thread = perfetto_thread,
	.counter = perfetto_counter,
	.mark = perfetto_mark,
	.end = perfetto_end,
};
