/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * poolserver [OPTION...]: a server with a pool of workers that take requests from one queue, a mutex
 * and a condition. A request is CPU time, a nap of exponential length, and CPU time under a lock
 * that all workers share. Times are in ms.
 *
 *	--workers W (4) --cpu MS (0.2) --nap MS (4, mean) --held MS (0.1)	the server
 *	--read FILE [--cached]	after the nap it reads a random block of FILE, without the page
 *				cache; or with it, but without read-ahead
 *	--rate R (600)			requests a second at random times, from a thread "source", or
 *	--clients N --think MS (20, mean)	N threads "client" that think, ask, and wait for the answer
 *	--seconds S (5) | --requests N	how long they come
 *	--end exit|stop|poison		exit() in the middle (default), a flag and a broadcast, or a
 *					request of that meaning for each worker
 *	--seed N
 *
 *	--tcp			the load is a process "load", over TCP on 127.0.0.1; a thread "reader"
 *				puts into the queue
 *	--serve			only the server of --tcp: prints its port, and ends at SIGTERM or after S
 *	--load PORT		only the load of one
 *
 * At its end it prints the truth, a header and a line of CSV, about the requests that were answered
 * before the last one came, without the first tenth. response_s is from the put, over TCP from the
 * time a request was due, to the answer. worker_busy is the share of time that workers have a
 * request, lock_busy that the lock is held, busy_cores the CPU time of this process by the wall
 * time.
 *
 * On paper: M/G/W with a visit of cpu + nap + held, if neither cores nor lock are full; its
 * capacity is the least of W / visit, cores / (cpu + held) and 1 / held.
 */
#include "meter.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCK = 4096 }; /* bytes */
enum { WORKERS_MAX = 1024, CLIENTS_MAX = 1024, REQUESTS_MAX = 4000000, SECONDS_MAX = 600 };

enum ending { END_EXIT, END_STOP, END_POISON };
enum mode { MODE_INSIDE, MODE_TCP, MODE_SERVE, MODE_LOAD };

struct plan {
	enum mode mode;
	int workers, clients, port;
	double rate, seconds;
	double cpu_ns, nap_ns, held_ns, think_ns;
	size_t requests;
	enum ending ending;
	uint64_t seed;
	const char *read; /* NULL: no file */
	bool cached;
	int file;
	uint64_t blocks;
};

/* --- Measurements ---------------------------------------------------------------------------- */

struct answered {
	uint64_t begin_ns, taken_ns, end_ns, held_ns;
};

/* Without a lock, which would be one more lock of the server. */
struct answers {
	struct answered *all;
	atomic_size_t count;
};

/* Printed at the end, or sent by the process "load". */
struct truth {
	double requests, seconds, throughput, response_s, p95_s, worker_busy, lock_busy;
};

static void answers_init(struct answers *answers)
{
	answers->all = calloc(REQUESTS_MAX, sizeof(*answers->all));
	if (!answers->all)
		exit(1);
}

static void answers_add(struct answers *answers, const struct answered *answered)
{
	size_t number = atomic_fetch_add(&answers->count, 1);

	if (number < REQUESTS_MAX)
		answers->all[number] = *answered;
}

static int by_number(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int by_end(const void *a, const void *b)
{
	const struct answered *x = a, *y = b;

	return (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns);
}

/* The truth about the answers up to `last_ns`, without the first tenth. */
static struct truth truth_of(struct answers *answers, int workers, uint64_t last_ns)
{
	size_t all = atomic_load(&answers->count), count = 0, first;
	struct truth truth = {0};
	double *responses_s;

	all = all < REQUESTS_MAX ? all : REQUESTS_MAX;
	qsort(answers->all, all, sizeof(*answers->all), by_end);
	while (count < all && answers->all[count].end_ns <= last_ns)
		count++;
	first = count / 10;
	if (count - first < 2)
		return truth;
	responses_s = malloc(count * sizeof(*responses_s));
	if (!responses_s)
		exit(1);
	for (size_t i = first; i < count; i++) {
		const struct answered *one = &answers->all[i];

		responses_s[i] = (double)(one->end_ns - one->begin_ns) / 1e9;
		truth.response_s += responses_s[i] / (double)(count - first);
		truth.worker_busy += (double)(one->end_ns - one->taken_ns) / 1e9;
		truth.lock_busy += (double)one->held_ns / 1e9;
	}
	qsort(&responses_s[first], count - first, sizeof(*responses_s), by_number);
	truth.p95_s = responses_s[first + (size_t)((double)(count - first) * .95)];
	truth.requests = (double)(count - first - 1);
	truth.seconds = (double)(last_ns - answers->all[first].end_ns) / 1e9;
	truth.throughput = truth.requests / truth.seconds;
	truth.worker_busy /= truth.seconds * (workers ? workers : 1);
	truth.lock_busy /= truth.seconds;
	free(responses_s);
	return truth;
}

static void truth_print(const struct truth *truth, const struct plan *plan, double busy_cores)
{
	puts("workers,rate_per_s,clients,think_s,cpu_s,nap_s,held_s,requests,seconds,"
	     "throughput_per_s,response_s,response_p95_s,worker_busy,lock_busy,busy_cores");
	printf("%d,%g,%d,%g,%g,%g,%g,%.0f,%.4f,%.3f,%.7f,%.7f,%.4f,%.4f,%.4f\n", plan->workers,
	       plan->clients ? 0 : plan->rate, plan->clients,
	       plan->clients ? plan->think_ns / 1e9 : 0, plan->cpu_ns / 1e9, plan->nap_ns / 1e9,
	       plan->held_ns / 1e9, truth->requests, truth->seconds, truth->throughput,
	       truth->response_s, truth->p95_s, truth->worker_busy, truth->lock_busy, busy_cores);
	fflush(stdout);
}

/* --- Time and numbers at random -------------------------------------------------------------- */

static uint64_t draw_number(uint64_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return *random >> 11;
}

static double draw_exponential(uint64_t *random, double mean)
{
	return -mean * log(((double)draw_number(random) + 1) / 9007199254740993.);
}

/* A generator of its own for each thread and each seed. */
static uint64_t random_of(const struct plan *plan, uint64_t stream)
{
	uint64_t z = plan->seed * 0x9e3779b97f4a7c15 + stream * 0xbf58476d1ce4e5b9;

	z = (z ^ z >> 30) * 0x94d049bb133111eb;
	return (z ^ z >> 31) | 1;
}

static __attribute__((noinline)) void compute(double ns)
{
	uint64_t end_ns = now_ns(CLOCK_THREAD_CPUTIME_ID) + (uint64_t)ns;

	while (ns > 0 && now_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
		;
}

static void nap(double ns)
{
	struct timespec length = {(time_t)(ns / 1e9), (long)fmod(ns, 1e9)};

	if (ns > 0)
		nanosleep(&length, NULL);
}

static void read_block(const struct plan *plan, uint64_t *random, void *block)
{
	off_t at;

	if (!plan->read)
		return;
	at = (off_t)(draw_number(random) % plan->blocks * BLOCK);
	if (pread(plan->file, block, BLOCK, at) != BLOCK) {
		perror("poolserver: the file");
		exit(1);
	}
}

static void open_file(struct plan *plan)
{
	if (!plan->read)
		return;
	plan->file = open(plan->read, O_RDONLY | O_CLOEXEC | (plan->cached ? 0 : O_DIRECT));
	if (plan->file >= 0)
		plan->blocks = (uint64_t)lseek(plan->file, 0, SEEK_END) / BLOCK;
	if (plan->file < 0 || !plan->blocks || posix_fadvise(plan->file, 0, 0, POSIX_FADV_RANDOM)) {
		fprintf(stderr, "poolserver: %s: cannot be read\n", plan->read);
		exit(1);
	}
}

/* --- The server ------------------------------------------------------------------------------ */

enum { POISON = -2, INSIDE = -1 };

struct request {
	uint64_t begin_ns;
	int socket; /* in a list of the above, or this one */
	sem_t *answered;
};

struct queue {
	pthread_mutex_t mutex;
	pthread_cond_t items;
	struct request *ring;
	size_t capacity, first, count;
	bool stopped;
};

struct server {
	const struct plan *plan;
	struct queue queue;
	pthread_mutex_t lock;
	struct answers answers;
	atomic_bool stopped; /* no more requests */
	atomic_size_t asked;
	pthread_t workers[WORKERS_MAX], loaders[CLIENTS_MAX];
	int loaders_count, listener;
};

struct self {
	struct server *server;
	int number;
};

static void queue_grow(struct queue *queue)
{
	size_t capacity = queue->capacity ? 2 * queue->capacity : 1024;
	struct request *ring = malloc(capacity * sizeof(*ring));

	if (!ring)
		exit(1);
	for (size_t i = 0; i < queue->count; i++)
		ring[i] = queue->ring[(queue->first + i) % queue->capacity];
	free(queue->ring);
	queue->ring = ring;
	queue->capacity = capacity;
	queue->first = 0;
}

static void put(struct queue *queue, const struct request *request)
{
	pthread_mutex_lock(&queue->mutex);
	if (queue->count == queue->capacity)
		queue_grow(queue);
	queue->ring[(queue->first + queue->count++) % queue->capacity] = *request;
	pthread_mutex_unlock(&queue->mutex);
	pthread_cond_signal(&queue->items);
}

/* Returns false if there are no more requests. */
static bool take(struct request *request, struct queue *queue)
{
	pthread_mutex_lock(&queue->mutex);
	while (!queue->count && !queue->stopped)
		pthread_cond_wait(&queue->items, &queue->mutex);
	if (queue->stopped) {
		pthread_mutex_unlock(&queue->mutex);
		return false;
	}
	*request = queue->ring[queue->first];
	queue->first = (queue->first + 1) % queue->capacity;
	queue->count--;
	pthread_mutex_unlock(&queue->mutex);
	return request->socket != POISON;
}

static void answer(struct server *server, const struct request *request,
		   const struct answered *answered)
{
	uint64_t word = 0;

	if (request->socket >= 0 && write(request->socket, &word, sizeof(word)) < 0)
		atomic_store(&server->stopped, true); /* the load has ended */
	answers_add(&server->answers, answered);
	if (request->answered)
		sem_post(request->answered);
}

static void *worker(void *argument)
{
	struct self *self = argument;
	struct server *server = self->server;
	const struct plan *plan = server->plan;
	uint64_t random = random_of(plan, 100 + (uint64_t)self->number);
	void *block = aligned_alloc(BLOCK, BLOCK);
	struct request request;

	pthread_setname_np(pthread_self(), "worker");
	while (take(&request, &server->queue)) {
		struct answered answered = {.begin_ns = request.begin_ns};
		uint64_t locked_ns;

		answered.taken_ns = now_ns(CLOCK_MONOTONIC);
		compute(plan->cpu_ns);
		nap(draw_exponential(&random, plan->nap_ns));
		read_block(plan, &random, block);
		pthread_mutex_lock(&server->lock);
		locked_ns = now_ns(CLOCK_MONOTONIC);
		compute(plan->held_ns);
		answered.end_ns = now_ns(CLOCK_MONOTONIC);
		answered.held_ns = answered.end_ns - locked_ns;
		pthread_mutex_unlock(&server->lock);
		answer(server, &request, &answered);
	}
	free(block);
	free(self);
	return NULL;
}

/* True if the client is to send another request. */
static bool ask(struct server *server)
{
	return !atomic_load(&server->stopped) &&
	       atomic_fetch_add(&server->asked, 1) < server->plan->requests;
}

static void *source(void *argument)
{
	struct self *self = argument;
	struct server *server = self->server;
	uint64_t random = random_of(server->plan, 1), due_ns = now_ns(CLOCK_MONOTONIC);

	pthread_setname_np(pthread_self(), "source");
	while (ask(server)) {
		struct request request = {.socket = INSIDE};

		due_ns += (uint64_t)draw_exponential(&random, 1e9 / server->plan->rate);
		sleep_until(due_ns);
		request.begin_ns = now_ns(CLOCK_MONOTONIC);
		put(&server->queue, &request);
	}
	free(self);
	return NULL;
}

static void *client(void *argument)
{
	struct self *self = argument;
	struct server *server = self->server;
	uint64_t random = random_of(server->plan, 10000 + (uint64_t)self->number);
	sem_t answered;

	pthread_setname_np(pthread_self(), "client");
	sem_init(&answered, 0, 0);
	while (ask(server)) {
		struct request request = {.socket = INSIDE, .answered = &answered};

		nap(draw_exponential(&random, server->plan->think_ns));
		request.begin_ns = now_ns(CLOCK_MONOTONIC);
		put(&server->queue, &request);
		sem_wait(&answered);
	}
	free(self);
	return NULL;
}

/* --- Over TCP -------------------------------------------------------------------------------- */

static int listen_here(int *port)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t length = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (listener < 0 || bind(listener, (struct sockaddr *)&address, length) ||
	    listen(listener, CLIENTS_MAX) ||
	    getsockname(listener, (struct sockaddr *)&address, &length)) {
		perror("poolserver: 127.0.0.1");
		exit(1);
	}
	*port = ntohs(address.sin_port);
	return listener;
}

static void watch(int epoll, int socket)
{
	struct epoll_event event = {.events = EPOLLIN, .data = {.fd = socket}};

	epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event);
}

static void read_request(struct server *server, int socket)
{
	struct request request = {.socket = socket};
	uint64_t word;

	if (read(socket, &word, sizeof(word)) == sizeof(word)) {
		request.begin_ns = now_ns(CLOCK_MONOTONIC);
		put(&server->queue, &request);
	} else {
		shutdown(socket, SHUT_RDWR);
	}
}

static void *reader(void *argument)
{
	struct self *self = argument;
	struct server *server = self->server;
	struct epoll_event events[64];
	int epoll = epoll_create1(EPOLL_CLOEXEC);

	pthread_setname_np(pthread_self(), "reader");
	watch(epoll, server->listener);
	while (!atomic_load(&server->stopped)) {
		int count = epoll_wait(epoll, events, 64, 200);

		for (int i = 0; i < count; i++) {
			if (events[i].data.fd == server->listener)
				watch(epoll, accept(server->listener, NULL, NULL));
			else if (events[i].events & EPOLLHUP)
				epoll_ctl(epoll, EPOLL_CTL_DEL, events[i].data.fd, NULL);
			else
				read_request(server, events[i].data.fd);
		}
	}
	free(self);
	return NULL;
}

/* A load with one thread and epoll. Connections think, wait for an answer, or are free. */
struct connection {
	int socket;
	uint64_t begin_ns; /* begin of the wait for an answer; 0: none */
	uint64_t due_ns;   /* of a client: time of the next request */
};

struct load {
	const struct plan *plan;
	struct connection all[CLIENTS_MAX];
	int count, epoll;
	uint64_t random, due_ns, last_ns; /* of an open load: time of the next request */
	size_t asked;
	struct answers answers;
};

static int connect_one(struct load *load)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_port = htons((uint16_t)load->plan->port),
				      .sin_addr = {htonl(INADDR_LOOPBACK)}};
	struct epoll_event event = {.events = EPOLLIN, .data = {.fd = load->count}};
	int socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (socket_ < 0 || connect(socket_, (struct sockaddr *)&address, sizeof(address))) {
		perror("poolserver: the server");
		exit(1);
	}
	load->all[load->count].socket = socket_;
	epoll_ctl(load->epoll, EPOLL_CTL_ADD, socket_, &event);
	return load->count++;
}

static void send_request(struct load *load, struct connection *to, uint64_t due_ns)
{
	uint64_t word = 1;

	to->begin_ns = due_ns;
	to->due_ns = UINT64_MAX;
	load->asked++;
	if (write(to->socket, &word, sizeof(word)) != sizeof(word))
		exit(1);
}

/* Sends a due request of an open load on a free connection; if there is none, later. */
static bool send_due(struct load *load, uint64_t now)
{
	int i = 0;

	if (load->due_ns > now)
		return false;
	while (i < load->count && load->all[i].begin_ns)
		i++;
	if (i == CLIENTS_MAX)
		return false;
	if (i == load->count)
		connect_one(load);
	send_request(load, &load->all[i], load->due_ns);
	load->due_ns += (uint64_t)draw_exponential(&load->random, 1e9 / load->plan->rate);
	return true;
}

/* Sends all requests that are due; returns the time of the next one. */
static uint64_t send_all_due(struct load *load)
{
	uint64_t now = now_ns(CLOCK_MONOTONIC), next_ns = UINT64_MAX;

	if (!load->plan->clients) {
		while (send_due(load, now))
			;
		return load->due_ns > now ? load->due_ns : now + 1000000;
	}
	for (int i = 0; i < load->count; i++) {
		struct connection *one = &load->all[i];

		if (one->due_ns <= now)
			send_request(load, one, now);
		else if (one->due_ns < next_ns)
			next_ns = one->due_ns;
	}
	return next_ns;
}

static void read_answer(struct load *load, struct connection *from)
{
	uint64_t word, now = now_ns(CLOCK_MONOTONIC);

	if (read(from->socket, &word, sizeof(word)) != sizeof(word))
		exit(1);
	answers_add(&load->answers,
		    &(struct answered){.begin_ns = from->begin_ns, .taken_ns = now, .end_ns = now});
	from->begin_ns = 0;
	from->due_ns = now + (uint64_t)draw_exponential(&load->random, load->plan->think_ns);
}

static void load_begin(struct load *load, const struct plan *plan)
{
	uint64_t now = now_ns(CLOCK_MONOTONIC);

	load->plan = plan;
	load->epoll = epoll_create1(EPOLL_CLOEXEC);
	load->random = random_of(plan, 2);
	load->due_ns = now + (uint64_t)draw_exponential(&load->random, 1e9 / plan->rate);
	load->last_ns = now + (uint64_t)(plan->seconds * 1e9);
	answers_init(&load->answers);
	while (load->count < plan->clients)
		load->all[connect_one(load)].due_ns =
			now + (uint64_t)draw_exponential(&load->random, plan->think_ns);
}

static struct truth run_load(const struct plan *plan)
{
	static struct load load;
	struct epoll_event events[64];
	uint64_t now = 0;

	prctl(PR_SET_NAME, "load");
	load_begin(&load, plan);
	while (load.asked < plan->requests && (now = now_ns(CLOCK_MONOTONIC)) < load.last_ns) {
		uint64_t next_ns = send_all_due(&load), wait_ns;
		struct timespec wait;
		int count;

		now = now_ns(CLOCK_MONOTONIC);
		next_ns = next_ns < load.last_ns ? next_ns : load.last_ns;
		wait_ns = next_ns > now ? next_ns - now : 0;
		wait = (struct timespec){(time_t)(wait_ns / 1000000000),
					 (long)(wait_ns % 1000000000)};
		count = epoll_pwait2(load.epoll, events, 64, &wait, NULL);
		for (int i = 0; i < count; i++)
			read_answer(&load, &load.all[events[i].data.fd]);
	}
	return truth_of(&load.answers, 0, now);
}

/* --- From the beginning to the end ----------------------------------------------------------- */

static void start(struct server *server, pthread_t *thread, void *(*function)(void *), int number)
{
	struct self *self = malloc(sizeof(*self));

	*self = (struct self){server, number};
	if (pthread_create(thread, NULL, function, self)) {
		perror("poolserver: thread");
		exit(1);
	}
}

static void start_all(struct server *server)
{
	const struct plan *plan = server->plan;

	for (int i = 0; i < plan->workers; i++)
		start(server, &server->workers[i], worker, i);
	server->loaders_count = plan->mode == MODE_INSIDE && plan->clients ? plan->clients : 1;
	for (int i = 0; i < server->loaders_count; i++)
		start(server, &server->loaders[i],
		      plan->mode != MODE_INSIDE ? reader
		      : plan->clients		? client
						: source,
		      i);
}

static void end_workers(struct server *server)
{
	const struct request poison = {.socket = POISON};
	struct queue *queue = &server->queue;

	if (server->plan->ending == END_POISON) {
		for (int i = 0; i < server->plan->workers; i++)
			put(queue, &poison);
	} else {
		pthread_mutex_lock(&queue->mutex);
		queue->stopped = true;
		pthread_mutex_unlock(&queue->mutex);
		pthread_cond_broadcast(&queue->items);
	}
	for (int i = 0; i < server->plan->workers; i++)
		pthread_join(server->workers[i], NULL);
}

/* Waits up to the end of the time, of the load or of the number of requests. */
static struct truth await_end(struct server *server, int load)
{
	const struct plan *plan = server->plan;
	struct timespec rest = {(time_t)plan->seconds, (long)(fmod(plan->seconds, 1) * 1e9)};
	struct truth truth = {0};
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	if (plan->mode == MODE_TCP) {
		if (read(load, &truth, sizeof(truth)) != sizeof(truth))
			exit(1);
	} else if (plan->mode == MODE_SERVE || plan->requests == REQUESTS_MAX) {
		sigtimedwait(&signals, NULL, &rest);
	} else {
		for (int i = 0; i < server->loaders_count; i++)
			pthread_join(server->loaders[i], NULL);
	}
	atomic_store(&server->stopped, true);
	return truth;
}

/* Returns the pipe that the truth will come from. */
static int fork_load(struct plan *plan)
{
	struct truth truth;
	int ends[2];

	if (pipe(ends))
		exit(1);
	if (fork())
		return ends[0];
	truth = run_load(plan);
	_exit(write(ends[1], &truth, sizeof(truth)) != sizeof(truth));
}

static void run_server(struct plan *plan)
{
	static struct server server = {
		.queue = {.mutex = PTHREAD_MUTEX_INITIALIZER, .items = PTHREAD_COND_INITIALIZER},
		.lock = PTHREAD_MUTEX_INITIALIZER,
	};
	struct truth truth, of_load;
	uint64_t begin_ns, last_ns;
	struct rusage usage;
	double busy_cores;
	int load = -1;

	server.plan = plan;
	open_file(plan);
	answers_init(&server.answers);
	if (plan->mode != MODE_INSIDE)
		server.listener = listen_here(&plan->port);
	if (plan->mode == MODE_TCP)
		load = fork_load(plan);
	if (plan->mode == MODE_SERVE && (printf("port %d\n", plan->port) < 0 || fflush(stdout)))
		exit(1);
	begin_ns = now_ns(CLOCK_MONOTONIC);
	start_all(&server);
	of_load = await_end(&server, load);
	last_ns = now_ns(CLOCK_MONOTONIC);
	getrusage(RUSAGE_SELF, &usage);
	busy_cores = cpu_s(&usage) * 1e9 / (double)(last_ns - begin_ns);
	if (plan->ending != END_EXIT)
		end_workers(&server);
	truth = truth_of(&server.answers, plan->workers, last_ns);
	if (plan->mode == MODE_TCP) { /* as the clients see it */
		of_load.worker_busy = truth.worker_busy;
		of_load.lock_busy = truth.lock_busy;
		truth = of_load;
	}
	truth_print(&truth, plan, busy_cores);
	exit(0);
}

/* --- The command line ------------------------------------------------------------------------ */

static double number_of(const char *text, double least, double most)
{
	char *end;
	double number = strtod(text, &end);

	if (end > text && !*end && number >= least && number <= most)
		return number;
	fprintf(stderr, "poolserver: %s: is no number from %g to %g\n", text, least, most);
	exit(2);
}

static void take_option(struct plan *plan, int option, const char *text)
{
	static const char *const endings[] = {"exit", "stop", "poison"};

	switch (option) {
	case 'w':
		plan->workers = (int)number_of(text, 1, WORKERS_MAX);
		break;
	case 'r':
		plan->rate = number_of(text, .001, 1e6);
		break;
	case 'c':
		plan->clients = (int)number_of(text, 1, CLIENTS_MAX);
		break;
	case 's':
		plan->seconds = number_of(text, .01, SECONDS_MAX);
		break;
	case 'n':
		plan->requests = (size_t)number_of(text, 1, REQUESTS_MAX - 1);
		break;
	case 'S':
		plan->seed = (uint64_t)number_of(text, 0, 1e15);
		break;
	case 'l':
		plan->mode = MODE_LOAD;
		plan->port = (int)number_of(text, 1, 65535);
		break;
	case 'R':
		plan->read = text;
		break;
	case 'C':
		plan->cached = true;
		break;
	case 'e':
		for (int i = END_EXIT; i <= END_POISON; i++)
			if (strcmp(text, endings[i]) == 0)
				plan->ending = (enum ending)i;
		break;
	default:
		exit(2);
	}
}

int main(int argc, char **argv)
{
	static struct plan plan = {
		.workers = 4, .rate = 600, .seconds = 5, .requests = REQUESTS_MAX, .seed = 1};
	static double cpu_ms = .2, nap_ms = 4, held_ms = .1, think_ms = 20;
	static double *const times_ms[] = {&cpu_ms, &nap_ms, &held_ms, &think_ms};
	static const struct option options[] = {
		{"cpu", 1, NULL, 0},	    {"nap", 1, NULL, 1},       {"held", 1, NULL, 2},
		{"think", 1, NULL, 3},	    {"workers", 1, NULL, 'w'}, {"rate", 1, NULL, 'r'},
		{"clients", 1, NULL, 'c'},  {"seconds", 1, NULL, 's'}, {"seed", 1, NULL, 'S'},
		{"requests", 1, NULL, 'n'}, {"load", 1, NULL, 'l'},    {"end", 1, NULL, 'e'},
		{"read", 1, NULL, 'R'},	    {"cached", 0, NULL, 'C'},  {"tcp", 0, NULL, 't'},
		{"serve", 0, NULL, 'v'},    {NULL, 0, NULL, 0},
	};
	struct truth truth;
	sigset_t signals;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option >= 0 && option < 4)
			*times_ms[option] = number_of(optarg, 0, 60000);
		else if (option == 't' || option == 'v')
			plan.mode = option == 't' ? MODE_TCP : MODE_SERVE;
		else
			take_option(&plan, option, optarg);
	}
	plan.cpu_ns = cpu_ms * 1e6;
	plan.nap_ns = nap_ms * 1e6;
	plan.held_ns = held_ms * 1e6;
	plan.think_ns = think_ms * 1e6;
	alarm((unsigned)(2 * (plan.seconds + 60)));
	signal(SIGPIPE, SIG_IGN);
	if (plan.mode != MODE_LOAD) {
		sigemptyset(&signals);
		sigaddset(&signals, SIGTERM);
		sigaddset(&signals, SIGINT);
		sigprocmask(SIG_BLOCK, &signals, NULL);
		run_server(&plan);
	}
	truth = run_load(&plan);
	truth_print(&truth, &plan, 0);
	return 0;
}
