# SPDX-License-Identifier: GPL-3.0-or-later
# Cores that are slower while other cores are busy. On two cores 200 ms at 1.5 times the length and
# 100 ms alone are 400 ms; on one core it is as recorded.

$ awk -v scale=1 -v wakes=1 -f "$DATA/replay/phases.awk" </dev/null >trace.txt; pscal forecast -q --recorded-cores 1 -n 1,2 --slowdown "$DATA/replay/slower.csv" trace.txt
t1 gains up to 2 cores and no further: 0.400 s, 1.2x faster than on one.
Limit 0.400 s: work is slower while more cores are busy, as they share memory,
caches or clock. Without that: 0.300 s.

cores  wall time    90 % interval  speedup  efficiency  recorded
    1    0.500 s  0.449 - 0.556 s     1.0x       100 %  0.500 s
    2    0.400 s  0.359 - 0.445 s     1.2x        62 %  -

# Recorded on one core that was already slow: the forecast is unchanged.

$ printf 'cores,slowdown\n1,2\n2,3\n' >twice.csv; pscal forecast --recorded-cores 1 -n 1,2 --slowdown twice.csv --format csv trace.txt | cut -d, -f-2
cores,wall_s
1,0.5
2,0.4

# Beyond the known slowdown it stays constant, and a warning says that it may not.

$ pscal forecast -v --recorded-cores 1 -n 2,8 --slowdown twice.csv trace.txt | grep -e '^! The slowdown' -e '^slowdown' -e 'Assumes' -A1
! The slowdown is known for up to 2 cores; with more, work may take longer.

--
slowdown            twice.csv

--
Assumes the same threads, work and order of waits, and unchanged I/O speed; work
is slower while more cores are busy.
$ pscal forecast --recorded-cores 1 -n 2 --slowdown twice.csv --format json trace.txt | jq -c '[.slowdown, .forecast[0].wall_s]'
["twice.csv",0.4]
$ pscal forecast --recorded-cores 1 -n 2 --format json trace.txt | jq -c '.slowdown'
null

# Also for a replay in doubt.

$ awk -v scale=.02 -v wakes=1 -f "$DATA/replay/phases.awk" </dev/null >short.txt; pscal forecast --recorded-cores 1 -n 2 --slowdown twice.csv short.txt
t1 takes 8.00 ms on 2 cores, 1.2x faster than on one.
Limit 8.00 ms: work is slower while more cores are busy, as they share memory,
caches or clock. Without that: 6.00 ms.
CPUs used: 1 of 1, 10.0 ms CPU time.
Run-queue wait: 10.0 ms in all; p50 199 us, p99 2.20 ms, longest 2.20 ms.
! Doubtful. The recording is too short (10.0 ms). Record a longer run.

cores  wall time   90 % interval  speedup  efficiency
    2    8.00 ms  4.49 - 8.90 ms     1.2x        62 %

Trust: replay, reproduces the recorded run within 0.1 %; 14 of 19 checks passed,
2 failed: length, steps; 3 open (-v).

next: pscal forecast --why short.txt
$ pscal forecast --recorded-cores 1 -n 2 --slowdown twice.csv --format json short.txt | jq -c '.slowdown'
"twice.csv"

# Calibrated values: a mix of two kinds of work. The numbers here replace those of the machine.

$ XDG_CACHE_HOME=$PWD/cache pscal forecast --recorded-cores 1 -n 2 --slowdown compute trace.txt 2>&1 | sed 's|/[^ ]*/cache/|cache/|'
pscal forecast: --slowdown: cache/pscal/calibration.json: this machine has not been calibrated; measure with 'pscal forecast --calibrate'
$ export XDG_CACHE_HOME=$PWD/cache; taskset -c 0 pscal forecast --calibrate >shown; f=cache/pscal/calibration.json; jq '.points = [[1, 1, 1], [2, 1.2, 1.6]] | .points |= map({cores: .[0], compute: {slowdown: .[1], noise: 0}, memory: {slowdown: .[2], noise: 0}})' $f >new && cp new $f && for kind in compute memory 0.5; do pscal forecast --recorded-cores 1 -n 2 --slowdown $kind --format json trace.txt | jq -c '[.slowdown, .forecast[0].wall_s]'; done
["compute",0.34]
["memory",0.42]
["0.5",0.38]

# Wrong options.

$ pscal forecast --recorded-cores 1 -n 2 --slowdown 1.5 trace.txt
pscal forecast: --slowdown: 1.5 is not a share of memory-bound work, 0 to 1
? 1
$ pscal forecast --recorded-cores 1 -n 2 --slowdown nan trace.txt
pscal forecast: --slowdown: nan: cannot open: No such file or directory
? 1
$ pscal forecast --recorded-cores 1 -n 2 --slowdown none.csv trace.txt
pscal forecast: --slowdown: none.csv: cannot open: No such file or directory; there is 'twice.csv'
? 1
$ printf 'cores,wall_s\n1,1\n' >other.csv; pscal forecast --recorded-cores 1 -n 2 --slowdown other.csv trace.txt
pscal forecast: --slowdown: other.csv: needs the columns cores and slowdown
? 1
$ printf 'cores,slowdown\n2,1\n1,2\n' >other.csv; pscal forecast --recorded-cores 1 -n 2 --slowdown other.csv trace.txt
pscal forecast: --slowdown: other.csv: 1 cores: numbers of cores must ascend, from 1 to 65536
? 1
$ printf 'cores,slowdown\n1,0\n' >other.csv; pscal forecast --recorded-cores 1 -n 2 --slowdown other.csv trace.txt
pscal forecast: --slowdown: other.csv: 1 cores: work cannot take 0 times as long; give a factor like 1.25
? 1
$ printf 'cores,slowdown\n1.5,1\n' >other.csv; pscal forecast --recorded-cores 1 -n 2 --slowdown other.csv trace.txt
pscal forecast: --slowdown: other.csv: 1.5 is not a number of cores, 1 to 65536
? 1
$ pscal forecast --recorded-cores 1 -n 2 --slowdown twice.csv --model closed-form trace.txt
pscal forecast: --slowdown: needs a replay, and --model asks for the closed form
? 2
$ pscal forecast --recorded-cores 1 -n 2 --slowdown twice.csv "$DATA/examples/profile.csv"
pscal forecast: $DATA/examples/profile.csv: is a profile, and --slowdown needs a recording
? 2
$ pscal forecast --calibrate --slowdown memory
pscal forecast: --calibrate: makes no forecast; leave out --slowdown
? 2
