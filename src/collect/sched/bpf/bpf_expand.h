/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compact records of the programs in the kernel into the records that a recording holds: samples
 * of tracepoints as this kernel would have written them, names, births and ends of threads.
 */
#ifndef PSCAL_COLLECT_SCHED_BPF_BPF_EXPAND_H
#define PSCAL_COLLECT_SCHED_BPF_BPF_EXPAND_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "collect/kernel/tracefs.h"
#include "perfdata/perfdata_write.h"

struct bpf_event;
struct err;
struct lineage;
struct recording;

/* What the header of the recording names. */
enum bpf_expand_kind {
	BPF_EXPAND_SWITCH,
	BPF_EXPAND_WAKING,
	BPF_EXPAND_WAKEUP_NEW,
	BPF_EXPAND_FORK,
	BPF_EXPAND_EXIT,
	BPF_EXPAND_TASK, /* no tracepoint: COMM, FORK and EXIT records, as the kernel's */
	BPF_EXPAND_COUNT,
};

/* Puts the stack of this number into ips[PERF_MAX_STACK_DEPTH]; returns its depth. */
struct bpf_expand_stacks {
	size_t (*get)(void *context, uint32_t id, uint64_t *ips);
	void *context;
};

struct bpf_expand {
	uint64_t base_ns; /* the times of events count from here */
	const struct bpf_expand_stacks *stacks;
	struct lineage *lineage; /* borrowed; is told of births, execs and ends */
	struct tracefs_format formats[BPF_EXPAND_TASK];
	struct perf_event_attr attrs[BPF_EXPAND_COUNT];
	uint64_t ids[BPF_EXPAND_COUNT];
	struct perfdata_event events[BPF_EXPAND_COUNT]; /* for the header of the recording */
	struct sparse names;				/* by tid: struct bpf_name */
};

/*
 * Learns the layouts below `tracefs`. `stacks` (NULL: none are taken) and `lineage` are borrowed. Returns 0, or
 * -1 with a sentence; release it in both cases.
 */
int bpf_expand_init(struct bpf_expand *expand, uint64_t base_ns, const char *tracefs,
		    const struct bpf_expand_stacks *stacks, struct lineage *lineage,
		    struct err *err);
void bpf_expand_release(struct bpf_expand *expand);

/* Events must come in the order of time, as bpf_merge gives them. */
void bpf_expand(struct bpf_expand *expand, struct recording *recording,
		const struct bpf_event *event);

#endif
