#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The commands of doc/tutorial.md run, and its conclusions hold: the causes, the shares of functions
# and, within the noise of a loaded machine, the speedups.
# Runs alone: beside other programs the serial part is not the limit of four threads on two CPUs.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"
page=$(cd "${0%/*}/../.." && pwd)/doc/tutorial.md
need_collector bpf
PATH=${PSCAL%/*}:$PATH

# A shorter program of the same shape. Its name is also that of its threads.
# shellcheck disable=SC2016 # the $ is for the script
printf '#!/bin/sh\nexec "%s/lesson" "$1" 15\n' "$WORKLOADS" >lesson
chmod 755 lesson
sed -n 's/^\$ //p' "$page" >commands
[ "$(wc -l <commands)" -ge 12 ] || fail "the page has few commands: $(cat commands)"
while read -r command; do
	sh -c "$command" </dev/null >printed 2>&1 || fail "$command: $(cat printed)"
done <commands

# why STEP FILTER: the filter is true for the causes that keep this version from scaling.
why()
{
	"$PSCAL" forecast --why -n 4 --json "lesson$1.data" >why.json
	jq -e ".why | $2" why.json >/dev/null || fail "version $1: not $2: $(jq -c .why why.json)"
}
why 0 '.serial_thread | endswith("worker-0")'
why 1 '.serial_thread | endswith("lesson")'
why 2 '.sites[] | select(.name | startswith("sum_lock")) | .saved_share > 0.1'
why 3 '.serial_thread | endswith("lesson")'
why 3 '[.sites[] | select(.name | startswith("sum_lock"))] == []'

# 80, 10, 10 and 6 of 106 units.
"$PSCAL" profile --by function --json lesson1.data | jq -e '[.functions[] | {(.function | sub("[.].*"; "")):
	.cpu_share}] | add | [.count_words - 80/106, .read_input - 10/106, .add_sums - 10/106,
	.write_report - 6/106] | map(fabs) | max < 0.03' >/dev/null ||
	fail "shares: $("$PSCAL" profile --by function lesson1.data)"

# The table at the end: | version | change | forecast | on paper |
sed -n 's/^| \([0-4]\) |.*| \([0-9.]*\)x | \([0-9.]*\)x |$/\1 \2 \3/p' "$page" >table
[ "$(wc -l <table)" -eq 5 ] || fail "the table has not five rows: $(cat table)"
while read -r version told paper; do
	"$PSCAL" forecast -n 4 --json "lesson$version.data" >forecast.json
	jq -e --argjson told "$told" --argjson paper "$paper" \
		'(.forecast[0].speedup / $paper) as $is | ($told / $paper) as $was |
		$is > 0.6 and $is < 1.25 and $was > 0.75 and $was < 1.1' forecast.json >/dev/null ||
		fail "version $version: $(jq -c .forecast forecast.json), on paper $paper, on the page $told"
done <table
