#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The names of blocks are also known in a recording without its end: in a stream, and after the
# recorder was killed.
# Runs alone: the next recorder of any user removes the files of a killed one.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

[ "$(uname -m)" = x86_64 ] || {
	echo 'functions are recorded on x86-64 only'
	exit 77
}

# Prints the names in the events, in order, from a file or "-".
names()
{
	"$PSCAL" rdam -q --baseline pooled --format json "$1" | jq -r '.functions[].first_function' | sort -u |
		tr '\n' ' '
}

program="$WORKLOADS/dependent"
"$PSCAL" record -q --probe triangle --probe copy_bytes -o - "$program" 100 2>errors |
	names - >named
[ "$(cat named)" = 'copy_bytes triangle ' ] || fail "a stream has '$(cat named)': $(cat errors)"

"$PSCAL" record -q --probe "$program:triangle" --probe "$program:copy_bytes" -o killed.data \
	sh -c "while kill -0 \$PPID; do '$program' 20; done" >errors 2>&1 &
recorder=$!
# shellcheck disable=SC2317 # wait_for calls it
has_names()
{
	case $(names killed.data 2>/dev/null) in
	copy_bytes*triangle*) ;;
	*) return 1 ;;
	esac
}
wait_for 60 has_names
kill -9 "$recorder"
wait "$recorder" 2>/dev/null
names killed.data >named 2>said || fail "it cannot be read: $(cat said)"
case $(cat named) in
*0x*) fail "blocks are numbers: $(cat named)" ;;
copy_bytes*triangle*) ;;
*) fail "a recording that was interrupted has '$(cat named)'" ;;
esac
exit 0
