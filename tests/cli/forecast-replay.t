# SPDX-License-Identifier: GPL-3.0-or-later
# The forecast by replay. On one core two threads compute for 200 ms each, in turns of 10 ms; the
# last one wakes a third, which computes for 100 ms. On two cores that takes 200 + 100 ms, whereas
# the closed form lets all of it overlap.

$ awk -v scale=1 -v wakes=1 -f "$DATA/replay/phases.awk" </dev/null >trace.txt; pscal forecast --cores 1 -k 1,2,4 trace.txt
model               replay
measured on cores   1
measured wall time  0.5000 s

cores  wall time  90 % from        to  speed-up  efficiency     bound  closed form
    1   0.5000 s          -         -     1.00x     100.0 %  0.5000 s     0.5000 s
    2   0.3000 s   0.2696 s  0.3339 s     1.67x      83.3 %  0.3000 s     0.2500 s
    4   0.3000 s   0.2622 s  0.3432 s     1.67x      41.7 %  0.3000 s     0.2500 s

For each doubling of cores the interval takes 6.5 % for what that changes in
caches, memory and clock (--discrepancy). It has nothing for steps that vary.

On the cores of the recording, as far as the target had them, the replay misses
its wall time by 0.00 %.

Does not hold: the program has 100 steps or more (7): there are few steps to
tell how much they vary.

Not known from this recording: whether as many threads work on other numbers of
cores, and whether no thread computes only to wait.

The replay lets threads take the steps that they took, and wait for each other
as they did. It takes their work, the clock, the speed of memory, and waits for
what is outside not to depend on the number of cores.
$ pscal forecast --cores 1 -k 2 --format csv <trace.txt
cores,wall_s,speedup,efficiency,model,lo_s,hi_s,discrepancy,closed_form_s,work_bound_s,path_bound_s,lock_bound_s
2,0.3,1.6666666666666667,0.8333333333333334,replay,0.26958048432630805,0.33385205989563166,0.065,0.25,0.25,0.3,0
$ pscal forecast --cores 1 -k 2 --format json trace.txt | jq -c 'keys_unsorted, .forecast[], [.validity[] | [.condition, .holds, .decides]]'
["model","measured_cores","measured_wall_s","unknown_s","slowdown","reason","assumptions","spin","spin_share","yield_share","replicates","calls_cost_s","anchor","attached","forecast","interval_terms","discrepancy_per_doubling","overhead_share","validity","quality"]
{"cores":2,"wall_s":0.3,"speedup":1.6666666666666667,"efficiency":0.8333333333333334,"model":"replay","lo_s":0.26958048432630805,"hi_s":0.33385205989563166,"discrepancy":0.065,"closed_form_s":0.25,"work_bound_s":0.25,"path_bound_s":0.3,"lock_bound_s":0}
[["wakes",true,true],["length",true,true],["steps",false,false],["complete",true,true],["known",true,true],["certain",true,true],["inside",true,false],["alone",true,false],["finishes",true,true],["recognised",true,false],["locks",true,true],["barriers",true,false],["polls",true,true],["costs",true,false],["repeats",true,true],["threads",null,false],["spinning",null,false]]
$ pscal forecast --cores 1 -k 2 --model closed-form --format csv trace.txt
cores,wall_s,speedup,efficiency,model,lo_s,hi_s,discrepancy,closed_form_s,work_bound_s,path_bound_s,lock_bound_s
2,0.25,2,1,closed-form,,,,0.25,,,
$ pscal forecast --cores 1 -k 2 --tid 2 --format csv trace.txt
cores,wall_s,speedup,efficiency,model,lo_s,hi_s,discrepancy,closed_form_s,work_bound_s,path_bound_s,lock_bound_s
2,0.2,1,0.5,replay,0.1797203228842054,0.22256803993042112,0.065,0.5,0.1,0.2,0

# Held against what was measured.

$ printf '1,0.5\n2,0.31\n' >runs.csv; pscal forecast -q --cores 1 --measured runs.csv trace.txt | sed -n '5,13p'
cores  wall time  90 % from        to  speed-up  efficiency  measured  runs   error  closed form  its error
    1   0.5000 s          -         -     1.00x     100.0 %  0.5000 s     1   0.0 %     0.5000 s      0.0 %
    2   0.3000 s   0.2696 s  0.3339 s     1.67x      83.3 %  0.3100 s     1  -3.2 %     0.2500 s    -19.4 %

The forecast misses what was measured by 3.2 % on average: the mean absolute
relative error on 1 core count, without the 1 that the profile is of.

The closed form misses it by 19.4 %.

# What is too short, has no wakes or has lost records is answered by the closed form, and by a replay
# only where that is asked for and possible.

$ awk -v scale=.02 -v wakes=1 -f "$DATA/replay/phases.awk" </dev/null >short.txt; pscal forecast -q --cores 1 -k 2 short.txt
model               closed-form
measured on cores   1
measured wall time  0.0100 s

cores  wall time  speed-up  efficiency
    2   0.0050 s     2.00x     100.0 %

It is the closed form, and not a replay: the recording is too short to tell how
the program goes on.

The closed form takes active threads to be independent, and their work, the
clock and the speed of memory not to depend on the number of cores: no lock that
binds only on more of them, no spinning. It gives no interval.
$ pscal forecast --cores 1 -k 2 --model replay short.txt | tail -n +5
cores  wall time  speed-up  efficiency     bound  closed form
    2   0.0060 s     1.67x      83.3 %  0.0060 s     0.0050 s

On the cores of the recording, as far as the target had them, the replay misses
its wall time by 0.00 %.

Does not hold: the recording is of 100 ms or more (0.01 s): the recording is too
short to tell how the program goes on.

Does not hold: the program has 100 steps or more (7): there are few steps to
tell how much they vary.

Not known from this recording: whether as many threads work on other numbers of
cores, and whether no thread computes only to wait.

The replay lets threads take the steps that they took, and wait for each other
as they did. It takes their work, the clock, the speed of memory, and waits for
what is outside not to depend on the number of cores.
$ awk -v scale=1 -f "$DATA/replay/phases.awk" </dev/null >asleep.txt; pscal forecast --cores 1 -k 2 --format json asleep.txt | jq -c '[.model, .reason]'
["closed-form","the recording holds no wakes, so that it does not tell who waited for whom"]
$ pscal forecast --cores 1 -k 2 --model replay asleep.txt
pscal forecast: --model replay: cannot say: the recording holds no wakes, so that it does not tell who waited for whom; take --model closed-form
? 1
$ awk -v scale=1 -v wakes=1 -v lost=1 -f "$DATA/replay/phases.awk" </dev/null >lost.txt; pscal forecast --cores 1 -k 2 --format json lost.txt | jq -c '[.model, .reason]'
["closed-form","records are missing, and with them waits and wakes"]
$ pscal forecast --cores 1 -k 2 --model replay "$DATA/examples/profile.csv"
pscal forecast: $DATA/examples/profile.csv: is a profile, of which there is no replay: give the recording
? 1
$ pscal forecast --model guess trace.txt
pscal forecast: --model guess: the models are closed-form and replay
? 2

# The picture has the interval and the closed form too.

$ pscal forecast --cores 1 -k 1,2 --plot a.gp trace.txt >forecast.txt; sed '/^#/d' a.gp | sed -n '/^.curve/,/^.asked/p'
$curve << END
1 0.5 1
2 0.3 1.666666667
END
$beside << END
1 0.5 1
2 0.25 2
END
$interval << END
2 0.2695804843 0.3338520599
END
has_interval = 1
is_replay = 1
$asked << END
$ pscal forecast --cores 1 -k 1,2 --plot a.svg trace.txt >forecast.txt && grep -o 'closed form' a.svg
closed form
closed form
