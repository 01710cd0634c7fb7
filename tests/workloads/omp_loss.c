/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tasks of OpenMP with a known loss of time of their threads:
 *
 *	omp_loss THREADS SHAPE SIZE UNITS
 *
 * A unit is some microseconds of computing, F(n) the n-th number of Fibonacci; a task that waits
 * for its children does no work:
 *
 * fib		fib(SIZE), each call a task that computes UNITS: 2 F(SIZE + 1) - 1 of them
 * queens	SIZE queens on a board, each that has a place a task of UNITS; UNITS below the last
 * sort		merge sort of 2^SIZE numbers, UNITS times 1024 at the leaves
 * matmul	product of two matrices of 2^SIZE rows, in leaves of 2^UNITS rows: 8 children, four
 *		by four, and one that waits for each four
 * fine		SIZE tasks of UNITS, spawned by one
 * unequal	THREADS tasks of SIZE times UNITS, and the first does as much again: at T threads
 *		(T - 1) / 2 T of the time of the cores is without work
 * serial	SIZE times UNITS in the root, then SIZE tasks of UNITS: at T threads
 *		(T - 1) / (T + 1) of the time of the cores is without work
 *
 * Compiled with TELLS it marks its tasks itself, by pscal/task.h; with TELLS_ROOT it marks only the
 * root, so that the begin and end of tasks are known. Prints the result and the number of its
 * tasks.
 */
#include "../../src/probe/task.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef TELLS
#define BEGIN(task, parent, index) PSCAL_TASK_BEGIN(task, parent, index)
#define TELL(step, task, value)	   PSCAL_STEP(PSCAL_STEP_##step, task, value)
#else
#define BEGIN(task, parent, index)             \
	const pscal_task task = PSCAL_NO_TASK; \
	(void)(parent), (void)(index)
#define TELL(step, task, value) (void)(task), (void)(value)
#endif
#define END(task) TELL(END, task, 0)

#if defined(TELLS) || defined(TELLS_ROOT)
#define BEGIN_ROOT(task) PSCAL_TASK_BEGIN(task, PSCAL_NO_TASK, 0)
#define END_ROOT(task)	 PSCAL_STEP(PSCAL_STEP_END, task, 0)
#else
#define BEGIN_ROOT(task) BEGIN(task, PSCAL_NO_TASK, 0)
#define END_ROOT(task)	 END(task)
#endif

/* `call` gets the task and the index, as its first arguments. */
#define SPAWN(task, index, call)          \
	do {                              \
		TELL(SPAWN, task, index); \
		_Pragma("omp task") call; \
		TELL(SPAWNED, task, 0);   \
	} while (0)

#define SYNC(task)                                             \
	do {                                                   \
		TELL(SYNC, task, 0);                           \
		_Pragma("omp taskwait") TELL(SYNCED, task, 0); \
	} while (0)

enum { STEPS = 4096 };

static int size;
static uint64_t units, task_count, result;

__attribute__((noinline)) static void compute(uint64_t count)
{
	for (uint64_t i = 0; i < count * STEPS; i++)
		__asm__ volatile("" : "+r"(i));
}

/* Adds to a sum that several threads share. */
static void add(uint64_t *sum, uint64_t value)
{
	__atomic_fetch_add(sum, value, __ATOMIC_RELAXED);
}

static void leaf(uint64_t count, pscal_task parent, int index)
{
	BEGIN(task, parent, index);
	add(&task_count, 1);
	add(&result, count);
	compute(count);
	END(task);
}

/* --- Trees --------------------------------------------------------------------------------- */

static void fib(int n, uint64_t *number, pscal_task parent, int index)
{
	uint64_t both[2] = {0, 0}, *first = &both[0], *second = &both[1];

	BEGIN(task, parent, index);
	compute(units);
	add(&task_count, 1);
	*number = (uint64_t)n;
	if (n > 1) {
		SPAWN(task, 0, fib(n - 1, first, task, 0));
		SPAWN(task, 1, fib(n - 2, second, task, 1));
		SYNC(task);
		*number = both[0] + both[1];
	}
	END(task);
}

struct board {
	int rows;
	signed char column[16]; /* position of the queen in each row */
};

static bool has_place(const struct board *board, int column)
{
	for (int row = 0; row < board->rows; row++) {
		int across = board->column[row] - column, down = board->rows - row;

		if (across == 0 || across == down || across == -down)
			return false;
	}
	return true;
}

static void put_queens(struct board board, pscal_task parent, int index)
{
	BEGIN(task, parent, index);
	compute(units);
	add(&task_count, 1);
	add(&result, board.rows == size);
	for (int column = 0; column < size && board.rows < size; column++) {
		struct board next = board;

		if (!has_place(&board, column))
			continue;
		next.column[next.rows++] = (signed char)column;
		SPAWN(task, column, put_queens(next, task, column));
	}
	SYNC(task);
	END(task);
}

/* --- Merge sort ---------------------------------------------------------------------------- */

static void merge(uint32_t *to, const uint32_t *from, size_t middle, size_t count)
{
	size_t low = 0, high = middle;

	for (size_t i = 0; i < count; i++)
		to[i] = low < middle && (high == count || from[low] <= from[high]) ? from[low++]
										   : from[high++];
}

/* `numbers` and `others` have the same content; sorts `numbers`. */
static void sort_alone(uint32_t *numbers, uint32_t *others, size_t count)
{
	if (count < 2)
		return;
	sort_alone(others, numbers, count / 2);
	sort_alone(others + count / 2, numbers + count / 2, count - count / 2);
	merge(numbers, others, count / 2, count);
}

static void sort(uint32_t *numbers, uint32_t *others, size_t count, pscal_task parent, int index)
{
	size_t half = count / 2;

	BEGIN(task, parent, index);
	add(&task_count, 1);
	if (count <= units * 1024) {
		sort_alone(numbers, others, count);
	} else {
		SPAWN(task, 0, sort(others, numbers, half, task, 0));
		SPAWN(task, 1, sort(others + half, numbers + half, count - half, task, 1));
		SYNC(task);
		merge(numbers, others, half, count);
	}
	END(task);
}

static void *room(size_t bytes)
{
	void *memory = calloc(bytes, 1);

	if (!memory)
		exit(1);
	return memory;
}

static void sort_all(pscal_task parent)
{
	size_t count = (size_t)1 << size;
	uint32_t *numbers = room(count * sizeof(*numbers)), *others = room(count * sizeof(*others));
	uint32_t random = 1;

	for (size_t i = 0; i < count; i++)
		numbers[i] = others[i] = random = random * 1664525 + 1013904223;
	SPAWN(parent, 0, sort(numbers, others, count, parent, 0));
	SYNC(parent);
	for (size_t i = 1; i < count; i++)
		result += numbers[i - 1] <= numbers[i];
	free(numbers);
	free(others);
}

/* --- Matrices ------------------------------------------------------------------------------ */

static void multiply_alone(double *c, const double *a, const double *b, size_t n)
{
	size_t row = (size_t)1 << size;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++)
			for (size_t j = 0; j < n; j++)
				c[i * row + j] += a[i * row + k] * b[k * row + j];
}

/* c += a b */
static void multiply(double *c, const double *a, const double *b, size_t n, pscal_task parent,
		     int index)
{
	size_t half = n / 2, down = half << size;

	BEGIN(task, parent, index);
	add(&task_count, 1);
	if (n >> units <= 1) {
		multiply_alone(c, a, b, n);
	} else {
		SPAWN(task, 0, multiply(c, a, b, half, task, 0));
		SPAWN(task, 1, multiply(c + half, a, b + half, half, task, 1));
		SPAWN(task, 2, multiply(c + down, a + down, b, half, task, 2));
		SPAWN(task, 3, multiply(c + down + half, a + down, b + half, half, task, 3));
		SYNC(task);
		SPAWN(task, 4, multiply(c, a + half, b + down, half, task, 4));
		SPAWN(task, 5, multiply(c + half, a + half, b + down + half, half, task, 5));
		SPAWN(task, 6, multiply(c + down, a + down + half, b + down, half, task, 6));
		SPAWN(task, 7,
		      multiply(c + down + half, a + down + half, b + down + half, half, task, 7));
		SYNC(task);
	}
	END(task);
}

/* Matrices of ones: each result is the number of rows. */
static void multiply_all(pscal_task parent)
{
	size_t rows = (size_t)1 << size, count = rows * rows;
	double *a = room(3 * count * sizeof(*a)), *b = a + count, *c = b + count;

	for (size_t i = 0; i < 2 * count; i++)
		a[i] = 1;
	SPAWN(parent, 0, multiply(c, a, b, rows, parent, 0));
	SYNC(parent);
	for (size_t i = 0; i < count; i++)
		result += (uint64_t)c[i];
	free(a);
}

/* --- Without a tree ------------------------------------------------------------------------ */

static void leaves(pscal_task task, uint64_t first)
{
	for (int i = 0; i < size; i++) {
		uint64_t count = i ? units : first;

		SPAWN(task, i, leaf(count, task, i));
	}
	SYNC(task);
}

static int run(const char *shape)
{
	uint64_t *number = &result;
	int status = 0;

	BEGIN_ROOT(root);
	task_count = 1;
	if (strcmp(shape, "fib") == 0) {
		SPAWN(root, 0, fib(size, number, root, 0));
		SYNC(root);
	} else if (strcmp(shape, "queens") == 0) {
		SPAWN(root, 0, put_queens((struct board){0}, root, 0));
		SYNC(root);
	} else if (strcmp(shape, "sort") == 0) {
		sort_all(root);
	} else if (strcmp(shape, "matmul") == 0) {
		multiply_all(root);
	} else if (strcmp(shape, "fine") == 0) {
		leaves(root, units);
	} else if (strcmp(shape, "unequal") == 0) {
		leaves(root, 2 * units);
	} else if (strcmp(shape, "serial") == 0) {
		compute((uint64_t)size * units);
		leaves(root, units);
	} else {
		status = 2;
	}
	END_ROOT(root);
	return status;
}

int main(int argc, char **argv)
{
	int status = 2, threads = argc == 5 ? atoi(argv[1]) : 0;

	if (threads < 1)
		return 2;
	size = atoi(argv[3]);
	units = strtoull(argv[4], NULL, 10);
#pragma omp parallel num_threads(threads)
#pragma omp single
	status = run(argv[2]);
	printf("%llu, %llu tasks\n", (unsigned long long)result, (unsigned long long)task_count);
	return status;
}
