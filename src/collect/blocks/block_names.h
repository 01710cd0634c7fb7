/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers and names of blocks, which processes know by addresses. The name comes from the plan, a
 * note of the process (probe/spool.h), or the symbols of a file; otherwise it is the place in the
 * file. Steps of tasks have a place in the source: from a note of the process, or from debug
 * information and symbols, as "FUNCTION FILE:LINE" or "FUNCTION+0x12".
 *
 * Numbers count up in the order in which names are met; blocks of two processes with the same name
 * are one block. A file is read only if the process's user may read it. The names of all processes
 * take at most some 200 MB, and finding them at most 3 s: a longer look is cut short.
 */
#ifndef PSCAL_COLLECT_BLOCKS_BLOCK_NAMES_H
#define PSCAL_COLLECT_BLOCKS_BLOCK_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/map.h"
#include "code/source_lines.h"
#include "collect/blocks/function_reader.h"
#include "probe/spool.h"

struct block_process;
struct spool_process;
struct probe_plan;
struct recording;

/* Names of blocks. Begins as zero, except for borrowed members. */
struct block_names {
	/* Calls block_names_note() for new notes; NULL: there are none. */
	void (*read_notes)(void *context, struct spool_process *process);
	void *context;
	const struct probe_plan *plan; /* borrowed */
	const char *proc;	       /* "/proc"; borrowed */
	char **items;		       /* names by number */
	size_t count, capacity;

	/* Private: */
	size_t told, bytes;
	size_t addresses, map_bytes; /* of all processes */
	uint64_t looking_ns;	     /* time spent on files and maps, or not to be spent */
	uint64_t met;		     /* addresses whose names were looked for */
	bool unknown;		     /* some names were not looked for */
	struct map numbers;	     /* numbers of names */
	struct function_reader functions;
	struct source_lines lines;
};

void block_names_release(struct block_names *names);

/*
 * Makes the names of a process that runs one program; `of` must live as long. The caller frees it.
 */
struct block_process *block_process_new(struct spool_process *of);
void block_process_free(struct block_names *names, struct block_process *process);

/* Returns whether notes say that the process has mapped code of this file. */
bool block_process_maps(const struct block_process *process, const char *path);

/* Reads a SPOOL_NOTE_MAP, _LATER_MAP or _NAME of the process; changes the text. */
void block_names_note(struct block_names *names, struct block_process *process,
		      enum spool_note kind, char *text);

/* Limits further looks at files and maps of processes to a moment, as the recording ends. */
void block_names_hurry(struct block_names *names);

/*
 * Returns whether the file at the path, as far as the process's user may read it, has a function
 * whose name matches the glob. False also if there is no time to look.
 */
bool block_names_has_function(struct block_names *names, struct block_process *process,
			      const char *path, const char *glob);

/* Returns a sentence on names whose search took too long; NULL: none. The caller frees it. */
char *block_names_trouble(const struct block_names *names);

/* Added to the address of a place in the source, as opposed to a block. */
#define BLOCK_NAMES_PLACE (UINT64_C(1) << 63)

/*
 * Writes new names to the recording. The format texts have them at its end, which a stream and an
 * interrupted recording lack.
 */
void block_names_tell(struct block_names *names, struct recording *recording);

uint32_t block_names_number(struct block_names *names, struct block_process *process,
			    uint64_t address);

#endif
