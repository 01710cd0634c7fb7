# Files for viewers of traces. tests/data/viewers has the rules of each format: it prints each
# breach.

$ pscal export --chrome tasks.json "$DATA/examples/tasks.txt"
tasks.json has 170 slices of 11 threads and 10 wakeups.
! 5 wakeups are missing; the thread counts as blocked until it got a CPU.

$ jq -rf "$DATA/viewers/chrome.jq" tasks.json

$ jq -c '.traceEvents | group_by(.ph)[] | [.[0].ph, length]' tasks.json; jq -c '.otherData' tasks.json
["B",170]
["C",131]
["E",170]
["M",27]
["f",10]
["i",3]
["s",10]
{"recording":"$DATA/examples/tasks.txt","made by":"pscal 0.9.0","begin_ns":"69734115323805"}

# States add up to the times of the profile, and the task graph has the same number of segments.
$ jq -r '.traceEvents[] | select(.cat == "state" and .tid == 3386) | "\(.name) \(if .ph == "B" then -.ts else .ts end)"' tasks.json | awk '{ sum[$1] += $2 } END { for (name in sum) printf "%s %.3f\n", name, sum[name] }' | sort
runnable 43872.139
running 9820.765
sleeping 8097.033

# A file that breaks the rules is detected.
$ jq '(.traceEvents[] | select(.ph == "s") | .id) = 99 | (.traceEvents[] | select(.ph == "E") | .name) = "other" | (.traceEvents[] | select(.cat == "task" and .ph == "B") | .ts) += 1' tasks.json | jq -rf "$DATA/viewers/chrome.jq" | sed 's/:.*//; s/[0-9][0-9]*/N/' | sort -u
arrow N has not one beginning and one end
does not nest
has no end
lane N is not in the order of time
no slice

$ pscal export -q --perfetto tasks.pftrace "$DATA/examples/tasks.txt" && "${PERFETTO:=$(dirname "$(command -v pscal)")/tools/perfetto_json}" <tasks.pftrace >packets.json && jq -rsf "$DATA/viewers/perfetto.jq" packets.json; jq -sc 'map(select(.type)) | group_by(.type)[] | [.[0].type, length]' packets.json
tasks.pftrace has 170 slices of 11 threads and 10 wakeups.
! 5 wakeups are missing; the thread counts as blocked until it got a CPU.
["begin",170]
["counter",131]
["end",170]
["instant",13]

$ pscal export -q --firefox tasks.json.gz "$DATA/examples/tasks.txt" && zcat tasks.json.gz | jq -rf "$DATA/viewers/firefox.jq"
tasks.json.gz has 170 slices of 11 threads and 10 wakeups.
! 5 wakeups are missing; the thread counts as blocked until it got a CPU.

# Samples, of a recording without other events; and calls of functions, one of them without its end.
$ zcat "$DATA/examples/serial1.data.gz" >serial.data; pscal export -q --firefox serial.json serial.data && jq -rf "$DATA/viewers/firefox.jq" serial.json; jq -c '[.threads[].samples.length], ([.threads[].samples.weight[]] | add)' serial.json
serial.json has 11 slices of 1 threads and 0 wakeups.
[772]
772

$ pscal export -q --chrome blocks.json "$DATA/examples/blocks.txt" && jq -rf "$DATA/viewers/chrome.jq" blocks.json; jq -r '.traceEvents[] | select(.cat == "function") | "\(.ph) \(.name) \(.ts) \(.args)"' blocks.json
blocks.json has 10 slices of 2 threads and 2 wakeups.
B main 1000 null
B std::map<int, A>::find(int const&) 2000 null
E std::map<int, A>::find(int const&) 7000 null
B work 7500 null
E work 8500 null
E main 10000 {"end":"not on record"}

# Calls that begin together, end together, or take no time nest as they were made, in each format.
$ switch() { echo "main 50/50 [000] $1: sched:sched_switch: prev_comm=$2 prev_pid=$3 prev_prio=120 prev_state=S ==> next_comm=$4 next_pid=$5 next_prio=120"; }; call() { echo "main 50/50 [000] 1.00$1: pscal:$2: block=$3 args="; }; { switch 1.0 swapper/0 0 main 50; call 1 enter outer; call 1 enter inner; call 1 enter none; call 1 leave none; call 2 leave inner; call 2 enter inner; call 2 enter inner; call 3 leave inner; call 3 enter none; call 3 leave none; call 3 leave inner; call 3 leave outer; call 3 enter next; call 4 leave next; switch 1.009 main 50 swapper/0 0; } >calls.txt; for format in chrome firefox perfetto; do pscal export -q --$format calls.$format calls.txt >calls.log; done; jq -rf "$DATA/viewers/chrome.jq" calls.chrome; jq -rf "$DATA/viewers/firefox.jq" calls.firefox; "${PERFETTO:=$(dirname "$(command -v pscal)")/tools/perfetto_json}" <calls.perfetto >calls.json; jq -rsf "$DATA/viewers/perfetto.jq" calls.json

$ jq -r '.traceEvents[] | select(.cat == "function") | "\(.ph | ascii_downcase) \(.name) \(.ts / 1000)"' calls.chrome >chrome.nest; jq -r '.shared.stringArray as $names | .threads[].markers | [.phase, .name, .startTime, .endTime] | transpose[] | select(.[0] > 1) | "\(if .[0] == 2 then "b" else "e" end) \($names[.[1]]) \(.[2] // .[3])"' calls.firefox >firefox.nest; jq -rs 'map(select(.track and .name == "main (code)") | .track)[0] as $lane | map(select(.on == $lane)) | sort_by(.time) | reduce .[] as $event ({stack: [], lines: []}; if $event.type == "begin" then .stack += [$event.name] | .lines += ["b \($event.name) \($event.time / 1000000)"] else .lines += ["e \(.stack[-1]) \($event.time / 1000000)"] | .stack |= .[:-1] end) | .lines[]' calls.json >perfetto.nest; cmp chrome.nest firefox.nest && cmp chrome.nest perfetto.nest && cat chrome.nest
b outer 1
b inner 1
b none 1
e none 1
e inner 2
b inner 2
b inner 2
e inner 3
b none 3
e none 3
e inner 3
e outer 3
b next 3
e next 4

# Stacks; content that a recording lacks is reported.
$ pscal export --folded cpu.folded serial.data | sed 's/has [0-9]*/has N/'; awk '{ sum += $NF } END { print sum }' cpu.folded; grep -vc '^[a-z_]*;.* [0-9][0-9]*$' cpu.folded
cpu.folded has N stacks of 0.775 s of CPU time, in microseconds.

next: flamegraph.pl --countname us cpu.folded >flame.svg
774768
0
? 1

$ pscal export --folded off.folded --weight off-cpu serial.data; ls off.folded 2>&1
pscal export: the recording has no call stacks of threads that leave their CPU; record it with 'pscal record --off-cpu'
ls: cannot access 'off.folded': No such file or directory
? 2

$ pscal export --folded none.folded "$DATA/examples/tasks.txt"
pscal export: CPU time by stack needs samples, and the recording has none; record it with 'pscal record -F 997 -g'
? 1

$ pscal export --folded cpu.folded serial.data
pscal export: cpu.folded: exists; choose another name, or replace it with --force
? 1

$ pscal export --folded x.folded --weight gpu serial.data
pscal export: --weight gpu: is not cpu, off-cpu or run-queue
? 2

$ pscal export --folded x.folded --chrome x.json serial.data
pscal export: name one output: --sqlite DB, --csv DIR, --chrome FILE, --perfetto FILE, --firefox FILE or --folded FILE
? 2

$ pscal export --chrome /dev/full "$DATA/examples/tasks.txt"
pscal export: /dev/full: there is no room left on its disk
? 1

# The name of a thread may be any text.
$ printf '%s\n' 'a"},{;\ 7/7 [000] 1.000000: sched:sched_switch: prev_comm=a"},{;\ prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120' '<idle> 0/0 [000] 1.000100: sched:sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a"},{;\ next_pid=7 next_prio=120' 'a"},{;\ 7/7 [000] 1.000200: sched:sched_switch: prev_comm=a"},{;\ prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120' >odd.txt; for format in chrome firefox perfetto; do pscal export -f --$format odd.$format odd.txt; done; jq -rf "$DATA/viewers/chrome.jq" odd.chrome; jq -rf "$DATA/viewers/firefox.jq" odd.firefox; jq -r '.threads[].name' odd.firefox; "${PERFETTO:=$(dirname "$(command -v pscal)")/tools/perfetto_json}" <odd.perfetto | jq -r '.thread // empty'
odd.chrome has 2 slices of 1 threads and 0 wakeups.
! Wakeups were not recorded: a thread counts as blocked until it gets a CPU.
  Numbers of ready threads are lower bounds.
odd.firefox has 2 slices of 1 threads and 0 wakeups.
! Wakeups were not recorded: a thread counts as blocked until it gets a CPU.
  Numbers of ready threads are lower bounds.
odd.perfetto has 2 slices of 1 threads and 0 wakeups.
! Wakeups were not recorded: a thread counts as blocked until it gets a CPU.
  Numbers of ready threads are lower bounds.
a"},{;\
a"},{;\

# A thread that has the number of an ended one has a lane of its own.
$ switch() { printf 'main %s [000] %s: sched:sched_switch: prev_comm=main prev_pid=%s prev_prio=120 prev_state=%s ==> next_comm=main next_pid=%s next_prio=120\n' $1 $2 $1 $3 $4; }; for second in 1 2; do echo "main 100 [000] $second.0: sched:sched_process_fork: comm=main pid=100 child_comm=main child_pid=200"; switch 100 $second.1 S 200; echo "main 200 [000] $second.2: sched:sched_process_exit: comm=main pid=200 prio=120"; switch 200 $second.3 X 100; done >reused.txt; pscal export --pid 100 --chrome reused.json reused.txt >reused.log; jq -c '[.traceEvents[] | select(.name == "thread_name") | .tid], ([.traceEvents[] | select(.ph == "B") | .tid] | unique)' reused.json
[100,200,8388612]
[100,200,8388612]
