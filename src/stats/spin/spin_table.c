/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/spin/spin_table.h"

#include "base/alloc.h"
#include "base/io/files.h"
#include "base/sorted.h"
#include "decode/event/samples.h"
#include "stats/spin/map_finder.h"

#include <elf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- Threads ------------------------------------------------------------------------------- */

static int compare_threads(const void *a, const void *b)
{
	const struct counted_thread *one = *(const struct counted_thread *const *)a;
	const struct counted_thread *other = *(const struct counted_thread *const *)b;

	return compare_values(one->tid, other->tid)
		       ?: compare_values(one->begin_ns, other->begin_ns);
}

void thread_finder_init(struct thread_finder *finder, const struct counted_thread *threads,
			size_t count)
{
	*finder = (struct thread_finder){threads, xcalloc(count, sizeof(*finder->by_tid)), count};
	for (size_t i = 0; i < count; i++)
		finder->by_tid[i] = &threads[i];
	sort_items(finder->by_tid, count, compare_threads);
}

void thread_finder_release(struct thread_finder *finder)
{
	free(finder->by_tid);
	*finder = (struct thread_finder){0};
}

ptrdiff_t thread_finder_find(const struct thread_finder *finder, int32_t tid, uint64_t time_ns)
{
	const struct counted_thread key = {.tid = tid, .begin_ns = time_ns ? time_ns : UINT64_MAX};
	const struct counted_thread *at = &key;
	size_t behind =
		find_first(i, 0, finder->count, compare_threads(&finder->by_tid[i], &at) > 0);

	if (!behind || finder->by_tid[behind - 1]->tid != tid)
		return -1;
	return finder->by_tid[behind - 1] - finder->threads;
}

/* --- Code ---------------------------------------------------------------------------------- */

struct code_file {
	char *path;
	uint64_t inode;
	int fd; /* -1: not usable */
	enum instruction_set set;
};

/* Files beyond these count as unknown; a process has some dozens. */
enum { FILES_MAX = 512 };

void mapped_code_release(struct mapped_code *files)
{
	for (size_t i = 0; i < files->count; i++) {
		if (files->files[i].fd >= 0)
			close(files->files[i].fd);
		free(files->files[i].path);
	}
	for (size_t i = 0; i < INSTRUCTION_SETS; i++)
		instruction_reader_free(files->readers[i]);
	free(files->files);
	*files = (struct mapped_code){0};
}

/* Finds the machine of the code from the file's header. Returns -1 if it is not supported. */
static int find_set(int fd, enum instruction_set *set)
{
	Elf64_Ehdr header;

	if (pread(fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) || header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_ident[EI_DATA] != ELFDATA2LSB)
		return -1;
	*set = header.e_machine == EM_AARCH64 ? INSTRUCTIONS_AARCH64 : INSTRUCTIONS_X86_64;
	return header.e_machine == EM_AARCH64 || header.e_machine == EM_X86_64 ? 0 : -1;
}

static int open_file(const struct mapped *mapped, enum instruction_set *set)
{
	struct stat status;
	int fd = regular_file_open(&status, mapped->path);

	if (fd < 0)
		return -1;
	if ((mapped->inode && mapped->inode != status.st_ino) || find_set(fd, set)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Returns the file, or NULL if there are too many. */
static const struct code_file *find_file(struct mapped_code *files, const struct mapped *mapped)
{
	struct code_file *file;

	for (size_t i = 0; i < files->count; i++)
		if (files->files[i].inode == mapped->inode &&
		    !strcmp(files->files[i].path, mapped->path))
			return &files->files[i];
	if (files->count == FILES_MAX)
		return NULL;
	array_reserve(&files->files, &files->capacity, files->count + 1);
	file = &files->files[files->count++];
	file->path = xstrdup(mapped->path);
	file->inode = mapped->inode;
	file->fd = open_file(mapped, &file->set);
	return file;
}

int mapped_code_read(struct code_window *window, struct mapped_code *files,
		     const struct mapped *mapped, uint64_t address)
{
	const struct code_file *file = mapped && mapped->path ? find_file(files, mapped) : NULL;
	uint64_t before, after;
	ssize_t got;

	if (!file || file->fd < 0)
		return -1;
	before = address - mapped->begin < CODE_REACH ? address - mapped->begin : CODE_REACH;
	after = sizeof(window->bytes) - CODE_REACH;
	if (after > mapped->end - address)
		after = mapped->end - address;
	got = pread(file->fd, window->bytes, before + after,
		    (off_t)(mapped->offset + (address - before - mapped->begin)));
	if (got <= 0)
		return -1;
	if (!files->readers[file->set])
		files->readers[file->set] = instruction_reader_new(file->set);
	window->reader = files->readers[file->set];
	window->code = (struct code){window->bytes, (size_t)got, address - before};
	return window->reader ? 0 : -1;
}

/* --- Loops that wait ----------------------------------------------------------------------- */

/* The registers that hold a value loaded in this round, or an earlier value, before a step. */
struct holding {
	registers loaded, carried;
};

struct loop_state {
	const struct code_flow *flow;
	struct code_loop loop;
	registers carried; /* written in one round and read in the next */
	struct holding at[CODE_STEPS_MAX];
};

static const struct instruction *step_of(const struct loop_state *state, size_t i)
{
	return &state->flow->steps[i].instruction;
}

/* --- Values carried from round to round ---------------------------------------------------- */

/* Vector registers count as one: writing some of them leaves the others. */
static registers overwritten(const struct instruction *instruction)
{
	return instruction->writes & ~REGISTERS_OTHER;
}

static registers needed_after(const struct code_flow *flow, const struct code_loop *loop,
			      const registers *needed, size_t i)
{
	registers after = 0;

	for (size_t j = 0; j < 2; j++) {
		int next = flow->steps[i].next[j];

		if (next != CODE_NOWHERE && loop->has[next])
			after |= needed[next];
	}
	return after;
}

/* Returns the registers that are needed at the head of a loop, and written in it. */
static registers find_carried(const struct code_flow *flow, const struct code_loop *loop)
{
	registers needed[CODE_STEPS_MAX] = {0}, written = 0;

	for (bool grown = true; grown;) {
		grown = false;
		for (size_t i = 0; i < flow->count; i++) {
			const struct instruction *step = &flow->steps[i].instruction;
			registers before;

			if (!loop->has[i])
				continue;
			written |= step->writes;
			before = step->reads |
				 (needed_after(flow, loop, needed, i) & ~overwritten(step));
			grown |= before != needed[i];
			needed[i] = before;
		}
	}
	return needed[loop->head] & written;
}

/* Returns the contents of registers after the step. */
static struct holding hold_after(const struct loop_state *state, size_t i)
{
	const struct instruction *step = step_of(state, i);
	struct holding before = state->at[i];
	struct holding after = {before.loaded & ~overwritten(step),
				before.carried & ~overwritten(step)};

	if (step->loads || step->reads & before.loaded)
		after.loaded |= step->writes;
	if (step->reads & before.carried)
		after.carried |= step->writes;
	return after;
}

static bool pass_on(struct loop_state *state, size_t i)
{
	struct holding after = hold_after(state, i);
	bool grown = false;

	for (size_t j = 0; j < 2; j++) {
		int next = state->flow->steps[i].next[j];
		struct holding *at = &state->at[next == CODE_NOWHERE ? 0 : next];

		/* A round begins without the values of the one before. */
		if (next == CODE_NOWHERE || !state->loop.has[next] ||
		    (size_t)next == state->loop.head)
			continue;
		grown |= (after.loaded & ~at->loaded) || (after.carried & ~at->carried);
		at->loaded |= after.loaded;
		at->carried |= after.carried;
	}
	return grown;
}

/* Finds the carried registers of this loop, and of those within it. */
static void begin_rounds(struct loop_state *state)
{
	struct code_loop within;

	memset(state->at, 0, sizeof(state->at));
	state->carried = 0;
	for (size_t i = 0; i < state->flow->count; i++) {
		if (!state->loop.has[i])
			continue;
		code_loop_find(&within, state->flow, i);
		state->at[i].carried = find_carried(state->flow, &within);
		state->carried |= state->at[i].carried;
	}
}

static void follow_values(struct loop_state *state)
{
	begin_rounds(state);
	for (bool grown = true; grown;) {
		grown = false;
		for (size_t i = 0; i < state->flow->count; i++)
			if (state->loop.has[i])
				grown |= pass_on(state, i);
	}
}

/* --- The rules ----------------------------------------------------------------------------- */

/* Returns true if the step calls nothing, and stores at most to the stack, if the loop relaxes. */
static bool is_idle_step(const struct instruction *step, bool relaxes)
{
	return step->flow != FLOW_CALL && (!step->stores || (relaxes && step->on_stack));
}

static bool is_idle(const struct loop_state *state, bool relaxes)
{
	for (size_t i = 0; i < state->flow->count; i++) {
		if (state->loop.has[i] && !is_idle_step(step_of(state, i), relaxes))
			return false;
	}
	return true;
}

static bool relaxes(const struct loop_state *state)
{
	for (size_t i = 0; i < state->flow->count; i++)
		if (state->loop.has[i] && step_of(state, i)->relaxes)
			return true;
	return false;
}

/* Returns true if all rounds read the same places, write the same values, carry only counters. */
static bool repeats(const struct loop_state *state)
{
	for (size_t i = 0; i < state->flow->count; i++) {
		const struct instruction *step = step_of(state, i);
		const struct holding *at = &state->at[i];

		if (!state->loop.has[i])
			continue;
		if (step->places & at->carried)
			return false;
		if (step->attempts && step->sent & (at->carried | at->loaded))
			return false;
		if (step->reads & at->carried && step->writes & ~REGISTERS_FLAGS && !step->steps)
			return false;
	}
	return true;
}

/* Returns true if a loaded value ends the loop, and so does each counter. */
static bool ends_by_others(const struct loop_state *state)
{
	bool by_load = false, by_counter = false;

	for (size_t i = 0; i < state->flow->count; i++) {
		const struct instruction *step = step_of(state, i);
		bool loaded = step->reads & state->at[i].loaded;
		bool carried = step->reads & state->at[i].carried;

		if (!state->loop.has[i] || !code_loop_leaves(&state->loop, &state->flow->steps[i]))
			continue;
		by_load |= loaded && !carried;
		by_counter |= carried && !loaded;
	}
	return by_load && (by_counter || !state->carried);
}

static bool waits(struct loop_state *state)
{
	bool relaxed = relaxes(state);

	if (!is_idle(state, relaxed))
		return false;
	if (relaxed)
		return true;
	follow_values(state);
	return repeats(state) && ends_by_others(state);
}

/* --- Instructions that mark waiting -------------------------------------------------------- */

/* Marks the idle steps that are reached from `from` through idle ones. */
static void mark_idle(bool *idle, const struct code_flow *flow, size_t from)
{
	for (bool grown = idle[from] = true; grown;) {
		grown = false;
		for (size_t i = 0; i < flow->count; i++)
			for (size_t j = 0; j < 2 && idle[i]; j++) {
				int next = flow->steps[i].next[j];

				if (next == CODE_NOWHERE || idle[next] ||
				    !is_idle_step(&flow->steps[next].instruction, true))
					continue;
				idle[next] = grown = true;
			}
	}
}

/*
 * Returns true if idle steps lead from the place through an instruction that relaxes back to the
 * place, whatever is around them, as for a thread that tries for some time and then sleeps.
 */
static bool relaxes_around(const struct code_flow *flow)
{
	bool there[CODE_STEPS_MAX] = {false};

	if (!is_idle_step(&flow->steps[0].instruction, true))
		return false;
	mark_idle(there, flow, 0);
	for (size_t i = 0; i < flow->count; i++) {
		bool back[CODE_STEPS_MAX] = {false};

		if (!there[i] || !flow->steps[i].instruction.relaxes)
			continue;
		mark_idle(back, flow, i);
		if (back[0])
			return true;
	}
	return false;
}

/*
 * Returns true if an instruction that relaxes is at the place, or right before it: it takes longer
 * than those around it, and an interrupt comes behind it. The sizes are those of PAUSE, and on
 * aarch64 of all instructions.
 */
static bool relaxes_there(struct instruction_reader *reader, const struct code *code,
			  const struct code_flow *flow, uint64_t address)
{
	uint64_t offset = address - code->address;
	struct instruction before;

	if (flow->steps[0].instruction.relaxes)
		return true;
	for (size_t size = 2; size <= 4 && size <= offset; size += 2)
		if (!instruction_read(&before, reader, code->bytes + offset - size, size,
				      address - size) &&
		    before.size == size && before.relaxes)
			return true;
	return false;
}

enum code_use wait_loop_find(struct instruction_reader *reader, const struct code *code,
			     uint64_t address)
{
	struct code_flow flow;
	struct loop_state state = {.flow = &flow};

	if (code_flow_init(&flow, reader, code, address))
		return CODE_UNKNOWN;
	if (relaxes_there(reader, code, &flow, address) || relaxes_around(&flow))
		return CODE_WAITS;
	for (size_t head = 0; head < flow.count; head++)
		if (code_loop_find(&state.loop, &flow, head) && waits(&state))
			return CODE_WAITS;
	return CODE_WORKS;
}

/* --- Samples ------------------------------------------------------------------------------- */

static int compare_places(const void *a, const void *b)
{
	const struct sampled *one = ((const struct spin_row *)a)->row;
	const struct sampled *other = ((const struct spin_row *)b)->row;

	return compare_values(one->mode, other->mode)
		       ?: compare_values(one->pid, other->pid)
		       ?: compare_values(one->ip, other->ip);
}

/* By place, and then by call chain. */
static int compare_rows(const void *a, const void *b)
{
	const struct spin_row *one = a, *other = b;

	return compare_places(one, other) ?: compare_values(one->row->chain, other->row->chain);
}

/* Returns the use of the code. In the kernel a thread works: it asked for that. */
static enum code_use use_of(const struct sampled *row, const struct map_finder *finder,
			    struct mapped_code *files)
{
	struct code_window window;
	const struct mapped *mapped;

	if (row->mode == SAMPLED_KERNEL)
		return CODE_WORKS;
	mapped = map_finder_find(finder, row->pid, row->ip, row->time_ns);
	if (mapped_code_read(&window, files, mapped, row->ip))
		return CODE_UNKNOWN;
	return wait_loop_find(window.reader, &window.code, row->ip);
}

static size_t own_rows(struct spin_row *owned, const struct samples *samples,
		       const struct counted_thread *threads, size_t thread_count)
{
	struct thread_finder finder;
	size_t count = 0;

	thread_finder_init(&finder, threads, samples->row_count ? thread_count : 0);
	for (size_t i = 0; i < samples->row_count; i++) {
		const struct sampled *row = &samples->rows[i];
		ptrdiff_t thread = thread_finder_find(&finder, row->tid, row->time_ns);

		if (thread >= 0)
			owned[count++] = (struct spin_row){(size_t)thread, row, CODE_UNKNOWN};
	}
	thread_finder_release(&finder);
	return count;
}

struct spin_row *spin_rows(size_t *count, const struct samples *samples,
			   const struct counted_thread *threads, size_t thread_count)
{
	struct spin_row *rows = xcalloc(samples->row_count, sizeof(*rows));
	struct mapped_code files = {0};
	struct map_finder finder;

	*count = own_rows(rows, samples, threads, thread_count);
	sort_items(rows, *count, compare_rows);
	map_finder_init(&finder, samples);
	/* Threads of a process are often at the same places. */
	for (size_t i = 0; i < *count; i++)
		rows[i].use = i && !compare_places(&rows[i - 1], &rows[i])
				      ? rows[i - 1].use
				      : use_of(rows[i].row, &finder, &files);
	map_finder_release(&finder);
	mapped_code_release(&files);
	return rows;
}

void spin_share_add(struct spin_share *share, const struct spin_row *row)
{
	uint64_t count = row->row->count;

	share->samples += count;
	share->waiting += row->use == CODE_WAITS ? count : 0;
	share->unknown += row->use == CODE_UNKNOWN ? count : 0;
}

void spin_table_init(struct spin_table *table, const struct samples *samples,
		     const struct counted_thread *threads, size_t thread_count)
{
	struct spin_row *rows;
	size_t count;

	*table = (struct spin_table){0};
	if (!samples->row_count)
		return;
	rows = spin_rows(&count, samples, threads, thread_count);
	table->threads = xcalloc(thread_count, sizeof(*table->threads));
	for (size_t i = 0; i < count; i++) {
		spin_share_add(&table->threads[rows[i].thread], &rows[i]);
		spin_share_add(&table->all, &rows[i]);
	}
	free(rows);
}

void spin_table_release(struct spin_table *table)
{
	free(table->threads);
	*table = (struct spin_table){0};
}

struct spin_estimate spin_share_estimate(const struct spin_share *share)
{
	double samples = share->samples ? (double)share->samples : (double)NAN;
	double value = (double)share->waiting / samples;

	return (struct spin_estimate){
		.value = value,
		.error = sqrt(value * (1 - value) / samples),
		.unknown = (double)share->unknown / samples,
	};
}
