/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A recording as tables: rows are made of cells, and a sink writes them to a database or to CSV
 * files. The columns of both are those of table_kinds.
 */
#ifndef PSCAL_REPORT_EXPORT_EXPORT_PRIVATE_H
#define PSCAL_REPORT_EXPORT_EXPORT_PRIVATE_H

#include "decode/event/event.h"
#include "report/export/export.h"
#include "stats/spin/thread_names.h"

enum { EXPORT_ROWS_A_LOOK = 1 << 14 }; /* number of rows between two checks of the clock */

/* The largest length of a tree_path: the paths of all tasks of a chain take its length squared. */
enum { EXPORT_PATH_MAX = 1000 };

/* --- Tables -------------------------------------------------------------------------------- */

enum export_table {
	TABLE_META,
	TABLE_THREAD,
	TABLE_STATE,
	TABLE_TASK,
	TABLE_INTERVAL,
	TABLE_CALL,
	TABLE_SAMPLE,
	TABLE_TABLES,
};

struct table_column {
	const char *name;
	enum { COLUMN_COUNT, COLUMN_TEXT, COLUMN_ANY } type;
	const char *constraint; /* SQL constraint, with a blank in front; NULL: none */
};

struct table_kind {
	const char *name;
	const struct table_column *columns;
	size_t count;
};

extern const struct table_kind table_kinds[TABLE_TABLES];

/* --- Rows ---------------------------------------------------------------------------------- */

struct table_cell {
	enum { CELL_IS_NULL, CELL_IS_COUNT, CELL_IS_TEXT } kind;
	int64_t count;
	const char *text; /* any bytes */
	size_t length;
	bool changed; /* set since the last row; the sink clears it */
};

/* A destination of rows. The first failure is kept, and later calls do nothing. */
struct table_sink {
	void *(*open)(const struct export_request *request, struct err *err);
	/* Called before the first row of the table. */
	void (*add_columns)(void *own, enum export_table table, const char *const *names,
			    size_t count);
	void (*put)(void *own, enum export_table table, struct table_cell *cells);
	void (*clear)(void *own, enum export_table table);
	int (*check)(const void *own, struct err *err);
	int (*publish)(void *own, struct err *err);
	void (*close)(void *own);
};

extern const struct table_sink csv_sink;

/*
 * The current row of a table. Cells keep the values of the row before; texts are borrowed. Columns
 * count from 1. A name must stay valid until all has been written.
 */
struct table_rows {
	const struct table_sink *sink;
	void *own;
	enum export_table table;
	struct table_cell *cells;
	size_t column_count;
	uint64_t count;
};

void row_count(struct table_rows *rows, int column, int64_t count);
void row_known(struct table_rows *rows, int column, bool known, int64_t count); /* else NULL */
void row_id(struct table_rows *rows, int column, int32_t id); /* NULL if negative */
void row_since(struct table_rows *rows, int column, uint64_t time_ns, uint64_t origin_ns);
void row_text(struct table_rows *rows, int column, const char *text, size_t length);
void row_string(struct table_rows *rows, int column, const char *text); /* NULL gives NULL */
void row_name(struct table_rows *rows, int column, const char *text, size_t length);
void row_put(struct table_rows *rows);

/* --- All of them --------------------------------------------------------------------------- */

struct export_thread {
	bool appeared, has_states, sampled;
	int32_t tid, pid;
	struct thread_name name;
	uint32_t start; /* as in struct change */
	uint64_t begin_ns, end_ns, running_ns;
};

struct export_tables {
	const struct table_sink *sink;
	void *own; /* state of the sink */
	const char *path, *input;
	struct event_source *source;
	struct table_rows tables[TABLE_TABLES];
	struct export_thread *threads; /* [number in the timeline] */
	size_t thread_count, thread_capacity;
	uint64_t begin_ns, end_ns;
	bool has_states, has_tasks, sampled;
	uint64_t never_begun, never_run, never_ended, never_synced, orphans;
	uint64_t long_paths; /* number of tasks whose path is left out */
	uint64_t samples_left_out;
};

/* Adds columns at the end of a table that has no rows yet. */
void tables_add_columns(struct export_tables *export, enum export_table table,
			const char *const *names, size_t count);

void tables_tasks(struct export_tables *export, const struct task_tree *tree,
		  struct progress *progress);

#endif
