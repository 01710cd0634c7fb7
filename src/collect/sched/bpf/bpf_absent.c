/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replaces bpf_collector.c if pscal is built with BPF=0. */
#include "collect/sched/bpf/bpf_collector.h"

#include "base/err.h"

struct collector *bpf_collector_open(const struct collector_options *options, struct err *err)
{
	(void)options;
	err_set(err, "this pscal was built without the bpf collector (BPF=0)");
	return NULL;
}
