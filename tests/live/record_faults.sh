#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Page faults are recorded beside functions, and their cost is separated from other CPU time of a
# function; waiting for them depends on the machine. The required share is lower than on an idle
# machine (make rdam-truth).
# Runs alone: beside a second recorder of page faults, the kernel gives faults to the wrong one.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

[ "$(uname -m)" = x86_64 ] || {
	echo 'functions are recorded on x86-64 only'
	exit 77
}

# The block computes for 1 ms, and touches 200 pages, which are absent in 7 rounds of 8.
rounds=80
expect 0 "$PSCAL" record -q --probe block_of_faults -o faults.data \
	"$WORKLOADS/interference" faults 0 $rounds
expect 0 "$PSCAL" record -q --probe block_of_faults,faults=no -o without.data \
	"$WORKLOADS/interference" faults 0 $rounds

# causes FILE: the calls of the block, its loss on CPUs without page faults, and that by page
# faults.
causes()
{
	"$PSCAL" rdam -q --baseline pooled --format json "$1" |
		jq -r '.functions[] | "\(.calls) \(.causes.on_cpu_s) \(.causes.page_faults_s)"'
}

causes faults.data >found
read -r calls on_cpu_s faults_s <found
[ "$calls" = $rounds ] || fail "$calls calls instead of $rounds"
awk -v other="$on_cpu_s" -v faults="$faults_s" 'BEGIN { exit !(faults > other) }' ||
	fail "$faults_s s of page faults, and $on_cpu_s s of other loss on CPUs"

causes without.data >found
read -r calls on_cpu_s faults_s <found
[ "$faults_s" = null ] || fail "page faults that were not recorded took $faults_s s"

# 70 rounds with 200 absent pages. Other tools see these page faults, too.
! command -v perf >/dev/null || {
	perf_script -i faults.data -F comm,event 2>/dev/null | grep -c 'interference.*minor-faults' >count
	[ "$(cat count)" -ge 14000 ] || fail "perf sees $(cat count) page faults instead of 14000"
	perf_script -i without.data -F event 2>/dev/null | grep -q faults && fail 'there are page faults'

	# After the start of another recorder of page faults, the records have its numbers and
	# times.
	expect 0 "$PSCAL" record --uprobe "$WORKLOADS/interference:block_of_faults" -o beside.data \
		perf record -q -a -e page-faults -o other.data "$WORKLOADS/interference" faults 0 9 2>said
	grep -q 'records of page faults were left out' said || fail "no message: $(cat said)"
	perf_script -i beside.data -F event 2>/dev/null | grep -c dummy >count
	[ "$(cat count)" -eq 0 ] || fail "$(cat count) records of page faults have become other records"
}
exit 0
