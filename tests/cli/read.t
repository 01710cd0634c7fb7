# SPDX-License-Identifier: GPL-3.0-or-later
# Files and texts of perf, in many layouts: tests/data/SOURCES.md describes them.

$ pscal profile --comm barrier "$DATA/read/usual.data.gz"
barrier: 10.7 ms wall time, 1.65 ms CPU time, 4 threads, 0.155 of 1 CPU used.
With 1.91 threads ready on average it could have used 1 CPU; other programs used
0.845.
! Other programs took 84 % of the usable CPU time: measure on an idle machine.

CPUs used          0.155 of 1 (15.5 %)
threads ready      1.91 on average, 4 at most
one or none ready  1.18 ms (11.1 %)
run-queue wait     18.7 ms in all; p50 55.8 us, p99 9.26 ms, longest 9.26 ms
context switches   11 voluntary, 1 involuntary

ready     time   share           thread             CPU  run queue  blocked
    1  1.18 ms  11.1 %  #        barrier/15387  1.41 ms    9.01 ms   237 us
    2  9.31 ms  87.3 %  #######  barrier/15403   142 us    72.7 us  12.7 us
    3   144 us   1.3 %           barrier/15401  64.0 us    9.41 ms  29.7 us
    4  22.6 us   0.2 %           barrier/15402  43.2 us     166 us  89.6 us

next: pscal forecast --comm barrier $DATA/read/usual.data.gz

# The same bytes in the other byte order give the same results.
$ pscal profile -q --comm barrier "$DATA/read/swapped.data.gz" >swapped; \
pscal profile -q --comm barrier "$DATA/read/usual.data.gz" | cmp - swapped

# So does a stream, compressed or not.
$ gzip -dc "$DATA/read/usual.data.gz" | pscal profile -q --comm barrier | cmp - swapped
$ pscal profile -q --comm barrier <"$DATA/read/usual.data.gz" | cmp - swapped

$ pscal profile --comm barrier --format csv "$DATA/read/packed.data.gz"
ready,wall_s,share
0,0,0
1,0.000799232,0.11998700493080006
2,0.001496242,0.22462763782189668
3,0.004350652,0.6531541567106862
4,0.000014862,0.0022312005366170906

$ pscal profile --comm barrier --format csv "$DATA/read/stream.data.gz"
ready,wall_s,share
0,0,0
1,0.001050688,0.1418671726253045
2,0.000133218,0.017987510091290484
3,0.006199609,0.8370905542010486
4,0.000022624,0.003054763082356407

# Only the kernel's own records of switches: no wakeups.
$ pscal profile --pid 15464 "$DATA/read/switches.data.gz"
barrier: 206 ms wall time, at least 2.97 ms CPU time, 4 threads, at least 0.0144
of 1 CPU used. The number of threads ready is unknown for too much of the time.
! Thread states are unknown for 6.6 % of the time (longest: barrier/15464,
  13.6 ms).
! Wakeups were not recorded: a thread counts as blocked until it gets a CPU.
  Numbers of ready threads are lower bounds.

CPUs used          at least 0.0144 of 1 (1.44 %)
threads ready      0.0489 on average, 4 at most
one or none ready  190 ms (98.9 %)
run-queue wait     at least 6.44 ms in all; p50 55.8 us, p99 2.13 ms, longest 2.16 ms
context switches   12 voluntary, 3 involuntary
unknown            13.6 ms (6.6 %) of the wall time

  ready     time       share  thread             CPU  run queue  blocked  unknown
      0   185 ms      89.9 %  barrier/15464  1.66 ms    2.03 ms   189 ms  13.6 ms
      1  4.93 ms       2.4 %  barrier/15467   748 us    2.19 ms  3.21 ms     0 ns
      2  2.15 ms       1.0 %  barrier/15465   514 us    2.16 ms  5.67 ms     0 ns
      3  38.7 us       0.0 %  barrier/15466  49.0 us    56.3 us  3.94 ms     0 ns
unknown  13.6 ms       6.6 %
                  ... 1 more

next: pscal timeline --audit --pid 15464 $DATA/read/switches.data.gz

# Text does not have the exec, so the name appears later than in the file.
$ pscal profile --comm barrier --format csv "$DATA/read/compact.txt" | tee exact
ready,wall_s,share
0,0,0
1,0.000203423,0.021019725825889346
2,0.009308048,0.961801846075506
3,0.000143685,0.014846990287690726
4,0.000022563,0.0023314378109139146
$ pscal profile --comm barrier --format csv "$DATA/read/delta.txt" | cmp - exact
$ pscal profile --comm barrier --format csv "$DATA/read/bare.txt" | cmp - exact

# To a microsecond, and skipping call chains.
$ pscal profile --comm barrier --format csv "$DATA/read/chains.txt"
ready,wall_s,share
0,0,0
1,0.000206,0.021285389543294068
2,0.009305,0.961458979127919
3,0.000145,0.014982434387270097
4,0.000022,0.0022731969415168423

$ pscal profile --comm barrier "$DATA/read/switches.txt"
barrier: 8.39 ms wall time, 1.47 ms CPU time, 4 threads, 0.175 of 1 CPU used.
The number of threads ready is unknown for too much of the time.
! Wakeups were not recorded: a thread counts as blocked until it gets a CPU.
  Numbers of ready threads are lower bounds.

CPUs used          0.175 of 1 (17.5 %)
threads ready      0.942 on average, 4 at most
one or none ready  6.19 ms (73.7 %)
run-queue wait     at least 6.44 ms in all; p50 55.8 us, p99 2.13 ms, longest 2.16 ms
context switches   11 voluntary, 3 involuntary

ready     time   share       thread             CPU  run queue  blocked
    0  2.76 ms  32.9 %  ###  barrier/15467   748 us    2.19 ms  3.21 ms
    1  3.43 ms  40.9 %  ###  barrier/15465   514 us    2.16 ms  5.67 ms
    2  2.15 ms  25.6 %  ##   barrier/15464   155 us    2.03 ms  6.20 ms
    3  38.7 us   0.5 %       barrier/15466  49.0 us    56.3 us  3.94 ms
    4  16.7 us   0.2 %

next: pscal timeline --audit --comm barrier $DATA/read/switches.txt

# The message names all options that a text may have been printed without.
$ pscal profile --comm barrier "$DATA/read/timehist.txt"
pscal profile: $DATA/read/timehist.txt: is text of perf sched timehist without the state of a thread that leaves its CPU, or without the next one; print it with 'perf sched timehist -w -n --state'
? 1

# For a cut or damaged file, also a stream, the place is reported.
$ head -c 1000 "$DATA/fuzz/perfdata/perf_stream.data" | pscal profile -
pscal profile: standard input: cut off or damaged at byte 720: holds no scheduling events; record some with 'pscal record' or 'perf sched record'
? 1
$ head -c 9500 "$DATA/fuzz/perfdata/perf_stream.data" | pscal profile --comm cc -
pscal profile: cut off or damaged at byte 9488: the recording has no thread for --comm cc; its threads are true
? 1
$ { head -c 264 "$DATA/fuzz/perfdata/perf_record.data"; printf '\377%.0s' 1 2 3 4 5 6 7 8; tail -c +273 "$DATA/fuzz/perfdata/perf_record.data"; } | pscal profile -
pscal profile: standard input: is shorter than its table of contents says
? 1
