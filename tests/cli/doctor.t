# SPDX-License-Identifier: GPL-3.0-or-later
# The answers differ from machine to machine; the questions do not.

$ pscal doctor --format csv | cut -d, -f 1
name
kernel
cpus
rights
tracefs
collector_bpf
collector_perf
collector_task
uprobes
blocks
requests
counters
reading

$ pscal doctor --json | jq -c '[.facts[].answer] | unique - ["no", "part", "yes"]'
[]

# Every machine can read recordings; an unprivileged user can record threads of its own, or gets a
# reason.

$ pscal doctor --json | jq -c '.facts[] | select(.name == "reading") | .answer'
"yes"

$ pscal doctor --json | jq -c '[.facts[] | select(.text == "")]'
[]

$ pscal doctor pscal.data
pscal doctor: pscal.data: doctor reads no file; 'pscal doctor' examines this machine
? 2
