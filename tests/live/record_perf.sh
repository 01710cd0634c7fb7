#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# perf reads recordings of pscal.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"
need_perf

expect 0 "$PSCAL" record -q -o tree.data "$WORKLOADS/thread_generations" 2 3

expect 0 perf script -i tree.data --show-task-events >script.txt 2>said.txt
[ ! -s said.txt ] || fail "perf script: $(cat said.txt)"
root=$(fact tree.data root)
grep -q "sched:sched_process_fork: .* child_pid=$root\( .*\)\?\$" script.txt || fail "no birth of the command"
grep -q "sched:sched_process_exit: .* pid=$root " script.txt || fail "no end of the command"
# The last switch-out of the command: the recording does not stop before that.
grep -q "sched:sched_switch: .* prev_pid=$root .* prev_state=[XZ] " script.txt || fail "no last switch"
grep -q '^ *thread_generati' script.txt || fail "names are not resolved"

awk '{ for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+\.[0-9]+:$/) { t = $i + 0; break } }
     t < last { exit 1 } { last = t }' script.txt || fail "perf script does not sort the recording"

expect 0 perf report -i tree.data --stdio >report.txt 2>/dev/null
grep -q "of event 'sched:sched_switch'" report.txt || fail "perf report shows no switches"
expect 0 perf sched timehist -i tree.data >timehist.txt 2>/dev/null
grep -q 'thread_generati' timehist.txt || fail "perf sched timehist does not show the command"
expect 0 perf sched timehist -s -i tree.data >summary.txt 2>/dev/null
grep -q 'Total number of context switches: [1-9]' summary.txt || fail "timehist -s counts nothing"
expect 0 perf evlist -v -i tree.data >evlist.txt
[ "$(grep -c '^sched:' evlist.txt)" -eq 5 ] || fail "events: $(cat evlist.txt)"
expect 0 perf report --header-only -i tree.data >header.txt
grep -q '^# perf version : pscal ' header.txt || fail "header: $(cat header.txt)"
grep -q '^# clockid: monotonic' header.txt || fail "the clock is not in the header"
