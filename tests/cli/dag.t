# SPDX-License-Identifier: GPL-3.0-or-later
# The graph of 15 tasks that compute for 1 ms each: fib(n) spawns fib(n - 1) and runs fib(n - 2) in place,
# so that fib(5), fib(4), ... fib(1) have to run one after the other. The work is 15 ms, the span 5 ms.

$ pscal dag --dot --comm tasks_fib --level 1 "$DATA/examples/tasks.txt"
// 15 tasks did 15.1 ms of work. The critical path takes 5.02 ms: at most 3 cores can be busy on average. Run-queue wait limits it: 2 workers ran tasks for 16 % of the time and waited for a CPU for 74 %.
// At level 1 of 5 a node is a task and all tasks below it.
digraph tasks {
	node [shape=box, style=filled, fillcolor="#eef3fa", color="#4f6d94",
		fontname="sans-serif", fontsize=10];
	edge [color="#4f6d94", fontname="sans-serif", fontsize=9, arrowsize=0.7];
	n0 [label="fib tasks_fib.c:57-66\n1.01 ms, 2 segments", color="#c4161c", penwidth=2.5];
	n1 [label="fib tasks_fib.c:68\n10 ns, 1 segment"];
	n2 [label="fib tasks_fib.c:70-71\n10 ns, 1 segment", color="#c4161c", penwidth=2.5];
	n3 [label="fib tasks_fib.c:57\n5.02 ms, 5 tasks", peripheries=2];
	n4 [label="fib tasks_fib.c:57\n9.03 ms, 9 tasks", peripheries=2, color="#c4161c", penwidth=2.5];
	n0 -> n1 [style=dotted];
	n0 -> n3 [style=solid, arrowhead=empty];
	n0 -> n4 [style=solid, color="#c4161c", penwidth=2.5];
	n1 -> n2 [style=dotted];
	n3 -> n1 [style=dashed, arrowhead=empty];
	n4 -> n2 [style=dashed, color="#c4161c", penwidth=2.5];
}

$ pscal dag --dot --comm tasks_fib --level 0 "$DATA/examples/tasks.txt"
// 15 tasks did 15.1 ms of work. The critical path takes 5.02 ms: at most 3 cores can be busy on average. Run-queue wait limits it: 2 workers ran tasks for 16 % of the time and waited for a CPU for 74 %.
// At level 0 of 5 a node is a task and all tasks below it.
digraph tasks {
	node [shape=box, style=filled, fillcolor="#eef3fa", color="#4f6d94",
		fontname="sans-serif", fontsize=10];
	edge [color="#4f6d94", fontname="sans-serif", fontsize=9, arrowsize=0.7];
	n0 [label="fib tasks_fib.c:57\n15.1 ms, 15 tasks", peripheries=2, color="#c4161c", penwidth=2.5];
}

# graphviz accepts the output.
$ pscal dag --dot --comm tasks_fib "$DATA/examples/tasks.txt" | dot -Tplain | awk '{ seen[$1]++ } END { print seen["node"], seen["edge"] }'
29 42

$ pscal dag --comm tasks_fib --level 1 --format json "$DATA/examples/tasks.txt" | jq -c 'del(.nodes, .edges, .quality), .nodes[], .edges[]'
{"verdict":"15 tasks did 15.1 ms of work. The critical path takes 5.02 ms: at most 3 cores can be busy on average. Run-queue wait limits it: 2 workers ran tasks for 16 % of the time and waited for a CPU for 74 %.","work_s":0.015059222,"span_s":0.005016606,"parallelism":3.001874574164286,"wall_s":0.04799387,"workers":2,"busy_share":0.15688693160189,"run_queue_s":0.071190016,"limit":"run queue","tasks":15,"segments":36,"levels":5,"level":1,"lowered":false,"grouped":false,"all_nodes":5,"scheduler":true,"unknown_s":0,"never_begun":0,"never_run":0,"never_ended":0,"never_synced":0,"orphans":0,"events_lost":0,"contradictions":0,"sites":[{"function":"fib","file":"tests/workloads/tasks_fib.c","line":57,"tasks":15,"work_s":0.015059222,"critical_s":0.005016606}],"warnings":[]}
{"id":0,"kind":"section","function":"fib","file":"tests/workloads/tasks_fib.c","line":57,"line_end":66,"level":0,"tree_path":"0","section":0,"in_place":false,"members":1,"tasks":1,"segments":2,"work_s":0.001010298,"critical":true,"critical_s":0.001010118,"begin_s":0.013371814,"end_s":0.014478636,"switches":1,"migrations":0,"faults":null}
{"id":1,"kind":"section","function":"fib","file":"tests/workloads/tasks_fib.c","line":68,"line_end":68,"level":0,"tree_path":"0","section":1,"in_place":false,"members":1,"tasks":0,"segments":1,"work_s":1e-08,"critical":false,"critical_s":0,"begin_s":0.061365634,"end_s":0.061365644,"switches":0,"migrations":0,"faults":null}
{"id":2,"kind":"section","function":"fib","file":"tests/workloads/tasks_fib.c","line":70,"line_end":71,"level":0,"tree_path":"0","section":2,"in_place":false,"members":1,"tasks":0,"segments":1,"work_s":1e-08,"critical":true,"critical_s":1e-08,"begin_s":0.061365674,"end_s":0.061365684,"switches":0,"migrations":0,"faults":null}
{"id":3,"kind":"subtree","function":"fib","file":"tests/workloads/tasks_fib.c","line":57,"line_end":null,"level":1,"tree_path":"0.1","section":null,"in_place":true,"members":1,"tasks":5,"segments":11,"work_s":0.005022303,"critical":false,"critical_s":0,"begin_s":0.014478636,"end_s":0.061365634,"switches":4,"migrations":0,"faults":null}
{"id":4,"kind":"subtree","function":"fib","file":"tests/workloads/tasks_fib.c","line":57,"line_end":null,"level":1,"tree_path":"0.0","section":null,"in_place":false,"members":1,"tasks":9,"segments":21,"work_s":0.009026601,"critical":true,"critical_s":0.004006478,"begin_s":0.018147992,"end_s":0.061350902,"switches":11,"migrations":0,"faults":null}
{"from":0,"to":1,"kind":"next","critical":false,"count":1}
{"from":0,"to":3,"kind":"call","critical":false,"count":1}
{"from":0,"to":4,"kind":"spawn","critical":true,"count":1}
{"from":1,"to":2,"kind":"next","critical":false,"count":1}
{"from":3,"to":1,"kind":"return","critical":false,"count":1}
{"from":4,"to":2,"kind":"sync","critical":true,"count":1}

$ pscal dag --comm tasks_fib --max-nodes 1 --format csv "$DATA/examples/tasks.txt"
id,kind,function,file,line,line_end,level,tree_path,section,in_place,members,tasks,segments,work_s,critical,critical_s,begin_s,end_s,switches,migrations,faults
0,subtree,fib,tests/workloads/tasks_fib.c,57,,0,0,,false,1,15,36,0.015059222,true,0.005016606,0.013371814,0.061365684,16,0,

# The text names the limit of the program, and the place of the critical path.
$ pscal dag --comm tasks_fib "$DATA/examples/tasks.txt"
15 tasks did 15.1 ms of work. The critical path takes 5.02 ms: at most 3 cores
can be busy on average. Run-queue wait limits it: 2 workers ran tasks for 16 %
of the time and waited for a CPU for 74 %.

tasks of            tasks     work  on critical path  share of it
fib tasks_fib.c:57     15  15.1 ms           5.02 ms      100.0 %

next: pscal dag --plot tasks.svg --comm tasks_fib $DATA/examples/tasks.txt

$ pscal dag --comm tasks_fib --json "$DATA/examples/tasks.txt" | jq -c '.verdict, .limit, .sites[]'
"15 tasks did 15.1 ms of work. The critical path takes 5.02 ms: at most 3 cores can be busy on average. Run-queue wait limits it: 2 workers ran tasks for 16 % of the time and waited for a CPU for 74 %."
"run queue"
{"function":"fib","file":"tests/workloads/tasks_fib.c","line":57,"tasks":15,"work_s":0.015059222,"critical_s":0.005016606}

$ pscal dag --dot --json "$DATA/examples/tasks.txt"
pscal dag: --dot: is text; leave out --format
? 2

# In each form of the graph, the work and its critical part are the same.
$ for level in 0 1 2 3 4 5; do pscal dag --comm tasks_fib --level $level --format json "$DATA/examples/tasks.txt" | jq -c '[(.nodes | length), ([.nodes[].tasks] | add), ([.nodes[].work_s] | add * 1e6 | round), ([.nodes[].critical_s] | add * 1e6 | round), (.span_s * 1e6 | round)]'; done
[1,15,15059,5017,5017]
[5,15,15059,5017,5017]
[13,15,15059,5017,5017]
[25,15,15059,5017,5017]
[29,15,15059,5017,5017]
[29,15,15059,5017,5017]

# Pictures.
$ for ending in svg png pdf dot; do pscal dag --comm tasks_fib -o said.txt --plot a.$ending "$DATA/examples/tasks.txt" && head -c 4 a.$ending | od -An -c; done
   <   ?   x   m
 211   P   N   G
   %   P   D   F
   /   /       1

$ pscal dag --comm tasks_fib --max-nodes 5 --plot a.svg "$DATA/examples/tasks.txt"
15 tasks did 15.1 ms of work. The critical path takes 5.02 ms: at most 3 cores
can be busy on average. Run-queue wait limits it: 2 workers ran tasks for 16 %
of the time and waited for a CPU for 74 %.

tasks of            tasks     work  on critical path  share of it
fib tasks_fib.c:57     15  15.1 ms           5.02 ms      100.0 %

The graph has 29 nodes and is drawn with 5 at most: a task and all tasks below
it are one node. --max-nodes 0 draws all.

At level 1 of 5 a node is a task and all tasks below it.

$ pscal dag --plot a.jpg "$DATA/examples/tasks.txt"
pscal dag: --plot: a.jpg: unknown plot format; use .svg, .png, .pdf or .dot
? 2

$ pscal dag --plot no/where.svg "$DATA/examples/tasks.txt" >said.txt
pscal dag: no/where.svg: cannot write: No such file or directory; make its directory first
? 1

$ PATH=$(dirname "$(command -v pscal)") pscal dag --comm tasks_fib --plot a.svg -o said.txt "$DATA/examples/tasks.txt"
pscal dag: graphviz is not installed: install it (Debian: apt install graphviz), or write its input into a .dot file
? 1

# Counters on the nodes; page faults were not recorded.
$ pscal dag --dot --comm tasks_fib --level 1 --show switches,faults "$DATA/examples/tasks.txt" | grep label= | sed 's/.*label="\([^"]*\)".*/\1/'
fib tasks_fib.c:57-66\n1.01 ms, 2 segments\nswitches 1, faults ?
fib tasks_fib.c:68\n10 ns, 1 segment\nswitches 0, faults ?
fib tasks_fib.c:70-71\n10 ns, 1 segment\nswitches 0, faults ?
fib tasks_fib.c:57\n5.02 ms, 5 tasks\nswitches 4, faults ?
fib tasks_fib.c:57\n9.03 ms, 9 tasks\nswitches 11, faults ?

$ pscal dag --dot --comm tasks_fib --level 0 --show all "$DATA/examples/tasks.txt" | grep -c 'switches 16, migrations 0, faults ?'
1

$ pscal dag --dot --show cycles "$DATA/examples/tasks.txt"
pscal dag: --show cycles: is not counted in this recording; there are switches, migrations, faults, and all
? 1

# Similar siblings are one node before the level is lowered: 1000 tasks of one loop.
$ awk 'BEGIN { print "w 7/7 [000] 1.000000000: pscal:task: site=main a.c:1 step=begin task=1 value=0 index=0"; for (i = 2; i <= 1001; i++) { t = 1 + i * 1e-5; printf "w 7/7 [000] %.9f: pscal:task: site=main a.c:3 step=spawn task=1 value=0 index=%d\n", t, i; printf "w 7/7 [000] %.9f: pscal:task: site=main a.c:3 step=spawned task=1 value=0 index=0\n", t + 1e-6; printf "w 7/8 [001] %.9f: pscal:task: site=work a.c:9 step=begin task=%d value=1 index=%d\n", t + 2e-6, i, i; printf "w 7/8 [001] %.9f: pscal:task: site=work a.c:12 step=end task=%d value=0 index=0\n", t + 8e-6, i } print "w 7/7 [000] 1.020000000: pscal:task: site=main a.c:5 step=sync task=1 value=0 index=0"; print "w 7/7 [000] 1.021000000: pscal:task: site=main a.c:5 step=synced task=1 value=0 index=0"; print "w 7/7 [000] 1.022000000: pscal:task: site=main a.c:6 step=end task=1 value=0 index=0" }' >wide.txt; pscal dag --dot wide.txt
// 1001 tasks did 26.0 ms of work. The critical path takes 20.0 ms: at most 1.3 cores can be busy on average. The longest chain of tasks limits it: 91 % of the run.
// The graph has 1002 nodes and is drawn with 40 at most: similar siblings are one node. --max-nodes 0 draws all.
// The recording has no scheduling events: work includes time off the CPU.
digraph tasks {
	node [shape=box, style=filled, fillcolor="#eef3fa", color="#4f6d94",
		fontname="sans-serif", fontsize=10];
	edge [color="#4f6d94", fontname="sans-serif", fontsize=9, arrowsize=0.7];
	n0 [label="main a.c:1-5\n19.0 ms, 1001 segments", color="#c4161c", penwidth=2.5];
	n1 [label="main a.c:5-6\n1.00 ms, 1 segment", color="#c4161c", penwidth=2.5];
	n2 [label="work a.c:9\n6.00 ms, 1000 alike, 1000 tasks", peripheries=2];
	n0 -> n1 [style=dotted, color="#c4161c", penwidth=2.5];
	n0 -> n2 [style=solid, label="1000"];
	n2 -> n1 [style=dashed, label="1000"];
}

# Missing inputs.
$ grep -v 'step=end task=1048577\|step=sync task=2 \|step=synced task=2 \|step=begin task=4 ' "$DATA/examples/tasks.txt" >torn.txt; pscal dag --dot --comm tasks_fib --level 1 torn.txt | grep '^//'
// 15 tasks did 15.3 ms of work. The critical path takes 4.19 ms: at most 3.65 cores can be busy on average. Run-queue wait limits it: 2 workers ran tasks for 15 % of the time and waited for a CPU for 73 %.
// At level 1 of 4 a node is a task and all tasks below it.
// Events of unknown tasks: 5. They are left out.
// Tasks known only from their children: 1. Their own work is missing.
// Tasks that never began: 1. They have no work.
// Tasks that never ended: 1. Their last segment lasts to the end of the thread.
// Tasks that no sync waits for: 3. Nothing depends on them.

$ grep -v pscal:task "$DATA/examples/tasks.txt" | pscal dag
pscal dag: the recording has no tasks of the target; record them with 'pscal record --tasks' (OpenMP: --tasks=omp)
? 1

$ pscal dag --dot --level x "$DATA/examples/tasks.txt"
pscal dag: --level x: is not a number from 0 to 4294967295
? 2

$ pscal dag --dot --max-nodes -1 "$DATA/examples/tasks.txt"
pscal dag: --max-nodes -1: is not a number from 0 to 4294967295
? 2

# A tree of 20000 levels.
$ awk 'BEGIN { for (i = 1; i <= 20000; i++) printf "w 7/7 [000] %.9f: pscal:task: site=deep a.c:1 step=begin task=%d value=%d index=1\n", 1 + i * 1e-6, i, i - 1; for (i = 20000; i; i--) printf "w 7/7 [000] %.9f: pscal:task: site=deep a.c:9 step=end task=%d value=0 index=0\n", 2 - i * 1e-6, i }' >deep.txt; pscal dag --max-nodes 500 --format json deep.txt | jq -c '[.levels, .level, .lowered, (.nodes | length), .span_s]'
[20000,249,true,499,0.999998]
