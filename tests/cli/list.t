# SPDX-License-Identifier: GPL-3.0-or-later
# The countable events depend on the machine; the list of names does not.

$ pscal list --all --format csv page-faults | cut -d, -f 1,2,3,5
name,alias,pmu,description
page-faults,faults,software,Page faults of both kinds

$ pscal list --all --format csv 'skl::UOPS_EXEC*:C*' | cut -d, -f 1,3
name,pmu
skl::UOPS_EXECUTED:CORE,skl
skl::UOPS_EXECUTED:CORE_CYCLES_GE_1,skl
skl::UOPS_EXECUTED:CORE_CYCLES_GE_2,skl
skl::UOPS_EXECUTED:CORE_CYCLES_GE_3,skl
skl::UOPS_EXECUTED:CORE_CYCLES_GE_4,skl
skl::UOPS_EXECUTED:CORE_CYCLES_NONE,skl

$ pscal list -q --all CPU-CYCLES | tr -s ' ' | sed 's/ yes \| no \| user \| denied / ? /'
event or PMU available description
cycles cpu-cycles hardware ? CPU cycles, at any clock rate

$ pscal list --all --format json software | jq -c '[.events[] | select(.pmu == "software") | .name]'
["task-clock","cpu-clock","context-switches","cpu-migrations","cgroup-switches","page-faults","minor-faults","major-faults","alignment-faults","emulation-faults","bpf-output"]

$ pscal list --all --format json branches | jq -c '.events[0] | keys_unsorted, [.name, .alias]'
["name","alias","pmu","available","description"]
["branches","branch-instructions"]

# With a PMU that libpfm4 is told to find, its names can be listed and tried.

$ LIBPFM_FORCE_PMU=skl pscal list --all --format csv 'skl::INST_R*' | cut -d, -f 1,3
name,pmu
skl::INST_RETIRED:ANY_P,skl
skl::INST_RETIRED:ALL,skl
skl::INST_RETIRED:TOTAL_CYCLES,skl
skl::INST_RETIRED:PREC_DIST,skl

# A pattern without a match gets one sentence.

$ pscal list no-such-event
pscal list: no event matches 'no-such-event'
? 1

$ pscal list knc::no-such-event -q
pscal list: no event matches 'knc::no-such-event'
? 1
$ pscal list 'knc::*'
pscal list: knc::*: 59 events match, but this machine supports none of them; --all lists them
? 1
$ pscal list one two
pscal list: two: one pattern at a time; say 'pscal list one'
? 2
