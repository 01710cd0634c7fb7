/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/watched_run.h"

#include "base/err.h"
#include "collect/blocks/spool_reader.h"
#include "collect/patch/entry_patch.h"
#include "probe/spool_ends.h"
#include "support.h"

#include <elf.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DEPTH_MAX = 1 << 22 };

/* The paths of a run. */
struct place {
	char build[300], target[400], library[400], output[400];
	char object[400];
	struct spool_listener listener;
};

/* --- The plan ------------------------------------------------------------------------------ */

struct plan {
	struct plan_patch patches[WATCHED_PATCHES_MAX];
	size_t count;
	char texts[1 << 18];
	size_t text_bytes;
};

static bool is_wanted(const char *const *globs, const char *name)
{
	if (strstr(name, ".cold"))
		return false;
	for (; globs && *globs; globs++)
		if (fnmatch(*globs, name, 0) == 0)
			return true;
	return false;
}

static bool is_there(const struct plan *plan, uint64_t block)
{
	for (size_t i = 0; i < plan->count; i++)
		if (plan->patches[i].block == block)
			return true;
	return false;
}

static void add(struct plan *plan, const uint8_t *bytes, const Elf64_Sym *symbol, const char *name)
{
	const Elf64_Ehdr *elf = (const void *)bytes;
	const Elf64_Shdr *section =
		(const Elf64_Shdr *)(const void *)(bytes + elf->e_shoff) + symbol->st_shndx;
	struct plan_patch *patch = &plan->patches[plan->count];
	struct entry_reader *reader = entry_reader_new();
	uint64_t at = symbol->st_value - section->sh_addr;
	bool fits = !is_there(plan, symbol->st_value) && plan->count < WATCHED_PATCHES_MAX &&
		    !entry_patch_make(patch, reader, bytes + section->sh_offset + at,
				      symbol->st_size, 0, symbol->st_value);

	entry_reader_free(reader);
	if (!fits)
		return;
	patch->name = (uint32_t)plan->text_bytes;
	strcpy(plan->texts + plan->text_bytes, name);
	plan->text_bytes += strlen(name) + 1;
	plan->count++;
}

static void add_symbols(struct plan *plan, const uint8_t *bytes, const Elf64_Shdr *table,
			const char *const *globs)
{
	const Elf64_Ehdr *elf = (const void *)bytes;
	const Elf64_Shdr *sections = (const void *)(bytes + elf->e_shoff);
	const char *names = (const char *)bytes + sections[table->sh_link].sh_offset;
	const Elf64_Sym *symbols = (const void *)(bytes + table->sh_offset);

	for (size_t i = 0; i < table->sh_size / sizeof(*symbols); i++) {
		const Elf64_Sym *symbol = &symbols[i];
		const char *name = names + symbol->st_name;

		if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx &&
		    symbol->st_shndx < elf->e_shnum && is_wanted(globs, name))
			add(plan, bytes, symbol, name);
	}
}

static void read_object(struct plan *plan, const struct place *place, const char *const *globs,
			struct stat *file)
{
	int fd = open(place->object, O_RDONLY | O_CLOEXEC);
	const Elf64_Shdr *sections;
	const Elf64_Ehdr *elf;
	uint8_t *bytes;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, file), 0);
	bytes = mmap(NULL, (size_t)file->st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_true(bytes != MAP_FAILED);
	close(fd);
	elf = (const void *)bytes;
	sections = (const void *)(bytes + elf->e_shoff);
	for (size_t i = 0; i < elf->e_shnum; i++)
		if (sections[i].sh_type == SHT_SYMTAB || sections[i].sh_type == SHT_DYNSYM)
			add_symbols(plan, bytes, &sections[i], globs);
	munmap(bytes, (size_t)file->st_size);
}

static int by_address(const void *a, const void *b)
{
	const struct plan_patch *one = a, *other = b;

	return (one->address > other->address) - (one->address < other->address);
}

struct made_plan {
	struct plan_header header;
	struct plan_object object;
	const struct plan *plan;
};

static int write_plan(FILE *stream, const void *context)
{
	const struct made_plan *made = context;

	fwrite(&made->header, sizeof(made->header), 1, stream);
	fwrite(&made->object, sizeof(made->object), 1, stream);
	fwrite(made->plan->patches, sizeof(made->plan->patches[0]), made->plan->count, stream);
	fwrite(made->plan->texts, made->plan->text_bytes, 1, stream);
	return 0;
}

static void publish_plan(struct watched_run *run, struct place *place)
{
	struct plan *plan = calloc(1, sizeof(*plan));
	struct made_plan made = {.header = {.magic = PLAN_MAGIC,
					    .version = SPOOL_VERSION,
					    .every = run->every,
					    .stack_every = run->stack_every,
					    .arguments = run->arguments,
					    .marks = 1,
					    .functions = 1,
					    .object_count = 1,
					    .pid_namespace = run->pid_namespace},
				 .plan = plan};
	struct stat file;
	struct err err;

	assert_non_null(plan);
	plan->text_bytes = 1;
	read_object(plan, place, run->names, &file);
	qsort(plan->patches, plan->count, sizeof(*plan->patches), by_address);
	made.object.device = file.st_dev;
	made.object.inode = file.st_ino;
	made.object.mtime_ns =
		(uint64_t)file.st_mtim.tv_sec * 1000000000 + (uint64_t)file.st_mtim.tv_nsec;
	run->patches = plan->count;
	made.object.patch_count = made.header.patch_count = (uint32_t)plan->count;
	made.header.text_bytes = (uint32_t)plan->text_bytes;
	assert_int_equal(spool_listener_publish(&place->listener, write_plan, &made, &err), 0);
	if (run->unread)
		spool_listener_tell(&place->listener, 1, true);
	free(plan);
}

/* --- Names --------------------------------------------------------------------------------- */

/* The files that processes have handed over. */
struct arrivals {
	struct spool_arrival *items;
	char **notes; /* texts of the files that are notes */
	size_t count;
};

static void take_arrivals(struct arrivals *arrivals, struct watched_run *run,
			  struct spool_listener *listener)
{
	struct spool_arrival arrival;
	struct err err;
	int rc;

	*arrivals = (struct arrivals){.count = 0};
	while ((rc = spool_listener_next(listener, &arrival, &err))) {
		size_t at = arrivals->count;

		if (rc < 0) {
			snprintf(run->trouble, sizeof(run->trouble), "%s", err.text);
			continue;
		}
		arrivals->items = realloc(arrivals->items, (at + 1) * sizeof(arrival));
		arrivals->notes = realloc(arrivals->notes, (at + 1) * sizeof(char *));
		arrivals->items[at] = arrival;
		arrivals->notes[at] = NULL;
		arrivals->count++;
		if (arrival.offer.kind == SPOOL_OFFER_THREAD)
			continue;
		arrivals->notes[at] = malloc(sizeof(struct spool_notes));
		assert_non_null(arrivals->notes[at]);
		spool_ends_notes(arrivals->notes[at], sizeof(struct spool_notes), arrival.fd);
		close(arrival.fd);
	}
}

static void release_arrivals(struct arrivals *arrivals)
{
	for (size_t i = 0; i < arrivals->count; i++)
		free(arrivals->notes[i]);
	free(arrivals->notes);
	free(arrivals->items);
}

/* The notes of the process of arrival `i`. */
static const char *notes_of(const struct arrivals *arrivals, size_t i)
{
	const struct spool_offer *offer = &arrivals->items[i].offer;

	for (size_t k = 0; k < arrivals->count; k++)
		if (arrivals->notes[k] && arrivals->items[k].offer.pid == offer->pid &&
		    arrivals->items[k].offer.image == offer->image)
			return arrivals->notes[k];
	fail_msg("process %d has no notes", offer->pid);
	return NULL;
}

/* The load address of the object in the process: the difference between addresses and offsets of
 * its code. */
static uint64_t find_base(const struct place *place, const char *notes)
{
	for (const char *line = notes; *line; line = strchr(line, '\n') + 1) {
		const char *path = strstr(line, place->object), *end = strchr(line, '\n');
		unsigned long start, offset;

		if (*line == SPOOL_NOTE_MAP && path && path < end &&
		    sscanf(line + 1, "%lx-%*x %*s %lx", &start, &offset) == 2)
			return start - offset;
	}
	return 0;
}

static struct watched_function *find(struct watched_run *run, const char *name)
{
	for (size_t i = 0; i < run->function_count; i++)
		if (strcmp(run->functions[i].name, name) == 0)
			return &run->functions[i];
	if (run->function_count == WATCHED_NAMES_MAX)
		return NULL;
	snprintf(run->functions[run->function_count].name, sizeof(run->functions[0].name), "%s",
		 name);
	return &run->functions[run->function_count++];
}

struct watched_function watched_run_find(const struct watched_run *run, const char *name)
{
	for (size_t i = 0; i < run->function_count; i++)
		if (strcmp(run->functions[i].name, name) == 0)
			return run->functions[i];
	return (struct watched_function){.enters = 0};
}

/* Names an address by a symbol of the object, or by a name of the program's own. */
struct naming {
	const struct place *place;
	uint64_t base, last;
	struct watched_function *found;
	uint8_t *bytes;
	const char *notes;
};

static void name_by_symbol(const struct naming *naming, uint64_t address, char *name, size_t size)
{
	const Elf64_Ehdr *elf = (const void *)naming->bytes;
	const Elf64_Shdr *sections = (const void *)(naming->bytes + elf->e_shoff);

	for (size_t i = 0; i < elf->e_shnum; i++) {
		const Elf64_Sym *symbols = (const void *)(naming->bytes + sections[i].sh_offset);

		if (sections[i].sh_type != SHT_SYMTAB && sections[i].sh_type != SHT_DYNSYM)
			continue;
		for (size_t k = 0; k < sections[i].sh_size / sizeof(*symbols); k++)
			if (ELF64_ST_TYPE(symbols[k].st_info) == STT_FUNC &&
			    symbols[k].st_value + naming->base == address)
				snprintf(name, size, "%s",
					 (const char *)naming->bytes +
						 sections[sections[i].sh_link].sh_offset +
						 symbols[k].st_name);
	}
}

static void name_by_note(const struct naming *naming, uint64_t address, char *name, size_t size)
{
	for (const char *line = naming->notes; *line; line = strchr(line, '\n') + 1) {
		int at = 0, length = (int)strcspn(line, "\n");

		if (*line == SPOOL_NOTE_NAME && strtoull(line + 1, NULL, 10) == address &&
		    sscanf(line, "%*s %n", &at) == 0 && at)
			snprintf(name, size, "%.*s", length - at, line + at);
	}
}

static struct watched_function *name_of(struct watched_run *run, struct naming *naming,
					uint64_t address)
{
	char name[64] = "?";

	if (naming->last == address)
		return naming->found;
	name_by_symbol(naming, address, name, sizeof(name));
	name_by_note(naming, address, name, sizeof(name));
	naming->last = address;
	naming->found = find(run, name);
	return naming->found;
}

/* --- Events -------------------------------------------------------------------------------- */

static size_t leave(struct watched_run *run, const uint64_t *open, size_t depth, uint64_t block)
{
	for (size_t i = depth; i-- > 0;)
		if (open[i] == block) {
			run->crossed += i + 1 != depth;
			return i;
		}
	run->unmatched++;
	return depth;
}

static void count(struct watched_run *run, struct naming *naming, struct spool_reader *reader)
{
	static uint64_t open[DEPTH_MAX]; /* too large for stacks; many threads have one */
	struct spool_event event;
	size_t depth = 0;

	spool_reader_look(reader);
	while (spool_reader_next(reader, &event, true)) {
		struct watched_function *function = name_of(run, naming, event.block);

		run->events++;
		run->stacks += event.kind == SPOOL_STACK;
		if (event.kind == SPOOL_ENTER && depth < DEPTH_MAX) {
			open[depth++] = event.block;
			if (function)
				function->enters++;
		} else if (event.kind == SPOOL_LEAVE) {
			depth = leave(run, open, depth, event.block);
			if (function)
				function->leaves++;
		}
	}
}

static void read_events(struct watched_run *run, const struct place *place,
			const struct arrivals *arrivals, size_t i, struct naming *naming)
{
	struct spool_reader reader;
	struct err err;

	assert_int_equal(spool_reader_open(&reader, &arrivals->items[i], &err), 0);
	naming->notes = notes_of(arrivals, i);
	naming->base = find_base(place, naming->notes);
	naming->last = 0;
	count(run, naming, &reader);
	run->files++;
	run->ended += reader.ended;
	run->torn += reader.torn;
	run->missing += reader.missing;
	spool_reader_close(&reader);
}

static void read_trouble(struct watched_run *run, const char *notes)
{
	for (const char *line = notes; *line; line = strchr(line, '\n') + 1) {
		size_t at = strlen(run->trouble);

		if (*line == SPOOL_NOTE_TROUBLE)
			snprintf(run->trouble + at, sizeof(run->trouble) - at, "%.*s",
				 (int)strcspn(line, "\n"), line + 1);
		if (*line == SPOOL_NOTE_CONFINED)
			snprintf(run->trouble + at, sizeof(run->trouble) - at,
				 "restricted its system calls");
	}
}

static void read_spool(struct watched_run *run, struct place *place)
{
	struct naming naming = {.place = place};
	int fd = open(place->object, O_RDONLY | O_CLOEXEC);
	struct arrivals arrivals;
	struct stat file;

	assert_true(fd >= 0 && fstat(fd, &file) == 0);
	naming.bytes = mmap(NULL, (size_t)file.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	take_arrivals(&arrivals, run, &place->listener);
	for (size_t i = 0; i < arrivals.count; i++)
		if (arrivals.notes[i])
			read_trouble(run, arrivals.notes[i]);
		else
			read_events(run, place, &arrivals, i, &naming);
	release_arrivals(&arrivals);
	munmap(naming.bytes, (size_t)file.st_size);
}

/* --- The program --------------------------------------------------------------------------- */

static void find_target(const struct watched_run *run, struct place *place)
{
	ssize_t length = readlink("/proc/self/exe", place->build, sizeof(place->build) - 1);
	char *end;

	/* BUILD/tests/LAYER/NAME_test */
	assert_true(length > 0);
	place->build[length] = '\0';
	for (int i = 0; i < 3; i++) {
		end = strrchr(place->build, '/');
		assert_non_null(end);
		*end = '\0';
	}
	if (strchr(run->words[0], '/'))
		snprintf(place->target, sizeof(place->target), "%s", run->words[0]);
	else
		snprintf(place->target, sizeof(place->target), "%s/tests/probe/targets/%s",
			 place->build, run->words[0]);
}

bool watched_run_is_there(const struct watched_run *run)
{
	struct place place;

	find_target(run, &place);
	return access(place.target, X_OK) == 0;
}

static void find_places(const struct watched_run *run, struct place *place)
{
	find_target(run, place);
	snprintf(place->object, sizeof(place->object), "%s",
		 run->object ? run->object : place->target);
	snprintf(place->library, sizeof(place->library), "%s/libpscal-probe.so", place->build);
	strcpy(place->output, "/tmp/watched-out-XXXXXX");
	close(mkstemp(place->output));
}

static void start(const struct watched_run *run, const struct place *place)
{
	char *words[8] = {NULL};

	for (size_t i = 0; i < 7 && run->words[i]; i++)
		words[i] = strdup(i ? run->words[i] : place->target);
	if (!freopen(place->output, "w", stdout) || dup2(1, 2) < 0)
		_exit(98);
	if (!run->quiet) {
		setenv(SPOOL_ENVIRONMENT, place->listener.path, 1);
		setenv("LD_PRELOAD", place->library, 1);
	}
	if (run->prepare)
		run->prepare();
	execv(place->target, words);
	_exit(97);
}

static void read_output(struct watched_run *run, const struct place *place)
{
	FILE *stream = fopen(place->output, "r");

	assert_non_null(stream);
	run->output = calloc(1, 1 << 20);
	assert_non_null(run->output);
	run->length = fread(run->output, 1, (1 << 20) - 1, stream);
	fclose(stream);
	unlink(place->output);
}

void watched_run(struct watched_run *run)
{
	struct err err = {.text = ""};
	struct place place;
	pid_t pid;

	find_places(run, &place);
	if (spool_listener_open(&place.listener, &err))
		fail_msg("%s", err.text);
	if (!run->quiet)
		publish_plan(run, &place);
	pid = fork();
	if (pid == 0)
		start(run, &place);
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &run->status, 0), pid);
	read_output(run, &place);
	read_spool(run, &place);
	spool_listener_close(&place.listener);
}

void watched_run_both(struct watched_run *run)
{
	struct watched_run plain = *run;

	plain.quiet = true;
	watched_run(&plain);
	watched_run(run);
	if (run->status != plain.status)
		fail_msg("%s %s: ends with %#x instead of %#x: %s", run->words[0], run->words[1],
			 run->status, plain.status, run->output);
	if (run->length != plain.length || memcmp(run->output, plain.output, run->length) != 0)
		fail_msg("%s %s: prints %.500s instead of %.500s", run->words[0], run->words[1],
			 run->output, plain.output);
	watched_run_release(&plain);
}

void watched_run_release(struct watched_run *run)
{
	free(run->output);
	run->output = NULL;
}
