#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A disk becomes full, or a file reaches its limit: recording fails with one sentence, and the part
# recorded until then is readable.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"
need_perf

# refused CASE FILE PATTERN: recording stopped with status 1 and this sentence, and left a file.
refused()
{
	[ "$status" -eq 1 ] || fail "$1: status $status: $(cat said)"
	[ "$(wc -l <said)" -eq 1 ] || fail "$1: not one line: $(cat said)"
	grep -q "$3.*; the part recorded until then is readable" said || fail "$1: said: $(cat said)"
	expect 0 "$PSCAL" profile --format json "$2" >said.json
	jq -e '.quality.truncated' said.json >/dev/null || fail "$1: is not reported as truncated"
	perf script -i "$2" >trace.txt 2>errors || fail "$1: perf: $(cat errors)"
	grep -q ' sched:sched_switch: ' trace.txt || fail "$1: perf finds no switches"
}

# shellcheck disable=SC2016 # for the inner shell
busy='for i in $(seq 40); do seq 300 | sort -n | tail -n 1; done'

# limited BLOCKS LEVEL...: the file may have at most this many blocks of 512 bytes, which are too
# few.
limited()
{
	blocks=$1
	shift
	rm -f limited.data
	(
		ulimit -f "$blocks"
		exec "$PSCAL" record "$@" -q -o limited.data -- sh -c "$busy; sleep 1.2; $busy"
	) >/dev/null 2>said
	status=$?
	refused "a limit on files $*" limited.data 'ulimit -f'
}
limited 300
limited 60 -z

mkdir disk
mount -t tmpfs -o size=256k none disk 2>/dev/null || {
	echo 'a small disk cannot be mounted'
	exit 77
}
trap 'umount disk' EXIT
"$PSCAL" record -q -o disk/pscal.data -- sh -c "$busy; sleep 1.2; $busy; $busy" >/dev/null 2>said
status=$?
refused 'a small disk' disk/pscal.data 'there is no room left on its disk'

# A recording that could not begin leaves no file.
rm disk/pscal.data
head -c 1000000 /dev/zero >disk/fill 2>/dev/null
expect 1 "$PSCAL" record -q -o disk/pscal.data true 2>said
grep -q 'there is no room left on its disk$' said || fail "a full disk: said: $(cat said)"
[ "$(ls disk)" = fill ] || fail "a full disk: left $(ls disk)"
