#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Tasks, as programs mark them with pscal/task.h: each step once, as perf script prints them, in an
# order that the program allows; and compilers accept the header without a warning.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"
need_perf

header=${0%/*}/../../src/probe

# steps FILE: "TID TIME STEP TASK VALUE INDEX", by time.
steps()
{
	perf_script -i "$1" -F tid,time,event,trace --ns 2>/dev/null | awk '
	$3 == "pscal:task:" && $4 ~ /^site=/ && sub(/^step=/, "", $(NF - 3)) && sub(/^task=/, "", $(NF - 2)) &&
		sub(/^value=/, "", $(NF - 1)) && sub(/^index=/, "", $NF) && sub(/:$/, "", $2) {
		print $1, $2, $(NF - 3), $(NF - 2), $(NF - 1), $NF
	}'
}

# exactly FILE "COUNT STEP"...: these numbers of steps of each kind, and no other steps.
exactly()
{
	file=$1
	shift
	steps "$file" >seen
	awk '{ print $3 }' seen | sort | uniq -c | awk '{ print $1, $2 }' | sort >counts
	printf '%s\n' "$@" | sort >wanted
	cmp -s counts wanted || fail "$file: not $(cat wanted) but $(cat counts)"
	[ "$(fact "$file" blocks_lost)" = 0 ] || fail "blocks_lost $(fact "$file" blocks_lost)"
}

# The steps of a task are in sequence on the thread that runs it, and its children begin after it
# has spawned them. For the file `seen`.
in_order()
{
	awk '
	function wrong(why) { print why ": " $0; failed = 1; exit 1 }
	$2 < time[$1] { wrong("back in time") }
	{ time[$1] = $2 }
	$3 == "begin" {
		if ($4 in open)
			wrong("begins twice")
		if ($5 && !($5 in open))
			wrong("its parent has not begun")
		if ($5 && (($5, $6) in child))
			wrong("the index is used twice")
		if ($5 && !(($5, $6) in spawned) && (open[$5] != 1 || where[$5] != $1))
			wrong("neither spawned nor in place")
		child[$5, $6] = open[$4] = 1
		where[$4] = $1
		next
	}
	!($4 in open) || open[$4] == 3 { wrong("of a task that is not") }
	$3 == "sync_of" { if (open[$4] != 1) wrong("in no block"); next }
	$3 == "spawn" { spawned[$4, $6] = 1 }
	$3 ~ /^(spawned|synced|resume)$/ {
		if (open[$4] != 2)
			wrong("goes on without a stop")
		if ($3 != after[last[$4]])
			wrong("goes on after another stop")
		open[$4] = 1
		where[$4] = $1
		next
	}
	open[$4] != 1 || where[$4] != $1 { wrong("stops where it does not run") }
	{
		open[$4] = $3 == "end" ? 3 : 2
		last[$4] = $3
	}
	BEGIN {
		after["spawn"] = "spawned"; after["sync"] = "synced"
		after["pause"] = after["barrier"] = "resume"
	}
	END {
		for (task in open)
			if (!failed && open[task] != 3) { print "task " task " does not end"; exit 1 }
	}' seen >order || fail "$1: $(cat order)"
}

# Fibonacci: of 2 F(N + 1) - 1 tasks, half spawn, call in place, and wait.
expect 0 "$PSCAL" record --tasks -o fib.data "$WORKLOADS/tasks_fib" 4 18 2>said >printed
[ "$(cat printed)" = 2584 ] || fail "the program has printed: $(cat printed)"
exactly fib.data '8361 begin' '8361 end' '4180 spawn' '4180 spawned' '4180 sync' '4180 synced'
in_order fib
grep -q 'tasks: 33 442 steps of [1-4] threads*, 0 lost' said || fail "said: $(cat said)"
grep -q "[1-9][0-9]* ns a task" said || fail "said: $(cat said)"
fact fib.data task_cost_ns | awk '{ exit !($1 > 0 && $1 < 1000) }' ||
	fail "task_cost_ns $(fact fib.data task_cost_ns)"
cost=$(fact fib.data task_cost_ns)
expect 0 "$PSCAL" profile --format json fib.data >report.json
jq -e --argjson cost "$cost" '.overhead | .steps == 33442 and (.step_cost_s * 2e9 / $cost - 1 | fabs < 1e-6) and
	.added_s >= .steps * .step_cost_s' report.json >/dev/null || fail "overhead: $(jq -c .overhead report.json)"
"$PSCAL" profile -v fib.data | grep -q '^Cost of recording 33442 steps of tasks: ' ||
	fail "no cost: $("$PSCAL" profile fib.data)"
perf_script -i fib.data -F trace 2>/dev/null |
	grep -q '^ *site=fib .*tasks_fib.c:[0-9]* step=begin task=[0-9]* value=[1-9][0-9]* index=1$' ||
	fail "no place: $(perf script -i fib.data | grep pscal:task | tail -n 3)"

# Certainly on four threads, with steps of all kinds.
expect 0 "$PSCAL" record -q --tasks -o barrier.data "$WORKLOADS/tasks_shapes" 4 barrier 50
exactly barrier.data '5 begin' '5 end' '4 spawn' '4 spawned' '1 sync' '1 synced' \
	'200 pause' '200 barrier' '400 resume'
in_order barrier
[ "$(awk '{ print $1 }' seen | sort -u | wc -l)" -eq 4 ] || fail 'not four threads'
expect 0 "$PSCAL" record -q --tasks -o figure5.data "$WORKLOADS/tasks_figure5" 4
exactly figure5.data '6 begin' '6 end' '5 spawn' '5 spawned' '4 sync_of' '3 sync' '3 synced'
in_order figure5
[ "$(awk '$3 == "sync_of" || $3 == "sync" { printf "%s%s ", $3, $3 == "sync_of" ? $6 : "" }' seen)" = \
	'sync_of0 sync_of1 sync sync_of2 sync_of4 sync sync ' ] || fail "figure 5: $(cat seen)"

# More children than a byte counts, each with an index of its own; children that no task waits for;
# and a tree of any depth.
expect 0 "$PSCAL" record -q --tasks -o wide.data "$WORKLOADS/tasks_shapes" 4 wide 70000
exactly wide.data '70001 begin' '70001 end' '70000 spawn' '70000 spawned' '1 sync' '1 synced'
in_order wide
seq 0 69999 >numbers
awk '$3 == "begin" && $5 { print $6 }' seen | sort -n | cmp -s - numbers ||
	fail 'indices are not 0 to 69999'
expect 0 "$PSCAL" record -q --tasks -o unsynced.data "$WORKLOADS/tasks_shapes" 4 unsynced 300
exactly unsynced.data '301 begin' '301 end' '300 spawn' '300 spawned'
in_order unsynced
expect 0 "$PSCAL" record -q --tasks -o deep.data "$WORKLOADS/tasks_shapes" 4 deep 10000
exactly deep.data '10001 begin' '10001 end' '10000 spawn' '10000 spawned' '10000 sync' \
	'10000 synced'
in_order deep
[ "$(awk '$3 == "begin" { depth[$4] = depth[$5] + 1 } END { print depth[$4] }' seen)" = 1 ] ||
	fail 'the root does not end last'
[ "$(awk '$3 == "begin" { depth[$4] = depth[$5] + 1; if (depth[$4] > most) most = depth[$4] }
	END { print most }' seen)" = 10001 ] || fail 'not 10001 deep'
expect 0 "$PSCAL" record -q --tasks -o deep2.data "$WORKLOADS/tasks_shapes" 1 deep 10000
expect 0 "$PSCAL" dag --max-nodes 0 --format json deep.data >dag.json
jq -e '[.tasks, .levels, .never_run, .never_ended, .never_synced, .events_lost, .contradictions] ==
	[10001, 10001, 0, 0, 0, 0, 0] and .span_s > 0' dag.json >/dev/null || fail "dag: $(head -c 600 dag.json)"
expect 0 "$PSCAL" stretch --by level --format json deep2.data deep.data >stretch.json
jq -e '(.rows | length) == 10001 and (.recordings | all(.tasks == 10001 and .never_synced == 0)) and
	(.core_time | ((.useful_work_s + .work_inflation_s + .overhead_s + (.run_queue_wait_s + .task_wait_s) + .idle_s) /
	(.cores * .wall_s) - 1 | fabs < 1e-6))' stretch.json >/dev/null ||
	fail "stretch: $(jq -c '.core_time, .recordings' stretch.json)"
expect 0 "$PSCAL" export -q --sqlite deep.db deep.data >said
[ "$(sqlite3 deep.db 'SELECT max(level), count(*) FROM task')" = '10000|10001' ] || fail "export: $(cat said)"

# The child processes of a fork continue with tasks of their parent, and number their own tasks.
expect 0 "$PSCAL" record -q --tasks -o forked.data "$WORKLOADS/tasks_shapes" 1 forked 20
exactly forked.data '21 begin' '21 end' '20 spawn' '20 spawned'
[ "$(awk '$3 == "begin" && $5 && $4 != $5 { print $1 }' seen | sort -u | wc -l)" -eq 20 ] ||
	fail "not 20 processes: $(cat seen)"
[ "$(awk '$3 == "begin" { print $5 }' seen | sort -u | wc -l)" -eq 2 ] || fail "another parent"

# Beside functions, and uncompressed.
if [ "$(uname -m)" = x86_64 ]; then
	expect 0 "$PSCAL" record --tasks --probe run_fib -z0 -o both.data \
		"$WORKLOADS/tasks_fib" 2 12 2>said >printed
	exactly both.data '465 begin' '465 end' '232 spawn' '232 spawned' '232 sync' '232 synced'
	in_order both
	[ "$(perf_script -i both.data -F event,trace 2>/dev/null |
		grep -c 'pscal:enter: *block=run_fib')" -eq 232 ] || fail 'not 232 calls'
	grep -q 'functions: 464 events .*, 1 858 steps of tasks; ' said || fail "said: $(cat said)"
fi

# All written lines are read without a malformed one, also as text.
"$PSCAL" profile --format json figure5.data >report.json || fail 'it cannot be read'
! grep -q '"malformed": *[1-9]' report.json || fail "malformed: $(cat report.json)"
perf_script -i figure5.data -F comm,pid,tid,cpu,time,event,trace --ns 2>/dev/null |
	"$PSCAL" profile --format json >report.json || fail 'its text cannot be read'
! grep -q '"malformed": *[1-9]' report.json || fail "malformed: $(cat report.json)"

# A program without tasks, and one that is stopped with tasks that have not ended.
expect 0 "$PSCAL" record --tasks -o none.data true 2>said
grep -q -- '--tasks: nothing was recorded: the command marks no task' said || fail "said: $(cat said)"
"$PSCAL" record -q --tasks -o killed.data sh -c \
	"'$WORKLOADS/tasks_fib' 1 40 1000000 & echo \$! >fib; wait \$!" &
recorder=$!
wait_for 60 test -s fib
wait_for 60 blocks_began $recorder
runs_on "$(cat fib)" 20
kill "$(cat fib)"
expect 143 wait $recorder
steps killed.data >seen
[ "$(awk '$3 == "begin"' seen | wc -l)" -gt "$(awk '$3 == "end"' seen | wc -l)" ] ||
	fail "killed: $(tail -n 3 seen)"

# Recording does not kill a program that restricts its system calls.
mkdir pscal && cp "$header/probe.h" "$header/task.h" pscal
cat >confined.c <<'END'
#define _GNU_SOURCE
#include <pscal/task.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void)
{
	PSCAL_TASK_BEGIN(task, PSCAL_NO_TASK, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
		return 1;
	PSCAL_TASK_END(task);
	syscall(SYS_exit, 3);
	return 2;
}
END
cc -I. -o confined confined.c || fail 'it cannot be compiled'
expect 3 "$PSCAL" record -q --tasks -o confined.data ./confined
steps confined.data >seen
[ "$(awk '{ print $3 }' seen)" = begin ] || fail "confined: $(cat seen)"

# The header, in all languages and ways of linking, with and without the library.
cat >told.c <<'END'
#include <pscal/task.h>
#include <stdio.h>
int main(void)
{
	PSCAL_TASK_BEGIN(task, PSCAL_NO_TASK, 1);
	PSCAL_SPAWN(task, 2);
	PSCAL_SPAWNED(task);
	PSCAL_SYNC_OF(task, 2);
	PSCAL_SYNC(task);
	PSCAL_SYNCED(task);
	PSCAL_SYNC_ALL(task);
	PSCAL_SYNCED(task);
	PSCAL_PAUSE(task);
	PSCAL_RESUME(task);
	PSCAL_BARRIER(task);
	PSCAL_RESUME(task);
	PSCAL_TASK_END(task);
	puts(task == PSCAL_NO_TASK ? "alone" : "watched");
	return 0;
}
END
cp told.c told.cc
while read -r compiler standard linked; do
	command -v "$compiler" >/dev/null || continue
	case $compiler in
	*++) source=told.cc ;;
	*) source=told.c ;;
	esac
	# shellcheck disable=SC2086 # options
	"$compiler" -std=$standard $linked -O2 -Wall -Wextra -pedantic -Wshadow -Wconversion -Werror \
		-I. -o told $source 2>refusal || fail "$compiler $standard $linked: $(cat refusal)"
	[ "$(./told)" = alone ] || fail "$compiler $standard $linked: not alone"
	[ "$("$PSCAL" record -q --tasks -o told.data ./told)" = watched ] ||
		fail "$compiler $standard $linked: not watched"
done <<'END'
gcc c99 -fPIE -pie
gcc c11 -fno-pic -no-pie
g++ c++11 -fPIE -pie
g++ c++20 -fno-pic -no-pie
clang c99 -fPIE -pie
clang c11 -fno-pic -no-pie
clang++ c++11 -fPIE -pie
clang++ c++20 -fno-pic -no-pie
END
exactly told.data '1 begin' '1 end' '1 spawn' '1 spawned' '1 sync_of' '2 sync' '2 synced' \
	'1 pause' '2 resume' '1 barrier'
