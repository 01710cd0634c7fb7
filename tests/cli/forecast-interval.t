# SPDX-License-Identifier: GPL-3.0-or-later
# Intervals include changes from other numbers of cores that no recording shows. The program of
# seven steps takes 0.3 s on two cores: with .1 for each doubling, 0.3 exp(-+ 1.6449 x .1), and on
# four cores 0.3 exp(-+ 1.6449 x .1 x sqrt(log2(3))), as it has three threads.

$ awk -v scale=1 -v wakes=1 -f "$DATA/replay/phases.awk" </dev/null >trace.txt; pscal forecast --recorded-cores 1 -n 1,2,4 --discrepancy 10% --format csv trace.txt | awk -F, -v OFS=, '{ if (NR > 1) for (i = 6; i <= 8; i++) if ($i != "") $i = sprintf("%.6f", $i); print $1, $6, $7, $8 }'
cores,lo_s,hi_s,discrepancy
1,0.424165,0.589393,0.100000
2,0.254499,0.353636,0.100000
4,0.243887,0.369024,0.125895
$ pscal forecast --recorded-cores 1 -n 2 --discrepancy 0.2 trace.txt | sed -n '7,11p'

cores  wall time    90 % interval  speedup  efficiency
    2    0.300 s  0.216 - 0.417 s     1.7x        83 %

Trust: replay, reproduces the recorded run within 0.1 %; 15 of 19 checks passed,
$ pscal forecast -q --recorded-cores 1 -n 2 --format json trace.txt | jq -c '[.interval_terms, .discrepancy_per_doubling, .overhead_share, .forecast[0].discrepancy]'
["discrepancy",0.065,0,0.065]

# Without .1 no variation is known, as the steps are so few.

$ pscal forecast --recorded-cores 1 -n 2 --discrepancy 0 --format json trace.txt | jq -c '[.interval_terms, .discrepancy_per_doubling, .overhead_share], .forecast[0].lo_s, .forecast[0].discrepancy'
[null,null,null]
null
null

# The closed form has no interval.

$ pscal forecast -q --recorded-cores 1 -n 2 --model closed-form --format json trace.txt | jq -c '[has("interval_terms"), .forecast[0].lo_s, .forecast[0].discrepancy]'
[false,null,null]
$ pscal forecast --model closed-form --discrepancy 0.1 trace.txt
pscal forecast: --discrepancy: needs a replay, and --model asks for the closed form
? 2
$ pscal forecast --discrepancy 0.1 "$DATA/examples/profile.csv"
pscal forecast: $DATA/examples/profile.csv: is a profile, and --discrepancy needs a recording
? 2
$ pscal forecast --discrepancy 7 trace.txt
pscal forecast: --discrepancy 7: is not a share from 0 to 1 or a percentage
? 2
$ pscal forecast --discrepancy nan trace.txt
pscal forecast: --discrepancy nan: is not a share from 0 to 1 or a percentage
? 2
$ pscal forecast --discrepancy -1% trace.txt
pscal forecast: --discrepancy -1%: is not a share from 0 to 1 or a percentage
? 2
$ pscal forecast --discrepancy much trace.txt
pscal forecast: --discrepancy much: is not a share from 0 to 1 or a percentage
? 2

# If locks bind and no calls are recorded, neither model knows the wall time. The three threads take
# 0.121 s by the replay, in their recorded order, and 0.1805 s by the closed form: the interval
# reaches from one to the other, also without a discrepancy, and results that only a replay has are
# left out.

$ awk -f "$DATA/replay/handovers.awk" </dev/null >handovers.txt; pscal forecast --recorded-cores 1 -n 1,2 --discrepancy 0 handovers.txt
t1 gains up to 2 cores and no further: 0.121 s, 2.0x faster than on one.
Limit 0.121 s: thread 3, t3, has 0.080 s of work. No number of cores helps; two
such threads would: 0.101 s.
CPUs used: 1 of 1, 241 ms CPU time.
Run-queue wait: 122 ms in all; p50 1.01 ms, p99 1.01 ms, longest 1.01 ms.
! Doubtful. One core hides lock contention (98 % of the waits for threads).

cores  wall time    90 % interval  speedup  efficiency  recorded
    1    0.241 s  0.238 - 0.241 s     1.0x       100 %  0.241 s
    2    0.121 s  0.120 - 0.241 s     2.0x       100 %  -

Trust: replay, reproduces the recorded run within 0.1 %; 15 of 19 checks passed,
1 failed: contention; 3 open (-v).

next: pscal record --sync=all -- COMMAND; pscal forecast --why
$ pscal forecast -q --recorded-cores 1 -n 2 --format json handovers.txt | jq -c '[.model, .reason, .interval_terms], (.forecast[0] | [.lo_s, .hi_s]), (.checks[] | select(.check == "locks") | [.passed, .value])'
["replay",null,"steps, discrepancy, closed-form, no-gain"]
[0.1086724767798492,0.26823900172414356]
[true,0]
$ pscal forecast -q --recorded-cores 1 -n 2 --why handovers.txt
2 cores: 0.121 s (0.109 - 0.268 s); unlimited cores: 0.121 s. No wait costs more
than 1 % of the time by itself.
Limit 0.121 s: thread 3, t3, has 0.080 s of work. No number of cores helps; two
such threads would: 0.101 s.
! Doubtful. One core hides lock contention (98 % of the waits for threads).
  Record on two cores or more, or with --sync=all.

cores  wall time    90 % interval  speedup  efficiency
    2    0.121 s  0.109 - 0.268 s     2.0x       100 %

On 2 cores, doubtful: see above
waits at       calls   waited  without it    saves
t1/1 <-> t3/3     41  0.081 s     0.123 s  nothing
t1/1 <-> t2/2     41  0.020 s     0.140 s  nothing
t2/2 <-> t3/3     40  0.020 s     0.141 s  nothing
$ pscal forecast -q --recorded-cores 1 -n 2 --why --model replay handovers.txt | grep Doubt
! Doubtful. One core hides lock contention (98 % of the waits for threads).

# A recording of one core does not show the time of a wakeup on another core. If threads hand over
# every few microseconds, that can exceed the gain of more cores.

$ sed 's/[.]001/.000004/; s/i < 120/i < 15000/' "$DATA/replay/handovers.awk" >quick.awk && awk -f quick.awk </dev/null >quick.txt; pscal forecast -q --recorded-cores 1 -n 2 quick.txt | grep '^! More cores may'
! More cores may be slower: threads wait for each other every 8 us of work.
$ pscal forecast -q --recorded-cores 1 -n 1 quick.txt | grep -c '^! More cores may'
0
? 1
