#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# For each way in which perf records scheduler events: switches, levels and the states of each
# thread agree, to the nanosecond, with those that simple rules derive from the text that perf
# prints of the same recording (levels.awk).
# shellcheck source=/dev/null disable=SC2034,SC2154 # read-lib has what is not here, or reads it
. "${0%/*}/record-lib"
. "${0%/*}/read-lib"

need_perf

# Rings with room for the time that perf waits for its CPU, so that no record is lost: levels.awk
# cannot treat losses on two CPUs.
room='-m 4096'
usual=sched:sched_switch,sched:sched_waking,sched:sched_process_fork,sched:sched_process_exit
only= # the part of the text to compare, without the unknown time before it

# accounted BEFORE: the running times of the last row are those that the kernel accounts to the
# threads, within 1 % and the time of interrupts and of the hypervisor since stolen() printed
# BEFORE; they are less by the unknown time of the thread.
accounted()
{
	awk -v s="$(stolen_since "$1")" '
	NR == FNR && $1 == "accounted" { of[$2] = $3 / 1e9; n += $3 > 0 }
	NR != FNR && $1 == "running" { ran[$2] = $3 / 1e9; unknown[$2] = $4 / 1e9 }
	END {
		for (tid in of)
			if (ran[tid] > 1.01 * of[tid] + 0.0002 + s ||
				ran[tid] + unknown[tid] < 0.99 * of[tid] - 0.0002) {
				print "tid", tid, "is accounted", of[tid], "and ran", ran[tid]
				bad = 1
			}
		exit bad || n < 3
	}' expected found || wrong "$name: not as accounted: $(grep -c accounted expected) threads"
}

pinned='taskset -c 0'
workload="$WORKLOADS/barrier 3 60 200"

# --- Events ----------------------------------------------------------------------------

before=$(stolen)
row 'perf sched record' sched record
accounted "$before"
before=$(stolen)
row 'sched:*' record -a -e 'sched:*'
accounted "$before"
row 'two events' record -a -e sched:sched_switch,sched:sched_wakeup
row 'both wakes' record -a -e "$usual,sched:sched_wakeup,sched:sched_wakeup_new"
row 'switches alone' record -a -e sched:sched_switch
row 'call chains' record -a -g -e "$usual"
row 'addresses, cpu modes' record -a -d --phys-data -W -e "$usual"
row --switch-events record -a --switch-events -e "$usual"
row --namespaces record -a --namespaces -e "$usual"
row '--all-cgroups?' record -a --all-cgroups -e "$usual"
row 'mixed sample types' record -a -e sched:sched_switch/call-graph=no/ -e cpu-clock -g -d \
	-e sched:sched_waking
row 'group read' record -a -e '{sched:sched_switch,cpu-clock}:S' \
	-e sched:sched_waking,sched:sched_process_fork

# Without tracepoints: only the kernel's own records of switches.
if recorded 'switch records alone' record -a --switch-events -e dummy; then
	perf_text in >text
	awk -v root="$(cat root)" '
	function stop(tid)
	{
		switches += since[tid] > 0
		ran[tid] += since[tid] ? now - since[tid] : 0
		since[tid] = 0
	}
	{ sub(/ *\[[0-9]+\] */, " ") }
	{ split($1, who, "/"); split($2, part, /[.:]/); now = part[1] * 1000000000 + part[2] }
	who[1] != root { next }
	/PERF_RECORD_EXIT/ { stop(who[2]) }
	/SWITCH.* IN / { since[who[2]] = now }
	/SWITCH.* OUT / && who[2] > 0 { stop(who[2]) }
	END {
		print "switches", switches
		for (tid in ran)
			printf "running %d %.0f\n", tid, ran[tid]
	}' text | sort >expected
	reading in | grep -e switches -e running | cut -d ' ' -f 1-3 | sort >found
	rows=$((rows + 1))
	cmp expected found || wrong "switch records alone: $(diff expected found)"
	[ "$(wc -l <expected)" -eq 5 ] || wrong "switch records alone: $(cat expected)"
fi

# --- Options -----------------------------------------------------------------------------------------

row -z record -a -z -e "$usual"
perf inject -b -i in -o injected 2>/dev/null && mv injected in && check 'perf inject -b'
row --sample-identifier record -a --sample-identifier -e "$usual"
row --tail-synthesize record -a --tail-synthesize -e "$usual"
row --no-buffering record -a --no-buffering -e "$usual"
row '-B -N' record -a -B -N -e "$usual"
row --buildid-all record -a --buildid-all -e "$usual"
row CLOCK_MONOTONIC record -a -k CLOCK_MONOTONIC -e "$usual"
row CLOCK_MONOTONIC_RAW record -a -k CLOCK_MONOTONIC_RAW -e "$usual"
row 'per process' record -e "$usual"
# The option --per-thread records the first thread alone.
usual_workload=$workload
workload="$WORKLOADS/pipe_pingpong 300"
row 'per thread' record --per-thread -e "$usual"
workload=$usual_workload
row '--threads?' record -a --threads -e "$usual"

rm -rf in
# Through a pipe; pscal reads it as a file and as a stream.
# shellcheck disable=SC2086 # words
if $pinned perf record -q -a $room -e "$usual" --no-bpf-event -o - -- sh -c "$target" $workload >in \
	2>said; then
	check 'pipe, as a file'
	dd if=in bs=700 2>/dev/null | reading >streamed 2>said
	grep -v '^lived' found | cmp - streamed ||
		wrong "pipe, as a stream: $(cat said) $(diff found streamed)"
else
	wrong "pipe: perf did not record: $(tail -n 1 said)"
fi

# --- A running program, and a killed perf --------------------------------------

mkfifo go

# await_target: starts the workload, which waits for a line from `go`.
await_target()
{
	rm -rf root in
	# shellcheck disable=SC2016,SC2086 # for the inner shell; words
	$pinned sh -c 'echo $$ >root; read -r _ <go; exec "$0" "$@" >/dev/null' $workload &
	wait_for 60 test -s root
}

# attached NAME PERF-ARGUMENT...: attaches to a workload, and then starts it.
attached()
{
	name=$1
	shift
	# shellcheck disable=SC2016,SC2086 # for the inner shell; words
	$pinned perf record "$@" $room --no-bpf-event -o in -- sh -c 'echo >go
		while grep -q "^State:[[:space:]]*[^Z[:space:]]" "/proc/$0/status"; do
			sleep 0.01
		done' "$(cat root)" 2>said || [ -s in ] ||
		wrong "$name: perf did not record: $(tail -n 1 said)"
	check "$name"
	wait
}

await_target
attached 'attached, -a' -a -e "$usual"
await_target
attached 'attached, -p' -e "$usual" -p "$(cat root)"

has_grown()
{
	[ "$(stat -c %s in)" -gt 300000 ]
}

# This workload does not end by itself, and so neither does perf.
workload="$WORKLOADS/barrier 3 1000000 200"
rm -f in root
# shellcheck disable=SC2086 # words
$pinned perf record -q -a -m 4 --switch-events -e "$usual" --no-bpf-event -o in -- \
	sh -c "$target" $workload 2>/dev/null &
perf=$!
wait_for 60 test -s root
wait_for 60 has_grown
kill -KILL $perf
wait $perf
kill "$(cat root)"
# perf itself cannot read this file.
if reading in >found 2>said; then
	jq -e .truncated quality >/dev/null || wrong 'killed: and no message about it'
	awk '$1 == "switches" && $2 > 100 { some = 1 } END { exit !some }' found ||
		wrong "killed: too few of some hundred switches: $(grep switches found)"
else
	wrong "killed: $(cat said)"
fi
wait_for 60 has_ended "$(cat root)"

# --- Lost records ------------------------------------------------------------------

room=
workload="$WORKLOADS/barrier 3 60 200"
row '--overwrite, with room' record -a --overwrite -m 1024 -e "$usual"

# The state is unknown before the oldest record in the ring of the CPU that all of it ran on.
workload="$WORKLOADS/pipe_pingpong 5000"
only='-C 0'
recorded --overwrite record -a --overwrite -m 64 -e "$usual" && check --overwrite -v cut=1
only=

# perf is stopped while a workload runs, so that its ring certainly overflows. After that, each
# state is unknown until a record shows it again. The loss is recorded after perf has made room and
# another event has happened. The first two times that the file grows may belong to one round of
# perf, which makes room after it; later growth is of later events.
workload="$WORKLOADS/pipe_pingpong 3000"
usual_target=$target
# shellcheck disable=SC2016 # for the inner shell
target='echo $$ >root
	grows()
	{
		size=$(stat -c %s in)
		while [ "$(stat -c %s in)" -eq "$size" ]; do
			"$@" >/dev/null
		done
	}
	"$0" "$@" >/dev/null
	kill -STOP $PPID
	"$0" "$@" >/dev/null
	kill -CONT $PPID
	grows "$0" "$@"
	grows "$0" "$@"
	grows "$0" "$@"'
if recorded 'lost records' record -C 0 -m 16 -e "$usual"; then
	check 'lost records' -v partial=1
	lost=$(perf_script --show-lost-events -F trace -i in 2>/dev/null |
		awk '/PERF_RECORD_LOST lost/ { n += $NF } END { print n + 0 }')
	[ "$lost" -gt 0 ] || wrong 'lost records: none were'
	[ "$(awk '$1 == "lost" { print $2 }' found)" -eq "$lost" ] ||
		wrong "lost records: $lost, but: $(cat found)"
fi
target=$usual_target

# --- All CPUs, some of which may hide switches ------------------------------------------------

pinned=
room='-m 4096'
workload="$WORKLOADS/barrier 3 60 200"
row 'all CPUs' sched record
row 'all CPUs, --switch-events' record -a --switch-events -e "$usual"

echo "$rows rows"
[ "$failures" -eq 0 ] || fail "$failures of $rows rows are wrong"
