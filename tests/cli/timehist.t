# SPDX-License-Identifier: GPL-3.0-or-later
# The text of perf sched timehist, with all of its columns and with fewer.

$ pscal timeline --comm cc "$DATA/cc.timehist.txt"
1 thread in 10.0 ms, with 6.50 ms of CPU time and 2 context switches.

tid  pid  thread      CPU  run queue  blocked     disk  voluntary  involuntary  wakeups
 51   51  cc      6.50 ms    1.50 ms     0 ns  2.00 ms          2            0        2

         start         seconds      tid  thread           state     cpu    waker
   0.000000000     0.001000000       51  cc               runnable    -       50
   0.001000000     0.003000000       51  cc               running     0        -
   0.004000000     0.002000000       51  cc               disk        -        -
   0.006000000     0.000500000       51  cc               runnable    -        0
   0.006500000     0.003500000       51  cc               running     1        -

# Without -n the begin of a run is unknown.
$ grep -v awakened "$DATA/cc.timehist.txt" | sed 's/next: .*//' | pscal timeline --comm cc
pscal timeline: standard input: is text of perf sched timehist without the state of a thread that leaves its CPU, or without the next one; print it with 'perf sched timehist -w -n --state'
? 1

# Rows without content, and no rows.
$ sed 's/[1-9]\.[05]00  /0.000  /g' "$DATA/cc.timehist.txt" | pscal profile
pscal profile: standard input: is text of perf sched timehist without the times that threads ran; print it with 'perf sched timehist -w -n --state', without -s and -I
? 1
$ printf '\nRuntime summary\n' | pscal profile
pscal profile: standard input: is text of perf sched timehist without the times that threads ran; print it with 'perf sched timehist -w -n --state', without -s and -I
? 1
