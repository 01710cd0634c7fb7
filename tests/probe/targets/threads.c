/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads that begin and end, and libraries that are loaded and unloaded. The C library is busy. */
#include "target.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

WATCHED uint64_t watch_leaf(uint64_t value)
{
	HIDE(value);
	return value * 7 + 1;
}

/* --- Threads -------------------------------------------------------------------------------- */

static pthread_key_t key;
static uint64_t destroyed;

WATCHED void watch_destroy(void *value)
{
	/* The call is not the first instruction, as then the entry could not be moved. */
	__atomic_fetch_add(&destroyed, watch_leaf((uintptr_t)value * 3 + 1), __ATOMIC_RELAXED);
}

WATCHED void *watch_thread(void *context)
{
	pthread_setspecific(key, context);
	return (void *)watch_leaf((uintptr_t)context); // NOLINT: a number
}

static void many(void)
{
	enum { AT_ONCE = 20, ROUNDS = 100 };
	pthread_t threads[AT_ONCE];
	uint64_t sum = 0;

	pthread_key_create(&key, watch_destroy);
	for (uint64_t i = 0; i < ROUNDS; i++) {
		for (uint64_t k = 0; k < AT_ONCE; k++)
			must(pthread_create(&threads[k], NULL, watch_thread,
					    (void *)(i * AT_ONCE + k + 1)) == 0); // NOLINT
		for (uint64_t k = 0; k < AT_ONCE; k++) {
			void *result;

			pthread_join(threads[k], &result);
			mix(&sum, (uintptr_t)result);
		}
	}
	printf("%lu %lu\n", sum, destroyed);
}

/* --- Small stacks --------------------------------------------------------------------------- */

static volatile sig_atomic_t handled;

static void handle(int number)
{
	(void)number;
	handled = handled + 1;
	watch_leaf(5);
}

/* Room for the frame of a handler, and no page more: the memory below must not change. */
static char *small_stack(size_t *size)
{
	const size_t page = 4096;
	char *memory;

	*size = ((size_t)sysconf(_SC_MINSIGSTKSZ) + 2048 + page - 1) / page * page;
	memory = mmap(NULL, *size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	must(memory != MAP_FAILED && mprotect(memory, page, PROT_NONE) == 0);
	return memory + page;
}

/* The first watched call of the thread is on the stack for signals. */
WATCHED void *watch_small(void *context)
{
	size_t size;
	char room[6000], *memory = small_stack(&size);
	stack_t stack = {.ss_sp = memory, .ss_size = size};

	memset(room, 1, sizeof(room));
	must(sigaltstack(&stack, NULL) == 0);
	raise(SIGUSR1);
	for (size_t i = 0; i < sizeof(room); i++)
		must(room[i] == 1);
	return (void *)watch_leaf((uintptr_t)context); // NOLINT: a number
}

static void *begin_small(void *context)
{
	raise(SIGUSR2);
	return watch_small(context);
}

static void small(void)
{
	struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
	pthread_attr_t attributes;
	uint64_t sum = 0;

	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	pthread_attr_init(&attributes);
	must(pthread_attr_setstacksize(&attributes, (size_t)PTHREAD_STACK_MIN) == 0);
	for (uint64_t i = 0; i < 100; i++) {
		pthread_t thread;
		void *result;

		must(pthread_create(&thread, &attributes, begin_small, (void *)i) == 0); // NOLINT
		pthread_join(thread, &result);
		mix(&sum, (uintptr_t)result);
	}
	printf("%lu %d\n", sum, handled);
}

/* --- Ends of threads without notice --------------------------------------------------------- */

static int done;

/* Ends without destructors, as if it had been killed. */
WATCHED void *watch_gone(void *context)
{
	watch_leaf(1);
	__atomic_fetch_add(&done, 1, __ATOMIC_RELEASE);
	if (context)
		syscall(SYS_exit, 0);
	return NULL;
}

static void gone(void)
{
	enum { THREADS = 20 };
	pthread_t thread;

	for (int i = 0; i < THREADS; i++) {
		must(pthread_create(&thread, NULL, watch_gone, &done) == 0);
		pthread_detach(thread);
	}
	while (__atomic_load_n(&done, __ATOMIC_ACQUIRE) < THREADS)
		usleep(100);
	printf("%d\n", done);
	fflush(stdout);
	/* The other thread is in a watched function when the process ends. */
	must(pthread_create(&thread, NULL, watch_gone, NULL) == 0);
	pthread_join(thread, NULL);
	_exit(3);
}

/* --- Libraries ------------------------------------------------------------------------------ */

static void libraries(void)
{
	for (int i = 0; i < 100; i++) {
		void *library = dlopen("libinstrumented.so", RTLD_NOW);
		uint64_t (*function)(uint64_t);

		if (!library)
			printf("%s\n", dlerror());
		must(library != NULL);
		function = (uint64_t(*)(uint64_t))(uintptr_t)dlsym(library, "instrumented_sum");
		printf("%lu\n", function(100));
		dlclose(library);
	}
}

/* --- The C library -------------------------------------------------------------------------- */

enum { TURNS = 3000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
static int turn, ends[2];

static void work(uint64_t *sum, int which, int i)
{
	size_t size = (size_t)(i * 37 % 5000 + 1);
	char *memory = malloc(size), *more = calloc(1, size), byte = (char)i;

	memset(memory, i, size);
	memcpy(more, memory, size);
	mix(sum, (uint64_t)more[size / 2]);
	free(memory);
	free(realloc(more, size * 2));
	errno = i;
	must(write(ends[which], &byte, 1) == 1);
	mix(sum, (uint64_t)errno);
	must(recv(ends[!which], &byte, 1, 0) == 1);
	mix(sum, (uint64_t)errno);
	must(open("/nowhere/at/all", O_RDONLY) == -1);
	mix(sum, (uint64_t)errno);
}

static void *take_turns(void *context)
{
	int which = *(int *)context;
	uint64_t *sum = malloc(sizeof(*sum));

	*sum = (uint64_t)which;
	for (int i = 0; i < TURNS; i++) {
		pthread_mutex_lock(&mutex);
		while (turn != which)
			pthread_cond_wait(&changed, &mutex);
		work(sum, which, i);
		turn = !which;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&mutex);
		sem_post(&semaphore);
		sem_wait(&semaphore);
		if (i % 100 == 0)
			pthread_barrier_wait(&barrier);
	}
	return sum;
}

static void c_library(void)
{
	pthread_t threads[2];
	int which[2] = {0, 1};

	pthread_barrier_init(&barrier, NULL, 2);
	sem_init(&semaphore, 0, 1);
	must(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	for (int i = 0; i < 2; i++)
		must(pthread_create(&threads[i], NULL, take_turns, &which[i]) == 0);
	for (int i = 0; i < 2; i++) {
		void *sum;

		pthread_join(threads[i], &sum);
		printf("%lu\n", *(uint64_t *)sum);
		free(sum);
	}
}

int main(int argc, char **argv)
{
	static const struct mode modes[] = {
		{"many", many},		  {"small", small},	    {"gone", gone},
		{"libraries", libraries}, {"c_library", c_library},
	};

	return run_mode(modes, sizeof(modes) / sizeof(modes[0]), argc, argv);
}
