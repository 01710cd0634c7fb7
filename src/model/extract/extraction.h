/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The data that the files of model_extract() share: the parts that objects and threads of a program
 * play, the tokens that are put and got, and the requests that these make.
 */
#ifndef PSCAL_MODEL_EXTRACT_EXTRACTION_H
#define PSCAL_MODEL_EXTRACT_EXTRACTION_H

#include "base/map.h"
#include "model/extract/extract.h"
#include "model/file/model.h"
#include "replay/program/program.h"
#include "replay/program/program_gaps.h"

/* --- Objects and groups of threads ------------------------------------------------------------- */

enum object_part {
	OBJECT_OTHER,
	OBJECT_QUEUE,	  /* of tokens that the threads of a pool take */
	OBJECT_REPLY,	  /* a token there answers a client */
	OBJECT_ROOM,	  /* a token there is a free place in a queue */
	OBJECT_SEMAPHORE, /* the thread that takes a token gives it back */
	OBJECT_LOCK,
	OBJECT_PRIVATE, /* a lock that makes no thread wait: one alone uses it, or hardly ever */
};

/* A site of the program. */
struct model_object {
	enum object_part part;
	uint32_t group;	  /* of a queue: that takes from it */
	uint32_t limit;	  /* ... and its places; 0: any number, or not known how many */
	uint32_t servers; /* of a semaphore: its tokens, or the most taken at a time; ... */
	bool was_full;	  /* ... a thread had to wait for one */
	uint32_t giver;	  /* ... the last thread that gave one */
	uint32_t station; /* in the model; MODEL_NONE: none */
	uint64_t takes, gives;
	uint64_t held_ns, waited_ns; /* of a lock or a semaphore */
};

enum group_part {
	GROUP_OTHER,
	GROUP_POOL,
	GROUP_OPEN,   /* puts what comes from outside */
	GROUP_CLIENT, /* each puts one, and waits for the answer */
	GROUP_BATCH,  /* puts as fast as it can */
};

/* Threads of a process that do the same. */
struct group {
	enum group_part part;
	int32_t pid; /* -1: not known */
	char *name;
	uint32_t home;	    /* of a pool: the queue that it takes from; PROGRAM_NONE: none */
	uint32_t to;	    /* of a source: the one that it puts into; PROGRAM_NONE: none */
	uint32_t threads;   /* all of them */
	uint32_t queues;    /* of a pool: from which they take; one each: pinned */
	uint64_t run_ns;    /* CPU time */
	uint64_t visits;    /* of a pool, that are whole; the model keeps some */
	uint64_t visits_ns; /* ... they took so long */
	uint64_t unseen_ns; /* ... waits in them for other threads of it, which keep their length */
	uint64_t yields;    /* calls of sched_yield */
	uint64_t blocks;    /* waits for threads and for what is outside, but for sleeps */
	uint32_t pool;	    /* in the model; MODEL_NONE: none */
};

/* --- Tokens and requests ------------------------------------------------------------------------ */

/* A thread puts a token. */
struct put {
	uint64_t at_ns;
	uint32_t site, thread;
	uint32_t visit;	  /* in which it does; MODEL_NONE: none, it makes a request */
	uint32_t request; /* MODEL_NONE: it is not known */
	uint32_t got;	  /* by the visit of that number; MODEL_NONE: none */
};

/* The steps of a thread from one token to the next one. */
struct visit {
	uint64_t since_ns;	   /* the thread waits for a token */
	uint64_t begin_ns, end_ns; /* end 0: it has none on record */
	uint64_t handed_ns;	   /* at its beginning: see hand_over() */
	uint64_t ready_ns;	   /* before it, the thread waited for a CPU so long */
	uint32_t thread, site;
	uint32_t first, last; /* steps: of its take, and behind its end */
	uint32_t put;	      /* of the token; MODEL_NONE: it is not on record */
	uint64_t done_ns;     /* its request is answered; 0: not there */
	bool waited;	      /* the thread had to */
};

struct request {
	uint64_t put_ns, done_ns; /* done 0: it is not answered */
	uint32_t thread, site;	  /* that put it, and where */
	uint32_t open;		  /* tokens that are not used up */
	bool answered;		  /* by a step of its own */
};

/* --- The disk ----------------------------------------------------------------------------------- */

/* The part of waits for devices in a model. */
enum device_part {
	DEVICE_FEW,	 /* sleeps: they are few, or short, and no more is known */
	DEVICE_ALONE,	 /* a delay: no two of them were at a time, ... */
	DEVICE_SAME,	 /* ... or they were as long with many threads as with few, ... */
	DEVICE_OTHER,	 /* ... or not as at a disk, ... */
	DEVICE_TOGETHER, /* ... or many end together */
	DEVICE_DISK,	 /* one that serves a fixed number of them at a time, ... */
	DEVICE_COMMITS,	 /* ... or all that wait when it begins at once */
};

/* Of a thread, in one of its steps. */
struct device_wait {
	uint64_t begin_ns, end_ns; /* without that for a CPU at its end */
	uint64_t service_ns;	   /* at a disk, without its queue; else all of it. 0: it is a part
				      of the next wait of the thread, in its queue */
	uint32_t thread, step;
};

/* --- All ---------------------------------------------------------------------------------------- */

struct extraction {
	struct program *program;
	uint32_t network; /* site: requests that come in at sockets; PROGRAM_NONE: none do */
	enum model_dispatch dispatch; /* ... and which threads read them */
	bool short_connections;	      /* most have one request */
	bool event_loop;	      /* threads have several requests at a time */
	bool *asks; /* [socket_use]: it is one at which the program asks another one */
	struct model *model;
	struct model_findings *findings;
	struct model_object *objects; /* [site] */
	uint32_t *groups_of;	      /* [thread] */
	uint32_t *wakers;	      /* [edge]: the thread that wakes; PROGRAM_NONE: none */
	struct group *groups;
	size_t group_count, group_capacity;
	struct put *puts; /* in the order of threads and steps, as are the visits */
	size_t put_count, put_capacity;
	struct visit *visits;
	size_t visit_count, visit_capacity;
	uint64_t *begins, *ends; /* of visits of pools, in order */
	size_t begin_count, end_count;
	struct request *requests;
	size_t request_count, request_capacity;
	struct map names;	   /* of the model */
	size_t odd_joins;	   /* takes before their put */
	uint64_t begin_ns, end_ns; /* from the first request to the last one */
	uint64_t cpu_ns;	   /* of visits */
	uint64_t kept_ns;	   /* waits in them for other threads, which keep their length */
	uint64_t device_ns;	   /* ... and for devices */
	enum device_part device_part;
	struct device_wait *device_waits; /* of all threads, in their order */
	size_t device_wait_count;
	uint32_t disk;			/* station; MODEL_NONE: it has none */
	uint32_t disk_servers;		/* ... of it, ... */
	uint32_t disk_least, disk_most; /* ... or from and to */
	uint64_t disk_busy_ns;		/* its servers, all together; and ... */
	uint64_t disk_queued_ns;	/* ... threads in its queue */
	uint32_t disk_deepest;		/* threads that wait at a time, at most */
};

static inline struct group *group_of(const struct extraction *extraction, uint32_t thread)
{
	return &extraction->groups[extraction->groups_of[thread]];
}

/* A word for an object of the program, which is owned by the caller. */
char *extraction_station_name(struct extraction *extraction, uint32_t site);

/* The number of a new station, which takes over `name`. */
uint32_t extraction_add_station(struct model *model, char *name, enum model_station_kind kind);

/* A name that no source, station or pool has yet: that one, or that and a number. */
char *extraction_name(struct extraction *extraction, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

void extraction_doubt(struct extraction *extraction, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Of objects and threads. */
void extraction_find_parts(struct extraction *extraction);

/* Visits, and the requests that their tokens belong to. */
void extraction_find_requests(struct extraction *extraction);

/*
 * The threads of a pool. Those that only help are taken out of the list; the others are counted.
 * `first`: [thread], where its visits begin; `visits`: of all of them. Returns how many are left.
 */
size_t extraction_count_threads(const struct extraction *extraction, struct model_pool *pool,
				uint32_t *threads, size_t count, const size_t *first,
				size_t visits);

/* A step of a visit: CPU time that began when so many visits were made. */
struct load_sample {
	uint32_t node;
	uint32_t block; /* of time, 0 .. LOAD_BLOCKS - 1 */
	double seconds, visits;
};
enum { LOAD_BLOCKS = 64 };

/* Collects the times of visits, for the next function. */
void extraction_note_visits(struct extraction *extraction);

/* The visits that pools make at that time, 1 or more. */
uint32_t extraction_count_visits(const struct extraction *extraction, uint64_t at_ns);
uint32_t extraction_load_block(const struct extraction *extraction, uint64_t at_ns);

/* Sets the growth of the pool's CPU time with the number of visits, from all of its steps. */
void extraction_find_growth(struct model_pool *pool, const struct load_sample *samples,
			    size_t count);

/* The part of waits for devices, and how many a disk serves at a time. */
void extraction_find_disk(struct extraction *extraction);

/* The same for the waits that are known. */
void extraction_find_servers(struct extraction *extraction);

/* That of a step; NULL: it is none. */
const struct device_wait *extraction_device_wait(const struct extraction *extraction,
						 uint32_t thread, uint32_t step);

/* Their station, new if there is none yet; MODEL_NONE: they have none. */
uint32_t extraction_disk_station(struct extraction *extraction);

/* Its part of the self-check. */
struct model_station_check extraction_check_disk(const struct extraction *extraction,
						 double window_s);

/* Reasons to doubt forecasts with it. */
void extraction_doubt_disk(struct extraction *extraction, double visits_ns);

/* The graph of a pool, from its visits. */
void extraction_make_graph(struct model_pool *pool);

/* Stations, and pools with visits and graphs. */
void extraction_make_pools(struct extraction *extraction);

/*
 * Where there are no pools: those of a program that ends, if threads of it did its work together. A
 * whole model with its check. Returns whether there is one.
 */
bool extraction_share_work(struct extraction *extraction);

/* Sources, and how requests arrive. */
void extraction_make_sources(struct extraction *extraction);

/* The time in which the thread waited for a core. */
double extraction_run_queue_s(const struct extraction *extraction, uint32_t thread);

/* The recorded side of the self-check. */
void extraction_make_check(struct extraction *extraction);

#endif
