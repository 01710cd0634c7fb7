#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The counts of each thread are those that the kernel reports to the thread itself, and one sentence
# reports an event that cannot be counted.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

# Each thread goes on for a while after it has read its counts: it prints them, and exits.
after=60

# within NUMBER LEAST MOST
within()
{
	[ "${1:-0}" -ge "$2" ] && [ "${1:-0}" -le "$3" ]
}

"$PSCAL" record -q -e page-faults,context-switches,task-clock -- "$WORKLOADS/faulting_threads" 8 \
	>usage || fail 'it could not be recorded'
"$PSCAL" profile --counters --format csv pscal.data >counted.csv || fail 'it could not be read'
"$PSCAL" profile --format json pscal.data >profile.json
[ "$(wc -l <usage)" -eq 8 ] || fail 'not all threads have printed their counts'
while read -r tid faults switches; do
	counted=$(awk -F , -v tid="$tid" '$1 == tid && $4 == "page-faults" { print $5 }' counted.csv)
	within "$counted" "$faults" $((faults + after)) ||
		fail "thread $tid: $counted page faults counted, of $faults"
	counted=$(awk -F , -v tid="$tid" '$1 == tid && $4 == "context-switches" { print $5 }' \
		counted.csv)
	seen=$(jq ".threads[] | select(.tid == $tid) | .switches" profile.json)
	within "$counted" "$switches" $((seen + 1)) ||
		fail "thread $tid: $counted switches counted, of $switches to $seen"
done <usage

# A thread was on a CPU for as long as its clock counted, except for the time that the kernel takes
# to switch.
jq -e '[.threads[] | {tid, running_s}] as $threads | [.counters[] | select(.counter == "task-clock")
	| . as $row | ($threads[] | select(.tid == $row.tid) | .running_s) as $running_s
	| ($row.value / 1e9 - $running_s) | select(fabs > 0.005)] == []' profile.json >/dev/null ||
	jq '.quality.missed_switch_ins > 0' profile.json | grep -q true ||
	fail "the clock of a thread differs from the time that it ran"

jq -e 'all(.counters[]; .counted_share == 1)' profile.json >/dev/null ||
	fail 'software events seem not to have counted all the time'

"$PSCAL" record -q -o tracepoint.data -e sched:sched_migrate_task,page-faults:u true
for file in pscal.data tracepoint.data; do
	perf report -i $file --stdio >/dev/null 2>&1 || fail "perf report cannot read $file"
done
"$PSCAL" profile -q --counters tracepoint.data | grep -q '^sched:sched_migrate_task ' ||
	fail 'a tracepoint is not counted'
perf report -i pscal.data -D 2>/dev/null | grep -a -q 'PERF_RECORD_READ.* page-faults ' ||
	fail 'perf does not know the counters'

# refused NAMES TEXT: one sentence with this text, and status 1.
refused()
{
	expect 1 "$PSCAL" record -q -o refused.data -e "$1" true 2>sentence
	[ "$(wc -l <sentence)" -eq 1 ] || fail "not one sentence: $(cat sentence)"
	grep -q "$2" sentence || fail "'$1' got the message: $(cat sentence)"
	[ ! -e refused.data ] || fail "'$1' leaves a file"
}
refused no-such-event 'neither libpfm4 nor the kernel knows this event'
refused page-fault 'did you mean page-faults?'
refused cycles:x 'after the colon may come u, k and h'
refused knc::VPU_DATA_READ 'PMU knc, which this machine does not have'
refused 'page-faults,{cs' 'is not a list of events'
# A known event that the PMU of this machine lacks, or a machine without a PMU.
if "$PSCAL" list -q cycles | grep -q '^cycles .* yes '; then
	many=$(yes r01c2 | head -n 64 | paste -s -d ,)
	refused "{$many}" 'cannot count so many at once'
else
	refused cycles 'this machine has no hardware counters'
fi

# ... which does not stop a recording with --counters-optional, or with the default events.
expect 0 "$PSCAL" record -q --counters-optional -e page-faults,knc::VPU_DATA_READ true
expect 0 "$PSCAL" record -q -e default true
"$PSCAL" profile --counters pscal.data | grep -q '^task-clock ' || fail 'the default events are not counted'
