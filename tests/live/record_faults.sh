#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Page faults are recorded beside functions, and what they cost is told from what else a function
# does on a CPU; what it waits for one is the machine's. The share that is asked for is lower than
# what holds where nothing else is to be done (make rdam-truth).
# Runs alone: where another recorder watches page faults, the kernel mixes up whose they are.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

[ "$(uname -m)" = x86_64 ] || {
	echo 'functions are watched on x86-64 only'
	exit 77
}

# The block computes for 1 ms, and touches 200 pages, which are not there in 7 rounds of 8.
rounds=80
expect 0 "$PSCAL" record -q --probe block_of_faults -o faults.data \
	"$WORKLOADS/interference" faults 0 $rounds
expect 0 "$PSCAL" record -q --probe block_of_faults,faults=no -o without.data \
	"$WORKLOADS/interference" faults 0 $rounds

# causes FILE: how often the block ran, what it has lost on CPUs by itself, and by page faults.
causes()
{
	"$PSCAL" rdam -q --baseline pooled --format json "$1" |
		jq -r '.functions[] | "\(.calls) \(.causes.on_cpu_s) \(.causes.page_faults_s)"'
}

causes faults.data >found
read -r occurrences on_cpu_s faults_s <found
[ "$occurrences" = $rounds ] || fail "$occurrences occurrences instead of $rounds"
awk -v other="$on_cpu_s" -v faults="$faults_s" 'BEGIN { exit !(faults > other) }' ||
	fail "$faults_s s of page faults, and $on_cpu_s s of what else there is on a CPU"

causes without.data >found
read -r occurrences on_cpu_s faults_s <found
[ "$faults_s" = null ] || fail "page faults that were not recorded took $faults_s s"

# 70 rounds in which 200 pages are to be brought. Others see them, too: as what they are.
! command -v perf >/dev/null || {
	perf script -i faults.data -F comm,event 2>/dev/null | grep -c 'interference.*minor-faults' >count
	[ "$(cat count)" -ge 14000 ] || fail "perf sees $(cat count) page faults instead of 14000"
	perf script -i without.data -F event 2>/dev/null | grep -q faults && fail 'there are page faults'

	# From when another recorder watches them, they have its numbers and its times.
	expect 0 "$PSCAL" record --uprobe "$WORKLOADS/interference:block_of_faults" -o beside.data \
		perf record -q -a -e page-faults -o other.data "$WORKLOADS/interference" faults 0 9 2>said
	grep -q 'records of page faults were left out' said || fail "not told: $(cat said)"
	perf script -i beside.data -F event 2>/dev/null | grep -c dummy >count
	[ "$(cat count)" -eq 0 ] || fail "$(cat count) records of page faults have become others"
}
exit 0
