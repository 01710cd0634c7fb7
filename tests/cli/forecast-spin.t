# SPDX-License-Identifier: GPL-3.0-or-later
# What threads spin is known from samples and from calls of sched_yield, of which there are none here:
# nothing changes, and that is said. tests/live/forecast_spin.sh has samples.

$ awk -v scale=1 -v wakes=1 -f "$DATA/replay/phases.awk" </dev/null >trace.txt; pscal forecast --cores 1 -k 2 --spin waiting trace.txt
model               replay
measured on cores   1
measured wall time  0.5000 s

cores  wall time  90 % from        to  speed-up  efficiency     bound  closed form
    2   0.3000 s   0.2696 s  0.3339 s     1.67x      83.3 %  0.3000 s     0.2500 s

For each doubling of cores the interval takes 6.5 % for what that changes in
caches, memory and clock (--discrepancy). It has nothing for steps that vary.

The recording has no samples of running threads and no calls of sched_yield, so
that --spin waiting changes nothing: record with -F, or with --sync.

On the cores of the recording, as far as the target had them, the replay misses
its wall time by 0.00 %.

Does not hold: the program has 100 steps or more (7): there are few steps to
tell how much they vary.

Not known from this recording: whether as many threads work on other numbers of
cores, and whether no thread computes only to wait.

The replay lets threads take the steps that they took, and wait for each other
as they did. It takes their work, the clock, the speed of memory, and waits by
spinning and for what is outside not to depend on the number of cores.
$ for kind in work waiting; do pscal forecast --cores 1 -k 2 --spin $kind --format json trace.txt | jq -c '[.spin, .spin_share, .forecast[0].wall_s], (.validity[] | select(.condition == "spinning"))'; done
["work",null,0.3]
{"condition":"spinning","holds":null,"value":null,"limit":0.02,"decides":false,"meaning":"threads that spin do no work, and what they wait for may take another time on other cores: --spin waiting has them wait for as long as they did; samples of running threads tell (record with -F), and of loops of sched_yield their calls (record with --sync)"}
["waiting",null,0.3]
{"condition":"spinning","holds":null,"value":null,"limit":0.02,"decides":false,"meaning":"threads that spin do no work, and what they wait for may take another time on other cores: --spin waiting has them wait for as long as they did; samples of running threads tell (record with -F), and of loops of sched_yield their calls (record with --sync)"}
$ pscal forecast --cores 1 -k 2 --model closed-form --format json trace.txt | jq -c '[.spin, .spin_share]'
[null,null]

# A replay that is not trusted takes it along.

$ awk -v scale=.02 -v wakes=1 -f "$DATA/replay/phases.awk" </dev/null >short.txt; pscal forecast --cores 1 -k 2 --spin waiting short.txt | grep -- --spin
The closed form takes all CPU time for work, --spin or not.

# Who calls sched_yield again and again for 50 ms of its 120 ms leaves its core to the other thread: 170
# ms of work are left for one core.

$ awk -f "$DATA/replay/yields.awk" </dev/null >yields.txt; for kind in work waiting; do pscal forecast -k 1-3 --spin $kind --format json yields.txt | jq -c '[.spin, .spin_share, .yield_share, .forecast[].wall_s], (.validity[] | select(.condition == "spinning" or .condition == "steps") | [.condition, .holds, .value])'; done
["work",null,0.22727169421957172,0.220001,0.12,0.12]
["steps",true,5008]
["spinning",false,0.22727169421957172]
["waiting",null,0.22727169421957172,0.17025075,0.12,0.12]
["steps",false,8]
["spinning",null,0]
$ pscal forecast -k 1 --spin waiting yields.txt
model               replay
measured on cores   2
measured wall time  0.1200 s

cores  wall time  90 % from        to  speed-up  efficiency     bound  closed form
    1   0.1703 s   0.1530 s  0.1895 s     1.00x     100.0 %  0.1700 s     0.2200 s

For each doubling of cores the interval takes 6.5 % for what that changes in
caches, memory and clock (--discrepancy). It has nothing for steps that vary.

Threads call sched_yield again and again for 22.73 % of their CPU time, which
the replay takes for waits of the same length. Other loops that wait are known
from samples only: record with -F.

On the cores of the recording, as far as the target had them, the replay misses
its wall time by 0.00 %.

Does not hold: the program has 100 steps or more (8): there are few steps to
tell how much they vary.

Not known from this recording: whether as many threads work on other numbers of
cores, and whether no thread computes only to wait.

The replay lets threads take the steps that they took, and wait for each other
as they did. It takes their work, the clock, the speed of memory, and waits by
spinning and for what is outside not to depend on the number of cores.
$ grep -v sched_yield yields.txt | pscal forecast -k 1 --spin waiting --format json | jq -c '[.spin_share, .yield_share, .forecast[0].wall_s]'
[null,null,0.220001]

$ pscal forecast --spin sleep trace.txt
pscal forecast: --spin sleep: threads that spin are taken for work or waiting
? 2
$ pscal forecast --spin waiting --model closed-form trace.txt
pscal forecast: --spin: is for replays, and --model asks for the closed form
? 2
$ pscal forecast --spin waiting "$DATA/examples/profile.csv"
pscal forecast: $DATA/examples/profile.csv: is a profile, of which there is no replay: give the recording
? 1
