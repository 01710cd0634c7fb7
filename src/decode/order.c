/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/order.h"

#include "base/alloc.h"
#include "decode/pauses.h"

#include <stdlib.h>

/* A heap of small keys; the events themselves stay where they are. */
struct key {
	uint64_t time_ns;
	uint64_t serial; /* when it was pushed */
	size_t slot;
};

struct order {
	struct key *heap;
	size_t count, capacity;
	struct event *slots;
	size_t slot_count, slot_capacity;
	size_t *unused; /* slots that hold nothing */
	size_t unused_count, unused_capacity;
	uint64_t pushed;
	uint64_t youngest_ns;	    /* of all events so far */
	uint64_t youngest_round_ns; /* ... when the round before ended */
	uint64_t due_ns;	    /* what is not younger may be given out */
	struct pauses pauses;
};

struct order *order_new(void)
{
	return xcalloc(1, sizeof(struct order));
}

void order_free(struct order *order)
{
	if (!order)
		return;
	free(order->heap);
	free(order->slots);
	free(order->unused);
	pauses_release(&order->pauses);
	free(order);
}

static bool is_before(const struct key *a, const struct key *b)
{
	return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->serial < b->serial;
}

static size_t take_slot(struct order *order)
{
	if (order->unused_count)
		return order->unused[--order->unused_count];
	array_reserve(&order->slots, &order->slot_capacity, order->slot_count + 1);
	return order->slot_count++;
}

void order_push_ahead(struct order *order, const struct event *event)
{
	struct key key = {event->time_ns, order->pushed++, take_slot(order)};
	size_t i = order->count;

	order->slots[key.slot] = *event;
	array_reserve(&order->heap, &order->capacity, order->count + 1);
	order->count++;
	for (; i && is_before(&key, &order->heap[(i - 1) / 2]); i = (i - 1) / 2)
		order->heap[i] = order->heap[(i - 1) / 2];
	order->heap[i] = key;
}

void order_push(struct order *order, const struct event *event)
{
	struct event meant[PAUSES_OUT_MAX];
	size_t count = pauses_apply(&order->pauses, event, meant);

	if (event->time_ns > order->youngest_ns)
		order->youngest_ns = event->time_ns;
	for (size_t i = 0; i < count; i++)
		order_push_ahead(order, &meant[i]);
}

void order_pause(struct order *order, uint64_t begin_ns, uint64_t end_ns)
{
	const struct event gap = {.time_ns = begin_ns,
				  .kind = EVENT_GAP,
				  .cpu = -1,
				  .pid = -1,
				  .tid = -1,
				  .other_pid = -1,
				  .other = -1};

	order_push_ahead(order, &gap);
	pauses_add(&order->pauses, begin_ns, end_ns);
}

void order_round(struct order *order)
{
	order->due_ns = order->youngest_round_ns;
	order->youngest_round_ns = order->youngest_ns;
}

void order_finish(struct order *order)
{
	order->due_ns = UINT64_MAX;
}

/* Takes the root away and lets the last key sink from there. */
static void sift(struct order *order)
{
	struct key last = order->heap[--order->count];
	size_t i = 0;

	for (size_t child = 1; child < order->count; child = 2 * i + 1) {
		if (child + 1 < order->count &&
		    is_before(&order->heap[child + 1], &order->heap[child]))
			child++;
		if (!is_before(&order->heap[child], &last))
			break;
		order->heap[i] = order->heap[child];
		i = child;
	}
	if (order->count)
		order->heap[i] = last;
}

bool order_pop(struct order *order, struct event *event)
{
	struct key oldest;

	if (!order->count || order->heap[0].time_ns > order->due_ns)
		return false;
	oldest = order->heap[0];
	*event = order->slots[oldest.slot];
	array_reserve(&order->unused, &order->unused_capacity, order->unused_count + 1);
	order->unused[order->unused_count++] = oldest.slot;
	sift(order);
	return true;
}
