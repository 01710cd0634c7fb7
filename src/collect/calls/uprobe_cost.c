/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/calls/uprobe_cost.h"

#include "code/proc_maps.h"
#include "collect/calls/call_cost.h"

#include <unistd.h>

enum { CALLS = 50 };

/* A first instruction that the kernel steps through, and one that it does itself. */
#if defined(__x86_64__)
__attribute__((naked, noinline)) static void stepped(void)
{
	__asm__("mov %rdi, %rax\n\tret");
}

__attribute__((naked, noinline)) static void cheap(void)
{
	__asm__("push %rbx\n\tpop %rbx\n\tret");
}
#else
__attribute__((noinline)) static void stepped(void)
{
	__asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) static void cheap(void)
{
	__asm__ volatile("" ::: "memory");
	__asm__ volatile("" ::: "memory");
}
#endif

static void (*const functions[UPROBE_COSTS])(void) = {
	[UPROBE_STEPPED] = stepped,
	[UPROBE_CHEAP] = cheap,
};

uint64_t uprobe_cost_place(enum uprobe_cost_kind kind)
{
	const uint64_t address = (uint64_t)(uintptr_t)functions[kind];
	struct proc_maps maps = {.count = 0};
	uint64_t place = 0;

	proc_maps_add(&maps, getpid(), false, "/proc");
	for (size_t i = 0; i < maps.count; i++)
		if (address >= maps.maps[i].start && address < maps.maps[i].end)
			place = address - maps.maps[i].start + maps.maps[i].offset;
	proc_maps_release(&maps);
	return place;
}

static void call_stepped(int count)
{
	for (int i = 0; i < count; i++)
		stepped();
}

static void call_cheap(int count)
{
	for (int i = 0; i < count; i++)
		cheap();
}

void uprobe_cost_measure(struct uprobe_cost *cost)
{
	cost->ns[UPROBE_STEPPED] = call_cost_measure(call_stepped, CALLS);
	cost->ns[UPROBE_CHEAP] = call_cost_measure(call_cheap, CALLS);
}

void uprobe_cost_added(struct uprobe_cost *cost, const struct uprobe_cost *bare,
		       const struct uprobe_cost *watched)
{
	for (int i = 0; i < UPROBE_COSTS; i++)
		cost->ns[i] = call_cost_added(bare->ns[i], watched->ns[i]);
}
