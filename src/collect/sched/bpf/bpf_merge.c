/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/sched/bpf/bpf_private.h"

#include "base/alloc.h"

#include <stdlib.h>

struct bpf_merge_head {
	uint64_t time_ns;
	uint32_t cpu;
};

static const unsigned slots_of[BPF_RECORD_CALL + 1] = {
	[BPF_RECORD_START] = BPF_START_SLOTS,
	[BPF_RECORD_SWITCH] = 1,
	[BPF_RECORD_SWITCH_STACK] = 2,
	[BPF_RECORD_WAKE] = 1,
	[BPF_RECORD_NAME] = 3,
	[BPF_RECORD_FORK] = 3,
	[BPF_RECORD_EXIT] = 2,
	[BPF_RECORD_LOST] = 2,
	[BPF_RECORD_CALL] = 4, /* BPF_CALL_SLOTS with a stack */
};

void bpf_merge_init(struct bpf_merge *merge, struct bpf_ring *rings, struct bpf_slot *slots,
		    size_t cpu_count, size_t ring_slots)
{
	*merge = (struct bpf_merge){
		.rings = rings,
		.slots = slots,
		.cpu_count = cpu_count,
		.ring_slots = ring_slots,
		.at = xcalloc(cpu_count, sizeof(*merge->at)),
		.heads = xcalloc(cpu_count, sizeof(*merge->heads)),
	};
}

void bpf_merge_release(struct bpf_merge *merge)
{
	free(merge->at);
	free(merge->heads);
	*merge = (struct bpf_merge){0};
}

static struct bpf_slot *slot(const struct bpf_merge *merge, uint32_t cpu, uint64_t at)
{
	return &merge->slots[cpu * merge->ring_slots + (at & (merge->ring_slots - 1))];
}

/* Returns read slots to the kernel, now and then, as the kernel reads the tail each time. */
static void give_back(struct bpf_merge *merge, uint32_t cpu)
{
	/* Orders all reads before the kernel writes there again. */
	__atomic_store_n(&merge->rings[cpu].tail, merge->at[cpu], __ATOMIC_RELEASE);
}

/* --- The next record of a CPU -------------------------------------------------------------- */

/* Returns the time of the next record of a CPU. False: none is finished and due. */
static bool peek(const struct bpf_merge *merge, uint32_t cpu, uint64_t *time_ns)
{
	uint64_t at = merge->at[cpu];
	const struct bpf_slot *first = slot(merge, cpu, at);
	uint64_t word;

	if (at == __atomic_load_n(&merge->rings[cpu].head, __ATOMIC_ACQUIRE))
		return false;
	word = __atomic_load_n(&first->words[0], __ATOMIC_ACQUIRE);
	*time_ns = word >> BPF_TIME_SHIFT;
	return word && __atomic_load_n(&first->words[1], __ATOMIC_ACQUIRE) &&
	       *time_ns <= merge->limit_ns;
}

static struct bpf_event event_of(uint32_t cpu, const struct bpf_slot *first)
{
	uint64_t word = first->words[1];
	struct bpf_event event = {
		.time_ns = first->words[0] >> BPF_TIME_SHIFT,
		.cpu = cpu,
		.kind = (enum bpf_record_kind)(word >> BPF_KIND_SHIFT & BPF_KIND_MASK),
		.tid = (pid_t)(word & BPF_TID_MASK),
		.other = (pid_t)(word >> BPF_OTHER_SHIFT & BPF_TID_MASK),
		.prio = bpf_event_prio((uint8_t)first->words[0]),
		.detail = (uint32_t)(word >> BPF_DETAIL_SHIFT) & BPF_DETAIL_MASK,
	};

	if (event.kind == BPF_RECORD_LOST && event.detail)
		event.kind = BPF_RECORD_CALL;
	return event;
}

static unsigned slot_count(const struct bpf_event *event)
{
	if (event->kind == BPF_RECORD_CALL && event->detail & BPF_CALL_STACK)
		return BPF_CALL_SLOTS;
	return slots_of[event->kind];
}

/* Reads the record that peek() has found. */
static void merge_take(struct bpf_merge *merge, uint32_t cpu, struct bpf_event *event)
{
	struct bpf_slot *first = slot(merge, cpu, merge->at[cpu]);
	unsigned count;

	*event = event_of(cpu, first);
	count = slot_count(event);
	*first = (struct bpf_slot){{0, 0}};
	for (unsigned i = 1; i < count; i++) {
		struct bpf_slot *more = slot(merge, cpu, merge->at[cpu] + i);

		event->body[i - 1] = *more;
		*more = (struct bpf_slot){{0, 0}};
	}
	merge->at[cpu] += count;
	if (merge->at[cpu] - merge->rings[cpu].tail >= merge->ring_slots / 16)
		give_back(merge, cpu);
}

/* --- The earliest record --------------------------------------------------------------------- */

/* Moves the top entry, which has a later time now, down to its place. */
static void sink(struct bpf_merge *merge)
{
	struct bpf_merge_head *heads = merge->heads;
	struct bpf_merge_head moving = heads[0];
	size_t to = 0;

	for (;;) {
		size_t child = 2 * to + 1;

		if (child + 1 < merge->head_count &&
		    heads[child + 1].time_ns < heads[child].time_ns)
			child++;
		if (child >= merge->head_count || moving.time_ns <= heads[child].time_ns)
			break;
		heads[to] = heads[child];
		to = child;
	}
	heads[to] = moving;
}

static void rise(struct bpf_merge *merge, struct bpf_merge_head moving)
{
	size_t to = merge->head_count++;

	while (to && merge->heads[(to - 1) / 2].time_ns > moving.time_ns) {
		merge->heads[to] = merge->heads[(to - 1) / 2];
		to = (to - 1) / 2;
	}
	merge->heads[to] = moving;
}

void bpf_merge_begin(struct bpf_merge *merge, uint64_t limit_ns)
{
	merge->limit_ns = limit_ns;
	merge->head_count = 0;
	for (uint32_t cpu = 0; cpu < merge->cpu_count; cpu++) {
		struct bpf_merge_head head = {.cpu = cpu};

		if (peek(merge, cpu, &head.time_ns))
			rise(merge, head);
	}
}

bool bpf_merge_next(struct bpf_merge *merge, struct bpf_event *event)
{
	struct bpf_merge_head *top = merge->heads;
	uint32_t cpu;

	if (!merge->head_count)
		return false;
	cpu = top->cpu;
	merge_take(merge, cpu, event);
	if (!peek(merge, cpu, &top->time_ns)) {
		give_back(merge, cpu);
		*top = merge->heads[--merge->head_count];
	}
	sink(merge);
	return true;
}

uint64_t bpf_merge_read(const struct bpf_merge *merge)
{
	uint64_t count = 0;

	for (size_t cpu = 0; cpu < merge->cpu_count; cpu++)
		count += merge->at[cpu];
	return count;
}

uint64_t bpf_merge_left(const struct bpf_merge *merge)
{
	uint64_t left = 0;

	for (size_t cpu = 0; cpu < merge->cpu_count; cpu++)
		left += __atomic_load_n(&merge->rings[cpu].head, __ATOMIC_ACQUIRE) - merge->at[cpu];
	return left;
}

bool bpf_merge_take_lost(struct bpf_merge *merge, struct bpf_event *event, uint32_t cpu,
			 bool stopped)
{
	struct bpf_ring *ring = &merge->rings[cpu];
	uint64_t since_ns, lost;

	if (!__atomic_load_n(&ring->lost, __ATOMIC_ACQUIRE))
		return false;
	if (!stopped && __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE) != merge->at[cpu])
		return false;
	since_ns = ring->lost_ns;
	lost = __atomic_exchange_n(&ring->lost, 0, __ATOMIC_ACQ_REL);
	*event = (struct bpf_event){
		.time_ns = since_ns,
		.cpu = cpu,
		.kind = BPF_RECORD_LOST,
		.body = {{{merge->limit_ns, lost}}},
	};
	return lost > 0;
}
