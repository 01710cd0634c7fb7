#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The exit status of the command is passed on; a command that cannot be started has a status of its
# own, and leaves no recording.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

expect 0 "$PSCAL" record -q true
expect 3 "$PSCAL" record -q -- sh -c 'exit 3'
# shellcheck disable=SC2016 # for the inner shell
expect 143 "$PSCAL" record -q sh -c 'kill -TERM $$'

rm -f pscal.data pscal.data.old*
touch not-executable
expect 1 "$PSCAL" record ./no-such-command 2>said
grep -q 'no-such-command: cannot be started: No such file' said || fail "said: $(cat said)"
[ "$(wc -l <said)" -eq 1 ] || fail "more than one sentence: $(cat said)"
expect 1 "$PSCAL" record ./not-executable
expect 1 "$PSCAL" record -p 2147483647
expect 1 "$PSCAL" record -o no/such/directory/pscal.data true
expect 2 "$PSCAL" record
expect 2 "$PSCAL" record -p $$ true
expect 2 "$PSCAL" record --duration 0 true
expect 2 "$PSCAL" record --collector strace true
expect 2 "$PSCAL" record -a -p $$
expect 2 "$PSCAL" record -z99 true
expect 2 "$PSCAL" record -p 12x
rm -f said not-executable
[ -z "$(ls)" ] || fail "left behind: $(ls)"

# A recording that cannot begin does not change an existing file.
expect 0 "$PSCAL" record -q true
cp pscal.data kept
expect 1 "$PSCAL" record -q ./no-such-command
cmp pscal.data kept || fail "a recording that could not begin replaced an old one"
[ ! -e pscal.data.old ] || fail "a recording that could not begin moved an old one"
