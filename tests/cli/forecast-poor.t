# SPDX-License-Identifier: GPL-3.0-or-later
# Recordings with few events or nonsense: a replay in doubt, the closed form with a reason, or a
# sentence, and no invalid number.

$ awk -v scale=1 -v wakes=1 -f "$DATA/replay/phases.awk" </dev/null >trace.txt; grep sched_switch trace.txt >switches.txt; pscal forecast -q --recorded-cores 1 -n 2 --format json switches.txt | jq -c '[.model, .reason, .doubt]'
["closed-form","The recording has no wakeups",null]
$ tac trace.txt | pscal forecast -q --recorded-cores 1 -n 1,2 --format json | jq -c '[.model, .reason, .forecast[0].speedup, .forecast[0].lo_s]'
pscal forecast: there is no forecast: the recording shows the target's threads at one instant only; record while they run
$ sed '20s/ 100\./ 000./' trace.txt | pscal forecast -q --recorded-cores 1 -n 2 --format json | jq -c '[.model, .reason, .doubt]'
["replay",null,"Events are missing, and waits and wakeups with them"]
$ head -c 1500 trace.txt | pscal forecast -q --recorded-cores 1 -n 2 --format json | jq -c '[.model, .reason, .doubt]'
["replay",null,"The recording is too short"]
$ pscal forecast -q --recorded-cores 1 --tid 99 trace.txt
pscal forecast: the recording has no thread for --tid 99; its threads are 3 (t3), 1 (t1), 2 (t2)
? 1
$ pscal forecast -q --recorded-cores 1 /dev/null
pscal forecast: /dev/null: is empty
? 1
$ pscal forecast -q --recorded-cores 0 trace.txt
pscal forecast: --recorded-cores 0: is not a number of cores
? 2
$ pscal forecast -q --recorded-cores 1 -n 1048577 trace.txt
pscal forecast: -n: '1048577' is not a list like 1,2,4-16 of numbers from 1 to 1048576
? 2
$ pscal forecast -q --recorded-cores 1 -n 1000000 --format json trace.txt | jq -c '.forecast[0] | [.model, .wall_s, .path_bound_s]'
["replay",0.3,0.3]

# For another number of cores than the recorded one there is no self-check.

$ pscal forecast -q --recorded-cores 1000000 -n 2 --format json trace.txt | jq -c '[.model, .reason, .doubt]'
["replay",null,"The replay misses the recorded wall time"]

# The time on the recorded cores is calibrated, so it does not show the error of the replay, which
# puts one of three short threads on the core of the long one.

$ awk -f "$DATA/replay/rounds.awk" </dev/null >rounds.txt; pscal forecast --recorded-cores 2 -n 2 rounds.txt | grep -A1 'misses the\|^cores'
! Doubtful. The replay misses the recorded wall time (22 %); only its time on 2
  cores is corrected. Record it again.
--
cores  wall time    90 % interval  speedup  efficiency  recorded
    2    0.418 s  0.344 - 0.486 s     1.7x        84 %  0.400 s
--
Trust: replay, misses the recorded wall time by 22 %; 14 of 19 checks passed, 2
failed: barriers, repeats; 3 open (-v).

# All threads waited when an event outside ended them, as Ctrl-C does; that is no I/O. With own=1
# one of them went on computing: then the text does not mention it.

$ for own in 0 1; do awk -v own=$own -f "$DATA/replay/cut.awk" </dev/null >cut.txt; pscal forecast --pid 1 --recorded-cores 1 -n 1,2 cut.txt | grep -A 1 'recording ended'; done
! 3 threads were waiting when the recording ended: these waits count as I/O.
? 1
