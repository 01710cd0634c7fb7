#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Attaching to a running program: all of its threads are in the profile, asleep all the time.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

mkfifo ready
"$WORKLOADS/sleeping_threads" 200 >ready &
target=$!
trap 'kill $target 2>/dev/null' EXIT
read -r _ <ready

expect 0 "$PSCAL" record -q -p "$target" --duration 200ms
"$PSCAL" profile --format json pscal.data >profile.json || fail 'no profile'
jq -e ".targets == [$target]" profile.json >/dev/null || fail "targets $(jq .targets profile.json)"
jq -e '.threads | length == 201' profile.json >/dev/null ||
	fail "$(jq '.threads | length' profile.json) of 201 threads"
jq -e 'all(.threads[]; .sleeping_s > 0.15 and .unknown_s == 0)' profile.json >/dev/null ||
	fail "not all asleep: $(jq -c '.threads[] | select(.sleeping_s <= 0.15)' profile.json)"
jq -e '.unknown_s == 0 and .ready_max <= 1' profile.json >/dev/null ||
	fail "levels: $(jq -c '[.unknown_s, .levels]' profile.json)"
