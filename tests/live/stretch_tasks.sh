#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Trees of tasks with a known shape, reported by the program and by two runtime libraries: each task
# and block is in the graph, the critical path is possible, and the parts of core time add up. The
# conditions hold on a loaded machine, too.
# Begins early: 56 recordings.

# shellcheck disable=SC2016 # the $ are those of jq
set -u
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

# hold FILES [CONDITION FILTER]...: they are true for each of the files, of the program under test. To
# start jq takes most of the time of a filter, so there is one for all.
hold()
{
	files=$1 filters=empty
	shift
	while [ $# -gt 0 ]; do
		filters="$filters, if [$2] == [true] then empty else \"$1\" end"
		shift 2
	done
	# shellcheck disable=SC2086 # several files
	wrong=$(jq -r --argjson level "$level" --argjson tasks "$tasks" \
		"$filters | \"\(input_filename): \(.)\"" $files 2>&1) ||
		wrong="$wrong in $filters"
	# shellcheck disable=SC2086
	[ -z "$wrong" ] || fail "$program $shape: $wrong: $(head -c 2000 $files)"
}

# recorded: records with one thread and with two; sets `tasks` to the known number of tasks.
recorded()
{
	for threads in 1 2; do
		# shellcheck disable=SC2086 # three words
		expect 0 "$PSCAL" record -q "$option" -o "$threads.data" "$WORKLOADS/$program" \
			$threads $shape >printed
	done
	# The library has a root of its own, and a task for each thread, instead of the root of the
	# program.
	tasks=$(sed -n 's/.* \([0-9]*\) tasks$/\1/p' printed)
	[ "$option" = --tasks ] || tasks=$((tasks + 2))
}

# tree [CONDITION FILTER]...: these and the conditions of every tree are true for its graph.
tree()
{
	expect 0 "$PSCAL" dag -q --max-nodes 0 --format json -o all.json 2.data
	hold all.json 'each task is there, has ended, and except for the root was waited for' '
		.tasks == $tasks and .never_begun == 0 and .never_ended == 0 and
		.never_synced <= 1 and .orphans == 0 and .contradictions == 0' \
		'the critical path is a part of the work, and consists of work of nodes' '
		.span_s > 0 and .span_s <= .work_s * 1.000001 and
		(([.nodes[].critical_s] | add) / .span_s - 1 | fabs < 1e-6) and
		(([.nodes[].work_s] | add) / .work_s - 1 | fabs < 1e-6)' "$@"
}

# The tasks of the program itself begin at `level`.
fib()
{
	shape='fib 10 20'
	recorded
	tree 'fib(10) is 10 levels of 177 tasks: 88 of four blocks, 89 of one' '
		.levels == $level + 10 and
		([.nodes[] | select(.level >= $level) | .tasks] | add) == 177 and
		([.nodes[] | select(.level >= $level) | .segments] | add) == 88 * 4 + 89' \
		'each task that waits is two nodes' '
		[.nodes[] | select(.level >= $level and .kind == "section")] | length == 177 + 88' \
		'the critical path leads down to the end of the recursion, or nearly' '
		[.nodes[] | select(.critical) | .level] | max >= $level + 4'
}

# The first child has half of the work, or all of it if it is the only one.
unequal()
{
	shape='unequal 2 20000'
	recorded
	tree 'two children cannot keep more than two cores busy' '
		.parallelism > 1 and .parallelism < 2.01'
	shape='serial 1 20000'
	recorded
	tree 'one child after the work of its parent is a chain' '.parallelism < 1.1'
}

others()
{
	for shape in 'queens 6 1' 'sort 16 1' 'matmul 7 4' 'fine 2000 1'; do
		recorded
		tree
		compared
	done
}

compared()
{
	for by in segment task level subtree; do
		expect 0 "$PSCAL" stretch -q --by $by --format json -o $by.json 1.data 2.data
	done
	hold 'segment.json task.json level.json subtree.json' 'the five parts add up' '
		.core_time | .cores >= 1 and ((.useful_work_s + .work_inflation_s + .overhead_s + (.run_queue_wait_s + .task_wait_s) +
			.idle_s) / (.cores * .wall_s) - 1 | fabs < 1e-6) and
			.task_wait_s >= 0' \
		'blocks add up to all work' '
		([.rows[].serial_s | values] | add) / .core_time.useful_work_s - 1 | fabs < 1e-6'
	# With one thread libomp runs spawned tasks at once, in blocks of their parents.
	[ "$program" != omp_loss_clang ] || return 0
	hold level.json 'levels have as many blocks in parallel as in serial' '
		[.rows[] | select(.level >= $level)] |
		length > 0 and all(.[]; .times == .serial_times)'
}

while read -r program option level; do
	[ -x "$WORKLOADS/$program" ] || {
		echo 'libomp-dev is not installed, which clang needs for OpenMP'
		exit 77
	}
	fib
	compared
	unequal
	others
done <<'END'
omp_loss_api --tasks 1
omp_loss_api_clang --tasks 1
omp_loss --tasks=omp 2
omp_loss_clang --tasks=omp 2
END
