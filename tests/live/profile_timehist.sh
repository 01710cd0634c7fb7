#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The output of perf sched timehist -w -n --state agrees with the recording, except for time that is
# reported as unknown; with fewer options it is refused.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"

need_perf

# Process numbers wrap around, so the smallest one may be that of a child.
# shellcheck disable=SC2016 # for the inner shell
as_root='echo $$ >root; exec "$0"'

# compare TOLERANCE_S CASE: each level of text.csv is that of file.csv less at most the unknown time
# of text.csv, and exceeds it only by the unknown time of file.csv.
compare()
{
	awk -F , -v tolerance="$1" '
	FNR == 1 { file++; next }
	file == 1 { want[$1] = $2 }
	file == 2 { got[$1] = $2; want[$1] += 0 }
	END {
		for (level in want) {
			if (level == "unknown")
				continue
			less = want[level] - got[level]
			if (less > tolerance + got["unknown"] || -less > tolerance + want["unknown"]) {
				printf "level %s is %g instead of %g, %g unknown\n", level, got[level],
					want[level], got["unknown"]
				bad = 1
			}
		}
		exit bad
	}' file.csv text.csv || fail "$2"
}

# On the first CPU, on which no switches are hidden; then on all CPUs.
for where in 'taskset -c 0' ''; do
	# shellcheck disable=SC2086 # words
	$where perf sched record -q -o perf.data sh -c "$as_root" "$WORKLOADS/phases" >cpu_times 2>/dev/null ||
		fail 'perf sched record failed'
	root=$(cat root)
	"$PSCAL" profile --pid "$root" --format csv perf.data >file.csv || fail 'no profile'
	for options in '-w -n --state' '-w -n -V --state'; do
		# shellcheck disable=SC2086 # words
		perf sched timehist -i perf.data $options >text 2>/dev/null
		"$PSCAL" profile --pid "$root" --format csv <text >text.csv ||
			fail "with '$options' it cannot be read"
		compare 0.001 "$where perf sched timehist $options"
	done
	for options in '-w --state' --state '-w -n' -w -n ''; do
		# shellcheck disable=SC2086 # words
		perf sched timehist -i perf.data $options 2>/dev/null |
			"$PSCAL" profile >shown 2>said && fail "a profile of '$options': $(cat shown)"
		grep -q 'without the state of a thread' said || fail "said of '$options': $(cat said)"
	done

	# With all options almost no time is unknown if no switches are hidden. If the kernel hides
	# some, hardly more is unknown than from the file without sched_stat_runtime, which shows
	# since when a thread runs and which timehist does not print.
	perf script --ns -i perf.data 2>/dev/null | grep -v sched_stat_runtime: |
		"$PSCAL" profile -q --pid "$root" --format csv >file.csv || fail 'no profile of the text'
	perf sched timehist -i perf.data -w -n --state 2>/dev/null |
		"$PSCAL" profile -q --pid "$root" --format csv >text.csv || fail 'no profile of timehist'
	awk -F , -v where="$where" '
	FNR == 1 { file++; next }
	{ wall[file] += $2 }
	$1 == "unknown" { unknown[file] = $3 }
	END {
		if (wall[1] > 0 && wall[2] > 0 && unknown[2] <= (where ? 0 : unknown[1]) + 0.1)
			exit
		print "of", wall[2], "s", 100 * unknown[2], "% are unknown; with the file", 100 * unknown[1], "%"
		exit 1
	}' file.csv text.csv || fail "$where perf sched timehist: too much is unknown"
done

# With -I perf may print rows before the summary, without the state.
for options in -s -I; do
	perf sched timehist -i perf.data $options 2>/dev/null |
		"$PSCAL" profile >shown 2>said && fail "a profile of $options: $(cat shown)"
	grep -qE 'without the (times that threads ran|state of a thread)' said ||
		fail "said of $options: $(cat said)"
done
