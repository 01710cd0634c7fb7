/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/blocks/block_spool.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/monotonic.h"
#include "collect/kernel/proc_stat.h"
#include "collect/target/target.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The interval of searches for ended threads, and of checks of the memory of files. */
static const uint64_t check_ns = 100000000;

/*
 * The most threads and processes at once, and offers that are taken in one pass, and in the last.
 */
enum { THREADS_MAX = 2048, PROCESSES_MAX = 2048, OFFERS_MAX = 2048, LAST_OFFERS_MAX = 8192 };

/* The time for offers and notes in a pass, and in the last one. */
enum { NOTES_MS = 50, LAST_NOTES_MS = 300 };

/* The windows of all files that stay mapped while there are few files: 64 MiB. */
enum { KEEP_ALL = 1024 };

/* The number of files up to which their memory is checked in each pass. */
enum { FEW_FILES = 64 };

/* Limits of the memory of all files: the larger one is read in about two seconds. */
#define MEMORY_MAX (UINT64_C(1) << 30)
#define MEMORY_MIN (UINT64_C(64) << 20)

/* --- Room for memory ----------------------------------------------------------------------- */

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t available_memory(void)
{
	uint64_t kib;

	return proc_scan("/proc/meminfo", "MemAvailable: %" SCNu64, &kib) ? kib * 1024 : 0;
}

/* Reads a number; `missing` if there is no file, or it contains "max". */
static uint64_t read_number(const char *group, const char *name, uint64_t missing)
{
	char *path = xasprintf(CGROUP_ROOT "%s/%s", group, name);
	uint64_t number;

	if (!proc_scan(path, "%" SCNu64, &number))
		number = missing;
	free(path);
	return number;
}

/* Returns the memory of file pages, which the kernel frees first, as they can be read again. */
static uint64_t reclaimable(const char *group)
{
	char *path = xasprintf(CGROUP_ROOT "%s/memory.stat", group);
	uint64_t bytes;

	if (!proc_scan(path, "inactive_file %" SCNu64, &bytes))
		bytes = 0;
	free(path);
	return bytes;
}

/* Returns the control group of this process. Its line of version 2 is "0::/GROUP". */
static char *own_group(void)
{
	FILE *file = fopen("/proc/self/cgroup", "re");
	char line[4096], *group = NULL;

	while (file && !group && fgets(line, sizeof(line), file))
		if (strncmp(line, "0::/", 4) == 0)
			group = xstrdup(line + 3);
	if (file)
		fclose(file);
	if (group)
		group[strcspn(group, "\n")] = '\0';
	return group;
}

static uint64_t left_in_groups(void)
{
	char *group = own_group();
	uint64_t left = UINT64_MAX;

	while (group && *group) {
		uint64_t limit = read_number(group, "memory.max", UINT64_MAX);
		uint64_t used = read_number(group, "memory.current", 0);

		used -= least(used, reclaimable(group));
		left = least(left, limit > used ? limit - used : 0);
		*strrchr(group, '/') = '\0';
	}
	free(group);
	return left;
}

/*
 * Returns the bytes available on the machine (MemAvailable of /proc/meminfo), and in the limits of
 * the control group (version 2) and those above it. 0: not known.
 */
static uint64_t memory_room(void)
{
	return least(available_memory(), left_in_groups());
}

/* --- Opening ------------------------------------------------------------------------------- */

struct block_spool block_spool_none(void)
{
	return (struct block_spool){.listener = spool_listener_none()};
}

int block_spool_open(struct block_spool *spool, const struct spool_process_calls *calls,
		     void *context, struct err *err)
{
	uint64_t room = memory_room() / 4;

	*spool = block_spool_none();
	spool->calls = calls;
	spool->context = context;
	spool->has_room = true;
	spool->memory_max = room > MEMORY_MAX ? MEMORY_MAX : room < MEMORY_MIN ? MEMORY_MIN : room;
	if (spool_listener_open(&spool->listener, err))
		return -1;
	spool->path = spool->listener.path;
	clock_pairs_take(&spool->clocks);
	return 0;
}

static void note_trouble(struct block_spool *spool, const char *text)
{
	if (!spool->trouble)
		spool->trouble = xstrdup(text);
}

/* --- Processes ----------------------------------------------------------------------------- */

struct note_target {
	struct block_spool *spool;
	struct spool_process *process;
};

static void pass_on(void *context, enum spool_note kind, char *text)
{
	const struct note_target *target = context;

	if (kind == SPOOL_NOTE_TROUBLE) {
		char *sentence = xasprintf("process %d says: %s", (int)target->process->pid, text);

		note_trouble(target->spool, sentence);
		free(sentence);
	} else if (kind == SPOOL_NOTE_CONFINED || kind == SPOOL_NOTE_UNCONFINED)
		target->process->confined = kind == SPOOL_NOTE_CONFINED;
	else
		target->spool->calls->note(target->spool->context, target->process, kind, text);
}

/*
 * Updates the user of a process: files in its notes are read as that user. A process of root may
 * become another user's. That of another user stays so: it may execute a setuid program of root, or
 * its id may be reused, and other processes that map the notes must not use those rights.
 */
static void learn_user(struct spool_process *process)
{
	struct stat status;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", (int)process->pid);
	if (process->over || process->uid != 0 || stat(path, &status))
		return;
	process->uid = status.st_uid;
	process->gid = status.st_gid;
}

/* Notes processes of other users, also those that have become such since their offer. */
static void look_for_foreign(struct block_spool *spool)
{
	for (size_t i = 0; i < spool->process_count; i++) {
		learn_user(spool->processes[i]);
		spool->foreign |= spool->processes[i]->uid != geteuid();
	}
}

/* Reads some notes, even after the deadline: a recorder that waited for a CPU needs names, too. */
static void read_notes(struct block_spool *spool, struct spool_process *process, bool last)
{
	struct note_target target = {spool, process};

	if (process->note_count)
		learn_user(process);
	for (unsigned i = 0; i < process->note_count; i++)
		while (note_reader_read(&process->notes[i], last, pass_on, &target) &&
		       monotonic_ns() < spool->deadline_ns)
			;
}

static const char no_room[] =
	"a process had no room for all names and files: some of its functions "
	"have addresses instead of names";

static void close_notes(struct block_spool *spool, struct spool_process *process)
{
	read_notes(spool, process, true);
	for (unsigned i = 0; i < process->note_count; i++) {
		if (note_reader_is_over_full(&process->notes[i]))
			note_trouble(spool, no_room);
		close(process->notes[i].fd);
	}
	process->note_count = 0;
}

static void forget_process(struct block_spool *spool, struct spool_process *process)
{
	close_notes(spool, process);
	if (process->confined)
		note_trouble(spool, "a process restricted its system calls (seccomp): from then on "
				    "it and its children are not recorded");
	spool->calls->ended(spool->context, process);
	free(process);
}

/* Adds a process, whose former program is over. */
static struct spool_process *add_process(struct block_spool *spool,
					 const struct spool_arrival *arrival)
{
	struct spool_process *process = xcalloc(1, sizeof(*process));

	for (size_t i = 0; i < spool->process_count; i++)
		spool->processes[i]->over |= spool->processes[i]->pid == arrival->offer.pid;
	*process = (struct spool_process){.pid = arrival->offer.pid,
					  .image = arrival->offer.image,
					  .uid = arrival->uid,
					  .gid = arrival->gid};
	array_reserve(&spool->processes, &spool->process_capacity, spool->process_count + 1);
	spool->processes[spool->process_count++] = process;
	return process;
}

/* Returns the process of an offer; NULL: it is new, and there are too many. */
static struct spool_process *find_process(struct block_spool *spool,
					  const struct spool_arrival *arrival)
{
	for (size_t i = spool->process_count; i-- > 0;)
		if (spool->processes[i]->pid == arrival->offer.pid &&
		    spool->processes[i]->image == arrival->offer.image)
			return spool->processes[i];
	return spool->process_count < PROCESSES_MAX ? add_process(spool, arrival) : NULL;
}

/* Takes notes. Returns whether they are taken. */
static bool take_notes(struct block_spool *spool, const struct spool_arrival *arrival)
{
	struct spool_process *process = find_process(spool, arrival);

	if (!process || process->note_count == SPOOL_NOTES_MAX) {
		close(arrival->fd);
		if (process)
			note_trouble(spool, no_room);
		return process;
	}
	process->notes[process->note_count++] = (struct note_reader){.fd = arrival->fd};
	read_notes(spool, process, false);
	return true;
}

/* --- Threads ------------------------------------------------------------------------------- */

/* Marks replaced threads: those of a process's former program, and an ended one with this id. */
static void end_before(struct block_spool *spool, const struct spool_reader *reader)
{
	for (size_t i = 0; i < spool->thread_count; i++) {
		const struct spool_reader *other = &spool->threads[i]->reader;

		if (other->pid == reader->pid &&
		    (other->tid == reader->tid || other->image != reader->image))
			spool->threads[i]->replaced = true;
	}
}

/* Refuses a thread, which learns that its file is not read, and stops recording. */
static void refuse_thread(const struct spool_arrival *arrival)
{
	struct spool_reader reader;
	struct err ignored;

	if (spool_reader_open(&reader, arrival, &ignored) == 0)
		spool_reader_let_go(&reader);
}

/* Takes a thread. Returns whether it is taken. */
static bool take_thread(struct block_spool *spool, const struct spool_arrival *arrival)
{
	struct spool_process *process =
		spool->thread_count < THREADS_MAX ? find_process(spool, arrival) : NULL;
	struct spool_thread *thread;
	struct err err;

	if (!process) {
		refuse_thread(arrival);
		return false;
	}
	thread = xcalloc(1, sizeof(*thread));
	if (spool_reader_open(&thread->reader, arrival, &err)) {
		note_trouble(spool, err.text);
		free(thread);
		return true;
	}
	end_before(spool, &thread->reader);
	thread->over = arrival->is_over;
	thread->process = process;
	process->threads++;
	array_reserve(&spool->threads, &spool->thread_capacity, spool->thread_count + 1);
	spool->threads[spool->thread_count++] = thread;
	return true;
}

static void take_offer(struct block_spool *spool, const struct spool_arrival *arrival)
{
	bool is_thread = arrival->offer.kind == SPOOL_OFFER_THREAD;

	spool->foreign |= arrival->uid != geteuid();
	if (arrival->offer.kind == SPOOL_OFFER_PROGRAM)
		spool->calls->begun(spool->context, arrival->offer.pid);
	if (!(is_thread ? take_thread : take_notes)(spool, arrival))
		note_trouble(spool, "some threads are not recorded: at most 2048 threads or "
				    "processes are recorded at once");
}

/* Takes offers. Returns whether all that have come are taken. */
static bool take_offers(struct block_spool *spool, int most)
{
	struct spool_arrival arrival;
	struct err err;
	int rc;

	for (int i = 0; i < most && monotonic_ns() < spool->deadline_ns; i++) {
		rc = spool_listener_next(&spool->listener, &arrival, &err);
		if (!rc)
			return true;
		if (rc > 0) {
			take_offer(spool, &arrival);
			continue;
		}
		note_trouble(spool, err.text);
		if (arrival.offer.kind ==
		    SPOOL_OFFER_PROGRAM) /* it reports itself why it does nothing */
			spool->calls->begun(spool->context, arrival.offer.pid);
	}
	return false;
}

/* Searches for new offers: a process without notes may have offered them since, and ended. */
static void look_for_notes(struct block_spool *spool)
{
	uint64_t deadline_ns = spool->deadline_ns, begin_ns = monotonic_ns(), took_ns;

	spool->deadline_ns = begin_ns + spool->again_ns;
	take_offers(spool, OFFERS_MAX);
	spool->deadline_ns = deadline_ns;
	took_ns = monotonic_ns() - begin_ns;
	spool->again_ns -= took_ns < spool->again_ns ? took_ns : spool->again_ns;
}

void block_spool_read_notes(struct block_spool *spool, struct spool_process *process)
{
	if (!process->note_count)
		look_for_notes(spool);
	read_notes(spool, process, false);
}

static void forget_thread(struct block_spool *spool, struct spool_thread *thread)
{
	spool->losses.missing += thread->reader.missing;
	spool->losses.torn += thread->reader.torn;
	thread->process->threads--;
	spool_reader_let_go(&thread->reader);
	free(thread);
}

static bool is_alive(const struct spool_reader *reader)
{
	return syscall(SYS_tgkill, reader->pid, reader->tid, 0) == 0 || errno != ESRCH;
}

/*
 * Finds threads that have ended. A thread that has said so may have written something after the
 * last look, so it is over only now. Others end without saying so.
 */
static void look_for_ends(struct block_spool *spool, bool check)
{
	size_t kept = 0;

	for (size_t i = 0; i < spool->thread_count; i++) {
		struct spool_thread *thread = spool->threads[i];

		if (thread->drained) {
			forget_thread(spool, thread);
			continue;
		}
		thread->over |= thread->reader.ended || thread->replaced || thread->process->over ||
				(check && !is_alive(&thread->reader));
		spool->threads[kept++] = thread;
	}
	spool->thread_count = kept;
}

/* Returns whether a process has ended. Zombies are only searched for if necessary. */
static bool has_ended(pid_t pid, bool thoroughly)
{
	struct proc_stat stat;

	if (kill(pid, 0) && errno == ESRCH)
		return true;
	return thoroughly && proc_stat_of(&stat, "/proc", pid, 0) == 0 && stat.state == 'Z';
}

/* Finds processes that have ended. Their offers are taken first, as their notes have the names. */
static void look_for_ended_processes(struct block_spool *spool, bool all_taken)
{
	bool thoroughly = spool->process_count > PROCESSES_MAX / 2;
	size_t kept = 0;

	for (size_t i = 0; i < spool->process_count; i++) {
		struct spool_process *process = spool->processes[i];
		bool was_over = process->over;

		process->over |= has_ended(process->pid, thoroughly);
		if (process->over && (thoroughly || (was_over && all_taken)) && !process->threads)
			forget_process(spool, process);
		else
			spool->processes[kept++] = process;
	}
	spool->process_count = kept;
}

/* --- Memory -------------------------------------------------------------------------------- */

static uint64_t memory_of_notes(const struct block_spool *spool)
{
	uint64_t bytes = 0;
	struct stat file;

	for (size_t i = 0; i < spool->process_count; i++)
		for (unsigned j = 0; j < spool->processes[i]->note_count; j++)
			if (fstat(spool->processes[i]->notes[j].fd, &file) == 0)
				bytes += (uint64_t)file.st_blocks * 512;
	return bytes;
}

/*
 * Checks the memory of all files. The library takes no more if it learns that there is no room. If
 * the sum reaches twice the limit nevertheless, the library is not the cause: the largest file is
 * given up.
 */
static void check_memory(struct block_spool *spool)
{
	struct spool_reader *largest = NULL;
	uint64_t bytes = memory_of_notes(spool), most = 0;

	for (size_t i = 0; i < spool->thread_count; i++) {
		struct spool_reader *reader = &spool->threads[i]->reader;
		uint64_t own = spool_reader_memory(reader);

		bytes += own;
		if (own > most) {
			most = own;
			largest = reader;
		}
	}
	if (bytes > 2 * spool->memory_max && largest && !spool->has_room)
		largest->damaged = true;
	spool->has_room = bytes < spool->memory_max;
}

/* --- Events -------------------------------------------------------------------------------- */

static void take_stack(struct spool_thread *thread)
{
	size_t depth =
		thread->event.count < SPOOL_STACK_MAX ? thread->event.count : SPOOL_STACK_MAX;

	memcpy(thread->stack + 2, thread->event.values, depth * sizeof(*thread->stack));
	thread->stack_depth = depth;
}

/* Notes that there is nothing to read now, or never if the thread is over. */
static __attribute__((noinline)) void note_empty(struct block_spool *spool,
						 struct spool_thread *thread)
{
	struct err err;

	if (thread->reader.damaged && !thread->over) {
		err_set(&err, "process %d: the data of thread %d is damaged",
			(int)thread->reader.pid, (int)thread->reader.tid);
		note_trouble(spool, err.text);
		thread->over = true;
	}
	thread->drained = thread->over;
}

/* Finds the next event. A stack belongs to the event behind it. */
static bool find_event(struct block_spool *spool, struct spool_thread *thread)
{
	if (thread->has_event)
		return true;
	while (spool_reader_next(&thread->reader, &thread->event, thread->over)) {
		if (thread->event.kind != SPOOL_STACK)
			return thread->has_event = true;
		take_stack(thread);
	}
	note_empty(spool, thread);
	return false;
}

/*
 * Finds the next event, and its time, which is computed anew in each pass. When it was read it was
 * behind the last pair of clocks, so its time was extrapolated, while the times of later events
 * come from a later pair: it could seem to come after these.
 */
static bool fill_event(struct block_spool *spool, struct spool_thread *thread)
{
	if (!find_event(spool, thread))
		return false;
	thread->time_ns = thread->reader.clock == SPOOL_TSC
				  ? clock_pairs_ns(&spool->clocks, thread->event.time)
				  : thread->event.time;
	return true;
}

/* Moves the thread at `at`, whose event may be later than those below it, down to its place. */
static void sift_down(struct block_spool *spool, size_t at)
{
	struct spool_thread **heap = spool->heap, *moved = heap[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= spool->heap_count)
			break;
		if (child + 1 < spool->heap_count &&
		    heap[child + 1]->time_ns < heap[child]->time_ns)
			child++;
		if (heap[child]->time_ns >= moved->time_ns)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moved;
}

static bool has_turn(struct block_spool *spool, struct spool_thread *thread)
{
	if (!fill_event(spool, thread))
		return false;
	/* An event of an ended thread is never in the future. */
	thread->reader.damaged |= thread->over && thread->time_ns > spool->until_ns;
	thread->has_event = !thread->reader.damaged;
	thread->drained |= thread->reader.damaged && thread->over;
	return thread->has_event && thread->time_ns <= spool->until_ns;
}

/* Looks at all files. Later events are read in the next pass. */
static void look_at_files(struct block_spool *spool, bool last)
{
	size_t keep = KEEP_ALL / (spool->thread_count + 1);

	for (size_t i = 0; i < spool->thread_count; i++) {
		struct spool_reader *reader = &spool->threads[i]->reader;

		reader->keep = keep > SPOOL_KEEP_MIN ? (unsigned)keep : SPOOL_KEEP_MIN;
		spool_reader_look(reader);
		if (last)
			spool_reader_hold_to_memory(reader);
	}
	spool->until_ns = monotonic_ns(); /* before the pair, so that all times are behind a pair */
	clock_pairs_take(&spool->clocks);
	spool_listener_tell(&spool->listener, spool->until_ns, spool->has_room);
}

void block_spool_begin_pass(struct block_spool *spool, bool last)
{
	uint64_t now_ns = monotonic_ns();
	bool check = last || now_ns >= spool->checked_ns + check_ns, all_taken;

	spool->deadline_ns = now_ns + (last ? LAST_NOTES_MS : NOTES_MS) * UINT64_C(1000000);
	spool->again_ns = spool->deadline_ns - now_ns;
	all_taken = take_offers(spool, last ? LAST_OFFERS_MAX : OFFERS_MAX);
	look_for_ends(spool, check);
	if (check) {
		spool->checked_ns = now_ns;
		look_for_ended_processes(spool, all_taken);
	}
	if (check || spool->thread_count < FEW_FILES)
		check_memory(spool);
	look_at_files(spool, last);
	if (last)
		look_for_foreign(spool);
	array_reserve(&spool->heap, &spool->heap_capacity, spool->thread_count);
	spool->heap_count = 0;
	for (size_t i = 0; i < spool->thread_count; i++)
		if (has_turn(spool, spool->threads[i]))
			spool->heap[spool->heap_count++] = spool->threads[i];
	for (size_t i = spool->heap_count / 2; i-- > 0;)
		sift_down(spool, i);
}

struct spool_thread *block_spool_first(struct block_spool *spool)
{
	return spool->heap_count ? spool->heap[0] : NULL;
}

void block_spool_drop_first(struct block_spool *spool)
{
	struct spool_thread *thread = spool->heap[0];

	thread->has_event = false;
	thread->stack_depth = 0;
	if (!has_turn(spool, thread))
		spool->heap[0] = spool->heap[--spool->heap_count];
	if (spool->heap_count)
		sift_down(spool, 0);
}

/* --- The end ------------------------------------------------------------------------------- */

void block_spool_end_processes(struct block_spool *spool)
{
	spool->deadline_ns = monotonic_ns() + LAST_NOTES_MS * UINT64_C(1000000);
	for (size_t i = 0; i < spool->thread_count; i++)
		forget_thread(spool, spool->threads[i]);
	for (size_t i = 0; i < spool->process_count; i++)
		forget_process(spool, spool->processes[i]);
	spool->thread_count = spool->process_count = spool->heap_count = 0;
}

void block_spool_close(struct block_spool *spool)
{
	block_spool_end_processes(spool);
	spool_listener_close(&spool->listener);
	free(spool->trouble);
	free(spool->threads);
	free(spool->processes);
	free(spool->heap);
	clock_pairs_release(&spool->clocks);
	*spool = block_spool_none();
}

struct spool_losses block_spool_losses(const struct block_spool *spool)
{
	struct spool_losses losses = spool->losses;

	for (size_t i = 0; i < spool->thread_count; i++) {
		const struct spool_reader *reader = &spool->threads[i]->reader;

		losses.unread += spool_reader_unread(reader);
		losses.missing += reader->missing;
		losses.torn += reader->torn;
	}
	return losses;
}
