# SPDX-License-Identifier: GPL-3.0-or-later
# Completion of pscal for fish, installed in share/fish/vendor_completions.d, where fish finds it.
# Commands and options, and their meaning, are from --help.

function __pscal_command
    set -l words (commandline -opc)
    test (count $words) -gt 1; and echo $words[2]
end

# Is the word at the cursor a program, and not one of its arguments?
function __pscal_needs_program
    contains -- (__pscal_command) run record sweep
    and not contains -- (commandline -opc)[-1] --probe --sync -e --event -p --pid --comm
end

function __pscal_commands
    pscal --help | string replace -rf '^  ([a-z]+) +(\S.*)' '$1\t$2'
end

# Lines of an option, a tab, and its meaning.
function __pscal_options
    pscal $argv --help 2>/dev/null | awk '
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
                print names[i] "\t" about
            }
        }'
end

complete -c pscal -n 'test (count (commandline -opc)) -eq 1' -f -a '(__pscal_commands)'
complete -c pscal -n 'test (count (commandline -opc)) -eq 1' -f -l help -d 'list the commands'
complete -c pscal -n 'test (count (commandline -opc)) -eq 1' -f -l version -d 'print the version'
complete -c pscal -n 'string match -q -- "-*" (commandline -ct); and __pscal_command' -f \
    -a '(__pscal_options (__pscal_command))'
complete -c pscal -n __pscal_needs_program -a '(__fish_complete_subcommand --fcs-skip=2)'
# The recording on the command line, or the default one.
function __pscal_recording
    for word in (commandline -opc)[3..-1]
        test -f $word; and echo $word; and return
    end
    echo pscal.data
end

# Column $argv[1] of the threads of the recording.
function __pscal_threads
    pscal profile --by thread --format csv (__pscal_recording) 2>/dev/null | tail -n +2 | cut -d, -f$argv[1] | sort -u
end

function __pscal_running
    cat /proc/*/task/*/comm 2>/dev/null | sort -u
end

function __pscal_sites
    pscal forecast -q --what-if list --format csv (__pscal_recording) 2>/dev/null | tail -n +2 | cut -d, -f4- | string trim -c '"' | string replace -r '$' =
end

function __pscal_pools
    pscal model -q --format csv (__pscal_recording) 2>/dev/null | tail -n +2 | cut -d, -f1 | string replace -r '$' =
end

function __pscal_events
    pscal list --format csv 2>/dev/null | sed -n '2,$s/,.*//p'
end

function __pscal_columns
    for word in (commandline -opc)[3..-1]
        test -f $word; and sed -n '/^#/!{p;q}' $word | string split -n , ; and return
    end
end

# The functions of the program to record that its symbol table names.
function __pscal_functions
    set -l before (commandline -opc)
    set -l all (commandline -op)
    echo hot
    for word in $all[(math (count $before) + 1)..-1]
        string match -q -- '-*' $word; and continue
        set -l file (command -s -- $word); or continue
        begin
            nm --defined-only $file; or nm -D --defined-only $file
        end 2>/dev/null | string replace -rf '.* [TtWw] ([A-Za-z][A-Za-z0-9_]*)$' '$1'
        return
    end
end

function __pscal_groups
    switch (__pscal_command)
        case profile
            echo thread\nname\nprocess\nfunction
        case forecast
            echo site\nname\nprocess
        case stretch
            echo function\nline\npath\nsegment\ntask\nlevel\nsubtree
        case '*'
            echo thread\nname\nprocess
    end
end

complete -c pscal -n 'test "$(__pscal_command)" = help' -f -a '(__pscal_commands)'
complete -c pscal -n 'contains -- (commandline -opc)[-1] --tid; and not __pscal_needs_program' -f -a '(__pscal_threads 1)'
complete -c pscal -n 'contains -- (commandline -opc)[-1] --comm; and not contains -- (__pscal_command) run record' -f -a '(__pscal_threads 3)'
complete -c pscal -n 'contains -- (commandline -opc)[-1] --comm; and contains -- (__pscal_command) run record' -f -a '(__pscal_running)'
complete -c pscal -n 'contains -- (commandline -opc)[-1] --probe' -f -a '(__pscal_functions)'
complete -c pscal -n 'contains -- (commandline -opc)[-1] --what-if' -f -a '(__pscal_sites)'
complete -c pscal -n 'contains -- (commandline -opc)[-1] --threads' -f -a '(__pscal_pools)'
complete -c pscal -n 'contains -- (commandline -opc)[-1] --goal' -f -a 'p95= mean='
complete -c pscal -n 'contains -- (commandline -opc)[-1] -e --event' -f -a '(__pscal_events)'
complete -c pscal -n 'contains -- (commandline -opc)[-1] --columns --series' -f -a '(__pscal_columns)'
complete -c pscal -n 'contains -- (commandline -opc)[-1] --by' -f -a '(__pscal_groups)'
complete -c pscal -n 'contains -- (commandline -opc)[-1] --sync' -f -a 'futex all none'
complete -c pscal -n 'contains -- (commandline -opc)[-1] --format' -f -a 'text csv json'
complete -c pscal -n 'contains -- (commandline -opc)[-1] --color' -f -a 'auto always never'
complete -c pscal -n 'contains -- (commandline -opc)[-1] -p --pid' -f -a '(__fish_complete_pids)'
