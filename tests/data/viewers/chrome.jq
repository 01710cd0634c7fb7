# SPDX-License-Identifier: GPL-3.0-or-later
# Checks the rules of the trace event format, prints a sentence for each breach, and then one line
# with counts of the events. Slices of a thread nest; arrows begin and end inside of slices.

def complain(condition; sentence): if condition then empty else sentence end;
# The begins and ends of each lane, in the order of the file.
def spans: map(select(.ph == "B" or .ph == "E")) | group_by([.pid, .tid])[];
def slices: [spans | reduce .[] as $event ({open: [], done: []};
	if $event.ph == "B" then .open += [$event]
	else .done += [(.open[-1] // {}) + {end: $event.ts}] | .open |= .[:-1] end) | .done[]];
def lanes: group_by([.pid, .tid]);
# Times are microseconds with three digits; as whole ns they compare exactly.
def ns: . * 1000 | round;

.traceEvents as $events
| ($events | slices) as $slices
| ($events[] | complain(type == "object" and (.ph | type) == "string" and (.name | type) == "string"
	and (.pid | type) == "number"; "no event: \(.)")),
  ($events[] | complain(.ph | IN("B", "E", "s", "f", "M", "C", "i"); "phase \(.ph)")),
  ($slices[] | complain((.ts | type) == "number" and .end >= .ts
	and .ts >= 0 and (.tid | type) == "number" and (.cat | type) == "string"; "no slice: \(.)")),
  ($slices | lanes[] | sort_by(.ts, -.end)
	| reduce .[] as $slice ({stack: [], bad: []};
		($slice.ts | ns) as $from | ($slice.end | ns) as $to
		| .stack |= map(select(. > $from))
		| if (.stack | length) > 0 and (.stack | last) < $to
		  then .bad += ["does not nest: \($slice)"] else . end
		| .stack += [$to])
	| .bad[]),
  ($events | spans | (complain(map(.ts) | . == sort; "lane \(.[0].tid) is not in the order of time")),
	(reduce .[] as $event ({stack: [], bad: []};
		if $event.ph == "B" then .stack += [$event.name]
		elif .stack[-1:] == [$event.name] then .stack |= .[:-1]
		else .bad += ["does not nest: \($event)"] end)
	| .bad[], complain(.stack == []; "has no end: \(.stack)"))),
  ($events | map(select(.ph == "s" or .ph == "f")) | group_by(.id)[]
	# The last wakeup of a thread may have no later slice in which its arrow could end.
	| complain(map(.ph) | sort | . == ["f", "s"] or . == ["s"]; "arrow \(.[0].id) has not one beginning and one end"),
	  complain((map(select(.ph == "s"))[0].ts) <= (map(select(.ph == "f"))[0].ts // infinite);
		"arrow \(.[0].id) goes back in time")),
  (($slices | map({key: "\(.pid) \(.tid)", value: [(.ts | ns), (.end | ns)]})
	| group_by(.key) | map({key: .[0].key, value: map(.value)}) | from_entries) as $of
	| $events[] | select(.ph == "s" or .ph == "f") | (.ts | ns) as $at
	| complain($of["\(.pid) \(.tid)"] // [] | any(.[0] <= $at and $at <= .[1]);
		"an arrow is in no slice: \(.)")),
  ($events | map(select(.ph == "C")) | group_by(.name)[]
	| complain(map(.ts) | . == sort; "counter \(.[0].name) is not in the order of time")),
  (($slices | map("\(.pid) \(.tid)") | unique)
	- ($events | map(select(.ph == "M" and .name == "thread_name") | "\(.pid) \(.tid)"))
	| .[] | "lane \(.) has no name")
