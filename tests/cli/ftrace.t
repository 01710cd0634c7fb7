# SPDX-License-Identifier: GPL-3.0-or-later
# The text of ftrace and of trace-cmd report, in place of that of perf script.

$ pscal timeline --comm cc --format csv "$DATA/cc.perf-script.txt" | cut -d, -f1-4,6-9 >script.csv

$ pscal timeline --comm cc --format csv "$DATA/cc.ftrace.txt" | cut -d, -f1-4,6-9 | diff script.csv -

$ pscal timeline --comm cc --format csv "$DATA/cc.trace-cmd.txt" | cut -d, -f1-4,6-9 | diff script.csv -

$ pscal timeline --comm cc "$DATA/cc.ftrace.txt"
1 thread in 9.00 ms, with 6.50 ms of CPU time and 2 context switches.

tid  pid  thread      CPU  run queue  blocked     disk  voluntary  involuntary  wakeups
 51   51  cc      6.50 ms     500 us     0 ns  2.00 ms          2            0        1

         start         seconds      tid  thread           state     cpu    waker
   0.000000000     0.003000000       51  cc               running     0        -
   0.003000000     0.002000000       51  cc               disk        -        -
   0.005000000     0.000500000       51  cc               runnable    -        0
   0.005500000     0.003500000       51  cc               running     1        -

# Times of a clock that counts events, and lost records.
$ sed 's/100\.0\([0-9]*\): /10\1: /' "$DATA/cc.ftrace.txt" | pscal profile
pscal profile: standard input: is text of ftrace with a clock that is not in seconds (counter, uptime or x86-tsc); record with 'echo mono >/sys/kernel/tracing/trace_clock'
? 1

$ sed '/100.004/s/^/CPU:0 [LOST 2 EVENTS]\n/' "$DATA/cc.ftrace.txt" | pscal profile --comm cc
cc: 9.00 ms wall time, at least 3.50 ms CPU time, 1 thread, at least 0.389 of 2
CPUs used. It is mostly serial: for 100 % of the time one thread or none was
ready.
! Thread states are unknown for 33.3 % of the time (longest: cc/51, 3.00 ms).
! 2 records were lost: the recorder could not keep up. Thread states are unknown
  meanwhile.

CPUs used          at least 0.389 of 2 (19.4 %)
threads ready      0.667 on average, 1 at most
one or none ready  6.00 ms (100 %)
run-queue wait     500 us in all; p50 500 us, p99 500 us, longest 500 us
context switches   2 voluntary, 0 involuntary
unknown            3.00 ms (33.3 %) of the wall time

  ready     time   share  thread      CPU  run queue  blocked  unknown
      0  2.00 ms  22.2 %  cc/51   3.50 ms     500 us  2.00 ms  3.00 ms
      1  4.00 ms  44.4 %
unknown  3.00 ms  33.3 %

# An HTML page of systrace.
$ { printf '<!DOCTYPE html>\n<script>\n'; cat "$DATA/cc.ftrace.txt"; printf '</script>\n'; } | pscal profile --comm cc --format csv
ready,wall_s,share
0,0.002,0.2222222222222222
1,0.007,0.7777777777777778
