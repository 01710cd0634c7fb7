/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/blocks/preload.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/monotonic.h"
#include "base/sorted.h"
#include "collect/blocks/block_spool.h"
#include "collect/patch/entry_patch.h"
#include "probe/patch_plan.h"
#include "probe/spool.h"
#include "probe/task.h"

#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* --- Paths, and loading --------------------------------------------------------------------- */

/* Returns the path of a file; NULL: none. */
static char *find_in(const char *directory, const char *place, const char *name)
{
	char *path = xasprintf("%s/%s%s", directory, place, name);
	char *found = realpath(path, NULL);

	free(path);
	return found;
}

/* Finds a library beside the program, as in a build, or installed with it. NULL with an error. */
static char *find_library(const char *name, const char *option, struct err *err)
{
	char *directory = realpath("/proc/self/exe", NULL), *found;

	if (!directory) {
		err_set(err, "%s: /proc/self/exe: %m", option);
		return NULL;
	}
	*strrchr(directory, '/') = '\0';
	found = find_in(directory, "", name);
	if (!found)
		found = find_in(directory, "../lib/pscal/", name);
	if (!found)
		err_set(err,
			"%s: %s is neither in %s nor in ../lib/pscal from there: install pscal as "
			"a whole",
			option, name, directory);
	free(directory);
	if (!found || !strpbrk(found, " :"))
		return found;
	err_set(err,
		"%s: %s: the loader takes no path with a space or a colon: install pscal elsewhere",
		option, found);
	free(found);
	return NULL;
}

int preload_find(struct preload *preload, bool omp, struct err *err)
{
	preload->probe = find_library("libpscal-probe.so", "--probe", err);
	if (preload->probe && omp)
		preload->omp = find_library("libpscal-omp.so", "--tasks=omp", err);
	return preload->probe && (preload->omp || !omp) ? 0 : -1;
}

void preload_release(struct preload *preload)
{
	free(preload->probe);
	free(preload->omp);
}

/* Appends to a list in the environment. */
static void append_to_list(const char *variable, const char *more)
{
	const char *others = getenv(variable);
	char *all = others && *others ? xasprintf("%s:%s", others, more) : xstrdup(more);

	setenv(variable, all, 1);
	free(all);
}

/*
 * Sets the environment. AddressSanitizer ends programs if its library is not the first one: a
 * library before it might have the functions that it replaces, but ours has not. OpenMP runtimes
 * look for a tool among loaded libraries; the variable is for those that cannot see it there.
 */
void preload_set(const struct preload *preload)
{
	append_to_list("LD_PRELOAD", preload->probe);
	append_to_list("ASAN_OPTIONS", "verify_asan_link_order=0");
	if (!preload->omp)
		return;
	append_to_list("LD_PRELOAD", preload->omp);
	append_to_list("OMP_TOOL_LIBRARIES", preload->omp);
}

/* --- Trials --------------------------------------------------------------------------------- */

/*
 * The size of a trial. A round and some others fit into one window of the spool, so the median is
 * that of undisturbed rounds in which no window is made.
 */
enum { TRIAL_ROUNDS = 21, TRIAL_TIMES = 250 };

/* The time after which a child is ended. */
enum { LIMIT_S = 10 };

struct cost_trial {
	/* Writes the plan of the library (probe/patch_plan.h); -1: impossible. */
	int (*write_plan)(FILE *out, const void *context);
	/* Returns the CPU time in ns of one call or task; `library` NULL: not loaded. */
	double (*time_ns)(void *library);
	const void *context;
	uint64_t events; /* events of one */
};

/* --- The child of a trial ------------------------------------------------------------------- */

static double cpu_ns(void)
{
	return (double)clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* Returns the median CPU time in ns of one call or task; `round` does TRIAL_TIMES of them. */
static double trial_median_ns(void (*round)(void *context), void *context)
{
	double each_ns[TRIAL_ROUNDS];

	for (int i = 0; i < TRIAL_ROUNDS; i++) {
		double begin_ns = cpu_ns();

		round(context);
		each_ns[i] = (cpu_ns() - begin_ns) / TRIAL_TIMES;
	}
	qsort(each_ns, TRIAL_ROUNDS, sizeof(each_ns[0]), compare_doubles);
	return each_ns[TRIAL_ROUNDS / 2];
}

/* Runs the trial. The library begins when it is loaded. */
static void __attribute__((noreturn))
run_trial(const struct cost_trial *trial, const char *library, const char *spool, int fd)
{
	double cost_ns = -trial->time_ns(NULL);
	void *handle;

	alarm(LIMIT_S);
	setenv(SPOOL_ENVIRONMENT, spool, 1);
	handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		_exit(1);
	cost_ns += trial->time_ns(handle);
	_exit(write(fd, &cost_ns, sizeof(cost_ns)) != sizeof(cost_ns));
}

static double ask_child(const struct cost_trial *trial, const char *library, const char *spool)
{
	double cost_ns = 0;
	int ends[2];
	pid_t child;

	if (pipe(ends))
		return 0;
	child = fork();
	if (child == 0)
		run_trial(trial, library, spool, ends[1]);
	close(ends[1]);
	if (child > 0 && read(ends[0], &cost_ns, sizeof(cost_ns)) != sizeof(cost_ns))
		cost_ns = 0;
	close(ends[0]);
	if (child > 0)
		waitpid(child, NULL, 0);
	return cost_ns > 0 ? cost_ns : 0;
}

/* --- A trial -------------------------------------------------------------------------------- */

static void ignore_process(void *context, pid_t pid)
{
	(void)context, (void)pid;
}

static void ignore_note(void *context, struct spool_process *process, enum spool_note kind,
			char *text)
{
	(void)context, (void)process, (void)kind, (void)text;
}

static void ignore_end(void *context, struct spool_process *process)
{
	(void)context, (void)process;
}

static const struct spool_process_calls ignored_calls = {ignore_process, ignore_note, ignore_end};

/* Returns the number of events. An unexpected number means that something else was measured. */
static uint64_t count_events(struct block_spool *spool)
{
	uint64_t count = 0;

	block_spool_begin_pass(spool, true);
	while (block_spool_first(spool)) {
		block_spool_drop_first(spool);
		count++;
	}
	return count;
}

/* Returns the CPU time in ns that recording adds to one; 0: not measured. Takes about 10 ms. */
static double trial_cost_ns(const struct cost_trial *trial, const char *library)
{
	struct block_spool spool = block_spool_none();
	struct err ignored;
	double cost_ns = 0;

	if (block_spool_open(&spool, &ignored_calls, NULL, &ignored) == 0 &&
	    spool_listener_publish(&spool.listener, trial->write_plan, trial->context, &ignored) ==
		    0)
		cost_ns = ask_child(trial, library, spool.path);
	if (cost_ns > 0 && count_events(&spool) != trial->events * TRIAL_ROUNDS * TRIAL_TIMES)
		cost_ns = 0;
	block_spool_close(&spool);
	return cost_ns;
}

/* --- The cost of a block -------------------------------------------------------------------- */

#if defined(__x86_64__)

/* The function that is called: its end is known, and its instructions are common ones. */
__asm__(".pushsection .text\n"
	".p2align 4\n"
	".globl pscal_block_cost_callee\n"
	".hidden pscal_block_cost_callee\n"
	".type pscal_block_cost_callee, @function\n"
	"pscal_block_cost_callee:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	lea 1(%rdi), %rax\n"
	"	pop %rbp\n"
	"	ret\n"
	".size pscal_block_cost_callee, .-pscal_block_cost_callee\n"
	".popsection\n");

extern long pscal_block_cost_callee(long number) __attribute__((visibility("hidden")));

enum { CALLEE_BYTES = 10 };

/* Takes the base of the first object, which is the program. */
static int take_base(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	*(uint64_t *)context = info->dlpi_addr;
	return 1;
}

static int write_block_plan(FILE *out, const void *arguments)
{
	long (*callee)(long) = pscal_block_cost_callee;
	struct plan_object object = {.path = 0, .patch_count = 1};
	struct plan_header header = {.magic = PLAN_MAGIC,
				     .version = SPOOL_VERSION,
				     .every = 1,
				     .arguments = *(const uint32_t *)arguments,
				     .object_count = 1,
				     .patch_count = 1,
				     .text_bytes = 1};
	struct entry_reader *reader = entry_reader_new();
	struct plan_patch patch;
	struct stat file;
	const uint8_t *code;
	uint64_t base = 0;
	const char *why;

	memcpy(&code, &callee, sizeof(code));
	dl_iterate_phdr(take_base, &base);
	why = entry_patch_make(&patch, reader, code, CALLEE_BYTES, 0, (uintptr_t)code - base);
	entry_reader_free(reader);
	if (why || stat("/proc/self/exe", &file))
		return -1;
	object.device = file.st_dev;
	object.inode = file.st_ino;
	object.mtime_ns =
		(uint64_t)file.st_mtim.tv_sec * 1000000000 + (uint64_t)file.st_mtim.tv_nsec;
	fwrite(&header, sizeof(header), 1, out);
	fwrite(&object, sizeof(object), 1, out);
	fwrite(&patch, sizeof(patch), 1, out);
	putc('\0', out);
	return 0;
}

static void call_often(void *unused)
{
	long (*volatile callee)(long) = pscal_block_cost_callee;

	(void)unused;
	for (long i = 0; i < TRIAL_TIMES; i++)
		callee(i);
}

static double time_of_call(void *library)
{
	(void)library;
	return trial_median_ns(call_often, NULL);
}

double preload_block_ns(const char *library, uint32_t arguments)
{
	const struct cost_trial trial = {
		.write_plan = write_block_plan,
		.time_ns = time_of_call,
		.context = &arguments,
		.events = 2,
	};

	return trial_cost_ns(&trial, library);
}

#else

double preload_block_ns(const char *library, uint32_t arguments)
{
	(void)library, (void)arguments;
	return 0;
}

#endif

/* --- The cost of a task --------------------------------------------------------------------- */

static int write_task_plan(FILE *out, const void *context)
{
	const struct plan_header *plan = context;
	struct plan_header header = {.magic = PLAN_MAGIC,
				     .version = SPOOL_VERSION,
				     .every = 1,
				     .tasks = 1,
				     .counter_count = plan->counter_count,
				     .text_bytes = 1};

	memcpy(header.counters, plan->counters, sizeof(header.counters));
	fwrite(&header, sizeof(header), 1, out);
	putc('\0', out);
	return 0;
}

static void begin_and_end_often(void *context)
{
	static struct pscal_site begins = PSCAL_HERE, ends = PSCAL_HERE;
	pscal_stepper *step = *(pscal_stepper **)context;

	for (uint32_t i = 0; i < TRIAL_TIMES; i++)
		step(&ends, PSCAL_STEP_END, step(&begins, PSCAL_STEP_BEGIN, PSCAL_NO_TASK, i), 0);
}

/* Measures a task. Without the library it is a branch that is not taken. */
static double time_of_task(void *library)
{
	void *found = library ? dlsym(library, "pscal_task_step") : NULL;
	pscal_stepper *step;

	if (!found)
		return 0;
	memcpy(&step, &found, sizeof(step));
	return trial_median_ns(begin_and_end_often, &step);
}

double preload_task_ns(const char *library, const struct plan_header *plan)
{
	const struct cost_trial trial = {.write_plan = write_task_plan,
					 .time_ns = time_of_task,
					 .context = plan,
					 .events = 2};

	return trial_cost_ns(&trial, library);
}
