#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Calls that take long because of their arguments are distinguished from those that other threads
# delay. These conditions hold on a loaded machine, too.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

[ "$(uname -m)" = x86_64 ] || {
	echo 'functions are recorded on x86-64 only'
	exit 77
}

expect 0 "$PSCAL" record -q --probe search_list,args=2 --probe copy_bytes --probe triangle \
	--probe take_turn --probe count_up -o calls.data "$WORKLOADS/dependent" 600

# holds CONDITION FILTER: it is true for the rows in rows.json.
holds()
{
	jq -e ".functions | ($2)" rows.json >/dev/null || fail "$1: $(cat rows.json)"
}

for min in thread pooled; do
	expect 0 "$PSCAL" rdam -q --baseline $min --format json -o rows.json calls.data
	holds 'all calls are there' \
		'[.[].calls] | add == 6000'
	holds 'one argument has been tested: the other one is an address' \
		'all([.dependences[].on] == ["arg1"])'
	holds 'the argument determines the time' '
		map(select(.function | test("^(search_list|copy_bytes|triangle)$"))) |
		(map(.function) | unique | length) == 3 and
		all(.parameter_dependent and (.known_dependent | not) and
			(.dependences[0] | .spearman > 0.6 and .slope_s > 0) and
			.grouped_score <= .score)'
	# Six values make that certain; for thousands of values, other threads may cause more delay
	# than the values explain.
	holds 'time that values explain is no loss' '
		map(select(.function == "triangle")) | length > 0 and all(.grouped_score < .score)'
	holds 'other threads cause delay' '
		map(select(.function | test("^(take_turn|count_up)$"))) |
		(map(.function) | unique | length) == 2 and
		all((.parameter_dependent | not) and .grouped_score == .score and
			(.dependences[0].spearman | fabs) < 0.3)'
	# Each of six values has its own fastest call; of thousands of values, none has.
	holds 'values are grouped' '
		all(.dependences[0].by_value == (if .function == "triangle" then true
			elif .parameter_dependent then false else null end))'
done

# The same recording, with a row for each value, which explains the differences. A triangle of 300
# more takes at least four times as long; on a loaded machine, even the fastest call for one value
# may have run at half the speed of the fastest one for the next value.
# fastest call of one value may have been at half the speed of the fastest one of the next.
expect 0 "$PSCAL" rdam -q --baseline pooled --key triangle:arg1 --format json -o rows.json calls.data
holds 'a row for each value' '
	map(select(.first_function == "triangle")) |
	length == 6 and (map(.calls) | add) == 1200 and (map(.function) | sort) ==
		["triangle(arg1=100)", "triangle(arg1=200)", "triangle(arg1=300)",
		 "triangle(arg1=400)", "triangle(arg1=500)", "triangle(arg1=600)"] and
	all(.parameter_dependent | not) and
	(sort_by(.function) | map(.min_s) | .[0] < .[3] and .[1] < .[4] and .[2] < .[5])'
