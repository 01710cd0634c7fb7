# SPDX-License-Identifier: GPL-3.0-or-later
# A recording, as a file and as the text of perf script: the same profile.

$ pscal profile "$DATA/examples/pscal.data"
pigz: 44.1 ms wall time, 42.0 ms CPU time, 4 threads, 0.953 of 1 CPU used. It
had work for more: 2.02 threads were ready on average.
! 1 wakeup is missing; the thread counts as blocked until it got a CPU.
! 2 wakeups were not recorded, though the kernel counted them. A blocked thread
  may have been ready a moment earlier.

CPUs used          0.953 of 1 (95.3 %)
threads ready      2.02 on average, 4 at most
one or none ready  6.99 ms (15.9 %)
run-queue wait     47.1 ms in all; p50 10.6 us, p99 4.78 ms, longest 4.78 ms
context switches   27 voluntary, 19 involuntary

ready     time   share         thread         CPU  run queue  blocked
    0  1.09 ms   2.5 %         pigz/5422  22.1 ms    18.0 ms     0 ns
    1  5.90 ms  13.4 %  #      pigz/5421  17.1 ms    19.3 ms  3.79 ms
    2  28.2 ms  64.0 %  #####  pigz/5419  2.35 ms     938 us  40.8 ms
    3  8.67 ms  19.7 %  ##     pigz/5420   469 us    8.81 ms  30.8 ms
    4   188 us   0.4 %

next: pscal forecast $DATA/examples/pscal.data

# For a pager, the width is that of the terminal.
$ COLUMNS=60 pscal profile "$DATA/examples/pscal.data" | grep -A1 "^ready "
ready     time   share         thread         CPU  run queue
    0  1.09 ms   2.5 %         pigz/5422  22.1 ms    18.0 ms
$ pscal profile --format csv "$DATA/examples/pscal.data" >file.csv

$ pscal profile --pid 1 --format csv "$DATA/examples/trace.txt"
pscal profile: the recording has no thread for --pid 1; its threads are pigz, kworker/0:1H, ksoftirqd/0, pscal
? 1

$ pscal profile --comm pigz --format csv <"$DATA/examples/trace.txt" | cut -d, -f1 | head -n 3
ready
0
1

$ pscal profile --format json "$DATA/examples/pscal.data" | jq -c '[.cores, .ready_max, (.levels | length), (.threads | length), .quality.events]'
[1,4,5,4,92]

$ pscal profile --format json "$DATA/examples/pscal.data" | jq -c 'keys_unsorted, (.levels[0] | keys_unsorted), (.threads[0] | keys_unsorted), (.quality | keys_unsorted)'
["verdict","targets","comm","cores","wall_s","unknown_s","cpu_s","cpu_unsure_s","cpus_used","others_share","quota_cpus","quota_period_s","quota_periods","throttled_periods","throttled_s","throttled_share","throttled_wait_s","group_throttled_s","ready_mean","ready_max","one_or_none_s","one_or_none_share","run_queue_waits","run_queue_s","run_queue_p50_s","run_queue_p99_s","run_queue_max_s","voluntary_switches","involuntary_switches","other_switches","spin_share","spin_error_share","samples","unknown_code_share","instructions_per_cycle","cache_misses_per_1000","levels","threads","quality","warnings"]
["ready","wall_s","share"]
["tid","pid","comm","name","running_s","runnable_s","sleeping_s","disk_s","stopped_s","unknown_s","switches","voluntary_switches","involuntary_switches","wakes","spin_share","spin_error_share","samples","unknown_code_share"]
["events","lost","late","malformed","fragments","unknown_events","repaired_wakes","missed_wakes","missed_switch_ins","missed_switch_outs","no_wakes","paused_s","wrapped","truncated","witnessed_switch_ins","clock_back","repeated","reused_numbers","dropped_samples","sampled_events","nameless_samples","second_clock","unmarked_switch_outs","partial","strange_numbers","calls_ended"]

$ pscal profile --format json "$DATA/examples/pscal.data" | jq '([.levels[].wall_s] | add) + .unknown_s - .wall_s | fabs < 1e-9'
true

$ pscal profile --interval 20ms --format csv "$DATA/examples/pscal.data" | cut -d, -f1,2
begin_s,ready
0,0
0,1
0,2
0,3
0,4
0.02,0
0.02,1
0.02,2
0.02,3
0.04,0
0.04,1
0.04,2
0.04,3

# A table of threads has the requested number of rows.
$ for limit in 7 8 9 10; do pscal profile -q --interval 1s --limit $limit "$DATA/examples/tasks.txt" | sed '1,/^ *tid /d' | grep -c ' ms '; done
7
8
9
10

$ pscal profile -o written "$DATA/examples/pscal.data" && head -n 1 written
pigz: 44.1 ms wall time, 42.0 ms CPU time, 4 threads, 0.953 of 1 CPU used. It

# An input that cannot be read gets one sentence.

$ : >empty && pscal profile empty
pscal profile: empty: is empty
? 1

$ pscal profile .
pscal profile: .: is a directory without a file 'data', as 'perf record --threads' makes one; name the file of a recording
? 1

$ pscal profile no-such-file
pscal profile: no-such-file: cannot open: No such file or directory
? 1

$ head -c 3000 /dev/zero >zeros && pscal profile zeros
pscal profile: zeros: is neither a perf.data file nor the text of perf script
? 1

$ head -c 9000 "$DATA/examples/pscal.data" >cut && pscal profile cut
pscal profile: cut: is cut off: the table of events at its end is missing; copy the whole file
? 1

$ echo 'nothing of the kind' | pscal profile
pscal profile: standard input: holds no scheduling events that can be read; record some with 'pscal record' or 'perf sched record', and print them with 'perf script --ns -F comm,pid,tid,cpu,time,event,trace'
? 1

$ pscal profile - <"$DATA/usl/specsdm91.csv"
pscal profile: standard input: holds no scheduling events that can be read; record some with 'pscal record' or 'perf sched record', and print them with 'perf script --ns -F comm,pid,tid,cpu,time,event,trace'
? 1

$ pscal profile --pid 1,x "$DATA/examples/pscal.data"
pscal profile: --pid: '1,x' is not a number, or a list of them as 12,34; 'pgrep NAME' finds the numbers of a name
? 2

$ pscal profile --interval 0 "$DATA/examples/pscal.data"
pscal profile: --interval 0: is not from 1us to 1000000000s
? 2

$ pscal profile --cores 0 "$DATA/examples/pscal.data"
pscal profile: --cores 0: is not a number of cores
? 2

$ pscal profile a b
pscal profile: b: one input at a time; pscal report and pscal stretch compare recordings
? 2

$ pscal profile -o no/such/place "$DATA/examples/pscal.data"
pscal profile: no/such/place: cannot write: No such file or directory; make its directory first
? 1

$ pscal profile "$DATA/examples/pscal.data" >/dev/full
pscal profile: standard output: cannot write: No space left on device
? 1

# A line that was cut is counted.

$ head -c 9990 "$DATA/examples/trace.txt" | pscal profile --comm pigz --format json | jq -c '.quality | [.malformed, .lost]'
[1,0]

# Counters of each thread: with the other columns, or alone, which is their form in CSV.

$ pscal profile --counters "$DATA/examples/counters.data"
counter           all threads  unit  counted
page-faults               419  -     100.0 %
context-switches           17  -     100.0 %
task-clock            2521170  ns    100.0 %

 tid   pid  thread           counter             value  unit  counted
9025  9025  faulting_thread  page-faults           106  -     100.0 %
9025  9025  faulting_thread  context-switches       10  -     100.0 %
9025  9025  faulting_thread  task-clock        1591964  ns    100.0 %
9026  9025  faulting_thread  page-faults           109  -     100.0 %
9026  9025  faulting_thread  context-switches        4  -     100.0 %
9026  9025  faulting_thread  task-clock         346227  ns    100.0 %
9027  9025  faulting_thread  page-faults           204  -     100.0 %
9027  9025  faulting_thread  context-switches        3  -     100.0 %
9027  9025  faulting_thread  task-clock         582979  ns    100.0 %

$ pscal profile --counters --format csv --tid 1 "$DATA/examples/counters.data"
pscal profile: the recording has no thread for --tid 1; its threads are 9027 (faulting_thread), 9026 (faulting_thread), 9025 (faulting_thread)
? 1
$ pscal profile --counters --format csv "$DATA/examples/counters.data" | grep -v task-clock
tid,pid,comm,counter,value,unit,counted_share,name
9025,9025,faulting_thread,page-faults,106,,1,faulting_thread
9025,9025,faulting_thread,context-switches,10,,1,faulting_thread
9026,9025,faulting_thread,page-faults,109,,1,faulting_thread
9026,9025,faulting_thread,context-switches,4,,1,faulting_thread
9027,9025,faulting_thread,page-faults,204,,1,faulting_thread
9027,9025,faulting_thread,context-switches,3,,1,faulting_thread

$ pscal profile --format json "$DATA/examples/counters.data" | jq -c 'keys_unsorted, .counter_totals[2], (.counters[0] | keys_unsorted)'
["verdict","targets","comm","cores","wall_s","unknown_s","cpu_s","cpu_unsure_s","cpus_used","others_share","quota_cpus","quota_period_s","quota_periods","throttled_periods","throttled_s","throttled_share","throttled_wait_s","group_throttled_s","ready_mean","ready_max","one_or_none_s","one_or_none_share","run_queue_waits","run_queue_s","run_queue_p50_s","run_queue_p99_s","run_queue_max_s","voluntary_switches","involuntary_switches","other_switches","spin_share","spin_error_share","samples","unknown_code_share","instructions_per_cycle","cache_misses_per_1000","levels","threads","counter_totals","counters","quality","warnings"]
{"counter":"task-clock","value":2521170,"unit":"ns","counted_share":1}
["tid","pid","comm","counter","value","unit","counted_share","name"]

$ pscal profile --counters "$DATA/examples/trace.txt"
pscal profile: $DATA/examples/trace.txt: nothing was counted in the target; record with -e
? 1

# During a recording: the profile after a second, and the whole one at the end.
$ (head -n 60 "$DATA/examples/trace.txt"; sleep 2.5; tail -n +61 "$DATA/examples/trace.txt") | \
	pscal profile --comm pigz --follow --format json >lines.json && jq -c '[.ready_max, .quality.events]' lines.json
[4,60]
[4,80]
$ head -n 60 "$DATA/examples/trace.txt" | pscal profile --comm pigz --format json | jq -c 'del(.quality)' >so_far.json
$ head -n 1 lines.json | jq -c 'del(.quality)' | cmp - so_far.json
$ pscal profile --comm pigz --format json "$DATA/examples/trace.txt" | jq -c . >all.json
$ tail -n 1 lines.json | jq -c . | cmp - all.json
$ cat "$DATA/examples/trace.txt" | pscal profile --follow --comm nobody
pscal profile: the recording has no thread for --comm nobody; its threads are pigz, kworker/0:1H, ksoftirqd/0, pscal
? 1
$ cat "$DATA/examples/trace.txt" | pscal profile --follow --format csv
pscal profile: --follow: CSV has room for one profile only; take --format json, which has one a line
? 2
$ pscal profile --follow "$DATA/examples/pscal.data"
pscal profile: $DATA/examples/pscal.data: is a complete file: --follow is for piped input
? 1
$ gzip -c "$DATA/examples/trace.txt" >trace.gz && pscal profile --follow <trace.gz
pscal profile: standard input: is a complete file: --follow is for piped input
? 1

$ sed 's/ .00[01]. / /' "$DATA/cc.perf-script.txt" | pscal profile --pid 51 - | head -n 2
cc: 10.0 ms wall time, 6.50 ms CPU time, 1 thread, 0.65 CPUs used. It is mostly
serial: for 100 % of the time one thread or none was ready.

$ sed 's/ .00[01]. / /' "$DATA/cc.perf-script.txt" | pscal profile --pid 51 --format json - | jq .cores
null

# A thread whose state is unknown for long may have been blocked: its blocked time is not 0.
$ printf '%s\n' 'b 2/2 [000] 1.000000: sched:sched_switch: prev_comm=b prev_pid=2 prev_prio=120 prev_state=S ==> next_comm=swapper next_pid=0 next_prio=120' 'c 3/3 [000] 1.000500: sched:sched_switch: prev_comm=c prev_pid=3 prev_prio=120 prev_state=R ==> next_comm=swapper next_pid=0 next_prio=120' | pscal profile -q | grep -A 9 unknown
1 CPU used. The number of threads ready is unknown for too much of the time.
! Thread states are unknown for 100 % of the time (longest: c/3, 500 us).

CPUs used          at least 0 of 1 (0 %)
context switches   1 voluntary, 1 involuntary
unknown            500 us (100 %) of the wall time

  ready    time    share  thread   CPU  run queue  blocked  unknown
unknown  500 us  100.0 %  b/2     0 ns       0 ns   500 us     0 ns
                          c/3        -          -        -   500 us

# If no time has passed, no CPUs were used, and their share is unknown.
$ echo 'a 100/100 [000] 1.000000: sched:sched_waking: comm=b pid=101 prio=120 target_cpu=001' | pscal profile | grep -c nan
0
? 1

# Threads whose names differ only in a number at the end are one group.
$ awk 'BEGIN { split("GC Thread#0,GC Thread#1,app-0,app-1,main,app-2", name, ","); for (i = 0; i < 60; i++) { a = i % 6; b = (i + 1) % 6; printf "%s %d [000] %.6f: sched:sched_switch: prev_comm=%s prev_pid=%d prev_prio=120 prev_state=S ==> next_comm=%s next_pid=%d next_prio=120\n%s %d [000] %.6f: sched:sched_waking: comm=%s pid=%d prio=120 target_cpu=000\n", name[a + 1], 50 + a, 100 + i / 1000, name[a + 1], 50 + a, name[b + 1], 50 + b, name[b + 1], 50 + b, 100.0001 + i / 1000, name[(b + 1) % 6 + 1], 50 + (b + 1) % 6 } }' >pools.txt; pscal profile --by name pools.txt | grep ' threads*)'
    1  6.00 ms  10.2 %  #        app-* (3 threads)        30.0 ms    27.0 ms   120 ms
    2  53.1 ms  89.8 %  #######  GC Thread#* (2 threads)  19.1 ms    17.1 ms  82.0 ms
                                 main (1 thread)          10.0 ms    9.00 ms  40.1 ms
$ pscal profile --by name --json pools.txt | jq -c '.groups[] | [.comm, .name, .threads]'
["app-0","app-*",3]
["GC Thread#0","GC Thread#*",2]
["main","main",1]
$ pscal timeline --by name pools.txt | sed -n 3,6p | cut -c 1-32
name         threads      CPU  r
app-*              3  30.0 ms   
GC Thread#*        2  19.1 ms   
main               1  10.0 ms   
$ pscal forecast --why --by name --json pools.txt | jq -c '[.why.sites[] | [.name, .sites]]'
[["app-*: threads (3 sites)",3],["main: threads",1],["thread:app-*",null],["thread:GC Thread#*",null],["thread:main",null],["GC Thread#*: threads (2 sites)",2]]

# The target of a recording of the whole machine is the machine, unless options select threads.
$ LC_ALL=C sed -z 's/root [0-9]*\naffinity/wide 1\n. \naffinity/' "$DATA/examples/pscal.data" >machine.data; pscal profile -q machine.data | head -n 2; pscal forecast -q machine.data | head -n 1; pscal profile -q --comm pigz machine.data | head -n 1
The machine, 6 processes: 44.1 ms wall time, at least 43.8 ms CPU time, 10
threads, at least 0.994 of 1 CPU used. The number of threads ready is unknown
The machine gains nothing from more cores: 44.3 ms on 1, 44.1 ms on 8.
pigz: 42.2 ms wall time, 41.7 ms CPU time, 4 threads, 0.99 of 1 CPU used. It had
$ pscal forecast --why --by name pools.txt | tail -n 1
next: pscal forecast --why pools.txt

# The share of the CPUs that other programs used.

$ printf '%s\n' 's 0/0 [000] 100.000000: sched:sched_switch: prev_comm=s prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=t1 next_pid=1 next_prio=120' 't1 1/1 [000] 100.000000: sched:sched_process_fork: comm=t1 pid=1 child_comm=t1 child_pid=2' 't1 1/1 [000] 100.000000: sched:sched_wakeup_new: comm=t1 pid=2 prio=120 target_cpu=001' 's 0/0 [001] 100.000000: sched:sched_switch: prev_comm=s prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=t1 next_pid=2 next_prio=120' 't1 1/1 [000] 100.100000: sched:sched_switch: prev_comm=t1 prev_pid=1 prev_prio=120 prev_state=R ==> next_comm=x next_pid=9 next_prio=120' 'x 9/9 [000] 100.300000: sched:sched_switch: prev_comm=x prev_pid=9 prev_prio=120 prev_state=R ==> next_comm=t1 next_pid=1 next_prio=120' 't1 1/2 [001] 100.400000: sched:sched_switch: prev_comm=t1 prev_pid=2 prev_prio=120 prev_state=X ==> next_comm=s next_pid=0 next_prio=120' 't1 1/1 [000] 100.400000: sched:sched_switch: prev_comm=t1 prev_pid=1 prev_prio=120 prev_state=X ==> next_comm=s next_pid=0 next_prio=120' >other.txt; pscal profile -q --pid 1 other.txt | head -n 5
t1: 400 ms wall time, 600 ms CPU time, 2 threads, 1.5 of 2 CPUs used. With 2
threads ready on average it could have used 2 CPUs; other programs used 0.5.
! Other programs took 25 % of the usable CPU time: measure on an idle machine.

CPUs used          1.5 of 2 (75 %)

# In a narrow terminal facts are wrapped, and tables lose columns, but no line is wider.
$ for columns in 50 64; do COLUMNS=$columns pscal profile -q "$DATA/examples/pscal.data" >narrow; COLUMNS=$columns pscal forecast -q "$DATA/examples/pscal.data" >>narrow; awk -v most=$columns 'length > most { print }' narrow; done
$ grep -A1 'run-queue\|^cores' narrow
run-queue wait     47.1 ms in all; p50 10.6 us, p99 4.78 ms,
                   longest 4.78 ms
--
cores  wall time   90 % interval  speedup  efficiency  recorded
    1    43.1 ms  38.7 - 49.0 ms     1.0x       100 %  44.1 ms
