#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Both collectors record the functions in which threads wait, by calls and by switches; names of
# functions do not change a forecast.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

# largest FILE KIND: prints the call chain of the site of this kind with the longest waits.
largest()
{
	"$PSCAL" forecast -q --recorded-cores 2 -n 2 --model replay --why --format json "$1" 2>why |
		jq -r --arg kind "$2" '[.why.sites[] | select(.kind == $kind)] |
			max_by(.waited_s) | .chain // ["nothing"] | join(" < ")'
}

# is FILE KIND
is()
{
	got=$(largest "$1" "$2")
	[ "$got" = 'wide_lock < through < work' ] || fail "$1: $2 is in $got: $(cat why)"
}

# forecast FILE [OPTION]: prints the forecast without the sites.
forecast()
{
	"$PSCAL" forecast -q --recorded-cores 2 -n 1,2,4 --model replay --format json "$@" | jq -S 'del(.why, .verdict)'
}

# holds FILE: the program sleeps for 180 ms with one lock held, which no number of cores shortens. A
# part of that may be missing on a loaded machine.
holds()
{
	least=$(forecast "$1" | jq '[.forecast[].wall_s] | min')
	awk -v least="$least" 'BEGIN { exit !(least >= 0.17) }' ||
		fail "$1: $least s are forecast, but it sleeps for at least 0.18 s with a lock held"
}

for collector in perf bpf; do
	"$PSCAL" record -q --collector $collector -o probe.data true 2>refusal || {
		echo "$collector: $(cat refusal)"
		continue
	}
	expect 0 "$PSCAL" record -q --collector $collector --off-cpu -o off.data \
		"$WORKLOADS/two_locks" 3 60
	case $collector in
	bpf) is off.data futex ;;
	*) is off.data threads ;;
	esac
	is off.data sleep
	expect 0 "$PSCAL" record -q --collector $collector --sync=all --call-graph fp -o all.data \
		"$WORKLOADS/two_locks" 3 60
	# If a replay with calls does not reproduce the measured time, as many calls were lost,
	# only names are left.
	if [ "$(largest all.data lock)" = nothing ]; then
		is all.data futex
	else
		is all.data lock
		holds all.data
	fi
	is all.data sleep
	for file in off.data all.data; do
		forecast $file >plain
		forecast $file --why >named
		cmp plain named || fail "$collector, $file: the forecast differs"
	done
done
