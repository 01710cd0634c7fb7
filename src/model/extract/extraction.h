/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The data that the files of model_extract() share: the roles of objects and threads of a program,
 * the tokens that are put and taken, and the requests that these make.
 */
#ifndef PSCAL_MODEL_EXTRACT_EXTRACTION_H
#define PSCAL_MODEL_EXTRACT_EXTRACTION_H

#include "base/map.h"
#include "model/extract/extract.h"
#include "model/file/model.h"
#include "replay/program/program.h"
#include "replay/program/program_gaps.h"

/* --- Objects and groups of threads ------------------------------------------------------------ */

enum object_part {
	OBJECT_OTHER,
	OBJECT_QUEUE,	  /* tokens that the threads of a pool take */
	OBJECT_REPLY,	  /* a token answers a client */
	OBJECT_ROOM,	  /* a token is a free place in a queue */
	OBJECT_SEMAPHORE, /* the thread that takes a token gives it back */
	OBJECT_LOCK,
	OBJECT_PRIVATE, /* a lock that makes no thread wait: one thread alone uses it, or hardly
			   any */
};

/* A site of the program. */
struct model_object {
	enum object_part part;
	uint32_t group;	  /* of a queue: the group that takes from it */
	uint32_t limit;	  /* of a queue: number of its places; 0: unlimited, or unknown */
	uint32_t servers; /* of a semaphore: its tokens, or the largest number taken at a time */
	bool was_full;	  /* of a semaphore: a thread had to wait for a token */
	uint32_t giver;	  /* of a semaphore: the last thread that gave a token */
	uint32_t station; /* station in the model; MODEL_NONE: none */
	uint64_t takes, gives;
	uint64_t held_ns, waited_ns; /* of a lock or a semaphore */
};

enum group_part {
	GROUP_OTHER,
	GROUP_POOL,
	GROUP_OPEN,   /* puts requests that come from outside */
	GROUP_CLIENT, /* each thread puts a request, and waits for the answer */
	GROUP_BATCH,  /* puts items as fast as it can */
};

/* Threads of a process with the same role. */
struct group {
	enum group_part part;
	int32_t pid; /* -1: unknown */
	char *name;
	uint32_t home;	    /* of a pool: the queue that it takes from; PROGRAM_NONE: none */
	uint32_t to;	    /* of a source: the queue that it puts into; PROGRAM_NONE: none */
	uint32_t threads;   /* number of all its threads */
	uint32_t queues;    /* of a pool: number of queues that its threads take from; one each:
			       pinned */
	uint64_t run_ns;    /* CPU time */
	uint64_t visits;    /* of a pool: number of whole visits; the model keeps some */
	uint64_t visits_ns; /* total time of these visits */
	uint64_t unseen_ns; /* waits in these visits for other threads of the pool, which keep their
			       length */
	uint64_t yields;    /* calls of sched_yield */
	uint64_t blocks;    /* number of waits for threads and for the outside, without sleeps */
	uint32_t pool;	    /* pool in the model; MODEL_NONE: none */
};

/* --- Tokens and requests ---------------------------------------------------------------------- */

/* A token that a thread puts. */
struct put {
	uint64_t at_ns;
	uint32_t site, thread;
	uint32_t visit;	  /* the visit that puts it; MODEL_NONE: none, it makes a request */
	uint32_t request; /* MODEL_NONE: unknown */
	uint32_t got;	  /* the visit that takes it; MODEL_NONE: none */
};

/* The steps of a thread from one token to the next. */
struct visit {
	uint64_t since_ns;	   /* time since which the thread waits for a token */
	uint64_t begin_ns, end_ns; /* end 0: not recorded */
	uint64_t handed_ns;	   /* part at its beginning in which the request was handed over,
				      see hand_over() */
	uint64_t ready_ns;	   /* run-queue wait before it */
	uint32_t thread, site;
	uint32_t first, last; /* indices of its take, and of the step behind its end */
	uint32_t put;	      /* put of its token; MODEL_NONE: not recorded */
	uint64_t done_ns;     /* time of the answer to its request; 0: not in this visit */
	bool waited;	      /* the thread had to wait for the token */
};

struct request {
	uint64_t put_ns, done_ns; /* done 0: not answered */
	uint32_t thread, site;	  /* thread and site of its put */
	uint32_t open;		  /* number of tokens that are not used up */
	bool answered;		  /* a step of its own answered it */
};

/* --- The disk --------------------------------------------------------------------------------- */

/* The role of waits for devices in a model. */
enum device_part {
	DEVICE_FEW,	 /* sleeps: the waits are few, or short */
	DEVICE_ALONE,	 /* a delay: no two waits were at the same time */
	DEVICE_SAME,	 /* a delay: waits took as long with many threads as with few */
	DEVICE_OTHER,	 /* a delay: waits do not behave as at a disk */
	DEVICE_TOGETHER, /* a delay: many waits end together */
	DEVICE_DISK,	 /* a disk that serves a fixed number of requests at a time */
	DEVICE_COMMITS,	 /* a disk that serves all waiting requests at once (group commit) */
};

/* A wait of a thread for a device, in one of its steps. */
struct device_wait {
	uint64_t begin_ns, end_ns; /* without the run-queue wait at its end */
	uint64_t service_ns;	   /* at a disk: time without its queue; else all of it. 0: the
				      wait is a part of the thread's next wait, in the queue of
				      the disk */
	uint32_t thread, step;
};

/* --- All -------------------------------------------------------------------------------------- */

struct extraction {
	struct program *program;
	uint32_t network;	      /* site of the requests that come in at sockets; PROGRAM_NONE:
					 none */
	enum model_dispatch dispatch; /* threads that read these requests */
	bool short_connections;	      /* connections have fewer than two requests on average */
	bool event_loop;	      /* threads have several requests at a time */
	bool *asks;		      /* [socket_use]: it is at a socket at which the program asks
					 another program */
	struct model *model;
	struct model_findings *findings;
	struct model_object *objects; /* [site] */
	uint32_t *groups_of;	      /* [thread] */
	uint32_t *wakers;	      /* [edge]: the waker; PROGRAM_NONE: none */
	struct group *groups;
	size_t group_count, group_capacity;
	struct put *puts; /* by thread and step, as are the visits */
	size_t put_count, put_capacity;
	struct visit *visits;
	size_t visit_count, visit_capacity;
	uint64_t *begins, *ends; /* starts and ends of the visits of pools, by time */
	size_t begin_count, end_count;
	struct request *requests;
	size_t request_count, request_capacity;
	struct map names;	   /* names in the model */
	size_t odd_joins;	   /* number of tokens that were taken before they were put */
	uint64_t begin_ns, end_ns; /* time of the first and of the last request */
	uint64_t cpu_ns;	   /* CPU time of visits */
	uint64_t kept_ns;	   /* waits in visits for other threads, which keep their length */
	uint64_t device_ns;	   /* waits in visits for devices */
	enum device_part device_part;
	struct device_wait *device_waits; /* of all threads, one thread after the other */
	size_t device_wait_count;
	uint32_t disk;			/* station of the disk; MODEL_NONE: none */
	uint32_t disk_servers;		/* number of servers of the disk */
	uint32_t disk_least, disk_most; /* range of the number of servers */
	uint64_t disk_busy_ns;		/* busy time of all its servers */
	uint64_t disk_queued_ns;	/* time that threads spend in its queue */
	uint32_t disk_deepest;		/* largest number of threads that wait at a time */
};

static inline struct group *group_of(const struct extraction *extraction, uint32_t thread)
{
	return &extraction->groups[extraction->groups_of[thread]];
}

/* Returns a name for an object of the program; the caller frees it. */
char *extraction_station_name(struct extraction *extraction, uint32_t site);

/* Adds a station, which takes ownership of `name`. Returns its number. */
uint32_t extraction_add_station(struct model *model, char *name, enum model_station_kind kind);

/* Returns a name that no source, station or pool has yet: the given one, or that and a number. */
char *extraction_name(struct extraction *extraction, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

void extraction_doubt(struct extraction *extraction, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Finds the roles of objects and threads. */
void extraction_find_parts(struct extraction *extraction);

/* Finds visits, and the requests of their tokens. */
void extraction_find_requests(struct extraction *extraction);

/*
 * Counts the threads of a pool, and removes helper threads from the list. `first`: [thread], index
 * of its first visit; `visits`: number of all visits. Returns the number of threads that are left.
 */
size_t extraction_count_threads(const struct extraction *extraction, struct model_pool *pool,
				uint32_t *threads, size_t count, const size_t *first,
				size_t visits);

/* A step of a visit: CPU time, with the number of visits when it began. */
struct load_sample {
	uint32_t node;
	uint32_t block; /* block of time, 0 .. LOAD_BLOCKS - 1 */
	double seconds, visits;
};
enum { LOAD_BLOCKS = 64 };

/* Collects the times of visits, for extraction_count_visits(). */
void extraction_note_visits(struct extraction *extraction);

/*
 * Return the number of visits that pools make at that time, 1 or more, and the block of that time.
 */
uint32_t extraction_count_visits(const struct extraction *extraction, uint64_t at_ns);
uint32_t extraction_load_block(const struct extraction *extraction, uint64_t at_ns);

/*
 * Sets cpu_growth of the pool, the growth of its CPU time with the number of visits, from all of
 * its steps.
 */
void extraction_find_growth(struct model_pool *pool, const struct load_sample *samples,
			    size_t count);

/* Finds the role of waits for devices, and the number of requests that a disk serves at a time. */
void extraction_find_disk(struct extraction *extraction);

/* Finds the role of known waits. */
void extraction_find_servers(struct extraction *extraction);

/* Returns the device wait of a step; NULL: none. */
const struct device_wait *extraction_device_wait(const struct extraction *extraction,
						 uint32_t thread, uint32_t step);

/* Returns the station of device waits, and adds it if needed; MODEL_NONE: they have none. */
uint32_t extraction_disk_station(struct extraction *extraction);

/* Returns the disk's part of the self-check. */
struct model_station_check extraction_check_disk(const struct extraction *extraction,
						 double window_s);

/* Adds reasons to doubt forecasts with the disk. */
void extraction_doubt_disk(struct extraction *extraction, double visits_ns);

/* Makes the graph of a pool from its visits. */
void extraction_make_graph(struct model_pool *pool);

/* Makes stations, and pools with visits and graphs. */
void extraction_make_pools(struct extraction *extraction);

/*
 * Makes pools, and the whole model with its check, for a program without queues that ends and whose
 * threads did its work together. Returns whether there is such a model.
 */
bool extraction_share_work(struct extraction *extraction);

/* Makes sources with their arrivals. */
void extraction_make_sources(struct extraction *extraction);

/* Returns the run-queue wait of a thread. */
double extraction_run_queue_s(const struct extraction *extraction, uint32_t thread);

/* Fills in the recorded side of the self-check. */
void extraction_make_check(struct extraction *extraction);

#endif
