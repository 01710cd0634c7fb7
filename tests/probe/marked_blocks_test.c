/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/probe.h"

#include "probe/probe_thread.h"
#include "support.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static void *begin_block(void *block)
{
	pscal_block_begin(block, 0);
	return NULL;
}

/* The recorder looks for a name once. So where a name is being written no thread goes on without.
 */
static void a_block_is_known_when_its_name_is_there(void **state)
{
	struct pscal_block block = {.name = "insert"};
	char names[sizeof(probe_settings.spool) + 40], clean[sizeof(names)], line[100] = "";
	pthread_t thread;
	char want[100];
	int fd, lock;

	(void)state;
	strcpy(probe_settings.spool, "/tmp/marks-XXXXXX");
	assert_non_null(mkdtemp(probe_settings.spool));
	lock = open(probe_settings.spool, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(flock(lock, LOCK_EX), 0);
	probe_settings.first = (struct spool_header){.version = SPOOL_VERSION};
	probe_settings.every = 1;
	probe_process->id = (uint32_t)getpid();
	probe_settings.marks = probe_settings.on = true;
	snprintf(names, sizeof(names), "%s/names-%d-0", probe_settings.spool, getpid());
	/* Who opens it for writing waits until somebody reads. */
	assert_int_equal(mkfifo(names, 0600), 0);

	assert_int_equal(pthread_create(&thread, NULL, begin_block, &block), 0);
	usleep(50000);
	assert_int_equal(__atomic_load_n(&block.known, __ATOMIC_ACQUIRE), 0);
	fd = open(names, O_RDONLY);
	assert_true(fd >= 0);
	assert_true(read(fd, line, sizeof(line) - 1) > 0);
	close(fd);
	snprintf(clean, sizeof(clean), "rm -rf %s", probe_settings.spool);
	pthread_join(thread, NULL);
	snprintf(want, sizeof(want), "%lu insert\n", (unsigned long)&block);
	assert_string_equal(line, want);
	assert_int_equal(block.known, getpid());
	assert_int_equal(system(clean), 0);
	close(lock);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_block_is_known_when_its_name_is_there),
	};

	return RUN_TESTS(tests);
}
