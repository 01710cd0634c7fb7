#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Both collectors, and perf on their files, agree on a program that leaves the scheduler no choice:
# the same threads run in the same order, leave their CPU in the same state, and are woken in the
# same order. The program determines all that, except that a thread of higher priority may preempt
# it for a moment. So switches out of a thread that stays runnable are left out, and a thread that
# gets its CPU back is not counted again.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

need_perf
need_collector bpf
need_collector perf
turns=500
taskset -c 0 "$WORKLOADS/handover" 1 || {
	echo 'SCHED_FIFO is refused'
	exit 77
}

# sequences FILE: the events of the three threads, in lines "out NAME STATE", "in NAME" and "wake
# NAME", since the first of the two threads begins.
sequences()
{
	perf_script -i "$1" -F event,trace 2>/dev/null | sed 's/==>/ /' | awk '
		# The value of KEY=VALUE among the words; names here are single words.
		function value(key,    i)
		{
			for (i = 1; i <= NF; i++)
				if (index($i, key "=") == 1)
					return substr($i, length(key) + 2)
		}
		function ours(name) { return name ~ /^(handover|left|right)$/ }
		/sched_wakeup_new:/ && ours(value("comm")) { begun = 1 }
		!begun { next }
		/sched_switch:/ {
			out = value("prev_comm"); in_ = value("next_comm")
			if (ours(out) && value("prev_state") !~ /^R/)
				print "out", out, value("prev_state")
			if (ours(in_) && value("next_pid") != running)
				print "in", in_
			if (ours(in_))
				running = value("next_pid")
		}
		/sched_waking:/ && ours(value("comm")) { print "wake", value("comm") }'
}

for collector in bpf perf; do
	taskset -c 0 "$PSCAL" record -q --collector $collector -o $collector.data \
		"$WORKLOADS/handover" $turns || fail "$collector: the program failed"
	sequences $collector.data >$collector.txt
	for side in left right; do
		sleeps=$(grep -c "^out $side S\$" $collector.txt)
		[ "$sleeps" -eq $((turns - 1)) ] ||
			fail "$collector: $side sleeps $sleeps times, not $((turns - 1))"
		# One wakeup for each sleep: a thread whose turn has already come is not woken.
		wakes=$(grep -c "^wake $side\$" $collector.txt)
		[ "$wakes" -eq $((turns - 1)) ] ||
			fail "$collector: $side is woken $wakes times, not $((turns - 1))"
	done
done
cmp bpf.txt perf.txt || fail "they differ: $(diff bpf.txt perf.txt | head -n 20)"
