/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/kernel/order.h"

#include "base/alloc.h"
#include "base/sorted.h"
#include "decode/event/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The order of events: by time, and of two with the same time the one that was pushed first. */
struct turn {
	uint64_t time_ns;
	uint64_t serial;
};

/* The turn of an empty lane. */
static const struct turn NEVER = {UINT64_MAX, UINT64_MAX};

static inline bool turn_is_before(const struct turn *a, const struct turn *b)
{
	return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->serial < b->serial;
}

/* --- Late events --------------------------------------------------------------------------- */

struct heap_key {
	struct turn turn;
	size_t slot;
};

/* A heap. An empty one is all zero. */
struct event_heap {
	struct heap_key *keys; /* small, as they move often; the oldest is keys[0] */
	size_t count, capacity;
	struct event *slots; /* the events, which do not move */
	size_t slot_count, slot_capacity;
	size_t *unused; /* empty slots */
	size_t unused_count, unused_capacity;
};

static void event_heap_release(struct event_heap *heap)
{
	free(heap->keys);
	free(heap->slots);
	free(heap->unused);
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
	struct heap_key key = {{event->time_ns, serial}, event_heap_slot(heap)};
	size_t i = heap->count;

	heap->slots[key.slot] = *event;
	array_reserve(&heap->keys, &heap->capacity, heap->count + 1);
	heap->count++;
	for (; i && turn_is_before(&key.turn, &heap->keys[(i - 1) / 2].turn); i = (i - 1) / 2)
		heap->keys[i] = heap->keys[(i - 1) / 2];
	heap->keys[i] = key;
}

/* Removes the oldest event; there must be one. */
static void event_heap_pop(struct event_heap *heap, struct event *event)
{
	size_t slot = heap->keys[0].slot, i = 0;
	struct heap_key last = heap->keys[--heap->count];

	*event = heap->slots[slot];
	array_reserve(&heap->unused, &heap->unused_capacity, heap->unused_count + 1);
	heap->unused[heap->unused_count++] = slot;
	for (size_t child = 1; child < heap->count; child = 2 * i + 1) {
		if (child + 1 < heap->count &&
		    turn_is_before(&heap->keys[child + 1].turn, &heap->keys[child].turn))
			child++;
		if (!turn_is_before(&heap->keys[child].turn, &last.turn))
			break;
		heap->keys[i] = heap->keys[child];
		i = child;
	}
	if (heap->count)
		heap->keys[i] = last;
}

/* --- Lanes: the events of one CPU, the oldest first ---------------------------------------- */

struct entry {
	uint64_t serial;
	struct event event; /* often only a part is stored, see entry_bytes() */
};

/* Few kinds of events have members behind this many bytes of an entry. */
enum { ENTRY_SHORT = offsetof(struct entry, event.ran_ns) + sizeof(uint64_t) };

enum { CHUNK_BYTES = 16 << 10 };

struct chunk {
	struct chunk *next;
	char *end; /* the end of its entries; NULL: the last chunk */
	_Alignas(struct entry) char bytes[CHUNK_BYTES];
};

/* A queue of entries. A new one is all zero; it is empty if head and tail are equal. */
struct lane {
	char *head, *tail;	    /* the oldest entry, and the place of the next one */
	char *full;		    /* an entry fits at `tail` if that is below here */
	struct chunk *first, *last; /* `first` has the head, `last` the tail */
	char *newest;		    /* the last entry, or NULL if it is not in the last chunk */
	char *after_old;	    /* `tail` when the last event too old for its lane came */
	uint64_t last_ns;	    /* the time of the last event in the lane */
	uint64_t before_ns;	    /* the time of the event before that */
};

static inline size_t entry_bytes(const struct entry *entry)
{
	const uint32_t with_more = 1U << EVENT_CALL | 1U << EVENT_RETURN | 1U << EVENT_ENTER |
				   1U << EVENT_LEAVE | 1U << EVENT_STEP | 1U << EVENT_SOCKET;

	return with_more >> entry->event.kind & 1 ? sizeof(struct entry) : ENTRY_SHORT;
}

static inline struct entry *entry_at(char *place)
{
	return (struct entry *)(void *)place;
}

static void free_chunks(struct chunk *chunk)
{
	for (struct chunk *next; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
}

/* --- The order ----------------------------------------------------------------------------- */

/* The lane whose events are in the heap. */
enum { STRAYS = 0 };

struct pause {
	uint64_t begin_ns, end_ns;
};

struct order {
	struct lane *lanes; /* added as they are needed */
	size_t lane_count, lane_capacity;
	size_t *lane_of_cpu; /* [cpu + 1]; [0]: all other CPUs; STRAYS: no lane yet */
	size_t cpu_capacity;
	struct chunk *spare;
	struct event_heap strays;
	/*
	 * A tree: each node has the lane with the earlier turn of two. The two nodes below node i
	 * are 2i and 2i + 1, the leaf of lane n is node `leaves` + n, and node 1 has the first lane
	 * of all.
	 */
	struct turn *turns; /* the turns of the oldest event of each lane */
	uint32_t *tree;
	size_t leaves; /* a power of two */
	/*
	 * The lane that was first again and again. The tree does not learn its turns before another
	 * lane may be due: its events older than `running_until_ns` are popped one after the other.
	 */
	size_t running;
	uint64_t running_until_ns; /* 0: no such lane */
	size_t room;		   /* the lane in which order_room() gave room */
	uint64_t pushed;
	uint64_t youngest_ns; /* the youngest time so far, apart from far ones */
	/* the last time far younger than that; a second such event confirms it */
	uint64_t doubt_ns;
	uint64_t far_ns, far_round; /* the youngest of the far times, and its round */
	uint64_t far_serial;	    /* the number of events pushed before it */
	uint64_t less_far_ns;	    /* the second youngest of the far times */
	uint64_t first_ns;	    /* the first time; UINT64_MAX: no event yet */
	/* the rounds with events, and `pushed` at the end of the last round */
	uint64_t round, round_pushed;
	uint64_t youngest_round_ns; /* youngest_ns at the end of the round before */
	uint64_t sorted_ns;	    /* events up to here are complete, except for late ones */
	uint64_t due_ns;	    /* events up to here may be popped */
	bool sorts_all;
	bool by_cpu, by_thread;
	bool finished;
	uint64_t damaged;
	struct pause *pauses; /* pauses in the order of their times */
	size_t pause_count, pause_capacity;
	uint64_t forgotten_ns; /* the time before this is a pause */
	struct event then;     /* the next event to pop */
	bool has_then;
};

/* --- The tree ------------------------------------------------------------------------------ */

static inline struct turn turn_of(const struct order *order, size_t lane)
{
	const struct lane *at = &order->lanes[lane];
	const struct entry *entry;

	if (lane == STRAYS)
		return order->strays.count ? order->strays.keys[0].turn : NEVER;
	if (at->head == at->tail)
		return NEVER;
	entry = entry_at(at->head);
	return (struct turn){entry->event.time_ns, entry->serial};
}

/*
 * Updates the tree after a new turn of this lane. The nodes on the way up do not depend on the
 * winner, so that a CPU can look ahead.
 */
static inline void order_update(struct order *order, size_t lane)
{
	uint32_t winner = (uint32_t)lane;
	struct turn best = turn_of(order, lane);

	order->turns[lane] = best;
	for (size_t node = order->leaves + lane; node > 1; node /= 2) {
		uint32_t rival = order->tree[node ^ 1];
		const struct turn *turn = &order->turns[rival];

		if (turn_is_before(turn, &best)) {
			winner = rival;
			best = *turn;
		}
		order->tree[node / 2] = winner;
	}
}

/* Updates the tree with the turn of the running lane. */
static inline void settle(struct order *order)
{
	if (order->running_until_ns)
		order_update(order, order->running);
	order->running_until_ns = 0;
}

/* Lets the lane, which was first twice in a row, run until another lane may be due. */
static void let_run(struct order *order, size_t lane)
{
	uint64_t until_ns = order->due_ns;

	for (size_t node = order->leaves + lane; node > 1; node /= 2) {
		const struct turn *rival = &order->turns[order->tree[node ^ 1]];

		if (rival->time_ns < until_ns)
			until_ns = rival->time_ns;
	}
	order->running_until_ns = until_ns;
	if (!until_ns)
		order_update(order, lane);
}

/* Makes the tree larger. Leaves without a lane have no turn. */
static void grow_tree(struct order *order)
{
	while (order->leaves < order->lane_count)
		order->leaves *= 2;
	order->turns = xreallocarray(order->turns, order->leaves, sizeof(*order->turns));
	order->tree = xreallocarray(order->tree, 2 * order->leaves, sizeof(*order->tree));
	for (size_t lane = 0; lane < order->leaves; lane++) {
		order->tree[order->leaves + lane] = (uint32_t)lane;
		order->turns[lane] = lane < order->lane_count ? turn_of(order, lane) : NEVER;
	}
	for (size_t node = order->leaves - 1; node; node--) {
		uint32_t left = order->tree[2 * node], right = order->tree[2 * node + 1];

		order->tree[node] =
			turn_is_before(&order->turns[right], &order->turns[left]) ? right : left;
	}
}

static size_t add_lane(struct order *order)
{
	size_t lane = order->lane_count++;

	array_reserve(&order->lanes, &order->lane_capacity, order->lane_count);
	if (order->lane_count > order->leaves)
		grow_tree(order);
	return lane;
}

/* The most CPUs in Linux. Each lane takes a chunk at once: damaged numbers share one lane. */
enum { LANE_CPUS = 1 << 13 };

/* Not inline: finding a lane the first time is rare. */
static __attribute__((cold, noinline)) size_t find_lane(struct order *order, int32_t cpu)
{
	size_t place = cpu < 0 || cpu >= LANE_CPUS ? 0 : (size_t)cpu + 1;

	array_reserve(&order->lane_of_cpu, &order->cpu_capacity, place + 1);
	if (order->lane_of_cpu[place] == STRAYS)
		order->lane_of_cpu[place] = add_lane(order);
	return order->lane_of_cpu[place];
}

static inline size_t lane_of(struct order *order, int32_t cpu)
{
	size_t place = (uint32_t)cpu + (size_t)1; /* impossible CPUs are not in the table */
	size_t known = place < order->cpu_capacity ? order->lane_of_cpu[place] : STRAYS;

	return known != STRAYS ? known : find_lane(order, cpu);
}

struct order *order_new(void)
{
	struct order *order = xcalloc(1, sizeof(*order));

	order->leaves = 1;
	order->first_ns = UINT64_MAX;
	add_lane(order);
	grow_tree(order);
	return order;
}

void order_free(struct order *order)
{
	if (!order)
		return;
	for (size_t i = 0; i < order->lane_count; i++)
		free_chunks(order->lanes[i].first);
	free_chunks(order->spare);
	event_heap_release(&order->strays);
	free(order->lanes);
	free(order->lane_of_cpu);
	free(order->turns);
	free(order->tree);
	free(order->pauses);
	free(order);
}

/* --- Pauses -------------------------------------------------------------------------------- */

static bool is_in_pause(const struct order *order, uint64_t time_ns)
{
	size_t behind = find_first(i, 0, order->pause_count, order->pauses[i].begin_ns > time_ns);

	return behind && time_ns < order->pauses[behind - 1].end_ns;
}

/* Reduces an event inside a pause to its certain part. Returns false if no part is certain. */
static bool apply_pause(struct event *event)
{
	switch (event->kind) {
	case EVENT_EXIT: /* the last switch, a moment later, is not recorded */
		event->kind = EVENT_SWITCH;
		event->state = STATE_NONE;
		event->other = event->other_pid = 0;
		return true;
	case EVENT_FORK:
	case EVENT_END:
	case EVENT_EXEC:
	case EVENT_TASK:
	case EVENT_GAP:
	case EVENT_NOTE:
	case EVENT_SAMPLED:
		return true;
	default:
		return false;
	}
}

/* Returns true if a gap follows the event, which shows a running thread, inside a pause. */
static bool has_gap_behind(const struct event *event)
{
	return event->kind == EVENT_FORK || event->kind == EVENT_EXEC;
}

static struct event gap_behind(const struct event *event)
{
	struct event gap = *event;

	gap.kind = EVENT_GAP;
	gap.cpu = -1;
	gap.note = QUALITY_PAUSED;
	return gap;
}

/* --- Pushing events ------------------------------------------------------------------------ */

static __attribute__((cold, noinline)) void lane_grow(struct order *order, struct lane *lane)
{
	struct chunk *chunk = order->spare;

	if (chunk)
		order->spare = chunk->next;
	else
		chunk = xcalloc(1, sizeof(*chunk));
	chunk->next = NULL;
	chunk->end = NULL;
	if (lane->last) {
		lane->last->next = chunk;
		lane->last->end = lane->tail;
	} else {
		lane->first = chunk;
	}
	if (lane->head == lane->tail) /* which happens only without a chunk */
		lane->head = chunk->bytes;
	lane->last = chunk;
	lane->newest = NULL;
	lane->tail = chunk->bytes;
	lane->full = chunk->bytes + CHUNK_BYTES - sizeof(struct entry) + 1;
}

struct event *order_room(struct order *order, int32_t cpu)
{
	struct lane *lane;

	order->room = lane_of(order, cpu);
	lane = &order->lanes[order->room];
	if (lane->tail >= lane->full)
		lane_grow(order, lane);
	return &entry_at(lane->tail)->event;
}

/* An event may follow the last by FAR_NS without doubt. No recording is as long as a year. */
static const uint64_t FAR_NS = 100000000, YEAR_NS = 365 * 86400 * UINT64_C(1000000000);

/* Returns true if the event in the room has a time from the ring of its CPU. */
static bool room_is_of_ring(const struct order *order, const struct event *room)
{
	return order->by_cpu && order->room != order->lane_of_cpu[0] && room->kind != EVENT_TASK &&
	       room->kind != EVENT_GAP;
}

/* Returns a note in place of an event whose time is damaged. */
static struct event deny(struct order *order, const struct event *event)
{
	order->damaged++;
	return event_note(QUALITY_MALFORMED, event->place);
}

/* Handles an event older than the newest of its lane: one of the two is out of place. */
static __attribute__((cold, noinline)) void enqueue_stray(struct order *order)
{
	struct lane *lane = &order->lanes[order->room];
	struct entry *entry = entry_at(lane->tail), stray = *entry;
	bool of_ring = room_is_of_ring(order, &entry->event), denied;
	uint64_t time_ns = entry->event.time_ns;

	settle(order);
	if (lane->newest && time_ns >= lane->before_ns) {
		memcpy(&stray, lane->newest, sizeof(stray));
		denied = of_ring && stray.event.time_ns - time_ns > FAR_NS;
		memmove(lane->newest, entry, sizeof(*entry));
		lane->tail = lane->newest + entry_bytes(entry_at(lane->newest));
		lane->last_ns = time_ns;
		order_update(order, order->room);
	} else {
		/* If another such event follows, the clock was set back. */
		denied = of_ring && lane->last_ns - time_ns > FAR_NS &&
			 lane->after_old != lane->tail;
		lane->after_old = lane->tail;
	}
	if (denied)
		stray.event = deny(order, &stray.event);
	event_heap_push(&order->strays, &stray.event, stray.serial);
	order_update(order, STRAYS);
}

/* Adds the event in the room to its lane. */
static inline void enqueue(struct order *order)
{
	struct lane *lane = &order->lanes[order->room];
	struct entry *entry = entry_at(lane->tail);
	uint64_t time_ns = entry->event.time_ns;
	bool was_empty = lane->head == lane->tail;

	entry->serial = order->pushed++;
	if (time_ns < lane->last_ns && !was_empty) {
		enqueue_stray(order);
		return;
	}
	if (was_empty)
		settle(order);
	lane->newest = lane->tail;
	lane->before_ns = lane->last_ns;
	lane->last_ns = time_ns;
	lane->tail += entry_bytes(entry);
	if (was_empty)
		order_update(order, order->room);
}

void order_push_ahead(struct order *order, const struct event *event)
{
	*order_room(order, event->cpu) = *event;
	enqueue(order);
}

static void take_in_pause(struct order *order, struct event *room)
{
	bool has_gap = has_gap_behind(room);
	struct event gap = gap_behind(room);

	if (!apply_pause(room))
		return;
	enqueue(order);
	if (has_gap)
		order_push_ahead(order, &gap);
}

/* Handles an event far younger than all before: damaged, unless a second such event agrees. */
static __attribute__((cold, noinline)) void order_leap(struct order *order, uint64_t time_ns)
{
	if (order->doubt_ns > order->youngest_ns && order->doubt_ns <= time_ns)
		order->youngest_ns = order->doubt_ns;
	if (time_ns - order->youngest_ns <= FAR_NS)
		order->youngest_ns = time_ns;
	order->doubt_ns = time_ns;
	if (time_ns <= order->far_ns) {
		order->less_far_ns = time_ns > order->less_far_ns ? time_ns : order->less_far_ns;
		return;
	}
	order->less_far_ns = order->far_ns;
	order->far_ns = time_ns;
	order->far_round = order->round;
	order->far_serial = order->pushed;
}

/*
 * Returns true if one event is further from all others than sixteen times their span, and is not
 * the last of the input.
 */
static bool is_far_alone(const struct order *order, uint64_t youngest_ns)
{
	uint64_t others_ns = youngest_ns - order->first_ns;
	bool is_last = order->pushed <= order->far_serial + 1;

	return !order->by_thread && !is_last && order->first_ns < youngest_ns &&
	       (order->far_ns - youngest_ns) / 16 > others_ns &&
	       (order->less_far_ns <= youngest_ns ||
		(order->less_far_ns - youngest_ns) / 16 <= others_ns);
}

void order_take(struct order *order, struct event *room)
{
	if (order->first_ns == UINT64_MAX)
		order->first_ns = room->time_ns;
	if (room->time_ns - order->youngest_ns <= FAR_NS)
		order->youngest_ns = room->time_ns;
	else if (room->time_ns > order->youngest_ns)
		order_leap(order, room->time_ns);
	if (order->pause_count && is_in_pause(order, room->time_ns))
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
	array_reserve(&order->pauses, &order->pause_capacity, order->pause_count + 1);
	order->pauses[order->pause_count++] = (struct pause){begin_ns, end_ns};
}

void order_forget(struct order *order, uint64_t time_ns)
{
	struct event gap = event_new(EVENT_GAP, time_ns - 1);

	order_push_ahead(order, &gap);
	order->forgotten_ns = time_ns;
}

/* --- Giving events out --------------------------------------------------------------------- */

void order_by_cpu(struct order *order)
{
	order->by_cpu = true;
}

void order_by_thread(struct order *order)
{
	order->by_thread = true;
}

void order_sort_all(struct order *order)
{
	order->by_cpu = false;
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
	order->round += order->pushed != order->round_pushed;
	order->round_pushed = order->pushed;
	order->sorted_ns = order->youngest_round_ns;
	order->youngest_round_ns = order->youngest_ns;
	order_reach(order, time_ns);
}

void order_round(struct order *order)
{
	order_round_from(order, UINT64_MAX);
}

/* Decides if the youngest event has a damaged time: two rounds later only younger ones come. */
void order_finish(struct order *order)
{
	bool is_known = order->doubt_ns < order->far_ns && order->doubt_ns > order->youngest_ns;
	uint64_t youngest_ns = is_known ? order->doubt_ns : order->youngest_ns;
	bool goes_on = order->pushed != order->round_pushed;
	bool is_old = order->by_cpu && order->round + goes_on - order->far_round > 2;
	bool is_denied = youngest_ns && order->far_ns > youngest_ns &&
			 (is_old || is_far_alone(order, youngest_ns) ||
			  order->far_ns - youngest_ns > YEAR_NS);

	order->due_ns = is_denied ? order->far_ns - 1 : UINT64_MAX;
	order->finished = true;
}

uint64_t order_take_damaged(struct order *order)
{
	uint64_t damaged = order->damaged;

	order->damaged = 0;
	return damaged;
}

static __attribute__((cold, noinline)) void lane_next_chunk(struct order *order, struct lane *lane)
{
	struct chunk *chunk = lane->first;

	lane->first = chunk->next;
	lane->head = lane->first->bytes;
	chunk->next = order->spare;
	order->spare = chunk;
}

/* The number of entries to prefetch: they were written too long ago to be in a cache. */
enum { AHEAD = 6 };

static inline void lane_pop(struct order *order, struct lane *lane, struct event *event)
{
	const struct entry *entry = entry_at(lane->head);

	if (entry_bytes(entry) == ENTRY_SHORT) {
		memcpy(event, &entry->event, ENTRY_SHORT - offsetof(struct entry, event));
		lane->head += ENTRY_SHORT;
	} else {
		*event = entry->event;
		lane->head += sizeof(*entry);
	}
	__builtin_prefetch(lane->head + AHEAD * ENTRY_SHORT);
	__builtin_prefetch(lane->head + AHEAD * ENTRY_SHORT + ENTRY_SHORT / 2);
	if (lane->head == lane->tail)
		lane->head = lane->tail = lane->first->bytes;
	else if (lane->head == lane->first->end)
		lane_next_chunk(order, lane);
}

/* Returns true if the next event of the running lane is the oldest and due. */
static inline bool is_running(const struct order *order)
{
	const struct lane *lane = &order->lanes[order->running];

	return order->running_until_ns && lane->head != lane->tail &&
	       entry_at(lane->head)->event.time_ns < order->running_until_ns;
}

bool order_is_due(struct order *order)
{
	const struct turn *oldest;

	if (is_running(order))
		return true;
	settle(order);
	oldest = &order->turns[order->tree[1]];
	/* Events without a time wait for a round of events with one: threads are known by then. */
	return order->due_ns && oldest->time_ns <= order->due_ns && oldest->serial != UINT64_MAX;
}

static __attribute__((noinline)) bool pop_by_tree(struct order *order, struct event *event)
{
	bool denied = !order_is_due(order);
	size_t lane = order->tree[1];

	if (denied && (!order->finished || order->turns[lane].serial == UINT64_MAX))
		return false;
	settle(order);
	lane = order->tree[1];
	if (lane == STRAYS)
		event_heap_pop(&order->strays, event);
	else
		lane_pop(order, &order->lanes[lane], event);
	if (lane == order->running && lane != STRAYS)
		let_run(order, lane);
	else
		order_update(order, lane);
	order->running = lane;
	if (denied)
		*event = deny(order, event);
	return true;
}

static inline bool pop_any(struct order *order, struct event *event)
{
	if (!is_running(order))
		return pop_by_tree(order, event);
	lane_pop(order, &order->lanes[order->running], event);
	return true;
}

static __attribute__((cold, noinline)) bool pop_unforgotten(struct order *order,
							    struct event *event)
{
	if (order->has_then) {
		*event = order->then;
		order->has_then = false;
		return true;
	}
	while (pop_any(order, event)) {
		bool is_forgotten = event->time_ns < order->forgotten_ns;

		order->has_then = is_forgotten && has_gap_behind(event);
		if (order->has_then)
			order->then = gap_behind(event);
		if (!is_forgotten || apply_pause(event))
			return true;
	}
	return false;
}

bool order_pop(struct order *order, struct event *event)
{
	return order->forgotten_ns ? pop_unforgotten(order, event) : pop_any(order, event);
}
