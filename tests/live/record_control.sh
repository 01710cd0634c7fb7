#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# --control disables and enables a recording: no thread is missing, and the time while it was
# disabled is unknown and counted.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

trap 'kill $target $recorder 2>/dev/null' EXIT
mkfifo control ack

begun()
{
	grep -q begun drops
}

# tell COMMAND: sends the command and waits for the answer, or for the end of the recorder.
tell()
{
	echo "$1" >&4
	answer=$(timeout 30 head -n 1 <&3)
	[ "$answer" = ack ] || fail "$1 got the answer '$answer'"
}

"$WORKLOADS/thread_rain" 1000 1000 60 >drops &
target=$!
wait_for 60 begun
exec 3<>ack 4<>control
"$PSCAL" record -v -p "$target" --delay=-1 --control fifo:control,ack 2>said &
recorder=$!
tell ping
tell enable
lives_on "$target" 100
tell disable
lives_on "$target" 100
echo 'enable please' >&4
tell enable
lives_on "$target" 100
tell stop
wait "$recorder" || fail "said: $(cat said)"
kill "$target"
wait "$target"
grep -q "'enable please' is none of" said || fail "said: $(cat said)"

[ "$(fact pscal.data paused | wc -l)" -eq 1 ] || fail "paused: $(fact pscal.data paused)"
begin_ns=$(fact pscal.data paused | cut -d ' ' -f 1)
end_ns=$(fact pscal.data paused | cut -d ' ' -f 2)
start_ns=$(fact pscal.data start_ns)
stop_ns=$(fact pscal.data end_ns)
printf '%s\n' "$start_ns" "$begin_ns" "$end_ns" "$stop_ns" | sort -nuc ||
	fail "not in order: $start_ns $begin_ns $end_ns $stop_ns"

"$PSCAL" timeline -q --format csv >intervals || fail "cannot be read"
awk -F , -v main="$target" 'NR > 1 && $4 != main { print $4 }' intervals | sort -u >shown
awk -v start="$start_ns" -v stop="$stop_ns" 'NF == 4 && $2 < stop && $3 > start { print $1 }' \
	drops | sort -u >there
[ -s there ] || fail "no thread while it was recorded"
[ -z "$(comm -23 there shown)" ] || fail "missing: $(comm -23 there shown | tr '\n' ' ')"

# The states are unknown in the pause, and known after it.
awk -F , -v start="$start_ns" -v begin="$begin_ns" -v end="$end_ns" '
	NR > 1 && $7 != "unknown" && $2 > $1 && $2 * 1e9 > begin - start + 1000 &&
	$1 * 1e9 < end - start - 1000' intervals >known
[ ! -s known ] || fail "in the pause: $(head -n 1 known)"
awk -F , -v start="$start_ns" -v end="$end_ns" -v main="$target" '
	$4 == main && $7 == "running" && $1 * 1e9 > end - start' intervals | grep -q . ||
	fail "the first thread does nothing after the pause"
"$PSCAL" profile -q --format json |
	jq -e '.quality.paused_s > 0' >/dev/null || fail "the pause is not counted"
