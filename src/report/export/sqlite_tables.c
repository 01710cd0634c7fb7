/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/export/export_private.h"

#include "base/alloc.h"
#include "report/export/sqlite_file.h"

#include <stdlib.h>
#include <string.h>

/* --- The schema ---------------------------------------------------------------------------- */

/* The indexes are made after the tables, which is faster than updating them for each row. */
static const char *const schema_indexes[] = {
	"CREATE INDEX state_by_thread ON state (thread, start)",
	"CREATE INDEX task_by_parent ON task (parent)",
	"CREATE INDEX task_by_path ON task (root, tree_path)",
	"CREATE INDEX interval_by_task ON interval (task)",
	"CREATE INDEX call_by_name ON call (name)",
	"CREATE INDEX call_by_thread ON call (thread, start)",
	"CREATE INDEX sample_by_function ON sample (function)",
	"CREATE INDEX sample_by_thread ON sample (thread, at)",
	NULL,
};

/*
 * The condition for tasks below a task: their path is its path, a dot and more, and '/' is the
 * character after the dot. So they are one range of the index. Sub-queries are evaluated only for
 * the requested tasks.
 */
#define BELOW                                                         \
	"below.root = top.root AND below.tree_path >= top.tree_path " \
	"AND below.tree_path < top.tree_path || '/'"
#define INTERVALS_BELOW "task AS below JOIN interval ON interval.task = below.id WHERE " BELOW

/* The sum of a counter is unknown (NULL) if it is unknown for an interval. */
#define SUM(column)	      "CASE WHEN count(" column ") = count(*) THEN sum(" column ") END"
#define COUNTER(column)	      ",\n\t\t" SUM(column) " AS " column
#define COUNTER_BELOW(column) ",\n\t\t(SELECT " SUM(column) " FROM " INTERVALS_BELOW ") AS " column
#define COUNTERS	      COUNTER("switches") COUNTER("migrations") COUNTER("faults")

#define COUNTERS_BELOW COUNTER_BELOW("switches") COUNTER_BELOW("migrations") COUNTER_BELOW("faults")

static const char schema_views[] =
	"CREATE VIEW by_level AS"
	"\n\tSELECT level, count(DISTINCT task) AS tasks, count(*) AS intervals,"
	"\n\t\tsum(time) AS time, sum(running) AS running, max(time) AS longest" COUNTERS
	"\n\tFROM interval GROUP BY level;"
	"CREATE VIEW by_subtree AS"
	"\n\tSELECT id AS task, tree_path, level, function, file, line,"
	"\n\t\t(SELECT count(*) FROM task AS below WHERE " BELOW ") AS tasks,"
	"\n\t\t(SELECT count(*) FROM " INTERVALS_BELOW ") AS intervals,"
	"\n\t\t(SELECT sum(interval.time) FROM " INTERVALS_BELOW ") AS time,"
	"\n\t\t(SELECT sum(interval.running) FROM " INTERVALS_BELOW ") AS running" COUNTERS_BELOW
	"\n\tFROM task AS top WHERE tree_path IS NOT NULL;"
	"CREATE VIEW by_segment AS"
	"\n\tSELECT function, file, line, line2, count(*) AS intervals, sum(time) AS time,"
	"\n\t\tsum(running) AS running, max(time) AS longest" COUNTERS
	"\n\tFROM interval GROUP BY function, file, line, line2;"
	"CREATE VIEW by_name AS"
	"\n\tSELECT name, count(*) AS calls, sum(time) AS time, sum(running) AS running,"
	"\n\t\tmax(time) AS longest"
	"\n\tFROM call GROUP BY name;"
	"CREATE VIEW by_state AS"
	"\n\tSELECT thread, tid, comm, state, count(*) AS intervals, sum(state.time) AS time,"
	"\n\t\tthread.name"
	"\n\tFROM state JOIN thread ON thread.id = thread GROUP BY thread, state;";

struct sqlite_tables {
	struct sqlite_file file;
	struct sqlite_insert inserts[TABLE_TABLES];
	size_t columns[TABLE_TABLES];
};

/* Creates a table. One with a text as key is its own index. */
static void create_table(struct sqlite_tables *tables, const struct table_kind *kind)
{
	static const char *const types[] = {
		[COLUMN_COUNT] = " INTEGER", [COLUMN_TEXT] = " TEXT", [COLUMN_ANY] = ""};
	const struct table_column *first = &kind->columns[0];
	char *columns = NULL, *sql;

	for (size_t i = 0; i < kind->count; i++) {
		const struct table_column *column = &kind->columns[i];

		xappend(&columns, ", ", "%s%s%s", column->name, types[column->type],
			column->constraint ? column->constraint : "");
	}
	sql = xasprintf("CREATE TABLE %s (%s)%s", kind->name, columns,
			first->type == COLUMN_TEXT && first->constraint ? " WITHOUT ROWID" : "");
	sqlite_file_run(&tables->file, sql);
	free(columns);
	free(sql);
}

static void begin_insert(struct sqlite_tables *tables, enum export_table table)
{
	sqlite_insert_begin(&tables->inserts[table], &tables->file, table_kinds[table].name,
			    tables->columns[table]);
}

static void *sqlite_tables_open(const struct export_request *request, struct err *err)
{
	struct sqlite_tables *tables = xcalloc(1, sizeof(*tables));

	if (sqlite_file_open(&tables->file, request->path, request->replace, err)) {
		free(tables);
		return NULL;
	}
	sqlite_file_set_stop(&tables->file, request->stop);
	for (enum export_table i = 0; i < TABLE_TABLES; i++)
		create_table(tables, &table_kinds[i]);
	for (enum export_table i = 0; i < TABLE_TABLES; i++) {
		tables->columns[i] = table_kinds[i].count;
		begin_insert(tables, i);
	}
	return tables;
}

/* Doubles the quotes in a name. */
static char *quoted(const char *name)
{
	char *text = xcalloc(2 * strlen(name) + 1, 1), *at = text;

	for (; *name; name++) {
		if (*name == '"')
			*at++ = '"';
		*at++ = *name;
	}
	return text;
}

static void sqlite_tables_add_columns(void *own, enum export_table table, const char *const *names,
				      size_t count)
{
	struct sqlite_tables *tables = own;

	for (size_t i = 0; i < count; i++) {
		char *name = quoted(names[i]);
		char *sql = xasprintf("ALTER TABLE %s ADD COLUMN \"%s\" INTEGER",
				      table_kinds[table].name, name);

		sqlite_file_run(&tables->file, sql);
		free(name);
		free(sql);
	}
	sqlite_insert_end(&tables->inserts[table]);
	tables->columns[table] += count;
	begin_insert(tables, table);
}

/* Writes a row. SQLite keeps the values of the row before: only changed ones are set. */
static void sqlite_tables_put(void *own, enum export_table table, struct table_cell *cells)
{
	struct sqlite_tables *tables = own;
	struct sqlite_insert *insert = &tables->inserts[table];

	for (size_t i = 0; i < tables->columns[table]; i++) {
		struct table_cell *cell = &cells[i];

		if (!cell->changed)
			continue;
		cell->changed = false;
		if (cell->kind == CELL_IS_TEXT)
			sqlite_insert_text(insert, (int)i + 1, cell->text, cell->length);
		else
			sqlite_insert_known(insert, (int)i + 1, cell->kind == CELL_IS_COUNT,
					    cell->count);
	}
	sqlite_insert_row(insert);
}

static void sqlite_tables_clear(void *own, enum export_table table)
{
	struct sqlite_tables *tables = own;
	char *sql = xasprintf("DELETE FROM %s", table_kinds[table].name);

	sqlite_file_run(&tables->file, sql);
	free(sql);
}

static int sqlite_tables_check(const void *own, struct err *err)
{
	const struct sqlite_tables *tables = own;

	return sqlite_file_check(&tables->file, err);
}

static void end_inserts(struct sqlite_tables *tables)
{
	for (size_t i = 0; i < TABLE_TABLES; i++)
		sqlite_insert_end(&tables->inserts[i]);
}

static int sqlite_tables_publish(void *own, struct err *err)
{
	struct sqlite_tables *tables = own;

	end_inserts(tables);
	for (size_t i = 0; schema_indexes[i]; i++)
		sqlite_file_run(&tables->file, schema_indexes[i]);
	sqlite_file_run(&tables->file, schema_views);
	/* a few rows of an index show its selectivity */
	sqlite_file_run(&tables->file, "PRAGMA analysis_limit = 1000; ANALYZE");
	return sqlite_file_publish(&tables->file, err);
}

static void sqlite_tables_close(void *own)
{
	struct sqlite_tables *tables = own;

	end_inserts(tables);
	sqlite_file_close(&tables->file);
	free(tables);
}

const struct table_sink sqlite_sink = {
	.open = sqlite_tables_open,
	.add_columns = sqlite_tables_add_columns,
	.put = sqlite_tables_put,
	.clear = sqlite_tables_clear,
	.check = sqlite_tables_check,
	.publish = sqlite_tables_publish,
	.close = sqlite_tables_close,
};
