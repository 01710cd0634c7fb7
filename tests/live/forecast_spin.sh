#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Threads that spin are work in a replay or waiting: what they have measured of themselves says how
# much of it.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

expect 0 "$PSCAL" record -q -F 1997 -o spin.data "$WORKLOADS/waiting_threads" 20 >truth.txt
spun=$(awk '$1 == "paused" || $1 == "plain" { spun += $2 } { all += $2 + $3 }
	END { print spun / all }' truth.txt)

for kind in work waiting; do
	expect 0 "$PSCAL" forecast -q --model replay -n 1 --spin $kind --format json -o $kind.json \
		spin.data
	jq -e --arg kind $kind --argjson spun "$spun" '.spin == $kind and
		(.spin_share - $spun | fabs) < 0.06' $kind.json >/dev/null ||
		fail "$kind: $spun is spun, found $(jq -c '[.spin, .spin_share]' $kind.json)"
done

# What is waiting needs no core, and what is work does. How much of a wall time that is depends on
# who else used the machine meanwhile: where others did, waits last for as long as that.
jq -se --argjson spun "$spun" '(.[1].forecast[0].work_bound_s / .[0].forecast[0].work_bound_s
	- (1 - $spun) | fabs) < 0.06' work.json waiting.json >/dev/null ||
	fail "$spun is spun; CPU time $(jq -c '.forecast[0].work_bound_s' work.json waiting.json)"
jq -se '([.[0].checks[] | select(.check == "alone").passed] == [false]) or
	.[1].forecast[0].wall_s < .[0].forecast[0].wall_s' work.json waiting.json >/dev/null ||
	fail "one core: $(jq -c '.forecast[0].wall_s' work.json waiting.json)"

# The condition that a replay takes for granted.
jq -se '[.[].checks[] | select(.check == "spinning").passed] == [false, true]' \
	work.json waiting.json >/dev/null || fail "conditions: $(jq -c .checks work.json)"
expect 0 "$PSCAL" forecast --model replay --spin waiting spin.data >spin.txt
grep -q 'Busy-waiting takes [1-9]' spin.txt || fail "no note: $(cat spin.txt)"

# Without samples nothing is known, and nothing changes.
expect 0 "$PSCAL" record -q -o none.data "$WORKLOADS/waiting_threads" 3 >/dev/null
for kind in work waiting; do
	expect 0 "$PSCAL" forecast -q --model replay --spin $kind --format csv none.data |
		cut -d, -f2 >$kind.csv
done
cmp work.csv waiting.csv || fail "without samples: $(diff work.csv waiting.csv)"
expect 0 "$PSCAL" forecast --model replay --spin waiting none.data >none.txt
grep -q 'waiting changes nothing: no samples' none.txt || fail "without samples: $(cat none.txt)"
