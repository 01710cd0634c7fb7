#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The parts of core time are the same by tasks and by samples, whether the program, libgomp or
# libomp reports the tasks. Both are of one recording and know the scheduler's events, so that this
# holds on a loaded machine. Only tasks know which work could run while threads slept: the sum of
# delay and no work is compared.
# Begins early: 16 recordings with all of their samples.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

# loss BY OPTIONS: prints the shares of work, overhead and the rest, in per mille, of the recording.
loss()
{
	expect 0 "$PSCAL" stretch -q "$@" --format json -o all.json same.data run.data
	jq -r '.core_time | (.cores * .wall_s) as $all |
		[.useful_work_s + .work_inflation_s, .overhead_s, (.run_queue_wait_s + .task_wait_s) + .idle_s] |
		map(1000 * . / $all | round) | @tsv' all.json
}

# The three shares of each add up to all, and differ by at most 3 points.
compared()
{
	loss --by task >tasks.txt
	loss --during tasks >samples.txt
	paste tasks.txt samples.txt | awk '
		function off(a, b) { return a - b > 30 || b - a > 30 }
		{ exit NF != 6 || $1 + $2 + $3 < 990 || off($1, $4) || off($2, $5) || off($3, $6) }' ||
		fail "$program $shape: by tasks $(cat tasks.txt), by samples $(cat samples.txt)"
}

while read -r program option; do
	[ -x "$WORKLOADS/$program" ] || {
		echo 'libomp-dev is not installed, which clang needs for OpenMP'
		exit 77
	}
	for shape in 'fib 12 800' 'sort 21 32' 'unequal 2 120000' 'serial 100 1200'; do
		# shellcheck disable=SC2086 # three words
		expect 0 "$PSCAL" record -q "$option" -F 2999 -o run.data "$WORKLOADS/$program" 2 $shape >printed
		cp run.data same.data
		compared
	done
done <<'END'
omp_loss_api --tasks
omp_loss_api_clang --tasks
omp_loss --tasks=omp
omp_loss_clang --tasks=omp
END
