#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Recordings by perf with less than the complete scheduler events, or with other forms of them.
# Simple rules derive the known part from the text that perf prints (levels.awk); the rest is
# refused or reported in a sentence. KINDS selects the rows whose names match. The kinds, and their
# criteria:
#
#	samples alone, -a, of a command, attached    samples of each thread, as many as perf prints
#	filter; ins alone; no last switch            levels.awk: no switch-outs, or only EXIT for ends
#	switch records, exits; preempted             levels.awk; and each thread is there once
#	without -a; unnamed                          levels.awk; and the advice to record with -a
#	sampled switches, every third switch         the refusal
#	hidden switches                              levels.awk on a complete recording by a second perf
#	damaged time                                 the wall time of the sound recording
#	by name                                      levels.awk by --pid; --comm gives the same
#	PID namespace, perf inside                   levels.awk on a text with the numbers of the host
#	PID namespace, perf outside                  levels.awk
#	switch records, old                          levels.awk; and the sentence on the kernel
#	cut pipe                                     levels.awk on the part before the cut
#	cut file                                     the refusal: its tables are at the end
#
# read_matrix has all other ways to record, and read_roads all formats; record_hidden,
# record_unknown and profile_witness compare switches that a kernel hides with its accounts.
# shellcheck source=/dev/null disable=SC2034,SC2154 # read-lib has what is not here, or reads it
. "${0%/*}/record-lib"
. "${0%/*}/read-lib"

need_perf

pinned='taskset -c 0'
room='-m 4096 -B'
barrier="$WORKLOADS/barrier 3 60 200"
generations="$WORKLOADS/thread_generations 3 40"

# kind NAME WORKLOAD PERF-ARGUMENT...: succeeds if the row is selected, and `in` is a recording of
# it.
kind()
{
	name=$1 workload=$2
	shift 2
	echo "$name" | grep -qE -e "${KINDS:-.}" || return
	recorded "$name" "$@"
}

# told NAME COUNT: notes that the row is done.
told()
{
	rows=$((rows + 1))
	printf '%-26s %s\n' "$1" "$2"
}

# says PATTERN COMMAND...: the command ends by itself, and its output matches.
says()
{
	pattern=$1
	shift
	"$@" >printed 2>&1
	status=$?
	[ $status -le 1 ] || wrong "$name: status $status of: $*"
	tr -s '\n ' '  ' <printed | grep -qE -e "$pattern" ||
		wrong "$name: does not print '$pattern': $(tail -n 4 printed | tr '\n' ' ')"
}

# --- Samples alone -------------------------------------------------------------------------------

# samples: the export has as many samples of each thread as perf prints, without those of perf
# before its exec of the command, which are counted; and `stretch` reads the recording. A perf
# that had another name before is that of another program, and its samples count.
samples()
{
	perf_script --show-task-events -F comm,tid,time,event -i in 2>/dev/null | sed -n '
		s/^ *\(.*[^ ]\)  *\([0-9][0-9]*\) .*cpu-clock.*/\2 \1/p
		/ 0\.0*: PERF_RECORD_FORK/d # of a thread that lived before
		s/^ *\(.*[^ ]\)  *[0-9][0-9]*  *[0-9.]*: PERF_RECORD_FORK([0-9]*:\([0-9]*\)).*/named \2 \1/p
		s/.* PERF_RECORD_COMM[^:]*: \(.*\):[0-9]*\/\([0-9]*\)$/named \2 \1/p' >events
	grep -v '^named ' events >all
	awk '$1 == "named" { if ($3 !~ /^perf(-exec)?$/) other[$2] = 1; next }
		$2 !~ /^perf(-exec)?$/ { other[$1] = 1 }
		$1 > 0 && $1 in other { n[$1]++ }
		END { for (tid in n) print tid "|" n[tid] }' events |
		sort >expected
	rm -f db
	"$PSCAL" export -q --sqlite db in >printed 2>&1 || wrong "$name: export: $(cat printed)"
	sqlite3 db 'SELECT tid, count(*) FROM sample JOIN thread ON thread.id = thread WHERE tid > 0
		GROUP BY tid' | sort >found
	diff expected found >differences ||
		wrong "$name: samples of perf (<) and pscal (>): $(head -n 8 differences | tr '\n' ' ')"
	left_out=$(sqlite3 db "SELECT sum(value) FROM meta
		WHERE key IN ('samples_left_out', 'quality_dropped_samples')")
	[ "$(awk '$1 > 0' all | wc -l)" -eq $(($(sqlite3 db 'SELECT count(*) FROM sample') + left_out)) ] ||
		wrong "$name: of $(awk '$1 > 0' all | wc -l) samples, $left_out are reported as left out"
	rm -f db
	"$PSCAL" export -q --sqlite db --comm barrier in >printed 2>&1 || wrong "$name: --comm: $(cat printed)"
	of_name=$(perf_script -F comm,event -i in 2>/dev/null | grep -c '^ *barrier  *.*cpu-clock')
	[ "$(sqlite3 db 'SELECT count(*) FROM sample')" -ge "$of_name" ] ||
		wrong "$name: --comm: $(sqlite3 db 'SELECT count(*) FROM sample') of $of_name samples"
	cp in same
	"$PSCAL" stretch -q in same >printed 2>&1 || wrong "$name: stretch: $(cat printed)"
	awk -F '|' '$2 > 3 { n++ } END { exit n < 3 }' expected || wrong "$name: of nothing"
	told "$name" "$(awk -F '|' '{ n += $2 } END { print n }' expected) samples of $(wc -l <expected) threads"
}

if kind 'samples, -a' "$WORKLOADS/barrier 3 20 5000" record -a -F 1999 -e cpu-clock; then
	samples
fi
if kind 'samples of a command' "$WORKLOADS/barrier 3 20 5000" record -F 1999 -e cpu-clock; then
	samples
fi
if echo 'samples, attached' | grep -qE -e "${KINDS:-.}"; then
	name='samples, attached'
	"$WORKLOADS/barrier" 3 1000000 5000 >/dev/null &
	spinner=$!
	sleep 0.2
	perf record -q --no-bpf-event -F 1999 -e cpu-clock -o in -p $spinner -- sleep 0.5 2>said ||
		wrong "$name: perf did not record: $(tail -n 1 said)"
	kill $spinner
	wait $spinner 2>/dev/null
	samples
fi

# --- Switches with less information ----------------------------------------------------------------------

# The rules do not include the unknown time before the first event of the process.
only=' '
kind 'filter' "$generations" record -a -e sched:sched_switch \
	--filter 'prev_comm ~ "thread_gen*" || next_comm ~ "thread_gen*"' && check filter -v filtered=1
# A thread has left its CPU if another thread is there, or it has exited.
less=1
kind 'filter, ins alone' "$barrier" record -a -e sched:sched_switch \
	--filter 'next_comm ~ "barrier*"' && check 'filter, ins alone' -v filtered=1
less=
# Without the last switch-out of each thread, with state X or Z: only EXIT reports its end.
kind 'filter, no last switch' "$generations" record -a -e sched:sched_switch \
	--filter 'prev_state != 16 && prev_state != 32' &&
	check 'filter, no last switch' -v filtered=1
only=
kind 'switch records, exits' "$generations" record -a --switch-events -e dummy &&
	check 'switch records, exits'
# With a thread that takes the CPU from those that are about to leave it.
if echo 'switch records, preempted' | grep -qE -e "${KINDS:-.}"; then
	taskset -c 0 "$WORKLOADS/spinner" 1 1000000 >/dev/null &
	spinner=$!
	kind 'switch records, preempted' "$WORKLOADS/thread_storm 300 30" record -a --switch-events -e dummy &&
		check 'switch records, preempted' && {
		perf_text in | awk '{ split($1, id, "/") } id[2] > 0 { print id[2] }' | sort -un >named
		"$PSCAL" profile -q --format json in | jq -r '.threads[].tid' | sort -n | uniq -d >twice
		[ ! -s twice ] || wrong "$name: threads that are there twice: $(head -n 5 twice | tr '\n' ' ')"
		"$PSCAL" profile -q --format json in | jq -r '.threads[] |
			select(.pid == null and .running_s + .runnable_s == 0 and .unknown_s > 0) | .tid' >ghosts
		[ ! -s ghosts ] || wrong "$name: $(wc -l <ghosts) threads without a known state"
	}
	kill $spinner
	wait $spinner 2>/dev/null
fi
# Without a named target, it is the program that perf starts.
if kind 'without -a' "$barrier" record -e sched:sched_switch; then
	check 'without -a'
	chosen=' '
	check 'without -a, unnamed'
	chosen=
	says 'run without -a, .* Record with -a' "$PSCAL" profile in
fi
if kind 'sampled switches' "$barrier" record -F 99 -a -e cpu-clock -e sched:sched_switch; then
	says 'sched_switch .*(-F 99|99 Hz|sampled)' "$PSCAL" profile in
	told "$name" 'refused'
fi
if kind 'every third switch' "$barrier" record -c 3 -a -e sched:sched_switch; then
	says 'sched_switch .*-c 1' "$PSCAL" profile in
	told "$name" 'refused'
fi

# --- Switches that a kernel hides ----------------------------------------------------------------

# nearly TEXT EXPECTED FOUND: compares how long each thread but the first one was ready, blocked and
# on a CPU, if its end is in the text. A sleep without a recorded wakeup is unknown. An account of
# run time begins a moment before the record of the switch, and excludes interrupts and the
# hypervisor.
nearly()
{
	awk -v root="$(cat root)" -v s="$(stolen_since "$before")" '
	function differs(a, b) { return (a > b ? a - b : b - a) > 0.01 * a + 300000 + 1e9 * s }
	FILENAME == ARGV[1] {
		if (match($0, / prev_pid=[0-9]+ .* prev_state=[XZ]/))
			ended[substr($0, RSTART + 10) + 0] = 1
		next
	}
	$1 !~ /^(running|lived)$/ || $2 == root || !($2 in ended) { next }
	FILENAME == ARGV[2] { of[$1, $2] = $0; n += $1 == "lived"; next }
	{
		split(of[$1, $2], want)
		if (differs(want[3], $3) || $1 == "lived" &&
			(differs(want[4], $4 + $5) || $5 > 0.1 * ($3 + $4)))
			print of[$1, $2] ", not " $0
		delete of[$1, $2]
	}
	END {
		for (i in of)
			print of[i] ", not there"
		if (!n)
			print "no thread was compared"
	}' "$1" "$2" "$3"
}

# A filter hides the switches from other threads to the target. pscal must not know the filter, as a
# kernel does not report hidden switches either. A second perf records all switches.
if echo 'hidden switches' | grep -qE -e "${KINDS:-.}"; then
	name='hidden switches'
	rm -rf in whole root
	before=$(stolen)
	events=sched:sched_waking,sched:sched_process_fork,sched:sched_process_exit
	# shellcheck disable=SC2086 # words
	$pinned perf record -q -a $room --no-bpf-event -e $events,sched:sched_switch -o whole -- \
		perf record -q -a $room --no-bpf-event -e $events,sched:sched_stat_runtime \
		-e sched:sched_switch --filter '!(next_comm ~ "naps*") || prev_comm ~ "naps*"' -o in -- \
		sh -c "$target" "$WORKLOADS/naps" 3 150 2>said ||
		wrong "$name: perf did not record: $(tail -n 1 said)"
	LC_ALL=C sed -i 's/--filter/--output/g' in
	perf_text whole >text
	truth text >expected
	if reading in >found 2>said; then
		perf_text in >seen
		nearly seen expected found >differences
		[ ! -s differences ] || wrong "$name: $(head -n 4 differences | tr '\n' ';')"
		jq -e '.witnessed_switch_ins > 100' quality >/dev/null || wrong "$name: none: $(cat quality)"
		told "$name" "$(jq .witnessed_switch_ins quality) of $(awk '$1 == "switches" { print $2 }' expected)"
	else
		wrong "$name: $(cat said)"
	fi
fi

# --- Impossible times -----------------------------------------------------------------------

# wall: prints the wall time of a reading, in ns.
wall()
{
	awk '$1 ~ /^([0-9]+|unknown)$/ { ns += $2 } END { printf "%.0f\n", ns }' "$1"
}

if kind 'damaged time' "$barrier" record -a -e sched:sched_switch,sched:sched_waking; then
	reading in >whole 2>said || wrong "$name: $(cat said)"
	perf_script --ns -F time,event -i in 2>/dev/null |
		awk '/sched_switch/ { at[++n] = $1 } END {
			gsub(/[.:]/, "", at[int(n / 2)])
			print at[int(n / 2)]
		}' >middle
	cp in sound
	for damaged in 9223372036854775808 18446744073709551615 "$(($(cat middle) + 1000000000000))"; do
		perl -e 'undef $/; my $data = <STDIN>; my ($from, $to) = map { pack "Q<", $_ } @ARGV;
			print $data =~ s/\Q$from\E/$to/r' "$(cat middle)" "$damaged" <sound >in
		! cmp -s sound in || wrong "$name: nothing is damaged"
		if reading in >found 2>said; then
			awk -v whole="$(wall whole)" -v found="$(wall found)" 'BEGIN { exit !(found <= 1.01 * whole) }' ||
				wrong "$name: $damaged: wall time $(wall found) ns instead of $(wall whole)"
			jq -e '.malformed > 0' quality >/dev/null || wrong "$name: $damaged: and no message about it"
		else
			wrong "$name: $damaged: $(cat said)"
		fi
	done
	told "$name" "$(wall whole) ns"
fi

# --- By name, in a namespace ----------------------------------------------------------------------

# sums FILTER: prints sums in ns for the threads in reading.json that the filter selects, sorted.
sums()
{
	jq -r "[.threads[] | select($1) | [.running_s, .runnable_s, .sleeping_s, .unknown_s, .switches]] |
		sort | .[] | map(tostring) | join(\" \")" reading.json
}

if kind 'by name' "$barrier" record -a -e sched:sched_switch,sched:sched_waking; then
	check "$name"
	sums ".tid != $(cat root)" >expected
	chosen='--comm barrier'
	reading in >found
	sums ".tid != $(cat root)" >found
	chosen=
	cmp -s expected found || wrong "$name: threads that were born are others than by --pid: $(
		diff expected found | head -n 4 | tr '\n' ' ')"
fi

# perf in a namespace of its own: headers have numbers of the namespace, and tracepoints those of
# the host. The switches of a thread have both.
if echo 'PID namespace, perf inside' | grep -qE -e "${KINDS:-.}"; then
	name='PID namespace, perf inside'
	rm -rf in root
	# shellcheck disable=SC2086 # words
	unshare --pid --fork --propagation unchanged --mount-proc $pinned perf record -q -a $room --no-bpf-event \
		-e sched:sched_switch,sched:sched_waking -o in -- sh -c "$target" $barrier 2>said ||
		wrong "$name: perf did not record: $(tail -n 1 said)"
	perf_text in | awk -v root="$(cat root)" '
	function host(number) { return number in of ? of[number] : number }
	{ line[NR] = $0; split($1, who, "/") }
	/sched:sched_switch:/ && who[2] > 0 {
		match($0, / prev_pid=[0-9]+/)
		of[who[2]] = substr($0, RSTART + 10, RLENGTH - 10)
	}
	END {
		print host(root) >"root"
		for (i = 1; i <= NR; i++) {
			match(line[i], /^ *[-0-9]+\/[-0-9]+/)
			rest = substr(line[i], RLENGTH + 1)
			split(substr(line[i], 1, RLENGTH), who, "/")
			if (match(rest, /PERF_RECORD_[A-Z]+\([0-9]+:[0-9]+\):\([0-9]+:[0-9]+\)/)) {
				split(substr(rest, RSTART, RLENGTH), part, /[(:)]+/)
				rest = sprintf("%s%s(%d:%d):(%d:%d)", substr(rest, 1, RSTART - 1), part[1],
					host(part[2]), host(part[3]), host(part[4]), host(part[5]))
			}
			print host(who[1] + 0) "/" host(who[2] + 0) rest
		}
	}' >text
	truth text >expected
	# The first thread had another name before.
	awk -v root="$(cat root)" '$1 == "running" && $2 != root { printf "%.0f\n", $3 / 1000 }' expected |
		sort -n >ran
	chosen='--comm barrier'
	if reading in >found 2>said; then
		jq -r '.threads[] | select(.tid != .pid) | .running_s * 1e6 | round' reading.json |
			sort -n >read_ran
		[ "$(wc -l <ran)" -eq 3 ] || wrong "$name: of $(wc -l <ran) threads"
		diff ran read_ran >differences ||
			wrong "$name: running time in us, by the rules (<) and by pscal (>): $(tr '\n' ' ' <differences)"
		jq -e '[.threads[] | select(.unknown_s > 0)] | length <= 1' reading.json >/dev/null ||
			wrong "$name: unknown of $(jq -c '[.threads[] | select(.unknown_s > 0) | .tid]' reading.json)"
	else
		wrong "$name: $(cat said)"
	fi
	chosen=
	told "$name" "$(wc -l <ran) threads"
fi

# Only the program is in a namespace: all numbers are those of the host.
usual_target=$target
# shellcheck disable=SC2016 # for the inner shell
target='echo $$ >root; exec unshare --pid --fork --propagation unchanged --mount-proc "$0" "$@" >/dev/null'
kind 'PID namespace, perf outside' "$barrier" record -a -e sched:sched_switch,sched:sched_waking &&
	check "$name"
target=$usual_target

# --- Cut off -------------------------------------------------------------------------------------

# In the middle of the record of a switch. The part before is read, and the missing end is reported.
if echo 'cut pipe' | grep -qE -e "${KINDS:-.}"; then
	name='cut pipe'
	rm -rf in root
	# shellcheck disable=SC2086 # words
	$pinned perf record -q -C 0 $room --no-bpf-event -e sched:sched_switch,sched:sched_waking -o - -- \
		sh -c "$target" $barrier >whole 2>said || wrong "$name: perf did not record: $(tail -n 1 said)"
	# The begin of each record, after the 16 bytes of the header, its time and its kind. The last whole
	# one before the cut is a sample: perf does not print all others, which other programs may cause.
	perf script -D -i whole 2>/dev/null |
		sed -n 's/^[0-9]* \([0-9]*\) \(0x[0-9a-f]*\) \[.*\]: PERF_RECORD_\([A-Z0-9_]*\).*/\2 \1 \3/p' |
		while read -r at ns kind; do
			echo $((at + 16)) "$ns $kind"
		done | sort -n >records
	cut=$(awk '{ at[NR] = $1; kind[NR] = $3 } END {
		for (last = NR - 101; last > 0 && kind[last] != "SAMPLE"; last--);
		print at[last + 1]
	}' records)
	head -c $((cut + 9)) whole >in
	perf_text whole | awk -v cut="$cut" '
	NR == FNR { late[$2] = $1 >= cut; next }
	{
		line = $0
		sub(/ *\[[0-9]+\] */, " ")
		split($2, part, /[.:]/)
		if (!late[part[1] * 1 part[2]])
			print line
	}' records - >text
	truth text -v partial=1 >expected
	if reading in >found 2>said; then
		compare expected found >row || failures=$((failures + 1))
		told "$name" "$(cat row)"
		says "cut off at its end\. The damage begins at byte $cut" "$PSCAL" profile in
	else
		wrong "$name: $(cat said)"
	fi
fi
if kind 'cut file' "$barrier" record -a -e sched:sched_switch; then
	head -c $(($(stat -c %s in) / 2)) in >half
	says 'half: is cut off' "$PSCAL" profile half
	told "$name" 'refused'
fi

# --- Other kernels ---------------------------------------------------------------------------

# Kernels before 4.17 do not mark preempted threads, so that less is known.
less=1
if kind 'switch records, old' "$barrier" record -a --switch-events -e dummy; then
	perf_text in >text
	truth text | sed '/^unknown/d' >expected
	perl -e 'undef $/; my ($release, $data) = (shift, <STDIN>);
		my ($at, $size) = unpack "x40 Q< Q<", $data;
		for (my $end = $at + $size; $at + 8 <= $end;) {
			my ($type, $misc, $length) = unpack "L< S< S<", substr $data, $at, 8;
			last if $length < 8;
			substr($data, $at + 4, 2) = pack "S<", $misc & ~0x4000 if $type == 14 || $type == 15;
			$at += $length;
		}
		my $old = "4.14.0" . "0" x length $release;
		print $data =~ s/\Q$release\E/substr $old, 0, length $release/gre' "$(uname -r)" <in >old
	mv old in
	if reading in >found 2>said; then
		compare expected found >row || failures=$((failures + 1))
		told "$name" "$(cat row)"
		says '4\.17' "$PSCAL" profile in
	else
		wrong "$name: $(cat said)"
	fi
fi
less=

echo "$rows rows"
[ "$failures" -eq 0 ] || fail "$failures faults in $rows rows"
