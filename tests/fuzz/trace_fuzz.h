/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the fuzzers of traces share: bytes are opened as a trace and read to the end, or refused. */
#ifndef PSCAL_TESTS_TRACE_FUZZ_H
#define PSCAL_TESTS_TRACE_FUZZ_H

#include "base/err.h"
#include "base/input.h"
#include "decode/event_source.h"
#include "decode/timeline.h"
#include "stats/levels.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

enum { FUZZ_CHANGES_MAX = 1 << 20, FUZZ_LEVELS_CHANGES_MAX = 1 << 12 };

/* A refusal is one sentence, in one line, that does not name the input twice. */
static inline void check_sentence(const struct err *err, const char *path)
{
	const char *named = strstr(err->text, path);

	assert(!named || !strstr(named + 1, path));
	assert(strlen(err->text) > 20 && !strchr(err->text, '\n'));
}

/* Intervals follow one another, and nothing lies in the future. */
static inline void check_change(const struct change *change, uint64_t now_ns)
{
	assert(change->begin_ns <= change->end_ns && change->end_ns >= now_ns);
	assert(change->state < STATE_COUNT && change->next < STATE_COUNT);
	assert(memchr(change->comm, '\0', sizeof(change->comm)));
	assert(change->tid > 0);
}

static inline void check_levels(const struct levels *levels)
{
	struct level_times times;
	uint64_t sum;

	levels_sum(levels, &times);
	sum = times.unknown_ns;
	for (size_t j = 0; j <= times.max_active; j++)
		sum += times.wall_ns[j];
	assert(sum == times.total_ns);
	level_times_release(&times);
}

static inline void read_trace(struct event_source *source, const char *path)
{
	const struct selection everybody = {0};
	struct timeline *timeline = timeline_new(source, &everybody);
	struct levels *levels = levels_new(0);
	struct change change;
	struct err err = {""};
	uint64_t now_ns = 0;
	int changes = 0, rc, full = 0;

	while ((rc = timeline_next(timeline, &change, &err)) > 0 && changes++ < FUZZ_CHANGES_MAX) {
		check_change(&change, now_ns);
		now_ns = change.end_ns;
		if (changes < FUZZ_LEVELS_CHANGES_MAX) /* for speed */
			full |= levels_add(levels, &change);
	}
	if (rc < 0)
		check_sentence(&err, path);
	assert(!full);
	check_levels(levels);
	levels_free(levels);
	timeline_free(timeline);
}

static inline void read_bytes(const uint8_t *bytes, size_t length)
{
	int fd = memfd_create("trace", MFD_CLOEXEC);
	struct event_source *source = NULL;
	struct err err = {""};
	struct input *input;
	char path[64];

	assert(fd >= 0 && write(fd, bytes, length) == (ssize_t)length);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	input = input_open(path, &err);
	if (input)
		source = event_source_open(input, &err);
	if (source)
		read_trace(source, path);
	else {
		assert(strstr(err.text, path));
		check_sentence(&err, path);
	}
	event_source_free(source);
	close(fd);
}

#endif
