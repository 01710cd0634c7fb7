# SPDX-License-Identifier: GPL-3.0-or-later
# The same events, printed by perf script with other options: the same intervals.

$ pscal timeline --pid 51 --format csv "$DATA/cc.perf-script.txt" >whole.csv

# Without the names, with the carriage returns of another system, with misc and a period.

$ sed 's/^ *[^ #]*//' "$DATA/cc.perf-script.txt" | pscal timeline --pid 51 --format csv - | cmp - whole.csv

$ sed 's/$/\r/' "$DATA/cc.perf-script.txt" | pscal timeline --pid 51 --format csv - | cmp - whole.csv

$ sed 's/\] /] K     /; s/: /:          1 /' "$DATA/cc.perf-script.txt" | \
	pscal timeline --pid 51 --format csv - | cmp - whole.csv

# Without the CPU, the place of a thread is unknown, but not its times.

$ cut -d, -f1-7 whole.csv >times.csv; sed 's/ \[...\]//' "$DATA/cc.perf-script.txt" | \
	pscal timeline --pid 51 --format csv - | cut -d, -f1-7 | cmp - times.csv

# --reltime, and --deltatime, which prints distances.

$ sed 's/   100\.0/     0.0/' "$DATA/cc.perf-script.txt" | pscal timeline --pid 51 --format csv - | cmp - whole.csv

$ awk '!/^#/ { time = $4 + 0; sub($4, sprintf("%.9f:", last ? time - last : 0)); last = time } 1' \
	"$DATA/cc.perf-script.txt" | pscal timeline --pid 51 --format csv - | cmp - whole.csv

# In the form of libtraceevent's plugin, also without the names of the events.

$ sed -E -e 's/ +prev_comm=(.*) prev_pid=(.*) prev_prio=(.*) prev_state=/ \1:\2 [\3] /' \
	-e 's/==> next_comm=(.*) next_pid=(.*) next_prio=(.*)/==> \1:\2 [\3]/' \
	-e 's/(sched_wak.*): comm=(.*) pid=(.*) prio=(.*) target_cpu=/\1: \2:\3 [\4] CPU:/' \
	"$DATA/cc.perf-script.txt" >compact.txt; tail -3 compact.txt
         swapper     0 [000]   100.006000000:       sched:sched_waking: cc:51 [120] CPU:001
         swapper     0 [001]   100.006500000:       sched:sched_switch: swapper/1:0 [120] R ==> cc:51 [120]
              cc    51 [001]   100.010000000:       sched:sched_switch: cc:51 [120] Z ==> swapper/1:0 [120]

$ pscal timeline --pid 51 --format csv compact.txt | cmp - whole.csv

$ sed 's/ sched:[a-z_]*://' compact.txt | pscal timeline --tid 51 --format csv - | cut -d, -f1-2,7
start_s,end_s,state
0,0.001,runnable
0.001,0.004,running
0.004,0.006,disk
0.006,0.0065,runnable
0.0065,0.01,running

# A newline in a name breaks each line with it. The pieces are joined, and counted.

$ sed 's/^ *cc /             c\nc /; s/comm=cc/comm=c\nc/' "$DATA/cc.perf-script.txt" >broken.txt

$ pscal timeline --pid 51 --format json broken.txt | jq -c '.timeline[] | [.comm, .state]'
["c\nc","runnable"]
["c\nc","running"]
["c\nc","disk"]
["c\nc","runnable"]
["c\nc","running"]

$ pscal profile --pid 51 --format json broken.txt | jq -c '.quality | [.fragments, .malformed]'
[12,0]

# Missing parts are named.

$ sed 's/ *100\.[0-9]*://' "$DATA/cc.perf-script.txt" | pscal timeline --pid 51 -
pscal timeline: standard input: holds scheduling events without their times; print them with 'perf script --ns -F comm,pid,tid,cpu,time,event,trace'
? 1

$ sed 's/prev_comm=.*//; s/comm=.*//' "$DATA/cc.perf-script.txt" | pscal timeline --pid 51 -
pscal timeline: standard input: holds scheduling events without their fields (trace); print them with 'perf script --ns -F comm,pid,tid,cpu,time,event,trace'
? 1

# Results are printed only after they are complete, also long lists; --audit reports that as a flaw.

$ sed 's/ *100\.[0-9]*://' "$DATA/cc.perf-script.txt" >timeless.txt; for list in --all --blocks --enter-leave '--format csv' '--format json'; do pscal timeline $list timeless.txt 2>/dev/null || echo "$list: $?"; done
--all: 1
--blocks: 1
--enter-leave: 1
--format csv: 1
--format json: 1

$ echo 'sort  7202 81198.923519:    1003009 cpu-clock:      7f01251e36ac __memchr_evex+0x2c (/usr/lib/libc.so.6)' >samples.txt; for list in '' --all --audit --blocks '--format csv' '--audit --format csv' '--blocks --format csv'; do pscal timeline $list samples.txt 2>/dev/null || echo "$list: $?"; done
: 1
--all: 1
--audit: 1
--blocks: 1
--format csv: 1
--audit --format csv: 1
--blocks --format csv: 1

# The names of the target's threads are listed for text, too, which has no processes.
$ printf '%s\n' 'pscal 7 [0] 1.000000: sched:sched_process_fork: comm=pscal pid=7 child_comm=pscal child_pid=9' 'x 8 [0] 1.001000: sched:sched_switch: prev_comm=x prev_pid=8 prev_prio=120 prev_state=S ==> next_comm=pscal next_pid=9 next_prio=120' 'pscal 9 [0] 1.002000: sched:sched_process_exec: filename=/bin/job pid=9 old_pid=9' 'job 9 [0] 1.003000: sched:sched_process_exit: comm=job pid=9 prio=120' >launched.txt; pscal profile --comm nosuch launched.txt
pscal profile: the recording has no thread for --comm nosuch; its threads are job
? 1

# ... after the header of perf script --header, which is longer than the examined begin of a stream.
$ { awk 'BEGIN { while (i++ < 200) print "# event : name = a line of the header that tells nothing of the target" }'; cat launched.txt; } | pscal profile --comm nosuch
pscal profile: the recording has no thread for --comm nosuch; its threads are job
? 1

# Text of several programs has no name. It has a number of processes if it shows them, and the next
# step chooses the busiest program.

$ pscal profile "$DATA/cc.perf-script.txt" | sed -n '1,2p;$p'
Threads of 2 names: 10.0 ms wall time, 7.50 ms CPU time, 2 threads, 0.75 of 2
CPUs used. It is mostly serial: for 90 % of the time one thread or none was
next: pscal profile --comm cc $DATA/cc.perf-script.txt
$ sed -E 's/^( *[^ ].*[^ ]) +([0-9]+) +\[/\1 \2\/\2 [/' "$DATA/cc.perf-script.txt" | pscal profile - | sed -n 1p
2 processes: 10.0 ms wall time, 7.50 ms CPU time, 2 threads, 0.75 of 2 CPUs
$ pscal profile --comm cc "$DATA/cc.perf-script.txt" | sed -n '1p;$p'
cc: 9.00 ms wall time, 6.50 ms CPU time, 1 thread, 0.722 of 2 CPUs used. It is
next: pscal forecast --why --comm cc $DATA/cc.perf-script.txt
