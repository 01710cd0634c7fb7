/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/process_notes.h"

#include "probe/probe_thread.h"
#include "probe/raw_call.h"
#include "probe/spool.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

/* Short texts, made without the C library: see raw_call.h. What is too long is cut. */

enum { SPOOL_TEXT_MAX = 600 };

_Static_assert(SPOOL_TEXT_MAX < SPOOL_LINE_MAX - 2, "it is a note");

/*
 * A text, small as it is on stacks of the program. Begins as zero, except for `bytes`, which end in
 * a NUL as soon as something is put.
 */
struct spool_text {
	size_t length;
	char bytes[SPOOL_TEXT_MAX];
};

static inline void spool_text_put_most(struct spool_text *text, const char *more, size_t most)
{
	for (; *more && most && text->length < sizeof(text->bytes) - 1; most--)
		text->bytes[text->length++] = *more++;
	text->bytes[text->length] = '\0';
}

static inline void spool_text_put(struct spool_text *text, const char *more)
{
	spool_text_put_most(text, more, sizeof(text->bytes));
}

static inline void spool_text_put_number(struct spool_text *text, uint64_t number)
{
	char digits[24];
	size_t at = sizeof(digits) - 1;

	digits[at] = '\0';
	do
		digits[--at] = (char)('0' + number % 10);
	while (number /= 10);
	spool_text_put(text, digits + at);
}

/* --- The file ------------------------------------------------------------------------------ */

/* Returns the size of the file, to which a limit of the size of files applies. */
static uint64_t notes_bytes(void)
{
	uint64_t limits[2] = {0, 0}; /* struct rlimit64 */

	raw_call(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, (long)limits, 0, 0);
	return limits[0] < sizeof(struct spool_notes) ? limits[0] : sizeof(struct spool_notes);
}

static struct spool_notes *offer_notes(unsigned kind)
{
	struct spool_offer offer = probe_settings.first;
	uint64_t bytes = notes_bytes();

	if (bytes < SPOOL_NOTES_MIN)
		return NULL;
	probe_process->notes_room = bytes - offsetof(struct spool_notes, text);
	offer.kind = kind;
	offer.pid = offer.tid = (int32_t)raw_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
	return recorder_link_offer(&probe_settings.link, &offer, bytes, sizeof(struct spool_notes));
}

/* Returns the notes of the process. Two threads may make two files, which are both read. */
static struct spool_notes *notes_of_process(unsigned kind)
{
	struct spool_notes *notes = __atomic_load_n(&probe_process->notes, __ATOMIC_ACQUIRE);

	if (notes || probe_process->unnoted)
		return notes;
	notes = offer_notes(kind);
	if (!notes)
		probe_process->unnoted = true;
	else
		__atomic_store_n(&probe_process->notes, notes, __ATOMIC_RELEASE);
	return notes;
}

int probe_process_program(void)
{
	return notes_of_process(SPOOL_OFFER_PROGRAM) ? 0 : -1;
}

/*
 * Writes a complete note. Its room is claimed first, as other threads may write notes. The recorder
 * reads up to the first zero, so the first byte is written last.
 */
static void put_note(enum spool_note kind, const char *text, size_t length)
{
	struct spool_notes *notes = notes_of_process(SPOOL_OFFER_CHILD);
	uint64_t at;

	if (!notes)
		return;
	at = __atomic_fetch_add(&notes->used, length + 2, __ATOMIC_RELAXED);
	if (at > probe_process->notes_room || probe_process->notes_room - at < length + 2)
		return;
	for (size_t i = 0; i < length; i++)
		notes->text[at + 1 + i] = text[i];
	notes->text[at + 1 + length] = '\n';
	__atomic_store_n(&notes->text[at], (char)kind, __ATOMIC_RELEASE);
}

/* --- Maps ---------------------------------------------------------------------------------- */

/*
 * Returns whether a line "BEGIN-END r-xp ... /PATH" is that of a file, or of executable memory:
 * changed code is recognized by the part of a file that comes before it (code/mapped_files.h).
 */
static bool tells_of_code(const char *line, size_t length)
{
	size_t at = 0;

	while (at < length && line[at] != ' ')
		at++;
	if (at + 4 > length)
		return false;
	if (line[at + 3] == 'x')
		return true;
	while (at < length && line[at] != '/')
		at++;
	return at < length;
}

static size_t line_length(const char *text, size_t length)
{
	size_t at = 0;

	while (at < length && text[at] != '\n')
		at++;
	return at;
}

/* Notes the complete lines of a text, and returns the number of bytes left at its end. */
static size_t take_lines(enum spool_note kind, char *text, size_t length)
{
	size_t at = 0, line;

	while (at + (line = line_length(text + at, length - at)) < length) {
		if (tells_of_code(text + at, line))
			put_note(kind, text + at, line);
		at += line + 1;
	}
	for (size_t i = at; i < length; i++)
		text[i - at] = text[i];
	return length - at;
}

/* Notes the maps. A line that is longer than a note is left out. */
void probe_process_maps(void)
{
	enum spool_note kind = probe_process->mapped ? SPOOL_NOTE_LATER_MAP : SPOOL_NOTE_MAP;
	char text[SPOOL_LINE_MAX - 2]; /* on a stack of the program */
	size_t kept = 0;
	bool too_long = false; /* the line of which a part is in the buffer */
	long fd = raw_call(SYS_openat, AT_FDCWD, (long)"/proc/self/maps", O_RDONLY | O_CLOEXEC, 0,
			   0, 0);
	long length;

	if (fd < 0)
		return;
	probe_process->mapped = true;
	while ((length = raw_call(SYS_read, fd, (long)text + (long)kept,
				  (long)(sizeof(text) - kept), 0, 0, 0)) > 0) {
		kept += (size_t)length;
		if (too_long) {
			size_t rest = line_length(text, kept);

			too_long = rest == kept;
			kept -= too_long ? rest : rest + 1;
			for (size_t i = 0; i < kept; i++)
				text[i] = text[rest + 1 + i];
		}
		kept = take_lines(kind, text, kept);
		too_long |= kept == sizeof(text);
		if (too_long)
			kept = 0;
	}
	raw_call(SYS_close, fd, 0, 0, 0, 0, 0);
}

/* --- Names --------------------------------------------------------------------------------- */

void probe_process_name(uint64_t block, const char *name)
{
	struct spool_text line = {.length = 0};

	spool_text_put_number(&line, block);
	spool_text_put(&line, " ");
	spool_text_put(&line, name);
	put_note(SPOOL_NOTE_NAME, line.bytes, line.length);
}

void probe_process_site(uint64_t block, const char *function, const char *file, uint32_t line)
{
	enum { FUNCTION_MAX = 206, FILE_MAX = 256 };
	struct spool_text text = {.length = 0};
	size_t length = 0;

	while (file[length])
		length++;
	spool_text_put_number(&text, block);
	spool_text_put(&text, " ");
	spool_text_put_most(&text, function, FUNCTION_MAX);
	spool_text_put(&text, " ");
	spool_text_put(&text, file + (length > FILE_MAX ? length - FILE_MAX : 0));
	spool_text_put(&text, ":");
	spool_text_put_number(&text, line);
	put_note(SPOOL_NOTE_NAME, text.bytes, text.length);
}

/* --- Trouble ------------------------------------------------------------------------------- */

void probe_process_trouble(const char *sentence, const char *what)
{
	struct spool_text line = {.length = 0};

	if (what) {
		spool_text_put(&line, what);
		spool_text_put(&line, ": ");
	}
	spool_text_put(&line, sentence);
	put_note(SPOOL_NOTE_TROUBLE, line.bytes, line.length);
}

void probe_process_elsewhere(void)
{
	probe_settings.on = false;
	probe_process_trouble("a process with its own ids is not recorded (in another PID "
			      "namespace, as in a container)",
			      NULL);
}

/* Notes the confinement before it happens, as nothing can be noted afterwards. */
void probe_process_confined(bool is_confined)
{
	put_note(is_confined ? SPOOL_NOTE_CONFINED : SPOOL_NOTE_UNCONFINED, "", 0);
}
