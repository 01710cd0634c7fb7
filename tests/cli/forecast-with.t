# SPDX-License-Identifier: GPL-3.0-or-later
# Two programs on the same cores.

$ cd "$DATA/examples"; pscal forecast serial1.data.gz --with parallel1.data.gz
Together on 2 cores serial1.data.gz takes 1.14x as long (0.884 s instead of
0.777 s), parallel1.data.gz 1.35x (0.765 s instead of 0.565 s).
serial1.data.gz uses 0.335 s of CPU time while threads of parallel1.data.gz wait
for a CPU.
parallel1.data.gz uses 0.106 s of CPU time while threads of serial1.data.gz wait
for a CPU.
Both together take 0.884 s, one after the other 1.342 s.
Contention for caches, memory and disks is left out.
! serial1.data.gz: I/O and other processes are assumed to be as fast as recorded
  (100 % of the waiting).
! parallel1.data.gz: I/O and other processes are assumed to be as fast as
  recorded (42 % of the waiting).

cores  serial1.data.gz alone  together    90 % interval  factor  parallel1.data.gz alone  together    90 % interval  factor
    1                0.777 s   1.595 s  1.413 - 1.801 s   2.05x                  0.868 s   1.380 s  1.225 - 1.554 s   1.59x
    2                0.777 s   0.884 s  0.794 - 0.984 s   1.14x                  0.565 s   0.765 s  0.685 - 0.854 s   1.35x
    4                0.777 s   0.777 s  0.699 - 0.865 s   1.00x                  0.565 s   0.565 s  0.508 - 0.629 s   1.00x
    8                0.777 s   0.777 s  0.699 - 0.865 s   1.00x                  0.565 s   0.565 s  0.508 - 0.629 s   1.00x
$ cd "$DATA/examples"; pscal forecast -q -v -n 2 serial1.data.gz --with parallel1.data.gz
Together on 2 cores serial1.data.gz takes 1.14x as long (0.884 s instead of
0.777 s), parallel1.data.gz 1.35x (0.765 s instead of 0.565 s).
serial1.data.gz uses 0.335 s of CPU time while threads of parallel1.data.gz wait
for a CPU.
parallel1.data.gz uses 0.106 s of CPU time while threads of serial1.data.gz wait
for a CPU.
Both together take 0.884 s, one after the other 1.342 s.
Contention for caches, memory and disks is left out.
! serial1.data.gz: I/O and other processes are assumed to be as fast as recorded
  (100 % of the waiting).
! parallel1.data.gz: I/O and other processes are assumed to be as fast as
  recorded (42 % of the waiting).

cores  serial1.data.gz alone  together    90 % interval  factor  parallel1.data.gz alone  together    90 % interval  factor
    2                0.777 s   0.884 s  0.794 - 0.984 s   1.14x                  0.565 s   0.765 s  0.685 - 0.854 s   1.35x

Both programs begin at once and all threads share the cores equally; when one
ends, the other one has all cores.

# Two instances of one program.

$ cd "$DATA/examples"; pscal forecast -q -n 1,2 serial1.data.gz --with serial1.data.gz
Together on 2 cores stretched (1) takes 1.00x as long (0.777 s instead of
0.777 s), stretched (2) 1.00x (0.777 s instead of 0.777 s).
No thread of one program waits for a CPU that the other one uses.
Both together take 0.777 s, one after the other 1.555 s.
Contention for caches, memory and disks is left out.
! stretched (1): I/O and other processes are assumed to be as fast as recorded
  (100 % of the waiting).
! stretched (2): I/O and other processes are assumed to be as fast as recorded
  (100 % of the waiting).

cores  stretched (1) alone  together    90 % interval  factor  stretched (2) alone  together    90 % interval  factor
    1              0.777 s   1.551 s  1.377 - 1.748 s   2.00x              0.777 s   1.551 s  1.377 - 1.748 s   2.00x
    2              0.777 s   0.777 s  0.699 - 0.865 s   1.00x              0.777 s   0.777 s  0.699 - 0.865 s   1.00x

# Enough cores for both.

$ cd "$DATA/examples"; pscal forecast -q -n 4 serial1.data.gz --with parallel1.data.gz
Together on 4 cores serial1.data.gz takes 1.00x as long (0.777 s instead of
0.777 s), parallel1.data.gz 1.00x (0.565 s instead of 0.565 s).
No thread of one program waits for a CPU that the other one uses.
Both together take 0.777 s, one after the other 1.342 s.
Contention for caches, memory and disks is left out.
! serial1.data.gz: I/O and other processes are assumed to be as fast as recorded
  (100 % of the waiting).
! parallel1.data.gz: I/O and other processes are assumed to be as fast as
  recorded (42 % of the waiting).

cores  serial1.data.gz alone  together    90 % interval  factor  parallel1.data.gz alone  together    90 % interval  factor
    4                0.777 s   0.777 s  0.699 - 0.865 s   1.00x                  0.565 s   0.565 s  0.508 - 0.629 s   1.00x

# Some threads of the first recording.

$ cd "$DATA/examples"; pscal forecast -q -n 1 --comm pigz trace.txt --with serial1.data.gz
Together on 1 core pigz takes 1.59x as long (0.065 s instead of 0.041 s),
stretched 1.05x (0.816 s instead of 0.777 s).
pigz uses 0.038 s of CPU time while threads of stretched wait for a CPU.
stretched uses 0.024 s of CPU time while threads of pigz wait for a CPU.
Both together take 0.816 s, one after the other 0.819 s.
Contention for caches, memory and disks is left out.
! pigz: Doubtful. The recording is too short (41.2 ms). Record a longer run.
! pigz: 1 wakeup is missing; the thread counts as blocked until it got a CPU.
! stretched: I/O and other processes are assumed to be as fast as recorded
  (100 % of the waiting).

cores  pigz alone  together    90 % interval  factor  stretched alone  together    90 % interval  factor
    1     0.041 s   0.065 s  0.058 - 0.073 s   1.59x          0.777 s   0.816 s  0.733 - 0.908 s   1.05x

# Time that is little for the longer program may be much for the shorter one.

$ cd "$DATA/examples"; pscal forecast -q -n 2 --comm pigz trace.txt --with serial2.data.gz | head -n 4
Together on 2 cores pigz takes 1.00x as long (0.024 s instead of 0.024 s),
stretched 1.00x (0.791 s instead of 0.790 s).
stretched uses 0.001 s of CPU time while threads of pigz wait for a CPU.
Both together take 0.791 s, one after the other 0.814 s.
$ cd "$DATA/examples"; pscal forecast -q -n 1 --comm pigz trace.txt --with parallel1.data.gz | head -n 4
Together on 1 core pigz takes 1.00x as long (0.041 s instead of 0.041 s),
stretched 1.00x (0.868 s instead of 0.868 s).
Threads of one program hardly wait for a CPU that the other one uses.
Both together take 0.868 s, one after the other 0.909 s.

# Flaws of both recordings are reported as without --with: one that is cut off, of a machine that
# was not idle; threads left out; and waits that the end of the recording cut.

$ zcat "$DATA/examples/serial1.data.gz" | head -c 104000 >short.data; for order in 'short.data --with' '--with short.data'; do pscal forecast -n 2 --format json $order "$DATA/examples/parallel1.data.gz" | jq -r '.warnings[]'; done
short.data: Other programs took 5 % of the usable CPU time; the forecast assumes none.
short.data: I/O and other processes are assumed to be as fast as recorded (100 % of the waiting).
short.data: The input is cut off at its end. The damage begins at byte 103928.
parallel1.data.gz: I/O and other processes are assumed to be as fast as recorded (42 % of the waiting).
parallel1.data.gz: I/O and other processes are assumed to be as fast as recorded (42 % of the waiting).
short.data: Other programs took 5 % of the usable CPU time; the forecast assumes none.
short.data: I/O and other processes are assumed to be as fast as recorded (100 % of the waiting).
short.data: The input is cut off at its end. The damage begins at byte 103928.
$ cd "$DATA/examples"; pscal forecast -n 2 --format json --tid 14854 parallel1.data.gz --with serial1.data.gz | jq -r '.warnings[]'
parallel1.data.gz: Waits for threads outside the selection keep their recorded length.
serial1.data.gz: I/O and other processes are assumed to be as fast as recorded (100 % of the waiting).
$ awk -v own=0 -f "$DATA/replay/cut.awk" </dev/null >cut.txt; pscal forecast --pid 1 --recorded-cores 1 -n 1 --format json cut.txt --with "$DATA/examples/serial1.data.gz" | jq -r '.warnings[]'
t1: I/O and other processes are assumed to be as fast as recorded (100 % of the waiting).
t1: 3 threads were waiting when the recording ended: these waits count as I/O.
stretched: I/O and other processes are assumed to be as fast as recorded (100 % of the waiting).

# CSV and JSON have a row for each program.

$ cd "$DATA/examples"; pscal forecast -n 1 --format csv serial1.data.gz --with parallel1.data.gz | sed -E 's/([0-9]\.[0-9]{12})[0-9]+/\1/g' # later digits differ on arm64
cores,program,recording,recorded_cores,cpu_s,alone_s,together_s,lo_s,hi_s,factor,alone_run_queue_s,run_queue_s,taken_s,both_s,in_turn_s,doubt
1,serial1.data.gz,serial1.data.gz,2,0.774766503,0.77740465,1.594811373,1.412552170864,1.800585813005,2.051455921957,0,0.817406723,0.512034053,1.594811373,1.644933067000,
1,parallel1.data.gz,parallel1.data.gz,2,0.817428826,0.867528417,1.379562470000,1.224976869981,1.553651404272,1.590221649188,0.608212047,1.425943808,0.817406723,1.594811373,1.644933067000,
$ cd "$DATA/examples"; pscal forecast -n 2 --format json serial1.data.gz --with parallel1.data.gz
{
"verdict": "Together on 2 cores serial1.data.gz takes 1.14x as long (0.884 s instead of 0.777 s), parallel1.data.gz 1.35x (0.765 s instead of 0.565 s).",
"together": [
{"cores": 2, "program": "serial1.data.gz", "recording": "serial1.data.gz", "recorded_cores": 2, "cpu_s": 0.774766503, "alone_s": 0.77740465, "together_s": 0.8838106510000001, "lo_s": 0.7935807024216406, "hi_s": 0.984299680558604, "factor": 1.1368733786194873, "alone_run_queue_s": 0.0, "run_queue_s": 0.106406001, "taken_s": 0.334713076, "both_s": 0.8838106510000001, "in_turn_s": 1.3422782884156739, "doubt": null},
{"cores": 2, "program": "parallel1.data.gz", "recording": "parallel1.data.gz", "recorded_cores": 2, "cpu_s": 0.817428826, "alone_s": 0.5648736384156737, "together_s": 0.7650179508539556, "lo_s": 0.6849750626064005, "hi_s": 0.8544116972019823, "factor": 1.3543169637011838, "alone_run_queue_s": 0.0, "run_queue_s": 0.334713076, "taken_s": 0.106406001, "both_s": 0.8838106510000001, "in_turn_s": 1.3422782884156739, "doubt": null}],
"warnings": ["serial1.data.gz: I/O and other processes are assumed to be as fast as recorded (100 % of the waiting).", "parallel1.data.gz: I/O and other processes are assumed to be as fast as recorded (42 % of the waiting)."]
}

# Refused inputs.

$ cd "$DATA/examples"; pscal forecast trace.txt --with serial1.data.gz
pscal forecast: trace.txt: does not tell which program was recorded, and --with is about two; choose its threads with --comm, --pid or --tid
? 1
$ cd "$DATA/examples"; pscal forecast serial1.data.gz --with trace.txt
pscal forecast: --with trace.txt: does not tell which program was recorded; give a recording by 'pscal record -- COMMAND' or 'pscal record -p PID'
? 1
$ cd "$DATA/examples"; pscal forecast serial1.data.gz --with none.data
pscal forecast: none.data: cannot open: No such file or directory; there is 'counters.data' or 'pscal.data'
? 1
$ cd "$DATA/examples"; pscal forecast serial1.data.gz --with profile.csv
pscal forecast: profile.csv: holds no scheduling events that can be read; record some with 'pscal record' or 'perf sched record', and print them with 'perf script --ns -F comm,pid,tid,cpu,time,event,trace'
? 1
$ cd "$DATA/examples"; pscal forecast --recorded-cores 1 profile.csv --with serial1.data.gz
pscal forecast: profile.csv: is a profile, and --with needs a recording
? 2
$ cd "$DATA/examples"; pscal forecast server.json --with serial1.data.gz
pscal forecast: server.json: is a model, and --with needs a recording
? 2
$ cd "$DATA/examples"; pscal forecast serial1.data.gz serial2.data.gz --with parallel1.data.gz
pscal forecast: --with: takes one recording, and 'serial2.data.gz' is a second one
? 2
$ cd "$DATA/examples"; pscal forecast - --with - <serial1.data.gz
pscal forecast: --with: standard input is read once; give a file
? 1
$ cd "$DATA/examples"; pscal forecast -n 0 serial1.data.gz --with parallel1.data.gz
pscal forecast: -n: '0' is not a list like 1,2,4-16 of numbers from 1 to 1048576
? 2
$ cd "$DATA/examples"; for option in --why --usl '--what-if list' '--against serial2.data.gz' '--slowdown memory' '--measured x.csv' '--assert wall_s<1' '--plot x.svg' --chart --calibrate '--model closed-form' '--threads 4'; do pscal forecast serial1.data.gz --with parallel1.data.gz $option; done
pscal forecast: --with: is about two programs, and does not go with --why
pscal forecast: --with: is about two programs, and does not go with --usl
pscal forecast: --with: is about two programs, and does not go with --what-if
pscal forecast: --with: is about two programs, and does not go with --against
pscal forecast: --with: is about two programs, and does not go with --slowdown
pscal forecast: --with: is about two programs, and does not go with --measured
pscal forecast: --assert 'wall_s<1': say for which N, as in 'wall_s(8)>=2'
pscal forecast: --with: is about two programs, and does not go with --plot
pscal forecast: --with: is about two programs, and does not go with --chart
pscal forecast: --calibrate: measures this machine and reads no FILE ('serial1.data.gz')
pscal forecast: --with: needs a replay, and --model asks for the closed form
pscal forecast: --threads: does not go with --with
? 2
