#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Two recordings load into a real PostgreSQL, and three questions about both get the answers of
# SQLite. The test starts the server below its own directory, as an unprivileged user, on a socket
# and without a port, and stops it.
# shellcheck source=/dev/null
. "${0%/*}/live-lib"

for bin in /usr/lib/postgresql/*/bin; do
	[ -x "$bin/initdb" ] && PATH=$bin:$PATH
done
for program in initdb postgres pg_ctl psql; do
	command -v "$program" >/dev/null && continue
	echo "$program is not installed: scripts/install-deps --postgres installs it"
	exit 77
done

# PostgreSQL does not run as root.
as_user()
{
	if [ "$(id -u)" -eq 0 ]; then
		setpriv --reuid=nobody --regid=nogroup --clear-groups env HOME="$PWD/pg" PATH="$PATH" "$@"
	else
		"$@"
	fi
}

pg_end()
{
	as_user pg_ctl -D "$PWD/pg/data" -m immediate -w stop >/dev/null 2>&1
}

[ "$(id -u)" -ne 0 ] || need_other_user
mkdir pg && chmod 755 . && chmod 777 pg
trap pg_end EXIT
trap 'exit 1' INT TERM HUP
as_user initdb -D "$PWD/pg/data" -U pscal -A trust --no-sync -E UTF8 --locale=C >initdb.out 2>&1 ||
	fail "initdb: $(tail -n 3 initdb.out)"
as_user pg_ctl -D "$PWD/pg/data" -w -t 60 -l "$PWD/pg/log" \
	-o "-k $PWD/pg -c listen_addresses= -c fsync=off" start >start.out 2>&1 ||
	fail "the server does not start: $(tail -n 3 pg/log)"

ask()
{
	psql -h "$PWD/pg" -U pscal -d postgres -qAtX -v ON_ERROR_STOP=1 "$@"
}

# load NAME RECORDING: loads its tables into those that all recordings share.
load()
{
	expect 0 "$PSCAL" export -q --csv "$1" --id "$1" "$2" >said
	expect 0 ask -f "$1/tables.sql" 2>notices
	for table in meta thread state task interval call sample; do
		expect 0 ask -c "\\copy $table FROM '$1/$table.csv' CSV HEADER"
	done
	expect 0 "$PSCAL" export -q --sqlite "$1.db" "$2" >said
}

# same QUESTION-OF-POSTGRES QUESTION-OF-SQLITE: the answers for both recordings are the same.
same()
{
	ask -c "$1" >postgres.out || fail "PostgreSQL cannot answer: $1"
	for run in one two; do
		sqlite3 "$run.db" "$2" | sed "s/^/$run|/"
	done >sqlite.out
	[ -s sqlite.out ] || fail "SQLite has no rows: $2"
	diff postgres.out sqlite.out >differs || fail "the answers differ: $(head -n 6 differs)"
}

copy_examples
load one data/tasks1.data.gz
load two data/tasks2.data.gz

same "SELECT recording, state, count(*), sum(time) FROM state GROUP BY 1, 2 ORDER BY 1, 2" \
	"SELECT state, count(*), sum(time) FROM state GROUP BY 1 ORDER BY 1"
same "SELECT recording, level, count(DISTINCT task), sum(running) FROM interval GROUP BY 1, 2 ORDER BY 1, 2" \
	"SELECT level, count(DISTINCT task), sum(running) FROM interval GROUP BY 1 ORDER BY 1"
same "SELECT t.recording, t.comm, count(*), max(i.time) FROM interval AS i JOIN thread AS t
	ON t.recording = i.recording AND t.id = i.worker GROUP BY 1, 2 ORDER BY 1, 2" \
	"SELECT t.comm, count(*), max(i.time) FROM interval AS i JOIN thread AS t ON t.id = i.worker
	GROUP BY 1 ORDER BY 1"
[ "$(ask -c 'SELECT count(DISTINCT recording) FROM meta')" -eq 2 ] || fail 'there are not two recordings'
echo "$(ask -c 'SELECT count(*) FROM state') states of two recordings in PostgreSQL"
