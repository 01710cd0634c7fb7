/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The collector of scheduler events by BPF programs in the kernel (sched.bpf.c), which follow the
 * target themselves and write compact records into memory shared with the recorder; see
 * bpf_record.h.
 */
#ifndef PSCAL_COLLECT_SCHED_BPF_BPF_COLLECTOR_H
#define PSCAL_COLLECT_SCHED_BPF_BPF_COLLECTOR_H

#include "collect/recording/collector.h"

/*
 * Loads the programs, off. NULL with an error, always so in a pscal that was built without them.
 * Thread ids are those of the kernel: not for a caller in a pid namespace.
 */
struct collector *bpf_collector_open(const struct collector_options *options, struct err *err);

#endif
