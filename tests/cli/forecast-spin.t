# SPDX-License-Identifier: GPL-3.0-or-later
# Busy-waiting is known from samples and from calls of sched_yield, which this recording lacks: the
# forecast is unchanged, and a note says so. tests/live/forecast_spin.sh has samples.

$ awk -v scale=1 -v wakes=1 -f "$DATA/replay/phases.awk" </dev/null >trace.txt; pscal forecast --recorded-cores 1 -n 2 --spin waiting trace.txt
t1 takes 0.300 s on 2 cores, 1.7x faster than on one.
Limit 0.300 s: thread 3, t3, has 0.200 s of work. No number of cores helps; two
such threads would: 0.200 s.
CPUs used: 1 of 1, 500 ms CPU time.
Run-queue wait: 500 ms in all; p50 10.1 ms, p99 110 ms, longest 110 ms.
! Memory is assumed to keep up with more cores: record on more cores to see.

cores  wall time    90 % interval  speedup  efficiency
    2    0.300 s  0.270 - 0.334 s     1.7x        83 %

Trust: replay, reproduces the recorded run within 0.1 %; 15 of 19 checks passed,
1 failed: steps; 3 open (-v).

! --spin waiting changes nothing: no samples (-F) and no sched_yield recorded.

next: pscal record -o other.data -- COMMAND; pscal forecast other.data trace.txt
$ for kind in work waiting; do pscal forecast --recorded-cores 1 -n 2 --spin $kind --format json trace.txt | jq -c '[.spin, .spin_share, .forecast[0].wall_s], (.checks[] | select(.check == "spinning"))'; done
["work",null,0.3]
{"check":"spinning","passed":null,"value":null,"limit":0.02,"decides":false,"meaning":"Busy-waiting counts as work","advice":"Try --spin waiting"}
["waiting",null,0.3]
{"check":"spinning","passed":null,"value":null,"limit":0.02,"decides":false,"meaning":"Busy-waiting counts as work","advice":"Try --spin waiting"}
$ pscal forecast --recorded-cores 1 -n 2 --model closed-form --format json trace.txt | jq -c '[.spin, .spin_share]'
[null,null]

# Also for a replay in doubt.

$ awk -v scale=.02 -v wakes=1 -f "$DATA/replay/phases.awk" </dev/null >short.txt; pscal forecast --recorded-cores 1 -n 2 --spin waiting short.txt | grep -- --spin
! --spin waiting changes nothing: no samples (-F) and no sched_yield recorded.

# A thread that calls sched_yield repeatedly for 50 ms of its 120 ms leaves its core to the other
# thread: 170 ms of work are left for one core.

$ awk -f "$DATA/replay/yields.awk" </dev/null >yields.txt; for kind in work waiting; do pscal forecast -n 1-3 --spin $kind --format json yields.txt | jq -c '[.spin, .spin_share, .yield_share, .forecast[].wall_s], (.checks[] | select(.check == "spinning" or .check == "steps") | [.check, .passed, .value])'; done
["work",null,0.22727169421957172,0.220001,0.12,0.12]
["steps",true,5008]
["spinning",false,0.22727169421957172]
["waiting",null,0.22727169421957172,0.17025075,0.12,0.12]
["steps",false,8]
["spinning",null,0]
$ pscal forecast -n 1 --spin waiting yields.txt
t1 takes 0.170 s on 1 core.
Limit 0.120 s: thread 2, t2, has 0.070 s of work. No number of cores helps; two
such threads would: 0.100 s.
CPUs used: 1.83 of 2, 220 ms CPU time.

cores  wall time    90 % interval  speedup  efficiency
    1    0.170 s  0.153 - 0.189 s     1.0x       100 %

Trust: replay, reproduces the recorded run within 0.1 %; 15 of 19 checks passed,
1 failed: steps; 3 open (-v).

Repeated sched_yield takes 22.7 % of the CPU time and is replayed as waiting.
Record with -F to find other busy-waiting.

next: pscal forecast --why yields.txt
# A thread that mostly waits so is limited by that, not by sleeps or I/O.
$ sed 's/100[.]05/100.01/; s/100[.]12/100.08/' "$DATA/replay/yields.awk" >long.awk; awk -f long.awk </dev/null >long.txt; pscal forecast -n 1 --spin waiting long.txt | head -3
t1 takes 91.3 ms on 1 core.
Limit 80.0 ms: busy-waiting. Without it: 60.0 ms.
CPUs used: 1.75 of 2, 140 ms CPU time.
$ grep -v sched_yield yields.txt | pscal forecast -n 1 --spin waiting --format json | jq -c '[.spin_share, .yield_share, .forecast[0].wall_s]'
[null,null,0.220001]

$ pscal forecast --spin sleep trace.txt
pscal forecast: --spin sleep: busy-waiting is counted as work or waiting
? 2
$ pscal forecast --spin waiting --model closed-form trace.txt
pscal forecast: --spin: needs a replay, and --model asks for the closed form
? 2
$ pscal forecast --spin waiting "$DATA/examples/profile.csv"
pscal forecast: $DATA/examples/profile.csv: is a profile, and --spin needs a recording
? 2
