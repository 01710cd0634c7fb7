/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers and names of blocks, which processes know by addresses: as the plan has it, as the
 * process says (names-PID-IMAGE), as the symbols of a file say, or else where in a file it is. What
 * tasks do has a place in the source: as the process says, or else, as debug information and
 * symbols say, "FUNCTION FILE:LINE" or "FUNCTION+0x12".
 * Numbers count up in the order in which names are met; what is called alike in two processes is
 * one block.
 */
#ifndef PSCAL_COLLECT_BLOCK_NAMES_H
#define PSCAL_COLLECT_BLOCK_NAMES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/source_lines.h"

struct block_process;
struct function_table;
struct probe_plan;
struct recording;

/* Begins as zero, but for what is borrowed. */
struct block_names {
	const char *spool;	       /* the directory; borrowed */
	const struct probe_plan *plan; /* borrowed */
	const char *proc;	       /* "/proc"; borrowed */
	char **items;		       /* names by number */
	size_t count, capacity;

	/* Its own: */
	size_t told;
	void *by_name; /* of tsearch(3) */
	struct function_table *files;
	size_t file_count, file_capacity;
	struct source_lines lines;
	struct block_process *processes;
};

void block_names_release(struct block_names *names);

/* A process while it runs one program. Give it back once for each time. */
struct block_process *block_names_process(struct block_names *names, pid_t pid, uint64_t image);
void block_names_give_back(struct block_names *names, struct block_process *process);

/* Added to an address: it is not of a block, but of a place in the source. */
#define BLOCK_NAMES_PLACE (UINT64_C(1) << 63)

/*
 * Those that are new go into the recording. The format texts have them at the end, to which a
 * stream and an interrupted recorder do not come.
 */
void block_names_tell(struct block_names *names, struct recording *recording);

uint32_t block_names_number(struct block_names *names, struct block_process *process,
			    uint64_t address);

#endif
