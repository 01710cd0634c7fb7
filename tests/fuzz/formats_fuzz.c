/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as the tracing data of a recording, as the format of one tracepoint, and as payloads
 * of what they describe: u16 of how long the description is, the description, a payload.
 */
#include "fuzz.h"

#include "decode/formats.h"
#include "trace_check.h"

#include <assert.h>

FUZZ_LEAKS_OF_LIBTRACEEVENT;

static void decode(const struct formats *formats, const uint8_t *payload, size_t length)
{
	static const char *const names[] = {"sched:sched_switch",	"sched:sched_waking",
					    "sched:sched_wakeup",	"sched:sched_wakeup_new",
					    "sched:sched_process_fork", "sched:sched_process_exit",
					    "sched:sched_stat_runtime"};
	char *copy = xcalloc(length + 2, 1);

	memcpy(copy + 2, payload, length);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		int type = formats_type(formats, names[i]);
		uint16_t common_type = (uint16_t)type;
		struct event event = {.cpu = -1, .tid = -1, .other = -1};

		if (type < 0)
			continue;
		memcpy(copy, &common_type, sizeof(common_type));
		for (size_t cut = 0; cut <= length + 2; cut += 1 + length / 4)
			if (formats_decode(formats, &event, copy, length + 2 - cut) > 0)
				assert(event.state < STATE_COUNT);
	}
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct err why = {""}, err = {""};
	struct formats *formats;
	uint16_t size;

	if (length < sizeof(size))
		return 0;
	memcpy(&size, bytes, sizeof(size));
	bytes += sizeof(size);
	length -= sizeof(size);
	if (size > length)
		size = (uint16_t)length;
	formats = formats_new();
	if (size && *bytes != 'n') { /* "name: " */
		if (formats_read(formats, bytes, size, &why))
			fuzz_check(trace_check_sentence(why.text, NULL, &err), &err);
	} else {
		formats_add(formats, "sched", (const char *)bytes, size);
	}
	decode(formats, bytes + size, length - size);
	formats_free(formats);
	return 0;
}
