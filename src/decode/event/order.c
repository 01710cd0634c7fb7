/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/event/order.h"

#include "base/alloc.h"
#include "decode/event/event.h"
#include "decode/event/pauses.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* --- Events that come in any order, the oldest first --------------------------------------- */

struct heap_key {
	uint64_t time_ns;
	uint64_t serial; /* tells which of two events of the same time came first */
	size_t slot;
};

/* Begins as zero. */
struct event_heap {
	struct heap_key *keys; /* small, as they move; the oldest is keys[0] */
	size_t count, capacity;
	struct event *slots; /* the events stay where they are */
	size_t slot_count, slot_capacity;
	size_t *unused; /* slots that hold nothing */
	size_t unused_count, unused_capacity;
};

static void event_heap_release(struct event_heap *heap)
{
	free(heap->keys);
	free(heap->slots);
	free(heap->unused);
	*heap = (struct event_heap){0};
}

static bool heap_key_is_before(const struct heap_key *a, const struct heap_key *b)
{
	return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->serial < b->serial;
}

static size_t event_heap_slot(struct event_heap *heap)
{
	if (heap->unused_count)
		return heap->unused[--heap->unused_count];
	array_reserve(&heap->slots, &heap->slot_capacity, heap->slot_count + 1);
	return heap->slot_count++;
}

static void event_heap_push(struct event_heap *heap, const struct event *event, uint64_t serial)
{
	struct heap_key key = {event->time_ns, serial, event_heap_slot(heap)};
	size_t i = heap->count;

	heap->slots[key.slot] = *event;
	array_reserve(&heap->keys, &heap->capacity, heap->count + 1);
	heap->count++;
	for (; i && heap_key_is_before(&key, &heap->keys[(i - 1) / 2]); i = (i - 1) / 2)
		heap->keys[i] = heap->keys[(i - 1) / 2];
	heap->keys[i] = key;
}

/* Takes the oldest away; there must be one. */
static void event_heap_pop(struct event_heap *heap, struct event *event)
{
	size_t slot = heap->keys[0].slot, i = 0;
	struct heap_key last = heap->keys[--heap->count];

	*event = heap->slots[slot];
	array_reserve(&heap->unused, &heap->unused_capacity, heap->unused_count + 1);
	heap->unused[heap->unused_count++] = slot;
	for (size_t child = 1; child < heap->count; child = 2 * i + 1) {
		if (child + 1 < heap->count &&
		    heap_key_is_before(&heap->keys[child + 1], &heap->keys[child]))
			child++;
		if (!heap_key_is_before(&heap->keys[child], &last))
			break;
		heap->keys[i] = heap->keys[child];
		i = child;
	}
	if (heap->count)
		heap->keys[i] = last;
}

/* --- The events of one CPU, in the order of their times ------------------------------------ */

/* Beyond this many places moving costs more than what the heap of the stray ones does. */
enum { MOVES_MAX = 32, FIRST_SIZE = 8 };

/* They come almost so: one is added at the end, or moved a few places ahead of it. */

struct lane_entry {
	struct event event;
	uint64_t serial; /* tells which of two events of the same time came first */
};

/* Begins as zero. */
struct event_lane {
	struct lane_entry *entries; /* a ring */
	size_t size, mask;	    /* a power of two or 0, and what to take an index by */
	size_t begin, end;	    /* count up for ever */
	uint64_t last_ns;	    /* the time of the last event that was added */
};

static inline bool event_lane_is_empty(const struct event_lane *lane)
{
	return lane->begin == lane->end;
}

/* The oldest; there must be one. */
static inline const struct lane_entry *event_lane_head(const struct event_lane *lane)
{
	return &lane->entries[lane->begin & lane->mask];
}

/* The one after the next is fetched, as with many CPUs it is not in a cache when it is needed. */
static inline void event_lane_drop_head(struct event_lane *lane)
{
	const struct lane_entry *soon = &lane->entries[(lane->begin + 2) & lane->mask];

	__builtin_prefetch(soon);
	__builtin_prefetch(&soon->serial);
	lane->begin++;
}

/* What stands behind the last event. */
static inline struct lane_entry *event_lane_end(const struct event_lane *lane)
{
	return &lane->entries[lane->end & lane->mask];
}

static void event_lane_release(struct event_lane *lane)
{
	free(lane->entries);
	*lane = (struct event_lane){0};
}

/*
 * Makes the ring, which is full, larger. Where a number has one more bit now, its entry moves up by the old size; the others stay. A large
 * ring is not copied elsewhere for it, which would take the memory of both.
 */
static __attribute__((cold, noinline)) void event_lane_grow(struct event_lane *lane)
{
	size_t before = lane->size, size = before ? 2 * before : FIRST_SIZE;

	lane->entries = xreallocarray(lane->entries, size, sizeof(*lane->entries));
	lane->size = size;
	lane->mask = size - 1;
	for (size_t i = lane->begin; i != lane->end; i++)
		if (i & before)
			lane->entries[i & lane->mask] = lane->entries[i & (before - 1)];
}

/* The same, to make the next event there. */
static inline struct lane_entry *event_lane_room(struct event_lane *lane)
{
	if (lane->end - lane->begin >= lane->size)
		event_lane_grow(lane);
	return event_lane_end(lane);
}

/*
 * What was made there takes its place behind all that are not younger. Returns false when that is
 * too far away, and leaves all as it was.
 */
static bool event_lane_insert(struct event_lane *lane)
{
	struct lane_entry entry = lane->entries[lane->end & lane->mask];
	size_t first = lane->end - lane->begin > MOVES_MAX ? lane->end - MOVES_MAX : lane->begin;
	size_t place = lane->end;

	while (place > first &&
	       lane->entries[(place - 1) & lane->mask].event.time_ns > entry.event.time_ns)
		place--;
	if (place == first && first != lane->begin)
		return false;
	for (size_t i = lane->end; i > place; i--)
		lane->entries[i & lane->mask] = lane->entries[(i - 1) & lane->mask];
	lane->entries[place & lane->mask] = entry;
	lane->end++;
	return true;
}

static inline bool event_lane_take(struct event_lane *lane)
{
	size_t last = (lane->end - 1) & lane->mask;

	if (lane->end != lane->begin &&
	    lane->entries[lane->end & lane->mask].event.time_ns < lane->entries[last].event.time_ns)
		return event_lane_insert(lane);
	lane->end++;
	return true;
}

/* --- The order ----------------------------------------------------------------------------- */

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

static inline bool front_is_before(const struct front *a, const struct front *b)
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

static inline void order_decide(struct order *order, size_t node)
{
	uint32_t left = order->tree[2 * node], right = order->tree[2 * node + 1];

	order->tree[node] =
		front_is_before(&order->fronts[right], &order->fronts[left]) ? right : left;
}

/*
 * The front of this lane has changed. Whom it meets on the way up does not depend on who wins, so
 * that a CPU can look ahead.
 */
static inline void order_update(struct order *order, size_t lane)
{
	uint32_t winner = (uint32_t)lane;
	struct front best;

	note_front(order, lane);
	best = order->fronts[lane];
	for (size_t node = order->leaves + lane - 1; node > 1; node /= 2) {
		uint32_t rival = order->tree[node ^ 1];
		const struct front *front = &order->fronts[rival];

		if (front_is_before(front, &best)) {
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
		order_decide(order, node);
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
	order_update(order, order->stray_lane);
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
		order_update(order, order->room);
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
	order_update(order, lane);
	return true;
}
