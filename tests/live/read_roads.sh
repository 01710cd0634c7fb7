#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# One recording, read in many forms: as a file and as a stream, compressed, in the other byte order,
# and as the text that perf and other tools print of it. The levels are the same in all of them, and
# those that simple rules derive (levels.awk); for layouts with microseconds only, those that the
# rules derive from times cut to microseconds.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"
. "${0%/*}/read-lib"

need_perf

tools=${WORKLOADS%/*}/tools
events=sched:sched_switch,sched:sched_waking,sched:sched_process_fork,sched:sched_process_exit
failures=0
rows=0

# road NAME EXPECTED COMMAND [ARG...]: the output of the command gives the results in EXPECTED.
road()
{
	name=$1 expected=$2
	shift 2
	rows=$((rows + 1))
	if "$@" 2>/dev/null | reading >found 2>said; then
		compare "$expected" found >row || failures=$((failures + 1))
		printf '%-40s %s\n' "$name" "$(cat row)"
	else
		echo "$name: $(cat said)"
		failures=$((failures + 1))
	fi
}

# text EXPECTED OPTION...: perf script with these options.
text()
{
	expected=$1
	shift
	road "perf script $*" "$expected" perf script -i in "$@"
}

# With call chains, which are skipped, and with room for a perf that has to wait.
# shellcheck disable=SC2154 # read-lib has the target
taskset -c 0 perf record -q -a -g -m 4096 -e "$events" --no-bpf-event -o in -- \
	sh -c "$target" "$WORKLOADS/barrier" 3 60 200 2>said || fail "perf did not record: $(cat said)"
perf_text in >events.txt
truth events.txt >exact
truth events.txt -v unit=1000 >micro
# Times are relative to the first printed line, so these exclude the records of threads.
perf_script --ns --reltime -F pid,tid,time,event,trace -i in 2>/dev/null >relative.txt
truth relative.txt -v unit=1000 >relative
awk '$1 == "running" { print $2 }' exact | paste -s -d , >tids

# --- The file ------------------------------------------------------------------------------------

gzip -k in
zstd -q in
"$tools/swap_perfdata" in swapped || fail 'cannot swap the bytes of the file'
"$tools/pipe_perfdata" in piped || fail 'cannot make a stream of the file'
cmp -s in swapped && fail 'the bytes of the file were not swapped'
cp in in.txt # the name does not matter

for file in in in.gz in.zst swapped piped in.txt; do
	rows=$((rows + 1))
	reading "$file" >found 2>said || fail "$file: $(cat said)"
	compare exact found >row || failures=$((failures + 1))
	printf '%-40s %s\n' "$file" "$(cat row)"
	road "$file, as a stream" exact cat "$file"
done

# --- The text of perf script ---------------------------------------------------------------------

all=comm,pid,tid,cpu,time,event,trace
text exact --ns
text exact --ns -G
text micro
text micro -G
text exact --ns --header
text exact --ns --show-switch-events --show-lost-events
text exact --ns --show-task-events
text exact --ns --show-task-events --show-switch-events
text micro --show-task-events
text exact --ns -F $all
text exact --ns -F comm,tid,cpu,time,event,trace
text exact --ns -F pid,tid,cpu,time,event,trace
text exact --ns -F tid,cpu,time,event,trace
text exact --ns -F comm,tid,time,event,trace
text exact --ns -F comm,tid,cpu,misc,time,period,event,trace
text exact --ns -F comm,tid,cpu,time,trace
text exact --ns -F time,event,trace
text exact --ns -F time,trace
text exact --ns -F cpu,time,trace
text exact --ns -F $all,ip,sym
text exact --ns --reltime
text exact --ns --deltatime
text relative --reltime

perf script --ns -i in >text 2>/dev/null
gzip -k text
zstd -q text
road 'gzip' exact cat text.gz
road 'zstd' exact cat text.zst
road 'lines that end as on Windows' exact sed 's/$/\r/' text
road 'tabs for blanks' exact unexpand -a text
road 'no end of the last line' exact head -c -1 text

# --- The text of other tools --------------------------------------------------------------------------

perf_script --ns -G -F comm,tid,cpu,time,event,trace -i in 2>/dev/null >fields

# The layouts of ftrace, with 6 digits, and of trace-cmd report -t, with 9; only comms without blanks.
# shellcheck disable=SC2016 # for awk
as_ftrace='{
	comm = $1 == "swapper" ? "<idle>" : $1
	tid = $2; cpu = $3; time = $4; event = $5
	sub(/^sched:/, "", event)
	sub(/^.* sched:[a-z_]*: */, "")
	sub(/:$/, "", time)
	if (tid < 0 && match($0, /prev_pid=[0-9]+/)) { # it has ended; ftrace prints -1
		comm = "<...>"
		tid = substr($0, RSTART + 9, RLENGTH - 9)
	}
	printf layout, comm, tid, cpu, digits == 6 ? substr(time, 1, length(time) - 3) : time, event, $0
}'
ftrace()
{
	echo '# tracer: nop'
	awk -v digits=6 -v layout='%16s-%-7d %s d..2. %12s: %s %s\n' "$as_ftrace" fields
}

trace_cmd()
{
	echo "cpus=$(nproc)"
	awk -v digits=9 -v layout='%16s-%-5d %s %16s: %-21s %s\n' "$as_ftrace" fields
}

# The own layout of libtraceevent for these events, used if perf loads its plugins.
compact()
{
	# The greedy .* takes the last " prev_pid=", as comms may contain anything.
	perf script --ns -G -i in | sed \
		-e 's/prev_comm=\(.*\) prev_pid=\([0-9]*\) prev_prio=\([0-9-]*\) prev_state=\([^ ]*\)/\1:\2 [\3] \4/' \
		-e 's/next_comm=\(.*\) next_pid=\([0-9]*\) next_prio=\([0-9-]*\)/\1:\2 [\3]/' \
		-e 's/: comm=\(.*\) pid=\([0-9]*\) prio=\([0-9-]*\) target_cpu=/: \1:\2 [\3] CPU:/'
}

road ftrace micro ftrace
road 'trace-cmd report -t' exact trace_cmd
road 'layout of libtraceevent' exact compact

[ "$failures" -eq 0 ] || fail "$failures of $rows roads are wrong"
