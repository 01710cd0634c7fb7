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
