/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Offers more than a recorder can take, until it is told to end or its time is over. The argument
 * chooses:
 *
 *	offers	files of events of a thread that does not exist, 60 000 of them
 *	same	files of its own thread, again and again
 *	silent	connections without a message
 *	empty	messages without bytes, with a descriptor each
 *	threads	a file of each of 3000 threads, all alive at once
 */
#include "attack.h"

#include <pthread.h>

enum { OFFERS = 60000, THREADS = 3000, SENDERS = 4 };

static void offer_all(const char *what, unsigned ms)
{
	uint64_t begin_ns = monotonic_ns();
	int fd;

	attack_thread(&fd, getpid(), 1, 1);
	for (int i = 0; i < OFFERS && attack_goes_on(begin_ns, ms); i++) {
		if (*what == 'e')
			attack_send("", 0, &fd, 1);
		else if (*what == 's' && what[1] == 'i')
			(void)!attack_connect(); /* left open, up to the limit of files */
		else
			attack_offer_fd(SPOOL_OFFER_THREAD,
					*what == 's' ? getpid() : 4000000 + i % 100000, 1, fd);
	}
}

static void *wait_long(void *context)
{
	attack_offer_fd(SPOOL_OFFER_THREAD, (pid_t)syscall(SYS_gettid), 1, *(int *)context);
	pause();
	return NULL;
}

static void begin_threads(unsigned ms)
{
	pthread_attr_t small;
	pthread_t thread;
	int fd;

	attack_thread(&fd, getpid(), 1, 1);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 1 << 16);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread, &small, wait_long, &fd);
	usleep(ms * 1000);
}

int main(int count, char **words)
{
	const char *what = count > 1 ? words[1] : "offers";
	unsigned ms = count > 2 ? (unsigned)atoi(words[2]) : 500;

	attack_begin();
	if (*what == 't')
		begin_threads(ms);
	for (int i = 0; i < SENDERS && *what != 't'; i++)
		if (attack_survive() == 0) {
			offer_all(what, ATTACK_MS);
			_exit(0);
		}
	usleep(*what == 't' ? 0 : ms * 1000);
	return 0;
}
