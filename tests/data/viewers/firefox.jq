# SPDX-License-Identifier: GPL-3.0-or-later
# Checks the rules of the processed format of the Firefox Profiler, and prints a sentence for each
# breach.

def complain(condition; sentence): if condition then empty else sentence end;
# The columns of a table have the length that the table states.
def table(name): .length as $length | to_entries[] | select(.value | type == "array")
	| complain(.value | length == $length; "\(name).\(.key) has \(.value | length) rows, not \($length)");
def below(name; limit): to_entries[] | complain(.value == null or (.value >= 0 and .value < limit);
	"\(name)[\(.key)] is \(.value)");

. as $profile
| .shared as $shared
| ($shared.stringArray | length) as $strings
| ($profile.meta.categories | length) as $categories
| complain(.meta | .version == 24 and .preprocessedProfileVersion == 62 and .interval > 0
	and (.product | type) == "string" and (.markerSchema | length) > 0; "meta: \(.meta)"),
  ($shared | .frameTable, .funcTable, .stackTable, .nativeSymbols, .resourceTable, .sources | table("shared")),
  ($shared.stringArray[] | complain(type == "string"; "a string is \(.)")),
  ($shared.frameTable.func | below("frameTable.func"; $shared.funcTable.length)),
  ($shared.frameTable.category | below("frameTable.category"; $categories)),
  ($shared.funcTable.name | below("funcTable.name"; $strings)),
  ($shared.stackTable.frame | below("stackTable.frame"; $shared.frameTable.length)),
  # The prefix of a stack comes before it.
  ($shared.stackTable.prefix | to_entries[] | complain(.value == null or .value < .key;
	"stack \(.key) has the prefix \(.value)")),
  (.threads[] | . as $thread
	| complain((.tid | type) == "string" and (.pid | type) == "string" and (.name | type) == "string"
		and .registerTime <= .unregisterTime; "thread \(.name)"),
	  (.samples | table("samples")), (.markers | table("markers")),
	  (.samples.stack | below("samples.stack"; $shared.stackTable.length)),
	  (.samples.timeDeltas[] | complain(. >= 0; "time goes back")),
	  (.samples.weight[] | complain(. > 0; "a sample of no weight")),
	  (.markers.name | below("markers.name"; $strings)),
	  (.markers.category | below("markers.category"; $categories)),
	  ([.markers.startTime, .markers.endTime, .markers.phase] | transpose[]
		| complain(if .[2] == 1 then .[0] != null and .[1] != null and .[0] <= .[1]
			elif .[2] == 2 then .[0] != null and .[1] == null
			elif .[2] == 3 then .[0] == null and .[1] != null else false end;
			"a marker of phase \(.[2]) from \(.[0]) to \(.[1])")),
	  # Markers of all names nest, as they are calls.
	  ([.markers.startTime, .markers.endTime, .markers.phase, .markers.name] | transpose
		| map(select(.[2] != 1))
		| complain(map(.[0] // .[1]) | . == sort; "markers of \($thread.name) go back in time"),
		  (reduce .[] as $marker ({stack: [], bad: []};
			if $marker[2] == 2 then .stack += [$marker[3]]
			elif .stack[-1:] == [$marker[3]] then .stack |= .[:-1]
			else .bad += ["a marker does not nest: \($marker)"] end)
		  | .bad[], complain(.stack == []; "a marker has no end: \(.stack)"))),
	  (.markers.data[] | complain(.type as $type | $profile.meta.markerSchema | any(.name == $type);
		"a marker without a schema: \(.)"),
	   complain((.cause.stack // 0) < ([$shared.stackTable.length, 1] | max); "cause: \(.)")))
