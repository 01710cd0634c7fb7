/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What it costs a thread that a function is probed: measured on functions of this process that do
 * nothing, probed as the target's are.
 */
#ifndef PSCAL_COLLECT_CALLS_UPROBE_COST_H
#define PSCAL_COLLECT_CALLS_UPROBE_COST_H

#include <stdint.h>

/* By what stands at the place of the probe, see probe_place.h. */
enum uprobe_cost_kind { UPROBE_STEPPED, UPROBE_CHEAP, UPROBE_COSTS };

/*
 * Where the function of this kind stands in the file that this process runs, which has this path.
 * 0: it is not known.
 */
#define UPROBE_COST_FILE "/proc/self/exe"
uint64_t uprobe_cost_place(enum uprobe_cost_kind kind);

/* CPU time of a call, with what its return takes. Takes 2 ms, and 20 where they are probed. */
struct uprobe_cost {
	double ns[UPROBE_COSTS];
};
void uprobe_cost_measure(struct uprobe_cost *cost);

/* What probes add to each; 0: less than can be measured. */
void uprobe_cost_added(struct uprobe_cost *cost, const struct uprobe_cost *bare,
		       const struct uprobe_cost *watched);

#endif
