#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Samples of running threads, and the mappings by which perf finds their functions.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"
need_perf

# samples FILE: prints the thread of each sample of a clock, then its functions, a line each.
samples()
{
	perf script -i "$1" 2>/dev/null | awk '
		/ (cycles|cpu-clock): *$/ { print $2 ":"; chain = 1; next }
		NF < 2 { chain = 0 }
		chain { sub(/\+0x.*/, "", $2); print $2 }'
}

# tops FILE: the innermost function of each sample.
tops()
{
	samples "$1" | awk '/:$/ { top = 1; next } top { print; top = 0 }'
}

# enough FILE CPU_S: about 997 samples per second of CPU time, most of them in the hot function. A
# hypervisor that takes the CPU away takes ticks with it.
enough()
{
	count=$(tops "$1" | grep -c .)
	hot=$(tops "$1" | grep -c '^hot_function$')
	awk -v count="$count" -v hot="$hot" -v want="$2" 'BEGIN {
		want *= 997
		exit !(count > want / 4 && count < want * 1.5 + 10 && hot > count / 2)
	}' || fail "$1: $count samples, $hot of them in hot_function, in $2 s of CPU time"
}

# A command, by frame pointers.
expect 0 "$PSCAL" record -q -F 997 -o fp.data "$WORKLOADS/hot_function" 500 >cpu_s
enough fp.data "$(cat cpu_s)"
samples fp.data | grep ':$' | grep -qvx "$(fact fp.data root):" && fail "samples of other programs"

# The profile ignores the samples.
expect 0 "$PSCAL" profile -q --format json -o profile.json fp.data
jq -e --argjson cpu_s "$(cat cpu_s)" '(.threads | length) == 1 and .ready_max == 1 and
	.wall_s >= $cpu_s' profile.json >/dev/null || fail "profile: $(cat profile.json)"
expect 0 perf report -i fp.data --stdio --no-children >report.txt 2>/dev/null
grep -q 'hot_function *\[\.\] hot_function' report.txt || fail "perf report: $(cat report.txt)"

# Without samples: only mappings, for the stacks of threads that leave their CPU.
expect 0 "$PSCAL" record -q --off-cpu -o maps.data "$WORKLOADS/hot_function" 10 >/dev/null
[ "$(tops maps.data | wc -l)" -eq 0 ] || fail "samples without -F"
perf script -i maps.data --show-mmap-events 2>/dev/null >maps.txt
grep -q 'PERF_RECORD_MMAP2.* r-xp .*/hot_function$' maps.txt || fail "maps: $(cat maps.txt)"

# The time off the CPU as hotspot computes it: a record marks each sched_switch away from a thread
# of the target; then the thread comes back, or has ended.
for collector in bpf perf; do
	expect 0 "$PSCAL" record -q --collector $collector --off-cpu -o off.data \
		"$WORKLOADS/handover" 20 >/dev/null
	perf_script -i off.data --show-switch-events -F pid,tid,time,event 2>/dev/null |
		awk -v root="$(fact off.data root)" '
		$1 !~ "^" root "/" { next }
		/sched:sched_switch/ { left++; last = $1 $2 }
		/PERF_RECORD_SWITCH OUT/ { wrong += off[$1]++ || $1 $2 != last; out++ }
		/PERF_RECORD_SWITCH IN/ { off[$1] = 0; back++ }
		END { exit !(left > 30 && left == out && !wrong && back > left / 2) }' ||
		fail "$collector: switches of the target are not recorded on both sides"
done
expect 0 "$PSCAL" record -q -o plain.data "$WORKLOADS/handover" 20 >/dev/null
perf script -i plain.data --show-switch-events 2>/dev/null | grep -q 'RECORD_SWITCH ' &&
	fail "both sides of switches, without --off-cpu"

# The stack, for readers to unwind; 8 KiB a sample. Some versions of perf cannot.
expect 0 "$PSCAL" record -q -F 997 --call-graph dwarf,4096 -o dwarf.data \
	"$WORKLOADS/hot_function" 200 >cpu_s
enough dwarf.data "$(cat cpu_s)"
[ "$(stat -c %s dwarf.data)" -gt $((4096 * $(tops dwarf.data | wc -l))) ] || fail "no stacks"
if perf version --build-options 2>/dev/null | grep -Eq '(libunwind|libdw-dwarf-unwind): *\[ *on'; then
	samples dwarf.data | grep -q 'calls_it$' || fail "not unwound: $(samples dwarf.data | tail)"
fi

# A running process: its earlier mappings have names as well.
"$WORKLOADS/hot_function" 1000000 >/dev/null &
hot=$!
wait_for 60 grep -q hot_function "/proc/$hot/comm"
begin_recording -q -F 997 -p "$hot" -o attach.data
runs_on "$hot" 20
# shellcheck disable=SC2154 # begin_recording sets it
kill -INT "$recorder"
expect 0 wait "$recorder"
kill "$hot"
tops attach.data | grep -q '^hot_function$' || fail "attached: $(samples attach.data)"

# A wrong option gets one sentence.
for wrong in '-F 0' '-F 4294967295' '-F 97 --call-graph lbr' '-F 97 --call-graph dwarf,7'; do
	# shellcheck disable=SC2086 # words
	expect 2 "$PSCAL" record -q $wrong -o no.data true 2>said
	grep -q '^pscal record: -' said || fail "$wrong: said $(cat said)"
done
