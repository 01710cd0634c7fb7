#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Both collectors at once, one of them recording the other one, which records a program: they see
# the same levels of parallelism, within 2 % of the wall time.
#
# Three further differences are allowed, as the collectors do not cause them: time that one of them
# reports as unknown; time that a hypervisor takes between the two records of a switch; and, at
# levels 0 and 1, the time for which the inner collector holds the program back, which only the
# outer one sees.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

need_perf
need_collector bpf
need_collector perf

# profile_of FILE ROOT: prints "UNKNOWN WALL T_0 T_1 ..." in seconds.
profile_of()
{
	"$PSCAL" profile --pid "$2" --format json "$1" | jq -r \
		'[.unknown_s, .wall_s, (.levels | sort_by(.ready) | .[].wall_s)] | join(" ")'
}

# held_back FILE ROOT: prints the seconds from the birth of the program to its release, which is the
# wakeup of a process that is still named pscal, possibly some time after the recording has begun.
held_back()
{
	perf_script --ns -i "$1" -F time,event,trace 2>/dev/null |
		awk -v pid="$2" -v start_ns="$(fact "$1" start_ns)" '
		$2 == "sched:sched_process_fork:" && $NF == "child_pid=" pid { born_s = $1 + 0 }
		$2 == "sched:sched_waking:" && $3 == "comm=pscal" && $4 == "pid=" pid { go_s = $1 + 0 }
		END { print (go_s > start_ns / 1e9 ? go_s : start_ns / 1e9) - born_s }'
}

# both COMMAND...: records it with both; writes differences beyond the allowed ones to `differ`.
both()
{
	before=$(stolen)
	expect 0 "$PSCAL" record -q --collector bpf -o bpf.data -- \
		"$PSCAL" record -q --collector perf -o perf.data -- "$@" >/dev/null
	late=$(stolen_since "$before")
	root=$(fact perf.data root)
	{
		profile_of bpf.data "$root"
		profile_of perf.data "$root"
	} >profiles
	[ "$(wc -l <profiles)" -eq 2 ] || fail "$*: no two profiles"
	awk -v late="$late" -v held="$(held_back perf.data "$root")" '
		{ unknown += $1; wall = $2; levels = NF > levels ? NF : levels }
		{ for (i = 3; i <= NF; i++) t[NR, i - 3] = $i }
		END {
			for (j = 0; j < levels - 2; j++) {
				off = t[1, j] - t[2, j]
				most = 0.02 * wall + unknown + late + (j < 2 ? held : 0)
				if (off > most || -off > most)
					printf "T_%d: bpf %f perf %f\n", j, t[1, j], t[2, j]
			}
		}' profiles >differ
}

agree()
{
	both "$@"
	[ ! -s differ ] || fail "$*: $(cat differ profiles)"
	awk 'NR == 1 { exit $1 > 0.02 * $2 }' profiles || fail "$*: unknown with bpf: $(cat profiles)"
}

cat >makefile <<'END'
jobs := 1 2 3 4 5 6 7 8
all: $(jobs)
$(jobs):
	@$(WORKLOADS)/mutex 2 10 1000
	@seq 20000 | sort -n | wc -l
END

agree "$WORKLOADS/barrier" 4 100 1000
agree "$WORKLOADS/mutex" 4 100 1000
agree "$WORKLOADS/pipe_pingpong" 10000 50000
agree "$WORKLOADS/thread_storm" 4000 4
agree make -s -j4 -f makefile WORKLOADS="$WORKLOADS"

# Only timers wake these 50 threads, 100 times each (and sometimes once more, if two have met in the
# kernel). Some kernels do not show events in interrupts, on an idle CPU or on that of certain
# programs: most of them to perf, some of them to programs as well. All missing events are reported:
# perf knows the kernel's count, and the decoder reports threads that got a CPU without a recorded
# wakeup. Only with such reports may the two collectors differ.
both "$WORKLOADS/timers" 50 100 2000
told_in_all=0
for collector in bpf perf; do
	"$PSCAL" profile --pid "$root" --format json $collector.data >profile.json
	told=$(jq '.quality | .missed_wakes + .repaired_wakes + .missed_switch_ins' profile.json)
	wakes=$(perf_script -i $collector.data -F event,trace 2>/dev/null |
		grep -c 'sched_waking: comm=timer ')
	[ $((5000 - wakes)) -le "$told" ] ||
		fail "$collector: $wakes of 5000 wakes by timers, but $(jq -c .quality profile.json)"
	told_in_all=$((told_in_all + told))
done
[ ! -s differ ] || [ "$told_in_all" -gt 0 ] ||
	fail "timers: $(cat differ profiles), but no event is reported as missing"
