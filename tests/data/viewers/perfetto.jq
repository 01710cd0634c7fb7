# SPDX-License-Identifier: GPL-3.0-or-later
# Checks the rules of Perfetto for the packets that tests/tools/perfetto prints (jq -s), and prints
# a sentence for each breach: events are on described tracks, slices of a track begin and end in
# turn.

def complain(condition; sentence): if condition then empty else sentence end;

. as $packets
| map(select(.track)) as $tracks | map(select(.type)) as $events
| (($events | map(.on) | unique) - ($tracks | map(.track))
	| .[] | "no track \(.)"),
  ($tracks | group_by(.track)[] | complain(length == 1; "track \(.[0].track) is described \(length) times")),
  (($tracks | map(.parent // empty) | unique) - ($tracks | map(.track)) | .[] | "no parent \(.)"),
  ($events | to_entries | map(.value + {place: .key}) | group_by(.on)[]
	# Perfetto sorts by time, and keeps the order of the file for equal times.
	| sort_by(.time, .place)
	| reduce .[] as $event ({depth: 0, bad: []};
		if $event.type == "begin" then .depth += 1
		elif $event.type == "end" then .depth -= 1 else . end
		| if .depth < 0 then .bad += ["an end without a beginning: \($event)"] | .depth = 0 else . end)
	| .bad[], complain(.depth == 0; "slices without an end")),
  (($events | map(.flow // empty) | sort) as $flows
	| complain($flows == ($flows | unique); "two arrows have one number"),
	  (($events | map(.ends_flow // empty) | unique) - $flows | .[] | "arrow \(.) has no beginning")),
  (($events | map(select(.flow) | {key: "\(.flow)", value: .time}) | from_entries) as $times
	| $events[] | select(.ends_flow) | complain($times["\(.ends_flow)"] <= .time;
		"an arrow goes back in time: \(.)")),
  ($events | map(select(.type == "counter")) | .[] | complain((.value | type) == "number"; "no value: \(.)"))
