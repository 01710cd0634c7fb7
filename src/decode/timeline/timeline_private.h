/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The threads of a timeline, what each of them is doing now, and the changes that this makes.
 * timeline.c holds them and says when events happen, event_rules.c what each event means.
 */
#ifndef PSCAL_DECODE_TIMELINE_TIMELINE_PRIVATE_H
#define PSCAL_DECODE_TIMELINE_TIMELINE_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "decode/event/event_source.h"
#include "decode/timeline/held_changes.h"
#include "decode/timeline/selection.h"
#include "decode/timeline/thread_table.h"
#include "decode/timeline/timeline.h"

struct states {
	const struct target_info *target; /* borrowed, and so is */
	struct quality *quality;	  /* ... counted into */
	struct selection selection;
	struct thread_table threads;
	struct cpu_table cpus;
	size_t target_threads;
	struct held_changes held; /* changes to give out */
	struct finding *findings; /* the same, where it is audited */
	size_t finding_begin, finding_end, finding_capacity;
	struct timeline_calls calls;
	void (*take_mark)(void *context, const struct mark *mark); /* NULL: nobody wants them */
	void *mark_context;
	const struct event *event; /* that happens now; NULL: none */
	uint64_t first_ns, now_ns, begin_ns;
	uint64_t hold_ns;  /* a change is given out when it is so old ... */
	uint64_t given_ns; /* ... as those up to here have been */
	bool is_chosen;	   /* the target is what the user asked for ... */
	bool as_recorded;  /* ... or else what the input says */
	bool begun;	   /* begin_ns is known */
	bool audited;	   /* findings are wanted */
	bool lossy;	   /* records were lost: what was not seen may have happened */
};

/*
 * From now on `thread` is in state `next`, and what it has been doing turns out to be `was`.
 * Returns the change that was told, or NULL; valid until the next one.
 */
struct change *states_move_on(struct states *states, struct thread *thread, enum thread_state was,
			      enum thread_state next);

/*
 * The same from `at_ns` on: no earlier than the thread's last change and states->given_ns, no later
 * than now.
 */
struct change *states_move_on_at(struct states *states, struct thread *thread,
				 enum thread_state was, enum thread_state next, uint64_t at_ns);

/*
 * The interval of a thread that ended when it was found running ended at `at_ns`, and was spent in
 * `was`. Returns whether that could still be said: only if it has not been given out.
 */
bool states_amend(struct states *states, struct thread *thread, enum thread_state was,
		  uint64_t at_ns);

/*
 * A case of `fact` that concerns an interval of a thread, which is taken as `past`: counted if the
 * thread is one of the target, and told in an audit.
 */
void states_note(struct states *states, enum quality_fact fact, const struct thread *thread,
		 enum thread_state past, uint64_t since_ns);

/* A case that concerns the event and no thread, which the caller counts. */
void states_tell_finding(struct states *states, enum quality_fact fact);

/* The thread of this number, new if need be; NULL for idle and impossible ones. */
struct thread *states_find_or_add(struct states *states, int32_t tid);

/* What the event that happens now does to a thread that goes on running. */
void states_tell_mark(struct states *states, const struct thread *thread, uint32_t by);

/* The actor of the event that happens now, as changes have it. NULL: it is not known. */
uint32_t states_actor(const struct states *states, const struct thread *thread);

/*
 * `thread` may just have become one of the target. One that was born or renamed now counts from
 * now; of any other the past is unknown, back to where the timeline begins. Returns the change that
 * was told, or NULL; valid until the next one.
 */
struct change *states_enrol(struct states *states, struct thread *thread, bool from_now);

/* A thread stays in its process: is this another one of the same number? */
static inline bool states_is_another(const struct thread *thread, int32_t pid)
{
	return thread->met && pid > 0 && thread->pid > 0 && thread->pid != pid;
}

/*
 * The number of `thread` is used again, so it has ended; when is not on record. Returns the new
 * one.
 */
struct thread *states_replace(struct states *states, struct thread *thread);

/* Takes down what an event tells of a thread. Returns whether it has got another name. */
bool states_describe(struct states *states, struct thread *thread, int32_t pid, const char *comm);

/* The thread of an event, with all of the above; NULL for idle and impossible ones. */
struct thread *states_meet_closer(struct states *states, int32_t tid, int32_t pid,
				  const char *comm);

/* The same. Nearly always it is known to be one of the target, and so is all that is told of it. */
static inline struct thread *states_meet(struct states *states, int32_t tid, int32_t pid,
					 const char *comm)
{
	struct thread *thread = thread_table_find(&states->threads, tid);

	if (thread && thread->target && (pid < 0 || pid == thread->pid) &&
	    (!*comm || memcmp(comm, thread->comm, sizeof(thread->comm)) == 0))
		return thread;
	return states_meet_closer(states, tid, pid, comm);
}

/* The rules that timeline.h lists: `event` happens now. */
void event_rules_apply(struct states *states, const struct event *event);

/* Between this event and the one before lies a time of which nothing is known. */
void event_rules_forget(struct states *states);

#endif
