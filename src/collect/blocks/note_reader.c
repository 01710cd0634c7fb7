/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/blocks/note_reader.h"

#include "base/printable.h"

#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns the bytes that have been dealt with; 0: the first note is not whole so far. */
static size_t take_notes(char *text, size_t length, bool last,
			 void (*take)(void *context, enum spool_note kind, char *text),
			 void *context)
{
	size_t at = 0;

	while (at < length) {
		char *end = memchr(text + at, '\n', length - at);
		bool is_whole = end && !memchr(text + at, '\0', (size_t)(end - text) - at);

		if (!end || (!is_whole && !last))
			break;
		*end = '\0';
		if (is_whole && end > text + at)
			take(context, (enum spool_note)(unsigned char)text[at],
			     printable_mend(text + at + 1));
		at = (size_t)(end - text) + 1;
	}
	return at;
}

bool note_reader_read(struct note_reader *reader, bool last,
		      void (*take)(void *context, enum spool_note kind, char *text), void *context)
{
	char text[16 * SPOOL_LINE_MAX];
	const uint64_t begin = offsetof(struct spool_notes, text);
	ssize_t length = pread(reader->fd, text, sizeof(text), (off_t)(begin + reader->at));
	size_t taken = length > 0 ? take_notes(text, (size_t)length, last, take, context) : 0;

	/* No note is so long: the process has not written it through the library. */
	if (!taken && length == sizeof(text) && !memchr(text, '\0', SPOOL_LINE_MAX))
		taken = (size_t)length;
	reader->at += taken;
	return taken > 0;
}

bool note_reader_is_over_full(const struct note_reader *reader)
{
	uint64_t begin = offsetof(struct spool_notes, text), used;
	struct stat file;

	return fstat(reader->fd, &file) == 0 && (uint64_t)file.st_size >= begin &&
	       pread(reader->fd, &used, sizeof(used), offsetof(struct spool_notes, used)) ==
		       (ssize_t)sizeof(used) &&
	       used > (uint64_t)file.st_size - begin;
}
