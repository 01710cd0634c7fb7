/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Thread 1, 2, ... touches 100, 200, ... new pages. Each prints counts of the kernel: "tid
 * page-faults context-switches". All end at the same time.
 *
 *	faulting_threads N
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { THREADS_MAX = 64, PAGES = 100, PAGE = 4096 };

static pthread_barrier_t all_done;

static void print_usage(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	printf("%ld %ld %ld\n", (long)syscall(SYS_gettid), usage.ru_minflt + usage.ru_majflt,
	       usage.ru_nvcsw + usage.ru_nivcsw);
	fflush(stdout);
}

static void *touch(void *argument)
{
	size_t size = (size_t)(uintptr_t)argument * PAGES * PAGE;
	volatile char *memory =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		exit(1);
	madvise((void *)(uintptr_t)memory, size, MADV_NOHUGEPAGE);
	for (size_t at = 0; at < size; at += PAGE)
		memory[at] = 1;
	usleep(1000);
	print_usage();
	pthread_barrier_wait(&all_done);
	return NULL;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 0;
	pthread_t threads[THREADS_MAX];

	if (count < 1 || count > THREADS_MAX)
		return 2;
	pthread_barrier_init(&all_done, NULL, (unsigned)count);
	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, touch, (void *)(uintptr_t)(i + 1)))
			return 1;
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
