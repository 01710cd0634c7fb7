/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs that are only pretended to run, so that it is known how long they take on any number of
 * cores: what a forecast is held against. A program is drawn by its class and a seed, and is the
 * same on every machine (mock/machine.h): the lengths of its work belong to its threads and tasks,
 * not to the order in which they happen to be run.
 */
#ifndef PSCAL_TESTS_MOCK_PROGRAM_H
#define PSCAL_TESTS_MOCK_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

enum { MOCK_THREADS_MAX = 64, MOCK_NO_ITEM = UINT32_MAX };

/* What a thread does next; `object` is one of the program, but where it is said. */
enum mock_op {
	MOCK_WORK,	/* computes for `value` ns */
	MOCK_WORK_ITEM, /* ... for as long as table `object` says of the item it has */
	MOCK_SLEEP,	/* for `value` ns */
	MOCK_SLEEP_DUE, /* until that long after the last of these was due, or the thread began */
	MOCK_DISK,	/* waits so long for a device */
	MOCK_FORK,	/* thread `object` */
	MOCK_JOIN,	/* thread `object` */
	MOCK_INIT,	/* the barrier or semaphore, which is where its size is seen */
	MOCK_LOCK,	/* a mutex */
	MOCK_UNLOCK,
	MOCK_READ_LOCK, /* a readers-writer lock */
	MOCK_WRITE_LOCK,
	MOCK_RW_UNLOCK,
	MOCK_BARRIER,
	MOCK_TAKE, /* a token of a semaphore */
	MOCK_GIVE,
	MOCK_AWAIT_ROOM, /* waits on the condition of a queue, whose mutex it holds */
	MOCK_AWAIT_ITEM,
	MOCK_SIGNAL_ROOM,
	MOCK_SIGNAL_ITEM,
	MOCK_PUT,	       /* item `value` into a queue; MOCK_NO_ITEM: the one it has */
	MOCK_PUT_END,	       /* ... that there are no more */
	MOCK_GET,	       /* from now on it has this one */
	MOCK_JUMP,	       /* goes on at step `value` */
	MOCK_JUMP_AT_END,      /* ... if what it got was the end */
	MOCK_JUMP_UNLESS_LAST, /* ... if others have not yet left the group `object` */
};

struct mock_step {
	enum mock_op op;
	uint32_t object;
	uint64_t value;
};

struct mock_code {
	struct mock_step *steps;
	size_t count, capacity;
};

enum mock_kind { MOCK_MUTEX, MOCK_RWLOCK, MOCK_BARRIER_OF, MOCK_SEMAPHORE, MOCK_QUEUE, MOCK_GROUP };

struct mock_object {
	enum mock_kind kind;
	uint32_t size;	      /* parties, tokens, capacity, or members */
	uint32_t mutex;	      /* of a queue */
	uint32_t room, items; /* its semaphores, where it has any ... */
	int by_semaphores;    /* ... and not conditions */
};

struct mock_table {
	uint64_t *ns;
	size_t count;
};

struct mock_program {
	struct mock_code threads[MOCK_THREADS_MAX]; /* the first one forks the others */
	size_t thread_count;
	struct mock_object *objects;
	size_t object_count;
	struct mock_table *tables;
	size_t table_count;
};

/* NULL where there is no such class. The caller frees it. */
struct mock_program *mock_program_new(const char *class_name, uint64_t seed);
/*
 * The same program with lengths that are drawn anew, from the same distributions: another run of
 * it; 0: the one above.
 */
struct mock_program *mock_program_again(const char *class_name, uint64_t seed, uint64_t run);
void mock_program_free(struct mock_program *program);

/* All work takes so many times as long. */
void mock_program_scale_work(struct mock_program *program, double factor);

/* The name of the class; NULL beyond the last one. */
const char *mock_class_name(size_t number);

/* --- For who writes one ---------------------------------------------------------------------- */

void mock_add(struct mock_program *program, size_t thread, enum mock_op op, size_t object,
	      uint64_t value);
uint32_t mock_add_object(struct mock_program *program, enum mock_kind kind, size_t size);
/* A queue of `capacity`, with its mutex, and with conditions or semaphores. */
uint32_t mock_add_queue(struct mock_program *program, size_t capacity, int by_semaphores);
uint32_t mock_add_table(struct mock_program *program, size_t count);
/* All that a thread does to put an item, the one it has, or the end; and to get one. */
void mock_add_put(struct mock_program *program, size_t thread, uint32_t queue, uint64_t item);
void mock_add_put_end(struct mock_program *program, size_t thread, uint32_t queue);
void mock_add_get(struct mock_program *program, size_t thread, uint32_t queue);
/* The first thread begins all others, in their order, or waits for their ends. */
void mock_add_forks(struct mock_program *program);
void mock_add_joins(struct mock_program *program);

#endif
