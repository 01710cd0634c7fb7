#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A process whose first thread has ended is recorded to its end: its other threads, their children,
# and the process after one of them has called exec.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"
need_perf

calls=20
program=$WORKLOADS/heirs

# exactly CASE WANT GOT
exactly()
{
	[ "$3" -eq "$2" ] || fail "$collector: $3 $1, not $2"
}

for collector in perf bpf; do
	"$PSCAL" record -q --collector $collector -o probe.data true 2>refusal || {
		echo "$collector: $(cat refusal)"
		continue
	}
	expect 0 "$PSCAL" record -q --collector $collector --uprobe "$program:heirs_call" \
		-e task-clock -o all.data "$program" $calls
	perf script -D -i all.data 2>/dev/null | grep 'PERF_RECORD_' >dump.txt
	perf_script -i all.data -F trace:event 2>/dev/null >events.txt
	exactly enters $((6 * calls)) "$(grep -c 'pscal_enter:heirs_call' events.txt)"
	exactly leaves $((6 * calls)) "$(grep -c 'pscal_leave:heirs_call' events.txt)"
	exactly 'threads with counters' $((3 + 2 * calls)) \
		"$(sed -n 's/.*READ: \(.*\) task-clock .*/\1/p' dump.txt | sort -u | wc -l)"
	exactly births $((3 + 2 * calls)) \
		"$(sed -n 's/.*RECORD_FORK(\([0-9:]*\)).*/\1/p' dump.txt | sort -u | wc -l)"
	"$PSCAL" profile -q --format json all.data >profile.json
	exactly threads $((3 + 2 * calls)) \
		"$(jq '[.threads[].tid] | unique | length' profile.json)"
done
