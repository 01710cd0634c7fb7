# SPDX-License-Identifier: GPL-3.0-or-later
# Checks the output of tests/tools/step_log.c: each step is allowed in its place, each task has
# begun and ended once, and each child has an index that differs from those of its siblings, and was
# spawned by its parent, or runs in its place. Prints the numbers of tasks, spawns, syncs, named
# children, barriers and pauses; with LOOPS=1 children of loops need no spawn with their index.
function wrong(what)
{
	print "line " NR ": " $0 ": " what
	failed = 1
}

function from(states)
{
	if (index(states, state[$3]) == 0 || state[$3] == "")
		wrong("the task was in state '" state[$3] "', not in one of '" states "'")
}

# States: R runs, C creates a child, W waits, P pauses, B is at a barrier, E has ended.
$2 == "begin" {
	if ($3 in state)
		wrong("the task has begun before")
	if ($4 != 0 && !($4 in state))
		wrong("its parent has not begun")
	if ($4 in child_of && ($4, $5) in taken)
		wrong("there is another child with this index")
	taken[$4, $5] = 1
	called[$3] = ($4 in state) && state[$4] == "R"
	child_of[$4] = 1
	parent[$3] = $4
	at[$3] = $5
	state[$3] = "R"
	tasks++
}
$2 == "spawn" {
	from("RC")
	if (($3, $4) in spawned)
		wrong("this child has been spawned before")
	spawned[$3, $4] = 1
	spawns++
	state[$3] = "C"
}
$2 == "spawned" { from("C"); state[$3] = "R" }
$2 == "sync_of" { from("RC"); named++ }
$2 == "sync" { from("RC"); state[$3] = "W"; syncs++ }
$2 == "synced" { from("W"); state[$3] = "R" }
$2 == "pause" { from("R"); state[$3] = "P"; pauses++ }
$2 == "barrier" { from("R"); state[$3] = "B"; barriers++ }
$2 == "resume" { from("PB"); state[$3] = "R" }
$2 == "end" { from("R"); state[$3] = "E" }

END {
	for (task in state) {
		if (state[task] != "E") {
			print "task " task " has not ended: " state[task]
			failed = 1
		}
		if (parent[task] != 0 && !((parent[task], at[task]) in spawned) && !called[task] && !LOOPS) {
			print "task " task " was never spawned: " parent[task] " " at[task]
			failed = 1
		}
	}
	print tasks + 0, spawns + 0, syncs + 0, named + 0, barriers + 0, pauses + 0
	exit failed
}
