#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A file that may not grow, a full disk, a reader that has gone: with the first two every command
# ends with one sentence and status 1; with the last one it ends without a message, as other
# commands before `head` do. Programs that pscal starts keep the default handling of these signals.
# shellcheck source=/dev/null
. "${0%/*}/live-lib"
data=$(cd "${0%/*}/../data/examples" && pwd)
mkdir data && cp -R "$data/." data
gzip -c data/pscal.data >packed.gz

commands='
profile data/pscal.data
timeline data/pscal.data
timeline --format csv data/blocks.txt
forecast --format json data/pscal.data
rdam data/blocks.txt
stretch --symfs data/symfs data/serial1.data.gz data/parallel1.data.gz
dag data/tasks.txt
export --sqlite /dev/full data/tasks.txt
fit data/throughput.csv
list
profile packed.gz
sweep -n 1 -r 1 --warmup 0 -o - -- sh -c : {n}
'

# told CASE STATUS: the last command ended with this status, and gave its reason in one line.
told()
{
	[ "$2" = 1 ] || fail "$1: status $2: $(cat said)"
	[ "$(wc -l <said)" -eq 1 ] || fail "$1: not one line: $(cat said)"
}

mkfifo gone
printf '%s\n' "$commands" | while read -r command; do
	[ "$command" ] || continue
	# shellcheck disable=SC2086 # its words
	set -- $command
	name=$1
	shift

	# Messages are not limited: they go through a pipe.
	status=$({
		(
			ulimit -f 0
			"$PSCAL" "$name" -q "$@" 2>&1 >limited </dev/null
			echo "status $?"
		) | tee -a all | cat >said
		sed -n 's/^status //p' said
	})
	sed -i '/^status /d' said
	told "$command, ulimit -f" "$status"
	[ "$name" = export ] || grep -q -e 'too large' -e 'file size limit' said ||
		fail "$command, ulimit -f: said: $(cat said)"

	"$PSCAL" "$name" -q "$@" >/dev/full 2>said </dev/null
	told "$command, /dev/full" $?

	# No process has the other end open any more.
	# shellcheck disable=SC2094 # it is a FIFO
	exec 8<>gone 9>gone 8<&-
	"$PSCAL" "$name" -q "$@" >&9 2>said </dev/null
	status=$?
	exec 9>&-
	case $name in
	export) [ $status -eq 1 ] || fail "$command, no reader: status $status: $(cat said)" ;;
	*)
		[ $status -eq 141 ] || fail "$command, no reader: status $status: $(cat said)"
		[ ! -s said ] || fail "$command, no reader: said: $(cat said)"
		;;
	esac
done || exit 1
[ -z "$(find . -name 'core*')" ] || fail 'a core is left'

# Programs that pscal starts handle the signals of these cases, PIPE and XFSZ, as pscal got them.
ends()
{
	ignored=$(sed -n 's/^SigIgn:[[:space:]]*//p')
	echo $((0x$ignored >> 12 & 1)) $((0x$ignored >> 24 & 1))
}

mkdir bin
cat >bin/gnuplot <<'EOS'
#!/bin/sh
cat >/dev/null
cp /proc/self/status status
echo '<?xml'
EOS
chmod 755 bin/gnuplot

started()
{
	"$PSCAL" sweep -q -n 1 -r 1 --warmup 0 -o - -- sh -c 'cp /proc/self/status status # {n}' >out ||
		fail 'no sweep'
	[ "$(ends <status)" = "$1" ] || fail "sweep: $(ends <status) instead of $1"
	PATH=$PWD/bin:$PATH "$PSCAL" fit -q --plot a.svg data/throughput.csv >out || fail 'no plot'
	[ "$(ends <status)" = "$1" ] || fail "gnuplot: $(ends <status) instead of $1"
	if "$PSCAL" record -q -o x.data true 2>said; then
		"$PSCAL" record -q -o x.data cp /proc/self/status status || fail 'no recording'
		[ "$(ends <status)" = "$1" ] || fail "record: $(ends <status) instead of $1"
	fi
}

(started '0 0') || exit 1
(
	trap '' XFSZ
	started '0 1'
) || exit 1
(
	trap '' PIPE
	started '1 0'
) || exit 1

# An interrupted command leaves the file unchanged, and no draft.
mkdir interrupted
echo before >interrupted/x
mkfifo slow
exec 7<>slow
cat data/trace.txt >&7
"$PSCAL" timeline -q -o interrupted/x - <slow &
reader=$!
# The reader has read all input that exists.
wait_for 10 sh -c "grep -q '^rchar: [1-9][0-9][0-9][0-9]' /proc/$reader/io"
kill "$reader"
wait "$reader"
[ "$(cat interrupted/x)" = before ] || fail 'an interrupted command has changed a file'
[ "$(ls -A interrupted)" = x ] || fail "an interrupted command has left $(ls -A interrupted)"
