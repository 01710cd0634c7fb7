#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# No thread of the target leaves a CPU that the recording shows as idle: the switch to it is
# recorded, also if the kernel hides from perf how a CPU leaves its idle task. Such a CPU hides
# almost all of these switches. Other CPUs hide one in some hundreds, which a recording cannot
# avoid, so each CPU has three attempts. Switches of other programs may be missing.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

need_perf

cpus=$(taskset -cp $$ | sed 's/.*: //' | tr , '\n' |
	awk -F - '{ for (cpu = $1; cpu <= ($2 == "" ? $1 : $2); cpu++) print cpu }')

# has_all_switches CPU: prints the missing switches, if there are any.
has_all_switches()
{
	expect 0 taskset -c "$1" "$PSCAL" record -q \
		sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.03; done'
	perf_script --ns --show-switch-events -F tid,cpu,time,event,trace -i pscal.data \
		>trace.txt 2>/dev/null
	awk -v root="$(fact pscal.data root)" -v cpu="$1" '
	function number(key) {
		match($0, key "=[0-9]+")
		return substr($0, RSTART + length(key) + 1, RLENGTH - length(key) - 1) + 0
	}
	BEGIN { is_target[root + 0] = 1 }
	/ sched:sched_process_fork: / && is_target[number(" pid")] { is_target[number("child_pid")] = 1 }
	substr($2, 2) + 0 != cpu { next }
	/ sched:sched_switch: / {
		switches++
		if (is_target[number("prev_pid")] && runs == 0 && switches > 1) {
			print "hidden before: " $0
			bad = 1
		}
		runs = number("next_pid")
	}
	/ PERF_RECORD_SWITCH_CPU_WIDE IN / { runs = $1 }
	END { exit bad || !switches }' trace.txt
}

for cpu in $cpus; do
	has_all_switches "$cpu" || has_all_switches "$cpu" || has_all_switches "$cpu" ||
		fail "CPU $cpu; reported as hiding switches: '$(fact pscal.data hidden)'"
done

# The CPUs that hide switches are a list.
fact pscal.data hidden | grep -Evq '^[0-9]+([-,][0-9]+)*$' && fail "hidden '$(fact pscal.data hidden)'"
exit 0
