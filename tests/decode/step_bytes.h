/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of steps of tasks, in a perfdata_bytes that is `with_tasks`. */
#ifndef PSCAL_TESTS_DECODE_STEP_BYTES_H
#define PSCAL_TESTS_DECODE_STEP_BYTES_H

#include "decode/perfdata_bytes.h"

struct step_bytes {
	int32_t site, step;
	uint64_t task, value;
	uint32_t index;
};

/* A step of a task in the thread. */
static inline void add_step(struct perfdata_bytes *file, uint64_t time_ns, int32_t cpu, int32_t tid,
			    const struct step_bytes *step)
{
	struct bytes body = {0}, payload = {0};

	put_head(&body, time_ns, cpu, tid, SWITCH_ID + (uint64_t)cpu);
	put_chain(&body, file, tid);
	put_pair(&payload, 803, tid);
	put_pair(&payload, step->site, step->step);
	put_u64(&payload, step->task);
	put_u64(&payload, step->value);
	put_u32(&payload, step->index);
	put_raw(&body, &payload);
	add_record(file, PERF_RECORD_SAMPLE, 0, &body);
}

#endif
