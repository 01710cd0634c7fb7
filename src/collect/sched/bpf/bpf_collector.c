/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/sched/bpf/bpf_collector.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/monotonic.h"
#include "collect/kernel/cpu_list.h"
#include "collect/kernel/permission.h"
#include "collect/recording/record.h"
#include "collect/sched/bpf/bpf_private.h"
#include "collect/sched/bpf/bpf_record.h"
#include "collect/sched/bpf/sched_skel.h"
#include "collect/target/lineage.h"
#include "collect/target/thread_layout.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The programs of sched.bpf.c in the kernel, and the memory that they share with the recorder. */
struct bpf_programs {
	struct sched_bpf *skeleton;
	struct bpf_ring *rings; /* by CPU */
	struct bpf_slot *slots;
	uint32_t *flags; /* BPF_FLAGS_WORDS words */
	struct bpf_preempt preempt;
	size_t cpu_count;
	size_t ring_slots; /* of each CPU */
	struct ring_buffer *wakes;
	int wake_fd; /* readable when a ring has filled by another quarter */
};

/*
 * The sizes of rings. Three quarters of 4 MiB, while the recorder wakes up, last for 80 ms of a
 * million switches and wakeups a second. With many CPUs, rings are smaller.
 */
enum {
	RING_SLOTS_MAX = 1 << 18,
	RING_SLOTS_MIN = 1 << 12,
	ALL_SLOTS_MAX = 1 << 23, /* 128 MiB */
};

/*
 * The number of different stacks, and the size of one. Each has one place, by its hash: 30 of 1000
 * stacks find their place taken, and are lost.
 */
enum { STACKS_MAX = 1 << 14, STACK_BYTES = PERF_MAX_STACK_DEPTH * sizeof(uint64_t) };

enum { LOG_BYTES = 1 << 16 };

/* --- Sizes and memory of the programs ------------------------------------------------------ */

/* Chooses the sizes. All CPUs that may ever come online have rings. */
static int choose_sizes(struct bpf_programs *programs, struct err *err)
{
	programs->cpu_count = cpu_numbers(CPU_POSSIBLE_PATH, err);
	if (!programs->cpu_count)
		return -1;
	programs->ring_slots = RING_SLOTS_MAX;
	while (programs->ring_slots > RING_SLOTS_MIN &&
	       programs->ring_slots * programs->cpu_count > ALL_SLOTS_MAX)
		programs->ring_slots /= 2;
	return 0;
}

/* Finds the words with the stack's address and size, behind `begin` in that description. */
static uint32_t find_stack(const char *self, uint32_t begin, uint64_t address, uint64_t size)
{
	enum { REACH = 256 };
	uint64_t words[2];

	for (uint32_t at = begin; at < begin + REACH; at += sizeof(*words)) {
		memcpy(words, self + at, sizeof(words));
		if (words[0] == address && words[1] == size)
			return at;
	}
	return 0;
}

static void *find_own_stack(void *offset)
{
	uint32_t *at = offset, begin = *at;
	pthread_attr_t attr;
	void *address;
	size_t size;

	*at = 0;
	if (pthread_getattr_np(pthread_self(), &attr))
		return NULL;
	if (!pthread_attr_getstack(&attr, &address, &size))
		*at = find_stack((const char *)pthread_self(), begin, (uintptr_t)address, size);
	pthread_attr_destroy(&attr);
	return NULL;
}

/*
 * Returns the place of the stack in the description of a thread: glibc does not publish it, but a
 * thread whose stack is known finds it behind its first function (nptl/descr.h). 0: not known.
 */
static uint32_t thread_stack_offset(void)
{
	const size_t size = (size_t)1 << 18;
	uint32_t offset = thread_layout_offset(THREAD_LAYOUT_START);
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attr;
	pthread_t thread;
	bool began;

	if (memory == MAP_FAILED)
		return 0;
	pthread_attr_init(&attr);
	began = offset && !pthread_attr_setstack(&attr, memory, size) &&
		!pthread_create(&thread, &attr, find_own_stack, &offset);
	if (began)
		pthread_join(thread, NULL);
	pthread_attr_destroy(&attr);
	munmap(memory, size);
	return began ? offset : 0;
}

static int set_sizes(struct bpf_programs *programs, const struct collector_options *options,
		     bool calls, uint64_t base_ns)
{
	struct sched_bpf *skeleton = programs->skeleton;
	__u32 cpus = (__u32)programs->cpu_count;
	__u32 bytes = (__u32)(programs->ring_slots * sizeof(struct bpf_slot));

	skeleton->rodata->base_ns = base_ns;
	skeleton->rodata->slot_mask = programs->ring_slots - 1;
	skeleton->rodata->wide = options->lineage->wide;
	skeleton->rodata->alone = options->lineage->alone;
	skeleton->rodata->stacks = options->stacks;
	skeleton->rodata->start_at = thread_layout_offset(THREAD_LAYOUT_START);
	skeleton->rodata->stack_at = thread_stack_offset();
	skeleton->rodata->count_from_queue = programs->preempt.from_queue;
	skeleton->rodata->call_stacks = calls && options->call_stacks;
	for (int call = 1; calls && call <= BPF_CALLS; call++)
		skeleton->rodata->calls[call - 1] = bpf_expand_call_number((enum bpf_call)call);
	return bpf_map__set_max_entries(skeleton->maps.rings, cpus) ||
	       bpf_map__set_max_entries(skeleton->maps.slots, cpus) ||
	       bpf_map__set_value_size(skeleton->maps.slots, bytes) ||
	       ((options->stacks || skeleton->rodata->call_stacks) &&
		(bpf_map__set_max_entries(skeleton->maps.user_stacks, STACKS_MAX) ||
		 bpf_map__set_value_size(skeleton->maps.user_stacks, STACK_BYTES)));
}

static void *map_memory(const struct bpf_map *map, size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static size_t rings_bytes(const struct bpf_programs *programs)
{
	return programs->cpu_count * sizeof(struct bpf_ring);
}

static size_t slots_bytes(const struct bpf_programs *programs)
{
	return programs->cpu_count * programs->ring_slots * sizeof(struct bpf_slot);
}

static int share_memory(struct bpf_programs *programs, struct err *err)
{
	const struct sched_bpf *skeleton = programs->skeleton;

	programs->rings = map_memory(skeleton->maps.rings, rings_bytes(programs));
	programs->slots = map_memory(skeleton->maps.slots, slots_bytes(programs));
	programs->flags = map_memory(skeleton->maps.flags, BPF_FLAGS_WORDS * sizeof(__u32));
	if (!programs->rings || !programs->slots || !programs->flags)
		return err_set(err, "the memory of the bpf programs cannot be mapped: %m");
	return 0;
}

static int ignore(void *context, void *data, size_t size)
{
	(void)context, (void)data, (void)size;
	return 0;
}

static int listen_to(struct bpf_programs *programs, struct err *err)
{
	programs->wakes =
		ring_buffer__new(bpf_map__fd(programs->skeleton->maps.wakes), ignore, NULL, NULL);
	if (!programs->wakes)
		return err_set(err, "the ring of the bpf programs cannot be read: %m");
	programs->wake_fd = ring_buffer__epoll_fd(programs->wakes);
	return 0;
}

/* --- Orders to the programs ---------------------------------------------------------------- */

/* Clears the wakeups, so that the descriptor is not readable. */
static void programs_clear_wakes(struct bpf_programs *programs)
{
	ring_buffer__consume(programs->wakes);
}

/* Sets the BPF_MODE_ bits of the programs. */
static void programs_set_mode(struct bpf_programs *programs, uint32_t mode)
{
	__atomic_store_n(&programs->skeleton->bss->mode, mode, __ATOMIC_SEQ_CST);
}

/* Sets BPF_FLAG_ bits of a thread. */
static void programs_set_flag(struct bpf_programs *programs, int tid, uint32_t flag)
{
	__atomic_fetch_or(&programs->flags[BPF_FLAGS_INDEX(tid)], flag << BPF_FLAGS_SHIFT(tid),
			  __ATOMIC_SEQ_CST);
}

static void programs_clear_flag(struct bpf_programs *programs, int tid, uint32_t flag)
{
	__atomic_fetch_and(&programs->flags[BPF_FLAGS_INDEX(tid)], ~(flag << BPF_FLAGS_SHIFT(tid)),
			   __ATOMIC_SEQ_CST);
}

/* Forgets the threads on all CPUs, as if other threads had got them now. */
static void programs_forget_cpus(struct bpf_programs *programs, uint64_t now_ns)
{
	for (size_t cpu = 0; cpu < programs->cpu_count; cpu++) {
		programs->rings[cpu].task = programs->rings[cpu].tid = 0;
		programs->rings[cpu].since_ns = now_ns;
	}
}

static bool programs_record(const struct bpf_programs *programs, uint32_t tid)
{
	return programs->skeleton->rodata->wide ||
	       programs->flags[BPF_FLAGS_INDEX(tid)] >> BPF_FLAGS_SHIFT(tid) & BPF_FLAG_RECORD;
}

/* Returns the CPU time of recorded threads up to now; of those on a CPU nearly. */
static uint64_t programs_cpu_ns(const struct bpf_programs *programs, uint64_t now_ns)
{
	uint64_t sum_ns = 0;

	for (size_t cpu = 0; cpu < programs->cpu_count; cpu++) {
		const volatile struct bpf_ring *ring = &programs->rings[cpu];
		uint64_t since_ns = ring->since_ns;
		uint32_t tid = ring->tid;

		sum_ns += ring->ran_ns;
		if (tid && since_ns < now_ns && programs_record(programs, tid))
			sum_ns += now_ns - since_ns;
	}
	return sum_ns;
}

/* Makes the programs report all switches up to now, also those that the kernel did not show. */
static void programs_look(const struct bpf_programs *programs)
{
	int fd = bpf_program__fd(programs->skeleton->progs.on_look);

	for (size_t cpu = 0; cpu < programs->cpu_count; cpu++) {
		LIBBPF_OPTS(bpf_test_run_opts, how, .flags = BPF_F_TEST_RUN_ON_CPU,
			    .cpu = (uint32_t)cpu);

		bpf_prog_test_run_opts(fd, &how); /* fails if the CPU is offline */
	}
}

/* Returns how often the kernel skipped a program as it was running already. */
static uint64_t programs_missed(const struct bpf_programs *programs)
{
	struct bpf_program *program;
	uint64_t missed = 0;

	bpf_object__for_each_program(program, programs->skeleton->obj)
	{
		struct bpf_prog_info info = {.type = 0};
		__u32 size = sizeof(info);

		if (!bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size))
			missed += info.recursion_misses;
	}
	return missed;
}

/* --- Loading of the programs --------------------------------------------------------------- */

/* Suppresses the messages of libbpf: the recorder has its own error. */
static int say_nothing(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level, (void)format, (void)args;
	return 0;
}

/* Returns the line of the log with the reason of the kernel's verifier, or NULL. Cuts the log. */
static const char *reason_in(char *log)
{
	const char *reason = NULL;
	char *rest;

	for (char *line = strtok_r(log, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		if (strncmp(line, "processed ", 10) != 0)
			reason = line;
	return reason;
}

static int load_programs(struct bpf_programs *programs, const struct collector_options *options,
			 bool calls, uint64_t base_ns, char *log, struct err *err)
{
	LIBBPF_OPTS(bpf_object_open_opts, how, .kernel_log_buf = log, .kernel_log_size = LOG_BYTES);

	programs->skeleton = sched_bpf__open_opts(&how);
	if (!programs->skeleton || set_sizes(programs, options, calls, base_ns))
		return err_set(err, "the bpf programs cannot be made ready: %m");
	if (sched_bpf__load(programs->skeleton))
		return permission_bpf(err, reason_in(log));
	if (share_memory(programs, err) || listen_to(programs, err))
		return -1;
	programs_set_flag(programs, 0, BPF_FLAG_NAMED); /* idle threads need no name */
	if (sched_bpf__attach(programs->skeleton))
		return permission_bpf(err, reason_in(log));
	return 0;
}

/*
 * Opens all programs on their tracepoints, with nothing to do. Returns 0, or -1 with an error; the
 * caller closes them in both cases.
 */
static int programs_open(struct bpf_programs *programs, const struct collector_options *options,
			 bool calls, uint64_t base_ns, struct err *err)
{
	char *log;
	int rc;

	*programs = (struct bpf_programs){.skeleton = NULL};
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		return err_set(err, "this kernel has no type information in "
				    "/sys/kernel/btf/vmlinux (CONFIG_DEBUG_INFO_BTF): take "
				    "--collector auto");
	if (choose_sizes(programs, err))
		return -1;
	libbpf_set_print(say_nothing);
	programs->preempt = bpf_preempt_of_kernel();
	log = xcalloc(1, LOG_BYTES);
	rc = load_programs(programs, options, calls, base_ns, log, err);
	free(log);
	return rc;
}

static void programs_close(struct bpf_programs *programs)
{
	if (programs->rings)
		munmap(programs->rings, rings_bytes(programs));
	if (programs->slots)
		munmap(programs->slots, slots_bytes(programs));
	if (programs->flags)
		munmap(programs->flags, BPF_FLAGS_WORDS * sizeof(__u32));
	ring_buffer__free(programs->wakes);
	sched_bpf__destroy(programs->skeleton);
	*programs = (struct bpf_programs){.skeleton = NULL};
}

/* The time to wait for the last records. */
enum { REST_TRIES = 100, REST_US = 1000 };

struct bpf_collector {
	struct collector base;
	struct bpf_programs programs;
	struct bpf_merge merge;
	struct bpf_expand expand;
	struct bpf_expand_stacks stacks;
	uint64_t base_ns;
	uint64_t forgotten; /* slots read in a trial */
	uint64_t forgotten_calls, forgotten_cpu_ns;
	uint32_t mode; /* BPF_MODE_ bits */
	bool calls;    /* calls are recorded, with switches and wakeups */
	bool paused;   /* switches and wakeups are not recorded */
	bool started;  /* births are recorded */
	bool stopped;
	bool finished; /* all records up to the stop have been passed on */
};

static struct bpf_collector *of(struct collector *collector)
{
	return (struct bpf_collector *)collector;
}

/* --- Following the target ------------------------------------------------------------------ */

static void set_mode(struct bpf_collector *bpf)
{
	uint32_t seen = BPF_MODE_SWITCHES | (bpf->calls ? BPF_MODE_CALLS : 0);
	uint32_t mode = bpf->paused ? BPF_MODE_BIRTHS : BPF_MODE_BIRTHS | seen;
	uint64_t now_ns = monotonic_ns() - bpf->base_ns;

	if (!bpf->started)
		mode = 0;
	if (mode & ~bpf->mode & BPF_MODE_SWITCHES)
		programs_forget_cpus(&bpf->programs, now_ns);
	programs_set_mode(&bpf->programs, mode);
	bpf->mode = mode;
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
	programs_set_flag(&of(collector)->programs, gettid(), BPF_FLAG_BIRTHS);
	return start(collector, err);
}

static int adopt(struct collector *collector, pid_t pid, pid_t tid, struct err *err)
{
	(void)err;
	programs_set_flag(&of(collector)->programs, tid,
			  BPF_FLAG_RECORD | (tid == pid ? 0 : BPF_FLAG_BORN));
	return 0;
}

static int follow(struct collector *collector, pid_t child, struct err *err)
{
	programs_clear_flag(&of(collector)->programs, gettid(), BPF_FLAG_BIRTHS);
	return adopt(collector, child, child, err);
}

static int enable(struct collector *collector, bool on, struct err *err)
{
	(void)err;
	of(collector)->paused = !on;
	set_mode(of(collector));
	return 0;
}

static void see_calls(struct collector *collector, bool on)
{
	of(collector)->calls = on && collector->sees_calls;
	set_mode(of(collector));
}

/* Counts the CPU time of the target, which does not grow while switches are not recorded. */
static void count_cpu(struct bpf_collector *bpf)
{
	if (bpf->mode & BPF_MODE_SWITCHES)
		bpf->base.cpu_ns = programs_cpu_ns(&bpf->programs, monotonic_ns() - bpf->base_ns) -
				   bpf->forgotten_cpu_ns;
}

static void stop(struct collector *collector)
{
	programs_look(&of(collector)->programs);
	count_cpu(of(collector));
	of(collector)->started = false;
	of(collector)->stopped = true;
	set_mode(of(collector));
}

/* --- Records ------------------------------------------------------------------------------- */

static void drain(struct bpf_collector *bpf, struct recording *recording)
{
	struct bpf_event event;

	programs_look(&bpf->programs);
	bpf_merge_begin(&bpf->merge, monotonic_ns() - bpf->base_ns);
	while (bpf_merge_next(&bpf->merge, &event))
		bpf_expand(&bpf->expand, recording, &event);
	for (uint32_t cpu = 0; cpu < bpf->programs.cpu_count; cpu++)
		if (bpf_merge_take_lost(&bpf->merge, &event, cpu, bpf->stopped))
			bpf_expand(&bpf->expand, recording, &event);
	lineage_settle(bpf->expand.lineage, UINT64_MAX);
}

/*
 * Drains the last records. A program may still run on another CPU, which a hypervisor may have
 * stopped. Then, and if the kernel skipped programs, records are missing, of which only the number
 * is known.
 */
static void drain_rest(struct bpf_collector *bpf, struct recording *recording)
{
	struct bpf_event event = {.kind = BPF_RECORD_LOST};

	for (int tries = 0; tries < REST_TRIES && bpf_merge_left(&bpf->merge); tries++) {
		usleep(REST_US);
		drain(bpf, recording);
	}
	event.time_ns = event.body[0].words[0] = bpf->merge.limit_ns;
	event.body[0].words[1] = programs_missed(&bpf->programs) + bpf_merge_left(&bpf->merge);
	bpf_expand(&bpf->expand, recording, &event);
}

static int pass(struct collector *collector, struct recording *recording, struct err *err)
{
	struct bpf_collector *bpf = of(collector);

	(void)err;
	programs_clear_wakes(&bpf->programs);
	drain(bpf, recording);
	if (bpf->stopped && !bpf->finished) {
		drain_rest(bpf, recording);
		bpf->finished = true;
	}
	bpf->base.ring_bytes =
		(bpf_merge_read(&bpf->merge) - bpf->forgotten) * sizeof(struct bpf_slot);
	bpf->base.calls = bpf->expand.calls - bpf->forgotten_calls;
	bpf->base.missed_stacks = bpf->expand.missed_stacks;
	count_cpu(bpf);
	return 0;
}

static int forget(struct collector *collector, const pid_t *tids, size_t count,
		  struct recording *scratch, struct err *err)
{
	struct bpf_collector *bpf = of(collector);

	bpf->started = false;
	set_mode(bpf);
	for (size_t i = 0; i < count; i++)
		programs_clear_flag(&bpf->programs, tids[i], BPF_FLAG_RECORD);
	if (pass(collector, scratch, err))
		return -1;
	bpf->forgotten = bpf_merge_read(&bpf->merge);
	bpf->forgotten_calls = bpf->expand.calls;
	programs_forget_cpus(&bpf->programs, 0);
	bpf->forgotten_cpu_ns = programs_cpu_ns(&bpf->programs, 0);
	pid_set_release(&bpf->expand.callers);
	bpf->expand.missed_stacks = 0;
	bpf->base.ring_bytes = bpf->base.calls = 0;
	return 0;
}

/* Stores the user stack of this number in ips[PERF_MAX_STACK_DEPTH]; returns its depth, or 0. */
static size_t get_stack(void *context, uint32_t id, uint64_t *ips)
{
	const struct bpf_programs *programs = context;
	size_t depth = 0;

	memset(ips, 0, STACK_BYTES);
	if (bpf_map__lookup_elem(programs->skeleton->maps.user_stacks, &id, sizeof(id), ips,
				 STACK_BYTES, 0))
		return 0;
	while (depth < PERF_MAX_STACK_DEPTH && ips[depth])
		depth++;
	return depth;
}

/* --- Opening ------------------------------------------------------------------------------- */

static void bpf_release(struct collector *collector)
{
	struct bpf_collector *bpf = of(collector);

	bpf_expand_release(&bpf->expand);
	bpf_merge_release(&bpf->merge);
	programs_close(&bpf->programs);
	free(bpf);
}

static void bpf_tell(const struct collector *collector, FILE *out)
{
	if (((const struct bpf_collector *)collector)->programs.preempt.known)
		fputs("interrupts 1\n", out);
	if (collector->call_ns >= 0.5)
		fprintf(out, "cost_system_call_ns %.0f\n", collector->call_ns);
}

static const struct collector_kind kind = {
	.name = "bpf",
	.expect = expect,
	.follow = follow,
	.start = start,
	.adopt = adopt,
	.enable = enable,
	.pass = pass,
	.see_calls = see_calls,
	.forget = forget,
	.stop = stop,
	.tell = bpf_tell,
	.free = bpf_release,
};

/* Opens the programs, without calls if these cannot be recorded, as on a kernel before 5.15. */
static int open_programs(struct bpf_collector *bpf, const struct collector_options *options,
			 struct err *err)
{
	struct err ignored;

	bpf->base.sees_calls =
		options->calls && bpf_expand_call_number(BPF_CALL_FUTEX) &&
		bpf_expand_calls(&bpf->expand, options->tracefs,
				 options->call_stacks ? &bpf->stacks : NULL, &ignored) == 0;
	if (bpf->base.sees_calls &&
	    programs_open(&bpf->programs, options, true, bpf->base_ns, &ignored) == 0)
		return 0;
	if (bpf->base.sees_calls) {
		programs_close(&bpf->programs);
		bpf_expand_no_calls(&bpf->expand);
		bpf->base.sees_calls = false;
	}
	return programs_open(&bpf->programs, options, false, bpf->base_ns, err);
}

static struct bpf_collector *open_all(const struct collector_options *options, struct err *err)
{
	struct bpf_collector *bpf = xcalloc(1, sizeof(*bpf));

	bpf->base_ns = monotonic_ns() - 1; /* no record has time 0 */
	bpf->stacks = (struct bpf_expand_stacks){get_stack, &bpf->programs};
	if (bpf_expand_init(&bpf->expand, bpf->base_ns, options->tracefs,
			    options->stacks ? &bpf->stacks : NULL, options->lineage, err) ||
	    open_programs(bpf, options, err)) {
		bpf_release(&bpf->base);
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
	bpf = open_all(options, err);
	if (!bpf)
		return NULL;
	bpf->calls = bpf->base.sees_calls;
	bpf->base.kind = &kind;
	bpf->base.events = bpf->expand.events;
	bpf->base.event_count = bpf->expand.event_count;
	bpf->base.fd = &bpf->programs.wake_fd;
	bpf->base.callers = &bpf->expand.callers;
	return &bpf->base;
}
