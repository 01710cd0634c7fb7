/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Call chains of a recording: where threads were in their program, and who had called that. Chains
 * that are alike are kept once, so that an event has the number of its chain and stays a value:
 * memory is for the different ones. They are complete at the end, as are samples.
 */
#ifndef PSCAL_DECODE_EVENT_CHAINS_H
#define PSCAL_DECODE_EVENT_CHAINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Frames of a chain: what the kernel takes unless it is told otherwise (PERF_MAX_STACK_DEPTH), the
 * outer ones are left out. Chains and frames beyond these are dropped.
 */
enum { CHAIN_FRAMES_MAX = 127, CHAINS_MAX = 1 << 18, CHAINS_FRAMES_MAX = 1 << 22 };

/* In the memory of process `pid`, as it was when the first such chain was met. */
struct chain {
	int32_t pid;
	uint64_t time_ns;
	const uint64_t *frames; /* the place of the thread first, then return addresses; borrowed
				   until a chain is added */
	size_t count;
};

/* Begins as zero. */
struct chains {
	bool wanted; /* to be set before reading: else there are none */
	struct interned_chain *items;
	size_t count, capacity;
	uint64_t *frames; /* of all of them */
	size_t frame_count, frame_capacity;
	uint32_t *slots; /* numbers by hash; 0: empty */
	size_t slot_count;
	uint64_t dropped; /* for which there was no room left */
};

void chains_release(struct chains *chains);

/*
 * The user's part of what perf records as a call chain (PERF_SAMPLE_CALLCHAIN), which lies at `ips`
 * without any alignment: `count` addresses with marks of whose they are (PERF_CONTEXT_USER, ...).
 * Returns how many of `frames` there are.
 */
size_t chain_user_part(uint64_t frames[CHAIN_FRAMES_MAX], const void *ips, size_t count);

/* The number of this chain, from 1 on; 0: it has no frames, or no room is left. */
uint32_t chains_add(struct chains *chains, int32_t pid, uint64_t time_ns, const uint64_t *frames,
		    size_t count);

/* One without frames where there is none of this number. */
struct chain chains_get(const struct chains *chains, uint32_t number);

#endif
