#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A recording has all events of the target, and of other processes only that they have a CPU, also
# if these run the same program, and have thread ids above the target's.
# Runs alone: beside a second recorder of page faults, the kernel gives faults to the wrong one.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"
need_perf

rounds=20
program=$WORKLOADS/neighbour
before=
after=
trap 'kill $before $after $target 2>/dev/null' EXIT
target=

# has_turned FILE: the target has done all kinds of rounds since the file was empty.
has_turned()
{
	[ "$(grep -c '^pid' "$1")" -ge 8 ]
}

# is_up FILE: the target has written its number.
is_up()
{
	grep -q '^pid' "$1"
}

# add_strangers: starts one more program, with higher ids. The target begins when it runs.
add_strangers()
{
	wait_for 60 is_up objects
	"$program" 0 >after.txt &
	after=$!
	wait_for 60 has_turned after.txt
	touch go
}

# records FILE: prints, for each record, its kind or event, its process, its thread and its content.
records()
{
	perf_script -i "$1" -F trace:pid,tid,event,trace -F sw:pid,tid,event -F hw:pid,tid,event \
		2>/dev/null | sed -n 's|^ *\(-*[0-9]*\)/\(-*[0-9]*\) *\([a-z_:-]*\): |\3 \1 \2 |p'
	sed -n <dump.txt \
		-e 's|.*: PERF_RECORD_\(MMAP2*\) \(-*[0-9]*\)/\(-*[0-9]*\):.*|\1 \2 \3|p' \
		-e 's|.*: PERF_RECORD_\(READ\): \(-*[0-9]*\) \(-*[0-9]*\) .*|\1 \2 \3|p' \
		-e 's|.*: PERF_RECORD_\(COMM\)[^:]*: .*:\(-*[0-9]*\)/\(-*[0-9]*\)$|\1 \2 \3|p' \
		-e 's|.*: PERF_RECORD_\(FORK\|EXIT\)(\([0-9]*\):\([0-9]*\)):.*|\1 \2 \3|p'
}

# no_strangers FILE: only switches, and wakeups of and by the target, contain other threads; with
# bpf, also the names of the threads in them. The target is the command, which pscal forks.
no_strangers()
{
	awk '
	# number(KEY): the value of a field.
	function number(key)
	{
		return match($0, key "=[0-9]+") ? substr($0, RSTART + length(key) + 1,
			RLENGTH - length(key) - 1) : 0
	}
	FILENAME == "objects" { if ($1 == "pid") ours[$2] = 1; next }
	$2 in ours { threads[$3] = 1 }
	$1 == "sched:sched_switch" || $2 in ours { next }
	$1 ~ /^sched:sched_wak/ { wakes[FNR] = $0; next }
	$1 == "sched:sched_process_fork" && number("child_pid") in ours { next }
	$1 == "COMM" { next } # the names of threads in switches and wakeups
	$1 == "MMAP2" && $2 == -1 { next } # the kernel
	{ print }
	END {
		for (i in wakes) {
			$0 = wakes[i]
			if (!(number(" pid") in threads))
				print
		}
	}' objects records.txt | sort >wrong.txt
	[ ! -s wrong.txt ] || fail "$1: $(wc -l <wrong.txt) records of others:
$(awk '{ print $1 }' wrong.txt | sort | uniq -c; head -n 5 wrong.txt)"
}

# exactly CASE WANT GOT
exactly()
{
	[ "$3" -eq "$2" ] || fail "$collector $how: $3 $1, not $2"
}

# calls EVENT [WORD]: the number of these events of the target.
calls()
{
	grep "^$1 " records.txt | grep -c -w -- "${2-}"
}

# whole FILE: all events of the target are there, and nothing else.
whole()
{
	perf script -D -i "$1" 2>/dev/null | grep 'PERF_RECORD_' >dump.txt
	records "$1" >records.txt
	no_strangers "$1"
	object=$(sed -n 's/^mutex //p' objects)
	exactly mutex_lock $((5 * rounds)) "$(calls pscal:mutex_lock "object=$object")"
	exactly mutex_unlock $((5 * rounds)) "$(calls pscal:mutex_unlock "object=$object")"
	exactly enters $((5 * rounds)) "$(calls pscal_enter:neighbour_call)"
	exactly leaves $((5 * rounds)) "$(calls pscal_leave:neighbour_call)"
	exactly 'page faults' $((5 * rounds)) "$(grep -c 'SAMPLE.* addr: 0x60000000[0-2]000$' dump.txt)"
	exactly 'threads with counters' $((3 + 4 * rounds)) "$(sed -n 's/.*READ: \(.*\) task-clock .*/\1/p' dump.txt | sort -u | wc -l)"
	[ "$(calls syscalls:sys_enter_futex)" -gt 0 ] || fail "$1: no system call"
}

# Places where threads block: of other programs only the switch, without its stack.
no_stacks()
{
	perf script -i "$1" -F trace:pid,tid,event,ip -F sw:pid,tid,event 2>/dev/null | awk '
	FILENAME == "objects" { if ($1 == "pid") ours[$2] = 1; next }
	/sched:sched_switch/ { split($1, ids, "/"); stranger = !(ids[1] in ours); next }
	/sched:|^$/ { stranger = 0 }
	stranger { print; wrong++ }
	!stranger && NF { stacks++ }
	END { exit wrong || !stacks }' objects - >wrong.txt ||
		fail "$1: stacks of other programs: $(head -n 3 wrong.txt)"
}

"$program" 0 >before.txt &
before=$!
for collector in perf bpf; do
	"$PSCAL" record -q --collector $collector -o probe.data true 2>refusal || {
		echo "$collector: $(cat refusal)"
		continue
	}
	for how in command attached; do
		set -- -q --collector $collector --sync=all --uprobe "$program:neighbour_call" -F 997 \
			-e page-faults,task-clock
		rm -f go
		: >objects
		if [ $how = command ]; then
			"$PSCAL" record "$@" -o all.data "$program" $rounds go >objects &
			recorder=$!
			add_strangers
		else
			"$program" $rounds go >objects &
			target=$!
			wait_for 60 is_up objects
			begin_recording "$@" -p $target -o all.data
			add_strangers
			wait $target
		fi
		expect 0 wait "$recorder"
		kill $after
		wait $after 2>/dev/null
		whole all.data
		"$PSCAL" profile -q --format json all.data >profile.json
		exactly threads $((3 + 4 * rounds)) "$(jq '.threads | length' profile.json)"
	done
	expect 0 "$PSCAL" record -q --collector $collector --off-cpu -o stacks.data "$program" 5 \
		>objects
	no_stacks stacks.data
done
