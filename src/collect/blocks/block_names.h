/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers and names of blocks, which processes know by addresses: as the plan has it, as the
 * process notes it (probe/spool.h), as the symbols of a file say, or else where in a file it is. The
 * steps of tasks have a place in the source: as the process notes it, or else, as debug information
 * and symbols say, "FUNCTION FILE:LINE" or "FUNCTION+0x12".
 * Numbers count up in the order in which names are met; blocks of two processes with the same name
 * are one block. A file is read only if the process's user may read it. The names of all processes
 * take no more than some 200 MB, and looking for them 3 s: a look that would take longer is cut
 * short.
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

/* Begins as zero, but for what is borrowed. */
struct block_names {
	/* Calls block_names_note() with the notes that have come; NULL: there are none. */
	void (*read_notes)(void *context, struct spool_process *process);
	void *context;
	const struct probe_plan *plan; /* borrowed */
	const char *proc;	       /* "/proc"; borrowed */
	char **items;		       /* names by number */
	size_t count, capacity;

	/* Its own: */
	size_t told, bytes;
	size_t addresses, map_bytes; /* of all processes */
	uint64_t looking_ns;	     /* has been spent on files and maps, or is not to be spent */
	uint64_t met;		     /* addresses for which a name was looked for */
	bool unknown;		     /* something was not looked for */
	struct map numbers;	     /* of tsearch(3) */
	struct function_reader functions;
	struct source_lines lines;
};

void block_names_release(struct block_names *names);

/* A process while it runs one program; `of` stays. Free it. */
struct block_process *block_process_new(struct spool_process *of);
void block_process_free(struct block_names *names, struct block_process *process);

/* Has it been noted that the process has code of this file mapped? */
bool block_process_maps(const struct block_process *process, const char *path);

/* A SPOOL_NOTE_MAP, _LATER_MAP or _NAME of the process; changes the text. */
void block_names_note(struct block_names *names, struct block_process *process,
		      enum spool_note kind, char *text);

/* The recording ends: in a moment nothing more is looked for in files and maps of processes. */
void block_names_hurry(struct block_names *names);

/*
 * Has the file at the path, as the process's user may read it, a function whose name the glob means?
 * False also where there is no time to look.
 */
bool block_names_has_function(struct block_names *names, struct block_process *process,
			      const char *path, const char *glob);

/* A sentence on names that are not known as it took too long, to be freed; NULL: there are none. */
char *block_names_trouble(const struct block_names *names);

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
