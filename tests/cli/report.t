# SPDX-License-Identifier: GPL-3.0-or-later
# The page for browsers: its numbers are those that other commands print as JSON.

$ pscal report "$DATA/examples/pscal.data"
pscal-report.html is complete; open it in a browser.

$ sed -n '/id="pscal-data">/,/<\/script>/p' pscal-report.html | sed 's/.*id="pscal-data">//; s/<\/script>.*//' >data.json; jq -c '[.schema, .version, (.recordings | length)]' data.json
[1,"pscal 0.9.0",1]

$ jq -S '.recordings[0].profile' data.json >page.json; pscal profile --json --limit 400 "$DATA/examples/pscal.data" | jq -S . | cmp - page.json
$ jq -S '.recordings[0].forecast' data.json >page.json; pscal forecast --json "$DATA/examples/pscal.data" | jq -S . | cmp - page.json
$ jq -c '[.recordings[0].forecast.warnings[] | select(contains("far from"))]' data.json
[]
$ n=$(jq -r '[.recordings[0].forecast.forecast[].cores] | join(",")' data.json); jq -S '.recordings[0].why' data.json >page.json; pscal forecast --why --json -n "$n" "$DATA/examples/pscal.data" | jq -S . | cmp - page.json
$ n=$(jq -r '[.recordings[0].forecast.forecast[].cores] | join(",")' data.json); site=$(jq -r '.recordings[0].what_if[0].site' data.json); jq -c '.recordings[0].what_if[0].wall_s | .["50"] + .["0"]' data.json >page.json; pscal forecast --json -n "$n" --what-if "$site=50%,0" "$DATA/examples/pscal.data" | jq -c '[.forecast[].wall_s]' | cmp - page.json

# Its text is for readers without a command line.
$ grep -ce '(-v)' -e 'As a page for browsers' pscal-report.html
0
? 1

# The time with each number of ready threads, summed over the bins; CPUs of other programs are known
# if the profile knows them.
$ jq -c '.recordings[0] | (.profile.levels | map(select(.wall_s > 0) | [.ready, (.wall_s * 1e6 | round)])) == ([.ready.bins[] | _nwise(2)] | group_by(.[0]) | map([.[0][0], (map(.[1]) | add * 1e6 | round)]))' data.json
true
$ jq -c '.recordings[0] | [.cpus[] | (.others != null) and (.others | length) == (.running | length)] | unique' data.json
[true]

# Functions and tasks, if they are recorded.
$ pscal report -q --forecast=never --comm server -o blocks.html "$DATA/examples/blocks.txt.gz"; sed -n '/id="pscal-data">/,/<\/script>/p' blocks.html | sed 's/.*id="pscal-data">//; s/<\/script>.*//' | jq -S '.recordings[0].rdam' >page.json; pscal rdam --comm server --json "$DATA/examples/blocks.txt.gz" | jq -S . | cmp - page.json
$ pscal report -q --forecast=never --comm tasks_fib -o tasks.html "$DATA/examples/tasks.txt"; sed -n '/id="pscal-data">/,/<\/script>/p' tasks.html | sed 's/.*id="pscal-data">//; s/<\/script>.*//' | jq -S '.recordings[0].dag' >page.json; pscal dag --comm tasks_fib --json "$DATA/examples/tasks.txt" | jq -S . | cmp - page.json
$ rm blocks.html tasks.html

# Any file but an older page is kept.
$ cp "$DATA/examples/pscal.data" my.data; pscal report -q my.data; pscal report -o my.data my.data
pscal report: my.data: exists and is not a page of pscal; choose another name for the page
? 1

$ pscal report --json my.data
pscal report: --format: the page is HTML; 'pscal profile' and 'pscal forecast' print the same as CSV and JSON
? 2

$ pscal report my.data my.data my.data
pscal report: my.data: a page compares two recordings; name one or two
? 2

$ pscal report -q -o two.html my.data my.data; ls
data.json
my.data
page.json
pscal-report.html
two.html

# A recording that is too poor for a forecast, and text from a pipe.
$ pscal report -q -o text.html <"$DATA/cc.perf-script.txt"; grep -c '<h3>Forecast</h3>' text.html
1

# A page of any recording can be attached to a ticket.
$ "$(dirname "$(command -v pscal)")/tools/make_trace" 100000 10000 64 crowd.data && pscal report -q --forecast=never -o crowd.html crowd.data && jq -n "$(wc -c <crowd.html) < 3000000"
true

$ awk -f "$DATA/hostile_names.awk" >hostile.txt; pscal rdam --json hostile.txt | sed 's/</\\u003c/g' | wc -c | awk '{ print ($1 > 3e6) }'
1
$ pscal report -q -o hostile.html hostile.txt && jq -n "$(wc -c <hostile.html) < 3000000"
true
$ sed -n '/id="pscal-data">/,/<\/script>/p' hostile.html | sed 's/.*id="pscal-data">//; s/<\/script>.*//' | jq -c '.recordings[] | [.rdam, .left_out]'
[null,["functions"]]

# With two recordings also the work inflation.
$ for run in serial1 parallel1; do gzip -dc "$DATA/examples/$run.data.gz" >$run.data; done; pscal report -q --forecast=never -o stretch.html serial1.data parallel1.data; sed -n '/id="pscal-data">/,/<\/script>/p' stretch.html | sed 's/.*id="pscal-data">//; s/<\/script>.*//' | jq -S '.stretch' >page.json; pscal stretch --json serial1.data parallel1.data | jq -S . | cmp - page.json

# With two recordings also the changes.
$ pscal report -q --forecast=never -o crowds.html crowd.data crowd.data && jq -n "$(wc -c <crowds.html) < 3000000"
true
$ pscal report -q -o two.html my.data crowd.data --forecast never; sed -n '/id="pscal-data">/,/<\/script>/p' two.html | sed 's/.*id="pscal-data">//; s/<\/script>.*//' | jq -c '.recordings[].forecast, (.compared.changes[] | select(.key == "threads") | [.before, .after])'
{"refused":"no forecast was asked for","hint":"leave out --forecast=never"}
{"refused":"no forecast was asked for","hint":"leave out --forecast=never"}
[4,9984]
