#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Compares a what-if with a program in which the function is really twice as fast: the stage of a
# pipeline, and a function under a lock. The truth is the replay of the faster program, so that both
# forecasts are from one run each; both are divided by their wall time on one core, which is their CPU
# time. The slow stage is the first row of --why.
# Begins early: 12 recordings, and 12 forecasts.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

"$PSCAL" record -q -o probe.data true 2>refusal || {
	cat refusal
	exit 77
}

# With the usual priority Linux leaves CPUs idle beside ready threads, by chance for up to a fifth of
# the time, which is in both forecasts for two cores.
realtime=
! chrt -r 1 true 2>/dev/null || realtime="chrt -r 1"

# record FILE OPTIONS ARGUMENTS: records stages.
record()
{
	# shellcheck disable=SC2086 # several words
	"$PSCAL" record -q -F 999 -g $2 -o "$1" -- $realtime "$WORKLOADS/stages" $3 2>said || fail "$3: $(cat said)"
}

# errors MODE OPTIONS FUNCTION N UNITS: prints the errors of the what-if on 2 and 4 cores, of three
# runs.
errors()
{
	for _ in 1 2 3; do
		record whole.data "$2" "$1 $4 100 $5"
		record half.data "$2" "$1 $4 50 $5"
		"$PSCAL" forecast -n 1,2,4 --what-if "$3=50%" --json whole.data >what_if.json || fail "$1: what-if"
		"$PSCAL" forecast -n 1,2,4 --json half.data >half.json || fail "$1: forecast"
		jq -n -c --slurpfile told what_if.json --slurpfile half half.json '
			def shares: [.[0].forecast[].wall_s] | . as $walls | map(. / $walls[0]);
			[$told, $half] | map(shares) | transpose | map(.[0] / .[1] - 1)'
	done
}

# agrees ...: the median error is small on both numbers of cores.
agrees()
{
	errors "$@" >errors.json
	jq -s -e 'length == 3 and ([transpose[] | sort[1] | fabs] | length == 3 and max < 0.05)' errors.json >/dev/null ||
		fail "$1, $2: $(cat errors.json)"
}

agrees pipeline '' compress_block 300 1
"$PSCAL" forecast -n 4 --why --json whole.data | jq -e '.why.sites[0] |
	.name == "compress_block" and .kind == "work" and .path_s > 0.6 * .wall_s' >/dev/null ||
	fail "not the first row: $("$PSCAL" forecast -n 4 --why whole.data)"
agrees lock --sync=all update_table 300 1
