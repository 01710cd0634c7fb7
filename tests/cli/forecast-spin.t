# SPDX-License-Identifier: GPL-3.0-or-later
# What threads spin is known from samples, of which there are none here: nothing changes, and that is
# said. tests/live/forecast_spin.sh has some.

$ awk -v scale=1 -v wakes=1 -f "$DATA/replay/phases.awk" </dev/null >trace.txt; pscal forecast --cores 1 -k 2 --spin waiting trace.txt
model               replay
measured on cores   1
measured wall time  0.5000 s

cores  wall time  speed-up  efficiency     bound  closed form
    2   0.3000 s     1.67x      83.3 %  0.3000 s     0.2500 s

Threads take the steps that they took, and wait for each other as they did;
their work does not depend on the number of cores: no spinning, the same clock
and memory speed, and waits for what is outside as long as they were.

The recording has no samples of running threads, so that --spin waiting changes
nothing: record with -F.

On the cores of the recording, as far as the target had them, the replay misses
its wall time by 0.00 %.

Does not hold: the program has 100 steps or more (7): there are too few steps to
tell how much they vary.

Not known from this recording: whether as many threads work on other numbers of
cores, and whether no thread computes only to wait.
$ for kind in work waiting; do pscal forecast --cores 1 -k 2 --spin $kind --format json trace.txt | jq -c '[.spin, .spin_share, .forecast[0].wall_s], (.validity[] | select(.condition == "spinning"))'; done
["work",null,0.3]
{"condition":"spinning","holds":null,"value":null,"limit":0.02,"decides":false,"meaning":"threads that spin do no work, and what they wait for may take another time on other cores: --spin waiting has them wait for as long as they did; only samples of running threads tell (record with -F)"}
["waiting",null,0.3]
{"condition":"spinning","holds":null,"value":null,"limit":0.02,"decides":false,"meaning":"threads that spin do no work, and what they wait for may take another time on other cores: --spin waiting has them wait for as long as they did; only samples of running threads tell (record with -F)"}
$ pscal forecast --cores 1 -k 2 --model closed-form --format json trace.txt | jq -c '[.spin, .spin_share]'
[null,null]

# A replay that is not trusted takes it along.

$ awk -v scale=.02 -v wakes=1 -f "$DATA/replay/phases.awk" </dev/null >short.txt; pscal forecast --cores 1 -k 2 --spin waiting short.txt | tail -n 1
The closed form takes all CPU time for work, --spin or not.

$ pscal forecast --spin sleep trace.txt
pscal forecast: --spin sleep: threads that spin are taken for work or waiting
? 2
$ pscal forecast --spin waiting --model closed-form trace.txt
pscal forecast: --spin: is for replays, and --model asks for the closed form
? 2
$ pscal forecast --spin waiting "$DATA/examples/profile.csv"
pscal forecast: $DATA/examples/profile.csv: is a profile, of which there is no replay: give the recording
? 1
