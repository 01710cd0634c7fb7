# SPDX-License-Identifier: GPL-3.0-or-later
# Two threads that compute for 0.11 s each under a quota of 50 ms each 100 ms: on two CPUs they use it
# up in 25 ms, four times. The kernel counted 0.482 s of throttled CPUs, the waits of the threads then
# are 0.478 s.

$ pscal profile "$DATA/examples/throttled.data.gz"
sh: 379 ms wall time, 226 ms CPU time, 3 threads, 0.596 of 2 CPUs used. With
1.89 threads ready on average it could have used 1.89; its quota allows 0.5.
! The quota of 0.5 CPUs throttled the program for 65 % of its wall time.
! Other programs took 6 % of the usable CPU time.

CPUs used          0.596 of 2 (29.8 %)
threads ready      1.89 on average, 3 at most
one or none ready  26.0 ms (6.86 %)
run-queue wait     13.4 ms in all; p50 22.8 us, p99 4.85 ms, longest 4.85 ms
throttled          245 ms (64.7 %) of the wall time, threads wait 478 ms in all; in 4 of 4 periods of 100 ms
context switches   7 voluntary, 26 involuntary

ready     time   share           thread        CPU  run queue  throttled  blocked
    0  14.4 ms   3.8 %           awk/2120   114 ms    9.78 ms     237 ms     0 ns
    1  11.6 ms   3.1 %           awk/2119   111 ms     910 us     241 ms     0 ns
    2   353 ms  93.1 %  #######  sh/2118   1.14 ms    2.72 ms       0 ns   375 ms
    3  42.8 us   0.0 %

next: pscal forecast $DATA/examples/throttled.data.gz
$ pscal profile --json "$DATA/examples/throttled.data.gz" | jq -c '[.quota_cpus, .quota_period_s, .quota_periods, .throttled_periods], [.throttled_s, .throttled_share, .throttled_wait_s, .group_throttled_s, .run_queue_s] | map(. * 1000 | round / 1000)'
[0.5,0.1,4,4]
[0.245,0.647,0.478,0.482,0.013]
$ pscal profile --all -q "$DATA/examples/throttled.data.gz" | sed -n '/tid/,$p'
 tid   pid  thread      CPU  run queue  throttled  blocked     disk  voluntary  involuntary  wakeups
2120  2120  awk      114 ms    9.78 ms     237 ms     0 ns     0 ns          1           13        0
2119  2119  awk      111 ms     910 us     241 ms     0 ns     0 ns          1           12        0
2118  2118  sh      1.14 ms    2.72 ms       0 ns   360 ms  14.4 ms          5            1        4
$ pscal profile --json "$DATA/examples/throttled.data.gz" | jq -c '[.threads[] | [.comm, .runnable_s, .throttled_s]]'
[["awk",0.246602287,0.236821007],["awk",0.241758384,0.240848314],["sh",0.002724634,0]]

# Without a quota there is nothing of it.

$ pscal profile --json "$DATA/examples/pscal.data" | jq -c '[.quota_cpus, .throttled_s, .group_throttled_s, (.threads[0] | has("throttled_s"))]'
[null,null,null,false]
