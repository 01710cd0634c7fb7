/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What calls cost a thread of this process: before they are recorded, and while they are. */
#ifndef PSCAL_COLLECT_CALLS_CALL_COST_H
#define PSCAL_COLLECT_CALLS_CALL_COST_H

/* CPU time of each of so many calls that `calls` makes. Calls it 16 times. */
double call_cost_measure(void (*calls)(int count), int count);

/* What recording adds to each. What is less than 50 ns may be chance: 0. */
double call_cost_added(double bare_ns, double watched_ns);

#endif
