#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Who may not trace is told in one sentence what is missing and which command grants it.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"
if [ "$(id -u)" -ne 0 ] || ! command -v setpriv >/dev/null; then
	echo "only root, with setpriv, can become somebody who may not trace"
	exit 77
fi

cp "$PSCAL" pscal # where anybody can read it
chmod 777 .
chmod 755 pscal
nobody()
{
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}
nobody ./pscal record --help >/dev/null || {
	echo "nobody cannot run programs here"
	exit 77
}
expect 1 nobody ./pscal record --collector perf true 2>said
[ "$(wc -l <said)" -eq 1 ] || fail "not one sentence: $(cat said)"
grep -Eq "'sudo (mount|sysctl) " said || fail "names no command that helps: $(cat said)"
[ ! -e pscal.data ] || fail "a recording was left behind"
