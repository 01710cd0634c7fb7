/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "damage/batch.h"

#include "base/err.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#define HAS_HOOKS 1
/* From sanitizer/allocator_interface.h, which not every package of gcc has. */
int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *, size_t),
					      void (*on_free)(const volatile void *));
size_t __sanitizer_get_allocated_size(const volatile void *memory);
#else
#define HAS_HOOKS 0
#endif

/* Memory shared by the process that checks and the process that watches it. */
struct shared {
	struct batch_result result;
	uint64_t number; /* that is being checked */
};

/* --- Memory -------------------------------------------------------------------------------- */

/* Bytes allocated since the current number began. They are static, as hooks have no context;
 * processes have one thread. */
static int64_t live_bytes, most_bytes;

#if HAS_HOOKS
static void on_malloc(const volatile void *memory, size_t size)
{
	(void)memory;
	live_bytes += (int64_t)size;
	if (live_bytes > most_bytes)
		most_bytes = live_bytes;
}

static void on_free(const volatile void *memory)
{
	if (memory)
		live_bytes -= (int64_t)__sanitizer_get_allocated_size(memory);
}
#endif

static void watch_memory(void)
{
#if HAS_HOOKS
	__sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
#endif
}

/* Without hooks: the memory of the process before the current number. */
static uint64_t bare_bytes;

static uint64_t most_resident_bytes(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)usage.ru_maxrss * 1024;
}

/* The peak of an earlier number does not count. */
static void forget_peak(void)
{
	int fd = HAS_HOOKS ? -1 : open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);

	live_bytes = most_bytes = 0;
	if (fd >= 0 && write(fd, "5", 1) == 1)
		bare_bytes = most_resident_bytes();
	if (fd >= 0)
		close(fd);
}

static uint64_t peak_bytes(void)
{
	return HAS_HOOKS ? (uint64_t)most_bytes : most_resident_bytes() - bare_bytes;
}

/* --- The process that checks --------------------------------------------------------------- */

static uint64_t cpu_us(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
	       (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* SIGPROF ends the process after so much CPU time, SIGALRM if it waits for ever. */
static void limit_time(uint64_t cpu_ms)
{
	const struct itimerval timer = {
		.it_value = {(time_t)(cpu_ms / 1000), (suseconds_t)(cpu_ms % 1000 * 1000)}};

	setitimer(ITIMER_PROF, &timer, NULL);
	alarm(600);
}

static void check_one(struct shared *shared, const struct batch *batch)
{
	struct batch_result *result = &shared->result;
	uint64_t before_us = cpu_us(), took_us;
	struct err err = {.text = ""};
	bool read = false;

	forget_peak();
	limit_time(batch->cpu_ms);
	if (batch->check(batch->context, shared->number, &read, &err)) {
		snprintf(result->message, sizeof(result->message), "%.500s", err.text);
		_exit(2);
	}
	took_us = cpu_us() - before_us;
	if (peak_bytes() > batch->bytes_max) {
		snprintf(result->message, sizeof(result->message), "took %" PRIu64 " bytes",
			 peak_bytes());
		_exit(2);
	}
	if (peak_bytes() > result->most_bytes)
		result->most_bytes = peak_bytes();
	if (took_us > result->most_us)
		result->most_us = took_us;
	*(read ? &result->read : &result->refused) += 1;
}

static pid_t start(struct shared *shared, const struct batch *batch, uint64_t to)
{
	pid_t child;

	fflush(NULL);
	child = fork();
	if (child)
		return child;
	watch_memory();
	for (; shared->number < to; shared->number++)
		check_one(shared, batch);
	limit_time(60000);
	exit(0); /* the sanitizer looks for leaks here */
}

/* --- The process that watches -------------------------------------------------------------- */

static void describe(char *text, size_t size, int status, const char *finding)
{
	int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

	if (signal == SIGPROF || signal == SIGALRM)
		snprintf(text, size, "hung");
	else if (signal)
		snprintf(text, size, "ended by signal %d (%s)", signal, strsignal(signal));
	else if (*finding)
		snprintf(text, size, "%.399s", finding);
	else
		snprintf(text, size, "ended with status %d", WEXITSTATUS(status));
}

void batch_run(struct batch_result *result, const struct batch *batch, uint64_t from, uint64_t to)
{
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (shared == MAP_FAILED)
		abort();
	for (shared->number = from; shared->number < to; shared->number++) {
		char text[400], what[512];
		int status;

		*shared->result.message = '\0';
		if (waitpid(start(shared, batch, to), &status, 0) < 0)
			abort();
		if (status == 0)
			break;
		describe(text, sizeof(text), status, shared->result.message);
		snprintf(what, sizeof(what), "%s %" PRIu64 ": %s", batch->name, shared->number,
			 text);
		fprintf(stderr, "%s\n", what);
		shared->result.failed++;
		if (!*result->message)
			memcpy(result->message, what, sizeof(result->message));
	}
	result->read += shared->result.read;
	result->refused += shared->result.refused;
	result->failed += shared->result.failed;
	if (shared->result.most_bytes > result->most_bytes)
		result->most_bytes = shared->result.most_bytes;
	if (shared->result.most_us > result->most_us)
		result->most_us = shared->result.most_us;
	munmap(shared, sizeof(*shared));
}
