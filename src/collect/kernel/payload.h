/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The payload of a tracepoint, written as this kernel would write it: where each field lies is
 * read from its format text.
 */
#ifndef PSCAL_COLLECT_KERNEL_PAYLOAD_H
#define PSCAL_COLLECT_KERNEL_PAYLOAD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct err;

enum { PAYLOAD_FIELDS = 8, PAYLOAD_MAX = 256 };

struct payload_field {
	unsigned offset, size; /* size 0: the event has no such field */
	int dynamic;	       /* __data_loc: the place holds offset and length of the text */
};

struct payload_format {
	uint16_t type; /* number of the event */
	size_t size;   /* bytes, without the text of dynamic fields */
	struct payload_field common_type, common_flags, common_pid;
	struct payload_field fields[PAYLOAD_FIELDS];
};

/*
 * Learns `event`, given as "sched/sched_switch", and where its fields of these names lie: at most
 * PAYLOAD_FIELDS, ending in NULL. Returns 0, or -1 with a sentence.
 */
int payload_format_read(struct payload_format *format, const char *tracefs, const char *event,
			const char *const *fields, struct err *err);

struct payload {
	const struct payload_format *format; /* borrowed */
	size_t size;
	uint8_t bytes[PAYLOAD_MAX];
};

/* All zero but for the type, and the thread that runs where the event happens. */
void payload_begin(struct payload *payload, const struct payload_format *format, pid_t tid);

/* Bits of linux/trace_events.h. */
enum { PAYLOAD_HARDIRQ = 0x08, PAYLOAD_SOFTIRQ = 0x10 };
void payload_put_flags(struct payload *payload, uint8_t flags);

/* Field number `index` of the names; one that the event does not have is passed over. */
void payload_put_number(struct payload *payload, size_t index, int64_t value);

/* `text` is 16 bytes, padded with zeros. */
void payload_put_comm(struct payload *payload, size_t index, const char text[16]);

#endif
