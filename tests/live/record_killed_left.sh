#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The next recording, also a plain one, removes the probes and files of a killed recorder, while
# that is a zombie, and while another process has its process id; it keeps those of running
# recorders.
# Runs alone: the next recorder of any user removes the files of a killed one.
# shellcheck source=/dev/null disable=SC2154 # begin_killed sets dead, directory and group
. "${0%/*}/record-lib"

[ "$(id -u)" -eq 0 ] || {
	echo "this test needs root, to make probes"
	exit 77
}
probes="--uprobe=$WORKLOADS/known_calls:call_*"
"$PSCAL" record -q "$probes" -o probe.data true 2>refusal || {
	cat refusal
	exit 77
}

# By a plain recording, while the killed recorder is a zombie.
begin_killed "$probes" sleep 1
expect 0 "$PSCAL" record true 2>said
is_zombie "$dead" || fail "recorder $dead is not a zombie any more"
nothing_left "a plain recording"
grep -q "^pscal record: cleared the recording of process $dead begun 2.* UTC: [0-9]* uprobes\{0,1\} of group $group, its directory\$" said ||
	fail "not said: $(cat said)"
expect 0 "$PSCAL" record true 2>said
! grep -q "cleared.*process $dead " said || fail "said again"
end_parent

# --clean prints what it has removed, and all is removed; it needs no command. With -q it prints
# nothing.
begin_killed "$probes" sleep 1
expect 0 "$PSCAL" record --clean >said 2>errors
grep -q "^cleared the recording of process $dead begun 2.* UTC: [0-9]* uprobes\{0,1\} of group $group, its directory\$" said ||
	fail "--clean: $(cat said errors)"
[ ! -s errors ] || fail "--clean: $(cat errors)"
nothing_left --clean
end_parent
begin_killed "$probes" sleep 1
expect 0 "$PSCAL" record -q true 2>said
[ ! -s said ] || fail "-q: $(cat said)"
nothing_left -q
expect 0 "$PSCAL" record --clean >said
! grep -q "process $dead " said || fail "--clean reports a recorder that left nothing: $(cat said)"
expect 2 "$PSCAL" record --clean true 2>said
grep -q -e '--clean records nothing' said || fail "--clean with a command: $(cat said)"
end_parent

# Another process has the number of the killed one.
begin_killed "$probes" sleep 1
end_parent
wait_for 60 test ! -e "/proc/$dead"
tries=200
other=0
while [ "$other" != "$dead" ] && [ $tries -gt 0 ] && [ -w /proc/sys/kernel/ns_last_pid ]; do
	[ "$other" -eq 0 ] || kill "$other"
	echo $((dead - 1)) >/proc/sys/kernel/ns_last_pid
	sleep 600 &
	other=$!
	tries=$((tries - 1))
done
if [ "$other" = "$dead" ]; then
	expect 0 "$PSCAL" record true 2>said
	nothing_left "another process has its number"
else
	echo "no process got the number of the killed one"
	expect 0 "$PSCAL" record true 2>said
fi
[ "$other" -eq 0 ] || kill "$other"

# A running recorder keeps its probes, and goes on to record.
mkfifo go
# shellcheck disable=SC2016 # for the inner shell
begin_recording -q "$probes" -o living.data sh -c 'read -r line <go; exec "$0"' "$WORKLOADS/sync_calls"
# shellcheck disable=SC2154 # begin_recording sets it
directory=$(directory_of "$recorder")
has_probes "$recorder" || fail "a living recorder has no probes"
expect 0 "$PSCAL" record --clean >said
expect 0 "$PSCAL" record -q true
has_group "$group" || fail "the probes of a living recorder are gone"
[ -s "$directory/owner" ] || fail "the directory of a living recorder is gone"
! grep -q "$group\|process $recorder " said || fail "cleared: $(cat said)"
[ "$(stat -c '%a %u' "$directory")" = '711 0' ] || fail "mode: $(stat -c '%a %u' "$directory")"
[ "$(stat -c '%a %u' /run/pscal)" = '711 0' ] || fail "mode: $(stat -c '%a %u' /run/pscal)"
echo go >go
wait "$recorder" || fail "the recorder that was left alone failed"
nothing_left "at its end"

# Another user cannot remove what a recorder of root has left, and gets a message.
cp "$PSCAL" pscal # which any user can read
chmod 755 pscal
if setpriv --reuid=65534 --regid=65534 --clear-groups ./pscal --version >/dev/null 2>&1; then
	begin_killed "$probes" sleep 1
	expect 0 setpriv --reuid=65534 --regid=65534 --clear-groups ./pscal record --clean >said
	grep -q "^only root can clear the remains of root's recordings\$" said || fail "as another user: $(cat said)"
	[ -s "$directory/owner" ] || fail "another user has removed a directory of root"
	has_group "$group" || fail "another user has removed probes of root"
	expect 0 "$PSCAL" record --clean >said
	nothing_left "root, after nobody"
	end_parent
fi
