#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Tasks touch fresh pages, sleep and move to another CPU a given number of times: their blocks have
# as many page faults, switches and migrations. Other programs may take their CPU away, but do not
# move them, as each thread is confined to one CPU.

# shellcheck disable=SC2016 # the $ are those of jq
set -u
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

tasks=5
each=7

# counted FILE COUNTER: prints the counts of the children, in order.
counted()
{
	expect 0 "$PSCAL" dag -q --format json -o dag.json "$1"
	jq -c --arg counter "$2" '[.nodes[] | select(.level == 1)] | sort_by(.begin_s) |
		map(.[$counter])' dag.json
}

expect 0 "$PSCAL" record -q --tasks=faults -o faults.data "$WORKLOADS/tasks_counts" faults $tasks $each
[ "$(counted faults.data faults)" = '[1,8,15,22,29]' ] || fail "faults: $(counted faults.data faults)"

expect 0 "$PSCAL" export -q --sqlite faults.db faults.data >tables
sqlite3 faults.db 'SELECT faults FROM by_subtree WHERE level = 1 ORDER BY task' >column
[ "$(xargs <column)" = '1 8 15 22 29' ] || fail "faults in the database: $(cat column)"

expect 0 "$PSCAL" record -q --tasks -o sleeps.data "$WORKLOADS/tasks_counts" sleeps $tasks $each
counted sleeps.data switches |
	jq -e '[., [1, 8, 15, 22, 29]] | transpose | all(.[0] >= .[1] and .[0] <= .[1] + 20)' >/dev/null ||
	fail "switches: $(counted sleeps.data switches)"
[ "$(counted sleeps.data faults)" = '[null,null,null,null,null]' ] ||
	fail "faults that were not recorded: $(counted sleeps.data faults)"

# If the kernel has hidden how the thread got its CPU, the count of its task is null: unknown. That
# is rare, and another recording has other gaps.
for _ in 1 2 3 4 5; do
	"$PSCAL" record -q --tasks -o moves.data "$WORKLOADS/tasks_counts" moves $tasks $each
	status=$?
	[ "$status" = 77 ] && break
	counted moves.data migrations | grep -q null || break
done
[ "$status" = 77 ] || [ "$(counted moves.data migrations)" = '[1,8,15,22,29]' ] ||
	fail "migrations: $(counted moves.data migrations)"

# The same with counters of the threads, and in the text of perf script.
expect 0 "$PSCAL" record -q --tasks=count=page-faults+context-switches+task-clock -o counted.data \
	"$WORKLOADS/tasks_counts" faults $tasks $each
[ "$(counted counted.data page-faults)" = '[1,8,15,22,29]' ] ||
	fail "page-faults: $(counted counted.data page-faults)"
expect 0 "$PSCAL" record -q --tasks=count=page-faults+context-switches+task-clock -o slept.data \
	"$WORKLOADS/tasks_counts" sleeps $tasks $each
[ "$(counted slept.data context-switches)" = "$(counted slept.data switches)" ] ||
	fail "switches: $(counted slept.data context-switches), and $(counted slept.data switches)"

# The thread cannot have had more time than its clock counted, which includes unknown time and
# interrupts.
jq -e '[.nodes[] | select(.level == 1)] | all(."task-clock_ns" > 0 and
		."task-clock_ns" / 1e9 < 2e-5 + .work_s * 1.3)' \
	dag.json >/dev/null || fail "CPU time: $(jq -c '[.nodes[] | [.work_s, ."task-clock_ns"]]' dag.json)"

# In the database, and as text.
expect 0 "$PSCAL" export -q --sqlite counted.db counted.data >tables
sqlite3 counted.db 'SELECT sum("page-faults") FROM interval WHERE level = 1' >column
[ "$(cat column)" = 75 ] || fail "page faults in the database: $(cat column)"
! command -v perf >/dev/null || {
	perf script -i counted.data --ns 2>/dev/null >counted.txt
	[ "$(counted counted.txt page-faults)" = '[1,8,15,22,29]' ] ||
		fail "page-faults in text: $(counted counted.txt page-faults)"
}
exit 0
