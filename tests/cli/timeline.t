# SPDX-License-Identifier: GPL-3.0-or-later
# Intervals of states, from a few lines with a plain answer.

$ pscal timeline --pid 51 "$DATA/cc.perf-script.txt"
1 thread in 10.0 ms, with 6.50 ms of CPU time and 2 context switches.

tid  pid  thread      CPU  run queue  blocked     disk  voluntary  involuntary  wakeups
 51    -  cc      6.50 ms    1.50 ms     0 ns  2.00 ms          2            0        1

         start         seconds      tid  thread           state     cpu    waker
   0.000000000     0.001000000       51  cc               runnable    -        -
   0.001000000     0.003000000       51  cc               running     0        -
   0.004000000     0.002000000       51  cc               disk        -        -
   0.006000000     0.000500000       51  cc               runnable    -        0
   0.006500000     0.003500000       51  cc               running     1        -

$ pscal timeline --pid 51 --format csv "$DATA/cc.perf-script.txt"
start_s,end_s,duration_s,tid,pid,comm,state,cpu,waker,name,start_function
0,0.001,0.001,51,,cc,runnable,,,cc,
0.001,0.004,0.003,51,,cc,running,0,,cc,
0.004,0.006,0.002,51,,cc,disk,,,cc,
0.006,0.0065,0.0005,51,,cc,runnable,,0,cc,
0.0065,0.01,0.0035,51,,cc,running,1,,cc,

$ pscal timeline --pid 51 --format json "$DATA/cc.perf-script.txt" | jq -c '.timeline[]'
{"start_s":0,"end_s":0.001,"duration_s":0.001,"tid":51,"pid":null,"comm":"cc","state":"runnable","cpu":null,"waker":null,"name":"cc","start_function":null}
{"start_s":0.001,"end_s":0.004,"duration_s":0.003,"tid":51,"pid":null,"comm":"cc","state":"running","cpu":0,"waker":null,"name":"cc","start_function":null}
{"start_s":0.004,"end_s":0.006,"duration_s":0.002,"tid":51,"pid":null,"comm":"cc","state":"disk","cpu":null,"waker":null,"name":"cc","start_function":null}
{"start_s":0.006,"end_s":0.0065,"duration_s":0.0005,"tid":51,"pid":null,"comm":"cc","state":"runnable","cpu":null,"waker":0,"name":"cc","start_function":null}
{"start_s":0.0065,"end_s":0.01,"duration_s":0.0035,"tid":51,"pid":null,"comm":"cc","state":"running","cpu":1,"waker":null,"name":"cc","start_function":null}

$ pscal timeline --pid 51 --from 4ms --to 5.9ms --format csv "$DATA/cc.perf-script.txt" | cut -d, -f1,7
start_s,state
0.001,running
0.004,disk

$ pscal timeline --tid 50 --format csv "$DATA/cc.perf-script.txt" | cut -d, -f1,2,4,7
start_s,end_s,tid,state
0,0.001,50,running
0.001,0.01,50,sleeping

$ pscal timeline --pid 77 "$DATA/cc.perf-script.txt"
pscal timeline: the recording has no thread for --pid 77; its threads are cc, make
? 1

$ pscal timeline --from 2 --to 1 "$DATA/cc.perf-script.txt"
pscal timeline: --to 1: is before --from 2
? 2

$ pscal timeline --from yesterday "$DATA/cc.perf-script.txt"
pscal timeline: --from: 'yesterday' is not a time; try 250ms, 10s or 2m
? 2

$ pscal profile --pid 51 --format csv "$DATA/cc.perf-script.txt"
ready,wall_s,share
0,0.002,0.2
1,0.008,0.8

$ pscal timeline -q --audit --pid 60 "$DATA/trouble.perf-script.txt"
          time         place  cpu      tid  thread           case                           since  taken as  action
   0.000900000             4    1       60  job              witnessed_switch_ins     0.000300000  sleeping  running since the time that sched_stat_runtime gives
   0.000900000             4    1       60  job              repaired_wakes           0.000300000  sleeping  taken to have slept up to here
   0.001300000             7    1       60  job              missed_switch_ins        0.001000000  active    unknown when it got the CPU
   0.001600000             8    1       60  job              missed_switch_ins        0.001300000  unknown   unknown when it got the CPU
   0.001800000             9    1       60  job              repaired_wakes           0.001600000  sleeping  taken to have slept up to here
   0.001800000            10    1        0  swapper/1        repeated                           -  -         passed over
   0.001800000            12    0       40  sh               late                               -  -         taken as happening now
   0.001800000            11    -        -  -                malformed                          -  -         passed over
   0.002000000            13    1       60  job              missed_switch_outs       0.001800000  unknown   unknown since it got the CPU
   0.002000000            14    0       40  sh               clock_back                         -  -         passed over
   0.002400000            15    0       60  job              reused_numbers           0.002000000  unknown   another thread from here on

! 1 event came late. Each counts from the time at which it was read.
! 1 record or line was not understood and left out.
! 2 wakeups are missing; the thread counts as blocked until it got a CPU.
! 1 event was left out: more than 0.1 s older than the event before. Many in a
  row mean that the clock was set back: threads are then unknown until their
  next event.

$ pscal timeline -q --audit --pid 60 --tid 60 --from 1.5ms --to 2ms --format csv "$DATA/trouble.perf-script.txt"
time_s,place,cpu,tid,comm,case,since_s,past,action
0.0016,8,1,60,job,missed_switch_ins,0.0013,unknown,unknown when it got the CPU
0.0018,9,1,60,job,repaired_wakes,0.0016,sleeping,taken to have slept up to here
0.002,13,1,60,job,missed_switch_outs,0.0018,unknown,unknown since it got the CPU

$ pscal timeline --audit --pid 60 --format json "$DATA/trouble.perf-script.txt" | jq -c '.audit[5,6], (.quality | map_values(select(. != 0 and . != false)))'
{"time_s":0.0018,"place":10,"cpu":1,"tid":0,"comm":"swapper/1","case":"repeated","since_s":null,"past":null,"action":"passed over"}
{"time_s":0.0018,"place":12,"cpu":0,"tid":40,"comm":"sh","case":"late","since_s":null,"past":null,"action":"taken as happening now"}
{"events":16,"late":1,"malformed":1,"repaired_wakes":2,"missed_switch_ins":2,"missed_switch_outs":1,"witnessed_switch_ins":1,"clock_back":1,"repeated":1,"reused_numbers":1}

$ pscal timeline -q --pid 60 --format csv "$DATA/trouble.perf-script.txt" | cut -d, -f2,7
end_s,state
0.0001,runnable
0.0003,running
0.0007,sleeping
0.0009,running
0.001,sleeping
0.0013,active
0.0016,unknown
0.0018,sleeping
0.002,unknown
0.0024,unknown
0.0025,runnable
0.0029,running

$ awk '{ print } NR == 11 { for (i = 0; i < 1100; i++) print }' "$DATA/trouble.perf-script.txt" | pscal timeline --audit -q --pid 60 - | grep -c malformed
1001

$ awk '{ print } NR == 11 { for (i = 0; i < 1100; i++) print }' "$DATA/trouble.perf-script.txt" | pscal timeline --audit -q --pid 60 - | tail -n 2
  row mean that the clock was set back: threads are then unknown until their
  next event.

# The longest intervals; an unknown column is refused before any row.
$ pscal timeline -q --sort seconds --limit 2 "$DATA/examples/trace.txt"
         start         seconds      tid  thread           state     cpu    waker
   0.000000000     0.041242625     5418  pscal            unknown     -        -
   0.000327709     0.040914916       44  kworker/0:1H     unknown     -        -
... 117 more; --all

! 3 wakeups are missing; the thread counts as blocked until it got a CPU.
$ for option in -q --json --audit; do pscal timeline $option --sort second "$DATA/examples/trace.txt"; done
pscal timeline: --sort second: no table has this column; did you mean 'seconds'?
pscal timeline: --sort second: no table has this column; did you mean 'seconds'?
pscal timeline: --sort second: no table has this column; there are time, place, cpu, tid, thread, case, since, taken as, action
? 1
$ pscal timeline --sort secnds --format csv "$DATA/examples/trace.txt" | wc -l
pscal timeline: --sort secnds: no table has this column; did you mean 'seconds'?
0
$ pscal timeline --enter-leave --sort start "$DATA/examples/blocks.txt"
pscal timeline: --enter-leave: is a format of its own, without --sort
? 2

# An empty list of flaws is reported as such.
$ pscal timeline --audit -q "$DATA/examples/serial1.data.gz"

No single event shows a flaw.
