/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table in a file, as the program reads it. */
#ifndef PSCAL_TESTS_TABLE_FILE_H
#define PSCAL_TESTS_TABLE_FILE_H

#include "base/io/csv_table.h"
#include "base/io/input.h"

/* NULL with a sentence. */
static inline struct csv_table *table_file_read(const char *path, struct err *err)
{
	struct input *input = input_open(path, INPUT_OF_US, err);
	struct csv_table *table = input ? csv_table_read(input, err) : NULL;

	input_close(input);
	return table;
}

#endif
