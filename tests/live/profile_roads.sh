#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The file of a recording and the text that perf prints of it have the same levels, also if only
# PERF_RECORD_SWITCH shows switches that the kernel hides.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

need_perf

# same CASE: the levels of pscal.data and of its text, in both layouts, are equal.
same()
{
	root=$(fact pscal.data root)
	forget_exec pscal.data
	"$PSCAL" profile --format csv pscal.data >file.csv || fail "$1: the file cannot be read"
	perf script --ns --show-switch-events -i pscal.data 2>/dev/null >trace.txt
	"$PSCAL" profile --pid "$root" --format csv <trace.txt >text.csv || fail "$1: its text cannot be read"
	cmp file.csv text.csv || fail "$1: $(diff file.csv text.csv)"
	perf_script --ns --show-switch-events -F comm,pid,tid,cpu,time,event,trace -i pscal.data \
		2>/dev/null |
		"$PSCAL" profile --pid "$root" --format csv >fields.csv
	cmp file.csv fields.csv || fail "$1, -F: $(diff file.csv fields.csv)"
}

expect 0 "$PSCAL" record -q "$WORKLOADS/phases" 20 >/dev/null
same 'threads that compute and sleep'
expect 0 "$PSCAL" record -q "$WORKLOADS/thread_generations" >/dev/null
same 'threads that create threads'
# shellcheck disable=SC2016 # for the inner shell
expect 0 "$PSCAL" record -q sh -c 'for i in 1 2 3; do (seq 20000 | sort -n | wc -l) & done; wait' \
	>/dev/null
same 'processes and pipes'
expect 0 "$PSCAL" record -q pigz -p 3 -c "$PSCAL" >/dev/null
same 'a compressor'
