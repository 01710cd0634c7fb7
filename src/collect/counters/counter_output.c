/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/counters/counter_output.h"

#include "base/alloc.h"
#include "collect/recording/record.h"

#include <stdlib.h>
#include <time.h>

void counter_output_init(struct counter_output *output, const struct counter_choice *choice)
{
	*output = (struct counter_output){
		.events = xcalloc(choice->count, sizeof(*output->events)),
		.attrs = xcalloc(choice->count, sizeof(*output->attrs)),
		.ids = xcalloc(choice->count, sizeof(*output->ids)),
		.count = choice->count,
	};
	for (size_t i = 0; i < choice->count; i++) {
		struct perf_event_attr *attr = &output->attrs[i];

		*attr = choice->counters[i].attr;
		if (attr->type == PERF_TYPE_TRACEPOINT) /* perf would want the layout of samples */
			*attr = (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE,
							 .config = PERF_COUNT_SW_DUMMY};
		attr->size = sizeof(*attr);
		/* perf prints no recording that has events without addresses, dummies aside. */
		attr->sample_type = RECORD_SAMPLE_TYPE | PERF_SAMPLE_IP;
		attr->read_format = RECORD_READ_FORMAT;
		attr->inherit = attr->inherit_stat = 1; /* perf looks for PERF_RECORD_READ then */
		attr->sample_id_all = 1;
		attr->use_clockid = 1;
		attr->clockid = CLOCK_MONOTONIC;
		output->ids[i] = RECORD_COUNTER_ID + i;
		output->events[i] =
			(struct perfdata_event){choice->counters[i].name, attr, &output->ids[i], 1};
	}
}

void counter_output_release(struct counter_output *output)
{
	free(output->events);
	free(output->attrs);
	free(output->ids);
	*output = (struct counter_output){0};
}

void counter_output_write(const struct counter_output *output, struct recording *recording,
			  const struct record_place *where, const struct perf_count *counts)
{
	for (size_t i = 0; i < output->count; i++) {
		struct record_place place = *where;

		place.id = output->ids[i];
		record_read(recording, &place, counts[i].value, counts[i].enabled_ns,
			    counts[i].running_ns);
	}
}
