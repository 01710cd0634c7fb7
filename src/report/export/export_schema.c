/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/export/export_schema.h"

#include <stddef.h>

const char export_tables[] =
	"CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;"
	"CREATE TABLE thread (id INTEGER PRIMARY KEY, tid INTEGER, pid INTEGER, comm TEXT,"
	"\n\tstart INTEGER, time INTEGER, running INTEGER);"
	"CREATE TABLE state (thread INTEGER REFERENCES thread, start INTEGER, time INTEGER,"
	"\n\tstate TEXT, cpu INTEGER);"
	"CREATE TABLE task (id INTEGER PRIMARY KEY, pid INTEGER, number INTEGER,"
	"\n\tparent INTEGER REFERENCES task, nth INTEGER, level INTEGER,"
	"\n\troot INTEGER REFERENCES task, tree_path TEXT, function TEXT, file TEXT,"
	"\n\tline INTEGER, in_place INTEGER, ended INTEGER, ready INTEGER, start INTEGER,"
	"\n\ttime INTEGER, synced INTEGER);"
	"CREATE TABLE interval (file TEXT, line INTEGER, line2 INTEGER, function TEXT,"
	"\n\tlevel INTEGER, worker INTEGER REFERENCES thread, start INTEGER, time INTEGER,"
	"\n\trunning INTEGER, switches INTEGER, migrations INTEGER, faults INTEGER,"
	"\n\tstep TEXT, step_end TEXT, tree_path TEXT,"
	"\n\ttask INTEGER REFERENCES task);"
	"CREATE TABLE block (name TEXT, thread INTEGER REFERENCES thread, start INTEGER,"
	"\n\ttime INTEGER, running INTEGER, depth INTEGER, unwound INTEGER);"
	"CREATE TABLE sample (thread INTEGER REFERENCES thread, at INTEGER, function TEXT,"
	"\n\tobject TEXT, address INTEGER, mode TEXT);";

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
#define COUNTER(column)	      ",\n\t\t" SUM(column) " AS " column
#define COUNTER_BELOW(column) ",\n\t\t(SELECT " SUM(column) " FROM " INTERVALS_BELOW ") AS " column
#define COUNTERS	      COUNTER("switches") COUNTER("migrations") COUNTER("faults")

#define COUNTERS_BELOW COUNTER_BELOW("switches") COUNTER_BELOW("migrations") COUNTER_BELOW("faults")

const char export_views[] =
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
	"CREATE VIEW by_block AS"
	"\n\tSELECT function, file, line, line2, count(*) AS intervals, sum(time) AS time,"
	"\n\t\tsum(running) AS running, max(time) AS longest" COUNTERS
	"\n\tFROM interval GROUP BY function, file, line, line2;"
	"CREATE VIEW by_name AS"
	"\n\tSELECT name, count(*) AS calls, sum(time) AS time, sum(running) AS running,"
	"\n\t\tmax(time) AS longest"
	"\n\tFROM block GROUP BY name;"
	"CREATE VIEW by_state AS"
	"\n\tSELECT thread, tid, comm, state, count(*) AS intervals, sum(state.time) AS time"
	"\n\tFROM state JOIN thread ON thread.id = thread GROUP BY thread, state;";
