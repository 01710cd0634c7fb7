/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * socket_calls REQUESTS: a thread sends so many requests of 8 bytes over a connection to this
 * machine itself, one after the other, and another one answers each of them after 1 ms with 16 bytes.
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { REQUEST = 8, ANSWER = 16, PAUSE_US = 1000 };

static long requests;
static struct sockaddr_in address = {.sin_family = AF_INET};

static void check(int ok, const char *call)
{
	if (!ok) {
		perror(call);
		exit(1);
	}
}

static void *ask(void *unused)
{
	char bytes[ANSWER] = {0};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	check(fd >= 0 && !connect(fd, (struct sockaddr *)&address, sizeof(address)), "connect");
	for (long i = 0; i < requests; i++) {
		check(send(fd, bytes, REQUEST, 0) == REQUEST, "send");
		check(recv(fd, bytes, ANSWER, MSG_WAITALL) == ANSWER, "recv");
	}
	close(fd);
	return unused;
}

static void *answer(void *listener)
{
	char bytes[ANSWER] = {0};
	int fd = accept(*(int *)listener, NULL, NULL);

	check(fd >= 0, "accept");
	while (recv(fd, bytes, REQUEST, MSG_WAITALL) == REQUEST) {
		usleep(PAUSE_US);
		check(send(fd, bytes, ANSWER, 0) == ANSWER, "send");
	}
	close(fd);
	return NULL;
}

int main(int argc, char **argv)
{
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t size = sizeof(address);
	pthread_t threads[2];

	requests = argc == 2 ? atol(argv[1]) : 0;
	check(requests > 0, "socket_calls REQUESTS");
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	check(!bind(listener, (struct sockaddr *)&address, size) && !listen(listener, 1) &&
		      !getsockname(listener, (struct sockaddr *)&address, &size),
	      "bind");
	check(!pthread_create(&threads[0], NULL, answer, &listener), "pthread_create");
	check(!pthread_create(&threads[1], NULL, ask, NULL), "pthread_create");
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	close(listener);
	return 0;
}
