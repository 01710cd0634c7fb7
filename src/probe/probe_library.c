/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the library begins in a process. Whatever goes wrong, the process goes on without it. */
#include "probe/patch_plan.h"
#include "probe/patcher.h"
#include "probe/probe_clock.h"
#include "probe/probe_thread.h"
#include "probe/process_files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct plan_header *map_plan(size_t *length)
{
	char path[sizeof(probe_settings.spool) + 8];
	const struct plan_header *plan = MAP_FAILED;
	struct stat file;
	int fd;

	strcpy(path, probe_settings.spool);
	strcat(path, "/plan");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	if (fstat(fd, &file) == 0 && (size_t)file.st_size >= sizeof(*plan)) {
		*length = (size_t)file.st_size;
		plan = mmap(NULL, *length, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	close(fd);
	return plan == MAP_FAILED ? NULL : plan;
}

static void take_settings(const struct plan_header *plan)
{
	enum spool_clock clock = probe_clock_choose();

	probe_settings.every = plan->every ? plan->every : 1;
	probe_settings.stack_every = plan->stack_every;
	probe_settings.arguments =
		plan->arguments < PLAN_ARGUMENTS_MAX ? plan->arguments : PLAN_ARGUMENTS_MAX;
	probe_settings.marks = plan->marks;
	probe_settings.functions = plan->functions;
	probe_settings.first = (struct spool_header){
		.version = SPOOL_VERSION,
		.clock = clock,
		.every = probe_settings.every,
		.arguments = probe_settings.arguments,
		.image = probe_clock_read(clock),
	};
}

__attribute__((constructor)) static void begin(void)
{
	const char *spool = getenv(SPOOL_ENVIRONMENT);
	const struct plan_header *plan;
	size_t length = 0;

	if (!spool || strlen(spool) >= sizeof(probe_settings.spool))
		return;
	strcpy(probe_settings.spool, spool);
	plan = map_plan(&length);
	if (!plan || plan->magic != PLAN_MAGIC || plan->version != SPOOL_VERSION)
		return;
	take_settings(plan);
	probe_process_begin();
	if (probe_threads_begin())
		probe_process_trouble("ends of threads and forks are not noticed: memory is short",
				      NULL);
	probe_settings.on = true;
	patcher_apply(plan, length);
}
