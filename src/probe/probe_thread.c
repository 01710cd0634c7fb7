/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/probe_thread.h"

#include "probe/confinement.h"
#include "probe/instrumented.h"
#include "probe/probe_clock.h"
#include "probe/process_notes.h"
#include "probe/raw_call.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

/*
 * --- Quiet calls ---------------------------------------------------------------------------------
 *
 * Calls of the C library from where a watched function is entered: it may use registers that hold
 * arguments there (block_stub.S saves only general ones).
 */

#if defined(__x86_64__)

enum { FXSAVE_BYTES = 512 };

/* Returns the bytes that XSAVE writes with all enabled features; 0: there is no XSAVE. */
static unsigned xsave_bytes(void)
{
	unsigned a, b, c, d;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
		return 0;
	return __get_cpuid_count(0xd, 0, &a, &b, &c, &d) ? b : 0;
}

/* Calls a function with registers saved. Does nothing without memory to save them. */
static void quiet_call(void (*function)(void))
{
	unsigned bytes = xsave_bytes(), size = bytes ? bytes : FXSAVE_BYTES;
	long area = raw_call(SYS_mmap, 0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			     -1, 0);

	if (raw_call_failed(area))
		return;
	if (bytes)
		__asm__ volatile("xsave64 (%0)" : : "r"(area), "a"(-1), "d"(-1) : "memory");
	else
		__asm__ volatile("fxsave64 (%0)" : : "r"(area) : "memory");
	function();
	if (bytes)
		__asm__ volatile("xrstor64 (%0)" : : "r"(area), "a"(-1), "d"(-1) : "memory");
	else
		__asm__ volatile("fxrstor64 (%0)" : : "r"(area) : "memory");
	raw_call(SYS_munmap, area, size, 0, 0, 0, 0);
}

#else

/* Calls a function. If no entries are patched, compilers save all registers that they need. */
static void quiet_call(void (*function)(void))
{
	function();
}

#endif

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18 /* Linux 4.14 */
#endif

/* The number of keys that need no memory of a thread (glibc, PTHREAD_KEY_2NDLEVEL_SIZE). */
enum { KEYS_AT_HAND = 32 };

struct probe_settings probe_settings;
static struct probe_process no_process;
struct probe_process *probe_process = &no_process;
__thread struct probe_thread probe_self __attribute__((tls_model("initial-exec")));

static struct {
	pthread_key_t key;
	bool has_key;
} ends;

/* --- The process --------------------------------------------------------------------------- */

bool probe_process_is_elsewhere(void)
{
	struct stat file;

	return probe_settings.pid_namespace &&
	       !raw_call_failed(raw_call(SYS_newfstatat, AT_FDCWD, (long)"/proc/self/ns/pid",
					 (long)&file, 0, 0, 0)) &&
	       file.st_ino != probe_settings.pid_namespace;
}

/* Returns the id. Only one thread copies the maps: changed code is known by the line before. */
static uint32_t process_id(void)
{
	uint32_t known = __atomic_load_n(&probe_process->id, __ATOMIC_RELAXED), id;

	if (known)
		return known;
	id = (uint32_t)raw_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
	if (!__atomic_compare_exchange_n(&probe_process->id, &known, id, false, __ATOMIC_RELAXED,
					 __ATOMIC_RELAXED))
		return id;
	if (probe_process_is_elsewhere())
		probe_process_elsewhere();
	else
		probe_process_maps();
	return id;
}

static void complain(void)
{
	if (__atomic_exchange_n(&probe_process->trouble, 1, __ATOMIC_RELAXED))
		return;
	probe_process_trouble("a thread is not recorded: memory or files are limited ('ulimit -v', "
			      "'ulimit -f', 'ulimit -n'), or the root directory was changed",
			      NULL);
}

/* --- A thread ------------------------------------------------------------------------------ */

/* Returns a seed that differs between threads of a process. */
static uint64_t seed_of(int32_t tid)
{
	uint64_t time = probe_clock_read((enum spool_clock)probe_settings.first.clock);
	uint64_t seed = time + (uint64_t)tid * 0x9e3779b97f4a7c15;

	seed = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9;
	seed = (seed ^ seed >> 27) * 0x94d049bb133111eb;
	return (seed ^ seed >> 31) | 1;
}

static void ask_for_end(void)
{
	pthread_setspecific(ends.key, (void *)(intptr_t)1);
}

/* Opens the counters; their failure is reported once per process. */
static void open_counters(struct probe_thread *self)
{
	if (probe_settings.tasks != TASKS_COUNTED ||
	    !thread_counters_open(&self->counters, probe_settings.counters,
				  probe_settings.counter_count) ||
	    __atomic_exchange_n(&probe_process->uncounted, 1, __ATOMIC_RELAXED))
		return;
	probe_process_trouble(
		"nothing is counted in tasks: the kernel refuses it, or too many files are open; "
		"look at kernel.perf_event_paranoid, kernel.perf_event_mlock_kb and 'ulimit -n'",
		NULL);
}

/* Opens the file. A child keeps its parent's mapped, as a signal may interrupt a write to it. */
static bool open_file(struct probe_thread *self)
{
	self->innermost = 0;
	self->until_stack = 0;
	self->call_count = self->oldest_call = 0;
	if (!recorder_link_is_read(&probe_settings.link))
		return false;
	if (spool_writer_open(&self->writer, &probe_settings.link, &probe_settings.first)) {
		complain();
		return false;
	}
	self->random = seed_of(self->writer.tid);
	open_counters(self);
	/* If its end is not noticed, the file and its memory stay. */
	if (ends.has_key)
		quiet_call(ask_for_end);
	return true;
}

static void begin_thread(struct probe_thread *self, uint32_t process)
{
	/* Functions called from here may be watched themselves. */
	self->refused = process;
	self->full = false;
	if (!open_file(self))
		return;
	self->watched = process + 1;
	self->refused = 0;
}

bool probe_thread_begin(struct probe_thread *self)
{
	uint64_t all = ~UINT64_C(0), old = 0;
	uint32_t process;

	process = __atomic_load_n(&probe_process->id, __ATOMIC_RELAXED);
	if (!probe_settings.on || (process && self->refused == process)) {
		if (self->full)
			spool_writer_miss(&self->writer);
		return false;
	}
	if (!confinement_hold()) {
		if (self->writer.header)
			spool_writer_miss(&self->writer);
		return false;
	}
	process = process_id();
	if (!probe_settings.on) {
		confinement_free();
		return false;
	}
	raw_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&old, sizeof(all), 0, 0);
	if (self->watched != process + 1)
		begin_thread(self, process);
	raw_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&old, 0, sizeof(old), 0, 0);
	confinement_free();
	return self->refused != process;
}

void probe_thread_stop(struct probe_thread *self)
{
	self->full = true;
	self->refused = probe_process->id;
	self->watched = 0;
}

/* --- Ends ---------------------------------------------------------------------------------- */

/*
 * Ends a thread. Other destructors may run watched functions, so this one has itself called again
 * in every round, to be the last.
 */
static void end_thread(void *value)
{
	struct probe_thread *self = &probe_self;
	intptr_t round = (intptr_t)value;

	if (round < PTHREAD_DESTRUCTOR_ITERATIONS) {
		pthread_setspecific(ends.key, (void *)(round + 1));
		return;
	}
	if (!confinement_hold())
		return;
	instrumented_release(self);
	self->refused = probe_process->id;
	self->watched = 0;
	self->full = false;
	/* In the child of a fork that has recorded nothing, the file is that of its parent. */
	if (self->writer.header && (uint32_t)self->writer.pid == probe_process->id) {
		thread_counters_close(&self->counters);
		spool_writer_close(&self->writer);
	}
	confinement_free();
}

int probe_threads_begin(void)
{
	long at = raw_call(SYS_mmap, 0, sizeof(*probe_process), PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (raw_call_failed(at))
		return -1;
	if (raw_call_failed(
		    raw_call(SYS_madvise, at, sizeof(*probe_process), MADV_WIPEONFORK, 0, 0, 0)))
		return -1;
	probe_process = (struct probe_process *)at; // NOLINT: an address
	ends.has_key = pthread_key_create(&ends.key, end_thread) == 0 && ends.key < KEYS_AT_HAND;
	return 0;
}
