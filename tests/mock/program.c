/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mock/program.h"

#include "base/alloc.h"

#include <stdlib.h>

void mock_add(struct mock_program *program, size_t thread, enum mock_op op, size_t object,
	      uint64_t value)
{
	struct mock_code *code = &program->threads[thread];

	if (code->count == code->capacity) {
		code->capacity = code->capacity ? 2 * code->capacity : 64;
		code->steps = xreallocarray(code->steps, code->capacity, sizeof(*code->steps));
	}
	code->steps[code->count++] = (struct mock_step){op, (uint32_t)object, value};
}

uint32_t mock_add_object(struct mock_program *program, enum mock_kind kind, size_t size)
{
	size_t count = program->object_count + 1;

	program->objects = xreallocarray(program->objects, count, sizeof(*program->objects));
	program->objects[program->object_count] =
		(struct mock_object){kind, (uint32_t)size, 0, 0, 0, 0};
	return (uint32_t)program->object_count++;
}

uint32_t mock_add_queue(struct mock_program *program, size_t capacity, int by_semaphores)
{
	uint32_t mutex = mock_add_object(program, MOCK_MUTEX, 0);
	uint32_t room = mock_add_object(program, MOCK_SEMAPHORE, capacity);
	uint32_t items = mock_add_object(program, MOCK_SEMAPHORE, 0);
	uint32_t queue = mock_add_object(program, MOCK_QUEUE, capacity);

	program->objects[queue].mutex = mutex;
	program->objects[queue].room = room;
	program->objects[queue].items = items;
	program->objects[queue].by_semaphores = by_semaphores;
	if (by_semaphores) {
		mock_add(program, 0, MOCK_INIT, room, 0);
		mock_add(program, 0, MOCK_INIT, items, 0);
	}
	return queue;
}

uint32_t mock_add_table(struct mock_program *program, size_t count)
{
	size_t tables = program->table_count + 1;

	program->tables = xreallocarray(program->tables, tables, sizeof(*program->tables));
	program->tables[program->table_count] =
		(struct mock_table){xcalloc(count + 1, sizeof(uint64_t)), count};
	return (uint32_t)program->table_count++;
}

static void add_put(struct mock_program *program, size_t thread, uint32_t number, enum mock_op put,
		    uint64_t item)
{
	const struct mock_object *queue = &program->objects[number];

	if (queue->by_semaphores)
		mock_add(program, thread, MOCK_TAKE, queue->room, 0);
	mock_add(program, thread, MOCK_LOCK, queue->mutex, 0);
	if (!queue->by_semaphores)
		mock_add(program, thread, MOCK_AWAIT_ROOM, number, 0);
	mock_add(program, thread, put, number, item);
	if (!queue->by_semaphores)
		mock_add(program, thread, MOCK_SIGNAL_ITEM, number, 0);
	mock_add(program, thread, MOCK_UNLOCK, queue->mutex, 0);
	if (queue->by_semaphores)
		mock_add(program, thread, MOCK_GIVE, queue->items, 0);
}

void mock_add_put(struct mock_program *program, size_t thread, uint32_t queue, uint64_t item)
{
	add_put(program, thread, queue, MOCK_PUT, item);
}

void mock_add_put_end(struct mock_program *program, size_t thread, uint32_t queue)
{
	add_put(program, thread, queue, MOCK_PUT_END, 0);
}

void mock_add_get(struct mock_program *program, size_t thread, uint32_t number)
{
	const struct mock_object *queue = &program->objects[number];

	if (queue->by_semaphores)
		mock_add(program, thread, MOCK_TAKE, queue->items, 0);
	mock_add(program, thread, MOCK_LOCK, queue->mutex, 0);
	if (!queue->by_semaphores)
		mock_add(program, thread, MOCK_AWAIT_ITEM, number, 0);
	mock_add(program, thread, MOCK_GET, number, 0);
	if (!queue->by_semaphores)
		mock_add(program, thread, MOCK_SIGNAL_ROOM, number, 0);
	mock_add(program, thread, MOCK_UNLOCK, queue->mutex, 0);
	if (queue->by_semaphores)
		mock_add(program, thread, MOCK_GIVE, queue->room, 0);
}

void mock_add_forks(struct mock_program *program)
{
	for (size_t thread = 1; thread < program->thread_count; thread++)
		mock_add(program, 0, MOCK_FORK, thread, 0);
}

void mock_add_joins(struct mock_program *program)
{
	for (size_t thread = 1; thread < program->thread_count; thread++)
		mock_add(program, 0, MOCK_JOIN, thread, 0);
}

void mock_program_free(struct mock_program *program)
{
	if (!program)
		return;
	for (size_t i = 0; i < MOCK_THREADS_MAX; i++)
		free(program->threads[i].steps);
	for (size_t i = 0; i < program->table_count; i++)
		free(program->tables[i].ns);
	free(program->tables);
	free(program->objects);
	free(program);
}

void mock_program_scale_work(struct mock_program *program, double factor)
{
	for (size_t i = 0; i < program->thread_count; i++)
		for (size_t j = 0; j < program->threads[i].count; j++) {
			struct mock_step *step = &program->threads[i].steps[j];

			if (step->op == MOCK_WORK)
				step->value = (uint64_t)((double)step->value * factor);
		}
	for (size_t i = 0; i < program->table_count; i++)
		for (size_t j = 0; j < program->tables[i].count; j++)
			program->tables[i].ns[j] =
				(uint64_t)((double)program->tables[i].ns[j] * factor);
}
