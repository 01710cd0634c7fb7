# SPDX-License-Identifier: GPL-3.0-or-later
# The text of ftrace and of trace-cmd report, in place of that of perf script.

$ pscal timeline --comm cc --format csv "$DATA/cc.perf-script.txt" | cut -d, -f1-4,6-9 >script.csv

$ pscal timeline --comm cc --format csv "$DATA/cc.ftrace.txt" | cut -d, -f1-4,6-9 | diff script.csv -

$ pscal timeline --comm cc --format csv "$DATA/cc.trace-cmd.txt" | cut -d, -f1-4,6-9 | diff script.csv -

$ pscal timeline --comm cc "$DATA/cc.ftrace.txt"
         start             end         seconds      tid      pid  thread           state     cpu    waker
   0.000000000     0.003000000     0.003000000       51       51  cc               running     0        -
   0.003000000     0.005000000     0.002000000       51       51  cc               disk        -        -
   0.005000000     0.005500000     0.000500000       51       51  cc               runnable    -        0
   0.005500000     0.009000000     0.003500000       51       51  cc               running     1        -

# Times of a clock that counts events, and lost records.
$ sed 's/100\.0\([0-9]*\): /10\1: /' "$DATA/cc.ftrace.txt" | pscal profile
pscal profile: standard input: is text of ftrace with a clock that does not tell seconds (counter, uptime or x86-tsc); record with 'echo mono >/sys/kernel/tracing/trace_clock'
? 1

$ sed '/100.004/s/^/CPU:0 [LOST 2 EVENTS]\n/' "$DATA/cc.ftrace.txt" | pscal profile --comm cc
cores                2
wall time            0.0090 s
of it unknown        0.0030 s
mean parallelism     0.666667
maximum parallelism  1

active threads  wall time   share  
             0   0.0020 s  22.2 %  #######
             1   0.0040 s  44.4 %  #############
       unknown   0.0030 s  33.3 %  ##########

tid  pid  thread   running  runnable  sleeping      disk   stopped   unknown  switches  wakes
 51   51  cc      0.0035 s  0.0005 s  0.0000 s  0.0020 s  0.0000 s  0.0030 s         2      1

Data quality: records lost: 2. The recorder could not keep up; what the threads
that they may concern did then is unknown.

# An HTML page of systrace.
$ { printf '<!DOCTYPE html>\n<script>\n'; cat "$DATA/cc.ftrace.txt"; printf '</script>\n'; } | pscal profile --comm cc --format csv
active,wall_s,share
0,0.002,0.2222222222222222
1,0.007,0.7777777777777778
