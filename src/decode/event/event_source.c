/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/event/event_source.h"

#include <stdlib.h>

void target_info_release(struct target_info *target)
{
	free(target->roots);
	free(target->tids);
	free(target->hidden);
	free(target->command);
	free(target->kernel);
	free(target->cpu);
	*target = (struct target_info){.roots = NULL};
}

double target_steal_share(const struct target_info *target)
{
	if (!target || !target->has_busy || !target->busy_ns)
		return 0;
	return target->steal_ns < target->busy_ns
		       ? (double)target->steal_ns / (double)target->busy_ns
		       : 1;
}

bool target_kernel_is_before(const struct target_info *target, unsigned long major,
			     unsigned long minor)
{
	char *end = NULL;
	unsigned long own = target->kernel ? strtoul(target->kernel, &end, 10) : 0;
	unsigned long own_minor = end && *end == '.' ? strtoul(end + 1, NULL, 10) : 0;

	return own && (own < major || (own == major && own_minor < minor));
}

void event_source_free(struct event_source *source)
{
	if (!source)
		return;
	target_info_release(&source->target);
	counts_release(&source->counts);
	samples_release(&source->samples);
	chains_release(&source->chains);
	chains_release(&source->starts);
	blocks_release(&source->blocks);
	source->free(source);
}
