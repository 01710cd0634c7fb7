#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs whose begin the kernel hides: the running times from each collector and from `perf sched
# record` agree with the kernel's accounts, and little time is unknown.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

need_perf

# agrees FILE: its running times are those in cpu_times, and little is unknown; stolen() printed
# `before` at the start.
agrees()
{
	late=$(stolen_since "$before")
	sort cpu_times >accounted
	[ "$(wc -l <accounted)" -eq 3 ] || fail "$1: 3 threads, but: $(cat accounted)"
	"$PSCAL" profile --comm naps --format json "$1" >profile.json || fail "$1 cannot be read"
	jq -r '.threads[] | [.tid, .running_s, .unknown_s, .sleeping_s] | join(" ")' profile.json | sort |
		join accounted - >both
	[ "$(wc -l <both)" -eq 3 ] || fail "$1: accounted to 3 threads, but: $(cat both)"

	# tid, accounted, running, unknown, sleeping. A thread may have run during unknown time; it
	# never runs longer than accounted, within the time of interrupts and the hypervisor.
	awk -v s="$late" '$3 > 1.02 * $2 + 0.002 + s || $3 + $4 < 0.98 * $2 - 0.002 ||
		$4 > 0.25 * ($2 + $5) + s || $5 < 0.75 * 0.3 - $4 {
		print "accounted", $2, "running", $3, "unknown", $4, "sleeping", $5; bad = 1
	} END { exit bad }' both || fail "$1: running time is off: $(cat both)"
}

for collector in bpf perf; do
	"$PSCAL" record -q --collector $collector -o probe.data true 2>refusal || {
		cat refusal
		continue
	}
	before=$(stolen)
	expect 0 "$PSCAL" record -q --collector $collector -o $collector.data \
		"$WORKLOADS/naps" 3 150 >cpu_times
	agrees $collector.data
done

before=$(stolen)
perf sched record -q -o perf.data "$WORKLOADS/naps" 3 150 >cpu_times 2>/dev/null ||
	fail 'perf sched record failed'
agrees perf.data
perf script --ns -i perf.data >trace.txt 2>/dev/null

# The list has as many cases as the count.
for format in perf.data trace.txt; do
	"$PSCAL" timeline --audit --comm naps --format json "$format" >audit.json ||
		fail "$format cannot be audited"
	jq -e '.quality as $q | ["witnessed_switch_ins", "missed_switch_ins", "repaired_wakes"] |
		all(. as $k | ($q[$k] > 1000) or
			($q[$k] == ([$a[0].audit[] | select(.case == $k)] | length)))' \
		--slurpfile a audit.json audit.json >/dev/null || fail "$format: audit and quality differ"
done
