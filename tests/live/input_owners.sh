#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# pscal reads a file of another user only with --force; it reads files of root, of the user, and
# under sudo of the user that called it. Pipes and redirected files were opened by the user.
# shellcheck source=/dev/null
. "${0%/*}/live-lib"
need_other_user
copy_examples
printf 'cores,slowdown\n1,1\n2,1.1\n' >data/slowdown.csv
printf 'cores,wall_s\n1,1\n' >data/measured.csv
mkdir recording && cp data/pscal.data recording/data
cp data/pscal.data pscal.data
chown -R 65534:65534 data/* recording pscal.data
chmod 644 pscal.data
chmod 755 .

commands='
profile
profile data/pscal.data
profile ./data/trace.txt
profile recording
timeline data/pscal.data
timeline data/blocks.txt.gz
forecast --recorded-cores 8 data/profile.csv
forecast --recorded-cores 8 --measured data/measured.csv mine.csv
forecast --recorded-cores 8 --slowdown data/slowdown.csv mine.data
rdam data/blocks.txt
stretch data/serial1.data.gz data/parallel1.data.gz
dag data/tasks.txt
export --sqlite all.db data/tasks.txt
fit data/throughput.csv
'
cp data/profile.csv mine.csv
cp data/pscal.data mine.data

# refused CASE: the last command was refused.
refused()
{
	[ "$status" = 1 ] || fail "$1: status $status: $(cat said)"
	[ "$(wc -l <said)" -eq 1 ] || fail "$1: not one line: $(cat said)"
	grep -q 'belongs to another user (65534), .* --force reads it' said || fail "$1: $(cat said)"
}

printf '%s\n' "$commands" | while read -r command; do
	[ "$command" ] || continue
	name=${command%% *}
	# shellcheck disable=SC2086 # its words
	set -- $command
	shift
	"$PSCAL" "$name" -q "$@" </dev/null >out 2>said
	status=$?
	refused "$command"
	[ ! -s out ] || fail "$command: printed something"
	[ ! -e all.db ] || fail "$command: left a database"
	for force in --force -f; do
		expect 0 "$PSCAL" "$name" -q $force "$@" </dev/null >out 2>said || exit 1
	done
	rm -f all.db
	expect 0 env SUDO_UID=65534 "$PSCAL" "$name" -q "$@" </dev/null >out 2>said || exit 1
	rm -f all.db
	SUDO_UID=65533 "$PSCAL" "$name" -q "$@" </dev/null >out 2>said
	status=$?
	refused "$command, under sudo of another user"
done || exit 1

# Files that the user has opened are read, whatever their owner.
expect 0 "$PSCAL" profile -q <data/pscal.data >out
expect 0 "$PSCAL" profile -q /dev/stdin <data/pscal.data >out
expect 0 "$PSCAL" profile -q /proc/self/fd/0 <data/pscal.data >out
head -c 10000000 data/pscal.data | expect 0 "$PSCAL" profile -q /dev/stdin >out || exit 1

mkfifo own
{ sleep 0.3 && cat data/pscal.data; } >own &
expect 0 timeout 60 "$PSCAL" profile -q own >out
[ -s out ] || fail 'no output from a FIFO'
# A FIFO of another user in place of a file: pscal neither reads it nor waits for it.
for name in data/fifo pscal.data; do
	rm -f $name
	mkfifo $name
	chown 65534 $name
	timeout 60 "$PSCAL" profile -q $name </dev/null >out 2>said
	status=$?
	refused "a FIFO $name"
done
timeout 60 "$PSCAL" profile -q </dev/null >out 2>said
status=$?
refused 'a FIFO in the place of the recording'
cat data/blocks.txt >data/fifo &
expect 0 timeout 60 "$PSCAL" timeline -q --force data/fifo >out
cat data/blocks.txt >data/fifo &
expect 0 timeout 60 "$PSCAL" timeline -q /dev/fd/7 7<data/fifo >out

# A file of another user in a directory of our own files.
chown root recording recording/data
expect 0 "$PSCAL" profile -q recording >out

# A calibration in a directory that another user can write to.
mkdir -p cache/pscal
echo '{}' >cache/pscal/calibration.json
chown -R 65534 cache
XDG_CACHE_HOME=$PWD/cache "$PSCAL" forecast --slowdown memory -q mine.data </dev/null >out 2>said
[ $? -eq 1 ] || fail 'a calibration of another user was used'
grep -q 'belongs to another user' said || fail "a calibration of another user: $(cat said)"

rm cache/pscal/calibration.json
mkfifo cache/pscal/calibration.json
for owner in 65534 0; do
	chown -R $owner cache
	XDG_CACHE_HOME=$PWD/cache timeout 60 "$PSCAL" forecast --slowdown memory -q mine.data </dev/null >out 2>said
	[ $? -eq 1 ] || fail 'a calibration was read from a FIFO'
	grep -q 'calibration.json: is not a regular file, or belongs to another user' said || fail "a calibration: $(cat said)"
done

# Users other than root: files of their own and of root, and no other files.
as_other()
{
	setpriv --reuid 65533 --regid 65533 --clear-groups "$@"
}
chmod 755 data
chmod 644 data/trace.txt mine.data
expect 0 as_other "$PSCAL" profile -q "$PWD/mine.data" >out
as_other "$PSCAL" profile -q "$PWD/data/trace.txt" >out 2>said
status=$?
refused 'without root'
SUDO_UID=65534 as_other "$PSCAL" profile -q "$PWD/data/trace.txt" >out 2>said
status=$?
refused 'without root, whatever the environment says'
expect 0 as_other "$PSCAL" profile -q --force "$PWD/data/trace.txt" >out
chown 65533 data/trace.txt
expect 0 as_other "$PSCAL" profile -q "$PWD/data/trace.txt" >out
