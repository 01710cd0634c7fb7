#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The text of ftrace, in each layout that the kernel prints, agrees with a recording by perf of the
# same time.
# Runs alone: it traces the whole machine.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

need_perf

# Process numbers wrap around, so the smallest one may be that of a child.
# shellcheck disable=SC2016 # for the inner shell
as_root='echo $$ >root; exec "$0"'

for tracing in /sys/kernel/tracing /sys/kernel/debug/tracing; do
	[ -d "$tracing/instances" ] && break
done
ours=$tracing/instances/pscal-test-$$
mkdir "$ours" 2>/dev/null || {
	echo "no instance of ftrace can be made in $tracing"
	exit 77
}
# shellcheck disable=SC2317 # called by trap
clean_up()
{
	echo 0 >"$ours/tracing_on"
	rmdir "$ours"
}
trap clean_up EXIT

echo 16384 >"$ours/buffer_size_kb" || fail 'no buffer of 16 MB'
echo mono >"$ours/trace_clock" || fail 'no clock'
for event in switch waking wakeup_new process_fork process_exec process_exit stat_runtime; do
	echo 1 >"$ours/events/sched/sched_$event/enable" || fail "no sched_$event"
done
echo 1 >"$ours/options/record-tgid"
taskset -c 0 perf sched record -q -o perf.data sh -c "$as_root" "$WORKLOADS/phases" >cpu_times 2>/dev/null ||
	fail 'perf sched record failed'
echo 0 >"$ours/tracing_on"
root=$(cat root)

# near FILE: the levels agree with those of perf. Only before the start of perf, when there was one
# thread, may FILE have more.
near()
{
	join -t , perf.csv "$1" | awk -F , '
	$1 >= 1 {
		less = $2 - $4
		tolerance = 0.005 + 0.02 * $2
		if (less > tolerance || ($1 > 1 && -less > tolerance))
			bad = 1
		rows++
	}
	END { exit bad || rows < 2 }' || fail "$1: $(cat "$1") instead of $(cat perf.csv)"
}

"$PSCAL" profile --pid "$root" --format csv perf.data >perf.csv || fail 'no profile of perf.data'
cat "$ours/trace" >trace.txt
"$PSCAL" profile --pid "$root" --format csv trace.txt >trace.csv || fail 'trace cannot be read'
near trace.csv

# The text has the process of each thread.
"$PSCAL" profile --pid "$root" --format json trace.txt | jq -r '.threads[].pid' | sort -u >pids
[ "$(cat pids)" = "$root" ] || fail "processes: $(cat pids)"

for layout in record-tgid:0 irq-info:0; do
	echo "${layout#*:}" >"$ours/options/${layout%:*}"
	"$PSCAL" profile --pid "$root" --format csv <"$ours/trace" >other.csv
	cmp trace.csv other.csv || fail "with $layout: $(cat other.csv)"
done
echo 1 >"$ours/options/latency-format"
"$PSCAL" profile --pid "$root" --format csv <"$ours/trace" >latency.csv
near latency.csv
echo 0 >"$ours/options/latency-format"

# Reading trace_pipe removes the events from it.
dd if="$ours/trace_pipe" of=pipe.txt bs=64k iflag=nonblock 2>said
"$PSCAL" profile --pid "$root" --format csv pipe.txt >pipe.csv
cmp trace.csv pipe.csv || fail "from trace_pipe: $(cat pipe.csv)"

# A buffer that is too small: the loss is reported, and not filled in.
echo 4 >"$ours/buffer_size_kb"
echo 1 >"$ours/tracing_on"
runs=0
until grep -q '^overrun: [1-9]' "$ours"/per_cpu/cpu*/stats; do
	runs=$((runs + 1))
	[ $runs -lt 100 ] || fail 'the buffer does not fill'
	"$WORKLOADS/thread_generations" >/dev/null 2>&1
done
echo 0 >"$ours/tracing_on"
"$PSCAL" profile <"$ours/trace" >small.txt || fail 'a small buffer cannot be read'
grep -q 'records\{0,1\} w[a-z]* lost' small.txt || fail "nothing lost: $(cat small.txt)"

# A clock that does not count time is refused.
echo counter >"$ours/trace_clock"
echo 1 >"$ours/tracing_on"
sleep 0.1
echo 0 >"$ours/tracing_on"
"$PSCAL" profile <"$ours/trace" 2>said && fail 'a profile of a counter'
grep -q 'a clock that is not in seconds' said || fail "said: $(cat said)"
