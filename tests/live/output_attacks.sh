#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Root writes each kind of file into the directory of another user, which has put something else in
# its place: no file outside of that directory changes, and no file is left behind. If the file
# cannot be written, one sentence reports it, and the earlier content is unchanged.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"
need_other_user
copy_examples
chmod 755 .

# Lines of NAME KIND COMMAND, with @ in place of the file. KIND is the effect on an existing file:
# it is replaced, kept as .old, refused, or appended to.
commands='
record    kept     record -q -o @ true
stream    replaced profile -q -o @ data/pscal.data
timeline  replaced timeline -q -o @ data/pscal.data
blocks    replaced timeline -q --enter-leave -o @ data/blocks.txt
forecast  replaced forecast -q -o @ data/pscal.data
fit       replaced fit -q -o @ data/throughput.csv
rdam      replaced rdam -q -o @ data/blocks.txt
stretch   replaced stretch -q --symfs data/symfs -o @ data/serial1.data.gz data/parallel1.data.gz
dag       replaced dag -q -o @ data/tasks.txt
list      replaced list -q -o @ page-faults
said      replaced export -q --sqlite said.db --force -o @ data/tasks.txt
plot      replaced profile -q -o /dev/null --plot @.gp data/pscal.data
picture   replaced fit -q -o /dev/null --plot @.svg data/throughput.csv
drawing   replaced dag -q -o /dev/null --plot @.svg data/tasks.txt
export    refused  export -q -o /dev/null --sqlite @ data/tasks.txt
sweep     appended sweep -q -n 1 -r 1 --warmup 0 -o @ -- sh -c : {n}
log       logged   sweep -q -n 1 -r 1 --warmup 0 -o table.csv --if-exists=new --log @ -- sh -c : {n}
'

as_other()
{
	setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}

# Files that another user, or any user, must not change, and a directory that must stay empty.
set_up()
{
	rm -rf theirs ours outside victim
	mkdir theirs ours outside
	chown 65534:65534 theirs
	printf secret >victim
	chmod 600 victim
}

# run_command FILE: its messages go through a pipe, as files may be limited.
run_command()
{
	{
		[ -z "$limit" ] || ulimit -f "$limit"
		eval "set -- $(printf %s "$command" | sed "s|@|$1|g")"
		"$PSCAL" "$@" 2>&1 >/dev/null
		echo "status $?"
	} | cat >said
	status=$(sed -n 's/^status //p' said)
	sed -i '/^status /d' said
}

context()
{
	echo "$name, $attack"
}

unharmed()
{
	[ "$(cat victim)" = secret ] || fail "$(context): another file was written: $(cat said)"
	[ "$(stat -c %a.%u victim)" = 600.0 ] || fail "$(context): another file was changed"
	[ -z "$(ls outside)" ] || fail "$(context): wrote outside: $(ls outside)"
	[ ! -e none ] || fail "$(context): wrote outside"
}

# refused PATTERN LEFT: the command failed with a matching sentence, and LEFT is in the directory.
refused()
{
	[ "$status" = 1 ] || fail "$(context): status $status: $(cat said)"
	[ "$(wc -l <said)" -eq 1 ] || fail "$(context): not one line: $(cat said)"
	grep -Eq "^pscal [a-z]*: .*$1" said || fail "$(context): said: $(cat said)"
	left=$(find theirs -mindepth 1 -maxdepth 1 -printf '%f\n' | sort | tr '\n' ' ')
	[ "$left" = "$2" ] || fail "$(context): left $left"
	unharmed
}

done_well()
{
	[ "$status" = 0 ] || fail "$(context): status $status: $(cat said)"
	unharmed
}

# The name below `theirs`; a plot has a suffix.
name_of()
{
	ending=$(printf %s "$command" | sed -n 's/.*@\(\.[a-z]*\).*/\1/p')
	echo "x$ending"
}

links()
{
	attack='a link'
	set_up
	as_other ln -s ../victim "theirs/$file"
	run_command theirs/x
	case $kind in
	refused) refused 'not a regular file' "$file " ;;
	logged) refused "'x' is a symbolic link that another user may change" "$file " ;;
	*) refused "'$file' is a symbolic link that another user may change" "$file " ;;
	esac

	attack='a link of root there'
	set_up
	ln -s ../victim "theirs/$file"
	run_command theirs/x
	case $kind in
	refused) refused 'not a regular file' "$file " ;;
	*) refused 'is a symbolic link that another user may change' "$file " ;;
	esac

	attack='a dangling link'
	set_up
	as_other ln -s ../none "theirs/$file"
	run_command theirs/x
	refused 'symbolic link|not a regular file' "$file "

	attack='a link to a directory'
	set_up
	as_other ln -s ../outside theirs/d
	run_command theirs/d/x
	refused "'d' is a symbolic link that another user may change, .*: name the directory that it leads to" 'd '

	attack='a link below /tmp'
	set_up
	chown root theirs
	chmod 1777 theirs
	as_other ln -s ../victim "theirs/$file"
	run_command theirs/x
	refused 'symbolic link|not a regular file' "$file "
}

own_links()
{
	attack='a link of root'
	set_up
	mkdir outside/d
	ln -s outside/d/target "ours/$file"
	ln -sf ../outside/d/target "ours/$file"
	run_command ours/x
	if [ "$kind" = refused ]; then
		[ "$status" = 1 ] || fail "$(context): status $status"
		grep -q 'not a regular file' said || fail "$(context): said: $(cat said)"
	elif [ "$kind" != logged ]; then
		[ "$status" = 0 ] || fail "$(context): status $status: $(cat said)"
		[ -L "ours/$file" ] || fail "$(context): the link was removed"
		[ -s outside/d/target ] || fail "$(context): the link was not followed"
	fi
}

hard_links()
{
	attack='a hard link'
	[ "$kind" != logged ] || return 0
	set_up
	ln victim "theirs/$file"
	run_command theirs/x
	case $kind in
	refused)
		refused 'exists' "$file "
		command="$command --force" run_command theirs/x
		done_well
		;;
	appended) refused 'belongs to another user or has several names' "$file " ;;
	*) done_well ;;
	esac
	[ "$kind" = appended ] || [ "$(stat -c %i "theirs/$file")" != "$(stat -c %i victim)" ] ||
		fail "$(context): it is still that file"
}

specials()
{
	attack='a FIFO'
	set_up
	as_other mkfifo "theirs/$file"
	run_command theirs/x
	case $kind in
	logged) refused 'Not a directory' "$file " ;;
	*) refused 'another user made it or may change it' "$file " ;;
	esac

	attack='a directory'
	set_up
	as_other mkdir "theirs/$file"
	run_command theirs/x
	case $kind in
	logged) done_well ;;
	*) refused 'is a directory' "$file " ;;
	esac

	[ "$ending" ] && return
	attack='/dev/full'
	set_up
	run_command /dev/full
	case $kind in
	refused) refused 'not a regular file' '' ;;
	logged) refused 'Not a directory' '' ;;
	*) refused 'No space left|no room left' '' ;;
	esac
}

# A file that may not grow at all. Most commands write to a file that exists, and leave it
# unchanged.
limited()
{
	attack='ulimit -f'
	set_up
	left="$file "
	case $kind in
	replaced | kept) printf before >"theirs/$file" ;;
	logged) return ;; # the sweep does not see errors of its command
	*) left= ;;
	esac
	limit=0
	run_command theirs/x
	limit=
	[ "$kind" != appended ] || rm -f "theirs/$file"
	refused 'too large|the file size limit' "$left"
	[ -z "$left" ] || [ "$(cat "theirs/$file")" = before ] ||
		fail "$(context): the earlier content has changed"
}

each()
{
	printf '%s\n' "$commands" | while read -r name kind command; do
		[ "$name" ] || continue
		file=$(name_of)
		ending=${file#x}
		"$1" || exit 1
	done || exit 1
}

limit=
for part in links own_links hard_links specials limited; do
	each $part
done

# Default names, in the directory of another user, which has made files with these names.
name=usual
attack='links in the place of pscal.data, pscal.data.old and sweep.csv'
set_up
for file in pscal.data pscal.data.old sweep.csv; do
	as_other ln -s ../victim "theirs/$file"
done
command='record -q true'
(cd theirs && "$PSCAL" record -q true 2>../said)
status=$?
refused "'pscal.data' is a symbolic link" 'pscal.data pscal.data.old sweep.csv '
(cd theirs && "$PSCAL" sweep -q -n 1 -r 1 -- sh -c ': {n}' >/dev/null 2>../said)
status=$?
refused "'sweep.csv' is a symbolic link" 'pscal.data pscal.data.old sweep.csv '
rm theirs/pscal.data
(cd theirs && "$PSCAL" record -q true 2>../said && "$PSCAL" record -q true 2>../said)
status=$?
done_well
[ "$(stat -c '%F %a %u' theirs/pscal.data theirs/pscal.data.old | sort -u)" = 'regular file 600 0' ] ||
	fail "$(context): the recordings are not root's"

# A calibration below a home directory of another user.
attack='a link in the place of a cache'
set_up
as_other ln -s ../outside theirs/pscal
echo '{}' >outside/calibration.json
XDG_CACHE_HOME=$PWD/theirs "$PSCAL" forecast -q --slowdown memory data/pscal.data >/dev/null 2>said
[ $? -eq 1 ] || fail "$(context): status 0"

# As root of a user namespace, in which the real root appears as another user.
attack='a user namespace'
set_up
chown 65534:65534 ours
in_namespace()
{
	# shellcheck disable=SC2016 # what the inner shell knows
	as_other unshare -Ur sh -c '"$@" >ours/out' sh "$@" 2>said
	status=$?
}
if as_other unshare -Ur true 2>/dev/null; then
	for place in /dev/null /dev/stdout /dev/fd/1 ours/x; do
		in_namespace "$PSCAL" profile -q -o $place data/pscal.data
		done_well
	done
	in_namespace "$PSCAL" sweep -q -n 1 -r 1 --warmup 0 -o /dev/null -- sh -c ': {n}'
	done_well
fi

# Standard output already has rows: they stay, and so does its name in /dev.
attack='sweep to standard output'
set_up
mkdir dev
links='cp -a /dev/null dev && mount --bind dev /dev && ln -s /proc/self/fd /dev/fd && ln -s fd/1 /dev/stdout'
if unshare -m true 2>/dev/null; then
	echo before >log
	expect 0 unshare -m sh -c "$links && exec '$PSCAL' sweep -q --if-exists=new -n 1 -r 1 --warmup 0 \\
		-o /dev/stdout -- sh -c ': {n}'" >>log
	[ "$(ls dev)" = 'fd
null
stdout' ] || fail "$(context): /dev has $(ls dev)"
	[ "$(head -n 1 log)" = before ] || fail "$(context): the earlier content is gone"
	grep -q '^1,' log || fail "$(context): nothing was written"
fi

# A file that is mounted by itself, as in a container, is written in place, and stays private.
attack='a mounted file'
set_up
mount="mount --bind outside/x ours/x && exec '$PSCAL'"
if unshare -m true 2>/dev/null; then
	printf before >ours/x
	printf before >outside/x
	chmod 640 outside/x
	expect 0 unshare -m sh -c "$mount profile -q -o ours/x data/pscal.data"
	[ "$(cat ours/x)" = before ] || fail "$(context): another file than the mounted one was written"
	cmp -s outside/x - <<-end || fail "$(context): the output is incomplete"
	$("$PSCAL" profile -q data/pscal.data)
	end
	[ "$(stat -c %a outside/x)" = 640 ] || fail "$(context): its mode has changed"
	expect 1 unshare -m sh -c "$mount record -q -o ours/x true" 2>said
	grep -q 'ours/x: exists and cannot be replaced' said || fail "$(context): $(cat said)"
	chown 65534 ours
	expect 1 unshare -m sh -c "$mount profile -q -o ours/x data/pscal.data" 2>said
	grep -q 'ours/x: exists and cannot be replaced' said || fail "$(context): $(cat said)"
fi

# Without procfs, and so without files that have no name.
attack='no procfs'
set_up
hidden="mount -t tmpfs none /proc && exec '$PSCAL' profile -q -o ours/x data/pscal.data"
if unshare -m true 2>/dev/null; then
	expect 0 unshare -m sh -c "$hidden"
	[ -s ours/x ] || fail "$(context): nothing was written"
	[ "$(ls -A ours)" = x ] || fail "$(context): left $(ls -A ours)"
	expect 1 unshare -m sh -c "$hidden/no" 2>said
	[ "$(ls -A ours)" = x ] || fail "$(context): left $(ls -A ours)"
fi
