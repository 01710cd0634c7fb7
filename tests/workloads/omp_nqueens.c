/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Usage: omp_nqueens N [THREADS]
 *
 * Counts the ways in which N queens, up to 16, can stand on a board of N x N without a threat. Each
 * placed queen is a task with a copy of the board, so there are as many tasks as boards with 1 to N
 * queens in the first rows. Only the parallel region waits for tasks. Prints ways and tasks.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

struct board {
	int size, rows;
	signed char column[16]; /* position of the queen in each row */
};

static long ways, tasks;

static bool has_place(const struct board *board, int column)
{
	for (int row = 0; row < board->rows; row++) {
		int across = board->column[row] - column, down = board->rows - row;

		if (across == 0 || across == down || across == -down)
			return false;
	}
	return true;
}

static void put_queens(struct board board)
{
	if (board.rows == board.size) {
#pragma omp atomic
		ways++;
		return;
	}
	for (int column = 0; column < board.size; column++) {
		struct board next = board;

		if (!has_place(&board, column))
			continue;
		next.column[next.rows++] = (signed char)column;
#pragma omp atomic
		tasks++;
#pragma omp task firstprivate(next)
		put_queens(next);
	}
}

int main(int argc, char **argv)
{
	int size = argc > 1 ? atoi(argv[1]) : 6, threads = argc > 2 ? atoi(argv[2]) : 2;

#pragma omp parallel num_threads(threads)
#pragma omp single
	put_queens((struct board){.size = size});
	printf("%ld ways, %ld tasks\n", ways, tasks);
	return 0;
}
