#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A thread other than the first of its process calls exec: it continues with the number of the
# first, and all of its states are known.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

for collector in bpf perf; do
	need_collector $collector
	expect 0 "$PSCAL" record -q --collector $collector "$WORKLOADS/exec_by_thread"
	"$PSCAL" profile --format json >profile.json 2>said
	jq -e '.unknown_s == 0 and (.threads | length) == 3' profile.json >/dev/null ||
		fail "$collector: $(jq -c '[.unknown_s, .threads]' profile.json)"
	jq -e '[.threads[] | select(.comm == "sleep")] | length == 1 and .[0].tid == .[0].pid and
		.[0].sleeping_s >= 0.05' profile.json >/dev/null ||
		fail "$collector: $(jq -c .threads profile.json)"
done
