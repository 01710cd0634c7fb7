# SPDX-License-Identifier: GPL-3.0-or-later
# The wall time saved if waiting cost no time. Two threads compute five times for 5 ms and then for
# 15 ms under a mutex; then one sleeps for 40 ms. On two cores the mutex is held for 150 ms in
# total, from 5 ms on; a thread waits for it 15 ms and then 4 times 10 ms: 195 ms of wall time.
# Without the mutex it is 100 + 40 ms, without the sleep or without waiting for the ends of threads
# 155 ms, and without any wait 100 ms.

$ awk -f "$DATA/replay/locks.awk" </dev/null >locks.txt; pscal forecast -q --recorded-cores 1 -n 1,2 --why locks.txt
2 cores: 0.195 s (0.175 - 0.217 s); unlimited cores: 0.195 s. Waiting at 'lock
0x7ffc1000' costs most: without it 0.140 s (28.2 % less).
Limit 0.195 s: 'lock 0x7ffc1000' is locked for 0.150 s of it, one thread at a
time. Without waiting for it: 0.140 s.
! Memory is assumed to keep up with more cores: record on more cores to see.

cores  wall time    90 % interval  speedup  efficiency  recorded
    1    0.240 s  0.216 - 0.267 s     1.0x       100 %  0.240 s
    2    0.195 s  0.175 - 0.217 s     1.2x        62 %  -

On 2 cores
waits at         calls   waited  without it   saves
lock 0x7ffc1000     10  0.095 s     0.140 s  28.2 %
sleep                1  0.040 s     0.155 s  20.5 %
$ pscal forecast --recorded-cores 1 -n 2,1,2 --why --format csv locks.txt
cores,site,name,kind,visits,waited_s,wall_s,without_wall_s,saved_s,saved_share,sites,thread_name,pid,chain,address,share,path_s,work_s
1,0,lock 0x7ffc1000,lock,10,0,0.24,0.24,0,0,1,,1,,0x7ffc1000,0,,
1,2,sleep,sleep,1,0.04,0.24,0.2,0.03999999999999998,0.1666666666666666,1,,1,,,0,,
2,0,lock 0x7ffc1000,lock,10,0.095,0.195,0.14,0.05499999999999999,0.282051282051282,1,,1,,0x7ffc1000,0,,
2,2,sleep,sleep,1,0.04,0.195,0.155,0.04000000000000001,0.20512820512820515,1,,1,,,0,,
$ pscal forecast --recorded-cores 1 -n 2 --why --format json locks.txt | jq -c '.why, (.forecast | length)'
{"cores":2,"wall_s":0.195,"unlimited_wall_s":0.195,"no_waits_wall_s":0.1,"left_out":0,"serial_s":0.015,"serial_thread":"thread 3, t3","sites":[{"cores":2,"site":0,"name":"lock 0x7ffc1000","kind":"lock","visits":10,"waited_s":0.095,"wall_s":0.195,"without_wall_s":0.14,"saved_s":0.05499999999999999,"saved_share":0.282051282051282,"sites":1,"thread_name":null,"pid":1,"chain":null,"address":"0x7ffc1000","share":0,"path_s":null,"work_s":null},{"cores":2,"site":2,"name":"sleep","kind":"sleep","visits":1,"waited_s":0.04,"wall_s":0.195,"without_wall_s":0.155,"saved_s":0.04000000000000001,"saved_share":0.20512820512820515,"sites":1,"thread_name":null,"pid":1,"chain":null,"address":null,"share":0,"path_s":null,"work_s":null}]}
1

# Without -k it is for the cores of the recording, on which no thread waits for the mutex.

$ pscal forecast --recorded-cores 1 --why --format csv locks.txt
cores,site,name,kind,visits,waited_s,wall_s,without_wall_s,saved_s,saved_share,sites,thread_name,pid,chain,address,share,path_s,work_s
8,0,lock 0x7ffc1000,lock,10,0.095,0.195,0.14,0.05499999999999999,0.282051282051282,1,,1,,0x7ffc1000,0,,
8,2,sleep,sleep,1,0.04,0.195,0.155,0.04000000000000001,0.20512820512820515,1,,1,,,0,,

# With half of the sleep the wall time is 175 ms, and without waits for the mutex 140 ms. Sites have
# numbers and names.

$ pscal forecast -q --recorded-cores 1 -n 1,2 --what-if 'sleep=50%' locks.txt
With 'sleep=50%': 0.175 s on 2 cores, 10 % less than the 0.195 s as it is.
! Memory is assumed to keep up with more cores: record on more cores to see.

wall time, if this share is left of the waits at 'sleep'
cores  as it is             50 %
    1   0.240 s   0.220 s (-8 %)
    2   0.195 s  0.175 s (-10 %)
$ pscal forecast -q --recorded-cores 1 -n 1,2 --what-if 'sleep=99.9%' locks.txt | tail -n 2
    1   0.240 s  0.240 s (+0 %)
    2   0.195 s  0.195 s (+0 %)
$ pscal forecast --recorded-cores 1 -n 2 --what-if 'lock 0x7ffc1000=0' --format csv locks.txt
what_if,cores,wall_s,speedup,efficiency,model,lo_s,hi_s,discrepancy,closed_form_s,work_bound_s,path_bound_s,lock_bound_s,recorded_s,unchanged_s
lock 0x7ffc1000=0%,2,0.14,1.714285714285714,0.857142857142857,replay,0.12580422601894378,0.1557976279512948,0.065,0.15,0.1,,,,0.195
$ pscal forecast --recorded-cores 1 -n 2 --what-if 2=0.5 --what-if 0=0 --format json locks.txt | jq -c '.what_if, .forecast'
[{"what_if":"sleep=50%, lock 0x7ffc1000=0%","site":2,"name":"sleep","kind":"sleep","share":0.5,"cpu_share":null,"samples":null},{"what_if":"sleep=50%, lock 0x7ffc1000=0%","site":0,"name":"lock 0x7ffc1000","kind":"lock","share":0,"cpu_share":null,"samples":null}]
[{"what_if":"sleep=50%, lock 0x7ffc1000=0%","cores":2,"wall_s":0.12,"speedup":1.8333333333333335,"efficiency":0.9166666666666667,"model":"replay","lo_s":0.10783219373052323,"hi_s":0.13354082395825267,"discrepancy":0.065,"closed_form_s":0.15,"work_bound_s":0.1,"path_bound_s":null,"lock_bound_s":null,"recorded_s":null,"unchanged_s":0.195}]
$ pscal forecast --recorded-cores 1 -n 2 --what-if 2=0 --why --format csv locks.txt
cores,site,name,kind,visits,waited_s,wall_s,without_wall_s,saved_s,saved_share,sites,thread_name,pid,chain,address,share,path_s,work_s
2,0,lock 0x7ffc1000,lock,10,0.095,0.155,0.1,0.05499999999999999,0.3548387096774193,1,,1,,0x7ffc1000,0,,
$ pscal forecast --recorded-cores 1 -n 2 --what-if 2=0 --plot a.gp locks.txt >whatif.txt; grep -o 'locks.txt, a what-if' a.gp
locks.txt, a what-if

# With half of the cost of the waits for the mutex, the wall time is halfway to that without waits:
# from 195 ms to 140.

$ pscal forecast -q --recorded-cores 1 -n 2 --what-if 0=50%,0 locks.txt
With 'lock 0x7ffc1000=0%': 0.140 s on 2 cores, 28 % less than the 0.195 s as it
is.
! Memory is assumed to keep up with more cores: record on more cores to see.

wall time, if this share is left of the waits at 'lock 0x7ffc1000'
cores  as it is             50 %              0 %
    2   0.195 s  0.168 s (-14 %)  0.140 s (-28 %)

# The CPU time of a thread may be scaled, too.

$ pscal forecast -q --recorded-cores 1 -n 1,2 --what-if thread:t2=50%,200% locks.txt
With 'thread:t2=50%': 0.155 s on 2 cores, 21 % less than the 0.195 s as it is.

wall time, if this share is left of the work of 'thread:t2'
cores  as it is             50 %            200 %
    1   0.240 s  0.190 s (-21 %)  0.340 s (+42 %)
    2   0.195 s  0.155 s (-21 %)  0.270 s (+38 %)

$ pscal forecast --recorded-cores 1 -n 2 --what-if thread:t2=0.5 --what-if 0=0 --json locks.txt | jq -c '.what_if'
[{"what_if":"thread:t2=50%, lock 0x7ffc1000=0%","site":null,"name":"thread:t2","kind":"work","share":0.5,"cpu_share":0.5,"samples":null},{"what_if":"thread:t2=50%, lock 0x7ffc1000=0%","site":0,"name":"lock 0x7ffc1000","kind":"lock","share":0,"cpu_share":null,"samples":null}]

# Work and waits are in one list; without samples, work is by groups of threads. A reader takes 5 ms
# for each of ten blocks, a packer 10 ms, and a writer 1 ms: 5 + 10 * 10 + 1 ms on three cores, and
# 56 ms if the packer is twice as fast. On one core half of its 100 ms is saved, too.

$ awk 'function put(who, tid, what) { printf "%s %d/%d [000] %.6f: sched:%s\n", who, tid, tid, now, what } function go(from, tid, state, to, next_tid) { put(from, tid, "sched_switch: prev_comm=" from " prev_pid=" tid " prev_prio=120 prev_state=" state " ==> next_comm=" to " next_pid=" next_tid " next_prio=120") } function wake(from, tid, to, next_tid) { put(from, tid, "sched_waking: comm=" to " pid=" next_tid " prio=120 target_cpu=000") } BEGIN { now = 100; go("swapper", 0, "R", "packer", 3); go("packer", 3, "S", "writer", 4); go("writer", 4, "S", "reader", 2); for (i = 1; i <= 10; i++) { now += .005; wake("reader", 2, "packer", 3); go("reader", 2, i < 10 ? "R" : "S", "packer", 3); now += .010; wake("packer", 3, "writer", 4); go("packer", 3, "S", "writer", 4); now += .001; go("writer", 4, "S", i < 10 ? "reader" : "swapper", i < 10 ? 2 : 0) } }' >stages.txt; pscal forecast -q --recorded-cores 1 -n 1,3 --why stages.txt
3 cores: 0.106 s (0.093 - 0.121 s); unlimited cores: 0.106 s. 'thread:packer'
costs most: 0.100 s of the 0.106 s critical path; half of it saves 47.2 %.
Limit 0.106 s: thread 3, packer, computes alone for 0.050 s. More cores do not
shorten that.
! These threads may be of several programs: --comm NAME chooses one; pscal
  profile names the busiest.
! Memory is assumed to keep up with more cores: record on more cores to see.

cores  wall time    90 % interval  speedup  efficiency  recorded
    1    0.160 s  0.144 - 0.178 s     1.0x       100 %  0.160 s
    3    0.106 s  0.093 - 0.121 s     1.5x        50 %  -

On 3 cores, with half of the work or none of the waits
work of, or waits at            waited  on path  then takes   saves
thread:packer                        -  0.100 s     0.056 s  47.2 %
serial part: thread 3, packer        -  0.050 s     0.081 s  23.6 %
packer/3 <-> reader/2          0.005 s        -     0.101 s   4.7 %
... 3 more; --all
$ pscal forecast --recorded-cores 1 -n 1,3 --why --json stages.txt | jq -c '.why.sites[] | select(.kind == "work") | [.cores, .name, .site, .visits, .waited_s, .share, .path_s, .without_wall_s, .saved_share]'
[1,"thread:packer",null,null,null,0.5,null,0.11,0.3125]
[1,"thread:reader",null,null,null,0.5,null,0.135,0.15624999999999997]
[1,"thread:writer",null,null,null,0.5,null,0.155,0.03125000000000003]
[3,"thread:packer",null,null,null,0.5,0.1,0.056,0.4716981132075471]
[3,"thread:reader",null,null,null,0.5,0.005,0.1035,0.02358490566037738]
[3,"thread:writer",null,null,null,0.5,0.001,0.1055,0.004716981132075476]
$ pscal forecast --recorded-cores 1 -n 3 --what-if thread:packer=50% --format csv stages.txt | cut -d, -f1-3
what_if,cores,wall_s
thread:packer=50%,3,0.056
$ pscal forecast --recorded-cores 1 -n 3 stages.txt --why | tail -n 1
next: pscal forecast --what-if thread:packer=50% stages.txt
$ pscal forecast --recorded-cores 1 -n 3 --why --by process --format csv stages.txt | grep -c ,work,
0
? 1
# Several changes apply together, in one table, for each number of cores.
$ pscal forecast -q --recorded-cores 1 -n 1,2,3 --what-if thread:packer=50%,20% --what-if thread:reader=50% stages.txt | sed -n '/^wall/,$p'
wall time, if this share is left of the work of 'thread:packer' and the work of 'thread:reader'
cores  as it is       50 %, 50 %       20 %, 50 %
    1  160.0 ms  85.0 ms (-47 %)  55.0 ms (-66 %)
    2  108.0 ms  55.0 ms (-49 %)  30.5 ms (-72 %)
    3  106.0 ms  53.5 ms (-50 %)  28.0 ms (-74 %)

# Meaningless values.

$ pscal forecast --recorded-cores 1 --what-if thread:t9=0 locks.txt
pscal forecast: --what-if thread:t9=0: no thread has the name 't9'; did you mean 't*'?
? 1

$ pscal forecast --recorded-cores 1 --what-if slep=0 locks.txt
pscal forecast: --what-if slep=0: there is no wait site or function 'slep'; did you mean 'sleep'?
? 1
$ pscal forecast --recorded-cores 1 --what-if 3=0 locks.txt
pscal forecast: --what-if 3=0: there is no wait site '3' (near: 2 (sleep), 1 (join by t1/1), 0 (lock 0x7ffc1000)); --what-if list lists them
? 1
$ pscal forecast --recorded-cores 1 --what-if 0=0 --what-if 0=1 locks.txt
pscal forecast: --what-if 0=1: 'lock 0x7ffc1000' is named twice; several values go into one list, as 0,50%
? 1
$ pscal forecast --recorded-cores 1 --what-if 0 locks.txt
pscal forecast: --what-if 0: give SITE=SHARE or FUNCTION=SHARE, a share as .5 or 50%, or up to 8 of them with commas between
? 2
$ pscal forecast --recorded-cores 1 --what-if 0=1.5 locks.txt
pscal forecast: --what-if 0=1.5: a replay cannot make the waits at 'lock 0x7ffc1000' longer: give a share up to 1 or 100%
? 1
$ pscal forecast --recorded-cores 1 --what-if 0=nan locks.txt
pscal forecast: --what-if 0=nan: give SITE=SHARE or FUNCTION=SHARE, a share as .5 or 50%, or up to 8 of them with commas between
? 2
$ pscal forecast --recorded-cores 1 --why --model closed-form locks.txt
pscal forecast: --why: needs a replay, and --model asks for the closed form
? 2

# Five such threads: the law takes the mutex for contention, and its error is reported.

$ awk -v threads=5 -f "$DATA/replay/locks.awk" </dev/null >five.txt; pscal forecast -q --recorded-cores 1 -n 8 --usl five.txt
t1 takes 0.420 s on 8 cores, 1.3x faster than on one.
Limit 0.420 s: 'lock 0x7ffc1000' is locked for 0.375 s of it, one thread at a
time. Without waiting for it: 0.140 s.
! Memory is assumed to keep up with more cores: record on more cores to see.

cores  wall time    90 % interval  speedup  efficiency
    8    0.420 s  0.354 - 0.499 s     1.3x        16 %

Universal Scalability Law through the replay
alpha, contention               0.734227
beta, coherency                 0
gamma, runs per second on one   1.93254
R^2                             0.833928
error against the replay (RMS)  3.8 %
... largest                     -6.4 %
... at cores                    2

! The law misses the replay by up to 6 %: rely on the wall times instead.
$ pscal forecast --recorded-cores 1 -n 8 --usl --format json five.txt | jq -c '.usl | keys_unsorted, [.points[] | [.cores, .wall_s]], .falls'
["alpha","beta","gamma","nc","xmax","r2","rms_error","max_error","max_error_n","falls","points"]
[[1,0.54],[2,0.42],[3,0.42],[4,0.42],[5,0.42]]
false
$ pscal forecast --recorded-cores 1 --usl locks.txt
pscal forecast: --usl: no more than 2 threads are ready at a time, and a curve needs 4 core counts; record the program with more threads
? 1

# A replay in doubt has to be requested; without a replay there is no answer.

$ awk -v scale=.02 -v wakes=1 -f "$DATA/replay/phases.awk" </dev/null >short.txt; pscal forecast -q --recorded-cores 1 --why short.txt
8 cores: 6.00 ms (4.37 - 6.86 ms); unlimited cores: 6.00 ms. Its serial part
costs most: thread 1, t1, computes alone for 2.00 ms (33.3 %).
Limit 6.00 ms: thread 3, t3, has 4.00 ms of work. No number of cores helps; two
such threads would: 4.00 ms.
! Doubtful. The recording is too short (10.0 ms). Record a longer run.

On 8 cores, doubtful: see above
waits at                   calls   waited  without it   saves
serial part: thread 1, t1      -  2.00 ms     4.00 ms  33.3 %
$ pscal forecast --recorded-cores 1 -n 2 --why --model replay --format csv short.txt
cores,site,name,kind,visits,waited_s,wall_s,without_wall_s,saved_s,saved_share,sites,thread_name,pid,chain,address,share,path_s,work_s
$ awk -v scale=1 -f "$DATA/replay/phases.awk" </dev/null >asleep.txt; pscal forecast --recorded-cores 1 --what-if 0=0 asleep.txt
pscal forecast: --what-if needs a replay: The recording has no wakeups. Record with pscal record, as root
? 1
$ pscal forecast --recorded-cores 1 --usl "$DATA/examples/profile.csv"
pscal forecast: $DATA/examples/profile.csv: is a profile, and --usl needs a recording
? 2

# Several values in one call, the sites that there are, and conditions.

$ pscal forecast -q --recorded-cores 1 -n 1,2 --what-if 'lock 0x7ffc1000=0,50%' --what-if 'sleep=0' locks.txt
With 'lock 0x7ffc1000=0%, sleep=0%': 0.100 s on 2 cores, 49 % less than the
0.195 s as it is.
! Memory is assumed to keep up with more cores: record on more cores to see.

wall time, if this share is left of the waits at 'lock 0x7ffc1000' and the waits at 'sleep'
cores  as it is         0 %, 0 %        50 %, 0 %
    1   0.240 s  0.200 s (-17 %)  0.200 s (-17 %)
    2   0.195 s  0.100 s (-49 %)  0.128 s (-35 %)
$ pscal forecast --recorded-cores 1 -n 1,2 --what-if 0=0,50% --format csv locks.txt | cut -d, -f1-3
what_if,cores,wall_s
lock 0x7ffc1000=0%,1,0.24
lock 0x7ffc1000=0%,2,0.14
lock 0x7ffc1000=50%,1,0.24
lock 0x7ffc1000=50%,2,0.1675
$ pscal forecast --recorded-cores 1 --what-if 0=0,50% --what-if 2=0,0.5,1 locks.txt
pscal forecast: --what-if 0=0,50%: has 2 values, and another one has 3
? 1
# Two processes have a lock of that name.

$ { cat locks.txt; sed -E 's/ 1\/([1-3]) / 11\/1\1 /; s/pid=([1-3])\b/pid=1\1/g; s/ 100\./ 101./' locks.txt; } >two.txt; pscal forecast --recorded-cores 1 --what-if 'lock 0x7ffc1000=0' two.txt
pscal forecast: --what-if lock 0x7ffc1000=0: 2 wait sites are named 'lock 0x7ffc1000': give the number of one: 0 (lock 0x7ffc1000), 1 (lock 0x7ffc1000)
? 1

# The list of all names.

$ pscal forecast --recorded-cores 1 --what-if list locks.txt
site  kind   calls  waits at
   0  lock      10  lock 0x7ffc1000
   1  join       2  join by t1/1
   2  sleep      1  sleep
$ pscal forecast -q --recorded-cores 1 --why --by process locks.txt | sed -n '/^On/,/^$/p'
On 8 cores
waits at          calls   waited  without it   saves
process 1: lock      10  0.095 s     0.140 s  28.2 %
process 1: sleep      1  0.040 s     0.155 s  20.5 %
$ pscal forecast --by name locks.txt
pscal forecast: --by: needs --why
? 2
$ pscal forecast -q --recorded-cores 1 -n 2 --assert 'wall_s(2)<=.2' --assert 'speedup(4).best>=2' --format json locks.txt | jq -c '.assertions[] | [.assertion, .holds]'
pscal forecast: 'wall_s(2)<=.2' is not shown: 0.195, but perhaps 0.217 (90 %) (and 1 more)
["wall_s(2)<=.2",false]
["speedup(4).best>=2",false]
$ pscal forecast -k 2 locks.txt
pscal forecast: -k is now -n or --cores
? 2
$ pscal forecast -v --recorded-cores 1 -n 64 locks.txt
t1 takes 0.195 s on 64 cores, 1.2x faster than on one.
Limit 0.195 s: 'lock 0x7ffc1000' is locked for 0.150 s of it, one thread at a
time. Without waiting for it: 0.140 s.
CPUs used: 0.833 of 1, 200 ms CPU time.
Run-queue wait: 180 ms in all; p50 20.0 ms, p99 20.0 ms, longest 20.0 ms.
! Memory is assumed to keep up with more cores: record on more cores to see.
! 64 cores are far from the 1 of the recording: check with a recording on more.

model               replay
recorded on cores   1
recorded wall time  240 ms

cores  wall time    90 % interval  speedup  efficiency  lower bound  closed form
   64    0.195 s  0.170 - 0.223 s     1.2x         2 %       150 ms       150 ms

Trust: replay, reproduces the recorded run within 0.1 %; 15 of 19 checks passed,
1 failed: steps; 3 open (-v).

Recorded with -e instructions,cache-misses, a forecast checks itself whether the
work is memory-bound.

Intervals include 6.5 % per doubling of cores for cache, memory and clock
effects (--discrepancy), and nothing for the variation of steps.

Intervals lack the variation of the machine's speed between runs: 'pscal
forecast --calibrate' on that machine, at three times or more, or several
recordings measure it.

check       result   value  passed if
wakes       passed       1  wakeups are recorded
length      passed  240 ms  the recording lasts 100 ms or more
steps       FAILED      28  threads wait or wake 100 times or more
complete    passed       0  no events are missing
known       passed     0 %  the state of threads is unknown for 2 % of the time or less
certain     passed     0 %  the waker is a guess for 5 % of the waits or fewer
inside      passed     0 %  10 % or less of the waiting is for I/O and other processes
alone       passed     0 %  other programs took 5 % or less of the usable CPU time
finishes    passed       0  the replay ends
recognised  passed       0  locks, queues, barriers and joins are replayed as such
locks       passed     0 %  5 % or less of the wall time is waiting for locks, or more cores gain nothing
contention  passed     0 %  half of the waits or fewer are for locks, or these are few, or the recording is of two cores or more
barriers    passed     0 %  5 % or fewer of the waits for threads may be barriers
polls       passed     0 %  5 % or less of the wall time depends on polling
costs       passed     0 %  recording calls took 10 % of the CPU time or less
repeats     passed     0 %  the replay reproduces the recorded run within 10 %
memory      open         -  10 cache misses per 1000 instructions or fewer
threads     open         3  the program has as many threads on other machines
spinning    open         -  no thread is busy-waiting

Assumes the same threads, work and order of waits, and unchanged CPU, memory and
I/O speed.

next: pscal forecast --why locks.txt
$ printf 'active,wall_s\n0,1\n' | pscal forecast --recorded-cores 1
No CPU was used: cores do not matter.

Trust: closed form, without an interval.

# Without the wait for the lock, the program takes less than its unchanged bound, 0.150 s.
$ pscal forecast -v --recorded-cores 1 -n 2 --what-if 0=0 locks.txt | grep -A 1 'lower bound'
cores  wall time    90 % interval  speedup  efficiency  lower bound  closed form
    2    0.140 s  0.126 - 0.156 s     1.7x        86 %       100 ms       150 ms

# If a check fails, the forecast and --why give the same wall times.

$ awk -v scale=.1 -v wakes=1 -f "$DATA/replay/phases.awk" </dev/null >doubt.txt; for why in "" --why; do pscal forecast --recorded-cores 7 -n 1,2,4 --format json $why doubt.txt | jq -c '[.doubt, [.forecast[].wall_s]]'; done
["The recording is too short",[0.05,0.03,0.03]]
["The recording is too short",[0.05,0.03,0.03]]
