#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A database of a recording with samples and without scheduler events has as many samples as perf
# prints. If no database can be written, on a full or read-only disk or in the directory of another
# user, one sentence reports it and no file is left.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"
need_perf
if [ "$(id -u)" -ne 0 ] || ! command -v setpriv >/dev/null; then
	echo 'this test needs root, and setpriv, to become another user'
	exit 77
fi

perf record -q -F 997 -e cpu-clock -o samples.data "$WORKLOADS/spinner" 1 300 >/dev/null 2>&1 ||
	fail 'perf cannot record'
expect 0 "$PSCAL" export --sqlite samples.db samples.data >said
wanted=$(perf script -i samples.data 2>/dev/null | grep -c 'cpu-clock:')
[ "$wanted" -gt 50 ] || fail "perf has only $wanted samples"
[ "$(sqlite3 samples.db 'SELECT count(*) FROM sample')" -eq "$wanted" ] ||
	fail "there are not $wanted samples: $(cat said)"
[ "$(sqlite3 samples.db "SELECT count(*) FROM sample WHERE object LIKE '%/spinner'")" -gt 50 ] ||
	fail 'they are not in the program'
[ "$(sqlite3 samples.db 'SELECT count(*) FROM state')" -eq 0 ] || fail 'there are states'

# refused DIRECTORY PATTERN COMMAND...: the command cannot write a database there, and reports it.
refused()
{
	left=$(ls "$1")
	at=$1/x.db
	pattern=$2
	shift 2
	"$@" export --sqlite "$at" samples.data >said 2>&1
	status=$?
	[ $status -eq 1 ] || fail "$at: status $status: $(cat said)"
	[ "$(wc -l <said)" -eq 1 ] || fail "$at: not one line: $(cat said)"
	grep -q "^pscal export: $at: .*$pattern" said || fail "$at: said: $(cat said)"
	[ "$(ls "${at%/*}")" = "$left" ] || fail "$at: left $(ls "${at%/*}")"
}

mkdir -m 755 theirs
chmod 644 samples.data
refused theirs 'Permission denied' setpriv --reuid 65534 --regid 65534 --clear-groups "$PSCAL"

mkdir disk
mount -t tmpfs -o size=64k none disk 2>/dev/null || {
	echo 'a small disk cannot be mounted'
	exit 77
}
trap 'umount disk' EXIT
refused disk 'there is no room left on its disk' "$PSCAL"
mount -o remount,ro disk
refused disk 'Read-only file system' "$PSCAL"
