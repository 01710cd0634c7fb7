/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/sched/bpf/bpf_collector.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/monotonic.h"
#include "collect/recording/record.h"
#include "collect/sched/bpf/bpf_expand.h"
#include "collect/sched/bpf/bpf_merge.h"
#include "collect/sched/bpf/bpf_programs.h"
#include "collect/target/lineage.h"

#include <stdlib.h>
#include <unistd.h>

/* How long the last records are waited for. */
enum { REST_TRIES = 100, REST_US = 1000 };

struct bpf_collector {
	struct collector base;
	struct bpf_programs programs;
	struct bpf_merge merge;
	struct bpf_expand expand;
	struct bpf_expand_stacks stacks;
	uint64_t base_ns;
	uint64_t forgotten; /* slots that were read in a trial */
	bool paused;	    /* switches and wakes are not to be seen */
	bool started;	    /* births are seen */
	bool stopped;
	bool finished; /* all that was recorded until then has been passed on */
};

static struct bpf_collector *of(struct collector *collector)
{
	return (struct bpf_collector *)collector;
}

/* --- Following the target ------------------------------------------------------------------ */

static void set_mode(struct bpf_collector *bpf)
{
	uint32_t mode = bpf->paused ? BPF_MODE_BIRTHS : BPF_MODE_BIRTHS | BPF_MODE_SWITCHES;

	bpf_programs_set_mode(&bpf->programs, bpf->started ? mode : 0);
}

static int start(struct collector *collector, struct err *err)
{
	(void)err;
	of(collector)->started = true;
	set_mode(of(collector));
	return 0;
}

static int expect(struct collector *collector, struct err *err)
{
	bpf_programs_set_flag(&of(collector)->programs, gettid(), BPF_FLAG_BIRTHS);
	return start(collector, err);
}

static int adopt(struct collector *collector, pid_t pid, pid_t tid, struct err *err)
{
	(void)pid, (void)err;
	bpf_programs_set_flag(&of(collector)->programs, tid, BPF_FLAG_RECORD);
	return 0;
}

static int follow(struct collector *collector, pid_t child, struct err *err)
{
	bpf_programs_clear_flag(&of(collector)->programs, gettid(), BPF_FLAG_BIRTHS);
	return adopt(collector, child, child, err);
}

static int enable(struct collector *collector, bool on, struct err *err)
{
	(void)err;
	of(collector)->paused = !on;
	set_mode(of(collector));
	return 0;
}

static void stop(struct collector *collector)
{
	of(collector)->started = false;
	of(collector)->stopped = true;
	set_mode(of(collector));
}

/* --- Records ------------------------------------------------------------------------------- */

static void drain(struct bpf_collector *bpf, struct recording *recording)
{
	struct bpf_event event;

	bpf_merge_begin(&bpf->merge, monotonic_ns() - bpf->base_ns);
	while (bpf_merge_next(&bpf->merge, &event))
		bpf_expand(&bpf->expand, recording, &event);
	for (uint32_t cpu = 0; cpu < bpf->programs.cpu_count; cpu++)
		if (bpf_merge_take_lost(&bpf->merge, &event, cpu, bpf->stopped))
			bpf_expand(&bpf->expand, recording, &event);
	lineage_settle(bpf->expand.lineage, UINT64_MAX);
}

/*
 * A program may be at work on another CPU still, which a hypervisor may have stopped. Then there is
 * what the kernel left out, of which no more is known than how often that was.
 */
static void drain_rest(struct bpf_collector *bpf, struct recording *recording)
{
	struct bpf_event event = {.kind = BPF_RECORD_LOST};

	for (int tries = 0; tries < REST_TRIES && bpf_merge_left(&bpf->merge); tries++) {
		usleep(REST_US);
		drain(bpf, recording);
	}
	event.time_ns = event.body[0].words[0] = bpf->merge.limit_ns;
	event.body[0].words[1] = bpf_programs_missed(&bpf->programs) + bpf_merge_left(&bpf->merge);
	bpf_expand(&bpf->expand, recording, &event);
}

static int pass(struct collector *collector, struct recording *recording, struct err *err)
{
	struct bpf_collector *bpf = of(collector);

	(void)err;
	bpf_programs_clear_wakes(&bpf->programs);
	drain(bpf, recording);
	if (bpf->stopped && !bpf->finished) {
		drain_rest(bpf, recording);
		bpf->finished = true;
	}
	bpf->base.ring_bytes =
		(bpf_merge_read(&bpf->merge) - bpf->forgotten) * sizeof(struct bpf_slot);
	return 0;
}

static int forget(struct collector *collector, const pid_t *tids, size_t count,
		  struct recording *scratch, struct err *err)
{
	struct bpf_collector *bpf = of(collector);

	bpf->started = false;
	set_mode(bpf);
	for (size_t i = 0; i < count; i++)
		bpf_programs_clear_flag(&bpf->programs, tids[i], BPF_FLAG_RECORD);
	if (pass(collector, scratch, err))
		return -1;
	bpf->forgotten = bpf_merge_read(&bpf->merge);
	bpf->base.ring_bytes = 0;
	return 0;
}

static size_t get_stack(void *context, uint32_t id, uint64_t *ips)
{
	return bpf_programs_stack(context, id, ips);
}

/* --- Opening ------------------------------------------------------------------------------- */

static void release(struct collector *collector)
{
	struct bpf_collector *bpf = of(collector);

	bpf_expand_release(&bpf->expand);
	bpf_merge_release(&bpf->merge);
	bpf_programs_close(&bpf->programs);
	free(bpf);
}

static void tell(const struct collector *collector, FILE *out)
{
	if (((const struct bpf_collector *)collector)->programs.preempt.known)
		fputs("interrupts 1\n", out);
}

static const struct collector_kind kind = {
	.name = "bpf",
	.expect = expect,
	.follow = follow,
	.start = start,
	.adopt = adopt,
	.enable = enable,
	.pass = pass,
	.forget = forget,
	.stop = stop,
	.tell = tell,
	.free = release,
};

static struct bpf_collector *make(const struct collector_options *options, struct err *err)
{
	struct bpf_collector *bpf = xcalloc(1, sizeof(*bpf));
	const struct bpf_programs_options how = {
		.base_ns = monotonic_ns() - 1, /* no record is of time 0 */
		.wide = options->wide,
		.alone = options->alone,
		.stacks = options->stacks,
	};

	bpf->base_ns = how.base_ns;
	bpf->stacks = (struct bpf_expand_stacks){get_stack, &bpf->programs};
	if (bpf_expand_init(&bpf->expand, bpf->base_ns, options->tracefs,
			    options->stacks ? &bpf->stacks : NULL, options->lineage, err) ||
	    bpf_programs_open(&bpf->programs, &how, err)) {
		release(&bpf->base);
		return NULL;
	}
	bpf_merge_init(&bpf->merge, bpf->programs.rings, bpf->programs.slots,
		       bpf->programs.cpu_count, bpf->programs.ring_slots);
	return bpf;
}

struct collector *bpf_collector_open(const struct collector_options *options, struct err *err)
{
	struct bpf_collector *bpf;

	if (!options->tracefs) {
		err_set(err, "the bpf collector needs the formats of events in tracefs, which may "
			     "not be read: run as root");
		return NULL;
	}
	bpf = make(options, err);
	if (!bpf)
		return NULL;
	bpf->base = (struct collector){
		.kind = &kind,
		.events = bpf->expand.events,
		.event_count = BPF_EXPAND_COUNT,
		.fds = &bpf->programs.wake_fd,
		.fd_count = 1,
	};
	return &bpf->base;
}
