#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# If tracefs is not mounted, a recording mounts it, notes that, and unmounts it at its end unless
# another recorder uses it; the next recorder unmounts that of a killed one.
# Runs alone: it unmounts tracefs.
if [ -z "${APART-}" ]; then
	unshare --mount true || {
		echo "no mounts of one's own: unshare is refused"
		exit 77
	}
	APART=1 exec unshare --mount sh "$0" "$@"
fi
umount -R -l /sys/kernel/debug /sys/kernel/tracing 2>/dev/null
umount -l /sys/kernel/tracing 2>/dev/null

is_mounted()
{
	[ -e /sys/kernel/tracing/events ]
}
if is_mounted; then
	echo "tracefs cannot be unmounted"
	exit 77
fi
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

expect 0 "$PSCAL" record -q --sync=all -o one.data true
! is_mounted || fail "tracefs is mounted after a recording"
expect 0 "$PSCAL" list sched_switch >listed
! is_mounted || fail "tracefs is mounted after a list"

# begin_killed sets these.
# shellcheck disable=SC2154
{
	begin_killed "--uprobe=$WORKLOADS/known_calls:call_*" sleep 1
	is_mounted || fail "tracefs is not mounted"
	grep -q '^tracefs .* /sys/kernel/tracing$' "$directory/owner" ||
		fail "the mount is not noted: $(cat "$directory/owner")"
	# Root without its rights cannot unmount it, reports that, and leaves it to a recorder that
	# can.
	if setpriv --bounding-set=-all --inh-caps=-all true 2>refusal; then
		expect 1 setpriv --bounding-set=-all --inh-caps=-all "$PSCAL" record --clean 2>said
		grep -q "process $dead .* tracefs, which it had mounted, cannot be unmounted: Operation not" said ||
			fail "without rights: $(cat said)"
		[ -s "$directory/owner" ] || fail "the note on the mounted tracefs is gone"
	fi
	expect 0 "$PSCAL" record true 2>said
	grep -q "process $dead .* tracefs, which it had mounted, its directory\$" said ||
		fail "not said: $(cat said)"
	[ ! -e "$directory" ] || fail "the directory is still there"
	! is_mounted || fail "tracefs is still mounted"
	kill "$parent"
}

# Two recorders at once: the first one to end leaves it mounted for the second, and the next one
# unmounts it.
mkfifo go1 go2
begin_recording -q --sync=all -o first.data sh -c 'read -r line <go1'
# shellcheck disable=SC2154 # begin_recording sets it
first=$recorder
begin_recording -q --sync=all -o second.data sh -c 'read -r line <go2'
echo go >go1
expect 0 wait "$first"
is_mounted || fail "tracefs is gone while a recorder uses it"
echo go >go2
expect 0 wait "$recorder"
expect 0 "$PSCAL" profile -q -o shown second.data
expect 0 "$PSCAL" record -q -o next.data true
! is_mounted || fail "tracefs is mounted in the end"
