# SPDX-License-Identifier: GPL-3.0-or-later
# A recording as tables. That of tasks is of 15 that compute for 1 ms each.

$ pscal export --comm tasks_fib --sqlite parallel.db "$DATA/examples/tasks.txt"
parallel.db has 181 rows in 7 tables.

   table  rows
    meta    47
  thread     2
   state    81
    task    15
interval    36
    call     0
  sample     0

$ sqlite3 -header parallel.db 'SELECT * FROM interval LIMIT 3; SELECT * FROM task LIMIT 4; SELECT * FROM thread; SELECT * FROM state LIMIT 2'
file|line|line2|function|level|worker|start|time|running|switches|migrations|faults|step|step_end|tree_path|task
tests/workloads/tasks_fib.c|57|64|fib|0|0|13371814|1085050|1010118|1|0||begin|spawn|0|0
tests/workloads/tasks_fib.c|66|57|fib|0|0|14478456|180|180|0|0||spawned|begin|0|0
tests/workloads/tasks_fib.c|71|68|fib|0|0|61365634|10|10|0|0||end|sync|0|0
id|pid|number|parent|nth|level|root|tree_path|function|file|line|in_place|ended|ready|start|time|synced
0||1||0|0|0|0|fib|tests/workloads/tasks_fib.c|57|0|1|13371814|13371814|47993870|
1||2|0|1|1|0|0.1|fib|tests/workloads/tasks_fib.c|57|1|1|14478636|14478636|46886998|61365634
2||3|1|1|2|0|0.1.1|fib|tests/workloads/tasks_fib.c|57|1|1|15479600|15479600|2655172|18134772
3||1048577|1|0|2|0|0.1.0|fib|tests/workloads/tasks_fib.c|57|0|1|15479580|16084332|20042308|61365624
id|tid|pid|comm|start|time|running|name
0|3386||tasks_fib|0|61789937|9820765|tasks_fib
1|3390||tasks_fib|5811622|58943670|7658858|tasks_fib
thread|start|time|state|cpu
0|0|4966962|runnable|
0|4966962|860835|running|1

$ sqlite3 -header parallel.db 'SELECT * FROM by_level; SELECT * FROM by_subtree WHERE level < 2; SELECT * FROM by_segment; SELECT * FROM by_state'
level|tasks|intervals|time|running|longest|switches|migrations|faults
0|1|4|1085250|1010318|1085050|1|0|
1|2|8|17556700|2010952|16545960|1|0|
2|4|13|30873281|4015741|16665830|7|0|
3|6|9|20749846|6020745|11081237|5|0|
4|2|2|9582709|2001466|8581305|2|0|
task|tree_path|level|function|file|line|tasks|intervals|time|running|switches|migrations|faults
0|0|0|fib|tests/workloads/tasks_fib.c|57|15|36|79847786|15059222|16|0|
1|0.1|1|fib|tests/workloads/tasks_fib.c|57|5|11|23691174|5022303|4|0|
4|0.0|1|fib|tests/workloads/tasks_fib.c|57|9|21|55071362|9026601|11|0|
function|file|line|line2|intervals|time|running|longest|switches|migrations|faults
fib|tests/workloads/tasks_fib.c|57|60|8|28807609|8020218|11081237|7|0|
fib|tests/workloads/tasks_fib.c|57|64|7|51028930|7027757|16665830|9|0|
fib|tests/workloads/tasks_fib.c|60|68|5|10215|10215|9725|0|0|
fib|tests/workloads/tasks_fib.c|66|57|7|731|731|290|0|0|
fib|tests/workloads/tasks_fib.c|70|71|7|160|160|60|0|0|
fib|tests/workloads/tasks_fib.c|71|68|2|141|141|131|0|0|
thread|tid|comm|state|intervals|time|name
0|3386|tasks_fib|runnable|19|43872139|tasks_fib
0|3386|tasks_fib|running|19|9820765|tasks_fib
0|3386|tasks_fib|sleeping|4|8097033|tasks_fib
1|3390|tasks_fib|runnable|17|49566919|tasks_fib
1|3390|tasks_fib|running|17|7658858|tasks_fib
1|3390|tasks_fib|sleeping|5|1717893|tasks_fib

$ sqlite3 parallel.db "PRAGMA integrity_check; PRAGMA foreign_key_check; SELECT key, value FROM meta WHERE key NOT LIKE 'quality%'"
ok
calls_every|1
calls_open|0
calls_stray|0
calls_too_deep|0
calls_unwound|0
collector|
cores|1
events_lost|0
file|$DATA/examples/tasks.txt
origin_ns|69734115323805
paths_left_out|0
pscal_version|0.9.0
samples_left_out|0
scheduler|1
schema|2
steps_orphaned|0
tasks_never_begun|0
tasks_never_ended|0
tasks_never_run|0
tasks_never_synced|0
wall_ns|64755292

# The work of all tasks, and of each one below the root, is that in the task graph.
$ sqlite3 parallel.db 'SELECT tree_path, tasks, running FROM by_subtree WHERE level <= 1 ORDER BY tree_path' && pscal dag --comm tasks_fib --level 1 --format json "$DATA/examples/tasks.txt" | jq -c '[.tasks, .work_s], (.nodes[] | select(.kind == "subtree") | [.tree_path, .tasks, .work_s])'
0|15|15059222
0.0|9|9026601
0.1|5|5022303
[15,0.015059222]
["0.1",5,0.005022303]
["0.0",9,0.009026601]

# The states of threads are those of the timeline.
$ pscal timeline --comm tasks_fib --format csv "$DATA/examples/tasks.txt" | awk -F, 'NR > 1 { sum[$4 " " $7] += $3; count[$4 " " $7]++ } END { for (key in sum) printf "%s %d %.0f\n", key, count[key], sum[key] * 1e9 }' | sort >said.txt; sqlite3 -separator ' ' parallel.db 'SELECT tid, state, intervals, time FROM by_state ORDER BY tid, state' | diff - said.txt && wc -l <said.txt
6

# Two runs of 109 tasks, each of which computes for 0.5 ms in one run and for 0.6 ms in the other,
# in the blocks in which a task begins. The work inflation is 1.2, of these and in total.
$ pscal export -q --sqlite one.db "$DATA/examples/tasks1.data.gz" >said.txt && pscal export -q --sqlite two.db "$DATA/examples/tasks2.data.gz" >said.txt && sqlite3 two.db "ATTACH 'one.db' AS one; SELECT p.line, p.line2, p.intervals, s.intervals, round(1.0 * p.running / s.running, 2) FROM by_segment AS p JOIN one.by_segment AS s USING (function, file, line, line2) WHERE s.running > 1e6; SELECT p.tasks, s.tasks, round(1.0 * p.running / s.running, 2) FROM by_subtree AS p JOIN one.by_subtree AS s USING (tree_path) WHERE p.level = 0"
57|60|55|55|1.2
57|64|54|54|1.2
109|109|1.2

# Blocks of code; one has no recorded end.
$ pscal export --sqlite blocks.db "$DATA/examples/blocks.txt" && sqlite3 -header blocks.db 'SELECT * FROM call; SELECT * FROM by_name'
blocks.db has 59 rows in 7 tables.

   table  rows
    meta    47
  thread     2
   state     7
    task     0
interval     0
    call     3
  sample     0

The tables interval and task are empty: the recording has no tasks (pscal record
--tasks).
name|thread|start|time|running|depth|unwound
std::map<int, A>::find(int const&)|0|2000000|5000000|2000000|1|0
work|0|7500000|1000000|1000000|1|0
main|0|1000000|||0|0
name|calls|time|running|longest
main|1|||
std::map<int, A>::find(int const&)|1|5000000|2000000|5000000
work|1|1000000|1000000|1000000

# Samples, of a perf.data file that is read from a pipe.
$ zcat "$DATA/examples/serial1.data.gz" | pscal export -q --sqlite samples.db && sqlite3 samples.db 'SELECT count(*), count(DISTINCT address), sum(mode = '\''user'\''), min(at) >= 0 FROM sample; SELECT value FROM meta WHERE key = '\''file'\'''
samples.db has 831 rows in 7 tables.

   table  rows
    meta    47
  thread     1
   state    11
    task     0
interval     0
    call     0
  sample   772

The tables interval and task are empty: the recording has no tasks (pscal record
--tasks).
772|7|736|1
standard input

# The text of perf script: states, and no samples.
$ pscal export -q --sqlite text.db "$DATA/cc.perf-script.txt" && sqlite3 text.db 'SELECT * FROM by_state; SELECT count(*) FROM sample'
text.db has 56 rows in 7 tables.

   table  rows
    meta    47
  thread     2
   state     7
    task     0
interval     0
    call     0
  sample     0

The tables interval and task are empty: the recording has no tasks (pscal record
--tasks).
0|50|make|running|1|1000000|make
0|50|make|sleeping|1|9000000|make
1|51|cc|disk|1|2000000|cc
1|51|cc|runnable|2|1500000|cc
1|51|cc|running|2|6500000|cc
0

# Samples alone, from attaching to a program: its threads are those of the samples.
$ zcat "$DATA/read/attached2.data.gz" >attached.data; pscal export -q --sqlite attached.db attached.data && sqlite3 attached.db "SELECT comm, time > 3e8, running, (SELECT count(*) FROM sample WHERE thread = id) FROM thread; SELECT key, value FROM meta WHERE key IN ('cores', 'scheduler', 'samples_left_out') OR (key LIKE 'quality%' AND value)"
attached.db has 125 rows in 7 tables.

   table  rows
    meta    47
  thread     2
   state     0
    task     0
interval     0
    call     0
  sample    76

The tables interval and task are empty: the recording has no tasks (pscal record
--tasks).
spinner|1||38
spinner|1||38
cores|
quality_events|76
samples_left_out|0
scheduler|0

# ... and only the selected ones.
$ pscal export -q --comm none --sqlite none.db attached.data; pscal export --force --sqlite one.db --tid $(sqlite3 attached.db 'SELECT max(tid) FROM thread') attached.data
pscal export: the recording has no thread for --comm none; its threads are spinner, perf-exec
one.db has 86 rows in 7 tables.

   table  rows
    meta    47
  thread     1
   state     0
    task     0
interval     0
    call     0
  sample    38

The tables interval and task are empty: the recording has no tasks (pscal record
--tasks).

38 samples of threads outside the target are left out.

# A text with samples alone has no content that pscal reads.
$ echo 'sort  7202 81198.923519:    1003009 cpu-clock:      7f01251e36ac __memchr_evex+0x2c (/usr/lib/libc.so.6)' >samples.txt; pscal export --sqlite none.db samples.txt; ls none.db* 2>&1
pscal export: samples.txt: holds no scheduling events that can be read; record some with 'pscal record' or 'perf sched record', and print them with 'perf script --ns -F comm,pid,tid,cpu,time,event,trace'
ls: cannot access 'none.db*': No such file or directory
? 2

# An existing database is unchanged, unless --force is given.
$ pscal export --sqlite blocks.db "$DATA/examples/tasks.txt"; sqlite3 blocks.db 'SELECT count(*) FROM call'
pscal export: blocks.db: exists; choose another name, or replace it with --force
3

$ pscal export --force --sqlite blocks.db --comm tasks_fib --format csv "$DATA/examples/tasks.txt" && sqlite3 blocks.db 'SELECT count(*) FROM interval'
table,rows
meta,47
thread,2
state,81
task,15
interval,36
call,0
sample,0
36

# A file that is not a database is not replaced.
$ mkdir dir.db; pscal export --force --sqlite dir.db "$DATA/examples/tasks.txt"
pscal export: dir.db: is a directory; name a file
? 1

$ ln -s blocks.db link.db; pscal export --force --sqlite link.db "$DATA/examples/tasks.txt"
pscal export: link.db: exists and is not a regular file; choose another name
? 1

$ pscal export --force --sqlite /dev/full "$DATA/examples/tasks.txt"
pscal export: /dev/full: exists and is not a regular file; choose another name
? 1

$ cp "$DATA/examples/tasks.txt" own.txt; pscal export --force --sqlite own.txt own.txt
pscal export: own.txt: this is the recording; choose another name for the output
? 1

$ touch new.db-wal; pscal export --sqlite new.db "$DATA/examples/tasks.txt"
pscal export: new.db: is in use, or its last writer was killed: there is new.db-wal; choose another name
? 1

$ pscal export --sqlite no/where.db "$DATA/examples/tasks.txt"
pscal export: no/where.db: cannot write: No such file or directory; make its directory first
? 1

$ pscal export --sqlite /proc/new.db "$DATA/examples/tasks.txt" 2>&1 | sed 's/:[^:]*$//'
pscal export: /proc/new.db: cannot write

# If there is no room, no database and no draft is left.
$ (ulimit -f 64; pscal export --sqlite full.db --comm tasks_fib "$DATA/examples/tasks.txt"); ls full* 2>&1
pscal export: full.db: has reached the file size limit ('ulimit -f')
ls: cannot access 'full*': No such file or directory
? 2

$ echo what >torn.txt; pscal export --sqlite torn.db torn.txt; ls torn.db* 2>&1
pscal export: torn.txt: holds no scheduling events that can be read; record some with 'pscal record' or 'perf sched record', and print them with 'perf script --ns -F comm,pid,tid,cpu,time,event,trace'
ls: cannot access 'torn.db*': No such file or directory
? 2

# The database is written even if standard output cannot be, which is reported.
$ pscal export --sqlite said.db "$DATA/examples/tasks.txt" >/dev/full; sqlite3 said.db 'SELECT count(*) FROM task'
pscal export: standard output: cannot write: No space left on device
15

$ pscal export "$DATA/examples/tasks.txt"
pscal export: name the output: --sqlite DB, --csv DIR, --chrome FILE, --perfetto FILE, --firefox FILE or --folded FILE
? 2

$ pscal export --sqlite "" "$DATA/examples/tasks.txt"
pscal export: the name of the output is empty
? 2

# A chain of 20000 tasks: paths of more than 1000 characters are left out.
$ awk 'BEGIN { for (i = 1; i <= 20000; i++) printf "w 7/7 [000] %.9f: pscal:task: site=deep a.c:1 step=begin task=%d value=%d index=1\n", 1 + i * 1e-6, i, i - 1; for (i = 20000; i; i--) printf "w 7/7 [000] %.9f: pscal:task: site=deep a.c:9 step=end task=%d value=0 index=0\n", 2 - i * 1e-6, i }' | pscal export --sqlite deep.db && sqlite3 deep.db 'SELECT max(level), count(tree_path), max(length(tree_path)), max(root) FROM task; SELECT count(*), count(running) FROM interval'
deep.db has 60047 rows in 7 tables.

   table   rows
    meta     47
  thread      1
   state      0
    task  20000
interval  39999
    call      0
  sample      0

19500 tasks have no tree_path: it would be longer than 1000 characters.
19999|500|999|0
39999|0

# Tasks known only by a child, tasks without an end, and tasks that no task waited for.
$ printf '%s\n' 'w 7/7 [000] 1.000000: pscal:task: site=main a.c:1 step=begin task=2 value=1 index=3' 'w 7/7 [000] 1.000010: pscal:task: site=main a.c:2 step=spawn task=2 value=0 index=0' | pscal export -q --sqlite odd.db && sqlite3 -header odd.db 'SELECT id, parent, nth, root, tree_path, ended, start, time, synced FROM task; SELECT line, line2, step, step_end, running FROM interval; SELECT key, value FROM meta WHERE key LIKE '\''tasks%'\'''
odd.db has 51 rows in 7 tables.

   table  rows
    meta    47
  thread     1
   state     0
    task     2
interval     1
    call     0
  sample     0
id|parent|nth|root|tree_path|ended|start|time|synced
0||0|0|0|0|||
1|0|3|0|0.3|0|0|10000|
line|line2|step|step_end|running
1|2|begin|spawn|
key|value
tasks_never_begun|1
tasks_never_ended|1
tasks_never_run|1
tasks_never_synced|1

# A counter of threads has the name of an existing column.
$ printf '%s\n' 'w 7/7 [000] 1.000000: pscal:task: site=main a.c:1 step=begin task=1 value=0 index=0 faults=5 Switches=7' 'w 7/7 [000] 1.000010: pscal:task: site=main a.c:2 step=end task=1 value=0 index=0 faults=8 Switches=9' >taken.txt; pscal export -q --sqlite taken.db taken.txt >said.txt && sqlite3 -header taken.db 'SELECT faults, switches, "counted-faults", "counted-switches" FROM interval'
faults|switches|counted-faults|counted-Switches
||3|2

# The same tables as CSV, with a column for the recording; counters of tasks are one column.
$ pscal export --csv tables --id one "$DATA/examples/tasks.txt" && ls tables; head -n 3 tables/thread.csv; grep -c . tables/state.csv; sqlite3 csv.db '.import --csv tables/interval.csv interval' '.import --csv tables/state.csv state' 'SELECT recording, count(*), sum(running) FROM interval; SELECT count(*), sum(time) FROM state' && sqlite3 parallel.db 'SELECT count(*), sum(running) FROM interval'
tables has 250 rows in 7 tables.

   table  rows
    meta    47
  thread    11
   state   141
    task    15
interval    36
    call     0
  sample     0

! 5 wakeups are missing; the thread counts as blocked until it got a CPU.
call.csv
interval.csv
meta.csv
sample.csv
state.csv
tables.sql
task.csv
thread.csv
recording,id,tid,pid,comm,start,time,running,name
"one",0,3386,,"tasks_fib",0,61789937,9820765,"tasks_fib"
"one",1,3022,,"pscal",0,64755292,0,"pscal"
142
one|36|15059222
141|703531235
36|15059222

$ pscal export -q --csv counted --id 'a "b", c' taken.txt >said.txt; cat counted/interval.csv; tail -n 1 counted/thread.csv
recording,file,line,line2,function,level,worker,start,time,running,switches,migrations,faults,step,step_end,tree_path,task,counters
"a ""b"", c","a.c",1,2,"main",0,0,0,10000,,,,,"begin","end","0",0,"{""counted-faults"": 3, ""counted-Switches"": 2}"
"a ""b"", c",0,7,7,"w",0,10000,,"w"

$ pscal export --csv tables "$DATA/examples/tasks.txt"
pscal export: tables/meta.csv: exists; choose another name, or replace it with --force
? 1

# Tables without known values have only their header.
$ pscal export -q --csv attached attached.data >said.txt; cat attached/state.csv; tail -n 1 attached/sample.csv | cut -d, -f 1 | sed 's/[0-9]/N/g'; grep -c . attached/sample.csv
recording,thread,start,time,state,cpu
"attached.data NNNN-NN-NNTNN:NN:NNZ"
77

# No output replaces a recording.

$ cp "$DATA/examples/pscal.data" kept.data; pscal export --sqlite kept.data --force "$DATA/examples/trace.txt"
pscal export: kept.data: is a recording, and is not replaced; choose another name
? 1
$ pscal profile -o kept.data "$DATA/examples/pscal.data"
pscal profile: kept.data: is a recording, and is not replaced; choose another name
? 1
$ grep -m 5 . "$DATA/examples/trace.txt" >kept.txt; pscal profile --json -o kept.txt "$DATA/examples/pscal.data"
pscal profile: kept.txt: is a recording, and is not replaced; choose another name
? 1
$ cmp kept.data "$DATA/examples/pscal.data" && echo same
same

# Options for another output, and invalid outputs.
$ pscal export --chrome t.json --weight off-cpu "$DATA/examples/trace.txt"
pscal export: --weight: needs --folded
? 2
$ pscal export --chrome t.json --id one "$DATA/examples/trace.txt"
pscal export: --id: needs --csv
? 2
$ pscal export --csv '' --folded f "$DATA/examples/trace.txt"
pscal export: name one output: --sqlite DB, --csv DIR, --chrome FILE, --perfetto FILE, --firefox FILE or --folded FILE
? 2
$ pscal export --chrome '' "$DATA/examples/trace.txt"
pscal export: the name of the output is empty
? 2
$ pscal export --chrome - "$DATA/examples/trace.txt"
pscal export: -: is not an output here; name a file
? 2
$ pscal export --chrome /dev/stdout "$DATA/examples/trace.txt" | head -c 100
pscal export: /dev/stdout: is where the answer is printed; name another file
$ pscal export -q -o said.txt --chrome /dev/stdout "$DATA/examples/trace.txt" | jq -r '.traceEvents | type'
array
$ pscal export --csv none --tid 999999 "$DATA/examples/trace.txt"; ls none
pscal export: the recording has no thread for --tid 999999; its threads are 5420 (pigz), 5421 (pigz), 5422 (pigz), 5419 (pigz), 44 (kworker/0:1H), 14 (ksoftirqd/0), 5418 (pscal)
ls: cannot access 'none': No such file or directory
? 2

# Nor does a result replace its own input, whatever its name.
$ cp "$DATA/cc.timehist.txt" own.txt; pscal profile -o own.txt own.txt; cmp own.txt "$DATA/cc.timehist.txt"
pscal profile: own.txt: is the input; choose another name
