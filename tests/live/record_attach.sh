#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Attaching to a process finds all of its threads, and its children.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

mkfifo ready
"$WORKLOADS/sleeping_threads" 200 >ready &
target=$!
trap 'kill $target ${parent-} 2>/dev/null' EXIT
read -r _ <ready

before_ns=$(date +%s%N)
expect 0 "$PSCAL" record -p "$target" --duration 100ms 2>said
all_ns=$(($(date +%s%N) - before_ns))
grep -q ' 201 threads, ' said || fail "said: $(cat said)"
sed 's/.*: \([0-9.]*\) s wall.*/\1/' said | awk -v all_ns=$all_ns '{ exit !($1 >= 0.1 && $1 < all_ns / 1e9) }' ||
	fail "100 ms, but said: $(cat said)"
[ "$(fact pscal.data mode)" = attach ] || fail "mode '$(fact pscal.data mode)'"
[ "$(fact pscal.data root)" = "$target" ] || fail "root '$(fact pscal.data root)'"
"$PSCAL" forecast -q --recorded-cores 1 -n 1 --format json pscal.data | jq -e .attached >/dev/null ||
	fail "the forecast does not report that the recording is partial"
threads=$(fact pscal.data thread | grep -c "^[0-9]* $target [0-9]* S sleeper\$")
[ "$threads" -eq 200 ] || fail "$threads of 200 sleeping threads listed"
listed=$(fact pscal.data thread | cut -d ' ' -f 3 | sort -n | tr '\n' ' ')
there=$(find "/proc/$target/task" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort -n | tr '\n' ' ')
[ "$listed" = "$there" ] || fail "listed $listed but there are $there"

has_child()
{
	grep -q "^PPid:[[:space:]]*$1\$" /proc/[0-9]*/status
}

# A shell and its child; the child of the shell is found by its parent.
sh -c 'sleep 60; :' &
parent=$!
wait_for 60 has_child "$parent"
expect 0 "$PSCAL" record -q -p "$target,$parent" --duration 0.1
[ "$(fact pscal.data root | wc -l)" -eq 2 ] || fail "roots $(fact pscal.data root)"
fact pscal.data thread | grep -q ' S sleep$' || fail "the child of the shell is not listed"
child=$(fact pscal.data thread | sed -n 's/^[0-9]* \([0-9]*\) .* sleep$/\1/p')
kill "$child"

# On a terminal it reports that it records, and how to end it.
script -qec "'$PSCAL' record -o tty.data -p $target --duration 0.1" /dev/null >said </dev/null
grep -q 'recording for 0.1 s; Ctrl-C ends it earlier' said || fail "said: $(cat said)"

# A thread is not a process.
tid=$(fact pscal.data thread | sed -n 's/^[0-9]* [0-9]* \([0-9]*\) S sleeper$/\1/p' | head -n 1)
expect 1 "$PSCAL" record -p "$tid" 2>said
grep -q "$tid is a thread of process $target" said || fail "said: $(cat said)"
