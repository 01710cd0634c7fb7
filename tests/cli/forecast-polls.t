# SPDX-License-Identifier: GPL-3.0-or-later
# A thread polls every 10 ms whether two other ones are done, which compute for 400 ms on one core.
# On two cores they take 200 ms, so it polls half as often. If one of them wakes it in the end, the
# replay knows that, and if they end then, it waits for their ends; if no event shows the goal of
# the polls, the replay is in doubt, and its interval reaches to the closed form.

$ awk -v wakes=1 -f "$DATA/replay/polls.awk" </dev/null >woken.txt; pscal forecast --recorded-cores 1 -n 2 --format csv woken.txt
cores,wall_s,speedup,efficiency,model,lo_s,hi_s,discrepancy,closed_form_s,work_bound_s,path_bound_s,lock_bound_s,recorded_s
2,0.2,1.9789999999999999,0.9894999999999999,replay,0.1797203228842054,0.22256803993042112,0.065,0.20041,0.1979,0.2,0,
$ awk -v wakes=0 -f "$DATA/replay/polls.awk" </dev/null >ends.txt; pscal forecast --recorded-cores 1 -n 2 --format csv ends.txt
cores,wall_s,speedup,efficiency,model,lo_s,hi_s,discrepancy,closed_form_s,work_bound_s,path_bound_s,lock_bound_s,recorded_s
2,0.2058,1.9475218658892126,0.9737609329446063,replay,0.18493221224784734,0.2318795803674503,0.065,0.20541,0.2004,0.2058,0,
$ awk -v stay=1 -f "$DATA/replay/polls.awk" </dev/null >looks.txt; pscal forecast --recorded-cores 1 -n 2 looks.txt
t1 takes 0.401 s on 2 cores, as on one.
Limit 0.401 s: sleeps, and waits for I/O or other processes. Without them:
0.200 s.
CPUs used: 1 of 1, 401 ms CPU time.
Run-queue wait: 392 ms in all; p50 10.0 ms, p99 10.0 ms, longest 10.0 ms.
! Doubtful. Threads poll for something not recorded (50 % of the wall time).

cores  wall time    90 % interval  speedup  efficiency
    2    0.401 s  0.185 - 0.446 s     1.0x        50 %

Trust: replay, reproduces the recorded run within 0.1 %; 14 of 19 checks passed,
2 failed: steps, polls; 3 open (-v).

next: pscal forecast --why looks.txt
$ pscal forecast --recorded-cores 1 -n 2 --format json looks.txt | jq -c '.checks[] | select(.check == "polls")'
{"check":"polls","passed":false,"value":0.499001996007984,"limit":0.05,"decides":true,"meaning":"Threads poll for something not recorded","advice":null}
$ pscal forecast --recorded-cores 1 -n 2 --model replay --format csv looks.txt
cores,wall_s,speedup,efficiency,model,lo_s,hi_s,discrepancy,closed_form_s,work_bound_s,path_bound_s,lock_bound_s,recorded_s
2,0.4008,1,0.5,replay,0.18458175761822315,0.4460263520205639,0.065,0.20541,0.2004,0.4008,0,
$ pscal forecast --recorded-cores 1 -n 2 --why --format csv woken.txt
cores,site,name,kind,visits,waited_s,wall_s,without_wall_s,saved_s,saved_share,sites,thread_name,pid,chain,address,share,path_s,work_s
2,0,timed wait,sleep,39,0.195,0.2,0.2,0,0,1,,1,,,0,,

# A thread waits for pieces of work from two other ones, for at most 50 ms. On one core that time
# passes before every second piece; on two cores, on which they take 160 ms, never.

$ awk -f "$DATA/replay/seldom.awk" </dev/null >seldom.txt; pscal forecast --recorded-cores 1 -n 2 --format json seldom.txt | jq -c '.forecast[] | [.model, .wall_s]'
["replay",0.1602]
$ pscal forecast --recorded-cores 1 -n 2 --why --format csv seldom.txt | cut -d, -f1-6
cores,site,name,kind,visits,waited_s
2,3,t1/1 <-> t3/3,threads,3,0.00018
2,1,timed wait,sleep,4,0.15964

# Two threads on one core wait for a mutex in loops of pthread_mutex_trylock and sched_yield.
# Without the calls a replay does not know the mutex, and is in doubt; with them it is a lock, and
# the forecast for two cores is as long as the run.

$ awk -f "$DATA/replay/trylock.awk" </dev/null >tries.txt; pscal forecast --recorded-cores 1 -n 2 tries.txt
t1 takes 0.104 s on 2 cores, 2.0x faster than on one.
Limit 0.104 s: 2 threads with up to 0.104 s of work each; only more would help.
CPUs used: 1 of 1, 208 ms CPU time.
Run-queue wait: 206 ms in all; p50 2.00 us, p99 49.7 us, longest 50.0 us.
! Doubtful. Threads poll with sched_yield for something not recorded (33 % of
  the wall time).

cores  wall time    90 % interval  speedup  efficiency
    2    0.104 s  0.093 - 0.117 s     2.0x       100 %

Trust: replay, reproduces the recorded run within 0.1 %; 15 of 19 checks passed,
1 failed: polls; 3 open (-v).

next: pscal record --sync=all -- COMMAND; pscal forecast --why
$ awk -v calls=1 -f "$DATA/replay/trylock.awk" </dev/null >calls.txt; for file in tries.txt calls.txt; do pscal forecast --recorded-cores 1 -n 2 --format json $file | jq -c '[.model, .doubt, .forecast[0].wall_s], (.checks[] | select(.check == "polls") | [.passed, .value, .meaning, .advice])'; done
["replay","Threads poll with sched_yield for something not recorded",0.104049]
[false,0.3333108645295161,"Threads poll with sched_yield for something not recorded","Record with --sync=all: it shows locks that they try to get"]
["replay",null,0.200099]
[true,0,"5 % or less of the wall time depends on polling",null]
