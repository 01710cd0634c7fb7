# SPDX-License-Identifier: GPL-3.0-or-later
# Two threads that compute for 0.11 s each under a quota of 50 ms in each 100 ms: on two CPUs they
# use it up in 25 ms, four times. The kernel counted 0.482 s of throttled CPUs, and the throttled
# waits of the threads are 0.470 s.

$ pscal profile "$DATA/examples/throttled.data.gz"
sh: 379 ms wall time, 226 ms CPU time, 3 threads, 0.596 of 2 CPUs used. With
1.89 threads ready on average it could have used 1.89 CPUs; its quota allows
0.5.
! The quota of 0.5 CPUs throttled the program for 63 % of its wall time.

CPUs used          0.596 of 2 (29.8 %)
threads ready      1.89 on average, 3 at most
one or none ready  26.0 ms (6.86 %)
run-queue wait     21.4 ms in all; p50 25.3 us, p99 8.02 ms, longest 8.02 ms
throttled          237 ms (62.6 %) of the wall time, threads wait 470 ms in all; in 4 of 4 periods of 100 ms
context switches   7 voluntary, 26 involuntary

ready     time   share           thread        CPU  run queue  throttled  blocked
    0  14.4 ms   3.8 %           awk/2120   114 ms    9.78 ms     237 ms     0 ns
    1  11.6 ms   3.1 %           awk/2119   111 ms    8.93 ms     233 ms     0 ns
    2   353 ms  93.1 %  #######  sh/2118   1.14 ms    2.72 ms       0 ns   375 ms
    3  42.8 us   0.0 %

next: pscal forecast --quota 1 $DATA/examples/throttled.data.gz
$ pscal profile --json "$DATA/examples/throttled.data.gz" | jq -c '[.quota_cpus, .quota_period_s, .quota_periods, .throttled_periods], [.throttled_s, .throttled_share, .throttled_wait_s, .group_throttled_s, .run_queue_s] | map(. * 1000 | round / 1000)'
[0.5,0.1,4,4]
[0.237,0.626,0.47,0.482,0.021]
$ pscal profile --all -q "$DATA/examples/throttled.data.gz" | sed -n '/tid/,$p'
 tid   pid  thread      CPU  run queue  throttled  blocked     disk  voluntary  involuntary  wakeups
2120  2120  awk      114 ms    9.78 ms     237 ms     0 ns     0 ns          1           13        0
2119  2119  awk      111 ms    8.93 ms     233 ms     0 ns     0 ns          1           12        0
2118  2118  sh      1.14 ms    2.72 ms       0 ns   360 ms  14.4 ms          5            1        4
$ pscal profile --json "$DATA/examples/throttled.data.gz" | jq -c '[.threads[] | [.comm, .runnable_s, .throttled_s]]'
[["awk",0.246602287,0.236821708],["awk",0.241758384,0.232832135],["sh",0.002724634,0]]

# Without a quota the text does not mention one.

$ pscal profile --json "$DATA/examples/pscal.data" | jq -c '[.quota_cpus, .throttled_s, .group_throttled_s, (.threads[0] | has("throttled_s"))]'
[null,null,null,false]

# The forecast is for a machine without a quota, unless an option sets one. Each period has 0.05 s
# of the 0.226 s of work, and the first one may begin at any time.

$ pscal forecast "$DATA/examples/throttled.data.gz"
sh gains up to 2 cores and no further: 0.129 s, 1.9x faster than on one, if
memory keeps up.
Limit 0.129 s: 2 threads with up to 0.114 s of work each; only more would help.
CPUs used: 0.596 of 2, 226 ms CPU time.
Run-queue wait: 21.4 ms in all; p50 25.3 us, p99 8.02 ms, longest 8.02 ms.
! A quota of 0.5 CPUs throttled the recorded run for 63 % of its wall time. The
  forecast assumes no quota; --quota 0.5 keeps it.
! Memory is assumed to keep up with more cores: record on one core to see.

cores  wall time    90 % interval  speedup  efficiency  recorded
    1    0.240 s  0.208 - 0.277 s     1.0x       100 %  -
    2    0.129 s  0.116 - 0.149 s     1.9x        93 %  0.379 s, throttled
    4    0.129 s  0.116 - 0.149 s     1.9x        46 %  -
    8    0.129 s  0.116 - 0.149 s     1.9x        23 %  -

Trust: replay, reproduces the recorded run within 4 %; 15 of 19 checks passed, 1
failed: steps; 3 open (-v).

next: taskset -c 0 pscal record -o other.data -- sh two.sh; pscal forecast other.data $DATA/examples/throttled.data.gz
$ pscal forecast -n 1,2 --quota 50% "$DATA/examples/throttled.data.gz"
sh gains up to 2 cores and no further: 0.391 s, 1.1x faster than on one, with a
quota of 0.5 CPUs.
Limit 0.393 s: the quota of 0.5 CPUs. Without it: 0.129 s.
CPUs used: 0.596 of 2, 226 ms CPU time.
Run-queue wait: 21.4 ms in all; p50 25.3 us, p99 8.02 ms, longest 8.02 ms.

cores  wall time    90 % interval  speedup  efficiency  recorded
    1    0.414 s  0.359 - 0.478 s     1.0x       100 %  -
    2    0.391 s  0.340 - 0.450 s     1.1x        53 %  0.379 s, throttled

Trust: replay, reproduces the recorded run within 4 %; 15 of 19 checks passed, 1
failed: steps; 3 open (-v).

next: pscal forecast --why $DATA/examples/throttled.data.gz
$ pscal forecast -n 2 --quota 2 -q "$DATA/examples/throttled.data.gz"
sh takes 0.129 s on 2 cores, 1.9x faster than on one, with a quota of 2 CPUs.
Limit 0.129 s: 2 threads with up to 0.114 s of work each; only more would help.
! Memory is assumed to keep up with more cores: record on one core to see.

cores  wall time    90 % interval  speedup  efficiency  recorded
    2    0.129 s  0.116 - 0.149 s     1.9x        93 %  0.379 s, throttled
$ pscal forecast -n 2 --quota .5 --json "$DATA/examples/throttled.data.gz" | jq -c '[.recorded_quota_cpus, .quota_cpus, .quota_period_s, .bottleneck.kind, .forecast[0].closed_form_s]'
[0.5,0.5,0.1,"quota",null]
$ pscal forecast -n 2 --model closed-form -q "$DATA/examples/throttled.data.gz"
The program takes 0.142 s on 2 cores, 1.8x faster than on one.
! A quota of 0.5 CPUs throttled the recorded run for 63 % of its wall time. The
  forecast assumes no quota; --quota 0.5 keeps it.

cores  wall time  speedup  efficiency  recorded
    2    0.142 s     1.8x        92 %  0.379 s, throttled

# The period is 100 ms if the recording has none.

$ pscal forecast -n 1 --quota 25% -q --json "$DATA/examples/pscal.data" | jq -c '[.quota_cpus, .quota_period_s, .recorded_quota_cpus, .throttled_share]'
[0.25,0.1,null,null]

# Options that exclude it.

$ pscal forecast --quota 0 "$DATA/examples/pscal.data"
pscal forecast: --quota 0: is not a quota from 0.01 CPUs on, as 1.5 or 150%
? 2
$ pscal forecast --quota many "$DATA/examples/pscal.data"
pscal forecast: --quota many: is not a quota from 0.01 CPUs on, as 1.5 or 150%
? 2
$ pscal forecast --quota 1 --model closed-form "$DATA/examples/pscal.data"
pscal forecast: --quota: needs a replay, and --model asks for the closed form
? 2
$ pscal forecast --quota 1 --recorded-cores 1 "$DATA/examples/profile.csv"
pscal forecast: $DATA/examples/profile.csv: is a profile, and --quota needs a recording
? 2
$ pscal forecast --quota 1 --with "$DATA/examples/pscal.data" "$DATA/examples/pscal.data"
pscal forecast: --with: is about two programs, and does not go with --quota
? 2

# Hardware threads of the same core.

$ gzip -dc "$DATA/examples/throttled.data.gz" | LC_ALL=C sed 's/^steal_ns 0$/cores 1\nxx/' >siblings.data; pscal forecast -n 1,2 siblings.data | grep -A1 hardware
The 2 CPUs of the recording are 1 core with 2 hardware threads: the forecast is
for as many such CPUs, not cores.
