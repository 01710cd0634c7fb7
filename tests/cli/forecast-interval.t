# SPDX-License-Identifier: GPL-3.0-or-later
# What intervals take for what other numbers of cores change and no recording shows. The program of
# seven steps takes 0.3 s on two cores: with .1 for each doubling 0.3 exp(-+ 1.6449 x .1) of that,
# and on four cores 0.3 exp(-+ 1.6449 x .1 x sqrt(log2(3))), as it has three threads.

$ awk -v scale=1 -v wakes=1 -f "$DATA/replay/phases.awk" </dev/null >trace.txt; pscal forecast --cores 1 -k 1,2,4 --discrepancy 10% --format csv trace.txt | awk -F, -v OFS=, '{ if (NR > 1) for (i = 6; i <= 8; i++) if ($i != "") $i = sprintf("%.6f", $i); print $1, $6, $7, $8 }'
cores,lo_s,hi_s,discrepancy
1,,,
2,0.254499,0.353636,0.100000
4,0.243887,0.369024,0.125895
$ pscal forecast --cores 1 -k 2 --discrepancy 0.2 trace.txt | sed -n '5,9p'
cores  wall time  90 % from        to  speed-up  efficiency     bound  closed form
    2   0.3000 s   0.2159 s  0.4169 s     1.67x      83.3 %  0.3000 s     0.2500 s

For each doubling of cores the interval takes 20 % for what that changes in
caches, memory and clock (--discrepancy). It has nothing for steps that vary.
$ pscal forecast -q --cores 1 -k 2 --format json trace.txt | jq -c '[.interval_terms, .discrepancy_per_doubling, .overhead_share, .forecast[0].discrepancy]'
["discrepancy",0.065,0,0.065]

# Without it nothing is known that could vary, of so few steps.

$ pscal forecast --cores 1 -k 2 --discrepancy 0 --format json trace.txt | jq -c '[.interval_terms, .discrepancy_per_doubling, .overhead_share], .forecast[0].lo_s, .forecast[0].discrepancy'
[null,null,null]
null
null

# The closed form has no interval.

$ pscal forecast -q --cores 1 -k 2 --model closed-form --format json trace.txt | jq -c '[has("interval_terms"), .forecast[0].lo_s, .forecast[0].discrepancy]'
[false,null,null]
$ pscal forecast --model closed-form --discrepancy 0.1 trace.txt
pscal forecast: --discrepancy: is for replays, and --model asks for the closed form
? 2
$ pscal forecast --discrepancy 0.1 "$DATA/examples/profile.csv"
pscal forecast: $DATA/examples/profile.csv: is a profile, of which there is no replay: give the recording
? 1
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

# Where locks bind and no calls are recorded neither model knows. The three threads take 0.121 s by
# the replay, in their recorded order, and 0.1805 s by the closed form: the interval reaches from one
# to the other, without a discrepancy too, and what only a replay tells is not told.

$ awk -f "$DATA/replay/handovers.awk" </dev/null >handovers.txt; pscal forecast --cores 1 -k 1,2 --discrepancy 0 handovers.txt
model               replay
measured on cores   1
measured wall time  0.2410 s

cores  wall time  90 % from        to  speed-up  efficiency     bound  closed form
    1   0.2410 s   0.2382 s  0.2410 s     1.00x     100.0 %  0.2410 s     0.2410 s
    2   0.1210 s   0.1196 s  0.1805 s     1.99x      99.6 %  0.1210 s     0.1805 s

The interval takes nothing for what other numbers of cores change in caches,
memory and clock (--discrepancy).

What threads wait for is in part a guess: the interval reaches to the closed
form.

On the cores of the recording, as far as the target had them, the replay misses
its wall time by 0.00 %.

Does not hold: half of the waits for threads at most look like those for locks
(98.4 %): threads compete for locks or for work, and the recording does not tell
when they have them, so that neither a replay nor the closed form knows how long
they wait on other cores: record with pscal record --sync=all.

Not known from this recording: whether as many threads work on other numbers of
cores, and whether no thread computes only to wait.

The replay lets threads take the steps that they took, and wait for each other
as they did. It takes their work, the clock, the speed of memory, and waits for
what is outside not to depend on the number of cores.
$ pscal forecast -q --cores 1 -k 2 --format json handovers.txt | jq -c '[.model, .reason, .interval_terms], (.forecast[0] | [.lo_s, .hi_s]), (.validity[] | select(.condition == "locks") | [.holds, .value])'
["replay",null,"steps, discrepancy, closed-form"]
[0.1086724767798492,0.20089547704219635]
[false,0.9836065573770492]
$ pscal forecast -q --cores 1 -k 2 --why handovers.txt
pscal forecast: --why: cannot say: threads compete for locks or for work, and the recording does not tell when they have them, so that neither a replay nor the closed form knows how long they wait on other cores: record with pscal record --sync=all; give --model replay to have it all the same
? 1
$ pscal forecast -q --cores 1 -k 2 --why --model replay handovers.txt | sed -n '/^cores/,/^site/p'
cores  wall time  90 % from        to  speed-up  efficiency     bound  closed form
    2   0.1210 s   0.1087 s  0.2009 s     1.99x      99.6 %  0.1210 s     0.1805 s

On 2 cores it takes 0.1210 s. More cores can bring that to 0.1210 s, with one
for each of its 3 threads; no wait at all, on as many cores, to 0.1295 s.

On 2 cores, if waiting there cost nothing
site  waits at       kind     times    waited      saved  of wall time
