/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/export_schema.h"

#include <stddef.h>

const char export_tables[] =
	"CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;"
	"CREATE TABLE thread (id INTEGER PRIMARY KEY, tid INTEGER, pid INTEGER, comm TEXT,"
	"	start INTEGER, time INTEGER, running INTEGER);"
	"CREATE TABLE state (thread INTEGER REFERENCES thread, start INTEGER, time INTEGER,"
	"	state TEXT, cpu INTEGER);"
	"CREATE TABLE task (id INTEGER PRIMARY KEY, pid INTEGER, number INTEGER,"
	"	parent INTEGER REFERENCES task, nth INTEGER, level INTEGER,"
	"	root INTEGER REFERENCES task, tree_path TEXT, function TEXT, file TEXT,"
	"	line INTEGER, in_place INTEGER, ended INTEGER, ready INTEGER, start INTEGER,"
	"	time INTEGER, synced INTEGER);"
	"CREATE TABLE interval (file TEXT, line INTEGER, line2 INTEGER, function TEXT,"
	"	level INTEGER, worker INTEGER REFERENCES thread, start INTEGER, time INTEGER,"
	"	running INTEGER, switches INTEGER, migrations INTEGER, faults INTEGER,"
	"	step TEXT, step_end TEXT, tree_path TEXT,"
	"	task INTEGER REFERENCES task);"
	"CREATE TABLE block (name TEXT, thread INTEGER REFERENCES thread, start INTEGER,"
	"	time INTEGER, running INTEGER, depth INTEGER, unwound INTEGER);"
	"CREATE TABLE sample (thread INTEGER REFERENCES thread, at INTEGER, function TEXT,"
	"	object TEXT, address INTEGER, mode TEXT);";

const char *const export_indexes[] = {
	"CREATE INDEX state_by_thread ON state (thread, start)",
	"CREATE INDEX task_by_parent ON task (parent)",
	"CREATE INDEX task_by_path ON task (root, tree_path)",
	"CREATE INDEX interval_by_task ON interval (task)",
	"CREATE INDEX interval_by_path ON interval (tree_path)",
	"CREATE INDEX interval_by_line ON interval (line, line2)",
	"CREATE INDEX interval_by_worker ON interval (worker, start)",
	"CREATE INDEX block_by_name ON block (name)",
	"CREATE INDEX block_by_thread ON block (thread, start)",
	"CREATE INDEX sample_by_function ON sample (function)",
	"CREATE INDEX sample_by_thread ON sample (thread, at)",
	NULL,
};

/*
 * What is below a task has its path and a dot in front, and '/' is the character behind that: so it
 * is one range of the index. By sub-queries, as those for tasks that nobody asks for are not made.
 */
#define BELOW                                                         \
	"below.root = top.root AND below.tree_path >= top.tree_path " \
	"AND below.tree_path < top.tree_path || '/'"
#define INTERVALS_BELOW "task AS below JOIN interval ON interval.task = below.id WHERE " BELOW

/* Of what is not known of one interval the sum is not known. */
#define SUM(column)	      "CASE WHEN count(" column ") = count(*) THEN sum(" column ") END"
#define COUNTER(column)	      "," SUM(column) " AS " column
#define COUNTER_BELOW(column) ",(SELECT " SUM(column) " FROM " INTERVALS_BELOW ") AS " column
#define COUNTERS	      COUNTER("switches") COUNTER("migrations") COUNTER("faults")
#define COUNTERS_BELOW	      COUNTER_BELOW("switches") COUNTER_BELOW("migrations") COUNTER_BELOW("faults")

const char export_views[] =
	"CREATE VIEW by_level AS"
	"	SELECT level, count(DISTINCT task) AS tasks, count(*) AS intervals,"
	"		sum(time) AS time, sum(running) AS running, max(time) AS longest" COUNTERS
	"	FROM interval GROUP BY level;"
	"CREATE VIEW by_subtree AS"
	"	SELECT id AS task, tree_path, level, function, file, line,"
	"		(SELECT count(*) FROM task AS below WHERE " BELOW ") AS tasks,"
	"		(SELECT count(*) FROM " INTERVALS_BELOW ") AS intervals,"
	"		(SELECT sum(interval.time) FROM " INTERVALS_BELOW ") AS time,"
	"		(SELECT sum(interval.running) FROM " INTERVALS_BELOW
	") AS running" COUNTERS_BELOW "	FROM task AS top WHERE tree_path IS NOT NULL;"
	"CREATE VIEW by_block AS"
	"	SELECT function, file, line, line2, count(*) AS intervals, sum(time) AS time,"
	"		sum(running) AS running, max(time) AS longest" COUNTERS
	"	FROM interval GROUP BY function, file, line, line2;"
	"CREATE VIEW by_name AS"
	"	SELECT name, count(*) AS calls, sum(time) AS time, sum(running) AS running,"
	"		max(time) AS longest"
	"	FROM block GROUP BY name;"
	"CREATE VIEW by_state AS"
	"	SELECT thread, tid, comm, state, count(*) AS intervals, sum(state.time) AS time"
	"	FROM state JOIN thread ON thread.id = thread GROUP BY thread, state;";
