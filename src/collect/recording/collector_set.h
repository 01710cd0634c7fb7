/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All collectors of one recording, driven as one: what collector.h says of each function of a kind
 * holds for the set.
 */
#ifndef PSCAL_COLLECT_RECORDING_COLLECTOR_SET_H
#define PSCAL_COLLECT_RECORDING_COLLECTOR_SET_H

#include "collect/recording/collector.h"

/*
 * One that watches the scheduler, one that counts, one that samples, one that traces waits, and two
 * that trace blocks, from inside and from outside.
 */
enum { COLLECTOR_SET_MAX = 6 };

/* Begins as zero. */
struct collector_set {
	struct collector *items[COLLECTOR_SET_MAX];
	size_t count;
	struct perfdata_event *events; /* of all of them */
	size_t event_count;
};

/* Takes the collector over. */
void collector_set_add(struct collector_set *set, struct collector *collector);
void collector_set_release(struct collector_set *set);

int collector_set_expect(struct collector_set *set, struct err *err);
int collector_set_follow(struct collector_set *set, pid_t child, struct err *err);
int collector_set_start(struct collector_set *set, struct err *err);
/* Returns 1 when one of them does. */
int collector_set_adopt(struct collector_set *set, pid_t pid, pid_t tid, struct err *err);
int collector_set_enable(struct collector_set *set, bool on, struct err *err);
int collector_set_pass(struct collector_set *set, struct recording *recording, struct err *err);
void collector_set_stop(struct collector_set *set);
/* Of the collector that has this event and says how it is laid out; NULL: none does. */
const char *collector_set_format(const struct collector_set *set, const char *event);
void collector_set_tell(const struct collector_set *set, FILE *out);

#endif
