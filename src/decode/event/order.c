/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/event/order.h"

#include "base/alloc.h"
#include "decode/event/event_heap.h"
#include "decode/event/event_lane.h"
#include "decode/event/pauses.h"

#include <stdlib.h>

enum { NO_LANE = 0 };

/* The oldest event of a lane. */
struct front {
	uint64_t time_ns;
	uint64_t serial; /* UINT64_MAX: there is none */
};

struct order {
	struct event_lane *lanes; /* from 1 on, as they are needed */
	size_t lane_count, lane_capacity;
	size_t *lane_of_cpu; /* [cpu + 1]: [0] for events of no CPU; NO_LANE: has none yet */
	size_t cpu_capacity;
	size_t stray_lane; /* stands for the heap */
	struct event_heap strays;
	/*
	 * A tree in which each node has the lane with the older front of two: the two below node i
	 * are 2i and 2i + 1, the leaf of lane n is node `leaves` + n - 1, the oldest is in node 1.
	 */
	struct front *fronts; /* of each lane */
	uint32_t *tree;
	size_t leaves; /* a power of two */
	size_t room;   /* the lane in which room was given out */
	uint64_t pushed;
	uint64_t youngest_ns;	    /* of all events so far */
	uint64_t youngest_round_ns; /* ... when the round before ended */
	uint64_t sorted_ns;	    /* what is not younger has come, but for what comes late */
	uint64_t due_ns;	    /* what is not younger may be given out */
	bool sorts_all;
	struct pauses pauses;
};

/* --- The tree ------------------------------------------------------------------------------ */

static inline bool is_before(const struct front *a, const struct front *b)
{
	return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->serial < b->serial;
}

static inline void note_front(struct order *order, size_t lane)
{
	struct front *front = &order->fronts[lane];

	front->time_ns = front->serial = UINT64_MAX;
	if (lane == order->stray_lane && order->strays.count) {
		front->time_ns = order->strays.keys[0].time_ns;
		front->serial = order->strays.keys[0].serial;
	} else if (!event_lane_is_empty(&order->lanes[lane])) {
		const struct lane_entry *head = event_lane_head(&order->lanes[lane]);

		front->time_ns = head->event.time_ns;
		front->serial = head->serial;
	}
}

static inline void decide(struct order *order, size_t node)
{
	uint32_t left = order->tree[2 * node], right = order->tree[2 * node + 1];

	order->tree[node] = is_before(&order->fronts[right], &order->fronts[left]) ? right : left;
}

/*
 * The front of this lane has changed. Whom it meets on the way up does not depend on who wins, so
 * that a CPU can look ahead.
 */
static inline void update(struct order *order, size_t lane)
{
	uint32_t winner = (uint32_t)lane;
	struct front best;

	note_front(order, lane);
	best = order->fronts[lane];
	for (size_t node = order->leaves + lane - 1; node > 1; node /= 2) {
		uint32_t rival = order->tree[node ^ 1];
		const struct front *front = &order->fronts[rival];

		if (is_before(front, &best)) {
			winner = rival;
			best = *front;
		}
		order->tree[node / 2] = winner;
	}
}

/* Lanes that are not there yet have no front. */
static void grow_tree(struct order *order)
{
	while (order->leaves < order->lane_count)
		order->leaves *= 2;
	order->fronts = xreallocarray(order->fronts, order->leaves + 1, sizeof(*order->fronts));
	order->tree = xreallocarray(order->tree, 2 * order->leaves, sizeof(*order->tree));
	for (size_t lane = 1; lane <= order->leaves; lane++) {
		order->tree[order->leaves + lane - 1] = (uint32_t)lane;
		order->fronts[lane] = (struct front){UINT64_MAX, UINT64_MAX};
		if (lane <= order->lane_count)
			note_front(order, lane);
	}
	for (size_t node = order->leaves - 1; node; node--)
		decide(order, node);
}

static size_t add_lane(struct order *order)
{
	order->lane_count++;
	array_reserve(&order->lanes, &order->lane_capacity, order->lane_count + 1);
	if (order->lane_count > order->leaves)
		grow_tree(order);
	return order->lane_count;
}

/* Kept apart, as what needs it once need not make room for it each time. */
static __attribute__((cold, noinline)) size_t find_lane(struct order *order, int32_t cpu)
{
	size_t place = cpu < 0 || cpu >= CPU_MAX ? 0 : (size_t)cpu + 1;

	array_reserve(&order->lane_of_cpu, &order->cpu_capacity, place + 1);
	if (order->lane_of_cpu[place] == NO_LANE)
		order->lane_of_cpu[place] = add_lane(order);
	return order->lane_of_cpu[place];
}

static inline size_t lane_of(struct order *order, int32_t cpu)
{
	size_t place = (uint32_t)cpu + (size_t)1; /* none of an impossible CPU is known */
	size_t known = place < order->cpu_capacity ? order->lane_of_cpu[place] : NO_LANE;

	return known != NO_LANE ? known : find_lane(order, cpu);
}

struct order *order_new(void)
{
	struct order *order = xcalloc(1, sizeof(*order));

	order->leaves = 1;
	grow_tree(order);
	return order;
}

void order_free(struct order *order)
{
	if (!order)
		return;
	for (size_t i = 1; i <= order->lane_count; i++)
		event_lane_release(&order->lanes[i]);
	event_heap_release(&order->strays);
	pauses_release(&order->pauses);
	free(order->lanes);
	free(order->lane_of_cpu);
	free(order->fronts);
	free(order->tree);
	free(order);
}

/* --- In ------------------------------------------------------------------------------------ */

struct event *order_room(struct order *order, int32_t cpu)
{
	order->room = lane_of(order, cpu);
	return &event_lane_room(&order->lanes[order->room])->event;
}

static void push_stray(struct order *order, const struct lane_entry *entry)
{
	event_heap_push(&order->strays, &entry->event, entry->serial);
	if (order->stray_lane == NO_LANE)
		order->stray_lane = add_lane(order);
	update(order, order->stray_lane);
}

/* What has been made in the room, whatever it means, finds its place. */
static inline void enqueue(struct order *order)
{
	struct event_lane *lane = &order->lanes[order->room];
	struct lane_entry *entry = event_lane_end(lane);
	const struct front *front = &order->fronts[order->room];
	uint64_t time_ns = entry->event.time_ns;

	entry->serial = order->pushed++;
	if (!event_lane_take(lane)) {
		push_stray(order, entry);
	} else if (front->serial == UINT64_MAX || time_ns < front->time_ns) {
		update(order, order->room);
	}
}

void order_push_ahead(struct order *order, const struct event *event)
{
	*order_room(order, event->cpu) = *event;
	enqueue(order);
}

static void take_in_pause(struct order *order, const struct event *room)
{
	struct event meant[PAUSES_OUT_MAX], event = *room;
	size_t count = pauses_apply(&order->pauses, &event, meant);

	for (size_t i = 0; i < count; i++)
		order_push_ahead(order, &meant[i]);
}

void order_take(struct order *order, struct event *room)
{
	if (room->time_ns > order->youngest_ns)
		order->youngest_ns = room->time_ns;
	if (order->pauses.count)
		take_in_pause(order, room);
	else
		enqueue(order);
}

void order_push(struct order *order, const struct event *event)
{
	struct event *room = order_room(order, event->cpu);

	*room = *event;
	order_take(order, room);
}

void order_pause(struct order *order, uint64_t begin_ns, uint64_t end_ns)
{
	struct event gap = event_new(EVENT_GAP, begin_ns);

	gap.note = QUALITY_PAUSED;
	order_push_ahead(order, &gap);
	pauses_add(&order->pauses, begin_ns, end_ns);
}

/* --- Out ----------------------------------------------------------------------------------- */

void order_sort_all(struct order *order)
{
	order->sorts_all = true;
	order->due_ns = 0;
}

void order_reach(struct order *order, uint64_t time_ns)
{
	uint64_t due_ns = time_ns < order->sorted_ns ? time_ns : order->sorted_ns;

	if (due_ns > order->due_ns && !order->sorts_all)
		order->due_ns = due_ns;
}

void order_round_from(struct order *order, uint64_t time_ns)
{
	order->sorted_ns = order->youngest_round_ns;
	order->youngest_round_ns = order->youngest_ns;
	order_reach(order, time_ns);
}

void order_round(struct order *order)
{
	order_round_from(order, UINT64_MAX);
}

void order_finish(struct order *order)
{
	order->due_ns = UINT64_MAX;
}

bool order_pop(struct order *order, struct event *event)
{
	size_t lane = order->tree[1];
	const struct front *oldest = &order->fronts[lane];

	if (oldest->time_ns > order->due_ns || oldest->serial == UINT64_MAX)
		return false;
	if (lane == order->stray_lane) {
		event_heap_pop(&order->strays, event);
	} else {
		*event = event_lane_head(&order->lanes[lane])->event;
		event_lane_drop_head(&order->lanes[lane]);
	}
	update(order, lane);
	return true;
}
