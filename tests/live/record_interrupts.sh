#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Each collector reports the wakeups that interrupts raised: those of sleepers beside a thread that
# computes on their CPU, and no other ones. perf reads such a recording as usual.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

need_perf

# wakes FILE NAME: counts wakeups of threads of this name, and those of them that a thread with
# TRACE_FLAG_HARDIRQ or _SOFTIRQ (linux/trace_events.h) in common_flags raised. In our samples these
# are byte 0x2e; idle threads run only interrupts.
wakes()
{
	perf script -D -i "$1" 2>script.err | awk -v name="$2" '
	$1 == "." && $2 == "0020:" { flags = $17 }
	/ sched:sched_waking: / && index($0, " comm=" name " ") {
		count++
		if ($1 == "swapper" || substr(flags, 1, 1) ~ /[13579bdf]/ || substr(flags, 2, 1) ~ /[89a-f]/)
			marked++
	}
	END { print count + 0, marked + 0 }'
	[ ! -s script.err ] || fail "perf script of $1: $(cat script.err)"
}

cat >program.sh <<'END'
"$WORKLOADS/timers" 2 200 2000 &
"$WORKLOADS/mutex" 3 60 3000 &
wait
END
export WORKLOADS
cpu=$(taskset -cp $$ | sed 's/.*[ ,-]//')
compared=0

for collector in bpf perf; do
	"$PSCAL" record -q --collector $collector -o probe.data true 2>refusal || continue
	expect 0 taskset -c "$cpu" "$PSCAL" record -q --collector $collector -o $collector.data -- \
		sh program.sh >/dev/null
	# Some kernels do not report interrupts to bpf.
	[ $collector = perf ] || [ "$(fact bpf.data interrupts)" = 1 ] || continue
	wakes $collector.data timer >timers
	wakes $collector.data mutex >mutexes
	# Sometimes two timers fire in one interrupt, or a wakeup is not recorded: see
	# profile_collectors.sh.
	awk '{ exit !($1 >= 380 && $2 >= .99 * $1) }' timers ||
		fail "$collector: wakeups by timers, and those that are reported so: $(cat timers)"
	# A thread that unlocks the mutex wakes its waiter. Only waits at the start of a thread may
	# end in an interrupt.
	awk '{ exit !($1 >= 20 && $2 <= 3) }' mutexes ||
		fail "$collector: wakeups by mutexes, and those that are reported as by timers: $(cat mutexes)"
	compared=$((compared + 1))
done
[ "$compared" -gt 0 ] || {
	echo "no collector can distinguish interrupts here: $(cat refusal)"
	exit 77
}
