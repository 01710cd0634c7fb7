#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A program with known levels, on one CPU and on all; time that cannot be known is unknown, and all
# levels add up to the wall time.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

# levels FILE: prints "T_0 T_1 T_3 OTHER UNKNOWN WALL" in seconds.
levels()
{
	"$PSCAL" profile --format json "$1" |
		jq -r '[(.levels | map({key: "\(.ready)", value: .wall_s}) | from_entries) as $t
			| $t["0"], $t["1"], $t["3"] // 0,
			  ([.levels[] | select(.ready == 2 or .ready > 3) | .wall_s] | add),
			  .unknown_s, .wall_s] | join(" ")'
}

# A real-time priority, so that other programs do not delay its begins and ends.
first=
! chrt -f 1 true 2>refusal || first='chrt -f 1'

# On one CPU: 0.1, 0.2 and 0.3 s, and a few milliseconds. Some virtual machines hide the end of the
# sleep: then it is counted, and its time is unknown.
before=$(stolen)
# shellcheck disable=SC2086 # words
expect 0 $first taskset -c 0 "$PSCAL" record -q "$WORKLOADS/phases" >cpu_times
late=$(stolen_since "$before")
levels pscal.data >got
hidden=$("$PSCAL" profile --format json pscal.data |
	jq '.quality | .missed_switch_ins + .missed_switch_outs + .missed_wakes')
awk -v s="$late" -v hidden="$hidden" '{ slept = $1 + (hidden ? $5 : 0)
	exit !(slept > 0.07 - s && slept < 0.15 + s && $2 > 0.19 && $2 < 0.25 + s &&
	$3 > 0.27 - s && $3 < 0.33 + s && $4 < 0.05 + s && (hidden || $5 < 0.02 + s)) }' got ||
	fail "one CPU: T_0 T_1 T_3 other unknown wall: $(cat got)"

# A command that restricts its own CPUs could use only those.
expect 0 "$PSCAL" record -q taskset -c 0 "$WORKLOADS/phases" 20 >/dev/null
cores=$("$PSCAL" profile --format json pscal.data | jq .cores)
[ "$cores" -eq 1 ] || fail "$cores cores for a command under taskset -c 0"

# On all CPUs: the same, less the unknown time.
before=$(stolen)
# shellcheck disable=SC2086 # words
expect 0 $first "$PSCAL" record -q "$WORKLOADS/phases" >cpu_times
late=$(stolen_since "$before")
levels pscal.data >got
awk -v s="$late" '{ exit !($1 + $5 > 0.07 - s && $2 + $5 > 0.19 && $3 + $5 > 0.27 - s &&
	$1 < 0.15 + s && $2 < 0.25 + s && $3 < 0.33 + s && $4 < 0.05 + s) }' got ||
	fail "all CPUs: T_0 T_1 T_3 other unknown wall: $(cat got)"

# The running time is the time that the kernel accounts, less the unknown and the stolen time.
"$PSCAL" profile --format json pscal.data |
	jq -r '.threads[] | [.tid, .running_s, .unknown_s] | join(" ")' | sort >recorded
sort cpu_times | join - recorded >both
[ "$(wc -l <both)" -eq 3 ] || fail "3 threads, but: $(cat cpu_times recorded)"
awk -v s="$late" '$3 > 1.05 * $2 + 0.02 + s || $3 + $4 < 0.95 * $2 - 0.02 { print "tid", $1, "cpu", $2, \
	"running", $3, "unknown", $4; bad = 1 } END { exit bad }' both || fail "running time is off"
