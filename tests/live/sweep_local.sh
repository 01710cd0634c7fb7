#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Sweeps of real programs on this machine, up to the fit; signals that end them, and their
# continuation.
# Begins early: many short runs.
# shellcheck source=/dev/null
. "${0%/*}/live-lib"

rows()
{
	grep -c '^[0-9]' "$1" 2>/dev/null
}

at_least()
{
	[ "$(rows "$2")" -ge "$1" ]
}

# has_rows N FILE
has_rows()
{
	[ "$(wc -l <"$2")" -eq "$1" ]
}

# A program with a thread option.
head -c 6000000 "$PSCAL" >sample
while [ "$(wc -c <sample)" -lt 6000000 ]; do
	cat "$PSCAL" "$PSCAL" >>sample
done
expect 0 "$PSCAL" sweep -n 1,2 -r 2 --work 6 -o zstd.csv --log logs -- zstd -f -q -8 '-T{n}' sample
[ "$(rows zstd.csv)" -eq 4 ] || fail 'not 4 rows'
grep '^[0-9]' zstd.csv | awk -F , '
	# Throughput times wall time is the work; compressing needs a CPU.
	$2 * $3 < 5.999 || $2 * $3 > 6.001 || $4 < 0.01 { print "bad row: " $0; bad = 1 }
	END { exit bad }' || fail 'the rows are wrong'
[ "$(ls logs)" = "$(printf 'n1-r1.log\nn1-r2.log\nn2-r1.log\nn2-r2.log\nwarm-up.log')" ] ||
	fail "the logs are $(ls logs)"
expect 0 "$PSCAL" fit -q --model amdahl zstd.csv

# N workers that sleep for 20 ms and then need a shared resource for 5 ms, 8 times: at most 40 turns
# a second for each of them, and 200 in total.
cat >worker <<'END'
for turn in 1 2 3 4 5 6 7 8; do
	sleep 0.02
	flock lock sleep 0.005
done
END
# shellcheck disable=SC2016 # for the inner shell
expect 0 "$PSCAL" sweep -q -n 1-16x2 -r 2 --work '8*n' -o lock.csv --fit -- \
	sh -c 'for i in $(seq {n}); do sh worker & done; wait' >fitted
cat fitted
grep '^[0-9]' lock.csv | awk -F , '
	$2 > 40 * $1 || $2 > 200 { print "bad row: " $0; bad = 1 }
	END { exit bad }' || fail 'more turns than possible'
grep -q 'contention, alpha' fitted || fail 'no law is fitted'
[ "$(rows lock.csv)" -eq 10 ] || fail 'not 10 points'

# The sweep uses exactly the CPUs that it is given.
expect 0 "$PSCAL" sweep -q -n "1-$(nproc)" -r 1 --cpus -o cpus.csv --match '^([0-9]+)$' -- nproc
grep '^[0-9]' cpus.csv | awk -F , '$1 != $2 { exit 1 }' || fail 'the CPUs are not as many as N'

# Sleeps for a moment, but for long if the file has two runs, unless there is a file `quick`.
cat >sleeper <<'END'
[ -e quick ] || [ "$(grep -c '^[0-9]' long.csv)" -lt 2 ] || set -- 60
sleep "$1" &
echo $! >>sleepers
wait
END

# A signal ends the sweep and the command, and measured runs are kept.
for signal in INT:130 TERM:143 HUP:129; do
	rm -f long.csv sleepers
	"$PSCAL" sweep -q -n 1,2 -r 3 --warmup 0 -o long.csv -- sh sleeper '0.3{n}' 2>said &
	sweep=$!
	wait_for 60 at_least 2 long.csv
	wait_for 60 has_rows 3 sleepers
	kill -s "${signal%:*}" "$sweep"
	expect "${signal#*:}" wait "$sweep"
	grep -q 'after 2 of 6 runs, which are in long.csv; the same command goes on' said ||
		fail "said: $(cat said)"
	wait_for 60 has_ended "$(tail -n 1 sleepers)"
done

# The end of the sweep itself, for any reason, ends the command, too.
# shellcheck disable=SC2016
"$PSCAL" sweep -q -n 7 -r 1 --warmup 0 -o killed.csv -- sh -c 'echo $$ >pid; sleep 60; : {n}' &
sweep=$!
wait_for 60 test -s pid
kill -s KILL "$sweep"
wait "$sweep"
wait_for 60 has_ended "$(cat pid)"

# The same command continues with the missing runs.
kept=$(rows long.csv)
: >quick
expect 0 "$PSCAL" sweep -n 1,2 -r 3 --warmup 0 -o long.csv -- sh sleeper '0.3{n}' 2>said
grep -q "^pscal sweep: $((6 - kept)) runs* measured .* $kept kept from before" said ||
	fail "said: $(cat said)"
cut -d , -f 1,5 long.csv | grep '^[0-9]' | sort >runs
printf '1,1\n1,2\n1,3\n2,1\n2,2\n2,3\n' | cmp - runs || fail 'not each run once'

# On a terminal the sweep shows its progress.
script -qec "'$PSCAL' sweep -n 1,2 -r 4 -o shown.csv -- sleep 0.3{n}" /dev/null >shown </dev/null
grep -q '[1-9][0-9]* %, [0-9][0-9]* s left' shown || fail "no progress is shown: $(cat shown)"
