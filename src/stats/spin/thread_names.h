/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names of threads for people. Most programs do not name their threads, so that all have the name
 * of the program. Then a label has the function that the thread began with: "locks encode_stage". A
 * recording holds this function for threads created during it (event_source.starts).
 *
 * It comes from the memory of the program, which may hold anything: it counts only if a function
 * begins exactly there.
 */
#ifndef PSCAL_STATS_SPIN_THREAD_NAMES_H
#define PSCAL_STATS_SPIN_THREAD_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "decode/event/event.h"

struct event_source;
struct thread_names;

/* The source is borrowed. While it is still being read, names are those known so far. */
struct thread_names *thread_names_new(const struct event_source *source);
void thread_names_free(struct thread_names *names);

/*
 * Returns the function with which a thread began (`start` of struct change), or NULL if it is not
 * known. For a thread of C++ it is the function given to std::thread, not one of the library.
 */
const char *thread_names_function(struct thread_names *names, uint32_t start);

/* Makes the name of a thread with its function, without a list of all threads. Returns `out`. */
const char *thread_names_label(char out[THREAD_NAME_SIZE], struct thread_names *names,
			       const char *comm, uint32_t start);

/*
 * The two names of a thread, that of the kernel and the label for people, in as little memory as
 * the first needs: there may be a million threads, and few have another label. A new one is all
 * zero. Its texts are valid until it is labelled or released.
 */
struct thread_name {
	/* the last byte is 0, or the first ones are a pointer to both texts */
	char bytes[COMM_SIZE];
};

/* Returns the name of the kernel. */
static inline const char *thread_name_comm(const struct thread_name *name)
{
	const char *texts = name->bytes;

	if (name->bytes[COMM_SIZE - 1])
		memcpy(&texts, name->bytes, sizeof(texts));
	return texts;
}

/* Returns the label for people. */
static inline const char *thread_name_text(const struct thread_name *name)
{
	return thread_name_comm(name) + (name->bytes[COMM_SIZE - 1] ? COMM_SIZE : 0);
}

/* Sets the name of the kernel, of a name without a label. */
static inline void thread_name_take(struct thread_name *name, const char comm[COMM_SIZE])
{
	memcpy(name->bytes, comm, COMM_SIZE);
	name->bytes[COMM_SIZE - 1] = '\0';
}

/* Sets the label for people. */
void thread_name_label(struct thread_name *name, const char *label);
void thread_name_copy(struct thread_name *copy, const struct thread_name *name);
void thread_name_release(struct thread_name *name);

/* The place of the name in an array of threads. */
struct thread_name_place {
	size_t size;	    /* the size of an item in bytes */
	size_t name, start; /* offsets: of struct thread_name name, of uint32_t start */
};

#define THREAD_NAME_PLACE(type) \
	((struct thread_name_place){sizeof(type), offsetof(type, name), offsetof(type, start)})

/*
 * Labels `count` threads: those that share a name but began with different functions get their
 * functions as labels. The source has been read to its end.
 */
void thread_names_complete(void *threads, size_t count, struct thread_name_place place,
			   const struct event_source *source);

/*
 * Returns the name of each thread's group: its own, or "app-*" for threads without a label whose
 * names differ only in a number at the end. The caller releases and frees them.
 */
struct thread_name *thread_names_groups(const void *threads, size_t count,
					struct thread_name_place place);

#endif
