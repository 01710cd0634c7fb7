#compdef pscal
# SPDX-License-Identifier: GPL-3.0-or-later
# Completion of pscal for zsh, installed as share/zsh/site-functions/_pscal, where zsh finds it.
# Commands and options, and their meaning, are from --help.

_pscal_commands()
{
	pscal --help | sed -n 's/^  \([a-z][a-z]*\)  *\([^ ].*\)/\1:\2/p'
}

# Lines of an option, a colon, and its meaning.
_pscal_options()
{
	pscal "$1" --help 2>/dev/null | awk '
		/^  (    )?-/ {
			sub(/^ +/, "")
			about = ""
			if (match($0, /  +/)) {
				about = substr($0, RSTART + RLENGTH)
				$0 = substr($0, 1, RSTART - 1)
			}
			count = split($0, names, ", ")
			for (i = 1; i <= count; i++) {
				sub(/[= ].*/, "", names[i])
				print names[i] ":" about
			}
		}'
}

# The recording on the command line, or the default one.
_pscal_recording()
{
	local word

	for word in $words[3,-1]; do
		[[ -f $word ]] && print -r -- $word && return
	done
	print pscal.data
}

# A line each: threads by number or name, the sites of --what-if, pools, events, columns of a table.
_pscal_values()
{
	case $1 in
	threads | names)
		pscal profile --by thread --format csv "$(_pscal_recording)" 2>/dev/null |
			tail -n +2 | cut -d, -f"$([[ $1 == threads ]] && print 1 || print 3)" | sort -u ;;
	sites)
		pscal forecast -q --what-if list --format csv "$(_pscal_recording)" 2>/dev/null |
			tail -n +2 | cut -d, -f4- | sed 's/^"//; s/"$//; s/$/=/' ;;
	pools)
		pscal model -q --format csv "$(_pscal_recording)" 2>/dev/null |
			tail -n +2 | cut -d, -f1 | sed 's/$/=/' ;;
	events) pscal list --format csv 2>/dev/null | sed -n '2,$s/,.*//p' ;;
	columns) sed -n '/^#/!{p;q}' "$(_pscal_recording)" 2>/dev/null | tr , '\n' ;;
	esac
}

# The functions of the program to record that its symbol table names.
_pscal_functions()
{
	local word file

	print hot
	for word in $words[CURRENT+1,-1]; do
		[[ $word == -* ]] && continue
		file=$(whence -p -- $word) || return
		{ nm --defined-only $file || nm -D --defined-only $file } 2>/dev/null |
			sed -n 's/.* [TtWw] \([A-Za-z][A-Za-z0-9_]*\)$/\1/p'
		return
	done
}

_pscal()
{
	local -a items
	local command=$words[2]

	if ((CURRENT == 2)); then
		items=(${(f)"$(_pscal_commands)"} '--help:list the commands' '--version:print the version')
		_describe command items
		return
	fi
	case $words[CURRENT-1] in
	--format) compadd text csv json; return ;;
	--color) compadd auto always never; return ;;
	-p | --pid) _pids; return ;;
	--sync) compadd futex all none; return ;;
	--tid)
		[[ $command == (run|record) ]] || { compadd -- ${(f)"$(_pscal_values threads)"}; return; } ;;
	--comm)
		if [[ $command == (run|record) ]]; then
			compadd -- ${(fu)"$(cat /proc/[1-9]*/task/[1-9]*/comm 2>/dev/null)"}
		else
			compadd -- ${(f)"$(_pscal_values names)"}
		fi
		return ;;
	--probe) compadd -- ${(f)"$(_pscal_functions)"}; return ;;
	--what-if) compadd -S '' -- ${(f)"$(_pscal_values sites)"}; return ;;
	--threads) compadd -S '' -- ${(f)"$(_pscal_values pools)"}; return ;;
	--goal) compadd -S '' p95= mean=; return ;;
	-e | --event) compadd -- ${(f)"$(_pscal_values events)"}; return ;;
	--columns | --series) compadd -- ${(f)"$(_pscal_values columns)"}; return ;;
	--by)
		case $command in
		profile) compadd thread name process function ;;
		forecast) compadd site name process ;;
		stretch) compadd function line path segment task level subtree ;;
		*) compadd thread name process ;;
		esac
		return ;;
	esac
	if [[ $PREFIX == -* ]]; then
		items=(${(f)"$(_pscal_options $command)"})
		_describe -o option items
	elif [[ $command == (run|record|sweep) ]]; then
		_alternative 'commands:command:_command_names -e' 'files:file:_files'
	elif [[ $command == help ]]; then
		items=(${(f)"$(_pscal_commands)"})
		_describe command items
	else
		_files
	fi
}

if [[ $funcstack[1] == _pscal ]]; then
	_pscal "$@"
fi
