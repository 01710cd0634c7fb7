# SPDX-License-Identifier: GPL-3.0-or-later
# The forecast by replay. On one core two threads compute for 200 ms each, in turns of 10 ms; the
# last one wakes a third, which computes for 100 ms. On two cores that takes 200 + 100 ms, whereas
# the closed form lets all of it overlap.

$ awk -v scale=1 -v wakes=1 -f "$DATA/replay/phases.awk" </dev/null >trace.txt; pscal forecast --recorded-cores 1 -n 1,2,4 trace.txt
t1 gains up to 2 cores and no further: 0.300 s, 1.7x faster than on one, if
memory keeps up.
Limit 0.300 s: thread 3, t3, has 0.200 s of work. No number of cores helps; two
such threads would: 0.200 s.
CPUs used: 1 of 1, 500 ms CPU time.
Run-queue wait: 500 ms in all; p50 10.1 ms, p99 110 ms, longest 110 ms.
! Memory is assumed to keep up with more cores: record on more cores to see.

cores  wall time    90 % interval  speedup  efficiency  recorded
    1    0.500 s  0.449 - 0.556 s     1.0x       100 %  0.500 s
    2    0.300 s  0.270 - 0.334 s     1.7x        83 %  -
    4    0.300 s  0.262 - 0.343 s     1.7x        42 %  -

Trust: replay, reproduces the recorded run within 0.1 %; 15 of 19 checks passed,
1 failed: steps; 3 open (-v).

next: pscal record -o other.data -- COMMAND; pscal forecast other.data trace.txt
$ pscal forecast --recorded-cores 1 -n 2 --format csv <trace.txt
cores,wall_s,speedup,efficiency,model,lo_s,hi_s,discrepancy,closed_form_s,work_bound_s,path_bound_s,lock_bound_s,recorded_s
2,0.3,1.6666666666666667,0.8333333333333334,replay,0.26958048432630805,0.33385205989563166,0.065,0.25,0.25,0.3,0,
$ pscal forecast --recorded-cores 1 -n 2 --format json trace.txt | jq -c 'keys_unsorted, .forecast[], [.checks[] | [.check, .passed, .decides]]'
["verdict","bottleneck","model","recorded_cores","recorded_wall_s","unknown_s","others_share","throttled_share","recorded_quota_cpus","quota_cpus","quota_period_s","slowdown","reason","doubt","assumptions","spin","spin_share","yield_share","replicates","calls_cost_s","locks_cost_s","scale","attached","cpu_s","cpus_used","run_queue_s","run_queue_p50_s","run_queue_p99_s","run_queue_max_s","forecast","interval_terms","discrepancy_per_doubling","overhead_share","interval_from","speed_noise","steal_share","checks","quality","warnings"]
{"cores":2,"wall_s":0.3,"speedup":1.6666666666666667,"efficiency":0.8333333333333334,"model":"replay","lo_s":0.26958048432630805,"hi_s":0.33385205989563166,"discrepancy":0.065,"closed_form_s":0.25,"work_bound_s":0.25,"path_bound_s":0.3,"lock_bound_s":0,"recorded_s":null}
[["wakes",true,true],["length",true,true],["steps",false,false],["complete",true,true],["known",true,true],["certain",true,true],["inside",true,false],["alone",true,false],["finishes",true,true],["recognised",true,false],["locks",true,true],["contention",true,true],["barriers",true,false],["polls",true,true],["costs",true,false],["repeats",true,true],["memory",null,false],["threads",null,false],["spinning",null,false]]
$ pscal forecast --recorded-cores 1 -n 2 --model closed-form --format csv trace.txt
cores,wall_s,speedup,efficiency,model,lo_s,hi_s,discrepancy,closed_form_s,work_bound_s,path_bound_s,lock_bound_s,recorded_s
2,0.25,2,1,closed-form,,,,0.25,,,,
$ pscal forecast --recorded-cores 1 -n 2 --tid 2 --format csv trace.txt
cores,wall_s,speedup,efficiency,model,lo_s,hi_s,discrepancy,closed_form_s,work_bound_s,path_bound_s,lock_bound_s,recorded_s
2,0.2,1,0.5,replay,0.1797203228842054,0.22256803993042112,0.065,0.5,0.1,0.2,0,

# Compared with measurements.

$ printf '1,0.5\n2,0.31\n' >runs.csv; pscal forecast -q --recorded-cores 1 --measured runs.csv trace.txt | sed -n '3,11p'
Limit 0.300 s: thread 3, t3, has 0.200 s of work. No number of cores helps; two
such threads would: 0.200 s.

cores  wall time    90 % interval  speedup  efficiency  measured  runs   error
    1    0.500 s  0.449 - 0.556 s     1.0x       100 %    500 ms     1   0.0 %
    2    0.300 s  0.270 - 0.334 s     1.7x        83 %    310 ms     1  -3.2 %
    4    0.300 s  0.262 - 0.343 s     1.7x        42 %         -     -       -
    8    0.300 s  0.262 - 0.343 s     1.7x        21 %         -     -       -

# For a recording that is too short or has lost records, the answer is a replay in doubt; without
# wakeups it is the closed form, and a replay is refused.

$ awk -v scale=.02 -v wakes=1 -f "$DATA/replay/phases.awk" </dev/null >short.txt; pscal forecast -q --recorded-cores 1 -n 2 short.txt
t1 takes 6.00 ms on 2 cores, 1.7x faster than on one.
Limit 6.00 ms: thread 3, t3, has 4.00 ms of work. No number of cores helps; two
such threads would: 4.00 ms.
! Doubtful. The recording is too short (10.0 ms). Record a longer run.

cores  wall time   90 % interval  speedup  efficiency
    2    6.00 ms  4.49 - 6.68 ms     1.7x        83 %
$ pscal forecast --recorded-cores 1 -n 2 --model replay short.txt | tail -n +4
CPUs used: 1 of 1, 10.0 ms CPU time.
Run-queue wait: 10.0 ms in all; p50 199 us, p99 2.20 ms, longest 2.20 ms.
! Doubtful. The recording is too short (10.0 ms). Record a longer run.

cores  wall time   90 % interval  speedup  efficiency
    2    6.00 ms  4.49 - 6.68 ms     1.7x        83 %

Trust: replay, reproduces the recorded run within 0.1 %; 14 of 19 checks passed,
2 failed: length, steps; 3 open (-v).

next: pscal forecast --why short.txt
$ pscal forecast --recorded-cores 1 -n 2 --tid 1,2,3 short.txt | tail -n 1 # of the same threads
next: pscal forecast --why --tid 1,2,3 short.txt
$ awk -v scale=1 -f "$DATA/replay/phases.awk" </dev/null >asleep.txt; pscal forecast --recorded-cores 1 -n 2 --format json asleep.txt | jq -c '[.model, .reason, .doubt]'
["closed-form","The recording has no wakeups",null]
$ pscal forecast --recorded-cores 1 -n 2 --model replay asleep.txt
pscal forecast: --model replay needs a replay: The recording has no wakeups. Record with pscal record, as root
? 1
$ awk -v scale=1 -v wakes=1 -v lost=1 -f "$DATA/replay/phases.awk" </dev/null >lost.txt; pscal forecast --recorded-cores 1 -n 2 --format json lost.txt | jq -c '[.model, .reason, .doubt]'
["replay",null,"Events are missing, and waits and wakeups with them"]
$ pscal forecast --recorded-cores 1 -n 2 --model replay "$DATA/examples/profile.csv"
pscal forecast: $DATA/examples/profile.csv: is a profile, and --model=replay needs a recording
? 2
$ pscal forecast --model guess trace.txt
pscal forecast: --model guess: the models are closed-form and replay
? 2

# The picture has the interval and the closed form too.

$ pscal forecast --recorded-cores 1 -n 1,2 --plot a.gp trace.txt >forecast.txt; sed '/^#/d' a.gp | sed -n '/^.curve/,/^.asked/p'
$curve << END
1 0.5 1
2 0.3 1.666666667
END
$beside << END
1 0.5 1
2 0.25 2
END
$interval << END
1 0.4493008072 0.5564200998
2 0.2695804843 0.3338520599
END
has_interval = 1
is_replay = 1
$law << END
END
has_law = 0
$asked << END
$ pscal forecast --recorded-cores 1 -n 1,2 --plot a.svg trace.txt >forecast.txt && grep -o 'closed form' a.svg
closed form
closed form

# The next command can be pasted into a shell; standard input cannot be read again.
$ cp trace.txt "a trace"; pscal forecast --recorded-cores 1 "a trace" | grep '^next'
next: pscal record -o other.data -- COMMAND; pscal forecast other.data 'a trace'
$ pscal forecast --recorded-cores 1 - <trace.txt | grep '^next'
? 1

# If the threads fill the cores of the recording, and no cache misses were counted, their work may
# be slower.

$ awk -f "$DATA/replay/pair.awk" </dev/null >full.txt; pscal forecast --recorded-cores 2 full.txt | grep '^! Memory\|^next'
! Memory is assumed to keep up with more cores: record on one core to see.
next: taskset -c 0 pscal record -o other.data -- COMMAND; pscal forecast other.data full.txt

# Without CPUs in the text the cores are unknown.

$ sed 's/\[[0-9]*\] //' full.txt >nocpu.txt; pscal forecast nocpu.txt
pscal forecast: the trace does not say on how many cores it was recorded: give --recorded-cores, or print it with 'perf script --ns -F comm,pid,tid,cpu,time,event,trace'
? 1

# The CPU time of waits for locks: 20 waits of 3 us, and 20 wakeups of 2 us.
$ awk -f "$DATA/replay/waits.awk" </dev/null >waits.txt; pscal forecast --json --recorded-cores 2 waits.txt | jq .locks_cost_s
0.0001
$ pscal forecast -v --recorded-cores 2 waits.txt | grep -A1 '^Waits for locks'
Waits for locks took 0.1 ms of CPU time; the replay replaces it by that of its
own waits.
