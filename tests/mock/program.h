/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Simulated programs, so that their wall time on any number of cores is known: forecasts are tested
 * with them. A class and a seed draw a program, the same one on every machine (mock/machine.h): the
 * lengths of its work belong to its threads and tasks, not to the order in which they run.
 */
#ifndef PSCAL_TESTS_MOCK_PROGRAM_H
#define PSCAL_TESTS_MOCK_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

enum { MOCK_THREADS_MAX = 64, MOCK_NO_ITEM = UINT32_MAX };

/* A step of a thread; `object` is an object of the program, unless stated otherwise. */
enum mock_op {
	MOCK_WORK,	/* computes for `value` ns */
	MOCK_WORK_ITEM, /* ... for the time that table `object` has for its item */
	MOCK_SLEEP,	/* for `value` ns */
	MOCK_SLEEP_DUE, /* until so long after the last due time, or the begin of the thread */
	MOCK_DISK,	/* waits so long for a device */
	MOCK_FORK,	/* thread `object` */
	MOCK_JOIN,	/* thread `object` */
	MOCK_INIT,	/* a barrier or semaphore; the call tells its size */
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
	MOCK_PUT,	       /* item `value` into a queue; MOCK_NO_ITEM: the item of the thread */
	MOCK_PUT_END,	       /* ... a mark of the end */
	MOCK_GET,	       /* the thread has this item from now on */
	MOCK_JUMP,	       /* to step `value` */
	MOCK_JUMP_AT_END,      /* ... if the thread got the mark of the end */
	MOCK_JUMP_UNLESS_LAST, /* ... if other threads have not yet left the group `object` */
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
	uint32_t room, items; /* its semaphores, if it has them ... */
	int by_semaphores;    /* ... instead of conditions */
};

struct mock_table {
	uint64_t *ns;
	size_t count;
};

struct mock_program {
	struct mock_code threads[MOCK_THREADS_MAX]; /* the first one forks all other ones */
	size_t thread_count;
	struct mock_object *objects;
	size_t object_count;
	struct mock_table *tables;
	size_t table_count;
};

/* NULL if there is no such class. The caller frees it. */
struct mock_program *mock_program_new(const char *class_name, uint64_t seed);
/*
 * The same program with lengths that are drawn anew from the same distributions: another run; 0:
 * the program above.
 */
struct mock_program *mock_program_again(const char *class_name, uint64_t seed, uint64_t run);
void mock_program_free(struct mock_program *program);

/* Multiplies the length of all work. */
void mock_program_scale_work(struct mock_program *program, double factor);

/* The name of the class; NULL after the last one. */
const char *mock_class_name(size_t number);

/* --- Parts of programs ----------------------------------------------------------------------- */

void mock_add(struct mock_program *program, size_t thread, enum mock_op op, size_t object,
	      uint64_t value);
uint32_t mock_add_object(struct mock_program *program, enum mock_kind kind, size_t size);
/* A queue of `capacity` items, with its mutex, and with conditions or semaphores. */
uint32_t mock_add_queue(struct mock_program *program, size_t capacity, int by_semaphores);
uint32_t mock_add_table(struct mock_program *program, size_t count);
/* All steps of a thread to put an item, its own item, or the mark of the end; and to get one. */
void mock_add_put(struct mock_program *program, size_t thread, uint32_t queue, uint64_t item);
void mock_add_put_end(struct mock_program *program, size_t thread, uint32_t queue);
void mock_add_get(struct mock_program *program, size_t thread, uint32_t queue);
/* The first thread begins all other ones, in their order; or waits for their ends. */
void mock_add_forks(struct mock_program *program);
void mock_add_joins(struct mock_program *program);

#endif
