#compdef pscal
# SPDX-License-Identifier: GPL-3.0-or-later
# Completion of pscal for zsh. It goes to share/zsh/site-functions/_pscal, where zsh finds it by itself.
# Commands and options with their meaning are those that --help lists.

_pscal_commands()
{
	pscal --help | sed -n 's/^  \([a-z][a-z]*\)  *\([^ ].*\)/\1:\2/p'
}

# A line each: the option, a colon, what it does.
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
