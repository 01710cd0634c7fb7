/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * thread_rain PACE_US LIFE_US SECONDS: creates a thread every PACE_US, each of which
 * sleeps for LIFE_US and ends; for SECONDS, or until SIGTERM. Prints "begun" at once, and in the
 * end one line a thread:
 *
 *	TID FROM UNTIL CREATED	it existed at FROM and UNTIL, the first and last time that it read,
 *				and not yet at CREATED, in ns of CLOCK_MONOTONIC
 *
 * and ends when all threads have ended.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* At most so many threads exist or have not been joined: each takes memory. */
enum { IN_THE_AIR = 1000 };

struct drop {
	uint64_t created_ns, from_ns, until_ns, life_ns;
	pid_t tid;
	pthread_t thread;
};

static volatile sig_atomic_t stopped;

static void stop(int number)
{
	(void)number;
	stopped = 1;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void sleep_until(uint64_t end_ns)
{
	struct timespec end = {(time_t)(end_ns / 1000000000), (long)(end_ns % 1000000000)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL))
		;
}

static void *fall(void *context)
{
	struct drop *drop = context;

	drop->from_ns = now_ns();
	drop->tid = gettid();
	sleep_until(drop->from_ns + drop->life_ns);
	drop->until_ns = now_ns();
	return NULL;
}

int main(int argc, char **argv)
{
	uint64_t pace_ns = 1000 * (uint64_t)atoi(argc > 1 ? argv[1] : "200");
	uint64_t life_ns = 1000 * (uint64_t)atoi(argc > 2 ? argv[2] : "1000");
	uint64_t seconds = (uint64_t)atoi(argc > 3 ? argv[3] : "1");
	size_t count = seconds * 1000000000 / (pace_ns ? pace_ns : 1);
	struct drop *drops = calloc(count ? count : 1, sizeof(*drops));
	uint64_t next_ns = now_ns();
	pthread_attr_t attr;
	size_t created = 0, joined = 0;

	signal(SIGTERM, stop);
	puts("begun");
	fflush(stdout);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	while (created < count && !stopped) {
		struct drop *drop = &drops[created++];

		drop->life_ns = life_ns;
		drop->created_ns = now_ns();
		if (pthread_create(&drop->thread, &attr, fall, drop)) {
			perror("pthread_create");
			return 1;
		}
		if (created - joined == IN_THE_AIR)
			pthread_join(drops[joined++].thread, NULL);
		/* Threads that a busy machine delays are not made up for. */
		next_ns = (next_ns > now_ns() ? next_ns : now_ns()) + pace_ns;
		sleep_until(next_ns);
	}
	while (joined < created)
		pthread_join(drops[joined++].thread, NULL);
	for (size_t i = 0; i < created; i++)
		printf("%d %llu %llu %llu\n", drops[i].tid, (unsigned long long)drops[i].from_ns,
		       (unsigned long long)drops[i].until_ns,
		       (unsigned long long)drops[i].created_ns);
	free(drops);
	return 0;
}
