/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/sched/bpf/bpf_private.h"

#include <string.h>

#include <bpf/btf.h>

/* The largest depth of nested structs. */
enum { DEPTH_MAX = 8 };

/* --- Members ------------------------------------------------------------------------------- */

struct member {
	uint32_t type;	 /* 0: none */
	uint32_t offset; /* bytes */
};

/* Finds a member of a struct or union, also in nested ones without a name. */
static struct member find_member(const struct btf *btf, uint32_t type, const char *name, int depth)
{
	const struct btf_type *composite = btf__type_by_id(btf, type);
	struct member none = {0, 0};

	if (!composite || !btf_is_composite(composite) || depth == DEPTH_MAX)
		return none;
	for (uint32_t i = 0; i < btf_vlen(composite); i++) {
		const struct btf_member *here = &btf_members(composite)[i];
		uint32_t offset = btf_member_bit_offset(composite, i) / 8;
		const char *its_name = btf__name_by_offset(btf, here->name_off);
		struct member inner = none;

		if (its_name && strcmp(its_name, name) == 0)
			return (struct member){here->type, offset};
		if (!its_name || !*its_name)
			inner = find_member(btf, here->type, name, depth + 1);
		if (inner.type)
			return (struct member){inner.type, offset + inner.offset};
	}
	return none;
}

static struct member member_of(const struct btf *btf, const char *composite, const char *name)
{
	int32_t type = btf__find_by_name_kind(btf, composite, BTF_KIND_STRUCT);

	return type > 0 ? find_member(btf, (uint32_t)type, name, 0) : (struct member){0, 0};
}

/* --- Variables of each CPU ----------------------------------------------------------------- */

static bool is_named(const struct btf *btf, uint32_t type, const char *name)
{
	const struct btf_type *variable = btf__type_by_id(btf, type);
	const char *its_name = variable ? btf__name_by_offset(btf, variable->name_off) : NULL;

	return its_name && strcmp(its_name, name) == 0;
}

/* Sets *offset in the section, and returns whether the variable exists. */
static bool find_variable(int64_t *offset, const struct btf *btf, const struct btf_type *section,
			  const char *name)
{
	const struct btf_var_secinfo *variables = btf_var_secinfos(section);

	for (uint32_t i = 0; i < btf_vlen(section); i++) {
		if (!is_named(btf, variables[i].type, name))
			continue;
		*offset = variables[i].offset;
		return true;
	}
	return false;
}

/* Finds the count, a variable, or from Linux 6.2 to 6.14 a member of pcpu_hot. */
static bool find_count(int64_t *offset, const struct btf *btf, const struct btf_type *section)
{
	struct member member;

	if (find_variable(offset, btf, section, "__preempt_count"))
		return true;
	member = member_of(btf, "pcpu_hot", "preempt_count");
	if (!member.type || !find_variable(offset, btf, section, "pcpu_hot"))
		return false;
	*offset += member.offset;
	return true;
}

static struct bpf_preempt find_in_section(const struct btf *btf, const struct btf_type *section)
{
	int64_t queue, count;

	if (!find_variable(&queue, btf, section, "runqueues") || !find_count(&count, btf, section))
		return (struct bpf_preempt){.known = false};
	return (struct bpf_preempt){.known = true, .from_queue = count - queue};
}

/* --- Finding the count ----------------------------------------------------------------------- */

/* Returns whether a thread refers to its queue; not without CONFIG_FAIR_GROUP_SCHED. */
static bool thread_knows_queue(const struct btf *btf)
{
	return member_of(btf, "task_struct", "se").type &&
	       member_of(btf, "sched_entity", "cfs_rq").type && member_of(btf, "cfs_rq", "rq").type;
}

struct bpf_preempt bpf_preempt_find(const struct btf *btf)
{
	struct member info = member_of(btf, "task_struct", "thread_info");
	struct bpf_preempt found = {.known = false};

	if (info.type && find_member(btf, info.type, "preempt_count", 0).type)
		return (struct bpf_preempt){.known = true};
	if (!thread_knows_queue(btf))
		return found;
	/* Sections are among the last types. */
	for (uint32_t i = btf__type_cnt(btf) - 1; !found.known && i > 0; i--) {
		const struct btf_type *type = btf__type_by_id(btf, i);

		if (btf_is_datasec(type))
			found = find_in_section(btf, type);
	}
	return found;
}

struct bpf_preempt bpf_preempt_of_kernel(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	struct bpf_preempt found = {.known = false};

	if (btf)
		found = bpf_preempt_find(btf);
	btf__free(btf);
	return found;
}
