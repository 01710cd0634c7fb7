#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# No memory of a program with recorded functions is both writable and executable, neither during a
# recording nor later; and executable memory is readable, as before.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"
[ "$(uname -m)" = x86_64 ] || {
	echo 'functions are recorded on x86-64 only'
	exit 77
}
cp "$WORKLOADS/sleeping_threads" .

# rights PID: prints the access rights of executable memory, with the number of areas.
rights()
{
	awk '$2 ~ /x/ { print substr($2, 1, 3) }' "/proc/$1/maps" | sort | uniq -c | tr -s ' \n' ' '
}

# only_run PID WHEN
only_run()
{
	case $(rights "$1") in
	*w*) fail "$2: $(grep -e rwx -e -wx "/proc/$1/maps")" ;;
	*r-x*) ;;
	*) fail "$2: no code: $(rights "$1")" ;;
	esac
}

# changed RECORDER: its command runs, as `target`, and some of its code has been changed.
# shellcheck disable=SC2317 # wait_for calls it
changed()
{
	target=$(pgrep -P "$1" -x sleeping_thread) &&
		[ "$(grep -c ' r-xp 00000000 00:00 0 *$' "/proc/$target/maps")" -ge 2 ]
}

for functions in '*' 'libc.so.6:*' 'libc.so.6:[mp]*'; do
	for seconds in '' 0.3; do
		rm -f pscal.data
		# shellcheck disable=SC2086 # an option and its value
		"$PSCAL" record -q --probe "$functions,every=1000" ${seconds:+--duration $seconds} \
			-o pscal.data ./sleeping_threads 3 >/dev/null 2>said &
		recorder=$!
		wait_for 60 test -s pscal.data
		wait_for 60 changed "$recorder"
		only_run "$target" "$functions, recorded"
		until [ -z "$seconds" ] || [ -n "$(fact pscal.data end_ns)" ]; do
			sleep 0.1
		done
		only_run "$target" "$functions${seconds:+, no more recorded}"
		kill "$target"
		wait "$recorder"
	done
done
exit 0
