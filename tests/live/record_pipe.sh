#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# -o -: a recording through a pipe, read by pscal and perf, compressed or not.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"
need_perf

for level in '' -z; do
	# The output of the command is not in the recording.
	"$PSCAL" record $level -o - -- sh -c 'echo printed; sleep 0.05; seq 9 | wc -l' 2>said |
		cat >piped
	tail -n 1 said | grep -q ' lost, .* in standard output$' || fail "said: $(cat said)"
	grep -qx printed said || fail "the output of the command is missing"
	[ "$(head -c 8 piped)" = PERFILE2 ] || fail "it does not begin as perf.data"
	[ -n "$(fact piped end_ns)" ] || fail "the recording has no end"

	# pscal reads it from a pipe, from a file, and by name.
	expect 0 "$PSCAL" profile --format csv piped >named.csv
	expect 0 "$PSCAL" profile --format csv - <piped >file.csv
	# shellcheck disable=SC2002 # a pipe is wanted
	cat piped | "$PSCAL" profile --format csv >pipe.csv || fail 'pscal cannot read it from a pipe'
	cmp named.csv file.csv || fail 'standard input and a name differ'
	cmp named.csv pipe.csv || fail 'a pipe and a file differ'
	[ "$(wc -l <pipe.csv)" -ge 3 ] || fail "nothing was active: $(cat pipe.csv)"
	expect 0 "$PSCAL" profile --format json piped >said.json
	jq -e '.quality.truncated | not' said.json >/dev/null || fail 'reported as truncated'

	perf script --ns -i - <piped >trace.txt 2>/dev/null || fail 'perf cannot read it'
	"$PSCAL" profile --pid "$(fact piped root)" --format csv \
		<trace.txt >text.csv || fail 'pscal cannot read its text'
	forget_exec piped
	expect 0 "$PSCAL" profile --format csv piped >named.csv
	cmp named.csv text.csv || fail "$(diff named.csv text.csv)"
done

# A stream that ends early is reported as such.
head -c "$(($(stat -c %s piped) - 100))" piped >cut.data
expect 0 "$PSCAL" profile --format json cut.data >said.json
jq -e '.quality.truncated' said.json >/dev/null || fail 'a cut stream is not reported as truncated'

# A reader that ends before the recorder.
{
	"$PSCAL" record -q -o - -- sh -c 'until [ -e gone ]; do sleep 0.05; done; seq 9 | sort' 2>said
	echo $? >status
} | {
	head -c 100 >/dev/null
	exec <&-
	: >gone
}
[ "$(cat status)" -eq 1 ] || fail "status $(cat status)"
grep -q '^pscal record: standard output: its reader has ended' said || fail "said: $(cat said)"
