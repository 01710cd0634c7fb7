#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Blocks that take long because of what they are given to do are told from those that others are in
# the way of. What is asked for here is the same however busy the machine is.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

[ "$(uname -m)" = x86_64 ] || {
	echo 'functions are watched on x86-64 only'
	exit 77
}

expect 0 "$PSCAL" record -q --probe search_list,args=2 --probe copy_bytes --probe triangle \
	--probe take_turn --probe count_up -o calls.data "$WORKLOADS/dependent" 600

# holds WHAT FILTER: for the rows in rows.json.
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
	holds 'what is given decides' '
		map(select(.function | test("^(search_list|copy_bytes|triangle)$"))) |
		(map(.function) | unique | length) == 3 and
		all(.parameter_dependent and (.known_dependent | not) and
			(.dependences[0] | .spearman > 0.6 and .slope_s > 0) and
			.grouped_score <= .score)'
	# By its six values that is certain; of thousands others may be in the way by more than what is
	# given explains.
	holds 'what values explain is no loss' '
		map(select(.function == "triangle")) | length > 0 and all(.grouped_score < .score)'
	holds 'others are in the way' '
		map(select(.function | test("^(take_turn|count_up)$"))) |
		(map(.function) | unique | length) == 2 and
		all((.parameter_dependent | not) and .grouped_score == .score and
			(.dependences[0].spearman | fabs) < 0.3)'
	# Of six values each has its own fastest call, of thousands none has.
	holds 'values are grouped' '
		all(.dependences[0].by_value == (if .function == "triangle" then true
			elif .parameter_dependent then false else null end))'
done

# The same recording, read again with a row for each value: that explains what there was. A triangle of
# 300 more takes four times as long and more; beside others that keep the machine busy even the
# fastest call of one value may have been at half the speed of the fastest one of the next.
expect 0 "$PSCAL" rdam -q --baseline pooled --key triangle:arg1 --format json -o rows.json calls.data
holds 'a row for each value' '
	map(select(.first_function == "triangle")) |
	length == 6 and (map(.calls) | add) == 1200 and (map(.function) | sort) ==
		["triangle(arg1=100)", "triangle(arg1=200)", "triangle(arg1=300)",
		 "triangle(arg1=400)", "triangle(arg1=500)", "triangle(arg1=600)"] and
	all(.parameter_dependent | not) and
	(sort_by(.function) | map(.min_s) | .[0] < .[3] and .[1] < .[4] and .[2] < .[5])'
