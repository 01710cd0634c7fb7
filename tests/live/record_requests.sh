#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Both collectors record the reads and writes of target threads at sockets, and the arrival of data
# there; with the calls of the C library; and for a process that already runs, too.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"
need_perf
[ -d "$(mount | awk '$5 == "tracefs" { print $3; exit }')/events/sock/sock_send_length" ] || {
	echo 'this kernel has no events of sockets (Linux 6.3)'
	exit 77
}

# calls FILE EVENT [WORD]: the number of these events of the program.
calls()
{
	perf_script -i "$1" -F comm,tid,cpu,time,event,trace 2>/dev/null |
		grep "^ *socket_calls " | grep " $2: " | grep -c -- "${3-}"
}

exactly()
{
	got=$(calls "$1" "$2" "${4-}")
	[ "$got" -eq "$3" ] || fail "$1: $got of $2 ${4-}, not $3"
}

for collector in perf bpf; do
	"$PSCAL" record -q --collector $collector -o probe.data true 2>refusal || {
		echo "$collector: $(cat refusal)"
		continue
	}
	expect 0 "$PSCAL" record --collector $collector --requests -o requests.data \
		"$WORKLOADS/socket_calls" 40 2>said
	grep -q '^next: pscal model' said || fail "$collector: $(cat said)"
	exactly requests.data sock:sock_send_length 40 'length = 8,'
	exactly requests.data sock:sock_send_length 40 'length = 16,'
	exactly requests.data sock:sock_recv_length 40 'length = 8,'
	exactly requests.data sock:sock_recv_length 40 'length = 16,'
	# The network interrupts any thread.
	ready=$(perf_script -i requests.data -F event 2>/dev/null | grep -c 'sock:sk_data_ready:')
	[ "$ready" -ge 80 ] || fail "$collector: data arrived $ready times"
	perf_script -i requests.data -F event,trace 2>/dev/null |
		grep 'sock:inet_sock_set_state:' | grep -q 'newstate=TCP_ESTABLISHED' ||
		fail "$collector: no connection"
	perf_script -i requests.data -F event,trace 2>/dev/null |
		grep 'sock:inet_sock_set_state:' | grep -q '127\.0\.0\.1\|port=[1-9]' &&
		fail "$collector: addresses, which may be those of other programs"
	expect 0 "$PSCAL" profile -q --json -o profile.json requests.data
	jq -e '(.threads | length) == 3 and .wall_s > 0.04 and .unknown_s < 0.01' profile.json \
		>/dev/null || fail "$collector: $(cat profile.json)"
	"$PSCAL" forecast -n 4 requests.data >wall
	tr -s '\n ' ' ' <wall | grep -q "! A server's wall time depends on its clients, which sent 40 requests:" ||
		fail "$collector: $(cat wall)"
	tail -n 1 wall | grep -qx 'next: pscal model requests.data' || fail "$collector: $(cat wall)"
done

# A server that does little else than calls: the recording ends when they have taken 5 % of the CPU
# time of the 4 s; the server goes on to its own end.
expect 0 "$PSCAL" record --requests --duration 4 -o short.data "$WORKLOADS/poolserver" --workers 2 \
	--clients 8 --think 0.1 --cpu 0.00001 --nap 0 --held 0.000001 --seconds 3 >served 2>said
grep -q 'recording costs about [0-9.]* % of .*: the recording ends early$' said || fail "no cost: $(cat said)"
grep -q '^! The recording ended after [0-9.]* s of 4 s: ' said || fail "no end: $(cat said)"
# The cost that is printed at the start is that at the end.
sed -n 's/.*recording costs about \([0-9.]*\) %.*/\1/p; s/.*recording calls took \([0-9.]*\) %.*/\1/p' said |
	awk '{ part[NR] = $1 } END { exit !(NR == 2 && part[1] < 2 * part[2] && part[2] < 2 * part[1]) }' ||
	fail "the cost at the beginning is not that at the end: $(cat said)"
[ "$(wc -l <served)" -eq 2 ] || fail "the server: $(cat served)"
