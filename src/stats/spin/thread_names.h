/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names of threads for people. Most programs give their threads no names, so that all are called as
 * the program is; then the function that a thread began with tells what it is for: "locks
 * encode_stage". A recording tells that function of threads that were created while it was made
 * (event_source.starts).
 *
 * What a recording tells of it comes from the memory of the program and may be anything: a function
 * is believed where it begins exactly there.
 */
#ifndef PSCAL_STATS_SPIN_THREAD_NAMES_H
#define PSCAL_STATS_SPIN_THREAD_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "decode/event/event.h"

struct event_source;
struct thread_names;

/* The source is borrowed. It may still be read: then names are those that are known by now. */
struct thread_names *thread_names_new(const struct event_source *source);
void thread_names_free(struct thread_names *names);

/*
 * The function of a thread that began so (struct change); NULL: it is not known. Of a thread of C++
 * it is what the program gave to std::thread, and not what the library makes of that.
 */
const char *thread_names_function(struct thread_names *names, uint32_t start);

/*
 * The name of a thread with that function behind it, for a caller that does not know all threads.
 * Returns `out`.
 */
const char *thread_names_label(char out[THREAD_NAME_SIZE], struct thread_names *names,
			       const char *comm, uint32_t start);

/* One of an array of threads. */
struct thread_name_place {
	size_t size;	    /* of each of them, in bytes */
	size_t name, start; /* offsets: of struct thread_name name, of uint32_t start */
};

#define THREAD_NAME_PLACE(type) \
	((struct thread_name_place){sizeof(type), offsetof(type, name), offsetof(type, start)})

/*
 * Labels `count` threads with the name of the kernel and the function that each began with, where
 * threads of one name began with different ones. The source has been read to its end.
 */
void thread_names_complete(void *threads, size_t count, struct thread_name_place place,
			   const struct event_source *source);

#endif
