# SPDX-License-Identifier: GPL-3.0-or-later
# What perf writes and prints, in many layouts: tests/data/SOURCES.md says which.

$ pscal profile --comm barrier "$DATA/read/usual.data.gz"
cores                1
wall time            0.0107 s
of it unknown        0.0000 s
mean parallelism     1.90682
maximum parallelism  4

active threads  wall time   share  
             0   0.0000 s   0.0 %  
             1   0.0012 s  11.1 %  ###
             2   0.0093 s  87.3 %  ##########################
             3   0.0001 s   1.3 %  
             4   0.0000 s   0.2 %  

  tid    pid  thread    running  runnable  sleeping      disk   stopped   unknown  switches  wakes
15387  15387  barrier  0.0014 s  0.0090 s  0.0002 s  0.0000 s  0.0000 s  0.0000 s         3      1
15401  15387  barrier  0.0001 s  0.0094 s  0.0000 s  0.0000 s  0.0000 s  0.0000 s         3      2
15402  15387  barrier  0.0000 s  0.0002 s  0.0001 s  0.0000 s  0.0000 s  0.0000 s         4      3
15403  15387  barrier  0.0001 s  0.0001 s  0.0000 s  0.0000 s  0.0000 s  0.0000 s         2      1

# The same bytes in the other order say the same.
$ pscal profile --comm barrier "$DATA/read/swapped.data.gz" >swapped; \
pscal profile --comm barrier "$DATA/read/usual.data.gz" | cmp - swapped

# So does a file that comes as a stream, unpacked or not.
$ gzip -dc "$DATA/read/usual.data.gz" | pscal profile --comm barrier | cmp - swapped
$ pscal profile --comm barrier <"$DATA/read/usual.data.gz" | cmp - swapped

$ pscal profile --comm barrier --format csv "$DATA/read/packed.data.gz"
active,wall_s,share
0,0,0
1,0.000799232,0.11998700493080006
2,0.001496242,0.22462763782189668
3,0.004350652,0.6531541567106862
4,0.000014862,0.0022312005366170906

$ pscal profile --comm barrier --format csv "$DATA/read/stream.data.gz"
active,wall_s,share
0,0,0
1,0.001050688,0.1418671726253045
2,0.000133218,0.017987510091290484
3,0.006199609,0.8370905542010486
4,0.000022624,0.003054763082356407

# Only the kernel's own records of switches: no wakes.
$ pscal profile --pid 15464 "$DATA/read/switches.data.gz"
cores                1
wall time            0.2059 s
of it unknown        0.0136 s
mean parallelism     0.0489082
maximum parallelism  4

active threads  wall time   share  
             0   0.1852 s  89.9 %  ###########################
             1   0.0049 s   2.4 %  #
             2   0.0021 s   1.0 %  
             3   0.0000 s   0.0 %  
             4   0.0000 s   0.0 %  
       unknown   0.0136 s   6.6 %  ##

  tid    pid  thread    running  runnable  sleeping      disk   stopped   unknown  switches  wakes
15464  15464  barrier  0.0017 s  0.0020 s  0.0000 s  0.0000 s  0.0000 s  0.2022 s         4      0
15465  15464  barrier  0.0005 s  0.0022 s  0.0000 s  0.0000 s  0.0000 s  0.0057 s         3      0
15466  15464  barrier  0.0000 s  0.0001 s  0.0000 s  0.0000 s  0.0000 s  0.0039 s         4      0
15467  15464  barrier  0.0007 s  0.0022 s  0.0000 s  0.0000 s  0.0000 s  0.0032 s         4      0

Of the unknown time of threads 0.2014 s are not unknown in the wall time: there
it counts only whether a thread was active, and not how.

Data quality: no wakes are on record. A thread that was woken counts as blocked
until it got a CPU, so the number of active threads is a lower bound.

# Text does not tell of the exec, so the name is there later than in the file.
$ pscal profile --comm barrier --format csv "$DATA/read/compact.txt" | tee exact
active,wall_s,share
0,0,0
1,0.000203423,0.021019725825889346
2,0.009308048,0.961801846075506
3,0.000143685,0.014846990287690726
4,0.000022563,0.0023314378109139146
$ pscal profile --comm barrier --format csv "$DATA/read/delta.txt" | cmp - exact
$ pscal profile --comm barrier --format csv "$DATA/read/bare.txt" | cmp - exact

# To a microsecond, and skipping call chains.
$ pscal profile --comm barrier --format csv "$DATA/read/chains.txt"
active,wall_s,share
0,0,0
1,0.000206,0.021285389543294068
2,0.009305,0.961458979127919
3,0.000145,0.014982434387270097
4,0.000022,0.0022731969415168423

$ pscal profile --comm barrier "$DATA/read/switches.txt"
cores                1
wall time            0.0084 s
of it unknown        0.0000 s
mean parallelism     0.942446
maximum parallelism  4

active threads  wall time   share  
             0   0.0028 s  32.9 %  ##########
             1   0.0034 s  40.9 %  ############
             2   0.0021 s  25.6 %  ########
             3   0.0000 s   0.5 %  
             4   0.0000 s   0.2 %  

  tid    pid  thread    running  runnable  sleeping      disk   stopped   unknown  switches  wakes
15464  15464  barrier  0.0002 s  0.0020 s  0.0000 s  0.0000 s  0.0000 s  0.0062 s         3      0
15465  15464  barrier  0.0005 s  0.0022 s  0.0000 s  0.0000 s  0.0000 s  0.0057 s         3      0
15466  15464  barrier  0.0000 s  0.0001 s  0.0000 s  0.0000 s  0.0000 s  0.0039 s         4      0
15467  15464  barrier  0.0007 s  0.0022 s  0.0000 s  0.0000 s  0.0000 s  0.0032 s         4      0

Of the unknown time of threads 0.0190 s are not unknown in the wall time: there
it counts only whether a thread was active, and not how.

Data quality: no wakes are on record. A thread that was woken counts as blocked
until it got a CPU, so the number of active threads is a lower bound.

# What it was printed without cannot be told from the rest.
$ pscal profile --comm barrier "$DATA/read/timehist.txt"
pscal profile: $DATA/read/timehist.txt: is text of perf sched timehist without the state of a thread that leaves its CPU, or without the next one; print it with 'perf sched timehist -w -n --state'
? 1

# What is cut off or damaged says where, in a stream as well.
$ head -c 1000 "$DATA/fuzz/perfdata/perf_stream.data" | pscal profile -
pscal profile: standard input: cut off or damaged at byte 720: holds no scheduling events; record some with 'pscal record' or 'perf sched record'
? 1
$ head -c 9500 "$DATA/fuzz/perfdata/perf_stream.data" | pscal profile --comm cc -
pscal profile: cut off or damaged at byte 9488: the recording holds nothing of what --comm cc asks for; ask for others, or for none
? 1
$ { head -c 264 "$DATA/fuzz/perfdata/perf_record.data"; printf '\377%.0s' 1 2 3 4 5 6 7 8; tail -c +273 "$DATA/fuzz/perfdata/perf_record.data"; } | pscal profile -
pscal profile: standard input: ends before its own table of contents says
? 1
