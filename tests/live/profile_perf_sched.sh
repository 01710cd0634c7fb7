#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# For a recording by perf, file and text agree, and the running time is that of sched_stat_runtime.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

need_perf

# The recording is of the whole machine, where other tests run the same workload: its name is its own.
cp "$WORKLOADS/phases" ./phases_of_perf || exit 1

# Process numbers wrap around, so the smallest one may be that of a child.
# shellcheck disable=SC2016 # for the inner shell
as_root='echo $$ >root; exec ./phases_of_perf'

# File and text agree on a whole recording, so if perf lost records it records again.
for _ in 1 2 3 4 5; do
	before=$(stolen)
	perf sched record -q -m 4096 -o perf.data sh -c "$as_root" >cpu_times 2>/dev/null ||
		fail 'perf sched record failed'
	late=$(stolen_since "$before")
	perf script --ns --show-lost-events -i perf.data >trace.txt 2>/dev/null
	grep -q PERF_RECORD_LOST trace.txt || break
done
root=$(cat root)
"$PSCAL" profile --pid "$root" --format csv perf.data >file.csv || fail 'the file cannot be read'
"$PSCAL" profile --pid "$root" --format csv trace.txt >text.csv || fail 'the text cannot be read'
cmp file.csv text.csv || fail "file and text differ: $(diff file.csv text.csv)"

"$PSCAL" profile --pid "$root" --format json perf.data |
	jq -r '.threads[] | [.tid, .running_s, .unknown_s] | join(" ")' | sort >recorded
[ "$(wc -l <recorded)" -eq 3 ] || fail "3 threads, but: $(cat recorded)"
sed -n 's/.*sched_stat_runtime:.* pid=\([0-9]*\) runtime=\([0-9]*\).*/\1 \2/p' trace.txt |
	awk '{ ns[$1] += $2 } END { for (tid in ns) print tid, ns[tid] / 1e9 }' | sort |
	join - recorded >both
[ "$(wc -l <both)" -eq 3 ] || fail "accounted to 3 threads, but: $(cat both)"
# Within the time of interrupts and the hypervisor, which the kernel does not account to a thread.
awk -v s="$late" '$3 > 1.05 * $2 + 0.005 + s || $3 + $4 < 0.95 * $2 - 0.005 { print "tid", $1, "accounted", $2, \
	"running", $3, "unknown", $4; bad = 1 } END { exit bad }' both || fail "running time is off"

# Selected by name, and by thread: the same threads.
"$PSCAL" profile --comm phases_of_perf --format json perf.data | jq -r '.threads[].tid' | sort >by_name
cut -d ' ' -f 1 recorded | cmp - by_name || fail "by name: $(cat by_name)"
"$PSCAL" profile --tid "$root" --format json perf.data | jq -r '.threads[].tid' >by_tid
[ "$(cat by_tid)" = "$root" ] || fail "by tid: $(cat by_tid)"

# perf record with switches alone: no wakeups, but running threads are seen.
perf record -q -a -e sched:sched_switch -o perf.data sh -c "$as_root" >cpu_times 2>/dev/null
root=$(cat root)
"$PSCAL" profile --pid "$root" --format json perf.data | jq -e '.threads | length == 3' >/dev/null ||
	fail 'sched_switch alone: not 3 threads'

# A recording without switches leads to a message with the command that records some.
perf record -q -e cpu-clock -o perf.data true 2>/dev/null
"$PSCAL" profile perf.data 2>said && fail 'no scheduling events, but a profile'
grep -q "holds no scheduling events; record some with 'pscal record'" said || fail "said: $(cat said)"
