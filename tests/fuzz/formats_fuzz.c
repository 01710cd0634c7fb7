/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads any bytes as the tracing data of a recording, as the format of one tracepoint, and as its
 * payloads. An input is a u16 with the size of the description, the description, and a payload.
 */
#include "fuzz.h"

#include "check/bytes_check.h"
#include "decode/event/blocks.h"
#include "decode/kernel/formats.h"

#include <assert.h>

FUZZ_LEAKS_OF_LIBTRACEEVENT;

/* Decodes the payload by its own type, if that is known, whole and cut short. */
static void decode(struct formats *formats, const char *payload, size_t length)
{
	for (size_t left = length; left >= FORMATS_TYPE_SIZE; left -= 1 + left / 4) {
		struct event event = {.cpu = -1, .tid = -1, .other = -1};
		const struct tracepoint *tracepoint;
		char *copy = xcalloc(left, 1); /* ends with the payload */

		memcpy(copy, payload, left);
		tracepoint = formats_find(formats, copy);
		if (tracepoint && formats_decode(formats, tracepoint, &event, copy, left) > 0)
			assert(event.state < STATE_COUNT && event.kind <= EVENT_STEP &&
			       event.call < SYNC_CALLS && event.step < TASK_STEPS);
		free(copy);
	}
}

/* Decodes the payload as each known tracepoint. */
static void decode_all(struct formats *formats, const uint8_t *payload, size_t length)
{
	static const char *const names[] = {"sched:sched_switch",
					    "sched:sched_waking",
					    "sched:sched_wakeup",
					    "sched:sched_wakeup_new",
					    "sched:sched_process_fork",
					    "sched:sched_process_exit",
					    "sched:sched_stat_runtime",
					    "syscalls:sys_enter_futex",
					    "syscalls:sys_exit_futex",
					    "syscalls:sys_enter_nanosleep",
					    "pscal:mutex_lock",
					    "pscal:cond_wait",
					    "pscal:enter",
					    "pscal:leave",
					    "pscal:task",
					    "pscal_enter:main",
					    "pscal_leave:main"};
	char *copy = xcalloc(FORMATS_TYPE_SIZE + length, 1);

	memcpy(copy + FORMATS_TYPE_SIZE, payload, length);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		int known = formats_type(formats, names[i]);
		uint16_t type = (uint16_t)known;

		memcpy(copy, &type, FORMATS_TYPE_SIZE);
		if (known >= 0)
			decode(formats, copy, FORMATS_TYPE_SIZE + length);
	}
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct err why = {.text = ""}, err = {.text = ""};
	struct blocks blocks = {0};
	struct formats *formats;
	uint16_t size;

	if (length < sizeof(size))
		return 0;
	memcpy(&size, bytes, sizeof(size));
	bytes += sizeof(size);
	length -= sizeof(size);
	if (size > length)
		size = (uint16_t)length;
	formats = formats_new(&blocks);
	if (size && *bytes != 'n') { /* "name: " */
		if (formats_read(formats, bytes, size, &why))
			fuzz_check(bytes_check_sentence(why.text, NULL, &err), &err);
	} else {
		formats_add(formats, "sched", (const char *)bytes, size);
		formats_add(formats, "syscalls", (const char *)bytes, size);
		formats_add(formats, "pscal", (const char *)bytes, size);
		formats_add(formats, "pscal_enter", (const char *)bytes, size);
	}
	decode_all(formats, bytes + size, length - size);
	formats_free(formats);
	blocks_release(&blocks);
	return 0;
}
