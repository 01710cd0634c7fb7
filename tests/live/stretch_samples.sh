#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Work that takes 1.5 times as long with two threads is found in its function, and the parts of core
# time add up. The conditions hold on a loaded machine, too.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

# In ten parts, so that a short load of other programs delays all functions.
# shellcheck disable=SC2016 # for the inner shell
for threads in 1 2; do
	expect 0 "$PSCAL" record -q -F 997 -e page-faults -o "$threads.data" \
		sh -c 'for part in 1 2 3 4 5 6 7 8 9 10; do "$0" "$@"; done' \
		"$WORKLOADS/stretched" $threads 5 20 20 50 10 0.2 >said.txt
done

# holds CONDITION FILTER: it is true for all.json.
holds()
{
	jq -e "$2" all.json >/dev/null || fail "$1: $(cat all.json)"
}

for by in function line path; do
	expect 0 "$PSCAL" stretch -q --by $by --format json -o all.json 1.data 2.data
	holds "$by: the five parts add up" '
		.core_time | (.useful_work_s + .work_inflation_s + .overhead_s + (.run_queue_wait_s + .task_wait_s) + .idle_s) /
			(.cores * .wall_s) | . > 0.99 and . < 1.01'
	holds "$by: blocks add up to all work" '
		([.rows[].serial_s] | add) / .core_time.useful_work_s - 1 | fabs < 0.001'
	holds "$by: computing is work" '
		all(.recordings[]; .overhead_s + .waiting_s < 0.1 * .cpu_s and .samples > 100)'
done

# The clock of a loaded machine differs from run to run, but by less between functions.
expect 0 "$PSCAL" stretch -q --format json -o all.json 1.data 2.data
# shellcheck disable=SC2016 # the $ are those of jq
holds 'one function has work inflation, in its file' '
	def block($name): .rows[] | select(.function == $name);
	(block("work_longer") | .parallel_s / .serial_s) /
		(block("work_equally") | .parallel_s / .serial_s) | . > 1.2 and . < 1.9'
holds 'functions have their lines' '
	[.rows[] | select(.function == "work_longer") | .file, .line] |
	(.[0] | test("stretched.c$")) and .[1] > 10'
holds 'pages are counted on both sides' '
	.counters | map(select(.counter == "page-faults"))[0] | .serial > 0 and .parallel > 0'

# Parts of the time add up to the whole.
expect 0 "$PSCAL" stretch -q --intervals 20 --format json -o all.json 1.data 2.data
# shellcheck disable=SC2016 # the $ are those of jq
holds 'parts of the time add up' '
	.core_time as $all | (.core_time_intervals | length) == 20 and
	(([.core_time_intervals[].wall_s] | add) / $all.wall_s - 1 | fabs < 0.001) and
	all(.core_time_intervals[]; (.useful_work_s + .work_inflation_s + .overhead_s + (.run_queue_wait_s + .task_wait_s) + .idle_s) /
		($all.cores * .wall_s) - 1 | fabs < 0.01)'

# A program that has been replaced in between may have other code.
cp "$WORKLOADS/stretched" program
expect 0 "$PSCAL" record -q -F 997 -o before.data ./program 1 50 20 20 5 10 2 >said.txt
cp program again && mv again program
expect 0 "$PSCAL" record -q -F 997 -o after.data ./program 2 50 20 20 5 10 2 >said.txt
expect 0 "$PSCAL" stretch before.data after.data >said.txt
tr '\n' ' ' <said.txt | tr -s ' ' | grep -q 'program differs between before.data and after.data: functions' ||
	fail "said: $(cat said.txt)"
expect 0 "$PSCAL" stretch --format json -o all.json before.data after.data
holds 'a file has changed' '[.recordings[].changed_files] == [0, 1]'

# Another program shares no function with it, and a recording without samples shares none with any.
expect 0 "$PSCAL" record -q -F 997 -o other.data "$WORKLOADS/spinner" 1 400 >said.txt
expect 1 "$PSCAL" stretch 1.data other.data 2>said.txt
grep -q 'different programs' said.txt || fail "said: $(cat said.txt)"
expect 0 "$PSCAL" record -q -o without.data true
expect 1 "$PSCAL" stretch 1.data without.data 2>said.txt
grep -q "without.data: has no samples of the code.*record -F 997" said.txt || fail "said: $(cat said.txt)"
