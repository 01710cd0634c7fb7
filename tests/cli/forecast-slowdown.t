# SPDX-License-Identifier: GPL-3.0-or-later
# Cores that are slower while others are busy. On two cores 200 ms at 1.5 times the length and 100 ms
# alone are 400 ms; on one it is as recorded.

$ awk -v scale=1 -v wakes=1 -f "$DATA/replay/phases.awk" </dev/null >trace.txt; pscal forecast -q --cores 1 -k 1,2 --slowdown "$DATA/replay/slower.csv" trace.txt
model               replay
measured on cores   1
measured wall time  0.5000 s
slowdown            $DATA/replay/slower.csv

cores  wall time  90 % from        to  speed-up  efficiency     bound  closed form
    1   0.5000 s          -         -     1.00x     100.0 %  0.5000 s     0.5000 s
    2   0.4000 s   0.3594 s  0.4451 s     1.25x      62.5 %  0.3000 s     0.2500 s

For each doubling of cores the interval takes 6.5 % for what that changes in
caches, memory and clock (--discrepancy). It has nothing for steps that vary.

On the cores of the recording, as far as the target had them, the replay misses
its wall time by 0.00 %.

The replay lets threads take the steps that they took, and wait for each other
as they did. It takes their work, and waits for what is outside not to depend on
the number of cores, but for work being slower while more of them are busy.

# Recorded on one core that was slow already: nothing changes.

$ printf 'cores,slowdown\n1,2\n2,3\n' >twice.csv; pscal forecast --cores 1 -k 1,2 --slowdown twice.csv --format csv trace.txt | cut -d, -f-2
cores,wall_s
1,0.5
2,0.4

# Beyond what is known it stays as it is, and that is said.

$ pscal forecast --cores 1 -k 2,8 --slowdown twice.csv trace.txt | sed -n '/^How much/,/^$/p'
How much slower they are is known of up to 2 busy cores, and taken to stay so
beyond.
$ pscal forecast --cores 1 -k 2 --slowdown twice.csv --format json trace.txt | jq -c '[.slowdown, .forecast[0].wall_s]'
["twice.csv",0.4]
$ pscal forecast --cores 1 -k 2 --format json trace.txt | jq -c '.slowdown'
null

# A replay that is not trusted takes it along.

$ awk -v scale=.02 -v wakes=1 -f "$DATA/replay/phases.awk" </dev/null >short.txt; pscal forecast --cores 1 -k 2 --slowdown twice.csv short.txt
model               closed-form
measured on cores   1
measured wall time  0.0100 s

cores  wall time  speed-up  efficiency
    2   0.0050 s     2.00x     100.0 %

It is the closed form, and not a replay: the recording is too short to tell how
the program goes on.

The closed form does not know of cores that are slower.

The closed form takes active threads to be independent, and their work, the
clock and the speed of memory not to depend on the number of cores: no lock that
binds only on more of them, no spinning. It gives no interval.
$ pscal forecast --cores 1 -k 2 --slowdown twice.csv --format json short.txt | jq -c '.slowdown'
null

# Of what is calibrated: a mix of two kinds of work. The numbers here take the place of the machine's.

$ XDG_CACHE_HOME=$PWD/cache pscal forecast --cores 1 -k 2 --slowdown compute trace.txt 2>&1 | sed 's|/[^ ]*/cache/|cache/|'
pscal forecast: --slowdown: cache/pscal/calibration.json: this machine has not been calibrated; measure with 'pscal forecast --calibrate'
$ export XDG_CACHE_HOME=$PWD/cache; pscal forecast --calibrate >shown; f=cache/pscal/calibration.json; jq '.points = [[1, 1, 1], [2, 1.2, 1.6]] | .points |= map({cores: .[0], compute: {slowdown: .[1], noise: 0}, memory: {slowdown: .[2], noise: 0}})' $f >new && cp new $f && for kind in compute memory 0.5; do pscal forecast --cores 1 -k 2 --slowdown $kind --format json trace.txt | jq -c '[.slowdown, .forecast[0].wall_s]'; done
["compute",0.34]
["memory",0.42]
["0.5",0.38]

# Asked for wrongly.

$ pscal forecast --cores 1 -k 2 --slowdown 1.5 trace.txt
pscal forecast: --slowdown: 1.5 is no share of memory-bound work, 0 to 1
? 1
$ pscal forecast --cores 1 -k 2 --slowdown nan trace.txt
pscal forecast: --slowdown: nan: cannot open: No such file or directory
? 1
$ pscal forecast --cores 1 -k 2 --slowdown none.csv trace.txt
pscal forecast: --slowdown: none.csv: cannot open: No such file or directory; there is 'twice.csv'
? 1
$ printf 'cores,wall_s\n1,1\n' >other.csv; pscal forecast --cores 1 -k 2 --slowdown other.csv trace.txt
pscal forecast: --slowdown: other.csv: needs the columns cores and slowdown
? 1
$ printf 'cores,slowdown\n2,1\n1,2\n' >other.csv; pscal forecast --cores 1 -k 2 --slowdown other.csv trace.txt
pscal forecast: --slowdown: other.csv: 1 cores: numbers of cores must ascend, from 1 to 65536
? 1
$ printf 'cores,slowdown\n1,0\n' >other.csv; pscal forecast --cores 1 -k 2 --slowdown other.csv trace.txt
pscal forecast: --slowdown: other.csv: 1 cores: work cannot take 0 times as long; give a factor like 1.25
? 1
$ printf 'cores,slowdown\n1.5,1\n' >other.csv; pscal forecast --cores 1 -k 2 --slowdown other.csv trace.txt
pscal forecast: --slowdown: other.csv: 1.5 is not a number of cores, 1 to 65536
? 1
$ pscal forecast --cores 1 -k 2 --slowdown twice.csv --model closed-form trace.txt
pscal forecast: --slowdown: is for replays, and --model asks for the closed form
? 2
$ pscal forecast --cores 1 -k 2 --slowdown twice.csv "$DATA/examples/profile.csv"
pscal forecast: $DATA/examples/profile.csv: is a profile, of which there is no replay: give the recording
? 1
$ pscal forecast --calibrate --slowdown memory
pscal forecast: --calibrate: makes no forecast that --slowdown could change
? 2
