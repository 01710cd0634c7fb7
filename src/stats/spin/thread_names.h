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

/*
 * The two names of a thread, that of the kernel and one for people, in as little memory as the first
 * takes: there may be a million threads, and few have another name for people. A name begins as zero.
 * Its texts are valid until it is labelled or released.
 */
struct thread_name {
	char bytes[COMM_SIZE]; /* the last one is 0, or all are a pointer to both texts */
};

/* The name of the kernel. */
static inline const char *thread_name_comm(const struct thread_name *name)
{
	const char *texts = name->bytes;

	if (name->bytes[COMM_SIZE - 1])
		memcpy(&texts, name->bytes, sizeof(texts));
	return texts;
}

/* The name for people. */
static inline const char *thread_name_text(const struct thread_name *name)
{
	return thread_name_comm(name) + (name->bytes[COMM_SIZE - 1] ? COMM_SIZE : 0);
}

/* Both, of a name without a label. */
static inline void thread_name_take(struct thread_name *name, const char comm[COMM_SIZE])
{
	memcpy(name->bytes, comm, COMM_SIZE);
	name->bytes[COMM_SIZE - 1] = '\0';
}

/* Changes the name for people. */
void thread_name_label(struct thread_name *name, const char *label);
void thread_name_copy(struct thread_name *copy, const struct thread_name *name);
void thread_name_release(struct thread_name *name);

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

/*
 * The name of each thread's group: its own, or "app-*" of threads without a label whose names differ
 * in a number at the end only. The caller releases and frees them.
 */
struct thread_name *thread_names_groups(const void *threads, size_t count,
					struct thread_name_place place);

#endif
