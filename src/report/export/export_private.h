/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of an export while they are filled. */
#ifndef PSCAL_REPORT_EXPORT_EXPORT_PRIVATE_H
#define PSCAL_REPORT_EXPORT_EXPORT_PRIVATE_H

#include "decode/event/event.h"
#include "report/export/export_sqlite.h"
#include "report/export/sqlite_file.h"

enum { EXPORT_ROWS_A_LOOK = 1 << 14 }; /* between two looks at the clock */

/* Characters of a tree_path: those of all tasks of a chain would take its length squared. */
enum { EXPORT_PATH_MAX = 1000 };

/* Those that every recording has. */
enum { EXPORT_INTERVAL_COLUMNS = 16 };

enum export_table {
	EXPORT_META,
	EXPORT_THREAD,
	EXPORT_STATE,
	EXPORT_TASK,
	EXPORT_INTERVAL,
	EXPORT_BLOCK,
	EXPORT_SAMPLE,
	EXPORT_TABLES,
};

struct export_thread {
	bool appeared, has_states, sampled;
	int32_t tid, pid;
	char comm[THREAD_NAME_SIZE];
	uint32_t start; /* as in struct change */
	uint64_t begin_ns, end_ns, running_ns;
};

struct export
{
	struct sqlite_file file;
	struct sqlite_insert inserts[EXPORT_TABLES];
	struct export_thread *threads; /* by their number in the timeline */
	size_t thread_count, thread_capacity;
	uint64_t begin_ns, end_ns;
	bool has_states, has_tasks, sampled;
	uint64_t never_begun, never_run, never_ended, never_synced, orphans;
	uint64_t long_paths; /* tasks whose path is left out */
	uint64_t samples_left_out;
};

/* NULL is NULL. */
void export_text(struct sqlite_insert *insert, int parameter, const char *text);

/* A negative number stands for an unknown one. */
void export_id(struct sqlite_insert *insert, int parameter, int32_t id);

void export_since(struct sqlite_insert *insert, int parameter, uint64_t time_ns,
		  uint64_t origin_ns);

#endif
