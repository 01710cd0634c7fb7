# SPDX-License-Identifier: GPL-3.0-or-later
# Reports of `pscal stretch` and other commands on tasks with faults.

# Steps lost during the recording: the file has their number as text.
$ for n in 1 2; do gunzip <"$DATA/examples/tasks$n.data.gz" | LC_ALL=C sed "s/blocks_lost 0/blocks_lost $n/" >lost$n.data; done; pscal stretch --by task lost1.data lost2.data | grep -A 1 'lost task'
lost1.data: lost task events: 1. Segments are missing, or end too late.

lost2.data: lost task events: 2. Segments are missing, or end too late.
$ pscal stretch --by task --format json lost1.data lost2.data | jq -c '.recordings[] | [.tasks, .never_begun, .never_run, .never_ended, .never_synced, .orphans, .events_lost]'
[109,0,0,0,0,0,1]
[109,0,0,0,0,0,2]
$ pscal dag -q lost2.data | grep -c .; pscal dag lost2.data | grep Lost
6
Lost task events: 2. Links between tasks may be missing.
$ pscal export -q --sqlite lost.db lost2.data >said.txt; sqlite3 lost.db "SELECT * FROM meta WHERE key = 'events_lost'"
events_lost|2

# A child that no task waits for, one that does not end either, and one that is spawned and does not
# begin; the other recording has two of each. A sync with an unknown child (99) has no effect.
$ for n in 1 2; do awk -v n=$n 'function step(name, tid, task, value, nth) { printf "w 7/%d [00%d] %.6f: pscal:task: site=f a.c:%d step=%s task=%d value=%d index=%d\n", tid, tid - 7, now += 1e-3, tid, name, task, value, nth } \
function spawn(nth) { step("spawn", 7, 1, 0, nth); step("spawned", 7, 1, 0, 0) } \
function child(nth) { spawn(nth); step("begin", 8, nth + 2, 1, nth) } \
BEGIN { now = 1; step("begin", 7, 1, 0, 0); \
	for (i = 0; i < n; i++) { child(i); step("end", 8, i + 2, 0, 0) } \
	for (; i < 2 * n; i++) child(i); \
	for (; i < 3 * n; i++) spawn(i); \
	child(i); step("end", 8, i + 2, 0, 0); \
	step("sync_of", 7, 1, 0, i); step("sync_of", 7, 1, 0, 99); \
	step("sync", 7, 1, 0, 0); step("synced", 7, 1, 0, 0); step("end", 7, 1, 0, 0) }' >$n.txt; done; wc -l *.txt
  19 1.txt
  28 2.txt
  10 said.txt
  57 total
$ pscal stretch --by task 1.txt 2.txt | sed -n '/began/,$p'
1.txt: tasks that never began: 1. Their wait is not counted.

1.txt: tasks that never ended: 1. Their last segment lasts to the end of the
thread.

1.txt: tasks that no sync waits for: 2. A parent that waits for them counts as a
task that could run.

2.txt: tasks that never began: 2. Their wait is not counted.

2.txt: tasks that never ended: 2. Their last segment lasts to the end of the
thread.

2.txt: tasks that no sync waits for: 4. A parent that waits for them counts as a
task that could run.

next: pscal forecast 2.txt
$ pscal stretch --by task --format json 1.txt 2.txt | jq -c '.recordings[] | [.tasks, .never_begun, .never_run, .never_ended, .never_synced, .orphans, .events_lost]'
[4,0,1,1,2,0,0]
[6,0,2,2,4,0,0]
$ pscal dag --dot 2.txt | grep '^//'
// 6 tasks did 37.0 ms of work. The critical path takes 21.0 ms: at most 1.76 cores can be busy on average. Too few tasks ran at once: 2 workers ran tasks for 69 % of the time.
// The recording has no scheduling events: work includes time off the CPU.
// Tasks that never began: 2. They have no work.
// Tasks that never ended: 2. Their last segment lasts to the end of the thread.
// Tasks that no sync waits for: 4. Nothing depends on them.
$ pscal export -q --sqlite two.db 2.txt >said.txt; sqlite3 two.db "SELECT * FROM meta WHERE key LIKE 'tasks_never%' OR key LIKE 'steps%'"
steps_orphaned|0
tasks_never_begun|0
tasks_never_ended|2
tasks_never_run|2
tasks_never_synced|4

# A chain of 20000 tasks, each of which waits for its child: read, compared, drawn and exported in
# little time, memory and stack, with all options.
$ awk 'function step(name, task, value, nth) { printf "w 7/7 [000] %.9f: pscal:task: site=deep a.c:1 step=%s task=%d value=%d index=%d\n", now += 1e-6, name, task, value, nth } \
BEGIN { now = 1; last = 20000; \
	for (i = 1; i <= last; i++) { step("begin", i, i - 1, 0); if (i < last) { step("spawn", i, 0, 0); step("spawned", i, 0, 0); step("sync", i, 0, 0) } } \
	for (i = last; i; i--) { if (i < last) step("synced", i, 0, 0); step("end", i, 0, 0) } }' >deep.txt; cp deep.txt deep2.txt; wc -l <deep.txt
119996
$ (ulimit -v 400000; ulimit -s 3000; ulimit -t 20; for by in segment task level subtree; do pscal stretch --by $by --format json deep.txt deep2.txt | jq -c '[.by, (.rows | length), (.core_time.wall_s * 1e3 | round), .recordings[1].never_synced]'; done)
["segment",1,120,0]
["task",1,120,0]
["level",20000,120,0]
["subtree",2,120,0]
$ (ulimit -v 400000; ulimit -s 3000; ulimit -t 20; pscal stretch --by subtree --level 1000 --format json deep.txt deep2.txt | jq -c '[(.rows | length), ([.rows[].tree_path | length] | max)]')
[1001,2001]
$ pscal stretch --by subtree --level 1001 deep.txt deep2.txt
pscal stretch: --level 1001: is not a number from 0 to 1000
? 2
$ (ulimit -v 400000; ulimit -s 3000; ulimit -t 20; pscal dag --max-nodes 0 --format json deep.txt | jq -c '[.tasks, .levels, (.nodes | length), (.edges | length), ([.nodes[].tree_path // "" | length] | max), .never_synced, .contradictions, (.span_s * 1e3 | round)]')
[20000,20000,39999,59997,1023,0,0,40]
$ (ulimit -v 400000; ulimit -s 3000; ulimit -t 20; pscal dag --dot deep.txt | grep '^//')
// 20000 tasks did 60.0 ms of work. The critical path takes 40.0 ms: at most 1.5 cores can be busy on average. Too few tasks ran at once: 1 worker ran tasks for 50 % of the time.
// The graph has 39999 nodes and is drawn with 40 at most: a task and all tasks below it are one node. --max-nodes 0 draws all.
// At level 19 of 20000 a node is a task and all tasks below it.
// The recording has no scheduling events: work includes time off the CPU.
$ (ulimit -v 400000; ulimit -s 3000; ulimit -t 20; pscal export -q --sqlite deep.db deep.txt >said.txt; tail -n 3 said.txt); sqlite3 deep.db "SELECT max(level), count(*), max(length(tree_path)) FROM task"
interval  59998
    call      0
  sample      0
19999|20000|999

# A clone that a compiler makes of a function counts as the function; the body of a construct is a
# task of its own.
$ printf 'w 7/7 [000] %s: pscal:task: site=%s step=%s task=%s value=0 index=0\n' 1.000000 'sort.part.2 a.c:1' begin 1 1.001000 'sort.part.2 a.c:2' pause 1 1.002000 'sort a.c:1' resume 1 1.003000 'sort a.c:2' end 1 1.004000 'sort._omp_fn.1 a.c:3' begin 2 1.005000 'sort._omp_fn.1.cold a.c:4' end 2 >clones.txt; cp clones.txt clones2.txt; pscal stretch --by segment --format json clones.txt clones2.txt | jq -c '(.rows[] | [.function, .line, .line2, .times]), [.recordings[].samples]'
["sort",1,2,2]
["sort._omp_fn.1",3,4,1]
[null,null]
$ pscal stretch -q --by task clones.txt clones2.txt | grep sort
sort               2  2.00 ms  2.00 ms   0.0 %  0.0 to 0.0 %
sort (task 1)      1  1.00 ms  1.00 ms   0.0 %  -
$ pscal dag --dot clones.txt | grep -o 'label="[^\\]*'
label="sort a.c:1-2
label="sort (task 1) a.c:3-4

# The block with the most inflation is not in the table if it has too little of the work: it is not
# mentioned.
$ for n in 1 2; do awk -v n=$n 'function step(name, task, line) { printf "w 7/7 [000] %.6f: pscal:task: site=f%d a.c:%d step=%s task=%d value=0 index=0\n", now, task % 2, line, name, task } \
BEGIN { now = 1; for (i = 1; i <= 40; i++) { step("begin", i, 1); now += i % 2 ? 1e-3 : 1e-6 + (n - 1) * 4e-6; step("end", i, 2) } }' >$n.txt; done; pscal stretch -q --by task 1.txt 2.txt | grep -c 'grew in\|in f0'; pscal stretch -q --by task --min-score 0 1.txt 2.txt | grep -o 'in f0'
0
in f0
