#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Threads that wait in loops and threads that work in loops: their samples agree with their own
# measurements.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

expect 0 "$PSCAL" record -q -F 1997 -o spin.data "$WORKLOADS/waiting_threads" 20 >truth.txt
expect 0 "$PSCAL" profile -q --format json -o spin.json spin.data

# found NAME KEY: prints a value of a thread in the profile.
found()
{
	jq -r --arg name "$1" ".threads[] | select(.comm == \$name) | .$2" spin.json
}

# Within four standard errors, which chance exceeds in one case of 16000, and a hundredth for
# samples that interrupts delay.
while read -r name loop_s work_s; do
	case $name in
	paused | plain) loops=$loop_s ;;
	*) loops=0 ;; # "yield" waits in a function that it calls
	esac
	awk -v found="$(found "$name" spin_share)" -v error="$(found "$name" spin_error_share)" \
		-v samples="$(found "$name" samples)" -v unknown="$(found "$name" unknown_code_share)" \
		-v loops="$loops" -v all="$(echo "$loop_s $work_s" | awk '{ print $1 + $2 }')" 'BEGIN {
		off = found - loops / all
		exit !(samples > 100 && unknown < 0.02 && off * off <= (4 * error + 0.01) ^ 2)
	}' || fail "$name: spins for $loops of $loop_s + $work_s s, found $(found "$name" spin_share) \
+- $(found "$name" spin_error_share) of $(found "$name" samples) samples"
done <truth.txt
[ "$(wc -l <truth.txt)" -eq 5 ] || fail "the workload printed $(cat truth.txt)"

# The text has a line about it, and two columns.
expect 0 "$PSCAL" profile spin.data >spin.txt
grep -q '^! [1-9].* of the CPU time is busy-waiting' spin.txt || fail "no line: $(cat spin.txt)"

# Without samples the text has no such line.
expect 0 "$PSCAL" record -q -o none.data true
expect 0 "$PSCAL" profile -q --format json -o none.json none.data
jq -e '.samples == 0 and .spin_share == null and .spin_error_share == null and
	.unknown_code_share == null and .threads[0].spin_share == null' none.json >/dev/null ||
	fail "without samples: $(cat none.json)"
expect 0 "$PSCAL" profile none.data >none.txt
grep -qi spin none.txt && fail "without samples: $(cat none.txt)"

# The program file was removed: its code is unknown, and the text reports that.
cp "$WORKLOADS/waiting_threads" gone
expect 0 "$PSCAL" record -q -F 1997 -o gone.data ./gone 3 >/dev/null
rm gone
expect 0 "$PSCAL" profile -q --format json -o gone.json gone.data
jq -e '.spin_share < 0.01 and .unknown_code_share > 0.7' gone.json >/dev/null ||
	fail "gone: $(cat gone.json)"
