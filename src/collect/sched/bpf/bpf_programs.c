/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/sched/bpf/bpf_programs.h"

#include "base/alloc.h"
#include "base/err.h"
#include "collect/kernel/cpu_list.h"
#include "collect/kernel/permission.h"
#include "collect/sched/bpf/bpf_preempt.h"
#include "collect/sched/bpf/sched_skel.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

/*
 * Three quarters of 4 MiB, while the recorder is on its way, last for 80 ms of a million switches
 * and wakes a second. Where there are many CPUs, rings are smaller.
 */
enum {
	RING_SLOTS_MAX = 1 << 18,
	RING_SLOTS_MIN = 1 << 12,
	ALL_SLOTS_MAX = 1 << 23, /* 128 MiB */
};

/* Stacks that differ, and the size of one. */
enum { STACKS_MAX = 1 << 14, STACK_BYTES = PERF_MAX_STACK_DEPTH * sizeof(uint64_t) };

enum { LOG_BYTES = 1 << 16 };

/* --- Sizes --------------------------------------------------------------------------------- */

/* Rings for all CPUs that there may ever be, so that one that comes online has its own. */
static int choose_sizes(struct bpf_programs *programs, struct err *err)
{
	struct cpu_list possible;

	if (cpu_list_read(&possible, "/sys/devices/system/cpu/possible", err))
		return -1;
	programs->cpu_count = (size_t)possible.cpus[possible.count - 1] + 1;
	cpu_list_release(&possible);
	programs->ring_slots = RING_SLOTS_MAX;
	while (programs->ring_slots > RING_SLOTS_MIN &&
	       programs->ring_slots * programs->cpu_count > ALL_SLOTS_MAX)
		programs->ring_slots /= 2;
	return 0;
}

static int set_sizes(struct bpf_programs *programs, const struct bpf_programs_options *options)
{
	struct sched_bpf *skeleton = programs->skeleton;
	__u32 cpus = (__u32)programs->cpu_count;
	__u32 bytes = (__u32)(programs->ring_slots * sizeof(struct bpf_slot));

	skeleton->rodata->base_ns = options->base_ns;
	skeleton->rodata->slot_mask = programs->ring_slots - 1;
	skeleton->rodata->wide = options->wide;
	skeleton->rodata->alone = options->alone;
	skeleton->rodata->stacks = options->stacks;
	skeleton->rodata->count_from_queue = programs->preempt.from_queue;
	return bpf_map__set_max_entries(skeleton->maps.rings, cpus) ||
	       bpf_map__set_max_entries(skeleton->maps.slots, cpus) ||
	       bpf_map__set_value_size(skeleton->maps.slots, bytes) ||
	       (options->stacks &&
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
		return err_set(err, "the bpf programs cannot be listened to: %m");
	programs->wake_fd = ring_buffer__epoll_fd(programs->wakes);
	return 0;
}

/* --- Loading ------------------------------------------------------------------------------- */

/* What libbpf has to say is said by us, in one sentence. */
static int say_nothing(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level, (void)format, (void)args;
	return 0;
}

/* The line in which the verifier of the kernel says why, or NULL. Cuts the log. */
static const char *reason_in(char *log)
{
	const char *reason = NULL;
	char *rest;

	for (char *line = strtok_r(log, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		if (strncmp(line, "processed ", 10) != 0)
			reason = line;
	return reason;
}

static int load(struct bpf_programs *programs, const struct bpf_programs_options *options,
		char *log, struct err *err)
{
	LIBBPF_OPTS(bpf_object_open_opts, how, .kernel_log_buf = log, .kernel_log_size = LOG_BYTES);

	programs->skeleton = sched_bpf__open_opts(&how);
	if (!programs->skeleton || set_sizes(programs, options))
		return err_set(err, "the bpf programs cannot be made ready: %m");
	if (sched_bpf__load(programs->skeleton))
		return permission_bpf(err, reason_in(log));
	if (share_memory(programs, err) || listen_to(programs, err))
		return -1;
	bpf_programs_set_flag(programs, 0, BPF_FLAG_NAMED); /* idle threads need no name */
	if (sched_bpf__attach(programs->skeleton))
		return permission_bpf(err, reason_in(log));
	return 0;
}

int bpf_programs_open(struct bpf_programs *programs, const struct bpf_programs_options *options,
		      struct err *err)
{
	char *log;
	int rc;

	*programs = (struct bpf_programs){.skeleton = NULL};
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		return err_set(err, "this kernel does not describe itself in "
				    "/sys/kernel/btf/vmlinux (CONFIG_DEBUG_INFO_BTF): %m");
	if (choose_sizes(programs, err))
		return -1;
	libbpf_set_print(say_nothing);
	programs->preempt = bpf_preempt_of_kernel();
	log = xcalloc(1, LOG_BYTES);
	rc = load(programs, options, log, err);
	free(log);
	return rc;
}

void bpf_programs_close(struct bpf_programs *programs)
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

/* --- Talking to them ----------------------------------------------------------------------- */

void bpf_programs_clear_wakes(struct bpf_programs *programs)
{
	ring_buffer__consume(programs->wakes);
}

void bpf_programs_set_mode(struct bpf_programs *programs, uint32_t mode)
{
	__atomic_store_n(&programs->skeleton->bss->mode, mode, __ATOMIC_SEQ_CST);
}

void bpf_programs_set_flag(struct bpf_programs *programs, int tid, uint32_t flag)
{
	__atomic_fetch_or(&programs->flags[BPF_FLAGS_INDEX(tid)], flag << BPF_FLAGS_SHIFT(tid),
			  __ATOMIC_SEQ_CST);
}

void bpf_programs_clear_flag(struct bpf_programs *programs, int tid, uint32_t flag)
{
	__atomic_fetch_and(&programs->flags[BPF_FLAGS_INDEX(tid)], ~(flag << BPF_FLAGS_SHIFT(tid)),
			   __ATOMIC_SEQ_CST);
}

uint64_t bpf_programs_missed(const struct bpf_programs *programs)
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

size_t bpf_programs_stack(const struct bpf_programs *programs, uint32_t id, uint64_t *ips)
{
	size_t depth = 0;

	memset(ips, 0, STACK_BYTES);
	if (bpf_map__lookup_elem(programs->skeleton->maps.user_stacks, &id, sizeof(id), ips,
				 STACK_BYTES, 0))
		return 0;
	while (depth < PERF_MAX_STACK_DEPTH && ips[depth])
		depth++;
	return depth;
}
