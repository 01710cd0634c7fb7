/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads any bytes as the memory that a watched process hands over to its recorder: for a file of
 * events the struct header below and the begin of each window; the rest is its notes. Reading ends,
 * and finds no more events than there are.
 */
#include "fuzz.h"

#include "base/alloc.h"
#include "collect/blocks/block_names.h"
#include "collect/blocks/block_spool.h"
#include "collect/patch/probe_plan.h"

#include <assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WINDOWS = 3, WINDOW_RECORDS = SPOOL_WINDOW / sizeof(struct spool_record) };

/* The header of an input; a short input cuts it. */
struct header {
	uint8_t clock, ended;
	uint8_t windows[WINDOWS];
	uint8_t first; /* begin of the events in each window, of 256 places */
	uint64_t turned, full, image;
};

struct spoiled {
	const uint8_t *at;
	size_t left;
};

static void take(struct spoiled *input, void *to, size_t size)
{
	size_t taken = size < input->left ? size : input->left;

	memcpy(to, input->at, taken);
	input->at += taken;
	input->left -= taken;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static void *make_file(int *fd, size_t bytes)
{
	void *at;

	*fd = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (*fd < 0 || ftruncate(*fd, (off_t)bytes))
		abort();
	at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	assert(at != MAP_FAILED);
	return at;
}

static struct spool_arrival write_events(struct spoiled *input, const struct header *header)
{
	struct spool_arrival arrival = {
		.offer = {.kind = SPOOL_OFFER_THREAD,
			  .pid = 77,
			  .tid = 77,
			  .image = header->image,
			  .clock = header->clock},
		.bytes = SPOOL_HEADER_BYTES + WINDOWS * SPOOL_WINDOW,
	};
	struct spool_header *made = make_file(&arrival.fd, arrival.bytes);

	made->full = header->full;
	made->ended = header->ended;
	made->turned = header->turned;
	for (size_t i = 0; i < WINDOWS; i++)
		made->windows[i] = header->windows[i];
	for (size_t i = 0; i < WINDOWS; i++) {
		struct spool_record *window =
			(void *)((char *)made + SPOOL_HEADER_BYTES + i * SPOOL_WINDOW);
		size_t first = header->first * (WINDOW_RECORDS / 256);

		/* A share of the remaining bytes; the notes follow. */
		take(input, window + first,
		     least(input->left / (WINDOWS + 1 - i),
			   (WINDOW_RECORDS - first) * sizeof(*window)));
	}
	munmap(made, arrival.bytes);
	return arrival;
}

/* --- Notes --------------------------------------------------------------------------------- */

struct listener {
	struct block_names *names;
	struct block_process *process;
	size_t bytes;
};

static void take_note(void *context, enum spool_note kind, char *text)
{
	struct listener *listener = context;

	for (const char *at = text; *at; at++)
		assert((unsigned char)*at >= ' ' && *at != 0x7f);
	listener->bytes += strlen(text) + 2;
	block_names_note(listener->names, listener->process, kind, text);
}

static void read_notes(struct spoiled *input, struct listener *listener)
{
	struct note_reader reader = {.at = 0};
	struct spool_notes *notes = make_file(&reader.fd, sizeof(*notes));
	size_t length = least(input->left, sizeof(notes->text));

	take(input, notes->text, length);
	for (int last = 0; last <= 1; last++)
		while (note_reader_read(&reader, last, take_note, listener))
			;
	assert(listener->bytes <= length);
	munmap(notes, sizeof(*notes));
	close(reader.fd);
}

/* --- Events -------------------------------------------------------------------------------- */

static void read_events(const struct spool_arrival *arrival, struct listener *listener)
{
	struct spool_reader reader;
	struct spool_event event;
	struct err err;
	size_t events = 0;

	if (spool_reader_open(&reader, arrival, &err))
		abort();
	for (int last = 0; last <= 1; last++) {
		spool_reader_look(&reader);
		while (spool_reader_next(&reader, &event, last)) {
			uint32_t number =
				block_names_number(listener->names, listener->process, event.block);

			assert(++events <= (size_t)WINDOWS * WINDOW_RECORDS);
			assert(event.kind < SPOOL_KINDS && event.count <= SPOOL_VALUES_MAX);
			assert(number < listener->names->count && *listener->names->items[number]);
		}
	}
	assert(reader.torn <= (uint64_t)WINDOWS * WINDOW_RECORDS);
	spool_reader_let_go(&reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct spoiled input = {bytes, length};
	const struct probe_plan plan = {.texts = NULL};
	struct spool_process of = {.pid = 77};
	struct block_names names = {.plan = &plan, .proc = "/nowhere"};
	struct listener listener = {&names, block_process_new(&of), 0};
	struct header header = {0};
	struct spool_arrival arrival;

	take(&input, &header, sizeof(header));
	arrival = write_events(&input, &header);
	read_notes(&input, &listener);
	read_events(&arrival, &listener);
	block_process_free(&names, listener.process);
	block_names_release(&names);
	return 0;
}
